//! A pose in numbers: what every node, skin and sampled vertex is at one instant.

use glam::{Affine3A, DVec3, Mat4, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::anim::LocalPose;
use crate::model::{Model, Stage};

/// One instant of a model, in the scene's space.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoseReport {
    /// All nodes of the file, in the scene or not.
    pub nodes: Vec<NodePose>,
    /// All skins of the file.
    pub skins: Vec<SkinPose>,
    /// Sampled vertices of the scene's nodes, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<VertexSample>,
}

/// One node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodePose {
    /// Its number in the file.
    pub index: usize,
    /// Its name; empty where it has none.
    #[serde(default)]
    pub name: String,
    /// Against its parent.
    pub translation: Option<[f32; 3]>,
    /// Against its parent, a unit quaternion x, y, z, w.
    pub rotation: Option<[f32; 4]>,
    /// Against its parent.
    pub scale: Option<[f32; 3]>,
    /// To the scene, by columns.
    #[serde(default)]
    pub world: Vec<f32>,
    /// Morph weights, where its mesh has targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f32>>,
}

/// One skin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkinPose {
    /// Its number in the file.
    pub index: usize,
    /// The nodes that are its joints.
    pub joints: Vec<u32>,
    /// For each joint, world(joint) * inverse bind matrix, by columns.
    pub joint_matrices: Vec<Vec<f32>>,
}

/// Where some vertices of a primitive are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VertexSample {
    /// The node that draws it.
    pub node: usize,
    /// Which of its mesh's primitives.
    pub primitive: usize,
    /// The vertices' numbers in the file.
    pub index: Vec<usize>,
    /// Morphed and skinned, in the scene; none where the file has no number there.
    pub position: Vec<Option<[f32; 3]>>,
}

/// A posed stage in numbers, without vertices.
pub fn pose_report(model: &Model, stage: &Stage) -> PoseReport {
    let nodes = (0..model.nodes.len()).map(|node| node_pose(model, stage, node)).collect();
    let skin = |(index, skin): (usize, &crate::anim::Skin)| SkinPose {
        index,
        joints: skin.joints.clone(),
        joint_matrices: (0..skin.joints.len())
            .map(|j| {
                let world = stage.scene_from_node(skin.joints[j] as usize);
                columns(world * skin.joint_from_mesh[j])
            })
            .collect(),
    };
    PoseReport {
        nodes,
        skins: model.skins.iter().enumerate().map(skin).collect(),
        vertices: Vec::new(),
    }
}

fn node_pose(model: &Model, stage: &Stage, node: usize) -> NodePose {
    let local = stage.local.transform(node);
    let weights = stage.local.weights(node);
    NodePose {
        index: node,
        name: model.nodes[node].name.clone().unwrap_or_default(),
        translation: Some(local.translation.to_array()),
        rotation: Some(local.rotation.to_array()),
        scale: Some(local.scale.to_array()),
        world: columns(stage.scene_from_node(node)),
        weights: (!weights.is_empty()).then(|| weights.to_vec()),
    }
}

fn columns(matrix: Affine3A) -> Vec<f32> {
    Mat4::from(matrix).to_cols_array().to_vec()
}

/// `count` vertices of every primitive of the scene's nodes, evenly spread over the file's numbers:
/// floor(i (n - 1) / (count - 1)). `positions` gives a primitive's posed vertices at a node,
/// relative to the stage's origin, one entry a vertex of the model's list; where it gives none,
/// the primitive is left out.
pub fn sampled(
    model: &Model,
    stage: &Stage,
    count: usize,
    positions: impl Fn(usize, usize) -> Option<Vec<Vec3>>,
) -> Vec<VertexSample> {
    let mut nodes = stage.nodes.clone();
    nodes.sort_unstable();
    let mut out = Vec::new();
    for node in nodes {
        let Some(mesh) = model.nodes[node].mesh else { continue };
        for (p, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
            let Some(positions) = positions(node, p) else { continue };
            let n = primitive.source_vertices as usize;
            let index: Vec<usize> =
                (0..count).map(|i| i * n.saturating_sub(1) / (count - 1).max(1)).collect();
            let slots = slots(primitive.source_vertex.as_deref(), n);
            let position = index
                .iter()
                .map(|i| {
                    let at = slots.get(*i).copied().flatten()?;
                    let scene = positions.get(at)?.as_dvec3() + stage.origin;
                    in_scene(scene)
                })
                .collect();
            out.push(VertexSample { node, primitive: p, index, position });
        }
    }
    out
}

fn in_scene(at: DVec3) -> Option<[f32; 3]> {
    let at = at.as_vec3();
    at.is_finite().then(|| at.to_array())
}

/// For each of the file's vertices, one of the model's that stands for it.
fn slots(source: Option<&[u32]>, n: usize) -> Vec<Option<usize>> {
    let Some(source) = source else { return (0..n).map(Some).collect() };
    let mut slots = vec![None; n];
    for (at, file) in source.iter().enumerate() {
        if let Some(slot) = slots.get_mut(*file as usize) {
            slot.get_or_insert(at);
        }
    }
    slots
}

/// The rest pose with what a list of nodes says put over it, matched by name, then by index where
/// the entry has no name. Second come the entries that match no node, or whose weights don't fit.
pub fn local_pose_of(model: &Model, nodes: &[NodePose]) -> (LocalPose, Vec<String>) {
    let mut pose = model.rest.clone();
    let mut unmatched = Vec::new();
    for given in nodes {
        let named = |n: &crate::model::Node| {
            !given.name.is_empty() && n.name.as_deref() == Some(given.name.as_str())
        };
        // A name that several nodes share is told apart by the index.
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
            unmatched.push(format!("node {} \"{}\"", given.index, given.name));
            continue;
        };
        let mut local = pose.transform(node);
        let finite = |list: &[f32]| list.iter().all(|x| x.is_finite());
        if let Some(t) = given.translation.filter(|t| finite(t)) {
            local.translation = Vec3::from(t);
        }
        if let Some(r) = given.rotation.filter(|r| finite(r)) {
            let r = Quat::from_array(r);
            // A unit quaternion stays as it is, to the bit: a pose that was printed comes back.
            local.rotation = match r.length() {
                length if r.is_normalized() && length > 0.0 => r,
                length if length > 0.0 => r.normalize(),
                _ => Quat::IDENTITY,
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
                unmatched.push(format!("{n} weights of node {node}, which has {m}"));
            }
        }
    }
    (pose, unmatched)
}
