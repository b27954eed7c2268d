//! Skins in an engine that has room for few joints: those beyond the limit follow the nearest joint above them.

use std::collections::HashSet;

use super::extents::primitive_bounds::merge_boxes;
use super::{Aabb, DrawnPrimitive, Influence, Influences, Model, Primitive};
use rigview_anim::Skin;

/// The joints and weights of a primitive, to restore them after [`SkinForm::apply`](super::SkinForm::apply).
#[derive(Clone, Debug)]
pub struct PrimitiveSkin {
    influences: Influences,
    /// By part.
    joints: Vec<Vec<u16>>,
    boxes: Vec<(u16, Aabb)>,
}

impl Primitive {
    /// Returns a copy of the joints and weights; `None` for a rigid primitive.
    pub fn skin(&self) -> Option<PrimitiveSkin> {
        Some(PrimitiveSkin {
            influences: self.influences.clone()?,
            joints: self.parts.iter().map(|part| part.joints.clone()).collect(),
            boxes: self.bounds.joints.clone(),
        })
    }

    /// Restores joints and weights that were copied from this primitive.
    pub fn restore_skin(&mut self, skin: &PrimitiveSkin) {
        self.influences = Some(skin.influences.clone());
        for (part, joints) in self.parts.iter_mut().zip(&skin.joints) {
            part.joints.clone_from(joints);
        }
        self.bounds.joints.clone_from(&skin.boxes);
    }
}

/// The parts of a model beyond a limit of joints per skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointsBeyond {
    /// The joints, as nodes, each once.
    pub joints: Vec<usize>,
    /// Number of vertices with a weight on them. A mesh that several nodes draw counts once.
    pub count: usize,
    /// Some of these vertices, by index into the primitive's list; ordered by primitive.
    pub vertices: Vec<(DrawnPrimitive, u32)>,
}

impl JointsBeyond {
    /// Most vertices that are listed.
    pub const MOST: usize = 2000;

    /// Finds the joints after the first `most` of each skin, and the vertices of the scene's nodes that they move.
    pub fn find(model: &Model, nodes: &[usize], most: usize) -> Self {
        let mut found = Self::default();
        let beyond = |skin: &Skin| skin.joints.get(most..).unwrap_or_default().to_vec();
        let mut joints: Vec<u32> = model.skins.iter().flat_map(beyond).collect();
        joints.sort_unstable();
        joints.dedup();
        found.joints = joints.into_iter().map(|joint| joint as usize).collect();
        let mut seen = HashSet::new();
        for &node in nodes.iter().filter(|node| model.nodes[**node].skin.is_some()) {
            let Some(mesh) = model.nodes[node].mesh.filter(|mesh| seen.insert(*mesh)) else {
                continue;
            };
            for (primitive, source) in model.meshes[mesh].primitives.iter().enumerate() {
                let drawn = DrawnPrimitive { node, primitive };
                source.each_beyond(most, |vertex| {
                    found.count += 1;
                    if found.vertices.len() < Self::MOST {
                        found.vertices.push((drawn, vertex));
                    }
                });
            }
        }
        found
    }
}

impl Primitive {
    /// Calls `each` with the vertices that have a weight on a joint after the first `most` of the skin.
    fn each_beyond(&self, most: usize, mut each: impl FnMut(u32)) {
        let Some(influences) = &self.influences else { return };
        for part in &self.parts {
            let beyond: Vec<bool> = part.joints.iter().map(|j| usize::from(*j) >= most).collect();
            if !beyond.contains(&true) {
                continue;
            }
            let is_beyond = |set: &Influence| {
                set.joints.iter().zip(set.weights).any(|(place, weight)| {
                    weight > 0.0 && beyond.get(usize::from(*place)) == Some(&true)
                })
            };
            let vertices = part.vertices.clone();
            vertices
                .filter(|vertex| influences.of_vertex(*vertex as usize).iter().any(is_beyond))
                .for_each(&mut each);
        }
    }

    /// Replaces the joints of the skin by others, given by the skin's index. Influences of a vertex that then have the same
    /// joint become one.
    fn replace_joints(&mut self, targets: &[u16]) {
        let target = |joint: u16| targets.get(usize::from(joint)).copied().unwrap_or(joint);
        for part in &mut self.parts {
            part.joints.iter_mut().for_each(|joint| *joint = target(*joint));
            let Some(influences) = &mut self.influences else { continue };
            let sets = influences.sets;
            for vertex in part.vertices.clone() {
                let start = vertex as usize * sets;
                merge_equal(&mut influences.list[start..start + sets], &part.joints);
            }
        }
        let boxes = &mut self.bounds.joints;
        boxes.iter_mut().for_each(|(joint, _)| *joint = target(*joint));
        merge_boxes(boxes);
    }
}

/// Keeps the first `most` joints of each skin. Vertices of the others follow the nearest joint above that stays, or else
/// the skin's first joint. A mesh that is drawn with several skins follows the first one.
pub(super) fn limit_joints(model: &mut Model, most: usize) {
    let targets: Vec<Vec<u16>> =
        model.skins.iter().map(|skin| targets(model, skin, most.max(1))).collect();
    let mut skins = vec![None; model.meshes.len()];
    for node in &model.nodes {
        if let (Some(mesh), Some(skin)) = (node.mesh, node.skin) {
            skins[mesh] = skins[mesh].or(Some(skin));
        }
    }
    for (mesh, skin) in model.meshes.iter_mut().zip(skins) {
        let Some(skin) = skin.filter(|skin| targets[*skin].len() > most) else { continue };
        mesh.primitives.iter_mut().for_each(|own| own.replace_joints(&targets[skin]));
    }
}

/// Returns for each joint of a skin the one that its vertices follow.
fn targets(model: &Model, skin: &Skin, most: usize) -> Vec<u16> {
    let mut nearest: Vec<Option<u16>> = vec![None; model.nodes.len()];
    for (index, joint) in skin.joints.iter().enumerate().take(most).rev() {
        nearest[*joint as usize] = Some(index as u16);
    }
    for node in model.hierarchy.parents_first() {
        let above = model.hierarchy.parent(node).and_then(|parent| nearest[parent]);
        nearest[node] = nearest[node].or(above);
    }
    let target = |(index, joint): (usize, &u32)| {
        if index < most { index as u16 } else { nearest[*joint as usize].unwrap_or(0) }
    };
    skin.joints.iter().enumerate().map(target).collect()
}

/// Adds the weights of a vertex that have the same joint to the first of them.
fn merge_equal(sets: &mut [Influence], joints: &[u16]) {
    let joint = |sets: &[Influence], i: usize| joints.get(usize::from(sets[i / 4].joints[i % 4]));
    for i in 1..4 * sets.len() {
        let weight = sets[i / 4].weights[i % 4];
        if weight == 0.0 {
            continue;
        }
        let same =
            |j: &usize| sets[*j / 4].weights[*j % 4] != 0.0 && joint(sets, *j) == joint(sets, i);
        if let Some(first) = (0..i).find(same) {
            sets[first / 4].weights[first % 4] += weight;
            sets[i / 4].weights[i % 4] = 0.0;
        }
    }
}
