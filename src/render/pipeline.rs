//! The mesh pipelines, each built when a picture first needs it: building one costs a cold start
//! more than drawing does.

use std::collections::HashMap;

use super::features::{Features, Layer};
use super::layout::{
    INSTANCE_ATTRIBUTES, INSTANCE_BYTES, Layouts, VERTEX_ATTRIBUTES, VERTEX_BYTES,
    influence_attributes, material_layout,
};
use super::{Gpu, shader};
use crate::look::Pass;
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
    /// Builds a pipeline unless it is there.
    pub fn prepare(&mut self, gpu: &Gpu, layouts: &Layouts, key: PipelineKey) {
        if !self.built.contains_key(&key) {
            let kind = self.kind(gpu, layouts, key.features);
            let pipeline = build(gpu, kind, key);
            self.built.insert(key, pipeline);
        }
    }

    /// Lets go of the pipelines of other features: those of model after model would add up.
    pub fn keep_only(&mut self, features: Features) {
        let kept = [features, features.with(Layer::Tangents)];
        self.kinds.retain(|features, _| kept.contains(features));
        self.built.retain(|key, _| kept.contains(&key.features));
    }

    /// A pipeline that [`Pipelines::prepare`] has built.
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
            let behind = features.has(Layer::Transmission).then_some(&layouts.behind);
            let groups = [Some(&layouts.frame), Some(&material), Some(&layouts.draw), behind];
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
    let every_layer = key.pass == Pass::Overdraw;
    let laid_over = key.blended.then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
    let blend = if every_layer { Some(ADDED) } else { laid_over };
    let below_edges = key.pass == Pass::Wireframe && key.topology == Topology::Triangles;
    let has_faces = f64::from(u8::from(key.topology == Topology::Triangles));
    let lines_only = key.pass == Pass::Wireframe && key.topology != Topology::Triangles;
    let uses_faces = key.pass != Pass::Mask && !lines_only;
    let constants = [("has_faces", has_faces), ("cuts", f64::from(u8::from(key.cuts)))];
    with_vertex_buffers(key.sets, |buffers| {
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("mesh"),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(vertex_entry(key.sets)),
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
