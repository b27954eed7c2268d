//! Skins. One of 1.0 names its joints, so nodes with different skeletons share it; in 2.0 each
//! such use is a skin of its own.

use std::collections::HashMap;

use glam::Mat4;
use serde_json::{Map, Value};

use super::data::Derived;
use super::ids::{Ids, thing};
use super::joints::Joints;
use super::origin::Origin;
use crate::import::document::At;
use crate::import::fault::ImportError;

/// A node's use of a skin.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Use {
    /// The skin's number in the file.
    skin: usize,
    /// The nodes below which its joints are.
    skeletons: Vec<usize>,
}

/// All skins: the file's in its order, then those for further skeletons.
pub(super) struct Skins {
    /// All of them.
    pub list: Vec<Value>,
    /// Which is for a use.
    of_use: HashMap<Use, usize>,
}

impl Skins {
    /// Those of a document.
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
        // Its first use is what a skin of the file becomes.
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
                // Without the name, which may be long and would be there for each use.
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

    /// The skin of a node.
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

/// Where a node says what it draws with which skin: in itself, or in an `instanceSkin`.
pub(super) fn instance<'a>(node: &At<'a>) -> Result<At<'a>, ImportError> {
    match node.get("instanceSkin") {
        Some(instance) => instance.object().map(|_| instance),
        None => Ok(node.clone()),
    }
}

fn use_of(ids: &Ids, node: &At) -> Result<Option<Use>, ImportError> {
    let at = instance(node)?;
    let Some(skin) = ids.index_at(&at, "skin", "skins")? else { return Ok(None) };
    Ok(Some(Use { skin, skeletons: ids.indices(&at, "skeletons", "nodes")? }))
}

/// The accessor of a skin's inverse bind matrices; a derived one if the mesh is bound with a
/// matrix of its own.
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
