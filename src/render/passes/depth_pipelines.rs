//! Pipelines that draw the shape of a model without shading it: its depth as seen from the key light, and
//! depth and normals as seen from the camera. Vertices are posed as for the picture, so skinned and morphed meshes
//! have the shape of their pose.

use std::collections::HashMap;

use super::mesh_pipelines::{vertex_entry, with_vertex_buffers};
use crate::model::Topology;
use crate::render::scene::bind_layouts::{BindLayouts, material_layout};
use crate::render::scene::canvas::depth_test;
use crate::render::scene::features::{Features, RecentFeatures};
use crate::render::scene::frame_recorder::SplitPass;
use crate::render::scene::plan::{Batch, Draw, Phase};
use crate::render::scene::shared_frame::SharedFrame;
use crate::render::{Gpu, shader};

/// Format of the distances and normals that ambient occlusion is computed from. Every adapter that draws light can draw
/// on it.
pub const SHAPE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

const SHAPE_TARGETS: [Option<wgpu::ColorTargetState>; 1] = [Some(wgpu::ColorTargetState {
    format: SHAPE_FORMAT,
    blend: None,
    write_mask: wgpu::ColorWrites::ALL,
})];

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
    whole: Option<Shared>,
    /// For the others, by the features of models that were drawn recently.
    cut: HashMap<Features, Shared>,
    recent: RecentFeatures,
    built: HashMap<DepthKey, wgpu::RenderPipeline>,
    requested: Vec<DepthKey>,
}

/// Objects that the pipelines of the same features share.
struct Shared {
    layout: wgpu::PipelineLayout,
    module: wgpu::ShaderModule,
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
            let Shared { layout, module } = self.shared(gpu, layouts, key.cuts);
            let pipeline = build(gpu, layout, module, key);
            self.built.insert(key, pipeline);
        }
    }

    /// Returns the shader for a key's features. Those that no recent model had are dropped with their pipelines, which
    /// would otherwise accumulate.
    fn shared(&mut self, gpu: &Gpu, layouts: &BindLayouts, cuts: Option<Features>) -> &Shared {
        let Self { whole, cut, recent, built, .. } = self;
        let features = cuts.unwrap_or_default();
        let make = || {
            let material = material_layout(&gpu.device, features);
            let groups = [Some(&layouts.frame), Some(&material), Some(&layouts.draw)];
            let groups = if cuts.is_some() { groups } else { [groups[0], None, groups[2]] };
            let source = match cuts {
                None => shader::shape(layouts.bound_joints),
                Some(features) => shader::cut_shape(features, layouts.bound_joints),
            };
            Shared {
                layout: gpu.pipeline_layout("shape", &groups),
                module: gpu.shader("shape", source),
            }
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

fn build(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    key: DepthKey,
) -> wgpu::RenderPipeline {
    let entry = vertex_entry(if key.cuts.is_some() { "cut" } else { "shape" }, key.sets);
    let label = format!("{:?}: {entry}", key.purpose);
    let (targets, compare, slope_scale) = match key.purpose {
        // Without a bias, faces at a steep angle to the light shadow themselves.
        DepthUse::Shadow => (&[][..], wgpu::CompareFunction::Less, 1.0),
        DepthUse::Depth => (&[][..], wgpu::CompareFunction::Greater, 0.0),
        DepthUse::Occlusion => (&SHAPE_TARGETS[..], wgpu::CompareFunction::Greater, 0.0),
    };
    with_vertex_buffers(key.sets, |buffers| {
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(&label),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(&entry),
                compilation_options: Default::default(),
                buffers,
            },
            primitive: wgpu::PrimitiveState {
                cull_mode: key.culls.then_some(wgpu::Face::Back),
                ..Default::default()
            },
            depth_stencil: Some(wgpu::DepthStencilState {
                bias: wgpu::DepthBiasState { constant: 0, slope_scale, clamp: 0.0 },
                ..depth_test(compare, true)
            }),
            multisample: wgpu::MultisampleState {
                count: if key.purpose == DepthUse::Depth { DEPTH_SAMPLES } else { 1 },
                ..Default::default()
            },
            fragment: key.fragment_entry().map(|entry| wgpu::FragmentState {
                module,
                entry_point: Some(entry),
                compilation_options: Default::default(),
                targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    })
}
