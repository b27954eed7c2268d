//! Extras: what applications store in a file's objects, as text.

use std::fmt::Display;

use serde_json::Value;

use super::digest::Digest;
use super::extension::status;
use super::fault::ImportError;
use rigview_document::Document;
use rigview_model::{ExtensionStatus, Extras};

/// The lists whose items, and objects within these, may have extras.
const LISTS: [&str; 11] = [
    "scenes",
    "nodes",
    "meshes",
    "skins",
    "animations",
    "materials",
    "textures",
    "images",
    "samplers",
    "cameras",
    "accessors",
];

/// The keys of objects, and of lists of objects, within others. Those of textures have one ending.
const INNER: [&str; 15] = [
    "extensions",
    "primitives",
    "channels",
    "samplers",
    "target",
    "sparse",
    "indices",
    "values",
    "pbrMetallicRoughness",
    "perspective",
    "orthographic",
    "lights",
    "spot",
    "variants",
    "mappings",
];

/// Limit for the texts of all extras, in bytes. The largest ones are left out first.
const MOST_BYTES: usize = 4 << 20;

/// Reads the extras of the file, of its asset, and of its objects. Beyond a limit, a text takes the place of the largest ones,
/// with a hash, so that different extras stay different.
pub(super) fn read(document: &Document) -> Result<Vec<Extras>, ImportError> {
    gather(document, |object| Some(object.get("extras")?.to_string()))
}

/// Lists the texts of all objects that have one, with their places.
pub(super) fn gather(
    document: &Document,
    text: impl Fn(&Value) -> Option<String>,
) -> Result<Vec<Extras>, ImportError> {
    let root = document.root();
    let mut found = Vec::new();
    let mut add = |object: &Value, pointer: &str| {
        found.extend(text(object).map(|json| Extras { about: pointer.to_owned(), json }));
    };
    add(root.value, "");
    root.get("asset").iter().for_each(|asset| add(asset.value, &asset.pointer));
    for list in LISTS {
        for at in document.list(list)? {
            for_each_object(at.value, &at.pointer, &mut add);
        }
    }
    if let Some(extensions) = root.get("extensions") {
        for_each_object(extensions.value, &extensions.pointer, &mut add);
    }
    let most = longest_kept(found.iter().map(|extras| extras.json.len()).collect());
    found.iter_mut().filter(|extras| extras.json.len() > most).for_each(leave_out);
    Ok(found)
}

/// Calls `each` with an object and those of the specification within it, with their pointers. Extras and the extensions of
/// applications are values as a whole.
fn for_each_object(object: &Value, pointer: &str, each: &mut impl FnMut(&Value, &str)) {
    /// Levels below the object: `primitives/0/extensions/KHR_materials_variants/mappings/0`.
    const DEEPEST: usize = 6;
    let mut left = vec![(object, pointer.to_owned(), 0)];
    while let Some((value, pointer, depth)) = left.pop() {
        let end = left.len();
        let mut add = |value, key: &dyn Display| {
            left.push((value, format!("{pointer}/{key}"), depth + 1));
        };
        match value {
            Value::Object(map) => {
                each(value, &pointer);
                let is_of_extensions = pointer.ends_with("/extensions");
                for (key, value) in map.iter().filter(|_| depth < DEEPEST) {
                    let is_inner = if is_of_extensions { is_read(key) } else { is_inner(key) };
                    if is_inner && (value.is_object() || value.is_array()) {
                        add(value, key);
                    }
                }
            }
            Value::Array(list) if depth < DEEPEST => {
                let objects = list.iter().enumerate().filter(|(_, value)| value.is_object());
                objects.for_each(|(i, value)| add(value, &i));
            }
            _ => {}
        }
        left[end..].reverse();
    }
}

/// Whether a key is that of an object, or of a list of objects, within another object. Keys of other lengths are none of the
/// specification.
fn is_inner(key: &str) -> bool {
    INNER.contains(&key) || key.len() <= 32 && key.ends_with("Texture")
}

/// Whether the objects of an extension are those of the specification, so that they may have extras of their own.
fn is_read(extension: &str) -> bool {
    let is_common = ["KHR_", "EXT_"].iter().any(|prefix| extension.starts_with(prefix));
    is_common && status(extension) != ExtensionStatus::Ignored
}

/// Returns the length up to which texts are kept, so that all together are within the limit, but for those that are no longer
/// than the text about them. Which texts are kept depends on their lengths alone, not on their order, so that the same
/// objects of two files are.
fn longest_kept(mut lengths: Vec<usize>) -> usize {
    lengths.sort_unstable();
    let mut total = 0;
    let first_left_out = lengths.into_iter().find(|length| {
        total += length;
        total > MOST_BYTES
    });
    /// The length of a text about a value that was left out, rounded up.
    const SHORTEST: usize = 64;
    first_left_out.map_or(usize::MAX, |length| (length - 1).max(SHORTEST))
}

/// Returns a value, or a text about it if its own text is longer than a limit.
pub(super) fn kept(value: &Value, longest: usize) -> Value {
    if value.to_string().len() > longest { left_out(value) } else { value.clone() }
}

/// Replaces a value by a text about it.
fn leave_out(extras: &mut Extras) {
    let value: Value = serde_json::from_str(&extras.json).unwrap_or_default();
    extras.json = left_out(&value).to_string();
}

/// Returns a text about a value, with its hash.
fn left_out(value: &Value) -> Value {
    let mut digest = Digest::default();
    add_value(&mut digest, value);
    let hash = digest.finish();
    Value::from(format!("left out for its size, hash {hash:016x}"))
}

/// Adds a value to a hash. The order of keys and the form of numbers make no difference.
fn add_value(digest: &mut Digest, value: &Value) {
    match value {
        Value::Null => digest.add_word(0),
        Value::Bool(is_true) => digest.add_word(1 + u64::from(*is_true)),
        Value::Number(number) => {
            // Of zero, both signs are one number.
            let number = number.as_f64().unwrap_or_default() + 0.0;
            digest.add_word(3);
            digest.add_word(number.to_bits());
        }
        Value::String(text) => add_text(digest, text),
        Value::Array(list) => {
            digest.add_word(5);
            digest.add_word(list.len() as u64);
            list.iter().for_each(|value| add_value(digest, value));
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            digest.add_word(6);
            digest.add_word(entries.len() as u64);
            for (key, value) in entries {
                add_text(digest, key);
                add_value(digest, value);
            }
        }
    }
}

fn add_text(digest: &mut Digest, text: &str) {
    digest.add_word(4);
    digest.add_word(text.len() as u64);
    digest.add(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_shorter_than_the_text_about_it_is_kept() {
        assert_eq!(longest_kept(vec![28; MOST_BYTES / 8]), 64);
        assert_eq!(longest_kept(vec![28, 100]), usize::MAX);
    }

    #[test]
    fn extras_are_read_with_their_place() {
        let document = Document::new(json!({
            "asset": { "version": "2.0", "extras": { "title": "Fox" } },
            "nodes": [{}, { "extras": [1, "two"] }],
            "animations": [{ "extras": "walk", "channels": [], "samplers": [] }],
            "extras": 7,
        }));
        let found = read(&document.unwrap()).unwrap();
        let found: Vec<_> = found.iter().map(|e| (e.about.as_str(), e.json.as_str())).collect();
        let want = [
            ("", "7"),
            ("/asset", "{\"title\":\"Fox\"}"),
            ("/nodes/1", "[1,\"two\"]"),
            ("/animations/0", "\"walk\""),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn extras_of_objects_within_others_are_read() {
        let document = Document::new(json!({
            "asset": {},
            "materials": [{ "pbrMetallicRoughness": {
                "baseColorTexture": { "index": 0, "extras": 1 },
                "extras": { "extras": 2 },
            } }],
            "nodes": [{ "extensions": { "ACME_x": { "of": { "extras": 3 } } } }],
            "extensions": { "KHR_lights_punctual": { "lights": [{ "extras": 4 }] } },
        }));
        let found = read(&document.unwrap()).unwrap();
        let found: Vec<_> = found.iter().map(|e| (e.about.as_str(), e.json.as_str())).collect();
        let want = [
            ("/materials/0/pbrMetallicRoughness", "{\"extras\":2}"),
            ("/materials/0/pbrMetallicRoughness/baseColorTexture", "1"),
            ("/extensions/KHR_lights_punctual/lights/0", "4"),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn of_more_than_the_limit_the_largest_ones_have_a_hash() {
        let long = |letter: &str| json!({ "of": letter.repeat(MOST_BYTES / 2), "n": [2, null] });
        let of = |nodes: [Value; 3]| {
            let nodes = nodes.map(|extras| json!({ "extras": extras }));
            let document = Document::new(json!({ "asset": {}, "nodes": nodes }));
            let found = read(&document.unwrap()).unwrap().into_iter();
            found.map(|extras| extras.json).collect::<Vec<_>>()
        };
        let found = of([long("x"), json!(1), long("y")]);
        assert_eq!(found[1], "1");
        assert!(found[0].starts_with("\"left out for its size, hash "), "{}", found[0]);
        assert_ne!(found[0], found[2]);
        let again = json!({ "n": [2.0, null], "of": "x".repeat(MOST_BYTES / 2) });
        assert!(of([again, json!(1), long("y")])[0] == found[0]);
    }
}
