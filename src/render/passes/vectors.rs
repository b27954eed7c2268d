//! Draws normals and tangents as lines from the posed vertices: of the selected mesh, or of all meshes. The vertex
//! shader reads the vertices from the primitives' lists; adapters whose vertex shaders cannot, draw none.

use std::collections::HashMap;

use super::ghosts;
use super::outline::mask::OutlinedDraw;
use crate::look::Look;
use crate::render::scene::bind_layouts::{INSTANCE_ATTRIBUTES, INSTANCE_BYTES, Layouts};
use crate::render::scene::formats;
use crate::render::scene::plan::{Batch, Draw};
use crate::render::scene::prepared_frame::PreparedFrame;
use crate::render::scene::split_pass::Pieces;
use crate::render::{Gpu, shader};

/// Length of a vector, as a fraction of the diagonal of the framed box.
pub const LENGTH: f32 = 0.02;

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VectorKey {
    format: wgpu::TextureFormat,
    samples: u32,
    /// Sets of four joint IDs per vertex.
    sets: usize,
    /// Whether it draws tangents instead of normals.
    tangents: bool,
}

/// The pipelines of vectors.
#[derive(Default)]
pub struct Vectors {
    shared: Option<(wgpu::PipelineLayout, wgpu::ShaderModule)>,
    built: HashMap<VectorKey, wgpu::RenderPipeline>,
}

/// Whether a look shows vectors: in the passes that can show ghosts.
pub fn are_shown(look: &Look) -> bool {
    !look.aids.vectors.is_empty() && ghosts::are_shown(look)
}

/// Returns the keys of a draw.
fn keys(prepared: &PreparedFrame<'_>, draw: &Draw) -> impl Iterator<Item = VectorKey> + use<> {
    let look = prepared.frame.look;
    let (format, samples) = (formats::scene_format(look.pass), prepared.canvas.samples);
    let (vectors, sets) = (look.aids.vectors, draw.sets);
    let kinds = [(false, vectors.normals), (true, vectors.tangents)];
    let shown = kinds.into_iter().filter(|(_, shown)| *shown);
    shown.map(move |(tangents, _)| VectorKey { format, samples, sets, tangents })
}

impl Vectors {
    /// Builds the pipelines that a frame needs and that are not there yet.
    pub fn build(&mut self, gpu: &Gpu, layouts: &Layouts, prepared: &PreparedFrame<'_>) {
        let Some(lines) = layouts.lines.as_ref().filter(|_| are_shown(prepared.frame.look)) else {
            return;
        };
        let Self { shared, built } = self;
        let (layout, module) = shared.get_or_insert_with(|| {
            let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("vectors"),
                bind_group_layouts: &[Some(&layouts.frame), None, Some(lines)],
                immediate_size: 0,
            });
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("vectors"),
                source: wgpu::ShaderSource::Wgsl(shader::vectors(layouts.bound_joints).into()),
            });
            (layout, module)
        });
        for key in prepared.scene.plan.draws.iter().flat_map(|draw| keys(prepared, draw)) {
            built.entry(key).or_insert_with(|| build(gpu, layout, module, key));
        }
    }

    /// Draws the vectors. Group 0 must be bound, the pipelines built.
    pub fn draw<'a>(&'a self, pass: &mut Pieces<'a, '_, '_>, prepared: &PreparedFrame<'a>) {
        if !are_shown(prepared.frame.look) {
            return;
        }
        let all = || {
            (0..prepared.scene.plan.draws.len()).map(|draw| OutlinedDraw { draw, instances: None })
        };
        let draws = match prepared.outlined {
            [] => all().collect(),
            selected => selected.to_vec(),
        };
        for OutlinedDraw { draw, instances } in draws {
            for key in keys(prepared, &prepared.scene.plan.draws[draw]) {
                if let Some(pipeline) = self.built.get(&key) {
                    pass.set_pipeline(pipeline);
                    let batch = Batch { draw, stages: 0..1, instances: instances.clone() };
                    prepared.scene.draw_vectors(pass, prepared.frame.gpu_model, &batch);
                }
            }
        }
    }
}

fn build(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    key: VectorKey,
) -> wgpu::RenderPipeline {
    let instances = wgpu::VertexBufferLayout {
        array_stride: INSTANCE_BYTES,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &INSTANCE_ATTRIBUTES,
    };
    let tangents = ("shows_tangents", f64::from(u8::from(key.tangents)));
    let constants = [tangents, ("sets", key.sets as f64)];
    // A shader may be passed only the constants that it reads.
    let (entry, buffers, constants) = match key.sets {
        0 => ("vs_vector_rigid", &[None, Some(instances)][..], &constants[..1]),
        _ => ("vs_vector_skinned", &[][..], &constants[..]),
    };
    gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(entry),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                ..Default::default()
            },
            buffers,
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: formats::DEPTH_FORMAT,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState { count: key.samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("fs_vector"),
            compilation_options: Default::default(),
            targets: &[Some(key.format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
