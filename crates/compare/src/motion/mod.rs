//! The largest distance between the same points of two models, over all instants of a pair of clips.
//!
//! Between two keys of either clip, the offset between two points is a smooth curve. Its distance from the chord is
//! known from its middle, so the largest distance of a span is bounded by its ends, its middle and that bulge. [`Blocks`]
//! bound the distances of all pairs, and of neighbours, without posing them. Only blocks that may have the maximum are posed,
//! and the spans of those that may exceed it by more than [`SHARE`] or [`NEAR`] are halved, until none is left. So the result
//! is the largest distance at all keys and between each two, and within these limits of that of all instants.

pub mod blocks;
pub mod carriers;
pub mod extent;
pub mod spans;

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering as Atomic};

use glam::Vec3;
use rayon::prelude::*;

use self::blocks::{Blocks, Bounds, Moment};
use self::spans::{ClipPair, Span};
use super::cause::{Rigs, turn};
use super::measured::{Measured, PairedPoints};
use super::side::{Posed, Side, origin_offset};
use rigview_model::{TooMuchWork, Work, WorkLimit};

/// Spans that one task poses at least.
const TASK: usize = 8;

/// Spans are halved until the result is within this share of the true maximum, or within this many metres.
const SHARE: f32 = 0.01;
const NEAR: f32 = 5e-5;

/// Distances up to this share of the model's size are rounding.
const ROUNDING: f32 = 4e-6;

/// Spans that are looked into in one round, at most; the shortest one that is halved, in seconds.
const ROUND: usize = 256;
const SHORTEST: f64 = 1e-6;

/// Number of blocks that are posed before the pairs of the others are counted.
const BLOCKS_FIRST: usize = 64;

/// If more than one in this many pairs is left then, all points are posed, which is faster than block by block.
const MANY: usize = 3;

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

impl Farthest {
    /// Returns the farther one; of equal ones, the earlier one, then that of the first pair.
    fn or(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return self };
        let by_distance = self.distance.total_cmp(&other.distance);
        let by_time = || other.time_secs.total_cmp(&self.time_secs);
        match by_distance.then_with(by_time).then_with(|| other.pair.cmp(&self.pair)) {
            Ordering::Less => other,
            _ => self,
        }
    }
}

/// What is measured of two models.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub measured: &'a Measured,
    pub blocks: &'a Blocks,
    pub meter: &'a Meter,
}

/// The work of posing vertices, which is known only when it is done.
#[derive(Debug)]
pub(super) struct Meter {
    spent: AtomicU64,
    limit: WorkLimit,
}

impl Meter {
    pub fn new(limit: WorkLimit) -> Self {
        Self { spent: AtomicU64::new(0), limit }
    }

    /// Counts work.
    pub fn spend(&self, work: Work) {
        self.spent.fetch_add(work.0, Atomic::Relaxed);
    }

    /// Checks that all work so far is within the limit.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self) -> Result<(), TooMuchWork> {
        self.limit.holds(Work(self.spent.load(Atomic::Relaxed)))
    }
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

    /// Computes the joint matrices of both, as the nodes are posed.
    pub fn pose_joints(&mut self, rigs: &Rigs) {
        self.a.pose_joints(rigs.a);
        self.b.pose_joints(rigs.b);
    }

    /// Returns the distance of each pair in metres, of vertices that are posed. It is infinite if only one of both has a
    /// place.
    pub fn distances(&self, measured: &Measured) -> Vec<f32> {
        (0..measured.len()).map(|pair| self.posed_apart(measured, pair).length()).collect()
    }

    /// Returns the offset of a pair, from B to A, of vertices that are posed.
    fn posed_apart(&self, measured: &Measured, pair: usize) -> Vec3 {
        match measured {
            Measured::Nodes(pairs) => self.between_nodes(pairs[pair]),
            Measured::Points(points) => {
                let [of_a, of_b] = [self.a.points(), self.b.points()];
                let [[a], [b]] =
                    points.places(pair, |i| [of_a[i as usize]], |i| [of_b[i as usize]]);
                self.between([a, b])
            }
        }
    }

    /// Returns the offset of a pair, from B to A, in several poses by their joint matrices.
    fn apart<const N: usize>(
        poses: [&Self; N],
        rigs: &Rigs,
        measured: &Measured,
        pair: usize,
    ) -> [Vec3; N] {
        let [a, b] = match measured {
            Measured::Nodes(pairs) => {
                let [a, b] = pairs[pair];
                return poses.map(|posed| posed.between_nodes([a, b]));
            }
            Measured::Points(points) => points.places(
                pair,
                |point| Posed::places(rigs.a, poses.map(|posed| &posed.a), point),
                |point| Posed::places(rigs.b, poses.map(|posed| &posed.b), point),
            ),
        };
        std::array::from_fn(|i| poses[i].between([a[i], b[i]]))
    }

    /// Returns the place in A of a pair of points, by the joint matrices.
    pub fn place_of_a(&self, rigs: &Rigs, points: &PairedPoints, pair: usize) -> Vec3 {
        let of_a = |point| Posed::places(rigs.a, [&self.a], point);
        let [[of_a], _] = points.places(pair, of_a, |_| [Vec3::ZERO]);
        of_a
    }

    fn between_nodes(&self, [a, b]: [usize; 2]) -> Vec3 {
        self.between([self.a.node_place(a), self.b.node_place(b)])
    }

    fn between(&self, [a, b]: [Vec3; 2]) -> Vec3 {
        match (a.is_finite(), b.is_finite()) {
            (true, true) => a - (b + self.offset),
            (false, false) => Vec3::ZERO,
            _ => Vec3::INFINITY,
        }
    }
}

/// A span that may have the maximum.
struct Open {
    span: Span,
    /// No distance within the span exceeds this.
    bound: f32,
    /// The blocks that may exceed what was found; `None` for all.
    blocks: Option<Vec<u32>>,
}

impl Open {
    /// Returns the distance up to which nothing more needs to be found in the span. A span between keys is looked into
    /// wherever it may have the maximum, so that this is exact at the keys.
    fn enough(&self, found: Option<Farthest>, size: f32) -> f32 {
        match self.blocks {
            None => found.map_or(0.0, |found| found.distance).max(ROUNDING * size),
            Some(_) => near_enough(found, size),
        }
    }
}

/// Both models at the start, the middle and the end of a span.
struct Prober<'a> {
    rigs: &'a Rigs<'a>,
    of: Field<'a>,
    clips: ClipPair<'a>,
    posed: [PosedPair; 3],
    moments: [Moment; 3],
    /// The instant of the last pose.
    last: Option<f64>,
}

impl<'a> Prober<'a> {
    fn new(rigs: &'a Rigs<'a>, of: Field<'a>, clips: ClipPair<'a>) -> Self {
        let posed = [0; 3].map(|_| PosedPair::new(rigs.a, rigs.b));
        Self { rigs, of, clips, posed, moments: Default::default(), last: None }
    }

    fn pose(&mut self, at: usize, time_secs: f64) {
        let posed = &mut self.posed[at];
        posed.pose_nodes(self.rigs, self.clips, time_secs);
        let (sides, both) = ([self.rigs.a, self.rigs.b], [&posed.a, &posed.b]);
        self.of.blocks.moment(sides, both, posed.offset, &mut self.moments[at]);
    }

    /// Poses the nodes at the ends and the middle of a span, and returns the bounds of distances within it.
    fn bounds(&mut self, span: Span) -> Bounds<'a> {
        match self.last == Some(span.start) {
            true => {
                self.posed.swap(0, 2);
                self.moments.swap(0, 2);
            }
            false => self.pose(0, span.start),
        }
        self.pose(1, span.middle());
        self.pose(2, span.end);
        self.last = Some(span.end);
        Bounds::new(self.of.blocks, self.moments.each_ref())
    }

    /// Returns a span with the bound of all distances within it.
    fn open(&mut self, span: Span) -> Open {
        Open { span, bound: self.bounds(span).of_all(), blocks: None }
    }

    /// Poses the blocks of a span that may exceed what was found. Returns what is found there, and the halves of the span
    /// if they may still exceed it.
    fn look_into(&mut self, open: &Open, found: Option<Farthest>) -> (Option<Farthest>, Vec<Open>) {
        let bounds = self.bounds(open.span);
        let size = self.rigs.size;
        let blocks = bounds.above(open.enough(found, size), open.blocks.as_deref());
        let mut found = found;
        let mut left: Vec<(f32, u32)> = Vec::new();
        let mut are_posed = false;
        for (i, (bound, block)) in blocks.iter().copied().enumerate() {
            if i == BLOCKS_FIRST {
                let enough = open.enough(found, size);
                let left = blocks[i..].iter().take_while(|(bound, _)| *bound > enough);
                let pairs = left.map(|(_, block)| self.of.blocks.pairs(*block as usize).len());
                are_posed = MANY * pairs.sum::<usize>() > self.of.measured.len();
                if are_posed {
                    self.pose_points();
                }
            }
            if found.is_some() && bound <= open.enough(found, size) {
                break;
            }
            if left.is_empty() {
                self.posed.iter_mut().for_each(|posed| posed.pose_joints(self.rigs));
            }
            let (farthest, bound) = self.measure(open.span, block as usize, are_posed);
            found = farthest.map(|farthest| farthest.or(found)).or(found);
            left.push((bound, block));
        }
        let enough = near_enough(found, size);
        left.retain(|(bound, _)| *bound > enough);
        let bound = left.iter().map(|(bound, _)| *bound).fold(0.0, f32::max).min(open.bound);
        if left.is_empty() || !can_be_halved(&open.span) {
            return (found, Vec::new());
        }
        let blocks: Vec<u32> = left.into_iter().map(|(_, block)| block).collect();
        let half = |span| Open { span, bound, blocks: Some(blocks.clone()) };
        (found, open.span.halves().map(half).into())
    }

    /// Poses all points of both models at the three instants.
    fn pose_points(&mut self) {
        for posed in &mut self.posed {
            posed.a.pose_points(self.rigs.a);
            posed.b.pose_points(self.rigs.b);
        }
    }

    /// Returns the largest distance of a block at the ends and the middle of a span, and a bound of those between them.
    fn measure(&self, span: Span, block: usize, are_posed: bool) -> (Option<Farthest>, f32) {
        let times = [span.start, span.middle(), span.end];
        let pairs = self.of.blocks.pairs(block);
        // Both models at three instants.
        self.of.meter.spend(Work(6) * pairs.len());
        let (mut found, mut bound) = (None, 0.0f32);
        for pair in pairs.iter().map(|pair| *pair as usize) {
            let (posed, measured) = (self.posed.each_ref(), self.of.measured);
            let offsets = match are_posed {
                true => posed.map(|posed| posed.posed_apart(measured, pair)),
                false => PosedPair::apart(posed, self.rigs, measured, pair),
            };
            let lengths = offsets.map(Vec3::length);
            for (distance, time_secs) in lengths.into_iter().zip(times) {
                found = Some(Farthest { distance, pair, time_secs }.or(found));
            }
            let [start, middle, end] = offsets;
            // As that of the matrices: a quarter of the bulge, with room for other curves than a parabola.
            let bulge = (middle - 0.5 * (start + end)).length();
            let far = lengths.into_iter().fold(0.0, f32::max);
            bound = bound.max(far + if bulge.is_nan() { 0.0 } else { 0.5 * bulge });
        }
        (found, bound)
    }
}

/// Returns the distance up to which nothing more needs to be found between the instants that were looked at.
fn near_enough(found: Option<Farthest>, size: f32) -> f32 {
    let most = found.map_or(0.0, |found| found.distance);
    most + (SHARE * most).max(NEAR).max(ROUNDING * size)
}

/// Whether a span is long enough to be looked into: longer than [`SHORTEST`], and than what single precision, in which keys
/// have their times, can tell apart.
fn can_be_halved(span: &Span) -> bool {
    span.length() > SHORTEST.max(f64::from(f32::EPSILON) * span.end.abs())
}

/// Returns where and when both are farthest apart; `None` if nothing is measured. The distance is the largest one to within
/// [`SHARE`], unless [`MOST_PER_SPAN`] or the meter ends the search.
pub(super) fn farthest(rigs: &Rigs, of: Field, clips: ClipPair) -> Option<Farthest> {
    if of.measured.len() == 0 {
        return None;
    }
    let spans = clips.spans();
    let mut left = MOST_PER_SPAN * spans.len() + MOST_BESIDE;
    let open_all = |spans: &[Span]| -> Vec<Open> {
        let mut prober = Prober::new(rigs, of, clips);
        spans.iter().map(|span| prober.open(*span)).collect()
    };
    let mut open: Vec<Open> = chunks(&spans).flat_map_iter(open_all).collect();
    let mut found: Option<Farthest> = None;
    let mut round = 1;
    while of.meter.check().is_ok() {
        open.sort_by(|x, y| {
            y.bound.total_cmp(&x.bound).then(x.span.start.total_cmp(&y.span.start))
        });
        let rest = open.split_off(open.len().min(round));
        let worst = std::mem::replace(&mut open, rest);
        if worst.is_empty() || worst.len() > left {
            break;
        }
        left -= worst.len();
        let look_into = |some: &[Open]| -> Vec<(Option<Farthest>, Vec<Open>)> {
            let mut prober = Prober::new(rigs, of, clips);
            some.iter().map(|one| prober.look_into(one, found)).collect()
        };
        let tasks = worst.len().div_ceil(2 * rayon::current_num_threads());
        let looked: Vec<_> = worst.par_chunks(tasks).flat_map_iter(look_into).collect();
        for (farthest, halves) in looked {
            found = farthest.map(|farthest| farthest.or(found)).or(found);
            open.extend(halves);
        }
        if found.is_some_and(|found| !found.distance.is_finite()) {
            break;
        }
        open.retain(|open| open.bound > open.enough(found, rigs.size));
        round = (2 * round).min(ROUND);
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of vertices to pose is not known in advance, so the work is counted when it is done.
    #[test]
    fn posing_beyond_the_limit_is_refused() {
        let meter = Meter::new(WorkLimit::of_secs(1.0));
        let half = Work((0.5 * Work::PER_SEC) as u64);
        for _ in 0..2 {
            meter.spend(half);
            assert!(meter.check().is_ok());
        }
        meter.spend(Work(1));
        assert!(meter.check().is_err());
    }

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
