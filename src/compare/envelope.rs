//! Bounds of the distances of all vertices from a few points per joint.
//!
//! A vertex is a weighted mean of its places under each of its joints, and it lies in the box of all vertices that a
//! joint moves. So where both models have the same vertices with the same weights, none of them is farther apart than the
//! corners of these boxes.

use std::collections::HashMap;

use glam::{Affine3A, Vec3};

use super::measured::{Paired, PointPair};
use super::side::{Posed, Side};
use super::vertex_pairs::Drawn;
use crate::model::Aabb;

/// The boxes of the vertices that joints and nodes with rigid meshes move.
pub(super) struct Envelope {
    bones: Vec<Bone>,
}

/// A joint or node of both models, with the corners of the box around the vertices that it moves.
struct Bone {
    nodes: [usize; 2],
    node_from_mesh: [Affine3A; 2],
    corners: [Vec3; 8],
}

/// A joint of a pair of skins, or a pair of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Mover {
    Joint { skins: [usize; 2], joints: [u16; 2] },
    Node([usize; 2]),
}

impl Envelope {
    /// Returns the boxes of all vertices. Returns `None` if vertices differ, have morph targets or no partner.
    pub fn new(sides: [&Side; 2], drawn: &[(Drawn, &[PointPair], Paired)]) -> Option<Self> {
        let paired: usize = drawn.iter().map(|(_, pairs, _)| pairs.len()).sum();
        let is_whole = sides.iter().all(|side| side.motion.len() == paired);
        let mut boxes: HashMap<Mover, Aabb> = HashMap::new();
        for (drawn, pairs, by) in drawn {
            let nodes = [drawn.a, drawn.b];
            let has_targets = (0..2).any(|i| sides[i].has_targets(nodes[i]));
            if !is_whole || *by != Paired::Index || has_targets {
                return None;
            }
            let (mut own, mut other) = (Vec::new(), Vec::new());
            for pair in *pairs {
                let [a, b] = [0, 1].map(|i| sides[i].mesh_position(pair[i] as usize));
                if a != b {
                    return None;
                }
                own.clear();
                other.clear();
                sides[0].motion.for_each_influence(pair[0] as usize, |of| own.push(of));
                sides[1].motion.for_each_influence(pair[1] as usize, |of| other.push(of));
                let weights = |list: &[(usize, u16, f32)]| list.iter().map(|of| of.2).sum::<f32>();
                let is_sum = (weights(&own) - 1.0).abs() < 1e-4 || own.is_empty();
                if own.len() != other.len() || !is_sum {
                    return None;
                }
                if own.is_empty() {
                    boxes.entry(Mover::Node(nodes)).or_insert(Aabb::EMPTY).add(a);
                }
                for (x, y) in own.iter().zip(&other) {
                    if x.2 != y.2 {
                        return None;
                    }
                    let mover = Mover::Joint { skins: [x.0, y.0], joints: [x.1, y.1] };
                    boxes.entry(mover).or_insert(Aabb::EMPTY).add(a);
                }
            }
        }
        let bone = |(mover, bounds): (Mover, Aabb)| {
            let corners = bounds.corners();
            match mover {
                Mover::Node(nodes) => Bone { nodes, node_from_mesh: Default::default(), corners },
                Mover::Joint { skins, joints } => {
                    let of = |side: usize| {
                        let skin = &sides[side].model.skins[skins[side]];
                        let joint = usize::from(joints[side]);
                        (skin.joints[joint] as usize, skin.joint_from_mesh[joint])
                    };
                    let both = [of(0), of(1)];
                    Bone {
                        nodes: both.map(|(node, _)| node),
                        node_from_mesh: both.map(|(_, matrix)| matrix),
                        corners,
                    }
                }
            }
        };
        Some(Self { bones: boxes.into_iter().map(bone).collect() })
    }

    /// Returns the number of corners.
    pub fn len(&self) -> usize {
        8 * self.bones.len()
    }

    /// Writes the offsets of the corners, from B to A.
    pub fn offsets(&self, a: &Posed, b: &Posed, offset: Vec3, out: &mut Vec<Vec3>) {
        out.clear();
        for bone in &self.bones {
            let [x, y] = bone.nodes;
            let a = a.world_from_node(x) * bone.node_from_mesh[0];
            let b = b.world_from_node(y) * bone.node_from_mesh[1];
            out.extend(bone.corners.map(|corner| {
                let apart = a.transform_point3(corner) - (b.transform_point3(corner) + offset);
                if apart.is_finite() { apart } else { Vec3::INFINITY }
            }));
        }
    }
}
