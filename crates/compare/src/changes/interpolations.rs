//! Channels whose interpolation changed.

use std::collections::HashMap;

use serde::Serialize;

use crate::pairing::pairs::{Pairs, entry_name};
use rigview_anim::{Channel, Clip};
use rigview_model::Model;

/// A channel of a clip with another interpolation than in the other model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InterpolationChange {
    /// The node of A that the channel drives.
    pub node: String,
    /// glTF's name of the driven property.
    pub path: &'static str,
    /// The interpolation in A, by glTF's name.
    pub a: &'static str,
    /// The interpolation in B.
    pub b: &'static str,
}

/// Lists the channels whose interpolation differs. Channels of one key, which is the same in every interpolation, do
/// not count.
pub(crate) fn interpolation_changes(
    model: &Model,
    nodes: &Pairs,
    [a, b]: [&Clip; 2],
) -> Vec<InterpolationChange> {
    let several = |channel: &&Channel| channel.times().len() > 1;
    let of_b = b.channels().iter().filter(several);
    // A node may have a channel for each of its weights.
    let key = |node: usize, channel: &Channel| {
        let values = channel.values();
        (node, channel.path(), values.start, values.end)
    };
    let of_b: HashMap<_, &Channel> =
        of_b.map(|channel| (key(channel.node(), channel), channel)).collect();
    let change = |channel: &Channel| {
        let other = of_b.get(&key(nodes.b_of(channel.node())?, channel))?;
        let [x, y] = [channel, *other].map(Channel::interpolation);
        let node = channel.node();
        (x != y).then(|| InterpolationChange {
            node: entry_name(&model.nodes[node].name, node),
            path: channel.path(),
            a: x.name(),
            b: y.name(),
        })
    };
    a.channels().iter().filter(several).filter_map(change).collect()
}
