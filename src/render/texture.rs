//! Pictures on the GPU.

use wgpu::util::DeviceExt;

use super::{Gpu, mips};
use crate::model::{Filter, Image, Pixels, TextureSampler, Wrap};

/// A texture of so many is written by itself, so that the copies that this goes through are never
/// there for all textures of a model at once.
const MANY_TEXELS: u64 = 1 << 20;

/// What a picture's red, green and blue are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// A colour, as sRGB; alpha, if it says anything, is a number of its own.
    Color,
    /// A colour, as sRGB, of which alpha is there.
    Cutout,
    /// Numbers.
    Data,
}

impl Content {
    fn format(self) -> wgpu::TextureFormat {
        match self {
            Content::Color | Content::Cutout => wgpu::TextureFormat::Rgba8UnormSrgb,
            Content::Data => wgpu::TextureFormat::Rgba8Unorm,
        }
    }
}

/// Uploads a picture with its mip levels. One that is larger than `limit` pixels a side begins at
/// the first level that fits; one without pixels is a grey checkerboard.
pub fn upload(
    gpu: &Gpu,
    image: &Image,
    content: Content,
    with_mips: bool,
    limit: u32,
) -> wgpu::TextureView {
    let Pixels::Rgba8(rgba) = &image.pixels else {
        return checkerboard(gpu);
    };
    let (width, height) = (image.width, image.height);
    let too_large = width.max(height) > limit;
    let below =
        if with_mips || too_large { mips::below(rgba, width, height, content) } else { Vec::new() };
    let mut levels = vec![(width, height, rgba.as_slice())];
    levels.extend(below.iter().map(|l| (l.width, l.height, l.rgba.as_slice())));
    levels.retain(|(w, h, _)| *w <= limit && *h <= limit);
    if too_large {
        let (w, h, _) = levels[0];
        log::warn!("a {width}x{height} picture is drawn as {w}x{h}: the adapter takes {limit}");
    }
    if !with_mips {
        levels.truncate(1);
    }
    upload_levels(gpu, "picture", content, &levels)
}

/// One white pixel, for materials without a texture.
pub fn white(gpu: &Gpu) -> wgpu::TextureView {
    upload_levels(gpu, "white", Content::Data, &[(1, 1, &[255; 4])])
}

/// What is shown for a picture that can't be read.
fn checkerboard(gpu: &Gpu) -> wgpu::TextureView {
    let mut rgba = Vec::with_capacity(8 * 8 * 4);
    for i in 0..64 {
        let grey = if (i % 8 + i / 8) % 2 == 0 { 0x60 } else { 0xa0 };
        rgba.extend([grey, grey, grey, 0xff]);
    }
    upload_levels(gpu, "stand-in", Content::Color, &[(8, 8, &rgba)])
}

fn upload_levels(
    gpu: &Gpu,
    label: &str,
    content: Content,
    levels: &[(u32, u32, &[u8])],
) -> wgpu::TextureView {
    let (width, height, _) = levels[0];
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size,
        mip_level_count: levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: content.format(),
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (level, (width, height, rgba)) in levels.iter().enumerate() {
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &texture,
                mip_level: level as u32,
                origin: wgpu::Origin3d::ZERO,
                aspect: wgpu::TextureAspect::All,
            },
            rgba,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * width),
                rows_per_image: None,
            },
            wgpu::Extent3d { width: *width, height: *height, depth_or_array_layers: 1 },
        );
    }
    if u64::from(width) * u64::from(height) >= MANY_TEXELS {
        gpu.flush();
    }
    texture.create_view(&Default::default())
}

/// A float texture of rows of `width` texels; what is missing of the last row is zero.
pub fn upload_floats(gpu: &Gpu, texels: &[[f32; 4]], width: u32, height: u32) -> wgpu::TextureView {
    let descriptor = wgpu::TextureDescriptor {
        label: Some("morph deltas"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba32Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    };
    let order = wgpu::util::TextureDataOrder::LayerMajor;
    let bytes = bytemuck::cast_slice(texels);
    gpu.device
        .create_texture_with_data(&gpu.queue, &descriptor, order, bytes)
        .create_view(&Default::default())
}

/// How a texture is sampled, on the GPU.
pub fn sampler(gpu: &Gpu, sampler: &TextureSampler) -> wgpu::Sampler {
    let wrap = |wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::MirroredRepeat => wgpu::AddressMode::MirrorRepeat,
        Wrap::ClampToEdge => wgpu::AddressMode::ClampToEdge,
    };
    let filter = |filter| match filter {
        Filter::Nearest => wgpu::FilterMode::Nearest,
        Filter::Linear => wgpu::FilterMode::Linear,
    };
    let smooth = sampler.magnify == Filter::Linear
        && sampler.minify == Filter::Linear
        && sampler.mip == Some(Filter::Linear);
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: None,
        address_mode_u: wrap(sampler.wrap_u),
        address_mode_v: wrap(sampler.wrap_v),
        mag_filter: filter(sampler.magnify),
        min_filter: filter(sampler.minify),
        mipmap_filter: match sampler.mip {
            Some(Filter::Linear) => wgpu::MipmapFilterMode::Linear,
            _ => wgpu::MipmapFilterMode::Nearest,
        },
        anisotropy_clamp: if smooth && !gpu.is_software() { 8 } else { 1 },
        ..Default::default()
    })
}
