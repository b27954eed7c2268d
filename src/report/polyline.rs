//! Samples tracks as lists of points.

use serde::Serialize;

use crate::anim::{Keys, Track, Value};

/// Approximate number of points per curve: more than a picture has columns.
pub(super) const POINTS: usize = 2000;

/// Points between two keys, at most.
const POINTS_A_PIECE: usize = 64;

/// A point of a curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Time in seconds.
    pub time: f64,
    /// One number per component.
    pub value: Vec<f32>,
}

/// Converts a value to a list of numbers.
#[derive(Clone, Copy)]
pub(super) struct Parts<T> {
    /// Returns the value's numbers, padded to four.
    pub of: fn(T) -> [f32; 4],
    /// How many of the four numbers are used.
    pub count: usize,
}

impl<T: Copy> Parts<T> {
    /// Returns the numbers of several values, one after the other.
    pub fn list(&self, values: &[T]) -> Vec<f32> {
        values.iter().flat_map(|v| (self.of)(*v).into_iter().take(self.count)).collect()
    }
}

/// Returns the values of a track's keys, for any interpolation.
pub(super) fn values<T>(track: &Track<T>) -> &[T]
where
    T: Value,
{
    match track.keys() {
        Keys::Step(values) | Keys::Linear(values) | Keys::Cubic { values, .. } => values,
    }
}

/// Samples a curve from 0 to the end as a line with points at and just before each key.
pub(super) fn line(
    times: &[f32],
    duration: f32,
    mut sample: impl FnMut(f64) -> Vec<f32>,
) -> Vec<CurvePoint> {
    let pieces = POINTS / times.len().max(1);
    let mut at: Vec<f64> = vec![0.0];
    for pair in times.windows(2) {
        at.extend(piece_times(pair, pieces.clamp(2, POINTS_A_PIECE)));
    }
    at.extend(times.last().map(|t| f64::from(*t)));
    at.push(f64::from(duration));
    let mut points: Vec<CurvePoint> = Vec::with_capacity(at.len());
    for time in at {
        let value = sample(time);
        points.push(CurvePoint { time, value });
    }
    // Drop points on the straight line between their neighbours.
    let mut kept: Vec<CurvePoint> = Vec::with_capacity(points.len());
    for point in points {
        if let [.., a, b] = &kept[..]
            && is_between(a, b, &point)
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

/// Returns evenly spaced times from a key to just before the next.
pub(super) fn piece_times(pair: &[f32], count: usize) -> impl Iterator<Item = f64> + use<> {
    let (from, to) = (f64::from(pair[0]), f64::from(pair[1]));
    // Closer to the next key than single precision can express, but still before it.
    let last = 1.0 - 1e-9;
    (0..=count).map(move |i| from + (to - from) * (i as f64 / count as f64).min(last))
}

fn is_between(a: &CurvePoint, b: &CurvePoint, c: &CurvePoint) -> bool {
    if c.time <= a.time {
        return a.value == b.value && b.value == c.value;
    }
    let u = (b.time - a.time) / (c.time - a.time);
    a.value.iter().zip(&b.value).zip(&c.value).all(|((a, b), c)| {
        let [a, b, c] = [a, b, c].map(|x| f64::from(*x));
        ((1.0 - u) * a + u * c - b).abs() <= 1e-7 * a.abs().max(c.abs())
    })
}
