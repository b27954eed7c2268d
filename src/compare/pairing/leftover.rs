//! Points that have no partner in their own mesh, because it was cut into several or joined from them.

use std::collections::HashMap;

use glam::Vec3;

use super::grid::Grid;
use super::nearest::{SAME_PLACE, spread};
use super::pairs::ModelPairs;
use super::triangles::Triangles;
use super::vertex_pairs::unlike;
use crate::compare::measured::{Foot, Paired, PairedPoints};
use crate::compare::side::{Side, origin_offset};

/// Two points within this share of the model's size are one vertex.
const SAME_VERTEX: f32 = 1e-6;

/// Moves the feet of points to that vertex at the same place that moves most like them, on any mesh with the same skin; of those
/// that lie off their own mesh's surface, to the surface of another mesh with the same skin, if it is there at rest. Places
/// alone don't tell apart what touches at rest: lips, lids, and two sides of a seam.
///
/// A node that no node is compared with (`lone`, by side) draws a part of a cut mesh if all its points lie at vertices of the
/// other side: then these are their feet.
pub(in crate::compare) fn move_feet(
    sides: [&Side; 2],
    pairs: &ModelPairs,
    lone: &[Vec<usize>; 2],
    points: &mut PairedPoints,
) {
    if points.feet.is_empty() && lone.iter().all(Vec::is_empty) {
        return;
    }
    let mut others = Others::new(sides, pairs);
    points.feet.iter_mut().for_each(|foot| others.move_foot(foot));
    for (side, nodes) in lone.iter().enumerate() {
        for node in nodes {
            let own = sides[side].motion.points_of_node(*node);
            let feet = own.map(|point| others.vertex_foot(side, point as u32));
            let Some(feet) = feet.collect::<Option<Vec<Foot>>>() else { continue };
            points.by = points.by.max((!feet.is_empty()).then_some(Paired::Place));
            points.feet.extend(feet);
        }
    }
}

/// What each side draws, for the points of the other one.
struct Others<'a> {
    sides: [&'a Side<'a>; 2],
    pairs: &'a ModelPairs,
    /// The places of all points at rest.
    places: [Vec<Vec3>; 2],
    size: f32,
    /// By side and skin.
    surfaces: HashMap<(usize, Option<usize>), Surface>,
}

impl<'a> Others<'a> {
    fn new(sides: [&'a Side<'a>; 2], pairs: &'a ModelPairs) -> Self {
        let offset = origin_offset(sides[0], sides[1]);
        let places: [Vec<Vec3>; 2] =
            [sides[0].rest.clone(), sides[1].rest.iter().map(|at| *at + offset).collect()];
        let size = spread(&places[0]).max(spread(&places[1]));
        Self { sides, pairs, places, size, surfaces: HashMap::new() }
    }

    /// Returns what nodes of the other side with the skin of a point draw.
    fn surface(&mut self, side: usize, point: u32) -> &Surface {
        let Self { sides, pairs, places, size, surfaces } = self;
        let other = 1 - side;
        let node = sides[side].motion.place(point as usize).node;
        let skin = match (sides[side].model.nodes[node].skin, side) {
            (None, _) => None,
            (Some(skin), 0) => pairs.skins.b_of(skin),
            (Some(skin), _) => pairs.skins.a_of(skin),
        };
        surfaces
            .entry((other, skin))
            .or_insert_with(|| Surface::new(sides[other], &places[other], skin, *size))
    }

    /// Returns how differently a point of a side and one of the other side move.
    fn unlike(&self, side: usize, point: u32, other: u32) -> f32 {
        let mut both = [point as usize, other as usize];
        if side == 1 {
            both.reverse();
        }
        unlike(self.sides[0], self.sides[1], self.pairs, both[0], both[1])
    }

    /// Returns the foot of a point at that vertex at its place that moves most like it.
    fn vertex_foot(&mut self, side: usize, point: u32) -> Option<Foot> {
        let at = self.places[side][point as usize];
        let vertices = self.surface(side, point).vertices(at);
        let vertices =
            vertices.into_iter().map(|vertex| (vertex, self.unlike(side, point, vertex)));
        let (vertex, _) = vertices.min_by(|x, y| x.1.total_cmp(&y.1))?;
        Some(Foot { side, point, corners: [vertex; 3], shares: [1.0, 0.0, 0.0] })
    }

    /// Returns the foot of a point at the nearest place of the surface.
    fn surface_foot(&mut self, side: usize, point: u32) -> Option<Foot> {
        let at = self.places[side][point as usize];
        let (corners, shares) = self.surface(side, point).nearest(at)?;
        Some(Foot { side, point, corners, shares })
    }

    fn move_foot(&mut self, foot: &mut Foot) {
        let Foot { side, point, .. } = *foot;
        let unlike = |this: &Self, foot: &Foot| this.unlike(side, point, foot.nearest());
        if let Some(moved) = self.vertex_foot(side, point)
            && unlike(self, &moved) <= unlike(self, foot)
        {
            *foot = moved;
            return;
        }
        let at = self.places[side][point as usize];
        let near = SAME_PLACE * self.size;
        let distance = |this: &Self, foot: &Foot| {
            let [there] = foot.places(|point| [this.places[1 - side][point as usize]]);
            there.distance(at)
        };
        let away = distance(self, foot);
        if away <= near || !away.is_finite() {
            return;
        }
        let Some(moved) = self.surface_foot(side, point) else { return };
        if distance(self, &moved) <= near {
            *foot = moved;
        }
    }
}

/// All that nodes with one skin draw.
struct Surface {
    /// Triangles of the places of `points`.
    triangles: Triangles,
    /// The points of the triangles, with their places.
    points: Vec<u32>,
    places: Vec<Vec3>,
    grid: Grid,
}

impl Surface {
    fn new(side: &Side, places: &[Vec3], skin: Option<usize>, size: f32) -> Self {
        let alike = side.drawing_nodes().into_iter().filter(|n| side.model.nodes[*n].skin == skin);
        let corners = alike.flat_map(|node| side.elements(node).collect::<Vec<_>>());
        let mut corners: Vec<[u32; 3]> =
            corners.map(|corners| corners.map(|point| point as u32)).collect();
        let mut points = corners.as_flattened().to_vec();
        points.sort_unstable();
        points.dedup();
        let local = |point: u32| points.binary_search(&point).unwrap_or(0) as u32;
        corners.iter_mut().for_each(|corners| *corners = corners.map(local));
        let places: Vec<Vec3> = points.iter().map(|point| places[*point as usize]).collect();
        let grid = Grid::new(&places, (SAME_VERTEX * size).max(f32::MIN_POSITIVE));
        Self { triangles: Triangles::new(&places, corners), points, places, grid }
    }

    /// Returns the points at a place.
    fn vertices(&self, at: Vec3) -> Vec<u32> {
        let near = self.grid.near(&self.places, at).into_iter();
        near.map(|(i, _)| self.points[i as usize]).collect()
    }

    /// Returns the corners of the nearest triangle, and their shares in the nearest place.
    fn nearest(&self, at: Vec3) -> Option<([u32; 3], [f32; 3])> {
        let (corners, shares) = self.triangles.nearest(&self.places, at)?;
        Some((corners.map(|i| self.points[i as usize]), shares))
    }
}
