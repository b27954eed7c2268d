//! Key reduction: removes keys that the remaining ones reproduce within a tolerance.
//!
//! From each kept key it searches for the furthest key that a single segment of the track's own
//! interpolation can reach within the tolerance. The caller sets the tolerance for each node,
//! because the visible error depends on how far the skin's vertices are from the joint.

use super::edit::hold_until;
use glam::Vec3;

use super::rotation::angle_between;
use super::{Channel, Clip, ClipParts, Hermite, Keys, Track, Value};

/// Number of times compared inside each replaced segment, besides its keys.
const BETWEEN: usize = 3;

/// Maximum deviations of a node's properties.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// In the parent's units of length.
    pub translation: f64,
    /// In radians.
    pub rotation: f64,
    /// Relative to the scale.
    pub scale: f64,
    /// Of each morph weight.
    pub weights: f64,
}

/// Returns the clip with fewer keys and the same name, duration, channels and properties. The last key of the clip stays, which
/// is its end in a file. No channel
/// deviates by more than its node's tolerance at the compared times: at every original key and at
/// three times between every two.
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
    let mut channels: Vec<Channel> = clip.channels().iter().map(channel).collect();
    hold_end(clip, &mut channels);
    Clip::new(ClipParts {
        name: clip.name().map(str::to_owned),
        channels,
        properties: clip.properties().to_vec(),
        start_secs: clip.start_secs(),
        duration_secs: clip.duration_secs(),
    })
}

/// Gives the first channel that had the last key of the clip a last key again, if none of the reduced ones has it: one that
/// only holds its value has a single key.
fn hold_end(clip: &Clip, reduced: &mut [Channel]) {
    let last = |channel: &Channel| channel.times().last().copied().unwrap_or(f32::NEG_INFINITY);
    let end = |channels: &[Channel]| channels.iter().map(last).fold(f32::NEG_INFINITY, f32::max);
    let wanted = end(clip.channels());
    if end(reduced) >= wanted {
        return;
    }
    let holds = |(channel, _): &(&Channel, _)| last(channel) == wanted;
    if let Some((_, to)) = clip.channels().iter().zip(reduced).find(holds) {
        hold_until(to, wanted);
    }
}

/// Returns the track with fewer keys. `near` decides whether its first argument may replace the second.
pub fn reduced_track<T: Value>(track: &Track<T>, near: impl Fn(T, T) -> bool) -> Track<T> {
    let last = track.times().len() - 1;
    let mut kept = vec![0];
    while let Some(&from) = kept.last().filter(|from| **from < last) {
        // Doubles the distance while the segment fits, then bisects between the last key that fitted
        // and the first that did not.
        let (mut fits, mut fails, mut step) = (from + 1, last, 2);
        while fits < last {
            let to = (from + step).min(last);
            if !(Segment { track, from, to }).fits(&near) {
                fails = to;
                break;
            }
            (fits, step) = (to, 2 * step);
        }
        while fails > fits + 1 {
            let middle = fits + (fails - fits) / 2;
            if (Segment { track, from, to: middle }).fits(&near) {
                fits = middle;
            } else {
                fails = middle;
            }
        }
        kept.push(fits);
    }
    if is_constant(track, &near) {
        kept = vec![0];
    }
    track.with_keys(&kept).unwrap_or_else(|| track.clone())
}

/// A single segment in place of those between two keys of a track.
struct Segment<'a, T> {
    track: &'a Track<T>,
    from: usize,
    to: usize,
}

impl<T: Value> Segment<'_, T> {
    /// Whether it replaces the track's own segments within the tolerance.
    fn fits(&self, near: &impl Fn(T, T) -> bool) -> bool {
        let Self { track, from, to } = *self;
        let (times, width) = (track.times(), track.width());
        let (start, end) = (f64::from(times[from]), f64::from(times[to]));
        let mut wanted = first_key(track).to_vec();
        (from..to).all(|at| {
            (0..=BETWEEN).all(|step| {
                let (a, b) = (f64::from(times[at]), f64::from(times[at + 1]));
                let time = a + (b - a) * step as f64 / (BETWEEN + 1) as f64;
                track.sample_into(time, &mut wanted);
                let u = (time - start) / (end - start);
                (0..width).all(|i| near(self.at(i, u, end - start), wanted[i]))
            })
        })
    }

    /// Returns one of the values at the fraction `u` of the segment, which lasts `span_secs`.
    fn at(&self, value: usize, u: f64, span_secs: f64) -> T {
        let width = self.track.width();
        let (a, b) = (self.from * width + value, self.to * width + value);
        match self.track.keys() {
            Keys::Step(values) => values[a],
            Keys::Linear(values) => T::lerp(values[a], values[b], u),
            Keys::Cubic { in_tangents, values, out_tangents } => Hermite {
                start: values[a],
                out_tangent: out_tangents[a],
                end: values[b],
                in_tangent: in_tangents[b],
            }
            .at(u, span_secs)
            .prepare(),
        }
    }
}

/// Whether the first key alone represents the track.
fn is_constant<T: Value>(track: &Track<T>, near: &impl Fn(T, T) -> bool) -> bool {
    let (times, width) = (track.times(), track.width());
    let first: Vec<T> = first_key(track).iter().map(|v| v.prepare()).collect();
    let mut other = first.clone();
    (0..times.len()).all(|at| {
        let next = times.get(at + 1).unwrap_or(&times[at]);
        (0..=BETWEEN).all(|step| {
            let u = step as f64 / (BETWEEN + 1) as f64;
            let time = f64::from(times[at]) + (f64::from(*next) - f64::from(times[at])) * u;
            track.sample_into(time, &mut other);
            (0..width).all(|i| near(first[i], other[i]))
        })
    })
}

/// Returns the values of the first key.
fn first_key<T: Value>(track: &Track<T>) -> &[T] {
    &track.keys().values()[..track.width()]
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
    fn each_property_has_its_own_tolerance() {
        fn bump<T: Value>(flat: T, bent: T) -> Track<T> {
            Track::new(vec![0.0, 1.0, 2.0], Keys::Linear(vec![flat, bent, flat]), 1).unwrap()
        }
        let (node, first) = (3, 0);
        let clip = Clip::new(ClipParts {
            channels: vec![
                Channel::Translation { node, track: bump(Vec3::ONE, Vec3::new(1.0, 1.0, 1.5)) },
                Channel::Rotation { node, track: bump(Quat::IDENTITY, Quat::from_rotation_x(0.5)) },
                Channel::Scale { node, track: bump(Vec3::splat(2.0), Vec3::new(2.0, 2.5, 2.0)) },
                Channel::Weights { node, first, track: bump(1.0, 1.5) },
            ],
            duration_secs: 2.0,
            ..ClipParts::default()
        });
        let keys = |most: f64| -> Vec<usize> {
            let few = reduced(&clip, |of| {
                assert_eq!(of, node);
                Tolerance { translation: most, rotation: most, scale: most / 2.5, weights: most }
            });
            assert_eq!(few.duration_secs(), 2.0);
            few.channels().iter().map(|channel| channel.times().len()).collect()
        };
        assert_eq!(keys(0.51), [2, 1, 1, 1], "one has the clip's end");
        assert_eq!(keys(0.49), [3; 4]);
    }

    #[test]
    fn keys_of_several_values_stay_where_any_of_them_bends() {
        let times: Vec<f32> = (0..9).map(|i| i as f32).collect();
        let values = times.iter().flat_map(|t| [t.min(4.0), (t - 6.0).max(0.0)]).collect();
        let track = Track::new(times, Keys::Linear(values), 2).unwrap();
        let few = reduced_track(&track, near(1e-6));
        assert_eq!(few.times(), [0.0, 4.0, 6.0, 8.0]);
        let Keys::Linear(values) = few.keys() else { panic!() };
        assert_eq!(values[..], [0.0, 0.0, 4.0, 0.0, 4.0, 0.0, 4.0, 2.0]);
    }

    #[test]
    fn a_curve_between_two_equal_keys_is_no_constant() {
        // The curve is 20 u (u - 1/2) (u - 1): 0.94 at a quarter, 0.74 at a third, 0 in the middle.
        let tangents = vec![20.0, 20.0];
        let keys = Keys::Cubic {
            in_tangents: tangents.clone(),
            values: vec![0.0, 0.0],
            out_tangents: tangents,
        };
        let track = Track::new(vec![2.0, 2.5], keys, 1).unwrap();
        assert_eq!(reduced_track(&track, near(0.85)).times(), [2.0, 2.5]);
        assert_eq!(reduced_track(&track, near(0.95)).times(), [2.0]);
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
            // A cubic may deviate slightly more between the compared times.
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
