//! Samples poses at every frame into keys.

use std::collections::HashSet;

use glam::{Quat, Vec3};

use super::ExportError;
use rigview_anim::{Channel, Clip, ClipParts, Keys, LocalPose, Track};
use rigview_model::Model;

/// Limit of the numbers in all tracks of a clip: 1 GiB.
const LIMIT: usize = 1 << 28;

/// An animated property of a node.
#[derive(Clone, Copy, PartialEq)]
enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
}

impl Property {
    const ALL: [Self; 4] = [Self::Translation, Self::Rotation, Self::Scale, Self::Weights];

    fn width(self, pose: &LocalPose, node: usize) -> usize {
        match self {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            Property::Weights => pose.weights(node).len(),
        }
    }

    /// Calls `each` with the numbers of a node's property in a pose.
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
struct SampledTrack {
    node: usize,
    property: Property,
    /// The keys' values: one key per time of the clip if `moves`, otherwise a single key.
    values: Vec<f32>,
    /// Whether the property changes during the clip.
    moves: bool,
}

/// Returns the times of a clip's frames: every `1 / fps` seconds from 0, and the exact end.
///
/// # Errors
/// If there are too many for a file.
pub fn frame_times(duration_secs: f32, fps: f64) -> Result<Vec<f32>, ExportError> {
    let end = f64::from(duration_secs.max(0.0));
    let frames = end * fps;
    if frames.is_nan() || frames >= LIMIT as f64 {
        return Err(too_long(end, fps));
    }
    let mut times = vec![0.0f32];
    for frame in 1..=frames as usize {
        let time = (frame as f64 / fps) as f32;
        // Far from 0, adjacent frames can round to the same number.
        if time > times[times.len() - 1] && time < duration_secs {
            times.push(time);
        }
    }
    if duration_secs > 0.0 {
        times.push(duration_secs);
    }
    Ok(times)
}

/// Checks that the keys of a clip fit in the file's budget, which also bounds the sampling time.
///
/// # Errors
/// If the rate is too high, or, as `OverBudget`, if even 60 frames per second are.
pub fn charge_frames(model: &Model, clip: &Clip, fps: f64) -> Result<(), ExportError> {
    let numbers = |channel: &Channel| match channel {
        Channel::Rotation { .. } => 4,
        Channel::Translation { .. } | Channel::Scale { .. } => 3,
        Channel::Weights { node, .. } => model.rest.weights(*node).len(),
    };
    let mut driven = HashSet::new();
    let channels = clip.channels().iter().filter(|c| driven.insert((c.node(), c.path())));
    // Each number is stored in a track and in the output, and both may double while they grow.
    let keys: usize = channels.map(|channel| 16 * numbers(channel)).sum();
    // Each frame poses all nodes.
    let frame = keys + size_of::<f32>() + 2 * model.nodes.len();
    let end = f64::from(clip.duration_secs().max(0.0));
    let fits = |fps: f64| model.budget.holds((end * fps) as usize + 2, frame);
    match (fits(fps), fits(fps.min(USUAL_FPS))) {
        (Ok(()), _) => Ok(()),
        (Err(_), Ok(())) => Err(too_long(end, fps)),
        (Err(_), Err(over)) => Err(ExportError::OverBudget(over)),
    }
}

/// If a clip is too long even at this rate, its duration is at fault and not the requested rate.
const USUAL_FPS: f64 = 60.0;

fn too_long(secs: f64, fps: f64) -> ExportError {
    ExportError::TooLong { secs: secs.to_string(), fps: fps.to_string() }
}

/// How a property changes during a clip.
#[derive(Clone, Copy, Default, PartialEq)]
struct Seen {
    away_from_rest: bool,
    moves: bool,
}

/// Samples a rig at increasing times from 0 into a clip of linear keys, of the properties that leave the rest pose. `pose`
/// writes all nodes at a time in seconds. It is called twice per time, so that memory is only needed for the tracks that are
/// kept. At least one of them has a key per time, so that the clip keeps its duration.
///
/// # Errors
/// If there are no nodes or times, or too many keys for a file.
pub fn sampled_clip(
    name: Option<String>,
    times: &[f32],
    rest: &LocalPose,
    mut pose: impl FnMut(f64, &mut LocalPose),
) -> Result<Clip, ExportError> {
    if rest.is_empty() || times.is_empty() {
        return Err(ExportError::NothingToMove);
    }
    let mut now = rest.clone();
    let mut first = rest.clone();
    pose(f64::from(times[0]), &mut first);
    let mut seen = vec![[Seen::default(); 4]; rest.len()];
    for time in times {
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
                tracks.push(SampledTrack { node, property, values, moves: seen.moves });
            }
        }
    }
    if tracks.is_empty() {
        let (node, property) = (0, Property::Translation);
        tracks.push(SampledTrack { node, property, values: Vec::new(), moves: true });
    }
    if !tracks.iter().any(|track| track.moves) {
        tracks[0].moves = true;
    }
    let keys = |track: &SampledTrack| {
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
            let SampledTrack { node, property, values, .. } = track;
            property.read(&now, *node, &mut |x| values.push(x));
        }
    }
    tracks.iter_mut().filter(|t| t.property == Property::Rotation).for_each(align_rotations);
    let channels = tracks.iter().filter_map(|track| track.channel(times)).collect();
    let (start_secs, duration_secs) = (times[0], times[times.len() - 1]);
    Ok(Clip::new(ClipParts { name, channels, properties: Vec::new(), start_secs, duration_secs }))
}

/// Returns a clip that holds a pose.
///
/// # Errors
/// If there are no nodes.
pub fn clip_of_pose(name: String, rest: &LocalPose, pose: &LocalPose) -> Result<Clip, ExportError> {
    sampled_clip(Some(name), &[0.0], rest, |_, out| out.copy_from(pose))
}

impl SampledTrack {
    /// Returns the track as a channel; `None` for morph weights of a node without any.
    fn channel(&self, times: &[f32]) -> Option<Channel> {
        let Self { node, property, values, moves } = self;
        let times = if *moves { times.to_vec() } else { times[..1].to_vec() };
        let vectors = || values.as_chunks::<3>().0.iter().map(|v| Vec3::from(*v)).collect();
        let node = *node;
        match property {
            Property::Translation => {
                let track = Track::new(times, Keys::Linear(vectors()), 1).ok()?;
                Some(Channel::Translation { node, track })
            }
            Property::Scale => {
                let track = Track::new(times, Keys::Linear(vectors()), 1).ok()?;
                Some(Channel::Scale { node, track })
            }
            Property::Rotation => {
                let turns = values.as_chunks::<4>().0.iter().map(|q| Quat::from_array(*q));
                let track = Track::new(times, Keys::Linear(turns.collect()), 1).ok()?;
                Some(Channel::Rotation { node, track })
            }
            Property::Weights => {
                let width = values.len().checked_div(times.len())?;
                let track = Track::new(times, Keys::Linear(values.clone()), width).ok()?;
                (width > 0).then_some(Channel::Weights { node, first: 0, track })
            }
        }
    }
}

/// Whether a property differs between two poses.
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

/// Normalises rotations and flips each to the hemisphere of the one before, for readers that do not
/// choose the shorter path themselves.
fn align_rotations(track: &mut SampledTrack) {
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
    use glam::{Quat, Vec3};
    use rigview_anim::Transform;

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
    fn only_properties_off_the_rest_pose_are_kept_and_constant_ones_have_one_key() {
        let rest = LocalPose::new(vec![Transform::IDENTITY; 3], &vec![vec![]; 3]);
        let pose = |time: f64, out: &mut LocalPose| {
            out.set_translation(0, Vec3::new(time as f32, 0.0, 0.0));
            out.set_rotation(1, -Quat::from_rotation_x(1.0));
        };
        let keys = |clip: &Clip| -> Vec<(usize, usize)> {
            clip.channels().iter().map(|c| (c.node(), c.times().len())).collect()
        };
        let clip = sampled_clip(None, &[0.0, 1.0, 2.0], &rest, pose).unwrap();
        assert_eq!(keys(&clip), [(0, 3), (1, 1)]);
        let still = sampled_clip(None, &[0.0, 1.0], &rest, |_, _| {}).unwrap();
        assert_eq!(keys(&still), [(0, 2)]);
    }
}
