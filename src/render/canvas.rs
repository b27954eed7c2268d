//! The textures that a scene is drawn on before it is finished.

use super::Gpu;
use super::behind::{Behind, Blur};
use super::finish::Finish;
use super::layout::Layouts;
use super::overlay::OVERLAY_FORMAT;
use super::pipeline::{DEPTH_FORMAT, scene_format};
use super::recording::Recording;
use crate::look::{Look, Pass};

/// The textures of one size of picture.
pub struct Canvas {
    pub size: [u32; 2],
    /// Samples a pixel as the scene is drawn.
    pub samples: u32,
    /// Samples a pixel as the picture is finished: as many, or one that they were resolved into.
    pub finished: u32,
    format: wgpu::TextureFormat,
    color: wgpu::TextureView,
    /// What several samples are resolved into for the copy, or where shaders can't read them.
    resolved: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    pub overlay: Option<wgpu::TextureView>,
    pub finish: wgpu::BindGroup,
    /// What the picture so far is copied to, where light goes through something.
    pub behind: Option<Behind>,
}

/// What a canvas is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanvasNeeds {
    /// Pixels.
    pub size: [u32; 2],
    /// Whether something is laid over the picture.
    pub overlay: bool,
    /// Whether light goes through something.
    pub behind: bool,
}

/// Which part of a scene a pass draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// All of it.
    Whole,
    /// What is copied for the rest to be seen through.
    First,
    /// The rest.
    Last,
}

impl Canvas {
    /// Whether it serves a picture.
    pub fn fits(&self, needs: CanvasNeeds, look: &Look) -> bool {
        (self.samples, self.format) == (samples(look), scene_format(look.pass))
            && self.size == needs.size
            && self.overlay.is_some() == needs.overlay
            && (self.behind.is_some() || !needs.behind)
    }

    /// A new one. `blur` is what makes the smaller levels of the copy.
    pub fn new(
        gpu: &Gpu,
        needs: CanvasNeeds,
        look: &Look,
        finish: &Finish,
        (layouts, blur): (&Layouts, Option<&Blur>),
    ) -> Self {
        let (size, samples, format) = (needs.size, samples(look), scene_format(look.pass));
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let read = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let make = |format, samples, usage| attachment(gpu, size, format, samples, usage);
        let finished = if gpu.reads_samples() { samples } else { 1 };
        let color = make(format, samples, if finished == samples { read } else { drawn });
        let resolves = samples > 1 && (needs.behind || finished == 1);
        let resolved = resolves.then(|| make(format, 1, read));
        let overlay = needs.overlay.then(|| make(OVERLAY_FORMAT, 1, read));
        let last = resolved.as_ref().filter(|_| finished == 1).unwrap_or(&color);
        let finish = finish.bind(gpu, (last, finished), overlay.as_ref());
        let depth = make(DEPTH_FORMAT, samples, drawn);
        let blur = blur.filter(|_| needs.behind);
        let picture = resolved.as_ref().unwrap_or(&color);
        let behind = blur.map(|blur| Behind::new(gpu, layouts, blur, picture, size));
        Self { size, samples, finished, format, color, resolved, depth, overlay, finish, behind }
    }

    /// Begins to draw a stretch of the scene.
    pub fn begin<'a>(
        &self,
        record: &'a mut Recording<'_>,
        stretch: Stretch,
        look: &Look,
    ) -> wgpu::RenderPass<'a> {
        // A picture of depth is far where nothing is; all others are nothing there.
        let clear =
            if look.pass == Pass::Depth { wgpu::Color::WHITE } else { wgpu::Color::TRANSPARENT };
        let last = stretch != Stretch::First;
        let resolves = self.finished != self.samples;
        let kept = if last { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
        let (color, depth) = match stretch {
            Stretch::Last => (wgpu::LoadOp::Load, wgpu::LoadOp::Load),
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

/// Samples a pixel: data is not blended.
fn samples(look: &Look) -> u32 {
    if look.pass.is_smooth() { look.samples } else { 1 }
}

fn attachment(
    gpu: &Gpu,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    sample_count: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("canvas"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}
