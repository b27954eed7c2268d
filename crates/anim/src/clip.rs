//! A clip: one glTF animation.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::cursor::find;
use super::frames::ClipFrames;
use super::kernel::run;
use super::prepare::prepare;
use super::sampling::Sampling;
use super::{Channel, Cursor, LocalPose, PropertyChannel};

/// One glTF animation. It starts at 0 s and all its channels share one clock; a channel that ends
/// early holds its last key.
///
/// A clip never changes. To edit one, take its [`ClipParts`] and make another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    parts: ClipParts,
    frames: FramesByRig,
}

/// The name of the clip that plays all clips of a file at once.
pub const ALL_CLIPS: &str = "All clips";

/// Everything that a [`Clip`] is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipParts {
    /// The name in the file.
    pub name: Option<String>,
    /// Channels of nodes in file order. If several have the same target, the last one wins.
    pub channels: Vec<Channel>,
    /// Channels of property slots in file order.
    pub properties: Vec<PropertyChannel>,
    /// Time of the first key of any channel in seconds.
    pub start_secs: f32,
    /// Time of the last key in seconds, 0 without keys. Keys of channels that the importer skipped
    /// count too.
    pub duration_secs: f32,
}

/// The prepared forms of a clip, one per rig size it was used with. Derived data: a copy starts
/// empty, and any two compare equal.
#[derive(Debug, Default)]
struct FramesByRig {
    frames: OnceLock<ClipFrames>,
    /// The forms for further rig sizes. Nearly every clip is used with one size only.
    others: OnceLock<Box<FramesByRig>>,
}

impl FramesByRig {
    fn get(&self, channels: &[Channel], nodes: usize) -> &ClipFrames {
        let mut at = self;
        loop {
            let frames = at.frames.get_or_init(|| prepare(channels, nodes));
            if frames.nodes == nodes {
                return frames;
            }
            at = at.others.get_or_init(Box::default);
        }
    }
}

impl Clone for FramesByRig {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for FramesByRig {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Clip {
    /// Makes a clip.
    pub fn new(parts: ClipParts) -> Self {
        Self { parts, frames: FramesByRig::default() }
    }

    /// Takes the clip apart, to make another from it.
    pub fn into_parts(self) -> ClipParts {
        self.parts
    }

    /// Makes one clip of several that play at the same time, each from its own start. If several
    /// drive the same target, the last one wins. The result lasts as long as the longest clip; the
    /// others hold their last keys.
    pub fn all_at_once(clips: &[Self]) -> Self {
        let mut seen = HashSet::new();
        let all = clips.iter().flat_map(Self::channels);
        let last = all.rev().filter(|channel| seen.insert(channel.target()));
        let mut channels: Vec<Channel> = last.cloned().collect();
        channels.reverse();
        let mut seen = HashSet::new();
        let all = clips.iter().flat_map(Self::properties);
        let last = all.rev().filter(|property| seen.insert(property.slot));
        let mut properties: Vec<PropertyChannel> = last.cloned().collect();
        properties.reverse();
        Self::new(ClipParts {
            name: Some(ALL_CLIPS.into()),
            channels,
            properties,
            start_secs: clips.iter().map(Self::start_secs).reduce(f32::min).unwrap_or(0.0),
            duration_secs: clips.iter().map(Self::duration_secs).fold(0.0, f32::max),
        })
    }

    /// Returns the name in the file.
    pub fn name(&self) -> Option<&str> {
        self.parts.name.as_deref()
    }

    /// Returns the channels of nodes in file order.
    #[inline]
    pub fn channels(&self) -> &[Channel] {
        &self.parts.channels
    }

    /// Returns the channels of property slots in file order.
    pub fn properties(&self) -> &[PropertyChannel] {
        &self.parts.properties
    }

    /// Returns the time of the first key in seconds.
    pub fn start_secs(&self) -> f32 {
        self.parts.start_secs
    }

    /// Returns the time of the last key in seconds, the length of the clip.
    #[inline]
    pub fn duration_secs(&self) -> f32 {
        self.parts.duration_secs
    }

    /// Whether it drives nothing: with it, a rig is in its rest pose.
    pub fn is_empty(&self) -> bool {
        self.channels().is_empty() && self.properties().is_empty()
    }

    /// Returns the times of all keys in seconds, channel by channel.
    pub fn key_times(&self) -> impl Iterator<Item = f32> {
        let of_nodes = self.channels().iter().flat_map(Channel::times);
        of_nodes.chain(self.properties().iter().flat_map(|p| p.track.times())).copied()
    }

    /// Poses a rig: writes the rest pose into `out`, overwritten by the clip at a time. The result is
    /// that of [`Clip::sample`] to within a millionth, several times faster. At a key's time it is
    /// the key, bit for bit. Times outside the clip give its ends; NaN counts as 0.
    ///
    /// Allocates only for a new rig size ([`Clip::prepare`]) and for a new cursor.
    ///
    /// # Panics
    /// If a channel drives a node or morph weight that the rig lacks, or if `out` is a pose of
    /// another rig.
    pub fn pose(&self, time_secs: f64, rest: &LocalPose, cursor: &mut Cursor, out: &mut LocalPose) {
        run(self.sampling(time_secs, rest, cursor, out));
        self.sample_properties(time_secs, out);
    }

    /// Poses a rig like [`Clip::pose`], with one kernel and without properties.
    #[cfg(test)]
    pub(super) fn pose_with<L: super::lanes::Lanes>(
        &self,
        time_secs: f64,
        rest: &LocalPose,
        cursor: &mut Cursor,
        out: &mut LocalPose,
    ) {
        use super::lanes::Work;
        self.sampling(time_secs, rest, cursor, out).run::<L>();
    }

    /// Copies the rest pose's weights and properties to `out` and moves the cursor to the time.
    fn sampling<'a>(
        &'a self,
        time_secs: f64,
        rest: &'a LocalPose,
        cursor: &'a mut Cursor,
        out: &'a mut LocalPose,
    ) -> Sampling<'a> {
        let time = if time_secs.is_nan() { 0.0 } else { time_secs };
        let frames = self.prepare(rest.len());
        out.copy_weights_from(rest);
        cursor.frame = find(&frames.times, cursor.frame, time);
        cursor.keys.resize(frames.separate_channels(), 0);
        Sampling { channels: self.channels(), frames, time, rest, cursor, out }
    }

    /// Lays the keys out for fast sampling on rigs of this many nodes and keeps the result;
    /// later calls return it. [`Clip::pose`] does this at its first use; call it earlier to keep
    /// the work out of the first frame.
    ///
    /// # Panics
    /// If a channel drives a node that such a rig lacks.
    pub fn prepare(&self, nodes: usize) -> &ClipFrames {
        self.frames.get(self.channels(), nodes)
    }

    /// Overwrites what the clip drives with its values at a time, track by track; the rest of
    /// the pose stays. Start from the rest pose. Times outside the clip give its ends.
    ///
    /// This is the reference implementation that tests and benches compare with. Everything else
    /// calls the faster [`Clip::pose`].
    ///
    /// # Panics
    /// If a channel drives a node or morph weight that the pose lacks.
    pub fn sample(&self, time_secs: f64, pose: &mut LocalPose) {
        for channel in self.channels() {
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

    fn sample_properties(&self, time_secs: f64, pose: &mut LocalPose) {
        for PropertyChannel { slot, track } in self.properties() {
            track.sample_into(time_secs, pose.property_mut(*slot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keys, Track, Transform};
    use glam::{Quat, Vec3};

    fn rest() -> LocalPose {
        let node = Transform { translation: Vec3::X, ..Transform::IDENTITY };
        LocalPose::new(vec![node; 2], &[vec![], vec![0.5, 0.25]])
    }

    fn clip(channels: Vec<Channel>) -> Clip {
        Clip::new(ClipParts { channels, ..ClipParts::default() })
    }

    #[test]
    fn what_no_channel_drives_keeps_its_rest_value() {
        let track = Track::new(vec![0.0], Keys::Step(vec![Quat::from_rotation_x(1.0)]), 1).unwrap();
        let clip = clip(vec![Channel::Rotation { node: 0, track }]);
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
        let clip = clip(vec![
            Channel::Weights { node: 1, first: 0, track: short },
            Channel::Scale { node: 1, track: long },
        ]);
        let mut pose = rest();
        clip.sample(3.0, &mut pose);
        assert_eq!(pose.weights(1), [2.0, 3.0]);
        assert_eq!(pose.transform(1).scale, Vec3::splat(0.75));
        clip.sample(0.5, &mut pose);
        assert_eq!(pose.weights(1), [0.0, 1.0]);
    }

    fn moving_clip() -> Clip {
        let keys = Keys::Linear(vec![Vec3::ZERO, Vec3::ONE]);
        let track = Track::new(vec![0.0, 2.0], keys, 1).unwrap();
        clip(vec![Channel::Translation { node: 1, track }])
    }

    fn posed(clip: &Clip, rest: &LocalPose) -> LocalPose {
        let mut out = rest.clone();
        clip.pose(1.0, rest, &mut Cursor::default(), &mut out);
        out
    }

    #[test]
    fn one_clip_poses_rigs_of_any_sizes_in_any_order() {
        let clip = moving_clip();
        for nodes in [2, 9, 40, 2, 9, 3] {
            let node = |i: usize| Transform {
                translation: Vec3::splat(i as f32),
                scale: Vec3::splat(2.0),
                ..Transform::IDENTITY
            };
            let rest = LocalPose::new((0..nodes).map(node).collect(), &vec![vec![]; nodes]);
            let mut want = rest.clone();
            want.set_translation(1, Vec3::splat(0.5));
            assert_eq!(posed(&clip, &rest), want, "{nodes} nodes");
            assert!(std::ptr::eq(clip.prepare(nodes), clip.prepare(nodes)), "prepared twice");
        }
    }

    #[test]
    fn a_clip_made_from_the_parts_of_a_used_one_shows_the_edit() {
        let clip = moving_clip();
        assert_eq!(posed(&clip, &rest()).transform(1).translation, Vec3::splat(0.5));
        let mut parts = clip.clone().into_parts();
        parts.channels.clear();
        let edited = Clip::new(parts);
        assert_eq!(posed(&edited, &rest()), rest());
        assert!(edited.is_empty() && edited != clip);
        assert_eq!(clip.clone(), clip);
    }

    #[test]
    #[should_panic(expected = "a channel drives node 1; node count of the rig: 1")]
    fn a_rig_without_a_driven_node_is_named() {
        moving_clip().prepare(1);
    }

    #[test]
    fn key_times_are_those_of_all_channels() {
        let track = Track::new(vec![0.5, 3.0], Keys::Linear(vec![1.0, 2.0]), 1).unwrap();
        let properties = vec![PropertyChannel { slot: 0, track }];
        let parts = ClipParts { properties, ..moving_clip().into_parts() };
        let times: Vec<f32> = Clip::new(parts).key_times().collect();
        assert_eq!(times, [0.0, 2.0, 0.5, 3.0]);
    }
}
