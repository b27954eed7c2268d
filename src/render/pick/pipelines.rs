//! The pipelines that draw numbers. Their keys follow those of the picture's pipelines: what a pass culls and cuts
//! is culled and cut here.

use std::collections::HashMap;

use super::target::FORMAT;
use crate::look::{Look, Pass};
use crate::model::Topology;
use crate::render::passes::mesh_pipelines::{vertex_entry, with_vertex_buffers};
use crate::render::scene::bind_layouts::{BindLayouts, material_layout};
use crate::render::scene::canvas::depth_test;
use crate::render::scene::features::Features;
use crate::render::scene::plan::Draw;
use crate::render::{Gpu, shader};

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PickKey {
    topology: Topology,
    /// Influence sets per vertex.
    sets: usize,
    /// Whether back faces are culled.
    culls: bool,
    /// The features of the shader that leaves out fragments; `None` if it leaves out none.
    cuts: Option<Features>,
    /// Whether fragments without alpha are left out.
    fades: bool,
}

impl PickKey {
    /// Returns the key of a draw. `mirrors` is whether a pose may have mirrored it.
    pub fn new(draw: &Draw, look: &Look, features: Features, mirrors: bool) -> Self {
        // These passes show every triangle whole and from both sides.
        let whole = matches!(look.pass, Pass::Mask | Pass::Faces);
        let one_sided = !draw.double_sided && draw.topology == Topology::Triangles && !whole;
        let fades = draw.blended && look.pass.blends();
        let cuts = (draw.masked && !whole) || (one_sided && mirrors) || fades;
        Self {
            topology: draw.topology,
            sets: draw.sets,
            culls: one_sided && !mirrors,
            cuts: cuts.then_some(features),
            fades,
        }
    }
}

/// The pipelines built so far.
#[derive(Default)]
pub struct PickPipelines {
    /// By features; `None` for surfaces that are drawn whole.
    shared: HashMap<Option<Features>, Shared>,
    built: HashMap<PickKey, wgpu::RenderPipeline>,
}

/// Objects that the pipelines of the same features share.
struct Shared {
    layout: wgpu::PipelineLayout,
    module: wgpu::ShaderModule,
}

impl PickPipelines {
    /// Builds the pipelines of these keys that are not there yet. Drops those of other features, which would
    /// accumulate from model to model.
    pub fn build(
        &mut self,
        gpu: &Gpu,
        layouts: &BindLayouts,
        numbers: &wgpu::BindGroupLayout,
        keys: impl Iterator<Item = PickKey> + Clone,
    ) {
        let features = keys.clone().find_map(|key| key.cuts);
        if let Some(features) = features {
            self.shared.retain(|cuts, _| cuts.is_none_or(|cuts| cuts == features));
            self.built.retain(|key, _| key.cuts.is_none_or(|cuts| cuts == features));
        }
        for key in keys {
            let shared = self
                .shared
                .entry(key.cuts)
                .or_insert_with(|| Shared::new(gpu, layouts, numbers, key.cuts));
            self.built.entry(key).or_insert_with(|| build(gpu, shared, key));
        }
    }

    /// Returns a pipeline if it has been built.
    pub fn get(&self, key: PickKey) -> Option<&wgpu::RenderPipeline> {
        self.built.get(&key)
    }
}

impl Shared {
    fn new(
        gpu: &Gpu,
        layouts: &BindLayouts,
        numbers: &wgpu::BindGroupLayout,
        cuts: Option<Features>,
    ) -> Self {
        let material = cuts.map(|features| material_layout(&gpu.device, features));
        let groups = [Some(&layouts.frame), material.as_ref(), Some(&layouts.draw), Some(numbers)];
        let source = shader::pick(cuts.unwrap_or_default(), layouts.bound_joints);
        Self { layout: gpu.pipeline_layout("pick", &groups), module: gpu.shader("pick", source) }
    }
}

fn build(gpu: &Gpu, shared: &Shared, key: PickKey) -> wgpu::RenderPipeline {
    let Shared { layout, module } = shared;
    let vertex = vertex_entry("pick", key.sets);
    let flag = |set| f64::from(u8::from(set));
    let constants =
        [("has_faces", flag(key.topology == Topology::Triangles)), ("fades", flag(key.fades))];
    let (fragment, constants) = match key.cuts {
        None => ("fs_pick", &[][..]),
        Some(_) => ("fs_cut_pick", &constants[..]),
    };
    with_vertex_buffers(key.sets, |buffers| {
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(&format!("pick {:?}: {vertex}", key.topology)),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(&vertex),
                compilation_options: Default::default(),
                buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: match key.topology {
                    Topology::Points => wgpu::PrimitiveTopology::PointList,
                    Topology::Lines => wgpu::PrimitiveTopology::LineList,
                    Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
                },
                cull_mode: key.culls.then_some(wgpu::Face::Back),
                ..Default::default()
            },
            depth_stencil: Some(depth_test(wgpu::CompareFunction::Greater, true)),
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(fragment),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants,
                    ..Default::default()
                },
                targets: &[Some(FORMAT.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    })
}
