//! Ordered dithering: each colour is mixed of two palette colours, in a pattern that is fixed on the screen.
//! A pixel that keeps its colour keeps its dots, so nothing crawls over surfaces at rest.

use hashbrown::HashMap;

use super::palette::{Rgb, WEIGHTS};

/// Weight of a pattern's contrast against the error of its mean. Larger values give calmer but less exact
/// colours.
const CALM: f32 = 0.03;

/// Largest weighted squared distance of a palette colour that is used as it is: one step of each channel.
const NEAR: f32 = 9.0;

/// Thresholds in sixty-fourths: the 8x8 matrix of B. Bayer (1973).
#[rustfmt::skip]
const BAYER: [[u8; 8]; 8] = [
    [ 0, 32,  8, 40,  2, 34, 10, 42],
    [48, 16, 56, 24, 50, 18, 58, 26],
    [12, 44,  4, 36, 14, 46,  6, 38],
    [60, 28, 52, 20, 62, 30, 54, 22],
    [ 3, 35, 11, 43,  1, 33,  9, 41],
    [51, 19, 59, 27, 49, 17, 57, 25],
    [15, 47,  7, 39, 13, 45,  5, 37],
    [63, 31, 55, 23, 61, 29, 53, 21],
];

/// Two palette colours, and the share of the second one in sixty-fourths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mix {
    colors: [u8; 2],
    share: u8,
}

/// Represents colours by those of a palette.
pub struct Dither {
    /// The palette, scaled so that plain distances are weighted ones.
    palette: Vec<[f32; 3]>,
    /// The mixes found so far, by colour.
    mixes: HashMap<Rgb, Mix>,
}

impl Dither {
    /// Returns the dither for a palette of 1 to 256 colours.
    pub fn new(palette: &[Rgb]) -> Self {
        let palette = palette.iter().map(|color| scaled(*color)).collect();
        Self { palette, mixes: HashMap::new() }
    }

    /// Returns the index of the palette colour that represents a colour at a pixel.
    pub fn index(&mut self, color: Rgb, [x, y]: [usize; 2]) -> u8 {
        // Neighbouring levels share a mix, which halves the number of colours per channel.
        let key = color.map(|c| c & !1);
        let palette = &self.palette;
        let mix = *self.mixes.entry(key).or_insert_with(|| mix(palette, scaled(color)));
        mix.colors[usize::from(BAYER[y % 8][x % 8] < mix.share)]
    }
}

fn scaled(color: Rgb) -> [f32; 3] {
    let scaled = |i: usize| f32::from(color[i]) * WEIGHTS[i].sqrt();
    [scaled(0), scaled(1), scaled(2)]
}

fn difference(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the mix of the nearest palette colour and the one with which it comes closest to a colour.
fn mix(palette: &[[f32; 3]], color: [f32; 3]) -> Mix {
    let distance = |at: &[f32; 3]| {
        let off = difference(color, *at);
        dot(off, off)
    };
    let all = palette.iter().map(distance).enumerate();
    let (nearest, off) = all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
    let mut best = Mix { colors: [nearest as u8; 2], share: 0 };
    if off <= NEAR {
        return best;
    }
    let (from, mut least) = (palette[nearest], off);
    let wanted = difference(color, from);
    for (other, at) in palette.iter().enumerate() {
        let apart = difference(*at, from);
        let length = dot(apart, apart);
        let along = dot(wanted, apart);
        if along <= 0.0 || length == 0.0 {
            continue;
        }
        let share = (along / length).min(0.5);
        // The squared distance of the mean, and the variance of the dots around it.
        let error = off - 2.0 * share * along + share * share * length;
        let error = error + CALM * share * (1.0 - share) * length;
        if error < least {
            least = error;
            let share = (64.0 * share).round() as u8;
            // In a fixed order, so that the pattern does not invert where the nearest colour changes.
            best = if nearest < other {
                Mix { colors: [nearest as u8, other as u8], share }
            } else {
                Mix { colors: [other as u8, nearest as u8], share: 64 - share }
            };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREYS: [Rgb; 4] = [[0; 3], [80; 3], [160; 3], [240; 3]];

    /// Returns the mean of a dithered 8x8 area of one grey.
    fn mean(dither: &mut Dither, grey: u8) -> f32 {
        let pixels = (0..64).map(|i| dither.index([grey; 3], [i % 8, i / 8]));
        pixels.map(|index| f32::from(GREYS[usize::from(index)][0])).sum::<f32>() / 64.0
    }

    #[test]
    fn areas_have_the_mean_of_their_colour() {
        let mut dither = Dither::new(&GREYS);
        for grey in 0..=240 {
            let mean = mean(&mut dither, grey);
            // A level of the mix that two levels share, half a step of the pattern, and what calmness
            // costs: less than 2.4 of the 80 levels between two colours of the palette.
            assert!((mean - f32::from(grey)).abs() < 4.0, "{grey}: {mean}");
        }
    }

    #[test]
    fn palette_colours_are_flat_and_others_use_the_two_nearest() {
        let mut dither = Dither::new(&GREYS);
        for (i, color) in GREYS.iter().enumerate() {
            assert!((0..64).all(|at| usize::from(dither.index(*color, [at % 8, at / 8])) == i));
        }
        let used: std::collections::BTreeSet<u8> =
            (0..64).map(|at| dither.index([120; 3], [at % 8, at / 8])).collect();
        assert_eq!(used.into_iter().collect::<Vec<_>>(), [1, 2]);
    }
}
