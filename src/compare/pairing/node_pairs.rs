//! Pairs the nodes of two models: by name, then by path, then by what they carry, then by place, then by index.

use std::collections::HashMap;

use glam::Vec3;

use super::grid::Grid;
use super::nearest::diagonal;
use super::pairs::{Pairs, given};
use crate::model::Model;

/// Renamed nodes are at the same place up to this share of the model's size.
const SAME_NODE: f32 = 1e-4;

/// Pairs the nodes of two models, given the places of their origins at rest.
///
/// 1. Names that one node has in either model.
/// 2. Equal names on the whole path from the root; nodes with equal paths in their order.
/// 3. Names that are equal without the number and the name space that exporters add (`Hips.001`,
///    `mixamorig:Hips`), if one node has them in either model.
/// 4. Of nodes without names, those that alone carry a mesh, a camera or a light which is named or has the same numbers.
/// 5. The only node at the same place below paired parents; of nodes without names, also where others that carry nothing were
///    put in between or taken out; then equal indices below paired parents; then the only nodes that are left below them. Such nodes are
///    renamed ones, so they must carry the same things and have about as many nodes below them.
pub(in crate::compare) fn node_pairs(a: &Model, b: &Model, places: &[Vec<Vec3>; 2]) -> Pairs {
    let mut pairs = Pairs::new(a.nodes.len(), b.nodes.len());
    let name = |model: &'_ Model, node: usize| given(&model.nodes[node].name).map(str::to_owned);
    pairs.pair_unique(|i| name(a, i), |i| name(b, i));
    let mut numbers = HashMap::new();
    let [paths_a, paths_b] = [a, b].map(|model| paths(model, &mut numbers));
    pairs.pair_in_order(|i| paths_a[i], |i| paths_b[i]);
    let plain = |model: &Model, node: usize| name(model, node).map(|name| plain_name(&name));
    pairs.pair_unique(|i| plain(a, i), |i| plain(b, i));
    pairs.pair_unique(|i| carried(a, i), |i| carried(b, i));
    let [shapes_a, shapes_b] = [a, b].map(shapes);
    let is_like = |i: usize, j: usize| shapes_a[i].is_like(&shapes_b[j]);
    let parents = |pairs: &Pairs, i: usize, j: usize| {
        pairs.agree(a.hierarchy.parent(i), b.hierarchy.parent(j))
    };
    pair_by_place(a, places, &mut pairs, |pairs, i, j| is_like(i, j) && parents(pairs, i, j));
    let ancestors = |pairs: &Pairs, i: usize, j: usize| {
        let of_a = above(a, i, |node| pairs.b_of(node).is_some() || shapes_a[node].carries());
        let of_b = above(b, j, |node| pairs.a_of(node).is_some() || shapes_b[node].carries());
        pairs.agree(of_a, of_b)
    };
    pair_by_place(a, places, &mut pairs, |pairs, i, j| {
        let lacks_name = name(a, i).is_none() || name(b, j).is_none();
        lacks_name && is_like(i, j) && ancestors(pairs, i, j)
    });
    for i in a.hierarchy.parents_first() {
        let alike = i < b.nodes.len() && is_like(i, i);
        if alike && parents(&pairs, i, i) {
            pairs.pair(i, i);
        }
    }
    pair_only_children(a, b, &mut pairs, is_like);
    pairs
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

/// Removes what exporters add to names: a name space before `:` or `|`, and a number after `.` or `_`.
pub(in crate::compare) fn plain_name(name: &str) -> String {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let suffixed = stem.len() < name.len() && stem.len() > 1;
    let stem = if suffixed { stem.strip_suffix(['.', '_']).unwrap_or(name) } else { name };
    stem.to_ascii_lowercase()
}

/// Returns what tells a node without a name from others: the names of its mesh and skin, its camera and its light. `None` for
/// a named node, and one that carries nothing which could tell.
fn carried(model: &Model, node: usize) -> Option<String> {
    let node = &model.nodes[node];
    if given(&node.name).is_some() {
        return None;
    }
    let mesh = node.mesh.and_then(|mesh| given(&model.meshes[mesh].name));
    let skin = node.skin.and_then(|skin| given(&model.skins[skin].name));
    let camera = node.camera.map(|camera| &model.cameras[camera]);
    let light = node.light.map(|light| &model.lights[light]);
    let tells = mesh.is_some() || node.mesh.is_none() && (camera.is_some() || light.is_some());
    tells.then(|| format!("{mesh:?} {skin:?} {camera:?} {light:?}"))
}

/// What a node carries, and the number of nodes below it.
struct Shape {
    mesh: bool,
    skin: bool,
    joint: bool,
    below: usize,
}

impl Shape {
    /// Whether a node carries something, or moves it.
    fn carries(&self) -> bool {
        self.mesh || self.skin || self.joint
    }

    /// Whether a node may be another one under a new name.
    fn is_like(&self, other: &Self) -> bool {
        let (few, many) = (self.below.min(other.below), self.below.max(other.below));
        (self.mesh, self.skin, self.joint) == (other.mesh, other.skin, other.joint)
            && many - few <= (many / 5).max(2)
    }
}

fn shapes(model: &Model) -> Vec<Shape> {
    let shape = |node: &crate::model::Node| Shape {
        mesh: node.mesh.is_some(),
        skin: node.skin.is_some(),
        joint: false,
        below: 0,
    };
    let mut shapes: Vec<Shape> = model.nodes.iter().map(shape).collect();
    for joint in model.skins.iter().flat_map(|skin| &skin.joints) {
        shapes[*joint as usize].joint = true;
    }
    for node in model.hierarchy.parents_first().rev() {
        if let Some(parent) = model.hierarchy.parent(node) {
            shapes[parent].below += 1 + shapes[node].below;
        }
    }
    shapes
}

/// Returns the nearest node above another one that `counts`.
fn above(model: &Model, node: usize, counts: impl Fn(usize) -> bool) -> Option<usize> {
    let parent = |node: &usize| model.hierarchy.parent(*node);
    std::iter::successors(parent(&node), parent).find(|node| counts(*node))
}

/// Pairs nodes that may be a pair, and of which each is the only such one at its place.
fn pair_by_place(
    a: &Model,
    places: &[Vec<Vec3>; 2],
    pairs: &mut Pairs,
    may_pair: impl Fn(&Pairs, usize, usize) -> bool,
) {
    let left = [pairs.left_in_a(), pairs.left_in_b()];
    if left.iter().any(Vec::is_empty) {
        return;
    }
    let tolerance = (SAME_NODE * diagonal(&places[0])).max(f32::MIN_POSITIVE);
    let left_places =
        [0, 1].map(|side| left[side].iter().map(|n| places[side][*n]).collect::<Vec<Vec3>>());
    let grids = [0, 1].map(|side| Grid::new(&left_places[side], tolerance));
    let near = |side: usize, at: Vec3| {
        let near = grids[side].near(&left_places[side], at).into_iter();
        near.map(|(i, _)| left[side][i as usize]).collect::<Vec<usize>>()
    };
    // Parents come first, so that a new pair can decide about the nodes below it.
    for i in a.hierarchy.parents_first() {
        if pairs.b_of(i).is_some() || !places[0][i].is_finite() {
            continue;
        }
        let there = near(1, places[0][i]).into_iter().filter(|j| may_pair(pairs, i, *j));
        let there: Vec<usize> = there.collect();
        let [only] = there[..] else { continue };
        let back = near(0, places[1][only]).into_iter().filter(|i| may_pair(pairs, *i, only));
        if back.eq([i]) {
            pairs.pair(i, only);
        }
    }
}

/// Pairs nodes whose parents are a pair and have no other child without a partner. Roots count as the children
/// of one parent.
fn pair_only_children(
    a: &Model,
    b: &Model,
    pairs: &mut Pairs,
    is_like: impl Fn(usize, usize) -> bool,
) {
    let only_children = |model: &Model, left: Vec<usize>| {
        let mut only: HashMap<Option<usize>, Option<usize>> = HashMap::new();
        for node in left {
            let child = only.entry(model.hierarchy.parent(node)).or_insert(Some(node));
            *child = child.filter(|other| *other == node);
        }
        only
    };
    let mut only_a = only_children(a, pairs.left_in_a());
    let only_b = only_children(b, pairs.left_in_b());
    // Parents come first, so that a new pair can decide about the nodes below it.
    let parents = a.hierarchy.parents_first().map(Some);
    for parent in std::iter::once(None).chain(parents) {
        let Some(Some(child)) = only_a.remove(&parent) else { continue };
        let there = match parent {
            None => None,
            Some(parent) => match pairs.b_of(parent) {
                None => continue,
                there => there,
            },
        };
        if let Some(Some(other)) = only_b.get(&there)
            && is_like(child, *other)
        {
            pairs.pair(child, *other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::Hierarchy;
    use crate::model::Node;

    fn model(nodes: &[(&str, Option<u32>)]) -> Model {
        let named = |(name, _): &(&str, _)| Node {
            name: Some(str::to_owned(name)).filter(|name| !name.is_empty()),
            ..Node::default()
        };
        let parents = nodes.iter().map(|(_, parent)| *parent).collect();
        Model {
            nodes: nodes.iter().map(named).collect(),
            hierarchy: Hierarchy::new(parents, vec![]).unwrap(),
            ..Model::default()
        }
    }

    fn found(a: &[(&str, Option<u32>)], b: &[(&str, Option<u32>)]) -> Vec<(usize, usize)> {
        let places = [a, b].map(|nodes| vec![Vec3::ZERO; nodes.len()]);
        node_pairs(&model(a), &model(b), &places).iter().collect()
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
    fn a_node_may_be_put_above_others_that_have_no_names() {
        let a = [("", None), ("", Some(0)), ("", Some(1))];
        let b = [("", None), ("", Some(0)), ("", Some(1)), ("", Some(2))];
        let place = |x: f32| Vec3::new(x, 0.0, 0.0);
        let places = [
            vec![place(0.0), place(1.0), place(2.0)],
            vec![place(0.0), place(0.0), place(1.0), place(2.0)],
        ];
        let pairs = node_pairs(&model(&a), &model(&b), &places);
        assert_eq!(pairs.iter().collect::<Vec<_>>(), [(0, 0), (1, 2), (2, 3)]);
    }

    #[test]
    fn nodes_without_names_pair_by_index_below_equal_parents() {
        let a = [("", None), ("", Some(0)), ("", Some(0))];
        assert_eq!(found(&a, &a), [(0, 0), (1, 1), (2, 2)]);
        let b = [("", None), ("", Some(0)), ("", Some(1))];
        assert_eq!(found(&a, &b), [(0, 0), (1, 1)]);
    }
}
