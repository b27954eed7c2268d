//! Pairs the entries of all lists of two models.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use glam::Affine3A;

use super::node_pairs::node_pairs;
use super::pairs::{Class, Pairs, entry_name, firsts, given};
use super::target_pairs::target_pairs;
use crate::changes::values::material_value;
use rigview_model::{Mesh, Model, Node, TextureSlot};

/// The pairs of all lists of two models.
pub(crate) struct ModelPairs {
    pub nodes: Pairs,
    pub meshes: Pairs,
    pub skins: Pairs,
    pub materials: Pairs,
    pub images: Pairs,
    pub variants: Pairs,
    pub scenes: Pairs,
    pub cameras: Pairs,
    pub lights: Pairs,
    /// The morph targets of each mesh of A and those of its partner; none without a partner.
    pub targets: Vec<Pairs>,
}

/// Two models and the pairs of their entries.
#[derive(Clone, Copy)]
pub(crate) struct Models<'a> {
    pub a: &'a Model,
    pub b: &'a Model,
    pub pairs: &'a ModelPairs,
}

/// By side and entry, a name that entries have in common if and only if they are a pair, or copies of one.
pub(crate) type Tokens = [Vec<String>; 2];

/// Names the entries of a list.
pub(crate) fn tokens(pairs: &Pairs, names: [Vec<Option<String>>; 2]) -> Tokens {
    let mut known: HashMap<Class, String> = HashMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    [0, 1].map(|side: usize| {
        let token = |entry: usize| {
            let class = pairs.class(side, entry);
            let name = || {
                let named = format!("\"{}\"", entry_name(&names[side][entry], entry));
                if taken.insert(named.clone()) { named } else { format!("{entry} {named}") }
            };
            known.entry(class).or_insert_with(name).clone()
        };
        (0..names[side].len()).map(token).collect()
    })
}

/// Pairs all lists of two models.
pub(crate) fn pair_lists([a, b]: [&Model; 2]) -> ModelPairs {
    let nodes = node_pairs(a, b);
    let mut meshes = mesh_pairs([a, b], &nodes);
    let mut images = Pairs::new(a.images.len(), b.images.len());
    let image = |model: &Model, i: usize| given(&model.images[i].name).map(str::to_owned);
    images.pair_unique(|i| image(a, i), |j| image(b, j));
    images.pair_in_order(|i| a.images[i].digest, |j| b.images[j].digest);
    let mut materials = material_pairs([a, b], &images, &meshes);
    images
        .pair_by_use(image_uses([a, b], &materials), |i, j| may_be_one([image(a, i), image(b, j)]));
    images.pair_in_order(|i| image(a, i), |j| image(b, j));
    images.pair_unique(|i| image(a, i).is_none().then_some(i), Some);
    images.pair_unique(Some, |j| image(b, j).is_none().then_some(j));
    images
        .join([a, b].map(|model| {
            firsts(model.images.iter().enumerate().map(|(i, of)| of.digest.ok_or(i)))
        }));
    let keys = material_keys([a, b], &images);
    materials.join(keys.map(firsts));
    meshes.join([(0, a), (1, b)].map(|(side, model)| {
        firsts(model.meshes.iter().map(|mesh| mesh_hash(mesh, |i| materials.class(side, i))))
    }));
    let mut variants = Pairs::new(a.variants.len(), b.variants.len());
    variants.pair_in_order(|i| Some(&a.variants[i]), |j| Some(&b.variants[j]));
    variants.pair_in_order(|_| Some(()), |_| Some(()));
    ModelPairs {
        targets: target_pairs([a, b], &meshes),
        skins: skin_pairs([a, b], &nodes),
        scenes: scene_pairs([a, b], &nodes),
        cameras: item_pairs(
            [a, b],
            &nodes,
            |node| node.camera,
            |model| model.cameras.iter().map(|camera| camera.name.clone()).collect(),
        ),
        lights: item_pairs(
            [a, b],
            &nodes,
            |node| node.light,
            |model| model.lights.iter().map(|light| light.name.clone()).collect(),
        ),
        meshes,
        materials,
        nodes,
        images,
        variants,
    }
}

/// Whether entries with these names may be one: they have one name, or one of them has none.
fn may_be_one([a, b]: [Option<String>; 2]) -> bool {
    a == b || a.is_none() || b.is_none()
}

/// Pairs meshes: by name, then by the nodes that draw them, then those that lost or got a name and have as many elements.
fn mesh_pairs([a, b]: [&Model; 2], nodes: &Pairs) -> Pairs {
    let mut pairs = Pairs::new(a.meshes.len(), b.meshes.len());
    pairs.pair_unique(|i| given(&a.meshes[i].name), |j| given(&b.meshes[j].name));
    for (x, y) in nodes.iter().filter_map(|(i, j)| a.nodes[i].mesh.zip(b.nodes[j].mesh)) {
        pairs.pair(x, y);
    }
    let size = |model: &Model, i: usize| -> usize {
        model.meshes[i].primitives.iter().map(|p| p.real_elements()).sum()
    };
    let nameless = |model: &Model, i: usize| given(&model.meshes[i].name).is_none();
    pairs.pair_in_order(|i| nameless(a, i).then(|| size(a, i)), |j| Some(size(b, j)));
    pairs.pair_in_order(|i| Some(size(a, i)), |j| nameless(b, j).then(|| size(b, j)));
    pairs
}

/// Returns a number that meshes have in common if they are the same but for their names.
fn mesh_hash(mesh: &Mesh, class: impl Fn(usize) -> Class) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Of zero, both signs are one number.
    let mut add = |number: f32| hasher.write_u32((number + 0.0).to_bits());
    for primitive in &mesh.primitives {
        for vertex in &primitive.vertices {
            vertex
                .position
                .into_iter()
                .chain(vertex.normal)
                .chain(vertex.tangent)
                .for_each(&mut add);
            vertex.uv.as_flattened().iter().for_each(|x| add(*x));
            vertex.color.iter().for_each(|x| add(f32::from(*x)));
        }
        let deltas = primitive.targets.iter().flat_map(|target| target.positions.as_flattened());
        deltas.for_each(|x| add(*x));
        primitive.weight_sums.iter().for_each(|x| add(*x));
        let influences = primitive.influences.iter();
        let sets =
            influences.flat_map(|all| (0..primitive.vertices.len()).flat_map(|i| all.of_vertex(i)));
        sets.for_each(|set| {
            set.joints.iter().for_each(|joint| add(f32::from(*joint)));
            set.weights.iter().for_each(|weight| add(*weight));
        });
    }
    for primitive in &mesh.primitives {
        primitive.indices.hash(&mut hasher);
        primitive.attributes.hash(&mut hasher);
        primitive.material.map(&class).hash(&mut hasher);
    }
    mesh.target_names.hash(&mut hasher);
    hasher.finish()
}

/// Returns, by side, a text per material that is equal for those with equal properties.
fn material_keys(models: [&Model; 2], images: &Pairs) -> [Vec<String>; 2] {
    let names = models.map(|model| model.images.iter().map(|image| image.name.clone()).collect());
    let names = tokens(images, names);
    [0, 1].map(|side: usize| {
        let model = models[side];
        let key = |i: usize| material_value(model, i, &names[side]).to_string();
        (0..model.materials.len()).map(key).collect()
    })
}

/// Pairs materials: by name, then those with equal properties in their order; then those of one name, or of which one has none, by the
/// primitives that have them; then those of one name in their order, then by index if one of both has no name.
fn material_pairs([a, b]: [&Model; 2], images: &Pairs, meshes: &Pairs) -> Pairs {
    let mut pairs = Pairs::new(a.materials.len(), b.materials.len());
    let name = |model: &Model, i: usize| given(&model.materials[i].name).map(str::to_owned);
    pairs.pair_unique(|i| name(a, i), |j| name(b, j));
    let [of_a, of_b] = material_keys([a, b], images);
    pairs.pair_in_order(|i| Some((name(a, i), &of_a[i])), |j| Some((name(b, j), &of_b[j])));
    pairs.pair_in_order(|i| Some(&of_a[i]), |j| Some(&of_b[j]));
    let uses = meshes.iter().flat_map(|(x, y)| {
        let both = a.meshes[x].primitives.iter().zip(&b.meshes[y].primitives);
        both.flat_map(|(p, q)| p.materials().zip(q.materials()).map(|(i, j)| [i, j]))
    });
    pairs.pair_by_use(uses, |i, j| may_be_one([name(a, i), name(b, j)]));
    pairs.pair_in_order(|i| name(a, i), |j| name(b, j));
    pairs.pair_unique(|i| name(a, i).is_none().then_some(i), Some);
    pairs.pair_unique(Some, |j| name(b, j).is_none().then_some(j));
    pairs
}

/// Returns the images that materials of a pair have in one slot.
fn image_uses([a, b]: [&Model; 2], materials: &Pairs) -> Vec<[usize; 2]> {
    let image = |model: &Model, material: usize, slot: TextureSlot| {
        model.textures[model.materials[material].textures[slot]?.texture].image
    };
    let both = materials.iter().flat_map(|(x, y)| {
        TextureSlot::ALL
            .into_iter()
            .filter_map(move |slot| Some([image(a, x, slot)?, image(b, y, slot)?]))
    });
    both.collect()
}

/// Pairs skins: by name, then by the nodes that use them, then by their joints, first those with equal matrices. A skin that one
/// model has several times is its copies' partner too.
fn skin_pairs([a, b]: [&Model; 2], nodes: &Pairs) -> Pairs {
    let mut pairs = Pairs::new(a.skins.len(), b.skins.len());
    pairs.pair_unique(|i| given(&a.skins[i].name), |j| given(&b.skins[j].name));
    for (x, y) in nodes.iter().filter_map(|(i, j)| a.nodes[i].skin.zip(b.nodes[j].skin)) {
        pairs.pair(x, y);
    }
    let bits = |matrix: &Affine3A| matrix.to_cols_array().map(|x| (x + 0.0).to_bits());
    pairs.join([a, b].map(|model| {
        firsts(
            model.skins.iter().map(|skin| {
                (&skin.joints, skin.joint_from_mesh.iter().map(bits).collect::<Vec<_>>())
            }),
        )
    }));
    let joints = |side: usize, i: usize| {
        let model = [a, b][side];
        let joints = model.skins[i].joints.iter().map(|joint| *joint as usize);
        let in_a = joints.map(|joint| if side == 0 { Some(joint) } else { nodes.a_of(joint) });
        in_a.collect::<Option<Vec<usize>>>()
    };
    let bound = |side: usize, i: usize| {
        let matrices = [a, b][side].skins[i].joint_from_mesh.iter().map(bits);
        let mut bound: Vec<_> = joints(side, i)?.into_iter().zip(matrices).collect();
        bound.sort_unstable();
        Some(bound)
    };
    pairs.pair_in_order(|i| bound(0, i), |j| bound(1, j));
    let sorted = |side: usize, i: usize| {
        let mut joints = joints(side, i)?;
        joints.sort_unstable();
        Some(joints)
    };
    pairs.pair_in_order(|i| sorted(0, i), |j| sorted(1, j));
    pairs
}

/// Pairs scenes by name, then by their root nodes; then the default ones, then the rest in order.
fn scene_pairs([a, b]: [&Model; 2], nodes: &Pairs) -> Pairs {
    let mut scenes = Pairs::new(a.scenes.len(), b.scenes.len());
    scenes.pair_unique(|i| given(&a.scenes[i].name), |j| given(&b.scenes[j].name));
    let sorted = |roots: Option<Vec<usize>>| {
        let mut roots = roots.filter(|roots| !roots.is_empty())?;
        roots.sort_unstable();
        Some(roots)
    };
    let in_a = |j: usize| b.scenes[j].roots.iter().map(|node| nodes.a_of(*node)).collect();
    scenes.pair_unique(|i| sorted(Some(a.scenes[i].roots.clone())), |j| sorted(in_a(j)));
    scenes.pair(a.default_scene, b.default_scene);
    scenes.pair_in_order(|_| Some(()), |_| Some(()));
    scenes
}

/// Pairs the cameras or the lights of two models: by the nodes that carry them, those of one name first; then by name, then by index.
fn item_pairs(
    [a, b]: [&Model; 2],
    nodes: &Pairs,
    item: fn(&Node) -> Option<usize>,
    names: fn(&Model) -> Vec<Option<String>>,
) -> Pairs {
    let [of_a, of_b] = [names(a), names(b)];
    let mut items = Pairs::new(of_a.len(), of_b.len());
    let carried = nodes.iter().filter_map(|(i, j)| item(&a.nodes[i]).zip(item(&b.nodes[j])));
    let carried: Vec<(usize, usize)> = carried.collect();
    // Of several, one with the same name is not a copy.
    let has_name = |(x, y): &&(usize, usize)| given(&of_a[*x]).is_some() && of_a[*x] == of_b[*y];
    carried.iter().filter(has_name).chain(&carried).for_each(|(x, y)| items.pair(*x, *y));
    items.pair_unique(|i| given(&of_a[i]), |j| given(&of_b[j]));
    (0..of_a.len().min(of_b.len())).for_each(|i| items.pair(i, i));
    items
}
