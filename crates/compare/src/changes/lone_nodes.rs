//! Nodes that no node of the other model is compared with, and that may draw parts of meshes that others draw there: a mesh may
//! have been cut into several, or joined from them.

use glam::Vec3;

use crate::pairing::grid::Grid;
use crate::pairing::pairs::{Class, Pairs};
use crate::side::Side;

/// Two corners are one if they are within this share of the model's size: what rounding in other nodes' axes costs.
const SAME_CORNER: f32 = 1e-5;

/// The triangles of the nodes of one side that are compared with none.
pub(crate) struct LoneNodes<'a> {
    /// What to add to the places of the side.
    offset: Vec3,
    skins: &'a Pairs,
    /// The number of the own side, 0 or 1.
    own: usize,
    tolerance: f32,
    /// By triangle, the class of the skin that moves it.
    moved_by: Vec<Option<Class>>,
    /// The corners of the triangles at rest.
    corners: Vec<Vec3>,
    grid: Grid,
}

impl<'a> LoneNodes<'a> {
    /// Takes the triangles of a side's `nodes`. `offset` is added to the places of the side, `size` is that of both models.
    pub fn new(
        side: &Side,
        nodes: &[usize],
        offset: Vec3,
        size: f32,
        (skins, own): (&'a Pairs, usize),
    ) -> Self {
        let tolerance = (SAME_CORNER * size).max(f32::MIN_POSITIVE);
        let mut lone = Self {
            offset,
            skins,
            own,
            tolerance,
            moved_by: Vec::new(),
            corners: Vec::new(),
            grid: Grid::new(&[], tolerance),
        };
        for node in nodes {
            let skin = lone.skin(side, *node);
            for corners in side.elements(*node) {
                lone.moved_by.push(skin);
                lone.corners.extend(corners.map(|point| lone.place(side, point)));
            }
        }
        lone.grid = Grid::new(&lone.corners, tolerance);
        lone
    }

    pub fn is_empty(&self) -> bool {
        self.moved_by.is_empty()
    }

    /// Returns the place at rest of a point of the own side.
    pub fn place(&self, side: &Side, point: usize) -> Vec3 {
        side.rest[point] + self.offset
    }

    /// Returns the class of the skin of a node of the own side.
    pub fn skin(&self, side: &Side, node: usize) -> Option<Class> {
        Some(self.skins.class(self.own, side.model.nodes[node].skin?))
    }

    /// Whether there is a triangle with these corners, in this order, that a skin moves.
    pub fn has(&self, skin: Option<Class>, [a, b, c]: [Vec3; 3]) -> bool {
        let near = |x: Vec3, y: Vec3| x.distance(y) <= self.tolerance;
        let is_it = |(corner, _): (u32, f32)| {
            let (triangle, first) = (corner as usize / 3, corner as usize % 3);
            let other = |by: usize| self.corners[3 * triangle + (first + by) % 3];
            let (x, y) = (other(1), other(2));
            self.moved_by[triangle] == skin && near(x, b) && near(y, c)
        };
        self.grid.near(&self.corners, a).into_iter().any(is_it)
    }
}
