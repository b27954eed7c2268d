//! Triangles and lines of one mesh at whose place the other one has none.

use std::collections::HashMap;

use glam::Vec3;

use super::paired_mesh::PairedMesh;
use crate::pairing::triangles::Triangles;
use rigview_model::Topology;

/// A triangle is a gap if the other surface is farther from its middle than this share of the distance to its nearest edge.
/// Less is what a quad that was cut along its other diagonal costs.
const OFF: f32 = 0.5;

/// A line is a gap if the other ones are farther than this share of its length from a place on it. Less is what a line that was
/// divided costs.
const OFF_LINE: f32 = 0.01;

/// The triangles or the lines of a mesh, at the places that their corners have in the other mesh.
pub(crate) struct Gaps {
    topology: Topology,
    /// By element, the places of its corners; `None` if one has no partner.
    corners: Vec<Option<[Vec3; 3]>>,
    places: Vec<Vec3>,
    surface: Triangles,
}

impl Gaps {
    /// Looks for triangles or lines of a side, 0 or 1, on those of the other one.
    pub fn new(mesh: &PairedMesh, side: usize, topology: Topology) -> Self {
        let other = 1 - side;
        let nodes = [mesh.drawn.a, mesh.drawn.b];
        let points: Vec<usize> = mesh.sides[other].motion.points_of_node(nodes[other]).collect();
        let first = points.first().copied().unwrap_or(0);
        let places: Vec<Vec3> =
            points.iter().map(|point| mesh.sides[other].mesh_position(*point)).collect();
        let elements = mesh.sides[other].elements_with_vertices(nodes[other]);
        let elements = elements.filter(|element| element.topology == topology);
        let elements = elements.map(|element| element.points.map(|point| (point - first) as u32));
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
        Self { topology, corners, places, surface }
    }

    /// Returns those of these elements at whose place there is none.
    pub fn among(&self, elements: &[usize]) -> Vec<usize> {
        elements.iter().copied().filter(|element| self.is_gap(*element)).collect()
    }

    fn is_gap(&self, element: usize) -> bool {
        let Some([a, b, c]) = self.corners.get(element).copied().flatten() else { return false };
        if self.topology == Topology::Lines {
            let is_off = |share: f32| {
                let at = a.lerp(b, share);
                self.nearest(at).is_none_or(|foot| foot.distance(at) > OFF_LINE * a.distance(b))
            };
            return [0.2, 0.5, 0.8].into_iter().any(is_off);
        }
        let middle = (a + b + c) / 3.0;
        let longest = [a - b, b - c, c - a].map(Vec3::length).into_iter().fold(0.0, f32::max);
        // A third of the least height.
        let inside = (b - a).cross(c - a).length() / (3.0 * longest);
        let Some(foot) = self.nearest(middle) else { return false };
        // A triangle without an area is no gap.
        inside > 1e-4 * longest && foot.distance(middle) > OFF * inside
    }

    /// Returns the nearest place of the other mesh.
    fn nearest(&self, at: Vec3) -> Option<Vec3> {
        let (of, shares) = self.surface.nearest(&self.places, at)?;
        Some((0..3).map(|i| shares[i] * self.places[of[i] as usize]).sum())
    }
}
