//! Pipelines of passes that draw one triangle over their whole target, without vertices or depth.

use crate::render::Gpu;

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
            depth_stencil: None,
            multisample: Default::default(),
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
