//! Tests of `mikktspace`.

use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};

use glam::{Vec2, Vec3};

use super::mikktspace::*;
use rigview_model::Vertex;

fn vertex(position: [f32; 3], normal: [f32; 3]) -> Vertex {
    Vertex { position, normal, tangent: [0.0; 4], uv: [[0.0; 2]; 2], color: [0; 4] }
}

/// A mesh as input of bevy_mikktspace, a translation of the reference implementation.
struct Reference<'a> {
    vertices: &'a [Vertex],
    uvs: &'a [Vec2],
    indices: &'a [u32],
    tangents: Vec<[f32; 4]>,
}

impl Reference<'_> {
    fn index(&self, face: usize, corner: usize) -> usize {
        self.indices[3 * face + corner] as usize
    }
}

impl Geometry for Reference<'_> {
    fn num_faces(&self) -> usize {
        self.indices.len() / 3
    }
    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }
    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.vertices[self.index(face, corner)].position
    }
    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.vertices[self.index(face, corner)].normal
    }
    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        self.uvs[self.index(face, corner)].to_array()
    }
    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, corner: usize) {
        self.tangents[3 * face + corner] = space.map_or([0.0; 4], |space| space.tangent_encoded());
    }
}

/// How many corners differ from the reference by more than a hundredth of a radian, or in their
/// handedness; and how many have a tangent.
fn differing(vertices: &[Vertex], uvs: &[Vec2], indices: &[u32]) -> (usize, usize) {
    let ours = tangents(vertices, uvs, indices);
    let tangents = vec![[0.0; 4]; indices.len()];
    let mut reference = Reference { vertices, uvs, indices, tangents };
    generate_tangents(&mut reference).unwrap();
    let pairs = (0..indices.len()).map(|corner| (ours.at(corner), reference.tangents[corner]));
    let differ = |(a, b): &([f32; 4], [f32; 4])| {
        let [x, y] = [a, b].map(|t| Vec3::new(t[0], t[1], t[2]));
        a[3] != b[3] || (x - y).length() > 0.01
    };
    let some = pairs.clone().filter(|(_, b)| *b != [0.0; 4]).count();
    (pairs.filter(differ).count(), some)
}

/// A bumpy grid of `side` squares per side, modified by `odd`.
fn grid(
    side: usize,
    mut odd: impl FnMut(&mut Vertex, &mut Vec2),
) -> (Vec<Vertex>, Vec<Vec2>, Vec<u32>) {
    let (mut vertices, mut uvs, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..(side + 1) * (side + 1) {
        let [x, y] = [i % (side + 1), i / (side + 1)].map(|n| n as f32 / side as f32);
        let z = 0.2 * (9.0 * x).sin() * (7.0 * y).cos();
        let normal = Vec3::new(-1.8 * (9.0 * x).cos(), 1.4 * (7.0 * y).sin(), 1.0).normalize();
        let (mut v, mut uv) = (vertex([x, y, z], normal.to_array()), Vec2::new(x, y));
        odd(&mut v, &mut uv);
        vertices.push(v);
        uvs.push(uv);
    }
    for i in (0..side).flat_map(|y| (0..side).map(move |x| y * (side + 1) + x)) {
        let [a, b, c, d] = [i, i + 1, i + side + 1, i + side + 2].map(|i| i as u32);
        indices.extend([a, b, d, a, d, c]);
    }
    (vertices, uvs, indices)
}

#[test]
fn a_grid_has_the_references_tangents() {
    let (vertices, uvs, indices) = grid(30, |_, _| ());
    assert_eq!(differing(&vertices, &uvs, &indices), (0, indices.len()));
}

#[test]
fn mirrored_halves_have_tangents_of_their_own() {
    let (vertices, uvs, indices) = grid(30, |_, uv| uv.x = (uv.x - 0.5).abs());
    assert_eq!(differing(&vertices, &uvs, &indices), (0, indices.len()));
    let made = tangents(&vertices, &uvs, &indices);
    let hands: Vec<f32> = (0..indices.len()).map(|corner| made.at(corner)[3]).collect();
    assert!(hands.contains(&1.0) && hands.contains(&-1.0));
}

#[test]
fn triangles_without_area_or_without_texture_have_the_references_tangents() {
    let mut n = 0u32;
    let (vertices, uvs, indices) = grid(40, |v, uv| {
        n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        match n >> 24 {
            0..12 => v.position = [0.5, 0.5, 0.0],
            12..40 => *uv = Vec2::splat(0.25),
            40..60 => uv.y = 0.5,
            60..70 => v.normal = [0.0, 0.0, 1.0],
            _ => {}
        }
    });
    let (off, some) = differing(&vertices, &uvs, &indices);
    assert!(off == 0 && some > indices.len() / 2, "{off} of {some}");
}

/// Meshes at which a search through all for each, or a call for each neighbour, would not end.
#[test]
fn a_vertex_an_edge_and_a_place_are_shared_by_any_number_of_triangles() {
    const MANY: u32 = 200_000;
    let around = |i: u32| {
        let (y, x) = (i as f32 / MANY as f32 * std::f32::consts::TAU).sin_cos();
        vertex([x, y, 0.0], [0.0, 0.0, 1.0])
    };
    let middle = vertex([0.0; 3], [0.0, 0.0, 1.0]);
    let mut vertices: Vec<Vertex> = (0..MANY).map(around).collect();
    vertices.push(middle);
    let uvs: Vec<Vec2> = vertices.iter().map(|v| Vec3::from(v.position).truncate()).collect();
    let fan: Vec<u32> = (0..MANY).flat_map(|i| [MANY, i, (i + 1) % MANY]).collect();
    let one_edge: Vec<u32> = (1..MANY - 1).flat_map(|i| [MANY, 0, i]).collect();
    let no_area: Vec<u32> = (1..MANY).flat_map(|i| [i, MANY, MANY]).chain([0, 1, MANY]).collect();
    let made = tangents(&vertices, &uvs, &fan);
    for corner in 0..fan.len() {
        let [x, y, z, hand] = made.at(corner);
        assert!((Vec3::new(x, y, z) - Vec3::X).length() < 0.01 && hand == 1.0, "{corner}");
    }
    for indices in [one_edge, no_area] {
        assert_eq!(tangents(&vertices, &uvs, &indices).of_corner.len(), indices.len());
    }
}
