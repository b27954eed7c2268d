//! What every rule starts from: a model, its joints and their names.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use glam::{DQuat, DVec3, Quat};

use super::Code;
use super::code::Thresholds;
use rigview_anim::{Channel, Clip};
use rigview_model::{Model, Node, Stage, short_name};
use rigview_rig::namesakes;

/// A model with what the rules look up in it.
pub(super) struct Rig<'a> {
    pub model: &'a Model,
    /// The numbers up to which rules find nothing.
    thresholds: &'a Thresholds,
    /// The scene that is judged, at rest.
    pub stage: Stage,
    /// The joints of all skins in file order; in a file without skins and meshes, the nodes that serve as
    /// joints ([`Stage::joints`]).
    pub joints: Vec<usize>,
    pub is_joint: Vec<bool>,
    /// Joints and the nodes above them, which carry the whole figure.
    pub carries: Vec<bool>,
    /// Joints that move vertices, nodes that carry a rigid mesh, a camera or a light, and all nodes above these.
    pub moves_seen: Vec<bool>,
    /// The namesake of each joint on the other side of the body, by node.
    pub other_side: Vec<Option<usize>>,
    /// The number of ancestors of each node.
    pub depth: Vec<usize>,
    /// The cost of one instant: the things that a pose changes, and boxes of joints.
    pub work: usize,
}

impl<'a> Rig<'a> {
    /// Judges the default scene.
    pub fn new(model: &'a Model, thresholds: &'a Thresholds) -> Self {
        Self::of_stage(model, thresholds, Stage::new(model, model.default_scene))
    }

    /// Judges everything that the file draws.
    pub fn of_all_scenes(model: &'a Model, thresholds: &'a Thresholds) -> Self {
        Self::of_stage(model, thresholds, Stage::of_all_scenes(model))
    }

    fn of_stage(model: &'a Model, thresholds: &'a Thresholds, stage: Stage) -> Self {
        let mut is_joint = model.skin_joints();
        if model.skins.is_empty() {
            stage.joints(model).into_iter().for_each(|joint| is_joint[joint] = true);
        }
        let depth = model.hierarchy.depths();
        let joints = (0..is_joint.len()).filter(|node| is_joint[*node]).collect();
        let carries = model.hierarchy.with_ancestors(is_joint.clone());
        let boxes = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let boxes: usize = boxes.map(|primitive| primitive.bounds.joints.len()).sum();
        // An instant of the smallest rig costs time and memory too.
        let work = 16 + boxes + model.nodes.len() + model.materials.len() + model.lights.len();
        let other_side = other_sides(model, &is_joint);
        let moves_seen = model.hierarchy.with_ancestors(moving_nodes(model));
        Self {
            model,
            thresholds,
            stage,
            joints,
            is_joint,
            carries,
            moves_seen,
            other_side,
            depth,
            work,
        }
    }

    /// Returns the number up to which a rule finds nothing.
    pub fn threshold(&self, code: Code) -> f64 {
        self.thresholds.of(code)
    }

    /// Returns the length in the scene of a unit of a node's translation, at rest.
    pub fn metres_per_unit(&self, node: usize) -> f64 {
        let Some(parent) = self.model.hierarchy.parent(node) else { return 1.0 };
        let matrix = self.stage.world.world_from_node(parent).matrix3;
        f64::from(matrix.determinant().abs().cbrt())
    }

    /// Returns the length in the scene of a unit of a mesh, at rest and at the first node that draws it; 1 if none does or the
    /// mesh is flat there.
    pub fn metres_per_mesh_unit(&self, mesh: usize) -> f64 {
        let nodes = &self.model.nodes;
        let Some(node) = nodes.iter().position(|node| node.mesh == Some(mesh)) else { return 1.0 };
        let of_joint = |skin: usize| {
            let skin = &self.model.skins[skin];
            let (joint, joint_from_mesh) = (skin.joints.first()?, skin.joint_from_mesh.first()?);
            Some(self.stage.world.world_from_node(*joint as usize) * *joint_from_mesh)
        };
        let skinned = nodes[node].skin.and_then(of_joint);
        let matrix = skinned.unwrap_or(*self.stage.world.world_from_node(node)).matrix3;
        let scale = f64::from(matrix.determinant().abs().cbrt());
        if scale.is_finite() && scale > 0.0 { scale } else { 1.0 }
    }

    /// Returns a node's name; `None` if it has none or an empty one.
    pub fn name(&self, node: usize) -> Option<&'a str> {
        self.model.nodes[node].name.as_deref().filter(|name| !name.is_empty())
    }

    /// Returns what a node is called where its name is said: a joint, or another node.
    pub fn kind(&self, node: usize) -> &'static str {
        if self.is_joint[node] { "joint" } else { "node" }
    }

    /// Returns a node's name in quotes, or its number.
    pub fn called(&self, node: usize) -> String {
        let quoted = |name| format!("\"{}\"", short_name(name));
        self.name(node).map_or_else(|| format!("node {node}"), quoted)
    }

    /// Returns the first joint of a name, or else the first node of that name.
    pub fn named(&self, name: &str) -> Option<usize> {
        let has_name = |node: &usize| self.name(*node) == Some(name);
        let joint = self.joints.iter().copied().find(has_name);
        joint.or_else(|| (0..self.model.nodes.len()).find(has_name))
    }

    /// Returns the nearest joint above each node.
    pub fn nearest_joint_above(&self) -> Vec<Option<usize>> {
        self.model.hierarchy.nearest_above(|node| self.is_joint[node])
    }

    /// Returns the nodes whose place any clip changes: those that channels drive, and all below them.
    pub fn moved(&self) -> Vec<bool> {
        let mut moved = vec![false; self.model.nodes.len()];
        for channel in self.model.clips.iter().flat_map(Clip::channels) {
            moved[channel.node()] |= !matches!(channel, Channel::Weights { .. });
        }
        self.model.hierarchy.with_descendants(moved)
    }

    /// Returns the nodes of the scene that draw a skin, each mesh and skin once.
    pub fn skinned(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        let nodes = self.stage.nodes.iter().copied();
        let of = |node: &usize| self.model.nodes[*node].mesh.zip(self.model.nodes[*node].skin);
        let moves = |mesh: usize| {
            let primitives = &self.model.meshes[mesh].primitives;
            let morphs = primitives.iter().any(|p| !p.targets.is_empty());
            (primitives.iter().any(|p| p.influences.is_some()), morphs)
        };
        nodes
            .filter(|node| {
                of(node).is_some_and(|pair| {
                    let (skinned, morphs) = moves(pair.0);
                    skinned && (seen.insert(pair) || morphs)
                })
            })
            .collect()
    }
}

/// Returns the namesake of each joint on the other side of the body.
fn other_sides(model: &Model, is_joint: &[bool]) -> Vec<Option<usize>> {
    let joints: Vec<usize> = (0..is_joint.len()).filter(|node| is_joint[*node]).collect();
    let names: Vec<_> = joints.iter().map(|node| model.nodes[*node].name.as_deref()).collect();
    let mut others = vec![None; is_joint.len()];
    for (node, other) in joints.iter().zip(namesakes(&names)) {
        others[*node] = other.map(|other| joints[other]);
    }
    others
}

/// Returns the joints that move vertices, and the nodes that carry a rigid mesh, a camera or a light. Weights that are too
/// small to be kept count.
fn moving_nodes(model: &Model) -> Vec<bool> {
    let of_node = |node: &Node| {
        let is_rigid = node.mesh.is_some() && node.skin.is_none();
        is_rigid || node.camera.is_some() || node.light.is_some()
    };
    let mut moving: Vec<bool> = model.nodes.iter().map(of_node).collect();
    for node in &model.nodes {
        let Some((mesh, skin)) = node.mesh.zip(node.skin) else { continue };
        let joints = &model.skins[skin].joints;
        for primitive in model.meshes[mesh].primitives.iter().filter(|p| p.influences.is_some()) {
            let held = primitive.bounds.joints.iter().map(|(joint, _)| joint);
            for joint in held.chain(&primitive.cut_joints) {
                moving[joints[usize::from(*joint)] as usize] = true;
            }
        }
    }
    moving
}

/// Returns the turn from one rotation to another about the joint's own axes: its axis, as long as its angle in radians,
/// at most half a turn.
pub(super) fn turn(a: Quat, b: Quat) -> DVec3 {
    let [a, b]: [DQuat; 2] = [a, b].map(|q| q.as_dquat().normalize());
    let turn = a.conjugate() * b;
    if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis()
}

/// Returns the median, of an even number the upper one of the middle two; `None` of nothing.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Returns the meshes that each skin moves.
pub(super) fn meshes_by_skin(rig: &Rig) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut meshes: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (skin, mesh) in rig.model.nodes.iter().filter_map(|node| node.skin.zip(node.mesh)) {
        meshes.entry(skin).or_default().insert(mesh);
    }
    meshes
}
