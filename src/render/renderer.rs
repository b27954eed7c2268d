//! One frame, from a posed stage to the target.

use std::ops::Range;

use glam::DVec3;

use super::behind::{self, Blur};
use super::bindings::{Eye, FrameTextures};
use super::canvas::{Canvas, CanvasNeeds, Stretch};
use super::features::{Features, Layer};
use super::finish::{Finish, FinishKey};
use super::gpu_model::GpuModel;
use super::ground::{Ground, Scenery};
use super::labels::Labels;
use super::layout::{Layouts, MAX_LIGHTS};
use super::pipeline::{PipelineKey, Pipelines};
use super::plan::{Choice, Draw, Instancing, Phase, Plan, Scene};
use super::prepared::{Drawn, Prepared};
use super::recording::Recording;
use super::shadow::{MAP_SIZE, Shadow};
use super::skeleton::Skeleton;
use super::timing::{PassTime, Timing};
use super::{Gpu, Target, lights, scenery};
use crate::look::{Look, Pass, View};
use crate::model::{Aabb, Model, Stage, Topology};

/// What one picture is made of.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The model.
    pub model: &'a Model,
    /// The model, uploaded.
    pub gpu_model: &'a GpuModel,
    /// The scene, posed.
    pub stage: &'a Stage,
    /// The same scene again, each posed by itself: a crowd. Materials and lights are those of `stage`.
    pub others: &'a [Stage],
    /// Where from.
    pub view: &'a View,
    /// How.
    pub look: &'a Look,
    /// The box that the session frames, in the scene's space: its lowest side is where the ground is.
    pub bounds: (DVec3, DVec3),
}

impl<'a> Frame<'a> {
    fn scene(&self) -> Scene<'a> {
        let Frame { model, gpu_model, stage, others, .. } = *self;
        Scene { model, gpu_model, stage, others }
    }
}

/// Pipelines and buffers that outlive a frame.
pub struct Renderer {
    layouts: Layouts,
    pipelines: Pipelines,
    shadow: Shadow,
    ground: Ground,
    finish: Finish,
    skeleton: Option<Skeleton>,
    labels: Option<Labels>,
    textures: Option<FrameTextures>,
    canvas: Option<Canvas>,
    prepared: Option<Prepared>,
    /// What makes the picture of what is behind, and what is bound before there is one.
    blur: Option<Blur>,
    nothing_behind: Option<wgpu::BindGroup>,
    /// Draws that are not opaque: when, how far ahead, which, and of which stage.
    far_first: Vec<(Phase, f32, usize, usize)>,
    /// While passes are timed.
    timing: Option<Timing>,
}

impl Renderer {
    /// Builds no pipeline yet: each is built when a picture first needs it.
    pub fn new(gpu: &Gpu) -> Self {
        let layouts = Layouts::new(gpu);
        Self {
            pipelines: Pipelines::default(),
            shadow: Shadow::new(gpu, &layouts),
            ground: Ground::new(gpu, &layouts),
            layouts,
            finish: Finish::new(gpu),
            skeleton: None,
            labels: None,
            textures: None,
            canvas: None,
            prepared: None,
            blur: None,
            nothing_behind: None,
            far_first: Vec::new(),
            timing: None,
        }
    }

    /// Has the GPU's time be taken by pass from the next frame on, or no more. Nothing happens where the
    /// adapter has no time stamps.
    pub fn time_passes(&mut self, gpu: &Gpu, on: bool) {
        if on != self.timing.is_some() {
            self.timing = if on { Timing::new(gpu) } else { None };
        }
    }

    /// The GPU's time of the latest frame that is done, by pass; none where it is not taken.
    pub fn pass_times(&mut self, gpu: &Gpu) -> &[PassTime] {
        self.timing.as_mut().map_or(&[], |timing| timing.read(gpu))
    }

    /// What the last picture was of.
    pub fn drawn(&self) -> Drawn {
        self.prepared.as_ref().map_or_else(Drawn::default, |prepared| prepared.drawn)
    }

    /// Lets go of what it keeps of the model it drew.
    pub fn let_go(&mut self) {
        self.prepared = None;
    }

    /// Records a frame: writes the frame's buffer and draws. The caller submits the encoder before
    /// it draws another frame with this renderer. A target without pixels gets nothing, nor does any
    /// where the adapter does not draw the pass.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame<'_>,
        target: &Target<'_>,
    ) {
        let Frame { model, gpu_model, look, .. } = *frame;
        let [_, _, width, height] = target.rect;
        if width == 0 || height == 0 || !gpu.draws(look.pass) {
            return;
        }
        self.prepare_scene(gpu, frame);
        self.prepare_canvas(gpu, [width, height], frame);
        let (Some(canvas), Some(prepared)) = (&self.canvas, &mut self.prepared) else { return };
        let Some(textures) = &self.textures else { return };
        let record = &mut Recording {
            encoder: &mut *encoder,
            timing: self.timing.as_mut(),
            part: target.part,
        };
        let scene = frame.scene();
        // Of a crowd the box that is framed: a look at all joints would take longer than all else.
        let (min, max) = scenery::around(frame);
        let posed = || frame.stage.bounds(model);
        let bounds = if frame.others.is_empty() { posed() } else { Aabb { min, max } };
        let shadow = scenery::shadow_view(frame, &bounds);
        let numbers = scenery::numbers(frame, shadow.as_ref(), target.whole());
        prepared.buffer.clear_lines();
        let overlay = scenery::shows_overlay(&prepared.plan, look);
        if overlay {
            scenery::lines(frame, &bounds, |line| prepared.buffer.put_line(line));
        }
        let skeleton = scenery::shows_skeleton(&prepared.plan, look);
        prepared.buffer.write(gpu, &prepared.plan, &numbers, &scene, skeleton);
        prepared.count(|draw| is_drawn(draw, look));
        if look.pass == Pass::Wireframe {
            prepared.prepare_edges(gpu, &self.layouts, model, gpu_model);
        }
        let properties = &frame.stage.properties;
        gpu_model.materials.update(gpu, &properties.materials, &properties.moving_materials);
        let features = features(gpu_model, look.pass);
        let mirrors = scene.stages().any(Stage::may_mirror);
        let key = |i: usize| {
            let draw = &prepared.plan.draws[i];
            let key = PipelineKey::new(draw, look, features, mirrors, canvas.samples);
            if prepared.has_rectangles(i) { key.rectangles() } else { key }
        };
        let edges_key = |i: usize| {
            let key = key(i).edges();
            if prepared.has_edge_rectangles(i) { key.rectangles() } else { key }
        };
        let surroundings = [
            (Scenery::Sky, scenery::shows_sky(look)),
            (Scenery::Ground, scenery::shows_ground(frame, shadow.as_ref())),
        ];
        // What is missing is built side by side: a driver takes its time for each.
        let draws = &prepared.plan.draws;
        let drawn = (0..draws.len()).filter(|i| is_drawn(&draws[*i], look));
        let edges = (0..draws.len()).filter(|i| has_edges(&draws[*i], look)).map(edges_key);
        let meshes = self.pipelines.missing(drawn.map(key).chain(edges));
        let casters = shadow.map(|_| self.shadow.missing(&prepared.plan)).unwrap_or_default();
        let around = surroundings.iter().filter(|(_, shown)| *shown).map(|(what, _)| *what);
        let around = self.ground.missing(around, look.pass, canvas.samples);
        let last = FinishKey::new(target.format, look, canvas.finished);
        let last = self.finish.missing(last);
        if !(meshes.is_empty() && casters.is_empty() && around.is_empty() && last.is_none()) {
            let Self { pipelines, layouts, shadow, ground, finish, .. } = self;
            rayon::join(
                || pipelines.build(gpu, layouts, meshes),
                || {
                    shadow.build(gpu, casters);
                    ground.build(gpu, around);
                    finish.build(gpu, last);
                },
            );
        }
        if shadow.is_some() {
            self.shadow.draw(record, gpu_model, (prepared, textures));
        }
        sort_by_distance(&mut self.far_first, frame, &prepared.plan);

        let pipelines = &self.pipelines;
        let draw_one = |pass: &mut wgpu::RenderPass<'_>, i: usize, stages: Range<usize>| {
            let draw = &prepared.plan.draws[i];
            if !is_drawn(draw, look) {
                return;
            }
            if let Some(pipeline) = pipelines.get(key(i)) {
                pass.set_pipeline(pipeline);
                prepared.draw(pass, gpu_model, (i, stages.clone()), look.pass.blends());
            }
            if has_edges(draw, look)
                && let Some(pipeline) = pipelines.get(edges_key(i))
            {
                pass.set_pipeline(pipeline);
                prepared.draw_edges(pass, (i, stages));
            }
        };
        let through = canvas.behind.as_ref().filter(|_| shows_through(&prepared.plan, look));
        let stretch = if through.is_some() { Stretch::First } else { Stretch::Whole };
        let mut pass = canvas.begin(record, stretch, look);
        pass.set_bind_group(0, &prepared.frame, &[]);
        if surroundings[0].1 {
            self.ground.draw(&mut pass, Scenery::Sky, look.pass, canvas.samples);
        }
        if let Some(nothing) =
            self.nothing_behind.as_ref().filter(|_| features.has(Layer::Transmission))
        {
            pass.set_bind_group(3, nothing, &[]);
        }
        for i in 0..prepared.plan.first_transmissive {
            draw_one(&mut pass, i, 0..prepared.stages());
        }
        if surroundings[1].1 {
            self.ground.draw(&mut pass, Scenery::Ground, look.pass, canvas.samples);
        }
        if let (Some(behind), Some(blur)) = (through, &mut self.blur) {
            drop(pass);
            blur.copy(gpu, record, behind, look);
            pass = canvas.begin(record, Stretch::Last, look);
            pass.set_bind_group(0, &prepared.frame, &[]);
            pass.set_bind_group(3, &behind.bind_group, &[]);
        }
        for (_, _, i, stage) in &self.far_first {
            draw_one(&mut pass, *i, *stage..stage + 1);
        }
        drop(pass);
        if let (true, Some(overlay)) = (overlay, &canvas.overlay) {
            let drawn =
                self.skeleton.get_or_insert_with(|| Skeleton::new(gpu, &self.layouts.frame));
            let buffer = &prepared.buffer;
            let bones = (&buffer.buffer, buffer.offsets.bones(), buffer.bones);
            drawn.draw(record, &prepared.frame, bones, overlay);
            if look.joint_names {
                let labels =
                    self.labels.get_or_insert_with(|| Labels::new(gpu, &self.layouts.frame));
                let what = (frame, &prepared.plan.bones[..], &numbers.camera);
                labels.draw(gpu, record, what, (&prepared.frame, overlay));
            }
        }
        self.finish.draw(gpu, record, (&canvas.finish, canvas.finished), look, target);
        if let Some(timing) = &mut self.timing {
            timing.end(encoder);
        }
    }

    /// Has the canvas fit the picture.
    fn prepare_canvas(&mut self, gpu: &Gpu, size: [u32; 2], frame: &Frame<'_>) {
        let Some(prepared) = &self.prepared else { return };
        let look = frame.look;
        let overlay = scenery::shows_overlay(&prepared.plan, look);
        let behind = shows_through(&prepared.plan, look);
        let needs = CanvasNeeds { size, overlay, behind };
        if behind {
            self.blur.get_or_insert_with(|| Blur::new(gpu, &self.layouts));
        }
        if features(frame.gpu_model, look.pass).has(Layer::Transmission) {
            self.nothing_behind.get_or_insert_with(|| behind::nothing(gpu, &self.layouts));
        }
        if !self.canvas.as_ref().is_some_and(|c| c.fits(needs, look)) {
            // The old one goes first, so that both are never there.
            self.canvas = None;
            let through = (&self.layouts, self.blur.as_ref());
            self.canvas = Some(Canvas::new(gpu, needs, look, &self.finish, through));
        }
    }

    /// Has plan, buffer and bind groups fit the scene and its environment.
    fn prepare_scene(&mut self, gpu: &Gpu, frame: &Frame<'_>) {
        let Frame { model, gpu_model, stage, look, .. } = *frame;
        let scene = frame.scene();
        let source = &look.lighting.environment;
        let textures =
            self.textures.get_or_insert_with(|| FrameTextures::new(gpu, source, MAP_SIZE));
        let other = textures.show(gpu, source);
        let choice = Choice { instancing: Instancing::Instances, variant: look.variant };
        if let Some(prepared) = self.prepared.as_mut().filter(|p| p.fits(&scene, choice)) {
            if other {
                prepared.frame = textures.bind(gpu, &self.layouts, &prepared.buffer, Eye::Camera);
                prepared.light = textures.bind(gpu, &self.layouts, &prepared.buffer, Eye::Light);
            }
        } else {
            self.prepared = None;
            self.pipelines.keep_only(gpu_model.materials.features);
            self.prepared = Some(Prepared::new(gpu, &self.layouts, textures, &scene, choice));
            let lights = lights::count(&look.lighting, model, stage);
            if lights > MAX_LIGHTS {
                log::warn!("{lights} lights are too many: the first {MAX_LIGHTS} shine");
            }
        }
        let features = features(gpu_model, look.pass);
        let bound = |p: &&mut Prepared| p.materials.as_ref().is_none_or(|(of, _)| *of != features);
        if let Some(prepared) = self.prepared.as_mut().filter(bound) {
            let layout = self.pipelines.material_layout(gpu, &self.layouts, features);
            prepared.materials = Some((features, gpu_model.materials.bind(gpu, layout)));
        }
    }
}

/// A mask has no points or lines, since they cover no area; what has no triangles has no faces.
fn is_drawn(draw: &Draw, look: &Look) -> bool {
    draw.topology == Topology::Triangles || !matches!(look.pass, Pass::Mask | Pass::Faces)
}

/// Whether a draw's edges are drawn over its faces.
fn has_edges(draw: &Draw, look: &Look) -> bool {
    draw.topology == Topology::Triangles && look.pass == Pass::Wireframe
}

/// Whether anything in view shows a picture of what is behind it.
fn shows_through(plan: &Plan, look: &Look) -> bool {
    look.pass.blends() && plan.first_transmissive < plan.first_blended
}

/// What a pass asks of the shader for a model's materials.
fn features(gpu_model: &GpuModel, pass: Pass) -> Features {
    let features = gpu_model.materials.features;
    if pass == Pass::Tangent { features.with(Layer::Tangents) } else { features }
}

/// Puts all draws that are not opaque in order: by phase, then far ones first, by the middle of what
/// they draw.
fn sort_by_distance(order: &mut Vec<(Phase, f32, usize, usize)>, frame: &Frame<'_>, plan: &Plan) {
    let camera = frame.view.camera_from_world(frame.stage.origin).as_mat4();
    order.clear();
    for (s, stage) in frame.scene().stages().enumerate() {
        order.extend((plan.first_transmissive..plan.draws.len()).map(|i| {
            let draw = &plan.draws[i];
            let bounds = stage.primitive_bounds(frame.model, draw.node, draw.primitive);
            (draw.phase, -camera.transform_point3(bounds.center()).z, i, s)
        }));
    }
    order.sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then((a.2, a.3).cmp(&(b.2, b.3)))
    });
}
