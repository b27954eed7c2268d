//! A pose: where every node is at one instant, seen from its parent or from the scene.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};

/// A node's translation, rotation and scale against its parent. It composes as `T * R * S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// In the parent's lengths.
    pub translation: Vec3,
    /// A unit quaternion.
    pub rotation: Quat,
    /// Factors along the node's own axes; may be 0 or negative.
    pub scale: Vec3,
}

impl Transform {
    /// Changes nothing.
    pub const IDENTITY: Self =
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// The matrix `T * R * S`.
    pub fn parent_from_node(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// The transforms of all nodes against their parents, in the file's node order, and the morph
/// weights of those that have morph targets.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalPose {
    /// One a node.
    pub transforms: Vec<Transform>,
    /// All nodes' morph weights, one after the other.
    weights: Vec<f32>,
    /// Where each node's weights begin, and at the end where the last one's stop.
    weight_offsets: Arc<[u32]>,
}

impl Default for LocalPose {
    /// The pose of no nodes.
    fn default() -> Self {
        Self::new(Vec::new(), &[])
    }
}

impl LocalPose {
    /// A pose of these transforms and weights, one entry a node (an empty list where a node has
    /// no morph targets).
    ///
    /// # Panics
    /// When the two differ in length.
    pub fn new(transforms: Vec<Transform>, weights: &[Vec<f32>]) -> Self {
        assert_eq!(transforms.len(), weights.len(), "one list of weights a node");
        let mut offsets = vec![0];
        let mut end = 0;
        for list in weights {
            end += list.len() as u32;
            offsets.push(end);
        }
        Self { transforms, weights: weights.concat(), weight_offsets: offsets.into() }
    }

    /// A node's morph weights; empty where its mesh has no morph targets.
    pub fn weights(&self, node: usize) -> &[f32] {
        &self.weights[self.weight_range(node)]
    }

    /// A node's morph weights, to be changed.
    pub fn weights_mut(&mut self, node: usize) -> &mut [f32] {
        let range = self.weight_range(node);
        &mut self.weights[range]
    }

    /// Takes another pose's values without allocating.
    ///
    /// # Panics
    /// When the other is a pose of another rig.
    pub fn copy_from(&mut self, other: &Self) {
        self.transforms.copy_from_slice(&other.transforms);
        self.weights.copy_from_slice(&other.weights);
    }

    fn weight_range(&self, node: usize) -> std::ops::Range<usize> {
        self.weight_offsets[node] as usize..self.weight_offsets[node + 1] as usize
    }
}

/// Where every node is in the scene, in the file's node order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldPose {
    /// One a node; relative to the origin that [`crate::anim::Hierarchy::resolve`] was given.
    pub world_from_node: Vec<Affine3A>,
}
