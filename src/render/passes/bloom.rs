//! Bloom: light above white is spread around it, in the picture's last pass. Only pictures with lamps need it.

use super::full_screen::FullScreen;
use crate::model::Material;
use crate::render::scene::bind_layouts::{bind_sampled, texture};
use crate::render::scene::plan::Plan;
use crate::render::scene::recording::Recording;
use crate::render::{Frame, Gpu, shader};

/// Format of the spread light.
pub const GLOW_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// Pixels of the picture's shorter side per texel of the widest blur, at least.
const WIDEST: u32 = 16;

/// Share of the wider blur in each level.
const WIDER: f64 = 0.6;

/// The pipelines that spread light, and the layout that the last pass reads it by.
pub struct Bloom {
    /// A texture and its sampler.
    pub layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    /// Bound by pictures without bloom.
    pub nothing: wgpu::BindGroup,
    /// To a smaller level, and back to a larger one.
    pipelines: Option<[wgpu::RenderPipeline; 2]>,
}

/// The spread light of pictures of one size.
pub struct Glow {
    /// Half the picture's size, then halves of it.
    levels: Vec<Level>,
}

struct Level {
    view: wgpu::TextureView,
    group: wgpu::BindGroup,
}

impl Bloom {
    /// Builds no pipeline yet.
    pub fn new(gpu: &Gpu) -> Self {
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let sampled = wgpu::BindGroupLayoutEntry {
            binding: 1,
            visibility: fragment,
            ty: wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
            count: None,
        };
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("bloom"),
            entries: &[texture(0, fragment, true), sampled],
        });
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("bloom"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        let placeholder = level_view(gpu, [1, 1]);
        let nothing = bind_sampled(gpu, &layout, &placeholder, &sampler);
        Self { layout, sampler, nothing, pipelines: None }
    }

    /// Builds the pipelines, unless they are there.
    pub fn build(&mut self, gpu: &Gpu) {
        let layout = &self.layout;
        self.pipelines.get_or_insert_with(|| {
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("bloom"),
                source: wgpu::ShaderSource::Wgsl(shader::tent().into()),
            });
            let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("bloom"),
                bind_group_layouts: &[Some(layout)],
                immediate_size: 0,
            });
            let mixed = wgpu::BlendComponent {
                src_factor: wgpu::BlendFactor::Constant,
                dst_factor: wgpu::BlendFactor::OneMinusConstant,
                operation: wgpu::BlendOperation::Add,
            };
            let blends = [None, Some(wgpu::BlendState { color: mixed, alpha: mixed })];
            blends.map(|blend| {
                FullScreen {
                    label: "bloom",
                    layout: &layout,
                    module: &module,
                    entries: ["vs_tent", "fs_tent"],
                    constants: &[],
                    format: GLOW_FORMAT,
                    blend,
                }
                .build(gpu)
            })
        });
    }

    /// Spreads the light that `fill` draws on the first level. The pipelines must have been built.
    pub fn spread(
        &self,
        record: &mut Recording<'_>,
        glow: &Glow,
        fill: impl FnOnce(&mut wgpu::RenderPass<'_>),
    ) {
        let Some([smaller, larger]) = &self.pipelines else { return };
        let [first, wider @ ..] = &glow.levels[..] else { return };
        fill(&mut begin(record, first, wgpu::LoadOp::Clear(wgpu::Color::BLACK)));
        for (level, source) in wider.iter().zip(&glow.levels) {
            let mut pass = begin(record, level, wgpu::LoadOp::Clear(wgpu::Color::BLACK));
            pass.set_pipeline(smaller);
            pass.set_bind_group(0, &source.group, &[]);
            pass.draw(0..3, 0..1);
        }
        for (level, source) in glow.levels.iter().zip(wider).rev() {
            let mut pass = begin(record, level, wgpu::LoadOp::Load);
            pass.set_pipeline(larger);
            pass.set_blend_constant(wgpu::Color { r: WIDER, g: WIDER, b: WIDER, a: WIDER });
            pass.set_bind_group(0, &source.group, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

impl Glow {
    /// Allocates the levels for pictures of this size.
    pub fn new(gpu: &Gpu, bloom: &Bloom, size: [u32; 2]) -> Self {
        let count = (size[0].min(size[1]) / WIDEST).max(1).ilog2().max(1);
        let level = |i: u32| {
            let view = level_view(gpu, size.map(|edge| edge.div_ceil(2 << i)));
            Level { group: bind_sampled(gpu, &bloom.layout, &view, &bloom.sampler), view }
        };
        Self { levels: (0..count).map(level).collect() }
    }

    /// The spread light, for the last pass.
    pub fn group(&self) -> &wgpu::BindGroup {
        &self.levels[0].group
    }
}

fn level_view(gpu: &Gpu, size: [u32; 2]) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("bloom"),
        size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: GLOW_FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}

fn begin<'a>(
    record: &'a mut Recording<'_>,
    level: &Level,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPass<'a> {
    record.pass(
        "bloom",
        wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &level.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        },
    )
}

/// Whether light above white is spread: in the default look, around surfaces that emit such light.
pub fn has_lamps(frame: &Frame<'_>, plan: &Plan) -> bool {
    let materials = &frame.stage.properties.materials;
    let shines = |material: usize| {
        let Material { emissive, emissive_strength, .. } = &materials[material];
        emissive.iter().any(|light| light * emissive_strength > 1.0)
    };
    frame.look.blooms() && plan.draws.iter().filter_map(|draw| draw.material).any(shines)
}
