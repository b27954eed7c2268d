//! The difference of two pictures in numbers.

use serde::Serialize;

use super::bitmap::Bitmap;
use super::flip::flip_map;

/// A channel's difference above which a pixel counts as visibly different, from 0 to 1.
const VISIBLE: f64 = 0.02;

/// The difference of two pictures of one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PictureDifference {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// The largest absolute difference of a channel, from 0 to 1.
    pub max: f64,
    /// The mean absolute difference over all pixels and channels, from 0 to 1.
    pub mean: f64,
    /// The share of the pixels of which a channel differs by more than 0.02, from 0 to 1.
    pub visible: f64,
    /// The mean of LDR FLIP (Andersson et al. 2020) over all pixels, from 0 to 1. It ignores alpha.
    pub flip: f64,
    /// The number of pixels that `visible` counts.
    #[serde(skip)]
    pub visible_pixels: usize,
    /// The smallest rectangle that contains these pixels: left, top, width and height.
    #[serde(skip)]
    pub region: Option<[u32; 4]>,
    /// FLIP of each pixel, rows from the top.
    #[serde(skip)]
    pub flip_map: Vec<f32>,
}

/// The differences that are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PictureLimits {
    /// The largest accepted share of visibly different pixels, from 0 to 1.
    pub visible: f64,
    /// The largest accepted mean of FLIP, from 0 to 1; any if `None`.
    pub flip: Option<f64>,
}

impl PictureLimits {
    /// Whether a difference is accepted.
    pub fn accept(&self, difference: &PictureDifference) -> bool {
        difference.visible <= self.visible && self.flip.is_none_or(|most| difference.flip <= most)
    }
}

/// Two pictures have different sizes, so their pixels can't be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sizes differ: {}x{} and {}x{} pixels", .sizes[0][0], .sizes[0][1], .sizes[1][0], .sizes[1][1])]
pub struct SizesDiffer {
    /// Width and height of both.
    pub sizes: [[u32; 2]; 2],
}

/// Compares two pictures. Red, green and blue count, and alpha where either picture has it; it is 1 in
/// the other one.
///
/// # Errors
/// If their sizes differ.
pub fn pictures(a: &Bitmap, b: &Bitmap) -> Result<PictureDifference, SizesDiffer> {
    if a.size != b.size {
        return Err(SizesDiffer { sizes: [a.size, b.size] });
    }
    let channels = if a.has_alpha || b.has_alpha { 4 } else { 3 };
    let (mut largest, mut sum, mut visible) = (0, 0, Visible::default());
    let rows = a.rgba.chunks(a.extent()[0].max(1)).zip(b.rgba.chunks(a.extent()[0].max(1)));
    for (y, (row_a, row_b)) in rows.enumerate().filter(|(_, (row_a, row_b))| row_a != row_b) {
        for (x, (a, b)) in row_a.iter().zip(row_b).enumerate() {
            let off = std::array::from_fn::<_, 4, _>(|c| a[c].abs_diff(b[c]));
            let worst = off.into_iter().max().unwrap_or(0);
            largest = largest.max(worst);
            sum += off.into_iter().map(u64::from).sum::<u64>();
            if is_visible(worst) {
                visible.add([x as u32, y as u32]);
            }
        }
    }
    let pixels = a.rgba.len().max(1) as f64;
    let flip_map = flip_map(a, b);
    Ok(PictureDifference {
        size: a.size,
        max: f64::from(largest) / 65535.0,
        mean: sum as f64 / 65535.0 / (pixels * f64::from(channels)),
        visible: visible.count as f64 / pixels,
        flip: flip_map.iter().copied().map(f64::from).sum::<f64>() / pixels,
        visible_pixels: visible.count,
        region: visible.region(),
        flip_map,
    })
}

/// Whether a difference of a channel, of 65535, counts as visible.
pub(crate) fn is_visible(off: u16) -> bool {
    f64::from(off) > VISIBLE * 65535.0
}

/// The visibly different pixels.
#[derive(Default)]
struct Visible {
    count: usize,
    /// The corners of the rectangle around them, both included.
    corners: Option<[[u32; 2]; 2]>,
}

impl Visible {
    fn add(&mut self, at: [u32; 2]) {
        self.count += 1;
        let [low, high] = self.corners.get_or_insert([at, at]);
        for axis in 0..2 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis]);
        }
    }

    fn region(&self) -> Option<[u32; 4]> {
        self.corners.map(|[low, high]| [low[0], low[1], high[0] - low[0] + 1, high[1] - low[1] + 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_of_255_are_invisible_and_six_are_not() {
        let of = |value: u8| Bitmap::from_rgb8([2, 1], &[100, 100, 100, 100, value, 100]);
        let five = pictures(&of(100), &of(105)).unwrap();
        assert_eq!((five.visible, five.region), (0.0, None));
        assert_eq!(five.max, 5.0 / 255.0);
        assert!((five.mean - 5.0 / 255.0 / 6.0).abs() < 1e-12);
        let six = pictures(&of(100), &of(94)).unwrap();
        assert_eq!((six.visible, six.region), (0.5, Some([1, 0, 1, 1])));
        assert!(!PictureLimits::default().accept(&six));
        assert!(PictureLimits { visible: 0.5, flip: None }.accept(&six));
        assert!(!PictureLimits { visible: 0.5, flip: Some(0.0) }.accept(&six));
    }

    #[test]
    fn missing_alpha_is_one() {
        let opaque = Bitmap::from_rgb8([1, 1], &[10, 20, 30]);
        let clear = Bitmap::from_rgba8([1, 1], &[10, 20, 30, 0]);
        let difference = pictures(&opaque, &clear).unwrap();
        assert_eq!((difference.max, difference.mean, difference.flip), (1.0, 0.25, 0.0));
    }

    #[test]
    fn other_sizes_are_an_error() {
        let [a, b] = [[2, 1], [1, 2]].map(|size| Bitmap::from_grey16(size, &[0, 0]));
        let error = pictures(&a, &b).unwrap_err();
        assert_eq!(error.to_string(), "the sizes differ: 2x1 and 1x2 pixels");
    }
}
