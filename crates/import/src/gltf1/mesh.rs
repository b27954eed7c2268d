//! Meshes. Attribute semantics get their 2.0 names.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::accessor::is_four_floats;
use super::attribute::{Inputs, name};
use super::data::Derived;
use super::ids::{Ids, copy, thing};
use crate::fault::{ImportError, Warnings};
use rigview_document::At;
use rigview_model::{WarningCode, quoted};

/// Converts all meshes, with the attributes that their materials are drawn with. Joints that are
/// floats are added to `derived`, once per accessor.
pub(super) fn read(
    ids: &Ids,
    inputs: &[Inputs],
    derived: &mut Vec<Derived>,
    warnings: &mut Warnings,
) -> Result<Vec<Value>, ImportError> {
    let mut joints = HashMap::new();
    let mut list = Vec::new();
    for (id, at) in ids.entries("meshes") {
        let mut mesh = thing(id, at, &[])?;
        let mut primitives = Vec::new();
        for at in at.list("primitives")? {
            let mut primitive = Map::new();
            copy(&at, &["mode", "extras"], &mut primitive);
            for (key, of) in [("indices", "accessors"), ("material", "materials")] {
                if let Some(number) = ids.index_at(&at, key, of)? {
                    primitive.insert(key.into(), number.into());
                }
            }
            let material = ids.index_at(&at, "material", "materials")?;
            let inputs = material.map_or(&Inputs::All, |material| &inputs[material]);
            let mut attributes = attributes(&at, ids, &mut joints, derived)?;
            attributes.retain(|name, _| {
                let taken = inputs.take(name);
                if !taken {
                    let message = format!(
                        "the technique does not declare {}: drawn without it",
                        quoted(name)
                    );
                    warnings.add_at(&at, WarningCode::AttributeNotTaken, message);
                }
                taken
            });
            primitive.insert("attributes".into(), attributes.into());
            primitives.push(Value::Object(primitive));
        }
        mesh.insert("primitives".into(), primitives.into());
        list.push(Value::Object(mesh));
    }
    Ok(list)
}

fn attributes(
    at: &At,
    ids: &Ids,
    joints: &mut HashMap<usize, usize>,
    derived: &mut Vec<Derived>,
) -> Result<Map<String, Value>, ImportError> {
    let mut attributes = Map::new();
    for (semantic, at) in at.required("attributes")?.entries()? {
        let name = name(semantic);
        let mut accessor = ids.index(&at, "accessors")?;
        if name.starts_with("JOINTS_") && is_four_floats(ids, accessor) {
            accessor = *joints
                .entry(accessor)
                .or_insert_with(|| Derived::Joints { of: accessor }.number(ids, derived));
        }
        if attributes.insert(name.clone().into_owned(), accessor.into()).is_some() {
            return Err(at.error(format!("{} appears twice", quoted(&name))).into());
        }
    }
    Ok(attributes)
}
