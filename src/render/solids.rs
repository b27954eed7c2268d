//! Draws bones with depth: solids, and lines that the mesh hides. They are drawn on textures of their own, which are
//! resolved onto the overlay.

use super::canvas::{Attachment, attachment};
use super::formats::DEPTH_FORMAT;
use super::frame_data::LineList;
use super::overlay::OVERLAY_FORMAT;
use super::pieces::{Pieces, Start};
use super::prepared_frame::PreparedFrame;
use super::recording::Recording;
use super::shapes::{DEPTH_SAMPLES as SAMPLES, ShapeFor, Shapes};
use super::skeleton::Skeleton;
use super::solid_bones::{Solid, SolidList};
use super::{Gpu, shader};

/// Vertices of an octahedron and of a ball.
const VERTICES: [u32; 2] = [24, 576];

/// The textures for pictures of one size, and the solids.
pub struct SolidLayer {
    size: [u32; 2],
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
    solids: wgpu::Buffer,
    /// Numbers of octahedra and balls in the buffer, in this order.
    counts: [u32; 2],
    /// Whether the mesh hides what is behind it.
    pub hidden: bool,
}

impl SolidLayer {
    /// Allocates the textures, and room for this many solids.
    pub fn new(gpu: &Gpu, size: [u32; 2], room: usize) -> Self {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let make = |label, format| {
            attachment(gpu, &Attachment { label, size, format, samples: SAMPLES, usage })
        };
        let solids = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("solid bones"),
            size: (room.max(1) * size_of::<Solid>()) as u64,
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self {
            size,
            color: make("solid bones", OVERLAY_FORMAT),
            depth: make("depth of solid bones", DEPTH_FORMAT),
            solids,
            counts: [0; 2],
            hidden: false,
        }
    }

    /// Whether it is of this size and has room for these solids.
    pub fn fits(&self, size: [u32; 2], list: &SolidList) -> bool {
        let bytes = (list.octahedra.len() + list.balls.len()) * size_of::<Solid>();
        self.size == size && bytes as u64 <= self.solids.size()
    }

    /// Uploads the solids of a frame.
    pub fn write(&mut self, gpu: &Gpu, list: &SolidList) {
        self.counts = [list.octahedra.len() as u32, list.balls.len() as u32];
        let octahedra: &[u8] = bytemuck::cast_slice(&list.octahedra);
        gpu.queue.write_buffer(&self.solids, 0, octahedra);
        gpu.queue.write_buffer(
            &self.solids,
            octahedra.len() as u64,
            bytemuck::cast_slice(&list.balls),
        );
    }

    fn begin<'r>(
        &self,
        record: &'r mut Recording<'_>,
        overlay: &wgpu::TextureView,
        start: Start,
    ) -> wgpu::RenderPass<'r> {
        let (color, depth) = match start {
            Start::New => (wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), wgpu::LoadOp::Clear(0.0)),
            Start::Continued => (wgpu::LoadOp::Load, wgpu::LoadOp::Load),
        };
        record.picture_pass(
            "bones",
            wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &self.color,
                    depth_slice: None,
                    resolve_target: Some(overlay),
                    ops: wgpu::Operations { load: color, store: wgpu::StoreOp::Store },
                })],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &self.depth,
                    depth_ops: Some(wgpu::Operations { load: depth, store: wgpu::StoreOp::Store }),
                    stencil_ops: None,
                }),
                ..Default::default()
            },
        )
    }
}

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
        let begin = |record: &mut Recording<'_>, start: Start| {
            layer.begin(record, overlay, start).forget_lifetime()
        };
        let mut meshes = Pieces::new(record, &begin);
        if layer.hidden {
            meshes.set_bind_group(0, &prepared.scene.frame, &[]);
            shapes.draw(&mut meshes, ShapeFor::Depth, prepared);
        }
        drop(meshes);
        let mut pass = layer.begin(record, overlay, Start::Continued);
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
