//! Tracks: converts a sampler's accessors to the [`Track`] of the property that a channel drives.

use std::ops::Range;

use glam::{Quat, Vec3};
use serde_json::Value;

use super::accessor::{Accessor, Accessors};
use rigview_anim::{self, Channel, Interpolation, Keys, Track, TrackError};
use rigview_document::{At, Component, Shape};
use rigview_model::{WarningCode, quoted};

/// The paths of node properties that channels can drive.
pub(super) const PATHS: &[&str] = &["translation", "rotation", "scale", "weights"];

/// Component types of rotations and weights.
const NORMALIZED_TYPES: &[Component] =
    &[Component::F32, Component::I8, Component::U8, Component::I16, Component::U16];

/// Component types of properties that a pointer names.
const ALL_TYPES: &[Component] =
    &[Component::F32, Component::I8, Component::U8, Component::I16, Component::U16, Component::U32];

/// A warning about a channel: its code and message.
pub(super) type Note = (WarningCode, String);

/// The code of rare kinds of warnings.
const ODD: WarningCode = WarningCode::ChannelOdd;

/// A sampler of an animation.
pub(super) struct Sampler<'a> {
    /// Its place.
    pub at: At<'a>,
    /// Its times.
    pub input: Accessor,
    /// Its values.
    pub output: Accessor,
    /// The times, or the reason why they are invalid.
    pub times: Result<Vec<f32>, String>,
}

/// A property of a node that a channel drives.
pub(super) struct PropertyTarget<'a> {
    /// Index of the node.
    pub node: usize,
    /// The property: one of [`PATHS`].
    pub path: &'a str,
    /// The morph weights driven, if `path` is `weights`.
    pub weights: Range<usize>,
    /// Whether a pointer named it. Integers that are not normalized then stand for themselves, and
    /// any component type is allowed (KHR_animation_pointer, "Output Accessor Component Types").
    pub by_pointer: bool,
}

/// A property that a pointer names.
#[derive(Clone, Copy)]
pub(super) struct Property {
    /// Values per key.
    pub width: usize,
    /// Whether the property is a boolean.
    pub is_flag: bool,
}

/// Reads the times of a sampler: finite, not negative, increasing.
pub(super) fn times(input: &Accessor, accessors: &Accessors) -> Result<Vec<f32>, String> {
    if (input.shape, input.component) != (Shape::Scalar, Component::F32) {
        return Err(format!("its times are {}, they must be SCALAR of FLOAT", kind(input)));
    }
    let mut times = vec![0.0; input.count];
    accessors.floats(input, |i, [time]: [f32; 1]| times[i] = time);
    match Track::new(times, Keys::Step(vec![0.0; input.count]), 1) {
        Ok(track) => Ok(track.times().to_vec()),
        Err(e) => Err(format!("accessor {}: {e}", input.index)),
    }
}

/// Builds the channel of a node's property, with warnings about it.
///
/// # Errors
/// The reason in words why it can't be played.
pub(super) fn channel(
    sampler: &Sampler,
    target: &PropertyTarget,
    accessors: &Accessors,
) -> Result<(Channel, Vec<Note>), String> {
    let times = sampler.times.clone()?;
    let mut notes = Vec::new();
    let width = if target.path == "weights" { target.weights.len() } else { 1 };
    let interpolation = interpolation(sampler, times.len() * width, &mut notes);
    if interpolation == Interpolation::CubicSpline && times.len() == 1 {
        notes.push((ODD, "a CUBICSPLINE of one key is a constant".to_owned()));
    }
    let PropertyTarget { node, path, by_pointer, .. } = *target;
    let output = &sampler.output;
    let types = |plain| if by_pointer { ALL_TYPES } else { plain };
    let numbers = |notes: &mut Vec<Note>| match by_pointer {
        true => output.clone(),
        false => fractions(output, notes),
    };
    let build = |e: TrackError| format!("accessor {}: {e}", output.index);
    let channel = match path {
        "translation" | "scale" => {
            require(output, path, Shape::Vec3, types(&[Component::F32]))?;
            let values: Vec<Vec3> =
                read::<3>(output, accessors)?.into_iter().map(Vec3::from).collect();
            let track = track(times, values, interpolation, 1).map_err(build)?;
            match path {
                "scale" => Channel::Scale { node, track },
                _ => Channel::Translation { node, track },
            }
        }
        "rotation" => {
            require(output, path, Shape::Vec4, types(NORMALIZED_TYPES))?;
            let values: Vec<Quat> = read::<4>(&numbers(&mut notes), accessors)?
                .into_iter()
                .map(Quat::from_array)
                .collect();
            notes.extend(odd_rotations(&values, interpolation, output.component));
            let track = track(times, values, interpolation, 1).map_err(build)?;
            Channel::Rotation { node, track }
        }
        "weights" => {
            let weights = target.weights.len();
            if weights == 0 {
                return Err(format!("node {node} has no morph targets for its weights"));
            }
            require(output, path, Shape::Scalar, types(NORMALIZED_TYPES))?;
            let values = read::<1>(&numbers(&mut notes), accessors)?.concat();
            let track = track(times, values, interpolation, weights).map_err(build)?;
            Channel::Weights { node, first: target.weights.start, track }
        }
        other => return Err(format!("path {} is unknown", quoted(other))),
    };
    notes.extend(unused_tangents(&channel));
    Ok((channel, notes))
}

/// Returns warnings about the keys of a rotation.
fn odd_rotations(
    values: &[Quat],
    interpolation: Interpolation,
    component: Component,
) -> impl Iterator<Item = Note> {
    let cubic = interpolation == Interpolation::CubicSpline;
    // The tangents of a cubic rotation may have any length.
    let keys: Vec<Quat> = match cubic {
        true => values.iter().skip(1).step_by(3).copied().collect(),
        false => values.to_vec(),
    };
    // A quaternion of integers is off by up to half a step in each component.
    let most = match component {
        Component::F32 => 5e-4,
        Component::I16 | Component::U16 => 1e-3,
        _ => 0.03,
    };
    let off = |q: &Quat| (q.length() - 1.0).abs();
    let zero = keys.iter().filter(|q| q.to_array() == [0.0; 4]).count();
    let long = keys.iter().filter(|q| off(q) > most && q.to_array() != [0.0; 4]).count();
    let worst = keys.iter().max_by(|a, b| off(a).total_cmp(&off(b))).map_or(1.0, |q| q.length());
    let flips = keys.windows(2).filter(|pair| cubic && pair[0].dot(pair[1]) < 0.0).count();
    let zero = (zero > 0)
        .then(|| (ODD, format!("{zero} rotation keys of length 0 are read as the identity")));
    let long = (long > 0).then(|| {
        let text =
            format!("{long} rotation keys are not of length 1, the worst is {worst}: normalised");
        (WarningCode::RotationKeysNotUnit, text)
    });
    let flips = (flips > 0).then(|| {
        let text = format!(
            "{flips} neighbouring CUBICSPLINE keys lie on opposite hemispheres: \
             the curve goes the long way as written"
        );
        (WarningCode::RotationKeysFlip, text)
    });
    zero.into_iter().chain(long).chain(flips)
}

/// Returns a warning if the first in-tangent or the last out-tangent, which have no effect, is not
/// 0.
fn unused_tangents(channel: &Channel) -> Option<Note> {
    fn used<T: rigview_anim::Value>(track: &Track<T>, is_zero: impl Fn(&T) -> bool) -> bool {
        let Keys::Cubic { in_tangents, out_tangents, .. } = track.keys() else { return false };
        let (first, last) = (track.width(), out_tangents.len() - track.width());
        !in_tangents[..first].iter().chain(&out_tangents[last..]).all(is_zero)
    }
    let used = match channel {
        Channel::Translation { track, .. } | Channel::Scale { track, .. } => {
            used(track, |v| *v == Vec3::ZERO)
        }
        Channel::Rotation { track, .. } => used(track, |q| q.to_array() == [0.0; 4]),
        Channel::Weights { track, .. } => used(track, |w| *w == 0.0),
    };
    let text = "its first in-tangent or last out-tangent is not 0, which has no effect";
    used.then(|| (WarningCode::TangentsUnused, text.to_owned()))
}

/// Builds the track of a property that a pointer names, with warnings about it. Booleans become 1
/// or 0 and hold until the next key. Integers that are not normalized stand for themselves.
///
/// # Errors
/// The reason in words why it can't be played.
pub(super) fn property(
    sampler: &Sampler,
    property: Property,
    accessors: &Accessors,
) -> Result<(Track<f32>, Vec<Note>), String> {
    let Property { width, is_flag } = property;
    let times = sampler.times.clone()?;
    let mut notes = Vec::new();
    let mut interpolation = interpolation(sampler, times.len(), &mut notes);
    let shape = match width {
        1 => Shape::Scalar,
        2 => Shape::Vec2,
        3 => Shape::Vec3,
        _ => Shape::Vec4,
    };
    let output = &sampler.output;
    if is_flag {
        require(output, "pointer", shape, &[Component::U8])?;
        if interpolation != Interpolation::Step {
            let text = "a boolean holds until the next key, whatever its interpolation";
            notes.push((ODD, text.to_owned()));
            interpolation = Interpolation::Step;
        }
    } else {
        require(output, "pointer", shape, ALL_TYPES)?;
    }
    let values = match width {
        1 => read::<1>(output, accessors)?.concat(),
        2 => read::<2>(output, accessors)?.concat(),
        3 => read::<3>(output, accessors)?.concat(),
        _ => read::<4>(output, accessors)?.concat(),
    };
    let build = |e: TrackError| format!("accessor {}: {e}", output.index);
    Ok((track(times, values, interpolation, width).map_err(build)?, notes))
}

/// Reads a sampler's interpolation. An unknown one is read as LINEAR, as in other viewers, unless
/// the number of values fits only CUBICSPLINE. `expected` is the number of values for LINEAR.
fn interpolation(sampler: &Sampler, expected: usize, notes: &mut Vec<Note>) -> Interpolation {
    let Some(at) = sampler.at.get("interpolation") else { return Interpolation::Linear };
    let unknown = match at.value {
        Value::String(text) => match text.as_str() {
            "STEP" => return Interpolation::Step,
            "LINEAR" => return Interpolation::Linear,
            "CUBICSPLINE" => return Interpolation::CubicSpline,
            other => quoted(other),
        },
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    };
    let (read, why) = match sampler.output.count {
        count if count == 3 * expected => {
            (Interpolation::CubicSpline, ", since there are three values per key")
        }
        _ => (Interpolation::Linear, ""),
    };
    let text =
        format!("its interpolation is {unknown}, which is unknown: read as {}{why}", read.name());
    notes.push((WarningCode::InterpolationUnknown, text));
    read
}

fn kind(accessor: &Accessor) -> String {
    let shape = accessor.shape.name();
    let component = accessor.component.name();
    format!("{shape} of {component} (accessor {})", accessor.index)
}

fn require(output: &Accessor, path: &str, shape: Shape, types: &[Component]) -> Result<(), String> {
    if output.shape == shape && types.contains(&output.component) {
        return Ok(());
    }
    let types: Vec<_> = types.iter().map(|t| t.name()).collect();
    let (shape, types) = (shape.name(), types.join(" or "));
    Err(format!("its {path} values are {}, they must be {shape} of {types}", kind(output)))
}

/// Returns the accessor with its integers read as fractions, marked as normalized or not.
fn fractions(output: &Accessor, notes: &mut Vec<Note>) -> Accessor {
    if output.component != Component::F32 && !output.normalized {
        let text = format!(
            "integers of accessor {} are not normalized: read as if they were",
            output.index
        );
        notes.push((ODD, text));
    }
    output.fractions()
}

fn read<const N: usize>(output: &Accessor, accessors: &Accessors) -> Result<Vec<[f32; N]>, String> {
    let mut values = vec![[0.0; N]; output.count];
    accessors.floats(output, |i, value| values[i] = value);
    match values.iter().position(|value| !value.iter().all(|x| x.is_finite())) {
        Some(i) => Err(format!("value {i} of accessor {} is NaN or infinite", output.index)),
        None => Ok(values),
    }
}

/// Builds a track of `width` values per key, which are in file order.
fn track<T: rigview_anim::Value>(
    times: Vec<f32>,
    values: Vec<T>,
    interpolation: Interpolation,
    width: usize,
) -> Result<Track<T>, TrackError> {
    let keys = match interpolation {
        Interpolation::Step => Keys::Step(values),
        Interpolation::Linear => Keys::Linear(values),
        Interpolation::CubicSpline => {
            // Each key has in-tangents, values and out-tangents. Surplus values are kept, so that
            // `Track::new` fails on their number.
            let mut thirds = [Vec::new(), Vec::new(), Vec::new()];
            let whole = times.len() * 3 * width;
            for (i, value) in values.iter().take(whole).enumerate() {
                thirds[i / width % 3].push(*value);
            }
            thirds[1].extend(values.iter().skip(whole));
            let [in_tangents, values, out_tangents] = thirds;
            Keys::Cubic { in_tangents, values, out_tangents }
        }
    };
    Track::new(times, keys, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_key_is_in_tangents_values_and_out_tangents_of_all_targets() {
        let values: Vec<f32> = (0..12).map(|i| i as f32).collect();
        let track = track(vec![0.0, 1.0], values, Interpolation::CubicSpline, 2).unwrap();
        let Keys::Cubic { in_tangents, values, out_tangents } = track.keys() else { panic!() };
        assert_eq!(in_tangents[..], [0.0, 1.0, 6.0, 7.0]);
        assert_eq!(values[..], [2.0, 3.0, 8.0, 9.0]);
        assert_eq!(out_tangents[..], [4.0, 5.0, 10.0, 11.0]);
    }

    #[test]
    fn counts_that_differ_are_refused() {
        for n in [0, 5, 7] {
            for interpolation in [Interpolation::Linear, Interpolation::CubicSpline] {
                let values = vec![0.0f32; n];
                assert!(track(vec![0.0, 1.0], values, interpolation, 1).is_err(), "{n}");
            }
        }
    }
}
