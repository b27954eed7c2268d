//! Samples tracks as lists of points.

use std::ops::Range;

use serde::Serialize;

use rigview_anim::{Keys, Track, Value};

/// Approximate number of points per curve: more than a picture has columns.
pub(super) const POINTS: usize = 2000;

/// Upper limit of points between two keys.
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

/// The part of a curve that is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// From and to in seconds.
    pub secs: [f64; 2],
    /// Points between two keys.
    pub pieces: usize,
}

impl Span {
    /// Returns the span of a whole curve, with points for a picture.
    pub fn whole(times: &[f32], duration: f32) -> Self {
        let pieces = (POINTS / times.len().max(1)).clamp(2, POINTS_A_PIECE);
        Self { secs: [0.0, f64::from(duration)], pieces }
    }

    /// Returns a part of a curve with about this many points, but at least one between two keys.
    pub fn part(times: &[f32], secs: [f64; 2], points: usize) -> Self {
        let keys = in_span(times, secs);
        Self { secs, pieces: (points / keys.len().max(1)).clamp(1, POINTS_A_PIECE) }
    }
}

/// Returns the indices of the keys from the last one at or before a span to the first one at or after it.
pub(super) fn in_span(times: &[f32], [from, to]: [f64; 2]) -> Range<usize> {
    let first = times.partition_point(|time| f64::from(*time) <= from).saturating_sub(1);
    let end = times.partition_point(|time| f64::from(*time) < to);
    first..(end + 1).min(times.len()).max(first)
}

/// Samples a part of a curve as a line with points at its ends, and at and just before each key.
pub(super) fn line(
    times: &[f32],
    span: Span,
    mut sample: impl FnMut(f64) -> Vec<f32>,
) -> Vec<CurvePoint> {
    let [from, to] = span.secs;
    let mut at: Vec<f64> = vec![from];
    for pair in times[in_span(times, span.secs)].windows(2) {
        let [start, end] = [f64::from(pair[0]).max(from), f64::from(pair[1]).min(to)];
        if start < end {
            at.extend(between(start, end, span.pieces));
        }
    }
    let last = times.last().map(|time| f64::from(*time));
    at.extend(last.filter(|time| (from..=to).contains(time)));
    at.push(to);
    let mut points: Vec<CurvePoint> = Vec::with_capacity(at.len());
    for time in at {
        let value = sample(time);
        points.push(CurvePoint { time, value });
    }
    // Drop points on the straight line between their neighbours, but not the first and the last key: lines are drawn in
    // another way outside of them.
    let ends = [times.first(), times.last()].map(|time| time.map(|time| f64::from(*time)));
    let mut kept: Vec<CurvePoint> = Vec::with_capacity(points.len());
    for point in points {
        if let [.., a, b] = &kept[..]
            && is_between(a, b, &point)
            && !(a.time < b.time && b.time < point.time && ends.contains(&Some(b.time)))
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

/// Returns evenly spaced times from a key to just before the next.
pub(super) fn piece_times(pair: &[f32], count: usize) -> impl Iterator<Item = f64> + use<> {
    between(f64::from(pair[0]), f64::from(pair[1]), count)
}

/// Returns evenly spaced times from one time to just before another.
fn between(from: f64, to: f64, count: usize) -> impl Iterator<Item = f64> {
    // Sampling rounds times to single precision, as those of keys are.
    let last = f64::from((to as f32).next_down()).max(from);
    (0..=count).map(move |i| (from + (to - from) * (i as f64 / count as f64)).min(last))
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
