//! The rule of the reference skeleton: SKELETON_DIFFERS.
//!
//! Joints are paired by name, those without names by place below their parent. Those left over below the same parent
//! are paired by the likeness of their names, places and numbers of children, as the best guess of a rename. A joint
//! between two others that is missing or added is one difference: parents are compared by the nearest ancestors that
//! both have.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;

use super::binding::Binding;
use super::code::Thresholds;
use super::profiles::words;
use super::rig::Rig;
use super::{Code, Finding};
use rigview_model::{Model, short_name};

/// The likeness from which on a pair counts as renamed, 0 to 1.
const RENAMED: f64 = 0.5;

/// Pairs of left-over joints that are compared at most; beyond, no rename is guessed.
const MOST_PAIRS: usize = 250_000;

/// The distance at which places no longer are alike, relative to the skeleton's size.
const NEAR: f64 = 0.1;

/// The joints of all skins of a file; in a file without skins and meshes, the nodes that serve as joints.
#[derive(Clone, Debug, Default)]
pub struct Skeleton {
    pub(super) joints: Vec<Joint>,
    /// Weights and bind poses; empty in the skeleton of a checked file.
    pub(super) binding: Binding,
}

/// A joint of a skeleton.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    /// Index of the node.
    pub node: usize,
    pub name: Option<String>,
    /// Index of the nearest ancestor that is a joint.
    pub parent: Option<usize>,
    pub children: usize,
    /// The place at rest, relative to the box of all joints: 0 to 1 along its largest side.
    pub place: Vec3,
}

impl Skeleton {
    /// Returns the skeleton of a model, to compare others with.
    pub fn of(model: &Model) -> Self {
        let thresholds = Thresholds::default();
        let rig = Rig::new(model, &thresholds);
        Self { binding: Binding::of(&rig, None), ..Self::of_rig(&rig) }
    }

    pub(super) fn of_rig(rig: &Rig) -> Self {
        let mut nodes = rig.joints.clone();
        nodes.sort_by_key(|node| (rig.depth[*node], *node));
        let mut index = vec![None; rig.model.nodes.len()];
        nodes.iter().enumerate().for_each(|(i, node)| index[*node] = Some(i));
        let places = nodes.iter().map(|node| rig.stage.position(*node));
        let (low, high) = places
            .clone()
            .fold((Vec3::MAX, Vec3::MIN), |(low, high), at| (low.min(at), high.max(at)));
        let size = (high - low).max_element().max(f32::MIN_POSITIVE);
        let above = rig.nearest_joint_above();
        let mut joints: Vec<Joint> = nodes
            .iter()
            .zip(places)
            .map(|(&node, at)| Joint {
                node,
                name: rig.name(node).map(str::to_owned),
                parent: above[node].and_then(|parent| index[parent]),
                children: 0,
                place: (at - low) / size,
            })
            .collect();
        for joint in 0..joints.len() {
            if let Some(parent) = joints[joint].parent {
                joints[parent].children += 1;
            }
        }
        Self { joints, binding: Binding::default() }
    }

    /// Returns a joint's name in quotes, or its number.
    pub(super) fn called(&self, joint: usize) -> String {
        let joint = &self.joints[joint];
        match &joint.name {
            Some(name) => format!("\"{}\"", short_name(name)),
            None => format!("node {}", joint.node),
        }
    }
}

pub(super) fn findings(rig: &Rig, reference: &Skeleton) -> Vec<Finding> {
    let file = &Skeleton::of_rig(rig);
    if file.joints.is_empty() && !reference.joints.is_empty() {
        let text = "the file has no skeleton to compare with the reference";
        return vec![Finding::new(Code::SkeletonDiffers, text)];
    }
    let mut pairs = Pairs::by_name(reference, file);
    let renamed = pairs.guess();
    let finding = |text: String, joint: &Joint| {
        Finding::new(Code::SkeletonDiffers, text).of(joint.name.as_deref())
    };
    let in_file = |text: String, joint: usize| {
        let joint = &file.joints[joint];
        finding(text, joint).at(format!("/nodes/{}", joint.node))
    };
    let mut found = Vec::new();
    for (of_reference, joint) in renamed {
        let [old, new] = [reference.called(of_reference), file.called(joint)];
        found.push(in_file(format!("joint {new} is probably {old} of the reference"), joint));
    }
    for (of_reference, joint) in reference.joints.iter().enumerate() {
        let called = reference.called(of_reference);
        let Some(own) = pairs.of_reference[of_reference] else {
            found.push(finding(format!("joint {called} of the reference is missing"), joint));
            continue;
        };
        let [wanted, parent] = [pairs.expected_parent(of_reference), pairs.parent(own)];
        if wanted != parent {
            let [wanted, parent] = [wanted, parent]
                .map(|joint| joint.map_or_else(|| "no joint".into(), |joint| file.called(joint)));
            let text = format!(
                "the parent of joint {} is {parent}; in the reference it is {wanted}",
                file.called(own)
            );
            found.push(in_file(text, own));
        }
    }
    let added = (0..file.joints.len()).filter(|joint| pairs.of_file[*joint].is_none());
    let text = |joint| format!("joint {} is not in the reference", file.called(joint));
    found.extend(added.map(|joint| in_file(text(joint), joint)));
    found
}

/// The joints of two skeletons that are the same.
struct Pairs<'a> {
    reference: &'a Skeleton,
    file: &'a Skeleton,
    of_reference: Vec<Option<usize>>,
    of_file: Vec<Option<usize>>,
}

impl<'a> Pairs<'a> {
    /// Pairs joints of the same name; of several, such as those of a crowd, the one below the paired parent or else, after all
    /// others are paired, in the order of the hierarchy.
    fn by_name(reference: &'a Skeleton, file: &'a Skeleton) -> Self {
        let mut of_name: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut below: HashMap<(&str, Option<usize>), Vec<usize>> = HashMap::new();
        for (index, joint) in file.joints.iter().enumerate().rev() {
            if let Some(name) = &joint.name {
                of_name.entry(name).or_default().push(index);
                below.entry((name, joint.parent)).or_default().push(index);
            }
        }
        let mut pairs = Self {
            reference,
            file,
            of_reference: vec![None; reference.joints.len()],
            of_file: vec![None; file.joints.len()],
        };
        let named = |index: usize| Some((index, reference.joints[index].name.as_deref()?));
        let mut open: Vec<(usize, &str)> = (0..reference.joints.len()).filter_map(named).collect();
        for anywhere in [false, true] {
            // Parents come before their children.
            open.retain(|(index, name)| {
                let parent = reference.joints[*index].parent;
                let paired = parent.map(|parent| pairs.of_reference[parent]);
                let is_open = |other: &usize, pairs: &Self| pairs.of_file[*other].is_none();
                // A root is paired with a root, and what is below a joint that is not paired waits.
                let below = match paired {
                    Some(None) => None,
                    paired => below.get_mut(&(*name, paired.flatten())),
                };
                let mut same = below.and_then(|list| take_last(list, |it| is_open(it, &pairs)));
                if anywhere && same.is_none() {
                    let list = of_name.get_mut(name);
                    same = list.and_then(|list| take_last(list, |it| is_open(it, &pairs)));
                }
                same.inspect(|other| pairs.add(*index, *other)).is_none()
            });
        }
        pairs
    }

    /// Pairs joints without names below paired parents: those nearest to each other first, or in their order where there
    /// are very many.
    fn add_unnamed(&mut self) {
        let below = |skeleton: &Skeleton, of: &[Option<usize>]| {
            let mut below: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
            for (index, joint) in skeleton.joints.iter().enumerate() {
                if joint.name.is_none() && of[index].is_none() {
                    below.entry(joint.parent).or_default().push(index);
                }
            }
            below
        };
        let ours = below(self.file, &self.of_file);
        // Parents come before their children.
        for (parent, theirs) in below(self.reference, &self.of_reference) {
            let parent = parent.map(|parent| self.of_reference[parent]);
            let Some(ours) = ours.get(&parent.flatten()).filter(|_| parent != Some(None)) else {
                continue;
            };
            for (old, new) in self.nearest_first(&theirs, ours) {
                if self.of_reference[old].is_none() && self.of_file[new].is_none() {
                    self.add(old, new);
                }
            }
        }
    }

    /// Returns the pairs of joints of the reference and of the file, those nearest to each other first.
    fn nearest_first(&self, theirs: &[usize], ours: &[usize]) -> Vec<(usize, usize)> {
        if theirs.len().saturating_mul(ours.len()) > MOST_PAIRS {
            return theirs.iter().copied().zip(ours.iter().copied()).collect();
        }
        let all = theirs.iter().flat_map(|old| ours.iter().map(|new| (*old, *new)));
        let mut pairs: Vec<(usize, usize)> = all.collect();
        let off = |(old, new): &(usize, usize)| {
            self.reference.joints[*old].place.distance(self.file.joints[*new].place)
        };
        pairs.sort_by(|a, b| off(a).total_cmp(&off(b)));
        pairs
    }

    fn add(&mut self, of_reference: usize, of_file: usize) {
        self.of_reference[of_reference] = Some(of_file);
        self.of_file[of_file] = Some(of_reference);
    }

    /// Returns the file's joint that is the nearest paired ancestor in the reference.
    fn expected_parent(&self, of_reference: usize) -> Option<usize> {
        let parent = |joint: &usize| self.reference.joints[*joint].parent;
        let above = std::iter::successors(parent(&of_reference), parent);
        above.into_iter().find_map(|joint| self.of_reference[joint])
    }

    /// Returns the nearest paired ancestor of a joint of the file.
    fn parent(&self, of_file: usize) -> Option<usize> {
        let parent = |joint: &usize| self.file.joints[*joint].parent;
        let mut above = std::iter::successors(parent(&of_file), parent);
        above.find(|joint| self.of_file[*joint].is_some())
    }

    /// Pairs joints without names, and those that were probably renamed, level by level. Returns the latter.
    fn guess(&mut self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        loop {
            self.add_unnamed();
            let [mut ours, theirs] = [&self.of_file, &self.of_reference]
                .map(|of| (0..of.len()).filter(|joint| of[*joint].is_none()).collect::<Vec<_>>());
            if ours.len().saturating_mul(theirs.len()) > MOST_PAIRS {
                return found;
            }
            let mut likely = Vec::new();
            ours.retain(|joint| self.is_next(self.file.joints[*joint].parent, &self.of_file));
            for &old in &theirs {
                if !self.is_next(self.reference.joints[old].parent, &self.of_reference) {
                    continue;
                }
                let parent = self.expected_parent(old);
                for &new in ours.iter().filter(|new| self.parent(**new) == parent) {
                    let alike = likeness(&self.reference.joints[old], &self.file.joints[new]);
                    if alike >= RENAMED {
                        likely.push((alike, old, new));
                    }
                }
            }
            likely.sort_by(|a, b| b.0.total_cmp(&a.0));
            let before = found.len();
            for (_, old, new) in likely {
                if self.of_reference[old].is_none() && self.of_file[new].is_none() {
                    self.add(old, new);
                    found.push((old, new));
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Whether a joint with this parent can be paired now: the parent is, or there is none.
    fn is_next(&self, parent: Option<usize>, paired: &[Option<usize>]) -> bool {
        parent.is_none_or(|parent| paired[parent].is_some())
    }
}

/// Removes and returns the last index that fits, with those after it.
fn take_last(list: &mut Vec<usize>, fits: impl Fn(&usize) -> bool) -> Option<usize> {
    std::iter::from_fn(|| list.pop()).find(fits)
}

/// Returns how much a joint looks like another, 0 to 1: half by the name, the rest by place and children.
fn likeness(a: &Joint, b: &Joint) -> f64 {
    let names = a.name.as_ref().zip(b.name.as_ref()).map_or(0.0, |(a, b)| {
        let [a, b] = [a, b].map(|name| words(name).concat());
        if a == b { 1.0 } else { strsim::jaro_winkler(&a, &b) }
    });
    let off = f64::from(a.place.distance(b.place));
    let places = if off.is_finite() { (1.0 - off / NEAR).max(0.0) } else { 0.0 };
    let children = if a.children == b.children { 1.0 } else { 0.0 };
    0.5 * names + 0.3 * places + 0.2 * children
}
