//! Pictures on the GPU.

use wgpu::util::DeviceExt;

use super::staging::{Level, Staging};
use super::{Gpu, mips};
use crate::model::{BlockFormat, Blocks, Filter, Image, Pixels, TextureSampler, Wrap};

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

    fn format_of(self, blocks: BlockFormat) -> wgpu::TextureFormat {
        let format = match blocks {
            BlockFormat::Bc7 => wgpu::TextureFormat::Bc7RgbaUnorm,
            BlockFormat::Astc => wgpu::TextureFormat::Astc {
                block: wgpu::AstcBlock::B4x4,
                channel: wgpu::AstcChannel::Unorm,
            },
            BlockFormat::Etc2 => wgpu::TextureFormat::Etc2Rgba8Unorm,
        };
        match self {
            Content::Color | Content::Cutout => format.add_srgb_suffix(),
            Content::Data => format,
        }
    }
}

/// Uploads a picture with its mip levels. One that is larger than `limit` pixels a side begins at
/// the first level that fits; one without pixels is a grey checkerboard.
pub fn upload(
    gpu: &Gpu,
    staging: &mut Staging,
    image: &Image,
    content: Content,
    with_mips: bool,
    limit: u32,
) -> wgpu::TextureView {
    let (width, height) = (image.width, image.height);
    let rgba = match &image.pixels {
        Pixels::Rgba8(rgba) => rgba,
        Pixels::Blocks(blocks) => {
            let uploaded =
                upload_blocks(gpu, staging, (width, height), blocks, (content, with_mips), limit);
            return uploaded.unwrap_or_else(|| checkerboard(gpu, staging));
        }
        Pixels::Header | Pixels::Missing => return checkerboard(gpu, staging),
    };
    let too_large = width.max(height) > limit;
    let below =
        if with_mips || too_large { mips::below(rgba, width, height, content) } else { Vec::new() };
    let mut levels = vec![Level { width, height, texels: rgba }];
    levels.extend(below.iter().map(|l| Level {
        width: l.width,
        height: l.height,
        texels: &l.rgba,
    }));
    levels.retain(|level| level.width.max(level.height) <= limit);
    if too_large {
        let Level { width: w, height: h, .. } = levels[0];
        log::warn!("a {width}x{height} picture is drawn as {w}x{h}: the adapter takes {limit}");
    }
    if !with_mips {
        levels.truncate(1);
    }
    upload_levels(gpu, staging, "picture", content.format(), &levels)
}

/// Uploads a picture of blocks with the levels that it has, from the first on that fits; `None` where
/// the adapter takes none of them.
fn upload_blocks(
    gpu: &Gpu,
    staging: &mut Staging,
    (width, height): (u32, u32),
    blocks: &Blocks,
    (content, with_mips): (Content, bool),
    limit: u32,
) -> Option<wgpu::TextureView> {
    let format = content.format_of(blocks.format);
    if !gpu.device.features().contains(format.required_features()) {
        log::warn!("a picture of {:?} blocks: the adapter takes none", blocks.format);
        return None;
    }
    let levels = blocks.levels.iter().zip(0..);
    let levels = levels.map(|(blocks, i)| Level {
        width: (width >> i).max(1),
        height: (height >> i).max(1),
        texels: blocks,
    });
    // The first one must be whole blocks.
    let fits = |level: &Level<'_>| {
        let sides = [level.width, level.height];
        sides.iter().all(|side| *side <= limit && side.is_multiple_of(4))
    };
    let mut levels: Vec<_> = levels.skip_while(|level| !fits(level)).collect();
    let Some(Level { width: w, height: h, .. }) = levels.first().copied() else {
        log::warn!("a {width}x{height} picture of blocks is not drawn: the adapter takes {limit}");
        return None;
    };
    if w != width {
        log::warn!("a {width}x{height} picture is drawn as {w}x{h}: the adapter takes {limit}");
    }
    if !with_mips {
        levels.truncate(1);
    }
    Some(upload_levels(gpu, staging, "picture of blocks", format, &levels))
}

/// One white pixel, for materials without a texture.
pub fn white(gpu: &Gpu, staging: &mut Staging) -> wgpu::TextureView {
    let pixel = Level { width: 1, height: 1, texels: &[255; 4] };
    upload_levels(gpu, staging, "white", Content::Data.format(), &[pixel])
}

/// What is shown for a picture that can't be read.
fn checkerboard(gpu: &Gpu, staging: &mut Staging) -> wgpu::TextureView {
    let mut rgba = Vec::with_capacity(8 * 8 * 4);
    for i in 0..64 {
        let grey = if (i % 8 + i / 8) % 2 == 0 { 0x60 } else { 0xa0 };
        rgba.extend([grey, grey, grey, 0xff]);
    }
    let board = Level { width: 8, height: 8, texels: &rgba };
    upload_levels(gpu, staging, "stand-in", Content::Color.format(), &[board])
}

fn upload_levels(
    gpu: &Gpu,
    staging: &mut Staging,
    label: &str,
    format: wgpu::TextureFormat,
    levels: &[Level<'_>],
) -> wgpu::TextureView {
    let Level { width, height, .. } = levels[0];
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    staging.write(gpu, &texture, levels);
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
