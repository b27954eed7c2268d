//! Warns of extensions that are not declared (they are read all the same) or are on objects they
//! are not defined for (they have no effect). Other viewers may show such a file differently.

use std::collections::HashSet;

use serde_json::Value;

use super::fault::Warnings;
use rigview_document::Document;
use rigview_model::{WarningCode, quoted};

/// Prefixes of extension names, and the objects that may have them: the keys on the path, without
/// indices; empty for the root.
const PLACES: &[(&str, &[&str])] = &[
    ("EXT_mesh_gpu_instancing", &["nodes"]),
    ("EXT_meshopt_compression", &["buffers", "bufferViews"]),
    ("EXT_texture_webp", &["textures"]),
    ("KHR_animation_pointer", &["animations/channels/target"]),
    ("KHR_draco_mesh_compression", &["meshes/primitives"]),
    ("KHR_lights_punctual", &["", "nodes"]),
    ("KHR_materials_variants", &["", "meshes/primitives"]),
    ("KHR_materials_", &["materials"]),
    ("KHR_mesh_quantization", &[]),
    ("KHR_meshopt_compression", &["buffers", "bufferViews"]),
    ("KHR_node_visibility", &["nodes"]),
    ("KHR_texture_basisu", &["textures"]),
];

/// Extension names that are warned of, per kind of warning.
const MOST_TOLD: usize = 8;

/// Warns of undeclared and of misplaced extensions, once per name.
pub(super) fn check(document: &Document, warnings: &mut Warnings) {
    let root = document.root().value;
    let listed = |key| root.get(key).and_then(Value::as_array).into_iter().flatten();
    let declared: HashSet<&str> = listed("extensionsUsed")
        .chain(listed("extensionsRequired"))
        .filter_map(Value::as_str)
        .collect();
    let (mut undeclared, mut misplaced) = (HashSet::new(), HashSet::new());
    let mut places = Places(vec![]);
    let mut todo = vec![(root, None)];
    while let Some((value, place)) = todo.pop() {
        match value {
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate().filter(|(_, item)| may_have(item)) {
                    todo.push((item, Some(places.below(place, Step::Item(i)))));
                }
            }
            Value::Object(entries) => {
                let extensions = entries.get("extensions").and_then(Value::as_object);
                for (name, extension) in extensions.into_iter().flatten() {
                    let at = places.below(place, Step::Key("extensions"));
                    let at = places.below(Some(at), Step::Key(name));
                    let mut tell = |told: &mut HashSet<_>, code, what: &str| {
                        if told.len() < MOST_TOLD && told.insert(name) {
                            let message = format!("extension {} {what}", quoted(name));
                            warnings.add(code, &places.pointer(at), message);
                        }
                    };
                    if !declared.contains(name.as_str()) {
                        let what = "is not in extensionsUsed: read as if it were";
                        tell(&mut undeclared, WarningCode::ExtensionUndeclared, what);
                    }
                    if !places.suits(place, name) {
                        tell(
                            &mut misplaced,
                            WarningCode::ExtensionMisplaced,
                            "is not defined for this object: no effect",
                        );
                    }
                    todo.push((extension, Some(at)));
                }
                for (key, value) in entries.iter().filter(|(_, value)| may_have(value)) {
                    if !matches!(key.as_str(), "extensions" | "extras" | "accessors") {
                        todo.push((value, Some(places.below(place, Step::Key(key)))));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether a value may contain extensions.
fn may_have(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.first().is_some_and(|item| !item.is_number()),
        Value::Object(_) => true,
        _ => false,
    }
}

/// A step of a path in the document.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

/// Paths of values, each as the index of the parent path and a step from there. Keys can be long
/// and are not copied.
struct Places<'a>(Vec<(Option<usize>, Step<'a>)>);

impl<'a> Places<'a> {
    fn below(&mut self, place: Option<usize>, step: Step<'a>) -> usize {
        self.0.push((place, step));
        self.0.len() - 1
    }

    /// Returns the steps of a path, last one first.
    fn steps_up(&self, place: Option<usize>) -> impl Iterator<Item = Step<'a>> {
        let mut next = place;
        std::iter::from_fn(move || {
            let (around, step) = self.0[next?];
            next = around;
            Some(step)
        })
    }

    fn pointer(&self, place: usize) -> String {
        let mut steps: Vec<Step> = self.steps_up(Some(place)).collect();
        steps.reverse();
        let text = |step: Step| match step {
            Step::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Item(item) => format!("/{item}"),
        };
        steps.into_iter().map(text).collect()
    }

    /// Whether an extension may be on an object. Inside other extensions any may.
    fn suits(&self, thing: Option<usize>, extension: &str) -> bool {
        if extension == "KHR_texture_transform" {
            let uses_texture = |step| matches!(step, Step::Key(key) if key.ends_with("Texture"));
            let in_extension = |step| matches!(step, Step::Key("extensions"));
            return self.steps_up(thing).next().is_some_and(uses_texture)
                || self.steps_up(thing).any(in_extension);
        }
        let Some((_, places)) = PLACES.iter().find(|(name, _)| extension.starts_with(name)) else {
            return true;
        };
        let keys = || {
            self.steps_up(thing).filter_map(|step| match step {
                Step::Key(key) => Some(key),
                Step::Item(_) => None,
            })
        };
        let is = |place: &&str| keys().eq(place.rsplit('/').filter(|key| !key.is_empty()));
        keys().any(|key| key == "extensions") || places.iter().any(is)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_undeclared_or_misplaced_extension_is_warned_of_once() {
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
        let mut told: Vec<_> =
            warnings.finish(false).into_iter().map(|w| (w.code.as_str(), w.pointer)).collect();
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
