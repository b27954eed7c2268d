//! The places in a document that refer to accessors, buffer views and files, and small edits of its lists.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::component::{Component, ElementLayout, Shape};

/// Extensions without references to accessors or views, and those whose references [`each_accessor`],
/// [`each_view_of`] and [`each_other_view`] visit. If a file uses any other, indices of accessors and
/// views must not change.
const KNOWN: [&str; 20] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_punctual",
    "EXT_lights_ies",
    "KHR_mesh_quantization",
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "EXT_mesh_gpu_instancing",
    "KHR_animation_pointer",
    "KHR_node_visibility",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_xmp",
    "VRM",
    "MSFT_lod",
    "MSFT_screencoverage",
    "FB_ngon_encoding",
];

/// Extensions of compressed views, and of the buffers that are their fallbacks.
pub const COMPRESSED: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Whether all references to accessors and views are known. Extensions count that a document uses and does not list, too.
pub fn is_known(root: &Value) -> bool {
    let listed = root.get("extensionsUsed").and_then(Value::as_array);
    listed.into_iter().flatten().all(|name| name.as_str().is_some_and(is_known_extension))
        && extensions(root).into_iter().all(is_known_extension)
}

/// Returns the names of the extensions that a document uses: the keys of all `extensions` objects at any depth, except inside
/// `extras`, whose content belongs to applications.
pub fn extensions(root: &Value) -> BTreeSet<&str> {
    let mut used = BTreeSet::new();
    add_extensions(root, &mut used);
    used
}

fn add_extensions<'a>(value: &'a Value, used: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                if key == "extensions"
                    && let Value::Object(extensions) = value
                {
                    used.extend(extensions.keys().map(String::as_str));
                }
                if key != "extras" {
                    add_extensions(value, used);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| add_extensions(value, used)),
        _ => {}
    }
}

/// Whether it is known what an extension refers to. Others may refer to anything by its index, also to animations.
pub fn is_known_extension(name: &str) -> bool {
    KNOWN.iter().any(|known| name.starts_with(known))
}

/// Returns the relative URIs of a document, each once: those of the files beside it. Extras are left out, because their content
/// belongs to applications.
pub fn relative_uris(root: &Value) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    add_relative_uris(root, &mut found);
    found
}

fn add_relative_uris<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(uri) if key == "uri" && is_relative(uri) => {
                        found.insert(uri);
                    }
                    value if key != "extras" => add_relative_uris(value, found),
                    _ => {}
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| add_relative_uris(value, found)),
        _ => {}
    }
}

/// Whether a URI has neither a scheme, such as `data:`, nor an absolute path.
fn is_relative(uri: &str) -> bool {
    let first = uri.split(['/', '?', '#']).next().unwrap_or_default();
    !uri.is_empty() && !uri.starts_with('/') && !first.contains(':')
}

/// Returns the items of a list of an object; nothing if there is no such list.
pub fn items<'a>(of: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> + use<'a> {
    of.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Reads an index; also accepts whole numbers with a fraction of zero, such as `3.0`.
pub fn index(value: &Value) -> Option<usize> {
    let whole = value.as_f64().filter(|x| x.fract() == 0.0 && (0.0..9e15).contains(x));
    value.as_u64().or(whole.map(|x| x as u64)).and_then(|i| usize::try_from(i).ok())
}

fn values(object: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    object.and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
}

/// Returns an extension of an object.
pub fn extension<'a>(of: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    of.get_mut("extensions")?.get_mut(name)
}

/// Returns the number of items of a list of the root.
pub fn count(root: &Value, key: &str) -> usize {
    root.get(key).and_then(Value::as_array).map_or(0, Vec::len)
}

/// Appends items to a list of the root.
pub fn push(root: &mut Value, key: &str, more: Vec<Value>) {
    if more.is_empty() {
        return;
    }
    match root.get_mut(key).and_then(Value::as_array_mut) {
        Some(list) => list.extend(more),
        None => root[key] = more.into(),
    }
}

/// Visits all accessor indices except those in animations.
pub fn each_accessor(root: &mut Value, mut each: impl FnMut(&mut Value)) {
    for mesh in items(root, "meshes") {
        for primitive in items(mesh, "primitives") {
            values(primitive.get_mut("attributes")).for_each(&mut each);
            primitive.get_mut("indices").into_iter().for_each(&mut each);
            for target in items(primitive, "targets") {
                values(Some(target)).for_each(&mut each);
            }
        }
    }
    for skin in items(root, "skins") {
        skin.get_mut("inverseBindMatrices").into_iter().for_each(&mut each);
    }
    for node in items(root, "nodes") {
        if let Some(instances) = extension(node, "EXT_mesh_gpu_instancing") {
            values(instances.get_mut("attributes")).for_each(&mut each);
        }
    }
}

/// Visits the view indices of an accessor.
pub fn each_view_of(accessor: &mut Value, mut each: impl FnMut(&mut Value)) {
    accessor.get_mut("bufferView").into_iter().for_each(&mut each);
    if let Some(sparse) = accessor.get_mut("sparse") {
        for part in ["indices", "values"] {
            let view = sparse.get_mut(part).and_then(|part| part.get_mut("bufferView"));
            view.into_iter().for_each(&mut each);
        }
    }
}

/// Visits all view indices except those in accessors.
pub fn each_other_view(root: &mut Value, mut each: impl FnMut(&mut Value)) {
    for image in items(root, "images") {
        image.get_mut("bufferView").into_iter().for_each(&mut each);
    }
    for mesh in items(root, "meshes") {
        for primitive in items(mesh, "primitives") {
            let draco = extension(primitive, "KHR_draco_mesh_compression");
            draco.and_then(|d| d.get_mut("bufferView")).into_iter().for_each(&mut each);
        }
    }
    if let Some(profiles) = extension(root, "EXT_lights_ies") {
        for profile in items(profiles, "lights") {
            profile.get_mut("bufferView").into_iter().for_each(&mut each);
        }
    }
}

/// Returns the form in which an accessor stores its elements; `None` if it names no known one.
pub fn layout_of(accessor: &Value) -> Option<ElementLayout> {
    Some(ElementLayout {
        component: Component::from_code(accessor.get("componentType")?.as_u64()?)?,
        normalized: accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false),
        shape: Shape::from_name(accessor.get("type")?.as_str()?)?,
    })
}

/// Returns the bytes per element of an accessor; 0 if it names no known type.
pub fn element_size(accessor: &Value) -> usize {
    layout_of(accessor).map_or(0, |layout| layout.shape.size(layout.component))
}

/// Returns the whole number at a key; 0 if it is absent.
pub fn number_at(object: &Value, key: &str) -> usize {
    object.get(key).and_then(index).unwrap_or(0)
}

/// Returns the extension of a compressed view that locates its stream.
pub fn stream(view: &mut Value) -> Option<&mut Value> {
    let extensions = view.get_mut("extensions")?.as_object_mut()?;
    let name = COMPRESSED.into_iter().find(|name| extensions.contains_key(*name))?;
    extensions.get_mut(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn uris_are_relative_without_a_scheme_and_outside_of_extras() {
        let root = json!({
            "buffers": [{"uri": "a b.bin"}, {"uri": "data:;base64,AA=="}, {"uri": "/a.bin"}],
            "images": [{"uri": "sub/x:y.png", "extras": {"uri": "b.png"}}, {"uri": ""}],
            "extensions": {"EXT_lights_ies": {"lights": [{"uri": "c.ies"}, {"uri": "https://d/e.ies"}]}},
        });
        assert_eq!(relative_uris(&root), BTreeSet::from(["a b.bin", "c.ies", "sub/x:y.png"]));
    }

    #[test]
    fn views_outside_of_accessors_are_visited() {
        let mut root = json!({
            "images": [{"bufferView": 1}, {"uri": "a.png"}],
            "meshes": [{"primitives": [
                {"extensions": {"KHR_draco_mesh_compression": {"bufferView": 2}}}]}],
            "extensions": {"EXT_lights_ies": {"lights": [{"bufferView": 3}, {"uri": "b.ies"}]}},
        });
        let mut found = Vec::new();
        each_other_view(&mut root, |view| found.extend(view.as_u64()));
        assert_eq!(found, [1, 2, 3]);
    }
}
