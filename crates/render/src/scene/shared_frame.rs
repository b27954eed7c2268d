//! What all passes of a frame share, and the resources that it comes from.

use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::bind_layouts::BindLayouts;
use super::canvas::Canvas;
use super::features::{Features, ShaderFeature};
use super::frame_data::JointHeat;
use super::lights::{SceneLights, ShadowLight};
use super::plan::{Choice, Draw, Instancing};
use super::scene_resources::{DrawStats, SceneResources};
use super::standing::standing_box;
use super::uniforms::FrameUniform;
use super::viewpoint::{FrameBindings, camera_uniform};
use crate::frame::Frame;
use crate::upload::file_weights::FileWeights;
use crate::{Gpu, GpuModel, Target};
use rigview_look::{
    Backdrop, EnvironmentSource, Exposure, Lighting, Look, MAX_LIGHTS, Pass, exposure,
};
use rigview_model::{Aabb, Stage, Topology};

/// What all passes of a frame share. It does not change while the frame is drawn.
#[derive(Clone, Copy)]
pub struct SharedFrame<'a> {
    pub gpu: &'a Gpu,
    pub layouts: &'a BindLayouts,
    pub bindings: &'a FrameBindings,
    pub frame: Frame<'a>,
    pub target: Target<'a>,
    pub scene: &'a SceneResources,
    pub canvas: &'a Canvas,
    /// The shader features that the materials need in the look's pass.
    pub features: Features,
    /// Whether a pose may have mirrored a mesh.
    pub mirrors: bool,
    /// The box of everything that is drawn, in world space.
    pub bounds: Aabb,
    /// The same box without floors, which shadows and ambient occlusion are fitted to.
    pub standing: Aabb,
    pub exposure: Exposure,
    /// The light that casts the shadow.
    pub shadow_light: Option<ShadowLight>,
}

impl SharedFrame<'_> {
    /// Returns the camera's numbers, without those that passes fill in.
    pub fn camera(&self) -> FrameUniform {
        let Frame { view, stage, look, .. } = self.frame;
        let size = self.target.whole();
        let mut camera = camera_uniform(view, stage.origin, size, look.overlay_scale);
        camera.white = (-look.exposure).exp2();
        camera.linear_light = f32::from(u8::from(look.pass.is_shaded()));
        camera.paint = look.paint;
        let environment = self.exposure.environment * automatic(look, self.exposure);
        put_environment(&mut camera, &look.lighting, environment);
        camera
    }
}

/// Returns the factor that the automatic exposure gives to all light. The look's own exposure is left to the last pass,
/// because unlit surfaces have it too.
fn automatic(look: &Look, exposure: Exposure) -> f32 {
    (exposure.stops - look.exposure).exp2()
}

/// Whether the look shows a draw. A mask has no points or lines, since they cover no area, and the faces
/// pass only shows triangles.
pub fn is_drawn(draw: &Draw, look: &Look) -> bool {
    draw.topology == Topology::Triangles || !matches!(look.pass, Pass::Mask | Pass::Faces)
}

/// Whether a draw's edges are drawn over its faces.
pub fn has_edges(draw: &Draw, look: &Look) -> bool {
    draw.topology == Topology::Triangles && look.pass == Pass::Wireframe
}

/// Returns the shader features that a pass needs for a model's materials.
pub fn features(gpu_model: &GpuModel, pass: Pass) -> Features {
    let features = gpu_model.materials.features;
    if pass == Pass::Tangent { features.with(ShaderFeature::Tangents) } else { features }
}

/// Resources that outlive a frame and that all passes share. Each is created by the first frame that needs it.
pub struct SharedResources {
    pub layouts: BindLayouts,
    bindings: Option<FrameBindings>,
    scene: Option<SceneResources>,
    canvas: Option<Canvas>,
}

impl SharedResources {
    /// Allocates nothing yet.
    pub fn new(gpu: &Gpu) -> Self {
        Self { layouts: BindLayouts::new(gpu), bindings: None, scene: None, canvas: None }
    }

    /// Returns the counts of the last picture; zero before the first.
    pub fn stats(&self) -> DrawStats {
        self.scene.as_ref().map_or_else(DrawStats::default, |scene| scene.stats)
    }

    /// Returns the size of the last picture; `None` before the first.
    pub fn drawn_size(&self) -> Option<[u32; 2]> {
        self.canvas.as_ref().map(|canvas| canvas.size)
    }

    /// Frees the resources of the scene.
    pub fn free_scene(&mut self) {
        self.scene = None;
    }

    /// Prepares what the passes of a frame share: uploads its poses, lights and animated materials, and replaces
    /// resources that no longer fit.
    pub fn prepare<'a>(
        &'a mut self,
        gpu: &'a Gpu,
        frame: &Frame<'a>,
        target: &Target<'a>,
    ) -> SharedFrame<'a> {
        let Frame { model, gpu_model, stage, look, .. } = *frame;
        let Self { layouts, bindings, scene, canvas } = self;
        let environment = &look.lighting.environment;
        let bindings = bindings.get_or_insert_with(|| FrameBindings::new(gpu, environment));
        bindings.show(gpu, environment);
        let features = features(gpu_model, look.pass);
        let scene = prepare_scene(scene, gpu, layouts, frame, features);
        upload_scene(gpu, layouts, scene, frame, &joint_heat(frame));
        scene.count(|draw| is_drawn(draw, look));
        // Computing the posed box of a crowd would take longer than everything else, so its framed box is
        // used.
        let crowd = !frame.others.is_empty();
        let bounds = if crowd { frame.framed_box() } else { stage.bounds(model) };
        let scene_lights = SceneLights::new(frame);
        let shadow_light = scene_lights.shadow_light(&bounds);
        let eye = frame.view.world_from_camera.translation;
        let exposure = exposure(look, model, stage, &bounds, frame.metered);
        let factor = automatic(look, exposure);
        bindings.write_lights(gpu, &scene_lights.uniform(eye, shadow_light, factor));
        let (size, copied) = (target.size(), scene.plan.shows_transmission(look));
        canvas.take_if(|canvas| !canvas.fits(size, look, copied));
        SharedFrame {
            gpu,
            layouts,
            bindings,
            frame: *frame,
            target: *target,
            scene,
            canvas: canvas.get_or_insert_with(|| Canvas::new(gpu, size, look, copied)),
            features,
            mirrors: frame.scene().all_stages().any(Stage::may_mirror),
            bounds,
            standing: if crowd { bounds } else { standing_box(model, stage, &bounds) },
            exposure,
            shadow_light,
        }
    }

    /// Prepares the poses of a frame without its light and its overlays, for a pick.
    pub fn prepare_poses(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
    ) -> (&BindLayouts, &FrameBindings, &SceneResources) {
        let Frame { gpu_model, look, .. } = *frame;
        let Self { layouts, bindings, scene, .. } = self;
        // A changed environment is left to the next picture.
        let environment = &look.lighting.environment;
        let bindings = bindings.get_or_insert_with(|| FrameBindings::new(gpu, environment));
        let scene = prepare_scene(scene, gpu, layouts, frame, features(gpu_model, look.pass));
        upload_poses(gpu, scene, frame, &JointHeat::None);
        (layouts, bindings, scene)
    }
}

/// Returns the scene's resources, replaced if they belong to another scene.
fn prepare_scene<'a>(
    kept: &'a mut Option<SceneResources>,
    gpu: &Gpu,
    layouts: &BindLayouts,
    frame: &Frame<'_>,
    features: Features,
) -> &'a mut SceneResources {
    let Frame { gpu_model, look, .. } = *frame;
    let scene = frame.scene();
    let choice = Choice { instancing: Instancing::Instances, variant: look.variant };
    // Freed before the new resources are allocated.
    kept.take_if(|kept| !kept.fits(&scene, choice));
    if kept.is_none() {
        let lights = SceneLights::new(frame).count();
        if lights > MAX_LIGHTS {
            log::warn!("the scene has {lights} lights; only the first {MAX_LIGHTS} are used");
        }
    }
    let kept = kept.get_or_insert_with(|| SceneResources::new(gpu, layouts, &scene, choice));
    kept.bind_materials(gpu, gpu_model, features);
    kept
}

/// Uploads the poses and animated materials of a frame and, for the passes that show them, its edges or the sums of
/// weights.
fn upload_scene(
    gpu: &Gpu,
    layouts: &BindLayouts,
    scene: &mut SceneResources,
    frame: &Frame<'_>,
    heat: &JointHeat,
) {
    let Frame { model, gpu_model, look, .. } = *frame;
    upload_poses(gpu, scene, frame, heat);
    scene.wide_points = look.widens_points();
    if look.pass == Pass::Wireframe {
        scene.prepare_edges(gpu, layouts, model, gpu_model);
    }
    if look.pass == Pass::WeightSum {
        let plan = &scene.plan;
        scene.file_weights.get_or_insert_with(|| FileWeights::new(gpu, model, plan));
    }
}

fn upload_poses(gpu: &Gpu, scene: &mut SceneResources, frame: &Frame<'_>, heat: &JointHeat) {
    scene.data.write(gpu, &scene.plan, heat, &frame.scene());
    let properties = &frame.stage.properties;
    let materials = &frame.gpu_model.materials;
    materials.update(gpu, &properties.materials, &properties.moving_materials);
}

/// Returns the numbers of joints that the pass shows.
fn joint_heat(Frame { model, stage, look, .. }: &Frame<'_>) -> JointHeat {
    let first = || stage.joints(model).first().copied();
    match look.pass {
        Pass::Weights => look.joint.or_else(first).map_or(JointHeat::None, JointHeat::Of),
        Pass::RestToBind => {
            JointHeat::FromBind(look.bind.as_ref().map(Arc::clone).unwrap_or_default())
        }
        _ => JointHeat::None,
    }
}

/// Fills in the fields of the environment.
fn put_environment(uniform: &mut FrameUniform, lighting: &Lighting, gain: f32) {
    let (factor, levels) = match &lighting.environment {
        EnvironmentSource::Uniform(radiance) => {
            uniform.irradiance[0] = [1.0, 1.0, 1.0, 0.0];
            (*radiance, 1)
        }
        EnvironmentSource::Picture(environment) => {
            uniform.irradiance = environment.irradiance.map(|[r, g, b]| [r, g, b, 0.0]);
            (Vec3::ONE, environment.levels.len())
        }
    };
    let (sin, cos) = lighting.rotation.sin_cos();
    let last = (levels - 1) as f32;
    let behind = if lighting.backdrop == Backdrop::Blurred { 0.5 * last } else { 0.0 };
    uniform.environment_factor = gain * lighting.intensity * factor * lighting.tint;
    uniform.environment_last_level = last;
    uniform.environment_turn = Vec2::new(cos, sin);
    uniform.backdrop_level = behind;
}
