//! The first model in the colours of its distance from the second one, as the renderer has it.

use std::sync::Arc;

use crate::jobs::HeatColours;
use rigview_look::{Look, Pass};
use rigview_model::{Model, Properties, Stage};
use rigview_render::{Frame, Gpu, GpuModel};

/// The coloured model; empty until it was first wanted.
#[derive(Default)]
pub(super) struct HeatModel {
    model: Option<(Arc<Model>, Properties)>,
    /// `None` until it is first drawn, and after the device was lost.
    gpu_model: Option<GpuModel>,
    /// The colours of the last instant that was measured.
    latest: Option<HeatColours>,
    /// Whether the uploaded copy has these colours.
    is_uploaded: bool,
}

/// The coloured model, ready to be drawn.
pub(super) struct HeatFrame<'a> {
    model: &'a Model,
    gpu_model: &'a GpuModel,
    stage: Stage,
    look: Look,
}

impl HeatModel {
    /// Takes the model whose vertices are to be coloured.
    pub fn take_model(&mut self, model: Arc<Model>) {
        let properties = Stage::new(&model, model.default_scene).properties;
        *self = Self { model: Some((model, properties)), ..Self::default() };
    }

    /// Takes the colours of an instant.
    pub fn take(&mut self, heat: HeatColours) {
        (self.latest, self.is_uploaded) = (Some(heat), false);
    }

    /// Drops the uploaded copy, which was lost with the device.
    pub fn lose(&mut self) {
        (self.gpu_model, self.is_uploaded) = (None, false);
    }

    /// Uploads the model and its colours, unless that is done.
    pub fn upload(&mut self, gpu: &Gpu) {
        let Some((model, _)) = &self.model else { return };
        let gpu_model = self.gpu_model.get_or_insert_with(|| GpuModel::new(gpu, model));
        let Some(heat) = self.latest.as_ref().filter(|_| !self.is_uploaded) else { return };
        for (mesh, primitives) in heat.vertices.iter().enumerate() {
            for (primitive, vertices) in primitives.iter().enumerate() {
                gpu_model.replace_vertices(gpu, [mesh, primitive], vertices);
            }
        }
        self.is_uploaded = true;
    }

    /// Returns the coloured model in the pose of a frame; `None` if it is not there yet.
    pub fn posed(&self, frame: &Frame<'_>) -> Option<HeatFrame<'_>> {
        let (model, properties) = self.model.as_ref()?;
        let gpu_model = self.gpu_model.as_ref().filter(|_| self.is_uploaded)?;
        let mut stage = frame.stage.clone();
        stage.properties = properties.clone();
        let look = Look { pass: Pass::Shaded, variant: None, ..frame.look.clone() };
        Some(HeatFrame { model, gpu_model, stage, look })
    }
}

impl HeatFrame<'_> {
    /// Returns a frame with this model instead of the frame's own.
    pub fn frame<'a>(&'a self, frame: &Frame<'a>) -> Frame<'a> {
        let Self { model, gpu_model, stage, look } = self;
        Frame { model, gpu_model, stage, look, ghosts: &[], ..*frame }
    }
}
