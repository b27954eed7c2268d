//! The first bind group: what all draws of a frame share. Its numbers are in the frame's buffer; here
//! are the textures beside them.

use super::environment::EnvironmentTexture;
use super::frame::FrameBuffer;
use super::layout::{FrameUniform, Layouts, LightsUniform};
use super::{Gpu, shadow};
use crate::look::EnvironmentSource;

/// Environment and shadow map.
pub struct FrameTextures {
    environment: EnvironmentTexture,
    /// What the key light's view is drawn on.
    pub shadow_map: wgpu::TextureView,
    /// Bound while that is drawn.
    no_shadow: wgpu::TextureView,
    smooth: wgpu::Sampler,
    compare: wgpu::Sampler,
}

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eye {
    /// The picture's camera.
    Camera,
    /// The key light.
    Light,
}

impl FrameTextures {
    /// The textures of an environment, and a shadow map that is this many texels wide.
    pub fn new(gpu: &Gpu, source: &EnvironmentSource, map_size: u32) -> Self {
        let sampler = |compare| {
            gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                mipmap_filter: wgpu::MipmapFilterMode::Linear,
                compare,
                ..Default::default()
            })
        };
        Self {
            environment: EnvironmentTexture::new(gpu, source),
            shadow_map: shadow::texture(gpu, map_size),
            no_shadow: shadow::texture(gpu, 1),
            smooth: sampler(None),
            compare: sampler(Some(wgpu::CompareFunction::LessEqual)),
        }
    }

    /// Has the environment be this one. Says whether it was another, so that bind groups are old.
    pub fn show(&mut self, gpu: &Gpu, source: &EnvironmentSource) -> bool {
        let other = !self.environment.shows(source);
        if other {
            self.environment = EnvironmentTexture::new(gpu, source);
        }
        other
    }

    /// The bind group of one who looks.
    pub fn bind(
        &self,
        gpu: &Gpu,
        layouts: &Layouts,
        buffer: &FrameBuffer,
        eye: Eye,
    ) -> wgpu::BindGroup {
        let shadow = match eye {
            Eye::Camera => &self.shadow_map,
            Eye::Light => &self.no_shadow,
        };
        let numbers = |binding, offset, size: usize| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &buffer.buffer,
                offset,
                size: wgpu::BufferSize::new(size as u64),
            }),
        };
        let texture = |binding, view| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        };
        let sampler = |binding, sampler| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Sampler(sampler),
        };
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &layouts.frame,
            entries: &[
                numbers(0, buffer.offsets.frame(eye), size_of::<FrameUniform>()),
                numbers(1, buffer.offsets.lights(), size_of::<LightsUniform>()),
                texture(2, &self.environment.view),
                sampler(3, &self.smooth),
                texture(4, shadow),
                sampler(5, &self.compare),
            ],
        })
    }
}
