//! Rectangles of one colour.

use crate::device::pipeline::{Pipeline, Shader};
use crate::{Gpu, shader};
use rigview_model::linear_from_srgb;

/// A rectangle of one colour, without soft edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Left, top, width and height in pixels, inside the target.
    pub rect: [u32; 4],
    /// Red, green and blue in sRGB.
    pub color: [u8; 3],
}

/// The pipeline that draws rectangles on targets of one format.
pub struct Fills {
    pipeline: wgpu::RenderPipeline,
    format: wgpu::TextureFormat,
}

impl Fills {
    /// Builds the pipeline.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let shader = Shader::new(gpu, "fill", shader::fill(), &[]);
        let constant = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::Constant,
            dst_factor: wgpu::BlendFactor::Zero,
            operation: wgpu::BlendOperation::Add,
        };
        let pipeline = Pipeline {
            blend: Some(wgpu::BlendState { color: constant, alpha: constant }),
            ..Pipeline::new(&shader, "fill", ["vs_fill", "fs_fill"], format)
        };
        Self { pipeline: pipeline.build(gpu), format }
    }

    /// Draws rectangles, opaque and in their order. The pass keeps the last scissor rectangle and blend constant.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, fills: &[Fill]) {
        // Once this pipeline is set, wgpu refuses to draw before there is a blend constant, with any pipeline.
        if !fills.is_empty() {
            pass.set_pipeline(&self.pipeline);
        }
        for Fill { rect: [left, top, width, height], color } in fills {
            let stored = color.map(|byte| f32::from(byte) / 255.0);
            let color = if self.format.is_srgb() { stored.map(linear_from_srgb) } else { stored };
            let [r, g, b] = color.map(f64::from);
            pass.set_blend_constant(wgpu::Color { r, g, b, a: 1.0 });
            pass.set_scissor_rect(*left, *top, *width, *height);
            pass.draw(0..3, 0..1);
        }
    }
}
