//! The inputs of one picture.

use crate::GpuModel;
use crate::scene::plan::Scene;
use rigview_look::{Ghost, Look, Metered, View};
use rigview_model::{Aabb, Model, Projection, SceneBox, Stage};

/// The inputs of one picture.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The model.
    pub model: &'a Model,
    /// The same model, uploaded.
    pub gpu_model: &'a GpuModel,
    /// The posed scene.
    pub stage: &'a Stage,
    /// Further instances of the same scene, each with its own pose: a crowd. Materials and lights are
    /// taken from `stage`.
    pub others: &'a [Stage],
    /// Other poses of the same scene, drawn translucent below the model in this order.
    pub ghosts: &'a [Ghost],
    /// The camera.
    pub view: &'a View,
    /// Pass, lighting and overlays.
    pub look: &'a Look,
    /// The box that the session frames. Its bottom is the height of
    /// the ground.
    pub bounds: SceneBox,
    /// The light that automatic exposure is for; `None` for that of the frame itself.
    pub metered: Option<&'a Metered>,
}

impl<'a> Frame<'a> {
    pub(super) fn scene(&self) -> Scene<'a> {
        let Frame { model, gpu_model, stage, others, ghosts, .. } = *self;
        Scene { model, gpu_model, stage, others, ghosts }
    }

    /// Returns the box that the session frames, relative to the stage's origin.
    pub(super) fn framed_box(&self) -> Aabb {
        let SceneBox { min, max } = self.bounds;
        let origin = self.stage.origin;
        Aabb { min: (min - origin).as_vec3(), max: (max - origin).as_vec3() }
    }

    /// Whether a floor is seen: from above, in lit passes of the default look.
    pub(super) fn shows_floor(&self) -> bool {
        let axes = &self.view.world_from_camera;
        let is_above = match self.view.projection {
            Projection::Perspective { .. } => axes.translation.y > self.bounds.min.y,
            Projection::Orthographic { .. } => axes.matrix3.z_axis.y > 0.0,
        };
        self.look.pass.is_shaded() && self.look.lighting.key_light && is_above
    }
}
