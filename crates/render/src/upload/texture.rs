//! Uploads images and creates samplers.

use wgpu::util::DeviceExt;

use super::mips;
use super::mips::TexelKind;
use super::staging::{Level, Staging};
use crate::Gpu;
use crate::device::debug_label::debug_label;
use rigview_model::{BlockFormat, Blocks, Filter, Image, Pixels, TextureSampler, Wrap};

/// Options of an image's upload.
pub struct UploadOptions {
    /// The image's index in the model, for labels and messages.
    pub index: usize,
    pub kind: TexelKind,
    /// Whether it has mip levels.
    pub mips: bool,
    /// Largest width or height in pixels.
    pub limit: u32,
}

/// Uploads an image. If it is larger than the limit, its first mip level that fits takes its place. An
/// image without pixels is replaced by a grey checkerboard.
pub fn upload(
    gpu: &Gpu,
    staging: &mut Staging,
    image: &Image,
    options: &UploadOptions,
) -> wgpu::TextureView {
    let UploadOptions { kind, mips: with_mips, limit, .. } = *options;
    let label = debug_label("image", options.index, image.name.as_deref());
    let (width, height) = (image.width, image.height);
    let rgba = match &image.pixels {
        Pixels::Rgba8(rgba) => rgba,
        Pixels::Blocks(blocks) => {
            let uploaded = upload_blocks(gpu, staging, image, blocks, options);
            return uploaded.unwrap_or_else(|| checkerboard(gpu, staging, &label));
        }
        Pixels::Header | Pixels::Missing => return checkerboard(gpu, staging, &label),
    };
    let too_large = width.max(height) > limit;
    let below =
        if with_mips || too_large { mips::below(rgba, width, height, kind) } else { Vec::new() };
    let mut levels = vec![Level { width, height, texels: rgba }];
    levels.extend(below.iter().map(|l| Level {
        width: l.width,
        height: l.height,
        texels: &l.rgba,
    }));
    levels.retain(|level| level.width.max(level.height) <= limit);
    if too_large {
        warn_scaled(&label, [width, height], &levels[0], limit);
    }
    if !with_mips {
        levels.truncate(1);
    }
    upload_levels(gpu, staging, &label, format(kind), &levels)
}

fn warn_scaled(label: &str, [width, height]: [u32; 2], level: &Level<'_>, limit: u32) {
    let (w, h) = (level.width, level.height);
    log::warn!(
        "{label}: {width}x{height} pixels are scaled down to {w}x{h}; the adapter's limit is {limit}"
    );
}

/// Uploads a block-compressed image, from its first mip level that fits. `None` if the adapter does not
/// support the format or no level fits.
fn upload_blocks(
    gpu: &Gpu,
    staging: &mut Staging,
    image: &Image,
    blocks: &Blocks,
    options: &UploadOptions,
) -> Option<wgpu::TextureView> {
    let (width, height, limit) = (image.width, image.height, options.limit);
    let label = debug_label("image", options.index, image.name.as_deref());
    let format = block_format(options.kind, blocks.format);
    if !gpu.device.features().contains(format.required_features()) {
        log::warn!("{label}: the adapter does not support {:?} blocks; not drawn", blocks.format);
        return None;
    }
    let levels = blocks.levels.iter().zip(0..);
    let levels = levels.map(|(blocks, i)| Level {
        width: (width >> i).max(1),
        height: (height >> i).max(1),
        texels: blocks,
    });
    // The first level must consist of whole blocks.
    let fits = |level: &Level<'_>| {
        let sides = [level.width, level.height];
        sides.iter().all(|side| *side <= limit && side.is_multiple_of(4))
    };
    let mut levels: Vec<_> = levels.skip_while(|level| !fits(level)).collect();
    let Some(first) = levels.first() else {
        log::warn!(
            "{label}: {width}x{height} pixels exceed the adapter's limit of {limit}; not drawn"
        );
        return None;
    };
    if first.width != width {
        warn_scaled(&label, [width, height], first, limit);
    }
    if !options.mips {
        levels.truncate(1);
    }
    Some(upload_levels(gpu, staging, &label, format, &levels))
}

/// Returns the format of uncompressed texels.
fn format(kind: TexelKind) -> wgpu::TextureFormat {
    match kind {
        TexelKind::Color | TexelKind::Cutout | TexelKind::Masked(_) => {
            wgpu::TextureFormat::Rgba8UnormSrgb
        }
        TexelKind::Data => wgpu::TextureFormat::Rgba8Unorm,
    }
}

/// Returns the format of compressed blocks.
fn block_format(kind: TexelKind, blocks: BlockFormat) -> wgpu::TextureFormat {
    let format = match blocks {
        BlockFormat::Bc7 => wgpu::TextureFormat::Bc7RgbaUnorm,
        BlockFormat::Astc => wgpu::TextureFormat::Astc {
            block: wgpu::AstcBlock::B4x4,
            channel: wgpu::AstcChannel::Unorm,
        },
        BlockFormat::Etc2 => wgpu::TextureFormat::Etc2Rgba8Unorm,
    };
    match kind {
        TexelKind::Color | TexelKind::Cutout | TexelKind::Masked(_) => format.add_srgb_suffix(),
        TexelKind::Data => format,
    }
}

/// Uploads one white pixel, for slots without a texture.
pub fn white(gpu: &Gpu, staging: &mut Staging) -> wgpu::TextureView {
    let pixel = Level { width: 1, height: 1, texels: &[255; 4] };
    upload_levels(gpu, staging, "white pixel", format(TexelKind::Data), &[pixel])
}

/// Uploads the checkerboard that replaces an image without pixels.
fn checkerboard(gpu: &Gpu, staging: &mut Staging, label: &str) -> wgpu::TextureView {
    let mut rgba = Vec::with_capacity(8 * 8 * 4);
    for i in 0..64 {
        let grey = if (i % 8 + i / 8) % 2 == 0 { 0x60 } else { 0xa0 };
        rgba.extend([grey, grey, grey, 0xff]);
    }
    let board = Level { width: 8, height: 8, texels: &rgba };
    let label = format!("checkerboard for {label}");
    upload_levels(gpu, staging, &label, format(TexelKind::Color), &[board])
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

/// Uploads a float texture. `texels` must fill `size`, its width and height.
pub fn upload_floats(
    gpu: &Gpu,
    label: &str,
    texels: &[[f32; 4]],
    size: [u32; 2],
) -> wgpu::TextureView {
    let [width, height] = size;
    let descriptor = wgpu::TextureDescriptor {
        label: Some(label),
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

/// Creates a sampler. On hardware, trilinear filtering becomes anisotropic.
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
        label: Some(&format!("{:?} {:?}", sampler.wrap_u, sampler.wrap_v)),
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
