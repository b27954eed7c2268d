//! The pipelines that draw numbers. Their keys follow those of the picture's pipelines: what a pass culls and cuts
//! is culled and cut here.

use std::collections::HashMap;

use super::target::FORMAT;
use crate::device::pipeline::{Pipeline, Shader, flag};
use crate::passes::mesh_pipelines::{primitive_topology, vertex_entry, with_vertex_buffers};
use crate::scene::bind_layouts::{BindLayouts, material_layout};
use crate::scene::canvas::depth_test;
use crate::scene::features::Features;
use crate::scene::plan::Draw;
use crate::{Gpu, shader};
use rigview_look::{Look, Pass};
use rigview_model::Topology;

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
    shaders: HashMap<Option<Features>, Shader>,
    built: HashMap<PickKey, wgpu::RenderPipeline>,
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
            self.shaders.retain(|cuts, _| cuts.is_none_or(|cuts| cuts == features));
            self.built.retain(|key, _| key.cuts.is_none_or(|cuts| cuts == features));
        }
        for key in keys {
            let shader = self.shaders.entry(key.cuts);
            let shader = shader.or_insert_with(|| pick_shader(gpu, layouts, numbers, key.cuts));
            self.built.entry(key).or_insert_with(|| build(gpu, shader, key));
        }
    }

    /// Returns a pipeline if it has been built.
    pub fn get(&self, key: PickKey) -> Option<&wgpu::RenderPipeline> {
        self.built.get(&key)
    }
}

fn pick_shader(
    gpu: &Gpu,
    layouts: &BindLayouts,
    numbers: &wgpu::BindGroupLayout,
    cuts: Option<Features>,
) -> Shader {
    let material = cuts.map(|features| material_layout(gpu, features));
    let groups = [Some(&layouts.frame), material.as_ref(), Some(&layouts.draw), Some(numbers)];
    let source = shader::pick(cuts.unwrap_or_default(), layouts.bound_joints);
    Shader::new(gpu, "pick", source, &groups)
}

fn build(gpu: &Gpu, shader: &Shader, key: PickKey) -> wgpu::RenderPipeline {
    let vertex = vertex_entry(key.sets);
    let label = format!("pick {:?}: {vertex}", key.topology);
    let constants =
        [("has_faces", flag(key.topology == Topology::Triangles)), ("fades", flag(key.fades))];
    let (fragment, constants) = match key.cuts {
        None => ("fs_pick", &[][..]),
        Some(_) => ("fs_cut_pick", &constants[..]),
    };
    with_vertex_buffers(key.sets, |buffers| {
        Pipeline {
            constants: [&[], constants],
            buffers,
            topology: primitive_topology(key.topology),
            culls: key.culls,
            depth: Some(depth_test(wgpu::CompareFunction::Greater, true)),
            ..Pipeline::new(shader, &label, [vertex, fragment], FORMAT)
        }
        .build(gpu)
    })
}
