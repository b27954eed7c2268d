//! The outline of the selected mesh: its node is drawn on a mask by the pipelines of the alpha pass, and a line around
//! the mask is drawn on the overlay. Other nodes do not hide it.

use std::ops::Range;

use glam::Mat4;

use super::mesh_pipelines::MeshKey;
use super::occlusion::part_of;
use super::overlay::OVERLAY_FORMAT;
use super::pass::{Drawing, FramePass, Setup};
use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::{BindLayouts, bind_sampled, sampler, texture};
use crate::scene::canvas::{Attachment, DEPTH_FORMAT, attachment, scene_format};
use crate::scene::frame_recorder::{FrameRecorder, SplitPass, Start, color, depth};
use crate::scene::plan::{Batch, Plan};
use crate::scene::shared_frame::SharedFrame;
use crate::scene::uniforms::FrameUniform;
use crate::{Gpu, shader};
use rigview_look::{Look, Pass};
use rigview_model::{Model, Stage};

/// The outline of the selected node's mesh.
#[derive(Default)]
pub struct Outline {
    /// The draws of the selected node; empty if none is selected, or one without a mesh.
    draws: Vec<OutlinedDraw>,
    /// `None` without draws.
    mask: Option<Mask>,
    /// Draws the line around the mask.
    pipeline: Option<wgpu::RenderPipeline>,
}

/// A draw of the outlined node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedDraw {
    /// Index of the draw.
    pub draw: usize,
    /// The node's instances among those of a rigid draw that are visible.
    pub instances: Option<Range<u32>>,
}

/// Returns the draws of a visible node in the first stage of a plan. Empty for a node without a mesh.
fn draws_of(plan: &Plan, model: &Model, stage: &Stage, node: usize) -> Vec<OutlinedDraw> {
    let mesh = model.nodes.get(node).and_then(|node| node.mesh);
    let shown = stage.nodes.contains(&node) && stage.visible[node];
    let Some(mesh) = mesh.filter(|_| shown) else { return Vec::new() };
    let draws = plan.draws.iter().enumerate().filter(|(_, draw)| draw.mesh == mesh);
    let own = draws.filter_map(|(i, draw)| {
        if draw.sets > 0 {
            return (draw.node == node).then_some(OutlinedDraw { draw: i, instances: None });
        }
        let placed = plan.instances[draw.instances.clone()].iter();
        let mut visible = (0u32..).zip(placed.filter(|placed| stage.visible[placed.node]));
        let first = visible.find(|(_, placed)| placed.node == node)?.0;
        let more = visible.take_while(|(_, placed)| placed.node == node).count() as u32;
        Some(OutlinedDraw { draw: i, instances: Some(first..first + 1 + more) })
    });
    own.collect()
}

/// The mask of pictures of one size.
struct Mask {
    size: [u32; 2],
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
    /// Group 1 of the line's pipeline.
    input: wgpu::BindGroup,
    /// The part of the picture that the outline is in: left, top, width and height.
    part: [u32; 4],
}

impl Outline {
    /// Returns the draws of the selected node.
    pub fn draws(&self) -> &[OutlinedDraw] {
        &self.draws
    }

    /// Whether there is an outline.
    pub fn is_shown(&self) -> bool {
        self.mask.is_some()
    }
}

impl FramePass for Outline {
    type Needs<'a> = ();

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, (): ()) {
        let Setup { shared, camera, pipelines } = setup;
        let (frame, size) = (&shared.frame, shared.target.size());
        let node = frame.look.highlight.node.filter(|_| frame.look.takes_overlays());
        let draws = node.map(|node| draws_of(&shared.scene.plan, frame.model, frame.stage, node));
        self.draws = draws.unwrap_or_default();
        self.mask.take_if(|mask| self.draws.is_empty() || mask.size != size);
        if self.draws.is_empty() {
            return;
        }
        let mask = self.mask.get_or_insert_with(|| Mask::new(shared.gpu, size));
        mask.part = outlined_part(shared, camera);
        for OutlinedDraw { draw, .. } in &self.draws {
            pipelines.meshes.request(mask_key(shared, *draw));
        }
    }

    fn free(&mut self) {
        self.mask = None;
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        if self.mask.is_some() {
            self.pipeline.get_or_insert_with(|| build(gpu, layouts));
        }
    }

    /// Draws the mask.
    fn record(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let Some(mask) = &self.mask else { return };
        let Drawing { shared, pipelines, .. } = drawing;
        let begin = |record: &mut FrameRecorder<'_>, start| mask.begin(record, start);
        let mut pass = SplitPass::new(record, &begin);
        pass.set_bind_group(0, drawing.camera, &[]);
        pipelines.meshes.bind_no_copy(&mut pass, shared);
        for OutlinedDraw { draw, instances } in &self.draws {
            if let Some(pipeline) = pipelines.meshes.get(mask_key(shared, *draw)) {
                pass.set_pipeline(pipeline);
                let batch = Batch { draw: *draw, stages: 0..1, instances: instances.clone() };
                shared.scene.draw(&mut pass, shared.frame.gpu_model, &batch, None);
            }
        }
    }

    /// Draws the line.
    fn draw_on_overlay(&self, pass: &mut wgpu::RenderPass<'_>) {
        let Some((mask, pipeline)) = self.mask.as_ref().zip(self.pipeline.as_ref()) else { return };
        let [left, top, width, height] = mask.part;
        pass.set_scissor_rect(left, top, width, height);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(1, &mask.input, &[]);
        pass.draw(0..3, 0..1);
        let [width, height] = mask.size;
        pass.set_scissor_rect(0, 0, width, height);
    }
}

/// Returns the key of a draw on the mask.
fn mask_key(shared: &SharedFrame<'_>, draw: usize) -> MeshKey {
    MeshKey::new(shared, draw, &Look { pass: Pass::Alpha, ..Look::default() }, 1)
}

/// Returns the part of the target that the selected node's outline is in.
fn outlined_part(shared: &SharedFrame<'_>, camera: &FrameUniform) -> [u32; 4] {
    let [width, height] = shared.target.size();
    let whole = [0, 0, width, height];
    let node = shared.frame.look.highlight.node.filter(|_| shared.target.part.is_none());
    let Some(node) = node else { return whole };
    let bounds = shared.frame.stage.node_bounds(shared.frame.model, node);
    let projection = Mat4::from_cols_array_2d(&camera.projection_from_world);
    let [left, top, across, down] = part_of(&[bounds], &projection, [width, height]);
    let room = reach(shared.frame.look.overlay_scale);
    let (right, bottom) = ((left + across + room).min(width), (top + down + room).min(height));
    let (left, top) = (left.saturating_sub(room), top.saturating_sub(room));
    [left, top, right - left, bottom - top]
}

impl Mask {
    fn new(gpu: &Gpu, size: [u32; 2]) -> Self {
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let make = |label, format, usage| {
            attachment(gpu, &Attachment { label, size, format, samples: 1, usage })
        };
        let read = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let label = "mask of the outline";
        let color = make(label, scene_format(Pass::Alpha), read);
        let smooth = gpu.smooth_sampler(label, wgpu::MipmapFilterMode::Nearest);
        let input = bind_sampled(gpu, &mask_layout(gpu), &color, &smooth);
        let depth = make("depth of the outline", DEPTH_FORMAT, drawn);
        Self { size, color, depth, input, part: [0; 4] }
    }

    fn begin(&self, record: &mut FrameRecorder<'_>, start: Start) -> wgpu::RenderPass<'static> {
        let (load, depth_load) = start.loads();
        let descriptor = wgpu::RenderPassDescriptor {
            color_attachments: &[color(&self.color, load)],
            depth_stencil_attachment: depth(&self.depth, depth_load),
            ..Default::default()
        };
        record.picture_pass("outline", descriptor).forget_lifetime()
    }
}

fn build(gpu: &Gpu, layouts: &BindLayouts) -> wgpu::RenderPipeline {
    let groups = [Some(&layouts.frame), Some(&mask_layout(gpu))];
    let shader = Shader::new(gpu, "outline", shader::outline(), &groups);
    Pipeline {
        blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        ..Pipeline::new(&shader, "outline", ["vs_outline", "fs_outline"], OVERLAY_FORMAT)
    }
    .build(gpu)
}

fn mask_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let sampler = sampler(1, wgpu::SamplerBindingType::Filtering);
    let texture = texture(0, wgpu::ShaderStages::FRAGMENT, true);
    gpu.bind_layout("mask of the outline", &[texture, sampler])
}

/// Returns the distance in pixels that the outline reaches from the mask, for a number of pixels per point. It is
/// that of `shaders/outline.wgsl`, rounded up.
fn reach(pixels_per_point: f32) -> u32 {
    (2.6 * pixels_per_point).ceil() as u32 + 1
}
