//! The textures that a scene is drawn on before the last pass.

use super::formats::{DEPTH_FORMAT, scene_format};
use super::recording::Recording;
use super::split_pass::Start;
use crate::look::{Look, Pass};
use crate::render::Gpu;
use crate::render::passes::bloom::Glow;
use crate::render::passes::finish::{Finish, FinishInput};
use crate::render::passes::overlay::OVERLAY_FORMAT;
use crate::render::passes::transmission::{Behind, Blur};

/// The textures for pictures of one size.
pub struct Canvas {
    pub size: [u32; 2],
    /// Samples per pixel of the scene.
    pub samples: u32,
    format: wgpu::TextureFormat,
    color: wgpu::TextureView,
    /// Target of the multisample resolve: for the copy, or for the last pass where shaders cannot read
    /// samples.
    resolved: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    pub overlay: Option<wgpu::TextureView>,
    /// Input of the last pass. It has as many samples as the scene, or one if they are resolved before.
    pub finish: FinishInput,
    /// The copy of the opaque picture, for transmissive surfaces.
    pub behind: Option<Behind>,
    /// The spread light above white.
    pub glow: Option<Glow>,
}

/// Requirements of a picture on the canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanvasNeeds {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Whether it has an overlay.
    pub overlay: bool,
    /// Whether transmissive surfaces need a copy of the opaque picture.
    pub behind: bool,
    /// Whether light above white is spread.
    pub blooms: bool,
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
    /// Whether the canvas meets the needs of a picture.
    pub fn fits(&self, needs: CanvasNeeds, look: &Look) -> bool {
        (self.samples, self.format) == (samples(look), scene_format(look.pass))
            && self.size == needs.size
            && self.overlay.is_some() == needs.overlay
            && (self.behind.is_some() || !needs.behind)
            && (self.glow.is_some() || !needs.blooms)
    }

    /// Allocates a canvas. Without `blur` it has no copy for transmissive surfaces.
    pub fn new(
        gpu: &Gpu,
        needs: CanvasNeeds,
        look: &Look,
        finish: &Finish,
        blur: Option<&Blur>,
    ) -> Self {
        let (size, samples, format) = (needs.size, samples(look), scene_format(look.pass));
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let read = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let make = |label, format, samples, usage| {
            attachment(gpu, &Attachment { label, size, format, samples, usage })
        };
        let finished = if gpu.reads_samples() { samples } else { 1 };
        let color =
            make("scene colour", format, samples, if finished == samples { read } else { drawn });
        let resolves = samples > 1 && (needs.behind || finished == 1);
        let resolved = resolves.then(|| make("resolved scene colour", format, 1, read));
        let overlay = needs.overlay.then(|| make("overlay", OVERLAY_FORMAT, 1, read));
        let last = resolved.as_ref().filter(|_| finished == 1).unwrap_or(&color);
        let glow = needs.blooms.then(|| Glow::new(gpu, &finish.bloom, size));
        let finish = finish.bind(gpu, last, finished, overlay.as_ref());
        let depth = make("scene depth", DEPTH_FORMAT, samples, drawn);
        let blur = blur.filter(|_| needs.behind);
        let picture = resolved.as_ref().unwrap_or(&color);
        let behind = blur.map(|blur| Behind::new(gpu, blur, picture, size));
        Self { size, samples, format, color, resolved, depth, overlay, finish, behind, glow }
    }

    /// Begins the render pass of a stretch of the scene, or of a further piece of it.
    pub fn begin<'a>(
        &self,
        record: &'a mut Recording<'_>,
        stretch: Stretch,
        start: Start,
        look: &Look,
    ) -> wgpu::RenderPass<'a> {
        // Where nothing is drawn, the depth picture is at the far plane and all others are transparent.
        let clear =
            if look.pass == Pass::Depth { wgpu::Color::WHITE } else { wgpu::Color::TRANSPARENT };
        let last = stretch != Stretch::First;
        let resolves = self.finish.samples != self.samples;
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
