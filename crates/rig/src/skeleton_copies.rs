//! Skeletons that a model holds more than once, such as those of a body and its outfit, levels of detail or a crowd.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use rigview_model::Model;

/// Names that a skeleton shares with another one, from which on it may be a copy of it.
const LEAST_SHARED: usize = 3;

/// Upper limit of skeletons with a joint of the same name that a further one is compared with.
const MOST_COMPARED: usize = 8;

/// Which nodes of a model repeat a node of another skeleton.
///
/// A skeleton is what is below a topmost joint; without skins, what is below a root. Of several skeletons that have at
/// least half of the names of the smaller one in common, one leads: one that the model's clips move, then the one of most
/// names, then the first. The others are its copies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkeletonCopies {
    /// The node of the leading skeleton that each node repeats. `None` for all other nodes.
    of: Vec<Option<usize>>,
    /// The place of each node in the tree among the skeletons that are alike; 0 leads.
    place: Vec<usize>,
    /// The number of skeletons that are alike, per node of one; 1 for other nodes.
    count: Vec<usize>,
    /// The copies of each node of a leading skeleton.
    copies: HashMap<usize, Vec<usize>>,
}

/// A skeleton with its nodes by name, parents first.
struct Skeleton<'a> {
    nodes: Vec<usize>,
    by_name: HashMap<&'a str, Vec<usize>>,
    /// Whether a clip of the model moves a part of it.
    is_moved: bool,
}

impl SkeletonCopies {
    /// Finds the skeletons of a model that repeat another one.
    pub fn find(model: &Model) -> Self {
        let nodes = model.nodes.len();
        let mut found = Self {
            of: vec![None; nodes],
            place: vec![0; nodes],
            count: vec![1; nodes],
            copies: HashMap::new(),
        };
        let skeletons = skeletons(model);
        for group in groups(&skeletons) {
            for (place, at) in group.iter().enumerate() {
                for node in &skeletons[*at].nodes {
                    (found.place[*node], found.count[*node]) = (place, group.len());
                }
            }
            let [leader, others @ ..] = &group[..] else { continue };
            for other in others {
                found.add(&skeletons[*leader], &skeletons[*other]);
            }
        }
        found
    }

    /// Adds the nodes of a copy. Of a name that occurs several times in both, the n-th node repeats the n-th.
    fn add(&mut self, leader: &Skeleton, copy: &Skeleton) {
        for (name, nodes) in &copy.by_name {
            let leading = leader.by_name.get(name).filter(|leading| leading.len() == nodes.len());
            for (node, leading) in nodes.iter().zip(leading.into_iter().flatten()) {
                self.of[*node] = Some(*leading);
                self.copies.entry(*leading).or_default().push(*node);
            }
        }
    }

    /// Returns the node of the leading skeleton that a node repeats.
    pub fn original(&self, node: usize) -> Option<usize> {
        self.of[node]
    }

    /// Returns the nodes that repeat a node of a leading skeleton.
    pub fn copies_of(&self, node: usize) -> &[usize] {
        self.copies.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Returns the node of a skeleton of another model that a node follows if the one that it repeats follows `leading`:
    /// that of the skeleton at the same place, if both models have as many, otherwise the same one.
    pub fn follows(&self, node: usize, other: &Self, leading: usize) -> usize {
        if self.count[node] != other.count[leading] {
            return leading;
        }
        let original = other.of[leading].unwrap_or(leading);
        let mut all = std::iter::once(&original).chain(other.copies_of(original));
        all.find(|of| other.place[**of] == self.place[node]).copied().unwrap_or(leading)
    }
}

/// Returns the skeletons of a model in the order of their tops.
fn skeletons(model: &Model) -> Vec<Skeleton<'_>> {
    let is_joint = model.skin_joints();
    let has_joints = is_joint.contains(&true);
    let moved: HashSet<usize> =
        model.clips.iter().flat_map(|clip| clip.channels()).map(|channel| channel.node()).collect();
    let mut skeletons: Vec<Skeleton> = Vec::new();
    let mut skeleton_of: Vec<Option<usize>> = vec![None; model.nodes.len()];
    for node in model.hierarchy.parents_first() {
        let parent = model.hierarchy.parent(node);
        let starts = if has_joints { is_joint[node] } else { parent.is_none() };
        let above = parent.and_then(|parent| skeleton_of[parent]);
        let own = above.or_else(|| {
            starts.then(|| {
                let by_name = HashMap::new();
                skeletons.push(Skeleton { nodes: Vec::new(), by_name, is_moved: false });
                skeletons.len() - 1
            })
        });
        skeleton_of[node] = own;
        if let Some(own) = own {
            let skeleton = &mut skeletons[own];
            skeleton.nodes.push(node);
            skeleton.is_moved |= moved.contains(&node);
            if let Some(name) = model.nodes[node].name.as_deref().filter(|name| !name.is_empty()) {
                skeleton.by_name.entry(name).or_default().push(node);
            }
        }
    }
    skeletons
}

/// Returns the skeletons that are alike as indices, the leading one first.
fn groups(skeletons: &[Skeleton]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..skeletons.len()).collect();
    order.retain(|at| skeletons[*at].by_name.len() >= LEAST_SHARED);
    order.sort_by_key(|at| Reverse((skeletons[*at].is_moved, skeletons[*at].by_name.len())));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut leaders: HashMap<&str, Vec<usize>> = HashMap::new();
    for at in order {
        let own = &skeletons[at].by_name;
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for leader in own.keys().filter_map(|name| leaders.get(name)).flatten() {
            *shared.entry(*leader).or_default() += 1;
        }
        let best = shared.into_iter().max_by_key(|(group, shared)| (*shared, Reverse(*group)));
        let alike = best.filter(|(group, shared)| {
            let smaller = own.len().min(skeletons[groups[*group][0]].by_name.len());
            *shared >= LEAST_SHARED && 2 * shared >= smaller
        });
        match alike {
            Some((group, _)) => groups[group].push(at),
            None => {
                for name in own.keys() {
                    let leaders = leaders.entry(name).or_default();
                    if leaders.len() < MOST_COMPARED {
                        leaders.push(groups.len());
                    }
                }
                groups.push(vec![at]);
            }
        }
    }
    for group in &mut groups {
        // Copies are in the order of the tree, whatever their size, so that those of two files fit.
        group[1..].sort_unstable();
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_anim::Transform;

    fn model(names: &[&str], parents: &[Option<u32>]) -> Model {
        let rest = vec![Transform::IDENTITY; names.len()];
        Model::from_nodes(parents, rest).unwrap().with_names(names.iter().copied())
    }

    #[test]
    fn copies_repeat_the_skeleton_of_most_names() {
        let names = ["Hips", "Spine", "Head", "Hips", "Spine", "Tail", "Head", "Prop", "Hips"];
        let parents = [None, Some(0), Some(1), None, Some(3), Some(4), Some(4), None, Some(7)];
        let copies = SkeletonCopies::find(&model(&names, &parents));
        let of: Vec<_> = (0..names.len()).map(|node| copies.original(node)).collect();
        assert_eq!(of, [Some(3), Some(4), Some(6), None, None, None, None, None, None]);
        assert_eq!(copies.copies_of(4), [1]);
    }

    #[test]
    fn equal_limbs_of_one_skeleton_are_no_copies() {
        let names = ["Body", "Leg", "Knee", "Foot", "Leg", "Knee", "Foot"];
        let parents = [None, Some(0), Some(1), Some(2), Some(0), Some(4), Some(5)];
        let copies = SkeletonCopies::find(&model(&names, &parents));
        assert!((0..names.len()).all(|node| copies.original(node).is_none()));
    }

    #[test]
    fn copies_follow_those_at_their_place_if_both_models_have_as_many() {
        let names = ["A", "B", "C", "A", "B", "C"];
        let parents = [None, Some(0), Some(1), None, Some(3), Some(4)];
        let (two, one) = (model(&names, &parents), model(&names[..3], &parents[..3]));
        let [two, one] = [two, one].map(|model| SkeletonCopies::find(&model));
        assert_eq!((two.follows(4, &two, 1), two.follows(4, &one, 1)), (4, 1));
    }
}
