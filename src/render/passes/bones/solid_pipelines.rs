//! Draws bones with depth: solids, and lines that the mesh hides. They are drawn on textures of their own, which are
//! resolved onto the overlay.

use super::lines::Skeleton;
use super::solid_layer::SolidLayer;
use super::solids::Solid;
use crate::render::passes::depth_pipelines::{ShapeFor, Shapes};
use crate::render::passes::overlay::OVERLAY_FORMAT;
use crate::render::scene::formats::{DEPTH_FORMAT, DEPTH_SAMPLES as SAMPLES};
use crate::render::scene::frame_data::LineList;
use crate::render::scene::prepared_frame::PreparedFrame;
use crate::render::scene::recording::Recording;
use crate::render::scene::split_pass::{Pieces, Start};
use crate::render::{Gpu, shader};

/// Vertices of an octahedron and of a ball.
const VERTICES: [u32; 2] = [24, 576];

/// The pipelines of solids.
pub struct Solids {
    /// Of octahedra and of balls.
    pipelines: [wgpu::RenderPipeline; 2],
    /// Lines that are hidden by what is in front of them.
    lines: Skeleton,
}

impl Solids {
    /// Builds the pipelines.
    pub fn new(gpu: &Gpu, frame_layout: &wgpu::BindGroupLayout) -> Self {
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("solid bones"),
            source: wgpu::ShaderSource::Wgsl(shader::solids().into()),
        });
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("solid bones"),
            bind_group_layouts: &[Some(frame_layout)],
            immediate_size: 0,
        });
        let pipelines =
            ["vs_octahedron", "vs_ball"].map(|entry| build(gpu, &layout, &module, entry));
        Self { pipelines, lines: Skeleton::with_depth(gpu, frame_layout, SAMPLES) }
    }

    /// Draws solids and lines on the overlay, which is cleared. Group 0 is the camera's frame.
    pub fn draw(
        &self,
        record: &mut Recording<'_>,
        (layer, shapes): (&SolidLayer, &Shapes),
        prepared: &PreparedFrame<'_>,
        lines: LineList<'_>,
    ) {
        let Some(overlay) = &prepared.canvas.overlay else { return };
        if layer.hidden {
            let begin = |record: &mut Recording<'_>, start: Start| {
                layer.begin_depth(record, start).forget_lifetime()
            };
            let mut meshes = Pieces::new(record, &begin);
            meshes.set_bind_group(0, &prepared.scene.frame, &[]);
            shapes.draw(&mut meshes, ShapeFor::Depth, prepared);
        }
        let mut pass = layer.begin(record, overlay);
        pass.set_bind_group(0, &prepared.scene.frame, &[]);
        pass.set_vertex_buffer(0, layer.solids.slice(..));
        let mut first = 0;
        for ((pipeline, count), vertices) in self.pipelines.iter().zip(layer.counts).zip(VERTICES) {
            if count > 0 {
                pass.set_pipeline(pipeline);
                pass.draw(0..vertices, first..first + count);
            }
            first += count;
        }
        self.lines.draw(&mut pass, &prepared.scene.frame, lines);
    }
}

fn build(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    entry: &str,
) -> wgpu::RenderPipeline {
    let attributes = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32x3, 2 => Float32x3, 3 => Unorm8x4, 4 => Float32
    ];
    let solids = wgpu::VertexBufferLayout {
        array_stride: size_of::<Solid>() as u64,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &attributes,
    };
    gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(entry),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            buffers: &[Some(solids)],
        },
        primitive: Default::default(),
        depth_stencil: Some(depth_test()),
        multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("fs_solid"),
            compilation_options: Default::default(),
            targets: &[Some(OVERLAY_FORMAT.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// Draws what is nearer than what was drawn before.
fn depth_test() -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
        stencil: Default::default(),
        bias: Default::default(),
    }
}
