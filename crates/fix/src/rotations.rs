//! Rotations of nodes and of keys: their length, and the side that a quaternion lies on.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::change::{Change, Changes, Context, change_at};
use super::channel_place::ChannelPlace;
use super::document::{Document, short};
use super::tracks::StoredKeys;
use rigview_anim::Interpolation;
use rigview_check::Finding;

/// Keys whose length differs less from 1 are left as they are; the import warns beyond it.
const KEY_LENGTH: f64 = 5e-4;

/// The same for rotations of nodes.
const NODE_LENGTH: f64 = 5e-3;

/// Normalises keys of LINEAR and STEP rotations. The curve of CUBICSPLINE keys would change, so those are left.
pub fn normalise_keys(document: &mut Document, context: &Context) -> Changes {
    let mut changes = Changes::default();
    for place in rotations(document) {
        // What can't be read is listed as left, if there is a finding about it.
        let Ok(mut keys) = document.keys(&place) else { continue };
        let off: Vec<usize> = (0..keys.len())
            .filter(|key| {
                let length = length(keys.value(*key));
                length > 0.0 && length.is_finite() && (length - 1.0).abs() > KEY_LENGTH
            })
            .collect();
        if off.is_empty() {
            continue;
        }
        let change = change_of(document, context, &place, off.len());
        if keys.interpolation == Interpolation::CubicSpline {
            changes
                .leave(change, "normalising CUBICSPLINE keys would change the curve between them");
            continue;
        }
        for key in off {
            let length = length(keys.value(key));
            keys.value_mut(key).iter_mut().for_each(|x| *x /= length);
        }
        document.set_keys(&place, &keys);
        changes.made.push(change);
    }
    changes
}

/// Negates keys that lie on the other side of the key before: of CUBICSPLINE channels with their tangents, or of
/// all others.
pub fn align_keys(document: &mut Document, context: &Context, cubic: bool) -> Changes {
    let mut changes = Changes::default();
    for place in rotations(document) {
        let Ok(mut keys) = document.keys(&place) else { continue };
        if (keys.interpolation == Interpolation::CubicSpline) != cubic {
            continue;
        }
        let count = align(&mut keys);
        if count > 0 {
            document.set_keys(&place, &keys);
            changes.made.push(change_of(document, context, &place, count));
        }
    }
    changes
}

/// Negates keys so that neighbours lie on one side, and returns how many.
fn align(keys: &mut StoredKeys) -> usize {
    let mut negated = 0;
    for key in 1..keys.len() {
        if !is_aligned(keys, key - 1) {
            keys.key_mut(key).iter_mut().for_each(|x| *x = -*x);
            negated += 1;
        }
    }
    negated
}

/// Whether the keys of a rotation are on one side: a key and the one after it. Other values have no side.
pub fn is_aligned(keys: &StoredKeys, key: usize) -> bool {
    let products = keys.value(key).iter().zip(keys.value(key + 1)).map(|(a, b)| a * b);
    !keys.is_rotation || products.sum::<f64>() >= 0.0
}

/// Normalises the rotations of nodes.
pub fn normalise_nodes(document: &mut Document, context: &Context) -> Changes {
    mend_nodes(document, context, |rotation| {
        let length = length(rotation);
        (length > 0.0 && length.is_finite() && (length - 1.0).abs() > NODE_LENGTH)
            .then(|| rotation.iter().map(|x| short((x / length) as f32)).collect::<Value>())
    })
}

/// Replaces rotations of length 0 by the identity.
pub fn replace_zeros(document: &mut Document, context: &Context) -> Changes {
    mend_nodes(document, context, |rotation| (length(rotation) == 0.0).then(|| json!([0, 0, 0, 1])))
}

fn mend_nodes(
    document: &mut Document,
    context: &Context,
    mended: impl Fn(&[f64]) -> Option<Value>,
) -> Changes {
    let mut changes = Changes::default();
    for node in 0..document.list("nodes").len() {
        let rotation = document.list("nodes")[node].get("rotation").and_then(Value::as_array);
        let Some(rotation) = rotation else { continue };
        let numbers: Vec<f64> = rotation.iter().filter_map(Value::as_f64).collect();
        if numbers.len() != 4 {
            continue;
        }
        if let Some(mended) = mended(&numbers)
            && let Some(item) = document.item_mut("nodes", node)
        {
            item.insert("rotation".into(), mended);
            let object = context.model.nodes.get(node).and_then(|node| node.name.clone());
            let pointer = format!("/nodes/{node}/rotation");
            changes.made.push(Change { pointer, object, clip: None, count: 1 });
        }
    }
    let made: HashSet<&str> = changes.made.iter().map(|change| change.pointer.as_str()).collect();
    let elsewhere = |finding: &&&Finding| {
        !finding.pointer.as_deref().is_some_and(|pointer| made.contains(pointer))
    };
    // Such as those of instances.
    let left: Vec<Change> =
        context.findings.iter().filter(elsewhere).map(|finding| change_at(finding)).collect();
    for change in left {
        changes.leave(change, "only rotations of nodes are mended");
    }
    changes
}

/// Returns the rotation channels of all clips.
fn rotations(document: &Document) -> Vec<ChannelPlace> {
    let clips = 0..document.list("animations").len();
    let channels = clips.flat_map(|clip| document.channels(clip));
    channels.filter(|place| place.path == "rotation" && place.node().is_some()).collect()
}

/// Returns the length of a quaternion.
fn length(quaternion: &[f64]) -> f64 {
    quaternion.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Describes a change of a channel's keys.
pub fn change_of(
    document: &Document,
    context: &Context,
    place: &ChannelPlace,
    count: usize,
) -> Change {
    let model = context.model;
    let node = place.node().and_then(|node| model.nodes.get(node));
    let property = || place.slot().map(|slot| model.slot_name(slot));
    let clip = document.list("animations").get(place.clip).and_then(|clip| clip.get("name"));
    Change {
        pointer: place.pointer(),
        object: node.and_then(|node| node.name.clone()).or_else(property),
        clip: clip.and_then(Value::as_str).map(str::to_owned),
        count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_lies_on_the_side_of_the_one_before() {
        let mut keys = StoredKeys {
            times: vec![0.0, 1.0, 2.0],
            width: 4,
            is_rotation: true,
            interpolation: Interpolation::Linear,
            values: vec![0., 0., 0., 1., 0., 0., 0., -1., 0., 0.6, 0., 0.8],
        };
        assert_eq!(align(&mut keys), 1);
        assert_eq!(keys.values[4..], [-0., -0., -0., 1., 0., 0.6, 0., 0.8]);
    }
}
