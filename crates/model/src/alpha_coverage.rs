//! The share of an image that an alpha mask leaves, which smaller versions of the image must keep: means of alpha are
//! mostly below the cutoff, so that foliage and fences would vanish in small pictures (Castaño, "Computing Alpha
//! Mipmaps", 2010).

use super::{AlphaMode, Material, Model, TextureSlot};

/// The share of an image's texels that an alpha mask leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaCoverage {
    /// The least alpha of a texel that is drawn.
    least: u8,
    /// From 0 to 1.
    share: f64,
}

impl AlphaCoverage {
    /// Measures RGBA texels, of which those are drawn whose alpha is at least `least`, which is not 0.
    pub fn measure(rgba: &[u8], least: u8) -> Self {
        let alphas = rgba.as_chunks::<4>().0.iter();
        let drawn = alphas.filter(|[.., alpha]| *alpha >= least).count();
        Self { least, share: drawn as f64 / (rgba.len() / 4).max(1) as f64 }
    }

    /// Scales the alpha of a smaller version of the image, with this many texels per row, if much more or less of it would
    /// be drawn. A share that is nearly the same is kept, because scaling moves the edges of gradients too. Where
    /// alpha is too even to be scaled, because the image has a regular pattern that is finer than the texels, texels of another
    /// regular pattern are drawn, and the others are not.
    pub fn keep(self, rgba: &mut [u8], width: usize) {
        let mut best = self.scaled_to_least(rgba);
        if best.off > EVEN.min(0.5 * self.share) {
            dither(rgba, width);
            best = self.scaled_to_least(rgba);
            // Scaled alpha would draw only the middle of a texel, where it is not filtered with that of its neighbours.
            for [.., alpha] in rgba.as_chunks_mut::<4>().0 {
                *alpha = if *alpha >= best.alpha { 255 } else { 0 };
            }
            return;
        }
        let (least, best) = (usize::from(self.least), usize::from(best.alpha));
        let scaled: [u8; 256] = std::array::from_fn(|alpha| {
            let times = alpha * least;
            let scaled = if alpha < best { times / best } else { times.div_ceil(best) };
            scaled.min(255) as u8
        });
        for [.., alpha] in rgba.as_chunks_mut::<4>().0 {
            *alpha = scaled[usize::from(*alpha)];
        }
    }

    /// Returns the alpha that is to become the least one that is drawn: of equally good ones, that which changes least.
    fn scaled_to_least(self, rgba: &[u8]) -> ScaledToLeast {
        let mut counts = [0_usize; 256];
        for [.., alpha] in rgba.as_chunks::<4>().0 {
            counts[usize::from(*alpha)] += 1;
        }
        let texels = (rgba.len() / 4).max(1) as f64;
        let (least_share, most_share) = (ALIKE_SHARE * self.share, self.share / ALIKE_SHARE);
        let mut best = ScaledToLeast { alpha: self.least, off: f64::INFINITY };
        let mut drawn = 0;
        for alpha in (1..=u8::MAX).rev() {
            drawn += counts[usize::from(alpha)];
            let share = drawn as f64 / texels;
            let off = (least_share - share).max(share - most_share).max(0.0);
            let is_nearer = alpha.abs_diff(self.least) < best.alpha.abs_diff(self.least);
            if off < best.off || (off <= best.off && is_nearer) {
                best = ScaledToLeast { alpha, off };
            }
        }
        best
    }
}

/// An alpha that becomes the least one that is drawn.
#[derive(Clone, Copy, Debug)]
struct ScaledToLeast {
    alpha: u8,
    /// Distance of the drawn share from the range that is kept.
    off: f64,
}

/// Ratio of the lesser to the greater of the shares that are drawn, down to which they are nearly the same.
const ALIKE_SHARE: f64 = 0.8;

/// How far the share that is drawn may be outside of the shares that count as the same, before alpha counts as even; at most half
/// of the share.
const EVEN: f64 = 0.04;

/// Changes the alpha of texels that are not wholly transparent or opaque by an ordered pattern of four by four.
fn dither(rgba: &mut [u8], width: usize) {
    const ORDER: [[i16; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    /// Difference of the pattern's neighbouring steps in alpha.
    const STEP: i16 = 6;
    for (y, row) in rgba.chunks_exact_mut(4 * width).enumerate() {
        for (x, [.., alpha]) in row.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            if (1..255).contains(alpha) {
                let change = STEP * (2 * ORDER[y % 4][x % 4] - 15) / 2;
                *alpha = (i16::from(*alpha) + change).clamp(1, 254) as u8;
            }
        }
    }
}

impl Model {
    /// Returns, by image, the least alpha of a texel that is drawn where the image is the base colour of an alpha mask: that of
    /// the first such material.
    pub fn least_alphas(&self) -> Vec<Option<u8>> {
        let mut found = vec![None; self.images.len()];
        for material in &self.materials {
            let texture = material.textures[TextureSlot::BaseColor].map(|used| used.texture);
            let image = texture.and_then(|texture| self.textures.get(texture)?.image);
            if let Some(least) = image.and_then(|image| found.get_mut(image)) {
                *least = least.or(material.least_alpha());
            }
        }
        found
    }
}

impl Material {
    /// Returns the least alpha of a texel of the base colour that is drawn; `None` if the material draws all texels or
    /// none, or has no mask.
    pub fn least_alpha(&self) -> Option<u8> {
        let AlphaMode::Mask { cutoff } = self.alpha_mode else { return None };
        let [.., factor] = self.base_color;
        // Less the rounding of a cutoff that is the alpha of a texel.
        let least = (255.0 * cutoff / factor - 1e-2).ceil();
        (1.0..=255.0).contains(&least).then_some(least as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(rgba: &[u8], least: u8) -> usize {
        rgba.chunks(4).filter(|texel| texel[3] >= least).count()
    }

    #[test]
    fn the_share_that_is_drawn_is_kept_by_scaling_alpha() {
        let image: Vec<u8> =
            (0..100_u8).flat_map(|i| [1, 2, 3, if i < 30 { 255 } else { 0 }]).collect();
        let coverage = AlphaCoverage::measure(&image, 128);
        let mut small: Vec<u8> = (0..50).flat_map(|i| [1, 2, 3, 50 + i]).collect();
        coverage.keep(&mut small, 10);
        assert!((12..=18).contains(&drawn(&small, 128)), "{}", drawn(&small, 128));
        assert!(small.chunks(4).all(|texel| texel[..3] == [1, 2, 3]));
        assert!(small.chunks(4).is_sorted_by_key(|texel| texel[3]), "{small:?}");
        let (mut empty, mut full) = ([9, 9, 9, 0].repeat(4), [9, 9, 9, 255].repeat(4));
        coverage.keep(&mut empty, 2);
        AlphaCoverage { least: 128, share: 1.0 }.keep(&mut full, 2);
        assert_eq!((drawn(&empty, 1), drawn(&full, 255)), (0, 4));
        let mut whole = image.clone();
        coverage.keep(&mut whole, 10);
        assert_eq!(whole, image);
    }

    /// A gradient whose edge lies a tenth higher in the smaller image keeps that edge.
    #[test]
    fn little_is_left_as_it_is() {
        let mut gradient: Vec<u8> = (0..=255).flat_map(|alpha| [1, 2, 3, alpha]).collect();
        let before = gradient.clone();
        AlphaCoverage { least: 128, share: 0.55 }.keep(&mut gradient, 16);
        assert_eq!(gradient, before);
    }

    /// As the last levels of a fence are.
    #[test]
    fn of_an_even_alpha_some_texels_are_drawn() {
        for percent in [10, 30, 50, 80] {
            let alpha = (255 * percent / 100) as u8;
            let mut even = [1, 2, 3, alpha].repeat(16 * 8);
            AlphaCoverage { least: 128, share: f64::from(percent) / 100.0 }.keep(&mut even, 16);
            let ratio = drawn(&even, 128) as f64 / 1.28 / f64::from(percent);
            assert!((0.75..1.3).contains(&ratio), "{percent} %: {ratio} of that");
        }
    }

    #[test]
    fn the_least_alpha_is_that_of_the_texel_whatever_its_factor() {
        let masked = |cutoff: f32, factor: f32| Material {
            alpha_mode: AlphaMode::Mask { cutoff },
            base_color: [1.0, 1.0, 1.0, factor],
            ..Material::default()
        };
        assert_eq!(masked(0.5, 1.0).least_alpha(), Some(128));
        assert_eq!(masked(0.2, 1.0).least_alpha(), Some(51));
        assert_eq!(masked(0.25, 0.5).least_alpha(), Some(128));
        for (cutoff, factor) in [(0.0, 1.0), (0.5, 0.4), (0.5, 0.0), (1.5, 1.0), (-1.0, 1.0)] {
            assert_eq!(masked(cutoff, factor).least_alpha(), None, "{cutoff} of {factor}");
        }
        assert_eq!(Material::default().least_alpha(), None);
    }
}
