//! Blend layers: clips at given times, each with a weight and a mask.

use std::ops::Range;
use std::sync::Arc;

use super::lanes::{F32x8, LANES};
use super::{Channel, Clip, Hierarchy, LocalPose};

/// One of several clips that pose a rig together; see [`crate::pose_layers`].
#[derive(Clone, Debug, PartialEq)]
pub struct BlendLayer {
    /// Index of the clip.
    pub clip: usize,
    /// Time in the clip in seconds. Times outside the clip give its ends.
    pub time_secs: f64,
    /// The layer's weight in the mean: 0 or more. Negative, infinite and NaN weights count as 0.
    pub weight: f32,
    /// The properties that the layer affects.
    pub mask: Mask,
    /// If set, the layer is additive: it adds the clip's difference from this pose to the mean of
    /// the other layers.
    pub reference: Option<LocalPose>,
}

impl BlendLayer {
    /// Returns a layer of a clip at time 0 with weight 1, masked to what the clip drives, not additive.
    ///
    /// # Panics
    /// If the index is out of range or the clip drives a node that the pose lacks.
    pub fn new(clips: &[&Clip], clip: usize, rest: &LocalPose) -> Self {
        let mask = Mask::of_clip(clips[clip], rest);
        Self { clip, time_secs: 0.0, weight: 1.0, mask, reference: None }
    }
}

/// Mask rows per eight nodes: translation, rotation, scale.
pub(super) const MASK_ROWS: usize = 3;

/// The properties that a layer affects, node by node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mask {
    /// 1 for affected properties, else 0; [`MASK_ROWS`] rows per eight nodes.
    pub(super) rows: Vec<F32x8>,
    /// Whether each list of [`LocalPose::list`] is affected: each morph weight, each property slot.
    pub(super) lists: Vec<bool>,
    /// Index of each node's first weight in `lists`, and at the end that of the first property slot.
    weight_offsets: Arc<[u32]>,
}

impl Mask {
    /// Returns the mask of what a clip drives on the rig with this rest pose. A layer does not
    /// affect what its clip does not drive, so a waving arm leaves the walking legs alone.
    ///
    /// # Panics
    /// If the clip drives a node, morph weight or property slot that the rig lacks.
    pub fn of_clip(clip: &Clip, rest: &LocalPose) -> Self {
        let nodes = rest.len();
        let rows = vec![F32x8::default(); nodes.div_ceil(LANES) * MASK_ROWS];
        let weight_offsets = rest.weight_offsets().clone();
        let mut mask = Self { rows, lists: vec![false; rest.list_count()], weight_offsets };
        for channel in clip.channels() {
            let node = channel.node();
            assert!(node < nodes, "node {node} is out of range; node count: {nodes}");
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
        for property in clip.properties() {
            let first = mask.weight_offsets[nodes] as usize;
            mask.lists[first + property.slot] = true;
        }
        mask
    }

    /// Returns the range of a node's morph weights in `lists`.
    fn weights(&self, node: usize) -> Range<usize> {
        self.weight_offsets[node] as usize..self.weight_offsets[node + 1] as usize
    }

    /// Adds what another mask of the rig includes.
    ///
    /// # Panics
    /// If the other mask is of another rig.
    pub fn include(&mut self, other: &Self) {
        assert_eq!(self.weight_offsets, other.weight_offsets, "the masks must be of the same rig");
        for (row, other) in self.rows.iter_mut().zip(&other.rows) {
            for (lane, other) in row.0.iter_mut().zip(other.0) {
                *lane = lane.max(other);
            }
        }
        for (list, other) in self.lists.iter_mut().zip(&other.lists) {
            *list |= other;
        }
    }

    /// Restricts the mask to a node and its descendants. Property slots belong to no node and are
    /// removed too.
    ///
    /// # Panics
    /// If the mask is of a rig with fewer nodes than the tree.
    pub fn keep_subtree(&mut self, tree: &Hierarchy, top: usize) {
        let first = self.weight_offsets[tree.len()] as usize;
        self.lists[first..].fill(false);
        let kept = tree.with_descendants((0..tree.len()).map(|node| node == top).collect());
        for (node, is_kept) in kept.into_iter().enumerate() {
            if !is_kept {
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
