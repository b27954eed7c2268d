//! In-betweens: targets named `NAME N %`, as FBX has them between the base and the target `NAME`. On a rig that has only `NAME`, its
//! weight is the sum of theirs, each as a share of N %.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::Model;
use rigview_anim::{Channel, Clip, Keys, Track, WeightMapping};

/// An in-between of the clips' rig that the other rig has no target for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct InBetween {
    /// The node of the clips' rig.
    node: usize,
    /// Index of its target.
    own: usize,
    /// Index of the target that it leads to.
    target: usize,
    /// The weight of that target where the in-between shows in full.
    share: f32,
    /// The weight of that target at rest.
    rest: f32,
}

/// The in-betweens of the clips' rig that the other rig has no targets for.
pub(super) struct InBetweens(Vec<InBetween>);

impl InBetweens {
    pub fn new(source: &Model, mappings: &[WeightMapping]) -> Self {
        let mut driving: HashMap<usize, HashSet<usize>> = HashMap::new();
        for mapping in mappings {
            driving.entry(mapping.source).or_default().extend(mapping.columns.iter().flatten());
        }
        let mut found = Vec::new();
        for (node, driving) in driving {
            let Some(mesh) = source.nodes[node].mesh else { continue };
            let names = &source.meshes[mesh].target_names;
            for own in (0..names.len()).filter(|own| !driving.contains(own)) {
                if let Some((target, share)) = in_between(names, own)
                    && driving.contains(&target)
                {
                    let rest = source.rest.weights(node).get(target).copied().unwrap_or(0.0);
                    found.push(InBetween { node, own, target, share, rest });
                }
            }
        }
        Self(found)
    }

    /// Returns a clip whose targets have the weights of their in-betweens too.
    pub fn added<'a>(&self, clip: &'a Clip) -> Cow<'a, Clip> {
        if self.0.is_empty() {
            return Cow::Borrowed(clip);
        }
        let mut parts = clip.clone().into_parts();
        for channel in &mut parts.channels {
            let Channel::Weights { node, first, track } = channel else { continue };
            let (first, width) = (*first, track.width());
            let covered = first..first + width;
            let is_driven = |it: &&InBetween| {
                it.node == *node && covered.contains(&it.own) && covered.contains(&it.target)
            };
            let all: Vec<&InBetween> = self.0.iter().filter(is_driven).collect();
            let add = |list: &[f32]| {
                let mut list = list.to_vec();
                for row in list.chunks_exact_mut(width) {
                    all.iter()
                        .for_each(|it| row[it.target - first] += it.share * row[it.own - first]);
                }
                list
            };
            let keys = track.keys().map(add, add);
            // Never an error: times and value counts are those of a valid track.
            if let Ok(sums) = Track::new(track.times().to_vec(), keys, width) {
                *track = sums;
            }
        }
        // Pointers drive single weights, each by a channel of its own.
        for it in &self.0 {
            let find = |weight| parts.channels.iter().find_map(|c| single(c, it.node, weight));
            let Some(own) = find(it.own) else { continue };
            let track = match find(it.target) {
                Some(target) => sum(target, own, it.share),
                None => held_at(it.rest, own).and_then(|rest| sum(&rest, own, it.share)),
            };
            let Some(track) = track else { continue };
            parts.channels.retain(|channel| single(channel, it.node, it.target).is_none());
            parts.channels.push(Channel::Weights { node: it.node, first: it.target, track });
        }
        Cow::Owned(Clip::new(parts))
    }
}

/// Returns the track of a channel that drives only this morph weight of a node.
fn single(channel: &Channel, of: usize, weight: usize) -> Option<&Track<f32>> {
    match channel {
        Channel::Weights { node, first, track } => {
            ([*node, *first, track.width()] == [of, weight, 1]).then_some(track)
        }
        _ => None,
    }
}

/// Returns a track that holds a weight, with keys like those of another one.
fn held_at(weight: f32, like: &Track<f32>) -> Option<Track<f32>> {
    let keys = like.keys().map(|all| vec![weight; all.len()], |all| vec![0.0; all.len()]);
    Track::new(like.times().to_vec(), keys, 1).ok()
}

/// Returns the sum of a weight and a share of another one. It is exact between steps, between lines, and between splines with
/// keys at the same times; of others it is the sum at the keys of both, with lines between them.
fn sum(weight: &Track<f32>, other: &Track<f32>, share: f32) -> Option<Track<f32>> {
    let add = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x + share * y).collect();
    if weight.times() == other.times()
        && let (
            Keys::Cubic { in_tangents, values, out_tangents },
            Keys::Cubic { in_tangents: other_in, values: other_values, out_tangents: other_out },
        ) = (weight.keys(), other.keys())
    {
        let keys = Keys::Cubic {
            in_tangents: add(in_tangents, other_in),
            values: add(values, other_values),
            out_tangents: add(out_tangents, other_out),
        };
        return Track::new(weight.times().to_vec(), keys, 1).ok();
    }
    let mut times = [weight.times(), other.times()].concat();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let at = |time: &f32| {
        let time = f64::from(*time);
        weight.sample(time) + share * other.sample(time)
    };
    let values = times.iter().map(at).collect();
    let are_steps = [weight, other].iter().all(|track| matches!(track.keys(), Keys::Step(_)));
    let keys = if are_steps { Keys::Step(values) } else { Keys::Linear(values) };
    Track::new(times, keys, 1).ok()
}

/// Returns the target that an in-between leads to, and the weight of that target there; `None` for other targets.
pub(super) fn in_between(names: &[String], own: usize) -> Option<(usize, f32)> {
    let (of, percent) = names[own].strip_suffix(" %")?.rsplit_once(' ')?;
    let percent: f32 = percent.parse().ok()?;
    let target = names.iter().position(|name| name == of)?;
    percent.is_finite().then_some((target, percent / 100.0))
}
