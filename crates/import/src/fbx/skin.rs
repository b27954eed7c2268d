//! Skins: clusters to joints, and weights per control point to influences per vertex.

use std::collections::HashMap;

use serde_json::{Value, json};
use ufbx::{Mesh, Node, SkinDeformer, SkinWeight, SkinningMethod};

use super::mesh::Surface;
use super::rig::Rig;
use super::scene::{columns, finite};
use crate::draft::{Draft, Use};
use crate::fault::{ImportError, Warnings};
use rigview_model::WarningCode;

/// Joints per vertex that are converted; the importer keeps 16 and says what it drops.
const INFLUENCES: usize = 32;

/// Weights of a control point that are looked at; ufbx sorts them, the largest first.
const MOST_WEIGHTS: usize = 1024;

/// A skin without the joint of vertices that no bone holds, which differs by node.
#[derive(Debug)]
pub(super) struct Bones {
    /// The nodes of the document that are joints.
    joints: Vec<usize>,
    /// Their inverse bind matrices.
    joint_from_mesh: Vec<[f32; 16]>,
    /// Whether some vertices follow the node that shows the mesh.
    is_partial: bool,
}

/// Returns the skins of a mesh that have bones. A mesh with several is moved by the clusters of all, as in the FBX SDK's
/// own viewer.
pub(super) fn deformers(mesh: &Mesh) -> impl Iterator<Item = &SkinDeformer> {
    let has_bone = |skin: &SkinDeformer| skin.clusters.iter().any(|c| c.bone_node.is_some());
    mesh.skin_deformers.into_iter().filter(move |skin| has_bone(skin))
}

/// A skin with the joint of each of its clusters.
struct Held<'a> {
    skin: &'a SkinDeformer,
    joint_of_cluster: Vec<Option<u16>>,
}

/// Converts the skins of a mesh to one: adds joints and weights to its surfaces.
pub(super) fn write(
    mesh: &Mesh,
    rig: &Rig,
    surfaces: &mut [Surface],
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<Option<Bones>, ImportError> {
    let name = &*mesh.element.name;
    let mut bones = Bones { joints: Vec::new(), joint_from_mesh: Vec::new(), is_partial: false };
    let mut known = HashMap::new();
    let take =
        |skin| Held { skin, joint_of_cluster: bones.take_clusters(skin, &mut known, rig, draft) };
    let skins: Vec<Held> = deformers(mesh).map(take).collect();
    if skins.is_empty() {
        return Ok(None);
    }
    warn(mesh, &skins, warnings);
    if bones.joints.len() >= usize::from(u16::MAX) {
        let count = bones.joints.len();
        return Err(ImportError::unsupported(
            "",
            format!("mesh \"{name}\": a skin of {count} joints; at most 65534 are supported"),
        ));
    }
    let over = |over| ImportError::over_budget(&format!("mesh \"{name}\""), over);
    // The joint after the last is the node that shows the mesh.
    let own = bones.joints.len() as u16;
    for surface in surfaces {
        let points = surface.points.iter().copied();
        let most = points.map(|point| held(&skins, point)).max().unwrap_or(0);
        let most = most.clamp(1, INFLUENCES);
        let sets = most.div_ceil(4);
        draft.budget().holds(surface.points.len(), sets * 48).map_err(over)?;
        let mut joints = vec![vec![[0u16; 4]; surface.points.len()]; sets];
        let mut weights = vec![vec![[0f32; 4]; surface.points.len()]; sets];
        let mut found = Vec::new();
        for (vertex, point) in surface.points.iter().enumerate() {
            influences(&skins, *point, &mut found);
            if found.is_empty() {
                bones.is_partial = true;
                found.push((own, 1.0));
            }
            for (i, (joint, weight)) in found.iter().enumerate() {
                joints[i / 4][vertex][i % 4] = *joint;
                weights[i / 4][vertex][i % 4] = *weight;
            }
        }
        for (set, (joints, weights)) in joints.iter().zip(&weights).enumerate() {
            let joints = draft.joints(joints).map_err(over)?;
            let weights = draft.vectors(weights, Use::Attribute).map_err(over)?;
            surface.attributes.insert(format!("JOINTS_{set}"), joints.into());
            surface.attributes.insert(format!("WEIGHTS_{set}"), weights.into());
        }
    }
    Ok(Some(bones))
}

fn warn(mesh: &Mesh, skins: &[Held], warnings: &mut Warnings) {
    let name = &*mesh.element.name;
    let is_odd = |weight: &SkinWeight| !(weight.weight >= 0.0 && weight.weight.is_finite());
    let has_odd = |point: &u32| skins.iter().any(|h| weights(h.skin, *point).iter().any(is_odd));
    let odd = (0..mesh.num_vertices as u32).filter(has_odd).count();
    if odd > 0 {
        let message = format!(
            "mesh \"{name}\": {odd} of {} control points have weights that are negative, NaN or infinite: read as 0",
            mesh.num_vertices
        );
        warnings.add(WarningCode::WeightsOdd, "", message);
    }
    let methods = [SkinningMethod::DualQuaternion, SkinningMethod::BlendedDqLinear];
    if skins.iter().any(|held| methods.contains(&held.skin.skinning_method)) {
        let message = format!("mesh \"{name}\": a dual-quaternion skin is drawn as a linear one");
        warnings.add(WarningCode::NotShown, "", message);
    }
}

/// Returns the weights of a control point in a skin, the largest first.
fn weights(skin: &SkinDeformer, point: u32) -> &[SkinWeight] {
    let Some(vertex) = skin.vertices.get(point as usize) else { return &[] };
    let from = vertex.weight_begin as usize;
    skin.weights.get(from..from + vertex.num_weights as usize).unwrap_or_default()
}

/// Returns the number of weights of a control point in all skins.
fn held(skins: &[Held], point: u32) -> usize {
    skins.iter().map(|held| weights(held.skin, point).len()).sum()
}

/// Finds the joints of a control point, the strongest first. Weights are divided by their sum, as the mode of clusters that
/// normalises asks for; a joint is listed once.
fn influences<'a>(skins: &'a [Held<'a>], point: u32, found: &mut Vec<(u16, f32)>) {
    found.clear();
    let of_skin = |held: &'a Held<'a>| {
        weights(held.skin, point).iter().take(MOST_WEIGHTS).map(move |w| (held, w))
    };
    for (held, weight) in skins.iter().flat_map(of_skin) {
        let joint = held.joint_of_cluster.get(weight.cluster_index as usize).copied().flatten();
        let (Some(joint), weight) = (joint, finite(weight.weight, &mut 0)) else { continue };
        if weight > 0.0 {
            match found.iter_mut().find(|(other, _)| *other == joint) {
                Some((_, sum)) => *sum += weight,
                None => found.push((joint, weight)),
            }
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(INFLUENCES);
    let sum: f32 = found.iter().map(|(_, weight)| weight).sum();
    found.iter_mut().for_each(|(_, weight)| *weight /= sum);
}

impl Bones {
    /// Makes a joint of each cluster. Clusters of the same bone and matrix share one; those of the same bone
    /// and another matrix get a node of their own below the bone, since a skin lists a node once. `known` has the joints
    /// of each bone.
    fn take_clusters(
        &mut self,
        skin: &SkinDeformer,
        known: &mut HashMap<usize, Vec<usize>>,
        rig: &Rig,
        draft: &mut Draft,
    ) -> Vec<Option<u16>> {
        let mut of_cluster = Vec::new();
        for cluster in &skin.clusters {
            let Some(bone) = cluster.bone_node.as_ref().and_then(|bone| rig.index(bone)) else {
                of_cluster.push(None);
                continue;
            };
            let matrix = columns(&cluster.geometry_to_bone, &mut 0);
            let same = known.entry(bone).or_default();
            let joint = match same.iter().find(|joint| self.joint_from_mesh[**joint] == matrix) {
                Some(joint) => *joint,
                None => {
                    let node = if same.is_empty() { bone } else { below(bone, draft) };
                    self.joints.push(node);
                    self.joint_from_mesh.push(matrix);
                    same.push(self.joints.len() - 1);
                    self.joints.len() - 1
                }
            };
            of_cluster.push(u16::try_from(joint).ok());
        }
        of_cluster
    }

    /// Appends the skin of a node that shows the mesh, and returns its index. Skins of equal joints are
    /// shared by the caller, which calls this once if the skin is not `is_partial`.
    pub fn put(&self, node: &Node, rig: &Rig, draft: &mut Draft) -> Result<usize, ImportError> {
        let mut joints = self.joints.clone();
        let mut matrices = self.joint_from_mesh.clone();
        if self.is_partial
            && let Some(index) = rig.index(node)
        {
            let matrix = columns(&node.geometry_to_node, &mut 0);
            let index = if joints.contains(&index) { below(index, draft) } else { index };
            joints.push(index);
            matrices.push(matrix);
        }
        let name = &*node.element.name;
        let over = |over| ImportError::over_budget(&format!("skin of \"{name}\""), over);
        let matrices = draft.vectors(&matrices, Use::Data).map_err(over)?;
        let skin = json!({ "name": name, "joints": joints, "inverseBindMatrices": matrices });
        Ok(draft.push("skins", skin))
    }

    /// Whether vertices that no bone holds follow the node, so that each node needs a skin of its own.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }
}

/// Adds a node below another that has the same place.
fn below(node: usize, draft: &mut Draft) -> usize {
    let of = draft.item("nodes", node).get("name").and_then(Value::as_str).unwrap_or_default();
    let of = of.to_owned();
    let new = draft.push("nodes", json!({ "name": format!("{of} (joint)") }));
    draft.add_child(node, new);
    new
}
