//! Channels of morph weights that drive all weights of a node, since glTF has no other ones on nodes.

use std::collections::BTreeSet;

use super::resample::{Bends, resampled};
use super::{Channel, Clip, ClipParts, Interpolation, Keys, LocalPose, Track};

/// The largest error of weights whose keys are sampled.
const NEAR: f32 = 1e-5;

/// Limit of the keys of a weight that is sampled. One that needs more has the keys of its curve.
const MOST_KEYS: usize = 1 << 20;

impl Clip {
    /// Returns the clip with one channel at most of morph weights per node, which drives all weights of the node. Weights
    /// that no channel drives hold their rest values. Channels that are joined keep their keys if these agree in times and
    /// interpolation, or are all stepped or all linear; others are sampled.
    pub fn with_whole_weights(&self, rest: &LocalPose) -> Clip {
        let is_whole =
            |channel: &Channel| channel.values() == (0..rest.weights(channel.node()).len());
        let mut weighted = BTreeSet::new();
        let is_weights = |channel: &&Channel| matches!(channel, Channel::Weights { .. });
        let whole = self
            .channels()
            .iter()
            .filter(is_weights)
            .all(|channel| weighted.insert(channel.node()) && is_whole(channel));
        if whole {
            return self.clone();
        }
        let mut done = BTreeSet::new();
        let mut channels = Vec::new();
        for channel in self.channels() {
            match channel {
                Channel::Weights { node, .. } if done.insert(*node) => {
                    channels.extend(joined(self.channels(), *node, rest.weights(*node)));
                }
                Channel::Weights { .. } => {}
                other => channels.push(other.clone()),
            }
        }
        Clip::new(ClipParts { channels, ..self.clone().into_parts() })
    }
}

/// Joins the channels of a node's weights.
fn joined(channels: &[Channel], node: usize, rest: &[f32]) -> Option<Channel> {
    let mut columns: Vec<Option<Track<f32>>> = vec![None; rest.len()];
    for channel in channels.iter().filter(|channel| channel.node() == node) {
        let Channel::Weights { track, .. } = channel else { continue };
        for (column, weight) in channel.values().enumerate() {
            if let Some(place) = columns.get_mut(weight) {
                *place = column_of(track, column);
            }
        }
    }
    let driven: Vec<&Track<f32>> = columns.iter().flatten().collect();
    let first = *driven.first()?;
    let kind = first.keys().interpolation();
    let is_same_kind = driven.iter().all(|track| track.keys().interpolation() == kind);
    let has_same_times = || driven.iter().all(|track| track.times() == first.times());
    let can_join = is_same_kind && (kind != Interpolation::CubicSpline || has_same_times());
    if !can_join {
        for track in columns.iter_mut().flatten() {
            *track = straightened(track);
        }
    }
    let track = side_by_side(&columns, rest)?;
    Some(Channel::Weights { node, first: 0, track })
}

/// Returns one of a track's values as a track of its own.
fn column_of(track: &Track<f32>, column: usize) -> Option<Track<f32>> {
    let pick = |list: &[f32]| -> Vec<f32> {
        list.iter().skip(column).step_by(track.width()).copied().collect()
    };
    Track::new(track.times().to_vec(), track.keys().map(pick, pick), 1).ok()
}

/// Returns a track of a single value with linear keys.
fn straightened(track: &Track<f32>) -> Track<f32> {
    if matches!(track.keys(), Keys::Linear(_)) {
        return track.clone();
    }
    let mut bends = Bends::default();
    bends.add(track);
    let times = bends.sorted();
    let value = |time| track.sample(time);
    let is_near = |a: f32, b: f32| (a - b).abs() <= NEAR;
    let sampled = resampled(&times, MOST_KEYS, value, is_near).ok().flatten();
    let at_keys = || {
        let values = times.iter().map(|time| value(f64::from(*time))).collect();
        Track::new(times.clone(), Keys::Linear(values), 1).ok()
    };
    sampled.or_else(at_keys).unwrap_or_else(|| track.clone())
}

/// Joins tracks of single values with one interpolation, at the times of all of them. Cubic ones have the same times.
fn side_by_side(columns: &[Option<Track<f32>>], rest: &[f32]) -> Option<Track<f32>> {
    let driven = || columns.iter().flatten();
    let mut times: Vec<f32> = driven().flat_map(|track| track.times()).copied().collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    let keys = times.len();
    // Key by key, from one list of values per weight.
    let woven = |lists: Vec<Vec<f32>>| -> Vec<f32> {
        (0..keys).flat_map(|key| lists.iter().map(move |list| list[key])).collect()
    };
    let values = || {
        let list = |(column, rest): (&Option<Track<f32>>, &f32)| match column {
            Some(track) => times.iter().map(|time| track.sample(f64::from(*time))).collect(),
            None => vec![*rest; keys],
        };
        woven(columns.iter().zip(rest).map(list).collect())
    };
    let tangents = |side: fn(&Keys<f32>) -> &[f32]| {
        let list = |column: &Option<Track<f32>>| match column {
            Some(track) => side(track.keys()).to_vec(),
            None => vec![0.0; keys],
        };
        woven(columns.iter().map(list).collect())
    };
    let joined = match driven().next()?.keys() {
        Keys::Step(_) => Keys::Step(values()),
        Keys::Linear(_) => Keys::Linear(values()),
        Keys::Cubic { .. } => Keys::Cubic {
            in_tangents: tangents(in_tangents),
            values: values(),
            out_tangents: tangents(out_tangents),
        },
    };
    Track::new(times.clone(), joined, columns.len()).ok()
}

fn in_tangents(keys: &Keys<f32>) -> &[f32] {
    match keys {
        Keys::Cubic { in_tangents, .. } => in_tangents,
        _ => &[],
    }
}

fn out_tangents(keys: &Keys<f32>) -> &[f32] {
    match keys {
        Keys::Cubic { out_tangents, .. } => out_tangents,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(first: usize, times: &[f32], keys: Keys<f32>) -> Channel {
        let track = Track::new(times.to_vec(), keys, 1).unwrap();
        Channel::Weights { node: 0, first, track }
    }

    fn cubic(values: [f32; 2]) -> Keys<f32> {
        let (in_tangents, out_tangents) = (vec![0.0, 3.0], vec![-2.0, 0.0]);
        Keys::Cubic { in_tangents, values: values.to_vec(), out_tangents }
    }

    /// Returns the only channel of a clip of these channels, after it was compared with them at many times.
    fn whole(channels: Vec<Channel>) -> Track<f32> {
        let rest =
            LocalPose::new(vec![super::super::Transform::IDENTITY], &[vec![0.5, 0.25, 0.75]]);
        let clip = Clip::new(ClipParts { channels, ..ClipParts::default() });
        let whole = clip.with_whole_weights(&rest);
        for step in 0..=400 {
            let (mut a, mut b) = (rest.clone(), rest.clone());
            let time = f64::from(step) / 100.0;
            clip.sample(time, &mut a);
            whole.sample(time, &mut b);
            let off = (0..3).map(|i| (a.weights(0)[i] - b.weights(0)[i]).abs());
            assert!(off.fold(0.0, f32::max) < 1e-4, "at {time}: {a:?} {b:?}");
        }
        let [Channel::Weights { first: 0, track, .. }] = whole.channels() else {
            panic!("{:?}", whole.channels());
        };
        assert_eq!(track.width(), 3);
        track.clone()
    }

    #[test]
    fn keys_that_agree_are_kept_and_other_weights_rest() {
        let one = whole(vec![weight(1, &[0.0, 1.0], cubic([0.0, 1.0]))]);
        let tangents = |at: f32, end: f32| vec![0.0, at, 0.0, 0.0, end, 0.0];
        let keys = Keys::Cubic {
            in_tangents: tangents(0.0, 3.0),
            values: vec![0.5, 0.0, 0.75, 0.5, 1.0, 0.75],
            out_tangents: tangents(-2.0, 0.0),
        };
        assert_eq!(one.keys(), &keys);
        let linear = |to| Keys::Linear(vec![0.0, to]);
        let two = whole(vec![
            weight(0, &[0.0, 1.0], linear(1.0)),
            weight(2, &[0.5, 2.0], linear(3.0)),
            weight(0, &[0.0, 4.0], linear(2.0)),
        ]);
        assert_eq!(two.times(), [0.0, 0.5, 2.0, 4.0]);
    }

    #[test]
    fn keys_that_disagree_are_sampled() {
        let step = || Keys::Step(vec![0.0, 1.0]);
        let steps = whole(vec![weight(0, &[0.0, 1.0], step()), weight(1, &[0.5, 3.0], step())]);
        assert_eq!(steps.keys().interpolation(), Interpolation::Step);
        for other in [cubic([1.0, 2.0]), step()] {
            let mixed = [weight(0, &[0.0, 1.0], cubic([0.0, 1.0])), weight(2, &[0.0, 3.0], other)];
            assert_eq!(whole(mixed.to_vec()).keys().interpolation(), Interpolation::Linear);
        }
    }

    #[test]
    fn whole_channels_stay() {
        let rest = LocalPose::new(vec![super::super::Transform::IDENTITY], &[vec![0.5]]);
        let channels = vec![weight(0, &[0.0, 1.0], cubic([0.0, 1.0]))];
        let clip = Clip::new(ClipParts { channels, ..ClipParts::default() });
        assert_eq!(clip.with_whole_weights(&rest), clip);
    }
}
