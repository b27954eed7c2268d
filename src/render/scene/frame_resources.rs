//! The resources that frames share, and how a frame is prepared: resources that no longer fit are
//! replaced, and the frame's data is uploaded.

use glam::Mat4;

use super::bindings::FrameTextures;
use super::canvas::{Canvas, CanvasNeeds};
use super::features::{Features, ShaderFeature};
use super::frame_data::{FrameInputs, JointHeat, camera_uniform};
use super::frame_inputs::{GroundViews, Made};
use super::plan::{Choice, Instancing, Plan};
use super::prepared_frame::{PreparedFrame, SortedDraw, is_drawn};
use super::scene_resources::{DrawStats, SceneResources};
use super::uniforms::{FrameUniform, MAX_LIGHTS};
use super::{frame_inputs, lights};
use crate::look::{Look, Pass, exposure};
use crate::model::{Aabb, Stage};
use crate::render::frame::Frame;
use crate::render::passes::bloom::has_lamps;
use crate::render::passes::bones::solid_layer::SolidLayer;
use crate::render::passes::bones::solids::{SolidList, has_solids};
use crate::render::passes::contact::Contact;
use crate::render::passes::frame_pipelines::FramePipelines;
use crate::render::passes::ghosts::layer::GhostLayer;
use crate::render::passes::occlusion::Occlusion;
use crate::render::passes::outline::mask;
use crate::render::passes::outline::mask::{OutlineMask, OutlinedDraw};
use crate::render::passes::shadow::MAP_SIZE;
use crate::render::passes::transmission;
use crate::render::passes::transmission::Blur;
use crate::render::passes::{ghosts, occlusion, vectors};
use crate::render::pick::PickScene;
use crate::render::upload::file_weights::FileWeights;
use crate::render::{Gpu, GpuModel, Target};

/// Resources that outlive a frame. Each is created by the first frame that needs it.
#[derive(Default)]
pub struct FrameResources {
    textures: Option<FrameTextures>,
    scene: Option<SceneResources>,
    canvas: Option<Canvas>,
    occlusion: Option<Occlusion>,
    contact: Option<Contact>,
    nothing_behind: Option<wgpu::BindGroup>,
    far_first: Vec<SortedDraw>,
    ghosts: Option<GhostLayer>,
    solids: Option<SolidLayer>,
    outline: Option<OutlineMask>,
    outlined: Vec<OutlinedDraw>,
}

impl FrameResources {
    /// Returns the counts of the last picture; zero before the first.
    pub fn stats(&self) -> DrawStats {
        self.scene.as_ref().map_or_else(DrawStats::default, |scene| scene.stats)
    }

    /// Frees the resources of the scene.
    pub fn free_scene(&mut self) {
        self.scene = None;
    }

    /// Prepares a frame.
    pub fn prepare<'a>(
        &'a mut self,
        gpu: &Gpu,
        pipelines: &mut FramePipelines,
        frame: &Frame<'a>,
        target: &Target<'_>,
    ) -> PreparedFrame<'a> {
        let Frame { gpu_model, look, .. } = *frame;
        let Self { textures, scene, canvas, occlusion, contact, nothing_behind, .. } = self;
        let Self { far_first, ghosts, solids, outline, outlined, .. } = self;
        let features = features(gpu_model, look.pass);
        let environment = &look.lighting.environment;
        let textures =
            textures.get_or_insert_with(|| FrameTextures::new(gpu, environment, MAP_SIZE));
        let occlusion = prepare_occlusion(occlusion, gpu, look, target.whole());
        let openness = occlusion.map(|occlusion| &occlusion.openness);
        let changed = textures.show(gpu, environment) | textures.show_openness(openness);
        let scene = prepare_scene(scene, gpu, pipelines, (textures, changed), frame);
        let layout = pipelines.meshes.material_layout(gpu, &pipelines.layouts, features);
        scene.bind_materials(gpu, gpu_model, layout, features);

        *outlined = outlined_draws(&scene.plan, frame);
        let needs = CanvasNeeds {
            size: target.size(),
            overlay: frame_inputs::shows_overlay(&scene.plan, look) || !outlined.is_empty(),
            behind: shows_through(&scene.plan, look),
            blooms: target.part.is_none() && has_lamps(frame, &scene.plan),
        };
        let canvas = prepare_canvas(canvas, gpu, pipelines, needs, look);
        let transmits = features.has(ShaderFeature::Transmission);
        if transmits {
            nothing_behind.get_or_insert_with(|| transmission::nothing(gpu, &pipelines.layouts));
        }
        let uploaded = upload(gpu, pipelines, scene, frame, target.whole());
        sort_by_distance(far_first, frame, &scene.plan);
        let contact = contact.get_or_insert_with(|| Contact::new(gpu));
        let occluded_part = occlusion.map_or([0; 4], |occlusion| {
            let projection = Mat4::from_cols_array_2d(&uploaded.camera.projection_from_world);
            occlusion::part_of(&uploaded.bounds, &projection, occlusion.size)
        });
        // Texels of several pixels would show, and light that shines through a surface has no one share.
        let draws_shadow = uploaded.casts_shadow
            && occlusion.is_some_and(|occlusion| occlusion.size == target.whole())
            && !features.has(ShaderFeature::DiffuseTransmission);
        outline.take_if(|mask| outlined.is_empty() || !mask.fits(needs.size));
        let has_outline = !outlined.is_empty();
        let ghosts = prepare_ghosts(ghosts, gpu, canvas, frame);
        let solids = prepare_solids(solids, gpu, &scene.plan, (frame, needs.size));
        PreparedFrame {
            frame: *frame,
            scene,
            canvas,
            shadow_map: &textures.shadow_map,
            occlusion,
            occluded_part,
            contact,
            has_contact: uploaded.has_contact,
            behind: canvas.behind.as_ref().filter(|_| needs.behind),
            glow: canvas.glow.as_ref().filter(|_| needs.blooms),
            nothing_behind: nothing_behind.as_ref().filter(|_| transmits),
            camera: uploaded.camera,
            exposure: uploaded.exposure,
            features,
            mirrors: frame.scene().all_stages().any(Stage::may_mirror),
            casts_shadow: uploaded.casts_shadow,
            draws_shadow,
            shows_sky: frame_inputs::shows_sky(look),
            shows_ground: frame_inputs::shows_ground(frame),
            shows_overlay: needs.overlay,
            ghosts,
            solids,
            outline: has_outline
                .then(|| &*outline.get_or_insert_with(|| OutlineMask::new(gpu, needs.size))),
            outlined,
            outlined_part: outlined_part(frame, &uploaded.camera, target),
            far_first,
        }
    }

    /// Prepares a pick in a picture of `size` pixels: uploads the poses and the camera, without light and overlays.
    pub fn prepare_pick<'a>(
        &'a mut self,
        gpu: &Gpu,
        pipelines: &mut FramePipelines,
        frame: &Frame<'a>,
        size: [u32; 2],
    ) -> PickScene<'a> {
        let Frame { gpu_model, stage, look, .. } = *frame;
        let features = features(gpu_model, look.pass);
        let environment = &look.lighting.environment;
        let Self { textures, scene, .. } = self;
        // A changed environment is left to the next picture.
        let textures =
            textures.get_or_insert_with(|| FrameTextures::new(gpu, environment, MAP_SIZE));
        let scene = prepare_scene(scene, gpu, pipelines, (textures, false), frame);
        let layout = pipelines.meshes.material_layout(gpu, &pipelines.layouts, features);
        scene.bind_materials(gpu, gpu_model, layout, features);
        let camera = camera_uniform(frame.view, stage.origin, size, look.overlay_scale);
        let inputs = FrameInputs {
            camera,
            light: camera,
            ground: camera,
            lights: bytemuck::Zeroable::zeroed(),
            heat: JointHeat::None,
            bones: Default::default(),
        };
        scene.data.clear_lines();
        scene.data.write(gpu, &scene.plan, &inputs, &frame.scene());
        let properties = &stage.properties;
        gpu_model.materials.update(gpu, &properties.materials, &properties.moving_materials);
        let mirrors = frame.scene().stages().any(Stage::may_mirror);
        PickScene { frame: *frame, scene, features, mirrors }
    }
}

/// Returns the textures of ambient occlusion, replaced if they do not fit the picture; `None` if the picture
/// has none, or the adapter cannot draw it.
fn prepare_occlusion<'a>(
    kept: &'a mut Option<Occlusion>,
    gpu: &Gpu,
    look: &Look,
    whole: [u32; 2],
) -> Option<&'a Occlusion> {
    let size = occlusion::size_for(whole);
    let wanted = occlusion::is_wanted(look) && gpu.draws_occlusion();
    if !wanted || kept.as_ref().is_some_and(|kept| kept.size != size) {
        *kept = None;
    }
    wanted.then(|| &*kept.get_or_insert_with(|| Occlusion::new(gpu, size)))
}

/// Returns the textures of ghosts with their colours, replaced if they do not fit the picture; `None` if it has none.
fn prepare_ghosts<'a>(
    kept: &'a mut Option<GhostLayer>,
    gpu: &Gpu,
    canvas: &Canvas,
    frame: &Frame<'_>,
) -> Option<&'a GhostLayer> {
    let count = frame.ghosts.len();
    let wanted = count > 0 && ghosts::are_shown(frame.look);
    kept.take_if(|kept| !wanted || !kept.fits(canvas.size, canvas.samples, count));
    wanted.then(|| {
        let make = || GhostLayer::new(gpu, canvas.size, canvas.samples, count);
        let layer = kept.get_or_insert_with(make);
        layer.write(gpu, frame.ghosts);
        &*layer
    })
}

/// Returns the textures of bones with depth, replaced if they do not fit the picture; `None` if it has none.
fn prepare_solids<'a>(
    kept: &'a mut Option<SolidLayer>,
    gpu: &Gpu,
    plan: &Plan,
    (frame, size): (&Frame<'_>, [u32; 2]),
) -> Option<&'a SolidLayer> {
    if !frame_inputs::bones_have_depth(plan, frame.look) {
        *kept = None;
        return None;
    }
    let shown = frame_inputs::shown_bones(plan, frame.look);
    let mut list = SolidList::default();
    if has_solids(shown.style) {
        frame.scene().stages().for_each(|stage| list.add(plan, stage, shown));
    }
    kept.take_if(|kept| !kept.fits(size, &list));
    let room = list.octahedra.len() + list.balls.len();
    let layer = kept.get_or_insert_with(|| SolidLayer::new(gpu, size, room));
    layer.write(gpu, &list);
    layer.hidden = !shown.style.in_front;
    Some(layer)
}

/// Returns the scene's resources, replaced if they belong to another scene, and bound to the frame's
/// textures. The flag is whether these have changed.
fn prepare_scene<'a>(
    kept: &'a mut Option<SceneResources>,
    gpu: &Gpu,
    pipelines: &mut FramePipelines,
    (textures, changed): (&FrameTextures, bool),
    frame: &Frame<'_>,
) -> &'a mut SceneResources {
    let Frame { model, gpu_model, stage, look, .. } = *frame;
    let scene = frame.scene();
    let choice = Choice { instancing: Instancing::Instances, variant: look.variant };
    if !kept.as_ref().is_some_and(|kept| kept.fits(&scene, choice)) {
        // Freed before the new resources are allocated.
        *kept = None;
        pipelines.meshes.use_features(gpu_model.materials.features);
        let lights = lights::count(&look.lighting, model, stage);
        if lights > MAX_LIGHTS {
            log::warn!("the scene has {lights} lights; only the first {MAX_LIGHTS} are used");
        }
    }
    let layouts = &pipelines.layouts;
    let is_new = kept.is_none();
    let kept =
        kept.get_or_insert_with(|| SceneResources::new(gpu, layouts, textures, &scene, choice));
    if changed && !is_new {
        kept.bind_frame(gpu, layouts, textures);
    }
    kept
}

/// Returns the canvas, replaced if it does not fit the picture.
fn prepare_canvas<'a>(
    kept: &'a mut Option<Canvas>,
    gpu: &Gpu,
    pipelines: &mut FramePipelines,
    needs: CanvasNeeds,
    look: &Look,
) -> &'a Canvas {
    let FramePipelines { layouts, finish, blur, .. } = pipelines;
    if needs.behind {
        blur.get_or_insert_with(|| Blur::new(gpu, layouts));
    }
    if !kept.as_ref().is_some_and(|canvas| canvas.fits(needs, look)) {
        // Freed before the new textures are allocated.
        *kept = None;
    }
    kept.get_or_insert_with(|| Canvas::new(gpu, needs, look, finish, blur.as_ref()))
}

/// Intermediate results of [`upload`] that later steps need.
struct Uploaded {
    camera: FrameUniform,
    casts_shadow: bool,
    has_contact: bool,
    /// Factor of the scene's light.
    exposure: f32,
    /// The box of everything that is drawn, in world space.
    bounds: Aabb,
}

/// Computes and uploads the data of a frame: uniforms, poses, overlay lines, animated materials and, for a
/// wireframe, the edges. `size` is that of the whole picture.
fn upload(
    gpu: &Gpu,
    pipelines: &FramePipelines,
    scene: &mut SceneResources,
    frame: &Frame<'_>,
    size: [u32; 2],
) -> Uploaded {
    let Frame { model, gpu_model, stage, look, .. } = *frame;
    // Computing the posed box of a crowd would take longer than everything else, so its framed box is
    // used.
    let crowd = !frame.others.is_empty();
    let bounds = if crowd { frame_inputs::framed_box(frame) } else { stage.bounds(model) };
    let light = lights::shadow_light(&look.lighting, model, stage, &bounds);
    let shadow = frame_inputs::shadow_view(frame, &bounds, light);
    let contact = frame_inputs::contact_view(frame, &bounds);
    let has_contact = contact.is_some() && gpu.reads_depths();
    let views = GroundViews { shadow: shadow.as_ref(), contact: contact.as_ref(), has_contact };
    let exposure = exposure(look, model, stage, &bounds);
    let made = Made { bounds: &bounds, views, light, exposure };
    let inputs = frame_inputs::inputs(frame, &scene.plan, &made, size);
    let casts_shadow = shadow.is_some();
    scene.data.clear_lines();
    if frame_inputs::shows_overlay(&scene.plan, look) {
        frame_inputs::lines(frame, |line| scene.data.put_line(line));
    }
    scene.data.write(gpu, &scene.plan, &inputs, &frame.scene());
    scene.wide_points = look.widens_points();
    scene.count(|draw| is_drawn(draw, look));
    if look.pass == Pass::Wireframe {
        scene.prepare_edges(gpu, &pipelines.layouts, model, gpu_model);
    }
    if look.pass == Pass::WeightSum {
        let plan = &scene.plan;
        scene.file_weights.get_or_insert_with(|| FileWeights::new(gpu, model, plan));
    }
    if vectors::are_shown(look) {
        scene.prepare_vectors(gpu, &pipelines.layouts, gpu_model);
    }
    let properties = &stage.properties;
    gpu_model.materials.update(gpu, &properties.materials, &properties.moving_materials);
    Uploaded {
        camera: inputs.camera,
        casts_shadow,
        has_contact,
        exposure: exposure.stops.exp2(),
        bounds,
    }
}

/// Returns the draws of the selected node that are outlined.
fn outlined_draws(plan: &Plan, frame: &Frame<'_>) -> Vec<OutlinedDraw> {
    let Frame { model, stage, look, .. } = *frame;
    let node = look.highlight.node.filter(|_| look.takes_overlays());
    node.map_or_else(Vec::new, |node| mask::draws_of(plan, model, stage, node))
}

/// Returns the part of the target that the selected node's outline is in.
fn outlined_part(frame: &Frame<'_>, camera: &FrameUniform, target: &Target<'_>) -> [u32; 4] {
    let [width, height] = target.size();
    let whole = [0, 0, width, height];
    let Some(node) = frame.look.highlight.node.filter(|_| target.part.is_none()) else {
        return whole;
    };
    let bounds = frame.stage.node_bounds(frame.model, node);
    let projection = Mat4::from_cols_array_2d(&camera.projection_from_world);
    let part = occlusion::part_of(&bounds, &projection, [width, height]);
    let [left, top, across, down] = part;
    let room = mask::reach(frame.look.overlay_scale);
    let (right, bottom) = ((left + across + room).min(width), (top + down + room).min(height));
    let (left, top) = (left.saturating_sub(room), top.saturating_sub(room));
    [left, top, right - left, bottom - top]
}

/// Whether a transmissive surface shows a copy of the picture behind it.
fn shows_through(plan: &Plan, look: &Look) -> bool {
    look.pass.blends() && plan.first_transmissive < plan.first_blended
}

/// Returns the shader features that a pass needs for a model's materials.
fn features(gpu_model: &GpuModel, pass: Pass) -> Features {
    let features = gpu_model.materials.features;
    if pass == Pass::Tangent { features.with(ShaderFeature::Tangents) } else { features }
}

/// Sorts all draws that are not opaque by phase, then back to front by the centre of the drawn box.
fn sort_by_distance(order: &mut Vec<SortedDraw>, frame: &Frame<'_>, plan: &Plan) {
    let camera = frame.view.camera_from_world(frame.stage.origin).as_mat4();
    order.clear();
    for (s, stage) in frame.scene().stages().enumerate() {
        order.extend((plan.first_transmissive..plan.draws.len()).map(|i| {
            let draw = &plan.draws[i];
            let bounds = stage.primitive_bounds(frame.model, draw.node, draw.primitive);
            let distance = -camera.transform_point3(bounds.center()).z;
            SortedDraw { phase: draw.phase, distance, draw: i, stage: s }
        }));
    }
    order.sort_unstable_by(|a, b| {
        let far_first = || b.distance.total_cmp(&a.distance);
        let in_order = || (a.draw, a.stage).cmp(&(b.draw, b.stage));
        a.phase.cmp(&b.phase).then_with(far_first).then_with(in_order)
    });
}
