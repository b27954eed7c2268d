//! Joints, bones and lines, drawn on a layer of their own that the last pass lays over the picture: so they
//! are readable through the mesh and leave its colours alone.

use super::offsets::BONE_BYTES;
use super::recording::Recording;
use super::{Gpu, shader};

/// The layer's format: premultiplied, encoded.
pub const OVERLAY_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// The pipeline of the overlay.
pub struct Skeleton {
    pipeline: wgpu::RenderPipeline,
}

impl Skeleton {
    /// Builds it.
    pub fn new(gpu: &Gpu, frame_layout: &wgpu::BindGroupLayout) -> Self {
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("skeleton"),
            source: wgpu::ShaderSource::Wgsl(shader::skeleton().into()),
        });
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("skeleton"),
            bind_group_layouts: &[Some(frame_layout)],
            immediate_size: 0,
        });
        let attributes = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4];
        let bones = wgpu::VertexBufferLayout {
            array_stride: BONE_BYTES,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &attributes,
        };
        let pipeline = gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("skeleton"),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs_bone"),
                compilation_options: Default::default(),
                buffers: &[Some(bones)],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                ..Default::default()
            },
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fs_bone"),
                compilation_options: Default::default(),
                targets: &[Some(wgpu::ColorTargetState {
                    format: OVERLAY_FORMAT,
                    blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        });
        Self { pipeline }
    }

    /// Clears the layer and draws `count` lines, discs and bones, whose ends begin at `start` of `bones`.
    pub fn draw(
        &self,
        record: &mut Recording<'_>,
        frame: &wgpu::BindGroup,
        (bones, start, count): (&wgpu::Buffer, u64, u32),
        overlay: &wgpu::TextureView,
    ) {
        let mut pass = record.pass(
            "skeleton",
            wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: overlay,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            },
        );
        if count > 0 {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, frame, &[]);
            pass.set_vertex_buffer(0, bones.slice(start..));
            pass.draw(0..4, 0..count);
        }
    }
}
