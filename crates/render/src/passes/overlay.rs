//! The overlay, a layer that the last pass blends over the picture, so that it is visible through the mesh
//! and not tone-mapped. Pipelines that draw on it differ only in what [`OverlayShader`] holds.

use crate::Gpu;
use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::canvas::{Attachment, attachment, depth_test};
use crate::scene::frame_recorder::{FrameRecorder, color};

/// Format of the overlay: sRGB-encoded colour, premultiplied by alpha.
pub const OVERLAY_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A shader that draws on the overlay.
pub struct OverlayShader<'a> {
    /// Label of the shader module and the pipeline.
    pub label: &'a str,
    /// The WGSL.
    pub text: String,
    /// Vertex and fragment entry points.
    pub entries: [&'a str; 2],
    pub groups: &'a [Option<&'a wgpu::BindGroupLayout>],
    /// Bytes per instance; each instance is a triangle strip.
    pub bytes: u64,
    pub attributes: &'a [wgpu::VertexAttribute],
    /// Samples per pixel of textures with depth, whose nearer contents hide it; `None` for the overlay itself.
    pub hidden: Option<u32>,
}

/// The texture of the overlay.
#[derive(Default)]
pub struct Overlay {
    /// `None` if nothing is drawn on it.
    texture: Option<Texture>,
}

struct Texture {
    size: [u32; 2],
    view: wgpu::TextureView,
}

impl Overlay {
    /// Allocates the texture for a picture of this size, or frees it if nothing is drawn on it.
    pub fn prepare(&mut self, gpu: &Gpu, size: [u32; 2], wanted: bool) {
        self.texture.take_if(|texture| !wanted || texture.size != size);
        if wanted {
            let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
            let usage = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
            let label = "overlay";
            let made = Attachment { label, size, format: OVERLAY_FORMAT, samples: 1, usage };
            let make = || Texture { size, view: attachment(gpu, &made) };
            self.texture.get_or_insert_with(make);
        }
    }

    /// The texture; `None` if nothing is drawn on it.
    pub fn view(&self) -> Option<&wgpu::TextureView> {
        self.texture.as_ref().map(|texture| &texture.view)
    }
}

/// Begins a pass on the overlay.
pub fn begin<'r>(
    record: &'r mut FrameRecorder<'_>,
    overlay: &wgpu::TextureView,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'r> {
    let color_attachments = &[color(overlay, load)];
    let descriptor = wgpu::RenderPassDescriptor { color_attachments, ..Default::default() };
    record.picture_pass("overlay", descriptor)
}

/// Builds a pipeline that draws on the overlay.
pub fn pipeline(gpu: &Gpu, shader: OverlayShader<'_>) -> wgpu::RenderPipeline {
    let OverlayShader { label, text, entries, groups, bytes, attributes, hidden } = shader;
    let shader = Shader::new(gpu, label, text, groups);
    let instances = wgpu::VertexBufferLayout {
        array_stride: bytes,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes,
    };
    Pipeline {
        buffers: &[Some(instances)],
        topology: wgpu::PrimitiveTopology::TriangleStrip,
        depth: hidden.map(|_| depth_test(wgpu::CompareFunction::GreaterEqual, false)),
        samples: hidden.unwrap_or(1),
        blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        ..Pipeline::new(&shader, label, entries, OVERLAY_FORMAT)
    }
    .build(gpu)
}
