//! Meshes whose vertices and triangles are in another order: attributes, moved vertices and lines are compared as in the same order.

use serde_json::{Value, json};

use super::unseen::only;
use super::{Models, distance, floats, kinds};
use crate::support::accessor;

#[derive(Clone, Default)]
struct Mesh {
    places: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    /// The vertices of each triangle.
    triangles: Vec<[u16; 3]>,
}

impl Mesh {
    /// A cube with four vertices per face.
    fn cube() -> Self {
        let mut mesh = Self::default();
        for (axis, side) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
            let first = mesh.places.len() as u16;
            for [u, v] in [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]] {
                let (mut at, mut normal) = ([0.; 3], [0.; 3]);
                (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (side, u, v);
                normal[axis] = side;
                mesh.places.push(at);
                mesh.normals.push(normal);
                mesh.uvs.push([u, v]);
            }
            let quad = [[first, first + 1, first + 2], [first, first + 2, first + 3]];
            mesh.triangles.extend(quad);
        }
        mesh
    }

    /// A sheet of 6 x 6 vertices, whose middle column is there twice: as the right edge of the left half, and the left edge of the
    /// right half.
    fn sheet_with_seam() -> Self {
        let mut mesh = Self::default();
        for half in [0, 1] {
            for (x, y) in (0..4).flat_map(|x| (0..6).map(move |y| (x, y))) {
                let first = mesh.places.len() as u16;
                mesh.places.push([(3 * half + x) as f32, y as f32, 0.]);
                mesh.normals.push([0., 0., 1.]);
                mesh.uvs.push([x as f32 / 3., y as f32 / 5.]);
                if x < 3 && y < 5 {
                    let quad = [[first, first + 6, first + 7], [first, first + 7, first + 1]];
                    mesh.triangles.extend(quad);
                }
            }
        }
        mesh
    }

    /// Puts its vertices and triangles in the opposite order.
    fn reversed(mut self) -> Self {
        let last = self.places.len() as u16 - 1;
        self.places.reverse();
        self.normals.reverse();
        self.uvs.reverse();
        self.triangles.reverse();
        self.triangles.iter_mut().flatten().for_each(|vertex| *vertex = last - *vertex);
        self
    }

    fn put(&self, json: &mut Value) {
        let position = floats(json, "VEC3", self.places.as_flattened());
        let normal = floats(json, "VEC3", self.normals.as_flattened());
        let uv = floats(json, "VEC2", self.uvs.as_flattened());
        let bytes = bytemuck::cast_slice(self.triangles.as_flattened());
        let indices = accessor(json, 5123, "SCALAR", 3 * self.triangles.len(), bytes);
        let attributes = json!({"POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv});
        json["meshes"][0]["name"] = json!("mesh");
        json["meshes"][0]["primitives"][0] =
            json!({"attributes": attributes, "indices": indices, "material": 0});
        json["textures"] = json!([{}]);
        let material = json!({"baseColorTexture": {"index": 0}});
        json["materials"] = json!([{"name": "m", "pbrMetallicRoughness": material}]);
    }
}

/// Returns what `diff` says of a mesh and a changed one whose order is the opposite, from the one to the other and back.
fn both_ways(mesh: &Mesh, changed: &Mesh, code: i32) -> [Value; 2] {
    let models = Models::new();
    models.write("a.gltf", &[], |json| mesh.put(json));
    models.write("b.gltf", &[], |json| changed.clone().reversed().put(json));
    [("a.gltf", "b.gltf"), ("b.gltf", "a.gltf")].map(|(a, b)| models.json(a, b, code))
}

#[test]
fn another_order_alone_is_no_difference() {
    for mesh in [Mesh::cube(), Mesh::sheet_with_seam()] {
        for got in both_ways(&mesh, &mesh, 0) {
            assert_eq!((kinds(&got).len(), distance(&got["rest"])), (0, 0.0), "{got}");
        }
    }
}

/// At each corner of a cube are three vertices, two of which are like the changed one before the change in something else.
#[test]
fn what_changed_at_one_corner_of_a_cube_is_told_alone() {
    let cube = Mesh::cube();
    let mut moved = cube.clone();
    moved.uvs[5][0] += 0.25;
    for got in both_ways(&cube, &moved, 1) {
        let what = only(&got, "uv", "mesh");
        assert!(
            what.starts_with("1 of 24 vertices differ in TEXCOORD_0 by up to 0.2500"),
            "{what}"
        );
    }
    let mut turned = cube.clone();
    turned.normals[9] = turned.normals[9].map(|x| -x);
    for got in both_ways(&cube, &turned, 1) {
        let what = only(&got, "normals", "mesh");
        assert!(what.starts_with("1 of 24 vertices differ in NORMAL by up to 180.0"), "{what}");
    }
}

/// Both sides of the seam have what the other one had.
#[test]
fn exchanged_texture_coordinates_along_a_seam_are_found() {
    let sheet = Mesh::sheet_with_seam();
    let mut exchanged = sheet.clone();
    for y in 0..6 {
        exchanged.uvs.swap(18 + y, 24 + y);
    }
    for got in both_ways(&sheet, &exchanged, 1) {
        let what = only(&got, "uv", "mesh");
        assert!(what.starts_with("12 of 48 vertices differ in TEXCOORD_0 by up to 1.0"), "{what}");
    }
}

/// A vertex that slides along its surface is on it; one that leaves it is measured from its nearest point.
#[test]
fn a_moved_vertex_is_measured_from_the_surface() {
    let sheet = Mesh::sheet_with_seam();
    // Off the surface inside of it and along its seam, one side of which may be torn, and beyond its edge.
    for (vertices, axis) in [(&[7][..], 2), (&[7, 8, 13], 2), (&[18, 24], 2), (&[18], 2), (&[2], 0)]
    {
        let mut moved = sheet.clone();
        vertices.iter().for_each(|vertex| moved.places[*vertex][axis] -= 0.3);
        for got in both_ways(&sheet, &moved, 1) {
            assert!((distance(&got["rest"]) - 0.3).abs() < 1e-4, "{vertices:?} {got}");
            assert_eq!(got["paired"], json!("surface"), "{got}");
        }
    }
}

/// Of a cube, one corner in eight is less than what pairs a mesh by place.
#[test]
fn a_moved_corner_of_a_small_mesh_is_measured_from_where_it_was() {
    let cube = Mesh::cube();
    let mut moved = cube.clone();
    for at in moved.places.iter_mut().filter(|at| **at == [1.; 3]) {
        *at = [1., 1., 1.5];
    }
    for got in both_ways(&cube, &moved, 1) {
        assert!((distance(&got["rest"]) - 0.5).abs() < 1e-6, "{got}");
    }
}

#[test]
fn a_line_between_other_vertices_is_found() {
    let models = Models::new();
    let lines = |name: &str, ends: &[[u16; 2]]| {
        models.write(name, &[], |json| {
            let places = [[0., 0.], [1., 0.], [2., 0.], [0., 1.], [1., 1.], [2., 1.]];
            let places = places.map(|[x, y]: [f32; 2]| [x, y, 0.]);
            let position = floats(json, "VEC3", places.as_flattened());
            let bytes = bytemuck::cast_slice(ends.as_flattened());
            let indices = accessor(json, 5123, "SCALAR", 2 * ends.len(), bytes);
            json["meshes"][0]["name"] = json!("wire");
            json["meshes"][0]["primitives"][0] =
                json!({"attributes": {"POSITION": position}, "indices": indices, "mode": 1});
        });
    };
    lines("a.gltf", &[[0, 3], [1, 4], [2, 5], [0, 2]]);
    lines("same.gltf", &[[5, 2], [2, 0], [0, 3], [4, 1]]);
    lines("other.gltf", &[[0, 3], [1, 4], [2, 5], [0, 4]]);
    for (a, b) in [("a.gltf", "same.gltf"), ("same.gltf", "a.gltf")] {
        assert_eq!(kinds(&models.json(a, b, 0)).len(), 0);
    }
    let got = models.json("a.gltf", "other.gltf", 1);
    let said: Vec<&str> =
        got["structure"].as_array().unwrap().iter().map(|c| c["what"].as_str().unwrap()).collect();
    let missing = "1 of 4 lines are missing: nothing is at their place; the first one is line 3";
    let new = "1 of 4 lines are new: nothing was at their place; the first one is line 3 of the new \
               file";
    assert_eq!((kinds(&got), said), (vec!["mesh"; 2], vec![missing, new]), "{got}");
}

/// Of a long strip, the first column is gone and another one follows the last: scaled to one box, all vertices would have a
/// partner, which is the next one.
#[test]
fn vertices_at_their_place_do_not_become_others_because_a_few_more_would_have_partners() {
    let models = Models::new();
    let strip = |first: u16| {
        let mut mesh = Mesh::default();
        for (column, row) in (0..201).flat_map(|column| [(column, 0.), (column, 1.)]) {
            let x = f32::from(first + column);
            mesh.places.push([x, row, 0.]);
            mesh.normals.push([0., 0., 1.]);
            mesh.uvs.push([x / 202., row]);
            if row == 0. && column < 200 {
                let at = 2 * column;
                mesh.triangles.extend([[at, at + 2, at + 1], [at + 1, at + 2, at + 3]]);
            }
        }
        mesh
    };
    models.write("a.gltf", &[], |json| strip(0).put(json));
    models.write("b.gltf", &[], |json| strip(1).reversed().put(json));
    let got = models.json("a.gltf", "b.gltf", 1);
    assert!((distance(&got["rest"]) - 1.0).abs() < 1e-5, "{got}");
    assert!(!kinds(&got).contains(&"uv"), "{got}");
}
