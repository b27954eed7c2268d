//! The mask of the selected node's outline: its textures, and what is drawn on them.

use std::ops::Range;

use crate::look::Pass;
use crate::model::{Model, Stage};
use crate::render::Gpu;
use crate::render::scene::bind_layouts::{sampler, texture};
use crate::render::scene::canvas::{Attachment, attachment};
use crate::render::scene::formats::{DEPTH_FORMAT, scene_format};
use crate::render::scene::plan::Plan;

/// The mask of pictures of one size.
pub struct OutlineMask {
    pub size: [u32; 2],
    pub color: wgpu::TextureView,
    pub depth: wgpu::TextureView,
    /// Group 1 of the outline's pipeline.
    pub input: wgpu::BindGroup,
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
pub fn draws_of(plan: &Plan, model: &Model, stage: &Stage, node: usize) -> Vec<OutlinedDraw> {
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

impl OutlineMask {
    /// Allocates the mask.
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Self {
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let make = |label, format, usage| {
            attachment(gpu, &Attachment { label, size, format, samples: 1, usage })
        };
        let read = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let color = make("mask of the outline", scene_format(Pass::Alpha), read);
        let smooth = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("mask of the outline"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let input = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("mask of the outline"),
            layout: &mask_layout(gpu),
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::TextureView(&color),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::Sampler(&smooth),
                },
            ],
        });
        Self { size, color, depth: make("depth of the outline", DEPTH_FORMAT, drawn), input }
    }

    /// Whether it has this size.
    pub fn fits(&self, size: [u32; 2]) -> bool {
        self.size == size
    }
}

/// Returns the layout of that group.
pub fn mask_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let fragment = wgpu::ShaderStages::FRAGMENT;
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("mask of the outline"),
        entries: &[texture(0, fragment, true), sampler(1, wgpu::SamplerBindingType::Filtering)],
    })
}

/// Returns the distance in pixels that the outline reaches from the mask, for a number of pixels per point. It is
/// that of `shaders/outline.wgsl`, rounded up.
pub fn reach(pixels_per_point: f32) -> u32 {
    (2.6 * pixels_per_point).ceil() as u32 + 1
}
