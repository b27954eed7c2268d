//! The pipelines of joints and bones, and the textures of those with depth.

use super::solids::{Solid, SolidList};
use crate::device::pipeline::{Pipeline, Shader};
use crate::passes::depth_pipelines::DEPTH_SAMPLES as SAMPLES;
use crate::passes::overlay::{self, OVERLAY_FORMAT, OverlayShader};
use crate::scene::bind_layouts::BindLayouts;
use crate::scene::canvas::{Attachment, DEPTH_FORMAT, attachment, depth_test};
use crate::scene::frame_recorder::{FrameRecorder, Start, color, depth};
use crate::{Gpu, shader};

/// Bytes per line: two points, a colour and a size.
pub const LINE_BYTES: u64 = 32;

/// Vertices of an octahedron and of a ball.
const VERTICES: [u32; 2] = [24, 576];

/// Builds the pipeline of lines and discs; with `hidden`, on textures with depth and this many samples per pixel.
pub fn line_pipeline(
    gpu: &Gpu,
    layouts: &BindLayouts,
    hidden: Option<u32>,
) -> wgpu::RenderPipeline {
    let attributes = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4, 3 => Float32
    ];
    overlay::pipeline(
        gpu,
        OverlayShader {
            label: "skeleton",
            text: shader::skeleton(),
            entries: ["vs_bone", "fs_bone"],
            groups: &[Some(&layouts.frame)],
            bytes: LINE_BYTES,
            attributes: &attributes,
            hidden,
        },
    )
}

/// The pipelines of bones with depth.
pub struct SolidPipelines {
    /// Of octahedra and of balls.
    solids: [wgpu::RenderPipeline; 2],
    /// Lines that are hidden by what is in front of them.
    pub lines: wgpu::RenderPipeline,
}

impl SolidPipelines {
    /// Builds the pipelines.
    pub fn new(gpu: &Gpu, layouts: &BindLayouts) -> Self {
        let groups = [Some(&layouts.frame)];
        let shader = Shader::new(gpu, "solid bones", shader::solids(), &groups);
        let solids = ["vs_octahedron", "vs_ball"].map(|entry| build(gpu, &shader, entry));
        Self { solids, lines: line_pipeline(gpu, layouts, Some(SAMPLES)) }
    }

    /// Draws the solids of a layer.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, layer: &SolidLayer) {
        pass.set_vertex_buffer(0, layer.solids.slice(..));
        let mut first = 0;
        for ((pipeline, count), vertices) in self.solids.iter().zip(layer.counts).zip(VERTICES) {
            if count > 0 {
                pass.set_pipeline(pipeline);
                pass.draw(0..vertices, first..first + count);
            }
            first += count;
        }
    }
}

/// The textures for pictures of one size, and the solids.
pub struct SolidLayer {
    size: [u32; 2],
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
    solids: wgpu::Buffer,
    /// Numbers of octahedra and balls in the buffer, in this order.
    counts: [u32; 2],
    /// Whether the mesh is drawn first, so that it hides the bones behind it.
    pub hidden: bool,
}

impl SolidLayer {
    /// Allocates the textures, and room for this many solids.
    pub fn new(gpu: &Gpu, size: [u32; 2], room: usize) -> Self {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let make = |label, format| {
            attachment(gpu, &Attachment { label, size, format, samples: SAMPLES, usage })
        };
        let bytes = (room.max(1) * size_of::<Solid>()) as u64;
        let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
        let solids = gpu.buffer("solid bones", bytes, usage);
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

    /// Begins a pass that draws depth only: the mesh, which hides bones.
    pub fn begin_depth(
        &self,
        record: &mut FrameRecorder<'_>,
        start: Start,
    ) -> wgpu::RenderPass<'static> {
        let (_, load) = start.loads();
        let descriptor = wgpu::RenderPassDescriptor {
            depth_stencil_attachment: depth(&self.depth, load),
            ..Default::default()
        };
        record.picture_pass("depth of the mesh before bones", descriptor).forget_lifetime()
    }

    /// Begins the pass that draws the bones on the overlay, which is cleared.
    pub fn begin<'r>(
        &self,
        record: &'r mut FrameRecorder<'_>,
        overlay: &wgpu::TextureView,
    ) -> wgpu::RenderPass<'r> {
        let load = if self.hidden { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(0.0) };
        let bones = color(&self.color, wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT));
        let bones = bones.map(|bones| wgpu::RenderPassColorAttachment {
            resolve_target: Some(overlay),
            ..bones
        });
        let descriptor = wgpu::RenderPassDescriptor {
            color_attachments: &[bones],
            depth_stencil_attachment: depth(&self.depth, load),
            ..Default::default()
        };
        record.picture_pass("bones", descriptor)
    }
}

fn build(gpu: &Gpu, shader: &Shader, entry: &str) -> wgpu::RenderPipeline {
    let attributes = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32x3, 2 => Float32x3, 3 => Unorm8x4, 4 => Float32
    ];
    let solids = wgpu::VertexBufferLayout {
        array_stride: size_of::<Solid>() as u64,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &attributes,
    };
    Pipeline {
        buffers: &[Some(solids)],
        depth: Some(depth_test(wgpu::CompareFunction::GreaterEqual, true)),
        samples: SAMPLES,
        ..Pipeline::new(shader, entry, [entry, "fs_solid"], OVERLAY_FORMAT)
    }
    .build(gpu)
}
