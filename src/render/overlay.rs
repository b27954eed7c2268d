//! The layer that the last pass lays over the picture: so what is on it is readable through the mesh and
//! leaves its colours alone. What draws on it has its own words here, the rest is the same for all.

use super::Gpu;

/// The layer's format: premultiplied, encoded.
pub const OVERLAY_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// What draws on the layer.
pub struct OverlayShader<'a> {
    /// What the adapter's messages call it.
    pub label: &'a str,
    /// WGSL.
    pub text: String,
    /// Its vertex and fragment functions.
    pub entries: [&'a str; 2],
    pub groups: &'a [Option<&'a wgpu::BindGroupLayout>],
    /// Of an instance, each of which is a strip of triangles.
    pub bytes: u64,
    pub attributes: &'a [wgpu::VertexAttribute],
}

/// Builds what draws on the layer.
pub fn pipeline(gpu: &Gpu, shader: OverlayShader<'_>) -> wgpu::RenderPipeline {
    let OverlayShader { label, text, entries, groups, bytes, attributes } = shader;
    let label = Some(label);
    let source = wgpu::ShaderSource::Wgsl(text.into());
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label,
        bind_group_layouts: groups,
        immediate_size: 0,
    });
    let instances = wgpu::VertexBufferLayout {
        array_stride: bytes,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes,
    };
    gpu.render_pipeline(&wgpu::RenderPipelineDescriptor {
        label,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some(entries[0]),
            compilation_options: Default::default(),
            buffers: &[Some(instances)],
        },
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            ..Default::default()
        },
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some(entries[1]),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: OVERLAY_FORMAT,
                blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
