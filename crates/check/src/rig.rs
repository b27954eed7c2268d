//! What every rule starts from: a model, its joints and their names.

use std::collections::HashSet;

use super::Code;
use super::code::Thresholds;
use super::figure::Figures;
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
    /// The same joints and nodes, and all nodes below them.
    pub below_seen: Vec<bool>,
    /// Which nodes belong to one figure.
    pub figures: Figures,
    /// The namesake of each joint on the other side of the body, by node. Each figure has its own.
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
        let figures = Figures::of(model, &is_joint, &carries);
        let other_side = other_sides(model, &is_joint, &figures);
        let moving = moving_nodes(model);
        let below_seen = model.hierarchy.with_descendants(moving.clone());
        let moves_seen = model.hierarchy.with_ancestors(moving);
        Self {
            model,
            thresholds,
            stage,
            joints,
            is_joint,
            carries,
            moves_seen,
            below_seen,
            figures,
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

    /// Returns the first joint of a name of each figure, or else the first node of that name.
    pub fn named(&self, name: &str) -> Vec<usize> {
        let is = |node: &usize| self.name(*node) == Some(name);
        let mut seen = HashSet::new();
        let is_first = |joint: &usize| seen.insert(self.figures.of_node[*joint]);
        let joints: Vec<usize> = self.joints.iter().copied().filter(is).filter(is_first).collect();
        if !joints.is_empty() {
            return joints;
        }
        (0..self.model.nodes.len()).find(is).into_iter().collect()
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

/// Returns the namesake of each joint on the other side of the body. The actors of a crowd have the same names, so each joint
/// has one of its own figure, unless neither it nor the other one does.
fn other_sides(model: &Model, is_joint: &[bool], figures: &Figures) -> Vec<Option<usize>> {
    let nodes = || (0..is_joint.len()).filter(|node| is_joint[*node]);
    let mut joints: Vec<Vec<usize>> = vec![Vec::new(); figures.count];
    nodes().for_each(|node| joints[figures.of_node[node]].push(node));
    let mut own = vec![None; is_joint.len()];
    let find = |joints: &[usize]| {
        let names: Vec<_> = joints.iter().map(|node| model.nodes[*node].name.as_deref()).collect();
        let others = namesakes(&names).into_iter();
        let pairs = joints.iter().zip(others);
        pairs.map(|(node, other)| (*node, other.map(|other| joints[other]))).collect::<Vec<_>>()
    };
    for (node, other) in joints.iter().flat_map(|joints| find(joints)) {
        own[node] = other;
    }
    let lone: Vec<usize> = nodes().filter(|node| own[*node].is_none()).collect();
    for (node, other) in find(&lone) {
        own[node] = other;
    }
    own
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
