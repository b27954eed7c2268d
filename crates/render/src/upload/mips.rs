//! Mip levels of eight-bit images, computed on the CPU: on the GPU they would need one more pipeline, and
//! building it costs a cold start more than the filtering does.
//!
//! Colours are averaged in linear light. Cut-outs are also weighted by alpha, so that their edges do not
//! darken, and an alpha mask leaves nearly the same share of each level. Data is averaged unchanged.

use rigview_model::{AlphaCoverage, linear_from_srgb, srgb_from_linear};

/// Minimum number of texels in the last mip level of an alpha mask: smaller levels would be drawn entirely or not at all.
const LEAST_MASKED: u32 = 16;

/// Meaning of an image's red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexelKind {
    /// An sRGB colour. Alpha, if used, is independent of it.
    Color,
    /// An sRGB colour whose alpha is its opacity.
    Cutout,
    /// The same of an alpha mask, which draws texels with this alpha and more. It is not 0.
    Masked(u8),
    /// Linear values.
    Data,
}

/// A mip level: RGBA rows from the top.
pub struct MipLevel {
    /// Pixels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Four bytes per pixel.
    pub rgba: Vec<u8>,
}

/// Computes the mip levels below an image, each half the size of the one before, down to one pixel; those of an alpha
/// mask end before that.
pub fn below(rgba: &[u8], width: u32, height: u32, kind: TexelKind) -> Vec<MipLevel> {
    let curve = Curve::new();
    let mut levels: Vec<MipLevel> = Vec::new();
    let (mut w, mut h) = (width, height);
    let least = if matches!(kind, TexelKind::Masked(_)) { LEAST_MASKED } else { 1 };
    let halves = |w: u32, h: u32| (w > 1 || h > 1) && (w / 2).max(1) * (h / 2).max(1) >= least;
    while halves(w, h) {
        let source = levels.last().map_or(rgba, |l| &l.rgba);
        levels.push(match kind {
            TexelKind::Color => halved(source, w, h, |texels| curve.mean(texels)),
            TexelKind::Cutout | TexelKind::Masked(_) => {
                halved(source, w, h, |texels| curve.weighted_mean(texels))
            }
            TexelKind::Data => halved(source, w, h, plain_mean),
        });
        (w, h) = ((w / 2).max(1), (h / 2).max(1));
    }
    if let TexelKind::Masked(least) = kind {
        let coverage = AlphaCoverage::measure(rgba, least);
        levels.iter_mut().for_each(|level| coverage.keep(&mut level.rgba, level.width as usize));
    }
    levels
}

/// Tables from sRGB bytes to linear light in units of 1/65535, and back.
struct Curve {
    linear: [u32; 256],
    srgb: Vec<u8>,
}

/// Resolution of the table from linear light to sRGB: fine enough that every byte survives the round trip.
const STEPS: usize = 4096;

impl Curve {
    fn new() -> Self {
        let linear = |byte: usize| (linear_from_srgb(byte as f32 / 255.0) * 65535.0).round() as u32;
        let srgb = |step: usize| (srgb_from_linear(step as f32 / STEPS as f32) * 255.0).round();
        Self {
            linear: std::array::from_fn(linear),
            srgb: (0..=STEPS).map(|step| srgb(step) as u8).collect(),
        }
    }

    fn encode(&self, linear: u32) -> u8 {
        self.srgb[(linear as usize * STEPS + 32767) / 65535]
    }

    /// Returns the mean of sRGB texels in linear light.
    #[inline(always)]
    fn mean(&self, texels: &[[u8; 4]]) -> [u8; 4] {
        let n = texels.len() as u32;
        let sum = |c: usize| sum(texels, |t| self.linear[usize::from(t[c])]);
        let [_, _, _, alpha] = plain_mean(texels);
        [self.encode(sum(0) / n), self.encode(sum(1) / n), self.encode(sum(2) / n), alpha]
    }

    /// Like [`Curve::mean`], weighted by alpha; unweighted if all alphas are zero.
    fn weighted_mean(&self, texels: &[[u8; 4]]) -> [u8; 4] {
        let weights = sum(texels, |t| u32::from(t[3]));
        if weights == 0 {
            return self.mean(texels);
        }
        let light = |t: &[u8; 4], c: usize| self.linear[usize::from(t[c])] * u32::from(t[3]);
        let [_, _, _, alpha] = plain_mean(texels);
        let mean = |c: usize| self.encode(sum(texels, |t| light(t, c)) / weights);
        [mean(0), mean(1), mean(2), alpha]
    }
}

/// Halves an image: each pixel is the mean of two by two, or of three where an odd side leaves one over.
fn halved(
    rgba: &[u8],
    width: u32,
    height: u32,
    mean: impl Fn(&[[u8; 4]]) -> [u8; 4] + Sync,
) -> MipLevel {
    use rayon::prelude::*;
    let (w, h) = ((width / 2).max(1), (height / 2).max(1));
    let mut out = vec![0; (w * h * 4) as usize];
    let span = |at: u32, size: u32| {
        let first = (2 * at).min(size - 1);
        let more = if at == (size / 2).max(1) - 1 { size } else { 2 * at + 2 };
        first..more.min(size)
    };
    out.par_chunks_mut(w as usize * 4).enumerate().for_each(|(y, row)| {
        let rows = span(y as u32, height);
        if rows.len() == 2 && width.is_multiple_of(2) {
            // The common case: a constant number of texels lets the compiler vectorise.
            let length = width as usize * 4;
            let pair = &rgba[rows.start as usize * length..][..2 * length];
            let (upper, lower) = pair.split_at(length);
            let eights = upper.as_chunks::<8>().0.iter().zip(lower.as_chunks::<8>().0);
            for (pixel, (a, b)) in row.as_chunks_mut::<4>().0.iter_mut().zip(eights) {
                let [[a, c], [b, d]] = [a, b].map(|eight| {
                    let [r, g, b, a, red, green, blue, alpha] = *eight;
                    [[r, g, b, a], [red, green, blue, alpha]]
                });
                *pixel = mean(&[a, c, b, d]);
            }
            return;
        }
        for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
            let (mut texels, mut n) = ([[0; 4]; 9], 0);
            for sy in rows.clone() {
                for sx in span(x as u32, width) {
                    let at = (sy as usize * width as usize + sx as usize) * 4;
                    texels[n].copy_from_slice(&rgba[at..at + 4]);
                    n += 1;
                }
            }
            pixel.copy_from_slice(&mean(&texels[..n]));
        }
    });
    MipLevel { width: w, height: h, rgba: out }
}

#[inline(always)]
fn plain_mean(texels: &[[u8; 4]]) -> [u8; 4] {
    let n = texels.len() as u32;
    let mean = |c: usize| ((sum(texels, |t| u32::from(t[c])) + n / 2) / n) as u8;
    [mean(0), mean(1), mean(2), mean(3)]
}

/// Adds the values of texels. Nearly always they are four, which need no loop.
#[inline(always)]
fn sum(texels: &[[u8; 4]], value: impl Fn(&[u8; 4]) -> u32) -> u32 {
    match texels {
        [a, b, c, d] => value(a) + value(b) + value(c) + value(d),
        _ => texels.iter().map(value).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_curve() {
        for side in [1u32, 2, 3, 7] {
            for value in 0..=255u8 {
                let picture = vec![value; (side * side * 4) as usize];
                for level in below(&picture, side, side, TexelKind::Color) {
                    assert!(level.rgba.iter().all(|b| *b == value), "{value} at {side}");
                }
            }
        }
    }

    #[test]
    fn colours_average_in_linear_light() {
        let picture = [[255, 255, 255, 255], [0, 0, 0, 255]].concat();
        let levels = below(&picture, 2, 1, TexelKind::Color);
        assert_eq!((levels.len(), levels[0].rgba[0]), (1, 188));
    }

    #[test]
    fn data_is_averaged_unchanged() {
        let picture = [[255, 10, 0, 0], [0, 20, 1, 255]].concat();
        assert_eq!(below(&picture, 2, 1, TexelKind::Data)[0].rgba, [128, 15, 1, 128]);
    }

    #[test]
    fn transparent_texels_do_not_bleed() {
        let picture = [[255, 0, 0, 255], [0, 255, 0, 0]].concat();
        assert_eq!(below(&picture, 2, 1, TexelKind::Cutout)[0].rgba, [255, 0, 0, 128]);
    }

    /// A thin stripe in each four columns. Levels are drawn filtered, so that a texel is not drawn as far as its edges.
    #[test]
    fn a_mask_draws_the_same_share_of_all_levels() {
        let texel = |i: u32| [0, 200, 0, if i.is_multiple_of(4) { 255 } else { 0 }];
        let picture: Vec<u8> = (0..64 * 64).flat_map(texel).collect();
        let levels = below(&picture, 64, 64, TexelKind::Masked(128));
        for level in &levels {
            let (w, h) = (level.width, level.height);
            let alpha =
                |x: u32, y: u32| f32::from(level.rgba[(4 * (x % w + y % h * w) + 3) as usize]);
            let filtered = |x: u32, y: u32| {
                let [u, v] = [x, y].map(|at| (at % 4) as f32 / 4.0);
                let row = |y: u32| alpha(x / 4, y) * (1.0 - u) + alpha(x / 4 + 1, y) * u;
                row(y / 4) * (1.0 - v) + row(y / 4 + 1) * v
            };
            let places = (0..4 * h).flat_map(|y| (0..4 * w).map(move |x| (x, y)));
            let drawn = places.filter(|(x, y)| filtered(*x, *y) >= 128.0).count();
            let share = drawn as f32 / (16 * w * h) as f32;
            assert!((0.12..0.4).contains(&share), "{w} texels wide: {share}");
        }
        assert_eq!(levels.last().map(|last| (last.width, last.height)), Some((4, 4)));
    }

    /// Such as sheen, whose alpha is its roughness.
    #[test]
    fn an_alpha_that_is_data_does_not_weight_the_colour() {
        let picture = [[255, 0, 0, 255], [0, 255, 0, 0]].concat();
        assert_eq!(below(&picture, 2, 1, TexelKind::Color)[0].rgba, [188, 188, 0, 128]);
    }

    #[test]
    fn odd_sides_lose_no_row() {
        let mut picture = vec![0u8; 3 * 4];
        picture[8..12].copy_from_slice(&[255; 4]);
        let levels = below(&picture, 3, 1, TexelKind::Color);
        assert_eq!((levels[0].width, levels[0].rgba[3]), (1, 85));
    }
}
