//! Shaders, and the pipelines that draw with them, in the terms in which those of this renderer differ.

use super::gpu::Gpu;

/// A compiled WGSL module and the layout of the bind groups that it reads.
pub struct Shader {
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
}

impl Shader {
    /// Compiles WGSL. The label is shown by graphics debuggers.
    pub fn new(
        gpu: &Gpu,
        label: &str,
        wgsl: String,
        groups: &[Option<&wgpu::BindGroupLayout>],
    ) -> Self {
        Self {
            module: gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(wgsl.into()),
            }),
            layout: gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(label),
                bind_group_layouts: groups,
                immediate_size: 0,
            }),
        }
    }
}

/// A pipeline to build.
pub struct Pipeline<'a> {
    /// Shown by graphics debuggers.
    pub label: &'a str,
    pub shader: &'a Shader,
    /// Entry point of the vertex shader.
    pub vertex: &'a str,
    /// Entry point of the fragment shader; `None` draws depth alone.
    pub fragment: Option<&'a str>,
    /// Values of the module's `override`s for the vertex and the fragment shader, each of which may be passed only
    /// those that it reads.
    pub constants: [&'a [(&'a str, f64)]; 2],
    pub buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub topology: wgpu::PrimitiveTopology,
    /// Whether back faces are left out.
    pub culls: bool,
    pub depth: Option<wgpu::DepthStencilState>,
    /// Samples per pixel.
    pub samples: u32,
    /// Format of the target; `None` draws depth alone.
    pub format: Option<wgpu::TextureFormat>,
    /// Combination with what is on the target; `None` replaces it.
    pub blend: Option<wgpu::BlendState>,
}

impl<'a> Pipeline<'a> {
    /// Returns a pipeline that draws triangles without vertex buffers on a target without depth, one sample per pixel.
    /// A draw of three vertices fills the target.
    pub fn new(
        shader: &'a Shader,
        label: &'a str,
        [vertex, fragment]: [&'a str; 2],
        format: wgpu::TextureFormat,
    ) -> Self {
        Self {
            label,
            shader,
            vertex,
            fragment: Some(fragment),
            constants: [&[]; 2],
            buffers: &[],
            topology: wgpu::PrimitiveTopology::TriangleList,
            culls: false,
            depth: None,
            samples: 1,
            format: Some(format),
            blend: None,
        }
    }

    /// Builds the pipeline.
    pub fn build(self, gpu: &Gpu) -> wgpu::RenderPipeline {
        let Shader { module, layout } = self.shader;
        let [vertex, fragment] = self
            .constants
            .map(|constants| wgpu::PipelineCompilationOptions { constants, ..Default::default() });
        let target = |format| {
            [Some(wgpu::ColorTargetState {
                blend: self.blend,
                ..wgpu::ColorTargetState::from(format)
            })]
        };
        let target = self.format.map(target);
        gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.label),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(self.vertex),
                compilation_options: vertex,
                buffers: self.buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: self.topology,
                cull_mode: self.culls.then_some(wgpu::Face::Back),
                ..Default::default()
            },
            depth_stencil: self.depth,
            multisample: wgpu::MultisampleState { count: self.samples, ..Default::default() },
            fragment: self.fragment.map(|entry| wgpu::FragmentState {
                module,
                entry_point: Some(entry),
                compilation_options: fragment,
                targets: target.as_ref().map_or(&[], |target| &target[..]),
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// Returns the value of a flag among the constants of a shader.
pub fn flag(set: bool) -> f64 {
    f64::from(u8::from(set))
}
