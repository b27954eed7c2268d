//! One frame, from a posed stage to the target.

use std::sync::Arc;

use glam::DVec3;

use super::bindings::{Eye, FrameTextures};
use super::finish::Finish;
use super::frame::{FrameBuffer, FrameNumbers, camera_uniform};
use super::gpu_model::{Faces, GpuModel, GpuPrimitive};
use super::ground::{Ground, Scenery};
use super::layout::{Layouts, MAX_LIGHTS, MaterialUniform, MorphUniform, PALETTE_BYTES};
use super::pipeline::{DEPTH_FORMAT, PipelineKey, Pipelines, scene_format};
use super::plan::{Draw, Instancing, Plan};
use super::shadow::{MAP_SIZE, Shadow, ShadowView};
use super::skeleton::{OVERLAY_FORMAT, Skeleton};
use super::{Gpu, Target, lights, scenery, texture};
use crate::look::{Backdrop, Look, Pass, View};
use crate::model::{Aabb, Model, Projection, Stage, Topology};

/// What one picture is made of.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The model.
    pub model: &'a Model,
    /// The model, uploaded.
    pub gpu_model: &'a GpuModel,
    /// The scene, posed.
    pub stage: &'a Stage,
    /// Where from.
    pub view: &'a View,
    /// How.
    pub look: &'a Look,
    /// The box that the session frames, in the scene's space: its lowest side is where the ground is.
    pub bounds: (DVec3, DVec3),
}

/// Pipelines and buffers that outlive a frame.
pub struct Renderer {
    layouts: Layouts,
    pipelines: Pipelines,
    shadow: Shadow,
    ground: Ground,
    finish: Finish,
    skeleton: Option<Skeleton>,
    textures: Option<FrameTextures>,
    canvas: Option<Canvas>,
    prepared: Option<Prepared>,
    /// Blended draws from back to front: how far ahead, and which.
    blend_order: Vec<(f32, usize)>,
}

/// The textures that a scene is drawn on before it is finished.
struct Canvas {
    size: [u32; 2],
    samples: u32,
    format: wgpu::TextureFormat,
    color: wgpu::TextureView,
    /// What the samples are resolved into, if there are several.
    resolved: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    overlay: Option<wgpu::TextureView>,
    finish: wgpu::BindGroup,
}

/// What a scene of an uploaded model needs, made once.
pub(super) struct Prepared {
    model: Arc<()>,
    scene: usize,
    pub plan: Plan,
    pub buffer: FrameBuffer,
    pub frame: wgpu::BindGroup,
    /// The same for the key light's view.
    pub light: wgpu::BindGroup,
    pub materials: Vec<wgpu::BindGroup>,
    /// One a draw.
    pub draws: Vec<wgpu::BindGroup>,
}

impl Renderer {
    /// Builds no pipeline yet: each is built when a picture first needs it.
    pub fn new(gpu: &Gpu) -> Self {
        let layouts = Layouts::new(&gpu.device);
        Self {
            pipelines: Pipelines::new(gpu, &layouts),
            shadow: Shadow::new(gpu, &layouts),
            ground: Ground::new(gpu, &layouts),
            layouts,
            finish: Finish::new(gpu),
            skeleton: None,
            textures: None,
            canvas: None,
            prepared: None,
            blend_order: Vec::new(),
        }
    }

    /// Records a frame: writes the frame's buffer and draws. The caller submits the encoder before
    /// it draws another frame with this renderer. A target without pixels gets nothing.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame<'_>,
        target: &Target<'_>,
    ) {
        let Frame { model, gpu_model, stage, look, .. } = *frame;
        let [_, _, width, height] = target.rect;
        if width == 0 || height == 0 {
            return;
        }
        self.prepare_scene(gpu, frame);
        let overlay = self.prepared.as_ref().is_some_and(|p| shows_overlay(&p.plan, look));
        self.prepare_canvas(gpu, [width, height], look, overlay);
        let (Some(canvas), Some(prepared)) = (&self.canvas, &mut self.prepared) else { return };
        let Some(textures) = &self.textures else { return };
        let bounds = stage.bounds(model);
        let shadow = shadow_view(frame, &bounds);
        let numbers = numbers(frame, shadow.as_ref(), [width, height]);
        prepared.buffer.clear_lines();
        if overlay {
            scenery::lines(frame, &bounds, |line| prepared.buffer.put_line(line));
        }
        let skeleton = shows_skeleton(&prepared.plan, look);
        let scene = (model, gpu_model, stage);
        prepared.buffer.write(gpu, &prepared.plan, &numbers, scene, skeleton);
        let keys = |d: &Draw| key(d, look, canvas.samples);
        for draw in prepared.plan.draws.iter().filter(|d| is_drawn(d, look)) {
            self.pipelines.prepare(gpu, keys(draw));
        }
        if shadow.is_some() {
            draw_shadow(gpu, encoder, &mut self.shadow, gpu_model, (prepared, textures));
        }
        let surroundings = [
            (Scenery::Sky, shows_sky(look)),
            (Scenery::Ground, shows_ground(frame, shadow.as_ref())),
        ];
        for (what, _) in surroundings.into_iter().filter(|(_, shown)| *shown) {
            self.ground.prepare(gpu, what, look.pass, canvas.samples);
        }
        sort_blended(&mut self.blend_order, frame, &prepared.plan);
        let mut pass = begin_scene(encoder, canvas, look);
        pass.set_bind_group(0, &prepared.frame, &[]);
        if surroundings[0].1 {
            self.ground.draw(&mut pass, Scenery::Sky, look.pass, canvas.samples);
        }
        let blended = self.blend_order.iter().map(|(_, draw)| *draw);
        for i in (0..prepared.plan.first_blended).map(Some).chain([None]).chain(blended.map(Some)) {
            let Some(i) = i else {
                if surroundings[1].1 {
                    self.ground.draw(&mut pass, Scenery::Ground, look.pass, canvas.samples);
                }
                continue;
            };
            let draw = &prepared.plan.draws[i];
            if let Some(pipeline) = self.pipelines.get(keys(draw)).filter(|_| is_drawn(draw, look))
            {
                pass.set_pipeline(pipeline);
                record(&mut pass, gpu_model, prepared, i, look);
            }
        }
        drop(pass);
        if let (true, Some(overlay)) = (overlay, &canvas.overlay) {
            let drawn =
                self.skeleton.get_or_insert_with(|| Skeleton::new(gpu, &self.layouts.frame));
            let buffer = &prepared.buffer;
            let bones = (&buffer.buffer, buffer.offsets.bones(), buffer.bones);
            drawn.draw(encoder, &prepared.frame, bones, overlay);
        }
        self.finish.draw(gpu, encoder, &canvas.finish, look, target);
    }

    /// Has the canvas fit the picture.
    fn prepare_canvas(&mut self, gpu: &Gpu, size: [u32; 2], look: &Look, overlay: bool) {
        let samples = if look.pass.is_shaded() { look.samples } else { 1 };
        let format = scene_format(look.pass);
        let fits = self.canvas.as_ref().is_some_and(|c| {
            (c.size, c.samples, c.format) == (size, samples, format)
                && c.overlay.is_some() == overlay
        });
        if fits {
            return;
        }
        // The old one goes first, so that both are never there.
        self.canvas = None;
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let read = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let make = |format, samples, usage| attachment(gpu, size, format, samples, usage);
        let color = make(format, samples, if samples > 1 { drawn } else { read });
        let resolved = (samples > 1).then(|| make(format, 1, read));
        let overlay = overlay.then(|| make(OVERLAY_FORMAT, 1, read));
        let finish = self.finish.bind(gpu, resolved.as_ref().unwrap_or(&color), overlay.as_ref());
        let depth = make(DEPTH_FORMAT, samples, drawn);
        self.canvas =
            Some(Canvas { size, samples, format, color, resolved, depth, overlay, finish });
    }

    /// Has plan, buffer and bind groups fit the scene and its environment.
    fn prepare_scene(&mut self, gpu: &Gpu, frame: &Frame<'_>) {
        let Frame { model, gpu_model, stage, look, .. } = *frame;
        let source = &look.lighting.environment;
        let textures =
            self.textures.get_or_insert_with(|| FrameTextures::new(gpu, source, MAP_SIZE));
        let other = textures.show(gpu, source);
        let fits =
            |p: &Prepared| Arc::ptr_eq(&p.model, &gpu_model.identity) && p.scene == stage.scene;
        if let Some(prepared) = self.prepared.as_mut().filter(|p| fits(p)) {
            if other {
                prepared.frame = textures.bind(gpu, &self.layouts, &prepared.buffer, Eye::Camera);
                prepared.light = textures.bind(gpu, &self.layouts, &prepared.buffer, Eye::Light);
            }
            return;
        }
        self.prepared = None;
        let scene = (model, gpu_model, stage);
        let made = Prepared::new(gpu, &self.layouts, textures, scene, Instancing::Instances);
        self.prepared = Some(made);
        let lights = lights::count(&look.lighting, model, stage);
        if lights > MAX_LIGHTS {
            log::warn!("{lights} lights are too many: the first {MAX_LIGHTS} shine");
        }
    }
}

impl Prepared {
    pub fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        textures: &FrameTextures,
        (model, gpu_model, stage): (&Model, &GpuModel, &Stage),
        instancing: Instancing,
    ) -> Self {
        let plan = Plan::new(model, gpu_model, stage, instancing);
        let buffer = FrameBuffer::new(gpu, &plan);
        let frame = textures.bind(gpu, layouts, &buffer, Eye::Camera);
        let light = textures.bind(gpu, layouts, &buffer, Eye::Light);
        let materials = gpu_model
            .material_textures
            .iter()
            .map(|(view, sampler)| {
                let size = size_of::<MaterialUniform>() as u64;
                gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("material"),
                    layout: &layouts.material,
                    entries: &[
                        uniform_entry(0, &gpu_model.material_uniforms, size),
                        wgpu::BindGroupEntry {
                            binding: 1,
                            resource: wgpu::BindingResource::TextureView(view),
                        },
                        wgpu::BindGroupEntry {
                            binding: 2,
                            resource: wgpu::BindingResource::Sampler(sampler),
                        },
                    ],
                })
            })
            .collect();
        let bind = |deltas: &wgpu::TextureView| {
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("draw"),
                layout: &layouts.draw,
                entries: &[
                    uniform_entry(0, &buffer.buffer, PALETTE_BYTES),
                    uniform_entry(1, &buffer.buffer, size_of::<MorphUniform>() as u64),
                    wgpu::BindGroupEntry {
                        binding: 2,
                        resource: wgpu::BindingResource::TextureView(deltas),
                    },
                ],
            })
        };
        let without = bind(&texture::upload_floats(gpu, &[[0.0; 4]], 1, 1));
        let draws = plan
            .draws
            .iter()
            .map(|draw| match gpu_model.primitive(draw).and_then(|p| p.deltas.as_ref()) {
                Some(deltas) => bind(&deltas.view),
                None => without.clone(),
            })
            .collect();
        let (model, scene) = (Arc::clone(&gpu_model.identity), stage.scene);
        Self { model, scene, plan, buffer, frame, light, materials, draws }
    }

    /// Binds a draw's vertices and what carries them.
    pub fn bind_vertices(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        primitive: &GpuPrimitive,
        draw: &Draw,
    ) {
        pass.set_vertex_buffer(0, primitive.buffer.slice(primitive.vertices.clone()));
        if draw.sets > 0 {
            pass.set_vertex_buffer(1, primitive.buffer.slice(primitive.influences.clone()));
        } else {
            let start = self.buffer.offsets.instance(draw.instances.start);
            pass.set_vertex_buffer(1, self.buffer.buffer.slice(start..));
        }
    }

    /// Draws all parts of a draw whose vertices are bound.
    fn draw_parts(&self, pass: &mut wgpu::RenderPass<'_>, primitive: &GpuPrimitive, i: usize) {
        let draw = &self.plan.draws[i];
        let indices = primitive.buffer.slice(primitive.indices.clone());
        pass.set_index_buffer(indices, wgpu::IndexFormat::Uint32);
        let offsets = &self.buffer.offsets;
        let instances = if draw.sets > 0 { 1 } else { draw.instances.len() as u32 };
        for part in &self.plan.parts[draw.parts.clone()] {
            let at = [offsets.palette(part.palette), offsets.morph(draw.morph)];
            pass.set_bind_group(2, &self.draws[i], &at);
            pass.draw_indexed(part.indices.clone(), 0, 0..instances);
        }
    }
}

/// The frame's numbers, for the camera and for the key light.
fn numbers(frame: &Frame<'_>, shadow: Option<&ShadowView>, size: [u32; 2]) -> FrameNumbers {
    let Frame { model, stage, view, look, .. } = *frame;
    let mut camera = camera_uniform(view, stage.origin, size, look.overlay_scale);
    let mut light = camera;
    scenery::put_environment(&mut camera, &look.lighting);
    if let Some(view) = shadow {
        scenery::put_shadow(&mut camera, view);
        light.projection_from_world = view.projection_from_world.to_cols_array_2d();
    }
    scenery::put_ground(&mut camera, frame, shadow);
    let eye = view.world_from_camera.translation;
    let lights = lights::lights_uniform(&look.lighting, model, stage, eye);
    FrameNumbers { camera, light, lights }
}

/// How the key light sees the scene, where it shines on one.
fn shadow_view(frame: &Frame<'_>, bounds: &Aabb) -> Option<ShadowView> {
    let shines = frame.look.pass.is_shaded()
        && lights::has_key_light(&frame.look.lighting, frame.model, frame.stage);
    if shines { ShadowView::new(bounds, scenery::around(frame).0.y) } else { None }
}

/// Draws what casts a shadow: opaque triangles.
fn draw_shadow(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    shadow: &mut Shadow,
    gpu_model: &GpuModel,
    (prepared, textures): (&Prepared, &FrameTextures),
) {
    let casters = |i: &usize| prepared.plan.draws[*i].topology == Topology::Triangles;
    let casters = (0..prepared.plan.first_blended).filter(casters);
    for i in casters.clone() {
        shadow.prepare(gpu, prepared.plan.draws[i].sets);
    }
    let mut pass = Shadow::begin(encoder, &textures.shadow_map);
    pass.set_bind_group(0, &prepared.light, &[]);
    for i in casters {
        let draw = &prepared.plan.draws[i];
        if let (Some(pipeline), Some(primitive)) =
            (shadow.get(draw.sets), gpu_model.primitive(draw))
        {
            pass.set_pipeline(pipeline);
            prepared.bind_vertices(&mut pass, primitive, draw);
            prepared.draw_parts(&mut pass, primitive, i);
        }
    }
}

/// The environment is behind lit pictures.
fn shows_sky(look: &Look) -> bool {
    look.pass.is_shaded() && look.lighting.backdrop != Backdrop::None
}

/// The ground is seen from above where shadow falls on it, and from both sides where it has a grid.
fn shows_ground(frame: &Frame<'_>, shadow: Option<&ShadowView>) -> bool {
    let grid = frame.look.grid && !matches!(frame.look.pass, Pass::Mask | Pass::Depth);
    let axes = &frame.view.world_from_camera;
    let above = match frame.view.projection {
        Projection::Perspective { .. } => axes.translation.y > frame.bounds.0.y,
        Projection::Orthographic { .. } => axes.matrix3.z_axis.y > 0.0,
    };
    grid || (above && shadow.is_some())
}

fn begin_scene<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    canvas: &Canvas,
    look: &Look,
) -> wgpu::RenderPass<'a> {
    // A picture of depth is far where nothing is; all others are nothing there.
    let clear =
        if look.pass == Pass::Depth { wgpu::Color::WHITE } else { wgpu::Color::TRANSPARENT };
    let store =
        if canvas.resolved.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("scene"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &canvas.color,
            depth_slice: None,
            resolve_target: canvas.resolved.as_ref(),
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &canvas.depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Discard,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}

/// Draws all parts of a draw. Of a double-sided blended one the backs of all parts come first.
fn record(
    pass: &mut wgpu::RenderPass<'_>,
    gpu_model: &GpuModel,
    prepared: &Prepared,
    i: usize,
    look: &Look,
) {
    let draw = &prepared.plan.draws[i];
    let Some(primitive) = gpu_model.primitive(draw) else { return };
    prepared.bind_vertices(pass, primitive, draw);
    let both = [Faces::Backs, Faces::Fronts];
    let two_rounds = draw.blended && draw.double_sided && look.pass.is_shaded();
    let rounds = if two_rounds { &both[..] } else { &[Faces::Own] };
    let material = &prepared.materials[gpu_model.material_index(draw.material)];
    for faces in rounds {
        pass.set_bind_group(1, material, &[gpu_model.material_offset(draw.material, *faces)]);
        prepared.draw_parts(pass, primitive, i);
    }
}

/// Whether anything is laid over the picture.
fn shows_overlay(plan: &Plan, look: &Look) -> bool {
    let lines = (look.axes || look.bounds) && !matches!(look.pass, Pass::Mask | Pass::Depth);
    lines || shows_skeleton(plan, look)
}

/// The skeleton is shown where it is asked for, and where there is nothing else to show.
fn shows_skeleton(plan: &Plan, look: &Look) -> bool {
    let alone = plan.draws.is_empty() && !plan.bones.is_empty();
    (look.skeleton || alone) && !matches!(look.pass, Pass::Mask | Pass::Depth)
}

/// A mask has no points or lines, since they cover no area; what has no triangles has no faces.
fn is_drawn(draw: &Draw, look: &Look) -> bool {
    draw.topology == Topology::Triangles || !matches!(look.pass, Pass::Mask | Pass::Faces)
}

fn key(draw: &Draw, look: &Look, samples: u32) -> PipelineKey {
    PipelineKey {
        pass: look.pass,
        topology: draw.topology,
        sets: draw.sets,
        blended: draw.blended && look.pass.is_shaded(),
        samples,
    }
}

/// Puts the blended draws in order, far ones first, by the middle of what they draw.
fn sort_blended(order: &mut Vec<(f32, usize)>, frame: &Frame<'_>, plan: &Plan) {
    let camera = frame.view.camera_from_world(frame.stage.origin).as_mat4();
    order.clear();
    order.extend((plan.first_blended..plan.draws.len()).map(|i| {
        let draw = &plan.draws[i];
        let bounds = frame.stage.primitive_bounds(frame.model, draw.node, draw.primitive);
        (-camera.transform_point3(bounds.center()).z, i)
    }));
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
}

fn attachment(
    gpu: &Gpu,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    sample_count: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("canvas"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}

fn uniform_entry(binding: u32, buffer: &wgpu::Buffer, size: u64) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset: 0,
            size: wgpu::BufferSize::new(size),
        }),
    }
}
