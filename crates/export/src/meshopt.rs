//! Compresses the data of vertices, indices and keys (EXT_meshopt_compression). Nothing changes but the first corner of
//! triangles.

use meshoptimizer_rs::codec::{self, IndexEncoding, VertexEncoding};
use meshoptimizer_rs::{Limits, Workspace};
use serde_json::{Value, json};

use rigview_document::{
    Component, Loose, drop_idle_views, element_size, extension, index, items, layout_of, push,
};

/// The extension's name.
const NAME: &str = "EXT_meshopt_compression";

/// A compressed view.
struct Stream {
    bytes: Vec<u8>,
    mode: &'static str,
    stride: usize,
    count: usize,
}

/// Compresses the views of a document where that makes them smaller. Returns the document, and its buffer. Views are
/// listed with the place that they would have without compression in a second buffer that does not exist.
pub fn compress(mut loose: Loose) -> (Value, Vec<u8>) {
    drop_idle_views(&mut loose.root, &mut loose.views);
    let users = loose.views_of_accessors();
    let corners = corners(&mut loose.root);
    let limits = Limits { max_bytes: usize::MAX, max_work: u64::MAX };
    let mut space = Workspace::new(limits);
    let streams: Vec<Option<Stream>> = users
        .iter()
        .enumerate()
        .map(|(view, users)| {
            let stream = match users.iter().copied().collect::<Vec<usize>>()[..] {
                [] => None,
                [only] if corners.contains(&only) => triangles(&loose, view, only, &mut space),
                ref users => rows_of(&loose, view, users, &mut space),
            };
            stream.filter(|stream| stream.bytes.len() < loose.views[view].len())
        })
        .collect();
    let mut bytes: Vec<u8> = Vec::new();
    let mut unpacked = 0;
    for ((view, own), stream) in
        items(&mut loose.root, "bufferViews").zip(&loose.views).zip(&streams)
    {
        let put = stream.as_ref().map_or(own, |stream| &stream.bytes);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let at = bytes.len();
        bytes.extend_from_slice(put);
        let Some(Stream { bytes: packed, mode, stride, count }) = stream else {
            view["byteOffset"] = at.into();
            continue;
        };
        view["buffer"] = 1.into();
        view["byteOffset"] = unpacked.into();
        view["extensions"][NAME] = json!({
            "buffer": 0, "byteOffset": at, "byteLength": packed.len(),
            "byteStride": stride, "mode": mode, "count": count,
        });
        unpacked = (unpacked + own.len()).next_multiple_of(4);
    }
    loose.set_buffer(bytes.len());
    if unpacked > 0 {
        let fallback =
            json!({ "byteLength": unpacked, "extensions": { NAME: { "fallback": true } } });
        push(&mut loose.root, "buffers", vec![fallback]);
        loose.require(NAME);
    }
    (loose.root, bytes)
}

/// Returns the accessors that are the corners of triangles, and nothing else. Those of primitives with FB_ngon_encoding
/// are left out: triangles that begin with the same corner are one polygon, and the encoding of triangles turns them.
fn corners(root: &mut Value) -> Vec<usize> {
    let (mut triangles, mut others) = (Vec::new(), Vec::new());
    for mesh in items(root, "meshes") {
        for primitive in items(mesh, "primitives") {
            let is_list = primitive.get("mode").is_none_or(|mode| mode == 4);
            let has_polygons = extension(primitive, "FB_ngon_encoding").is_some();
            let list = if is_list && !has_polygons { &mut triangles } else { &mut others };
            list.extend(primitive.get("indices").and_then(index));
        }
    }
    triangles.retain(|accessor| !others.contains(accessor));
    triangles
}

fn triangles(loose: &Loose, view: usize, accessor: usize, space: &mut Workspace) -> Option<Stream> {
    let item = &loose.root["accessors"][accessor];
    let component = layout_of(item)?.component;
    if !matches!(component, Component::U16 | Component::U32) {
        return None;
    }
    let size = component.size();
    let list = loose.whole(accessor)?;
    let is_whole = list.len() * size == loose.views[view].len() && list.len().is_multiple_of(3);
    let encoding = IndexEncoding::new(1).ok()?;
    let bytes = codec::encode_index_buffer(is_whole.then_some(&list)?, encoding, space).ok()?;
    Some(Stream { bytes, mode: "TRIANGLES", stride: size, count: list.len() })
}

fn rows_of(loose: &Loose, view: usize, users: &[usize], space: &mut Workspace) -> Option<Stream> {
    let mut largest = 0;
    for user in users {
        // Pictures, and sparse accessors, which may have anything in a view.
        let item = loose.root["accessors"].get(*user)?;
        if item.get("sparse").is_some() {
            return None;
        }
        largest = largest.max(element_size(item));
    }
    // Users of a view without a stride may have elements of several sizes; the largest ones have most of the bytes.
    let stride = loose.root["bufferViews"][view].get("byteStride").and_then(index);
    let (stride, own) = (stride.unwrap_or(largest), &loose.views[view]);
    let is_regular = stride.is_multiple_of(4) && (largest.max(4)..=256).contains(&stride);
    if !is_regular || !own.len().is_multiple_of(stride) {
        return None;
    }
    let count = own.len() / stride;
    let encoding = VertexEncoding::new(0, 2).ok()?;
    let bytes = codec::encode_vertex_buffer(own, count, stride, encoding, space).ok()?;
    Some(Stream { bytes, mode: "ATTRIBUTES", stride, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The users of a view come from a set, whose order differs from run to run.
    #[test]
    fn the_stride_of_a_view_without_one_does_not_depend_on_the_order_of_its_users() {
        let root = json!({
            "bufferViews": [{"buffer": 0, "byteLength": 80}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 4, "type": "SCALAR"},
                {"bufferView": 0, "byteOffset": 16, "componentType": 5126, "count": 4, "type": "VEC4"},
            ],
        });
        let loose = Loose { root, views: vec![vec![0; 80]] };
        let mut space = Workspace::new(Limits { max_bytes: usize::MAX, max_work: u64::MAX });
        let mut stride = |users: &[usize]| rows_of(&loose, 0, users, &mut space).map(|s| s.stride);
        assert_eq!([stride(&[0, 1]), stride(&[1, 0])], [Some(16); 2]);
    }

    #[test]
    fn the_triangles_of_polygons_are_not_turned() {
        let mut root = json!({"meshes": [{"primitives": [
            {"indices": 0}, {"indices": 1, "extensions": {"FB_ngon_encoding": {}}},
            {"indices": 2, "mode": 4}, {"indices": 3, "mode": 1}, {"indices": 2},
        ]}]});
        assert_eq!(corners(&mut root), [0, 2, 2]);
    }
}
