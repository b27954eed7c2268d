//! Uploads the environment map.

use std::sync::Arc;

use crate::Gpu;
use rigview_look::EnvironmentSource;
use rigview_model::Environment;

/// A white texel of the format RGB9E5: three mantissas of 9 bits, and an exponent whose bias is 15 + 9.
const WHITE: u32 = 16 << 27 | 256 << 18 | 256 << 9 | 256;

/// The cube map of an environment; white for a uniform one.
pub struct EnvironmentTexture {
    source: Option<Arc<Environment>>,
    /// All mip levels of the cube map.
    pub view: wgpu::TextureView,
}

impl EnvironmentTexture {
    /// Uploads an environment.
    pub fn new(gpu: &Gpu, source: &EnvironmentSource) -> Self {
        match source {
            EnvironmentSource::Picture(environment) => Self {
                source: Some(Arc::clone(environment)),
                view: upload(gpu, environment.size, &environment.levels),
            },
            EnvironmentSource::Uniform(_) => {
                Self { source: None, view: upload(gpu, 1, &[vec![WHITE; 6]]) }
            }
        }
    }

    /// Whether the texture belongs to a source.
    pub fn shows(&self, source: &EnvironmentSource) -> bool {
        match (&self.source, source) {
            (Some(own), EnvironmentSource::Picture(other)) => Arc::ptr_eq(own, other),
            (own, EnvironmentSource::Uniform(_)) => own.is_none(),
            (None, EnvironmentSource::Picture(_)) => false,
        }
    }
}

fn upload(gpu: &Gpu, size: u32, levels: &[Vec<u32>]) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("environment map"),
        size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 6 },
        mip_level_count: levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgb9e5Ufloat,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (level, texels) in levels.iter().enumerate() {
        let edge = size >> level;
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &texture,
                mip_level: level as u32,
                origin: wgpu::Origin3d::ZERO,
                aspect: wgpu::TextureAspect::All,
            },
            bytemuck::cast_slice(texels),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * edge),
                rows_per_image: Some(edge),
            },
            wgpu::Extent3d { width: edge, height: edge, depth_or_array_layers: 6 },
        );
    }
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::Cube),
        ..Default::default()
    })
}
