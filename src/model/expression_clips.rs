//! Expressions of VRM animation files: the weights that nodes carry become morph weights of an avatar.

use std::collections::BTreeMap;

use glam::Vec3;

use super::{Model, shown_weights};
use crate::anim::{Channel, Clip, Keys, Track};

/// Instants per second between keys, because what overrides an expression is not linear.
const RATE: f64 = 60.0;

/// Returns the nodes of a file that carry weights of expressions.
pub(super) fn expression_nodes(source: &Model) -> Vec<usize> {
    let expressions = source.vrm.iter().flat_map(|vrm| &vrm.expressions);
    expressions.filter_map(|expression| expression.node).collect()
}

/// Returns channels of morph weights for the expressions that a clip drives and a rig has. Empty if they would take
/// more than this number of bytes.
pub(super) fn expression_channels(
    rig: &Model,
    source: &Model,
    clip: &Clip,
    most_bytes: usize,
) -> Vec<Channel> {
    let (Some(own), Some(other)) = (&rig.vrm, &source.vrm) else { return Vec::new() };
    let mut driven: Vec<Option<&Track<Vec3>>> = vec![None; own.expressions.len()];
    for expression in &other.expressions {
        let same = own.expressions.iter().position(|e| e.name == expression.name);
        let (Some(at), Some(node)) = (same, expression.node) else { continue };
        let mut tracks = clip.channels().iter().filter_map(|channel| match channel {
            Channel::Translation { node: moved, track } if *moved == node => Some(track),
            _ => None,
        });
        driven[at] = tracks.next_back().or(driven[at]);
    }
    let tracks = || driven.iter().flatten();
    let end = tracks().map(|track| track.end_secs()).fold(0.0, f32::max);
    let morphs = own.expressions.iter().flat_map(|expression| &expression.morphs);
    let mut nodes: BTreeMap<usize, Vec<f32>> = morphs.map(|bind| (bind.node, Vec::new())).collect();
    let width: usize = nodes.keys().map(|node| rig.rest.weights(*node).len()).sum();
    let keys: usize = tracks().map(|track| track.times().len()).sum();
    let frames = (f64::from(end) * RATE).ceil();
    let bytes = (frames + keys as f64) * ((1 + width) * size_of::<f32>()) as f64;
    if tracks().next().is_none() || bytes > most_bytes as f64 {
        return Vec::new();
    }
    let mut times: Vec<f32> = tracks().flat_map(|track| track.times()).copied().collect();
    times.extend((0..frames as usize).map(|frame| (frame as f64 / RATE) as f32));
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    for time in &times {
        let at = |track: &Option<&Track<Vec3>>| {
            track.map_or(0.0, |track| track.sample(f64::from(*time)).x)
        };
        let weights: Vec<f32> = driven.iter().map(at).collect();
        let shown = shown_weights(&own.expressions, &weights);
        for (node, values) in &mut nodes {
            let start = values.len();
            values.extend(rig.rest.weights(*node));
            for (expression, weight) in own.expressions.iter().zip(&shown) {
                for bind in expression.morphs.iter().filter(|bind| bind.node == *node) {
                    values[start + bind.target] += weight * bind.weight;
                }
            }
        }
    }
    let channel = |(node, values): (usize, Vec<f32>)| {
        let width = rig.rest.weights(node).len();
        let track = Track::new(times.clone(), Keys::Linear(values), width).ok()?;
        Some(Channel::Weights { node, first: 0, track })
    };
    nodes.into_iter().filter_map(channel).collect()
}
