//! Channels: tracks together with what they drive.

use std::ops::Range;

use glam::{Quat, Vec3};

use super::{Interpolation, Track};

/// A track and the property of a node that it drives.
#[derive(Clone, Debug, PartialEq)]
pub enum Channel {
    /// Drives a node's translation.
    Translation {
        /// Index of the node.
        node: usize,
        /// In the parent's units of length.
        track: Track<Vec3>,
    },
    /// Drives a node's rotation.
    Rotation {
        /// Index of the node.
        node: usize,
        /// Unit quaternions.
        track: Track<Quat>,
    },
    /// Drives a node's scale.
    Scale {
        /// Index of the node.
        node: usize,
        /// Factors along the node's own axes.
        track: Track<Vec3>,
    },
    /// Drives a contiguous range of a node's morph weights.
    Weights {
        /// Index of the node.
        node: usize,
        /// Index of the first driven weight.
        first: usize,
        /// As wide as the number of driven weights.
        track: Track<f32>,
    },
}

/// The values that a channel drives. Two channels with equal targets overwrite each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ChannelTarget {
    node: usize,
    path: &'static str,
    first: usize,
    end: usize,
}

impl Channel {
    /// Returns the index of the driven node.
    #[inline]
    pub fn node(&self) -> usize {
        match self {
            Channel::Translation { node, .. }
            | Channel::Rotation { node, .. }
            | Channel::Scale { node, .. }
            | Channel::Weights { node, .. } => *node,
        }
    }

    /// Returns the channel for another node.
    pub fn on_node(mut self, index: usize) -> Self {
        match &mut self {
            Channel::Translation { node, .. }
            | Channel::Rotation { node, .. }
            | Channel::Scale { node, .. }
            | Channel::Weights { node, .. } => *node = index,
        }
        self
    }

    /// Returns the channel for morph weights that start at another index.
    pub fn starting_at(mut self, index: usize) -> Self {
        if let Channel::Weights { first, .. } = &mut self {
            *first = index;
        }
        self
    }

    /// Returns glTF's name for the driven property.
    pub fn path(&self) -> &'static str {
        match self {
            Channel::Translation { .. } => "translation",
            Channel::Rotation { .. } => "rotation",
            Channel::Scale { .. } => "scale",
            Channel::Weights { .. } => "weights",
        }
    }

    /// Whether it drives morph weights.
    #[inline]
    pub fn is_weights(&self) -> bool {
        matches!(self, Channel::Weights { .. })
    }

    /// Returns the driven range of the node's morph weights, and `0..1` for other properties.
    pub fn values(&self) -> Range<usize> {
        match self {
            Channel::Weights { first, track, .. } => *first..first + track.width(),
            _ => 0..1,
        }
    }

    pub(super) fn target(&self) -> ChannelTarget {
        let Range { start: first, end } = self.values();
        ChannelTarget { node: self.node(), path: self.path(), first, end }
    }

    /// Returns the interpolation of its track.
    pub fn interpolation(&self) -> Interpolation {
        match self {
            Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
                track.keys().interpolation()
            }
            Channel::Rotation { track, .. } => track.keys().interpolation(),
            Channel::Weights { track, .. } => track.keys().interpolation(),
        }
    }

    /// Returns its key times in seconds.
    pub fn times(&self) -> &[f32] {
        match self {
            Channel::Translation { track, .. } | Channel::Scale { track, .. } => track.times(),
            Channel::Rotation { track, .. } => track.times(),
            Channel::Weights { track, .. } => track.times(),
        }
    }

    /// Returns the channel with only the keys of these indices, which ascend; `None` without any.
    pub fn with_keys(&self, kept: &[usize]) -> Option<Self> {
        Some(match self {
            Channel::Translation { node, track } => {
                Channel::Translation { node: *node, track: track.with_keys(kept)? }
            }
            Channel::Rotation { node, track } => {
                Channel::Rotation { node: *node, track: track.with_keys(kept)? }
            }
            Channel::Scale { node, track } => {
                Channel::Scale { node: *node, track: track.with_keys(kept)? }
            }
            Channel::Weights { node, first, track } => {
                Channel::Weights { node: *node, first: *first, track: track.with_keys(kept)? }
            }
        })
    }

    /// Returns a number that channels have in common if they share their keys.
    pub(super) fn keys_id(&self) -> usize {
        match self {
            Channel::Translation { track, .. } | Channel::Scale { track, .. } => track.id(),
            Channel::Rotation { track, .. } => track.id(),
            Channel::Weights { track, .. } => track.id(),
        }
    }

    /// Returns the size of its times, values and tangents in bytes.
    pub fn bytes(&self) -> usize {
        let keys = self.times().len();
        let (width, value) = match self {
            Channel::Translation { .. } | Channel::Scale { .. } => (1, size_of::<Vec3>()),
            Channel::Rotation { .. } => (1, size_of::<Quat>()),
            Channel::Weights { track, .. } => (track.width(), size_of::<f32>()),
        };
        let lists = if self.interpolation() == Interpolation::CubicSpline { 3 } else { 1 };
        size_of_val(self.times()) + keys * width * value * lists
    }
}

/// A track and the property slot that it drives. The model defines what the slot's values mean.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyChannel {
    /// Index of the slot in the pose.
    pub slot: usize,
    /// As wide as the slot.
    pub track: Track<f32>,
}

#[cfg(test)]
mod tests {
    use super::super::Keys;
    use super::*;

    #[test]
    fn a_channels_size_counts_times_values_and_tangents() {
        let times = || vec![0.0, 1.0, 2.0];
        let turns = Track::new(times(), Keys::Linear(vec![Quat::IDENTITY; 3]), 1).unwrap();
        let turns = Channel::Rotation { node: 0, track: turns };
        assert_eq!(turns.bytes(), 3 * (4 + 16));
        let values = vec![0.0; 6];
        let (in_tangents, out_tangents) = (values.clone(), values.clone());
        let keys = Keys::Cubic { in_tangents, values, out_tangents };
        let weights = Track::new(times(), keys, 2).unwrap();
        let weights = Channel::Weights { node: 0, first: 0, track: weights };
        assert_eq!(weights.bytes(), 3 * (4 + 3 * 2 * 4));
    }
}
