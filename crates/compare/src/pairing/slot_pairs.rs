//! Pairs the properties of two models that clips animate.

use std::collections::HashSet;

use super::lists::ModelPairs;
use super::pairs::Pairs;
use rigview_anim::Clip;
use rigview_model::{Model, Node, Slot, SlotOwner};

/// Returns the properties that clips of either model animate and both models have, each once: the slot in A and that in B.
pub(crate) fn animated_slots<'c>(
    [a, b]: [&Model; 2],
    pairs: &ModelPairs,
    [of_a, of_b]: [impl IntoIterator<Item = &'c Clip>; 2],
) -> Vec<[Slot; 2]> {
    let in_a = slots(a, of_a).into_iter();
    let mut found: Vec<[Slot; 2]> =
        in_a.filter_map(|slot| Some([slot, partner(slot, [a, b], pairs, Pairs::b_of)?])).collect();
    let known: HashSet<[Slot; 2]> = found.iter().copied().collect();
    let in_b = slots(b, of_b).into_iter();
    let in_b = in_b.filter_map(|slot| Some([partner(slot, [b, a], pairs, Pairs::a_of)?, slot]));
    found.extend(in_b.filter(|slots| !known.contains(slots)));
    found
}

/// Returns the slots that clips change, each once, in the order of the clips.
fn slots<'c>(model: &Model, clips: impl IntoIterator<Item = &'c Clip>) -> Vec<Slot> {
    let mut met = vec![false; model.slots.len()];
    let properties = clips.into_iter().flat_map(Clip::properties);
    let new = properties.filter(|property| !std::mem::replace(&mut met[property.slot], true));
    new.map(|property| model.slots[property.slot]).collect()
}

/// Returns the same property of the second model. Lights and cameras are found through a node that has them.
fn partner(
    slot: Slot,
    models: [&Model; 2],
    pairs: &ModelPairs,
    other: impl Fn(&Pairs, usize) -> Option<usize>,
) -> Option<Slot> {
    let through_node = |item: fn(&Node) -> Option<usize>| {
        let node = models[0].nodes.iter().position(|node| item(node) == Some(slot.item))?;
        item(&models[1].nodes[other(&pairs.nodes, node)?])
    };
    let item = match slot.field.owner() {
        SlotOwner::Node => other(&pairs.nodes, slot.item),
        SlotOwner::Material => other(&pairs.materials, slot.item),
        SlotOwner::Light => through_node(|node| node.light),
        SlotOwner::Camera => through_node(|node| node.camera),
    };
    Some(Slot { item: item?, ..slot })
}
