//! Pairs the points of two clouds that lie at one place.

use std::collections::{HashMap, HashSet};

use glam::Vec3;

/// The same place, as a share of the mesh's diagonal. Geometry that was stored in 11 bits keeps it.
pub(super) const SAME_PLACE: f32 = 1e-3;

/// Tolerances as shares of the larger diagonal, from fine to coarse: a point takes the partner of the finest one.
const TOLERANCES: [f32; 4] = [1e-6, 1e-5, 1e-4, SAME_PLACE];

/// Candidates that are looked at per point, so that a cloud in one place does not take forever.
const MOST_CANDIDATES: usize = 256;

/// Points without a partner that are paired with the nearest one that is left, at most, per cloud.
const MOST_LEFT: usize = 1000;

/// Two clouds of points.
pub(super) struct Candidates<'a> {
    pub places: [&'a [Vec3]; 2],
    /// How little two points have in common besides their place, 0 for nothing that differs.
    pub unlike: &'a dyn Fn(usize, usize) -> f32,
}

/// Pairs the points of both clouds that lie at one place. If several do, the most alike are paired. A point may
/// be in several pairs, because clouds need not split vertices in the same way.
///
/// Returns the share of the points that have a partner at their place, of the cloud where it is larger. Few
/// points without one are paired with the nearest point that is left.
pub(super) fn nearest_pairs(candidates: &Candidates) -> (f64, Vec<[u32; 2]>) {
    let [a, b] = candidates.places;
    let size = diagonal(a).max(diagonal(b));
    let of_a = partners(a, b, size, |i, j| (candidates.unlike)(i, j));
    let mut used = vec![false; b.len()];
    of_a.iter().flatten().for_each(|j| used[*j as usize] = true);
    let of_b = partners(b, a, size, |j, i| (candidates.unlike)(i, j));
    let share = |partners: &[Option<u32>]| {
        partners.iter().flatten().count() as f64 / partners.len().max(1) as f64
    };
    let shares = [share(&of_a), share(&of_b)];
    let mut pairs: Vec<[u32; 2]> = (0..).zip(&of_a).filter_map(|(i, j)| Some([i, (*j)?])).collect();
    let more = (0..).zip(&of_b).filter(|(j, _)| !used[*j as usize]);
    pairs.extend(more.filter_map(|(j, i)| Some([(*i)?, j])));
    let left = |partners: &[Option<u32>]| -> Vec<u32> {
        (0..).zip(partners).filter(|(_, partner)| partner.is_none()).map(|(i, _)| i).collect()
    };
    pairs.extend(nearest_left(a, b, left(&of_a), left(&of_b)));
    (shares[0].max(shares[1]), pairs)
}

/// Returns the partner of each point of `from` in `to`.
fn partners(
    from: &[Vec3],
    to: &[Vec3],
    size: f32,
    unlike: impl Fn(usize, usize) -> f32,
) -> Vec<Option<u32>> {
    let mut partners = vec![None; from.len()];
    for tolerance in TOLERANCES.map(|share| (share * size).max(f32::MIN_POSITIVE)) {
        let grid = Grid::new(to, tolerance);
        let mut open = false;
        for (i, at) in from.iter().enumerate().filter(|(_, at)| at.is_finite()) {
            if partners[i].is_some() {
                continue;
            }
            let near = grid.near(*at);
            let alone = near.len() == 1;
            let cost = |(j, distance): (u32, f32)| {
                let apart = distance / tolerance;
                (j, if alone { apart } else { apart + unlike(i, j as usize) })
            };
            let best = near.into_iter().map(cost).min_by(|a, b| a.1.total_cmp(&b.1));
            partners[i] = best.map(|(j, _)| j);
            open |= best.is_none();
        }
        if !open {
            break;
        }
    }
    partners
}

/// Points by cells as wide as a tolerance.
struct Grid<'a> {
    places: &'a [Vec3],
    tolerance: f32,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl<'a> Grid<'a> {
    fn new(places: &'a [Vec3], tolerance: f32) -> Self {
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(places.len());
        for (i, at) in (0..).zip(places).filter(|(_, at)| at.is_finite()) {
            cells.entry(cell(*at, tolerance)).or_default().push(i);
        }
        Self { places, tolerance, cells }
    }

    /// Returns the points within the tolerance, with their distances.
    fn near(&self, at: Vec3) -> Vec<(u32, f32)> {
        let [x, y, z] = cell(at, self.tolerance);
        let mut near = Vec::new();
        // The cell itself comes first, because it has the nearest points.
        for step in [0, -1, 1].iter().flat_map(|x| [0, -1, 1].map(|y| [*x, y])) {
            for last in [0, -1, 1] {
                let around = [x + step[0], y + step[1], z + last];
                for &i in self.cells.get(&around).map_or(&[][..], |cell| cell) {
                    let distance = at.distance(self.places[i as usize]);
                    if distance <= self.tolerance {
                        near.push((i, distance));
                        if near.len() == MOST_CANDIDATES {
                            return near;
                        }
                    }
                }
            }
        }
        near
    }
}

fn cell(at: Vec3, width: f32) -> [i64; 3] {
    (at.as_dvec3() / f64::from(width)).to_array().map(|x| x.floor() as i64)
}

/// Pairs points without a partner with the nearest point of the other cloud that is left, nearest ones first.
fn nearest_left(a: &[Vec3], b: &[Vec3], left_a: Vec<u32>, left_b: Vec<u32>) -> Vec<[u32; 2]> {
    if left_a.len().max(left_b.len()) > MOST_LEFT {
        return Vec::new();
    }
    let both = left_a.iter().flat_map(|i| left_b.iter().map(move |j| [*i, *j]));
    let mut all: Vec<(f32, [u32; 2])> =
        both.map(|[i, j]| (a[i as usize].distance(b[j as usize]), [i, j])).collect();
    all.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
    let (mut used_a, mut used_b) = (HashSet::new(), HashSet::new());
    let mut pairs = Vec::new();
    for (_, [i, j]) in all {
        if !used_a.contains(&i) && !used_b.contains(&j) {
            used_a.insert(i);
            used_b.insert(j);
            pairs.push([i, j]);
        }
    }
    pairs
}

/// Returns the corners of the box around the finite ones of these places.
pub(super) fn corners(places: &[Vec3]) -> [Vec3; 2] {
    let finite = || places.iter().copied().filter(|at| at.is_finite());
    [finite().fold(Vec3::MAX, Vec3::min), finite().fold(Vec3::MIN, Vec3::max)]
}

/// Returns the length of the diagonal of the box around these places.
pub(super) fn diagonal(places: &[Vec3]) -> f32 {
    let [min, max] = corners(places);
    (max - min).max(Vec3::ZERO).length()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(a: &[Vec3], b: &[Vec3], unlike: &dyn Fn(usize, usize) -> f32) -> (f64, Vec<[u32; 2]>) {
        nearest_pairs(&Candidates { places: [a, b], unlike })
    }

    #[test]
    fn shuffled_points_find_each_other() {
        let a: Vec<Vec3> = (0..50).map(|i| Vec3::new(i as f32, (i * i % 7) as f32, 0.5)).collect();
        let b: Vec<Vec3> = (0..50).map(|i| a[i * 7 % 50] + Vec3::splat(1e-4)).collect();
        let (share, found) = pairs(&a, &b, &|_, _| 0.0);
        assert_eq!((share, found.len()), (1.0, 50));
        assert!(found.iter().all(|[i, j]| *i as usize == *j as usize * 7 % 50));
    }

    #[test]
    fn points_at_one_place_are_told_apart_by_what_else_they_have() {
        let a = [Vec3::ZERO, Vec3::ZERO, Vec3::ONE];
        let b = [Vec3::ONE, Vec3::ZERO, Vec3::ZERO];
        let unlike =
            |i: usize, j: usize| if (i, j) == (0, 2) || (i, j) == (1, 1) { 0.0 } else { 1.0 };
        assert_eq!(pairs(&a, &b, &unlike).1, [[0, 2], [1, 1], [2, 0]]);
    }

    #[test]
    fn a_moved_point_takes_the_one_that_is_left() {
        let a: Vec<Vec3> = (0..20).map(|i| Vec3::X * i as f32).collect();
        let mut b: Vec<Vec3> = a.iter().rev().copied().collect();
        b[4] += Vec3::Y;
        let (share, found) = pairs(&a, &b, &|_, _| 0.0);
        assert_eq!((share, found.len()), (0.95, 20));
        assert!(found.contains(&[15, 4]));
    }
}
