//! The mesh pipelines, each built when a picture first needs it: building one costs a cold start
//! more than drawing does.

use std::collections::HashMap;

use super::layout::{
    INSTANCE_ATTRIBUTES, INSTANCE_BYTES, Layouts, VERTEX_ATTRIBUTES, VERTEX_BYTES,
    influence_attributes,
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
    /// Whether it leaves depth alone.
    pub blended: bool,
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
pub struct Pipelines {
    layout: wgpu::PipelineLayout,
    module: Option<wgpu::ShaderModule>,
    built: HashMap<PipelineKey, wgpu::RenderPipeline>,
}

impl Pipelines {
    /// None yet.
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("mesh"),
            bind_group_layouts: &[
                Some(&layouts.frame),
                Some(&layouts.material),
                Some(&layouts.draw),
            ],
            immediate_size: 0,
        });
        Self { layout, module: None, built: HashMap::new() }
    }

    /// Builds a pipeline unless it is there.
    pub fn prepare(&mut self, gpu: &Gpu, key: PipelineKey) {
        if !self.built.contains_key(&key) {
            let module = self.module.get_or_insert_with(|| {
                gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some("mesh"),
                    source: wgpu::ShaderSource::Wgsl(shader::mesh().into()),
                })
            });
            let pipeline = build(gpu, &self.layout, module, key);
            self.built.insert(key, pipeline);
        }
    }

    /// A pipeline that [`Pipelines::prepare`] has built.
    pub fn get(&self, key: PipelineKey) -> Option<&wgpu::RenderPipeline> {
        self.built.get(&key)
    }
}

/// The vertex shader of a kind of vertex.
pub fn vertex_entry(sets: usize) -> &'static str {
    ["vs_rigid", "vs_skinned_1", "vs_skinned_2", "vs_skinned_3", "vs_skinned_4"][sets]
}

fn fragment_entry(pass: Pass) -> &'static str {
    match pass {
        Pass::Shaded => "fs_shaded",
        Pass::Mask => "fs_mask",
        Pass::Normal => "fs_normal",
        Pass::GeometricNormal => "fs_geometric_normal",
        Pass::Depth => "fs_depth",
        Pass::Albedo => "fs_albedo",
        Pass::Uv => "fs_uv",
        Pass::Influences => "fs_influences",
        Pass::Faces => "fs_faces",
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

fn build(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    key: PipelineKey,
) -> wgpu::RenderPipeline {
    let blend = key.pass.is_shaded().then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
    let has_faces = f64::from(u8::from(key.topology == Topology::Triangles));
    let uses_faces = !matches!(key.pass, Pass::Mask);
    let constants = [("has_faces", has_faces)];
    with_vertex_buffers(key.sets, |buffers| {
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
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
                // The shader culls: only it knows which parts a pose has mirrored.
                cull_mode: None,
                ..Default::default()
            },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH_FORMAT,
                depth_write_enabled: Some(!key.blended),
                depth_compare: Some(wgpu::CompareFunction::Greater),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState { count: key.samples, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: Some(fragment_entry(key.pass)),
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
