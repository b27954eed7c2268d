//! A picture of the difference of two pictures.

use super::bitmap::Bitmap;
use super::difference::{PictureDifference, is_visible};

/// Pixels between the parts, and their grey.
const GAP: usize = 4;
const GAP_GREY: u8 = 128;

/// The colour map magma, evenly spread; values between are interpolated.
const MAGMA: [[u8; 3]; 17] = [
    [0, 0, 4],
    [10, 8, 34],
    [29, 17, 71],
    [54, 16, 107],
    [81, 18, 124],
    [106, 28, 129],
    [131, 38, 129],
    [156, 46, 127],
    [183, 55, 121],
    [207, 64, 112],
    [229, 80, 100],
    [244, 105, 92],
    [251, 135, 97],
    [254, 165, 113],
    [254, 194, 135],
    [253, 224, 161],
    [252, 253, 191],
];

/// The smallest heat of a visibly different pixel, so that a single one is seen.
const VISIBLE_HEAT: f32 = 0.3;

/// Edge length of the squares behind transparent pixels, and their greys.
const CHECKER: usize = 8;
const CHECKER_GREYS: [f32; 2] = [255.0, 204.0];

/// An opaque picture, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferencePicture {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

/// Draws the reference, the result and their difference as heat, from left to right. Transparent pixels have
/// a checkerboard behind them.
///
/// Heat is FLIP in the colours of magma, from black to light yellow. Pixels that count as visibly different are
/// at least violet, and a difference of alpha is as bright as it is large, because FLIP is blind to it. Without
/// a difference, since the sizes differ, there is no heat.
pub fn side_by_side(
    reference: &Bitmap,
    result: &Bitmap,
    difference: Option<&PictureDifference>,
) -> DifferencePicture {
    let heat = difference.map(|difference| Pane {
        extent: reference.extent(),
        rgb: heat(reference, result, difference).rgb,
    });
    let parts: Vec<Pane> = [part(reference), part(result)].into_iter().chain(heat).collect();
    let width = parts.iter().map(|p| p.extent[0]).sum::<usize>() + GAP * (parts.len() - 1);
    let height = parts.iter().map(|p| p.extent[1]).max().unwrap_or(0);
    let mut rgb = vec![GAP_GREY; width * height * 3];
    let mut left = 0;
    for part in &parts {
        for (y, row) in part.rgb.chunks_exact(part.extent[0].max(1) * 3).enumerate() {
            let start = (y * width + left) * 3;
            rgb[start..start + row.len()].copy_from_slice(row);
        }
        left += part.extent[0] + GAP;
    }
    DifferencePicture { size: [width, height].map(|n| n as u32), rgb }
}

/// One of the pictures side by side.
struct Pane {
    extent: [usize; 2],
    rgb: Vec<u8>,
}

/// Draws a picture over a checkerboard.
fn part(pixels: &Bitmap) -> Pane {
    let width = pixels.extent()[0].max(1);
    let pixel = |(i, [r, g, b, a]): (usize, &[u16; 4])| {
        let odd = (i % width / CHECKER + i / width / CHECKER) % 2;
        let alpha = f32::from(*a) / 65535.0;
        let over = |c: &u16| f32::from(*c) / 257.0 * alpha + CHECKER_GREYS[odd] * (1.0 - alpha);
        [r, g, b].map(|c| over(c).round() as u8)
    };
    let rgb = pixels.rgba.iter().enumerate().flat_map(pixel).collect();
    Pane { extent: pixels.extent(), rgb }
}

/// Draws the difference of two pictures as heat, as in [`side_by_side`].
pub fn heat(
    reference: &Bitmap,
    result: &Bitmap,
    difference: &PictureDifference,
) -> DifferencePicture {
    let pixels = reference.rgba.iter().zip(&result.rgba).zip(&difference.flip_map);
    let pixel = |((a, b), flip): ((&[u16; 4], &[u16; 4]), &f32)| {
        let alpha = f32::from(a[3].abs_diff(b[3])) / 65535.0;
        let heat = flip.max(alpha).clamp(0.0, 1.0);
        let visible = (0..4).any(|c| is_visible(a[c].abs_diff(b[c])));
        magma(if visible { VISIBLE_HEAT + (1.0 - VISIBLE_HEAT) * heat } else { heat })
    };
    DifferencePicture { size: difference.size, rgb: pixels.flat_map(pixel).collect() }
}

/// Returns the colour of a heat from 0 to 1.
fn magma(heat: f32) -> [u8; 3] {
    let at = heat * (MAGMA.len() - 1) as f32;
    let low = (at as usize).min(MAGMA.len() - 2);
    let between = |c: usize| {
        let [a, b] = [MAGMA[low][c], MAGMA[low + 1][c]].map(f32::from);
        (a + (b - a) * (at - low as f32)).round() as u8
    };
    [0, 1, 2].map(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures;

    #[test]
    fn three_parts_and_their_gaps() {
        let a = Bitmap::from_rgba8([2, 1], &[10, 20, 30, 255, 0, 0, 0, 0]);
        let b = Bitmap::from_rgba8([2, 1], &[10, 20, 30, 255, 0, 0, 0, 255]);
        let drawn = side_by_side(&a, &b, Some(&pictures(&a, &b).unwrap()));
        assert_eq!(drawn.size, [14, 1]);
        let pixel = |x: usize| &drawn.rgb[x * 3..x * 3 + 3];
        assert_eq!((pixel(0), pixel(6)), (&[10, 20, 30][..], &[10, 20, 30][..]));
        assert_eq!((pixel(1), pixel(7)), (&[255; 3][..], &[0; 3][..]));
        assert_eq!((pixel(2), pixel(11)), (&[GAP_GREY; 3][..], &[GAP_GREY; 3][..]));
        assert_eq!((pixel(12), pixel(13)), (&MAGMA[0][..], &MAGMA[16][..]));
    }

    #[test]
    fn pictures_of_other_sizes_stand_beside_each_other() {
        let [a, b] = [[1, 3], [2, 1]]
            .map(|size| Bitmap::from_grey16(size, &vec![65535; (size[0] * size[1]) as usize]));
        let drawn = side_by_side(&a, &b, None);
        assert_eq!((drawn.size, drawn.rgb.len()), ([7, 3], 63));
    }
}
