//! Which joint of a model follows which joint of a clip file, and why.

use std::collections::{BTreeMap, HashMap};

use crate::humanoid::{Humanoid, declared_trunk};
use crate::skeleton_copies::SkeletonCopies;
use rigview_model::{HumanBone, Model};

/// How the joints of a model are matched with those of a clip file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MapChoice {
    /// By the naming conventions of both files.
    #[default]
    Auto,
    /// By equal names.
    Exact,
    /// By a table.
    Table(MapTable),
}

impl MapChoice {
    /// Returns how joints without a line in a table are matched.
    pub fn base(&self) -> MapBase {
        match self {
            Self::Auto => MapBase::Auto,
            Self::Exact => MapBase::Exact,
            Self::Table(table) => table.base,
        }
    }
}

/// Why two joints belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairReason {
    /// They have the same name.
    Name,
    /// They are the same bone of a humanoid.
    Bone(HumanBone),
    /// They are at the same place between hips and neck.
    Trunk,
    /// A line of the table.
    Table,
}

/// The joint that a joint follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointPair {
    /// Index of the node in the clip file.
    pub source: usize,
    /// Why they belong together.
    pub reason: PairReason,
}

/// The joints of a model and those of a clip file that they follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RigMap {
    /// One entry per node of the model; `None` stays at rest.
    pub pairs: Vec<Option<JointPair>>,
    /// The bones of the model.
    pub target: Humanoid,
    /// The bones of the clip file.
    pub source: Humanoid,
}

/// A joint that a table names and a file lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} has no joint \"{name}\" at line {line}", if *.in_clips { "the clip file" } else { "the model" })]
pub struct UnknownJoint {
    /// The name.
    pub name: String,
    /// Whether it was expected in the clip file, not in the model.
    pub in_clips: bool,
    /// The line of the table, from 1.
    pub line: usize,
}

impl RigMap {
    /// Matches the joints of a model with those of a clip file. A copy of a skeleton follows as the leading one does.
    ///
    /// # Errors
    /// If a table names a joint that a file lacks.
    pub fn new(model: &Model, source: &Model, choice: &MapChoice) -> Result<Self, UnknownJoint> {
        let (own, other) = (Humanoid::find(model), Humanoid::find(source));
        let none = vec![None; model.nodes.len()];
        let mut map = Self { pairs: none, target: own, source: other };
        let copies = SkeletonCopies::find(model);
        let rigs = ModelPair { model, source, copies, source_copies: SkeletonCopies::find(source) };
        match choice.base() {
            MapBase::Auto => map.match_bones(&rigs),
            MapBase::Exact => map.match_names(&rigs, |_, _| true),
            MapBase::None => {}
        }
        map.lead(&rigs.copies);
        if let MapChoice::Table(table) = choice {
            map.apply(table, &rigs)?;
        }
        map.spread(&rigs);
        Ok(map)
    }

    /// Pairs nodes of leading skeletons of which only a copy has a pair.
    fn lead(&mut self, copies: &SkeletonCopies) {
        for node in 0..self.pairs.len() {
            if self.pairs[node].is_none() {
                let mut others = copies.copies_of(node).iter();
                self.pairs[node] = others.find_map(|copy| self.pairs[*copy]);
            }
        }
    }

    /// Pairs the nodes of copies that have no pair as those of leading skeletons.
    fn spread(&mut self, rigs: &ModelPair) {
        for node in 0..self.pairs.len() {
            let original = rigs.copies.original(node).filter(|_| self.pairs[node].is_none());
            if let Some(JointPair { source, reason }) = original.and_then(|node| self.pairs[node]) {
                let source = rigs.copies.follows(node, &rigs.source_copies, source);
                self.pairs[node] = Some(JointPair { source, reason });
            }
        }
    }

    /// Returns the bones of a humanoid that both files have and that follow each other, as pairs of the model's node
    /// and that of the clip file.
    pub fn bones(&self) -> BTreeMap<HumanBone, (usize, usize)> {
        let source_of = |node: usize| self.pairs[node].map(|pair| pair.source);
        let own = self.target.bones.iter();
        let own = own.filter_map(|(bone, node)| Some((*bone, (*node, source_of(*node)?))));
        let mut followers = HashMap::new();
        for (node, pair) in self.pairs.iter().enumerate() {
            if let Some(pair) = pair {
                followers.entry(pair.source).or_insert(node);
            }
        }
        let other = self.source.bones.iter();
        let other =
            other.filter_map(|(bone, source)| Some((*bone, (*followers.get(source)?, *source))));
        other.chain(own).collect()
    }

    /// Matches bones first, then equal names of the other joints. Between files of one convention equal
    /// names come first, unless both files declare their bones.
    fn match_bones(&mut self, rigs: &ModelPair) {
        let ModelPair { model, source, .. } = rigs;
        let are_declared = self.target.is_declared() && self.source.is_declared();
        if self.target.convention == self.source.convention && !are_declared {
            self.match_names(rigs, |_, _| true);
        }
        let mut used = self.used(source);
        let pairs: Vec<(HumanBone, usize, usize)> = (self.target.bones.iter())
            .filter_map(|(bone, node)| Some((*bone, *node, *self.source.bones.get(bone)?)))
            .collect();
        for (bone, node, other) in pairs {
            self.add(&mut used, node, other, PairReason::Bone(bone));
        }
        if are_declared {
            for (bone, node) in declared_trunk(model) {
                if let Some((_, other)) = declared_trunk(source).find(|(other, _)| *other == bone) {
                    self.add(&mut used, node, other, PairReason::Bone(bone));
                }
            }
        } else {
            for (node, other) in self.trunk_pairs(model, source) {
                self.add(&mut used, node, other, PairReason::Trunk);
            }
        }
        let mut is_bone = (vec![false; model.nodes.len()], vec![false; source.nodes.len()]);
        self.target.nodes().for_each(|node| is_bone.0[node] = true);
        self.source.nodes().for_each(|node| is_bone.1[node] = true);
        self.match_names(rigs, |node, other| !is_bone.0[node] && !is_bone.1[other]);
    }

    /// Returns the joints between hips and neck in pairs: in order where both files have as many, otherwise the
    /// lowest, the highest and those next to the same share of the way.
    fn trunk_pairs(&self, model: &Model, source: &Model) -> Vec<(usize, usize)> {
        let (own, other) = (&self.target.trunk, &self.source.trunk);
        let few = own.len().min(other.len());
        let by_name = self.target.convention == self.source.convention && own.len() != other.len();
        if few == 0 || by_name && share_names(model, own, source, other) {
            return Vec::new();
        }
        let at = |i: usize, all: usize| match few {
            1 => all - 1,
            _ => (2 * i * (all - 1) + (few - 1)) / (2 * (few - 1)),
        };
        (0..few).map(|i| (own[at(i, own.len())], other[at(i, other.len())])).collect()
    }

    fn used(&self, source: &Model) -> Vec<bool> {
        let mut used = vec![false; source.nodes.len()];
        self.pairs.iter().flatten().for_each(|pair| used[pair.source] = true);
        used
    }

    /// Adds a pair if neither joint is paired yet.
    fn add(&mut self, used: &mut [bool], node: usize, source: usize, reason: PairReason) {
        if self.pairs[node].is_none() && !used[source] {
            self.pairs[node] = Some(JointPair { source, reason });
            used[source] = true;
        }
    }

    /// Matches joints that are left and have equal names.
    fn match_names(&mut self, rigs: &ModelPair, counts: impl Fn(usize, usize) -> bool) {
        let ModelPair { model, source, copies, source_copies } = rigs;
        let mut used = self.used(source);
        let found = nodes_by_name(model, source, copies, source_copies);
        for (other, node) in found.into_iter().enumerate() {
            if let Some(node) = node.filter(|node| counts(*node, other)) {
                self.add(&mut used, node, other, PairReason::Name);
            }
        }
    }

    /// Applies the lines of a table. A joint that a line names is in no other pair of the base.
    fn apply(&mut self, table: &MapTable, rigs: &ModelPair) -> Result<(), UnknownJoint> {
        let ModelPair { model, source, copies, source_copies } = rigs;
        let own = first_by_name(model, copies);
        let other = first_by_name(source, source_copies);
        let mut lines = Vec::with_capacity(table.joints.len());
        for joint in &table.joints {
            let find = |names: &HashMap<&str, usize>, name: &str, in_clips: bool| {
                let missing = || UnknownJoint { name: name.to_owned(), in_clips, line: joint.line };
                names.get(name).copied().ok_or_else(missing)
            };
            let node = find(&own, &joint.joint, false)?;
            let follows = joint.follows.as_deref().map(|name| find(&other, name, true));
            lines.push((node, follows.transpose()?));
        }
        for (node, follows) in &lines {
            self.pairs[*node] = None;
            copies.copies_of(*node).iter().for_each(|copy| self.pairs[*copy] = None);
            if let Some(source) = follows {
                for pair in &mut self.pairs {
                    pair.take_if(|pair| pair.source == *source);
                }
            }
        }
        for (node, follows) in lines {
            let reason = PairReason::Table;
            self.pairs[node] = follows.map(|source| JointPair { source, reason });
        }
        Ok(())
    }
}

/// A model and a clip file, and their skeletons that are there more than once.
struct ModelPair<'a> {
    model: &'a Model,
    source: &'a Model,
    copies: SkeletonCopies,
    source_copies: SkeletonCopies,
}

/// Whether two lists of joints have a name in common.
fn share_names(model: &Model, nodes: &[usize], source: &Model, others: &[usize]) -> bool {
    let name = |model: &Model, node: usize| model.nodes[node].name.clone();
    nodes.iter().any(|node| others.iter().any(|o| name(model, *node) == name(source, *o)))
}

/// Returns the node of each name; of several, the first joint of a skin that is of no copy of a skeleton, the first joint, or
/// the first node.
fn first_by_name<'a>(model: &'a Model, copies: &SkeletonCopies) -> HashMap<&'a str, usize> {
    let is_joint = model.skin_joints();
    let mut nodes: Vec<usize> = (0..model.nodes.len()).collect();
    nodes.sort_by_key(|node| (!is_joint[*node], copies.original(*node).is_some()));
    let mut names = HashMap::new();
    for node in nodes {
        if let Some(name) = model.nodes[node].name.as_deref() {
            names.entry(name).or_insert(node);
        }
    }
    names
}

rigview_anim::named_enum! {
    /// How joints without a line are matched. The names are those in TOML.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum MapBase {
        /// By the naming conventions of both files.
        Auto = "auto",
        /// By equal names.
        Exact = "exact",
        /// Not at all.
        #[default]
        None = "none",
    }
}

/// A line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapLine {
    /// The name of the model's joint.
    pub joint: String,
    /// The name of the joint in the clip file; `None` stays at rest.
    pub follows: Option<String>,
    /// The line in the text, from 1.
    pub line: usize,
}

/// A table of joints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapTable {
    /// How joints without a line are matched.
    pub base: MapBase,
    /// The lines, one per joint of the model.
    pub joints: Vec<MapLine>,
}

/// Returns the node of the rig with the same name for each node of the source. If several nodes share a name, the names on
/// the path from the root decide, and then those of the leading skeletons match. Nodes without a name match only if both
/// trees are equal.
fn nodes_by_name(
    rig: &Model,
    source: &Model,
    rig_copies: &SkeletonCopies,
    source_copies: &SkeletonCopies,
) -> Vec<Option<usize>> {
    let parents = |model: &Model| -> Vec<Option<usize>> {
        (0..model.nodes.len()).map(|node| model.hierarchy.parent(node)).collect()
    };
    let same_tree = parents(rig) == parents(source);
    let mut numbers = HashMap::new();
    let rig_paths = paths(rig, &mut numbers);
    let source_paths = paths(source, &mut numbers);
    let (rig_names, source_names) = (by_name(rig), by_name(source));
    let on_path = |list: &[usize], paths: &[usize], path: usize| -> Vec<usize> {
        list.iter().copied().filter(|node| paths[*node] == path).collect()
    };
    let mut found = vec![None; source.nodes.len()];
    for (name, nodes) in &source_names {
        let Some(others) = rig_names.get(name) else { continue };
        if let ([node], [other]) = (&nodes[..], &others[..]) {
            found[*node] = Some(*other);
            continue;
        }
        let mut left: Vec<usize> = nodes.iter().map(|node| source_paths[*node]).collect();
        left.sort_unstable();
        left.dedup();
        for path in left {
            let nodes = on_path(nodes, &source_paths, path);
            let others = on_path(others, &rig_paths, path);
            // Nodes with the same path match in order, if their number is equal.
            if nodes.len() == others.len() {
                nodes.iter().zip(others).for_each(|(node, other)| found[*node] = Some(other));
            }
        }
        let leading = |list: &[usize], copies: &SkeletonCopies| -> Vec<usize> {
            list.iter().copied().filter(|node| copies.original(*node).is_none()).collect()
        };
        if let ([node], [other]) =
            (&leading(nodes, source_copies)[..], &leading(others, rig_copies)[..])
            && nodes.iter().all(|node| found[*node] != Some(*other))
        {
            found[*node].get_or_insert(*other);
        }
    }
    if same_tree {
        let unnamed = |model: &Model, node: usize| {
            model.nodes[node].name.as_deref().is_none_or(str::is_empty)
        };
        for (node, found) in found.iter_mut().enumerate() {
            if unnamed(source, node) && unnamed(rig, node) {
                *found = Some(node);
            }
        }
    }
    found
}

/// Returns a model's named nodes by name.
fn by_name(model: &Model) -> HashMap<&str, Vec<usize>> {
    let mut list: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, node) in model.nodes.iter().enumerate() {
        if let Some(name) = node.name.as_deref().filter(|name| !name.is_empty()) {
            list.entry(name).or_default().push(i);
        }
    }
    list
}

/// Returns an ID per node that stands for the names on its path from the root. Models that share
/// `numbers` have equal IDs for equal paths.
fn paths<'a>(model: &'a Model, numbers: &mut HashMap<(usize, &'a str), usize>) -> Vec<usize> {
    let mut paths = vec![0; model.nodes.len()];
    for node in model.hierarchy.parents_first() {
        let above = model.hierarchy.parent(node).map_or(0, |parent| paths[parent]);
        let name = model.nodes[node].name.as_deref().unwrap_or_default();
        let next = numbers.len() + 1;
        paths[node] = *numbers.entry((above, name)).or_insert(next);
    }
    paths
}
