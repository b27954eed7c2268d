//! Changes of structure: what was added, removed, renamed or connected in another way.

use std::borrow::Borrow;
use std::collections::HashSet;

use glam::Affine3A;

use super::cameras_lights::{camera_change, light_change, renamed_items};
use super::constraints::Constraints;
use super::images::image_changes;
use super::names::{Names, changes};
use super::scenes::{scene_changes, variant_changes, variant_materials};
use super::vrm::vrm_changes;
use crate::change::{Change, Kind};
use crate::pairing::copies::{mesh_copies, skin_copies};
use crate::pairing::drawers::drawers;
use crate::pairing::looks::mesh_looks;
use crate::pairing::pairs::{Entry, Models, Pairs, entry_name, given, told_apart};
use crate::pairing::primitive_pairs::{counted_attributes, primitive_pairs};
use rigview_anim::Skin;
use rigview_model::{Mesh, Model, Node, Primitive};

/// Lists the changes of nodes, meshes, skins and images.
pub(crate) fn structure(models: Models) -> Vec<Change> {
    let Models { a, b, pairs } = models;
    let [scene_a, scene_b] = [a, b].map(|model| {
        let mut inside = vec![false; model.nodes.len()];
        model.scene_nodes(model.default_scene).into_iter().for_each(|node| inside[node] = true);
        inside
    });
    let nodes = Names {
        kind: Kind::Node,
        a: a.nodes.iter().map(|node| &node.name).collect(),
        b: b.nodes.iter().map(|node| &node.name).collect(),
    };
    let constraints = Constraints::new(models);
    let mut list = changes(&nodes, &pairs.nodes, |i, j| {
        let mut said = models.node_changes(i, j);
        said.extend(constraints.change(i, j));
        if scene_a[i] != scene_b[j] {
            let now = if scene_b[j] { "now in the scene" } else { "no longer in the scene" };
            said.push(now.into());
        }
        said
    });
    list.extend(renamed_items(models));
    let meshes = Names {
        kind: Kind::Mesh,
        a: a.meshes.iter().map(|mesh| &mesh.name).collect(),
        b: b.meshes.iter().map(|mesh| &mesh.name).collect(),
    };
    let mesh = |i: usize, j: usize| models.mesh_changes(i, j);
    list.extend(changes(&meshes, &pairs.meshes, mesh));
    let skins = Names {
        kind: Kind::Skin,
        a: a.skins.iter().map(|skin| &skin.name).collect(),
        b: b.skins.iter().map(|skin| &skin.name).collect(),
    };
    let skin = |i: usize, j: usize| models.skin_changes(&a.skins[i], &b.skins[j]);
    list.extend(changes(&skins, &pairs.skins, skin));
    list.extend(image_changes(a, b, &pairs.images));
    list.extend(scene_changes(models));
    list.extend(variant_changes(models));
    list.extend(vrm_changes(models));
    list
}

impl<'m> Models<'m> {
    fn node_changes(&self, i: usize, j: usize) -> Vec<String> {
        let Models { a, b, pairs } = *self;
        let (x, y) = (&a.nodes[i], &b.nodes[j]);
        let mut said = Vec::new();
        let mut differ = |noun: &str, list: &Pairs, entries: [Option<Entry>; 2]| {
            let [before, after] = entries.map(|entry| entry.map(|(index, _)| index));
            if !list.agree(before, after) {
                let [before, after] = told_apart(entries);
                said.push(format!("{noun} {before} -> {after}"));
            }
        };
        let parents = [(a, a.hierarchy.parent(i)), (b, b.hierarchy.parent(j))];
        let parent = |(of, node): (&'m Model, Option<usize>)| node.map(|n| (n, &of.nodes[n].name));
        differ("parent", &pairs.nodes, parents.map(parent));
        let both = [(a, x), (b, y)];
        let mesh = |(of, node): (&'m Model, &Node)| node.mesh.map(|i| (i, &of.meshes[i].name));
        differ("mesh", &pairs.meshes, both.map(mesh));
        let skin = |(of, node): (&'m Model, &Node)| node.skin.map(|i| (i, &of.skins[i].name));
        differ("skin", &pairs.skins, both.map(skin));
        let projection =
            |model: &Model, camera: Option<usize>| camera.map(|c| model.cameras[c].projection);
        said.extend(camera_change(projection(a, x.camera), projection(b, y.camera)));
        let lights = (x.light.map(|l| &a.lights[l]), y.light.map(|l| &b.lights[l]));
        said.extend(light_change(lights.0, lights.1));
        if x.hidden != y.hidden {
            said.push(if y.hidden { "now hidden" } else { "no longer hidden" }.into());
        }
        if x.instances.len() != y.instances.len() {
            said.push(format!("instances {} -> {}", x.instances.len(), y.instances.len()));
        }
        said
    }

    fn mesh_changes(&self, i: usize, j: usize) -> Vec<String> {
        let (x, y) = (&self.a.meshes[i], &self.b.meshes[j]);
        let mut said = Vec::new();
        let is_cut = x.primitives.len() != y.primitives.len();
        if is_cut {
            said.push(format!("primitives {} -> {}", x.primitives.len(), y.primitives.len()));
            // Pairs of their primitives are parts of one another: what they hold counts as a whole.
            said.extend(count_changes(&x.primitives, &y.primitives));
        }
        let many = x.primitives.len() > 1;
        for (i, j) in primitive_pairs([x, y], &self.pairs.materials).iter() {
            let of = if many { format!("primitive {i}: ") } else { String::new() };
            let pair = [&x.primitives[i], &y.primitives[j]];
            let counts = if is_cut { Vec::new() } else { count_changes(&[pair[0]], &[pair[1]]) };
            let changes = counts.into_iter().chain(self.primitive_changes(pair));
            said.extend(changes.map(|what| of.clone() + &what));
        }
        said.extend(target_name_changes([x, y], &self.pairs.targets[i]));
        said
    }

    fn primitive_changes(&self, [p, q]: [&Primitive; 2]) -> Vec<String> {
        let Models { a, b, pairs } = *self;
        let mut said = Vec::new();
        if p.mode.topology() != q.mode.topology() {
            said.push(format!("mode {} -> {}", p.mode.name(), q.mode.name()));
        }
        let lacking = |p: &Primitive, q: &Primitive| -> Vec<String> {
            let missing = counted_attributes(p).filter(|name| !q.attributes.contains(name));
            missing.cloned().collect()
        };
        let (lost, got) = (lacking(p, q), lacking(q, p));
        if !lost.is_empty() {
            said.push(format!("without {}", lost.join(", ")));
        }
        if !got.is_empty() {
            said.push(format!("with {}", got.join(", ")));
        }
        if !pairs.materials.agree(p.material, q.material) {
            let [before, after] = told_apart([
                p.material.map(|i| (i, &a.materials[i].name)),
                q.material.map(|i| (i, &b.materials[i].name)),
            ]);
            said.push(format!("material {before} -> {after}"));
        }
        said.extend(variant_materials(*self, [p, q]));
        said
    }

    fn skin_changes(&self, x: &Skin, y: &Skin) -> Vec<String> {
        let Models { a, b, pairs } = *self;
        let [of_x, of_y] = [x, y].map(|skin| skin.joints.iter().copied().collect::<HashSet<u32>>());
        let lost = x.joints.iter().map(|joint| *joint as usize).filter(|joint| {
            let there = pairs.nodes.b_of(*joint).map(|there| there as u32);
            there.is_none_or(|there| !of_y.contains(&there))
        });
        let got = y.joints.iter().map(|joint| *joint as usize).filter(|joint| {
            let there = pairs.nodes.a_of(*joint).map(|there| there as u32);
            there.is_none_or(|there| !of_x.contains(&there))
        });
        let list = |model: &Model, joints: Vec<usize>| {
            let names = joints
                .iter()
                .take(LISTED)
                .map(|joint| format!("\"{}\"", entry_name(&model.nodes[*joint].name, *joint)));
            let mut text = names.collect::<Vec<_>>().join(", ");
            if let more @ 1.. = joints.len().saturating_sub(LISTED) {
                text += &format!(" and {more} more");
            }
            text
        };
        let (lost, got): (Vec<_>, Vec<_>) = (lost.collect(), got.collect());
        let mut said = Vec::new();
        if !lost.is_empty() {
            said.push(format!("without the joints {}", list(a, lost)));
        }
        if !got.is_empty() {
            said.push(format!("with the joints {}", list(b, got)));
        }
        said
    }
}

/// Describes the differences of the numbers of vertices, elements and morph targets that some primitives have together.
fn count_changes<P: Borrow<Primitive>>(of_a: &[P], of_b: &[P]) -> Vec<String> {
    let sum = |list: &[P], count: fn(&Primitive) -> usize| -> usize {
        list.iter().map(|primitive| count(primitive.borrow())).sum()
    };
    let is_solid = |list: &[P]| list.iter().all(|p| p.borrow().mode.topology().corners() == 3);
    let elements = if is_solid(of_a) { "triangles" } else { "elements" };
    let most_targets =
        |list: &[P]| list.iter().map(|p| p.borrow().targets.len()).max().unwrap_or(0);
    let vertices = |p: &Primitive| p.source_vertices as usize;
    let counts = [
        ("vertices", sum(of_a, vertices), sum(of_b, vertices)),
        (elements, sum(of_a, Primitive::real_elements), sum(of_b, Primitive::real_elements)),
        ("morph targets", most_targets(of_a), most_targets(of_b)),
    ];
    let differ = counts.into_iter().filter(|(_, before, after)| before != after);
    differ.map(|(noun, before, after)| format!("{noun} {before} -> {after}")).collect()
}

/// Describes the difference of the names and the order of two meshes' morph targets. Names that A does not have are no
/// change: some tools number the targets.
fn target_name_changes([x, y]: [&Mesh; 2], pairs: &Pairs) -> Vec<String> {
    let (before, after) = (&x.target_names, &y.target_names);
    match (before.len(), after.len()) {
        (_, 0) if !before.is_empty() => {
            return vec!["without the names of its morph targets".into()];
        }
        (0, _) => return Vec::new(),
        (x, y) if x != y => return vec![format!("names of morph targets {x} -> {y}")],
        _ => {}
    }
    let mut said = Vec::new();
    let mut names = pairs.iter().filter_map(|(i, j)| Some((before.get(i)?, after.get(j)?)));
    if let Some((before, after)) = names.find(|(before, after)| before != after) {
        said.push(format!("names of morph targets: \"{before}\" is now \"{after}\""));
    }
    if pairs.iter().any(|(i, j)| i != j) {
        said.push("order of morph targets".into());
    }
    said
}

/// Joints that a change of a skin names, at most.
const LISTED: usize = 8;

/// Pairs meshes: by name, then by the nodes that draw them, then those that lost or got a name and have equal primitives, at least in
/// their number of elements.
pub(crate) fn mesh_pairs(a: &Model, b: &Model, nodes: &Pairs, materials: &Pairs) -> Pairs {
    let mut pairs = Pairs::new(a.meshes.len(), b.meshes.len());
    pairs.pair_unique(|i| given(&a.meshes[i].name), |j| given(&b.meshes[j].name));
    for [i, j] in drawers([a, b], nodes) {
        if let (Some(x), Some(y)) = (a.nodes[i].mesh, b.nodes[j].mesh) {
            pairs.pair(x, y);
        }
    }
    let [looks_a, looks_b] = mesh_looks([a, b], materials);
    let nameless = |model: &Model, i: usize| given(&model.meshes[i].name).is_none();
    pairs.pair_in_order(|i| nameless(a, i).then(|| looks_a[i]), |j| Some(looks_b[j]));
    pairs.pair_in_order(|i| Some(looks_a[i]), |j| nameless(b, j).then(|| looks_b[j]));
    let size = |model: &Model, i: usize| -> usize {
        model.meshes[i].primitives.iter().map(|p| p.indices.len()).sum()
    };
    pairs.pair_in_order(|i| nameless(a, i).then(|| size(a, i)), |j| Some(size(b, j)));
    pairs.pair_in_order(|i| Some(size(a, i)), |j| nameless(b, j).then(|| size(b, j)));
    pairs
}

/// Gives meshes that one model has several times the partner of their copies, given the pairs of materials.
pub(crate) fn join_meshes([a, b]: [&Model; 2], materials: &Pairs, meshes: &mut Pairs) {
    meshes.join([
        mesh_copies(a, |material| materials.class(0, material)),
        mesh_copies(b, |material| materials.class(1, material)),
    ]);
}

/// Pairs skins: by name, then by the nodes that use them, then by their joints, first those with equal matrices. A skin that one
/// model has several times is its copies' partner too.
pub(crate) fn skin_pairs(a: &Model, b: &Model, nodes: &Pairs) -> Pairs {
    let mut pairs = Pairs::new(a.skins.len(), b.skins.len());
    pairs.pair_unique(|i| given(&a.skins[i].name), |j| given(&b.skins[j].name));
    for [i, j] in drawers([a, b], nodes) {
        if let (Some(x), Some(y)) = (a.nodes[i].skin, b.nodes[j].skin) {
            pairs.pair(x, y);
        }
    }
    pairs.join([a, b].map(skin_copies));
    let in_a = |i: usize| a.skins[i].joints.iter().map(|joint| *joint as usize).collect::<Vec<_>>();
    let in_b = |j: usize| {
        let there = b.skins[j].joints.iter().map(|joint| nodes.a_of(*joint as usize));
        there.collect::<Option<Vec<_>>>()
    };
    let bound = |model: &Model, i: usize, joints: Vec<usize>| {
        let matrices = model.skins[i].joint_from_mesh.iter();
        let bits = |matrix: &Affine3A| matrix.to_cols_array().map(f32::to_bits);
        let mut bound: Vec<_> = joints.into_iter().zip(matrices.map(bits)).collect();
        bound.sort_unstable();
        bound
    };
    pairs.pair_in_order(|i| Some(bound(a, i, in_a(i))), |j| Some(bound(b, j, in_b(j)?)));
    let sorted = |mut joints: Vec<usize>| {
        joints.sort_unstable();
        joints
    };
    pairs.pair_in_order(|i| Some(sorted(in_a(i))), |j| in_b(j).map(sorted));
    pairs
}
