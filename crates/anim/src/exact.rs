//! Nodes of a pose in double precision, one at a time: for work that turns nodes one after the other.

use glam::{DAffine3, DQuat, Quat, Vec3};

use super::rotation::normalized_f64;
use super::{Hierarchy, LocalPose};

impl Hierarchy {
    /// Returns a node's matrix in the scene, computed along its ancestors.
    ///
    /// # Panics
    /// If the pose has fewer nodes than the tree, like all methods that take a pose.
    pub fn scene_from_node(&self, pose: &LocalPose, node: usize) -> DAffine3 {
        let local = |node: usize| self.parent_from_node(pose, node);
        self.ancestors(node).fold(local(node), |below, node| local(node) * below)
    }

    /// Returns a node's matrix relative to its parent.
    #[inline]
    pub fn parent_from_node(&self, pose: &LocalPose, node: usize) -> DAffine3 {
        if let Some(fixed) = self.fixed_matrix(node) {
            return fixed.as_daffine3();
        }
        let own = pose.transform(node);
        affine(own.translation, own.rotation, own.scale)
    }

    /// Returns the product of the rotations from the root down to a node. Scales take no part in it.
    pub fn scene_rotation(&self, pose: &LocalPose, node: usize) -> DQuat {
        let own = |node: usize| normalized_f64(pose.transform(node).rotation);
        self.path_to_root(node).fold(DQuat::IDENTITY, |below, node| own(node) * below).normalize()
    }

    /// Returns the rotation of a node's parent in the scene; the identity for roots.
    pub fn parent_rotation(&self, pose: &LocalPose, node: usize) -> DQuat {
        self.parent(node).map_or(DQuat::IDENTITY, |parent| self.scene_rotation(pose, parent))
    }
}

/// Returns a transform's matrix in double precision.
#[inline]
pub(super) fn affine(translation: Vec3, rotation: Quat, scale: Vec3) -> DAffine3 {
    let (translation, scale) = (translation.as_dvec3(), scale.as_dvec3());
    DAffine3::from_scale_rotation_translation(scale, normalized_f64(rotation), translation)
}
