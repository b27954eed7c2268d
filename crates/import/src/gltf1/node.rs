//! Nodes. A node of 1.0 may draw several meshes: it keeps the first, and each further one gets a
//! child node. The added nodes follow those of the file, whose indices do not change.

use glam::Mat4;
use serde_json::{Map, Value, json};

use super::ids::{Ids, copy, thing};
use super::light::Lights;
use super::origin::Origin;
use super::skin::{Skins, instance};
use crate::fault::ImportError;
use rigview_document::At;

/// Converts all nodes.
pub(super) fn read(
    ids: &Ids,
    skins: &mut Skins,
    lights: &Lights,
    origin: &mut Origin,
) -> Result<Vec<Value>, ImportError> {
    let nodes = ids.entries("nodes");
    let mut list = Vec::with_capacity(nodes.len());
    let mut more = Vec::new();
    for (number, (id, at)) in nodes.iter().enumerate() {
        let mut node = thing(id, at, &["translation", "rotation", "scale"])?;
        // Exporters write identity matrices. They are dropped, since animated nodes must not have
        // one.
        let identity = Mat4::IDENTITY.to_cols_array();
        if at.numbers::<16>("matrix")?.is_some_and(|matrix| matrix != identity) {
            copy(at, &["matrix"], &mut node);
        }
        if let Some(camera) = ids.index_at(at, "camera", "cameras")? {
            node.insert("camera".into(), camera.into());
        }
        if let Some(light) = lights.of_node(at)? {
            let extensions = json!({ "KHR_lights_punctual": { "light": light } });
            node.insert("extensions".into(), extensions);
        }
        let skin = skins.of_node(ids, at)?;
        let mut children = ids.indices(at, "children", "nodes")?;
        for (i, mesh) in meshes(ids, at)?.into_iter().enumerate() {
            let mut own = Map::new();
            let drawing = if i == 0 { &mut node } else { &mut own };
            drawing.insert("mesh".into(), mesh.into());
            if let Some(skin) = skin {
                drawing.insert("skin".into(), skin.into());
            }
            if i > 0 {
                own.insert("name".into(), ids.entries("meshes")[mesh].0.into());
                children.push(nodes.len() + more.len());
                more.push(Value::Object(own));
                origin.add("nodes", "nodes", number);
            }
        }
        if !children.is_empty() {
            node.insert("children".into(), children.into());
        }
        list.push(Value::Object(node));
    }
    list.append(&mut more);
    Ok(list)
}

/// Returns the meshes that a node draws.
fn meshes(ids: &Ids, node: &At) -> Result<Vec<usize>, ImportError> {
    let instance = instance(node)?;
    for (at, key) in [(&instance, "meshes"), (&instance, "sources"), (node, "meshes")] {
        let meshes = ids.indices(at, key, "meshes")?;
        if !meshes.is_empty() {
            return Ok(meshes);
        }
    }
    Ok(Vec::new())
}
