//! KHR_xmp_json_ld: metadata of a file and its objects, as lines of text.

use serde_json::{Map, Value};

use super::fault::ImportError;
use rigview_document::{At, Document};
use rigview_model::{Metadata, escaped_to};

const NAME: &str = "KHR_xmp_json_ld";

/// The lists whose items may have metadata.
const LISTS: [&str; 6] = ["scenes", "nodes", "meshes", "materials", "images", "animations"];

/// Longest text of a property, in characters.
const LONGEST_TEXT: usize = 400;

/// Limit for the objects whose metadata is listed.
const MOST: usize = 64;

/// Reads the metadata of the file, then of its objects.
pub(super) fn read(document: &Document) -> Result<Vec<Metadata>, ImportError> {
    let root = document.root();
    let Some(extension) = root.extension(NAME)? else { return Ok(Vec::new()) };
    let packets = extension.list("packets")?;
    let mut things: Vec<At> = root.get("asset").into_iter().collect();
    for list in LISTS {
        things.extend(document.list(list)?);
    }
    let mut found = Vec::new();
    for thing in things {
        let Some(own) = thing.extension(NAME)? else { continue };
        let packet = &packets[own.required("packet")?.index_below(packets.len(), "packets")?];
        let entries = packet.object()?.iter().filter(|(key, _)| *key != "@context");
        let entries = entries.map(|(key, value)| {
            (escaped_to(key, LONGEST_TEXT), escaped_to(&text(value), LONGEST_TEXT))
        });
        if found.len() < MOST {
            found.push(Metadata { about: thing.pointer.clone(), entries: entries.collect() });
        }
    }
    Ok(found)
}

/// Formats a value: a list by its items, alternatives in several languages by the default one.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(scalar).collect::<Vec<_>>().join(", "),
        Value::Object(entries) => of_object(entries),
        other => other.to_string(),
    }
}

fn of_object(entries: &Map<String, Value>) -> String {
    let Some(items) = ["@list", "@set"].iter().find_map(|key| entries.get(*key)) else {
        return Value::Object(entries.clone()).to_string();
    };
    items.as_array().map_or_else(
        || scalar(items),
        |items| items.iter().map(scalar).collect::<Vec<_>>().join(", "),
    )
}

/// Formats an item of a list: a plain value, or one with a language or type.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(entries) => match entries.get("@value") {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => value.to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn metadata(asset: Value) -> Result<Vec<Metadata>, ImportError> {
        let packet = json!({
            "@context": {"dc": "http://purl.org/dc/elements/1.1/"},
            "dc:title": {"@set": [{"@value": "Fox", "@language": "en"}]},
            "dc:creator": {"@list": ["A", "B"]},
            "xmp:Rating": 4,
            "dc:rights": "CC0\u{1b}[31m",
        });
        let document = Document::new(json!({
            "asset": asset,
            "nodes": [{}, {"extensions": {"KHR_xmp_json_ld": {"packet": 1}}}],
            "extensions": {"KHR_xmp_json_ld": {"packets": [packet, {"dc:format": "node"}]}},
        }));
        read(&document?)
    }

    #[test]
    fn packets_become_lines_of_the_things_that_name_them() {
        let read = metadata(json!({"extensions": {"KHR_xmp_json_ld": {"packet": 0}}})).unwrap();
        let entries: Vec<_> = read[0].entries.iter().map(|(k, v)| (&k[..], &v[..])).collect();
        assert_eq!(read[0].about, "/asset");
        assert_eq!(
            entries,
            [
                ("dc:title", "Fox"),
                ("dc:creator", "A, B"),
                ("xmp:Rating", "4"),
                ("dc:rights", r"CC0\u001b[31m"),
            ]
        );
        assert_eq!((read[1].about.as_str(), read[1].entries.len()), ("/nodes/1", 1));
    }

    #[test]
    fn a_packet_that_is_not_there_is_an_error() {
        let error = metadata(json!({"extensions": {"KHR_xmp_json_ld": {"packet": 2}}}));
        assert_eq!(error.unwrap_err().pointer(), "/asset/extensions/KHR_xmp_json_ld/packet");
    }
}
