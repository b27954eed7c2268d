//! A node, and its transform in the present pose.

use glam::Quat;
use serde::Serialize;

use crate::euler::EulerOrder;
use crate::pose::{NodePose, node_pose};
use rigview_model::{Model, Stage};

/// A node as the file has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeFacts {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// The node that it is a child of.
    pub parent: Option<usize>,
    /// Its children.
    pub children: Vec<usize>,
    /// The mesh that it draws.
    pub mesh: Option<usize>,
    /// Number of instances of the mesh; 0 for a mesh that is drawn once at the node.
    pub instances: usize,
    /// The skin that moves the mesh.
    pub skin: Option<usize>,
    /// Its camera.
    pub camera: Option<usize>,
    /// Its light.
    pub light: Option<usize>,
    /// The skins that it is a joint of.
    pub joint_of: Vec<JointOf>,
}

/// A place in a skin's list of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct JointOf {
    /// The skin.
    pub skin: usize,
    /// Index into the skin's joints.
    pub joint: usize,
}

/// A node's transform in the present pose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PosedNode {
    /// The numbers that `pose --json` prints.
    #[serde(flatten)]
    pub pose: NodePose,
    /// The rotation as angles.
    pub euler: Angles,
}

/// A rotation as three angles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Angles {
    /// The order: of `XYZ`, the rotation about the node's own X is applied first to a vector about the fixed axes,
    /// as Blender names it: R = Rz Ry Rx.
    pub order: &'static str,
    /// Degrees about X, Y and Z.
    pub degrees: [f32; 3],
}

impl Angles {
    /// Returns the angles of a unit quaternion in the order `XYZ` about fixed axes.
    pub fn new(rotation: Quat) -> Self {
        // The order exists; without it there would be no turn.
        let order = EulerOrder::from_name("xyz");
        let angles = order.map(|order| order.plain_angles(&rotation.to_array()));
        let degrees = angles.unwrap_or_default().map(|angle| angle.to_degrees() as f32);
        Self { order: "XYZ", degrees }
    }
}

/// Returns the facts of a node in the file.
///
/// # Panics
/// If there is no such node.
pub fn node_facts(model: &Model, index: usize) -> NodeFacts {
    let node = &model.nodes[index];
    let joint_of = |(skin, s): (usize, &rigview_anim::Skin)| {
        let joint = s.joints.iter().position(|joint| *joint as usize == index)?;
        Some(JointOf { skin, joint })
    };
    let parent = |node: usize| model.hierarchy.parent(node);
    NodeFacts {
        index,
        name: node.name.clone(),
        parent: parent(index),
        children: (0..model.nodes.len()).filter(|n| parent(*n) == Some(index)).collect(),
        mesh: node.mesh,
        instances: node.instances.len(),
        skin: node.skin,
        camera: node.camera,
        light: node.light,
        joint_of: model.skins.iter().enumerate().filter_map(joint_of).collect(),
    }
}

/// Returns a node's transform in a stage's pose.
///
/// # Panics
/// If there is no such node.
pub fn posed_node(model: &Model, stage: &Stage, node: usize) -> PosedNode {
    let pose = node_pose(model, stage, node);
    PosedNode { euler: Angles::new(stage.local.transform(node).rotation), pose }
}

#[cfg(test)]
mod tests {
    use glam::{Mat3, Vec3};

    use super::*;

    #[test]
    fn angles_give_the_rotation_back() {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.3, -0.5, 0.8).normalize()] {
            for turn in [-3.0_f32, -0.4, 0.0, 1.2, 2.9] {
                let rotation = Quat::from_axis_angle(axis, turn);
                let [x, y, z] = Angles::new(rotation).degrees.map(f32::to_radians);
                let again =
                    Mat3::from_rotation_z(z) * Mat3::from_rotation_y(y) * Mat3::from_rotation_x(x);
                assert!(again.abs_diff_eq(Mat3::from_quat(rotation), 1e-5), "{axis} {turn}");
            }
        }
        assert_eq!(Angles::new(Quat::IDENTITY).degrees, [0.0; 3]);
    }
}
