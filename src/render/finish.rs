//! The last pass: converts the scene's linear colour to the target's bytes and adds background and
//! overlay.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};

use super::full_screen::FullScreen;
use super::layout::{samples, texture, uniform};
use super::recording::Recording;
use super::{Gpu, Target, shader};
use crate::look::{Look, Pass, ToneMap};

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FinishKey {
    /// The target's format.
    format: wgpu::TextureFormat,
    content: Content,
    /// Samples per pixel of the scene.
    samples: u32,
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
    pub fn new(format: wgpu::TextureFormat, look: &Look, samples: u32) -> Self {
        let content = match look.pass {
            pass if pass.is_shaded() => Content::Light(look.tone_map),
            Pass::Depth => Content::Grey,
            _ => Content::Data,
        };
        Self { format, content, samples }
    }

    /// Returns the values of the shader's `override`s.
    fn constants(self) -> [(&'static str, f64); 3] {
        let (content, tone_map) = match self.content {
            Content::Light(tone_map) => (0, tone_map as u8),
            Content::Data => (1, 0),
            Content::Grey => (2, 0),
        };
        [
            ("content", f64::from(content)),
            ("tone_map", f64::from(tone_map)),
            ("target_encodes", f64::from(u8::from(self.format.is_srgb()))),
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
        Self { layouts, pipelines: HashMap::new(), uniform, no_overlay }
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
        if let Some(key) = key {
            let pipeline = build(gpu, self.layout(key.samples), key);
            self.pipelines.insert(key, pipeline);
        }
    }

    /// Uploads the uniform; `exposure` is the factor of the scene's light.
    pub fn write(&self, gpu: &Gpu, look: &Look, exposure: f32, target: &Target<'_>) {
        let [left, top, _, _] = target.rect;
        let mut background = look.background.map(|b| f32::from(b) / 255.0);
        // As a mask, this pass is read as data.
        if look.pass == Pass::AmbientOcclusion && background[3] > 0.0 {
            background = [0.0, 0.0, 0.0, 1.0];
        }
        let uniform = FinishUniform { background, corner: [left, top], exposure, padding: 0 };
        gpu.queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(&uniform));
    }

    /// Clears the target and draws the picture into its rectangle. The pipeline must have been built, and
    /// the uniform uploaded by [`Finish::write`].
    pub fn draw(
        &self,
        record: &mut Recording<'_>,
        input: &FinishInput,
        look: &Look,
        target: &Target<'_>,
    ) {
        let [left, top, width, height] = target.rect;
        let key = FinishKey::new(target.format, look, input.samples);
        let Some(pipeline) = self.pipelines.get(&key) else { return };
        let mut pass = record.pass(
            "finish",
            wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: target.view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            },
        );
        pass.set_viewport(left as f32, top as f32, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(left, top, width, height);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &input.group, &[]);
        pass.draw(0..3, 0..1);
    }
}

fn build(gpu: &Gpu, layout: &wgpu::BindGroupLayout, key: FinishKey) -> wgpu::RenderPipeline {
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("last pass"),
        source: wgpu::ShaderSource::Wgsl(shader::finish(key.samples).into()),
    });
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("last pass"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    FullScreen {
        label: "last pass",
        layout: &layout,
        module: &module,
        entries: ["vs_finish", "fs_finish"],
        constants: &key.constants(),
        format: key.format,
    }
    .build(gpu)
}
