//! Extras: what applications store in a file's objects, as text.

use serde_json::{Map, Value};

use super::document::Document;
use super::extension::status;
use super::fault::ImportError;
use crate::model::{ExtensionStatus, Extras};

/// The lists whose items may have extras.
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

/// The lists within an item, whose items may have extras too.
const PARTS: [&str; 3] = ["primitives", "channels", "samplers"];

/// Limit for the texts of all extras, in bytes.
const MOST_BYTES: usize = 4 << 20;

/// Reads the extras of the file, of its asset, and of its objects, as long as their texts are within a limit.
pub(super) fn read(document: &Document) -> Result<Vec<Extras>, ImportError> {
    gather(document, |object| Some(object.get("extras")?.to_string()))
}

/// Reads what extensions that are not supported have stored in these objects.
pub(super) fn unread(document: &Document) -> Result<Vec<Extras>, ImportError> {
    gather(document, |object| {
        let all = object.get("extensions")?.as_object()?.iter();
        let ignored = all.filter(|(name, _)| status(name) == ExtensionStatus::Ignored);
        let ignored: Map<String, Value> = ignored.map(|(k, v)| (k.clone(), v.clone())).collect();
        (!ignored.is_empty()).then(|| Value::Object(ignored).to_string())
    })
}

/// Lists the texts of all objects that have one, with their places.
fn gather(
    document: &Document,
    text: impl Fn(&Value) -> Option<String>,
) -> Result<Vec<Extras>, ImportError> {
    let root = document.root();
    let mut found = Vec::new();
    let mut left = MOST_BYTES;
    let mut add = |object: &Value, pointer: &dyn Fn() -> String| {
        let Some(text) = text(object) else { return };
        if let Some(rest) = left.checked_sub(text.len()) {
            left = rest;
            found.push(Extras { about: pointer(), json: text });
        }
    };
    add(root.value, &String::new);
    root.get("asset").iter().for_each(|asset| add(asset.value, &|| asset.pointer.clone()));
    for list in LISTS {
        for at in document.list(list)? {
            add(at.value, &|| at.pointer.clone());
            for part in PARTS {
                let parts = at.value.get(part).and_then(Value::as_array);
                for (i, value) in parts.into_iter().flatten().enumerate() {
                    add(value, &|| format!("{}/{part}/{i}", at.pointer));
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
    fn their_number_of_bytes_is_limited() {
        let text = "x".repeat(MOST_BYTES / 2 - 10);
        let node = json!({ "extras": text });
        let document = Document::new(json!({
            "asset": {}, "nodes": [node, node, node, { "extras": 1 }],
        }));
        let found = read(&document.unwrap()).unwrap();
        let found: Vec<_> = found.iter().map(|extras| extras.about.as_str()).collect();
        assert_eq!(found, ["/nodes/0", "/nodes/1", "/nodes/3"]);
    }
}
