//! A glTF document in the making, for formats that are converted to glTF before they are read. All its
//! data is in one buffer.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use rigview_model::{Budget, OverBudget};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// The use of an accessor, which decides on target and bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// POSITION of a primitive or a morph target: it needs bounds.
    Positions,
    /// Another attribute of vertices.
    Attribute,
    /// Values of keys, or matrices.
    Data,
}

/// A document with its buffer.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    lists: Map<String, Value>,
    /// Extensions of the root.
    extensions: Map<String, Value>,
    extensions_used: BTreeSet<&'static str>,
    bytes: Vec<u8>,
    /// Accessors of key times by their bytes, so that channels share them.
    times: HashMap<Vec<u8>, usize>,
    budget: &'a Budget,
}

impl<'a> Draft<'a> {
    /// Creates a document whose data is charged to a budget.
    pub fn new(budget: &'a Budget) -> Self {
        Self {
            lists: Map::new(),
            extensions: Map::new(),
            extensions_used: BTreeSet::new(),
            bytes: Vec::new(),
            times: HashMap::new(),
            budget,
        }
    }

    /// The budget that data is charged to.
    pub fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Appends an item to a list of the root, and returns its index.
    pub fn push(&mut self, list: &str, item: Value) -> usize {
        let list = self.lists.entry(list).or_insert_with(|| json!([]));
        let Value::Array(items) = list else { return 0 };
        items.push(item);
        items.len() - 1
    }

    /// Returns the number of items of a list of the root.
    pub fn count(&self, list: &str) -> usize {
        self.lists.get(list).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// Returns an item of a list of the root.
    pub fn item(&mut self, list: &str, index: usize) -> &mut Value {
        &mut self.lists[list][index]
    }

    /// Makes a node the child of another.
    pub fn add_child(&mut self, parent: usize, child: usize) {
        let parent = self.item("nodes", parent);
        match parent.get_mut("children").and_then(Value::as_array_mut) {
            Some(children) => children.push(child.into()),
            None => parent["children"] = json!([child]),
        }
    }

    /// Returns a list of indices of an item; empty if it has none.
    pub fn indices_in(&self, list: &str, index: usize, key: &str) -> Vec<usize> {
        let items = self.lists.get(list).and_then(|list| list.get(index)?.get(key)?.as_array());
        let index = |item: &Value| item.as_u64().map(|item| item as usize);
        items.into_iter().flatten().filter_map(index).collect()
    }

    /// Appends a light, and returns its index.
    pub fn push_light(&mut self, light: Value) -> usize {
        let name = self.uses("KHR_lights_punctual");
        let lights = self.extensions.entry(name).or_insert_with(|| json!({ "lights": [] }));
        let Value::Array(lights) = &mut lights["lights"] else { return 0 };
        lights.push(light);
        lights.len() - 1
    }

    /// Records that the document uses an extension, and returns its name.
    pub fn uses(&mut self, extension: &'static str) -> &'static str {
        self.extensions_used.insert(extension);
        extension
    }

    /// Appends vectors of `N` floats as an accessor.
    pub fn vectors<const N: usize>(
        &mut self,
        list: &[[f32; N]],
        used: Use,
    ) -> Result<usize, OverBudget> {
        let flat = list.as_flattened();
        let kind = match N {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let target = (used != Use::Data).then_some(ARRAY_BUFFER);
        let view = self.view(flat.len() * 4, flat.iter().map(|x| x.to_le_bytes()), target)?;
        let mut accessor = json!({
            "bufferView": view, "componentType": FLOAT, "count": list.len(), "type": kind,
        });
        if used == Use::Positions {
            put_bounds(&mut accessor, list);
        }
        Ok(self.push("accessors", accessor))
    }

    /// Appends vectors that are 0 except at increasing indices as a sparse accessor of `count` vectors.
    pub fn sparse(
        &mut self,
        count: usize,
        indices: &[u32],
        values: &[[f32; 3]],
        used: Use,
    ) -> Result<usize, OverBudget> {
        if indices.len() * 4 >= count * 3 || indices.is_empty() {
            let mut all = vec![[0.0; 3]; count];
            indices.iter().zip(values).for_each(|(i, value)| all[*i as usize] = *value);
            return self.vectors(&all, used);
        }
        let at = self.view(indices.len() * 4, indices.iter().map(|i| i.to_le_bytes()), None)?;
        let flat = values.as_flattened();
        let deltas = self.view(flat.len() * 4, flat.iter().map(|x| x.to_le_bytes()), None)?;
        let mut accessor = json!({
            "componentType": FLOAT, "count": count, "type": "VEC3",
            "sparse": {
                "count": indices.len(),
                "indices": { "bufferView": at, "componentType": UNSIGNED_INT },
                "values": { "bufferView": deltas },
            },
        });
        if used == Use::Positions {
            // Fewer indices than vectors: at least one of them is 0.
            let with_zero: Vec<_> = values.iter().copied().chain([[0.0; 3]]).collect();
            put_bounds(&mut accessor, &with_zero);
        }
        Ok(self.push("accessors", accessor))
    }

    /// Appends key times, or returns the accessor of the same times.
    pub fn times(&mut self, list: &[f32]) -> Result<usize, OverBudget> {
        let bytes: Vec<u8> = list.iter().flat_map(|x| x.to_le_bytes()).collect();
        if let Some(accessor) = self.times.get(&bytes) {
            return Ok(*accessor);
        }
        let rows: &[[f32; 1]] = bytemuck::cast_slice(list);
        let accessor = self.vectors(rows, Use::Data)?;
        put_bounds(self.item("accessors", accessor), rows);
        self.times.insert(bytes, accessor);
        Ok(accessor)
    }

    /// Appends the indices of a primitive.
    pub fn indices(&mut self, list: &[u32]) -> Result<usize, OverBudget> {
        let bytes = list.iter().map(|i| i.to_le_bytes());
        let view = self.view(list.len() * 4, bytes, Some(ELEMENT_ARRAY_BUFFER))?;
        let accessor = json!({
            "bufferView": view, "componentType": UNSIGNED_INT, "count": list.len(), "type": "SCALAR",
        });
        Ok(self.push("accessors", accessor))
    }

    /// Appends the joints of vertices.
    pub fn joints(&mut self, list: &[[u16; 4]]) -> Result<usize, OverBudget> {
        let flat = list.as_flattened();
        let bytes = flat.iter().map(|j| j.to_le_bytes());
        let view = self.view(flat.len() * 2, bytes, Some(ARRAY_BUFFER))?;
        let accessor = json!({
            "bufferView": view, "componentType": UNSIGNED_SHORT, "count": list.len(), "type": "VEC4",
        });
        Ok(self.push("accessors", accessor))
    }

    /// Appends values of keys that are 0 or 1.
    pub fn switches(&mut self, list: &[u8]) -> Result<usize, OverBudget> {
        let view = self.blob(list)?;
        let accessor = json!({
            "bufferView": view, "componentType": UNSIGNED_BYTE, "count": list.len(), "type": "SCALAR",
        });
        Ok(self.push("accessors", accessor))
    }

    /// Appends bytes as a view, such as those of an image.
    pub fn blob(&mut self, bytes: &[u8]) -> Result<usize, OverBudget> {
        self.view(bytes.len(), bytes.iter().map(|byte| [*byte]), None)
    }

    fn view<const N: usize>(
        &mut self,
        length: usize,
        parts: impl Iterator<Item = [u8; N]>,
        target: Option<u32>,
    ) -> Result<usize, OverBudget> {
        self.budget.take(length, 1)?;
        let offset = self.bytes.len().next_multiple_of(4);
        self.bytes.resize(offset, 0);
        parts.for_each(|part| self.bytes.extend_from_slice(&part));
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        Ok(self.push("bufferViews", view))
    }

    /// Returns the document and its buffer. `generator` is the program that wrote the file.
    pub fn finish(self, generator: Option<&str>) -> (Value, Vec<u8>) {
        let mut root = self.lists;
        root.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
        let mut asset = json!({ "version": "2.0" });
        if let Some(generator) = generator {
            asset["generator"] = generator.into();
        }
        root.insert("asset".into(), asset);
        if !self.bytes.is_empty() {
            root.insert("buffers".into(), json!([{ "byteLength": self.bytes.len() }]));
        }
        if !self.extensions.is_empty() {
            root.insert("extensions".into(), Value::Object(self.extensions));
        }
        if !self.extensions_used.is_empty() {
            let used: Vec<_> = self.extensions_used.into_iter().collect();
            root.insert("extensionsUsed".into(), json!(used));
        }
        root.insert("scene".into(), 0.into());
        (Value::Object(root), self.bytes)
    }
}

/// States the smallest and largest numbers of an accessor.
fn put_bounds<const N: usize>(accessor: &mut Value, list: &[[f32; N]]) {
    let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
    for row in list {
        for k in 0..N {
            min[k] = min[k].min(row[k]);
            max[k] = max[k].max(row[k]);
        }
    }
    if !list.is_empty() {
        accessor["min"] = json!(min.to_vec());
        accessor["max"] = json!(max.to_vec());
    }
}
