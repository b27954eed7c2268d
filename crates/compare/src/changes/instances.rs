//! Differences of the copies in which a node draws its mesh (EXT_mesh_gpu_instancing), whose order means nothing.

use crate::change::{Change, Kind};
use crate::pairing::instance_pairs::InstancePairs;
use crate::side::Side;

/// Returns the change of a node of A whose instances moved by up to `apart` metres; `None` if they did not.
pub(crate) fn instance_change(side: &Side, of: &InstancePairs, apart: f32) -> Option<Change> {
    let moved = of.pairs.iter().filter(|pair| pair.is_moved).count();
    let [node, _] = of.nodes;
    let all = side.model.nodes[node].instances.len().max(1);
    let what = format!("{moved} of {all} instances moved");
    let change = Change::changed(Kind::Node, side.node_name(node), what);
    (moved > 0).then_some(Change { distance: Some(f64::from(apart)), ..change })
}
