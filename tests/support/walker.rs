//! A generated skeleton without a mesh, which walks.

use super::floats;
use serde_json::{Value, json};

/// Hips that move four metres along X in two seconds, with a spine and the end of a head above them, under
/// a root node that is not animated. All lengths are multiplied by `scale`.
pub fn walker(scale: f32) -> Value {
    let mut json = json!({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "Root", "children": [1], "translation": [0, 0, -20.0 * scale]},
            {"name": "Hips", "children": [2, 4], "translation": [0, scale, 0]},
            {"name": "Spine", "children": [3], "translation": [0, 0.4 * scale, 0]},
            {"name": "Head_End", "translation": [0, 0.4 * scale, 0]},
            {"name": "Foot", "translation": [0.1 * scale, -scale, 0]},
        ],
        "animations": [{
            "name": "Walk",
            "samplers": [{"input": 0, "output": 1}],
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
        }],
    });
    floats(&mut json, "SCALAR", &[0.0, 2.0]);
    floats(&mut json, "VEC3", &[0.0, scale, 0.0, 4.0 * scale, scale, 0.0]);
    json
}
