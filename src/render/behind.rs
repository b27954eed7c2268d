//! What is seen through surfaces: a copy of the picture so far, with smaller levels for rough ones.

use super::layout::Layouts;
use super::{Gpu, shader};

/// The format of the copy and of what it is a copy of.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// The copy of one size of picture.
pub struct Behind {
    texture: wgpu::Texture,
    levels: Vec<Level>,
    /// For the surfaces: group 3.
    pub bind_group: wgpu::BindGroup,
}

/// A level to be drawn, and the one before it to be read.
struct Level {
    view: wgpu::TextureView,
    finer: wgpu::BindGroup,
}

/// What makes the smaller levels.
pub struct Blur {
    pipeline: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
}

impl Blur {
    /// Builds its pipeline.
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("behind"),
            source: wgpu::ShaderSource::Wgsl(shader::behind().into()),
        });
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("behind"),
            bind_group_layouts: &[Some(&layouts.behind)],
            immediate_size: 0,
        });
        let pipeline = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("behind"),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs_behind"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fs_behind"),
                compilation_options: Default::default(),
                targets: &[Some(FORMAT.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        Self { pipeline, sampler: sampler(gpu) }
    }

    /// Takes a copy of `picture`, which is of the size that `behind` was made for.
    pub fn copy(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        picture: &wgpu::Texture,
        behind: &Behind,
    ) {
        let size = picture.size();
        encoder.copy_texture_to_texture(
            picture.as_image_copy(),
            behind.texture.as_image_copy(),
            size,
        );
        for level in &behind.levels {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("behind"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &level.view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            });
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &level.finer, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

impl Behind {
    /// Room for a copy of a picture of this size.
    pub fn new(gpu: &Gpu, layouts: &Layouts, blur: &Blur, [width, height]: [u32; 2]) -> Self {
        let count = width.max(height).ilog2() + 1;
        let usage = wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::COPY_DST;
        let texture = texture(gpu, [width, height], count, usage);
        let view = |base_mip_level, mip_level_count| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                base_mip_level,
                mip_level_count,
                ..Default::default()
            })
        };
        let levels = (1..count)
            .map(|level| Level {
                view: view(level, Some(1)),
                finer: bind(gpu, layouts, &view(level - 1, Some(1)), &blur.sampler),
            })
            .collect();
        let bind_group = bind(gpu, layouts, &view(0, None), &blur.sampler);
        Self { texture, levels, bind_group }
    }
}

/// What is bound as group 3 while the copy is not there yet.
pub fn nothing(gpu: &Gpu, layouts: &Layouts) -> wgpu::BindGroup {
    let texture = texture(gpu, [1, 1], 1, wgpu::TextureUsages::TEXTURE_BINDING);
    bind(gpu, layouts, &texture.create_view(&Default::default()), &sampler(gpu))
}

fn texture(
    gpu: &Gpu,
    [width, height]: [u32; 2],
    mip_level_count: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("behind"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage,
        view_formats: &[],
    })
}

fn sampler(gpu: &Gpu) -> wgpu::Sampler {
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("behind"),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..Default::default()
    })
}

fn bind(
    gpu: &Gpu,
    layouts: &Layouts,
    view: &wgpu::TextureView,
    sampler: &wgpu::Sampler,
) -> wgpu::BindGroup {
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("behind"),
        layout: &layouts.behind,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(sampler) },
        ],
    })
}
