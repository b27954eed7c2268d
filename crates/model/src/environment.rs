//! Environment light: a prefiltered cube map and its irradiance.

use glam::Vec3;

/// A prefiltered environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// The name of its file, or of the built-in environment.
    pub name: String,
    /// The file that it was read from; `None` for a built-in one.
    pub path: Option<std::path::PathBuf>,
    /// Edge length of the largest level in pixels.
    pub size: u32,
    /// The levels, each half as large as the one before: six faces of rows from the top, in the order
    /// +X, -X, +Y, -Y, +Z, -Z, as [`rgb9e5`]. The first level is the mirror reflection; the last one is
    /// filtered by a GGX lobe of alpha 1, and each level before it by half the alpha of its successor.
    pub levels: Vec<Vec<u32>>,
    /// Irradiance divided by pi as nine spherical harmonics, constant factors included, of 1, y, z, x,
    /// xy, yz, 3zz - 1, xz, xx - yy.
    pub irradiance: [[f32; 3]; 9],
}

/// Returns the direction of a point on a cube map face, not normalised. `u` points right and `v` down,
/// both from -1 to 1, in the GPU's convention.
pub fn face_direction(face: usize, u: f32, v: f32) -> Vec3 {
    match face {
        0 => Vec3::new(1.0, -v, -u),
        1 => Vec3::new(-1.0, -v, u),
        2 => Vec3::new(u, 1.0, v),
        3 => Vec3::new(u, -1.0, -v),
        4 => Vec3::new(u, -v, 1.0),
        _ => Vec3::new(-u, -v, -1.0),
    }
}

/// Packs a colour into nine bits per channel and a shared five-bit exponent, as in
/// EXT_texture_shared_exponent. NaN becomes 0; values are clamped to 0 to 65408.
pub fn rgb9e5(color: Vec3) -> u32 {
    let color = color.max(Vec3::ZERO).min(Vec3::splat(65408.0));
    let peak = color.max_element();
    let mut exponent = if peak > 0.0 { (peak.log2().floor() as i32).max(-16) + 16 } else { 0 };
    if (peak / exp2(exponent - 24) + 0.5).floor() >= 512.0 {
        exponent += 1;
    }
    let part = |c: f32| (c / exp2(exponent - 24) + 0.5).floor() as u32;
    part(color.x) | part(color.y) << 9 | part(color.z) << 18 | (exponent as u32) << 27
}

fn exp2(n: i32) -> f32 {
    2f32.powi(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bits: u32) -> Vec3 {
        let scale = 2f32.powi((bits >> 27) as i32 - 24);
        let part = |shift: u32| (bits >> shift & 511) as f32 * scale;
        Vec3::new(part(0), part(9), part(18))
    }

    #[test]
    fn colours_come_back_to_a_part_in_five_hundred_of_their_peak() {
        for color in [
            Vec3::ONE,
            Vec3::new(0.999, 0.5, 0.001),
            Vec3::new(1023.7, 3.0, 511.9),
            Vec3::new(1e-4, 2e-5, 0.0),
        ] {
            let off = (decoded(rgb9e5(color)) - color).abs().max_element();
            assert!(off <= color.max_element() / 511.0, "{color}: {}", decoded(rgb9e5(color)));
        }
        assert_eq!(decoded(rgb9e5(Vec3::ONE)), Vec3::ONE);
        assert_eq!(decoded(rgb9e5(Vec3::splat(f32::INFINITY))), Vec3::splat(65408.0));
        assert_eq!(decoded(rgb9e5(Vec3::splat(f32::NAN))), Vec3::ZERO);
        assert_eq!(decoded(rgb9e5(Vec3::ZERO)), Vec3::ZERO);
    }

    #[test]
    fn the_middle_of_each_face_is_its_axis() {
        let axes = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z];
        for (face, axis) in axes.into_iter().enumerate() {
            assert_eq!(face_direction(face, 0.0, 0.0) + 0.0, axis);
        }
    }
}
