//! Skeletons: the joints of a file by name, parent and place, as far as two files can share them.

use glam::Vec3;

use super::binding::Binding;
use super::code::Thresholds;
use super::rig::Rig;
use rigview_model::{Model, short_name};

/// The joints of all skins of a file; in a file without skins and meshes, the nodes that serve as joints.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    pub(super) joints: Vec<Joint>,
    /// Weights and bind poses; empty in the skeleton of a checked file.
    pub(super) binding: Binding,
}

/// A joint of a skeleton.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    /// Index of the node.
    pub node: usize,
    pub name: Option<String>,
    /// Index of the nearest ancestor that is a joint.
    pub parent: Option<usize>,
    pub children: usize,
    /// The place at rest, relative to the box of all joints: 0 to 1 along its largest side.
    pub place: Vec3,
}

impl Skeleton {
    /// Returns the skeleton of a model, to compare others with.
    pub fn of(model: &Model) -> Self {
        let thresholds = Thresholds::default();
        let rig = Rig::new(model, &thresholds);
        Self { binding: Binding::of(&rig, None), ..Self::of_rig(&rig) }
    }

    pub(super) fn of_rig(rig: &Rig) -> Self {
        let mut nodes = rig.joints.clone();
        nodes.sort_by_key(|node| (rig.depth[*node], *node));
        let mut index = vec![None; rig.model.nodes.len()];
        nodes.iter().enumerate().for_each(|(i, node)| index[*node] = Some(i));
        let places = nodes.iter().map(|node| rig.stage.position(*node));
        let (low, high) = places
            .clone()
            .fold((Vec3::MAX, Vec3::MIN), |(low, high), at| (low.min(at), high.max(at)));
        let size = (high - low).max_element().max(f32::MIN_POSITIVE);
        let above = rig.nearest_joint_above();
        let mut joints: Vec<Joint> = nodes
            .iter()
            .zip(places)
            .map(|(&node, at)| Joint {
                node,
                name: rig.name(node).map(str::to_owned),
                parent: above[node].and_then(|parent| index[parent]),
                children: 0,
                place: (at - low) / size,
            })
            .collect();
        for joint in 0..joints.len() {
            if let Some(parent) = joints[joint].parent {
                joints[parent].children += 1;
            }
        }
        Self { joints, binding: Binding::default() }
    }

    /// Returns a joint's name in quotes, or its number.
    pub(super) fn called(&self, joint: usize) -> String {
        let joint = &self.joints[joint];
        match &joint.name {
            Some(name) => format!("\"{}\"", short_name(name)),
            None => format!("node {}", joint.node),
        }
    }
}
