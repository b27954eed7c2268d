//! The texture that a picture is rendered to.

use super::Picture;
use crate::look::Pass;
use crate::render::{Gpu, GpuError};

/// Creates the texture that a pass is rendered to.
pub(super) fn texture(
    gpu: &Gpu,
    [width, height]: [u32; 2],
    pass: Pass,
) -> Result<wgpu::Texture, GpuError> {
    gpu.require(pass)?;
    check_size(gpu, [width, height])?;
    Ok(gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: Picture::target_format(pass),
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    }))
}

/// Checks a picture's size against the adapter's limit.
pub(super) fn check_size(gpu: &Gpu, [width, height]: [u32; 2]) -> Result<(), GpuError> {
    let limit = gpu.device.limits().max_texture_dimension_2d;
    if width.max(height) > limit {
        let text =
            format!("--size: {width}x{height} exceeds the adapter's limit of {limit}x{limit}");
        return Err(GpuError::TooMuch(text));
    }
    Ok(())
}
