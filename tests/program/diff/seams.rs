//! Vertices that share a place with others: what changes of one of them is found in both directions.

use serde_json::{Value, json};

use super::{Models, distance, floats, kinds};
use crate::support::{Glb, checkout};

/// The corners of a square without indices. Two of them are there twice.
const PLACES: [[f32; 3]; 6] =
    [[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., -1., 0.], [1., 1., 0.], [-1., 1., 0.]];

/// A square, with texture coordinates and a morph target.
struct Square {
    places: [[f32; 3]; 6],
    uvs: [[f32; 2]; 6],
    deltas: [[f32; 3]; 6],
}

impl Square {
    fn new() -> Self {
        Self { places: PLACES, uvs: PLACES.map(|[x, y, _]| [x, y]), deltas: [[0., 0., 1.]; 6] }
    }

    /// Puts its second triangle first.
    fn reordered(mut self) -> Self {
        self.places.rotate_left(3);
        self.uvs.rotate_left(3);
        self.deltas.rotate_left(3);
        self
    }

    fn put(&self, json: &mut Value) {
        let positions = floats(json, "VEC3", self.places.as_flattened());
        let uvs = floats(json, "VEC2", self.uvs.as_flattened());
        let deltas = floats(json, "VEC3", self.deltas.as_flattened());
        json["meshes"][0]["primitives"] = json!([{
            "attributes": {"POSITION": positions, "TEXCOORD_0": uvs},
            "targets": [{"POSITION": deltas}],
        }]);
    }
}

/// Returns what `diff` says of the square and a changed one, from the one to the other and back.
fn both_ways(changed: Square, code: i32) -> [Value; 2] {
    let models = Models::new();
    models.write("a.gltf", &[], |json| Square::new().put(json));
    models.write("b.gltf", &[], |json| changed.put(json));
    [("a.gltf", "b.gltf"), ("b.gltf", "a.gltf")].map(|(a, b)| models.json(a, b, code))
}

#[test]
fn the_same_corners_in_another_order_are_equal() {
    for got in both_ways(Square::new().reordered(), 0) {
        assert_eq!(kinds(&got).len(), 0, "{got}");
    }
}

#[test]
fn a_torn_seam_is_as_wide_as_it_is() {
    let mut torn = Square::new();
    // Along the surface, which is nearer than the vertex of that index.
    torn.places[3][0] += 0.02;
    for got in both_ways(torn, 1) {
        assert!((distance(&got["rest"]) - 0.02).abs() < 1e-6, "{got}");
        assert_eq!(kinds(&got).len(), 0, "{got}");
    }
}

#[test]
fn one_of_two_corners_at_a_place_may_have_other_texture_coordinates() {
    for place in [0, 3, 4] {
        let mut moved = Square::new();
        moved.uvs[place][0] *= 0.7;
        for got in both_ways(moved.reordered(), 1) {
            assert_eq!(kinds(&got), ["uv"], "{got}");
            let what = got["structure"][0]["what"].as_str().unwrap();
            assert!(what.starts_with("1 of 6 vertices"), "{what}");
        }
    }
}

#[test]
fn one_of_two_corners_at_a_place_may_move_otherwise_in_a_morph_target() {
    for place in [0, 3, 4] {
        let mut moved = Square::new();
        moved.deltas[place][2] += 0.05;
        for got in both_ways(moved, 1) {
            assert_eq!(kinds(&got), ["mesh"], "{got}");
            let what = got["structure"][0]["what"].as_str().unwrap();
            assert!(what.contains(" moves 1 of ") && what.contains("50.000 mm"), "{what}");
        }
    }
}

/// A rig in centimetres below a root that scales it down looks the same.
#[test]
fn another_unit_below_the_root_is_no_change_of_bind_matrices() {
    let models = Models::new();
    let creature = checkout().join("assets/creature.glb");
    let mut glb = Glb::read(&creature);
    let skin = glb.json["skins"][0].clone();
    let matrices = glb.place(&skin["inverseBindMatrices"]);
    let joints: Vec<usize> =
        skin["joints"].as_array().unwrap().iter().map(|j| j.as_u64().unwrap() as usize).collect();
    // Joints have another unit; the mesh keeps its own.
    let numbers: Vec<f32> = bytemuck::pod_collect_to_vec(&glb.bin[matrices.clone()]);
    let scaled = numbers.iter().enumerate();
    let scaled = scaled.map(|(i, x)| if i % 4 == 3 { *x } else { 100.0 * x });
    let scaled: Vec<f32> = scaled.collect();
    glb.bin[matrices].copy_from_slice(bytemuck::cast_slice(&scaled));
    let parents: Vec<usize> = {
        let nodes = glb.json["nodes"].as_array().unwrap();
        let is_parent = |node: &Value, joint: usize| {
            node["children"].as_array().is_some_and(|list| list.contains(&json!(joint)))
        };
        let parent = |joint: &usize| nodes.iter().position(|node| is_parent(node, *joint));
        joints.iter().filter_map(parent).collect()
    };
    for (joint, parent) in joints.iter().zip(&parents) {
        let node = &mut glb.json["nodes"][*joint];
        let is_top = !joints.contains(parent);
        if is_top {
            node["scale"] = json!([0.01, 0.01, 0.01]);
        } else if let Some(list) = node["translation"].as_array_mut() {
            list.iter_mut().for_each(|x| *x = json!(100.0 * x.as_f64().unwrap()));
        }
    }
    glb.json.as_object_mut().unwrap().remove("animations");
    glb.write(&models.path("unit.glb"));
    let mut plain = Glb::read(&creature);
    plain.json.as_object_mut().unwrap().remove("animations");
    plain.write(&models.path("plain.glb"));
    let run = models.diff("plain.glb", "unit.glb", &["--json"]);
    let got: Value = serde_json::from_str(run.text()).unwrap();
    assert!(distance(&got["rest"]) < 1e-5, "{got}");
    assert!(!kinds(&got).contains(&"bind"), "{got}");
}

/// A joint that is scaled at rest has the bind matrix that it had.
#[test]
fn another_scale_of_a_joint_at_rest_is_no_change_of_bind_matrices() {
    let models = Models::new();
    let creature = checkout().join("assets/creature.glb");
    let mut glb = Glb::read(&creature);
    glb.node("head")["scale"] = json!([1.5, 1.5, 1.5]);
    glb.write(&models.path("scaled.glb"));
    std::fs::copy(creature, models.path("plain.glb")).unwrap();
    let got = models.json("plain.glb", "scaled.glb", 1);
    assert!(distance(&got["rest"]) > 0.01, "{got}");
    assert!(!kinds(&got).contains(&"bind"), "{got}");
}
