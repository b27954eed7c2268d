//! The nodes of two models that draw the same mesh, and the size of what they draw.

use std::collections::HashMap;

use glam::Vec3;

use crate::change::{Change, Kind};
use crate::pairing::drawers::drawers;
use crate::pairing::nearest::diagonal;
use crate::pairing::pairs::{ModelPairs, Pairs, entry_name};
use crate::pairing::vertex_pairs::Drawn;
use crate::side::Side;
use rigview_model::Model;

/// Returns the length of the diagonal of a model at rest, in metres.
pub(crate) fn size(side: &Side) -> f32 {
    let node = |node: &usize| Vec3::from(side.stage.world.world_from_node(*node).translation);
    let size = match side.rest.is_empty() {
        true => diagonal(&side.stage.nodes.iter().map(node).collect::<Vec<_>>()),
        false => diagonal(&side.rest),
    };
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
}

/// Pairs the nodes that draw: nodes of a pair, then nodes that alone draw the same mesh, then those that alone draw it or a copy.
pub(crate) fn drawn_pairs(a: &Side, b: &Side, pairs: &ModelPairs) -> Vec<Drawn> {
    let (in_a, in_b) = (a.drawing_nodes(), b.drawing_nodes());
    let place: HashMap<usize, usize> =
        in_b.iter().enumerate().map(|(j, node)| (*node, j)).collect();
    let mut drawn = Pairs::new(in_a.len(), in_b.len());
    let own: HashMap<usize, usize> = in_a.iter().enumerate().map(|(i, node)| (*node, i)).collect();
    for [x, y] in drawers([a.model, b.model], &pairs.nodes) {
        if let (Some(i), Some(j)) = (own.get(&x), place.get(&y)) {
            drawn.pair(*i, *j);
        }
    }
    let mesh_a = |i: usize| a.model.nodes[in_a[i]].mesh;
    let mesh_b = |j: usize| b.model.nodes[in_b[j]].mesh;
    // The mesh of a pair comes before copies, which other nodes draw.
    let partner_of_b = |j: usize| {
        let mesh = mesh_b(j)?;
        pairs.meshes.a_of(mesh).filter(|own| pairs.meshes.b_of(*own) == Some(mesh))
    };
    drawn.pair_unique(mesh_a, partner_of_b);
    let class = |side: usize, mesh: Option<usize>| mesh.map(|mesh| pairs.meshes.class(side, mesh));
    drawn.pair_unique(|i| class(0, mesh_a(i)), |j| class(1, mesh_b(j)));
    drawn.iter().map(|(i, j)| Drawn { a: in_a[i], b: in_b[j] }).collect()
}

/// Returns the change of a mesh whose vertices can't be paired.
pub(crate) fn unpaired(a: &Model, drawn: Drawn) -> Change {
    let mesh = a.nodes[drawn.a].mesh.unwrap_or_default();
    let name = entry_name(&a.meshes[mesh].name, mesh);
    let what = "too few vertices have a counterpart to be measured";
    Change::changed(Kind::Mesh, name, what.into())
}
