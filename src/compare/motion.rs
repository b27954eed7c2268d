//! The largest distance between the same points of two models, over all instants of a pair of clips.

use glam::Vec3;
use rayon::prelude::*;

use super::cause::{Rigs, turn};
use super::side::{Posed, Side, origin_offset};
use super::vertex_pairs::PointPair;
use crate::anim::{Clip, instants};

/// Instants that one task poses at least.
const TASK: usize = 8;

/// What is measured between two models.
pub(super) enum Measured {
    /// Points of both, which belong to the same vertices.
    Points(Vec<PointPair>),
    /// The origins of these nodes, because neither model draws anything.
    Nodes(Vec<[usize; 2]>),
}

/// Where and when two models are farthest apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Farthest {
    /// In metres.
    pub distance: f32,
    /// Index of the pair of points or nodes.
    pub pair: usize,
    pub time_secs: f64,
}

/// A clip of each model; none for the rest pose.
#[derive(Clone, Copy)]
pub(super) struct ClipPair<'a> {
    pub a: Option<&'a Clip>,
    pub b: Option<&'a Clip>,
    /// The number of instants at most; of more, some are left out evenly.
    pub most: usize,
}

impl ClipPair<'_> {
    /// Returns the instants at which the clips are compared.
    pub fn times(&self) -> Vec<f64> {
        let clips: Vec<&Clip> = self.a.into_iter().chain(self.b).collect();
        let all = instants(&clips);
        let step = all.len().div_ceil(self.most.max(1)).max(1);
        all.into_iter().step_by(step).collect()
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

    /// Returns the distance of each pair in metres. It is infinite if only one of both has a place.
    pub fn distances<'a>(&'a self, measured: &'a Measured) -> Box<dyn Iterator<Item = f32> + 'a> {
        let apart = |a: Vec3, b: Vec3| match (a.is_finite(), b.is_finite()) {
            (true, true) => a.distance(b + self.offset),
            (false, false) => 0.0,
            _ => f32::INFINITY,
        };
        match measured {
            Measured::Points(pairs) => {
                let (a, b) = (self.a.points(), self.b.points());
                Box::new(pairs.iter().map(move |[i, j]| apart(a[*i as usize], b[*j as usize])))
            }
            Measured::Nodes(pairs) => {
                let place =
                    move |[a, b]: &[usize; 2]| apart(self.a.node_place(*a), self.b.node_place(*b));
                Box::new(pairs.iter().map(place))
            }
        }
    }

    fn farthest(&self, measured: &Measured, time_secs: f64) -> Option<Farthest> {
        let all = self.distances(measured).enumerate();
        let each = all.map(|(pair, distance)| Some(Farthest { distance, pair, time_secs }));
        each.fold(None, farther)
    }
}

/// Returns where and when both are farthest apart, the first such instant and pair; `None` if nothing is
/// measured.
pub(super) fn farthest(rigs: &Rigs, measured: &Measured, clips: ClipPair) -> Option<Farthest> {
    let times = clips.times();
    let found = chunks(&times).map(|times| {
        let mut pair = PosedPair::new(rigs.a, rigs.b);
        times.iter().fold(None, |most, time| {
            pair.pose(rigs, clips, *time);
            farther(most, pair.farthest(measured, *time))
        })
    });
    found.collect::<Vec<_>>().into_iter().fold(None, farther)
}

/// Returns the largest angle between the rotations of a pair of nodes over all instants, in radians.
pub(super) fn largest_turn(rigs: &Rigs, node: usize, clips: ClipPair) -> f32 {
    let Some(other) = rigs.nodes.b_of(node) else { return 0.0 };
    let times = clips.times();
    let largest = chunks(&times).map(|times| {
        let (mut a, mut b) = (rigs.a.stage.clone(), rigs.b.stage.clone());
        let turns = times.iter().map(|time| {
            a.pose(rigs.a.model, clips.a, *time);
            b.pose(rigs.b.model, clips.b, *time);
            turn(a.local.transform(node).rotation, b.local.transform(other).rotation)
        });
        turns.fold(0.0, f32::max)
    });
    largest.collect::<Vec<_>>().into_iter().fold(0.0, f32::max)
}

/// Splits instants into tasks of consecutive ones.
fn chunks(times: &[f64]) -> rayon::slice::Chunks<'_, f64> {
    let tasks = 4 * rayon::current_num_threads();
    times.par_chunks(times.len().div_ceil(tasks).max(TASK))
}

fn farther(first: Option<Farthest>, second: Option<Farthest>) -> Option<Farthest> {
    match (first, second) {
        (Some(first), Some(second)) => {
            Some(if second.distance > first.distance { second } else { first })
        }
        (first, second) => first.or(second),
    }
}
