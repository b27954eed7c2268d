//! Tangents by MikkTSpace, for primitives without TANGENT.
//!
//! The algorithm computes a tangent for every corner of a triangle. A vertex whose corners have
//! different tangents, as on the seam of a mirrored texture, is duplicated.

use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};
use glam::{Affine2, Vec2, Vec3};
use hashbrown::HashMap;

use super::accessor::Accessors;
use super::fault::{ImportError, Warnings};
use super::influences::Bindings;
use super::morph;
use rigview_document::At;
use rigview_model::{Primitive, TextureRef, Topology, Vertex, WarningCode};

/// Corners of a vertex share a tangent if the cosine between theirs is greater.
const SAME: f32 = 0.9999;

/// Limit for the tangents of one vertex, since each new one is compared with all others. Further
/// corners, in meshes with fragmented texture coordinates, use the last one.
const MOST: usize = 64;

/// Limit for the triangles that tangents are computed for.
const MOST_TRIANGLES: usize = 2 << 20;

/// Limit for the triangles at one vertex, since the algorithm calls itself for each and compares each with each. The caps of
/// cylinders have as many triangles at their middle as the cylinder has sides.
const MOST_AT_A_VERTEX: u32 = 512;

/// Adds tangents along the U axis of a texture's coordinates. Does nothing for a primitive that has
/// tangents, or that lacks triangles, normals or the coordinates; the shader then derives a frame
/// from the screen-space derivatives of the coordinates.
pub(super) fn add(
    at: &At,
    primitive: &mut Primitive,
    bindings: Option<&mut Bindings>,
    map: &TextureRef,
    accessors: &Accessors,
    warnings: &mut Warnings,
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
    if is_crowded(&primitive.vertices, &primitive.indices, map.uv_set as usize) {
        let message = format!(
            "it has more than {MOST_TRIANGLES} triangles, or {MOST_AT_A_VERTEX} at a vertex: no tangents are computed"
        );
        warnings.add_at(at, WarningCode::TangentsLeftOut, message);
        return Ok(());
    }
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
/// direction has the tangent zero, and all have it if there are too many triangles.
///
/// # Panics
/// When an index is out of range.
pub fn add_tangents(
    vertices: &mut Vec<Vertex>,
    indices: &mut [u32],
    uv_set: usize,
    transform: Affine2,
) -> Vec<u32> {
    if is_crowded(vertices, indices, uv_set) {
        return Vec::new();
    }
    // Flips V: green points up in normal maps, V points down in glTF.
    let uv = |vertex: &Vertex| {
        let uv = transform.transform_point2(Vec2::from(vertex.uv[uv_set]));
        [uv.x + 0.0, 1.0 - uv.y + 0.0]
    };
    let uvs = vertices.iter().map(uv).collect();
    let corners = sound_corners(vertices, indices);
    let tangents = vec![[0.0; 4]; corners.len()];
    let mut triangles = Triangles { vertices, indices, uvs, corners, tangents };
    if generate_tangents(&mut triangles).is_err() {
        return Vec::new();
    }
    let Triangles { corners, tangents, .. } = triangles;
    share(vertices, indices, &corners, &tangents)
}

/// Whether a mesh has more triangles than tangents are computed for, altogether or at one vertex.
fn is_crowded(vertices: &[Vertex], indices: &[u32], uv_set: usize) -> bool {
    if indices.len() / 3 > MOST_TRIANGLES {
        return true;
    }
    // Vertices that are equal are one to the algorithm.
    let mut counts: HashMap<[u32; 8], u32> = HashMap::with_capacity(vertices.len());
    indices.iter().any(|index| {
        let Vertex { position: [x, y, z], normal: [a, b, c], uv, .. } = vertices[*index as usize];
        let [u, v] = uv[uv_set];
        // Maps -0 to 0.
        let count =
            counts.entry([x, y, z, a, b, c, u, v].map(|x| (x + 0.0).to_bits())).or_default();
        *count += 1;
        *count > MOST_AT_A_VERTEX
    })
}

/// Returns the corners of the triangles whose corners are at three places, as indices into the list of corners. The
/// others have no direction, and the algorithm takes quadratic time for them.
fn sound_corners(vertices: &[Vertex], indices: &[u32]) -> Vec<u32> {
    let place = |corner: usize| vertices[indices[corner] as usize].position;
    let is_sound = |first: &usize| {
        let [a, b, c] = [0, 1, 2].map(|k| place(first + k));
        a != b && b != c && c != a
    };
    let firsts = (0..indices.len() / 3 * 3).step_by(3).filter(is_sound);
    firsts.flat_map(|first| [first, first + 1, first + 2].map(|corner| corner as u32)).collect()
}

/// Triangles, as input and output of the algorithm.
struct Triangles<'a> {
    vertices: &'a [Vertex],
    indices: &'a [u32],
    /// Texture coordinates by vertex.
    uvs: Vec<[f32; 2]>,
    /// Indices into `indices`, three per triangle.
    corners: Vec<u32>,
    /// By corner.
    tangents: Vec<[f32; 4]>,
}

impl Triangles<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.indices[self.corners[3 * face + corner] as usize] as usize
    }
}

impl Geometry for Triangles<'_> {
    fn num_faces(&self) -> usize {
        self.corners.len() / 3
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        // Maps -0 to 0, which are different vertices to the algorithm.
        self.vertices[self.vertex(face, corner)].position.map(|x| x + 0.0)
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.vertices[self.vertex(face, corner)].normal.map(|x| x + 0.0)
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        self.uvs[self.vertex(face, corner)]
    }

    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, corner: usize) {
        // A corner whose texture has no direction has none.
        if let Some(space) = space {
            self.tangents[3 * face + corner] = space.tangent_encoded();
        }
    }
}

/// Assigns each vertex the tangent of its corners and appends copies of vertices whose corners
/// differ. Returns the source vertex of each copy.
fn share(
    vertices: &mut Vec<Vertex>,
    indices: &mut [u32],
    corners: &[u32],
    tangents: &[[f32; 4]],
) -> Vec<u32> {
    let before = vertices.len();
    // By vertex: its next copy.
    let mut next: Vec<Option<u32>> = vec![None; before];
    let mut taken = vec![false; before];
    let mut sources = Vec::new();
    for (corner, tangent) in corners.iter().zip(tangents) {
        let (index, tangent) = (&mut indices[*corner as usize], *tangent);
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

    /// A grid of squares of two triangles each, and whose texture coordinates `uv` gives.
    fn grid(side: usize, uv: impl Fn([f32; 2]) -> [f32; 2]) -> (Vec<Vertex>, Vec<u32>) {
        let at = |i: usize| {
            let [x, y] = [i % (side + 1), i / (side + 1)].map(|n| n as f32 / side as f32);
            Vertex { position: [x, y, 0.0], uv: [uv([x, y]), [0.0; 2]], ..vertex(0.0) }
        };
        let squares = (0..side).flat_map(|y| (0..side).map(move |x| y * (side + 1) + x));
        let corners = squares.flat_map(|i| {
            let [a, b, c, d] = [i, i + 1, i + side + 1, i + side + 2].map(|i| i as u32);
            [a, b, d, a, d, c]
        });
        ((0..(side + 1) * (side + 1)).map(at).collect(), corners.collect())
    }

    #[test]
    fn tangents_follow_u_and_are_copied_where_the_texture_is_mirrored() {
        let (mut vertices, mut indices) = grid(4, |[x, y]| [(x - 0.5).abs(), y]);
        let sources = add_tangents(&mut vertices, &mut indices, 0, Affine2::IDENTITY);
        // The column in the middle belongs to both halves.
        assert_eq!(sources.len(), 5);
        for corners in indices.chunks_exact(3) {
            let of = |index: &u32| vertices[*index as usize];
            let middle: f32 = corners.iter().map(|i| of(i).position[0]).sum::<f32>() / 3.0;
            let expected = (middle - 0.5).signum();
            for corner in corners {
                let [x, y, z, w] = of(corner).tangent;
                assert!((x - expected).abs() + y.abs() + z.abs() < 1e-6, "{x} {y} {z}");
                assert_eq!(w, -expected);
            }
        }
    }

    #[test]
    fn vertices_without_a_direction_have_the_tangent_zero() {
        let (mut vertices, mut indices) = grid(2, |_| [0.25; 2]);
        assert!(add_tangents(&mut vertices, &mut indices, 0, Affine2::IDENTITY).is_empty());
        assert!(vertices.iter().all(|vertex| vertex.tangent == [0.0; 4]));
        // A triangle without an area takes nothing from the others.
        let (mut vertices, mut indices) = grid(2, |uv| uv);
        indices.extend([0, 0, 1]);
        add_tangents(&mut vertices, &mut indices, 0, Affine2::IDENTITY);
        assert!(vertices.iter().all(|vertex| vertex.tangent[0] == 1.0));
    }

    /// The algorithm calls itself for each further triangle at a vertex, and compares each with each.
    #[test]
    fn triangles_around_one_vertex_are_limited() {
        let fan = |count: u32| {
            let around = |i: u32| {
                let (y, x) = (i as f32 / count as f32 * std::f32::consts::TAU).sin_cos();
                Vertex { position: [x, y, 0.0], uv: [[x, y], [0.0; 2]], ..vertex(0.0) }
            };
            let vertices: Vec<Vertex> = (0..count).map(around).chain([vertex(0.0)]).collect();
            let indices: Vec<u32> = (0..count).flat_map(|i| [count, i, (i + 1) % count]).collect();
            (vertices, indices)
        };
        for (count, is_tangent) in [(MOST_AT_A_VERTEX, true), (200_000, false)] {
            let (mut vertices, mut indices) = fan(count);
            assert!(add_tangents(&mut vertices, &mut indices, 0, Affine2::IDENTITY).is_empty());
            assert_eq!(vertices[count as usize].tangent != [0.0; 4], is_tangent, "{count}");
        }
        // Vertices that are equal count as one.
        let (vertices, indices) = fan(1000);
        let apart: Vec<Vertex> = indices.iter().map(|i| vertices[*i as usize]).collect();
        let own: Vec<u32> = (0..apart.len() as u32).collect();
        assert!(is_crowded(&apart, &own, 0) && is_crowded(&vertices, &indices, 0));
    }

    #[test]
    fn a_vertex_is_copied_once_per_further_tangent() {
        let (x, y, flipped) = ([1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0]);
        let mut vertices = vec![vertex(0.0), vertex(0.0)];
        let mut indices = [0, 1, 0, 0, 1, 0];
        let tangents = [x, x, y, x, flipped, y];
        let sources = share(&mut vertices, &mut indices, &[0, 1, 2, 3, 4, 5], &tangents);
        assert_eq!(sources, [0, 1]);
        assert_eq!(indices, [0, 1, 2, 0, 3, 2]);
        let tangents: Vec<_> = vertices.iter().map(|v| v.tangent).collect();
        assert_eq!(tangents, [x, x, y, flipped]);
    }

    #[test]
    fn the_copies_of_a_vertex_are_limited() {
        const CORNERS: usize = 300_000;
        let way = |i: usize| (i as f32 / CORNERS as f32 * std::f32::consts::TAU).sin_cos();
        let tangents: Vec<_> = (0..CORNERS).map(way).map(|(y, x)| [x, y, 0.0, 1.0]).collect();
        let (mut vertices, mut indices) = (vec![vertex(0.0)], vec![0; CORNERS]);
        let corners: Vec<u32> = (0..CORNERS as u32).collect();
        let sources = share(&mut vertices, &mut indices, &corners, &tangents);
        assert!((64..=MOST).contains(&sources.len()), "{}", sources.len());
        assert!(indices.iter().all(|i| (*i as usize) < vertices.len()));
    }
}
