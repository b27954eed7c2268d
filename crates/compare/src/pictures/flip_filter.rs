//! The filters of FLIP, all of them separable: the eye's contrast sensitivity, edges and points.

use std::f64::consts::PI;

/// A filter's weights along one axis, an odd number of them.
pub(crate) type Kernel = Vec<f32>;

/// A filter of both axes: the product of a kernel along the rows and one along the columns.
#[derive(Clone, Copy)]
pub(crate) struct Separable<'a> {
    pub across: &'a [f32],
    pub down: &'a [f32],
}

/// The kernels at one viewing distance.
pub(crate) struct Kernels {
    /// Contrast sensitivity to lightness and to red against green.
    pub lightness: Kernel,
    pub red_green: Kernel,
    /// The two Gaussians of yellow against blue, whose sum is the filter.
    pub yellow_blue: [Kernel; 2],
    /// A Gaussian, and its first and second derivative, for edges and points.
    pub smooth: Kernel,
    pub edge: Kernel,
    pub point: Kernel,
}

impl Kernels {
    /// Returns the kernels for a number of pixels per degree (Andersson et al. 2020, sections 4.1 and 4.2).
    pub fn new(pixels_per_degree: f64) -> Self {
        let radius = (3.0 * (0.04 / (2.0 * PI * PI)).sqrt() * pixels_per_degree).ceil() as i32;
        let gaussian = |b: f64| -> Vec<f64> {
            let degrees = |x: i32| f64::from(x) / pixels_per_degree;
            let value = |x: i32| (-PI * PI * degrees(x).powi(2) / b).exp();
            (-radius..=radius).map(value).collect()
        };
        // In two dimensions, a Gaussian of amplitude a and width b has the factor a sqrt(pi / b).
        let sum = |a: f64, b: f64| a * (PI / b).sqrt() * gaussian(b).iter().sum::<f64>().powi(2);
        let [wide, narrow] = [(34.1, 0.04), (13.5, 0.025)];
        let whole = sum(wide.0, wide.1) + sum(narrow.0, narrow.1);
        let part = |(a, b): (f64, f64)| scaled(&gaussian(b), (sum(a, b) / whole).sqrt());
        let [smooth, edge, point] = feature_kernels(pixels_per_degree);
        Self {
            lightness: scaled(&gaussian(0.0047), 1.0),
            red_green: scaled(&gaussian(0.0053), 1.0),
            yellow_blue: [part(wide), part(narrow)],
            smooth,
            edge,
            point,
        }
    }

    /// Returns how far the widest filter reaches, in pixels.
    pub fn reach(&self) -> usize {
        self.lightness.len().max(self.smooth.len()) / 2
    }
}

/// Returns a Gaussian of sum 1, and its first and second derivative, of which the positive weights have sum 1
/// and the negative ones sum -1.
fn feature_kernels(pixels_per_degree: f64) -> [Kernel; 3] {
    /// Width of the feature detectors in degrees.
    const WIDTH: f64 = 0.082;
    let deviation = 0.5 * WIDTH * pixels_per_degree;
    let radius = (3.0 * deviation).ceil() as i32;
    let gaussian = |x: f64| (-x * x / (2.0 * deviation * deviation)).exp();
    let sampled = |value: &dyn Fn(f64) -> f64| -> Vec<f64> {
        (-radius..=radius).map(|x| value(f64::from(x))).collect()
    };
    [
        scaled(&sampled(&gaussian), 1.0),
        balanced(&sampled(&|x| -x * gaussian(x))),
        balanced(&sampled(&|x| ((x / deviation).powi(2) - 1.0) * gaussian(x))),
    ]
}

/// Scales weights to this sum.
fn scaled(weights: &[f64], sum: f64) -> Kernel {
    let factor = sum / weights.iter().sum::<f64>();
    weights.iter().map(|w| (w * factor) as f32).collect()
}

/// Scales positive weights to sum 1 and negative ones to sum -1.
fn balanced(weights: &[f64]) -> Kernel {
    let sum = |sign: f64| weights.iter().map(|w| (w * sign).max(0.0)).sum::<f64>();
    let [positive, negative] = [sum(1.0), sum(-1.0)];
    weights.iter().map(|w| (w / if *w > 0.0 { positive } else { negative }) as f32).collect()
}

/// Some rows of one channel of a picture.
pub(crate) struct Plane {
    width: usize,
    values: Vec<f32>,
}

impl Plane {
    /// Creates a plane from its rows' values.
    pub fn new(width: usize, values: Vec<f32>) -> Self {
        Self { width, values }
    }

    fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    /// Filters all rows. Pixels left and right of the picture have the value of its edge.
    fn across(&self, kernel: &[f32]) -> Plane {
        let reach = kernel.len() / 2;
        let mut values = vec![0.0; self.values.len()];
        let mut padded = vec![0.0; self.width + 2 * reach];
        let rows = self.values.chunks_exact(self.width).zip(values.chunks_exact_mut(self.width));
        for (row, out) in rows {
            padded[..reach].fill(row[0]);
            padded[reach..reach + self.width].copy_from_slice(row);
            padded[reach + self.width..].fill(row[self.width - 1]);
            for (tap, weight) in kernel.iter().enumerate() {
                add(out, &padded[tap..tap + self.width], *weight);
            }
        }
        Plane { width: self.width, values }
    }

    /// Filters the columns of the rows that have `margin` rows above and below them, and adds them to `out`.
    fn add_down(&self, kernel: &[f32], margin: usize, out: &mut [f32]) {
        let reach = kernel.len() / 2;
        for (y, out) in out.chunks_exact_mut(self.width).enumerate() {
            for (tap, weight) in kernel.iter().enumerate() {
                let start = (y + margin + tap - reach) * self.width;
                add(out, &self.values[start..start + self.width], *weight);
            }
        }
    }

    /// Returns the rows that have `margin` rows above and below them, filtered by the sum of `filters`.
    pub fn filtered(&self, filters: &[Separable], margin: usize) -> Vec<f32> {
        let mut out = vec![0.0; (self.rows() - 2 * margin) * self.width];
        for filter in filters {
            self.across(filter.across).add_down(filter.down, margin, &mut out);
        }
        out
    }
}

/// Adds `values` times `weight`.
fn add(out: &mut [f32], values: &[f32], weight: f32) {
    out.iter_mut().zip(values).for_each(|(out, value)| *out += weight * value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensitivity_keeps_an_even_colour_and_features_see_none() {
        let kernels = Kernels::new(67.0);
        let margin = kernels.reach();
        let plane = Plane::new(3, vec![2.0; 3 * (2 * margin + 1)]);
        let same = |kernel| Separable { across: kernel, down: kernel };
        let filters = kernels.yellow_blue.each_ref().map(|kernel| same(kernel));
        for value in plane.filtered(&filters, margin) {
            assert!((value - 2.0).abs() < 1e-5, "{value}");
        }
        for across in [&kernels.edge, &kernels.point] {
            let filter = Separable { across, down: &kernels.smooth };
            assert!(plane.filtered(&[filter], margin).iter().all(|value| value.abs() < 1e-5));
        }
    }
}
