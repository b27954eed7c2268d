//! Meshes: the semantics of attributes get the numbers of their sets.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::accessor::is_four_floats;
use super::data::Derived;
use super::ids::{Ids, copy, thing};
use crate::import::document::At;
use crate::import::escape::quoted;
use crate::import::fault::ImportError;

/// All meshes. Joints that are floats are to be derived as integers, once an accessor.
pub(super) fn read(ids: &Ids, derived: &mut Vec<Derived>) -> Result<Vec<Value>, ImportError> {
    let mut joints = HashMap::new();
    let mut list = Vec::new();
    for (id, at) in ids.entries("meshes") {
        let mut mesh = thing(id, at, &[])?;
        let mut primitives = Vec::new();
        for at in at.list("primitives")? {
            let mut primitive = Map::new();
            copy(&at, &["mode"], &mut primitive);
            for (key, of) in [("indices", "accessors"), ("material", "materials")] {
                if let Some(number) = ids.index_at(&at, key, of)? {
                    primitive.insert(key.into(), number.into());
                }
            }
            let attributes = attributes(&at, ids, &mut joints, derived)?;
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
            return Err(at.error(format!("{} is there twice", quoted(&name))));
        }
    }
    Ok(attributes)
}

/// The name that 2.0 has for a semantic.
fn name(semantic: &str) -> Cow<'_, str> {
    let (stem, set) = match semantic.split_once('_') {
        Some((stem, set)) if set.parse::<u32>().is_ok() => (stem, set),
        Some(_) => return semantic.into(),
        None => (semantic, "0"),
    };
    match stem {
        "JOINT" => format!("JOINTS_{set}").into(),
        "WEIGHT" => format!("WEIGHTS_{set}").into(),
        "COLOR" | "TEXCOORD" => format!("{stem}_{set}").into(),
        "BATCHID" => "_BATCHID".into(),
        _ => semantic.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semantics_get_sets() {
        for (semantic, want) in [
            ("POSITION", "POSITION"),
            ("JOINT", "JOINTS_0"),
            ("WEIGHT_1", "WEIGHTS_1"),
            ("TEXCOORD_0", "TEXCOORD_0"),
            ("COLOR", "COLOR_0"),
            ("JOINT_MATRIX", "JOINT_MATRIX"),
            ("BATCHID", "_BATCHID"),
            ("", ""),
        ] {
            assert_eq!(name(semantic), want);
        }
    }
}
