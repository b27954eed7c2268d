//! Writes a film as raw video, for programs such as ffmpeg: YUV4MPEG2 (`.y4m`), or plain RGBA bytes.

use std::io::{self, Write};

use super::ratio::ratio;
use super::{Film, Picture};

/// Limit of the numerator and denominator of a frame rate.
const MOST: u32 = 1_000_000;

/// Height in pixels from which on players take video without a colour tag for BT.709.
const HIGH_DEFINITION: u32 = 720;

/// Red's and blue's part of the luma, as Rec. ITU-R BT.601 and BT.709 define them.
const BT_601: [f32; 2] = [0.299, 0.114];
const BT_709: [f32; 2] = [0.2126, 0.0722];

/// Writes a film as YUV4MPEG2: 8 bits, 4:2:0 with chroma in the middle of each square of four pixels, limited
/// range. Pictures of 720 rows and more have the matrix of BT.709, lower ones that of BT.601, as players assume
/// for video that does not say. Alpha is ignored.
///
/// # Errors
/// If a frame is an error, or `out` can't be written.
pub fn write_y4m(
    film: &Film,
    frames: impl Iterator<Item = io::Result<Picture>>,
    mut out: impl Write,
) -> io::Result<()> {
    let [width, height] = film.size;
    let [over, under] = ratio(film.schedule.fps(), MOST);
    writeln!(
        out,
        "YUV4MPEG2 W{width} H{height} F{over}:{under} Ip A1:1 C420jpeg XYSCSS=420JPEG XCOLORRANGE=LIMITED"
    )?;
    let matrix = if height >= HIGH_DEFINITION { BT_709 } else { BT_601 };
    for frame in frames {
        out.write_all(b"FRAME\n")?;
        out.write_all(&planes(&frame?.rgba(), film.size.map(|n| n as usize), matrix))?;
    }
    out.flush()
}

/// Writes a film as RGBA with straight alpha: frame after frame, rows from the top, four bytes per pixel.
///
/// # Errors
/// If a frame is an error, or `out` can't be written.
pub fn write_rgba(
    frames: impl Iterator<Item = io::Result<Picture>>,
    mut out: impl Write,
) -> io::Result<()> {
    for frame in frames {
        out.write_all(&frame?.rgba())?;
    }
    out.flush()
}

/// Returns the three planes of a picture: luma of each pixel, then blue and red differences of each square of
/// four pixels. Squares at an odd edge have fewer pixels.
fn planes(rgba: &[u8], [width, height]: [usize; 2], [red, blue]: [f32; 2]) -> Vec<u8> {
    let green = 1.0 - red - blue;
    let half = [width.div_ceil(2), height.div_ceil(2)];
    let mut planes = Vec::with_capacity(width * height + 2 * half[0] * half[1]);
    let luma = |p: &[u8]| red * f32::from(p[0]) + green * f32::from(p[1]) + blue * f32::from(p[2]);
    let level = |low: f32, value: f32| (low + value).round().clamp(0.0, 255.0) as u8;
    planes.extend(rgba.chunks_exact(4).map(|p| level(16.0, luma(p) * (219.0 / 255.0))));
    let mut differences = [Vec::new(), Vec::new()];
    for y in 0..half[1] {
        for x in 0..half[0] {
            let (mut sum, mut count) = ([0.0; 3], 0.0);
            for row in 2 * y..(2 * y + 2).min(height) {
                for column in 2 * x..(2 * x + 2).min(width) {
                    let pixel = &rgba[4 * (row * width + column)..];
                    let parts = [luma(pixel), f32::from(pixel[2]), f32::from(pixel[0])];
                    (0..3).for_each(|i| sum[i] += parts[i]);
                    count += 1.0;
                }
            }
            let [luma, b, r] = sum.map(|x| x / count);
            for (to, (value, part)) in differences.iter_mut().zip([(b, blue), (r, red)]) {
                to.push(level(128.0, (value - luma) / (2.0 * (1.0 - part)) * (224.0 / 255.0)));
            }
        }
    }
    differences.iter().for_each(|plane| planes.extend(plane));
    planes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primaries_have_the_levels_of_the_recommendations() {
        for (matrix, colors) in [
            (BT_601, [[82, 90, 240], [145, 54, 34], [41, 240, 110]]),
            (BT_709, [[63, 102, 240], [173, 42, 26], [32, 240, 118]]),
        ] {
            for (channel, expected) in colors.iter().enumerate() {
                let mut pixel = [0, 0, 0, 255];
                pixel[channel] = 255;
                let near = planes(&pixel, [1, 1], matrix);
                let near = near.iter().zip(expected).all(|(a, b)| a.abs_diff(*b) <= 1);
                assert!(near, "{channel}: {:?}", planes(&pixel, [1, 1], matrix));
            }
            assert_eq!(planes(&[255; 4], [1, 1], matrix), [235, 128, 128]);
            assert_eq!(planes(&[0, 0, 0, 255], [1, 1], matrix), [16, 128, 128]);
        }
    }

    #[test]
    fn odd_sizes_have_a_square_at_the_edge() {
        let white = [255; 4 * 5 * 3];
        let planes = planes(&white, [5, 3], BT_601);
        assert_eq!(planes.len(), 15 + 2 * 3 * 2);
        assert!(planes[..15].iter().all(|y| *y == 235) && planes[15..].iter().all(|c| *c == 128));
    }
}
