//! The transform that several sources agree on, where some of them are wrong.

use glam::Affine3A;

/// Upper limit of the transforms that are tried as the agreed one, because each is compared with all others.
const CANDIDATES: usize = 32;

/// Returns the transform that most of these agree on, up to a thousandth of their size; the identity where as many agree on
/// that. They must be finite.
pub fn most_agreed(transforms: &[Affine3A]) -> Affine3A {
    let is_same = |a: &Affine3A, b: &Affine3A| {
        let size = a.translation.length() + a.matrix3.col(0).length();
        let linear = (0..3).map(|axis| (a.matrix3.col(axis) - b.matrix3.col(axis)).length());
        linear.sum::<f32>() + (a.translation - b.translation).length() <= 1e-3 * size
    };
    let votes = |a: &Affine3A| transforms.iter().filter(|b| is_same(a, b)).count();
    // Lists may alternate between two kinds of transforms, so the step is odd.
    let step = transforms.len().div_ceil(CANDIDATES).max(1) | 1;
    let candidates = transforms.iter().step_by(step).chain([&Affine3A::IDENTITY]);
    candidates.max_by_key(|candidate| votes(candidate)).copied().unwrap_or(Affine3A::IDENTITY)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn the_majority_wins_and_the_identity_where_it_is_as_large() {
        let [x, y] = [Vec3::X, Vec3::Y].map(Affine3A::from_translation);
        assert_eq!(most_agreed(&[x, y, x]), x);
        assert_eq!(most_agreed(&[x]), x);
        assert_eq!(most_agreed(&[x, Affine3A::IDENTITY]), Affine3A::IDENTITY);
        assert_eq!(most_agreed(&[]), Affine3A::IDENTITY);
        let alternating: Vec<Affine3A> = (0..48)
            .map(|i| if i % 2 == 1 { y } else { Affine3A::from_translation(i as f32 * Vec3::Z) })
            .collect();
        assert_eq!(most_agreed(&alternating), y);
    }
}
