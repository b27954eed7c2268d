//! Pairs the nodes of two models: by name, by path, and below paired parents by transform and index.

use std::collections::HashMap;

use super::pairs::{Pairs, given};
use rigview_model::Model;

/// Differences of transforms up to this share of the longest translation are rounding.
const ROUNDING: f32 = 1e-4;

/// Children of one parent that are compared with all of its partner, at most. Of more, those of one index are a pair.
const MOST_SIBLINGS: usize = 256;

/// Pairs the nodes of two models.
///
/// 1. Names that one node has in either model, then equal names on the whole path from the root, in their order.
/// 2. Names that are equal without the number and the name space that exporters add (`Hips.001`, `mixamorig:Hips`), if one node has
///    them in either model.
/// 3. Below paired parents, nodes that may be renamed ones, because they carry the same things and have about as many nodes below
///    them: those with the same transform at rest, then those of one index, then the only ones.
/// 4. Joints without names of one index in skins with as many joints.
pub(crate) fn node_pairs(a: &Model, b: &Model) -> Pairs {
    let mut pairs = Pairs::new(a.nodes.len(), b.nodes.len());
    pairs.pair_unique(|i| name_of(a, i), |j| name_of(b, j));
    let mut numbers = HashMap::new();
    let [paths_a, paths_b] = [a, b].map(|model| paths(model, &mut numbers));
    pairs.pair_unique(|i| paths_a[i], |j| paths_b[j]);
    let shapes = [shapes(a), shapes(b)];
    let same_path = |i: usize, j: usize| paths_a[i].is_some() && paths_a[i] == paths_b[j];
    pair_children([a, b], &mut pairs, |i, j| same_path(i, j) && is_still([a, b], i, j));
    pairs.pair_in_order(|i| paths_a[i], |j| paths_b[j]);
    let plain = |model: &Model, node: usize| name_of(model, node).map(plain_name);
    pairs.pair_unique(|i| plain(a, i), |j| plain(b, j));
    let is_like = |i: usize, j: usize| shapes[0][i].is_like(&shapes[1][j]);
    pair_children([a, b], &mut pairs, |i, j| is_like(i, j) && is_still([a, b], i, j));
    pair_joints([a, b], &mut pairs);
    pair_children([a, b], &mut pairs, |i, j| is_like(i, j) && is_still([a, b], i, j));
    for i in a.hierarchy.parents_first() {
        let parents = || pairs.agree(a.hierarchy.parent(i), b.hierarchy.parent(i));
        if i < b.nodes.len() && is_like(i, i) && parents() {
            pairs.pair(i, i);
        }
    }
    pair_children([a, b], &mut pairs, is_like);
    pairs
}

fn name_of(model: &Model, node: usize) -> Option<&str> {
    given(&model.nodes[node].name)
}

/// Whether two nodes have the same transform at rest.
fn is_still([a, b]: [&Model; 2], i: usize, j: usize) -> bool {
    let [x, y] = [a.rest.transform(i), b.rest.transform(j)];
    let unit = x.translation.length().max(y.translation.length()).max(f32::MIN_POSITIVE);
    x.translation.distance(y.translation) <= ROUNDING * unit
        && x.rotation.dot(y.rotation).abs() >= 1.0 - ROUNDING
        && x.scale.distance(y.scale) <= ROUNDING * x.scale.length()
}

/// Pairs nodes below paired parents that `match` if each is the only such one, or if there are as many on either side, in their
/// order. Roots count as the children of one parent.
fn pair_children([a, b]: [&Model; 2], pairs: &mut Pairs, matches: impl Fn(usize, usize) -> bool) {
    let children = |model: &Model, left: Vec<usize>| {
        let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        left.into_iter().for_each(|node| {
            children.entry(model.hierarchy.parent(node)).or_default().push(node);
        });
        children
    };
    let of_a = children(a, pairs.left_in_a());
    let of_b = children(b, pairs.left_in_b());
    // Parents come first, so that a new pair can decide about the nodes below it.
    for parent in std::iter::once(None).chain(a.hierarchy.parents_first().map(Some)) {
        let there = match parent {
            None => None,
            Some(parent) => match pairs.b_of(parent) {
                Some(there) => Some(there),
                None => continue,
            },
        };
        let (Some(own), Some(others)) = (of_a.get(&parent), of_b.get(&there)) else { continue };
        if own.len().max(others.len()) > MOST_SIBLINGS {
            continue;
        }
        for i in own {
            let is_free = |j: &usize| pairs.a_of(*j).is_none() && matches(*i, *j);
            let there: Vec<usize> = others.iter().copied().filter(is_free).collect();
            let Some(first) = there.first().copied().filter(|_| pairs.b_of(*i).is_none()) else {
                continue;
            };
            let is_rival = |i: &&usize| pairs.b_of(**i).is_none() && matches(**i, first);
            let rivals: Vec<usize> = own.iter().filter(is_rival).copied().collect();
            if rivals.len() == there.len() {
                rivals.into_iter().zip(there).for_each(|(i, j)| pairs.pair(i, j));
            }
        }
    }
}

/// Pairs joints of one index, in skins that paired nodes have and in those of one index, if one of both has no name.
fn pair_joints([a, b]: [&Model; 2], pairs: &mut Pairs) {
    let of_nodes = pairs.iter().filter_map(|(i, j)| a.nodes[i].skin.zip(b.nodes[j].skin));
    let skins: Vec<(usize, usize)> = of_nodes.collect();
    let in_order = (0..a.skins.len().min(b.skins.len())).map(|i| (i, i));
    for (x, y) in skins.into_iter().chain(in_order) {
        let [x, y] = [&a.skins[x].joints, &b.skins[y].joints];
        if x.len() == y.len() {
            for (i, j) in x.iter().zip(y).map(|(i, j)| (*i as usize, *j as usize)) {
                if name_of(a, i).is_none() || name_of(b, j).is_none() {
                    pairs.pair(i, j);
                }
            }
        }
    }
}

/// Returns a number per node that stands for the names on its path from the root; `None` if the node or one
/// above it has no name. Models that share `numbers` have equal numbers for equal paths.
fn paths<'a>(
    model: &'a Model,
    numbers: &mut HashMap<(usize, &'a str), usize>,
) -> Vec<Option<usize>> {
    let mut paths = vec![None; model.nodes.len()];
    for node in model.hierarchy.parents_first() {
        let above = model.hierarchy.parent(node).map_or(Some(0), |parent| paths[parent]);
        if let (Some(above), Some(name)) = (above, given(&model.nodes[node].name)) {
            let next = numbers.len() + 1;
            paths[node] = Some(*numbers.entry((above, name)).or_insert(next));
        }
    }
    paths
}

/// Removes the name space that exporters add to names before `:` or `|`. Upper case does not count.
pub(crate) fn without_name_space(name: &str) -> String {
    name.rsplit([':', '|']).next().unwrap_or(name).to_ascii_lowercase()
}

/// Removes what exporters add to names: a name space before `:` or `|`, and a number after `.` or `_`.
pub(crate) fn plain_name(name: &str) -> String {
    let name = without_name_space(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let suffixed = stem.len() < name.len() && stem.len() > 1;
    let stem = if suffixed { stem.strip_suffix(['.', '_']).unwrap_or(&name) } else { &name };
    stem.to_owned()
}

/// What a node carries, and the number of nodes below it.
struct Shape {
    mesh: bool,
    skin: bool,
    joint: bool,
    item: bool,
    below: usize,
}

impl Shape {
    /// Whether a node may be another one under a new name.
    fn is_like(&self, other: &Self) -> bool {
        let (few, many) = (self.below.min(other.below), self.below.max(other.below));
        let carried = |of: &Self| (of.mesh, of.skin, of.joint, of.item);
        carried(self) == carried(other) && many - few <= (many / 5).max(2)
    }
}

fn shapes(model: &Model) -> Vec<Shape> {
    let joints = model.skin_joints();
    let shape = |(node, joint): (&rigview_model::Node, bool)| Shape {
        mesh: node.mesh.is_some(),
        skin: node.skin.is_some(),
        joint,
        item: node.camera.is_some() || node.light.is_some(),
        below: 0,
    };
    let mut shapes: Vec<Shape> = model.nodes.iter().zip(joints).map(shape).collect();
    for node in model.hierarchy.parents_first().rev() {
        if let Some(parent) = model.hierarchy.parent(node) {
            shapes[parent].below += 1 + shapes[node].below;
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    use rigview_anim::{Hierarchy, LocalPose, Transform};
    use rigview_model::Node;

    const STILL: Transform =
        Transform { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    fn model(nodes: &[(&str, Option<u32>)]) -> Model {
        let named = |(name, _): &(&str, _)| Node {
            name: Some(str::to_owned(name)).filter(|name| !name.is_empty()),
            ..Node::default()
        };
        let parents = nodes.iter().map(|(_, parent)| *parent).collect();
        Model {
            nodes: nodes.iter().map(named).collect(),
            rest: LocalPose::new(vec![STILL; nodes.len()], &vec![[0.0; 0]; nodes.len()]),
            hierarchy: Hierarchy::new(parents, vec![]).unwrap(),
            ..Model::default()
        }
    }

    fn found(a: &[(&str, Option<u32>)], b: &[(&str, Option<u32>)]) -> Vec<(usize, usize)> {
        node_pairs(&model(a), &model(b)).iter().collect()
    }

    #[test]
    fn names_come_before_indices() {
        let a = [("root", None), ("left", Some(0)), ("right", Some(0))];
        let b = [("root", None), ("right", Some(0)), ("left", Some(0))];
        assert_eq!(found(&a, &b), [(0, 0), (1, 2), (2, 1)]);
    }

    #[test]
    fn equal_names_are_told_apart_by_their_paths() {
        let a = [("a", None), ("b", None), ("tip", Some(0)), ("tip", Some(1))];
        let b = [("b", None), ("a", None), ("tip", Some(0)), ("tip", Some(1))];
        assert_eq!(found(&a, &b), [(0, 1), (1, 0), (2, 3), (3, 2)]);
    }

    #[test]
    fn what_exporters_add_to_names_does_not_count() {
        let a = [("mixamorig:Hips", None), ("Spine", Some(0)), ("Spine1", Some(1))];
        let b = [("x", None), ("Hips", Some(0)), ("Spine.001", Some(1)), ("Spine1", Some(2))];
        assert_eq!(found(&a, &b), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(plain_name("Armature|Arm_12"), "arm");
        assert_eq!(plain_name("Spine1"), "spine1");
    }

    #[test]
    fn a_renamed_node_is_found_by_its_place() {
        let a = [("root", None), ("left", Some(0)), ("foot", Some(1)), ("toe", Some(2))];
        let b = [("toe", Some(3)), ("left", Some(2)), ("root", None), ("Foot_L", Some(1))];
        assert_eq!(found(&a, &b), [(0, 2), (1, 1), (2, 3), (3, 0)]);
    }

    #[test]
    fn nodes_without_names_in_another_order_are_found_by_their_transforms() {
        let a = [("", None), ("", Some(0)), ("", Some(0))];
        let (x, mut y) = (model(&a), model(&a));
        for (node, place) in [(1, Vec3::X), (2, Vec3::Y)] {
            y.rest.set_translation(node, place);
        }
        let mut moved = x.clone();
        moved.rest.set_translation(1, Vec3::Y);
        moved.rest.set_translation(2, Vec3::X);
        assert_eq!(node_pairs(&y, &moved).iter().collect::<Vec<_>>(), [(0, 0), (1, 2), (2, 1)]);
    }

    #[test]
    fn nodes_without_names_pair_by_index_below_equal_parents() {
        let a = [("", None), ("", Some(0)), ("", Some(0))];
        assert_eq!(found(&a, &a), [(0, 0), (1, 1), (2, 2)]);
        let b = [("", None), ("", Some(0)), ("", Some(1))];
        assert_eq!(found(&a, &b), [(0, 0), (1, 1)]);
    }
}
