//! Bind group 0, shared by all draws of a frame: the uniforms in the frame's buffer, and the textures
//! kept here.

use super::bind_layouts::Layouts;
use super::buffer_layout::Eye;
use super::frame_data::FrameData;
use super::uniforms::{FrameUniform, LightsUniform};
use crate::look::EnvironmentSource;
use crate::render::Gpu;
use crate::render::passes::{occlusion, shadow};
use crate::render::upload::environment::EnvironmentTexture;

/// The environment and the shadow map, with their samplers.
pub struct FrameTextures {
    environment: EnvironmentTexture,
    /// The map that the key light's view is drawn on.
    pub shadow_map: wgpu::TextureView,
    /// Bound in its place while it is drawn.
    no_shadow: wgpu::TextureView,
    /// The ambient occlusion of pictures that have it.
    openness: Option<wgpu::TextureView>,
    /// Bound in its place otherwise.
    no_openness: wgpu::TextureView,
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
            shadow_map: shadow::texture(gpu, map_size),
            no_shadow: shadow::texture(gpu, 1),
            openness: None,
            no_openness: occlusion::placeholder(gpu),
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

    /// Replaces the ambient occlusion. Returns whether it is another one, which invalidates the bind groups.
    pub fn show_openness(&mut self, openness: Option<&wgpu::TextureView>) -> bool {
        let other = self.openness.as_ref() != openness;
        if other {
            self.openness = openness.cloned();
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
        let (shadow, openness) = match (eye, &self.openness) {
            (Eye::Camera, Some(openness)) => (&self.shadow_map, openness),
            (Eye::Camera, None) => (&self.shadow_map, &self.no_openness),
            (Eye::Light | Eye::Ground, _) => (&self.no_shadow, &self.no_openness),
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
                Eye::Ground => "frame of the ground",
            }),
            layout: &layouts.frame,
            entries: &[
                numbers(0, data.offsets.frame(eye), size_of::<FrameUniform>()),
                numbers(1, data.offsets.lights(), size_of::<LightsUniform>()),
                texture(2, &self.environment.view),
                sampler(3, &self.smooth),
                texture(4, shadow),
                sampler(5, &self.compare),
                texture(6, openness),
            ],
        })
    }
}
