//! Measures a scene over a whole clip at bounded cost: at even times, and at those of its other instants at which boxes
//! around the joints' vertices exceed what was measured before.

use std::collections::BinaryHeap;

use crate::{HeldRoot, Model, PoseSource, Stage};
use rigview_anim::{Clip, instants, some_of};

/// Even times at which a clip is measured, without its start.
const EVEN: usize = 32;

/// Limit of points over all even times, and over all other instants, of which at least [`FEWEST_LATER`] are measured.
const MOST_EVEN_POINTS: usize = 50_000_000;
const MOST_LATER_POINTS: usize = 5_000_000;
const FEWEST_LATER: usize = 8;

/// Limit of posed nodes and tested boxes over all instants, and over those that may exceed the measure and are tested
/// again.
const MOST_TESTED: usize = 5_000_000;
const MOST_TESTED_AGAIN: usize = 1_000_000;

/// The poses of a clip that plays alone, or the rest pose without a clip.
#[derive(Clone, Copy)]
pub(super) struct Poses<'a> {
    pub model: &'a Model,
    pub clip: Option<&'a Clip>,
    /// A root that the clip does not move over the ground.
    pub held: Option<HeldRoot>,
}

impl Poses<'_> {
    pub fn pose(&self, stage: &mut Stage, time_secs: f64) {
        let source = PoseSource::Clip(self.clip, time_secs);
        stage.pose_with(self.model, source, self.held, |_| {});
    }

    /// Returns the [`instants`] of the clip; some of them, evenly, where `parts` posed nodes and tested boxes per instant
    /// would be too many. 0 without a clip.
    pub fn times(&self, parts: usize) -> Vec<f64> {
        let most = (MOST_TESTED / parts.max(1)).max(EVEN);
        self.clip.map_or_else(|| vec![0.0], |clip| some_of(instants(&[clip]), most))
    }
}

/// What a measure of a scene costs per pose.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    /// Points that are posed.
    pub points: usize,
    /// Boxes around the vertices of joints and rigid meshes.
    pub boxes: usize,
}

/// Adds the poses of a clip to a measure: those at 33 even times, then those of all [`instants`] that may exceed it, by
/// most first. `excess` returns by how much a pose may exceed the measure, or 0 if it can't. Where this would take too
/// long, the instants that exceed it least are left out.
pub(super) fn measure_over<M>(
    poses: Poses<'_>,
    stage: &mut Stage,
    cost: Cost,
    measure: &mut M,
    add: impl Fn(&mut M, &Stage),
    excess: impl Fn(&M, &Stage) -> f32,
) {
    let end = poses.clip.map_or(0.0, |clip| f64::from(clip.duration_secs()));
    let even = if poses.clip.is_some() { EVEN } else { 0 };
    let even = (0..=even).map(|i| end * i as f64 / EVEN as f64).collect();
    for time in some_of(even, (MOST_EVEN_POINTS / cost.points.max(1)).max(2)) {
        poses.pose(stage, time);
        add(measure, stage);
    }
    if poses.clip.is_none() {
        return;
    }
    let parts = poses.model.nodes.len() + cost.boxes;
    let times = poses.times(parts);
    // Bits of floats from 0 upwards are ordered as their values.
    let rank = |excess: f32| excess.max(0.0).to_bits();
    let mut beyond = BinaryHeap::new();
    for (i, time) in times.iter().enumerate() {
        poses.pose(stage, *time);
        beyond.push((rank(excess(measure, stage)), i));
    }
    let mut left = (MOST_LATER_POINTS / cost.points.max(1)).max(FEWEST_LATER);
    for _ in 0..(MOST_TESTED_AGAIN / parts.max(1)).max(FEWEST_LATER) {
        let Some((before, i)) = beyond.pop().filter(|(rank, _)| *rank > 0 && left > 0) else {
            break;
        };
        poses.pose(stage, times[i]);
        let now = rank(excess(measure, stage));
        // What was added since may have changed the order.
        if now < before && beyond.peek().is_some_and(|(next, _)| now < *next) {
            beyond.push((now, i));
        } else if now > 0 {
            left -= 1;
            add(measure, stage);
        }
    }
}
