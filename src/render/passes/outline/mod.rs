//! Outlines the selected mesh: its node is drawn on a mask by the pipelines of the alpha pass, and a line around the
//! mask is drawn on the overlay. Other nodes do not hide it.

pub mod mask;

use self::mask::{OutlineMask, OutlinedDraw, mask_layout};
use super::mesh::{PipelineKey, Pipelines};
use super::overlay::OVERLAY_FORMAT;
use crate::look::{Look, Pass};
use crate::render::scene::plan::Batch;
use crate::render::scene::prepared_frame::PreparedFrame;
use crate::render::scene::recording::Recording;
use crate::render::scene::split_pass::{Pieces, Start};
use crate::render::{Gpu, shader};

/// The pipeline of the line around the mask.
pub struct Outline {
    pipeline: wgpu::RenderPipeline,
}

/// Returns the key of a draw on the mask.
pub fn key(prepared: &PreparedFrame<'_>, draw: usize) -> PipelineKey {
    let look = Look { pass: Pass::Alpha, ..Look::default() };
    let planned = &prepared.scene.plan.draws[draw];
    let key = PipelineKey::new(planned, &look, prepared.features, prepared.mirrors, 1);
    if prepared.scene.has_rectangles(draw) { key.rectangles() } else { key }
}

/// Draws the mask. The pipelines must have been built.
pub fn draw_mask(record: &mut Recording<'_>, meshes: &Pipelines, prepared: &PreparedFrame<'_>) {
    let Some(mask) = prepared.outline else { return };
    let begin = |record: &mut Recording<'_>, start| begin(record, mask, start).forget_lifetime();
    let mut pass = Pieces::new(record, &begin);
    pass.set_bind_group(0, &prepared.scene.frame, &[]);
    if let Some(nothing) = prepared.nothing_behind {
        pass.set_bind_group(3, nothing, &[]);
    }
    for OutlinedDraw { draw, instances } in prepared.outlined {
        if let Some(pipeline) = meshes.get(key(prepared, *draw)) {
            pass.set_pipeline(pipeline);
            let batch = Batch { draw: *draw, stages: 0..1, instances: instances.clone() };
            prepared.scene.draw(&mut pass, prepared.frame.gpu_model, &batch, None);
        }
    }
}

fn begin<'r>(
    record: &'r mut Recording<'_>,
    mask: &OutlineMask,
    start: Start,
) -> wgpu::RenderPass<'r> {
    let (color, depth) = start.loads();
    record.picture_pass(
        "outline",
        wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &mask.color,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: color, store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &mask.depth,
                depth_ops: Some(wgpu::Operations { load: depth, store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        },
    )
}

impl Outline {
    /// Builds the pipeline.
    pub fn new(gpu: &Gpu, frame_layout: &wgpu::BindGroupLayout) -> Self {
        let label = Some("outline");
        let source = wgpu::ShaderSource::Wgsl(shader::outline().into());
        let module =
            gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(frame_layout), Some(&mask_layout(gpu))],
            immediate_size: 0,
        });
        let pipeline = gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs_outline"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fs_outline"),
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

    /// Draws the line on the overlay. `frame` is group 0, `part` the part of the picture that the node is in: left,
    /// top, width and height.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &wgpu::BindGroup,
        mask: &OutlineMask,
        [left, top, width, height]: [u32; 4],
    ) {
        pass.set_scissor_rect(left, top, width, height);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, &mask.input, &[]);
        pass.draw(0..3, 0..1);
        let [width, height] = mask.size;
        pass.set_scissor_rect(0, 0, width, height);
    }
}
