//! A glTF document in the making, for formats that are converted to glTF before they are read. All its
//! data is in one buffer.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use rigview_document::{
    ARRAY_BUFFER, Component, ELEMENT_ARRAY_BUFFER, Editor, ElementLayout, Parts, Shape,
};
use rigview_model::{Budget, OverBudget};

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
    editor: Editor,
    /// Extensions of the root.
    extensions: Map<String, Value>,
    extensions_used: BTreeSet<&'static str>,
    /// Accessors of key times by their bytes, so that channels share them.
    times: HashMap<Vec<u8>, usize>,
    budget: &'a Budget,
}

impl<'a> Draft<'a> {
    /// Creates a document whose data is charged to a budget.
    pub fn new(budget: &'a Budget) -> Self {
        let parts = Parts { root: json!({}), buffers: Vec::new(), images: Vec::new() };
        let editor = Editor::new(parts);
        Self {
            editor,
            extensions: Map::new(),
            extensions_used: BTreeSet::new(),
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
        self.editor.push(list, item)
    }

    /// Returns the number of items of a list of the root.
    pub fn count(&self, list: &str) -> usize {
        self.editor.list(list).len()
    }

    /// Returns an item of a list of the root.
    pub fn item(&mut self, list: &str, index: usize) -> &mut Value {
        &mut self.editor.root_mut()[list][index]
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
        let items = self.editor.list(list).get(index).and_then(|item| item.get(key)?.as_array());
        items.into_iter().flatten().filter_map(rigview_document::index).collect()
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
        let target = (used != Use::Data).then_some(ARRAY_BUFFER);
        let accessor =
            self.accessor(list.as_flattened(), floats::<N>(), target, f32::to_le_bytes)?;
        if used == Use::Positions {
            put_bounds(self.item("accessors", accessor), list);
        }
        Ok(accessor)
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
        let at = self.view(indices, None, u32::to_le_bytes)?;
        let deltas = self.view(values.as_flattened(), None, f32::to_le_bytes)?;
        let mut accessor = json!({
            "componentType": Component::F32.code(), "count": count, "type": Shape::Vec3.name(),
            "sparse": {
                "count": indices.len(),
                "indices": { "bufferView": at, "componentType": Component::U32.code() },
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
        let layout = integers(Component::U32, Shape::Scalar);
        self.accessor(list, layout, Some(ELEMENT_ARRAY_BUFFER), u32::to_le_bytes)
    }

    /// Appends the joints of vertices.
    pub fn joints(&mut self, list: &[[u16; 4]]) -> Result<usize, OverBudget> {
        let layout = integers(Component::U16, Shape::Vec4);
        self.accessor(list.as_flattened(), layout, Some(ARRAY_BUFFER), u16::to_le_bytes)
    }

    /// Appends values of keys that are 0 or 1.
    pub fn switches(&mut self, list: &[u8]) -> Result<usize, OverBudget> {
        self.accessor(list, integers(Component::U8, Shape::Scalar), None, u8::to_le_bytes)
    }

    /// Appends bytes as a view, such as those of an image.
    pub fn blob(&mut self, bytes: &[u8]) -> Result<usize, OverBudget> {
        self.view(bytes, None, u8::to_le_bytes)
    }

    fn accessor<T: Copy, const N: usize>(
        &mut self,
        list: &[T],
        layout: ElementLayout,
        target: Option<u64>,
        stored: impl Fn(T) -> [u8; N],
    ) -> Result<usize, OverBudget> {
        let view = self.view(list, target, stored)?;
        let accessor = json!({
            "bufferView": view, "componentType": layout.component.code(),
            "count": list.len() / layout.width(), "type": layout.shape.name(),
        });
        Ok(self.push("accessors", accessor))
    }

    fn view<T: Copy, const N: usize>(
        &mut self,
        list: &[T],
        target: Option<u64>,
        stored: impl Fn(T) -> [u8; N],
    ) -> Result<usize, OverBudget> {
        self.budget.take(size_of_val(list), 1)?;
        Ok(self.editor.append_view(list.iter().map(|item| stored(*item)), target))
    }

    /// Returns the document and its buffer. `generator` is the program that wrote the file.
    pub fn finish(self, generator: Option<&str>) -> (Value, Vec<u8>) {
        let Parts { root, mut buffers, .. } = self.editor.into_parts();
        let bytes = buffers.pop().flatten().unwrap_or_default();
        let mut root = match root {
            Value::Object(root) => root,
            _ => Map::new(),
        };
        root.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
        let mut asset = json!({ "version": "2.0" });
        if let Some(generator) = generator {
            asset["generator"] = generator.into();
        }
        root.insert("asset".into(), asset);
        if !bytes.is_empty() {
            root.insert("buffers".into(), json!([{ "byteLength": bytes.len() }]));
        }
        if !self.extensions.is_empty() {
            root.insert("extensions".into(), Value::Object(self.extensions));
        }
        if !self.extensions_used.is_empty() {
            let used: Vec<_> = self.extensions_used.into_iter().collect();
            root.insert("extensionsUsed".into(), json!(used));
        }
        root.insert("scene".into(), 0.into());
        (Value::Object(root), bytes)
    }
}

const fn integers(component: Component, shape: Shape) -> ElementLayout {
    ElementLayout { component, normalized: false, shape }
}

fn floats<const N: usize>() -> ElementLayout {
    ElementLayout::floats(Shape::of_width(N).unwrap_or(Shape::Mat4))
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
