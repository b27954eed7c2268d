//! Writes a model as a GLB with other clips.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::ExportError;
use super::keys;
use super::weights;
use rigview_anim::{Channel, Clip, hold_to_end};
use rigview_document::{
    Gathered, Loose, Parts, Pieces, extensions, gather, items, keep_animations, push,
};
use rigview_model::{Chunk, Model};

/// The animations of a file that is written.
#[derive(Clone, Copy, Debug)]
pub enum Animations<'a> {
    /// Those of the model's file, unchanged.
    File,
    /// Those of the model's file with these indices, unchanged and in this order.
    Chosen(&'a [usize]),
    /// Clips with their own keys; without channels of properties. A clip whose last key is left out gets another one, at
    /// which it holds, so that it keeps its duration.
    Clips(&'a [Clip]),
    /// Those of the model's file, and then these clips.
    Added(&'a [Clip]),
}

/// Returns a GLB of the model's file with these animations. External buffers and images are embedded; if the
/// animations are replaced, data that only the old ones used is dropped, and nodes whose matrix can't be
/// expressed as translation, rotation and scale are not animated.
///
/// # Errors
/// If the import did not keep the original file, or the output exceeds 4 GiB.
pub fn glb_with(model: &Model, animations: Animations) -> Result<Vec<u8>, ExportError> {
    let Gathered { root, bytes, .. } = document(model, animations)?;
    glb(&root, bytes, &model.source.chunks)
}

/// Returns the document with its data.
pub(super) fn document(model: &Model, animations: Animations) -> Result<Gathered, ExportError> {
    let original = model.source.original.as_ref().ok_or(ExportError::NotKept)?;
    let mut root: Value =
        serde_json::from_str(&original.json).map_err(|e| ExportError::Document(e.to_string()))?;
    let keeps_animations = match animations {
        Animations::File | Animations::Added(_) => true,
        Animations::Chosen(chosen) => {
            keep_animations(&mut root, chosen);
            true
        }
        Animations::Clips(_) => {
            keep_animations(&mut root, &[]);
            false
        }
    };
    let with_clips = |root: &mut Value, pieces: &mut Pieces| {
        if let Animations::Clips(clips) | Animations::Added(clips) = animations {
            let written = with_keys(root, model, clips, pieces)?;
            push(root, "animations", written);
        }
        Ok(())
    };
    let mut file = gather(root, &original.buffers, &original.images, with_clips)?;
    tidy(&mut file.root, keeps_animations);
    let normalize = |loose: &mut Loose| weights::normalize(loose, f32::INFINITY);
    (file.root, file.bytes) = completed(model, file.root, file.bytes, normalize);
    Ok(file)
}

/// Returns the document and bytes of a model's file with the strides, views and bounds that glTF 2.0 demands and what
/// `change` changes, if the file is a glTF 1.0 one, which need not have them. Others stay as they are.
fn completed(
    model: &Model,
    mut root: Value,
    bytes: Vec<u8>,
    change: impl FnOnce(&mut Loose),
) -> (Value, Vec<u8>) {
    if !model.source.is_gltf1() {
        return (root, bytes);
    }
    declare_extensions(&mut root);
    match Loose::new(&root, &bytes) {
        Some(mut loose) => {
            loose.split();
            change(&mut loose);
            loose.put_bounds();
            loose.join()
        }
        None => (root, bytes),
    }
}

/// Sums of weights that differ less from one are no finding: the import's tolerance.
const SUM_ROUNDING: f32 = 0.01;

/// Returns the parts of the model's file as they are. A glTF 1.0 file is a glTF 2.0 one of one buffer; unlike in what is
/// converted, only rounding is taken off its sums of weights; others are mended as findings.
///
/// # Errors
/// If the import did not keep the original file.
pub fn file_parts(model: &Model) -> Result<Parts, ExportError> {
    let original = model.source.original.as_ref().ok_or(ExportError::NotKept)?;
    let root: Value =
        serde_json::from_str(&original.json).map_err(|e| ExportError::Document(e.to_string()))?;
    let (buffers, images) = (original.buffers.clone(), original.images.clone());
    let parts = Parts { root, buffers, images };
    if !model.source.is_gltf1() {
        return Ok(parts);
    }
    let Gathered { root, bytes, .. } = parts.gathered();
    let round = |loose: &mut Loose| weights::normalize(loose, SUM_ROUNDING);
    let (root, bytes) = completed(model, root, bytes, round);
    let buffers = root.get("buffers").map(|_| Some(bytes)).into_iter().collect();
    Ok(Parts { root, buffers, images: Vec::new() })
}

fn with_keys(
    root: &mut Value,
    model: &Model,
    clips: &[Clip],
    pieces: &mut Pieces,
) -> Result<Vec<Value>, ExportError> {
    let is_free = |channel: &Channel| model.hierarchy.is_driven(channel);
    let moves = |channel: &&Channel| is_free(channel) && !channel.is_weights();
    let channels = clips.iter().flat_map(Clip::channels);
    free_matrices(root, model, &channels.filter(moves).map(Channel::node).collect());
    let mut written = Vec::new();
    for clip in clips {
        if clip.channels().iter().any(is_free) {
            charge_weights(model, clip)?;
            let mut parts = clip.with_whole_weights(&model.rest).into_parts();
            parts.channels.retain(is_free);
            keep_last_per_target(&mut parts.channels);
            // The channel with the last key may be one that is left out.
            hold_to_end(&mut parts.channels, parts.duration_secs);
            written.push(keys::animation(root, &Clip::new(parts), pieces));
        }
    }
    Ok(written)
}

/// Removes channels whose property of a node a later one drives too: that one plays, and glTF allows one per property.
fn keep_last_per_target(channels: &mut Vec<Channel>) {
    let mut driven = BTreeSet::new();
    channels.reverse();
    channels.retain(|channel| driven.insert((channel.node(), channel.path())));
    channels.reverse();
}

/// Checks that all weights of each node fit in the file's budget, at each key that drives some of them.
fn charge_weights(model: &Model, clip: &Clip) -> Result<(), ExportError> {
    let partly = clip.channels().iter().filter_map(|channel| match channel {
        Channel::Weights { node, track, .. } => {
            let all = model.rest.weights(*node).len();
            (track.width() < all).then(|| track.times().len().saturating_mul(all))
        }
        _ => None,
    });
    let numbers = partly.fold(0, usize::saturating_add);
    model.budget.holds(numbers, size_of::<f32>()).map_err(ExportError::OverBudget)
}

/// Replaces the matrices of these nodes by translation, rotation and scale, as the import took them, because glTF does not
/// allow animating a matrix.
fn free_matrices(root: &mut Value, model: &Model, moved: &BTreeSet<usize>) {
    for (i, node) in items(root, "nodes").enumerate().filter(|(i, _)| moved.contains(i)) {
        let Some(node) = node.as_object_mut() else { continue };
        if node.remove("matrix").is_some() {
            let at = model.rest.transform(i);
            node.insert("translation".into(), json!(at.translation.to_array()));
            node.insert("rotation".into(), json!(at.rotation.to_array()));
            node.insert("scale".into(), json!(at.scale.to_array()));
        }
    }
}

/// Sets the generator and the list of used extensions, and removes empty lists, which glTF does not
/// allow.
fn tidy(root: &mut Value, keeps_animations: bool) {
    root["asset"]["generator"] = concat!("rigview ", env!("CARGO_PKG_VERSION")).into();
    for list in ["extensionsUsed", "extensionsRequired"] {
        if let Some(Value::Array(list)) = root.get_mut(list) {
            // No channel of the new clips needs it.
            list.retain(|name| keeps_animations || name != "KHR_animation_pointer");
        }
    }
    declare_extensions(root);
    let Some(root) = root.as_object_mut() else { return };
    root.retain(|_, value| !value.as_array().is_some_and(Vec::is_empty));
}

/// Lists the extensions that a document uses and does not list.
fn declare_extensions(root: &mut Value) {
    let mut used: BTreeSet<String> = extensions(root).into_iter().map(str::to_owned).collect();
    let listed = root.get("extensionsUsed").and_then(Value::as_array);
    let is_listed = |name: &String| listed.is_some_and(|all| all.iter().any(|it| it == name));
    used.retain(|name| !is_listed(name));
    push(root, "extensionsUsed", used.into_iter().map(Value::from).collect());
}

/// Packs the GLB container: header, JSON chunk, binary chunk, then chunks that glTF does not define.
///
/// # Errors
/// If it would exceed 4 GiB.
pub fn glb(root: &Value, bytes: Vec<u8>, others: &[Chunk]) -> Result<Vec<u8>, ExportError> {
    let others = others.iter().map(|chunk| (&chunk.kind, &chunk.bytes[..]));
    rigview_document::glb::pack(root, bytes, others).ok_or(ExportError::TooLarge)
}
