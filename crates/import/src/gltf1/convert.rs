//! Converts a 1.0 document to a 2.0 one: each dictionary becomes a list.

use serde_json::{Map, Value, json};

use super::data::Derived;
use super::ids::{Ids, LISTS, copy};
use super::origin::Origin;
use super::{
    accessor, animation, buffer, extension, light, material, mesh, node, scene, skin, texture,
};
use crate::fault::{ImportError, Warnings};
use rigview_document::Document;
use rigview_model::{Extension, WarningCode, quoted};

/// A converted document.
pub(super) struct Converted {
    /// The 2.0 document.
    pub root: Value,
    /// Accessors to be computed, which follow those of the file.
    pub derived: Vec<Derived>,
    /// The extensions that the file uses.
    pub extensions: Vec<Extension>,
    /// Maps places back to the file.
    pub origin: Origin,
}

/// Whether a document is glTF 1.0: it states so, or states no version and has dictionaries instead
/// of lists.
pub(crate) fn is(root: &Value) -> bool {
    match root.get("asset").and_then(|asset| asset.get("version")) {
        Some(Value::String(version)) => version == "1" || version.starts_with("1."),
        Some(Value::Number(version)) => {
            version.as_f64().is_some_and(|version| (1.0..2.0).contains(&version))
        }
        Some(_) => false,
        None => {
            let any =
                |kind: fn(&Value) -> bool| LISTS.iter().filter_map(|list| root.get(list)).any(kind);
            any(Value::is_object) && !any(Value::is_array)
        }
    }
}

/// Converts a document. `bin` is the body of its container.
pub(super) fn convert(
    document: Document,
    bin: Option<&[u8]>,
    warnings: &mut Warnings,
) -> Result<Converted, ImportError> {
    let ids = Ids::new(&document, bin.is_some())?;
    let mut origin = Origin::new(&ids);
    let mut derived = Vec::new();
    let extensions = extension::read(&document, warnings)?;
    let mut root = Map::new();
    let mut put = |key: &str, list: Vec<Value>| root.insert(key.into(), Value::Array(list));

    put("buffers", buffer::buffers(&ids, bin.map(<[u8]>::len))?);
    let mut views = buffer::views(&ids)?;
    put("accessors", accessor::read(&ids, &mut views, &mut origin)?);
    put("bufferViews", views.list);
    put("images", texture::images(&ids)?);
    put("samplers", texture::samplers(&ids)?);
    put("textures", texture::textures(&ids)?);
    let (materials, inputs) = material::read(&document, &ids, warnings)?;
    put("materials", materials);
    put("meshes", mesh::read(&ids, &inputs, &mut derived, warnings)?);
    put("cameras", scene::cameras(&ids)?);
    let lights = light::read(&document)?;
    let mut skins = skin::Skins::new(&ids, &mut derived, &mut origin)?;
    put("nodes", node::read(&ids, &mut skins, &lights, &mut origin)?);
    put("skins", skins.list);
    put("scenes", scene::read(&ids)?);
    put("animations", animation::read(&ids, &mut origin, warnings)?);

    let mut asset = Map::new();
    asset.insert("version".into(), "2.0".into());
    let says = document.root().get("asset");
    if let Some(version) = says.as_ref().and_then(|asset| asset.get("version"))
        && let Some(text) = version.value.as_str()
        && !["1.0", "1"].contains(&text)
    {
        let message = format!("version {} is read as 1.0", quoted(text));
        warnings.add_at(&version, WarningCode::VersionOdd, message);
    }
    if let Some(says) = says {
        copy(&says, &["generator", "copyright", "extras"], &mut asset);
        // The format says that it is a text, and nothing depends on it.
        if !asset.get("copyright").is_none_or(Value::is_string) {
            asset.remove("copyright");
        }
    }
    root.insert("asset".into(), asset.into());
    copy(&document.root(), &["extras"], &mut root);
    if let Some(scene) = document.root().get("scene") {
        root.insert("scene".into(), ids.index(&scene, "scenes")?.into());
    }
    if !lights.list.is_empty() {
        let lights = json!({ "KHR_lights_punctual": { "lights": lights.list } });
        root.insert("extensions".into(), lights);
    }
    let mut root = Value::Object(root);
    origin.keep(document, &mut root, bin.is_some());
    if let Some(root) = root.as_object_mut() {
        // glTF 2.0 allows no empty list.
        root.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
    }
    Ok(Converted { root, derived, extensions, origin })
}
