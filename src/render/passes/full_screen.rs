//! Pipelines of passes that draw one triangle over their whole target, without vertices.

use crate::render::Gpu;
use crate::render::scene::canvas::depth_test;

/// What such a pass draws with.
pub struct FullScreen<'a> {
    /// Shown by graphics debuggers.
    pub label: &'a str,
    pub layout: &'a wgpu::PipelineLayout,
    pub module: &'a wgpu::ShaderModule,
    /// Entry points of the vertex and the fragment shader.
    pub entries: [&'a str; 2],
    /// Values of the module's `override`s.
    pub constants: &'a [(&'a str, f64)],
    /// The target's format.
    pub format: wgpu::TextureFormat,
    /// Combination with what is on the target; `None` replaces it.
    pub blend: Option<wgpu::BlendState>,
    /// In the scene's render pass, the depth test and the samples per pixel; `None` for a target of its own.
    pub in_scene: Option<(wgpu::CompareFunction, u32)>,
}

impl FullScreen<'_> {
    /// Builds the pipeline.
    pub fn build(&self, gpu: &Gpu) -> wgpu::RenderPipeline {
        let constants =
            wgpu::PipelineCompilationOptions { constants: self.constants, ..Default::default() };
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.label),
            layout: Some(self.layout),
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(self.entries[0]),
                compilation_options: constants.clone(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: self.in_scene.map(|(compare, _)| depth_test(compare, false)),
            multisample: wgpu::MultisampleState {
                count: self.in_scene.map_or(1, |(_, samples)| samples),
                ..Default::default()
            },
            fragment: Some(wgpu::FragmentState {
                module: self.module,
                entry_point: Some(self.entries[1]),
                compilation_options: constants,
                targets: &[Some(wgpu::ColorTargetState {
                    blend: self.blend,
                    ..self.format.into()
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
