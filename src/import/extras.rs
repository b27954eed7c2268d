//! Extras: what applications store in a file's objects, as text.

use super::document::{At, Document};
use super::fault::ImportError;
use crate::model::Extras;

/// The lists whose items may have extras.
const LISTS: [&str; 10] = [
    "scenes",
    "nodes",
    "meshes",
    "skins",
    "animations",
    "materials",
    "textures",
    "images",
    "cameras",
    "accessors",
];

/// Limit for the texts of all extras, in bytes.
const MOST_BYTES: usize = 4 << 20;

/// Reads the extras of the file, of its asset, and of its objects, as long as their texts are within a limit.
pub(super) fn read(document: &Document) -> Result<Vec<Extras>, ImportError> {
    let root = document.root();
    let mut found = Vec::new();
    let mut left = MOST_BYTES;
    let mut add = |at: &At, pointer: &str| {
        let Some(extras) = at.value.get("extras") else { return };
        let text = extras.to_string();
        if let Some(rest) = left.checked_sub(text.len()) {
            left = rest;
            found.push(Extras { about: pointer.to_owned(), json: text });
        }
    };
    add(&root, "");
    root.get("asset").iter().for_each(|asset| add(asset, &asset.pointer));
    for list in LISTS {
        document.list(list)?.iter().for_each(|at| add(at, &at.pointer));
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
