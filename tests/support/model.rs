//! A small generated glTF file: a square with clips.

use super::{Glb, data_uri};
use serde_json::{Value, json};
use std::path::Path;

/// Two triangles on one node, two metres wide, facing +Z, and any number of clips that turn it.
pub struct SmallModel {
    json: Value,
}

/// Positions, indices, key times and rotation keys, in this order.
const POSITIONS: [f32; 12] = [-1., -1., 0., 1., -1., 0., 1., 1., 0., -1., 1., 0.];
const INDICES: [u16; 6] = [0, 1, 2, 0, 2, 3];
const TIMES: [f32; 2] = [0., 2.];
/// No rotation, then 180 degrees about Z.
const ROTATIONS: [f32; 8] = [0., 0., 0., 1., 0., 0., 1., 0.];

impl SmallModel {
    /// Returns a model without clips.
    pub fn new() -> Self {
        let bytes = bytes();
        let json = json!({
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"name": "square", "mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                 "min": [-1, -1, 0], "max": [1, 1, 0]},
                {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
                {"bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR",
                 "min": [0], "max": [2]},
                {"bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC4"},
            ],
            "bufferViews": [
                {"buffer": 0, "byteOffset": 0, "byteLength": 48},
                {"buffer": 0, "byteOffset": 48, "byteLength": 12},
                {"buffer": 0, "byteOffset": 60, "byteLength": 8},
                {"buffer": 0, "byteOffset": 68, "byteLength": 32},
            ],
            "buffers": [{"byteLength": bytes.len()}],
        });
        Self { json }
    }

    /// Adds a clip of two seconds.
    pub fn clip(mut self, name: &str) -> Self {
        let clip = json!({
            "name": name,
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
            "samplers": [{"input": 2, "output": 3}],
        });
        match &mut self.json["animations"] {
            Value::Array(clips) => clips.push(clip),
            none => *none = json!([clip]),
        }
        self
    }

    /// Changes the document.
    pub fn edit(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.json);
        self
    }

    /// Makes the square of paper, which reflects all light evenly.
    pub fn paper(self) -> Self {
        self.edit(|json| {
            json["meshes"][0]["primitives"][0]["material"] = json!(0);
            json["extensionsUsed"] = json!(["KHR_materials_specular", "KHR_lights_punctual"]);
            json["materials"] = json!([{
                "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 1},
                "extensions": {"KHR_materials_specular": {"specularFactor": 0}},
            }]);
        })
    }

    /// Adds a light of KHR_lights_punctual on a child node of the square, at this place.
    pub fn light(self, light: Value, at: [f32; 3]) -> Self {
        self.edit(|json| {
            json["extensions"] = json!({"KHR_lights_punctual": {"lights": [light]}});
            json["nodes"][0]["children"] = json!([1]);
            let which = json!({"KHR_lights_punctual": {"light": 0}});
            let node = json!({"translation": at, "extensions": which});
            json["nodes"] = json!([json["nodes"][0], node]);
        })
    }

    /// Renames the node.
    pub fn node_name(mut self, name: &str) -> Self {
        self.json["nodes"][0]["name"] = json!(name);
        self
    }

    /// Writes a `.gltf` with its buffer in a data URI.
    pub fn write_gltf(mut self, file: &Path) {
        self.json["buffers"][0]["uri"] = json!(data_uri(&bytes()));
        std::fs::write(file, self.json.to_string()).unwrap();
    }

    /// Writes a `.gltf` with its buffer in a file of the same folder.
    pub fn write_gltf_with(mut self, file: &Path, buffer: &Path) {
        self.json["buffers"][0]["uri"] = json!(buffer.file_name().unwrap().to_str().unwrap());
        std::fs::write(buffer, bytes()).unwrap();
        std::fs::write(file, self.json.to_string()).unwrap();
    }

    /// Returns the bytes of a `.glb`.
    pub fn glb(&self) -> Vec<u8> {
        Glb { json: self.json.clone(), bin: bytes() }.to_bytes()
    }
}

fn bytes() -> Vec<u8> {
    let mut bytes: Vec<u8> = bytemuck::cast_slice(&POSITIONS).to_vec();
    bytes.extend_from_slice(bytemuck::cast_slice(&INDICES));
    bytes.extend_from_slice(bytemuck::cast_slice(&TIMES));
    bytes.extend_from_slice(bytemuck::cast_slice(&ROTATIONS));
    bytes
}
