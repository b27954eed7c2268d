//! Draws joints, bones and lines on the overlay.

use crate::render::passes::overlay::{self, OverlayShader};
use crate::render::scene::buffer_layout::BONE_BYTES;
use crate::render::scene::frame_data::LineList;
use crate::render::{Gpu, shader};

/// The pipeline of joints, bones and lines.
pub struct Skeleton {
    pipeline: wgpu::RenderPipeline,
}

impl Skeleton {
    /// Builds the pipeline that draws on the overlay.
    pub fn new(gpu: &Gpu, frame_layout: &wgpu::BindGroupLayout) -> Self {
        Self::build(gpu, frame_layout, None)
    }

    /// Builds the pipeline that draws on textures with depth and this many samples per pixel.
    pub fn with_depth(gpu: &Gpu, frame_layout: &wgpu::BindGroupLayout, samples: u32) -> Self {
        Self::build(gpu, frame_layout, Some(samples))
    }

    fn build(gpu: &Gpu, frame_layout: &wgpu::BindGroupLayout, hidden: Option<u32>) -> Self {
        let attributes = wgpu::vertex_attr_array![
            0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4, 3 => Float32
        ];
        let pipeline = overlay::pipeline(
            gpu,
            OverlayShader {
                label: "skeleton",
                text: shader::skeleton(),
                entries: ["vs_bone", "fs_bone"],
                groups: &[Some(frame_layout)],
                bytes: BONE_BYTES,
                attributes: &attributes,
                hidden,
            },
        );
        Self { pipeline }
    }

    /// Draws the lines, bones and discs. `frame` is group 0.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &wgpu::BindGroup,
        lines: LineList<'_>,
    ) {
        if lines.count > 0 {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, frame, &[]);
            pass.set_vertex_buffer(0, lines.buffer.slice(lines.start..));
            pass.draw(0..4, 0..lines.count);
        }
    }
}
