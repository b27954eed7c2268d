//! The weights of two vertices, by the nodes that move them.

use super::pairing::pairs::Pairs;
use super::side::Side;
use rigview_model::VertexPlace;

/// Returns the summed difference of two vertices' weights: 0 if the same nodes move them in the same way, 2 if other
/// ones do.
pub(super) fn moved(sides: [&Side; 2], nodes: &Pairs, vertices: [VertexPlace; 2]) -> f32 {
    differences(sides, nodes, vertices).iter().map(|(_, off)| off.abs()).sum()
}

/// Returns by how much the weight of each node grew from A to B. Nodes of B without a partner in A count under `None`.
pub(super) fn differences(
    [a, b]: [&Side; 2],
    nodes: &Pairs,
    [of_a, of_b]: [VertexPlace; 2],
) -> Vec<(Option<usize>, f32)> {
    let mut grown: Vec<(Option<usize>, f32)> = Vec::new();
    let mut add =
        |node: Option<usize>, weight: f32| match grown.iter_mut().find(|(other, _)| *other == node)
        {
            Some((_, sum)) => *sum += weight,
            None => grown.push((node, weight)),
        };
    a.movers(of_a).into_iter().for_each(|(node, weight)| add(Some(node), -weight));
    b.movers(of_b).into_iter().for_each(|(node, weight)| add(nodes.a_of(node), weight));
    grown
}
