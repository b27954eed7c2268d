//! A `.glb` in its two parts, for tests that change one of them.

use serde_json::{Value, json};
use std::ops::Range;
use std::path::Path;

use super::accessors::{float_form, push, width};

/// A document and its binary chunk.
#[derive(Clone, Debug)]
pub struct Glb {
    /// The document.
    pub json: Value,
    /// The first buffer.
    pub bin: Vec<u8>,
}

impl Glb {
    /// Reads a valid file.
    pub fn read(file: &Path) -> Self {
        Self::of(&std::fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display())))
    }

    /// Reads the bytes of a valid file.
    pub fn of(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
        let (json, rest) = (20..20 + word(12), 20 + word(12));
        assert_eq!(&bytes[16..20], b"JSON");
        let bin = match rest < bytes.len() {
            true => bytes[rest + 8..rest + 8 + word(rest)].to_vec(),
            false => Vec::new(),
        };
        Self { json: serde_json::from_slice(&bytes[json]).unwrap(), bin }
    }

    /// The whole file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = self.json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut data = self.bin.clone();
        data.resize(data.len().next_multiple_of(4), 0);
        let mut glb = b"glTF\x02\0\0\0".to_vec();
        let chunks: [(&[u8; 4], Vec<u8>); 2] = [(b"JSON", text), (b"BIN\0", data)];
        let length: usize = 12 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
        glb.extend((length as u32).to_le_bytes());
        for (kind, bytes) in chunks {
            glb.extend((bytes.len() as u32).to_le_bytes());
            glb.extend(kind);
            glb.extend(bytes);
        }
        glb
    }

    /// Writes it to a file.
    pub fn write(&self, file: &Path) {
        std::fs::write(file, self.to_bytes()).unwrap();
    }

    /// Appends bytes as a view.
    pub fn put_view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let start = self.bin.len();
        self.bin.extend(bytes);
        if self.json["buffers"].is_null() {
            self.json["buffers"] = json!([{}]);
        }
        self.json["buffers"][0]["byteLength"] = self.bin.len().into();
        let view = json!({"buffer": 0, "byteOffset": start, "byteLength": bytes.len()});
        push(&mut self.json, "bufferViews", view)
    }

    /// Appends bytes as an accessor with a view of its own.
    pub fn put(&mut self, mut accessor: Value, bytes: &[u8]) -> usize {
        accessor["bufferView"] = self.put_view(bytes).into();
        push(&mut self.json, "accessors", accessor)
    }

    /// Appends floats as an accessor with bounds.
    pub fn put_floats(&mut self, shape: &str, numbers: &[f32]) -> usize {
        self.put(float_form(shape, numbers), bytemuck::cast_slice(numbers))
    }

    /// Where the elements of an accessor lie in the binary chunk, one right after the other.
    pub fn place(&self, accessor: &Value) -> Range<usize> {
        let number = |of: &Value| of.as_u64().unwrap_or(0) as usize;
        let accessor = &self.json["accessors"][number(accessor)];
        let view = &self.json["bufferViews"][number(&accessor["bufferView"])];
        let width = width(accessor["type"].as_str().unwrap());
        let bytes = match number(&accessor["componentType"]) {
            5120 | 5121 => width,
            5122 | 5123 => 2 * width,
            _ => 4 * width,
        };
        assert!([0, bytes].contains(&number(&view["byteStride"])), "{view}");
        let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        start..start + number(&accessor["count"]) * bytes
    }

    /// Returns the numbers of an accessor of floats.
    pub fn floats(&self, accessor: &Value) -> Vec<f32> {
        bytemuck::pod_collect_to_vec(&self.bin[self.place(accessor)])
    }

    /// Returns the node of a name.
    pub fn node(&mut self, name: &str) -> &mut Value {
        let nodes = self.json["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().find(|node| node["name"] == name).unwrap_or_else(|| panic!("no {name}"))
    }
}
