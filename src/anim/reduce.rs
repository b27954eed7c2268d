//! Key reduction: leaves out the keys that the others already say, within a tolerance.
//!
//! From each key it goes on to the furthest one to which a single piece of the track's own
//! interpolation stays within the tolerance of all that is left out. How far a property may stray is
//! the caller's to say, for each node: what counts is what it does to a vertex at the skin's edge, which
//! nobody here knows.

use glam::Vec3;

use super::rotation::angle_between;
use super::{Channel, Clip, Hermite, Keys, Track, Value};

/// Places in a left-out piece that are compared, beside its keys.
const BETWEEN: usize = 3;

/// How far a node's properties may stray.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// In the parent's lengths.
    pub translation: f64,
    /// Radians.
    pub rotation: f64,
    /// As a share of the scale.
    pub scale: f64,
    /// Of each morph weight.
    pub weights: f64,
}

/// The clip with fewer keys. Its name, length, channels and properties stay; no channel strays further than the
/// tolerance of its node where it was compared: at all keys and at three places between each two.
pub fn reduced(clip: &Clip, tolerance: impl Fn(usize) -> Tolerance) -> Clip {
    let channel = |channel: &Channel| {
        let node = channel.node();
        let most = tolerance(node);
        match channel {
            Channel::Translation { track, .. } => {
                let near =
                    |a: Vec3, b: Vec3| a.as_dvec3().distance(b.as_dvec3()) <= most.translation;
                Channel::Translation { node, track: reduced_track(track, near) }
            }
            Channel::Rotation { track, .. } => {
                let near = |a, b| angle_between(a, b) <= most.rotation;
                Channel::Rotation { node, track: reduced_track(track, near) }
            }
            Channel::Scale { track, .. } => {
                let near = |a: Vec3, b: Vec3| {
                    let off = (a.as_dvec3() - b.as_dvec3()).abs();
                    off.cmple(most.scale * b.as_dvec3().abs()).all()
                };
                Channel::Scale { node, track: reduced_track(track, near) }
            }
            Channel::Weights { first, track, .. } => {
                let near = |a: f32, b: f32| f64::from((a - b).abs()) <= most.weights;
                Channel::Weights { node, first: *first, track: reduced_track(track, near) }
            }
        }
    };
    Clip {
        name: clip.name.clone(),
        channels: clip.channels.iter().map(channel).collect(),
        properties: clip.properties.clone(),
        start_secs: clip.start_secs,
        duration_secs: clip.duration_secs,
        ..Clip::default()
    }
}

/// A track with fewer keys; `near` says whether a value may stand for the second one.
pub fn reduced_track<T: Value>(track: &Track<T>, near: impl Fn(T, T) -> bool) -> Track<T> {
    let last = track.times().len() - 1;
    let mut kept = vec![0];
    while let Some(&from) = kept.last().filter(|from| **from < last) {
        // Twice as far as long as it holds, then between the last that held and the first that did not.
        let (mut holds, mut step) = (from + 1, 2);
        let mut fails = last + 1;
        while holds < last {
            let to = (from + step).min(last);
            if !piece_holds(track, from, to, &near) {
                fails = to;
                break;
            }
            (holds, step) = (to, 2 * step);
        }
        while fails > holds + 1 && fails <= last {
            let middle = holds + (fails - holds) / 2;
            match piece_holds(track, from, middle, &near) {
                true => holds = middle,
                false => fails = middle,
            }
        }
        kept.push(holds);
    }
    if is_constant(track, &near) {
        kept = vec![0];
    }
    with_keys(track, &kept).unwrap_or_else(|| track.clone())
}

/// Whether one piece from a key to another says what the track does between them.
fn piece_holds<T: Value>(
    track: &Track<T>,
    from: usize,
    to: usize,
    near: &impl Fn(T, T) -> bool,
) -> bool {
    let (times, width) = (track.times(), track.width());
    let (start, end) = (f64::from(times[from]), f64::from(times[to]));
    let Some(first) = key(track, from).first().copied() else { return true };
    let mut wanted = vec![first; width];
    (from..to).all(|at| {
        (0..=BETWEEN).all(|step| {
            let (a, b) = (f64::from(times[at]), f64::from(times[at + 1]));
            let time = a + (b - a) * step as f64 / (BETWEEN + 1) as f64;
            track.sample_into(time, &mut wanted);
            let u = (time - start) / (end - start);
            (0..width).all(|i| near(between(track, (from, to), i, u, end - start), wanted[i]))
        })
    })
}

/// What a piece from a key to another gives, `u` of the way.
fn between<T: Value>(
    track: &Track<T>,
    (from, to): (usize, usize),
    value: usize,
    u: f64,
    span: f64,
) -> T {
    let (a, b) = (from * track.width() + value, to * track.width() + value);
    match track.keys() {
        Keys::Step(values) => values[a],
        Keys::Linear(values) => T::lerp(values[a], values[b], u),
        Keys::Cubic { in_tangents, values, out_tangents } => Hermite {
            start: values[a],
            out_tangent: out_tangents[a],
            end: values[b],
            in_tangent: in_tangents[b],
        }
        .at(u, span)
        .prepare(),
    }
}

/// Whether the first key says it all.
fn is_constant<T: Value>(track: &Track<T>, near: &impl Fn(T, T) -> bool) -> bool {
    let (times, width) = (track.times(), track.width());
    let first: Vec<T> = key(track, 0).iter().map(|v| v.prepare()).collect();
    let mut other = first.clone();
    (0..times.len()).all(|at| {
        let next = times.get(at + 1).unwrap_or(&times[at]);
        (0..=BETWEEN).all(|step| {
            let share = step as f64 / (BETWEEN + 1) as f64;
            let time = f64::from(times[at]) + (f64::from(*next) - f64::from(times[at])) * share;
            track.sample_into(time, &mut other);
            (0..width).all(|i| near(first[i], other[i]))
        })
    })
}

/// The values of one key.
fn key<T: Value>(track: &Track<T>, at: usize) -> &[T] {
    let row = at * track.width()..(at + 1) * track.width();
    match track.keys() {
        Keys::Step(v) | Keys::Linear(v) | Keys::Cubic { values: v, .. } => &v[row],
    }
}

/// The track of some of its keys.
fn with_keys<T: Value>(track: &Track<T>, kept: &[usize]) -> Option<Track<T>> {
    let width = track.width();
    let pick = |list: &[T]| -> Vec<T> {
        kept.iter().flat_map(|at| &list[at * width..(at + 1) * width]).copied().collect()
    };
    let keys = match track.keys() {
        Keys::Step(values) => Keys::Step(pick(values)),
        Keys::Linear(values) => Keys::Linear(pick(values)),
        Keys::Cubic { in_tangents, values, out_tangents } => Keys::Cubic {
            in_tangents: pick(in_tangents),
            values: pick(values),
            out_tangents: pick(out_tangents),
        },
    };
    Track::new(kept.iter().map(|at| track.times()[*at]).collect(), keys, width).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use proptest::prelude::*;

    fn near(most: f32) -> impl Fn(f32, f32) -> bool {
        move |a, b| (a - b).abs() <= most
    }

    #[test]
    fn straight_runs_and_constants_fall_together() {
        let times: Vec<f32> = (0..101).map(|i| i as f32 / 10.0).collect();
        let bend = |t: &f32| if *t < 5.0 { *t } else { 5.0 };
        let track =
            Track::new(times.clone(), Keys::Linear(times.iter().map(bend).collect()), 1).unwrap();
        let few = reduced_track(&track, near(1e-4));
        assert_eq!(few.times(), [0.0, 5.0, 10.0]);
        let still = Track::new(times.clone(), Keys::Linear(vec![3.0; 101]), 1).unwrap();
        assert_eq!(reduced_track(&still, near(0.0)).times(), [0.0]);
        let steps = times.iter().map(|t| (t / 2.5).floor()).collect();
        let steps = Track::new(times, Keys::Step(steps), 1).unwrap();
        assert_eq!(reduced_track(&steps, near(0.0)).times(), [0.0, 2.5, 5.0, 7.5, 10.0]);
    }

    proptest! {
        #[test]
        fn what_is_left_stays_within_the_tolerance_everywhere(
            values in prop::collection::vec(-1.0f32..1.0, 2..60),
            kind in 0..3,
            most in 0.0f32..0.5,
        ) {
            let times: Vec<f32> = (0..values.len()).map(|i| 0.25 * i as f32).collect();
            let slopes: Vec<f32> = values.iter().map(|v| 0.5 * v).collect();
            let keys = match kind {
                0 => Keys::Step(values),
                1 => Keys::Linear(values),
                _ => Keys::Cubic { in_tangents: slopes.clone(), values, out_tangents: slopes },
            };
            let track = Track::new(times, keys, 1).unwrap();
            let few = reduced_track(&track, near(most));
            prop_assert!(few.times().len() <= track.times().len());
            // A cubic may stray a little further between the places that were compared.
            let room = if kind == 2 { 1.1 * most + 0.01 } else { most + 1e-6 };
            for i in 0..=600 {
                let time = f64::from(track.end_secs()) * f64::from(i) / 600.0;
                let off = (few.sample(time) - track.sample(time)).abs();
                prop_assert!(off <= room, "{} at {}", off, time);
            }
        }

        #[test]
        fn rotations_stay_within_their_angle(
            turns in prop::collection::vec(prop::array::uniform3(-0.5f32..0.5), 2..40),
            most in 0.001f64..0.2,
        ) {
            let values: Vec<Quat> =
                turns.iter().map(|t| Quat::from_scaled_axis(Vec3::from(*t))).collect();
            let times = (0..values.len()).map(|i| i as f32 / 30.0).collect();
            let track = Track::new(times, Keys::Linear(values), 1).unwrap();
            let few = reduced_track(&track, |a, b| angle_between(a, b) <= most);
            for i in 0..=400 {
                let time = f64::from(track.end_secs()) * f64::from(i) / 400.0;
                let off = angle_between(few.sample(time), track.sample(time));
                prop_assert!(off <= 1.02 * most + 1e-6, "{} of {} at {}", off, most, time);
            }
        }
    }
}
