//! Bind group 0, shared by all draws of a frame: the uniforms in the frame's buffer, and the textures
//! kept here.

use super::environment::EnvironmentTexture;
use super::frame_data::FrameData;
use super::layout::Layouts;
use super::offsets::Eye;
use super::uniforms::{FrameUniform, LightsUniform};
use super::{Gpu, shadow_map};
use crate::look::EnvironmentSource;

/// The environment and the shadow map, with their samplers.
pub struct FrameTextures {
    environment: EnvironmentTexture,
    /// The map that the key light's view is drawn on.
    pub shadow_map: wgpu::TextureView,
    /// Bound in its place while it is drawn.
    no_shadow: wgpu::TextureView,
    smooth: wgpu::Sampler,
    compare: wgpu::Sampler,
}

impl FrameTextures {
    /// Uploads an environment and creates a shadow map of `map_size` by `map_size` texels.
    pub fn new(gpu: &Gpu, source: &EnvironmentSource, map_size: u32) -> Self {
        let sampler = |label, compare| {
            gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some(label),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                mipmap_filter: wgpu::MipmapFilterMode::Linear,
                compare,
                ..Default::default()
            })
        };
        Self {
            environment: EnvironmentTexture::new(gpu, source),
            shadow_map: shadow_map::texture(gpu, map_size),
            no_shadow: shadow_map::texture(gpu, 1),
            smooth: sampler("environment", None),
            compare: sampler("shadow map", Some(wgpu::CompareFunction::LessEqual)),
        }
    }

    /// Replaces the environment if `source` is another one. Returns whether it did, which invalidates the
    /// bind groups.
    pub fn show(&mut self, gpu: &Gpu, source: &EnvironmentSource) -> bool {
        let other = !self.environment.shows(source);
        if other {
            self.environment = EnvironmentTexture::new(gpu, source);
        }
        other
    }

    /// Creates the bind group of a viewpoint.
    pub fn bind(
        &self,
        gpu: &Gpu,
        layouts: &Layouts,
        data: &FrameData,
        eye: Eye,
    ) -> wgpu::BindGroup {
        let shadow = match eye {
            Eye::Camera => &self.shadow_map,
            Eye::Light => &self.no_shadow,
        };
        let numbers = |binding, offset, size: usize| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &data.buffer,
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
            label: Some(match eye {
                Eye::Camera => "frame of the camera",
                Eye::Light => "frame of the key light",
            }),
            layout: &layouts.frame,
            entries: &[
                numbers(0, data.offsets.frame(eye), size_of::<FrameUniform>()),
                numbers(1, data.offsets.lights(), size_of::<LightsUniform>()),
                texture(2, &self.environment.view),
                sampler(3, &self.smooth),
                texture(4, shadow),
                sampler(5, &self.compare),
            ],
        })
    }
}
