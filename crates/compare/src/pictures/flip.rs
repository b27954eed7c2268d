//! FLIP for pictures of a display's range (LDR).
//!
//! Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström, Fairchild: "FLIP: A Difference Evaluator for
//! Alternating Images", 2020. It estimates the difference that a viewer sees when the pictures alternate
//! in one place: per pixel, from 0 to 1.

use rayon::prelude::*;

use super::bitmap::Bitmap;
use super::flip_colour::{hunt_lab, hyab, largest_hyab, opponent};
use super::flip_filter::{Kernels, Plane, Separable};

/// Pixels per degree of the viewer's field of view: a display of 3840 pixels and 0.7 m width, seen from 0.7 m.
pub const PIXELS_PER_DEGREE: f64 = 67.0;

/// Rows per task. Each task also filters the rows around its own.
const BAND: usize = 64;

/// Exponent of the distance of two colours.
const COLOUR_EXPONENT: f32 = 0.7;

/// The share of the largest distance that is mapped to [`KNEE_ERROR`].
const KNEE: f32 = 0.4;

/// The error of colours at the knee; distances above it share the rest.
const KNEE_ERROR: f32 = 0.95;

/// Exponent of the difference of edges and points.
const FEATURE_EXPONENT: f32 = 0.5;

/// Returns FLIP of each pixel, rows from the top. Alpha is ignored.
///
/// # Panics
/// If the sizes differ.
pub fn flip_map(a: &Bitmap, b: &Bitmap) -> Vec<f32> {
    assert_eq!(a.size, b.size, "pictures of one size");
    let width = a.extent()[0];
    let mut map = vec![0.0; a.rgba.len()];
    if a.rgba != b.rgba {
        let metric = Metric::new();
        let bands = map.par_chunks_mut(BAND * width).enumerate();
        bands.for_each(|(band, out)| metric.write_band(a, b, band * BAND, out));
    }
    map
}

/// The filters, and the constants that depend on none of the pictures.
struct Metric {
    kernels: Kernels,
    largest: f32,
}

/// What is compared of some rows of a picture.
struct Appearance {
    /// The colour that is seen at each pixel, in CIELAB.
    colours: Vec<[f32; 3]>,
    /// How strongly each pixel lies on an edge, and how strongly it is a point.
    features: Vec<[f32; 2]>,
}

impl Metric {
    fn new() -> Self {
        let largest = largest_hyab().powf(COLOUR_EXPONENT);
        Self { kernels: Kernels::new(PIXELS_PER_DEGREE), largest }
    }

    /// Writes the errors of the rows from `top`.
    fn write_band(&self, a: &Bitmap, b: &Bitmap, top: usize, out: &mut [f32]) {
        let reach = self.kernels.reach();
        let [width, height] = a.extent();
        let seen = top.saturating_sub(reach)..(top + BAND + reach).min(height);
        let seen = seen.start * width..seen.end * width;
        if a.rgba[seen.clone()] == b.rgba[seen] {
            return;
        }
        let rows = out.len() / width;
        let [a, b] = [a, b].map(|picture| self.appearance(picture, top, rows));
        let colours = a.colours.iter().zip(&b.colours).map(|(a, b)| self.colour_error(*a, *b));
        let features = a.features.iter().zip(&b.features).map(|(a, b)| feature_error(*a, *b));
        for ((out, colour), feature) in out.iter_mut().zip(colours).zip(features) {
            *out = colour.powf(1.0 - feature);
        }
    }

    /// Filters `rows` rows of a picture from `top`. Pixels outside of the picture have the value of its edge.
    fn appearance(&self, picture: &Bitmap, top: usize, rows: usize) -> Appearance {
        let [width, height] = picture.extent();
        let reach = self.kernels.reach();
        let mut planes = [const { Vec::new() }; 3];
        for row in top..top + rows + 2 * reach {
            let start = row.saturating_sub(reach).min(height - 1) * width;
            for pixel in &picture.rgba[start..start + width] {
                let values = opponent(*pixel);
                planes.iter_mut().zip(values).for_each(|(plane, value)| plane.push(value));
            }
        }
        let [y, cx, cz] = planes.map(|values| Plane::new(width, values));
        let kernels = &self.kernels;
        let even = |kernel| Separable { across: kernel, down: kernel };
        let [wide, narrow] = &kernels.yellow_blue;
        let seen = [
            y.filtered(&[even(&kernels.lightness)], reach),
            cx.filtered(&[even(&kernels.red_green)], reach),
            cz.filtered(&[even(wide), even(narrow)], reach),
        ];
        let strength = |kernel: &[f32]| {
            let across = Separable { across: kernel, down: &kernels.smooth };
            let down = Separable { across: &kernels.smooth, down: kernel };
            let [x, y] = [across, down].map(|filter| y.filtered(&[filter], reach));
            // The filters see lightness from 0 to 1.
            let length = |(x, y): (f32, f32)| x.hypot(y) / 116.0;
            x.into_iter().zip(y).map(length).collect::<Vec<f32>>()
        };
        let [edges, points] = [&kernels.edge, &kernels.point].map(|kernel| strength(kernel));
        Appearance {
            colours: (0..rows * width).map(|i| hunt_lab(seen.each_ref().map(|s| s[i]))).collect(),
            features: edges.into_iter().zip(points).map(|(edge, point)| [edge, point]).collect(),
        }
    }

    /// Returns the error of two colours, from 0 to 1.
    fn colour_error(&self, a: [f32; 3], b: [f32; 3]) -> f32 {
        let distance = hyab(a, b).powf(COLOUR_EXPONENT) / self.largest;
        match distance < KNEE {
            true => distance * KNEE_ERROR / KNEE,
            false => KNEE_ERROR + (distance - KNEE) / (1.0 - KNEE) * (1.0 - KNEE_ERROR),
        }
    }
}

/// Returns the error of the edges and points at a pixel, from 0 to 1.
fn feature_error([edge_a, point_a]: [f32; 2], [edge_b, point_b]: [f32; 2]) -> f32 {
    let off = (edge_a - edge_b).abs().max((point_a - point_b).abs());
    (off * std::f32::consts::FRAC_1_SQRT_2).powf(FEATURE_EXPONENT).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(map: &[f32]) -> f64 {
        map.iter().copied().map(f64::from).sum::<f64>() / map.len() as f64
    }

    /// The colour filters keep even pictures, and these have neither edges nor points, so only the colours count.
    #[test]
    fn black_and_white_differ_by_the_distance_of_their_lightness() {
        let [black, white] = [0, 65535].map(|v| Bitmap::from_grey16([5, 90], &[v; 450]));
        let share = 100.0f32.powf(0.7) / largest_hyab().powf(0.7);
        let expected = 0.95 + (share - 0.4) / 0.6 * 0.05;
        assert!((mean(&flip_map(&black, &white)) - f64::from(expected)).abs() < 1e-5);
    }

    #[test]
    fn far_pixels_are_unchanged_and_bands_join() {
        let mut values = vec![20000; 20 * 200];
        let even = Bitmap::from_grey16([20, 200], &values);
        values[20 * 64 + 7] = 60000;
        let map = flip_map(&even, &Bitmap::from_grey16([20, 200], &values));
        let rows: Vec<f64> = map.chunks_exact(20).map(mean).collect();
        for (y, error) in rows.iter().enumerate() {
            match y.abs_diff(64) {
                0..=4 => assert!(*error > 0.0, "row {y} is unchanged"),
                // The filters reach over ten rows, and their outermost weights may round to nothing.
                5..=10 => {}
                _ => assert!(*error < 1e-6, "row {y}: {error}"),
            }
        }
        for off in 1..10 {
            assert!((rows[64 - off] - rows[64 + off]).abs() < 1e-6, "{off} rows away");
        }
    }
}
