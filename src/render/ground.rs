//! The ground that receives the key light's shadow and carries the grid, and the sky behind the
//! scene.

use std::collections::HashMap;

use super::layout::Layouts;
use super::pipeline::{DEPTH_FORMAT, scene_format};
use super::{Gpu, shader};
use crate::look::Pass;

/// What is drawn around the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scenery {
    /// The plane at its feet.
    Ground,
    /// The environment behind all.
    Sky,
}

/// What is drawn, in which format, with how many samples a pixel.
pub type GroundKey = (Scenery, wgpu::TextureFormat, u32);

/// The pipelines of the ground and the sky.
pub struct Ground {
    layout: wgpu::PipelineLayout,
    module: Option<wgpu::ShaderModule>,
    built: HashMap<GroundKey, wgpu::RenderPipeline>,
}

impl Ground {
    /// Builds no pipeline yet.
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("ground"),
            bind_group_layouts: &[Some(&layouts.frame)],
            immediate_size: 0,
        });
        Self { layout, module: None, built: HashMap::new() }
    }

    /// Those of the pipelines that draw this in a pass that are not there yet.
    pub fn missing(
        &self,
        shown: impl Iterator<Item = Scenery>,
        pass: Pass,
        samples: u32,
    ) -> Vec<GroundKey> {
        let keys = shown.map(|scenery| (scenery, scene_format(pass), samples));
        keys.filter(|key| !self.built.contains_key(key)).collect()
    }

    /// Builds pipelines.
    pub fn build(&mut self, gpu: &Gpu, keys: Vec<GroundKey>) {
        for key in keys {
            let module = self.module.get_or_insert_with(|| {
                gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some("ground"),
                    source: wgpu::ShaderSource::Wgsl(shader::ground(gpu.reads_depths()).into()),
                })
            });
            self.built.insert(key, build(gpu, (&self.layout, module), key));
        }
    }

    /// Draws it by a pipeline that has been built. The frame's bind group is the
    /// caller's matter.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        scenery: Scenery,
        shown: Pass,
        samples: u32,
    ) {
        if let Some(pipeline) = self.built.get(&(scenery, scene_format(shown), samples)) {
            pass.set_pipeline(pipeline);
            pass.draw(0..if scenery == Scenery::Ground { 4 } else { 3 }, 0..1);
        }
    }
}

fn build(
    gpu: &Gpu,
    (layout, module): (&wgpu::PipelineLayout, &wgpu::ShaderModule),
    (scenery, format, samples): GroundKey,
) -> wgpu::RenderPipeline {
    let (vertex, fragment, topology, compare) = match scenery {
        Scenery::Ground => (
            "vs_ground",
            "fs_ground",
            wgpu::PrimitiveTopology::TriangleStrip,
            wgpu::CompareFunction::Greater,
        ),
        Scenery::Sky => (
            "vs_sky",
            "fs_sky",
            wgpu::PrimitiveTopology::TriangleList,
            wgpu::CompareFunction::Always,
        ),
    };
    gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("ground"),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(vertex),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState { topology, ..Default::default() },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(false),
            depth_compare: Some(compare),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format,
                blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
