//! glTF 1.0: its dictionaries, techniques and split skins become the lists of a 2.0 document that
//! the rest of the importer reads, one file to a noun.
//!
//! Ids are resolved here, so that an error names the place in the file as it is; what is found
//! later in the 2.0 document is led back there (`origin`).

mod accessor;
mod animation;
mod attribute;
mod buffer;
mod container;
mod data;
mod extension;
mod ids;
mod joints;
mod light;
mod material;
mod mesh;
mod node;
mod origin;
mod scene;
mod skin;
mod texture;

use serde_json::{Map, Value, json};

use super::buffer::{Buffers, Given};
use super::document::Document;
use super::escape::quoted;
use super::fault::{ImportError, Warnings};
use super::uri::Folder;
use super::warning_code::WarningCode;
use super::{ImportOptions, Loaded, asset};
use crate::model::{Budget, Container, Extension};
use data::Derived;
use ids::{Ids, LISTS};
use origin::Origin;

pub(super) use container::split;

/// A 1.0 document as a 2.0 one.
struct Converted {
    /// The 2.0 document.
    root: Value,
    /// Data that it needs besides the file's: accessors behind its own.
    derived: Vec<Derived>,
    /// What the file says of its extensions.
    extensions: Vec<Extension>,
    /// Where everything was.
    origin: Origin,
}

/// Whether a document is of 1.0: it says so, or says nothing and has dictionaries for lists.
pub(super) fn is(root: &Value) -> bool {
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

/// Loads a document that is of 1.0. `bin` is the body of its container.
pub(super) fn load(
    root: Value,
    (container, budget): (Container, &Budget),
    bin: Option<&[u8]>,
    folder: &Folder,
    options: &ImportOptions,
    mut warnings: Warnings,
) -> Result<Loaded, ImportError> {
    let warn = &mut warnings;
    let converted = convert(Document::new(root)?, bin, warn)?;
    let own = warn.count();
    let Converted { root, derived, extensions, origin } = converted;
    let read = |warn: &mut Warnings| {
        let document = Document::new(root)?;
        let mut source = asset::read(&document, container, warn)?;
        source.format = "glTF 1.0".into();
        source.extensions = extensions;
        let given = Given { bin, folder, budget };
        let mut buffers = Buffers::read(&document, given, warn)?;
        let document = data::derive(document, &mut buffers, &derived)?;
        super::model(&document, source, buffers, folder, options, warn)
    };
    match read(warn) {
        Ok(model) => Ok(Loaded { model, warnings: origin.of_warnings(warnings.finish(), own) }),
        Err(error) => Err(origin.of_error(error)),
    }
}

fn convert(
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

    let mut asset = json!({ "version": "2.0" });
    let says = document.root().get("asset");
    if let Some(version) = says.as_ref().and_then(|asset| asset.get("version"))
        && let Some(text) = version.value.as_str()
        && !["1.0", "1"].contains(&text)
    {
        let message = format!("version {} is read as 1.0", quoted(text));
        version.warn(warnings, WarningCode::VersionOdd, message);
    }
    if let Some(generator) = says.map(|asset| asset.text_at("generator")).transpose()?.flatten() {
        asset["generator"] = generator.into();
    }
    root.insert("asset".into(), asset);
    if let Some(scene) = document.root().get("scene") {
        root.insert("scene".into(), ids.index(&scene, "scenes")?.into());
    }
    if !lights.list.is_empty() {
        let lights = json!({ "KHR_lights_punctual": { "lights": lights.list } });
        root.insert("extensions".into(), lights);
    }
    let mut root = Value::Object(root);
    origin.keep(document, &mut root, bin.is_some());
    Ok(Converted { root, derived, extensions, origin })
}
