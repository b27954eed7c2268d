//! A file's document and bytes while they are repaired: data is read as it is stored, and new data is appended,
//! so that everything else stays where it is.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use rigview_export::{ExportError, FileParts, Gathered, glb, index};
use rigview_model::{Chunk, Model};

/// The glTF component type of 32-bit floats.
pub const FLOAT: u64 = 5126;

/// The target of views of vertices.
pub const VERTICES: u64 = 34962;

/// Alignment of appended data; it satisfies every component type.
const ALIGNMENT: usize = 4;

/// A glTF document with its data, which grows at the end of one buffer only.
#[derive(Clone, Debug)]
pub struct Document {
    parts: FileParts,
    /// The buffer that grows: the first one with bytes.
    grows: usize,
    /// Its length in the file.
    length: usize,
    /// The other chunks of the GLB.
    chunks: Vec<Chunk>,
    /// Accessors of appended key times, by their bytes, which channels share.
    times: HashMap<Vec<u8>, usize>,
}

/// A state to return to: see [`Document::reset`].
pub struct Snapshot {
    root: Value,
    length: usize,
}

/// How an accessor stores its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementLayout {
    /// The glTF component type.
    pub component: u64,
    /// Whether integers stand for fractions.
    pub normalized: bool,
    /// Numbers per element.
    pub width: usize,
}

impl ElementLayout {
    /// Bytes per number; 0 if the type is unknown.
    fn size(self) -> usize {
        match self.component {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | FLOAT => 4,
            _ => 0,
        }
    }

    /// Returns a stored number.
    fn number(self, bytes: &[u8]) -> f64 {
        let small = |n: f64, most: f64| if self.normalized { (n / most).max(-1.0) } else { n };
        match (self.component, bytes) {
            (5120, [a, ..]) => small(f64::from(*a as i8), 127.0),
            (5121, [a, ..]) => small(f64::from(*a), 255.0),
            (5122, [a, b, ..]) => small(f64::from(i16::from_le_bytes([*a, *b])), 32767.0),
            (5123, [a, b, ..]) => small(f64::from(u16::from_le_bytes([*a, *b])), 65535.0),
            (5125, [a, b, c, d]) => f64::from(u32::from_le_bytes([*a, *b, *c, *d])),
            (_, [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
            _ => 0.0,
        }
    }

    /// Whether it stores integers.
    pub fn is_integer(self) -> bool {
        self.component != FLOAT
    }

    /// Whether numbers can be stored without a change.
    pub fn holds(self, numbers: &[f64]) -> bool {
        let mut bytes = Vec::new();
        numbers.iter().all(|number| {
            bytes.clear();
            self.store(*number, &mut bytes);
            self.number(&bytes) == *number
        })
    }

    /// Stores a number. Fractions are rounded to the nearest integer.
    fn store(self, number: f64, out: &mut Vec<u8>) {
        let whole = |most: f64| if self.normalized { (number * most).round() } else { number };
        match self.component {
            5120 => out.push(whole(127.0) as i8 as u8),
            5121 => out.push(whole(255.0) as u8),
            5122 => out.extend((whole(32767.0) as i16).to_le_bytes()),
            5123 => out.extend((whole(65535.0) as u16).to_le_bytes()),
            5125 => out.extend((number as u32).to_le_bytes()),
            _ => out.extend((number as f32).to_le_bytes()),
        }
    }
}

impl Document {
    /// Takes the file that the import kept, with its buffers as they are.
    ///
    /// # Errors
    /// If the import did not keep the file.
    pub fn of(model: &Model) -> Result<Self, ExportError> {
        let mut parts = FileParts::of(model)?;
        let grows = parts.buffers.iter().position(Option::is_some).unwrap_or_else(|| {
            parts.buffers.push(Some(Vec::new()));
            parts.buffers.len() - 1
        });
        // The buffer of what was a glTF 1.0 file is new as a whole.
        let is_new = model.source.is_gltf1();
        let length = parts.buffers[grows].as_ref().filter(|_| !is_new).map_or(0, Vec::len);
        let chunks = model.source.chunks.clone();
        Ok(Self { parts, grows, length, chunks, times: HashMap::new() })
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

    /// Returns the file as a GLB of one buffer, with the images that it names.
    ///
    /// # Errors
    /// If it would exceed 4 GiB.
    pub fn glb(&self) -> Result<Vec<u8>, ExportError> {
        let Gathered { root, bytes, .. } = self.parts.gathered();
        glb(&root, bytes, &self.chunks)
    }

    /// Returns the parts of the file, with all buffers as they were but for what was appended to one of them.
    pub fn parts(&self) -> &FileParts {
        &self.parts
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

    /// Returns how an accessor stores its numbers.
    pub fn layout(&self, accessor: usize) -> Option<ElementLayout> {
        let accessor = self.list("accessors").get(accessor)?;
        let width = width_of(accessor.get("type")?.as_str()?)?;
        let component = accessor.get("componentType")?.as_u64()?;
        let normalized = accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false);
        Some(ElementLayout { component, normalized, width })
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
        let element = layout.size() * layout.width;
        let offset = of.get("byteOffset").and_then(index).unwrap_or(0);
        let mut out = match of.get("bufferView").and_then(index) {
            // A count without data is a claim: it must not be larger than the file's data.
            None if of.get("sparse").is_none() || count > self.most_count() => return None,
            None => vec![0.0; count * layout.width],
            Some(view) => {
                let (bytes, stride) = self.view(view)?;
                let stride = stride.unwrap_or(element);
                let last = count.checked_sub(1)?.checked_mul(stride)?.checked_add(offset)?;
                bytes.get(offset..last.checked_add(element)?)?;
                (0..count)
                    .flat_map(|i| {
                        let row = &bytes[offset + i * stride..][..element];
                        row.chunks_exact(layout.size()).map(|bytes| layout.number(bytes))
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
            bytes.get(part.get("byteOffset").and_then(index).unwrap_or(0)..)
        };
        let component = sparse.get("indices")?.get("componentType")?.as_u64()?;
        let places = ElementLayout { component, normalized: false, width: 1 };
        let element = layout.size() * layout.width;
        let indices = part("indices")?.get(..count.checked_mul(places.size())?)?;
        let values = part("values")?.get(..count.checked_mul(element)?)?;
        for (place, value) in indices.chunks_exact(places.size()).zip(values.chunks_exact(element))
        {
            let start = places.number(place) as usize * layout.width;
            let row = out.get_mut(start..start.checked_add(layout.width)?)?;
            for (number, bytes) in row.iter_mut().zip(value.chunks_exact(layout.size())) {
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
        let start = view.get("byteOffset").and_then(index).unwrap_or(0);
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

    /// Appends an accessor like another one, whose numbers are stored in this layout: see [`Document::append_like`].
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

    /// Appends an accessor of vertices like another one: see [`Document::append_like`].
    pub fn append_vertices_like(&mut self, accessor: usize, numbers: &[f64]) -> Option<usize> {
        let layout = self.layout(accessor)?;
        self.append_for(accessor, numbers, layout, Some(VERTICES.into()))
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
            new["componentType"] = layout.component.into();
            new["normalized"] = layout.normalized.into();
        }
        let has_bounds = new.get("min").is_some() || new.get("max").is_some();
        self.append(&mut new, numbers, layout, target, has_bounds);
        self.push_accessor(new)
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

    /// Appends floats in elements of `width` numbers.
    pub fn append_floats(&mut self, numbers: &[f64], width: usize, bounds: bool) -> usize {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"].get(width - 1).unwrap_or(&"MAT4");
        let layout = ElementLayout { component: FLOAT, normalized: false, width };
        let mut new = json!({ "componentType": FLOAT, "type": kind });
        self.append(&mut new, numbers, layout, None, bounds);
        self.push_accessor(new).unwrap_or(0)
    }

    /// Appends an accessor whose JSON has a component type and a type, with a view for a target.
    pub fn append_new(
        &mut self,
        mut accessor: Value,
        numbers: &[f64],
        target: Option<Value>,
    ) -> usize {
        let component = accessor["componentType"].as_u64().unwrap_or(FLOAT);
        let width = accessor["type"].as_str().and_then(width_of).unwrap_or(1);
        let layout = ElementLayout { component, normalized: false, width };
        self.append(&mut accessor, numbers, layout, target, false);
        self.push_accessor(accessor).unwrap_or(0)
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
        let buffer = self.grows;
        let bytes = self.bytes_mut();
        let start = bytes.len().next_multiple_of(ALIGNMENT);
        bytes.resize(start, 0);
        for number in numbers {
            layout.store(*number, bytes);
        }
        // Elements of vertex attributes start at multiples of four bytes.
        let element = layout.size() * layout.width;
        let is_spread = target == Some(json!(VERTICES)) && !element.is_multiple_of(ALIGNMENT);
        if is_spread {
            spread(bytes, start, element);
        }
        let length = bytes.len() - start;
        let mut view = json!({ "buffer": buffer, "byteOffset": start, "byteLength": length });
        if let Some(target) = target {
            view["target"] = target;
        }
        if is_spread {
            view["byteStride"] = element.next_multiple_of(ALIGNMENT).into();
        }
        let views = self.array_mut("bufferViews");
        views.push(view);
        accessor["bufferView"] = (views.len() - 1).into();
        accessor["count"] = (numbers.len() / layout.width.max(1)).into();
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

    fn push_accessor(&mut self, accessor: Value) -> Option<usize> {
        let accessors = self.array_mut("accessors");
        accessors.push(accessor);
        let (grows, length) = (self.grows, self.bytes().len());
        let at = self.list("accessors").len() - 1;
        let buffers = self.array_mut("buffers");
        match buffers.get_mut(grows) {
            Some(buffer) => buffer["byteLength"] = length.into(),
            None => buffers.push(json!({ "byteLength": length })),
        }
        Some(at)
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

/// Moves the elements at the end of bytes apart, so that each starts at a multiple of four bytes.
fn spread(bytes: &mut Vec<u8>, start: usize, element: usize) {
    let dense = bytes.split_off(start);
    for element in dense.chunks(element) {
        bytes.extend_from_slice(element);
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    }
}

/// Returns the numbers per element of an accessor's type.
fn width_of(kind: &str) -> Option<usize> {
    match kind {
        "SCALAR" => Some(1),
        "VEC2" => Some(2),
        "VEC3" => Some(3),
        "VEC4" => Some(4),
        "MAT4" => Some(16),
        _ => None,
    }
}

/// Returns the smallest and the largest of each number of the elements, as JSON. Numbers that JSON has no form for, NaN
/// and infinite ones, count for nothing.
pub fn bounds_of(numbers: &[f64], layout: ElementLayout) -> [Value; 2] {
    let width = layout.width.max(1);
    let edge = |pick: fn(f64, f64) -> f64| -> Value {
        let column = |k: usize| {
            let finite = numbers[k..].iter().step_by(width).filter(|number| number.is_finite());
            finite.copied().reduce(pick).unwrap_or(0.0)
        };
        (0..width).map(|k| as_stored(column(k), layout)).collect()
    };
    match numbers.is_empty() {
        true => [json!([]), json!([])],
        false => [edge(f64::min), edge(f64::max)],
    }
}

/// Returns a number as JSON: floats with the fewest digits that come back as the same float, integers as they are
/// stored, without the scaling of fractions.
fn as_stored(number: f64, layout: ElementLayout) -> Value {
    let mut bytes = Vec::new();
    layout.store(number, &mut bytes);
    let plain = ElementLayout { normalized: false, ..layout }.number(&bytes);
    match layout.component {
        FLOAT => short(plain as f32),
        _ => (plain as i64).into(),
    }
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
