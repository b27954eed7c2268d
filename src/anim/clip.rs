//! A clip: what one glTF animation does to which nodes.

use std::collections::HashSet;
use std::ops::Range;

use glam::{Quat, Vec3};

use super::{Interpolation, LocalPose, Prepared, Track};

/// A track and the property of a node that it drives.
#[derive(Clone, Debug, PartialEq)]
pub enum Channel {
    /// Moves a node.
    Translation {
        /// Which node.
        node: usize,
        /// In the parent's lengths.
        track: Track<Vec3>,
    },
    /// Turns a node.
    Rotation {
        /// Which node.
        node: usize,
        /// Unit quaternions.
        track: Track<Quat>,
    },
    /// Scales a node.
    Scale {
        /// Which node.
        node: usize,
        /// Factors.
        track: Track<Vec3>,
    },
    /// Blends a node's morph targets, or some of them.
    Weights {
        /// Which node.
        node: usize,
        /// The first of its morph weights that is driven.
        first: usize,
        /// As wide as weights are driven: that one and those behind it.
        track: Track<f32>,
    },
}

impl Channel {
    /// The node it drives.
    pub fn node(&self) -> usize {
        match self {
            Channel::Translation { node, .. }
            | Channel::Rotation { node, .. }
            | Channel::Scale { node, .. }
            | Channel::Weights { node, .. } => *node,
        }
    }

    /// glTF's word for the property it drives.
    pub fn path(&self) -> &'static str {
        match self {
            Channel::Translation { .. } => "translation",
            Channel::Rotation { .. } => "rotation",
            Channel::Scale { .. } => "scale",
            Channel::Weights { .. } => "weights",
        }
    }

    /// Which of the property's values it drives: of morph weights perhaps not all.
    pub fn values(&self) -> Range<usize> {
        match self {
            Channel::Weights { first, track, .. } => *first..first + track.width(),
            _ => 0..1,
        }
    }

    /// What it drives, to tell whether another drives the very same.
    pub(super) fn target(&self) -> (usize, &'static str, usize, usize) {
        let values = self.values();
        (self.node(), self.path(), values.start, values.end)
    }

    /// How it goes from key to key.
    pub fn interpolation(&self) -> Interpolation {
        match self {
            Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
                track.keys().interpolation()
            }
            Channel::Rotation { track, .. } => track.keys().interpolation(),
            Channel::Weights { track, .. } => track.keys().interpolation(),
        }
    }

    /// Its keys' times in seconds.
    pub fn times(&self) -> &[f32] {
        match self {
            Channel::Translation { track, .. } | Channel::Scale { track, .. } => track.times(),
            Channel::Rotation { track, .. } => track.times(),
            Channel::Weights { track, .. } => track.times(),
        }
    }
}

/// A track and the property slot that it drives: a number or several whose meaning is the model's.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyChannel {
    /// Which slot of the pose.
    pub slot: usize,
    /// As wide as the slot.
    pub track: Track<f32>,
}

/// One glTF animation. It starts at 0 and all its channels share one clock: those that end early
/// hold their last key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// The file's name for it.
    pub name: Option<String>,
    /// In file order; of two on one target the later wins.
    pub channels: Vec<Channel>,
    /// What drives properties that are no node's transform or weights, in file order.
    pub properties: Vec<PropertyChannel>,
    /// The first key of any channel.
    pub start_secs: f32,
    /// The last key of any sampler that a channel of the file uses, also of a channel that was
    /// left out. 0 where there is none.
    pub duration_secs: f32,
    /// Made of the channels at the first [`Clip::pose`]: they don't change after it. Begin with
    /// the default.
    pub prepared: Prepared,
}

impl Clip {
    /// All clips on one clock, each from its own start: of two channels on one target the later clip's is
    /// left. It lasts as long as the longest; the others hold their last keys.
    pub fn all_at_once(clips: &[Self]) -> Self {
        let mut seen = HashSet::new();
        let all = clips.iter().flat_map(|clip| &clip.channels);
        let last = all.rev().filter(|channel| seen.insert(channel.target()));
        let mut channels: Vec<Channel> = last.cloned().collect();
        channels.reverse();
        let mut seen = HashSet::new();
        let all = clips.iter().flat_map(|clip| &clip.properties);
        let last = all.rev().filter(|property| seen.insert(property.slot));
        let mut properties: Vec<PropertyChannel> = last.cloned().collect();
        properties.reverse();
        let longest = |longest: f32, clip: &Self| longest.max(clip.duration_secs);
        Self {
            name: Some("All clips".into()),
            channels,
            properties,
            start_secs: clips.iter().map(|clip| clip.start_secs).reduce(f32::min).unwrap_or(0.0),
            duration_secs: clips.iter().fold(0.0, longest),
            ..Self::default()
        }
    }

    /// The plain evaluator, which tests and benches compare [`Clip::pose`] with; everything else
    /// uses that. Overwrites what the clip's channels drive with their values at a time; the rest of the pose
    /// stays, so start from the rest pose. Times outside the clip give its ends.
    ///
    /// # Panics
    /// When a channel's node is not in the pose or has fewer morph targets.
    pub fn sample(&self, time_secs: f64, pose: &mut LocalPose) {
        for channel in &self.channels {
            match channel {
                Channel::Translation { node, track } => {
                    pose.set_translation(*node, track.sample(time_secs));
                }
                Channel::Rotation { node, track } => {
                    pose.set_rotation(*node, track.sample(time_secs));
                }
                Channel::Scale { node, track } => {
                    pose.set_scale(*node, track.sample(time_secs));
                }
                Channel::Weights { node, track, .. } => {
                    track.sample_into(time_secs, &mut pose.weights_mut(*node)[channel.values()]);
                }
            }
        }
        self.sample_properties(time_secs, pose);
    }

    /// The same for property slots alone.
    pub(super) fn sample_properties(&self, time_secs: f64, pose: &mut LocalPose) {
        for PropertyChannel { slot, track } in &self.properties {
            track.sample_into(time_secs, pose.property_mut(*slot));
        }
    }

    /// Whether it moves nothing at all: with it, a rig is in its rest pose.
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty() && self.properties.is_empty()
    }

    /// The times of all keys, channel by channel.
    pub fn key_times(&self) -> impl Iterator<Item = f32> {
        let of_nodes = self.channels.iter().flat_map(Channel::times);
        of_nodes.chain(self.properties.iter().flat_map(|p| p.track.times())).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::{Keys, Transform};

    fn rest() -> LocalPose {
        let node = Transform { translation: Vec3::X, ..Transform::IDENTITY };
        LocalPose::new(vec![node; 2], &[vec![], vec![0.5, 0.25]])
    }

    #[test]
    fn what_no_channel_drives_keeps_its_rest_value() {
        let track = Track::new(vec![0.0], Keys::Step(vec![Quat::from_rotation_x(1.0)]), 1).unwrap();
        let clip = Clip { channels: vec![Channel::Rotation { node: 0, track }], ..Clip::default() };
        let mut pose = rest();
        clip.sample(0.0, &mut pose);
        assert_eq!(pose.transform(0).translation, Vec3::X);
        assert_eq!(pose.transform(1), rest().transform(1));
        assert_eq!(pose.weights(1), [0.5, 0.25]);
        assert_ne!(pose.transform(0).rotation, Quat::IDENTITY);
    }

    #[test]
    fn channels_share_one_clock_and_hold_after_their_own_end() {
        let short = Track::new(vec![1.0, 2.0], Keys::Linear(vec![0.0, 1.0, 2.0, 3.0]), 2).unwrap();
        let long =
            Track::new(vec![0.0, 4.0], Keys::Linear(vec![Vec3::ZERO, Vec3::ONE]), 1).unwrap();
        let clip = Clip {
            channels: vec![
                Channel::Weights { node: 1, first: 0, track: short },
                Channel::Scale { node: 1, track: long },
            ],
            duration_secs: 4.0,
            ..Clip::default()
        };
        let mut pose = rest();
        clip.sample(3.0, &mut pose);
        assert_eq!(pose.weights(1), [2.0, 3.0]);
        assert_eq!(pose.transform(1).scale, Vec3::splat(0.75));
        clip.sample(0.5, &mut pose);
        assert_eq!(pose.weights(1), [0.0, 1.0]);
    }
}
