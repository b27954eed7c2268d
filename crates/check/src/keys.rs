//! Rules of keys that say nothing: KEYS_STILL, KEYS_SPARE. They hold for what JSON pointers name too.

use glam::{Quat, Vec3};

use super::take::Take;
use super::{ChannelTarget, Code, Finding};
use rigview_anim::rotation::{angle_between, nearer};
use rigview_anim::{Channel, Interpolation, Keys, PropertyChannel, Track, Value};
use rigview_report::counted;

/// The largest difference of a key from the rest value, relative to numbers above 1.
const STILL: f32 = 1e-6;

/// The largest difference of a key from what the others say: in the value's unit, or in radians.
const SPARE: f64 = 1e-5;

pub(super) fn findings(take: &Take) -> Vec<Finding> {
    let channels = take.clip.channels().iter();
    let of_nodes = channels.filter_map(|channel| {
        let driven = Driven::by(take, channel);
        let still = is_at_rest(take, channel).then(|| driven.still(take));
        still.or_else(|| driven.spare(take, &kept_keys(channel)))
    });
    let properties = take.clip.properties().iter();
    let of_properties = properties.filter_map(|channel| {
        let driven = Driven::by_pointer(take, channel)?;
        let rest = take.rig.model.rest.property(channel.slot);
        let still = is_still(&channel.track, rest, near_number).then(|| driven.still(take));
        still.or_else(|| driven.spare(take, &kept_property_keys(&channel.track)))
    });
    let found = of_nodes.chain(of_properties);
    found.filter(|finding| finding.value > finding.limit).collect()
}

/// What the keys of a channel are about.
struct Driven {
    target: ChannelTarget,
    /// The name of the node or of the property.
    object: Option<String>,
    /// What is driven, in a sentence.
    called: String,
    keys: usize,
    bytes_per_key: usize,
}

impl Driven {
    fn by(take: &Take, channel: &Channel) -> Self {
        let numbers = match channel {
            Channel::Translation { .. } | Channel::Scale { .. } => 3,
            Channel::Rotation { .. } => 4,
            Channel::Weights { track, .. } => track.width(),
        };
        let node = channel.node();
        Self {
            target: ChannelTarget::of(channel),
            object: take.rig.name(node).map(str::to_owned),
            called: format!("the {} of {}", channel.path(), take.rig.called(node)),
            keys: channel.times().len(),
            bytes_per_key: bytes_per_key(channel.interpolation(), numbers),
        }
    }

    fn by_pointer(take: &Take, channel: &PropertyChannel) -> Option<Self> {
        let PropertyChannel { slot, track } = channel;
        let name = take.rig.model.slot_name(take.rig.model.slots[*slot]);
        Some(Self {
            target: ChannelTarget::Property(*take.rig.model.slots.get(*slot)?),
            called: format!("\"{name}\""),
            object: Some(name),
            keys: track.times().len(),
            bytes_per_key: bytes_per_key(track.keys().interpolation(), track.width()),
        })
    }

    fn still(&self, take: &Take) -> Finding {
        let text = format!(
            "{} of {} in {} {} the rest value",
            counted(self.keys, "key"),
            self.called,
            take.called(),
            if self.keys == 1 { "equals" } else { "equal" },
        );
        self.finding(take, Code::KeysStill, text, self.keys)
    }

    fn spare(&self, take: &Take, kept: &[usize]) -> Option<Finding> {
        let spare = self.keys - kept.len();
        let all = counted(self.keys, "key");
        let (what, clip) = (&self.called, take.called());
        let text = format!("{spare} of {all} of {what} in {clip} follow from the others");
        (spare > 0).then(|| self.finding(take, Code::KeysSpare, text, spare))
    }

    /// Returns a finding about some of the keys.
    fn finding(&self, take: &Take, code: Code, text: String, keys: usize) -> Finding {
        let bytes = (keys * self.bytes_per_key) as f64;
        let finding = Finding::new(code, text).of(self.object.as_deref()).in_clip(take.name());
        let finding = finding.about(self.target).measured(bytes, "bytes");
        finding.limited(take.rig.threshold(code)).at(take.pointer())
    }
}

/// Returns the bytes of a key's time, values and tangents in single precision.
fn bytes_per_key(interpolation: Interpolation, numbers: usize) -> usize {
    let lists = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    size_of::<f32>() * (1 + lists * numbers)
}

/// Whether a channel never leaves the rest value.
fn is_at_rest(take: &Take, channel: &Channel) -> bool {
    let rest = &take.rig.model.rest;
    let node = channel.node();
    match channel {
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
            let rest = rest.weights(node).get(channel.values());
            rest.is_some_and(|rest| is_still(track, rest, near_number))
        }
    }
}

fn near_number(a: f32, b: f32) -> bool {
    (a - b).abs() <= STILL * b.abs().max(1.0)
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

/// Returns the keys of a channel that the others don't imply, with the first and the last one; all keys of a cubic one.
pub fn kept_keys(channel: &Channel) -> Vec<usize> {
    let far = |a: Vec3, b: Vec3| (a.as_dvec3() - b.as_dvec3()).abs().max_element() > SPARE;
    match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            kept(track, |a, b| !far(a, b))
        }
        Channel::Rotation { track, .. } => kept(track, |a, b| angle_between(a, b) <= SPARE),
        Channel::Weights { track, .. } => kept(track, is_said),
    }
}

/// Like [`kept_keys`], of a property that a JSON pointer names.
pub fn kept_property_keys(track: &Track<f32>) -> Vec<usize> {
    kept(track, is_said)
}

fn is_said(a: f32, b: f32) -> bool {
    f64::from((a - b).abs()) <= SPARE
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
    let values = track.keys().values();
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
