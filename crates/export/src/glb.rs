//! Writes a model as a GLB with other clips.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Map, Value, json};

use super::ExportError;
use super::buffer_bytes::{Moved, Pieces};
use super::keys;
use super::loose::Loose;
use super::parts::{COMPRESSED, extensions, index, items, push, relative_uris, stream};
use super::prune::keep_animations;
use super::weights;
use rigview_anim::{Channel, Clip, hold_to_end};
use rigview_model::{Chunk, Model, quoted};

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

/// A document whose data is in its first buffer, which has no URI.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    /// The document.
    pub root: Value,
    /// The bytes of its first buffer.
    pub bytes: Vec<u8>,
    /// What the document of before said and this one does not, in words.
    pub lost: Vec<String>,
    /// The relative URIs that are left: of files that can't be embedded.
    pub outside: Vec<String>,
}

impl Gathered {
    fn new(root: Value, bytes: Vec<u8>, lost: Vec<String>) -> Self {
        let outside = relative_uris(&root).into_iter().map(str::to_owned).collect();
        Self { root, bytes, lost, outside }
    }
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
    let mut pieces = Pieces::default();
    let (chunk, lost) = gather_buffers(&mut root, &original.buffers, &mut pieces);
    gather_images(&mut root, &original.images, &mut pieces);
    let written = match animations {
        Animations::File | Animations::Chosen(_) => Vec::new(),
        Animations::Clips(clips) | Animations::Added(clips) => {
            with_keys(&mut root, model, clips, &mut pieces)?
        }
    };
    push(&mut root, "animations", written);
    add_chunk(&mut root, chunk, &pieces);
    tidy(&mut root, keeps_animations);
    let (root, bytes) = completed(model, root, pieces.into_bytes(), |loose| {
        weights::normalize(loose, f32::INFINITY)
    });
    Ok(Gathered::new(root, bytes, lost))
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

/// A file's document with its data: the buffers, and the images that it names, as in [`Original`](rigview_model::Original).
#[derive(Clone, Debug)]
pub struct FileParts {
    /// The document.
    pub root: Value,
    /// The bytes of its buffers; `None` for a fallback buffer of compressed views.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// The bytes of images with a URI; `None` for others.
    pub images: Vec<Option<Vec<u8>>>,
}

impl FileParts {
    /// Returns the parts of the model's file as they are. A glTF 1.0 file is a glTF 2.0 one of one buffer; unlike in what is
    /// converted, only rounding is taken off its sums of weights; others are mended as findings.
    ///
    /// # Errors
    /// If the import did not keep the original file.
    pub fn of(model: &Model) -> Result<Self, ExportError> {
        let original = model.source.original.as_ref().ok_or(ExportError::NotKept)?;
        let root: Value = serde_json::from_str(&original.json)
            .map_err(|e| ExportError::Document(e.to_string()))?;
        let (buffers, images) = (original.buffers.clone(), original.images.clone());
        let parts = Self { root, buffers, images };
        if !model.source.is_gltf1() {
            return Ok(parts);
        }
        let Gathered { root, bytes, .. } = parts.gathered();
        let round = |loose: &mut Loose| weights::normalize(loose, SUM_ROUNDING);
        let (root, bytes) = completed(model, root, bytes, round);
        let buffers = root.get("buffers").map(|_| Some(bytes)).into_iter().collect();
        Ok(Self { root, buffers, images: Vec::new() })
    }

    /// Returns the document with its data in its first buffer. If it is so already, it stays as it is; else unused bytes are
    /// left out, and images are embedded.
    pub fn gathered(&self) -> Gathered {
        let mut root = self.root.clone();
        if let [Some(bytes)] = &self.buffers[..]
            && root["buffers"][0].get("uri").is_none()
            && self.images.iter().all(Option::is_none)
        {
            return Gathered::new(root, bytes.clone(), Vec::new());
        }
        let mut pieces = Pieces::default();
        let (chunk, lost) = gather_buffers(&mut root, &self.buffers, &mut pieces);
        gather_images(&mut root, &self.images, &mut pieces);
        add_chunk(&mut root, chunk, &pieces);
        Gathered::new(root, pieces.into_bytes(), lost)
    }
}

/// Lists the binary chunk as buffer 0, whose index `gather_buffers` has left free.
fn add_chunk(root: &mut Value, mut chunk: Map<String, Value>, pieces: &Pieces) {
    let length = pieces.len().next_multiple_of(4);
    if length == 0 {
        return;
    }
    chunk.insert("byteLength".into(), length.into());
    let buffers = root.as_object_mut().map(|root| root.entry("buffers").or_insert(json!([])));
    if let Some(Value::Array(buffers)) = buffers {
        buffers.insert(0, Value::Object(chunk));
    }
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

/// Copies the parts of buffers that views use into one chunk. Buffers without bytes, the fallbacks of
/// compressed views, are kept after it. Returns name, extras and extensions of the first buffer with bytes, for the chunk, and
/// in words which of them other buffers have.
fn gather_buffers(
    root: &mut Value,
    buffers: &[Option<Vec<u8>>],
    pieces: &mut Pieces,
) -> (Map<String, Value>, Vec<String>) {
    let mut wanted: Vec<Vec<Range<usize>>> = vec![Vec::new(); buffers.len()];
    let mut held = BTreeSet::new();
    let mut want = |place: &Value| {
        let Some(buffer) = place.get("buffer").and_then(index) else { return };
        let number = |key: &str| place.get(key).and_then(index).unwrap_or(0);
        let (start, length) = (number("byteOffset"), number("byteLength"));
        match buffers.get(buffer) {
            Some(Some(_)) => wanted[buffer].push(start..start.saturating_add(length)),
            _ => {
                held.insert(buffer);
            }
        }
    };
    for view in items(root, "bufferViews") {
        want(view);
        stream(view).into_iter().for_each(|stream| want(stream));
    }
    let moved: Vec<Option<Moved>> = buffers
        .iter()
        .zip(wanted)
        .map(|(bytes, wanted)| bytes.as_ref().map(|bytes| Moved::copy(bytes, wanted, pieces)))
        .collect();
    let held: Vec<usize> = held.into_iter().collect();
    let go = |place: &mut Value| {
        let Some(buffer) = place.get("buffer").and_then(index) else { return };
        let offset = place.get("byteOffset").and_then(index).unwrap_or(0);
        if let Some(Some(moved)) = moved.get(buffer) {
            place["buffer"] = 0.into();
            place["byteOffset"] = moved.place(offset).unwrap_or(0).into();
        } else if let Some(at) = held.iter().position(|held| *held == buffer) {
            // Buffer 0 is the chunk.
            place["buffer"] = (at + 1).into();
        }
    };
    for view in items(root, "bufferViews") {
        go(view);
        stream(view).into_iter().for_each(go);
    }
    let said = buffers.iter().enumerate().filter(|(_, bytes)| bytes.is_some());
    let said: Vec<_> = said.map(|(number, _)| (number, said_of_buffer(root, number))).collect();
    let lost = said.iter().skip(1).filter(|(_, said)| !said.is_empty()).map(|(number, said)| {
        let keys: Vec<&str> = said.keys().map(String::as_str).collect();
        let name = said.get("name").and_then(Value::as_str).map(quoted);
        let buffer = name.unwrap_or_else(|| number.to_string());
        format!("{} of buffer {buffer}, which is joined with the first one", keys.join(", "))
    });
    let lost = lost.collect();
    let first = said.into_iter().next().map(|(_, said)| said).unwrap_or_default();
    let left: Vec<Value> = held.iter().filter_map(|i| root["buffers"].get(*i).cloned()).collect();
    if let Some(root) = root.as_object_mut() {
        root.remove("buffers");
        if !left.is_empty() {
            root.insert("buffers".into(), left.into());
        }
    }
    (first, lost)
}

/// Returns name, extras and extensions of a buffer. That it is the fallback of compressed views is left out.
fn said_of_buffer(root: &Value, number: usize) -> Map<String, Value> {
    let buffer = root.get("buffers").and_then(|buffers| buffers.get(number)?.as_object().cloned());
    let mut said = buffer.unwrap_or_default();
    said.retain(|key, _| ["name", "extras", "extensions"].contains(&key.as_str()));
    if let Some(Value::Object(extensions)) = said.get_mut("extensions") {
        extensions.retain(|name, _| !COMPRESSED.contains(&name.as_str()));
        if extensions.is_empty() {
            said.remove("extensions");
        }
    }
    said
}

/// Copies external images into the chunk. Images of an unknown type stay external: an embedded image must state its type.
fn gather_images(root: &mut Value, images: &[Option<Vec<u8>>], pieces: &mut Pieces) {
    let mut views = Vec::new();
    let first = root.get("bufferViews").and_then(Value::as_array).map_or(0, Vec::len);
    for (image, bytes) in items(root, "images").zip(images) {
        let Some(bytes) = bytes else { continue };
        let said = image.get("mimeType").and_then(Value::as_str).map(str::to_owned);
        let Some(mime) = mime(bytes).map(str::to_owned).or(said) else { continue };
        let at = pieces.add(bytes);
        image["bufferView"] = (first + views.len()).into();
        image["mimeType"] = mime.into();
        if let Some(image) = image.as_object_mut() {
            image.remove("uri");
        }
        views.push(json!({ "buffer": 0, "byteOffset": at, "byteLength": bytes.len() }));
    }
    push(root, "bufferViews", views);
}

/// Detects an image's media type from its first bytes.
fn mime(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', ..] => Some("image/ktx2"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => Some("image/avif"),
        // The type that MSFT_texture_dds names.
        [b'D', b'D', b'S', b' ', ..] => Some("image/vnd-ms.dds"),
        _ => None,
    }
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
pub fn glb(root: &Value, mut bytes: Vec<u8>, others: &[Chunk]) -> Result<Vec<u8>, ExportError> {
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let mut chunks: Vec<(&[u8; 4], &[u8])> = vec![(b"JSON", &text)];
    if !bytes.is_empty() {
        chunks.push((b"BIN\0", &bytes));
    }
    chunks.extend(others.iter().map(|chunk| (&chunk.kind, &chunk.bytes[..])));
    let length = 12 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
    let word = |n: usize| u32::try_from(n).map(u32::to_le_bytes).map_err(|_| ExportError::TooLarge);
    let mut out = Vec::with_capacity(length);
    out.extend(b"glTF");
    out.extend(2u32.to_le_bytes());
    out.extend(word(length)?);
    for (kind, bytes) in chunks {
        out.extend(word(bytes.len())?);
        out.extend(kind);
        out.extend(bytes);
    }
    Ok(out)
}
