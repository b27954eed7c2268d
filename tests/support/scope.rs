//! Models that are not supported yet: those for which the program names an unsupported extension that the file
//! really uses. Any other failure fails the test.

use super::{Run, rigview};
use serde_json::Value;
use std::path::Path;

/// Extensions without which a file is still shown, but with other vertex positions.
const MOVING: [&str; 1] = ["KHR_animation_pointer"];

/// Returns what the program does not support of a model. Either it refuses the file with exit code 3 because of
/// a required extension, or it shows the file with a warning and `info` names an extension that moves
/// vertices.
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

/// Returns the JSON of a `.gltf` or `.glb`.
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
