//! Six models of different kinds, each as a document and a buffer.

use std::path::Path;

use base64::Engine as _;
use serde_json::{Value, json};

/// A model as a document and a buffer.
pub struct Model {
    /// Part of the file name of failing mutations.
    pub name: &'static str,
    /// The document.
    pub json: Value,
    /// The only buffer.
    pub buffer: Vec<u8>,
    form: Form,
}

/// The container of a model.
#[derive(Clone, Copy)]
enum Form {
    Glb,
    /// KHR_binary_glTF.
    Glb1,
    /// The buffer in a data URI.
    Text,
}

/// Returns a skinned model in both containers, one compressed model per codec, KTX2 images, and a
/// glTF 1.0 file. Without the shared folder the built-in rig replaces them.
pub fn six(shared: Option<&Path>) -> [Model; 6] {
    let built_in = || read(&rigview_test_support::checkout().join("assets/creature.glb"));
    let one = |name, form, file: &str| {
        let (json, buffer) = shared.map_or_else(built_in, |s| read(&s.join("models").join(file)));
        let form = if shared.is_none() && matches!(form, Form::Glb1) { Form::Glb } else { form };
        Model { name, json, buffer, form }
    };
    let (json, buffer) = built_in();
    let pictures = shared.map(|shared| pictures(&shared.join("models/TransformTests")));
    let (with_pictures, picture_bytes) = pictures.unwrap_or_else(built_in);
    [
        Model { name: "creature.glb", json, buffer, form: Form::Glb },
        one("text.gltf", Form::Text, "RiggedSimple/glTF-Binary/RiggedSimple.glb"),
        one("draco.glb", Form::Glb, "RiggedSimple/glTF-Draco/RiggedSimple.gltf"),
        one("meshopt.glb", Form::Glb, "Meshopt/InterpolationTest-c.glb"),
        Model { name: "ktx2.glb", json: with_pictures, buffer: picture_bytes, form: Form::Glb },
        one("glTF-1.0.glb", Form::Glb1, "1.0/RiggedSimple/glTF-Binary/RiggedSimple.glb"),
    ]
}

/// Reads the document and the buffer of a file with one buffer, inside or beside it.
fn read(file: &Path) -> (Value, Vec<u8>) {
    let bytes = std::fs::read(file).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    if !bytes.starts_with(b"glTF") {
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let uri = json["buffers"][0]["uri"].as_str().unwrap();
        let buffer = std::fs::read(file.with_file_name(uri)).unwrap();
        let mut json = json.clone();
        json["buffers"][0].as_object_mut().unwrap().remove("uri");
        return (json, buffer);
    }
    let (start, gap) = if word(4) == 1 { (20, 0) } else { (20, 8) };
    let end = start + word(12);
    let json = serde_json::from_slice(&bytes[start..end]).unwrap();
    (json, bytes[(end + gap).min(bytes.len())..].to_vec())
}

/// Builds a file with one KTX2 image per codec.
fn pictures(folder: &Path) -> (Value, Vec<u8>) {
    let [one, two] =
        ["2d_etc1s.ktx2", "2d_uastc.ktx2"].map(|name| std::fs::read(folder.join(name)).unwrap());
    let texture = |source: usize| json!({"extensions": {"KHR_texture_basisu": {"source": source}}});
    let material =
        |index: usize| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": index}}});
    let start = one.len().next_multiple_of(4);
    let json = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_texture_basisu"],
        "extensionsRequired": ["KHR_texture_basisu"],
        "buffers": [{"byteLength": start + two.len()}],
        "bufferViews": [
            {"buffer": 0, "byteLength": one.len()},
            {"buffer": 0, "byteOffset": start, "byteLength": two.len()},
        ],
        "images": [
            {"bufferView": 0, "mimeType": "image/ktx2"},
            {"bufferView": 1, "mimeType": "image/ktx2"},
        ],
        "textures": [texture(0), texture(1)],
        "materials": [material(0), material(1)],
    });
    let mut buffer = one;
    buffer.resize(start, 0);
    buffer.extend(two);
    (json, buffer)
}

impl Model {
    /// Returns the unbroken file.
    pub fn packed(&self) -> Vec<u8> {
        self.packed_with(&self.json, &self.buffer)
    }

    /// Returns the file with another document or buffer.
    pub fn packed_with(&self, json: &Value, buffer: &[u8]) -> Vec<u8> {
        match self.form {
            Form::Glb => glb(json, buffer),
            Form::Glb1 => glb1(json, buffer),
            Form::Text => {
                let data = base64::engine::general_purpose::STANDARD.encode(buffer);
                let mut json = json.clone();
                if let Some(Value::Object(first)) = json.pointer_mut("/buffers/0") {
                    first.insert("uri".into(), format!("data:;base64,{data}").into());
                }
                json.to_string().into_bytes()
            }
        }
    }
}

fn glb(json: &Value, buffer: &[u8]) -> Vec<u8> {
    let text = padded(json.to_string().into_bytes(), b' ');
    let buffer = padded(buffer.to_vec(), 0);
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(((28 + text.len() + buffer.len()) as u32).to_le_bytes());
    for (kind, bytes) in [(b"JSON", text), (b"BIN\0", buffer)] {
        glb.extend((bytes.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(bytes);
    }
    glb
}

fn glb1(json: &Value, buffer: &[u8]) -> Vec<u8> {
    let text = padded(json.to_string().into_bytes(), b' ');
    let mut glb = b"glTF".to_vec();
    for word in [1, 20 + text.len() + buffer.len(), text.len(), 0] {
        glb.extend((word as u32).to_le_bytes());
    }
    glb.extend(text);
    glb.extend(buffer);
    glb
}

fn padded(mut bytes: Vec<u8>, with: u8) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), with);
    bytes
}
