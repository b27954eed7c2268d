//! Rules of keys that say nothing: KEYS_STILL, KEYS_SPARE.

use glam::{Quat, Vec3};

use super::take::Take;
use super::{Code, Finding};
use crate::anim::rotation::{angle_between, nearer};
use crate::anim::{Channel, Interpolation, Keys, Track, Value};
use crate::report::counted;

/// The largest difference of a key from the rest value, relative to numbers above 1.
const STILL: f32 = 1e-6;

/// The largest difference of a key from what the others say: in the value's unit, or in radians.
const SPARE: f64 = 1e-5;

pub(super) fn findings(take: &Take) -> Vec<Finding> {
    let channels = take.clip.channels().iter();
    let found =
        channels.filter_map(|channel| still(take, channel).or_else(|| spare(take, channel)));
    found.filter(|finding| finding.value > finding.limit).collect()
}

fn still(take: &Take, channel: &Channel) -> Option<Finding> {
    let rest = &take.rig.model.rest;
    let node = channel.node();
    let is_still = match channel {
        Channel::Translation { track, .. } => {
            is_still(track, &[rest.transform(node).translation], near)
        }
        Channel::Scale { track, .. } => is_still(track, &[rest.transform(node).scale], near),
        Channel::Rotation { track, .. } => {
            let near = |a: Quat, b: Quat| {
                let (a, b) = (a.prepare(), b.prepare());
                (nearer(b, a) - b).to_array().iter().all(|x| x.abs() <= STILL)
            };
            is_still(track, &[rest.transform(node).rotation], near)
        }
        Channel::Weights { track, .. } => {
            let near = |a: f32, b: f32| (a - b).abs() <= STILL * b.abs().max(1.0);
            is_still(track, rest.weights(node).get(channel.values())?, near)
        }
    };
    if !is_still {
        return None;
    }
    let keys = channel.times().len();
    let text = format!(
        "{} of the {} of {} in {} {} the rest value",
        counted(keys, "key"),
        channel.path(),
        take.rig.called(node),
        take.called(),
        if keys == 1 { "equals" } else { "equal" },
    );
    Some(finding(Code::KeysStill, text, take, channel, keys))
}

fn near(a: Vec3, b: Vec3) -> bool {
    (a - b).abs().cmple(STILL * b.abs().max(Vec3::ONE)).all()
}

/// Whether all keys equal the rest values, and a cubic curve does so between them too.
fn is_still<T: Value>(track: &Track<T>, rest: &[T], near: impl Fn(T, T) -> bool) -> bool {
    let equal = |key: &[T]| key.iter().zip(rest).all(|(a, b)| near(*a, *b));
    let width = track.width().max(1);
    match track.keys() {
        Keys::Step(values) | Keys::Linear(values) => values.chunks_exact(width).all(equal),
        Keys::Cubic { values, .. } => {
            let mut between = rest.to_vec();
            values.chunks_exact(width).all(&equal)
                && track.times().windows(2).all(|pair| {
                    [0.25, 0.5, 0.75].into_iter().all(|u| {
                        let [start, end] = [pair[0], pair[1]].map(f64::from);
                        track.sample_into(start + u * (end - start), &mut between);
                        equal(&between)
                    })
                })
        }
    }
}

fn spare(take: &Take, channel: &Channel) -> Option<Finding> {
    let keys = channel.times().len() - kept_keys(channel).len();
    if keys == 0 {
        return None;
    }
    let text = format!(
        "{keys} of {} of the {} of {} in {} follow from the others",
        counted(channel.times().len(), "key"),
        channel.path(),
        take.rig.called(channel.node()),
        take.called(),
    );
    Some(finding(Code::KeysSpare, text, take, channel, keys))
}

/// Returns the keys of a channel that the others don't imply, with the first and the last one; all keys of a cubic one.
pub fn kept_keys(channel: &Channel) -> Vec<usize> {
    let far = |a: Vec3, b: Vec3| (a.as_dvec3() - b.as_dvec3()).abs().max_element() > SPARE;
    match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            kept(track, |a, b| !far(a, b))
        }
        Channel::Rotation { track, .. } => kept(track, |a, b| angle_between(a, b) <= SPARE),
        Channel::Weights { track, .. } => kept(track, |a, b| f64::from((a - b).abs()) <= SPARE),
    }
}

fn finding(code: Code, text: String, take: &Take, channel: &Channel, keys: usize) -> Finding {
    let bytes = (keys * bytes_per_key(channel)) as f64;
    let object = take.rig.name(channel.node());
    let finding = Finding::new(code, text).of(object).in_clip(take.name()).about(channel);
    finding.measured(bytes, "bytes").limited(take.rig.threshold(code)).at(take.pointer())
}

/// Returns the bytes of a key's time, values and tangents in single precision.
fn bytes_per_key(channel: &Channel) -> usize {
    let numbers = match channel {
        Channel::Translation { .. } | Channel::Scale { .. } => 3,
        Channel::Rotation { .. } => 4,
        Channel::Weights { track, .. } => track.width(),
    };
    let lists = if channel.interpolation() == Interpolation::CubicSpline { 3 } else { 1 };
    size_of::<f32>() * (1 + lists * numbers)
}

/// From each kept key, looks for the furthest key that says all between.
fn kept<T: Value>(track: &Track<T>, near: impl Fn(T, T) -> bool) -> Vec<usize> {
    if track.keys().interpolation() == Interpolation::CubicSpline {
        return (0..track.times().len()).collect();
    }
    let last = track.times().len() - 1;
    let (mut from, mut kept) = (0, vec![0]);
    while from < last {
        // Doubles the distance while the segment fits, then bisects between the last key that fitted and
        // the first that did not.
        let (mut fits, mut fails, mut step) = (from + 1, last + 1, 2);
        while fits < last {
            let to = (from + step).min(last);
            if !says_all_between(track, from, to, &near) {
                fails = to;
                break;
            }
            (fits, step) = (to, 2 * step);
        }
        while fails <= last && fails > fits + 1 {
            let middle = fits + (fails - fits) / 2;
            match says_all_between(track, from, middle, &near) {
                true => fits = middle,
                false => fails = middle,
            }
        }
        from = fits;
        kept.push(from);
    }
    kept
}

/// Whether the keys between two are as interpolated without them.
fn says_all_between<T: Value>(
    track: &Track<T>,
    from: usize,
    to: usize,
    near: &impl Fn(T, T) -> bool,
) -> bool {
    let (times, width) = (track.times(), track.width());
    let [start, end] = [from, to].map(|key| f64::from(times[key]));
    let (Keys::Step(values) | Keys::Linear(values) | Keys::Cubic { values, .. }) = track.keys();
    let is_step = track.keys().interpolation() == Interpolation::Step;
    (from + 1..to).all(|key| {
        let u = (f64::from(times[key]) - start) / (end - start);
        (0..width).all(|i| {
            let a = values[from * width + i];
            let said = if is_step { a } else { T::lerp(a, values[to * width + i], u) };
            near(said, values[key * width + i])
        })
    })
}
