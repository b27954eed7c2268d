//! Sampling: a pose at every frame to keys.

use std::collections::HashSet;

use super::ExportError;
use crate::anim::{Channel, Clip, LocalPose};
use crate::model::Model;

/// Numbers in all tracks of a clip, at most: 1 GiB.
const LIMIT: usize = 1 << 28;

/// A property of a node, by glTF's paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Three numbers.
    Translation,
    /// Four: a unit quaternion.
    Rotation,
    /// Three numbers.
    Scale,
    /// As many as the node has morph targets.
    Weights,
}

impl Property {
    const ALL: [Self; 4] = [Self::Translation, Self::Rotation, Self::Scale, Self::Weights];

    /// glTF's word for it.
    pub fn path(self) -> &'static str {
        match self {
            Property::Translation => "translation",
            Property::Rotation => "rotation",
            Property::Scale => "scale",
            Property::Weights => "weights",
        }
    }

    fn width(self, pose: &LocalPose, node: usize) -> usize {
        match self {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => pose.weights(node).len(),
        }
    }

    /// A node's numbers in a pose.
    fn read(self, pose: &LocalPose, node: usize, each: &mut dyn FnMut(f32)) {
        let at = pose.transform(node);
        match self {
            Property::Translation => at.translation.to_array().into_iter().for_each(each),
            Property::Rotation => at.rotation.to_array().into_iter().for_each(each),
            Property::Scale => at.scale.to_array().into_iter().for_each(each),
            Property::Weights => pose.weights(node).iter().copied().for_each(each),
        }
    }
}

/// Keys of one property of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedTrack {
    /// Which node.
    pub node: usize,
    /// Which of its properties.
    pub property: Property,
    /// Key by key: one at each of the clip's times, or a single one for all of it.
    pub values: Vec<f32>,
    /// Whether the values are of all times.
    pub moves: bool,
}

/// A clip of linear keys at even times.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedClip {
    /// What it is called.
    pub name: Option<String>,
    /// The instants, increasing from 0.
    pub times: Vec<f32>,
    /// What is not at rest at some instant. At least one moves, so that the clip keeps its length.
    pub tracks: Vec<BakedTrack>,
}

/// The instants of a clip's frames: one each `1 / fps` seconds from 0, and its exact end.
///
/// # Errors
/// When there are too many for a file.
pub fn frame_times(duration_secs: f32, fps: f64) -> Result<Vec<f32>, ExportError> {
    let end = f64::from(duration_secs.max(0.0));
    let frames = end * fps;
    if frames.is_nan() || frames >= LIMIT as f64 {
        return Err(too_long(end, fps));
    }
    let mut times = vec![0.0f32];
    for frame in 1..=frames as usize {
        let time = (frame as f64 / fps) as f32;
        // Far from 0 single precision can't tell frames apart.
        if time > times[times.len() - 1] && time < duration_secs {
            times.push(time);
        }
    }
    if duration_secs > 0.0 {
        times.push(duration_secs);
    }
    Ok(times)
}

/// Checks that there is room for the keys of a clip at a rate, and that sampling them ends soon.
///
/// # Errors
/// When the rate is too high; when even the usual one is, as over budget.
pub fn charge_frames(model: &Model, clip: &Clip, fps: f64) -> Result<(), ExportError> {
    let numbers = |channel: &Channel| match channel {
        Channel::Rotation { .. } => 4,
        Channel::Translation { .. } | Channel::Scale { .. } => 3,
        Channel::Weights { node, .. } => model.rest.weights(*node).len(),
    };
    let mut driven = HashSet::new();
    let channels = clip.channels().iter().filter(|c| driven.insert((c.node(), c.path())));
    // A number is in a track, in the file's bytes, and in both again while these grow.
    let keys: usize = channels.map(|channel| 16 * numbers(channel)).sum();
    // Every frame poses all nodes.
    let frame = keys + size_of::<f32>() + 2 * model.nodes.len();
    let end = f64::from(clip.duration_secs().max(0.0));
    let fits = |fps: f64| model.budget.holds((end * fps) as usize + 2, frame);
    match (fits(fps), fits(fps.min(USUAL_FPS))) {
        (Ok(()), _) => Ok(()),
        (Err(_), Ok(())) => Err(too_long(end, fps)),
        (Err(_), Err(over)) => Err(ExportError::OverBudget(over)),
    }
}

/// Frames a second that a clip must bear for its length not to be at fault.
const USUAL_FPS: f64 = 60.0;

fn too_long(secs: f64, fps: f64) -> ExportError {
    ExportError::TooLong { secs: secs.to_string(), fps: fps.to_string() }
}

/// What a property does in a clip.
#[derive(Clone, Copy, Default, PartialEq)]
struct Seen {
    away_from_rest: bool,
    moves: bool,
}

impl BakedClip {
    /// Samples whatever poses the rig: `pose` fills in all nodes at an instant. It is asked twice
    /// for each, so that only what is kept takes room.
    ///
    /// # Errors
    /// When there is no node, or there are more keys than a file holds.
    pub fn of(
        name: Option<String>,
        times: Vec<f32>,
        rest: &LocalPose,
        mut pose: impl FnMut(f64, &mut LocalPose),
    ) -> Result<Self, ExportError> {
        if rest.is_empty() || times.is_empty() {
            return Err(ExportError::NothingToMove);
        }
        let mut now = rest.clone();
        let mut first = rest.clone();
        pose(f64::from(times[0]), &mut first);
        let mut seen = vec![[Seen::default(); 4]; rest.len()];
        for time in &times {
            pose(f64::from(*time), &mut now);
            for (node, seen) in seen.iter_mut().enumerate() {
                for (seen, property) in seen.iter_mut().zip(Property::ALL) {
                    seen.away_from_rest |= differ(property, node, &now, rest);
                    seen.moves |= differ(property, node, &now, &first);
                }
            }
        }
        let mut tracks = Vec::new();
        for (node, seen) in seen.iter().enumerate() {
            for (seen, property) in seen.iter().zip(Property::ALL) {
                if seen.away_from_rest {
                    let values = Vec::new();
                    tracks.push(BakedTrack { node, property, values, moves: seen.moves });
                }
            }
        }
        if tracks.is_empty() {
            let (node, property) = (0, Property::Translation);
            tracks.push(BakedTrack { node, property, values: Vec::new(), moves: true });
        }
        if !tracks.iter().any(|track| track.moves) {
            tracks[0].moves = true;
        }
        let keys = |track: &BakedTrack| {
            let width = track.property.width(rest, track.node);
            if track.moves { width * times.len() } else { width }
        };
        if tracks.iter().map(keys).fold(0, usize::saturating_add) > LIMIT {
            let end = f64::from(times[times.len() - 1]);
            return Err(too_long(end, times.len() as f64 / end));
        }
        for (frame, time) in times.iter().enumerate() {
            pose(f64::from(*time), &mut now);
            for track in tracks.iter_mut().filter(|track| frame == 0 || track.moves) {
                let BakedTrack { node, property, values, .. } = track;
                property.read(&now, *node, &mut |x| values.push(x));
            }
        }
        tracks.iter_mut().filter(|t| t.property == Property::Rotation).for_each(follow);
        Ok(Self { name, times, tracks })
    }
}

/// Whether a property has other bits in two poses.
fn differ(property: Property, node: usize, a: &LocalPose, b: &LocalPose) -> bool {
    match property {
        Property::Weights => {
            let bits = |pose: &LocalPose, i: usize| pose.weights(node)[i].to_bits();
            (0..a.weights(node).len()).any(|i| bits(a, i) != bits(b, i))
        }
        _ => {
            let (a, b) = (a.transform(node), b.transform(node));
            match property {
                Property::Translation => a.translation != b.translation,
                Property::Rotation => a.rotation != b.rotation,
                _ => a.scale != b.scale,
            }
        }
    }
}

/// Brings rotations to length 1, each to the side of the one before: readers that don't look for
/// the shorter way go it too.
fn follow(track: &mut BakedTrack) {
    let mut before = [0.0; 4];
    let (keys, _) = track.values.as_chunks_mut::<4>();
    for key in keys {
        let dot = |a: &[f32; 4], b: &[f32; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let length = dot(key, key).sqrt();
        let side = if dot(key, &before) < 0.0 { -1.0 } else { 1.0 };
        if length > 0.0 && length.is_finite() {
            key.iter_mut().for_each(|x| *x *= side / length);
        }
        before = *key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Transform;
    use glam::{Quat, Vec3};

    #[test]
    fn frames_are_even_and_the_end_is_exact() {
        assert_eq!(frame_times(0.1, 30.0).unwrap(), [0.0, 1.0 / 30.0, 2.0 / 30.0, 0.1]);
        assert_eq!(frame_times(0.05, 10.0).unwrap(), [0.0, 0.05]);
        assert_eq!(frame_times(1.0, 2.0).unwrap(), [0.0, 0.5, 1.0]);
        assert_eq!(frame_times(0.0, 30.0).unwrap(), [0.0]);
        let long = frame_times(2e6, 60.0).unwrap();
        assert!(long.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(frame_times(f32::MAX, 30.0).is_err());
    }

    #[test]
    fn only_what_leaves_the_rest_pose_is_kept_and_what_stands_there_needs_one_key() {
        let rest = LocalPose::new(vec![Transform::IDENTITY; 3], &vec![vec![]; 3]);
        let pose = |time: f64, out: &mut LocalPose| {
            out.set_translation(0, Vec3::new(time as f32, 0.0, 0.0));
            out.set_rotation(1, -Quat::from_rotation_x(1.0));
        };
        let clip = BakedClip::of(None, vec![0.0, 1.0, 2.0], &rest, pose).unwrap();
        let lengths: Vec<_> = clip.tracks.iter().map(|t| (t.node, t.values.len())).collect();
        assert_eq!(lengths, [(0, 9), (1, 4)]);
        let still = BakedClip::of(None, vec![0.0, 1.0], &rest, |_, _| {}).unwrap();
        assert_eq!((still.tracks.len(), still.tracks[0].values.len()), (1, 6));
    }
}
