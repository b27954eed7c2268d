//! Meshes and skins of one model that are the same but for their names.

use std::collections::HashMap;
use std::hash::Hash;

use super::pairs::Class;
use crate::model::{Mesh, Model, Primitive};

/// Returns, by mesh, the first one that is the same, given the classes of materials.
pub(in crate::compare) fn mesh_copies(model: &Model, class: impl Fn(usize) -> Class) -> Vec<usize> {
    let meshes = &model.meshes;
    let counts = |i: usize| -> Vec<[usize; 2]> {
        meshes[i].primitives.iter().map(|p| [p.vertices.len(), p.indices.len()]).collect()
    };
    firsts(meshes.len(), counts, |i, j| is_same_mesh([&meshes[i], &meshes[j]], &class))
}

/// Returns, by skin, the first one that is the same.
pub(in crate::compare) fn skin_copies(model: &Model) -> Vec<usize> {
    let skins = &model.skins;
    let is_same = |i: usize, j: usize| skins[i].joint_from_mesh == skins[j].joint_from_mesh;
    firsts(skins.len(), |i| &skins[i].joints, is_same)
}

/// Returns, by entry of a list, the first one that has an equal key and is the same.
fn firsts<K: Eq + Hash>(
    len: usize,
    key: impl Fn(usize) -> K,
    is_same: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    /// Entries with one key that others are compared with, at most.
    const MOST: usize = 256;
    let mut known: HashMap<K, Vec<usize>> = HashMap::new();
    let first = |i: usize| {
        let others = known.entry(key(i)).or_default();
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
