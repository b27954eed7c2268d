//! The two rigs that a clip is converted between, and which nodes follow which.

use glam::DQuat;

use super::RigAtRest;

/// The node of the clip's rig that a node follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeMapping {
    /// Index of the node on the clip's rig.
    pub node: usize,
    /// For each morph weight of the node, the index of the clip's weight that drives it, or `None`
    /// to keep the rest value. `None` for the whole list drops all weights.
    pub weights: Option<Vec<Option<usize>>>,
}

/// How clips of one rig are converted for another.
#[derive(Clone, Debug)]
pub struct RigPair<'a> {
    /// The rig that the clips were made for.
    pub from: &'a RigAtRest<'a>,
    /// The other rig.
    pub to: &'a RigAtRest<'a>,
    /// The nodes that follow, with one entry per node of the other rig.
    pub mappings: &'a [Option<NodeMapping>],
    /// Size of the other rig relative to the first.
    pub size: f64,
    /// The turn from the way that the first rig faces to that of the other.
    pub facing: DQuat,
    /// Turns in the scene that the nodes of the first rig make before its rest pose is compared, with one entry
    /// per node; empty for none.
    pub aligned: &'a [DQuat],
    /// The largest number of bytes that the clips may take.
    pub most_bytes: usize,
}
