//! A clip's prepared form: the keys of many channels resampled onto one timeline, eight nodes side
//! by side, frame after frame.
//!
//! `prepare` builds it, `sampling` reads it. Channels that do not fit the timeline are only listed
//! here; they are sampled from their own tracks.

use super::lanes::F32x8;

/// A clip's keys laid out for fast sampling on rigs of one size; see [`crate::Clip::prepare`].
#[derive(Clone, Debug, Default)]
pub struct ClipFrames {
    /// Node count of the rigs that it is for.
    pub(super) nodes: usize,
    /// Blocks that no channel drives; they take the rest pose's values.
    pub(super) undriven: Vec<Block>,
    /// The common timeline in seconds: every key time of every channel on it.
    pub(super) times: Vec<f32>,
    /// Blocks that change along the timeline.
    pub(super) moving: Vec<Block>,
    /// The rows of all `moving` blocks in order, once per time.
    pub(super) rows: Vec<F32x8>,
    /// Rows per time.
    pub(super) width: usize,
    /// Blocks that are constant over the whole clip.
    pub(super) still: Vec<Block>,
    /// The rows of all `still` blocks in order.
    pub(super) still_rows: Vec<F32x8>,
    /// Masks of partly driven blocks: 1 in lanes that keep the rest value, else 0.
    pub(super) rest_masks: Vec<F32x8>,
    /// Indices of channels with linear rotations that are sampled separately.
    pub(super) separate_rotations: Vec<u32>,
    /// Indices of all other channels that are sampled separately.
    pub(super) separate_others: Vec<u32>,
}

/// One property of eight nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Index of its first row in a pose.
    pub row: u32,
    /// Index into `rest_masks`, or [`ALL_DRIVEN`].
    pub rest_mask: u32,
    /// Whether it is a rotation, which has four rows in a pose; others have three.
    pub is_rotation: bool,
    /// Whether an earlier block drives other nodes of the same rows.
    pub is_second: bool,
}

/// The block drives all of its nodes.
pub(super) const ALL_DRIVEN: u32 = u32::MAX;

impl Block {
    /// Returns the number of its rows per time: its values and, for rotations, two rows that
    /// describe the arcs to the next time's values.
    pub fn width(&self) -> usize {
        if self.is_rotation { 6 } else { 3 }
    }
}

impl ClipFrames {
    /// Returns its size in bytes, without the clip's own keys.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.times[..])
            + size_of_val(&self.moving[..])
            + size_of_val(&self.rows[..])
            + size_of_val(&self.still[..])
            + size_of_val(&self.still_rows[..])
            + size_of_val(&self.rest_masks[..])
            + size_of_val(&self.separate_rotations[..])
            + size_of_val(&self.separate_others[..])
    }

    /// Returns the number of channels that do not fit the common timeline and are sampled one by one.
    pub fn separate_channels(&self) -> usize {
        self.separate_rotations.len() + self.separate_others.len()
    }
}
