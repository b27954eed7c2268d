//! Images, samplers and textures.

use serde_json::Value;

use super::ids::{Ids, thing};
use crate::fault::ImportError;

/// Default `minFilter` of 1.0: nearest pixel, linear between mip levels.
const MIN_FILTER: u64 = 9986;

/// Converts all images, except their URIs (see `origin`).
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

/// Converts all samplers; the constants for filters and wrapping are the same in 2.0.
pub(super) fn samplers(ids: &Ids) -> Result<Vec<Value>, ImportError> {
    let mut list = Vec::new();
    for (id, at) in ids.entries("samplers") {
        let mut sampler = thing(id, at, &["magFilter", "minFilter", "wrapS", "wrapT"])?;
        sampler.entry("minFilter").or_insert(MIN_FILTER.into());
        list.push(Value::Object(sampler));
    }
    Ok(list)
}

/// Converts all textures.
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
