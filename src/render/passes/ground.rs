//! The ground, which receives the key light's shadow and carries the grid, and the sky behind the scene.

use std::collections::HashMap;

use super::contact;
use crate::look::Pass;
use crate::render::scene::bind_layouts::Layouts;
use crate::render::scene::formats::{DEPTH_FORMAT, scene_format};
use crate::render::scene::split_pass::{DrawCall, Pieces};
use crate::render::{Gpu, shader};

/// A surrounding of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surrounding {
    /// The plane below the model, without the part that shadows can fall on.
    Ground,
    /// That part.
    Shadowed,
    /// The environment behind everything.
    Sky,
}

/// Identifies a pipeline of the ground or the sky.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroundKey {
    surrounding: Surrounding,
    format: wgpu::TextureFormat,
    samples: u32,
}

impl GroundKey {
    /// Returns the key for a pass with this many samples per pixel.
    pub fn new(surrounding: Surrounding, pass: Pass, samples: u32) -> Self {
        Self { surrounding, format: scene_format(pass), samples }
    }
}

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
            bind_group_layouts: &[Some(&layouts.frame), Some(&contact::ground_layout(gpu))],
            immediate_size: 0,
        });
        Self { layout, module: None, built: HashMap::new() }
    }

    /// Returns those of the keys whose pipelines are not built yet.
    pub fn missing(&self, keys: impl Iterator<Item = GroundKey>) -> Vec<GroundKey> {
        keys.filter(|key| !self.built.contains_key(key)).collect()
    }

    /// Builds the pipelines of these keys.
    pub fn build(&mut self, gpu: &Gpu, keys: Vec<GroundKey>) {
        for key in keys {
            let module = self.module.get_or_insert_with(|| {
                gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some("ground and sky"),
                    source: wgpu::ShaderSource::Wgsl(shader::ground(gpu.reads_depths()).into()),
                })
            });
            self.built.insert(key, build(gpu, &self.layout, module, key));
        }
    }

    /// Draws with a pipeline that has been built. Groups 0 and 1 must be bound.
    pub fn draw<'a>(&'a self, pass: &mut Pieces<'a, '_, '_>, key: GroundKey) {
        if let Some(pipeline) = self.built.get(&key) {
            pass.set_pipeline(pipeline);
            // Strips of two triangles, or a triangle.
            let (corners, instances) = match key.surrounding {
                Surrounding::Ground => (4, 0..8),
                Surrounding::Shadowed => (4, 0..1),
                Surrounding::Sky => (3, 0..1),
            };
            pass.draw(DrawCall { vertices: 0..corners, corners, instances, indexed: false });
        }
    }
}

fn build(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    key: GroundKey,
) -> wgpu::RenderPipeline {
    let (label, [vertex, fragment], topology, compare) = match key.surrounding {
        Surrounding::Ground | Surrounding::Shadowed => (
            "ground",
            ["vs_ground", "fs_ground"],
            wgpu::PrimitiveTopology::TriangleStrip,
            wgpu::CompareFunction::Greater,
        ),
        Surrounding::Sky => (
            "sky",
            ["vs_sky", "fs_sky"],
            wgpu::PrimitiveTopology::TriangleList,
            wgpu::CompareFunction::Always,
        ),
    };
    let shadowed = f64::from(u8::from(key.surrounding == Surrounding::Shadowed));
    let constants = &[("shadowed", shadowed)];
    let compiled = || wgpu::PipelineCompilationOptions { constants, ..Default::default() };
    gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(label),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(vertex),
            compilation_options: compiled(),
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
        multisample: wgpu::MultisampleState { count: key.samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: compiled(),
            targets: &[Some(wgpu::ColorTargetState {
                format: key.format,
                blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
