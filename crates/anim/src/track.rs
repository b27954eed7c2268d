//! Tracks: keys over time, and the interpolation between them (glTF 2.0, Appendix C).
//!
//! Tracks do not loop: times before the first key give the first key, times at or after the last key
//! give the last.

use std::sync::Arc;

use super::curve::hermite_basis;
use super::{Hermite, Value};

crate::named_enum! {
    /// The interpolation between keys, by glTF's names.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Interpolation {
        /// Holds each key until the next.
        Step = "STEP",
        /// Linear for numbers and vectors, spherical for rotations.
        Linear = "LINEAR",
        /// Cubic Hermite, with two tangents per key.
        CubicSpline = "CUBICSPLINE",
    }
}

/// A track's values with the data that their interpolation needs.
///
/// Every list has `keys * width` entries in key-major order.
#[derive(Clone, Debug, PartialEq)]
pub enum Keys<T> {
    /// Each value holds until the next key.
    Step(Vec<T>),
    /// Interpolated values.
    Linear(Vec<T>),
    /// Values with tangents in values per second, as stored in the file.
    Cubic {
        /// Tangents on the side before each key; the first key's has no effect.
        in_tangents: Vec<T>,
        /// The values of the keys.
        values: Vec<T>,
        /// Tangents on the side after each key; the last key's has no effect.
        out_tangents: Vec<T>,
    },
}

impl<T> Keys<T> {
    /// Returns the interpolation of the values.
    pub fn interpolation(&self) -> Interpolation {
        match self {
            Keys::Step(_) => Interpolation::Step,
            Keys::Linear(_) => Interpolation::Linear,
            Keys::Cubic { .. } => Interpolation::CubicSpline,
        }
    }

    /// Returns the values of the keys.
    pub fn values(&self) -> &[T] {
        let (Keys::Step(values) | Keys::Linear(values) | Keys::Cubic { values, .. }) = self;
        values
    }

    /// Returns keys of the same interpolation with other lists: those that the functions make of the values and of either
    /// list of tangents.
    pub fn map<U>(
        &self,
        values: impl Fn(&[T]) -> Vec<U>,
        tangents: impl Fn(&[T]) -> Vec<U>,
    ) -> Keys<U> {
        match self {
            Keys::Step(list) => Keys::Step(values(list)),
            Keys::Linear(list) => Keys::Linear(values(list)),
            Keys::Cubic { in_tangents, values: list, out_tangents } => Keys::Cubic {
                in_tangents: tangents(in_tangents),
                values: values(list),
                out_tangents: tangents(out_tangents),
            },
        }
    }
}

/// Keys that do not form a track.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrackError {
    /// There are no keys.
    #[error("it has no keys")]
    Empty,
    /// A time is not finite or negative.
    #[error("the time of key {key} is {secs}, not a number of seconds from 0")]
    BadTime {
        /// Index of the key.
        key: usize,
        /// Its time.
        secs: f32,
    },
    /// The times do not strictly increase.
    #[error("times do not increase: key {key} at {secs} s follows {before} s")]
    Unsorted {
        /// Index of the key that is too early.
        key: usize,
        /// Its time.
        secs: f32,
        /// The time of the key before it.
        before: f32,
    },
    /// The numbers of values and times do not match.
    #[error("{values} values for {keys} keys, expected {expected}")]
    Count {
        /// Number of values.
        values: usize,
        /// Number of keys.
        keys: usize,
        /// Required number of values.
        expected: usize,
    },
}

/// Keys of one property over time. Valid by construction: there is at least one key, the times are
/// finite, not negative and strictly increasing, and each key has `width` values. Copies share their keys.
#[derive(Clone, Debug)]
pub struct Track<T> {
    data: Arc<TrackData<T>>,
}

#[derive(Debug, PartialEq)]
struct TrackData<T> {
    times: Vec<f32>,
    keys: Keys<T>,
    width: usize,
}

impl<T: PartialEq> PartialEq for Track<T> {
    fn eq(&self, other: &Self) -> bool {
        self.shares_keys(other) || self.data == other.data
    }
}

impl<T> Track<T> {
    /// Whether both are copies of one track.
    fn shares_keys(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }

    /// Returns a number that all copies of a track have in common, and no other track beside them.
    pub(super) fn id(&self) -> usize {
        Arc::as_ptr(&self.data).addr()
    }
}

impl<T: Value> Track<T> {
    /// Returns the track with only the keys of these indices, which ascend; `None` without any.
    pub fn with_keys(&self, kept: &[usize]) -> Option<Self> {
        let width = self.width();
        let pick = |list: &[T]| -> Vec<T> {
            kept.iter().flat_map(|at| &list[at * width..(at + 1) * width]).copied().collect()
        };
        let keys = self.keys().map(pick, pick);
        Self::new(kept.iter().map(|at| self.times()[*at]).collect(), keys, width).ok()
    }

    /// Makes a track of `width` values per key (1 except for morph weights and properties).
    /// Rotations of STEP and LINEAR tracks are normalised here. Those of CUBICSPLINE tracks are not,
    /// because their tangents belong to the raw values.
    ///
    /// # Errors
    /// If the keys are invalid; see [`TrackError`].
    pub fn new(times: Vec<f32>, mut keys: Keys<T>, width: usize) -> Result<Self, TrackError> {
        if times.is_empty() {
            return Err(TrackError::Empty);
        }
        if let Some(key) = times.iter().position(|t| !t.is_finite() || *t < 0.0) {
            let secs = times[key];
            return Err(TrackError::BadTime { key, secs });
        }
        if let Some(at) = times.windows(2).position(|w| w[0] >= w[1]) {
            let (before, secs) = (times[at], times[at + 1]);
            return Err(TrackError::Unsorted { key: at + 1, secs, before });
        }
        let expected = times.len() * width;
        let check = |list: &Vec<T>| match list.len() {
            n if n == expected => Ok(()),
            values => Err(TrackError::Count { values, keys: times.len(), expected }),
        };
        match &mut keys {
            Keys::Step(values) | Keys::Linear(values) => {
                check(values)?;
                values.iter_mut().for_each(|v| *v = v.prepare());
            }
            Keys::Cubic { in_tangents, values, out_tangents } => {
                check(in_tangents)?;
                check(values)?;
                check(out_tangents)?;
            }
        }
        Ok(Self { data: Arc::new(TrackData { times, keys, width }) })
    }

    /// Returns the key times in seconds, strictly increasing.
    pub fn times(&self) -> &[f32] {
        &self.data.times
    }

    /// Returns the values of the keys.
    pub fn keys(&self) -> &Keys<T> {
        &self.data.keys
    }

    /// Returns the number of values per key.
    pub fn width(&self) -> usize {
        self.data.width
    }

    /// Returns the time of the first key in seconds.
    pub fn start_secs(&self) -> f32 {
        self.data.times[0]
    }

    /// Returns the time of the last key in seconds.
    pub fn end_secs(&self) -> f32 {
        self.data.times[self.data.times.len() - 1]
    }

    /// Returns the index of the key at or before a time by binary search; 0 for times before the
    /// first key. The time is rounded to single precision first, as those of keys are.
    pub fn key_index(&self, time_secs: f64) -> usize {
        let rounded = time_secs as f32;
        self.data.times.partition_point(|t| *t <= rounded).saturating_sub(1)
    }

    /// Returns the cubic segment of one value from a key to the next, as stored in the file; `None`
    /// after the last key and for tracks that are not cubic.
    ///
    /// # Panics
    /// If `value` is not less than the width.
    pub fn segment(&self, key: usize, value: usize) -> Option<Hermite<T>> {
        assert!(
            value < self.data.width,
            "value {value} is out of range; width: {}",
            self.data.width
        );
        let Keys::Cubic { in_tangents, values, out_tangents } = &self.data.keys else {
            return None;
        };
        let (at, next) = (key * self.data.width + value, (key + 1) * self.data.width + value);
        Some(Hermite {
            start: *values.get(at)?,
            out_tangent: out_tangents[at],
            end: *values.get(next)?,
            in_tangent: in_tangents[next],
        })
    }

    /// Writes the `width` values at a time into `out`.
    ///
    /// Times before the first key give the first value, times at or after the last key the last. At
    /// a key's time the result is the key, bit for bit (rotations: normalised). NaN counts as 0.
    /// Finite keys give finite values at any time; overshoots of a cubic are clamped to the range
    /// of single precision.
    ///
    /// # Panics
    /// If the length of `out` is not `width`.
    pub fn sample_into(&self, time_secs: f64, out: &mut [T]) {
        let time = if time_secs.is_nan() { 0.0 } else { time_secs };
        self.sample_from(self.key_index(time), time, out);
    }

    /// Samples at a time that is not NaN, given the index of the key at or before it.
    pub(super) fn sample_from(&self, at: usize, time: f64, out: &mut [T]) {
        assert_eq!(out.len(), self.data.width, "the output must have the width of the track");
        let start = f64::from(self.data.times[at]);
        let row = at * self.data.width..(at + 1) * self.data.width;
        let holds = at + 1 == self.data.times.len() || time <= start;
        match &self.data.keys {
            Keys::Step(values) => out.copy_from_slice(&values[row]),
            Keys::Linear(values) if holds => out.copy_from_slice(&values[row]),
            Keys::Cubic { values, .. } if holds => {
                for (out, value) in out.iter_mut().zip(&values[row]) {
                    *out = value.prepare();
                }
            }
            Keys::Linear(values) => {
                let span = f64::from(self.data.times[at + 1]) - start;
                let u = (time - start) / span;
                let next = &values[row.end..];
                for (i, out) in out.iter_mut().enumerate() {
                    *out = T::lerp(values[row.start + i], next[i], u);
                }
            }
            Keys::Cubic { in_tangents, values, out_tangents } => {
                let span = f64::from(self.data.times[at + 1]) - start;
                let h = hermite_basis((time - start) / span, span);
                for (i, out) in out.iter_mut().enumerate() {
                    let (a, b) = (row.start + i, row.end + i);
                    let piece = [values[a], out_tangents[a], values[b], in_tangents[b]];
                    // The polynomial of the raw values, then normalised. No key is negated, because
                    // the tangents belong to the keys' own signs (glTF issues 1386 and 2008).
                    *out = T::weighted(h, piece).prepare();
                }
            }
        }
    }

    /// Whether the values change over time. `differ` tells whether two values are not the same.
    pub fn changes(&self, differ: impl Fn(T, T) -> bool) -> bool {
        let width = self.width().max(1);
        let differs = |values: &[T]| {
            let first = &values[..width.min(values.len())];
            values.chunks(width).any(|key| key.iter().zip(first).any(|(a, b)| differ(*a, *b)))
        };
        match self.keys() {
            Keys::Step(values) | Keys::Linear(values) => differs(values),
            // Between equal keys, a cubic curve moves by its tangents.
            Keys::Cubic { values, .. } => {
                let mut between = values[..width].to_vec();
                let first = between.clone();
                differs(values)
                    || self.times().windows(2).any(|pair| {
                        let time = 0.75 * f64::from(pair[0]) + 0.25 * f64::from(pair[1]);
                        self.sample_into(time, &mut between);
                        between.iter().zip(&first).any(|(a, b)| differ(*a, b.prepare()))
                    })
            }
        }
    }

    /// Returns the value of a track of width 1 at a time; see [`Track::sample_into`].
    ///
    /// # Panics
    /// If the width is not 1.
    pub fn sample(&self, time_secs: f64) -> T {
        let mut out = [match &self.data.keys {
            Keys::Step(v) | Keys::Linear(v) | Keys::Cubic { values: v, .. } => v[0],
        }];
        self.sample_into(time_secs, &mut out);
        out[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::angle_between;
    use glam::{Quat, Vec3, Vec4};

    fn linear() -> Track<Vec3> {
        let values = vec![Vec3::new(14.0, 3.0, -2.0), Vec3::new(18.0, 1.0, 1.0)];
        Track::new(vec![0.8, 1.6], Keys::Linear(values), 1).unwrap()
    }

    #[test]
    fn linear_goes_straight_between_keys() {
        let half = linear().sample(1.2);
        assert!((half - Vec3::new(16.0, 2.0, -0.5)).length() < 1e-6, "{half}");
    }

    #[test]
    fn times_outside_the_keys_give_the_end_keys() {
        let track = linear();
        for t in [-5.0, 0.0, f64::from(0.8f32), f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(track.sample(t), Vec3::new(14.0, 3.0, -2.0), "at {t}");
        }
        for t in [f64::from(1.6f32), 2.0, f64::INFINITY] {
            assert_eq!(track.sample(t), Vec3::new(18.0, 1.0, 1.0), "at {t}");
        }
    }

    #[test]
    fn step_returns_its_last_key_at_and_after_the_last_time() {
        let track = Track::new(vec![0.0, 1.0, 2.0], Keys::Step(vec![1.0, 2.0, 3.0]), 1).unwrap();
        let at = |t| track.sample(t);
        assert_eq!([at(0.999), at(1.0), at(1.999), at(2.0), at(9.0)], [1.0, 2.0, 2.0, 3.0, 3.0]);
    }

    #[test]
    fn one_key_is_its_value_at_every_time() {
        for keys in [Keys::Step(vec![7.0]), Keys::Linear(vec![7.0]), cubic_key(7.0)] {
            let track = Track::new(vec![3.0], keys, 1).unwrap();
            assert_eq!([track.sample(0.0), track.sample(3.0), track.sample(4.0)], [7.0; 3]);
        }
    }

    fn cubic_key(value: f32) -> Keys<f32> {
        Keys::Cubic { in_tangents: vec![5.0], values: vec![value], out_tangents: vec![5.0] }
    }

    #[test]
    fn cubic_tangents_are_values_per_second_and_are_not_normalised() {
        // Both tangents are 40 per second over two seconds: p(1/2) = 80 (u^3 - 2u^2 + u) + 80 (u^3 - u^2) = 0,
        // p(1/4) = 80 (1/64 - 2/16 + 1/4) + 80 (1/64 - 1/16) = 7.5.
        let keys = Keys::Cubic {
            in_tangents: vec![-1e6, 40.0],
            values: vec![0.0, 0.0],
            out_tangents: vec![40.0, 1e6],
        };
        let track = Track::new(vec![1.0, 3.0], keys, 1).unwrap();
        assert!((track.sample(1.5) - 7.5).abs() < 1e-5);
        assert!(track.sample(2.0).abs() < 1e-5);
        let slope = (track.sample(1.0001) - track.sample(1.0)) / 0.0001;
        assert!((slope - 40.0).abs() < 0.02, "{slope}");
    }

    #[test]
    fn a_cubic_rotation_is_the_raw_polynomial_normalised() {
        // The keys are on opposite hemispheres: negating the second would give another curve.
        let (a, b) = (Quat::from_xyzw(0.0, 0.0, 0.6, 0.8), Quat::from_xyzw(0.0, -0.8, 0.0, -0.6));
        let m = Quat::from_xyzw(0.3, 0.1, -0.2, 0.5);
        let keys =
            Keys::Cubic { in_tangents: vec![m, m], values: vec![a, b], out_tangents: vec![m, m] };
        let got = Track::new(vec![0.0, 2.0], keys, 1).unwrap().sample(0.5);
        let want =
            0.84375 * Vec4::from(a) + 2.0 * 0.140625 * Vec4::from(m) + 0.15625 * Vec4::from(b)
                - 2.0 * 0.046875 * Vec4::from(m);
        assert!((Vec4::from(got) - want.normalize()).length() < 1e-6);
    }

    #[test]
    fn rotations_take_the_shorter_way_and_keep_their_speed() {
        let a = Quat::IDENTITY;
        for degrees in [1e-5f32, 0.5, 5.0, 90.0, 179.9] {
            let b = Quat::from_rotation_y(degrees.to_radians());
            for b in [b, -b] {
                let track = Track::new(vec![0.0, 1.0], Keys::Linear(vec![a, b]), 1).unwrap();
                let want = Quat::from_rotation_y(0.25 * degrees.to_radians());
                let off = angle_between(track.sample(0.25), want);
                assert!(off < 2e-6, "{degrees} degrees: {off} rad away");
                assert!((track.sample(0.25).length() - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn unnormalised_and_zero_rotation_keys_never_leave_the_unit_sphere() {
        let keys = vec![Quat::from_xyzw(0.0, 0.0, 2.0, 2.0), Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)];
        let track = Track::new(vec![0.0, 1.0], Keys::Linear(keys), 1).unwrap();
        for t in [0.0, 0.3, 1.0] {
            assert!((track.sample(t).length() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn wide_tracks_interpolate_every_value() {
        let keys = Keys::Linear(vec![0.0, 10.0, 1.0, 30.0]);
        let track = Track::new(vec![0.0, 4.0], keys, 2).unwrap();
        let mut out = [0.0; 2];
        track.sample_into(1.0, &mut out);
        assert_eq!(out, [0.25, 15.0]);
    }

    #[test]
    fn a_cubic_segment_has_the_numbers_of_its_two_keys() {
        let list = |from: u8| (from..from + 6).map(f32::from).collect::<Vec<_>>();
        let keys = Keys::Cubic { in_tangents: list(0), values: list(10), out_tangents: list(20) };
        let track = Track::new(vec![0.5, 1.0, 2.0], keys, 2).unwrap();
        assert_eq!((track.start_secs(), track.end_secs(), track.width()), (0.5, 2.0, 2));
        let segment = |start, out_tangent, end, in_tangent| {
            Some(Hermite { start, out_tangent, end, in_tangent })
        };
        assert_eq!(track.segment(0, 0), segment(10.0, 20.0, 12.0, 2.0));
        assert_eq!(track.segment(1, 1), segment(13.0, 23.0, 15.0, 5.0));
        assert_eq!(track.segment(2, 0), None);
        assert_eq!(linear().segment(0, 0), None);
    }

    #[test]
    fn bad_keys_are_refused_by_name() {
        let track = |times: &[f32], n| Track::new(times.to_vec(), Keys::Step(vec![0.0f32; n]), 1);
        assert_eq!(track(&[], 0), Err(TrackError::Empty));
        assert!(matches!(track(&[0.0, f32::NAN], 2), Err(TrackError::BadTime { key: 1, .. })));
        assert!(matches!(track(&[0.0, 2.0, 2.0], 3), Err(TrackError::Unsorted { key: 2, .. })));
        assert!(matches!(track(&[0.0, 1.0], 3), Err(TrackError::Count { values: 3, .. })));
    }
}
