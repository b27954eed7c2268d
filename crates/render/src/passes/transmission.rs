//! A copy of the opaque picture for transmissive surfaces, with blurred mip levels for rough ones.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};

use super::pass::{Drawing, FramePass, Setup};
use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::{BindLayouts, bind_sampled, uniform};
use crate::scene::frame_recorder::{FrameRecorder, color};
use crate::{Gpu, shader};
use rigview_look::{Look, ToneMap};
use rigview_model::linear_from_srgb;

/// Format of the copy.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// The copy of the opaque picture.
#[derive(Default)]
pub struct Transmission {
    /// `None` if nothing transmissive is drawn.
    copy: Option<PictureCopy>,
    tone_map: ToneMap,
    pipelines: Option<Pipelines>,
}

/// The copy for pictures of one size.
struct PictureCopy {
    /// What is copied.
    picture: wgpu::TextureView,
    levels: Vec<Level>,
    /// Group 3 of the transmissive materials.
    group: wgpu::BindGroup,
    background: Background,
}

/// A mip level, and the bind group of its source: the level before it, or the picture.
struct Level {
    view: wgpu::TextureView,
    finer: wgpu::BindGroup,
}

/// The numbers of the picture's background, which the copy is blended over.
struct Background {
    numbers: wgpu::Buffer,
    group: wgpu::BindGroup,
}

/// The pipelines that draw the copy and its mip levels.
struct Pipelines {
    copy: Shader,
    copies: HashMap<ToneMap, wgpu::RenderPipeline>,
    smaller: wgpu::RenderPipeline,
}

/// `Background` in `shaders/opaque_copy.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BackgroundUniform {
    /// Linear, straight alpha.
    pub color: [f32; 4],
    /// Factor of the scene's light.
    pub exposure: f32,
    pub padding: [f32; 3],
}

impl Transmission {
    /// Returns group 3 of the transmissive materials; `None` if nothing transmissive is drawn.
    pub fn copy(&self) -> Option<&wgpu::BindGroup> {
        self.copy.as_ref().map(|copy| &copy.group)
    }
}

impl FramePass for Transmission {
    type Needs<'a> = ();

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, (): ()) {
        let shared = &setup.shared;
        let (gpu, look, canvas) = (shared.gpu, shared.frame.look, shared.canvas);
        let picture = canvas.first_stretch();
        let wanted = shared.scene.plan.shows_transmission(look);
        self.copy.take_if(|copy| !wanted || copy.picture != *picture);
        if wanted {
            let layout = &shared.layouts.transmission;
            let copy = self
                .copy
                .get_or_insert_with(|| PictureCopy::new(gpu, layout, picture, canvas.size));
            copy.background.write(gpu, look, look.exposure.exp2());
            self.tone_map = look.tone_map;
        }
    }

    fn free(&mut self) {
        self.copy = None;
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        if self.copy.is_some() {
            let pipelines = self.pipelines.get_or_insert_with(|| Pipelines::new(gpu, layouts));
            let Pipelines { copy, copies, .. } = pipelines;
            let tone_map = self.tone_map;
            copies.entry(tone_map).or_insert_with(|| {
                let constants = &[("tone_map", f64::from(tone_map as u8))][..];
                Pipeline {
                    constants: [constants; 2],
                    ..Pipeline::new(copy, "fs_copy", ["vs_copy", "fs_copy"], FORMAT)
                }
                .build(gpu)
            });
        }
    }

    /// Copies the picture, and draws the mip levels.
    fn record(&self, record: &mut FrameRecorder<'_>, _: &Drawing<'_>) {
        let Some((copy, pipelines)) = self.copy.as_ref().zip(self.pipelines.as_ref()) else {
            return;
        };
        let Some(largest) = pipelines.copies.get(&self.tone_map) else { return };
        for (i, level) in copy.levels.iter().enumerate() {
            let color_attachments =
                &[color(&level.view, wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT))];
            let descriptor = wgpu::RenderPassDescriptor { color_attachments, ..Default::default() };
            let mut pass = record.pass("opaque copy", descriptor);
            pass.set_pipeline(if i == 0 { largest } else { &pipelines.smaller });
            pass.set_bind_group(0, &level.finer, &[]);
            if i == 0 {
                pass.set_bind_group(1, &copy.background.group, &[]);
            }
            pass.draw(0..3, 0..1);
        }
    }
}

impl Pipelines {
    /// Builds the pipeline of the mip levels.
    fn new(gpu: &Gpu, layouts: &BindLayouts) -> Self {
        let shader = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            Shader::new(gpu, "opaque copy", shader::opaque_copy(), groups)
        };
        let smaller = shader(&[Some(&layouts.transmission)]);
        let smaller = Pipeline::new(&smaller, "fs_tent", ["vs_tent", "fs_tent"], FORMAT).build(gpu);
        let copy = shader(&[Some(&layouts.transmission), Some(&background_layout(gpu))]);
        Self { copy, copies: HashMap::new(), smaller }
    }
}

impl Background {
    fn new(gpu: &Gpu) -> Self {
        let numbers = gpu.uniform_buffer("background", size_of::<BackgroundUniform>() as u64);
        let layout = background_layout(gpu);
        let group = gpu.bind("background", &layout, &[numbers.as_entire_binding()]);
        Self { numbers, group }
    }

    fn write(&self, gpu: &Gpu, look: &Look, exposure: f32) {
        let [r, g, b, a] = look.background.map(|byte| f32::from(byte) / 255.0);
        let [r, g, b] = [r, g, b].map(linear_from_srgb);
        let uniform = BackgroundUniform { color: [r, g, b, a], exposure, padding: [0.0; 3] };
        gpu.queue.write_buffer(&self.numbers, 0, bytemuck::bytes_of(&uniform));
    }
}

fn background_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let stages = wgpu::ShaderStages::VERTEX_FRAGMENT;
    gpu.bind_layout("background", &[uniform::<BackgroundUniform>(0, stages, false)])
}

impl PictureCopy {
    fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        picture: &wgpu::TextureView,
        [width, height]: [u32; 2],
    ) -> Self {
        let sampler = gpu.smooth_sampler("opaque copy", wgpu::MipmapFilterMode::Linear);
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
                finer: bind_sampled(gpu, layout, &finer(level), &sampler),
            })
            .collect();
        let group = bind_sampled(gpu, layout, &view(0, None), &sampler);
        Self { picture: picture.clone(), levels, group, background: Background::new(gpu) }
    }
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
