//! The nodes of two models that draw for each other: those of a pair, or a node without a name that was put below one of them to
//! carry its mesh.

use super::pairs::{Pairs, given};
use rigview_model::Model;

/// Returns the pairs of nodes that draw, given the pairs of nodes. If only one of a pair draws, the only node without a name and
/// a partner that draws below the other one takes its place: programs put one there for the transform of quantized vertices.
pub(crate) fn drawers([a, b]: [&Model; 2], nodes: &Pairs) -> Vec<[usize; 2]> {
    let below_a = only_drawers(a, |node| nodes.b_of(node).is_some());
    let below_b = only_drawers(b, |node| nodes.a_of(node).is_some());
    let both = nodes.iter().filter_map(|(i, j)| match (a.nodes[i].mesh, b.nodes[j].mesh) {
        (Some(_), Some(_)) => Some([i, j]),
        (Some(_), None) => Some([i, below_b[j]?]),
        (None, Some(_)) => Some([below_a[i]?, j]),
        (None, None) => None,
    });
    both.collect()
}

/// Returns, by node, the only node that draws, has no name and is not `taken` below it.
fn only_drawers(model: &Model, taken: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let mut below: Vec<[Option<usize>; 2]> = vec![[None; 2]; model.nodes.len()];
    for (node, of) in model.nodes.iter().enumerate() {
        let counts = of.mesh.is_some() && given(&of.name).is_none() && !taken(node);
        if let (true, Some(parent)) = (counts, model.hierarchy.parent(node)) {
            let [first, second] = &mut below[parent];
            let free = if first.is_none() { first } else { second };
            *free = Some(node);
        }
    }
    below.into_iter().map(|[first, second]| first.filter(|_| second.is_none())).collect()
}
