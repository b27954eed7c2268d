//! Skins. A skin of 1.0 names its joints, so nodes with different skeletons can share it. In 2.0
//! each such use needs a skin of its own.

use std::collections::HashMap;

use glam::Mat4;
use serde_json::{Map, Value};

use super::data::Derived;
use super::ids::{Ids, thing};
use super::joints::Joints;
use super::origin::Origin;
use crate::fault::ImportError;
use rigview_document::At;

/// A node's use of a skin.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Use {
    /// Index of the skin in the file.
    skin: usize,
    /// The nodes that its joints are below.
    skeletons: Vec<usize>,
}

/// All skins: those of the file, then those for further skeletons.
pub(super) struct Skins {
    /// The converted skins.
    pub list: Vec<Value>,
    /// The skin of each use.
    of_use: HashMap<Use, usize>,
}

impl Skins {
    /// Converts the skins of a document.
    pub fn new(
        ids: &Ids,
        derived: &mut Vec<Derived>,
        origin: &mut Origin,
    ) -> Result<Self, ImportError> {
        let mut uses = Vec::new();
        for (_, at) in ids.entries("nodes") {
            uses.extend(use_of(ids, at)?);
        }
        let mut joints = Joints::new(ids)?;
        let mut skins = Self { list: Vec::new(), of_use: HashMap::new() };
        // A skin of the file is converted for its first use.
        let mut first: HashMap<usize, &[usize]> = HashMap::new();
        for Use { skin, skeletons } in &uses {
            first.entry(*skin).or_insert(skeletons);
        }
        let mut matrices = Vec::new();
        for (i, (id, at)) in ids.entries("skins").iter().enumerate() {
            let mut skin = thing(id, at, &[])?;
            matrices.push(inverse_bind_matrices(ids, at, derived)?);
            let skeletons = first.get(&i).copied().unwrap_or_default();
            let joints = joints.of_skin(at, skeletons, ids)?;
            put(&mut skin, matrices[i], joints);
            skins.of_use.insert(Use { skin: i, skeletons: skeletons.to_vec() }, i);
            skins.list.push(Value::Object(skin));
        }
        for used in &uses {
            if !skins.of_use.contains_key(used) {
                let (_, at) = &ids.entries("skins")[used.skin];
                // Leaves out the name, which may be long and would be repeated per use.
                let mut skin = Map::new();
                let joints = joints.of_skin(at, &used.skeletons, ids)?;
                put(&mut skin, matrices[used.skin], joints);
                skins.of_use.insert(used.clone(), skins.list.len());
                skins.list.push(Value::Object(skin));
                origin.add("skins", "skins", used.skin);
            }
        }
        Ok(skins)
    }

    /// Returns the skin of a node.
    pub fn of_node(&self, ids: &Ids, node: &At) -> Result<Option<usize>, ImportError> {
        Ok(use_of(ids, node)?.and_then(|used| self.of_use.get(&used).copied()))
    }
}

fn put(skin: &mut Map<String, Value>, matrices: Option<usize>, joints: Vec<usize>) {
    skin.insert("joints".into(), joints.into());
    if let Some(matrices) = matrices {
        skin.insert("inverseBindMatrices".into(), matrices.into());
    }
}

/// Returns the object that names a node's skin and meshes: its `instanceSkin`, or the node itself.
pub(super) fn instance<'a>(node: &At<'a>) -> Result<At<'a>, ImportError> {
    match node.get("instanceSkin") {
        Some(instance) => {
            instance.object()?;
            Ok(instance)
        }
        None => Ok(node.clone()),
    }
}

fn use_of(ids: &Ids, node: &At) -> Result<Option<Use>, ImportError> {
    let at = instance(node)?;
    let Some(skin) = ids.index_at(&at, "skin", "skins")? else { return Ok(None) };
    Ok(Some(Use { skin, skeletons: ids.indices(&at, "skeletons", "nodes")? }))
}

/// Returns the accessor of a skin's inverse bind matrices: a derived one if the skin has a bind
/// shape matrix.
fn inverse_bind_matrices(
    ids: &Ids,
    at: &At,
    derived: &mut Vec<Derived>,
) -> Result<Option<usize>, ImportError> {
    let of = ids.index_at(at, "inverseBindMatrices", "accessors")?;
    let bind_shape = at.numbers::<16>("bindShapeMatrix")?.unwrap_or(Mat4::IDENTITY.to_cols_array());
    let bind_shape = Mat4::from_cols_array(&bind_shape);
    if bind_shape == Mat4::IDENTITY {
        return Ok(of);
    }
    let joints = at.list("jointNames")?.len();
    Ok(Some(Derived::InverseBind { of, bind_shape, joints }.number(ids, derived)))
}
