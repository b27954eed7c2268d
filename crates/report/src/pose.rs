//! A pose in numbers: nodes, skins and sampled vertices at one time.

use glam::{Affine3A, DVec3, Mat4, Quat, Vec3};
use serde::{Deserialize, Serialize};

use rigview_anim::LocalPose;
use rigview_model::{DrawnPrimitive, Model, OverBudget, Primitive, Stage};

/// A model's pose at one time, in the scene's space.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoseReport {
    /// All nodes of the file, in the scene or not.
    pub nodes: Vec<NodePose>,
    /// All skins of the file.
    pub skins: Vec<SkinPose>,
    /// Sampled vertices of the scene's nodes, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<VertexSample>,
}

/// One node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodePose {
    /// Its index in the file.
    pub index: usize,
    /// Its name; empty if it has none.
    #[serde(default)]
    pub name: String,
    /// Relative to its parent.
    pub translation: Option<[f32; 3]>,
    /// Relative to its parent, as a unit quaternion x, y, z, w.
    pub rotation: Option<[f32; 4]>,
    /// Relative to its parent.
    pub scale: Option<[f32; 3]>,
    /// The matrix to the scene, column by column; numbers that are NaN or infinite are `null`. Not
    /// read back.
    #[serde(default, skip_deserializing)]
    pub world: Vec<f32>,
    /// Whether `world` contains such numbers.
    #[serde(default, skip_deserializing, skip_serializing_if = "std::ops::Not::not")]
    pub not_finite: bool,
    /// Morph weights, if its mesh has targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f32>>,
}

/// One skin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkinPose {
    /// Its index in the file.
    pub index: usize,
    /// The nodes that are its joints.
    pub joints: Vec<u32>,
    /// For each joint, world(joint) * inverse bind matrix, column by column.
    pub joint_matrices: Vec<Vec<f32>>,
    /// Whether these contain numbers that are NaN or infinite, which are `null`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_finite: bool,
}

/// Posed positions of some vertices of a primitive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VertexSample {
    /// Index of the node that draws the primitive.
    pub node: usize,
    /// Index into the mesh's primitives.
    pub primitive: usize,
    /// The vertices' indices in the file.
    pub index: Vec<usize>,
    /// Morphed and skinned positions in the scene; `None` if the file's numbers are not finite.
    pub position: Vec<Option<[f32; 3]>>,
}

/// Returns the pose of a stage, without vertices.
pub fn pose_report(model: &Model, stage: &Stage) -> PoseReport {
    let nodes = (0..model.nodes.len()).map(|node| node_pose(model, stage, node)).collect();
    let skin = |(index, skin): (usize, &rigview_anim::Skin)| {
        let of_joint = |j: usize| {
            let world = stage.scene_from_node(skin.joints[j] as usize);
            columns(world * skin.joint_from_mesh[j])
        };
        let joint_matrices: Vec<_> = (0..skin.joints.len()).map(of_joint).collect();
        let not_finite = joint_matrices.iter().flatten().any(|x| !x.is_finite());
        SkinPose { index, joints: skin.joints.clone(), joint_matrices, not_finite }
    };
    PoseReport {
        nodes,
        skins: model.skins.iter().enumerate().map(skin).collect(),
        vertices: Vec::new(),
    }
}

/// Returns the pose of one node.
pub(super) fn node_pose(model: &Model, stage: &Stage, node: usize) -> NodePose {
    let local = stage.local.transform(node);
    let weights = stage.local.weights(node);
    NodePose {
        index: node,
        name: model.nodes[node].name.clone().unwrap_or_default(),
        translation: Some(local.translation.to_array()),
        rotation: Some(local.rotation.to_array()),
        scale: Some(local.scale.to_array()),
        not_finite: !stage.scene_from_node(node).is_finite(),
        world: columns(stage.scene_from_node(node)),
        weights: (!weights.is_empty()).then(|| weights.to_vec()),
    }
}

fn columns(matrix: Affine3A) -> Vec<f32> {
    Mat4::from(matrix).to_cols_array().to_vec()
}

/// Samples `count` vertices of every primitive of the scene's nodes, evenly spread over the file's
/// indices: floor(i (n - 1) / (count - 1)). `positions` returns the posed
/// positions, relative to the stage's origin, of the vertices whose increasing indices it is given;
/// if it returns `None`, the primitive is skipped.
pub fn sampled(
    model: &Model,
    stage: &Stage,
    count: usize,
    positions: impl Fn(DrawnPrimitive, &[u32]) -> Option<Vec<Vec3>>,
) -> Vec<VertexSample> {
    let mut nodes = stage.nodes.clone();
    nodes.sort_unstable();
    let mut out = Vec::new();
    for node in nodes {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for (p, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
            let n = primitive.source_vertices as usize;
            let index: Vec<usize> =
                (0..count).map(|i| i * n.saturating_sub(1) / (count - 1).max(1)).collect();
            let slots = slots(primitive, &index);
            let mut wanted: Vec<u32> = slots.iter().copied().flatten().collect();
            wanted.sort_unstable();
            wanted.dedup();
            let Some(positions) = positions(DrawnPrimitive { node, primitive: p }, &wanted) else {
                continue;
            };
            let position = |slot: &Option<u32>| {
                let at = wanted.binary_search(&(*slot)?).ok()?;
                in_scene(positions.get(at)?.as_dvec3() + stage.origin)
            };
            let position = slots.iter().map(position).collect();
            out.push(VertexSample { node, primitive: p, index, position });
        }
    }
    out
}

fn in_scene(at: DVec3) -> Option<[f32; 3]> {
    let at = at.as_vec3();
    at.is_finite().then(|| at.to_array())
}

/// Returns, for each of these increasing vertex indices of the file, the first vertex of the model that
/// represents it, if any.
fn slots(primitive: &Primitive, index: &[usize]) -> Vec<Option<u32>> {
    let Some(source) = &primitive.source_vertex else {
        let there = |i: &usize| (*i < primitive.vertices.len()).then_some(*i as u32);
        return index.iter().map(there).collect();
    };
    let mut slots = vec![None; index.len()];
    for (at, file) in source.iter().enumerate() {
        let first = index.partition_point(|i| *i < *file as usize);
        let same = index[first..].iter().take_while(|i| **i == *file as usize).count();
        if slots.get(first).is_some_and(Option::is_none) {
            slots[first..first + same].fill(Some(at as u32));
        }
    }
    slots
}

/// Checks that the report of one time, with `count` vertices per primitive, fits in the file's budget.
///
/// # Errors
/// If there are too many nodes, joints or vertices.
pub fn charge_pose(model: &Model, count: usize) -> Result<(), OverBudget> {
    let joints = model.skins.iter().map(|skin| skin.joints.len()).sum::<usize>();
    let weights = (0..model.nodes.len()).map(|node| model.rest.weights(node).len()).sum::<usize>();
    let bytes = model.nodes.len() * NODE_BYTES + weights * size_of::<f32>() + joints * JOINT_BYTES;
    let drawn = model.nodes.iter().filter_map(|node| node.mesh);
    let samples = match count {
        0 => 0,
        _ => drawn.map(|mesh| model.meshes[mesh].primitives.len()).sum::<usize>(),
    };
    let of_one = count.saturating_mul(SAMPLE_BYTES).saturating_add(SAMPLES_BYTES);
    model.budget.holds(bytes.saturating_add(samples.saturating_mul(of_one)), 1)
}

/// Memory in bytes per node, per joint, per sampled primitive and per sampled vertex.
const NODE_BYTES: usize = size_of::<NodePose>() + 64;
const JOINT_BYTES: usize = 112;
const SAMPLES_BYTES: usize = size_of::<VertexSample>() + 64;
const SAMPLE_BYTES: usize = 64;

/// Returns the rest pose with a list of nodes applied to it. Entries are matched by name, or by index
/// if they have no name. Also returns what to say of entries that match no node, whose rotation has no length, or whose
/// number of weights differs.
pub fn local_pose_of(model: &Model, nodes: &[NodePose]) -> (LocalPose, Vec<String>) {
    let mut pose = model.rest.clone();
    let mut unmatched = Vec::new();
    for given in nodes {
        let named = |n: &rigview_model::Node| {
            !given.name.is_empty() && n.name.as_deref() == Some(given.name.as_str())
        };
        // If several nodes share the name, the index decides.
        let node = match model.nodes.get(given.index) {
            Some(node) if named(node) => Some(given.index),
            _ => model
                .nodes
                .iter()
                .position(named)
                .or((given.name.is_empty() && given.index < model.nodes.len())
                    .then_some(given.index)),
        };
        let Some(node) = node else {
            unmatched.push(format!("node {} \"{}\" is not in the model", given.index, given.name));
            continue;
        };
        let mut local = pose.transform(node);
        let finite = |list: &[f32]| list.iter().all(|x| x.is_finite());
        if let Some(t) = given.translation.filter(|t| finite(t)) {
            local.translation = Vec3::from(t);
        }
        if let Some(r) = given.rotation.filter(|r| finite(r)) {
            let r = Quat::from_array(r);
            // Keep unit quaternions bit by bit, so that a printed pose is restored exactly.
            local.rotation = match r.length() {
                length if r.is_normalized() && length > 0.0 => r,
                length if length > 0.0 => r.normalize(),
                _ => {
                    let text = format!(
                        "node {node} \"{}\": the rotation is 0, 0, 0, 0, which is none; the node is not turned",
                        given.name
                    );
                    unmatched.push(text);
                    Quat::IDENTITY
                }
            };
        }
        if let Some(s) = given.scale.filter(|s| finite(s)) {
            local.scale = Vec3::from(s);
        }
        pose.set_transform(node, local);
        if let Some(weights) = &given.weights {
            let own = pose.weights_mut(node);
            if own.len() == weights.len() && finite(weights) {
                own.copy_from_slice(weights);
            } else {
                let (n, m) = (weights.len(), own.len());
                unmatched
                    .push(format!("node {node} has {m} weights, not {n}: they stay as they are"));
            }
        }
    }
    (pose, unmatched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Transform;
    use rigview_model::Node;

    #[test]
    fn a_rotation_of_no_length_is_said() {
        let mut model = Model { nodes: vec![Node::default(); 2], ..Model::default() };
        let turned = Transform { rotation: Quat::from_rotation_x(1.0), ..Transform::IDENTITY };
        model.rest = LocalPose::new(vec![turned; 2], &[[0.0_f32; 0]; 2]);
        let given = |index: usize, rotation: [f32; 4]| NodePose {
            index,
            name: String::new(),
            translation: None,
            rotation: Some(rotation),
            scale: None,
            world: Vec::new(),
            not_finite: false,
            weights: None,
        };
        let nodes = [given(0, [0.0; 4]), given(1, [0.0, 2.0, 0.0, 0.0])];
        let (pose, said) = local_pose_of(&model, &nodes);
        assert_eq!(pose.transform(0).rotation, Quat::IDENTITY);
        assert_eq!(pose.transform(1).rotation, Quat::from_xyzw(0.0, 1.0, 0.0, 0.0));
        let [said] = &said[..] else { panic!("{said:?}") };
        assert!(said.starts_with("node 0 \"\": the rotation is 0, 0, 0, 0"), "{said}");
    }
}
