//! The bones of a skin in the space of its meshes, and the vertices that its joints hold: what the rules of weights and of
//! the fit of a mesh measure by.

use std::collections::HashMap;

use glam::{Affine3A, Vec3};

use super::rig::Rig;
use rigview_model::{Influence, Primitive};

/// Children of a joint to which its bones are measured at most.
const MOST_CHILDREN: usize = 16;

/// The joints of a skin in the space of its meshes, in the bind pose. A bone is the line from a joint to a child.
pub(super) struct Bones {
    pub nodes: Vec<usize>,
    pub places: Vec<Vec3>,
    pub parents: Vec<Option<usize>>,
    /// Whether any inverse bind matrix is not the identity. Without one, places are those at rest.
    pub has_bind: bool,
    children: Vec<Vec<usize>>,
    /// The joint of the same name on the other side.
    pub mirrored: Vec<Option<usize>>,
}

impl Bones {
    /// Returns the bones of a skin. `above` has the nearest joint above each node.
    pub fn new(rig: &Rig, skin: usize, above: &[Option<usize>]) -> Self {
        let skin = &rig.model.skins[skin];
        let nodes: Vec<usize> = skin.joints.iter().map(|joint| *joint as usize).collect();
        let has_bind = skin.joint_from_mesh.iter().any(|matrix| *matrix != Affine3A::IDENTITY);
        let places =
            nodes.iter().zip(&skin.joint_from_mesh).map(|(node, joint_from_mesh)| match has_bind {
                true => joint_from_mesh.inverse().translation.into(),
                false => rig.stage.position(*node),
            });
        let places = places.collect();
        let index: HashMap<usize, usize> = nodes.iter().enumerate().map(|(i, n)| (*n, i)).collect();
        let parents = nodes.iter().map(|node| index.get(&above[*node]?).copied());
        let parents: Vec<Option<usize>> = parents.collect();
        let mut children = vec![Vec::new(); nodes.len()];
        for (joint, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent
                && children[*parent].len() < MOST_CHILDREN
            {
                children[*parent].push(joint);
            }
        }
        let mirrored = nodes.iter().map(|node| index.get(&rig.other_side[*node]?).copied());
        let mirrored = mirrored.collect();
        Self { nodes, places, parents, has_bind, children, mirrored }
    }

    /// Returns the distance of a point from a joint and from its bones.
    pub fn distance(&self, joint: usize, at: Vec3) -> f32 {
        let start = self.places[joint];
        let lines = self.children[joint]
            .iter()
            .map(|child| distance_from_line(at, [start, self.places[*child]]));
        lines.fold(at.distance(start), f32::min)
    }

    /// Whether a joint is another one or hangs below it.
    pub fn hangs_below(&self, joint: usize, other: usize) -> bool {
        std::iter::successors(Some(joint), |joint| self.parents[*joint]).any(|joint| joint == other)
    }
}

/// Returns the distance of a point from the line between two others.
fn distance_from_line(at: Vec3, [start, end]: [Vec3; 2]) -> f32 {
    let line = end - start;
    let along = (at - start).dot(line) / line.length_squared().max(f32::MIN_POSITIVE);
    at.distance(start + along.clamp(0.0, 1.0) * line)
}

/// Calls a function with the place of each vertex and its weights above 0 by joint of the skin.
pub(super) fn for_each_vertex(
    primitive: &Primitive,
    mut f: impl FnMut(Vec3, &mut dyn Iterator<Item = (usize, f32)>),
) {
    let Some(influences) = &primitive.influences else { return };
    for part in &primitive.parts {
        for vertex in part.vertices.clone() {
            let at = Vec3::from(primitive.vertices[vertex as usize].position);
            let weights = |set: &Influence| set.joints.into_iter().zip(set.weights);
            let held = influences.of_vertex(vertex as usize).iter().flat_map(weights);
            let held = held.filter(|(_, weight)| *weight > 0.0);
            let mut held = held.filter_map(|(joint, weight)| {
                Some((usize::from(*part.joints.get(usize::from(joint))?), weight))
            });
            f(at, &mut held);
        }
    }
}
