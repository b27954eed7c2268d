//! Scenes and cameras.

use serde_json::Value;

use super::ids::{Ids, thing};
use crate::fault::ImportError;

/// Converts all scenes.
pub(super) fn read(ids: &Ids) -> Result<Vec<Value>, ImportError> {
    let mut list = Vec::new();
    for (id, at) in ids.entries("scenes") {
        let mut scene = thing(id, at, &[])?;
        scene.insert("nodes".into(), ids.indices(at, "nodes", "nodes")?.into());
        list.push(Value::Object(scene));
    }
    Ok(list)
}

/// Copies all cameras, which are unchanged in 2.0.
pub(super) fn cameras(ids: &Ids) -> Result<Vec<Value>, ImportError> {
    let camera = |(id, at): &(&str, _)| {
        thing(id, at, &["type", "perspective", "orthographic"]).map(Value::Object)
    };
    ids.entries("cameras").iter().map(camera).collect()
}
