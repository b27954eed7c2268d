//! Constraints: nodes whose rotation follows another node (VRMC_node_constraint).

use glam::{DQuat, DVec3, Quat, Vec3};

use crate::Model;
use rigview_anim::LocalPose;
use rigview_anim::rotation::normalized_f64;

/// A node whose rotation follows another one. Keys of a clip for it are ignored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// The node that turns.
    pub node: usize,
    /// The node that it follows.
    pub source: usize,
    /// How it follows.
    pub kind: ConstraintKind,
    /// How far it goes from its rest pose to the rotation that the constraint asks for, from 0 to 1.
    pub weight: f32,
    /// The rotation of the node in the file's rest pose. The model's may be another pose, which the constraint made.
    pub node_at_rest: Quat,
    /// The rotation of the source in the file's rest pose.
    pub source_at_rest: Quat,
}

/// How a node follows another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstraintKind {
    /// Makes the part of the source's turn that is about this axis, a unit vector in the node's own axes.
    Roll(Vec3),
    /// Points this axis, a unit vector in the node's own axes, at the source.
    Aim(Vec3),
    /// Makes the source's turn, in its own axes.
    Rotation,
}

impl ConstraintKind {
    /// Returns the key of the kind in the file.
    pub const fn name(self) -> &'static str {
        match self {
            ConstraintKind::Roll(_) => "roll",
            ConstraintKind::Aim(_) => "aim",
            ConstraintKind::Rotation => "rotation",
        }
    }
}

impl Model {
    /// Turns the nodes of a pose that follow others.
    ///
    /// # Panics
    /// If the pose is not of this model.
    pub fn constrain(&self, pose: &mut LocalPose) {
        for constraint in &self.constraints {
            let turned = constraint.rotation(self, pose).as_quat();
            if turned.is_finite() {
                pose.set_rotation(constraint.node, turned);
            }
        }
    }
}

impl Constraint {
    /// Returns the node's rotation relative to its parent.
    fn rotation(&self, model: &Model, pose: &LocalPose) -> DQuat {
        let rest = normalized_f64(self.node_at_rest);
        let wanted = match self.kind {
            ConstraintKind::Rotation => rest * self.source_turn(pose),
            ConstraintKind::Roll(axis) => {
                let source = normalized_f64(self.source_at_rest);
                let in_parent = source * self.source_turn(pose) * source.inverse();
                let turn = rest.inverse() * in_parent * rest;
                let axis = axis.as_dvec3();
                let swing = DQuat::from_rotation_arc(axis, (turn * axis).normalize());
                rest * swing.inverse() * turn
            }
            ConstraintKind::Aim(axis) => {
                let above = model.hierarchy.parent_rotation(pose, self.node);
                let position = |node| model.hierarchy.scene_from_node(pose, node).translation;
                let from = (above * rest * axis.as_dvec3()).normalize_or(DVec3::X);
                let to = (position(self.source) - position(self.node)).try_normalize();
                let Some(to) = to else { return rest };
                above.inverse() * DQuat::from_rotation_arc(from, to) * above * rest
            }
        };
        rest.slerp(wanted.normalize(), f64::from(self.weight))
    }

    /// Returns the source's turn from rest, in its own axes.
    fn source_turn(&self, pose: &LocalPose) -> DQuat {
        let rest = normalized_f64(self.source_at_rest);
        rest.inverse() * normalized_f64(pose.transform(self.source).rotation)
    }
}
