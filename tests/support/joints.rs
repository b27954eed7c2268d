//! A generated GLB of nodes without a mesh, which serve as joints, and clips that move them.

use serde_json::{Value, json};

use super::Glb;

/// Nodes with a clip.
pub struct Joints(pub Glb);

impl Joints {
    /// Nodes one above the other, a metre apart; each is the parent of the next. `None` is a node without a name.
    pub fn chain(names: &[Option<&str>]) -> Self {
        let last = names.len() - 1;
        let node = |(index, name): (usize, &Option<&str>)| {
            let mut node = json!({"translation": [0, if index > 0 { 1 } else { 0 }, 0]});
            if let Some(name) = name {
                node["name"] = (*name).into();
            }
            if index < last {
                node["children"] = json!([index + 1]);
            }
            node
        };
        let json = json!({
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": names.iter().enumerate().map(node).collect::<Value>(),
            "accessors": [],
            "bufferViews": [],
            "buffers": [{"byteLength": 0}],
        });
        Self(Glb { json, bin: Vec::new() })
    }

    /// Adds a clip without channels.
    pub fn clip(mut self, name: &str) -> Self {
        if self.0.json.get("animations").is_none() {
            self.0.json["animations"] = json!([]);
        }
        let clip = json!({"name": name, "channels": [], "samplers": []});
        self.list("animations").push(clip);
        self
    }

    /// Adds a LINEAR channel to the last clip.
    pub fn channel<const N: usize>(
        mut self,
        node: usize,
        path: &str,
        times: &[f32],
        values: &[[f32; N]],
    ) -> Self {
        let (input, output) =
            (self.floats(times, 1, true), self.floats(values.as_flattened(), N, false));
        let target = json!({"node": node, "path": path});
        self.drive(json!({"input": input, "output": output}), target);
        self
    }

    /// Adds a channel of normalised bytes to the last clip.
    pub fn byte_rotation(mut self, node: usize, times: &[f32], values: &[[i8; 4]]) -> Self {
        let bytes: Vec<u8> = values.as_flattened().iter().map(|x| *x as u8).collect();
        let input = self.floats(times, 1, true);
        let accessor = json!({
            "componentType": 5120, "normalized": true, "type": "VEC4", "count": values.len(),
        });
        let output = self.accessor(&bytes, accessor);
        let target = json!({"node": node, "path": "rotation"});
        self.drive(json!({"input": input, "output": output}), target);
        self
    }

    /// Changes the document.
    pub fn edit(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.0.json);
        self
    }

    fn drive(&mut self, sampler: Value, target: Value) {
        let clip = self.list("animations").last_mut().expect("a clip");
        let samplers = clip["samplers"].as_array_mut().unwrap();
        samplers.push(sampler);
        let sampler = samplers.len() - 1;
        let channels = clip["channels"].as_array_mut().unwrap();
        channels.push(json!({"sampler": sampler, "target": target}));
    }

    /// Appends floats in elements of `width`, and returns the accessor.
    pub fn floats(&mut self, numbers: &[f32], width: usize, bounds: bool) -> usize {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
        let count = numbers.len() / width;
        let mut accessor = json!({"componentType": 5126, "type": kind, "count": count});
        if bounds {
            let edge = |pick: fn(f32, f32) -> f32| numbers.iter().copied().reduce(pick).unwrap();
            (accessor["min"], accessor["max"]) = (json!([edge(f32::min)]), json!([edge(f32::max)]));
        }
        self.accessor(bytemuck::cast_slice(numbers), accessor)
    }

    fn accessor(&mut self, bytes: &[u8], mut accessor: Value) -> usize {
        let start = self.0.bin.len();
        self.0.bin.extend(bytes);
        self.0.bin.resize(self.0.bin.len().next_multiple_of(4), 0);
        self.0.json["buffers"][0]["byteLength"] = self.0.bin.len().into();
        let view = json!({"buffer": 0, "byteOffset": start, "byteLength": bytes.len()});
        self.list("bufferViews").push(view);
        accessor["bufferView"] = (self.list("bufferViews").len() - 1).into();
        self.list("accessors").push(accessor);
        self.list("accessors").len() - 1
    }

    fn list(&mut self, key: &str) -> &mut Vec<Value> {
        self.0.json[key].as_array_mut().unwrap()
    }
}
