//! Pairs the clips of two models: by name, then by content.

use serde::Serialize;

use super::lists::Models;
use super::node_pairs::{plain_name, without_name_space};
use super::pairs::Pairs;
use super::slot_pairs::animated_slots;
use crate::cause::turn;
use rigview_anim::{Clip, Cursor, LocalPose, Transform};
use rigview_model::{Model, Properties};

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
pub(crate) struct ClipMatch {
    pub a: usize,
    pub b: usize,
    pub by: PairedBy,
}

/// Instants that represent a clip, evenly spread.
const SAMPLES: usize = 12;

/// Nodes that represent a clip, at most.
const MOST_NODES: usize = 128;

/// Morph weights and properties that represent a clip, at most.
const MOST_VALUES: usize = 512;

/// Clips per model whose content is compared, at most; further ones stay alone.
const MOST_CLIPS: usize = 256;

/// Clips have the same content if they differ by at most this share of their motion, or by [`STILL`].
const SAME: f32 = 0.1;

/// A mean difference per moving node or value that is rounding: radians, and shares of the longest bone or of the value.
const STILL: f32 = 1e-3;

/// Pairs clips, in the order of the first model.
pub(crate) fn clip_pairs(models: Models) -> Vec<ClipMatch> {
    let Models { a, b, .. } = models;
    let mut pairs = Pairs::new(a.clips.len(), b.clips.len());
    let name = |model: &Model, i: usize| given_name(&model.clips[i]).map(str::to_owned);
    pairs.pair_unique(|i| Some(name(a, i)), |j| Some(name(b, j)));
    let contents = Contents::new(models, &pairs);
    let same_name = |i: usize, j: usize| given_name(&a.clips[i]) == given_name(&b.clips[j]);
    contents.pair(&mut pairs, |i, j| same_name(i, j) && given_name(&a.clips[i]).is_some());
    let named = pairs.clone();
    contents.pair(&mut pairs, |_, _| true);
    let by_content = pairs.clone();
    pairs.pair_in_order(|i| Some(name(a, i)), |j| Some(name(b, j)));
    // Other numbers are other clips.
    let numbered = |model: &Model, i: usize| name(model, i).map(|name| without_name_space(&name));
    let plain = |model: &Model, i: usize| name(model, i).map(|name| plain_name(&name));
    let unnumbered = |model: &Model, i: usize| {
        plain(model, i).filter(|of| numbered(model, i).as_ref() == Some(of))
    };
    pairs.pair_unique(|i| numbered(a, i), |j| numbered(b, j));
    pairs.pair_unique(|i| plain(a, i), |j| unnumbered(b, j));
    pairs.pair_unique(|i| unnumbered(a, i), |j| plain(b, j));
    let own = |model: &Model, i: usize| name(model, i).map(|name| own_name(&name));
    pairs.pair_unique(|i| own(a, i), |j| own(b, j));
    let named_by = pairs.clone();
    // The only clip of either file is the same one, whatever was done to it.
    if a.clips.len() == 1 && b.clips.len() == 1 {
        pairs.pair(0, 0);
    }
    let matched = |(a, b): (usize, usize)| {
        let by_motion = named.b_of(a).is_none() && by_content.b_of(a).is_some();
        let content = by_motion || named_by.b_of(a).is_none();
        ClipMatch { a, b, by: if content { PairedBy::Content } else { PairedBy::Name } }
    };
    pairs.iter().map(matched).collect()
}

/// Returns a clip's name unless it is empty.
pub(crate) fn given_name(clip: &Clip) -> Option<&str> {
    clip.name().filter(|name| !name.is_empty())
}

/// Returns what is left of a clip's name without those of the armature and of the layer, which exporters of FBX files add:
/// `Root|Take 001|BaseLayer`, `Armature|Armature|Walk_Armature`.
fn own_name(name: &str) -> String {
    let mut parts: Vec<&str> = name.split('|').collect();
    let armature = parts[0].to_owned();
    if parts.len() > 1 && parts[parts.len() - 1].replace(' ', "") == "BaseLayer" {
        parts.pop();
    }
    let own = parts.pop().unwrap_or_default();
    let suffix = format!("_{armature}");
    let own = if parts.is_empty() { own } else { own.strip_suffix(suffix.as_str()).unwrap_or(own) };
    own.to_ascii_lowercase()
}

/// The content of the clips that have no partner by name.
struct Contents {
    a: Vec<Content>,
    b: Vec<Content>,
    bone: f32,
}

/// What represents the clips of one model: as many of each as of the other one.
#[derive(Default)]
struct Watched {
    nodes: Vec<usize>,
    /// Nodes, and the indices of their morph weights.
    weights: Vec<[usize; 2]>,
    properties: Vec<WatchedProperty>,
}

struct WatchedProperty {
    /// The number of the slot in a pose; `None` if no clip of the model changes the property.
    slot: Option<usize>,
    at_rest: Vec<f32>,
}

struct Content {
    clip: usize,
    duration_secs: f32,
    /// At [`SAMPLES`] instants each, the transforms of the nodes.
    transforms: Vec<[Transform; SAMPLES]>,
    /// The weights, then the properties.
    values: Vec<[f32; SAMPLES]>,
    /// The difference from the first instant, as that of two clips.
    motion: f32,
    /// By node, then by value, whether the clip moves it away from rest.
    moves: Vec<bool>,
    /// By node, then by value, whether the clip has a channel for it.
    drives: Vec<bool>,
}

impl Contents {
    fn new(models: Models, pairs: &Pairs) -> Self {
        let [of_a, of_b] = watched(models, pairs);
        let Models { a, b, .. } = models;
        let lengths = of_a.nodes.iter().map(|node| a.rest.transform(*node).translation.length());
        let bone = lengths.fold(f32::MIN_POSITIVE, f32::max);
        let side = |model: &Model, clips: Vec<usize>, watched: &Watched| -> Vec<Content> {
            let clips = clips.into_iter().take(MOST_CLIPS);
            clips.map(|clip| Content::of(model, clip, watched, bone)).collect()
        };
        Self { a: side(a, pairs.left_in_a(), &of_a), b: side(b, pairs.left_in_b(), &of_b), bone }
    }

    /// Pairs clips with the same content, the most similar ones first. Clips that move nothing have the same content if they have the
    /// same channels.
    fn pair(&self, pairs: &mut Pairs, allowed: impl Fn(usize, usize) -> bool) {
        let mut all = Vec::new();
        for x in &self.a {
            for y in self.b.iter().filter(|y| allowed(x.clip, y.clip)) {
                let ratio = (x.duration_secs.max(1e-3) / y.duration_secs.max(1e-3)).ln().abs();
                let moving = x.moves.iter().zip(&y.moves).filter(|(x, y)| **x || **y).count();
                let share = 1.0 / moving.max(1) as f32;
                let off = share * x.difference(y, self.bone);
                let motion = share * x.motion.max(y.motion);
                let drives_the_same = x.drives == y.drives && x.drives.contains(&true);
                let same = off <= SAME * motion + STILL && (moving > 0 || drives_the_same);
                if same && ratio <= 0.7 {
                    all.push((off + 0.01 * ratio, x.clip, y.clip));
                }
            }
        }
        all.sort_by(|x, y| x.0.total_cmp(&y.0));
        all.into_iter().for_each(|(_, x, y)| pairs.pair(x, y));
    }
}

/// Returns what clips without a partner change in both models.
fn watched(models: Models, clips: &Pairs) -> [Watched; 2] {
    let Models { a, b, pairs } = models;
    let left_a: Vec<&Clip> = clips.left_in_a().into_iter().map(|clip| &a.clips[clip]).collect();
    let left_b: Vec<&Clip> = clips.left_in_b().into_iter().map(|clip| &b.clips[clip]).collect();
    let (mut of_a, mut of_b) = (Watched::default(), Watched::default());
    let mut driven = vec![false; a.nodes.len()];
    left_a.iter().flat_map(|clip| clip.channels()).for_each(|of| driven[of.node()] = true);
    let of_clips_b = left_b.iter().flat_map(|clip| clip.channels());
    of_clips_b.filter_map(|of| pairs.nodes.a_of(of.node())).for_each(|node| driven[node] = true);
    for (x, y) in pairs.nodes.iter().filter(|(node, _)| driven[*node]).take(MOST_NODES) {
        of_a.nodes.push(x);
        of_b.nodes.push(y);
        let Some(mesh) = a.nodes[x].mesh else { continue };
        let counts = [a.rest.weights(x).len(), b.rest.weights(y).len()];
        let both = pairs.targets[mesh].iter().filter(|(i, j)| *i < counts[0] && *j < counts[1]);
        for (i, j) in both.take(MOST_VALUES.saturating_sub(of_a.weights.len())) {
            of_a.weights.push([x, i]);
            of_b.weights.push([y, j]);
        }
    }
    let slots = animated_slots([a, b], pairs, [left_a, left_b]);
    let mut at_rest = [a, b].map(|model| {
        Properties::at_rest(&model.nodes, &model.cameras, &model.lights, &model.materials)
    });
    for both in slots.into_iter().take(MOST_VALUES) {
        let property = |side: usize, model: &Model, at_rest: &mut Properties| {
            let slot = model.slots.iter().position(|slot| *slot == both[side]);
            Some(WatchedProperty { slot, at_rest: at_rest.values(both[side])?.to_vec() })
        };
        let [rest_a, rest_b] = &mut at_rest;
        if let (Some(x), Some(y)) = (property(0, a, rest_a), property(1, b, rest_b))
            && x.at_rest.len() == y.at_rest.len()
        {
            of_a.properties.push(x);
            of_b.properties.push(y);
        }
    }
    [of_a, of_b]
}

impl Watched {
    /// Returns the weights, then the properties in a pose.
    fn values(&self, pose: &LocalPose) -> Vec<f32> {
        let weights = self.weights.iter().map(|[node, weight]| pose.weights(*node)[*weight]);
        let properties = self.properties.iter().flat_map(|of| match of.slot {
            Some(slot) => pose.property(slot),
            None => &of.at_rest,
        });
        weights.chain(properties.copied()).collect()
    }

    /// Returns the weights, then the properties at rest.
    fn values_at_rest(&self, rest: &LocalPose) -> Vec<f32> {
        let weights = self.weights.iter().map(|[node, weight]| rest.weights(*node)[*weight]);
        weights.chain(self.properties.iter().flat_map(|of| of.at_rest.iter().copied())).collect()
    }

    /// Returns, by node, then by value, whether a clip has a channel for it.
    fn driven_by(&self, clip: &Clip) -> Vec<bool> {
        let has = |node: usize, is_weights: bool| {
            clip.channels().iter().any(|of| of.node() == node && of.is_weights() == is_weights)
        };
        let nodes = self.nodes.iter().map(|node| has(*node, false));
        let weights = self.weights.iter().map(|[node, _]| has(*node, true));
        let properties = self.properties.iter().flat_map(|of| {
            let is_driven = clip.properties().iter().any(|each| Some(each.slot) == of.slot);
            std::iter::repeat_n(is_driven, of.at_rest.len())
        });
        nodes.chain(weights).chain(properties).collect()
    }
}

impl Content {
    fn of(model: &Model, clip: usize, watched: &Watched, bone: f32) -> Self {
        let of = &model.clips[clip];
        let rest = watched.nodes.iter().map(|node| [model.rest.transform(*node); SAMPLES]);
        let mut transforms: Vec<[Transform; SAMPLES]> = rest.collect();
        let rest = watched.values_at_rest(&model.rest).into_iter();
        let mut values: Vec<[f32; SAMPLES]> = rest.map(|value| [value; SAMPLES]).collect();
        let at_rest = (transforms.clone(), values.clone());
        let (mut pose, mut cursor) = (LocalPose::clone(&model.rest), Cursor::default());
        for i in 0..SAMPLES {
            let time = f64::from(of.duration_secs()) * i as f64 / (SAMPLES - 1) as f64;
            of.pose(time, &model.rest, &mut cursor, &mut pose);
            for (node, samples) in watched.nodes.iter().zip(&mut transforms) {
                samples[i] = pose.transform(*node);
            }
            for (value, samples) in watched.values(&pose).into_iter().zip(&mut values) {
                samples[i] = value;
            }
        }
        let moved = transforms.iter().zip(&at_rest.0).map(|(x, y)| apart(x, y, bone));
        let changed = values.iter().zip(&at_rest.1).map(|(x, y)| values_apart(x, y));
        let moves = moved.chain(changed).map(|off| off > STILL).collect();
        let moving = transforms.iter().map(|of| apart(of, &[of[0]; SAMPLES], bone));
        let changing = values.iter().map(|of| values_apart(of, &[of[0]; SAMPLES]));
        let motion = moving.sum::<f32>() + changing.sum::<f32>();
        let (duration_secs, drives) = (of.duration_secs(), watched.driven_by(of));
        Self { clip, duration_secs, transforms, values, motion, moves, drives }
    }

    /// Returns the difference of two clips, summed over nodes and values: of each the mean over time, in radians and shares of a
    /// bone's length, or in shares of the value.
    fn difference(&self, other: &Self, bone: f32) -> f32 {
        let transforms = self.transforms.iter().zip(&other.transforms);
        let values = self.values.iter().zip(&other.values);
        transforms.map(|(x, y)| apart(x, y, bone)).sum::<f32>()
            + values.map(|(x, y)| values_apart(x, y)).sum::<f32>()
    }
}

/// Returns the mean difference of a node's transforms: radians, and shares of a bone's length.
fn apart(a: &[Transform; SAMPLES], b: &[Transform; SAMPLES], bone: f32) -> f32 {
    let apart = |(a, b): (&Transform, &Transform)| {
        turn(a.rotation, b.rotation)
            + a.translation.distance(b.translation) / bone
            + a.scale.distance(b.scale)
    };
    a.iter().zip(b).map(apart).sum::<f32>() / SAMPLES as f32
}

/// Returns the mean difference of a value: of numbers beyond 1, its share.
fn values_apart(a: &[f32; SAMPLES], b: &[f32; SAMPLES]) -> f32 {
    let apart = |(a, b): (&f32, &f32)| (a - b).abs() / a.abs().max(b.abs()).max(1.0);
    a.iter().zip(b).map(apart).sum::<f32>() / SAMPLES as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_armature_and_layer_are_no_part_of_a_clip_s() {
        let names = [
            "Root|Take 001|BaseLayer",
            "Armature|Armature|mixamo.com_Armature",
            "Skeleton|Base",
            "Walk",
        ];
        assert_eq!(names.map(own_name), ["take 001", "mixamo.com", "base", "walk"]);
    }
}
