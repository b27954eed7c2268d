//! Ghosts, other poses of the scene: each is drawn on a texture of its own by the pipelines of the normal pass, then over
//! a layer in its colour. The layer is drawn into the scene where no opaque surface is, so that the present pose stays
//! as it is.

use std::collections::HashMap;

use super::mesh_pipelines::MeshKey;
use super::overlay::OVERLAY_FORMAT;
use super::pass::{Drawing, FramePass, Setup};
use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::{BindLayouts, texture, uniform};
use crate::scene::canvas::{
    Attachment, DEPTH_FORMAT, SceneKey, attachment, depth_test, scene_format,
};
use crate::scene::frame_recorder::{DrawCall, FrameRecorder, SplitPass, Start, color, depth};
use crate::scene::plan::Batch;
use crate::scene::shared_frame::SharedFrame;
use crate::scene::uniforms::UNIFORM_ALIGNMENT;
use crate::{Gpu, shader};
use rigview_look::{Ghost, Look, Pass};

/// The ghosts of a frame.
#[derive(Default)]
pub struct Ghosts {
    /// `None` if none is drawn.
    layer: Option<GhostLayer>,
    pipelines: Option<Pipelines>,
}

/// The pipelines of ghosts, beside those of meshes.
struct Pipelines {
    shader: Shader,
    /// Draws one ghost over the layer.
    one: wgpu::RenderPipeline,
    /// Draws the layer into the scene.
    all: HashMap<SceneKey, wgpu::RenderPipeline>,
}

impl FramePass for Ghosts {
    type Needs<'a> = ();

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, (): ()) {
        let shared = &setup.shared;
        let (canvas, ghosts) = (shared.canvas, shared.frame.ghosts);
        let wanted = !ghosts.is_empty() && shared.frame.look.takes_ghosts();
        let format = scene_format(shared.frame.look.pass);
        let key = SceneKey { format, samples: canvas.samples };
        self.layer.take_if(|layer| !wanted || !layer.fits(canvas.size, key, ghosts.len()));
        if !wanted {
            return;
        }
        let make = || GhostLayer::new(shared.gpu, canvas.size, key, ghosts.len());
        self.layer.get_or_insert_with(make).write(shared.gpu, ghosts);
        for draw in 0..shared.scene.plan.draws.len() {
            setup.pipelines.meshes.request(ghost_key(shared, draw));
        }
    }

    fn free(&mut self) {
        self.layer = None;
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        let Some(layer) = &self.layer else { return };
        let pipelines = self.pipelines.get_or_insert_with(|| Pipelines::new(gpu, layouts));
        let Pipelines { shader, all, .. } = pipelines;
        all.entry(layer.scene).or_insert_with(|| build_all(gpu, shader, layer.scene));
    }

    /// Draws all ghosts on their layer, in their order.
    fn record(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let Some((layer, pipelines)) = self.layer.as_ref().zip(self.pipelines.as_ref()) else {
            return;
        };
        let mut load = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);
        for (i, ghost) in drawing.shared.frame.ghosts.iter().enumerate() {
            if ghost.opacity > 0.0 {
                draw_normals(record, drawing, layer, drawing.shared.scene.stages() + i);
                let mut pass = layer.begin_layer(record, load);
                pass.set_pipeline(&pipelines.one);
                pass.set_bind_group(0, drawing.camera, &[]);
                pass.set_bind_group(1, &layer.one, &[GhostLayer::offset(i)]);
                pass.draw(0..3, 0..1);
                load = wgpu::LoadOp::Load;
            }
        }
        if load != wgpu::LoadOp::Load {
            drop(layer.begin_layer(record, load));
        }
    }

    /// Draws the layer into the scene, where the depth is that of no opaque surface.
    fn draw_in_scene<'a>(&'a self, pass: &mut SplitPass<'a, '_, '_>, _: &Drawing<'a>) {
        let Some((layer, pipelines)) = self.layer.as_ref().zip(self.pipelines.as_ref()) else {
            return;
        };
        if let Some(pipeline) = pipelines.all.get(&layer.scene) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(1, &layer.all, &[0]);
            pass.draw(DrawCall { vertices: 0..3, corners: 3, instances: 0..1, indexed: false });
        }
    }
}

/// Returns the key of a draw of a ghost.
fn ghost_key(shared: &SharedFrame<'_>, draw: usize) -> MeshKey {
    let look = Look { pass: Pass::Normal, ..Look::default() };
    MeshKey::new(shared, draw, &look, shared.canvas.samples)
}

/// Draws the normals of a stage.
fn draw_normals(
    record: &mut FrameRecorder<'_>,
    Drawing { shared, camera, pipelines, .. }: &Drawing<'_>,
    layer: &GhostLayer,
    stage: usize,
) {
    let begin = |record: &mut FrameRecorder<'_>, start: Start| {
        layer.begin_one(record, start).forget_lifetime()
    };
    let mut pass = SplitPass::new(record, &begin);
    pass.set_bind_group(0, camera, &[]);
    pipelines.meshes.bind_no_copy(&mut pass, shared);
    for draw in 0..shared.scene.plan.draws.len() {
        if let Some(pipeline) = pipelines.meshes.get(ghost_key(shared, draw)) {
            pass.set_pipeline(pipeline);
            let batch = Batch::whole(draw, stage..stage + 1);
            shared.scene.draw(&mut pass, shared.frame.gpu_model, &batch, None);
        }
    }
}

impl Pipelines {
    /// Builds the pipeline that draws one ghost.
    fn new(gpu: &Gpu, layouts: &BindLayouts) -> Self {
        let groups = [Some(&layouts.frame), Some(&input_layout(gpu))];
        let shader = Shader::new(gpu, "ghosts", shader::ghosts(), &groups);
        let one = Pipeline {
            blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
            ..Pipeline::new(&shader, "one ghost", ["vs_ghosts", "fs_one_ghost"], OVERLAY_FORMAT)
        };
        let one = one.build(gpu);
        Self { shader, one, all: HashMap::new() }
    }
}

/// The textures for pictures of one size and this many ghosts.
struct GhostLayer {
    size: [u32; 2],
    /// The scene that the layer is drawn into.
    scene: SceneKey,
    count: usize,
    normals: wgpu::TextureView,
    /// Target of the multisample resolve.
    resolved: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    layer: wgpu::TextureView,
    colors: wgpu::Buffer,
    /// Group 1 of the pipeline of one ghost.
    one: wgpu::BindGroup,
    /// Group 1 of the pipeline of the layer.
    all: wgpu::BindGroup,
}

/// `Ghost` in `shaders/ghosts.wgsl`: sRGB and opacity.
type GhostUniform = [f32; 4];

/// Returns the layout of these groups.
fn input_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let fragment = wgpu::ShaderStages::FRAGMENT;
    let color = uniform::<GhostUniform>(1, fragment, true);
    gpu.bind_layout("ghosts", &[texture(0, fragment, false), color])
}

impl GhostLayer {
    /// Allocates the textures, for scenes of this many samples per pixel.
    fn new(gpu: &Gpu, size: [u32; 2], scene: SceneKey, count: usize) -> Self {
        let samples = scene.samples;
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let read = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let make = |label, format, samples, usage| {
            attachment(gpu, &Attachment { label, size, format, samples, usage })
        };
        let format = scene_format(Pass::Normal);
        let normals = make("normals of a ghost", format, samples, read);
        let resolved = (samples > 1).then(|| make("resolved normals of a ghost", format, 1, read));
        let layer = make("ghosts", OVERLAY_FORMAT, 1, read);
        let bytes = count.max(1) as u64 * UNIFORM_ALIGNMENT;
        let colors = gpu.uniform_buffer("colours of ghosts", bytes);
        let layout = input_layout(gpu);
        let bind = |view: &wgpu::TextureView| {
            let color = wgpu::BufferBinding {
                buffer: &colors,
                offset: 0,
                size: wgpu::BufferSize::new(size_of::<GhostUniform>() as u64),
            };
            let view = wgpu::BindingResource::TextureView(view);
            gpu.bind("ghosts", &layout, &[view, wgpu::BindingResource::Buffer(color)])
        };
        Self {
            one: bind(resolved.as_ref().unwrap_or(&normals)),
            all: bind(&layer),
            depth: make("depth of a ghost", DEPTH_FORMAT, samples, drawn),
            size,
            scene,
            count,
            normals,
            resolved,
            layer,
            colors,
        }
    }

    /// Whether it is of this size, for this scene, with this many ghosts.
    fn fits(&self, size: [u32; 2], scene: SceneKey, count: usize) -> bool {
        (self.size, self.scene, self.count) == (size, scene, count)
    }

    /// Returns the dynamic offset of a ghost's colour.
    fn offset(ghost: usize) -> u32 {
        ghost as u32 * UNIFORM_ALIGNMENT as u32
    }

    /// Uploads the colours.
    fn write(&self, gpu: &Gpu, ghosts: &[Ghost]) {
        let mut bytes = vec![0; ghosts.len() * UNIFORM_ALIGNMENT as usize];
        for (slot, ghost) in bytes.chunks_exact_mut(UNIFORM_ALIGNMENT as usize).zip(ghosts) {
            let [r, g, b] = ghost.color;
            let uniform: GhostUniform = [r, g, b, ghost.opacity];
            slot[..size_of::<GhostUniform>()].copy_from_slice(bytemuck::bytes_of(&uniform));
        }
        gpu.queue.write_buffer(&self.colors, 0, &bytes);
    }

    /// Begins to draw the normals of one ghost.
    fn begin_one<'r>(
        &self,
        record: &'r mut FrameRecorder<'_>,
        start: Start,
    ) -> wgpu::RenderPass<'r> {
        let (load, depth_load) = start.loads();
        let resolve_target = self.resolved.as_ref();
        let normals = color(&self.normals, load);
        let normals =
            normals.map(|normals| wgpu::RenderPassColorAttachment { resolve_target, ..normals });
        let descriptor = wgpu::RenderPassDescriptor {
            color_attachments: &[normals],
            depth_stencil_attachment: depth(&self.depth, depth_load),
            ..Default::default()
        };
        record.picture_pass("ghost", descriptor)
    }

    /// Begins to draw on the layer.
    fn begin_layer<'r>(
        &self,
        record: &'r mut FrameRecorder<'_>,
        load: wgpu::LoadOp<wgpu::Color>,
    ) -> wgpu::RenderPass<'r> {
        let color_attachments = &[color(&self.layer, load)];
        let descriptor = wgpu::RenderPassDescriptor { color_attachments, ..Default::default() };
        record.picture_pass("ghosts", descriptor)
    }
}

fn build_all(gpu: &Gpu, shader: &Shader, scene: SceneKey) -> wgpu::RenderPipeline {
    Pipeline {
        blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        depth: Some(depth_test(wgpu::CompareFunction::Equal, false)),
        samples: scene.samples,
        ..Pipeline::new(shader, "all ghosts", ["vs_ghosts", "fs_all_ghosts"], scene.format)
    }
    .build(gpu)
}
