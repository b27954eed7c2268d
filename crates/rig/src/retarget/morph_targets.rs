//! The morph targets that follow those of another model, by name or by index, and its in-betweens.
//!
//! In-betweens are targets named `NAME N %`, as FBX has them between the base and the target `NAME`. On a rig that has only
//! `NAME`, its weight is the sum of theirs, each as a share of N %.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::rig_map::{MapBase, MapChoice};
use crate::face_clips::nodes_of_face;
use rigview_anim::{Channel, Clip, Keys, Track, WeightMapping};
use rigview_model::Model;

/// Returns the morph weights of the rig that follow clips: those of a node follow the node that it follows. If that has
/// none, or the node follows none, they follow targets of the same name, whatever nodes have these. A table that holds the node
/// at rest holds them too. With a table without a base, targets follow only those of the node that their own node follows.
pub(super) fn weight_mappings(
    rig: &Model,
    source: &Model,
    follows: &[Option<usize>],
    choice: &MapChoice,
) -> Vec<WeightMapping> {
    let base = choice.base();
    let must_be_equal = base == MapBase::Exact;
    let face = nodes_of_face(source);
    let mut is_animated: HashSet<usize> = HashSet::new();
    let mut animated: Vec<usize> = Vec::new();
    for channel in source.clips.iter().flat_map(|clip| clip.channels()) {
        if let Channel::Weights { node, .. } = channel
            && !face.contains(node)
            && is_animated.insert(*node)
        {
            animated.push(*node);
        }
    }
    let held: HashSet<&str> = match choice {
        MapChoice::Table(table) => {
            let held = table.joints.iter().filter(|line| line.follows.is_none());
            held.map(|line| line.joint.as_str()).collect()
        }
        _ => HashSet::new(),
    };
    let mut named = NamedTargets::new(rig, source, &animated, must_be_equal);
    let mut mappings = Vec::new();
    for (node, followed) in follows.iter().enumerate() {
        if animated.is_empty() || rig.rest.weights(node).is_empty() {
            continue;
        }
        if let Some(followed) =
            followed.filter(|followed| !source.rest.weights(*followed).is_empty())
        {
            let columns = is_animated
                .contains(&followed)
                .then(|| targets(rig, node, source, followed, must_be_equal));
            let columns = columns.flatten().into_iter();
            mappings.extend(columns.map(|columns| WeightMapping {
                node,
                source: followed,
                columns,
            }));
        } else if base != MapBase::None
            && rig.nodes[node].name.as_deref().is_none_or(|name| !held.contains(name))
        {
            let found = named.followed(node).iter().cloned();
            mappings.extend(found.map(|mapping| WeightMapping { node, ..mapping }));
        }
    }
    mappings
}

/// The targets of any node of the source that those of the rig follow by name. Nodes of one mesh follow the same.
struct NamedTargets<'a> {
    rig: &'a Model,
    source: &'a Model,
    /// The first animated node of each mesh whose targets have names: further ones have nothing to add.
    animated: Vec<usize>,
    must_be_equal: bool,
    /// By mesh of the rig.
    found: HashMap<usize, Vec<WeightMapping>>,
}

impl<'a> NamedTargets<'a> {
    fn new(rig: &'a Model, source: &'a Model, animated: &[usize], must_be_equal: bool) -> Self {
        let mut seen = HashSet::new();
        let is_first = |node: &usize| seen.insert(source.nodes[*node].mesh);
        let named = animated.iter().copied().filter(|node| !target_names(source, *node).is_empty());
        let animated = named.filter(is_first).collect();
        Self { rig, source, animated, must_be_equal, found: HashMap::new() }
    }

    /// Returns what a node follows. Of several nodes, the one with more of the names counts first.
    fn followed(&mut self, node: usize) -> &[WeightMapping] {
        let Some(mesh) = self.rig.nodes[node].mesh else { return &[] };
        let Self { rig, source, animated, must_be_equal, found } = self;
        found
            .entry(mesh)
            .or_insert_with(|| by_target_names(rig, node, source, animated, *must_be_equal))
    }
}

/// Returns the targets of nodes of the source that those of a node follow by name. Names that programs give by themselves mean
/// nothing on another mesh.
fn by_target_names(
    rig: &Model,
    node: usize,
    source: &Model,
    animated: &[usize],
    must_be_equal: bool,
) -> Vec<WeightMapping> {
    let own = target_names(rig, node);
    if own.is_empty() {
        return Vec::new();
    }
    let is_meant = |(target, column): (usize, &mut Option<usize>)| {
        column.take_if(|_| own.get(target).is_none_or(|name| is_automatic(name)));
    };
    let mut found = Vec::new();
    for other in animated {
        let Some(mut columns) = targets(rig, node, source, *other, must_be_equal) else { continue };
        columns.iter_mut().enumerate().for_each(is_meant);
        found.push(WeightMapping { node, source: *other, columns });
    }
    found.sort_by_key(|mapping| std::cmp::Reverse(mapping.columns.iter().flatten().count()));
    let mut is_driven = vec![false; rig.rest.weights(node).len()];
    for mapping in &mut found {
        for (column, is_driven) in mapping.columns.iter_mut().zip(&mut is_driven) {
            column.take_if(|_| *is_driven);
            *is_driven |= column.is_some();
        }
    }
    found.retain(|mapping| mapping.columns.iter().any(Option::is_some));
    found
}

/// Whether a name is one that programs give to targets without a name, such as `Key 1` and `target_0`.
fn is_automatic(name: &str) -> bool {
    let word = plain(name);
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let words =
        ["", "key", "target", "morph", "morphtarget", "shape", "shapekey", "blendshape", "basis"];
    words.contains(&word)
}

/// Returns, for each morph target of the rig's `node`, the one of the source's node `other` that it follows: by name if both
/// meshes name theirs, otherwise by index if their number is equal. `None` if none follows any.
///
/// Unless names must be equal, `blendShape1.JawOpen` and `jawOpen` are one name: exporters put a deformer in front, and differ
/// in case and separators.
pub(super) fn targets(
    rig: &Model,
    node: usize,
    source: &Model,
    other: usize,
    must_be_equal: bool,
) -> Option<Vec<Option<usize>>> {
    let (own, others) = (target_names(rig, node), target_names(source, other));
    let (count, other_count) = (rig.rest.weights(node).len(), source.rest.weights(other).len());
    if own.is_empty() || others.is_empty() {
        return (count == other_count && count > 0).then(|| (0..count).map(Some).collect());
    }
    let exact = Unique::new(others.iter().cloned());
    let mut columns: Vec<_> = own.iter().map(|name| exact.first(name)).collect();
    if !must_be_equal {
        for form in [plain, without_prefix] {
            let (own_forms, other_forms) =
                (own.iter().map(|n| form(n)), others.iter().map(|n| form(n)));
            let (own_forms, other_forms) = (Unique::new(own_forms), Unique::new(other_forms));
            let taken: HashSet<usize> = columns.iter().flatten().copied().collect();
            for (column, name) in columns.iter_mut().zip(own).filter(|(column, _)| column.is_none())
            {
                let name = form(name);
                let found = own_forms.only(&name).and_then(|_| other_forms.only(&name));
                *column = found.filter(|found| !taken.contains(found));
            }
        }
    }
    columns.resize(count, None);
    columns.iter().any(Option::is_some).then_some(columns)
}

/// Returns the names of a node's morph targets; empty if they have no names.
pub(super) fn target_names(model: &Model, node: usize) -> &[String] {
    let mesh = model.nodes[node].mesh.map(|mesh| &model.meshes[mesh]);
    let names = mesh.map_or(&[][..], |mesh| &mesh.target_names);
    if names.iter().all(String::is_empty) { &[] } else { names }
}

/// The places of names in a list.
struct Unique(HashMap<String, (usize, usize)>);

impl Unique {
    /// Leaves out empty names.
    fn new(names: impl Iterator<Item = String>) -> Self {
        let mut places = HashMap::new();
        for (at, name) in names.enumerate().filter(|(_, name)| !name.is_empty()) {
            places.entry(name).or_insert((at, 0)).1 += 1;
        }
        Self(places)
    }

    /// Returns the first place of a name.
    fn first(&self, name: &str) -> Option<usize> {
        self.0.get(name).map(|(at, _)| *at)
    }

    /// Returns the place of a name that occurs once.
    fn only(&self, name: &str) -> Option<usize> {
        self.0.get(name).filter(|(_, count)| *count == 1).map(|(at, _)| *at)
    }
}

/// Returns a name in lower case and without separators.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the plain form of what follows the first dot of a name. A side or a number behind it is no name: `blink.L`.
fn without_prefix(name: &str) -> String {
    let behind = name.split_once('.').map_or(name, |(_, behind)| behind);
    let text = plain(behind);
    let is_name = !matches!(text.as_str(), "l" | "r" | "left" | "right")
        && text.contains(|c: char| !c.is_ascii_digit());
    if is_name { text } else { plain(name) }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::{LocalPose, Transform};
    use rigview_model::{Mesh, Node};

    fn face(names: &[&str], count: usize) -> Model {
        let mut model = Model::default();
        let target_names = names.iter().map(|name| (*name).to_owned()).collect();
        model.meshes.push(Mesh { target_names, ..Mesh::default() });
        model.nodes.push(Node { mesh: Some(0), ..Node::default() });
        model.rest = LocalPose::new(vec![Transform::IDENTITY], &[vec![0.0; count]]);
        model
    }

    #[test]
    fn targets_that_both_meshes_name_are_never_matched_by_index() {
        let matched = |own: &[&str], others: &[&str], must_be_equal| {
            let (own, others) = (face(own, own.len()), face(others, others.len()));
            targets(&own, 0, &others, 0, must_be_equal)
        };
        let source = ["jawOpen", "smile", "blink"];
        let other_case = ["Smile", "face.JawOpen", "brow_up"];
        assert_eq!(matched(&other_case, &source, false), Some(vec![Some(1), Some(0), None]));
        assert_eq!(matched(&other_case, &source, true), None);
        assert_eq!(matched(&["a", "b", "c"], &source, false), None);
        // Names that differ in case alone are told apart.
        let pairs = ["Smile", "smile", "SMILE"];
        assert_eq!(matched(&pairs, &source, false), Some(vec![None, Some(1), None]));
        // Ignore side letters and numbers after a dot; a single match out of two does not count.
        let sides = ["mouthSmile.L", "Blink.L", "Frown.001"];
        assert_eq!(
            matched(&["blink.L", "--", "a.blink"], &sides, false),
            Some(vec![Some(1), None, None])
        );
        assert_eq!(matched(&["brow.L", "Smile.001", "smile_L"], &sides, false), None);
        let twice = ["x.smile", "y.Smile", "blink"];
        assert_eq!(
            matched(&["smile", "z.blink", "b"], &twice, false),
            Some(vec![None, Some(2), None])
        );
    }

    #[test]
    fn targets_without_names_follow_by_index_if_their_number_is_equal() {
        let source = face(&["jawOpen", "smile"], 2);
        let by_index = Some(vec![Some(0), Some(1)]);
        assert_eq!(targets(&face(&[], 2), 0, &source, 0, true), by_index);
        assert_eq!(targets(&face(&["", ""], 2), 0, &source, 0, false), by_index);
        assert_eq!(targets(&face(&[], 3), 0, &source, 0, false), None);
        assert_eq!(targets(&face(&[], 0), 0, &face(&[], 0), 0, false), None);
    }
}
