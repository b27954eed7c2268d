//! All vertices of a node's mesh with their joints and weights, for a table.

use rigview_model::{Model, PalettePart, Primitive};

/// A vertex of a node's mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexRow {
    /// The primitive of the node's mesh.
    pub primitive: usize,
    /// Its index in the file.
    pub vertex: u32,
    /// The number of joints that move it.
    pub joints: u32,
    /// The sum of the weights as the file has them.
    pub sum: f32,
    /// The largest weight, of weights that sum to 1.
    pub largest: f32,
}

/// Lists the vertices of a node's mesh that the model kept, primitive by primitive, by their indices in the file.
pub fn vertex_rows(model: &Model, node: usize) -> Vec<VertexRow> {
    let mesh = model.nodes.get(node).and_then(|node| node.mesh);
    let primitives = mesh.map_or(&[][..], |mesh| &model.meshes[mesh].primitives);
    let mut rows = Vec::new();
    for (index, primitive) in primitives.iter().enumerate() {
        let first = rows.len();
        let mut seen = vec![false; primitive.source_vertices as usize];
        for part in &primitive.parts {
            for vertex in part.vertices.clone() {
                let in_file = primitive.index_in_file(vertex);
                // What was split has several vertices with the same weights.
                let known = seen.get_mut(in_file as usize);
                if known.is_none_or(|known| std::mem::replace(known, true)) {
                    continue;
                }
                let weights = || weights_of(primitive, part, vertex);
                let is_bound = weights().next().is_some();
                let sum = primitive.weight_sums.get(in_file as usize).copied().unwrap_or(1.0);
                rows.push(VertexRow {
                    primitive: index,
                    vertex: in_file,
                    joints: weights().count() as u32,
                    sum: if is_bound { sum } else { 0.0 },
                    largest: weights().map(|(_, weight)| weight).fold(0.0, f32::max),
                });
            }
        }
        rows[first..].sort_unstable_by_key(|row| row.vertex);
    }
    rows
}

/// Returns the joints of a vertex, as nodes, with their weights as the file has them; the largest weight comes first.
pub fn vertex_weights(model: &Model, node: usize, row: &VertexRow) -> Vec<(usize, f32)> {
    let found = || {
        let node = model.nodes.get(node)?;
        let skin = &model.skins[node.skin?];
        let primitive = model.meshes[node.mesh?].primitives.get(row.primitive)?;
        let vertex = primitive.vertex_of_file(row.vertex)?;
        let part = primitive.parts.iter().find(|part| part.vertices.contains(&vertex))?;
        let weights = weights_of(primitive, part, vertex);
        let of_node = |(joint, weight): (u16, f32)| {
            (skin.joints[usize::from(joint)] as usize, weight * row.sum)
        };
        Some(weights.map(of_node).collect())
    };
    let mut weights: Vec<(usize, f32)> = found().unwrap_or_default();
    weights.sort_by(|a, b| b.1.total_cmp(&a.1));
    weights
}

/// Returns the joints of a vertex of the model, by their place in the skin, with the weights that are not 0.
fn weights_of<'a>(
    primitive: &'a Primitive,
    part: &'a PalettePart,
    vertex: u32,
) -> impl Iterator<Item = (u16, f32)> + 'a {
    let influences = primitive.influences.as_ref();
    let sets = influences.map_or(&[][..], |influences| influences.of_vertex(vertex as usize));
    sets.iter().flat_map(|set| set.joints.into_iter().zip(set.weights)).filter_map(
        |(joint, weight)| {
            let joint = part.joints.get(usize::from(joint)).filter(|_| weight > 0.0)?;
            Some((*joint, weight))
        },
    )
}
