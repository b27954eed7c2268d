//! A rig at rest: where its nodes are in the scene, in double precision.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::rotation::normalized_f64;
use super::{Hierarchy, LocalPose};

/// The nodes of a rig at rest.
#[derive(Clone, Debug)]
pub struct RigAtRest<'a> {
    /// The node tree.
    pub tree: &'a Hierarchy,
    /// The rest pose.
    pub rest: &'a LocalPose,
    /// The nodes' matrices in the scene.
    world: Vec<DAffine3>,
    /// The products of the rotations down the tree. Scales take no part in them.
    turns: Vec<DQuat>,
}

impl<'a> RigAtRest<'a> {
    /// Resolves the rest pose.
    ///
    /// # Panics
    /// If the pose has another number of nodes than the tree.
    pub fn new(tree: &'a Hierarchy, rest: &'a LocalPose) -> Self {
        assert_eq!(tree.len(), rest.len(), "the pose must be of this tree");
        let mut world = vec![DAffine3::IDENTITY; tree.len()];
        let mut turns = vec![DQuat::IDENTITY; tree.len()];
        for node in tree.parents_first() {
            let (above, turned) = match tree.parent(node) {
                Some(parent) => (world[parent], turns[parent]),
                None => (DAffine3::IDENTITY, DQuat::IDENTITY),
            };
            world[node] = above * tree.parent_from_node(rest, node);
            turns[node] = (turned * normalized_f64(rest.transform(node).rotation)).normalize();
        }
        Self { tree, rest, world, turns }
    }

    /// Returns a node's position in the scene.
    ///
    /// # Panics
    /// If the index is out of range, like all methods that take a node.
    #[inline]
    pub fn position(&self, node: usize) -> DVec3 {
        self.world[node].translation
    }

    /// Returns a node's rotation in the scene.
    #[inline]
    pub fn turn(&self, node: usize) -> DQuat {
        self.turns[node]
    }

    /// Returns the rotation of a node's parent; the identity for roots.
    #[inline]
    pub fn parent_turn(&self, node: usize) -> DQuat {
        self.tree.parent(node).map_or(DQuat::IDENTITY, |parent| self.turns[parent])
    }

    /// Returns the matrix of a node's parent; the identity for roots.
    pub(super) fn parent_matrix(&self, node: usize) -> DAffine3 {
        self.tree.parent(node).map_or(DAffine3::IDENTITY, |parent| self.world[parent])
    }

    /// Returns the rotation and scale of a node's parent.
    pub(super) fn parent_axes(&self, node: usize) -> DMat3 {
        self.parent_matrix(node).matrix3
    }
}
