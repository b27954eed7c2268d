//! Panoramas: an equirectangular .hdr or .exr file to linear colours, the input of `environment`.

use std::path::Path;

use glam::Vec3;
use image::{ImageDecoder, ImageFormat, ImageReader, Limits};
use rayon::prelude::*;

use super::fault::ImportError;
use super::files::read_file;
use super::guard::guarded;

/// Limit for the number of pixels; decoding takes twelve bytes per pixel.
const MOST_PIXELS: u64 = 1 << 26;

/// Limit for the file size in bytes: more than [`MOST_PIXELS`] take in any encoding.
const MOST_BYTES: u64 = 20 * MOST_PIXELS;

/// Upper bound for the pixels that one byte can encode in these formats.
const MOST_PIXELS_A_BYTE: u64 = 4096;

/// Wider images are downscaled: no level of an environment shows more detail.
const WIDEST: usize = 2048;

/// The largest value that a level can store.
const BRIGHTEST: f32 = 65408.0;

/// An image whose columns go round the horizon and whose rows go from straight up to straight down.
pub(super) struct Panorama {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<Vec3>,
}

impl Panorama {
    /// Reads a file. Components that are NaN or negative become 0.
    pub fn read(path: &Path) -> Result<Self, ImportError> {
        let fault = |what: String| ImportError::invalid("", what);
        let bytes = read_file(path, MOST_BYTES)?;
        // Third-party decoders may panic on a broken file.
        let decoded = guarded(|| decode(&bytes));
        decoded.unwrap_or_else(|_| Err("the decoder panicked".into())).map_err(fault)
    }

    /// Returns the colour in a direction of unit length: +X is in the middle of the image, +Z three
    /// quarters across, +Y at the top.
    pub fn sample(&self, direction: Vec3) -> Vec3 {
        let across = direction.z.atan2(direction.x) * std::f32::consts::FRAC_1_PI * 0.5 + 0.5;
        let down = direction.y.clamp(-1.0, 1.0).acos() * std::f32::consts::FRAC_1_PI;
        let x = across * self.width as f32 - 0.5;
        let y = (down * self.height as f32 - 0.5).clamp(0.0, (self.height - 1) as f32);
        let (left, top) = (x.floor(), y.floor());
        let column = |i: f32| (i as i64).rem_euclid(self.width as i64) as usize;
        let row = |i: f32| (i as usize).min(self.height - 1) * self.width;
        let between = |row: usize| {
            let (a, b) = (self.pixels[row + column(left)], self.pixels[row + column(left + 1.0)]);
            a.lerp(b, x - left)
        };
        between(row(top)).lerp(between(row(top + 1.0)), y - top)
    }
}

fn decode(bytes: &[u8]) -> Result<Panorama, String> {
    let reader = ImageReader::new(std::io::Cursor::new(bytes));
    let reader = reader.with_guessed_format().map_err(|e| e.to_string())?;
    if !matches!(reader.format(), Some(ImageFormat::Hdr | ImageFormat::OpenExr)) {
        return Err("neither a Radiance (.hdr) nor an OpenEXR (.exr) image".into());
    }
    let mut decoder = reader.into_decoder().map_err(|e| e.to_string())?;
    let (width, height) = decoder.dimensions();
    let count = u64::from(width) * u64::from(height);
    if count == 0 {
        return Err("it has no pixels".into());
    }
    if count > MOST_PIXELS {
        return Err(format!("{width}x{height} pixels, at most {MOST_PIXELS} are read"));
    }
    if count > MOST_PIXELS_A_BYTE * bytes.len() as u64 {
        return Err(format!(
            "{width}x{height} pixels, more than its {} bytes can hold",
            bytes.len()
        ));
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(32 * MOST_PIXELS);
    decoder.set_limits(limits).map_err(|e| e.to_string())?;
    let picture = image::DynamicImage::from_decoder(decoder).map_err(|e| e.to_string())?;
    let picture = picture.into_rgb32f();
    Ok(smaller(&picture, (width as usize).div_ceil(WIDEST)))
}

/// Averages squares of `step` pixels. Incomplete squares at the right and bottom edge are averaged
/// over the pixels they have.
fn smaller(picture: &image::Rgb32FImage, step: usize) -> Panorama {
    let (from_width, from_height) = (picture.width() as usize, picture.height() as usize);
    let (width, height) = (from_width.div_ceil(step), from_height.div_ceil(step));
    let from = picture.as_raw();
    let light = |x: usize, y: usize| {
        let at = 3 * (y * from_width + x);
        let part = |c: f32| if c > 0.0 { c.min(BRIGHTEST) } else { 0.0 };
        Vec3::new(part(from[at]), part(from[at + 1]), part(from[at + 2]))
    };
    let pixel = |i: usize| {
        let (x, y) = (i % width * step, i / width * step);
        let (right, below) = ((x + step).min(from_width), (y + step).min(from_height));
        let mut sum = Vec3::ZERO;
        for y in y..below {
            for x in x..right {
                sum += light(x, y);
            }
        }
        sum / ((right - x) * (below - y)) as f32
    };
    let pixels = (0..width * height).into_par_iter().map(pixel).collect();
    Panorama { width, height, pixels }
}
