//! A mesh: its primitives, the joints per vertex, and its morph targets.

use serde::Serialize;

use rigview_model::{Mesh, Model, Primitive};

/// A mesh as the file has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshFacts {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// Its primitives.
    pub primitives: Vec<PrimitiveFacts>,
    /// Its morph targets.
    pub morph_targets: Vec<MorphFacts>,
    /// The nodes that draw it.
    pub nodes: Vec<usize>,
}

/// A primitive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PrimitiveFacts {
    /// The mode's name in glTF.
    pub mode: &'static str,
    /// Number of vertices in the file.
    pub vertices: u32,
    /// Number of drawn triangles.
    pub triangles: usize,
    /// Its material; `None` is glTF's default material.
    pub material: Option<usize>,
    /// The attributes' names, in file order.
    pub attributes: Vec<String>,
    /// Number of draw calls: about one per hundred joints.
    pub draws: usize,
    /// Entry `i` is the number of vertices of the file that `i` joints move. Empty for a primitive without joints.
    pub influences: Vec<usize>,
}

/// A morph target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MorphFacts {
    /// Its name; empty if the file has none.
    pub name: String,
    /// The mesh's default weight.
    pub default_weight: f32,
}

/// Returns the facts of a mesh in the file.
///
/// # Panics
/// If there is no such mesh.
pub fn mesh_facts(model: &Model, index: usize) -> MeshFacts {
    let mesh = &model.meshes[index];
    MeshFacts {
        index,
        name: mesh.name.clone(),
        primitives: mesh.primitives.iter().map(primitive_facts).collect(),
        morph_targets: morph_facts(mesh),
        nodes: (0..model.nodes.len()).filter(|n| model.nodes[*n].mesh == Some(index)).collect(),
    }
}

fn primitive_facts(primitive: &Primitive) -> PrimitiveFacts {
    PrimitiveFacts {
        mode: primitive.mode.name(),
        vertices: primitive.source_vertices,
        triangles: primitive.triangles(),
        material: primitive.material,
        attributes: primitive.attributes.clone(),
        draws: primitive.parts.len(),
        influences: influences(primitive),
    }
}

/// Counts the vertices of the file by their number of joints.
fn influences(primitive: &Primitive) -> Vec<usize> {
    let Some(influences) = &primitive.influences else { return Vec::new() };
    let mut seen = vec![false; primitive.source_vertices as usize];
    let mut counts = Vec::new();
    for vertex in 0..primitive.vertices.len() {
        let source = primitive.source_vertex.as_ref().map_or(vertex, |list| list[vertex] as usize);
        if seen.get_mut(source).is_none_or(|seen| std::mem::replace(seen, true)) {
            continue;
        }
        let weights = influences.of_vertex(vertex).iter().flat_map(|set| set.weights);
        let joints = weights.filter(|weight| *weight > 0.0).count();
        if counts.len() <= joints {
            counts.resize(joints + 1, 0);
        }
        counts[joints] += 1;
    }
    counts
}

fn morph_facts(mesh: &Mesh) -> Vec<MorphFacts> {
    let count = mesh.target_count();
    let fact = |target: usize| MorphFacts {
        name: mesh.target_names.get(target).cloned().unwrap_or_default(),
        default_weight: mesh.weights.get(target).copied().unwrap_or_default(),
    };
    (0..count).map(fact).collect()
}
