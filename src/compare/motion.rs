//! The largest distance between the same points of two models, over all instants of a pair of clips.
//!
//! Between two keys of either clip, the offset between two points is a smooth curve. Its distance from the chord is
//! known from its middle, so the largest distance of a span is bounded by its ends, its middle and that bulge. Spans
//! whose bound exceeds what was found are halved until none is left: the result is within [`SHARE`] or [`NEAR`] of the
//! true maximum. Where the vertices have an [`Envelope`], it bounds all spans first, and vertices are posed in those only
//! that may have the maximum.

use glam::Vec3;
use rayon::prelude::*;

use super::cause::{Rigs, turn};
use super::envelope::Envelope;
use super::measured::Measured;
use super::side::{Posed, Side, origin_offset};
use super::spans::{ClipPair, Span};

/// Spans that one task poses at least.
const TASK: usize = 8;

/// The result is within this share of the true maximum, or within this many metres.
const SHARE: f32 = 0.01;
const NEAR: f32 = 5e-5;

/// Distances up to this share of the model's size are rounding.
const ROUNDING: f32 = 4e-6;

/// Spans that are looked at in one round, at most, and the points that are posed for them; the shortest one that is
/// halved, in seconds.
const ROUND: usize = 256;
const ROUND_POINTS: usize = 20_000_000;
const SHORTEST: f64 = 1e-6;

/// Spans that are looked into at most, as a multiple of the spans between keys, and beside that. Where times are so large
/// that single precision can't tell instants apart, no bound ever becomes tight.
const MOST_PER_SPAN: usize = 4;
const MOST_BESIDE: usize = 100_000;

/// Where and when two models are farthest apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Farthest {
    /// In metres.
    pub distance: f32,
    /// Index of the measured pair.
    pub pair: usize,
    pub time_secs: f64,
}

/// Both models at one instant.
pub(super) struct PosedPair {
    pub a: Posed,
    pub b: Posed,
    offset: Vec3,
}

impl PosedPair {
    pub fn new(a: &Side, b: &Side) -> Self {
        Self { a: a.posed(), b: b.posed(), offset: origin_offset(a, b) }
    }

    /// Poses both at a time; the clip that ends first holds its last pose.
    pub fn pose(&mut self, rigs: &Rigs, clips: ClipPair, time_secs: f64) {
        self.a.pose(rigs.a, clips.a, time_secs);
        self.b.pose(rigs.b, clips.b, time_secs);
    }

    /// Poses the nodes of both; the vertices stay where they are.
    pub fn pose_nodes(&mut self, rigs: &Rigs, clips: ClipPair, time_secs: f64) {
        self.a.pose_nodes(rigs.a, clips.a, time_secs);
        self.b.pose_nodes(rigs.b, clips.b, time_secs);
    }

    /// Returns the distance of each pair in metres. It is infinite if only one of both has a place.
    pub fn distances(&self, measured: &Measured) -> Vec<f32> {
        let mut offsets = Vec::new();
        self.offsets(measured, &mut offsets);
        offsets.into_iter().map(Vec3::length).collect()
    }

    /// Writes the offset of each pair, from B to A. It is infinite if only one of both has a place.
    fn offsets(&self, measured: &Measured, out: &mut Vec<Vec3>) {
        let apart = |[a, b]: [Vec3; 2]| match (a.is_finite(), b.is_finite()) {
            (true, true) => a - (b + self.offset),
            (false, false) => Vec3::ZERO,
            _ => Vec3::INFINITY,
        };
        out.clear();
        match measured {
            Measured::Points(points) => {
                let places = [self.a.points(), self.b.points()];
                out.extend((0..points.len()).map(|pair| apart(points.places(pair, places))));
            }
            Measured::Nodes(pairs) => {
                let place = |[a, b]: &[usize; 2]| [self.a.node_place(*a), self.b.node_place(*b)];
                out.extend(pairs.iter().map(|pair| apart(place(pair))));
            }
        }
    }
}

/// A span with what was found at its ends and its middle.
#[derive(Clone, Copy)]
struct Probed {
    span: Span,
    /// `None` if only the envelope was looked at.
    found: Option<Farthest>,
    /// No distance within the span exceeds this.
    bound: f32,
}

/// Points whose offsets are looked at.
#[derive(Clone, Copy)]
enum Tracked<'a> {
    All(&'a Measured),
    Corners(&'a Envelope),
}

/// The offsets at the ends and the middle of a span.
struct Prober<'a> {
    rigs: &'a Rigs<'a>,
    tracked: Tracked<'a>,
    clips: ClipPair<'a>,
    posed: PosedPair,
    offsets: [Vec<Vec3>; 3],
    /// The instant of the last offsets.
    last: Option<f64>,
}

impl<'a> Prober<'a> {
    fn new(rigs: &'a Rigs<'a>, tracked: Tracked<'a>, clips: ClipPair<'a>) -> Self {
        let posed = PosedPair::new(rigs.a, rigs.b);
        Self { rigs, tracked, clips, posed, offsets: Default::default(), last: None }
    }

    fn sample(&mut self, at: usize, time_secs: f64) {
        let (posed, out) = (&mut self.posed, &mut self.offsets[at]);
        match self.tracked {
            Tracked::All(measured) => {
                posed.pose(self.rigs, self.clips, time_secs);
                posed.offsets(measured, out);
            }
            Tracked::Corners(envelope) => {
                posed.pose_nodes(self.rigs, self.clips, time_secs);
                envelope.offsets(&posed.a, &posed.b, posed.offset, out);
            }
        }
    }

    fn probe(&mut self, span: Span) -> Probed {
        let middle = span.middle();
        match self.last == Some(span.start) {
            true => self.offsets.swap(0, 2),
            false => self.sample(0, span.start),
        }
        if span.end > span.start {
            self.sample(1, middle);
            self.sample(2, span.end);
        } else {
            let [first, others @ ..] = &mut self.offsets;
            others.iter_mut().for_each(|other| other.clone_from(first));
        }
        self.last = Some(span.end);
        let times = [span.start, middle, span.end];
        let mut probed = Probed { span, found: None, bound: 0.0 };
        let [start, between, end] = &self.offsets;
        for (pair, ((start, between), end)) in start.iter().zip(between).zip(end).enumerate() {
            let lengths = [start, between, end].map(|offset| offset.length());
            let mut far = 0.0f32;
            for (distance, time_secs) in lengths.into_iter().zip(times) {
                let at = Farthest { distance, pair, time_secs };
                probed.found = farther(probed.found, Some(at));
                far = far.max(distance);
            }
            // The bulge of a parabola falls to a quarter in each half. Twice that leaves room for other curves.
            let bulge = (*between - 0.5 * (*start + *end)).length();
            let bound = far + if bulge.is_nan() { 0.0 } else { 0.5 * bulge };
            probed.bound = probed.bound.max(bound);
        }
        if let Tracked::Corners(_) = self.tracked {
            probed.found = None;
        }
        probed
    }
}

/// Whether a span is long enough to be looked into: longer than [`SHORTEST`], and than what single precision, in which keys
/// have their times, can tell apart.
fn can_be_halved(span: &Span) -> bool {
    span.length() > SHORTEST.max(f64::from(f32::EPSILON) * span.end.abs())
}

/// Returns where and when both are farthest apart, the first such instant and pair; `None` if nothing is
/// measured. The distance is the largest one to within [`SHARE`], unless [`MOST_PER_SPAN`] ends the search.
pub(super) fn farthest(
    rigs: &Rigs,
    (measured, envelope): (&Measured, Option<&Envelope>),
    clips: ClipPair,
) -> Option<Farthest> {
    let probed = |spans: &[Span], tracked: Tracked| -> Vec<Probed> {
        let probe = |spans: &[Span]| -> Vec<Probed> {
            let mut prober = Prober::new(rigs, tracked, clips);
            spans.iter().map(|span| prober.probe(*span)).collect()
        };
        chunks(spans).flat_map_iter(probe).collect()
    };
    let round = (ROUND_POINTS / measured.len().max(1)).clamp(rayon::current_num_threads(), ROUND);
    let mut spans = clips.spans();
    let mut left = MOST_PER_SPAN * spans.len() + MOST_BESIDE;
    let mut open: Vec<Probed> = Vec::new();
    let mut found = None;
    if let Some(envelope) = envelope {
        open = probed(&spans, Tracked::Corners(envelope));
        // Something is found even if no span may have a distance: an instant at which it would be largest.
        let worst = open.iter().rev().max_by(|x, y| x.bound.total_cmp(&y.bound));
        if let Some(Probed { span, bound: 0.0, .. }) = worst {
            return Some(Farthest { distance: 0.0, pair: 0, time_secs: span.start });
        }
        let first = worst.map(|worst| Span { end: worst.span.start, ..worst.span });
        spans = first.into_iter().collect();
    }
    loop {
        let probed = probed(&spans, Tracked::All(measured));
        found = probed.iter().map(|probed| probed.found).fold(found, farther);
        let most = found.map_or(0.0, |found: Farthest| found.distance);
        let enough = most + (SHARE * most).max(NEAR).max(ROUNDING * rigs.size);
        open.extend(probed.into_iter().filter(|probed| can_be_halved(&probed.span)));
        open.retain(|probed| probed.bound > enough);
        open.sort_by(|x, y| y.bound.total_cmp(&x.bound));
        let worst = open.drain(..open.len().min(round));
        spans = worst
            .flat_map(|probed| match probed.found {
                None => vec![probed.span],
                Some(_) => probed.span.halves().to_vec(),
            })
            .collect();
        if spans.is_empty() || spans.len() > left || !most.is_finite() {
            return found;
        }
        left -= spans.len();
    }
}

/// Returns the largest angle between the rotations of a pair of nodes over all instants, in radians.
pub(super) fn largest_turn(rigs: &Rigs, node: usize, clips: ClipPair) -> f32 {
    let Some(other) = rigs.nodes.b_of(node) else { return 0.0 };
    let spans = clips.spans();
    let largest = chunks(&spans).map(|spans| {
        let (mut a, mut b) = (rigs.a.stage.clone(), rigs.b.stage.clone());
        let times = spans.iter().flat_map(|span| [span.start, span.middle(), span.end]);
        let turns = times.map(|time| {
            a.pose(rigs.a.model, clips.a, time);
            b.pose(rigs.b.model, clips.b, time);
            turn(a.local.transform(node).rotation, b.local.transform(other).rotation)
        });
        turns.fold(0.0, f32::max)
    });
    largest.collect::<Vec<_>>().into_iter().fold(0.0, f32::max)
}

/// Splits spans into tasks of consecutive ones.
fn chunks(spans: &[Span]) -> rayon::slice::Chunks<'_, Span> {
    let tasks = 4 * rayon::current_num_threads();
    spans.par_chunks(spans.len().div_ceil(tasks).max(TASK))
}

fn farther(first: Option<Farthest>, second: Option<Farthest>) -> Option<Farthest> {
    match (first, second) {
        (Some(first), Some(second)) => {
            Some(if second.distance > first.distance { second } else { first })
        }
        (first, second) => first.or(second),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a channel steps, no bound becomes tight however short the span is.
    #[test]
    fn halving_ends_where_times_are_too_large_to_tell_instants_apart() {
        for end in [1.0 / 30.0, 3600.0, 1e9, 1e30, f64::from(f32::MAX)] {
            let mut span = Span { start: 0.0, end };
            let mut halvings = 0;
            while can_be_halved(&span) {
                [_, span] = span.halves();
                halvings += 1;
            }
            assert!((10..40).contains(&halvings), "{end} s: {halvings}");
        }
    }
}
