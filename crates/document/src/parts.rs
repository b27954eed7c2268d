//! A document with the bytes of its buffers and images, and how they are gathered in one buffer: the used parts of the old
//! buffers, one after the other.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ops::Range;

use serde_json::{Map, Value, json};

use super::references::{COMPRESSED, index, items, number_at, push, relative_uris, stream};

/// A file's document with its data: the buffers, and the images that it names.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The document.
    pub root: Value,
    /// The bytes of its buffers; `None` for a fallback buffer of compressed views.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// The bytes of images with a URI; `None` for others.
    pub images: Vec<Option<Vec<u8>>>,
}

impl Parts {
    /// Returns the document with its data in its first buffer. If it is so already, it stays as it is; else unused bytes are
    /// left out, and images are embedded.
    pub fn gathered(&self) -> Gathered {
        let root = self.root.clone();
        if let [Some(bytes)] = &self.buffers[..]
            && root["buffers"][0].get("uri").is_none()
            && self.images.iter().all(Option::is_none)
        {
            return Gathered::new(root, bytes.clone(), Vec::new());
        }
        let nothing = |_: &mut Value, _: &mut Pieces| Ok::<_, Infallible>(());
        match gather(root, &self.buffers, &self.images, nothing) {
            Ok(gathered) => gathered,
            Err(never) => match never {},
        }
    }
}

/// Gathers the data of a document in its first buffer: unused bytes are left out, and images are embedded. `add` may append
/// more to both.
///
/// # Errors
/// Those of `add`.
pub fn gather<E>(
    mut root: Value,
    buffers: &[Option<Vec<u8>>],
    images: &[Option<Vec<u8>>],
    add: impl FnOnce(&mut Value, &mut Pieces) -> Result<(), E>,
) -> Result<Gathered, E> {
    let mut pieces = Pieces::default();
    let (chunk, lost) = gather_buffers(&mut root, buffers, &mut pieces);
    gather_images(&mut root, images, &mut pieces);
    add(&mut root, &mut pieces)?;
    add_chunk(&mut root, chunk, &pieces);
    Ok(Gathered::new(root, pieces.bytes, lost))
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

/// Lists the binary chunk as buffer 0, whose index `gather_buffers` has left free.
fn add_chunk(root: &mut Value, mut chunk: Map<String, Value>, pieces: &Pieces) {
    let length = pieces.bytes.len().next_multiple_of(4);
    if length == 0 {
        return;
    }
    chunk.insert("byteLength".into(), length.into());
    let buffers = root.as_object_mut().map(|root| root.entry("buffers").or_insert(json!([])));
    if let Some(Value::Array(buffers)) = buffers {
        buffers.insert(0, Value::Object(chunk));
    }
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
        let (start, length) = (number_at(place, "byteOffset"), number_at(place, "byteLength"));
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
        let offset = number_at(place, "byteOffset");
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
        let name = said.get("name").and_then(Value::as_str).map(|name| format!("{name:?}"));
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

/// Alignment of pieces; it satisfies every glTF component type.
const ALIGNMENT: usize = 4;

/// A growing chunk of bytes.
#[derive(Debug, Default)]
pub struct Pieces {
    bytes: Vec<u8>,
}

impl Pieces {
    /// Appends bytes, and returns their offset.
    pub fn add(&mut self, bytes: &[u8]) -> usize {
        self.add_like(bytes, 0)
    }

    /// Appends bytes such that they are aligned like `offset`.
    fn add_like(&mut self, bytes: &[u8], offset: usize) -> usize {
        let start = self.bytes.len().next_multiple_of(ALIGNMENT) + offset % ALIGNMENT;
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(bytes);
        start
    }
}

/// Maps offsets of one old buffer to the new chunk. Overlapping ranges are moved together.
#[derive(Debug, Default)]
struct Moved {
    ranges: Vec<(Range<usize>, usize)>,
}

impl Moved {
    /// Copies these ranges of a buffer, overlapping ones once. Ranges are cut at the buffer's end.
    fn copy(buffer: &[u8], mut wanted: Vec<Range<usize>>, pieces: &mut Pieces) -> Self {
        wanted.sort_by_key(|range| (range.start, range.end));
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in wanted {
            match joined.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        let ranges = joined.into_iter().map(|range| {
            let bytes = &buffer[range.start.min(buffer.len())..range.end.min(buffer.len())];
            let at = pieces.add_like(bytes, range.start);
            (range, at)
        });
        Self { ranges: ranges.collect() }
    }

    /// Returns the new offset of a byte; `None` if it was not copied.
    fn place(&self, offset: usize) -> Option<usize> {
        let after = self.ranges.partition_point(|(range, _)| range.start <= offset);
        let (range, at) = self.ranges.get(after.checked_sub(1)?)?;
        (offset <= range.end).then(|| at + offset - range.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_move_together_and_keep_their_alignment() {
        let buffer: Vec<u8> = (0..100).collect();
        let mut pieces = Pieces::default();
        pieces.add(&[255]);
        let moved = Moved::copy(&buffer, vec![50..60, 10..20, 14..30, 90..95], &mut pieces);
        let bytes = pieces.bytes;
        for old in [10usize, 14, 29, 50, 59, 90] {
            let new = moved.place(old).unwrap();
            assert_eq!((bytes[new], new % 4), (buffer[old], old % 4), "{old}");
        }
        assert_eq!((moved.place(5), moved.place(40)), (None, None));
        assert!(bytes.len() < 60, "{}", bytes.len());
    }
}
