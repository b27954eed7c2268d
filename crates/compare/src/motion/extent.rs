//! A bound of the distances of some pairs of points, from the matrices of what moves them.
//!
//! Let `p` be the place of a pair in the mesh of A, `A` and `B` the matrices of the joints, `wa` and `wb` their weights, and
//! `r` the joint of B that belongs to the first joint of A. As weights sum to 1, the offset is the sum of
//!
//! - `wa (A - B) p`, which is no longer than the longest of `(A - B) p`,
//! - `(wa - wb) (B - Br) p`, which is 0 where both have the same weights,
//! - `wa A (pa - p)` and `wb B (p - pb)`, which are 0 where both have the same places.
//!
//! All are linear in `p`, so over a box of places they are longest at a corner.

use glam::{Affine3A, Vec3A};

use super::carriers::{Carried, Carrier, Partners, Share};
use rigview_model::Aabb;

/// A carrier of A and the one of B with which it is compared; places of the mesh of A are brought to that of B by one of
/// [`super::blocks::Blocks`]'s matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Link {
    pub a: Carrier,
    pub b: Carrier,
    pub space: u32,
}

/// Two carriers of B whose weights are not those of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Bend {
    pub carrier: Carrier,
    pub from: Carrier,
    pub space: u32,
}

/// A link or a bend with the box of the places that it concerns.
#[derive(Clone, Debug)]
pub(crate) struct Reach<T> {
    pub of: T,
    pub bounds: Aabb,
    /// The least and the greatest difference of weights.
    pub share: [f32; 2],
    /// The number of pairs.
    pub pairs: usize,
}

impl<T> Reach<T> {
    /// Adds what another one concerns.
    pub fn join(&mut self, other: &Reach<T>) {
        self.bounds.union(&other.bounds);
        let ([least, greatest], [low, high]) = (self.share, other.share);
        self.share = [least.min(low), greatest.max(high)];
        self.pairs += other.pairs;
    }
}

/// What moves some pairs, with boxes of their places.
#[derive(Clone, Debug)]
pub(crate) struct Extent<L = Link, B = Bend> {
    pub links: Vec<Reach<L>>,
    pub bends: Vec<Reach<B>>,
    /// The largest sum of differences of weights of any pair.
    pub bent: f32,
    /// The largest weighted distance of the places of A and of B from those in the boxes, in the mesh of A.
    pub off: [f32; 2],
    /// The largest difference of a sum of weights from 1.
    pub slack: f32,
    /// Whether the distances have no bound: morph targets, or numbers that are not finite.
    pub is_open: bool,
    /// The number of pairs.
    pub pairs: usize,
}

impl<L, B> Default for Extent<L, B> {
    fn default() -> Self {
        Self {
            links: Vec::new(),
            bends: Vec::new(),
            bent: 0.0,
            off: [0.0; 2],
            slack: 0.0,
            is_open: false,
            pairs: 0,
        }
    }
}

impl<L: Ord + Copy, B: Ord + Copy> Extent<L, B> {
    /// Returns the extent of all pairs of some extents.
    pub fn joined(some: &[Self]) -> Self {
        let mut all = Self {
            links: join(some.iter().flat_map(|extent| &extent.links)),
            bends: join(some.iter().flat_map(|extent| &extent.bends)),
            ..Self::default()
        };
        for extent in some {
            all.bent = all.bent.max(extent.bent);
            all.off = [0, 1].map(|side| all.off[side].max(extent.off[side]));
            all.slack = all.slack.max(extent.slack);
            all.is_open |= extent.is_open;
            all.pairs += extent.pairs;
        }
        all
    }
}

fn join<'a, T: Ord + Copy + 'a>(some: impl Iterator<Item = &'a Reach<T>>) -> Vec<Reach<T>> {
    let mut all: Vec<Reach<T>> = some.cloned().collect();
    all.sort_by_key(|reach| reach.of);
    all.dedup_by(|reach, first| {
        let is_same = reach.of == first.of;
        if is_same {
            first.join(reach);
        }
        is_same
    });
    all
}

impl Extent {
    /// Adds a pair whose places in the mesh of A are `at` and, by `a_from_b`, those of B.
    pub fn add(
        &mut self,
        carried: &Carried,
        partners: &Partners,
        space: u32,
        a_from_b: &Affine3A,
        at: Vec3A,
    ) {
        self.pairs += 1;
        let [of_a, of_b] = &carried.shares;
        let partner = |share: &Share| partners.partner(share.carrier, of_b);
        let by_weight = |x: &&Share, y: &&Share| x.weight.total_cmp(&y.weight);
        let most = |shares: &[Share]| shares.iter().max_by(by_weight).copied();
        let (Some(first), Some(first_of_b)) = (most(of_a), most(of_b)) else {
            self.is_open = true;
            return;
        };
        let from = partner(&first).unwrap_or(first_of_b.carrier);
        let mut more: Vec<(Carrier, f32)> =
            of_b.iter().map(|share| (share.carrier, -share.weight)).collect();
        for share in of_a {
            let b = partner(share).unwrap_or(from);
            match more.iter_mut().find(|(carrier, _)| *carrier == b) {
                Some((_, weight)) => *weight += share.weight,
                None => more.push((b, share.weight)),
            }
            put(&mut self.links, Link { a: share.carrier, b, space }, at, 1.0);
        }
        more.retain(|(carrier, weight)| *carrier != from && *weight != 0.0);
        for (carrier, weight) in &more {
            put(&mut self.bends, Bend { carrier: *carrier, from, space }, at, *weight);
        }
        let sum = |shares: &[Share]| shares.iter().map(|share| share.weight).sum::<f32>();
        let bent: f32 = more.iter().map(|(_, weight)| weight.abs()).sum();
        let off_a = of_a.iter().map(|share| share.weight * (Vec3A::from(share.at) - at).length());
        let off_b = of_b.iter().map(|share| {
            share.weight * (a_from_b.transform_point3a(share.at.into()) - at).length()
        });
        let off: [f32; 2] = [off_a.sum(), off_b.sum()];
        let slack = (sum(of_a) - 1.0).abs().max((sum(of_b) - 1.0).abs());
        let is_negative = of_a.iter().chain(of_b).any(|share| share.weight < 0.0);
        let is_finite = (bent + off[0] + off[1] + slack).is_finite() && at.is_finite();
        self.is_open |= is_negative || !is_finite;
        self.bent = self.bent.max(bent);
        self.off = [0, 1].map(|side| self.off[side].max(off[side]));
        self.slack = self.slack.max(slack);
    }
}

fn put<T: PartialEq>(list: &mut Vec<Reach<T>>, of: T, at: Vec3A, share: f32) {
    let bounds = Aabb { min: at.into(), max: at.into() };
    let reach = Reach { of, bounds, share: [share; 2], pairs: 1 };
    match list.iter_mut().find(|known| known.of == reach.of) {
        Some(known) => known.join(&reach),
        None => list.push(reach),
    }
}

/// Returns the box of the vectors that a matrix makes of the points of a box, times a number between two.
pub(crate) fn scaled(matrix: &Affine3A, bounds: &Aabb, [least, greatest]: [f32; 2]) -> [Vec3A; 2] {
    let center = matrix.transform_point3a(bounds.center().into());
    let half = 0.5 * Vec3A::from(bounds.size());
    let [x, y, z] = [0, 1, 2].map(|axis| matrix.matrix3.col(axis).abs() * half[axis]);
    let (low, high) = (center - x - y - z, center + x + y + z);
    let all = [least * low, least * high, greatest * low, greatest * high];
    let [a, b, c, d] = all;
    [a.min(b).min(c.min(d)), a.max(b).max(c.max(d))]
}

/// Returns the length of the longest vector that a matrix makes of a point of a box.
pub(crate) fn longest(matrix: &Affine3A, bounds: &Aabb) -> f32 {
    let center = matrix.transform_point3a(bounds.center().into());
    let half = 0.5 * Vec3A::from(bounds.size());
    let [x, y, z] = [0, 1, 2].map(|axis| matrix.matrix3.col(axis) * half[axis]);
    let mut most = 0.0f32;
    for along_x in [center - x, center + x] {
        for along_y in [along_x - y, along_x + y] {
            most = most.max((along_y - z).length_squared()).max((along_y + z).length_squared());
        }
    }
    most.sqrt()
}

/// Returns a bound of the factor by which a matrix makes vectors longer.
pub(crate) fn stretch(matrix: &Affine3A) -> f32 {
    let [x, y, z] = [0, 1, 2].map(|axis| matrix.matrix3.col(axis));
    // The largest eigenvalue of its square is no larger than the largest sum of a row's absolute values.
    let [xy, xz, yz] = [x.dot(y).abs(), x.dot(z).abs(), y.dot(z).abs()];
    let rows =
        [x.length_squared() + xy + xz, y.length_squared() + xy + yz, z.length_squared() + xz + yz];
    rows.into_iter().fold(0.0, f32::max).sqrt()
}
