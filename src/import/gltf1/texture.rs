//! Images, samplers and textures.

use serde_json::Value;

use super::ids::{Ids, thing};
use crate::import::fault::ImportError;

/// How a texture is made smaller where its sampler does not say: nearest pixel, blended levels.
const MIN_FILTER: u64 = 9986;

/// All images, but for the uris (see `origin`).
pub(super) fn images(ids: &Ids) -> Result<Vec<Value>, ImportError> {
    let mut list = Vec::new();
    for (id, at) in ids.entries("images") {
        let mut image = thing(id, at, &[])?;
        if let Some(extension) = at.extension("KHR_binary_glTF")? {
            let view = ids.index(&extension.required("bufferView")?, "bufferViews")?;
            image.insert("bufferView".into(), view.into());
            if let Some(mime) = extension.text_at("mimeType")? {
                image.insert("mimeType".into(), mime.into());
            }
        }
        list.push(Value::Object(image));
    }
    Ok(list)
}

/// All samplers; the numbers for filters and wrapping have not changed.
pub(super) fn samplers(ids: &Ids) -> Result<Vec<Value>, ImportError> {
    let mut list = Vec::new();
    for (id, at) in ids.entries("samplers") {
        let mut sampler = thing(id, at, &["magFilter", "minFilter", "wrapS", "wrapT"])?;
        sampler.entry("minFilter").or_insert(MIN_FILTER.into());
        list.push(Value::Object(sampler));
    }
    Ok(list)
}

/// All textures.
pub(super) fn textures(ids: &Ids) -> Result<Vec<Value>, ImportError> {
    let mut list = Vec::new();
    for (id, at) in ids.entries("textures") {
        let mut texture = thing(id, at, &[])?;
        for (key, of) in [("source", "images"), ("sampler", "samplers")] {
            if let Some(number) = ids.index_at(at, key, of)? {
                texture.insert(key.into(), number.into());
            }
        }
        list.push(Value::Object(texture));
    }
    Ok(list)
}
