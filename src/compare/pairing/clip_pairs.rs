//! Pairs the clips of two models: by name, then by content.

use serde::Serialize;

use super::node_pairs::plain_name;
use super::pairs::Pairs;
use crate::anim::{Clip, Cursor, LocalPose, Transform};
use crate::compare::cause::turn;
use crate::model::Model;

/// What two clips have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PairedBy {
    /// Their names, apart from what exporters add to them.
    Name,
    /// Their motion.
    Content,
}

/// Two clips that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compare) struct ClipMatch {
    pub a: usize,
    pub b: usize,
    pub by: PairedBy,
}

/// Instants that represent a clip, evenly spread.
const SAMPLES: usize = 12;

/// Nodes that represent a clip, at most.
const MOST_NODES: usize = 128;

/// Clips per model whose content is compared, at most; further ones stay alone.
const MOST_CLIPS: usize = 256;

/// Clips have the same content if they differ by at most this share of their motion, or by [`STILL`].
const SAME: f32 = 0.1;

/// A mean difference per node that is rounding: radians, and shares of the longest bone.
const STILL: f32 = 1e-3;

/// Pairs clips, in the order of the first model.
pub(in crate::compare) fn clip_pairs(a: &Model, b: &Model, nodes: &Pairs) -> Vec<ClipMatch> {
    let mut pairs = Pairs::new(a.clips.len(), b.clips.len());
    let name = |model: &Model, i: usize| Some(given_name(&model.clips[i]).map(str::to_owned));
    pairs.pair_unique(|i| name(a, i), |i| name(b, i));
    let content = Contents::new(a, b, nodes, &pairs);
    let same_name = |i: usize, j: usize| given_name(&a.clips[i]) == given_name(&b.clips[j]);
    content.pair(&mut pairs, |i, j| same_name(i, j) && given_name(&a.clips[i]).is_some());
    let named = pairs.clone();
    content.pair(&mut pairs, |_, _| true);
    let by_content = pairs.clone();
    pairs.pair_in_order(|i| name(a, i), |i| name(b, i));
    let plain = |model: &Model, i: usize| given_name(&model.clips[i]).map(plain_name);
    pairs.pair_unique(|i| plain(a, i), |i| plain(b, i));
    let matched = |(a, b): (usize, usize)| {
        let content = named.b_of(a).is_none() && by_content.b_of(a).is_some();
        ClipMatch { a, b, by: if content { PairedBy::Content } else { PairedBy::Name } }
    };
    pairs.iter().map(matched).collect()
}

/// Returns a clip's name unless it is empty.
pub(in crate::compare) fn given_name(clip: &Clip) -> Option<&str> {
    clip.name().filter(|name| !name.is_empty())
}

/// The content of the clips that have no partner by name.
struct Contents {
    a: Vec<Content>,
    b: Vec<Content>,
    bone: f32,
}

struct Content {
    clip: usize,
    duration_secs: f32,
    /// The nodes' transforms at [`SAMPLES`] instants.
    samples: Vec<Transform>,
    /// The mean difference from the first instant.
    motion: f32,
}

impl Contents {
    fn new(a: &Model, b: &Model, nodes: &Pairs, pairs: &Pairs) -> Self {
        let driven = driven_nodes(a, b, nodes, pairs);
        let lengths = driven.iter().map(|[node, _]| a.rest.transform(*node).translation.length());
        let bone = lengths.fold(f32::MIN_POSITIVE, f32::max);
        let side = |model: &Model, clips: Vec<usize>, place: usize| -> Vec<Content> {
            let nodes: Vec<usize> = driven.iter().map(|pair| pair[place]).collect();
            let clips = clips.into_iter().take(MOST_CLIPS);
            clips.map(|clip| Content::of(model, clip, &nodes, bone)).collect()
        };
        Self { a: side(a, pairs.left_in_a(), 0), b: side(b, pairs.left_in_b(), 1), bone }
    }

    /// Pairs clips with the same content, the most similar ones first.
    fn pair(&self, pairs: &mut Pairs, allowed: impl Fn(usize, usize) -> bool) {
        let mut all = Vec::new();
        for x in &self.a {
            for y in self.b.iter().filter(|y| allowed(x.clip, y.clip)) {
                let ratio = (x.duration_secs.max(1e-3) / y.duration_secs.max(1e-3)).ln().abs();
                let off = difference(&x.samples, &y.samples, self.bone);
                let same = off <= SAME * x.motion.max(y.motion) + STILL;
                if same && ratio <= 0.7 && !x.samples.is_empty() {
                    all.push((off + 0.01 * ratio, x.clip, y.clip));
                }
            }
        }
        all.sort_by(|x, y| x.0.total_cmp(&y.0));
        all.into_iter().for_each(|(_, x, y)| pairs.pair(x, y));
    }
}

/// Returns the pairs of nodes that the clips without a partner drive.
fn driven_nodes(a: &Model, b: &Model, nodes: &Pairs, pairs: &Pairs) -> Vec<[usize; 2]> {
    let mut driven = vec![false; a.nodes.len()];
    for clip in pairs.left_in_a() {
        a.clips[clip].channels().iter().for_each(|channel| driven[channel.node()] = true);
    }
    for clip in pairs.left_in_b() {
        let found = b.clips[clip].channels().iter().filter_map(|c| nodes.a_of(c.node()));
        found.for_each(|node| driven[node] = true);
    }
    let both = nodes.iter().filter(|(node, _)| driven[*node]);
    both.map(|(x, y)| [x, y]).take(MOST_NODES).collect()
}

impl Content {
    fn of(model: &Model, clip: usize, nodes: &[usize], bone: f32) -> Self {
        let duration_secs = model.clips[clip].duration_secs();
        let (mut pose, mut cursor) = (LocalPose::clone(&model.rest), Cursor::default());
        let mut samples = Vec::with_capacity(nodes.len() * SAMPLES);
        for i in 0..SAMPLES {
            let time = f64::from(duration_secs) * i as f64 / (SAMPLES - 1) as f64;
            model.clips[clip].pose(time, &model.rest, &mut cursor, &mut pose);
            samples.extend(nodes.iter().map(|node| pose.transform(*node)));
        }
        let first = samples[..nodes.len()].repeat(SAMPLES);
        let motion = difference(&samples, &first, bone);
        Self { clip, duration_secs, samples, motion }
    }
}

/// Returns the mean difference of transforms: radians, and shares of a bone's length.
fn difference(a: &[Transform], b: &[Transform], bone: f32) -> f32 {
    let apart = |(a, b): (&Transform, &Transform)| {
        turn(a.rotation, b.rotation)
            + a.translation.distance(b.translation) / bone
            + a.scale.distance(b.scale)
    };
    a.iter().zip(b).map(apart).sum::<f32>() / a.len().max(1) as f32
}
