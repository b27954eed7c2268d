//! The textures that ghosts are drawn on, and their colours.

use crate::look::{Ghost, Pass};
use crate::render::Gpu;
use crate::render::passes::overlay::OVERLAY_FORMAT;
use crate::render::scene::bind_layouts::{texture, uniform};
use crate::render::scene::canvas::{Attachment, attachment};
use crate::render::scene::formats::{DEPTH_FORMAT, scene_format};
use crate::render::scene::recording::Recording;
use crate::render::scene::split_pass::Start;
use crate::render::scene::uniforms::UNIFORM_ALIGNMENT;

/// The textures for pictures of one size and this many ghosts.
pub struct GhostLayer {
    size: [u32; 2],
    samples: u32,
    count: usize,
    normals: wgpu::TextureView,
    /// Target of the multisample resolve.
    resolved: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    layer: wgpu::TextureView,
    colors: wgpu::Buffer,
    /// Group 1 of the pipeline of one ghost.
    pub one: wgpu::BindGroup,
    /// Group 1 of the pipeline of the layer.
    pub all: wgpu::BindGroup,
}

/// `Ghost` in `shaders/ghosts.wgsl`: sRGB and opacity.
pub type GhostUniform = [f32; 4];

/// Returns the layout of these groups.
pub fn input_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let fragment = wgpu::ShaderStages::FRAGMENT;
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("ghosts"),
        entries: &[texture(0, fragment, false), uniform::<GhostUniform>(1, fragment, true)],
    })
}

impl GhostLayer {
    /// Allocates the textures, for scenes of this many samples per pixel.
    pub fn new(gpu: &Gpu, size: [u32; 2], samples: u32, count: usize) -> Self {
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let read = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let make = |label, format, samples, usage| {
            attachment(gpu, &Attachment { label, size, format, samples, usage })
        };
        let format = scene_format(Pass::Normal);
        let normals = make("normals of a ghost", format, samples, read);
        let resolved = (samples > 1).then(|| make("resolved normals of a ghost", format, 1, read));
        let layer = make("ghosts", OVERLAY_FORMAT, 1, read);
        let colors = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("colours of ghosts"),
            size: count.max(1) as u64 * UNIFORM_ALIGNMENT,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = input_layout(gpu);
        let bind = |view: &wgpu::TextureView| {
            let color = wgpu::BufferBinding {
                buffer: &colors,
                offset: 0,
                size: wgpu::BufferSize::new(size_of::<GhostUniform>() as u64),
            };
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("ghosts"),
                layout: &layout,
                entries: &[
                    wgpu::BindGroupEntry {
                        binding: 0,
                        resource: wgpu::BindingResource::TextureView(view),
                    },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: wgpu::BindingResource::Buffer(color),
                    },
                ],
            })
        };
        Self {
            one: bind(resolved.as_ref().unwrap_or(&normals)),
            all: bind(&layer),
            depth: make("depth of a ghost", DEPTH_FORMAT, samples, drawn),
            size,
            samples,
            count,
            normals,
            resolved,
            layer,
            colors,
        }
    }

    /// Whether it is of this size, with this many samples and ghosts.
    pub fn fits(&self, size: [u32; 2], samples: u32, count: usize) -> bool {
        (self.size, self.samples, self.count) == (size, samples, count)
    }

    /// Returns the dynamic offset of a ghost's colour.
    pub fn offset(ghost: usize) -> u32 {
        ghost as u32 * UNIFORM_ALIGNMENT as u32
    }

    /// Uploads the colours.
    pub fn write(&self, gpu: &Gpu, ghosts: &[Ghost]) {
        let mut bytes = vec![0; ghosts.len() * UNIFORM_ALIGNMENT as usize];
        for (slot, ghost) in bytes.chunks_exact_mut(UNIFORM_ALIGNMENT as usize).zip(ghosts) {
            let [r, g, b] = ghost.color;
            let uniform: GhostUniform = [r, g, b, ghost.opacity];
            slot[..size_of::<GhostUniform>()].copy_from_slice(bytemuck::bytes_of(&uniform));
        }
        gpu.queue.write_buffer(&self.colors, 0, &bytes);
    }

    /// Begins to draw the normals of one ghost.
    pub fn begin_one<'r>(
        &self,
        record: &'r mut Recording<'_>,
        start: Start,
    ) -> wgpu::RenderPass<'r> {
        let (color, depth) = start.loads();
        record.picture_pass(
            "ghost",
            wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &self.normals,
                    depth_slice: None,
                    resolve_target: self.resolved.as_ref(),
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

    /// Begins to draw on the layer.
    pub fn begin_layer<'r>(
        &self,
        record: &'r mut Recording<'_>,
        load: wgpu::LoadOp<wgpu::Color>,
    ) -> wgpu::RenderPass<'r> {
        record.picture_pass(
            "ghosts",
            wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &self.layer,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
                })],
                ..Default::default()
            },
        )
    }
}
