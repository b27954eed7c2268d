//! The face of VRM animation files: the weights that nodes carry become morph weights of an avatar, and its eyes follow the
//! gaze.

use std::collections::BTreeMap;

use glam::Vec3;

use super::gaze::Gaze;
use super::{About, left};
use crate::{Expression, Model, Override, Vrm, shown_weights};
use rigview_anim::{Channel, Clip, Keys, Track};

/// Instants per second between keys, because neither what overrides an expression nor how eyes turn is linear.
const RATE: f64 = 60.0;

/// Returns the nodes of a file that carry weights of expressions, or the gaze.
pub(crate) fn nodes_of_face(source: &Model) -> Vec<usize> {
    let Some(vrm) = &source.vrm else { return Vec::new() };
    vrm.expressions.iter().filter_map(|expression| expression.node).chain(vrm.gaze).collect()
}

/// Returns channels of morph weights for the expressions that a clip drives and a rig has, and of rotations for eyes that
/// follow its gaze. Those that would take more than this number of bytes are left out.
pub(crate) fn channels_of_face(
    rig: &Model,
    source: &Model,
    clip: &Clip,
    most_bytes: usize,
) -> Vec<Channel> {
    let (Some(own), Some(other)) = (&rig.vrm, &source.vrm) else { return Vec::new() };
    let gaze = Gaze::of(rig, source, clip);
    let (shown, turned) = match gaze {
        Some(gaze) if gaze.is_expression() => (Some(gaze), None),
        gaze => (None, gaze),
    };
    let driven = Driven::new(own, other, clip, shown);
    let mut channels = expression_channels(rig, &driven, most_bytes);
    if let Some(gaze) = turned {
        let room = most_bytes.saturating_sub(channels.iter().map(Channel::bytes).sum());
        let overrides = |(e, _): &(&Expression, _)| e.override_look_at != Override::None;
        let overriding = own.expressions.iter().zip(&driven.tracks).filter(overrides);
        let mut keys: Vec<&[f32]> =
            overriding.filter_map(|(_, track)| Some(track.as_ref()?.times())).collect();
        keys.push(gaze.track().times());
        let left_at = |secs| left(About::Looking, &own.expressions, &driven.weights(secs));
        // Both eyes have a time and a rotation of four numbers per instant.
        let instants = instants(&keys, 2 * 5, room);
        channels.extend(instants.iter().flat_map(|times| gaze.channels(rig, times, left_at)));
    }
    channels
}

/// The expressions of an avatar with what a clip drives them by.
struct Driven<'a> {
    own: &'a Vrm,
    /// By expression, its weight along X.
    tracks: Vec<Option<&'a Track<Vec3>>>,
    /// The gaze, if expressions show it.
    gaze: Option<Gaze<'a>>,
}

impl<'a> Driven<'a> {
    fn new(own: &'a Vrm, other: &Vrm, clip: &'a Clip, gaze: Option<Gaze<'a>>) -> Self {
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
        Self { own, tracks: driven, gaze }
    }

    /// Returns the weight of each expression at a time. Expressions that are shown at rest too add up with those of the clip
    /// before others override them.
    fn weights(&self, secs: f64) -> Vec<f32> {
        let asked = self.own.shown_at_rest.iter().copied().chain(std::iter::repeat(0.0));
        let expressions = self.own.expressions.iter().zip(&self.tracks);
        let of_clip = expressions.map(|(expression, track)| match track {
            Some(track) => track.sample(secs).x,
            None => self.gaze.and_then(|gaze| gaze.weight(&expression.name, secs)).unwrap_or(0.0),
        });
        of_clip.zip(asked).map(|(clip, rest)| clip + rest).collect()
    }
}

fn expression_channels(rig: &Model, driven: &Driven, most_bytes: usize) -> Vec<Channel> {
    let own = driven.own;
    let morphs = own.expressions.iter().flat_map(|expression| &expression.morphs);
    let mut nodes: BTreeMap<usize, Vec<f32>> = morphs.map(|bind| (bind.node, Vec::new())).collect();
    let width: usize = nodes.keys().map(|node| rig.rest.weights(*node).len()).sum();
    let mut keys: Vec<&[f32]> = driven.tracks.iter().flatten().map(|track| track.times()).collect();
    keys.extend(driven.gaze.map(|gaze| gaze.track().times()));
    let Some(times) = instants(&keys, 1 + width, most_bytes) else { return Vec::new() };
    let at_rest = own.morph_weights(&own.shown_at_rest);
    for time in &times {
        let shown = shown_weights(&own.expressions, &driven.weights(f64::from(*time)));
        for (node, values) in &mut nodes {
            let start = values.len();
            let added = |target| at_rest.get(&[*node, target]).copied().unwrap_or(0.0);
            let rest = rig.rest.weights(*node).iter().enumerate();
            values.extend(rest.map(|(target, weight)| weight - added(target)));
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

/// Returns the times of keys, and those between them at [`RATE`]. `None` if there are no keys, or if `floats` numbers per
/// instant take more than `most_bytes`.
fn instants(keys: &[&[f32]], floats: usize, most_bytes: usize) -> Option<Vec<f32>> {
    let end = keys.iter().filter_map(|times| times.last()).copied().reduce(f32::max)?;
    let count: usize = keys.iter().map(|times| times.len()).sum();
    let frames = (f64::from(end) * RATE).ceil();
    let bytes = (frames + count as f64) * (floats * size_of::<f32>()) as f64;
    if bytes > most_bytes as f64 {
        return None;
    }
    let mut times: Vec<f32> = keys.iter().copied().flatten().copied().collect();
    times.extend((0..frames as usize).map(|frame| (frame as f64 / RATE) as f32));
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    Some(times)
}
