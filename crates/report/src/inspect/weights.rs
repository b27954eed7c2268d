//! Vertices whose weights are not as they should be, and the weights of one joint.

use std::collections::HashSet;

use serde::Serialize;

use super::joint::weighted;
use rigview_model::{DrawnPrimitive, Model};

/// Largest deviation of a sum of weights from 1 that counts as 1: that of weights in eight bits.
const TOLERANCE: f32 = 0.01;

/// A skinned vertex without weights, or whose weights do not sum to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WeightFault {
    /// The first node that shows it.
    pub node: usize,
    /// The primitive of the node's mesh.
    pub primitive: usize,
    /// The vertex by the file's numbering.
    pub vertex: u32,
    /// The sum of its weights as the file has them. At 0 the vertex is bound to its first joint, else the weights are
    /// divided by it.
    pub sum: f32,
}

impl WeightFault {
    /// The primitive and its node.
    pub fn drawn(&self) -> DrawnPrimitive {
        DrawnPrimitive { node: self.node, primitive: self.primitive }
    }

    /// Whether it has no weight at all.
    pub fn is_unbound(&self) -> bool {
        self.sum == 0.0
    }
}

/// Returns the faults of the skinned meshes of these nodes, each mesh once.
pub fn weight_faults(model: &Model, nodes: &[usize]) -> Vec<WeightFault> {
    let mut seen = HashSet::new();
    let mut faults = Vec::new();
    for &node in nodes {
        let Some(mesh) = model.nodes[node].mesh.filter(|_| model.nodes[node].skin.is_some()) else {
            continue;
        };
        if !seen.insert(mesh) {
            continue;
        }
        for (primitive, source) in model.meshes[mesh].primitives.iter().enumerate() {
            let sums = (0u32..).zip(&source.weight_sums);
            let off = sums.filter(|(_, sum)| (**sum - 1.0).abs() > TOLERANCE);
            faults.extend(off.map(|(vertex, sum)| WeightFault {
                node,
                primitive,
                vertex,
                sum: *sum,
            }));
        }
    }
    faults
}

/// The weights of a joint over all its influences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JointWeights {
    /// Number of vertices of the file with a weight on the joint.
    pub vertices: usize,
    /// The largest weight of one of them.
    pub largest: f32,
}

/// Returns the weights of a joint, given as a node, in all meshes and skins of the file.
pub fn joint_weights(model: &Model, joint: usize) -> JointWeights {
    let mut seen = HashSet::new();
    let mut weights = JointWeights::default();
    for node in &model.nodes {
        let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else { continue };
        let joints = &model.skins[skin].joints;
        let place = joints.iter().position(|own| *own as usize == joint);
        let Some(place) = place.filter(|_| seen.insert((mesh, skin))) else { continue };
        for primitive in &model.meshes[mesh].primitives {
            let (vertices, largest) = weighted(primitive, place);
            weights.vertices += vertices;
            weights.largest = weights.largest.max(largest);
        }
    }
    weights
}

/// Returns the weight of a joint, given as a node, at a vertex of the model; 0 if the joint does not move it.
pub fn weight_at(model: &Model, drawn: DrawnPrimitive, vertex: u32, joint: usize) -> f32 {
    let node = &model.nodes[drawn.node];
    let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else { return 0.0 };
    let primitive = &model.meshes[mesh].primitives[drawn.primitive];
    let part = primitive.parts.iter().find(|part| part.vertices.contains(&vertex));
    let (Some(influences), Some(part)) = (&primitive.influences, part) else { return 0.0 };
    let joints = &model.skins[skin].joints;
    let is_it = |place: u8| {
        let own = part.joints.get(usize::from(place)).map(|own| joints[usize::from(*own)] as usize);
        own == Some(joint)
    };
    let pairs = influences.of_vertex(vertex as usize).iter();
    let pairs = pairs.flat_map(|set| set.joints.into_iter().zip(set.weights));
    pairs.filter(|(place, weight)| *weight > 0.0 && is_it(*place)).map(|(_, weight)| weight).sum()
}
