//! The textures that a scene is drawn on before the last pass.

use super::frame_recorder::FrameRecorder;
use super::frame_recorder::Start;
use crate::Gpu;
use rigview_look::{Look, Pass};

/// Depth of the scene: 1 at the near plane, 0 at the far one.
pub const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Returns the test of a pipeline against the depth of the scene, and whether it writes its own.
pub fn depth_test(compare: wgpu::CompareFunction, writes: bool) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(writes),
        depth_compare: Some(compare),
        stencil: Default::default(),
        bias: Default::default(),
    }
}

/// The scene's format and samples per pixel, for which a pipeline is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SceneKey {
    /// Its format.
    pub format: wgpu::TextureFormat,
    /// Its samples per pixel.
    pub samples: u32,
}

/// Returns the colour format of a pass. Linear light needs the range of floats; the depth picture
/// needs the precision of its sixteen bits.
pub fn scene_format(pass: Pass) -> wgpu::TextureFormat {
    match pass {
        Pass::Depth => wgpu::TextureFormat::R32Float,
        _ => wgpu::TextureFormat::Rgba16Float,
    }
}

/// The textures for pictures of one size.
pub struct Canvas {
    pub size: [u32; 2],
    /// Samples per pixel of the scene.
    pub samples: u32,
    format: wgpu::TextureFormat,
    /// Whether the picture is copied while it is drawn.
    copied: bool,
    color: wgpu::TextureView,
    /// Target of the multisample resolve: for the copy, or for the last pass where shaders cannot read
    /// samples.
    resolved: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    /// Samples per pixel that the last pass reads: as many as the scene has, or one if they are resolved before.
    pub read_samples: u32,
}

/// Portion of the scene that a render pass draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// The whole scene.
    Whole,
    /// The portion before the copy for transmissive surfaces.
    First,
    /// The portion after that copy.
    Last,
}

impl Canvas {
    /// Whether the canvas is one of [`Canvas::new`] with these arguments.
    pub fn fits(&self, size: [u32; 2], look: &Look, copied: bool) -> bool {
        (self.samples, self.format) == (samples(look), scene_format(look.pass))
            && (self.size, self.copied) == (size, copied)
    }

    /// Allocates a canvas. `copied` is whether the picture is read before it is complete.
    pub fn new(gpu: &Gpu, size: [u32; 2], look: &Look, copied: bool) -> Self {
        let (samples, format) = (samples(look), scene_format(look.pass));
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let read = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let make = |label, format, samples, usage| {
            attachment(gpu, &Attachment { label, size, format, samples, usage })
        };
        let read_samples = if gpu.reads_samples() { samples } else { 1 };
        let usage = if read_samples == samples { read } else { drawn };
        let color = make("scene colour", format, samples, usage);
        let resolves = samples > 1 && (copied || read_samples == 1);
        let resolved = resolves.then(|| make("resolved scene colour", format, 1, read));
        let depth = make("scene depth", DEPTH_FORMAT, samples, drawn);
        Self { size, samples, format, copied, color, resolved, depth, read_samples }
    }

    /// Returns the complete picture for the last pass, of [`Canvas::read_samples`].
    pub fn picture(&self) -> &wgpu::TextureView {
        self.resolved.as_ref().filter(|_| self.read_samples == 1).unwrap_or(&self.color)
    }

    /// Returns the picture of the first stretch, of one sample per pixel. The canvas must have been created for that.
    pub fn first_stretch(&self) -> &wgpu::TextureView {
        self.resolved.as_ref().unwrap_or(&self.color)
    }

    /// Begins the render pass of a stretch of the scene, or of a further piece of it.
    pub fn begin<'a>(
        &self,
        record: &'a mut FrameRecorder<'_>,
        stretch: Stretch,
        start: Start,
        look: &Look,
    ) -> wgpu::RenderPass<'a> {
        // Where nothing is drawn, the depth picture is at the far plane and all others are transparent.
        let clear =
            if look.pass == Pass::Depth { wgpu::Color::WHITE } else { wgpu::Color::TRANSPARENT };
        let last = stretch != Stretch::First;
        let resolves = self.read_samples != self.samples;
        // In pieces, another may follow.
        let ends = last && record.piece == u64::MAX;
        let kept = if ends { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
        let (color, depth) = match (stretch, start) {
            (Stretch::Last, _) | (_, Start::Continued) => (wgpu::LoadOp::Load, wgpu::LoadOp::Load),
            _ => (wgpu::LoadOp::Clear(clear), wgpu::LoadOp::Clear(0.0)),
        };
        record.picture_pass(
            "scene",
            wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &self.color,
                    depth_slice: None,
                    resolve_target: self.resolved.as_ref().filter(|_| !last || resolves),
                    ops: wgpu::Operations { load: color, store: wgpu::StoreOp::Store },
                })],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &self.depth,
                    depth_ops: Some(wgpu::Operations { load: depth, store: kept }),
                    stencil_ops: None,
                }),
                ..Default::default()
            },
        )
    }
}

/// Returns the samples per pixel of one drawing: 1 for data, which must not be averaged, and at most 4, which every
/// adapter has.
fn samples(look: &Look) -> u32 {
    if look.pass.is_smooth() { look.samples.min(4) } else { 1 }
}

/// A texture that is drawn on.
pub struct Attachment {
    pub label: &'static str,
    /// Width and height in pixels.
    pub size: [u32; 2],
    pub format: wgpu::TextureFormat,
    /// Samples per pixel.
    pub samples: u32,
    pub usage: wgpu::TextureUsages,
}

/// Creates a texture.
pub fn attachment(gpu: &Gpu, attachment: &Attachment) -> wgpu::TextureView {
    let Attachment { label, size: [width, height], format, samples, usage } = *attachment;
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}
