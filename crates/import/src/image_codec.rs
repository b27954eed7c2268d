//! Image codecs: PNG, JPEG and WebP to eight-bit RGBA; `basis` decodes KTX2.
//!
//! The caller must have checked the size that the header states. A panic of a codec is an error. Of a JPEG image whose data is
//! damaged or cut short, what can be decoded is kept, as browsers do.

use std::io::Cursor;

use image::ImageDecoder;
use image::codecs::webp::WebPDecoder;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::basis;
use super::guard::reserve;
use rigview_model::{BlockFormats, Blocks};

/// Limit for the uncompressed size of a PNG's chunks other than pixels, in bytes.
const PNG_CHUNK_LIMIT: usize = 64 << 20;

/// Reads the size from the header.
pub(super) fn header(bytes: &[u8], format: Format) -> Result<Header, String> {
    guarded(|| match format {
        Format::Png => {
            let mut decoder = png_decoder(bytes);
            let info = decoder.read_header_info().map_err(|e| e.to_string())?;
            Ok(Header { width: info.width, height: info.height })
        }
        Format::Jpeg => {
            let (width, height) = jpeg_decoder(bytes)?.dimensions().ok_or("it has no size")?;
            // JPEG counts pixels in sixteen bits.
            Ok(Header { width: width as u32, height: height as u32 })
        }
        Format::WebP => {
            webp_header(bytes).ok_or_else(|| "its header is cut short or invalid".into())
        }
        Format::Ktx2 => basis::header(bytes),
    })
}

/// A decoded image.
pub(super) struct Decoded {
    /// RGBA, rows from the top.
    pub rgba: Vec<u8>,
    /// Why a part of it shows something else than was encoded.
    pub damage: Option<String>,
}

/// Decodes to RGBA.
pub(super) fn decode(bytes: &[u8], format: Format, header: Header) -> Result<Decoded, String> {
    guarded(|| {
        let size = header.width as usize * header.height as usize * 4;
        let mut damage = None;
        let room = || {
            let mut rgba = Vec::new();
            let reserved = reserve(&mut rgba, size);
            reserved.map(|()| rgba).map_err(|_| format!("no memory for {size} bytes"))
        };
        let widened = |raw: Raw| {
            if raw.channels == 4 {
                return Ok::<_, String>(raw.pixels);
            }
            let mut rgba = room()?;
            push_rgba(&mut rgba, &raw.pixels, raw.channels);
            Ok(rgba)
        };
        let rgba = match format {
            Format::Png => {
                let mut rgba = room()?;
                png_rows(bytes, |row, channels| push_rgba(&mut rgba, row, channels))?;
                rgba
            }
            Format::Jpeg => {
                let jpeg = jpeg_pixels(bytes)?;
                damage = jpeg.damage;
                widened(jpeg.raw)?
            }
            Format::WebP => widened(webp_pixels(bytes, header)?)?,
            Format::Ktx2 => basis::decode(bytes)?,
        };
        if rgba.len() == size {
            Ok(Decoded { rgba, damage })
        } else {
            Err(format!("{} bytes of pixels, the header states {size}", rgba.len()))
        }
    })
}

/// Decodes a KTX2 image to blocks (see [`basis::blocks`]). Returns `None` for other formats, or if
/// a level is broken.
pub(super) fn blocks(
    bytes: &[u8],
    format: Format,
    formats: BlockFormats,
    wants_mips: bool,
) -> Option<Blocks> {
    match format {
        Format::Ktx2 => guarded(|| basis::blocks(bytes, formats, wants_mips)).ok().flatten(),
        _ => None,
    }
}

/// Decodes an image to find defects, and drops the pixels. Returns the damage of one of which a part can be decoded.
pub(super) fn check(
    bytes: &[u8],
    format: Format,
    header: Header,
) -> Result<Option<String>, String> {
    guarded(|| match format {
        Format::Png => png_rows(bytes, |_, _| ()).map(|()| None),
        Format::Jpeg => jpeg_pixels(bytes).map(|jpeg| jpeg.damage),
        Format::WebP => webp_pixels(bytes, header).map(|_| None),
        Format::Ktx2 => basis::decode(bytes).map(|_| None),
    })
}

/// Runs a codec and turns its panic into an error.
fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    super::guard::guarded(read)
        .unwrap_or_else(|_| Err("the decoder panicked".into()))
        .map_err(|e| format!("the image is broken: {e}"))
}

fn png_decoder(bytes: &[u8]) -> png::Decoder<Cursor<&[u8]>> {
    let limits = png::Limits { bytes: PNG_CHUNK_LIMIT };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    // Colour profiles and texts are not used, and may decompress to any size.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    decoder
}

/// Calls `each` with every row, of 1 to 4 channels; for interlaced images with all rows at once.
fn png_rows(bytes: &[u8], mut each: impl FnMut(&[u8], usize)) -> Result<(), String> {
    let mut reader = png_decoder(bytes).read_info().map_err(|e| e.to_string())?;
    let channels = reader.output_color_type().0.samples();
    if reader.info().interlaced {
        let size = reader.output_buffer_size().ok_or("it is too large")?;
        let mut pixels = vec![0; size];
        reader.next_frame(&mut pixels).map_err(|e| e.to_string())?;
        each(&pixels, channels);
        return Ok(());
    }
    while let Some(row) = reader.next_row().map_err(|e| e.to_string())? {
        each(row.data(), channels);
    }
    Ok(())
}

/// Opens a decoder and reads the headers. It outputs RGBA for YCbCr, grey for grey, RGB for the
/// rest.
fn jpeg_decoder(bytes: &[u8]) -> Result<JpegDecoder<ZCursor<&[u8]>>, String> {
    // The output colour space must be set before the headers are read, so a wrong guess means
    // starting again.
    let giving = |space| {
        let options = DecoderOptions::default()
            .set_strict_mode(false)
            .set_max_width(usize::MAX)
            .set_max_height(usize::MAX)
            .jpeg_set_out_colorspace(space);
        let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
        decoder.decode_headers().map_err(said)?;
        Ok::<_, String>(decoder)
    };
    let decoder = giving(ColorSpace::RGBA)?;
    match decoder.input_colorspace() {
        Some(ColorSpace::YCbCr) => Ok(decoder),
        Some(ColorSpace::Luma) => giving(ColorSpace::Luma),
        _ => giving(ColorSpace::RGB),
    }
}

/// Returns an error of the JPEG codec without the quotes and line ends that it puts around its words.
fn said(error: zune_jpeg::errors::DecodeErrors) -> String {
    error.to_string().trim().trim_matches('"').to_owned()
}

/// The marker that ends a JPEG image.
const JPEG_END: [u8; 2] = [0xff, 0xd9];

/// Pixels as a codec gives them.
#[derive(PartialEq)]
struct Raw {
    pixels: Vec<u8>,
    /// Bytes per pixel: 1, 3 or 4.
    channels: usize,
}

/// A decoded JPEG image.
struct JpegPixels {
    raw: Raw,
    /// Why the rest of the image is not what was encoded.
    damage: Option<String>,
}

/// Decodes a JPEG image to 1, 3 or 4 channels: strictly, and if that fails as far as it can be decoded.
fn jpeg_pixels(bytes: &[u8]) -> Result<JpegPixels, String> {
    let decoded = |bytes: &[u8], is_strict: bool| {
        let mut decoder = jpeg_decoder(bytes)?;
        decoder.set_options(decoder.options().set_strict_mode(is_strict));
        let size = decoder.output_buffer_size().ok_or("it is too large")?;
        let channels = decoder.output_colorspace().map_or(0, |space| space.num_components());
        let mut pixels = vec![0; size];
        decoder.decode_into(&mut pixels).map_err(said)?;
        Ok::<_, String>(Raw { pixels, channels })
    };
    let damage = match decoded(bytes, true) {
        Ok(raw) => return Ok(JpegPixels { raw, damage: None }),
        Err(damage) => damage,
    };
    // A file that lacks its last marker only is whole. The decoder fills what is missing before the marker with zeros: if all
    // is there, other bits in their place change nothing.
    let data = bytes.strip_suffix(&[JPEG_END[0]]).unwrap_or(bytes);
    let ended = |filler: &[u8]| decoded(&[data, filler, &JPEG_END].concat(), true).ok();
    let whole = ended(&[]).filter(|raw| ended(&[0xaa; 8]).is_some_and(|filled| filled == *raw));
    match whole {
        Some(raw) => Ok(JpegPixels { raw, damage: None }),
        None => Ok(JpegPixels { raw: decoded(bytes, false)?, damage: Some(damage) }),
    }
}

/// Reads the size from the first chunk of a WebP image: VP8X, VP8L or VP8.
fn webp_header(bytes: &[u8]) -> Option<Header> {
    let number = |at: usize, length: usize| {
        let bytes = bytes.get(at..at + length)?;
        Some(bytes.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte)))
    };
    let (width, height) = match bytes.get(12..16)? {
        b"VP8X" => (number(24, 3)? + 1, number(27, 3)? + 1),
        b"VP8L" if bytes.get(20) == Some(&0x2f) => {
            let sides = number(21, 4)?;
            ((sides & 0x3fff) + 1, (sides >> 14 & 0x3fff) + 1)
        }
        b"VP8 " if bytes.get(23..26) == Some(&[0x9d, 0x01, 0x2a]) => {
            (number(26, 2)? & 0x3fff, number(28, 2)? & 0x3fff)
        }
        _ => return None,
    };
    Some(Header { width, height })
}

/// Decodes a WebP image to 3 or 4 channels.
fn webp_pixels(bytes: &[u8], header: Header) -> Result<Raw, String> {
    let decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let (width, height) = decoder.dimensions();
    if (Header { width, height }) != header {
        return Err(format!("{width} x {height} pixels, but its first chunk states another size"));
    }
    let channels = usize::from(decoder.color_type().channel_count());
    let mut pixels = vec![0; width as usize * height as usize * channels];
    decoder.read_image(&mut pixels).map_err(|e| e.to_string())?;
    Ok(Raw { pixels, channels })
}

/// Appends pixels of 1 to 4 channels (grey, grey with alpha, RGB, RGBA) as RGBA.
fn push_rgba(rgba: &mut Vec<u8>, pixels: &[u8], channels: usize) {
    fn push<const N: usize>(rgba: &mut Vec<u8>, pixels: &[u8], full: impl Fn(&[u8; N]) -> [u8; 4]) {
        // Works in pieces that stay in the cache: appending pixel by pixel is several times slower.
        let mut piece = [[0; 4]; 256];
        for pixels in pixels.as_chunks::<N>().0.chunks(piece.len()) {
            piece.iter_mut().zip(pixels).for_each(|(out, pixel)| *out = full(pixel));
            rgba.extend_from_slice(piece[..pixels.len()].as_flattened());
        }
    }
    match channels {
        1 => push(rgba, pixels, |[g]| [*g, *g, *g, 255]),
        2 => push(rgba, pixels, |[g, a]| [*g, *g, *g, *a]),
        3 => push(rgba, pixels, |[r, g, b]| [*r, *g, *b, 255]),
        _ => rgba.extend_from_slice(pixels),
    }
}

/// An image format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Jpeg,
    WebP,
    Ktx2,
}

impl Format {
    /// Returns the media type.
    pub fn mime(self) -> &'static str {
        match self {
            Format::Png => "image/png",
            Format::Jpeg => "image/jpeg",
            Format::WebP => "image/webp",
            Format::Ktx2 => "image/ktx2",
        }
    }
}

/// The size that an image's header states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Header {
    /// Returns the number of pixels.
    pub fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Recognises the format of an image by its first bytes.
pub(super) fn format(bytes: &[u8]) -> Result<Format, String> {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Ok(Format::Png),
        [0xff, 0xd8, 0xff, ..] => Ok(Format::Jpeg),
        [] => Err("the image is empty".into()),
        [0xab, b'K', b'T', b'X', ..] => Ok(Format::Ktx2),
        _ if is_webp => Ok(Format::WebP),
        _ => Err("not a PNG, JPEG, WebP or KTX2 image".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32, color: png::ColorType, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    #[test]
    fn pngs_of_all_colours_become_rgba() {
        let cases: [(png::ColorType, &[u8], [u8; 8]); 4] = [
            (png::ColorType::Grayscale, &[7, 9], [7, 7, 7, 255, 9, 9, 9, 255]),
            (png::ColorType::GrayscaleAlpha, &[7, 1, 9, 2], [7, 7, 7, 1, 9, 9, 9, 2]),
            (png::ColorType::Rgb, &[1, 2, 3, 4, 5, 6], [1, 2, 3, 255, 4, 5, 6, 255]),
            (png::ColorType::Rgba, &[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]),
        ];
        for (color, data, want) in cases {
            let bytes = png(2, 1, color, data);
            let header = header(&bytes, Format::Png).unwrap();
            assert_eq!(header, Header { width: 2, height: 1 });
            assert_eq!(decode(&bytes, Format::Png, header).unwrap().rgba, want);
        }
    }

    #[test]
    fn webps_with_and_without_alpha_become_rgba() {
        let cases = [
            (image::ColorType::Rgb8, vec![1u8, 2, 3, 4, 5, 6], [1, 2, 3, 255, 4, 5, 6, 255]),
            (image::ColorType::Rgba8, vec![1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]),
        ];
        for (color, data, want) in cases {
            let mut bytes = Vec::new();
            image::codecs::webp::WebPEncoder::new_lossless(&mut bytes)
                .encode(&data, 2, 1, color.into())
                .unwrap();
            assert_eq!(format(&bytes), Ok(Format::WebP));
            let read = header(&bytes, Format::WebP).unwrap();
            assert_eq!(read, Header { width: 2, height: 1 });
            assert_eq!(decode(&bytes, Format::WebP, read).unwrap().rgba, want);
            for end in 16..bytes.len() - 1 {
                assert!(check(&bytes[..end], Format::WebP, read).is_err(), "cut at {end}");
            }
        }
    }

    #[test]
    fn a_picture_cut_anywhere_is_an_error_and_no_panic() {
        let whole = png(8, 8, png::ColorType::Rgb, &[9; 192]);
        for end in 8..whole.len() - 12 {
            let header = Header { width: 8, height: 8 };
            assert!(check(&whole[..end], Format::Png, header).is_err(), "cut at {end}");
        }
        let one = Header { width: 1, height: 1 };
        assert!(check(&[0xff, 0xd8, 0xff, 0xe0, 0, 16], Format::Jpeg, one).is_err());
        assert!(format(b"<svg/>").is_err() && format(b"").is_err());
    }
}
