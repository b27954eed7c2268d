//! A visible point of a surface, given by the vertices around it.

use glam::Vec3;

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
    pub fn of(&self, corner: impl Fn(u32) -> Vec3) -> Vec3 {
        let parts = self.corners.into_iter().zip(self.shares);
        parts.map(|(vertex, share)| share * corner(vertex)).sum()
    }
}
