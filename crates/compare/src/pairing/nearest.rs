//! Sizes of clouds of points, and the distances up to which two points are at one place.

use glam::Vec3;

/// The same place, as a share of the model's diagonal. Geometry that was stored in 11 bits keeps it.
pub(crate) const SAME_PLACE: f32 = 1e-3;

/// Tolerances as shares of the larger diagonal, from fine to coarse: a point takes the partner of the finest one.
pub(crate) const TOLERANCES: [f32; 4] = [1e-6, 1e-5, 1e-4, SAME_PLACE];

/// Returns the corners of the box around the finite ones of these places.
pub(crate) fn corners(places: &[Vec3]) -> [Vec3; 2] {
    let finite = || places.iter().copied().filter(|at| at.is_finite());
    [finite().fold(Vec3::MAX, Vec3::min), finite().fold(Vec3::MIN, Vec3::max)]
}

/// Returns the length of the diagonal of the box around these places, without the outermost twentieth on each side of
/// each axis, so that a few stray points do not count.
pub(crate) fn spread(places: &[Vec3]) -> f32 {
    /// Places that are looked at, evenly spread over the list.
    const SAMPLES: usize = 2000;
    let step = places.len().div_ceil(SAMPLES).max(1);
    let some: Vec<Vec3> =
        places.iter().step_by(step).copied().filter(|at| at.is_finite()).collect();
    if some.is_empty() {
        return 0.0;
    }
    let edges = [0, 1, 2].map(|axis| {
        let mut along: Vec<f32> = some.iter().map(|at| at[axis]).collect();
        along.sort_unstable_by(f32::total_cmp);
        let cut = along.len() / 20;
        along[along.len() - 1 - cut] - along[cut]
    });
    Vec3::from(edges).length()
}

/// Returns the length of the diagonal of the box around these places.
pub(crate) fn diagonal(places: &[Vec3]) -> f32 {
    let [min, max] = corners(places);
    (max - min).max(Vec3::ZERO).length()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stray_point_does_not_widen_the_tolerance() {
        let mut places: Vec<Vec3> = (0..100).map(|i| Vec3::X * i as f32).collect();
        let before = spread(&places);
        places[7] = Vec3::splat(1e6);
        assert!((spread(&places) - before).abs() < 3.0);
    }
}
