//! The textures that bones with depth are drawn on, and the solids of a frame.

use super::solids::{Solid, SolidList};
use crate::render::Gpu;
use crate::render::passes::overlay::OVERLAY_FORMAT;
use crate::render::scene::canvas::{Attachment, attachment};
use crate::render::scene::formats::{DEPTH_FORMAT, DEPTH_SAMPLES as SAMPLES};
use crate::render::scene::recording::Recording;
use crate::render::scene::split_pass::Start;

/// The textures for pictures of one size, and the solids.
pub struct SolidLayer {
    size: [u32; 2],
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
    pub solids: wgpu::Buffer,
    /// Numbers of octahedra and balls in the buffer, in this order.
    pub counts: [u32; 2],
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

    /// Begins a pass that draws depth only: the mesh, which hides bones.
    pub fn begin_depth<'r>(
        &self,
        record: &'r mut Recording<'_>,
        start: Start,
    ) -> wgpu::RenderPass<'r> {
        let (_, load) = start.loads();
        record.picture_pass(
            "depth of the mesh before bones",
            wgpu::RenderPassDescriptor {
                depth_stencil_attachment: Some(self.depth_attachment(load)),
                ..Default::default()
            },
        )
    }

    /// Begins the pass that draws the bones on the overlay, which is cleared.
    pub fn begin<'r>(
        &self,
        record: &'r mut Recording<'_>,
        overlay: &wgpu::TextureView,
    ) -> wgpu::RenderPass<'r> {
        let depth = if self.hidden { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(0.0) };
        let color = wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT);
        record.picture_pass(
            "bones",
            wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &self.color,
                    depth_slice: None,
                    resolve_target: Some(overlay),
                    ops: wgpu::Operations { load: color, store: wgpu::StoreOp::Store },
                })],
                depth_stencil_attachment: Some(self.depth_attachment(depth)),
                ..Default::default()
            },
        )
    }

    fn depth_attachment(
        &self,
        load: wgpu::LoadOp<f32>,
    ) -> wgpu::RenderPassDepthStencilAttachment<'_> {
        wgpu::RenderPassDepthStencilAttachment {
            view: &self.depth,
            depth_ops: Some(wgpu::Operations { load, store: wgpu::StoreOp::Store }),
            stencil_ops: None,
        }
    }
}
