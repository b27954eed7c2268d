//! A `.glb` in its two parts, for tests that change one of them.

use serde_json::Value;
use std::path::Path;

/// A document and its binary chunk.
#[derive(Clone, Debug)]
pub struct Glb {
    pub json: Value,
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

    /// Returns the node of a name.
    pub fn node(&mut self, name: &str) -> &mut Value {
        let nodes = self.json["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().find(|node| node["name"] == name).unwrap_or_else(|| panic!("no {name}"))
    }
}
