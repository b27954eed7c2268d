//! Lists of numbers in the document of a generated glTF file. Each has an accessor, a view and a buffer of its own, which
//! is a data URI.

use base64::Engine as _;
use serde_json::{Value, json};

/// Returns bytes as a data URI.
pub fn data_uri(bytes: &[u8]) -> String {
    format!("data:;base64,{}", base64::engine::general_purpose::STANDARD.encode(bytes))
}

/// Appends to a list of a document, which may be missing. Returns the index.
pub fn push(json: &mut Value, list: &str, item: Value) -> usize {
    if json[list].is_null() {
        json[list] = json!([]);
    }
    let list = json[list].as_array_mut().unwrap();
    list.push(item);
    list.len() - 1
}

/// Adds a view of these bytes.
pub fn view(json: &mut Value, bytes: &[u8]) -> usize {
    let buffer = json!({"byteLength": bytes.len(), "uri": data_uri(bytes)});
    let buffer = push(json, "buffers", buffer);
    push(json, "bufferViews", json!({"buffer": buffer, "byteLength": bytes.len()}))
}

/// Adds an accessor of `count` elements: `component` and `shape` are its `componentType` and `type`.
pub fn accessor(
    json: &mut Value,
    component: u32,
    shape: &str,
    count: usize,
    bytes: &[u8],
) -> usize {
    let view = view(json, bytes);
    let accessor =
        json!({"bufferView": view, "componentType": component, "type": shape, "count": count});
    push(json, "accessors", accessor)
}

/// Adds an accessor of floats with its bounds.
pub fn floats(json: &mut Value, shape: &str, numbers: &[f32]) -> usize {
    let view = view(json, bytemuck::cast_slice(numbers));
    let mut accessor = float_form(shape, numbers);
    accessor["bufferView"] = view.into();
    push(json, "accessors", accessor)
}

/// Returns the numbers per element of an accessor of this `type`.
pub fn width(shape: &str) -> usize {
    match shape {
        "SCALAR" => 1,
        "MAT4" => 16,
        vector => vector["VEC".len()..].parse().unwrap(),
    }
}

/// Returns an accessor of floats without its view.
pub fn float_form(shape: &str, numbers: &[f32]) -> Value {
    let width = width(shape);
    let bound = |of: fn(f32, f32) -> f32| -> Vec<f32> {
        let column = |i| numbers.iter().skip(i).step_by(width).copied().reduce(of).unwrap();
        (0..width).map(column).collect()
    };
    json!({
        "componentType": 5126, "type": shape, "count": numbers.len() / width,
        "min": bound(f32::min), "max": bound(f32::max),
    })
}
