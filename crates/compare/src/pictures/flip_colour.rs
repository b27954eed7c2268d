//! The colour spaces of FLIP: linear RGB, the linearised opponent space YCxCz, and CIELAB.
//!
//! White is that of sRGB (D65), as the sum of the matrix' columns gives it.

use std::sync::LazyLock;

use rigview_model::precise_linear_from_srgb;

/// XYZ from linear RGB (IEC 61966-2-1, with unrounded primaries).
const XYZ_FROM_RGB: [[f32; 3]; 3] = [
    [0.412_390_8, 0.357_584_33, 0.180_480_8],
    [0.212_639, 0.715_168_7, 0.072_192_32],
    [0.019_330_82, 0.119_194_78, 0.950_532_15],
];

/// Linear RGB from XYZ, the inverse of the matrix above.
const RGB_FROM_XYZ: [[f32; 3]; 3] = [
    [3.240_97, -1.537_383_2, -0.498_610_76],
    [-0.969_243_65, 1.875_967_5, 0.041_555_06],
    [0.055_630_08, -0.203_976_96, 1.056_971_5],
];

/// XYZ of white.
const WHITE: [f32; 3] = [0.950_455_9, 1.0, 1.089_057_8];

/// Linear values of all sRGB values of sixteen bits.
static LINEAR: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let linear = |value: u16| precise_linear_from_srgb(f64::from(value) / 65535.0) as f32;
    (0..=u16::MAX).map(linear).collect()
});

/// Converts a pixel's red, green and blue to YCxCz: lightness from 0 to 100 less 16, red against green, and
/// yellow against blue.
pub(crate) fn opponent(pixel: [u16; 4]) -> [f32; 3] {
    let linear = &*LINEAR;
    let [x, y, z] = relative_xyz([0, 1, 2].map(|c| linear[usize::from(pixel[c])]));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// Converts YCxCz to linear RGB, clamped to what a display can show, and that to CIELAB with the Hunt effect:
/// colours of dark pixels count less.
pub(crate) fn hunt_lab([y, cx, cz]: [f32; 3]) -> [f32; 3] {
    let y = (y + 16.0) / 116.0;
    let xyz = [(y + cx / 500.0) * WHITE[0], y * WHITE[1], (y - cz / 200.0) * WHITE[2]];
    lab_of_linear(RGB_FROM_XYZ.map(|row| dot(row, xyz).clamp(0.0, 1.0)))
}

/// Returns the distance of two colours of [`hunt_lab`]: HyAB, which adds lightness to the distance of
/// the hues.
pub(crate) fn hyab(a: [f32; 3], b: [f32; 3]) -> f32 {
    (a[0] - b[0]).abs() + (a[1] - b[1]).hypot(a[2] - b[2])
}

/// Returns the distance of green and blue, the largest one of display colours.
pub(crate) fn largest_hyab() -> f32 {
    hyab(lab_of_linear([0.0, 1.0, 0.0]), lab_of_linear([0.0, 0.0, 1.0]))
}

fn lab_of_linear(rgb: [f32; 3]) -> [f32; 3] {
    const DELTA: f32 = 6.0 / 29.0;
    let curve = |t: f32| match t > DELTA * DELTA * DELTA {
        true => t.cbrt(),
        false => t / (3.0 * DELTA * DELTA) + 4.0 / 29.0,
    };
    let [x, y, z] = relative_xyz(rgb).map(curve);
    let lightness = 116.0 * y - 16.0;
    let hunt = 0.01 * lightness;
    [lightness, hunt * 500.0 * (x - y), hunt * 200.0 * (y - z)]
}

/// Returns XYZ relative to white.
fn relative_xyz(rgb: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| dot(XYZ_FROM_RGB[i], rgb) / WHITE[i])
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_keep_their_lab_through_the_opponent_space() {
        for pixel in [[0, 0, 0, 0], [65535; 4], [65535, 0, 0, 0], [1000, 30000, 60000, 0]] {
            let direct = lab_of_linear([0, 1, 2].map(|c| LINEAR[usize::from(pixel[c])]));
            let through = hunt_lab(opponent(pixel));
            for (a, b) in direct.iter().zip(through) {
                assert!((a - b).abs() < 0.01, "{pixel:?}: {direct:?} and {through:?}");
            }
        }
        let white = hunt_lab(opponent([65535; 4]));
        assert!((white[0] - 100.0).abs() < 1e-3 && white[1].hypot(white[2]) < 1e-2, "{white:?}");
    }
}
