//! Pipelines that draw the shape of a model without shading it: its depth as seen from the key light, and
//! depth and normals as seen from the camera. Vertices are posed as for the picture, so skinned and morphed meshes
//! have the shape of their pose.

use std::collections::HashMap;

use super::mesh_pipelines::{vertex_entry, with_vertex_buffers};
use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::{BindLayouts, material_layout};
use crate::scene::canvas::depth_test;
use crate::scene::features::{Features, RecentFeatures};
use crate::scene::frame_recorder::SplitPass;
use crate::scene::plan::{Batch, Draw, Phase};
use crate::scene::shared_frame::SharedFrame;
use crate::{Gpu, shader};
use rigview_model::Topology;

/// Format of the distances and normals that ambient occlusion is computed from. Every adapter that draws light can draw
/// on it.
pub const SHAPE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// Samples per pixel of [`DepthUse::Depth`].
pub const DEPTH_SAMPLES: u32 = 4;

/// What depths are drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthUse {
    /// The shadow map. Blended and transmissive surfaces leave out texels in a regular pattern.
    Shadow,
    /// The depth and the geometric normals of what the camera sees.
    Occlusion,
    /// The depth of what the camera sees, on textures of [`DEPTH_SAMPLES`] samples per pixel.
    Depth,
}

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthKey {
    purpose: DepthUse,
    /// Influence sets per vertex.
    sets: usize,
    /// Whether faces are culled whose back is seen.
    culls: bool,
    /// The features of the shader that leaves out fragments; `None` if it leaves out none.
    cuts: Option<Features>,
}

impl DepthKey {
    fn new(purpose: DepthUse, draw: &Draw, shared: &SharedFrame<'_>) -> Self {
        let one_sided = !draw.double_sided;
        let partial = purpose == DepthUse::Shadow && draw.phase != Phase::Opaque;
        // Where a pose may mirror parts, the shader discards backs.
        let cuts = draw.masked || partial || (one_sided && shared.mirrors);
        Self {
            purpose,
            sets: draw.sets,
            culls: one_sided && !shared.mirrors,
            cuts: cuts.then_some(shared.features),
        }
    }

    fn fragment_entry(self) -> Option<&'static str> {
        match (self.purpose, self.cuts) {
            (DepthUse::Shadow, None) => None,
            (DepthUse::Shadow, Some(_)) => Some("fs_caster"),
            (DepthUse::Depth, None) => None,
            (DepthUse::Depth, Some(_)) => Some("fs_cut_depth"),
            (DepthUse::Occlusion, None) => Some("fs_shape"),
            (DepthUse::Occlusion, Some(_)) => Some("fs_cut_shape"),
        }
    }
}

/// The pipelines built so far, and the keys of those that the frame needs too.
#[derive(Default)]
pub struct DepthPipelines {
    /// For surfaces that are drawn whole.
    whole: Option<Shader>,
    /// For the others, by the features of models that were drawn recently.
    cut: HashMap<Features, Shader>,
    recent: RecentFeatures,
    built: HashMap<DepthKey, wgpu::RenderPipeline>,
    requested: Vec<DepthKey>,
}

impl DepthPipelines {
    /// Requests the pipelines that the frame needs for a purpose.
    pub fn request(&mut self, purpose: DepthUse, shared: &SharedFrame<'_>) {
        for (_, draw) in shaped(purpose, shared) {
            let key = DepthKey::new(purpose, draw, shared);
            if !self.built.contains_key(&key) && !self.requested.contains(&key) {
                self.requested.push(key);
            }
        }
    }

    /// Builds the requested pipelines, which belong to one model.
    pub fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        for key in std::mem::take(&mut self.requested) {
            let pipeline = build(gpu, self.shader(gpu, layouts, key.cuts), key);
            self.built.insert(key, pipeline);
        }
    }

    /// Returns the shader for a key's features. Those that no recent model had are dropped with their pipelines, which
    /// would otherwise accumulate.
    fn shader(&mut self, gpu: &Gpu, layouts: &BindLayouts, cuts: Option<Features>) -> &Shader {
        let Self { whole, cut, recent, built, .. } = self;
        let features = cuts.unwrap_or_default();
        let make = || {
            let material = material_layout(gpu, features);
            let groups = [Some(&layouts.frame), Some(&material), Some(&layouts.draw)];
            let groups = if cuts.is_some() { groups } else { [groups[0], None, groups[2]] };
            let source = match cuts {
                None => shader::shape(layouts.bound_joints),
                Some(features) => shader::cut_shape(features, layouts.bound_joints),
            };
            Shader::new(gpu, "shape", source, &groups)
        };
        if cuts.is_none() {
            return whole.get_or_insert_with(make);
        }
        recent.put_first(features);
        cut.retain(|features, _| recent.contains(features));
        built.retain(|key, _| key.cuts.is_none_or(|features| recent.contains(&features)));
        cut.entry(features).or_insert_with(make)
    }

    /// Draws what was requested for a purpose. The pipelines must have been built, and group 0 be bound.
    pub fn draw<'a>(
        &'a self,
        pass: &mut SplitPass<'a, '_, '_>,
        purpose: DepthUse,
        shared: &SharedFrame<'a>,
    ) {
        let (scene, gpu_model) = (shared.scene, shared.frame.gpu_model);
        for (i, draw) in shaped(purpose, shared) {
            if let Some(pipeline) = self.built.get(&DepthKey::new(purpose, draw, shared)) {
                pass.set_pipeline(pipeline);
                let batch = Batch::whole(i, 0..scene.stages());
                scene.draw(pass, gpu_model, &batch, None);
            }
        }
    }
}

/// Returns the draws of triangles with their indices. For what the camera sees, blended and transmissive ones are left
/// out if the picture shows what is behind them.
fn shaped<'a>(
    purpose: DepthUse,
    shared: &SharedFrame<'a>,
) -> impl Iterator<Item = (usize, &'a Draw)> + use<'a> {
    let plan = &shared.scene.plan;
    let seen_through = purpose != DepthUse::Shadow && shared.frame.look.pass.blends();
    let end = if seen_through { plan.first_transmissive } else { plan.draws.len() };
    let draws = plan.draws[..end].iter().enumerate();
    draws.filter(|(_, draw)| draw.topology == Topology::Triangles)
}

fn build(gpu: &Gpu, shader: &Shader, key: DepthKey) -> wgpu::RenderPipeline {
    let entry = vertex_entry(key.sets);
    let kind = if key.cuts.is_some() { "cut" } else { "whole" };
    let label = format!("{:?} of {kind} surfaces: {entry}", key.purpose);
    let (format, compare, slope_scale) = match key.purpose {
        // Without a bias, faces at a steep angle to the light shadow themselves.
        DepthUse::Shadow => (None, wgpu::CompareFunction::Less, 1.0),
        DepthUse::Depth => (None, wgpu::CompareFunction::Greater, 0.0),
        DepthUse::Occlusion => (Some(SHAPE_FORMAT), wgpu::CompareFunction::Greater, 0.0),
    };
    with_vertex_buffers(key.sets, |buffers| {
        Pipeline {
            fragment: key.fragment_entry(),
            buffers,
            culls: key.culls,
            depth: Some(wgpu::DepthStencilState {
                bias: wgpu::DepthBiasState { constant: 0, slope_scale, clamp: 0.0 },
                ..depth_test(compare, true)
            }),
            samples: if key.purpose == DepthUse::Depth { DEPTH_SAMPLES } else { 1 },
            format,
            ..Pipeline::new(shader, &label, [entry, ""], SHAPE_FORMAT)
        }
        .build(gpu)
    })
}
