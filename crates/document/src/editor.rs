//! A document that is edited: data is read as it is stored, and new data is appended to one buffer, so that everything
//! else stays where it is.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::component::{Component, ElementLayout, Shape};
use super::loose::ARRAY_BUFFER;
use super::parts::Parts;
use super::references::{index, layout_of, number_at};

/// Alignment of appended data; it satisfies every component type.
const ALIGNMENT: usize = 4;

/// A glTF document with its data, which grows at the end of one buffer only.
#[derive(Clone, Debug)]
pub struct Editor {
    parts: Parts,
    /// The buffer that grows: the first one with bytes.
    grows: usize,
    /// Its length in the file.
    length: usize,
    /// Accessors of appended key times, by their bytes, which channels share.
    times: HashMap<Vec<u8>, usize>,
}

/// A state to return to: see [`Editor::reset`].
pub struct Snapshot {
    root: Value,
    length: usize,
}

impl Editor {
    /// Takes a document with its data. The first buffer with bytes grows.
    pub fn new(mut parts: Parts) -> Self {
        let grows = parts.buffers.iter().position(Option::is_some).unwrap_or_else(|| {
            parts.buffers.push(Some(Vec::new()));
            parts.buffers.len() - 1
        });
        let length = parts.buffers[grows].as_ref().map_or(0, Vec::len);
        Self { parts, grows, length, times: HashMap::new() }
    }

    /// Marks all bytes of the buffer that grows as new: it is in no file.
    pub fn with_new_buffer(self) -> Self {
        Self { length: 0, ..self }
    }

    /// Returns the JSON to be changed.
    pub fn root_mut(&mut self) -> &mut Value {
        &mut self.parts.root
    }

    /// Returns the present state.
    pub fn mark(&self) -> Snapshot {
        Snapshot { root: self.parts.root.clone(), length: self.bytes().len() }
    }

    /// Returns to a state.
    pub fn reset(&mut self, mark: Snapshot) {
        self.parts.root = mark.root;
        self.bytes_mut().truncate(mark.length);
        self.times.clear();
    }

    /// Returns the parts of the file, with all buffers as they were but for what was appended to one of them.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns the parts of the file: see [`Editor::parts`].
    pub fn into_parts(self) -> Parts {
        self.parts
    }

    /// Returns the index of the buffer that is not as in the file, if there is one.
    pub fn grown(&self) -> Option<usize> {
        (self.bytes().len() > self.length).then_some(self.grows)
    }

    /// Returns the bytes of the buffer that grows.
    fn bytes(&self) -> &Vec<u8> {
        self.parts.buffers[self.grows].as_ref().unwrap_or(const { &Vec::new() })
    }

    fn bytes_mut(&mut self) -> &mut Vec<u8> {
        self.parts.buffers[self.grows].get_or_insert_default()
    }

    /// Returns a list of the document; empty if there is none.
    pub fn list(&self, key: &str) -> &[Value] {
        self.parts.root.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns an item of a list to be changed.
    pub fn item_mut(&mut self, key: &str, at: usize) -> Option<&mut Map<String, Value>> {
        self.parts.root.get_mut(key)?.get_mut(at)?.as_object_mut()
    }

    /// Returns how an accessor stores its numbers; `None` for matrices whose columns have padding, which nothing edits.
    pub fn layout(&self, accessor: usize) -> Option<ElementLayout> {
        let layout = layout_of(self.list("accessors").get(accessor)?)?;
        (layout.shape.size(layout.component) == layout.packed_size()).then_some(layout)
    }

    /// Returns an accessor's number of elements.
    pub fn count(&self, accessor: usize) -> Option<usize> {
        self.list("accessors").get(accessor)?.get("count").and_then(index)
    }

    /// Reads an accessor's numbers, element after element. `None` if its data is compressed, or not of a kind
    /// that repairs are about.
    pub fn numbers(&self, accessor: usize) -> Option<Vec<f64>> {
        let layout = self.layout(accessor)?;
        let of = self.list("accessors").get(accessor)?;
        let count = self.count(accessor)?;
        let element = layout.packed_size();
        let offset = number_at(of, "byteOffset");
        let mut out = match of.get("bufferView").and_then(index) {
            // A count without data is a claim: it must not be larger than the file's data.
            None if of.get("sparse").is_none() || count > self.most_count() => return None,
            None => vec![0.0; count * layout.width()],
            Some(view) => {
                let (bytes, stride) = self.view(view)?;
                let stride = stride.unwrap_or(element);
                let last = count.checked_sub(1)?.checked_mul(stride)?.checked_add(offset)?;
                bytes.get(offset..last.checked_add(element)?)?;
                (0..count)
                    .flat_map(|i| {
                        let row = &bytes[offset + i * stride..][..element];
                        row.chunks_exact(layout.component.size()).map(|bytes| layout.number(bytes))
                    })
                    .collect()
            }
        };
        if let Some(sparse) = of.get("sparse") {
            self.overwrite(&mut out, sparse, layout)?;
        }
        Some(out)
    }

    /// Writes the elements of a sparse accessor over its numbers.
    fn overwrite(&self, out: &mut [f64], sparse: &Value, layout: ElementLayout) -> Option<()> {
        let count = sparse.get("count").and_then(index)?;
        let part = |key: &str| {
            let part = sparse.get(key)?;
            let (bytes, _) = self.view(part.get("bufferView").and_then(index)?)?;
            bytes.get(number_at(part, "byteOffset")..)
        };
        let places = Component::from_code(sparse.get("indices")?.get("componentType")?.as_u64()?)?;
        let (element, width) = (layout.packed_size(), layout.width());
        let indices = part("indices")?.get(..count.checked_mul(places.size())?)?;
        let values = part("values")?.get(..count.checked_mul(element)?)?;
        for (place, value) in indices.chunks_exact(places.size()).zip(values.chunks_exact(element))
        {
            let start = (places.number(place, false) as usize).checked_mul(width)?;
            let row = out.get_mut(start..start.checked_add(width)?)?;
            for (number, bytes) in row.iter_mut().zip(value.chunks_exact(layout.component.size())) {
                *number = layout.number(bytes);
            }
        }
        Some(())
    }

    /// Returns the bytes of all buffers together: no count in a file that is read is larger.
    fn most_count(&self) -> usize {
        self.parts.buffers.iter().flatten().map(Vec::len).sum()
    }

    /// Returns the bytes of a view with its stride. `None` if it is compressed or out of range.
    fn view(&self, view: usize) -> Option<(&[u8], Option<usize>)> {
        let view = self.list("bufferViews").get(view)?;
        let compressed = view
            .get("extensions")
            .and_then(Value::as_object)
            .is_some_and(|all| all.keys().any(|name| name.ends_with("meshopt_compression")));
        if compressed {
            return None;
        }
        let buffer = self.parts.buffers.get(view.get("buffer").and_then(index)?)?.as_ref()?;
        let start = number_at(view, "byteOffset");
        let length = view.get("byteLength").and_then(index)?;
        let bytes = buffer.get(start..start.checked_add(length)?)?;
        Some((bytes, view.get("byteStride").and_then(index)))
    }

    /// Appends an accessor like another one, with other numbers, and returns its index. It keeps the other one's
    /// component type, name and extras, and has bounds if the other one has.
    pub fn append_like(&mut self, accessor: usize, numbers: &[f64]) -> Option<usize> {
        let layout = self.layout(accessor)?;
        self.append_like_in(accessor, numbers, layout)
    }

    /// Appends an accessor like another one, whose numbers are stored in this layout: see [`Editor::append_like`].
    pub fn append_like_in(
        &mut self,
        accessor: usize,
        numbers: &[f64],
        layout: ElementLayout,
    ) -> Option<usize> {
        let view = self.list("accessors").get(accessor)?.get("bufferView").and_then(index);
        let target =
            view.and_then(|view| self.list("bufferViews").get(view)?.get("target").cloned());
        self.append_for(accessor, numbers, layout, target)
    }

    /// Appends an accessor of vertices like another one: see [`Editor::append_like`].
    pub fn append_vertices_like(&mut self, accessor: usize, numbers: &[f64]) -> Option<usize> {
        let layout = self.layout(accessor)?;
        self.append_for(accessor, numbers, layout, Some(ARRAY_BUFFER.into()))
    }

    fn append_for(
        &mut self,
        accessor: usize,
        numbers: &[f64],
        layout: ElementLayout,
        target: Option<Value>,
    ) -> Option<usize> {
        let mut new = self.list("accessors").get(accessor)?.clone();
        if self.layout(accessor)? != layout {
            new["componentType"] = layout.component.code().into();
            new["normalized"] = layout.normalized.into();
        }
        let has_bounds = new.get("min").is_some() || new.get("max").is_some();
        self.append(&mut new, numbers, layout, target, has_bounds);
        Some(self.push_accessor(new))
    }

    /// Appends the times of keys as floats with their bounds; equal ones are stored once.
    pub fn append_times(&mut self, times: &[f32]) -> usize {
        let key: Vec<u8> = times.iter().flat_map(|time| time.to_le_bytes()).collect();
        if let Some(at) = self.times.get(&key) {
            return *at;
        }
        let times: Vec<f64> = times.iter().map(|time| f64::from(*time)).collect();
        let at = self.append_floats(&times, 1, true);
        self.times.insert(key, at);
        at
    }

    /// Appends floats in elements of `width` numbers: 1 to 4, or 16.
    pub fn append_floats(&mut self, numbers: &[f64], width: usize, bounds: bool) -> usize {
        let shape = Shape::of_width(width).unwrap_or(Shape::Mat4);
        let layout = ElementLayout::floats(shape);
        let mut new = new_accessor(layout);
        self.append(&mut new, numbers, layout, None, bounds);
        self.push_accessor(new)
    }

    /// Appends an accessor with a view for a target.
    pub fn append_new(
        &mut self,
        layout: ElementLayout,
        numbers: &[f64],
        target: Option<u64>,
    ) -> usize {
        let mut accessor = new_accessor(layout);
        self.append(&mut accessor, numbers, layout, target.map(Value::from), false);
        self.push_accessor(accessor)
    }

    /// Appends a view of bytes in parts, and returns its index.
    pub fn append_view<const N: usize>(
        &mut self,
        parts: impl Iterator<Item = [u8; N]>,
        target: Option<u64>,
    ) -> usize {
        let start = self.align();
        let bytes = self.bytes_mut();
        parts.for_each(|part| bytes.extend_from_slice(&part));
        self.push_view(start, target.map(Value::from))
    }

    /// Appends padding, and returns the offset of what follows.
    fn align(&mut self) -> usize {
        let bytes = self.bytes_mut();
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        bytes.len()
    }

    /// Appends a view of the bytes from an offset on.
    fn push_view(&mut self, start: usize, target: Option<Value>) -> usize {
        let length = self.bytes().len() - start;
        let mut view = json!({ "buffer": self.grows, "byteOffset": start, "byteLength": length });
        if let Some(target) = target {
            view["target"] = target;
        }
        self.push("bufferViews", view)
    }

    /// Appends the data of an accessor, and completes its JSON.
    fn append(
        &mut self,
        accessor: &mut Value,
        numbers: &[f64],
        layout: ElementLayout,
        target: Option<Value>,
        bounds: bool,
    ) {
        let start = self.align();
        let bytes = self.bytes_mut();
        numbers.iter().for_each(|number| layout.store(*number, bytes));
        // Elements of vertex attributes start at multiples of four bytes.
        let element = layout.packed_size();
        let is_spread = target == Some(json!(ARRAY_BUFFER)) && !element.is_multiple_of(ALIGNMENT);
        if is_spread {
            spread(bytes, start, element);
        }
        let view = self.push_view(start, target);
        if is_spread && let Some(view) = self.item_mut("bufferViews", view) {
            view.insert("byteStride".into(), element.next_multiple_of(ALIGNMENT).into());
        }
        accessor["bufferView"] = view.into();
        accessor["count"] = (numbers.len() / layout.width()).into();
        if let Some(accessor) = accessor.as_object_mut() {
            ["byteOffset", "sparse", "min", "max"].iter().for_each(|key| {
                accessor.shift_remove(*key);
            });
        }
        if bounds {
            let [min, max] = bounds_of(numbers, layout);
            (accessor["min"], accessor["max"]) = (min, max);
        }
    }

    /// Appends an item to a list of the document, and returns its index.
    pub fn push(&mut self, list: &str, item: Value) -> usize {
        let list = self.array_mut(list);
        list.push(item);
        list.len() - 1
    }

    /// Appends an accessor of appended data, and states the length of the buffer.
    fn push_accessor(&mut self, accessor: Value) -> usize {
        let at = self.push("accessors", accessor);
        let (grows, length) = (self.grows, self.bytes().len());
        let buffers = self.array_mut("buffers");
        match buffers.get_mut(grows) {
            Some(buffer) => buffer["byteLength"] = length.into(),
            None => buffers.push(json!({ "byteLength": length })),
        }
        at
    }

    fn array_mut(&mut self, key: &str) -> &mut Vec<Value> {
        if !self.parts.root.get(key).is_some_and(Value::is_array) {
            self.parts.root[key] = json!([]);
        }
        match &mut self.parts.root[key] {
            Value::Array(list) => list,
            _ => unreachable!("it was made an array above"),
        }
    }
}

/// Returns an accessor without data.
fn new_accessor(layout: ElementLayout) -> Value {
    json!({ "componentType": layout.component.code(), "type": layout.shape.name() })
}

/// Moves the elements at the end of bytes apart, so that each starts at a multiple of four bytes.
fn spread(bytes: &mut Vec<u8>, start: usize, element: usize) {
    let dense = bytes.split_off(start);
    for element in dense.chunks(element) {
        bytes.extend_from_slice(element);
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    }
}

/// Returns the smallest and the largest of each number of the elements, as JSON. Numbers that JSON has no form for, NaN
/// and infinite ones, count for nothing.
pub fn bounds_of(numbers: &[f64], layout: ElementLayout) -> [Value; 2] {
    let width = layout.width();
    let edge = |pick: fn(f64, f64) -> f64| -> Value {
        let column = |k: usize| {
            let finite = numbers[k..].iter().step_by(width).filter(|number| number.is_finite());
            finite.copied().reduce(pick).unwrap_or(0.0)
        };
        (0..width).map(|k| as_stored(column(k), layout)).collect()
    };
    if numbers.is_empty() {
        return [json!([]), json!([])];
    }
    [edge(f64::min), edge(f64::max)]
}

/// Returns a number as JSON: floats with the fewest digits that come back as the same float, integers as they are
/// stored, without the scaling of fractions.
fn as_stored(number: f64, layout: ElementLayout) -> Value {
    let mut bytes = Vec::new();
    layout.store(number, &mut bytes);
    let plain = ElementLayout { normalized: false, ..layout }.number(&bytes);
    if layout.is_integer() { (plain as i64).into() } else { short(plain as f32) }
}

/// Returns a float as the shortest JSON number that comes back as the same float.
pub fn short(number: f32) -> Value {
    number.to_string().parse::<f64>().map_or(Value::Null, |number| {
        if number.fract() == 0.0 && number.abs() < 1e15 {
            (number as i64).into()
        } else {
            number.into()
        }
    })
}
