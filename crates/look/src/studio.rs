//! The built-in environment: a photographer's studio, generated and prefiltered by `assets/make_studio.py`.

use rigview_model::Environment;

const FILE: &[u8] = include_bytes!("../../../assets/studio.env");

/// Offset of the spherical harmonics, after the signature, the cube's size and the number of levels.
const HARMONICS: usize = 16;

/// Offset of the texels.
const TEXELS: usize = HARMONICS + 27 * 4;

/// Parses the environment.
pub(super) fn environment() -> Environment {
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| FILE[at + i]));
    let size = word(8);
    let mut at = TEXELS;
    let level = |level: u32| {
        let start = at;
        let edge = (size >> level) as usize;
        at += 6 * edge * edge * 4;
        (start..at).step_by(4).map(word).collect()
    };
    let levels = (0..word(12)).map(level).collect();
    let harmonic = |i: usize| f32::from_bits(word(HARMONICS + 4 * i));
    let irradiance = std::array::from_fn(|i| std::array::from_fn(|c| harmonic(3 * i + c)));
    Environment { name: "studio".into(), path: None, size, levels, irradiance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_contains_exactly_its_levels() {
        assert_eq!(&FILE[..8], b"RVENV001");
        let studio = environment();
        let texels: usize = studio.levels.iter().map(Vec::len).sum();
        assert_eq!(FILE.len(), TEXELS + 4 * texels);
        for (i, level) in studio.levels.iter().enumerate() {
            assert_eq!(level.len() as u32, 6 * (studio.size >> i).pow(2));
        }
        assert!(FILE.len() < 1 << 22);
    }

    #[test]
    fn more_light_comes_from_above_than_from_below() {
        let [c0, y, _, _, _, _, zz, _, xx] = environment().irradiance;
        for i in 0..3 {
            let vertical = |sign: f32| c0[i] + sign * y[i] - zz[i] - xx[i];
            assert!(vertical(1.0) > 1.5 * vertical(-1.0) && vertical(-1.0) > 0.05);
        }
    }
}
