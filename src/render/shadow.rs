//! Draws the key light's shadow map. The vertex shaders are those of the picture, so skinned and morphed
//! meshes cast the shadow of their pose.

use std::collections::HashMap;

use super::layout::Layouts;
use super::pieces::{Pieces, Start};
use super::pipeline::{vertex_entry, with_vertex_buffers};
use super::plan::{Batch, Draw, Plan};
use super::recording::Recording;
use super::scene_resources::SceneResources;
use super::shadow_map::FORMAT;
use super::{Gpu, GpuModel, shader};
use crate::model::Topology;

/// The pipelines that draw the map, by influence sets per vertex.
pub struct Shadow {
    layout: wgpu::PipelineLayout,
    bound_joints: usize,
    module: Option<wgpu::ShaderModule>,
    pipelines: HashMap<usize, wgpu::RenderPipeline>,
}

impl Shadow {
    /// Builds no pipeline yet.
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("shadow"),
            bind_group_layouts: &[Some(&layouts.frame), None, Some(&layouts.draw)],
            immediate_size: 0,
        });
        Self { layout, bound_joints: layouts.bound_joints, module: None, pipelines: HashMap::new() }
    }

    /// Returns the keys of the pipelines that the plan's casters need and that are not built yet.
    pub fn missing(&self, plan: &Plan) -> Vec<usize> {
        let mut missing = Vec::new();
        for (_, draw) in casters(plan) {
            if !self.pipelines.contains_key(&draw.sets) && !missing.contains(&draw.sets) {
                missing.push(draw.sets);
            }
        }
        missing
    }

    /// Builds the pipelines of these keys.
    pub fn build(&mut self, gpu: &Gpu, keys: Vec<usize>) {
        for sets in keys {
            let module = self.module.get_or_insert_with(|| {
                gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some("shadow"),
                    source: wgpu::ShaderSource::Wgsl(shader::probe(self.bound_joints).into()),
                })
            });
            self.pipelines.insert(sets, build(gpu, &self.layout, module, sets));
        }
    }

    /// Draws the casters onto `map`. Their pipelines must have been built.
    pub fn draw(
        &self,
        record: &mut Recording<'_>,
        gpu_model: &GpuModel,
        scene: &SceneResources,
        map: &wgpu::TextureView,
    ) {
        let begin = |record: &mut Recording<'_>, start| begin(record, map, start).forget_lifetime();
        let mut pass = Pieces::new(record, &begin);
        pass.set_bind_group(0, &scene.light, &[]);
        for (i, draw) in casters(&scene.plan) {
            if let (Some(pipeline), Some(primitive)) =
                (self.pipelines.get(&draw.sets), draw.primitive_in(gpu_model))
            {
                pass.set_pipeline(pipeline);
                pass.set_vertex_buffers(scene.vertex_buffers(primitive, draw));
                let batch = Batch { draw: i, stages: 0..scene.stages() };
                scene.draw_parts(&mut pass, primitive, &batch);
            }
        }
    }
}

/// Returns the draws that cast a shadow: opaque and transmissive triangles.
fn casters(plan: &Plan) -> impl Iterator<Item = (usize, &Draw)> {
    let draws = plan.draws[..plan.first_blended].iter().enumerate();
    draws.filter(|(_, draw)| draw.topology == Topology::Triangles)
}

fn begin<'a>(
    record: &'a mut Recording<'_>,
    map: &wgpu::TextureView,
    start: Start,
) -> wgpu::RenderPass<'a> {
    let load = match start {
        Start::New => wgpu::LoadOp::Clear(1.0),
        Start::Continued => wgpu::LoadOp::Load,
    };
    record.pass(
        "shadow",
        wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: map,
                depth_ops: Some(wgpu::Operations { load, store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        },
    )
}

fn build(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    sets: usize,
) -> wgpu::RenderPipeline {
    let label = format!("shadow: {}", vertex_entry(sets));
    with_vertex_buffers(sets, |buffers| {
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(&label),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(vertex_entry(sets)),
                compilation_options: Default::default(),
                buffers,
            },
            primitive: Default::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format: FORMAT,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Less),
                stencil: Default::default(),
                // Without a bias, faces at a steep angle to the light shadow themselves.
                bias: wgpu::DepthBiasState { constant: 0, slope_scale: 2.0, clamp: 0.0 },
            }),
            multisample: Default::default(),
            fragment: None,
            multiview_mask: None,
            cache: None,
        })
    })
}
