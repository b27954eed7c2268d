//! Meshes and skins of one model that are the same but for their names.

use std::collections::HashMap;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};

use super::pairs::Class;
use rigview_model::{Mesh, Model, Primitive};

/// Returns, by mesh, the first one that is the same, given the classes of materials.
pub(crate) fn mesh_copies(model: &Model, class: impl Fn(usize) -> Class) -> Vec<usize> {
    let meshes = &model.meshes;
    let hash = |i: usize, hasher: &mut DefaultHasher| {
        for primitive in &meshes[i].primitives {
            hash_numbers(primitive.vertices.iter().flat_map(|vertex| vertex.position), hasher);
            primitive.indices.hash(hasher);
            primitive.material.map(&class).hash(hasher);
        }
    };
    firsts(meshes.len(), hash, |i, j| is_same_mesh([&meshes[i], &meshes[j]], &class))
}

/// Returns, by skin, the first one that is the same.
pub(crate) fn skin_copies(model: &Model) -> Vec<usize> {
    let skins = &model.skins;
    let hash = |i: usize, hasher: &mut DefaultHasher| {
        skins[i].joints.hash(hasher);
        hash_numbers(skins[i].joint_from_mesh.iter().flat_map(|m| m.to_cols_array()), hasher);
    };
    let is_same = |i: usize, j: usize| {
        (&skins[i].joints, &skins[i].joint_from_mesh)
            == (&skins[j].joints, &skins[j].joint_from_mesh)
    };
    firsts(skins.len(), hash, is_same)
}

/// Adds numbers to a hash. Of zero, both signs are one number.
fn hash_numbers(numbers: impl Iterator<Item = f32>, hasher: &mut DefaultHasher) {
    numbers.for_each(|number| hasher.write_u32((number + 0.0).to_bits()));
}

/// Returns, by entry of a list, the first one that is the same. `hash` adds what tells most entries apart to a hash.
fn firsts(
    len: usize,
    hash: impl Fn(usize, &mut DefaultHasher),
    is_same: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    /// Entries with one hash that others are compared with, at most.
    const MOST: usize = 256;
    let state = RandomState::new();
    let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
    let first = |i: usize| {
        let mut hasher = state.build_hasher();
        hash(i, &mut hasher);
        let others = known.entry(hasher.finish()).or_default();
        if let Some(first) = others.iter().find(|first| is_same(**first, i)) {
            return *first;
        }
        if others.len() < MOST {
            others.push(i);
        }
        i
    };
    (0..len).map(first).collect()
}

fn is_same_mesh([x, y]: [&Mesh; 2], class: &impl Fn(usize) -> Class) -> bool {
    x.weights == y.weights
        && x.target_names == y.target_names
        && x.primitives.len() == y.primitives.len()
        && x.primitives.iter().zip(&y.primitives).all(|(p, q)| is_same_primitive([p, q], class))
}

fn is_same_primitive([p, q]: [&Primitive; 2], class: &impl Fn(usize) -> Class) -> bool {
    let variants = |of: &Primitive| -> Vec<(usize, Class)> {
        of.variant_materials.iter().map(|(variant, m)| (*variant, class(*m))).collect()
    };
    (p.mode, p.source_vertices) == (q.mode, q.source_vertices)
        && p.material.map(class) == q.material.map(class)
        && variants(p) == variants(q)
        && p.attributes == q.attributes
        && p.indices == q.indices
        && p.vertices == q.vertices
        && p.source_vertex == q.source_vertex
        && p.influences == q.influences
        && p.parts == q.parts
        && p.targets == q.targets
        && p.undrawn == q.undrawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Affine3A;
    use rigview_anim::Skin;

    /// More skins with the same joints than are compared with one another.
    #[test]
    fn copies_are_found_among_many_that_have_other_numbers() {
        let skin = |x: f32| Skin {
            joints: vec![0],
            joint_from_mesh: vec![Affine3A::from_scale(glam::Vec3::splat(x))],
            ..Skin::default()
        };
        let numbers = (0..400).chain([399, 0]).map(|i| skin(i as f32));
        let model = Model { skins: numbers.chain([skin(-0.0)]).collect(), ..Model::default() };
        let firsts = skin_copies(&model);
        assert!(firsts[..400].iter().copied().eq(0..400));
        assert_eq!(firsts[400..], [399, 0, 0]);
    }
}
