//! A node's matrix and rotation in the scene, computed along its ancestors: for work that turns nodes one after the other.

use glam::{DAffine3, DQuat, Quat};

use crate::Model;
use rigview_anim::LocalPose;

/// Returns a node's matrix in the scene.
pub(crate) fn scene_from_node(model: &Model, pose: &LocalPose, node: usize) -> DAffine3 {
    let local = |node: usize| parent_from_node(model, pose, node);
    model.hierarchy.ancestors(node).fold(local(node), |below, node| local(node) * below)
}

/// Returns a node's matrix relative to its parent.
pub(crate) fn parent_from_node(model: &Model, pose: &LocalPose, node: usize) -> DAffine3 {
    if let Some(fixed) = model.hierarchy.fixed_matrix(node) {
        return fixed.as_daffine3();
    }
    let own = pose.transform(node);
    let (scale, translation) = (own.scale.as_dvec3(), own.translation.as_dvec3());
    DAffine3::from_scale_rotation_translation(scale, unit(own.rotation), translation)
}

/// Returns a node's rotation in the scene.
pub(crate) fn scene_rotation(model: &Model, pose: &LocalPose, node: usize) -> DQuat {
    let own = |node: usize| unit(pose.transform(node).rotation);
    let path = model.hierarchy.path_to_root(node);
    path.fold(DQuat::IDENTITY, |below, node| own(node) * below).normalize()
}

/// Returns a rotation of length one; none for a length of zero.
pub(crate) fn unit(rotation: Quat) -> DQuat {
    let rotation = rotation.as_dquat();
    if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY }
}
