//! Which models are not read yet: those of which the program itself says so, naming an extension
//! that the file really uses. Any other failure is one.

use super::{Run, rigview};
use serde_json::Value;
use std::path::Path;

/// The extensions without which a file is still shown, but with vertices elsewhere.
const MOVING: [&str; 1] = ["KHR_animation_pointer"];

/// What the program does not do of a model: refused with exit code 3 for an extension that the
/// file requires; or shown with a warning, and `info` says which extension that moves vertices is
/// left out.
pub fn out_of_scope(model: &Path, run: &Run) -> Option<String> {
    match run.code {
        Some(0) if !run.stderr.is_empty() => left_out(model),
        Some(3) => refused(model, &run.stderr),
        _ => None,
    }
}

fn refused(model: &Path, message: &str) -> Option<String> {
    let json = json(model);
    let required = json["extensionsRequired"].as_array()?.iter().filter_map(Value::as_str);
    required.filter(|name| message.contains(name)).map(str::to_owned).next()
}

fn left_out(model: &Path) -> Option<String> {
    let info = rigview([Path::new("info"), model, Path::new("--json")]).done();
    let info: Value = serde_json::from_slice(&info.stdout).unwrap();
    let extensions = info["extensions"].as_array()?.iter();
    let names = extensions.filter(|extension| extension["status"] != "supported");
    let mut names = names.filter_map(|extension| extension["name"].as_str());
    names.find(|name| MOVING.contains(name)).map(str::to_owned)
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
