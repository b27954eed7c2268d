//! The table of how much light a surface reflects under uniform illumination, computed and documented by
//! `assets/make_reflectance.py`.

use wgpu::util::DeviceExt;

use crate::Gpu;

const BYTES: &[u8] = include_bytes!("../../../../assets/reflectance.bin");

/// Width and height in texels.
const SIZE: u32 = 64;

const _: () = assert!(BYTES.len() == (SIZE * SIZE * 8) as usize);

/// Uploads the table and creates the sampler that interpolates its entries.
pub fn upload(gpu: &Gpu) -> (wgpu::TextureView, wgpu::Sampler) {
    let descriptor = wgpu::TextureDescriptor {
        label: Some("reflectance"),
        size: wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba16Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    };
    let order = wgpu::util::TextureDataOrder::LayerMajor;
    let texture = gpu.device.create_texture_with_data(&gpu.queue, &descriptor, order, BYTES);
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("reflectance"),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    });
    (texture.create_view(&Default::default()), sampler)
}
