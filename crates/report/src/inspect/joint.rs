//! A joint of a skin: its matrices, and the vertices that it moves.

use std::collections::HashSet;

use glam::{Affine3A, Mat4};
use serde::Serialize;

use super::bind::offsets_from_bind;
use super::node::JointOf;
use rigview_model::{Model, Primitive, Stage};

/// A joint as the file has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointFacts {
    /// The skin and the place in its list of joints.
    #[serde(flatten)]
    pub place: JointOf,
    /// The inverse bind matrix, column by column.
    pub inverse_bind: [f32; 16],
    /// Number of vertices of the file with a weight on the joint, in all meshes that the skin moves.
    pub vertices: usize,
    /// The largest weight of one of them.
    pub largest_weight: f32,
    /// The distance between the joint at rest and where the inverse bind matrix puts it, in millimetres, carried to
    /// the scene by the skin's first joint. `None` if the skin has no inverse bind matrices.
    pub rest_to_bind_mm: Option<f64>,
    /// The angle of its turn from there, in degrees.
    pub rest_to_bind_degrees: Option<f64>,
}

/// A joint's matrix in the present pose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PosedJoint {
    /// `world(joint) * inverse_bind`, column by column.
    pub joint_matrix: [f32; 16],
}

/// Returns the facts of a joint in the file. `rest` is a stage of the model in its rest pose.
///
/// # Panics
/// If there is no such joint.
pub fn joint_facts(model: &Model, rest: &Stage, place: JointOf) -> JointFacts {
    let moved = model.nodes.iter().filter(|node| node.skin == Some(place.skin));
    let meshes: HashSet<usize> = moved.filter_map(|node| node.mesh).collect();
    let (mut vertices, mut largest_weight) = (0, 0.0_f32);
    for primitive in meshes.iter().flat_map(|mesh| &model.meshes[*mesh].primitives) {
        let (count, largest) = weighted(primitive, place.joint);
        vertices += count;
        largest_weight = largest_weight.max(largest);
    }
    let offset = offsets_from_bind(model, rest, place.skin).map(|all| all[place.joint]);
    JointFacts {
        place,
        inverse_bind: columns(model.skins[place.skin].joint_from_mesh[place.joint]),
        vertices,
        largest_weight,
        rest_to_bind_mm: offset.map(|offset| 1000.0 * offset.metres),
        rest_to_bind_degrees: offset.map(|offset| offset.degrees),
    }
}

/// Returns a joint's matrix in a stage's pose.
///
/// # Panics
/// If there is no such joint.
pub fn posed_joint(model: &Model, stage: &Stage, place: JointOf) -> PosedJoint {
    let skin = &model.skins[place.skin];
    let world = stage.scene_from_node(skin.joints[place.joint] as usize);
    PosedJoint { joint_matrix: columns(world * skin.joint_from_mesh[place.joint]) }
}

/// Returns the number of the file's vertices with a weight on a joint, and the largest weight.
pub(super) fn weighted(primitive: &Primitive, joint: usize) -> (usize, f32) {
    let Some(influences) = &primitive.influences else { return (0, 0.0) };
    let mut seen = HashSet::new();
    let (mut count, mut largest) = (0, 0.0_f32);
    for part in &primitive.parts {
        let Some(own) = part.joints.iter().position(|j| usize::from(*j) == joint) else { continue };
        for vertex in part.vertices.clone() {
            let pairs = influences.of_vertex(vertex as usize).iter();
            let pairs = pairs.flat_map(|set| set.joints.into_iter().zip(set.weights));
            let weight: f32 =
                pairs.filter(|(j, _)| usize::from(*j) == own).map(|(_, weight)| weight).sum();
            // Parts repeat vertices that several of them use.
            let source = primitive.source_vertex.as_ref();
            if weight > 0.0 && source.is_none_or(|source| seen.insert(source[vertex as usize])) {
                count += 1;
            }
            largest = largest.max(weight);
        }
    }
    (count, largest)
}

/// Returns a matrix column by column.
pub(super) fn columns(matrix: Affine3A) -> [f32; 16] {
    Mat4::from(matrix).to_cols_array()
}
