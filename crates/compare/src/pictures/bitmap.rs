//! Pictures as plain pixels of sixteen bits per channel, read from PNG files.

use std::io::Cursor;

/// Pixels that a picture may have: 8192x8192. A larger one is not decoded.
const MOST_PIXELS: u64 = 1 << 26;

/// Limit for the uncompressed size of a PNG's chunks other than pixels, in bytes.
const MOST_CHUNK_BYTES: usize = 64 << 20;

/// A picture, rows from the top. Every channel goes from 0 to 65535; a channel of eight bits is 257 times
/// its byte, so equal values of either depth are equal numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// Width and height.
    pub size: [u32; 2],
    /// Whether the picture has an alpha channel. Without one, all alphas are 65535.
    pub has_alpha: bool,
    /// Red, green, blue and straight alpha of each pixel. The three colours of a grey picture are equal.
    pub rgba: Vec<[u16; 4]>,
}

/// Why a PNG file can't be read.
#[derive(Debug, thiserror::Error)]
pub enum BitmapError {
    /// The file is of another kind.
    #[error("not a PNG file")]
    NotPng,
    /// The file is damaged.
    #[error("the PNG file is broken: {0}")]
    Broken(String),
    /// The picture has too many pixels.
    #[error("it is {}x{} pixels, which is too large: at most {MOST_PIXELS} pixels are compared", .0[0], .0[1])]
    TooLarge([u32; 2]),
}

impl Bitmap {
    /// Creates a picture from four bytes per pixel. It has alpha if any is below 255, so that it equals the
    /// PNG file that is written of it.
    ///
    /// # Panics
    /// If the number of bytes does not match the size.
    pub fn from_rgba8(size: [u32; 2], bytes: &[u8]) -> Self {
        let rgba: Vec<_> = bytes.as_chunks::<4>().0.iter().map(|p| p.map(wide)).collect();
        assert_eq!(rgba.len(), count(size), "four bytes per pixel");
        Self { size, has_alpha: rgba.iter().any(|p| p[3] < u16::MAX), rgba }
    }

    /// Creates a picture from three bytes per pixel.
    ///
    /// # Panics
    /// If the number of bytes does not match the size.
    pub fn from_rgb8(size: [u32; 2], bytes: &[u8]) -> Self {
        let opaque = |[r, g, b]: [u16; 3]| [r, g, b, u16::MAX];
        let rgba: Vec<_> = bytes.as_chunks::<3>().0.iter().map(|p| opaque(p.map(wide))).collect();
        assert_eq!(rgba.len(), count(size), "three bytes per pixel");
        Self { size, has_alpha: false, rgba }
    }

    /// Creates a picture from one grey value per pixel.
    ///
    /// # Panics
    /// If the number of values does not match the size.
    pub fn from_grey16(size: [u32; 2], values: &[u16]) -> Self {
        assert_eq!(values.len(), count(size), "one value per pixel");
        let rgba = values.iter().map(|&v| [v, v, v, u16::MAX]).collect();
        Self { size, has_alpha: false, rgba }
    }

    /// Reads a PNG file of any colour type and depth. Of an animation, it reads the first picture. Colour
    /// profiles and gamma are ignored.
    ///
    /// # Errors
    /// If the bytes are no PNG file, are damaged, or have too many pixels.
    pub fn from_png(bytes: &[u8]) -> Result<Self, BitmapError> {
        if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Err(BitmapError::NotPng);
        }
        let broken = |e: png::DecodingError| BitmapError::Broken(e.to_string());
        let limits = png::Limits { bytes: MOST_CHUNK_BYTES };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
        // These chunks may decompress to any size.
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        decoder.set_transformations(png::Transformations::EXPAND);
        let header = decoder.read_header_info().map_err(broken)?;
        let size = [header.width, header.height];
        if u64::from(size[0]) * u64::from(size[1]) > MOST_PIXELS {
            return Err(BitmapError::TooLarge(size));
        }
        let mut reader = decoder.read_info().map_err(broken)?;
        let (colour, depth) = reader.output_color_type();
        let length = reader.output_buffer_size().ok_or(BitmapError::TooLarge(size))?;
        let mut data = vec![0; length];
        reader.next_frame(&mut data).map_err(broken)?;
        let channels = colour.samples();
        let rgba = match depth {
            png::BitDepth::Sixteen => {
                expanded(&data, channels, |[high, low]: [u8; 2]| u16::from_be_bytes([high, low]))
            }
            _ => expanded(&data, channels, |[value]: [u8; 1]| wide(value)),
        };
        let has_alpha = matches!(channels, 2 | 4);
        Ok(Self { size, has_alpha, rgba })
    }

    /// Returns the width and height as array lengths.
    pub(crate) fn extent(&self) -> [usize; 2] {
        self.size.map(|n| n as usize)
    }
}

/// Returns the number of pixels of a picture of this size.
fn count([width, height]: [u32; 2]) -> usize {
    width as usize * height as usize
}

/// Returns a byte's value as sixteen bits.
fn wide(byte: u8) -> u16 {
    u16::from(byte) * 257
}

/// Converts pixels of 1 to 4 channels (grey, grey with alpha, RGB, RGBA), `N` bytes each.
fn expanded<const N: usize>(
    data: &[u8],
    channels: usize,
    value: impl Fn([u8; N]) -> u16,
) -> Vec<[u16; 4]> {
    let pixel = |bytes: &[u8]| {
        let mut v = bytes.as_chunks::<N>().0.iter().map(|bytes| value(*bytes));
        let mut next = || v.next().unwrap_or(u16::MAX);
        let first = next();
        match channels {
            1 | 2 => [first, first, first, next()],
            _ => [first, next(), next(), next()],
        }
    };
    data.chunks_exact(channels * N).map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(colour: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(colour);
        encoder.set_depth(depth);
        if colour == png::ColorType::Indexed {
            encoder.set_palette(vec![9, 8, 7, 255, 0, 1]);
            encoder.set_trns(vec![51]);
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    fn read(colour: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Bitmap {
        Bitmap::from_png(&png(colour, depth, data)).unwrap()
    }

    #[test]
    fn every_colour_type_and_depth_gives_the_same_pixels() {
        use png::{BitDepth, ColorType};
        let grey = read(ColorType::Grayscale, BitDepth::Eight, &[17, 255]);
        assert_eq!(grey.rgba, [[4369, 4369, 4369, 65535], [65535; 4]]);
        assert_eq!(grey, read(ColorType::Grayscale, BitDepth::Four, &[0x1f]));
        assert_eq!(grey, read(ColorType::Grayscale, BitDepth::Sixteen, &[17, 17, 255, 255]));
        assert_eq!(grey, read(ColorType::Rgb, BitDepth::Eight, &[17, 17, 17, 255, 255, 255]));
        assert_eq!(grey, Bitmap::from_grey16([2, 1], &[4369, 65535]));
        let alpha = read(ColorType::GrayscaleAlpha, BitDepth::Eight, &[17, 255, 255, 255]);
        assert!(alpha.has_alpha && alpha.rgba == grey.rgba);
        let palette = read(ColorType::Indexed, BitDepth::One, &[0b0100_0000]);
        assert_eq!(palette.rgba, [[9 * 257, 8 * 257, 7 * 257, 51 * 257], [65535, 0, 257, 65535]]);
        assert!(palette.has_alpha);
    }

    #[test]
    fn sixteen_bits_are_kept() {
        let picture = read(png::ColorType::Grayscale, png::BitDepth::Sixteen, &[1, 2, 0, 1]);
        assert_eq!(picture.rgba, [[258, 258, 258, 65535], [1, 1, 1, 65535]]);
    }

    #[test]
    fn a_wrong_file_is_an_error() {
        let whole = png(png::ColorType::Rgb, png::BitDepth::Eight, &[0; 6]);
        assert!(matches!(Bitmap::from_png(b"GIF89a"), Err(BitmapError::NotPng)));
        for end in 8..whole.len() - 12 {
            let cut = Bitmap::from_png(&whole[..end]);
            assert!(matches!(cut, Err(BitmapError::Broken(_))), "{end} bytes: {cut:?}");
        }
        let mut huge = whole;
        huge[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        // The checksum of the header.
        huge[29..33].copy_from_slice(&[0xe3, 0xe6, 0xa7, 0xb4]);
        let error = Bitmap::from_png(&huge).unwrap_err();
        assert!(matches!(error, BitmapError::TooLarge([65536, 65536])), "{error}");
    }
}
