//! Cards: flat parts of a surface that is seen from both sides, such as leaves. Their normals are often those of the whole
//! crown, so on some cards they are on the other side of the triangles. A flat part whose normals are those of its plane has a
//! side of its own and is no card.

use std::collections::{HashMap, HashSet};

use glam::Vec3;

use rigview_model::Primitive;
use rigview_model::disjoint_sets::DisjointSets;

/// The least cosine between two triangles of a flat part; leaves are bent a little.
const FLAT: f32 = 0.8;

/// The least cosine between a triangle and normals that are those of its plane.
const OWN: f32 = 0.98;

/// A triangle of a part: its index and its normal.
#[derive(Clone, Copy)]
struct Triangle {
    index: usize,
    face: Vec3,
    /// Whether a normal at a corner is not that of its plane.
    leans: bool,
}

/// Returns the triangles of a primitive that belong to cards. Vertices at one place are one corner.
pub(super) fn card_triangles(primitive: &Primitive) -> HashSet<usize> {
    let mut corner_of: HashMap<[u32; 3], usize> = HashMap::new();
    let mut corners_of: Vec<usize> = Vec::new();
    for index in &primitive.indices {
        // Adding 0 makes -0 the same place.
        let place = primitive.vertices[*index as usize].position.map(|x| (x + 0.0).to_bits());
        let next = corner_of.len();
        corners_of.push(*corner_of.entry(place).or_insert(next));
    }
    let mut sets = DisjointSets::new(corner_of.len());
    for corners in corners_of.chunks_exact(3) {
        corners[1..].iter().for_each(|corner| sets.join(corners[0], *corner));
    }
    let mut parts: HashMap<usize, Vec<Triangle>> = HashMap::new();
    for (index, corners) in primitive.indices.chunks_exact(3).enumerate() {
        let vertices = [corners[0], corners[1], corners[2]];
        let vertices = vertices.map(|corner| &primitive.vertices[corner as usize]);
        let [a, b, c] = vertices.map(|vertex| Vec3::from(vertex.position));
        let Some(face) = (b - a).cross(c - a).try_normalize() else { continue };
        let leans = vertices.iter().any(|v| face.dot(Vec3::from(v.normal)).abs() < OWN);
        let part = parts.entry(sets.root(corners_of[3 * index])).or_default();
        part.push(Triangle { index, face, leans });
    }
    let is_card = |part: &&Vec<Triangle>| {
        let is_flat = part.iter().all(|it| it.face.dot(part[0].face) >= FLAT);
        is_flat && part.iter().any(|it| it.leans)
    };
    parts.values().filter(is_card).flatten().map(|triangle| triangle.index).collect()
}
