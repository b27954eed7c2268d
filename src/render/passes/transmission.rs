//! A copy of the opaque picture for transmissive surfaces, with blurred mip levels for rough ones.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};

use super::full_screen::FullScreen;
use crate::look::{Look, ToneMap};
use crate::render::scene::bind_layouts::{Layouts, bind_sampled, uniform};
use crate::render::scene::recording::Recording;
use crate::render::{Gpu, shader};

/// Format of the copy.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// The copy for pictures of one size.
pub struct Behind {
    levels: Vec<Level>,
    /// Group 3 of the transmissive materials.
    pub bind_group: wgpu::BindGroup,
}

/// A mip level, and the bind group of its source: the level before it, or the picture.
struct Level {
    view: wgpu::TextureView,
    finer: wgpu::BindGroup,
}

/// The pipelines that draw the copy and its mip levels.
pub struct Blur {
    module: wgpu::ShaderModule,
    /// Layout of the source's bind group.
    layout: wgpu::BindGroupLayout,
    copy_layout: wgpu::PipelineLayout,
    copies: HashMap<ToneMap, wgpu::RenderPipeline>,
    smaller: wgpu::RenderPipeline,
    background: wgpu::Buffer,
    background_group: wgpu::BindGroup,
    sampler: wgpu::Sampler,
}

/// `Background` in `shaders/behind.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BackgroundUniform {
    /// Linear, straight alpha.
    pub color: [f32; 4],
    /// x: factor of the scene's light; the rest is unused.
    pub exposure: [f32; 4],
}

impl Blur {
    /// Builds the pipeline of the mip levels. [`Blur::build`] adds those of the copy.
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("behind"),
            source: wgpu::ShaderSource::Wgsl(shader::behind().into()),
        });
        let group = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("background"),
            entries: &[uniform::<BackgroundUniform>(0, wgpu::ShaderStages::VERTEX_FRAGMENT, false)],
        });
        let layout = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("behind"),
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let smaller = layout(&[Some(&layouts.behind)]);
        let smaller = build(gpu, &smaller, &module, ["vs_tent", "fs_tent"], None);
        let background = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("background"),
            size: size_of::<BackgroundUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let background_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("background"),
            layout: &group,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: background.as_entire_binding(),
            }],
        });
        Self {
            copy_layout: layout(&[Some(&layouts.behind), Some(&group)]),
            copies: HashMap::new(),
            module,
            layout: layouts.behind.clone(),
            smaller,
            background,
            background_group,
            sampler: sampler(gpu),
        }
    }

    /// Builds the pipeline of the copy for a tone map, unless it is there.
    pub fn build(&mut self, gpu: &Gpu, tone_map: ToneMap) {
        let entries = ["vs_copy", "fs_copy"];
        self.copies.entry(tone_map).or_insert_with(|| {
            build(gpu, &self.copy_layout, &self.module, entries, Some(tone_map))
        });
    }

    /// Copies the picture that `behind` was created for, and draws the mip levels. The pipeline of the
    /// look's tone map must have been built. `exposure` is the factor of the scene's light.
    pub fn copy(
        &self,
        record: &mut Recording<'_>,
        behind: &Behind,
        (look, exposure): (&Look, f32),
    ) {
        let [r, g, b, a] = look.background.map(|byte| f32::from(byte) / 255.0);
        let [r, g, b] = [r, g, b].map(linear_from_srgb);
        let uniform = BackgroundUniform { color: [r, g, b, a], exposure: [exposure; 4] };
        record.gpu.queue.write_buffer(&self.background, 0, bytemuck::bytes_of(&uniform));
        let Some(copy) = self.copies.get(&look.tone_map) else { return };
        for (i, level) in behind.levels.iter().enumerate() {
            let mut pass = record.pass(
                "behind",
                wgpu::RenderPassDescriptor {
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
                },
            );
            pass.set_pipeline(if i == 0 { copy } else { &self.smaller });
            pass.set_bind_group(0, &level.finer, &[]);
            if i == 0 {
                pass.set_bind_group(1, &self.background_group, &[]);
            }
            pass.draw(0..3, 0..1);
        }
    }
}

impl Behind {
    /// Allocates the copy of a picture of this size.
    pub fn new(
        gpu: &Gpu,
        blur: &Blur,
        picture: &wgpu::TextureView,
        [width, height]: [u32; 2],
    ) -> Self {
        let count = width.max(height).ilog2() + 1;
        let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::RENDER_ATTACHMENT;
        let texture = texture(gpu, [width, height], count, usage);
        let view = |base_mip_level, mip_level_count| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                base_mip_level,
                mip_level_count,
                ..Default::default()
            })
        };
        let finer = |level: u32| match level {
            0 => picture.clone(),
            _ => view(level - 1, Some(1)),
        };
        let levels = (0..count)
            .map(|level| Level {
                view: view(level, Some(1)),
                finer: bind_sampled(gpu, &blur.layout, &finer(level), &blur.sampler),
            })
            .collect();
        let bind_group = bind_sampled(gpu, &blur.layout, &view(0, None), &blur.sampler);
        Self { levels, bind_group }
    }
}

/// Returns the bind group that takes the copy's place before the copy is made.
pub fn nothing(gpu: &Gpu, layouts: &Layouts) -> wgpu::BindGroup {
    let texture = texture(gpu, [1, 1], 1, wgpu::TextureUsages::TEXTURE_BINDING);
    bind_sampled(gpu, &layouts.behind, &texture.create_view(&Default::default()), &sampler(gpu))
}

fn texture(
    gpu: &Gpu,
    [width, height]: [u32; 2],
    mip_level_count: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("copy of the opaque picture"),
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

/// Decodes an sRGB value (IEC 61966-2-1).
pub fn linear_from_srgb(c: f32) -> f32 {
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn build(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    entries: [&str; 2],
    tone_map: Option<ToneMap>,
) -> wgpu::RenderPipeline {
    let constants: Vec<_> =
        tone_map.map(|t| ("tone_map", f64::from(t as u8))).into_iter().collect();
    FullScreen {
        label: entries[1],
        layout,
        module,
        entries,
        constants: &constants,
        format: FORMAT,
        blend: None,
    }
    .build(gpu)
}
