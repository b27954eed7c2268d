//! What nodes and meshes look like, in numbers that stay the same if a model is stored in another way.

use std::collections::HashMap;

use super::pairs::{Class, Pairs};
use rigview_model::{Mesh, Model};

/// What a node carries. Nodes with other looks may still be a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Looks {
    /// The number of its mesh's looks.
    mesh: Option<usize>,
    camera: bool,
    light: bool,
}

impl Looks {
    /// Whether the node draws a mesh.
    pub fn draws(self) -> bool {
        self.mesh.is_some()
    }
}

/// Returns what the nodes of two models carry, given the pairs of their materials.
pub(crate) fn looks(models: [&Model; 2], materials: &Pairs) -> [Vec<Looks>; 2] {
    let meshes = mesh_looks(models, materials);
    [0, 1].map(|side: usize| {
        let looks = models[side].nodes.iter().map(|node| Looks {
            mesh: node.mesh.map(|mesh| meshes[side][mesh]),
            camera: node.camera.is_some(),
            light: node.light.is_some(),
        });
        looks.collect()
    })
}

/// Returns a number for the looks of each mesh of two models, given the pairs of their materials.
pub(crate) fn mesh_looks(models: [&Model; 2], materials: &Pairs) -> [Vec<usize>; 2] {
    let mut known = HashMap::new();
    [0, 1].map(|side: usize| {
        let looks = models[side].meshes.iter().map(|mesh| {
            let next = known.len();
            *known.entry(primitives(mesh, |i| materials.class(side, i))).or_insert(next)
        });
        looks.collect()
    })
}

/// What a primitive looks like: its corners per element, its numbers of elements and of morph targets, and the class of its material.
type PrimitiveLooks = (usize, usize, usize, Option<Class>);

/// Returns what the primitives of a mesh look like, sorted, because their order means nothing.
fn primitives(mesh: &Mesh, class: impl Fn(usize) -> Class) -> Vec<PrimitiveLooks> {
    let looks = mesh.primitives.iter().map(|p| {
        let corners = p.mode.topology().corners();
        (corners, p.real_elements(), p.targets.len(), p.material.map(&class))
    });
    let mut looks: Vec<PrimitiveLooks> = looks.collect();
    looks.sort_unstable();
    looks
}
