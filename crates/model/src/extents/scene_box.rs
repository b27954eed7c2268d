//! Boxes in scene space, in double precision.

use glam::DVec3;

/// A box along the scene's axes, in scene space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneBox {
    /// The least coordinates.
    pub min: DVec3,
    /// The largest coordinates.
    pub max: DVec3,
}

impl SceneBox {
    /// Returns the box around some points; `None` if there are none or they are not finite.
    pub fn around(points: &[DVec3]) -> Option<Self> {
        let min = points.iter().copied().reduce(DVec3::min)?;
        let max = points.iter().copied().reduce(DVec3::max)?;
        (max - min).is_finite().then_some(Self { min, max })
    }

    /// Returns the middle.
    #[inline]
    pub fn center(self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Returns the lengths of the edges.
    #[inline]
    pub fn size(self) -> DVec3 {
        self.max - self.min
    }

    /// Returns the box around this one and another one.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns the box with this much more on each side.
    #[inline]
    pub fn grown(self, by: DVec3) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    /// Returns the corners. Bits 0, 1 and 2 of an index tell whether X, Y and Z are the largest ones.
    pub fn corners(self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            let side =
                |axis: usize| if i >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] };
            DVec3::new(side(0), side(1), side(2))
        })
    }
}
