//! Bounding boxes of a posed primitive, without visiting its vertices.
//!
//! A skinned vertex is a weighted mean of its positions under each joint, so it lies in the hull of its
//! joints' boxes. Morph targets extend every box by the box of their deltas times the weight.

use glam::{Affine3A, Vec3};

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The lowest corner.
    pub min: Vec3,
    /// The highest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The empty box; the start of a union.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Whether the box is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Whether a point lies in the box.
    #[inline]
    pub fn has(&self, point: Vec3) -> bool {
        (self.min.cmple(point) & point.cmple(self.max)).all()
    }

    /// Whether another box lies in this one. One that is empty or overflows does not.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        !other.is_empty() && self.has(other.min) && self.has(other.max)
    }

    /// Extends the box to contain a point.
    #[inline]
    pub fn add(&mut self, point: Vec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    /// Extends the box to contain another box.
    #[inline]
    pub fn union(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Returns the largest distance between two boxes along an axis; negative if they overlap, infinite if one is empty.
    #[inline]
    pub fn gap(&self, other: &Self) -> f32 {
        (self.min - other.max).max(other.min - self.max).max_element()
    }

    /// Returns the box of this box's points, moved by any of the distances in `reach`.
    #[inline]
    pub fn moved_by(&self, reach: &Self) -> Self {
        Self { min: self.min + reach.min, max: self.max + reach.max }
    }

    /// Returns the centre.
    #[inline]
    pub fn center(&self) -> Vec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// Returns the size along each axis.
    #[inline]
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Returns the eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, lo: f32, hi: f32| if i & bit == 0 { lo } else { hi };
            Vec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }

    /// Returns the bounding box of this box transformed by a matrix (Arvo, "Transforming Axis-Aligned Bounding Boxes",
    /// 1990). An empty box stays empty.
    #[inline]
    pub fn transformed(&self, matrix: &Affine3A) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let middle = matrix.transform_point3a(self.center().into());
        let half = 0.5 * self.max - 0.5 * self.min;
        let axes = &matrix.matrix3;
        let reach =
            axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
        Self { min: (middle - reach).into(), max: (middle + reach).into() }
    }
}

/// Bounding boxes of one primitive in its mesh's space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrimitiveBounds {
    /// The box of all drawn vertices, unposed; `None` if it is empty.
    pub rest: Option<Aabb>,
    /// The box of the drawn vertices that each joint of the skin moves; joints that move none are left
    /// out.
    pub joints: Vec<(u16, Aabb)>,
    /// The box of the deltas of each morph target.
    pub targets: Vec<Aabb>,
    /// The outermost vertices; for a skinned primitive, the outermost of those that each joint moves
    /// most.
    pub outermost: Vec<u32>,
    /// The same of the points that the alpha of textures leaves visible; `None` if that is all, or is not known.
    pub seen: Option<Vec<SeenPoint>>,
}

impl PrimitiveBounds {
    /// Returns a box of the distances by which morph targets with these weights move points.
    pub fn morph_reach(&self, weights: &[f32]) -> Aabb {
        let mut reach = Aabb { min: Vec3::ZERO, max: Vec3::ZERO };
        for (deltas, weight) in self.targets.iter().zip(weights) {
            if *weight != 0.0 && !deltas.is_empty() {
                let (a, b) = (*weight * deltas.min, *weight * deltas.max);
                reach.min += a.min(b).min(Vec3::ZERO);
                reach.max += a.max(b).max(Vec3::ZERO);
            }
        }
        reach
    }

    /// Returns the bounding box of the rigid primitive, transformed by `matrix`, with morph `weights`.
    pub fn rigid(&self, matrix: &Affine3A, weights: &[f32]) -> Aabb {
        let reach = self.morph_reach(weights);
        self.rest.map_or(Aabb::EMPTY, |rest| rest.moved_by(&reach).transformed(matrix))
    }
}

/// A point of a triangle, or a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenPoint {
    /// The triangle's vertices.
    pub corners: [u32; 3],
    /// Their shares, which sum to 1.
    pub shares: [f32; 3],
}

impl SeenPoint {
    /// Returns the point's value from those of the corners.
    pub fn interpolate(&self, corner: impl Fn(u32) -> Vec3) -> Vec3 {
        let parts = self.corners.into_iter().zip(self.shares);
        parts.map(|(vertex, share)| share * corner(vertex)).sum()
    }
}
