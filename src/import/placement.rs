//! Where extensions stand: undeclared ones are read all the same, and what stands where its extension
//! knows nothing of it has no effect. Both are told, since another viewer may show another picture.

use std::collections::HashSet;

use serde_json::Value;

use super::document::Document;
use super::escape::quoted;
use super::fault::Warnings;

/// Extensions, by how their names begin, and the things that may have them: the keys on the way
/// there, without numbers; empty for the document itself.
const PLACES: &[(&str, &[&str])] = &[
    ("EXT_mesh_gpu_instancing", &["nodes"]),
    ("EXT_meshopt_compression", &["buffers", "bufferViews"]),
    ("EXT_texture_webp", &["textures"]),
    ("KHR_animation_pointer", &["animations/channels/target"]),
    ("KHR_draco_mesh_compression", &["meshes/primitives"]),
    ("KHR_lights_punctual", &["", "nodes"]),
    ("KHR_materials_variants", &["", "meshes/primitives"]),
    ("KHR_materials_", &["materials"]),
    ("KHR_meshopt_compression", &["buffers", "bufferViews"]),
    ("KHR_node_visibility", &["nodes"]),
    ("KHR_texture_basisu", &["textures"]),
];

/// Warns of extensions that are not declared or stand where they mean nothing. Each name once.
pub(super) fn check(document: &Document, warnings: &mut Warnings) {
    let root = document.root();
    let listed = |key| root.value.get(key).and_then(Value::as_array).into_iter().flatten();
    let declared: HashSet<&str> = listed("extensionsUsed")
        .chain(listed("extensionsRequired"))
        .filter_map(Value::as_str)
        .collect();
    let (mut undeclared, mut misplaced) = (HashSet::new(), HashSet::new());
    let mut todo = vec![(root.value, Place::default())];
    while let Some((value, place)) = todo.pop() {
        match value {
            Value::Array(items) => {
                let inside = items.iter().enumerate().filter(|(_, item)| may_have(item));
                todo.extend(inside.map(|(i, item)| (item, place.at(i))));
            }
            Value::Object(entries) => {
                for (name, extension) in
                    entries.get("extensions").and_then(Value::as_object).into_iter().flatten()
                {
                    let pointer = || {
                        format!(
                            "{}/extensions/{}",
                            place.pointer,
                            name.replace('~', "~0").replace('/', "~1")
                        )
                    };
                    if !declared.contains(name.as_str()) && undeclared.insert(name) {
                        let message = format!(
                            "extension {} is not in extensionsUsed: read as if",
                            quoted(name)
                        );
                        warnings.add("EXTENSION_UNDECLARED", &pointer(), message);
                    }
                    if !place.suits(name) && misplaced.insert(name) {
                        let message = format!("extension {} means nothing here", quoted(name));
                        warnings.add("EXTENSION_MISPLACED", &pointer(), message);
                    }
                    todo.push((extension, place.inside(name)));
                }
                let others = entries.iter().filter(|(key, value)| {
                    !matches!(key.as_str(), "extensions" | "extras" | "accessors")
                        && may_have(value)
                });
                todo.extend(others.map(|(key, value)| (value, place.below(key))));
            }
            _ => {}
        }
    }
}

/// Whether a value is of a kind that extensions may stand in.
fn may_have(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.first().is_some_and(|item| !item.is_number()),
        Value::Object(_) => true,
        _ => false,
    }
}

/// A place, as a pointer and as the keys on the way.
#[derive(Default)]
struct Place {
    pointer: String,
    keys: String,
    /// Inside of an extension, which may say anything.
    free: bool,
}

impl Place {
    fn at(&self, item: usize) -> Self {
        Self { pointer: format!("{}/{item}", self.pointer), keys: self.keys.clone(), ..*self }
    }

    fn below(&self, key: &str) -> Self {
        let slash = if self.keys.is_empty() { "" } else { "/" };
        Self {
            pointer: format!("{}/{}", self.pointer, key.replace('~', "~0").replace('/', "~1")),
            keys: [&self.keys, slash, key].concat(),
            ..*self
        }
    }

    fn inside(&self, extension: &str) -> Self {
        Self { free: true, ..self.below("extensions").below(extension) }
    }

    fn suits(&self, extension: &str) -> bool {
        let known = PLACES.iter().find(|(name, _)| extension.starts_with(name));
        self.free || known.is_none_or(|(_, places)| places.contains(&self.keys.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_undeclared_or_misplaced_is_told_once() {
        let visible = json!({"KHR_node_visibility": {"visible": false}});
        let document = Document::new(json!({
            "extensionsUsed": ["KHR_node_visibility"],
            "materials": [{"extensions": visible}, {"extensions": visible}],
            "nodes": [{"extensions": visible}],
            "meshes": [{"primitives": [{"extensions": {"KHR_materials_variants": {}}}]}],
            "extensions": {"KHR_lights_punctual": {"lights": [{"extensions": {"EXT_x": {}}}]}},
        }))
        .unwrap();
        let mut warnings = Warnings::default();
        check(&document, &mut warnings);
        let mut told: Vec<_> = warnings.finish().into_iter().map(|w| (w.code, w.pointer)).collect();
        told.sort();
        let undeclared = "EXTENSION_UNDECLARED";
        assert_eq!(told.len(), 4);
        assert!(told[0].1.starts_with("/materials/") && told[0].0 == "EXTENSION_MISPLACED");
        let places: Vec<_> = told[1..].iter().map(|(code, at)| (*code, at.as_str())).collect();
        assert_eq!(
            places,
            [
                (undeclared, "/extensions/KHR_lights_punctual"),
                (undeclared, "/extensions/KHR_lights_punctual/lights/0/extensions/EXT_x"),
                (undeclared, "/meshes/0/primitives/0/extensions/KHR_materials_variants"),
            ]
        );
    }
}
