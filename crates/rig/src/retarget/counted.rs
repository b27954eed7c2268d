//! Which parts that clips move were found in a rig, and which were not.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::morph_targets::{in_between, target_names};
use super::rig_map::RigMap;
use crate::face_clips::nodes_of_face;
use crate::skeleton_copies::SkeletonCopies;
use rigview_anim::{Channel, Track, WeightMapping};
use rigview_model::Model;

/// What clips move, by whether the rig has it.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// Number of moved nodes that were found.
    pub matched: usize,
    /// Names of moved nodes that were not found.
    pub unmatched: Vec<String>,
    /// Names of morph targets that move and were not found.
    pub lost_targets: Vec<String>,
    /// Whether skeletons move in another way than the one with the same joints that the rig follows.
    pub lost_skeletons: bool,
    /// Whether nothing is left: no joint that the clips move is followed or, if they move no joints, no node.
    pub is_nothing: bool,
}

impl Counted {
    pub fn new(rig: &Model, source: &Model, map: &RigMap, weights: &[WeightMapping]) -> Self {
        let mut out = Self::default();
        let mut is_followed = vec![false; source.nodes.len()];
        map.pairs.iter().flatten().for_each(|pair| is_followed[pair.source] = true);
        let targets = Targets::new(source, weights);
        let Moved { nodes: moved, mut found, lost } = Moved::new(source, &is_followed, &targets);
        let copies = SkeletonCopies::find(source);
        let motions = motions(source);
        for node in &moved {
            let original = copies.original(*node).unwrap_or(*node);
            let mut alike = std::iter::once(&original).chain(copies.copies_of(original));
            if found.contains(node) {
                out.matched += 1;
            } else if let Some(other) = alike.find(|other| is_followed[**other]) {
                out.lost_skeletons |= !moves_alike(motions.get(node), motions.get(other));
                found.insert(*node);
            } else if original == *node || !motions.contains_key(&original) {
                out.unmatched.push(name(source, *node));
            }
        }
        let mut seen = HashSet::new();
        out.lost_targets.extend(lost.into_iter().filter(|name| seen.insert(name.clone())));
        let is_joint = source.skin_joints();
        let has_joints = rig.skins.iter().any(|skin| !skin.joints.is_empty());
        let mut moved_joints = moved.iter().filter(|node| is_joint[**node]).peekable();
        let about_joints = has_joints && moved_joints.peek().is_some();
        let joint_found = moved_joints.any(|node| found.contains(node));
        let nothing = if about_joints { !joint_found } else { out.matched == 0 };
        out.is_nothing = nothing && !moved.is_empty();
        out
    }
}

/// The nodes and morph targets that clips move.
struct Moved {
    /// The nodes, in the order of their channels.
    nodes: Vec<usize>,
    /// Those of which the rig has all.
    found: HashSet<usize>,
    /// Names of morph targets that drive nothing, one per channel that moves them.
    lost: Vec<String>,
}

impl Moved {
    fn new(source: &Model, is_followed: &[bool], targets: &Targets) -> Self {
        let face = nodes_of_face(source);
        let (mut nodes, mut lost) = (Vec::new(), Vec::new());
        let mut found: BTreeMap<usize, bool> = BTreeMap::new();
        for channel in source.clips.iter().flat_map(|clip| clip.channels()) {
            let node = channel.node();
            if face.contains(&node) {
                continue;
            }
            let mut is_found = is_followed[node];
            if let Channel::Weights { first, track, .. } = channel {
                let names = targets.lost(source, node, *first, track);
                is_found |= targets.are_driven(source, node, *first, track, &names);
                lost.extend(names);
            }
            found.entry(node).and_modify(|all| *all &= is_found).or_insert_with(|| {
                nodes.push(node);
                is_found
            });
        }
        let found = found.into_iter().filter(|(_, found)| *found).map(|(node, _)| node).collect();
        Self { nodes, found, lost }
    }
}

/// The morph targets of the clip file that drive some of the rig.
struct Targets<'a> {
    driving: BTreeMap<usize, BTreeSet<usize>>,
    names: HashSet<&'a str>,
}

impl<'a> Targets<'a> {
    fn new(source: &'a Model, weights: &[WeightMapping]) -> Self {
        let mut driving: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for mapping in weights {
            driving.entry(mapping.source).or_default().extend(mapping.columns.iter().flatten());
        }
        let mut names = HashSet::new();
        for (node, columns) in &mut driving {
            let own = target_names(source, *node);
            // In-betweens drive the targets that they lead to.
            let between = (0..own.len())
                .filter(|at| in_between(own, *at).is_some_and(|(of, _)| columns.contains(&of)));
            let between: Vec<usize> = between.collect();
            columns.extend(between);
            names.extend(columns.iter().filter_map(|at| own.get(*at)).map(String::as_str));
        }
        names.remove("");
        Self { driving, names }
    }

    fn is_driven(&self, source: &Model, node: usize, target: usize) -> bool {
        let own = self.driving.get(&node).is_some_and(|targets| targets.contains(&target));
        own || target_names(source, node).get(target).is_some_and(|n| self.names.contains(&**n))
    }

    /// Whether the node of a channel drives targets of the rig, or others of the same names drive all that the channel shows.
    fn are_driven(
        &self,
        source: &Model,
        node: usize,
        first: usize,
        track: &Track<f32>,
        lost: &[String],
    ) -> bool {
        let mut targets = first..first + track.width();
        self.driving.contains_key(&node)
            || lost.is_empty() && targets.any(|at| self.is_driven(source, node, at))
    }

    /// Returns the names of the targets of a channel that drive nothing. A weight that is always 0 does not count.
    fn lost(&self, source: &Model, node: usize, first: usize, track: &Track<f32>) -> Vec<String> {
        let is_shown = |at: &usize| {
            let values = track.keys().values().iter().skip(*at).step_by(track.width());
            values.into_iter().any(|weight| *weight != 0.0)
        };
        let lost = (0..track.width()).filter(|at| !self.is_driven(source, node, first + at));
        let name = |at: usize| {
            let name = target_names(source, node).get(first + at).filter(|name| !name.is_empty());
            name.cloned().unwrap_or_else(|| format!("{}", first + at))
        };
        lost.filter(is_shown).map(name).collect()
    }
}

/// The channels of a node, by clip, path and first driven weight.
type Motion<'a> = BTreeMap<(usize, &'static str, usize), &'a Channel>;

/// Returns the motion of each node that clips move.
fn motions(source: &Model) -> HashMap<usize, Motion<'_>> {
    let mut motions: HashMap<usize, Motion> = HashMap::new();
    for (at, clip) in source.clips.iter().enumerate() {
        for channel in clip.channels() {
            let key = (at, channel.path(), channel.values().start);
            motions.entry(channel.node()).or_default().insert(key, channel);
        }
    }
    motions
}

/// Whether all clips drive two nodes by equal tracks.
fn moves_alike(a: Option<&Motion>, b: Option<&Motion>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a.is_none() && b.is_none() };
    let is_same = |pair: (&&Channel, &&Channel)| match pair {
        (Channel::Translation { track, .. }, Channel::Translation { track: other, .. })
        | (Channel::Scale { track, .. }, Channel::Scale { track: other, .. }) => track == other,
        (Channel::Rotation { track, .. }, Channel::Rotation { track: other, .. }) => track == other,
        (Channel::Weights { track, .. }, Channel::Weights { track: other, .. }) => track == other,
        _ => false,
    };
    a.keys().eq(b.keys()) && a.values().zip(b.values()).all(is_same)
}

/// Returns the name of a node, or its index.
pub(super) fn name(model: &Model, node: usize) -> String {
    match model.nodes[node].name.as_deref() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("node {node}"),
    }
}
