//! Points that have no partner in their own mesh, because it was cut into several or joined from them.

use std::collections::HashMap;

use glam::Vec3;

use super::measured::{Foot, PairedPoints};
use super::nearest::{SAME_PLACE, spread};
use super::pairs::ModelPairs;
use super::side::{Side, origin_offset};
use super::triangles::Triangles;

/// Moves the feet of points that lie off their own mesh's surface to that of another mesh with the same skin, if it is
/// there at rest.
pub(super) fn move_feet(sides: [&Side; 2], pairs: &ModelPairs, points: &mut PairedPoints) {
    if points.feet.is_empty() {
        return;
    }
    let offset = origin_offset(sides[0], sides[1]);
    let places: [Vec<Vec3>; 2] =
        [sides[0].rest.clone(), sides[1].rest.iter().map(|at| *at + offset).collect()];
    let near = SAME_PLACE * spread(&places[0]).max(spread(&places[1]));
    let mut surfaces: HashMap<(usize, Option<usize>), Triangles> = HashMap::new();
    for foot in &mut points.feet {
        let (side, other) = (foot.side, 1 - foot.side);
        let at = places[side][foot.point as usize];
        let away = foot.place(&places[other]).distance(at);
        if away <= near || !away.is_finite() {
            continue;
        }
        let node = sides[side].motion.place(foot.point as usize).node;
        let skin = match (sides[side].model.nodes[node].skin, side) {
            (None, _) => None,
            (Some(skin), 0) => pairs.skins.b_of(skin),
            (Some(skin), _) => pairs.skins.a_of(skin),
        };
        let surface = surfaces.entry((other, skin)).or_insert_with(|| {
            let of = sides[other];
            let alike = of.drawing_nodes().into_iter().filter(|n| of.model.nodes[*n].skin == skin);
            let corners = alike.flat_map(|node| of.elements(node).collect::<Vec<_>>());
            let corners = corners.map(|corners| corners.map(|point| point as u32));
            Triangles::new(&places[other], corners.collect())
        });
        let Some((corners, shares)) = surface.nearest(&places[other], at) else { continue };
        let moved = Foot { corners, shares, ..*foot };
        if moved.place(&places[other]).distance(at) <= near {
            *foot = moved;
        }
    }
}
