//! Pairs the points of two clouds that lie at one place.

use glam::Vec3;

use super::grid::Grid;

/// The same place, as a share of the mesh's diagonal. Geometry that was stored in 11 bits keeps it.
pub(crate) const SAME_PLACE: f32 = 1e-3;

/// Tolerances as shares of the larger diagonal, from fine to coarse: a point takes the partner of the finest one.
pub(crate) const TOLERANCES: [f32; 4] = [1e-6, 1e-5, 1e-4, SAME_PLACE];

/// Two clouds of points.
pub(crate) struct Candidates<'a> {
    pub places: [&'a [Vec3]; 2],
    /// How little two points have in common besides their place, 0 for nothing that differs.
    pub unlike: &'a (dyn Fn(usize, usize) -> f32 + Sync),
}

/// A coarser tolerance counts as needed if more than one point in this number finds its partner by it only.
const FEW: usize = 100;

/// Points that are kept per point beside its partner, and per point of both clouds in all.
const MOST_RIVALS: usize = 64;
const MOST_RIVALS_IN_ALL: usize = 4;

/// The pairs of two clouds.
pub(crate) struct Found {
    /// The share of the points that have a partner at their place, of the cloud where it is larger.
    pub share: f64,
    pub pairs: Vec<[u32; 2]>,
    /// Points of the second cloud that lie at the place of one of the first, beside its partner.
    pub rivals: Vec<[u32; 2]>,
    /// The points of each cloud without a partner.
    pub left: [Vec<u32>; 2],
}

/// Pairs the points of both clouds that lie at one place. If several do, the most alike are paired. A point may
/// be in several pairs, because clouds need not split vertices in the same way.
pub(crate) fn nearest_pairs(candidates: &Candidates) -> Found {
    let [a, b] = candidates.places;
    let size = spread(a).max(spread(b));
    let ((of_a, coarsest), (of_b, _)) = rayon::join(
        || partners(a, b, size, |i, j| (candidates.unlike)(i, j)),
        || partners(b, a, size, |j, i| (candidates.unlike)(i, j)),
    );
    let mut used = vec![false; b.len()];
    of_a.iter().flatten().for_each(|j| used[*j as usize] = true);
    let share = |partners: &[Option<u32>]| {
        partners.iter().flatten().count() as f64 / partners.len().max(1) as f64
    };
    let mut pairs: Vec<[u32; 2]> = (0..).zip(&of_a).filter_map(|(i, j)| Some([i, (*j)?])).collect();
    let more = (0..).zip(&of_b).filter(|(j, _)| !used[*j as usize]);
    pairs.extend(more.filter_map(|(j, i)| Some([(*i)?, j])));
    let left = [&of_a, &of_b].map(|partners| {
        (0..).zip(partners).filter(|(_, partner)| partner.is_none()).map(|(i, _)| i).collect()
    });
    let rivals = rivals(a, b, &of_a, coarsest);
    Found { share: share(&of_a).max(share(&of_b)), pairs, rivals, left }
}

/// Returns the number of wanted places with a point of the cloud within their own tolerance, none of which is larger
/// than `widest`.
pub(crate) fn has_near(cloud: &[Vec3], widest: f32, wanted: &[(Vec3, f32)]) -> usize {
    if wanted.is_empty() {
        return 0;
    }
    let grid = Grid::new(cloud, widest.max(f32::MIN_POSITIVE));
    let is_near = |(at, tolerance): &&(Vec3, f32)| {
        at.is_finite() && grid.near(cloud, *at).iter().any(|(_, distance)| distance <= tolerance)
    };
    wanted.iter().filter(is_near).count()
}

/// Returns the partner of each point of `from` in `to`, and the tolerance that all but a few of them need.
fn partners(
    from: &[Vec3],
    to: &[Vec3],
    size: f32,
    unlike: impl Fn(usize, usize) -> f32,
) -> (Vec<Option<u32>>, f32) {
    let mut partners = vec![None; from.len()];
    let mut needed = 0.0;
    for tolerance in TOLERANCES.map(|share| (share * size).max(f32::MIN_POSITIVE)) {
        let grid = Grid::new(to, tolerance);
        let (mut open, mut found) = (false, 0);
        let mut near = Vec::new();
        for (i, at) in from.iter().enumerate().filter(|(_, at)| at.is_finite()) {
            if partners[i].is_some() {
                continue;
            }
            grid.find(to, *at, &mut near);
            let alone = near.len() == 1;
            let cost = |(j, distance): (u32, f32)| {
                let apart = distance / tolerance;
                (j, if alone { apart } else { apart + unlike(i, j as usize) })
            };
            let best = near.iter().copied().map(cost).min_by(|a, b| a.1.total_cmp(&b.1));
            partners[i] = best.map(|(j, _)| j);
            found += usize::from(best.is_some());
            open |= best.is_none();
        }
        if FEW * found > from.len() {
            needed = tolerance;
        }
        if !open {
            break;
        }
    }
    (partners, needed)
}

/// Returns the points of `b` within a tolerance of a point of `a`, each with it, that are not its partner.
fn rivals(a: &[Vec3], b: &[Vec3], partners: &[Option<u32>], tolerance: f32) -> Vec<[u32; 2]> {
    let grid = Grid::new(b, tolerance.max(f32::MIN_POSITIVE));
    let most = MOST_RIVALS_IN_ALL * (a.len() + b.len());
    let (mut rivals, mut near) = (Vec::new(), Vec::new());
    for ((i, at), partner) in (0..).zip(a).zip(partners) {
        if let Some(partner) = partner.filter(|_| rivals.len() < most) {
            grid.find(b, *at, &mut near);
            let others = near.iter().map(|(j, _)| *j).filter(|j| *j != partner);
            rivals.extend(others.take(MOST_RIVALS).map(|j| [i, j]));
        }
    }
    rivals
}

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

    fn pairs(a: &[Vec3], b: &[Vec3], unlike: &(dyn Fn(usize, usize) -> f32 + Sync)) -> Found {
        nearest_pairs(&Candidates { places: [a, b], unlike })
    }

    #[test]
    fn shuffled_points_find_each_other() {
        let a: Vec<Vec3> = (0..50).map(|i| Vec3::new(i as f32, (i * i % 7) as f32, 0.5)).collect();
        let b: Vec<Vec3> = (0..50).map(|i| a[i * 7 % 50] + Vec3::splat(1e-4)).collect();
        let found = pairs(&a, &b, &|_, _| 0.0);
        assert_eq!((found.share, found.pairs.len()), (1.0, 50));
        assert!(found.pairs.iter().all(|[i, j]| *i as usize == *j as usize * 7 % 50));
    }

    #[test]
    fn points_at_one_place_are_told_apart_by_what_else_they_have() {
        let a = [Vec3::ZERO, Vec3::ZERO, Vec3::ONE];
        let b = [Vec3::ONE, Vec3::ZERO, Vec3::ZERO];
        let unlike =
            |i: usize, j: usize| if (i, j) == (0, 2) || (i, j) == (1, 1) { 0.0 } else { 1.0 };
        assert_eq!(pairs(&a, &b, &unlike).pairs, [[0, 2], [1, 1], [2, 0]]);
    }

    #[test]
    fn a_moved_point_is_left() {
        let a: Vec<Vec3> = (0..20).map(|i| Vec3::X * i as f32).collect();
        let mut b: Vec<Vec3> = a.iter().rev().copied().collect();
        b[4] += Vec3::Y;
        let found = pairs(&a, &b, &|_, _| 0.0);
        assert_eq!((found.share, found.pairs.len()), (0.95, 19));
        assert_eq!(found.left, [vec![15], vec![4]]);
    }

    #[test]
    fn a_stray_point_does_not_widen_the_tolerance() {
        let mut places: Vec<Vec3> = (0..100).map(|i| Vec3::X * i as f32).collect();
        let before = spread(&places);
        places[7] = Vec3::splat(1e6);
        assert!((spread(&places) - before).abs() < 3.0);
        assert_eq!(has_near(&places, 0.5, &[(Vec3::X, 0.1), (Vec3::X * 7.0, 0.1)]), 1);
    }
}
