//! A layer: a clip at a time, how much of it counts, and on which properties of which nodes.
//!
//! `blend` puts layers over each other; it is told all of this and remembers nothing of it.

use std::ops::Range;
use std::sync::Arc;

use super::lanes::{Eight, LANES};
use super::{Channel, Clip, Hierarchy, LocalPose};

/// One of several clips that a rig is posed by at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Which of the clips.
    pub clip: usize,
    /// The clip's time. Outside the clip it gives its ends.
    pub time_secs: f64,
    /// How much of it counts: 0 nothing, 1 all of it or as much as any other layer of weight 1.
    /// What is no number from 0 counts as 0.
    pub weight: f32,
    /// What it moves.
    pub mask: Mask,
    /// If there is one, the layer is additive: the clip's difference from this pose is put on
    /// top of what the others give.
    pub reference: Option<LocalPose>,
}

impl Layer {
    /// A whole clip from its start: weight 1, masked to what the clip drives, not additive.
    ///
    /// # Panics
    /// When there is no such clip, or it drives a node that the pose lacks.
    pub fn new(clips: &[&Clip], clip: usize, rest: &LocalPose) -> Self {
        let mask = Mask::of_clip(clips[clip], rest);
        Self { clip, time_secs: 0.0, weight: 1.0, mask, reference: None }
    }
}

/// Rows to eight nodes: translation, rotation, scale.
pub(super) const MASK_ROWS: usize = 3;

/// Which properties of which nodes a layer moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mask {
    /// 1 where it does and 0 where not, [`MASK_ROWS`] rows to eight nodes.
    pub(super) rows: Vec<Eight>,
    /// Which lists of numbers it moves ([`LocalPose::list`]): each morph weight, properties by slot.
    pub(super) lists: Vec<bool>,
    /// Where each node's weights begin among them, and at the end where the properties do.
    weight_offsets: Arc<[u32]>,
}

impl Mask {
    /// What a clip drives of a rig in this rest pose: a clip has no say in what it does not drive, so that
    /// a waving arm leaves the walking legs alone.
    ///
    /// # Panics
    /// When the clip drives a node, morph weight or property slot that is not there.
    pub fn of_clip(clip: &Clip, rest: &LocalPose) -> Self {
        let nodes = rest.len();
        let rows = vec![Eight::default(); nodes.div_ceil(LANES) * MASK_ROWS];
        let weight_offsets = rest.weight_offsets().clone();
        let mut mask = Self { rows, lists: vec![false; rest.list_count()], weight_offsets };
        for channel in &clip.channels {
            let node = channel.node();
            assert!(node < nodes, "node {node} of {nodes}");
            let row = match channel {
                Channel::Translation { .. } => 0,
                Channel::Rotation { .. } => 1,
                Channel::Scale { .. } => 2,
                Channel::Weights { .. } => {
                    let weights = mask.weights(node);
                    mask.lists[weights][channel.values()].fill(true);
                    continue;
                }
            };
            mask.rows[node / LANES * MASK_ROWS + row].0[node % LANES] = 1.0;
        }
        for property in &clip.properties {
            let first = mask.weight_offsets[nodes] as usize;
            mask.lists[first + property.slot] = true;
        }
        mask
    }

    /// A node's morph weights among the lists.
    fn weights(&self, node: usize) -> Range<usize> {
        self.weight_offsets[node] as usize..self.weight_offsets[node + 1] as usize
    }

    /// Leaves out all nodes but one and those below it, and all properties: they belong to no joint.
    ///
    /// # Panics
    /// When the mask is of a rig with fewer nodes.
    pub fn keep_subtree(&mut self, tree: &Hierarchy, top: usize) {
        let first = self.weight_offsets[tree.len()] as usize;
        self.lists[first..].fill(false);
        let mut inside = vec![false; tree.len()];
        for node in tree.parents_first() {
            let node = *node as usize;
            inside[node] = node == top || tree.parent(node).is_some_and(|parent| inside[parent]);
            if !inside[node] {
                let weights = self.weights(node);
                self.lists[weights].fill(false);
                let first = node / LANES * MASK_ROWS;
                for row in &mut self.rows[first..first + MASK_ROWS] {
                    row.0[node % LANES] = 0.0;
                }
            }
        }
    }
}
