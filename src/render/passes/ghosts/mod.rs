//! Draws ghosts, other poses of the scene: each on a texture of its own by the pipelines of the normal pass, then over
//! a layer in its colour. The layer is drawn into the scene where no opaque surface is, so that the present pose stays
//! as it is.

pub mod layer;

use std::collections::HashMap;

use self::layer::{GhostLayer, input_layout};
use super::full_screen::FullScreen;
use super::mesh::{PipelineKey, Pipelines};
use super::overlay::OVERLAY_FORMAT;
use crate::look::{Look, Pass};
use crate::render::scene::bind_layouts::Layouts;
use crate::render::scene::formats;
use crate::render::scene::plan::Batch;
use crate::render::scene::prepared_frame::PreparedFrame;
use crate::render::scene::recording::Recording;
use crate::render::scene::split_pass::{DrawCall, Pieces, Start};
use crate::render::{Gpu, shader};

/// Identifies the pipeline that draws the layer into the scene: the scene's format and samples per pixel.
type SceneKey = (wgpu::TextureFormat, u32);

/// The pipelines of ghosts, beside those of meshes.
pub struct Ghosts {
    layout: wgpu::PipelineLayout,
    module: wgpu::ShaderModule,
    /// Draws one ghost over the layer.
    one: wgpu::RenderPipeline,
    /// Draws the layer into the scene.
    all: HashMap<SceneKey, wgpu::RenderPipeline>,
}

/// Whether a look can show ghosts. Masks and depths are data, and with overdraw the nearest surface is not known.
pub fn are_shown(look: &Look) -> bool {
    look.takes_overlays() && !matches!(look.pass, Pass::Mask | Pass::Depth | Pass::Overdraw)
}

/// Returns the key of a draw of a ghost.
pub fn key(prepared: &PreparedFrame<'_>, draw: usize) -> PipelineKey {
    let look = Look { pass: Pass::Normal, ..Look::default() };
    let (planned, samples) = (&prepared.scene.plan.draws[draw], prepared.canvas.samples);
    let key = PipelineKey::new(planned, &look, prepared.features, prepared.mirrors, samples);
    if prepared.scene.has_rectangles(draw) { key.rectangles() } else { key }
}

/// Draws all ghosts on their layer, in their order. The pipelines must have been built.
pub fn draw_layer(
    record: &mut Recording<'_>,
    meshes: &Pipelines,
    ghosts: &Ghosts,
    prepared: &PreparedFrame<'_>,
) {
    let Some(layer) = prepared.ghosts else { return };
    let mut load = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);
    for (i, ghost) in prepared.frame.ghosts.iter().enumerate() {
        if ghost.opacity > 0.0 {
            draw_normals(record, meshes, prepared, prepared.scene.stages() + i);
            let mut pass = layer.begin_layer(record, load);
            pass.set_pipeline(&ghosts.one);
            pass.set_bind_group(0, &prepared.scene.frame, &[]);
            pass.set_bind_group(1, &layer.one, &[GhostLayer::offset(i)]);
            pass.draw(0..3, 0..1);
            load = wgpu::LoadOp::Load;
        }
    }
    if load != wgpu::LoadOp::Load {
        drop(layer.begin_layer(record, load));
    }
}

/// Draws the normals of a stage.
fn draw_normals(
    record: &mut Recording<'_>,
    meshes: &Pipelines,
    prepared: &PreparedFrame<'_>,
    stage: usize,
) {
    let Some(layer) = prepared.ghosts else { return };
    let begin =
        |record: &mut Recording<'_>, start: Start| layer.begin_one(record, start).forget_lifetime();
    let mut pass = Pieces::new(record, &begin);
    pass.set_bind_group(0, &prepared.scene.frame, &[]);
    if let Some(nothing) = prepared.nothing_behind {
        pass.set_bind_group(3, nothing, &[]);
    }
    for draw in 0..prepared.scene.plan.draws.len() {
        if let Some(pipeline) = meshes.get(key(prepared, draw)) {
            pass.set_pipeline(pipeline);
            let batch = Batch::whole(draw, stage..stage + 1);
            prepared.scene.draw(&mut pass, prepared.frame.gpu_model, &batch, None);
        }
    }
}

impl Ghosts {
    /// Builds the pipeline that draws one ghost.
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("ghosts"),
            bind_group_layouts: &[Some(&layouts.frame), Some(&input_layout(gpu))],
            immediate_size: 0,
        });
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("ghosts"),
            source: wgpu::ShaderSource::Wgsl(shader::ghosts().into()),
        });
        let one = FullScreen {
            label: "one ghost",
            layout: &layout,
            module: &module,
            entries: ["vs_ghosts", "fs_one_ghost"],
            constants: &[],
            format: OVERLAY_FORMAT,
            blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        };
        let one = one.build(gpu);
        Self { layout, module, one, all: HashMap::new() }
    }

    /// Builds the pipeline that draws the layer into scenes like a frame's, unless there is one.
    pub fn build(&mut self, gpu: &Gpu, prepared: &PreparedFrame<'_>) {
        let Self { layout, module, all, .. } = self;
        let key = scene_key(prepared);
        all.entry(key).or_insert_with(|| build_all(gpu, layout, module, key));
    }

    /// Draws the layer into the scene, where the depth is that of no opaque surface. Group 0 must be bound.
    pub fn draw<'a>(&'a self, pass: &mut Pieces<'a, '_, '_>, prepared: &PreparedFrame<'a>) {
        if let Some((layer, pipeline)) = prepared.ghosts.zip(self.all.get(&scene_key(prepared))) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(1, &layer.all, &[0]);
            pass.draw(DrawCall { vertices: 0..3, corners: 3, instances: 0..1, indexed: false });
        }
    }
}

fn scene_key(prepared: &PreparedFrame<'_>) -> SceneKey {
    (formats::scene_format(prepared.frame.look.pass), prepared.canvas.samples)
}

fn build_all(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    (format, samples): SceneKey,
) -> wgpu::RenderPipeline {
    gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("all ghosts"),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vs_ghosts"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: formats::DEPTH_FORMAT,
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Equal),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("fs_all_ghosts"),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format,
                blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
