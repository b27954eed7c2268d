//! Points that have no partner in their own mesh, because it was cut into several or joined from them.

use std::collections::HashMap;

use glam::Vec3;

use super::grid::Grid;
use super::nearest::{SAME_PLACE, spread};
use super::pairs::ModelPairs;
use super::triangles::Triangles;
use super::vertex_pairs::unlike;
use crate::compare::measured::{Foot, PairedPoints};
use crate::compare::side::{Side, origin_offset};

/// Two points within this share of the model's size are one vertex.
const SAME_VERTEX: f32 = 1e-6;

/// Moves the feet of points to that vertex at the same place that moves most like them, on any mesh with the same skin; of those
/// that lie off their own mesh's surface, to the surface of another mesh with the same skin, if it is there at rest. Places
/// alone don't tell apart what touches at rest: lips, lids, and two sides of a seam.
pub(in crate::compare) fn move_feet(
    sides: [&Side; 2],
    pairs: &ModelPairs,
    points: &mut PairedPoints,
) {
    if points.feet.is_empty() {
        return;
    }
    let offset = origin_offset(sides[0], sides[1]);
    let places: [Vec<Vec3>; 2] =
        [sides[0].rest.clone(), sides[1].rest.iter().map(|at| *at + offset).collect()];
    let size = spread(&places[0]).max(spread(&places[1]));
    let mut surfaces: HashMap<(usize, Option<usize>), Surface> = HashMap::new();
    for foot in &mut points.feet {
        let (side, other) = (foot.side, 1 - foot.side);
        let at = places[side][foot.point as usize];
        let node = sides[side].motion.place(foot.point as usize).node;
        let skin = match (sides[side].model.nodes[node].skin, side) {
            (None, _) => None,
            (Some(skin), 0) => pairs.skins.b_of(skin),
            (Some(skin), _) => pairs.skins.a_of(skin),
        };
        let surface = surfaces
            .entry((other, skin))
            .or_insert_with(|| Surface::new(sides[other], &places[other], skin, size));
        let own = foot.point as usize;
        let unlike = |point: u32| {
            let mut both = [own, point as usize];
            if side == 1 {
                both.reverse();
            }
            unlike(sides[0], sides[1], pairs, both[0], both[1])
        };
        let vertex = surface.vertex(at, unlike);
        if let Some(vertex) = vertex.filter(|vertex| unlike(*vertex) <= unlike(foot.nearest())) {
            *foot = Foot { corners: [vertex; 3], shares: [1.0, 0.0, 0.0], ..*foot };
            continue;
        }
        let near = SAME_PLACE * size;
        let distance = |foot: &Foot| {
            let [there] = foot.places(|point| [places[other][point as usize]]);
            there.distance(at)
        };
        let away = distance(foot);
        if away <= near || !away.is_finite() {
            continue;
        }
        let Some((corners, shares)) = surface.triangles.nearest(&places[other], at) else {
            continue;
        };
        let moved = Foot { corners, shares, ..*foot };
        if distance(&moved) <= near {
            *foot = moved;
        }
    }
}

/// All that nodes with one skin draw.
struct Surface {
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
        let corners: Vec<[u32; 3]> =
            corners.map(|corners| corners.map(|point| point as u32)).collect();
        let mut points = corners.as_flattened().to_vec();
        points.sort_unstable();
        points.dedup();
        let own: Vec<Vec3> = points.iter().map(|point| places[*point as usize]).collect();
        let grid = Grid::new(&own, (SAME_VERTEX * size).max(f32::MIN_POSITIVE));
        Self { triangles: Triangles::new(places, corners), points, places: own, grid }
    }

    /// Returns the point at a place that is least `unlike`.
    fn vertex(&self, at: Vec3, unlike: impl Fn(u32) -> f32) -> Option<u32> {
        let near = self.grid.near(&self.places, at).into_iter();
        let points = near.map(|(i, _)| self.points[i as usize]);
        points.map(|point| (point, unlike(point))).min_by(|x, y| x.1.total_cmp(&y.1)).map(|x| x.0)
    }
}
