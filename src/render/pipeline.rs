//! The mesh pipelines, each built when a picture first needs it: building one costs a cold start
//! more than drawing does.

use std::collections::HashMap;

use rayon::prelude::*;

use super::features::{Features, Layer};
use super::layout::{
    INSTANCE_ATTRIBUTES, INSTANCE_BYTES, Layouts, VERTEX_ATTRIBUTES, VERTEX_BYTES,
    influence_attributes, material_layout,
};
use super::plan::Draw;
use super::{Gpu, shader};
use crate::look::{Look, Pass};
use crate::model::{Influence, Topology};

/// The scene's depth: 1 near, 0 far.
pub const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// What makes one pipeline differ from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PipelineKey {
    /// What fragments show.
    pub pass: Pass,
    /// What is drawn.
    pub topology: Topology,
    /// Sets of four joint IDs a vertex; 0 for rigid ones.
    pub sets: usize,
    /// What the materials in view ask of the shader.
    pub features: Features,
    /// Whether it is laid over what is behind and leaves depth alone.
    pub blended: bool,
    /// Whether backs are left out before they are shaded. Else the shader does it, which alone knows
    /// which parts a pose has mirrored.
    pub culls: bool,
    /// Whether the shader may leave out fragments. Where it can't, what is hidden is known before it
    /// is shaded.
    pub cuts: bool,
    /// Samples a pixel.
    pub samples: u32,
}

impl PipelineKey {
    /// The pipeline of a draw: `mirrors` says whether a pose may have turned its winding round.
    pub fn new(draw: &Draw, look: &Look, features: Features, mirrors: bool, samples: u32) -> Self {
        let blended = draw.blended && look.pass.blends();
        let one_sided = !draw.double_sided
            && draw.topology == Topology::Triangles
            && !matches!(look.pass, Pass::Mask | Pass::Faces);
        Self {
            pass: look.pass,
            topology: draw.topology,
            sets: draw.sets,
            features,
            blended,
            culls: one_sided && !mirrors,
            cuts: draw.masked || (one_sided && mirrors) || (blended && draw.double_sided),
            samples,
        }
    }

    /// The pipeline of the edges of what this one draws the faces of.
    pub fn edges(self) -> Self {
        Self { topology: Topology::Lines, culls: false, cuts: true, ..self }
    }

    /// The pipeline of the same lines as rectangles.
    pub fn rectangles(self) -> Self {
        Self { features: self.features.with(Layer::Lines), ..self }
    }
}

/// The format in which a pass draws the scene: linear light needs range, and depth needs the
/// sixteen bits that a picture of it has.
pub fn scene_format(pass: Pass) -> wgpu::TextureFormat {
    match pass {
        Pass::Depth => wgpu::TextureFormat::R32Float,
        _ => wgpu::TextureFormat::Rgba16Float,
    }
}

/// The pipelines built so far.
#[derive(Default)]
pub struct Pipelines {
    kinds: HashMap<Features, Kind>,
    built: HashMap<PipelineKey, wgpu::RenderPipeline>,
}

/// What all pipelines of the same features share.
struct Kind {
    material: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    module: wgpu::ShaderModule,
}

impl Pipelines {
    /// Those of these pipelines that are not there yet, each once.
    pub fn missing(&self, keys: impl Iterator<Item = PipelineKey>) -> Vec<PipelineKey> {
        let mut missing = Vec::new();
        for key in keys {
            if !self.built.contains_key(&key) && !missing.contains(&key) {
                missing.push(key);
            }
        }
        missing
    }

    /// Builds pipelines.
    pub fn build(&mut self, gpu: &Gpu, layouts: &Layouts, keys: Vec<PipelineKey>) {
        for key in &keys {
            self.kind(gpu, layouts, key.features);
        }
        let kinds = &self.kinds;
        let one = |key: PipelineKey| Some((key, build(gpu, kinds.get(&key.features)?, key)));
        let built: Vec<_> = keys.into_par_iter().filter_map(one).collect();
        self.built.extend(built);
    }

    /// Lets go of the pipelines of other features: those of model after model would add up.
    pub fn keep_only(&mut self, features: Features) {
        let faces = [features, features.with(Layer::Tangents)];
        let kept = [faces, faces.map(|features| features.with(Layer::Lines))].concat();
        self.kinds.retain(|features, _| kept.contains(features));
        self.built.retain(|key, _| kept.contains(&key.features));
    }

    /// A pipeline that has been built.
    pub fn get(&self, key: PipelineKey) -> Option<&wgpu::RenderPipeline> {
        self.built.get(&key)
    }

    /// The layout of the material's bind group, for pipelines of these features.
    pub fn material_layout(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        features: Features,
    ) -> &wgpu::BindGroupLayout {
        &self.kind(gpu, layouts, features).material
    }

    fn kind(&mut self, gpu: &Gpu, layouts: &Layouts, features: Features) -> &Kind {
        self.kinds.entry(features).or_insert_with(|| {
            let material = material_layout(&gpu.device, features);
            let lines = layouts.lines.as_ref().filter(|_| features.has(Layer::Lines));
            let drawn = lines.unwrap_or(&layouts.draw);
            let behind = features.has(Layer::Transmission).then_some(&layouts.behind);
            let groups = [Some(&layouts.frame), Some(&material), Some(drawn), behind];
            let count = if behind.is_some() { 4 } else { 3 };
            let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("mesh"),
                bind_group_layouts: &groups[..count],
                immediate_size: 0,
            });
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("mesh"),
                source: wgpu::ShaderSource::Wgsl(
                    shader::mesh(features, layouts.bound_joints).into(),
                ),
            });
            Kind { material, layout, module }
        })
    }
}

/// The vertex shader of a kind of vertex.
pub fn vertex_entry(sets: usize) -> &'static str {
    ["vs_rigid", "vs_skinned_1", "vs_skinned_2", "vs_skinned_3", "vs_skinned_4"][sets]
}

fn fragment_entry(pass: Pass, topology: Topology) -> &'static str {
    match pass {
        Pass::Shaded => "fs_shaded",
        Pass::Mask => "fs_mask",
        Pass::Normal => "fs_normal",
        Pass::GeometricNormal => "fs_geometric_normal",
        Pass::Depth => "fs_depth",
        Pass::Albedo => "fs_albedo",
        Pass::Metallic => "fs_metallic",
        Pass::Roughness => "fs_roughness",
        Pass::Occlusion => "fs_occlusion",
        Pass::Emissive => "fs_emissive",
        Pass::Alpha => "fs_alpha",
        Pass::Tangent => "fs_tangent",
        Pass::Uv => "fs_uv",
        Pass::Influences => "fs_influences",
        Pass::Faces => "fs_faces",
        Pass::Clay => "fs_clay",
        Pass::Wireframe if topology == Topology::Triangles => "fs_wireframe_faces",
        Pass::Wireframe => "fs_wireframe",
        Pass::Overdraw => "fs_overdraw",
        Pass::Weights => "fs_weights",
        Pass::WeightSum => "fs_weight_sum",
    }
}

/// The vertex buffers of a kind of vertex: vertices, then influences or instances.
pub fn with_vertex_buffers<R>(
    sets: usize,
    use_them: impl FnOnce(&[Option<wgpu::VertexBufferLayout>]) -> R,
) -> R {
    let influences = influence_attributes(sets);
    let second = if sets > 0 {
        wgpu::VertexBufferLayout {
            array_stride: (sets * size_of::<Influence>()) as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &influences,
        }
    } else {
        wgpu::VertexBufferLayout {
            array_stride: INSTANCE_BYTES,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &INSTANCE_ATTRIBUTES,
        }
    };
    let first = wgpu::VertexBufferLayout {
        array_stride: VERTEX_BYTES,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &VERTEX_ATTRIBUTES,
    };
    use_them(&[Some(first), Some(second)])
}

/// Colours add up, as far as alpha goes.
const ADDED: wgpu::BlendState = {
    let both = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    wgpu::BlendState { color: both, alpha: both }
};

fn build(gpu: &Gpu, kind: &Kind, key: PipelineKey) -> wgpu::RenderPipeline {
    let Kind { layout, module, .. } = kind;
    let rectangles = key.features.has(Layer::Lines);
    let every_layer = key.pass == Pass::Overdraw;
    let laid_over = key.blended.then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
    let blend = if every_layer { Some(ADDED) } else { laid_over };
    let below_edges = key.pass == Pass::Wireframe && key.topology == Topology::Triangles;
    let has_faces = f64::from(u8::from(key.topology == Topology::Triangles));
    let lines_only = key.pass == Pass::Wireframe && key.topology != Topology::Triangles;
    let uses_faces = key.pass != Pass::Mask && !lines_only;
    let constants = [("has_faces", has_faces), ("cuts", f64::from(u8::from(key.cuts)))];
    let sets = [("sets", key.sets as f64)];
    with_vertex_buffers(key.sets, |buffers| {
        let (entry, sets, buffers) = match (rectangles, key.sets) {
            (false, sets) => (vertex_entry(sets), &[][..], buffers),
            // Vertices and influences are read from storage.
            (true, 0) => ("vs_line_rigid", &[][..], &[None, buffers[1].clone()][..]),
            (true, _) => ("vs_line_skinned", &sets[..], &[][..]),
        };
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("mesh"),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: sets,
                    ..Default::default()
                },
                buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: match key.topology {
                    Topology::Points => wgpu::PrimitiveTopology::PointList,
                    Topology::Lines if !rectangles => wgpu::PrimitiveTopology::LineList,
                    _ => wgpu::PrimitiveTopology::TriangleList,
                },
                cull_mode: key.culls.then_some(wgpu::Face::Back),
                ..Default::default()
            },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH_FORMAT,
                depth_write_enabled: Some(!key.blended && !every_layer),
                depth_compare: Some(match every_layer {
                    true => wgpu::CompareFunction::Always,
                    false => wgpu::CompareFunction::Greater,
                }),
                stencil: Default::default(),
                // Faces stand back from their own edges.
                bias: wgpu::DepthBiasState {
                    constant: if below_edges { -16 } else { 0 },
                    slope_scale: if below_edges { -1.5 } else { 0.0 },
                    clamp: 0.0,
                },
            }),
            multisample: wgpu::MultisampleState { count: key.samples, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(fragment_entry(key.pass, key.topology)),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: if uses_faces { &constants } else { &[] },
                    ..Default::default()
                },
                targets: &[Some(wgpu::ColorTargetState {
                    format: scene_format(key.pass),
                    blend,
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    })
}
