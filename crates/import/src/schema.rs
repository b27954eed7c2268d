//! Rules of glTF's schema that nothing depends on while a file is read: empty lists, extensions of a wrong form, and
//! the like. Other programs refuse files that break them.

use std::collections::HashSet;

use serde_json::Value;

use super::fault::Warnings;
use rigview_document::{At, Document};
use rigview_model::{WarningCode, quoted};

/// Lists that have a warning of their own if they are empty.
const TOLD_ELSEWHERE: [&str; 2] = ["channels", "primitives"];

/// Objects that must not be empty; others may.
const FILLED: [&str; 1] = ["attributes"];

/// Extensions of the root, and the property that each must have.
const OF_ROOT: [(&str, &str); 2] =
    [("KHR_lights_punctual", "lights"), ("KHR_materials_variants", "variants")];

/// The extension that files must require if they use it: what they store can't be read without it.
const NEVER_OPTIONAL: &str = "KHR_mesh_quantization";

/// Media types of images, and the extensions that allow them.
const IMAGE_TYPES: [(&str, &str); 2] =
    [("image/webp", "EXT_texture_webp"), ("image/ktx2", "KHR_texture_basisu")];

/// Media types of buffers in data URIs.
const BUFFER_TYPES: [&str; 2] = ["application/octet-stream", "application/gltf-buffer"];

/// Objects below which nothing is judged: their contents are free, or defined elsewhere.
const FREE: [&str; 2] = ["extras", "extensions"];

/// Deepest nesting that glTF has.
const DEEPEST: usize = 16;

/// Warns of what breaks the schema.
pub(super) fn check(document: &Document, warnings: &mut Warnings) {
    let root = document.root();
    empty(&root, DEEPEST, warnings);
    extensions(document, warnings);
    for buffer in objects(&root, "buffers") {
        data_uri(&buffer, warnings);
    }
    for view in objects(&root, "bufferViews") {
        let number = |key| view.value.get(key).and_then(Value::as_u64);
        if let Some((stride, length)) = number("byteStride").zip(number("byteLength"))
            && stride > length
        {
            let text = format!("byteStride {stride} is larger than byteLength {length}");
            warnings.add_at(&view, WarningCode::StrideTooBig, text);
        }
    }
    for animation in objects(&root, "animations") {
        for sampler in objects(&animation, "samplers") {
            few_keys(document, &sampler, warnings);
        }
    }
}

/// Returns the objects of a list; none if it is no list.
fn objects<'a>(at: &At<'a>, key: &str) -> Vec<At<'a>> {
    let items = at.list(key).unwrap_or_default();
    items.into_iter().filter(|item| item.value.is_object()).collect()
}

/// Warns of lists without items, and of objects without the properties that they exist for.
fn empty(at: &At, deepest: usize, warnings: &mut Warnings) {
    let key = at.pointer.rsplit('/').next().unwrap_or_default();
    match at.value {
        Value::Array(items) if items.is_empty() && !TOLD_ELSEWHERE.contains(&key) => {
            warnings.add_at(at, WarningCode::ArrayEmpty, format!("`{key}` is an empty list"));
        }
        Value::Object(entries) if entries.is_empty() && FILLED.contains(&key) => {
            warnings.add_at(at, WarningCode::ArrayEmpty, format!("`{key}` is an empty object"));
        }
        // Lists of numbers and names have nothing below them.
        Value::Array(items) if deepest > 0 && items.first().is_some_and(Value::is_object) => {
            at.items().unwrap_or_default().iter().for_each(|at| empty(at, deepest - 1, warnings));
        }
        Value::Object(_) if deepest > 0 => {
            let entries = at.entries().unwrap_or_default();
            let judged = entries.iter().filter(|(key, _)| !FREE.contains(key));
            judged.for_each(|(_, at)| empty(at, deepest - 1, warnings));
        }
        _ => {}
    }
}

fn extensions(document: &Document, warnings: &mut Warnings) {
    let root = document.root();
    for list in ["extensionsUsed", "extensionsRequired"] {
        let names = root.list(list).unwrap_or_default();
        let mut seen = HashSet::new();
        for name in &names {
            if !seen.insert(name.value.to_string()) {
                let named = name.value.as_str().map_or_else(|| name.value.to_string(), quoted);
                let text = format!("{list} has {named} twice");
                warnings.add_at(name, WarningCode::ExtensionTwice, text);
            }
        }
    }
    let uses = |name: &str| {
        let used = root.value.get("extensionsUsed").and_then(Value::as_array);
        used.is_some_and(|used| used.iter().any(|other| other == name))
    };
    if uses(NEVER_OPTIONAL) && !document.requires(NEVER_OPTIONAL) {
        let text = format!("{NEVER_OPTIONAL} is used, but not in extensionsRequired");
        warnings.add_at(&root, WarningCode::ExtensionOdd, text);
    }
    for image in objects(&root, "images") {
        let kind = image.value.get("mimeType").and_then(Value::as_str);
        let needed = IMAGE_TYPES.iter().find(|(name, _)| kind == Some(name));
        if let Some((kind, extension)) = needed.filter(|(_, extension)| !uses(extension)) {
            let text = format!("{kind} needs {extension}, which is not in extensionsUsed");
            warnings.add_at(&image, WarningCode::ExtensionUndeclared, text);
        }
    }
    let Some(of_root) = root.get("extensions") else { return };
    for (name, at) in of_root.entries().unwrap_or_default() {
        let needed = OF_ROOT.iter().find(|(known, _)| *known == name);
        if !at.value.is_object() {
            let text = format!("extension {} is not an object", quoted(name));
            warnings.add_at(&at, WarningCode::ExtensionOdd, text);
        } else if let Some((_, key)) = needed
            && at.value.get(key).is_none()
        {
            let text = format!("extension {} has no `{key}`", quoted(name));
            warnings.add_at(&at, WarningCode::ExtensionOdd, text);
        }
    }
}

/// Warns of a data URI whose head is malformed or names another media type than that of buffers. A head without a
/// media type is accepted.
fn data_uri(buffer: &At, warnings: &mut Warnings) {
    let Some(at) = buffer.get("uri") else { return };
    let Some(text) = at.value.as_str().and_then(|text| text.strip_prefix("data:")) else { return };
    let head = text.split(',').next().unwrap_or_default();
    let mut parts = head.split(';');
    let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
    if parts.any(str::is_empty) {
        warnings.add_at(&at, WarningCode::DataUriOdd, "the data URI has an empty parameter");
    } else if !kind.is_empty() && !BUFFER_TYPES.contains(&kind.as_str()) {
        let text =
            format!("the data URI has the media type {}, which is none of a buffer", quoted(&kind));
        warnings.add_at(&at, WarningCode::DataUriOdd, text);
    }
}

/// Warns of a cubic curve with a single key: it has no segment.
fn few_keys(document: &Document, sampler: &At, warnings: &mut Warnings) {
    let is_cubic = sampler.value.get("interpolation").is_some_and(|how| how == "CUBICSPLINE");
    let input = sampler.value.get("input").and_then(Value::as_u64);
    let Some(input) = input.filter(|_| is_cubic) else { return };
    let accessor = document.item("accessors", usize::try_from(input).unwrap_or(usize::MAX)).ok();
    let count = accessor.and_then(|at| at.value.get("count").and_then(Value::as_u64));
    if count == Some(1) {
        warnings.add_at(
            sampler,
            WarningCode::KeysTooFew,
            "a CUBICSPLINE sampler has one key, of at least two",
        );
    }
}
