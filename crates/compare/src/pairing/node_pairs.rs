//! Pairs the nodes of two models: by name, then by path, then by what they carry, then by place, then by index.

use std::collections::HashMap;

use super::looks::{Looks, looks};
use super::near_pairs::{NearPairs, NodePlaces};
use super::pairs::{Pairs, given};
use rigview_model::Model;

/// Pairs the nodes of two models, given their places and the pairs of materials that are known before.
///
/// 1. Names that one node has in either model.
/// 2. Equal names on the whole path from the root. Of several nodes with one path below paired parents, those that draw the same
///    in one box, then those at one place, then the nearest ones.
/// 3. Names that are equal without the number and the name space that exporters add (`Hips.001`,
///    `mixamorig:Hips`), if one node has them in either model.
/// 4. Of nodes without names, those that alone carry a mesh, a camera or a light which is named or has the same numbers.
/// 5. The only node that draws the same in one box, or at the same place, below paired parents; of nodes without names, also where
///    others that carry nothing were put in between or taken out; then the only nodes without names that draw meshes with equal counts
///    and materials; then equal indices below paired parents; then the only nodes that are left below them. Such nodes are renamed ones,
///    so they must carry the same things and have about as many nodes below them.
pub(crate) fn node_pairs(
    a: &Model,
    b: &Model,
    places: &[NodePlaces; 2],
    materials: &Pairs,
) -> Pairs {
    let mut pairs = Pairs::new(a.nodes.len(), b.nodes.len());
    pairs.pair_unique(|i| name_of(a, i), |i| name_of(b, i));
    let [looks_a, looks_b] = looks([a, b], materials);
    let [shapes_a, shapes_b] = [a, b].map(shapes);
    let near = NearPairs::new(places);
    let is_like = |i: usize, j: usize| shapes_a[i].is_like(&shapes_b[j]);
    let looks_alike = |i: usize, j: usize| looks_a[i] == looks_b[j];
    let parents = |pairs: &Pairs, i: usize, j: usize| {
        pairs.agree(a.hierarchy.parent(i), b.hierarchy.parent(j))
    };
    let mut numbers = HashMap::new();
    let [paths_a, paths_b] = [a, b].map(|model| paths(model, &mut numbers));
    pairs.pair_unique(|i| paths_a[i], |i| paths_b[i]);
    near.pair(a, &mut pairs, looks_alike, |pairs, i, j| {
        paths_a[i].is_some() && paths_a[i] == paths_b[j] && parents(pairs, i, j)
    });
    pair_nearest([a, b], [&paths_a, &paths_b], &mut pairs);
    pairs.pair_in_order(|i| paths_a[i], |i| paths_b[i]);
    let plain = |model: &Model, node: usize| name_of(model, node).map(plain_name);
    pairs.pair_unique(|i| plain(a, i), |i| plain(b, i));
    pairs.pair_unique(|i| carried(a, i), |i| carried(b, i));
    near.pair(a, &mut pairs, looks_alike, |pairs, i, j| is_like(i, j) && parents(pairs, i, j));
    let ancestors = |pairs: &Pairs, i: usize, j: usize| {
        let of_a = above(a, i, |node| pairs.b_of(node).is_some() || shapes_a[node].carries());
        let of_b = above(b, j, |node| pairs.a_of(node).is_some() || shapes_b[node].carries());
        pairs.agree(of_a, of_b)
    };
    near.pair(a, &mut pairs, looks_alike, |pairs, i, j| {
        let lacks_name = name_of(a, i).is_none() || name_of(b, j).is_none();
        lacks_name && is_like(i, j) && ancestors(pairs, i, j)
    });
    let drawn = |model: &Model, looks: &[Looks], i: usize| {
        (name_of(model, i).is_none() && looks[i].draws()).then_some(looks[i])
    };
    pairs.pair_unique(|i| drawn(a, &looks_a, i), |j| drawn(b, &looks_b, j));
    for i in a.hierarchy.parents_first() {
        let alike = i < b.nodes.len() && is_like(i, i);
        if alike && parents(&pairs, i, i) {
            pairs.pair(i, i);
        }
    }
    pair_only_children(a, b, &mut pairs, is_like);
    pairs
}

fn name_of(model: &Model, node: usize) -> Option<&str> {
    given(&model.nodes[node].name)
}

/// Pairs nodes with equal paths below paired parents: of each group, the nearest ones in the space of their parents.
fn pair_nearest([a, b]: [&Model; 2], [of_a, of_b]: [&[Option<usize>]; 2], pairs: &mut Pairs) {
    /// In larger groups, nodes are paired in their order.
    const MOST: usize = 256;
    type Groups = HashMap<(usize, Option<usize>), Vec<usize>>;
    let groups = |model: &Model, paths: &[Option<usize>], left: Vec<usize>| {
        let mut groups = Groups::new();
        for node in left {
            if let Some(path) = paths[node] {
                groups.entry((path, model.hierarchy.parent(node))).or_default().push(node);
            }
        }
        groups
    };
    let mut in_a = groups(a, of_a, pairs.left_in_a());
    let in_b = groups(b, of_b, pairs.left_in_b());
    let place = |model: &Model, node: usize| model.rest.transform(node).translation;
    // Parents come first, because the nodes below them are paired only if they are.
    for node in a.hierarchy.parents_first() {
        let Some(path) = of_a[node] else { continue };
        let parent = a.hierarchy.parent(node);
        let Some(own) = in_a.remove(&(path, parent)) else { continue };
        let there = match parent {
            Some(parent) => match pairs.b_of(parent) {
                Some(there) => Some(there),
                None => continue,
            },
            None => None,
        };
        let Some(others) = in_b.get(&(path, there)) else { continue };
        if own.len().max(others.len()) > MOST {
            own.into_iter().zip(others).for_each(|(i, j)| pairs.pair(i, *j));
            continue;
        }
        let both = own.iter().flat_map(|i| others.iter().map(move |j| [*i, *j]));
        let mut both: Vec<(f32, [usize; 2])> =
            both.map(|[i, j]| (place(a, i).distance(place(b, j)), [i, j])).collect();
        both.sort_by(|x, y| x.0.total_cmp(&y.0));
        both.into_iter().for_each(|(_, [i, j])| pairs.pair(i, j));
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
    let shape = |node: &rigview_model::Node| Shape {
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

    /// Returns the places of nodes that draw nothing.
    fn undrawn(origins: Vec<Vec3>) -> NodePlaces {
        NodePlaces { boxes: vec![[Vec3::NAN; 2]; origins.len()], origins }
    }

    fn found(a: &[(&str, Option<u32>)], b: &[(&str, Option<u32>)]) -> Vec<(usize, usize)> {
        let places = [a, b].map(|nodes| undrawn(vec![Vec3::ZERO; nodes.len()]));
        node_pairs(&model(a), &model(b), &places, &Pairs::new(0, 0)).iter().collect()
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
            undrawn(vec![place(0.0), place(1.0), place(2.0)]),
            undrawn(vec![place(0.0), place(0.0), place(1.0), place(2.0)]),
        ];
        let pairs = node_pairs(&model(&a), &model(&b), &places, &Pairs::new(0, 0));
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
