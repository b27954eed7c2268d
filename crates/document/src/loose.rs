//! A document whose data lies in separate pieces, one per buffer view, so that each can be replaced.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Value, json};

use super::component::Component;
use super::references::{
    each_other_view, each_view_of, element_size, index, items, layout_of, number_at, push, stream,
};

/// The target of views of vertices.
pub const ARRAY_BUFFER: u64 = 34962;

/// The target of views of indices.
pub const ELEMENT_ARRAY_BUFFER: u64 = 34963;

/// A document and the bytes of its views.
#[derive(Debug)]
pub struct Loose {
    /// The document.
    pub root: Value,
    /// The bytes of each view.
    pub views: Vec<Vec<u8>>,
}

impl Loose {
    /// Takes a document apart whose data is in its first buffer. Returns `None` if some of it is compressed.
    pub fn new(root: &Value, bytes: &[u8]) -> Option<Self> {
        let mut root = root.clone();
        let mut views = Vec::new();
        let is_draco = |root: &Value| {
            let used = root.get("extensionsUsed").and_then(Value::as_array);
            used.into_iter().flatten().any(|name| name == "KHR_draco_mesh_compression")
        };
        if is_draco(&root) {
            return None;
        }
        for view in items(&mut root, "bufferViews") {
            let (from, length) = (number_at(view, "byteOffset"), number_at(view, "byteLength"));
            if number_at(view, "buffer") != 0 || stream(view).is_some() {
                return None;
            }
            views.push(bytes.get(from..from.checked_add(length)?)?.to_vec());
        }
        Some(Self { root, views })
    }

    /// Returns the numbers of an accessor of floats; `None` for other types, sparse ones and those without a view.
    pub fn floats(&self, accessor: usize) -> Option<Vec<f32>> {
        let item = self.root["accessors"].get(accessor)?;
        let layout = layout_of(item)?;
        if item.get("sparse").is_some() || layout.is_integer() {
            return None;
        }
        let rows = self.rows(item, 4 * layout.width())?;
        let number = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        Some(rows.iter().flat_map(|row| row.as_chunks::<4>().0).map(number).collect())
    }

    /// Returns the whole numbers of an accessor; `None` for floats, sparse ones and those without a view.
    pub fn whole(&self, accessor: usize) -> Option<Vec<u32>> {
        let item = self.root["accessors"].get(accessor)?;
        let layout = layout_of(item)?;
        let is_unsigned =
            matches!(layout.component, Component::U8 | Component::U16 | Component::U32);
        if item.get("sparse").is_some() || !is_unsigned {
            return None;
        }
        let size = layout.component.size();
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |x, byte| x << 8 | u32::from(*byte));
        let rows = self.rows(item, size * layout.width())?;
        Some(rows.iter().flat_map(|row| row.chunks_exact(size)).map(number).collect())
    }

    /// Returns the bytes of each element.
    fn rows(&self, item: &Value, size: usize) -> Option<Vec<&[u8]>> {
        let view = index(item.get("bufferView")?)?;
        let stride = self.root["bufferViews"][view].get("byteStride").and_then(index);
        let stride = stride.unwrap_or(size);
        let from = number_at(item, "byteOffset");
        let (bytes, count) = (self.views.get(view)?, index(&item["count"])?);
        let row = |i: usize| bytes.get(from + i * stride..from + i * stride + size);
        (0..count).map(row).collect()
    }

    /// Adds a view with bytes, and returns its index.
    pub fn add_view(
        &mut self,
        bytes: Vec<u8>,
        stride: Option<usize>,
        target: Option<u64>,
    ) -> usize {
        let mut view = json!({ "buffer": 0, "byteLength": bytes.len() });
        if let Some(stride) = stride {
            view["byteStride"] = stride.into();
        }
        if let Some(target) = target {
            view["target"] = target.into();
        }
        push(&mut self.root, "bufferViews", vec![view]);
        self.views.push(bytes);
        self.views.len() - 1
    }

    /// Points an accessor at another view, from its first byte on.
    pub fn replace(&mut self, accessor: usize, view: usize, kind: Component, normalized: bool) {
        let item = &mut self.root["accessors"][accessor];
        item["bufferView"] = view.into();
        item["componentType"] = kind.code().into();
        if let Some(item) = item.as_object_mut() {
            for key in ["byteOffset", "normalized", "min", "max"] {
                item.remove(key);
            }
        }
        if normalized {
            item["normalized"] = true.into();
        }
    }

    /// Records that the document requires an extension.
    pub fn require(&mut self, extension: &str) {
        for key in ["extensionsUsed", "extensionsRequired"] {
            let list = self.root[key].as_array();
            if !list.into_iter().flatten().any(|name| name == extension) {
                push(&mut self.root, key, vec![extension.into()]);
            }
        }
    }

    /// Puts the document together again, without views that nothing uses.
    pub fn join(mut self) -> (Value, Vec<u8>) {
        super::prune::drop_idle_views(&mut self.root, &mut self.views);
        let mut bytes: Vec<u8> = Vec::new();
        for (view, own) in items(&mut self.root, "bufferViews").zip(&self.views) {
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            view["byteOffset"] = bytes.len().into();
            view["byteLength"] = own.len().into();
            bytes.extend_from_slice(own);
        }
        self.set_buffer(bytes.len());
        (self.root, bytes)
    }

    /// Sets the length of the one buffer. A document without data has none, nor lists that would be empty.
    pub fn set_buffer(&mut self, length: usize) {
        if length > 0 {
            self.root["buffers"][0]["byteLength"] = length.next_multiple_of(4).into();
            return;
        }
        let Some(root) = self.root.as_object_mut() else { return };
        root.remove("buffers");
        for list in ["bufferViews", "accessors"] {
            if root.get(list).and_then(Value::as_array).is_some_and(Vec::is_empty) {
                root.remove(list);
            }
        }
    }

    /// Gives each accessor of vertices or of bind matrices a view of its own, unless it has one. Rows of vertices are
    /// multiples of four bytes.
    pub fn split(&mut self) {
        let users = self.views_of_accessors();
        let mut accessors = Vec::new();
        for skin in items(&mut self.root, "skins") {
            accessors.extend(skin.get("inverseBindMatrices").and_then(index));
        }
        let matrices = accessors.clone();
        for mesh in items(&mut self.root, "meshes") {
            for primitive in items(mesh, "primitives") {
                let targets = primitive["targets"].as_array().into_iter().flatten();
                let lists = [&primitive["attributes"]].into_iter().chain(targets);
                let of_list = |list: &Value| -> Vec<usize> {
                    list.as_object()
                        .into_iter()
                        .flat_map(|list| list.values())
                        .filter_map(index)
                        .collect()
                };
                accessors.extend(lists.flat_map(of_list));
            }
        }
        accessors.sort_unstable();
        accessors.dedup();
        for accessor in accessors {
            let Some(item) = self.root["accessors"].get(accessor) else { continue };
            let Some(view) = item.get("bufferView").and_then(index) else { continue };
            let size = element_size(item);
            let stride = self.root["bufferViews"][view].get("byteStride").and_then(index);
            let is_own = users.get(view).is_none_or(|users| users.len() == 1);
            if is_own && stride.unwrap_or(size).is_multiple_of(4) || item.get("sparse").is_some() {
                continue;
            }
            let Some(rows) = self.rows(item, size) else { continue };
            let stride = size.next_multiple_of(4);
            let mut bytes = vec![0; rows.len() * stride];
            bytes
                .chunks_exact_mut(stride)
                .zip(rows)
                .for_each(|(to, row)| to[..size].copy_from_slice(row));
            let view = match matrices.contains(&accessor) {
                true => self.add_view(bytes, None, None),
                false => self.add_view(bytes, Some(stride), Some(ARRAY_BUFFER)),
            };
            let item = &mut self.root["accessors"][accessor];
            item["bufferView"] = view.into();
            item.as_object_mut().map(|item| item.remove("byteOffset"));
        }
    }

    /// States the smallest and largest numbers where glTF 2.0 wants them: of positions and of the times of keys. Others,
    /// which may be wrong, are removed.
    pub fn put_bounds(&mut self) {
        let mut accessors = BTreeSet::new();
        for mesh in items(&mut self.root, "meshes") {
            for primitive in items(mesh, "primitives") {
                accessors.extend(primitive["attributes"].get("POSITION").and_then(index));
            }
        }
        for animation in items(&mut self.root, "animations") {
            for sampler in items(animation, "samplers") {
                accessors.extend(sampler.get("input").and_then(index));
            }
        }
        let others = items(&mut self.root, "accessors").enumerate();
        for (_, other) in others.filter(|(number, _)| !accessors.contains(number)) {
            if let Some(other) = other.as_object_mut() {
                other.remove("min");
                other.remove("max");
            }
        }
        for accessor in accessors {
            let Some(item) = self.root["accessors"].get(accessor) else { continue };
            let Some(width) = layout_of(item).map(|layout| layout.width()) else { continue };
            let Some(list) = self.floats(accessor).filter(|list| !list.is_empty()) else {
                continue;
            };
            let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
                let of_column = |i| list.iter().skip(i).step_by(width).copied().reduce(pick);
                (0..width).filter_map(of_column).collect()
            };
            let (least, most) = (bound(f32::min), bound(f32::max));
            let item = &mut self.root["accessors"][accessor];
            (item["min"], item["max"]) = (json!(least), json!(most));
        }
    }

    /// Returns the views that accessors use.
    pub fn views_of_accessors(&mut self) -> Vec<HashSet<usize>> {
        let mut users = vec![HashSet::new(); self.views.len()];
        for (number, accessor) in items(&mut self.root, "accessors").enumerate() {
            each_view_of(accessor, |view| {
                if let Some(users) = index(view).and_then(|view| users.get_mut(view)) {
                    users.insert(number);
                }
            });
        }
        each_other_view(&mut self.root, |view| {
            if let Some(users) = index(view).and_then(|view| users.get_mut(view)) {
                users.insert(usize::MAX);
            }
        });
        users
    }
}
