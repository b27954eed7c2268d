//! What is measured between two models: pairs of points, or of nodes.

use glam::Vec3;
use serde::Serialize;

/// How the vertices of two models were paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Paired {
    /// By index, because both files have the same triangles.
    Index,
    /// By place: each vertex has one at its place in the other model at rest.
    Place,
    /// Some vertices with the nearest point of the other surface.
    Surface,
}

/// What is measured between two models.
pub(super) enum Measured {
    /// Points of both that belong together.
    Points(PairedPoints),
    /// The origins of these nodes, because neither model draws anything.
    Nodes(Vec<[usize; 2]>),
}

impl Measured {
    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Nodes(nodes) => nodes.len(),
        }
    }
}

/// Indices of a point of each model, which belong to the same vertex.
pub(super) type PointPair = [u32; 2];

/// A point of one model on a triangle of the other one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Foot {
    /// 0 if the point is of A, 1 if it is of B.
    pub side: usize,
    pub point: u32,
    /// The points at the corners of the triangle.
    pub corners: [u32; 3],
    /// The shares of the corners in the place; their sum is 1.
    pub shares: [f32; 3],
}

impl Foot {
    /// Returns the place on the other model in each of several poses, given those of its points.
    pub fn places<const N: usize>(&self, places_of: impl Fn(u32) -> [Vec3; N]) -> [Vec3; N] {
        let mut sums = [Vec3::ZERO; N];
        for (corner, share) in self.corners.iter().zip(self.shares) {
            if share != 0.0 {
                let places = places_of(*corner);
                sums.iter_mut().zip(places).for_each(|(sum, at)| *sum += share * at);
            }
        }
        sums
    }

    /// Returns the corner with the largest share.
    pub fn nearest(&self) -> u32 {
        let largest = |x: &usize, y: &usize| self.shares[*x].total_cmp(&self.shares[*y]);
        (0..3).max_by(largest).map_or(self.corners[0], |corner| self.corners[corner])
    }
}

/// The points of two models that belong together: vertices first, then places on the surface.
#[derive(Clone, Debug, Default)]
pub(super) struct PairedPoints {
    pub pairs: Vec<PointPair>,
    pub feet: Vec<Foot>,
    /// The weakest way in which meshes were paired; `None` without points.
    pub by: Option<Paired>,
}

impl PairedPoints {
    pub fn len(&self) -> usize {
        self.pairs.len() + self.feet.len()
    }

    /// Returns the places of a pair in each of several poses, given those of the points of both models.
    #[inline]
    pub fn places<const N: usize>(
        &self,
        pair: usize,
        a: impl Fn(u32) -> [Vec3; N],
        b: impl Fn(u32) -> [Vec3; N],
    ) -> [[Vec3; N]; 2] {
        if let Some([i, j]) = self.pairs.get(pair) {
            return [a(*i), b(*j)];
        }
        let foot = &self.feet[pair - self.pairs.len()];
        match foot.side {
            0 => [a(foot.point), foot.places(b)],
            _ => [foot.places(a), b(foot.point)],
        }
    }

    /// Returns the points of a pair; of a place on a surface, the nearest corner.
    pub fn points(&self, pair: usize) -> PointPair {
        if let Some(pair) = self.pairs.get(pair) {
            return *pair;
        }
        let foot = &self.feet[pair - self.pairs.len()];
        let mut both = [foot.point, foot.nearest()];
        if foot.side == 1 {
            both.reverse();
        }
        both
    }
}
