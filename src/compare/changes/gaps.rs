//! Triangles of one mesh at whose place the other one has no surface.

use std::collections::HashMap;

use glam::Vec3;

use super::paired_mesh::PairedMesh;
use crate::compare::pairing::triangles::Triangles;

/// A triangle is a gap if the other surface is farther from its middle than this share of the distance to its nearest edge.
/// Less is what a quad that was cut along its other diagonal costs.
const OFF: f32 = 0.5;

/// The triangles of a mesh, at the places that their corners have in the other mesh.
pub(in crate::compare) struct Gaps {
    /// By triangle, the places of its corners; `None` if one has no partner.
    corners: Vec<Option<[Vec3; 3]>>,
    places: Vec<Vec3>,
    surface: Triangles,
}

impl Gaps {
    /// Looks for triangles of a side, 0 or 1, on the surface of the other one.
    pub fn new(mesh: &PairedMesh, side: usize) -> Self {
        let other = 1 - side;
        let nodes = [mesh.drawn.a, mesh.drawn.b];
        let points: Vec<usize> = mesh.sides[other].motion.points_of_node(nodes[other]).collect();
        let first = points.first().copied().unwrap_or(0);
        let places: Vec<Vec3> =
            points.iter().map(|point| mesh.sides[other].mesh_position(*point)).collect();
        let elements = mesh.sides[other].elements(nodes[other]);
        let elements = elements.map(|corners| corners.map(|point| (point - first) as u32));
        let surface = Triangles::new(&places, elements.collect());
        let mut partners: HashMap<u32, u32> = HashMap::new();
        for pair in mesh.pairs {
            partners.entry(pair[side]).or_insert(pair[other]);
        }
        let place = |point: usize| {
            let partner = *partners.get(&(point as u32))? as usize;
            places.get(partner.checked_sub(first)?).copied()
        };
        let corners = mesh.sides[side].elements(nodes[side]).map(|corners| {
            let [a, b, c] = corners.map(place);
            Some([a?, b?, c?])
        });
        let corners = corners.collect();
        Self { corners, places, surface }
    }

    /// Returns those of these triangles at whose place there is no surface.
    pub fn among(&self, triangles: &[usize]) -> Vec<usize> {
        triangles.iter().copied().filter(|triangle| self.is_gap(*triangle)).collect()
    }

    fn is_gap(&self, triangle: usize) -> bool {
        let Some(corners) = self.corners.get(triangle).copied().flatten() else { return false };
        let [a, b, c] = corners;
        let middle = (a + b + c) / 3.0;
        let longest = [a - b, b - c, c - a].map(Vec3::length).into_iter().fold(0.0, f32::max);
        // A third of the least height.
        let inside = (b - a).cross(c - a).length() / (3.0 * longest);
        let Some((of, shares)) = self.surface.nearest(&self.places, middle) else { return false };
        let foot: Vec3 = (0..3).map(|i| shares[i] * self.places[of[i] as usize]).sum();
        // A triangle without an area is no gap.
        inside > 1e-4 * longest && foot.distance(middle) > OFF * inside
    }
}
