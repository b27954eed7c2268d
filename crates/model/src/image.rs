//! Images of a file.

use super::linear_from_srgb;

/// The pixels of an image.
#[derive(Clone, PartialEq)]
pub enum Pixels {
    /// Eight-bit RGBA, rows from the top, straight alpha.
    Rgba8(Vec<u8>),
    /// GPU block compression; width and height are multiples of four.
    Blocks(Blocks),
    /// No pixels are kept: only the size was read, or they were checked and dropped, or no texture uses
    /// them.
    Header,
    /// The image can't be read; a placeholder is shown.
    Missing,
}

impl std::fmt::Debug for Pixels {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Pixels::Rgba8(bytes) => write!(f, "Rgba8({} bytes)", bytes.len()),
            Pixels::Blocks(blocks) => {
                write!(f, "{:?}({} levels)", blocks.format, blocks.levels.len())
            }
            Pixels::Header => f.write_str("Header"),
            Pixels::Missing => f.write_str("Missing"),
        }
    }
}

impl Pixels {
    /// Returns the number of bytes of the pixels; 0 if there are none.
    pub fn bytes(&self) -> usize {
        match self {
            Pixels::Rgba8(rgba) => rgba.len(),
            Pixels::Blocks(blocks) => blocks.levels.iter().map(Vec::len).sum(),
            Pixels::Header | Pixels::Missing => 0,
        }
    }
}

/// A GPU block compression format: 4 x 4 texels with alpha in 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFormat {
    /// BC7, for desktop GPUs.
    Bc7,
    /// ASTC of 4 x 4 texels.
    Astc,
    /// ETC2 with EAC alpha.
    Etc2,
}

/// The block formats that an adapter supports; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockFormats {
    /// [`BlockFormat::Bc7`].
    pub bc7: bool,
    /// [`BlockFormat::Astc`].
    pub astc: bool,
    /// [`BlockFormat::Etc2`].
    pub etc2: bool,
}

/// A block-compressed image with all its mip levels, because levels can't be computed from blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// The block format.
    pub format: BlockFormat,
    /// The blocks of each level, row by row, the largest level first. Each level has half the size of the
    /// one before, rounded down, at least 1; its last blocks may extend beyond its edges.
    pub levels: Vec<Vec<u8>>,
}

/// Returns the mean colour of eight-bit sRGB pixels as [`Image::mean`] has it. Large images are sampled on a grid.
pub fn mean_color(rgba: &[u8], [width, height]: [u32; 2]) -> Option<[f32; 4]> {
    const MOST: usize = 64;
    let (width, height) = (width as usize, height as usize);
    if rgba.is_empty() || rgba.len() < 4 * width * height {
        return None;
    }
    let [across, down] = [width, height].map(|size| size.div_ceil(MOST));
    let (mut sum, mut count) = ([0.0_f32; 4], 0.0_f32);
    for y in (down / 2..height).step_by(down) {
        for x in (across / 2..width).step_by(across) {
            let at = 4 * (y * width + x);
            let [r, g, b, a] = [0, 1, 2, 3].map(|i| f32::from(rgba[at + i]) / 255.0);
            let [r, g, b] = [r, g, b].map(|value| linear_from_srgb(value) * a);
            let texel = [r, g, b, a];
            (0..4).for_each(|i| sum[i] += texel[i]);
            count += 1.0;
        }
    }
    Some(sum.map(|sum| sum / count))
}

/// An image.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The image's name.
    pub name: Option<String>,
    /// `image/png`, `image/jpeg`, `image/webp` or `image/ktx2`, detected from its content.
    pub mime: String,
    /// Width in pixels; 0 if unknown.
    pub width: u32,
    /// Height in pixels; 0 if unknown.
    pub height: u32,
    /// The pixels.
    pub pixels: Pixels,
    /// The mean colour, linear RGB times alpha, and the mean alpha, of pixels that are an sRGB colour. `None` if they
    /// were not decoded, and for KTX2, which not every adapter decodes.
    pub mean: Option<[f32; 4]>,
    /// Hash of the image's file, to tell whether two images are the same, also if they are of an unknown format. `None` if
    /// the file can't be read, or the import was not asked for it.
    pub digest: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_color_is_of_light_and_weighted_by_alpha() {
        let row = [[255, 255, 255, 255], [0, 0, 0, 255], [255, 0, 0, 0], [255, 255, 0, 255]];
        let mean = mean_color(&row.concat(), [4, 1]).unwrap();
        assert_eq!(mean, [0.5, 0.5, 0.25, 0.75]);
        // 188 is half the light of 255.
        let grey = mean_color(&[188, 188, 188, 255].repeat(200 * 3), [200, 3]).unwrap();
        assert!((grey[0] - 0.5029).abs() < 1e-3 && (grey[3] - 1.0).abs() < 1e-6, "{grey:?}");
        assert_eq!(mean_color(&[], [0, 0]), None);
        assert_eq!(mean_color(&[0; 8], [4, 1]), None, "too short");
    }
}
