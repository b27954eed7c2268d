//! Rendered pictures, and their encoding as PNG.

use std::borrow::Cow;
use std::io::{self, Write};

use rigview_compare::{Bitmap, DifferencePicture};
use rigview_look::Pass;
use rigview_render::{Gpu, GpuError};

/// A finished picture, rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// RGBA with straight alpha.
    Rgba8 {
        /// Width and height.
        size: [u32; 2],
        /// Four bytes per pixel.
        bytes: Vec<u8>,
    },
    /// RGB without alpha.
    Rgb8 {
        /// Width and height.
        size: [u32; 2],
        /// Three bytes per pixel.
        bytes: Vec<u8>,
    },
    /// One 16-bit value per pixel.
    Grey16 {
        /// Width and height.
        size: [u32; 2],
        /// One value per pixel.
        values: Vec<u16>,
    },
}

impl Picture {
    /// Returns the format of the texture that a pass is rendered to.
    pub(super) fn target_format(pass: Pass) -> wgpu::TextureFormat {
        match pass {
            Pass::Depth => wgpu::TextureFormat::R32Float,
            _ => wgpu::TextureFormat::Rgba8Unorm,
        }
    }

    /// Converts the texels of that format to a picture.
    pub(super) fn new(size: [u32; 2], pass: Pass, texels: Vec<u8>) -> Self {
        match pass {
            Pass::Depth => {
                let depth = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                let grey = |b: &[u8]| (depth(b).clamp(0.0, 1.0) * 65535.0).round() as u16;
                Picture::Grey16 { size, values: texels.chunks_exact(4).map(grey).collect() }
            }
            Pass::Mask => {
                let covered = |t: &[u8]| [if t[0] > 127 { 255 } else { 0 }; 3];
                Picture::Rgb8 { size, bytes: texels.chunks_exact(4).flat_map(covered).collect() }
            }
            _ => Picture::Rgba8 { size, bytes: texels },
        }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        match self {
            Picture::Rgba8 { size, .. }
            | Picture::Rgb8 { size, .. }
            | Picture::Grey16 { size, .. } => *size,
        }
    }

    /// Whether all pixels are opaque.
    pub fn is_opaque(&self) -> bool {
        match self {
            Picture::Rgba8 { bytes, .. } => bytes.chunks_exact(4).all(|p| p[3] == 255),
            Picture::Rgb8 { .. } | Picture::Grey16 { .. } => true,
        }
    }

    /// Returns the picture as RGBA with straight alpha, four bytes per pixel. Of 16-bit values, the upper
    /// bytes are kept.
    pub fn rgba(&self) -> Cow<'_, [u8]> {
        match self {
            Picture::Rgba8 { bytes, .. } => Cow::Borrowed(bytes),
            Picture::Rgb8 { bytes, .. } => {
                bytes.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect()
            }
            Picture::Grey16 { values, .. } => {
                let pixel = |value: &u16| {
                    let grey = value.to_be_bytes()[0];
                    [grey, grey, grey, 255]
                };
                values.iter().flat_map(pixel).collect()
            }
        }
    }

    /// Returns the pixels for a PNG file, without alpha if the picture is `opaque`.
    pub(super) fn samples(&self, opaque: bool) -> Samples<'_> {
        use png::{BitDepth, ColorType};
        match self {
            Picture::Rgba8 { bytes, .. } if opaque => {
                let bytes = bytes.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
                Samples { color: ColorType::Rgb, depth: BitDepth::Eight, bytes }
            }
            Picture::Rgba8 { bytes, .. } => {
                let bytes = Cow::Borrowed(&bytes[..]);
                Samples { color: ColorType::Rgba, depth: BitDepth::Eight, bytes }
            }
            Picture::Rgb8 { bytes, .. } => {
                let bytes = Cow::Borrowed(&bytes[..]);
                Samples { color: ColorType::Rgb, depth: BitDepth::Eight, bytes }
            }
            Picture::Grey16 { values, .. } => {
                let bytes = values.iter().flat_map(|v| v.to_be_bytes()).collect();
                Samples { color: ColorType::Grayscale, depth: BitDepth::Sixteen, bytes }
            }
        }
    }
}

/// A picture's pixels as a PNG file stores them.
pub(super) struct Samples<'a> {
    pub color: png::ColorType,
    pub depth: png::BitDepth,
    /// Rows from the top, without filters.
    pub bytes: Cow<'a, [u8]>,
}

impl Samples<'_> {
    /// Colour type and depth.
    pub fn format(&self) -> (png::ColorType, png::BitDepth) {
        (self.color, self.depth)
    }

    /// Bytes per pixel.
    pub fn pixel(&self) -> usize {
        self.color.samples() * if self.depth == png::BitDepth::Sixteen { 2 } else { 1 }
    }
}

impl From<&Picture> for Bitmap {
    /// Returns the pixels that the picture's PNG file has.
    fn from(picture: &Picture) -> Self {
        match picture {
            Picture::Rgba8 { size, bytes } => Bitmap::from_rgba8(*size, bytes),
            Picture::Rgb8 { size, bytes } => Bitmap::from_rgb8(*size, bytes),
            Picture::Grey16 { size, values } => Bitmap::from_grey16(*size, values),
        }
    }
}

impl From<DifferencePicture> for Picture {
    fn from(drawn: DifferencePicture) -> Self {
        Picture::Rgb8 { size: drawn.size, bytes: drawn.rgb }
    }
}

/// Writes a picture as a PNG. Equal pictures give equal bytes.
///
/// # Errors
/// If `out` can't be written.
pub fn write_png(picture: &Picture, out: impl Write) -> io::Result<()> {
    encode(picture, &[], png::Compression::Fast, out).map_err(png_failed)
}

/// Writes a picture as a PNG that is kept: half the size of [`write_png`]'s, and slower. It has these texts, each a keyword
/// of 1 to 79 Latin-1 characters and a value.
///
/// # Errors
/// If `out` can't be written.
pub fn write_small_png(
    picture: &Picture,
    texts: &[(&str, &str)],
    out: impl Write,
) -> io::Result<()> {
    encode(picture, texts, png::Compression::High, out).map_err(png_failed)
}

/// Converts an error of the PNG encoder.
pub(super) fn png_failed(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

fn encode(
    picture: &Picture,
    texts: &[(&str, &str)],
    compression: png::Compression,
    out: impl Write,
) -> Result<(), png::EncodingError> {
    // Alpha that is nowhere used is left out: other programs read such files faster.
    let samples = picture.samples(picture.is_opaque());
    let [width, height] = picture.size();
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(samples.color);
    encoder.set_depth(samples.depth);
    encoder.set_compression(compression);
    for (keyword, value) in texts {
        encoder.add_itxt_chunk((*keyword).to_owned(), (*value).to_owned())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&samples.bytes)?;
    writer.finish()
}

/// Creates the texture that a pass is rendered to.
pub(super) fn picture_texture(
    gpu: &Gpu,
    [width, height]: [u32; 2],
    pass: Pass,
) -> Result<wgpu::Texture, GpuError> {
    gpu.require(pass)?;
    check_size(gpu, [width, height])?;
    Ok(gpu.texture(
        "picture",
        [width, height],
        Picture::target_format(pass),
        wgpu::TextureUsages::COPY_SRC,
    ))
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
