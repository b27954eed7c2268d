//! Which models are not read yet: those of which the program itself says so, naming an extension
//! that the file really uses. Any other failure is one.

use super::Run;
use serde_json::Value;
use std::path::Path;

/// What the program said it can't do of a model: refused with exit code 3 for an extension that
/// the file requires or for glTF 1.0, or shown with a warning that names one that it uses.
pub fn out_of_scope(model: &Path, run: &Run) -> Option<String> {
    let json = json(model);
    if run.code == Some(0) {
        return named(&json["extensionsUsed"], &run.stderr);
    }
    if run.code != Some(3) {
        return None;
    }
    let first_version = run.stderr.contains("glTF 1.0").then(|| "glTF 1.0".to_owned());
    named(&json["extensionsRequired"], &run.stderr).or(first_version)
}

fn named(extensions: &Value, message: &str) -> Option<String> {
    let names = extensions.as_array()?.iter().filter_map(Value::as_str);
    names.filter(|name| message.contains(name)).map(str::to_owned).next()
}

/// A model's JSON, of a `.gltf` or a `.glb`.
fn json(model: &Path) -> Value {
    let bytes = std::fs::read(model).unwrap_or_else(|error| panic!("{}: {error}", model.display()));
    let text = if bytes.starts_with(b"glTF") {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
        &bytes[20..20 + length as usize]
    } else {
        &bytes[..]
    };
    serde_json::from_slice(text).unwrap_or_default()
}
