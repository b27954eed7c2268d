//! The last pass: converts the scene's linear colour to the target's bytes and adds background and
//! overlay.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};

use super::bloom::{Bloom, GLOW_FORMAT, Glow};
use super::full_screen::FullScreen;
use crate::look::{Look, Pass, ToneMap};
use crate::render::scene::bind_layouts::{samples, texture, uniform};
use crate::render::scene::recording::Recording;
use crate::render::{Gpu, Target, shader};

/// Darkening in the picture's corners.
const VIGNETTE: f32 = 0.10;

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FinishKey {
    /// The target's format.
    format: wgpu::TextureFormat,
    content: Content,
    /// Samples per pixel of the scene.
    samples: u32,
    /// Whether light above white is spread.
    blooms: bool,
    vignetted: bool,
}

/// Meaning of the scene's texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Content {
    /// Light, to be tone-mapped.
    Light(ToneMap),
    /// Encoded colours, shown unchanged.
    Data,
    /// One value, shown as grey.
    Grey,
}

impl FinishKey {
    /// Returns the key for a look on a target of this format, with this many samples in the scene.
    pub fn new(format: wgpu::TextureFormat, look: &Look, samples: u32, blooms: bool) -> Self {
        let content = match look.pass {
            pass if pass.is_shaded() => Content::Light(look.tone_map),
            Pass::Depth => Content::Grey,
            _ => Content::Data,
        };
        Self { format, content, samples, blooms, vignetted: look.has_vignette() }
    }

    /// Returns the values of the shader's `override`s.
    fn constants(self) -> [(&'static str, f64); 5] {
        let (content, tone_map) = match self.content {
            Content::Light(tone_map) => (0, tone_map as u8),
            Content::Data => (1, 0),
            Content::Grey => (2, 0),
        };
        [
            ("content", f64::from(content)),
            ("tone_map", f64::from(tone_map)),
            ("target_encodes", f64::from(u8::from(self.format.is_srgb()))),
            ("blooms", f64::from(u8::from(self.blooms))),
            ("vignetted", f64::from(u8::from(self.vignetted))),
        ]
    }
}

/// `Finish` in `shaders/finish.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FinishUniform {
    /// sRGB, straight alpha.
    pub background: [f32; 4],
    /// Left and top of the picture on the target.
    pub corner: [u32; 2],
    /// Factor of the scene's light.
    pub exposure: f32,
    /// Unused.
    pub padding: u32,
    /// Middle of the whole picture on this part, one over its squared distance from the corners, darkening there.
    pub vignette: [f32; 4],
}

/// A drawn scene and its overlay, bound for the last pass.
pub struct FinishInput {
    group: wgpu::BindGroup,
    /// Samples per pixel of the bound scene.
    pub samples: u32,
}

/// The pipelines of the last pass.
pub struct Finish {
    /// For one sample per pixel, and for several.
    layouts: [wgpu::BindGroupLayout; 2],
    pipelines: HashMap<FinishKey, wgpu::RenderPipeline>,
    /// Draw the light above white, by samples per pixel.
    excess: HashMap<u32, wgpu::RenderPipeline>,
    /// Spreads it.
    pub bloom: Bloom,
    uniform: wgpu::Buffer,
    no_overlay: wgpu::TextureView,
}

impl Finish {
    /// Builds no pipeline yet.
    pub fn new(gpu: &Gpu) -> Self {
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let layout = |scene| {
            gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("last pass"),
                entries: &[
                    uniform::<FinishUniform>(0, fragment, false),
                    scene,
                    texture(2, fragment, false),
                ],
            })
        };
        let layouts = [layout(texture(1, fragment, false)), layout(samples(1, fragment))];
        let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("last pass uniform"),
            size: size_of::<FinishUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        // Textures are zero-initialised, so this one is transparent.
        let no_overlay = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("placeholder overlay"),
            size: wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let no_overlay = no_overlay.create_view(&Default::default());
        let (pipelines, excess) = (HashMap::new(), HashMap::new());
        Self { layouts, pipelines, excess, bloom: Bloom::new(gpu), uniform, no_overlay }
    }

    fn layout(&self, samples: u32) -> &wgpu::BindGroupLayout {
        &self.layouts[usize::from(samples > 1)]
    }

    /// Binds a drawn scene with this many samples per pixel and its overlay.
    pub fn bind(
        &self,
        gpu: &Gpu,
        scene: &wgpu::TextureView,
        samples: u32,
        overlay: Option<&wgpu::TextureView>,
    ) -> FinishInput {
        let overlay = overlay.unwrap_or(&self.no_overlay);
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("last pass input"),
            layout: self.layout(samples),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: self.uniform.as_entire_binding() },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::TextureView(scene),
                },
                wgpu::BindGroupEntry {
                    binding: 2,
                    resource: wgpu::BindingResource::TextureView(overlay),
                },
            ],
        });
        FinishInput { group, samples }
    }

    /// Returns the key if its pipeline is not built yet.
    pub fn missing(&self, key: FinishKey) -> Option<FinishKey> {
        Some(key).filter(|key| !self.pipelines.contains_key(key))
    }

    /// Builds the pipeline of the key, if there is one.
    pub fn build(&mut self, gpu: &Gpu, key: Option<FinishKey>) {
        let Some(key) = key else { return };
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("last pass"),
            source: wgpu::ShaderSource::Wgsl(shader::finish(key.samples).into()),
        });
        if key.blooms {
            self.bloom.build(gpu);
            let layouts = [Some(self.layout(key.samples))];
            let pipeline = build(gpu, &layouts, &module, None);
            self.excess.entry(key.samples).or_insert(pipeline);
        }
        let layouts = [Some(self.layout(key.samples)), Some(&self.bloom.layout)];
        let pipeline = build(gpu, &layouts, &module, Some(key));
        self.pipelines.insert(key, pipeline);
    }

    /// Uploads the uniform; `exposure` is the factor of the scene's light.
    pub fn write(&self, gpu: &Gpu, look: &Look, exposure: f32, target: &Target<'_>) {
        let [left, top, _, _] = target.rect;
        let mut background = look.background.map(|b| f32::from(b) / 255.0);
        // As a mask, this pass is read as data.
        if look.pass == Pass::AmbientOcclusion && background[3] > 0.0 {
            background = [0.0, 0.0, 0.0, 1.0];
        }
        let whole = target.whole().map(|edge| edge as f32);
        let corner = target.part.map_or([0.0; 2], |part| part.corner.map(|edge| edge as f32));
        let middle = [0, 1].map(|i| 0.5 * whole[i] - corner[i]);
        let reach = 0.25 * (whole[0] * whole[0] + whole[1] * whole[1]);
        let vignette = [middle[0], middle[1], 1.0 / reach, VIGNETTE];
        let corner = [left, top];
        let uniform = FinishUniform { background, corner, exposure, padding: 0, vignette };
        gpu.queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(&uniform));
    }

    /// Spreads the light above white. The pipelines must have been built, and the uniform uploaded by
    /// [`Finish::write`].
    pub fn spread(&self, record: &mut Recording<'_>, input: &FinishInput, glow: &Glow) {
        let Some(pipeline) = self.excess.get(&input.samples) else { return };
        self.bloom.spread(record, glow, |pass| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &input.group, &[]);
            pass.draw(0..3, 0..1);
        });
    }

    /// Clears the target and draws the picture into its rectangle, with `glow` if light was spread. The pipeline must
    /// have been built, and the uniform uploaded by [`Finish::write`].
    pub fn draw(
        &self,
        record: &mut Recording<'_>,
        (input, glow): (&FinishInput, Option<&Glow>),
        look: &Look,
        target: &Target<'_>,
    ) {
        let key = FinishKey::new(target.format, look, input.samples, glow.is_some());
        let Some(pipeline) = self.pipelines.get(&key) else { return };
        let mut pass = record.pass(
            "finish",
            wgpu::RenderPassDescriptor {
                color_attachments: &[Some(target.cleared())],
                ..Default::default()
            },
        );
        target.limit(&mut pass);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &input.group, &[]);
        pass.set_bind_group(1, glow.map_or(&self.bloom.nothing, Glow::group), &[]);
        pass.draw(0..3, 0..1);
    }
}

/// Builds the pipeline of a key; without one, that of the light above white.
fn build(
    gpu: &Gpu,
    layouts: &[Option<&wgpu::BindGroupLayout>],
    module: &wgpu::ShaderModule,
    key: Option<FinishKey>,
) -> wgpu::RenderPipeline {
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("last pass"),
        bind_group_layouts: layouts,
        immediate_size: 0,
    });
    FullScreen {
        label: "last pass",
        layout: &layout,
        module,
        entries: ["vs_finish", if key.is_some() { "fs_finish" } else { "fs_excess" }],
        constants: key.map(FinishKey::constants).as_ref().map_or(&[], |all| &all[..]),
        format: key.map_or(GLOW_FORMAT, |key| key.format),
        blend: None,
    }
    .build(gpu)
}
