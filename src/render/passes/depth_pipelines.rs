//! Pipelines that draw the shape of a model without shading it: its depth as seen from the key light, and
//! depth and normals as seen from the camera. The vertex shaders are those of the picture, so skinned and
//! morphed meshes have the shape of their pose.

use std::collections::HashMap;

use super::mesh::{vertex_entry, with_vertex_buffers};
use crate::model::Topology;
use crate::render::scene::bind_layouts::{Layouts, material_layout};
use crate::render::scene::features::{Features, RecentFeatures};
use crate::render::scene::formats;
use crate::render::scene::plan::{Batch, Draw, Phase};
use crate::render::scene::prepared_frame::PreparedFrame;
use crate::render::scene::split_pass::Pieces;
use crate::render::{Gpu, shader};

/// The purpose of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShapeFor {
    /// The shadow map. Blended and transmissive surfaces leave out texels in a regular pattern.
    Shadow,
    /// The depth and the geometric normals of what the camera sees.
    Occlusion,
    /// The depth of what the camera sees, on textures of [`formats::DEPTH_SAMPLES`] samples per pixel.
    Depth,
}

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShapeKey {
    purpose: ShapeFor,
    /// Influence sets per vertex.
    sets: usize,
    /// Whether faces are culled whose back is seen.
    culls: bool,
    /// The features of the shader that leaves out fragments; `None` if it leaves out none.
    cuts: Option<Features>,
}

impl ShapeKey {
    fn new(purpose: ShapeFor, draw: &Draw, prepared: &PreparedFrame<'_>) -> Self {
        let one_sided = !draw.double_sided;
        let partial = purpose == ShapeFor::Shadow && draw.phase != Phase::Opaque;
        // Where a pose may mirror parts, the shader discards backs.
        let cuts = draw.masked || partial || (one_sided && prepared.mirrors);
        Self {
            purpose,
            sets: draw.sets,
            culls: one_sided && !prepared.mirrors,
            cuts: cuts.then_some(prepared.features),
        }
    }

    fn fragment_entry(self) -> Option<&'static str> {
        match (self.purpose, self.cuts) {
            (ShapeFor::Shadow, None) => None,
            (ShapeFor::Shadow, Some(_)) => Some("fs_caster"),
            (ShapeFor::Depth, None) => None,
            (ShapeFor::Depth, Some(_)) => Some("fs_cut_depth"),
            (ShapeFor::Occlusion, None) => Some("fs_shape"),
            (ShapeFor::Occlusion, Some(_)) => Some("fs_cut_shape"),
        }
    }
}

/// The pipelines built so far.
pub struct Shapes {
    /// Layouts of groups 0 and 2.
    frame: wgpu::BindGroupLayout,
    drawn: wgpu::BindGroupLayout,
    bound_joints: usize,
    /// For surfaces that are drawn whole.
    whole: Option<Shared>,
    /// For the others, by the features of models that were drawn recently.
    cut: HashMap<Features, Shared>,
    recent: RecentFeatures,
    pipelines: HashMap<ShapeKey, wgpu::RenderPipeline>,
}

/// Objects that the pipelines of the same features share.
struct Shared {
    layout: wgpu::PipelineLayout,
    module: wgpu::ShaderModule,
}

impl Shapes {
    /// Builds no pipeline yet.
    pub fn new(layouts: &Layouts) -> Self {
        Self {
            frame: layouts.frame.clone(),
            drawn: layouts.draw.clone(),
            bound_joints: layouts.bound_joints,
            whole: None,
            cut: HashMap::new(),
            recent: RecentFeatures::default(),
            pipelines: HashMap::new(),
        }
    }

    /// Returns the keys of the pipelines that the frame needs for a purpose and that are not built yet.
    pub fn missing(&self, purpose: ShapeFor, prepared: &PreparedFrame<'_>) -> Vec<ShapeKey> {
        let mut missing = Vec::new();
        for (_, draw) in shaped(purpose, prepared) {
            let key = ShapeKey::new(purpose, draw, prepared);
            if !self.pipelines.contains_key(&key) && !missing.contains(&key) {
                missing.push(key);
            }
        }
        missing
    }

    /// Builds the pipelines of these keys, which belong to one model.
    pub fn build(&mut self, gpu: &Gpu, keys: Vec<ShapeKey>) {
        for key in keys {
            let shared = self.shared(gpu, key.cuts);
            let pipeline = build(gpu, &shared.layout, &shared.module, key);
            self.pipelines.insert(key, pipeline);
        }
    }

    /// Returns the shader for a key's features. Those that no recent model had are dropped with their pipelines, which
    /// would otherwise accumulate.
    fn shared(&mut self, gpu: &Gpu, cuts: Option<Features>) -> &Shared {
        let Self { frame, drawn, bound_joints, whole, cut, recent, pipelines } = self;
        let features = cuts.unwrap_or_default();
        let make = || {
            let material = material_layout(&gpu.device, features);
            let groups = [Some(&*frame), Some(&material), Some(&*drawn)];
            let groups = if cuts.is_some() { groups } else { [groups[0], None, groups[2]] };
            let source = shader::shape(features, *bound_joints);
            Shared {
                layout: gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: Some("shape"),
                    bind_group_layouts: &groups,
                    immediate_size: 0,
                }),
                module: gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some("shape"),
                    source: wgpu::ShaderSource::Wgsl(source.into()),
                }),
            }
        };
        if cuts.is_none() {
            return whole.get_or_insert_with(make);
        }
        recent.put_first(features);
        cut.retain(|features, _| recent.contains(features));
        pipelines.retain(|key, _| key.cuts.is_none_or(|features| recent.contains(&features)));
        cut.entry(features).or_insert_with(make)
    }

    /// Draws the shapes for a purpose. Their pipelines must have been built, and group 0 be bound.
    pub fn draw<'a>(
        &'a self,
        pass: &mut Pieces<'a, '_, '_>,
        purpose: ShapeFor,
        prepared: &PreparedFrame<'a>,
    ) {
        let (scene, gpu_model) = (prepared.scene, prepared.frame.gpu_model);
        for (i, draw) in shaped(purpose, prepared) {
            let key = ShapeKey::new(purpose, draw, prepared);
            if let Some(pipeline) = self.pipelines.get(&key) {
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
    purpose: ShapeFor,
    prepared: &PreparedFrame<'a>,
) -> impl Iterator<Item = (usize, &'a Draw)> + use<'a> {
    let plan = &prepared.scene.plan;
    let seen_through = purpose != ShapeFor::Shadow && prepared.frame.look.pass.blends();
    let end = if seen_through { plan.first_transmissive } else { plan.draws.len() };
    let draws = plan.draws[..end].iter().enumerate();
    draws.filter(|(_, draw)| draw.topology == Topology::Triangles)
}

fn build(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    key: ShapeKey,
) -> wgpu::RenderPipeline {
    let label = format!("{:?}: {}", key.purpose, vertex_entry(key.sets));
    let (targets, compare, slope_scale) = match key.purpose {
        // Without a bias, faces at a steep angle to the light shadow themselves.
        ShapeFor::Shadow => (&[][..], wgpu::CompareFunction::Less, 1.0),
        ShapeFor::Depth => (&[][..], wgpu::CompareFunction::Greater, 0.0),
        ShapeFor::Occlusion => (&formats::SHAPE_TARGETS[..], wgpu::CompareFunction::Greater, 0.0),
    };
    with_vertex_buffers(key.sets, |buffers| {
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(&label),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(vertex_entry(key.sets)),
                compilation_options: Default::default(),
                buffers,
            },
            primitive: wgpu::PrimitiveState {
                cull_mode: key.culls.then_some(wgpu::Face::Back),
                ..Default::default()
            },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: formats::DEPTH_FORMAT,
                depth_write_enabled: Some(true),
                depth_compare: Some(compare),
                stencil: Default::default(),
                bias: wgpu::DepthBiasState { constant: 0, slope_scale, clamp: 0.0 },
            }),
            multisample: wgpu::MultisampleState {
                count: if key.purpose == ShapeFor::Depth { formats::DEPTH_SAMPLES } else { 1 },
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
