//! Tangents by MikkTSpace, for primitives without TANGENT.
//!
//! The algorithm computes a tangent for every corner of a triangle. A vertex whose corners have
//! different tangents, as on the seam of a mirrored texture, is duplicated.

use glam::{Affine2, Vec2, Vec3};

use super::accessor::Accessors;
use super::fault::ImportError;
use super::influences::Bindings;
use super::mikktspace::{self, Tangents};
use super::morph;
use rigview_document::At;
use rigview_model::{Primitive, TextureRef, Topology, Vertex};

/// Corners of a vertex share a tangent if the cosine between theirs is greater.
const SAME: f32 = 0.9999;

/// Limit for the tangents of one vertex, since each new one is compared with all others. Further
/// corners, in meshes with fragmented texture coordinates, use the last one.
const MOST: usize = 64;

/// Adds tangents along the U axis of a texture's coordinates. Does nothing for a primitive that has
/// tangents, or that lacks triangles, normals or the coordinates; the shader then derives a frame
/// from the screen-space derivatives of the coordinates.
pub(super) fn add(
    at: &At,
    primitive: &mut Primitive,
    bindings: Option<&mut Bindings>,
    map: &TextureRef,
    accessors: &Accessors,
) -> Result<(), ImportError> {
    let has = |name: &str| primitive.attributes.iter().any(|a| a == name);
    if primitive.mode.topology() != Topology::Triangles
        || !has("NORMAL")
        || has("TANGENT")
        || !has(&format!("TEXCOORD_{}", map.uv_set))
    {
        return Ok(());
    }
    accessors.charge(at, primitive.indices.len(), size_of::<[f32; 4]>())?;
    let (set, transform) = (map.uv_set as usize, map.transform.matrix());
    let sources = add_tangents(&mut primitive.vertices, &mut primitive.indices, set, transform);
    let all = primitive.vertices.len() as u32;
    if sources.is_empty() {
        return Ok(());
    }
    // All original vertices, then the copies.
    let sources: Vec<u32> = (0..all - sources.len() as u32).chain(sources).collect();
    let deltas = morph::bytes_a_vertex(&primitive.targets);
    accessors.charge(at, sources.len(), size_of::<Vertex>() + deltas)?;
    morph::renumber(&mut primitive.targets, &sources);
    if let Some(bindings) = bindings {
        let sets = bindings.sets;
        bindings.list = sources
            .iter()
            .flat_map(|source| &bindings.list[*source as usize * sets..][..sets])
            .copied()
            .collect();
    }
    primitive.parts[0].vertices = 0..all;
    primitive.source_vertex = Some(sources);
    Ok(())
}

/// Gives the vertices of triangles tangents along the U axis of a set of texture coordinates. A vertex whose corners have
/// different tangents is copied to the end of the list; returns the source vertex of each copy. A vertex without a
/// direction has the tangent zero.
///
/// # Panics
/// When an index is out of range.
pub fn add_tangents(
    vertices: &mut Vec<Vertex>,
    indices: &mut [u32],
    uv_set: usize,
    transform: Affine2,
) -> Vec<u32> {
    // Flips V: green points up in normal maps, V points down in glTF.
    let uv = |vertex: &Vertex| {
        let uv = transform.transform_point2(Vec2::from(vertex.uv[uv_set]));
        Vec2::new(uv.x, 1.0 - uv.y)
    };
    let uvs: Vec<Vec2> = vertices.iter().map(uv).collect();
    let tangents = mikktspace::tangents(vertices, &uvs, indices);
    share(vertices, indices, &tangents)
}

/// Assigns each vertex the tangent of its corners and appends copies of vertices whose corners
/// differ. Returns the source vertex of each copy.
fn share(vertices: &mut Vec<Vertex>, indices: &mut [u32], tangents: &Tangents) -> Vec<u32> {
    let before = vertices.len();
    // By vertex: its next copy.
    let mut next: Vec<Option<u32>> = vec![None; before];
    let mut taken = vec![false; before];
    let mut sources = Vec::new();
    for (corner, index) in indices.iter_mut().enumerate() {
        let tangent = tangents.at(corner);
        let source = *index;
        let mut at = source as usize;
        for _ in 0..MOST {
            if !taken[at] {
                taken[at] = true;
                vertices[at].tangent = tangent;
            }
            if is_same(vertices[at].tangent, tangent) {
                break;
            }
            at = match next[at] {
                Some(copy) => copy as usize,
                None => {
                    let copy = vertices.len();
                    vertices.push(Vertex { tangent, ..vertices[at] });
                    next[at] = Some(copy as u32);
                    next.push(None);
                    taken.push(true);
                    sources.push(source);
                    copy
                }
            };
        }
        *index = at as u32;
    }
    sources
}

fn is_same(a: [f32; 4], b: [f32; 4]) -> bool {
    let direction = |t: [f32; 4]| Vec3::new(t[0], t[1], t[2]);
    a == b || (a[3] == b[3] && direction(a).dot(direction(b)) > SAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(tangent: f32) -> Vertex {
        let tangent = [0.0, 0.0, 0.0, tangent];
        Vertex {
            position: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
            tangent,
            uv: [[0.0; 2]; 2],
            color: [0; 4],
        }
    }

    #[test]
    fn a_vertex_is_copied_once_per_further_tangent() {
        let (x, y, flipped) = ([1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0]);
        let mut vertices = vec![vertex(0.0), vertex(0.0)];
        let mut indices = [0, 1, 0, 0, 1, 0];
        let of_corner = vec![0, 0, 1, 0, 2, 1];
        let tangents = Tangents { list: vec![x, y, flipped], of_corner };
        let sources = share(&mut vertices, &mut indices, &tangents);
        assert_eq!(sources, [0, 1]);
        assert_eq!(indices, [0, 1, 2, 0, 3, 2]);
        let tangents: Vec<_> = vertices.iter().map(|v| v.tangent).collect();
        assert_eq!(tangents, [x, x, y, flipped]);
    }

    #[test]
    fn the_copies_of_a_vertex_are_limited() {
        const CORNERS: usize = 300_000;
        let way = |i: usize| (i as f32 / CORNERS as f32 * std::f32::consts::TAU).sin_cos();
        let list = (0..CORNERS).map(way).map(|(y, x)| [x, y, 0.0, 1.0]).collect();
        let tangents = Tangents { list, of_corner: (0..CORNERS as u32).collect() };
        let (mut vertices, mut indices) = (vec![vertex(0.0)], vec![0; CORNERS]);
        let sources = share(&mut vertices, &mut indices, &tangents);
        assert!((64..=MOST).contains(&sources.len()), "{}", sources.len());
        assert!(indices.iter().all(|i| (*i as usize) < vertices.len()));
    }
}
