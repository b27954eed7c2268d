//! What is drawn on.

use super::Gpu;

/// A colour view to draw on, whoever owns its texture.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// What is drawn on.
    pub view: &'a wgpu::TextureView,
    /// Its format.
    pub format: wgpu::TextureFormat,
    /// Where on it the picture goes: left, top, width and height in pixels. The rest is cleared to
    /// black.
    pub rect: [u32; 4],
}

/// A texture of our own to draw on, so many pixels wide and high.
pub fn attachment(
    gpu: &Gpu,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    sample_count: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("canvas"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}
