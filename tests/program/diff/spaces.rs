//! Meshes and rigs in other spaces: turned or mirrored meshes, other bone rolls, clips without meshes, and the motion of roots.

use serde_json::{Value, json};

use super::unseen::only;
use super::{Models, distance, floats, keys, kinds};
use crate::support::{accessor, view};

/// Places and normals of the square, which faces Z.
const CORNERS: [[f32; 3]; 4] = [[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.]];
const FRONT: [[f32; 3]; 4] = [[0., 0., 1.]; 4];

/// A quarter turn about X, which takes Y to Z.
const QUARTER: [f32; 4] =
    [std::f32::consts::FRAC_1_SQRT_2, 0., 0., std::f32::consts::FRAC_1_SQRT_2];

/// Replaces places, normals and tangents of the square.
fn square(json: &mut Value, corners: [[f32; 3]; 4], normals: [[f32; 3]; 4], tangent: [f32; 4]) {
    let of = |json: &mut Value, list: [[f32; 3]; 4]| floats(json, "VEC3", &list.concat());
    let (corners, normals) = (of(json, corners), of(json, normals));
    let tangents = floats(json, "VEC4", &tangent.repeat(4));
    let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
    *attributes = json!({"POSITION": corners, "NORMAL": normals, "TANGENT": tangents});
    json["meshes"][0]["name"] = json!("quad");
}

/// The rotation of a node is applied to the places of the mesh; the directions have to follow.
#[test]
fn directions_of_a_turned_mesh_are_compared_in_the_scene() {
    let models = Models::new();
    models.write("a.gltf", &[], |json| square(json, CORNERS, FRONT, [0., 1., 0., 1.]));
    // The inverse of the quarter turn takes Y to -Z, and Z to Y.
    let turned = CORNERS.map(|[x, y, z]| [x, z, -y]);
    let with = |name: &str, normal: [f32; 3], tangent: [f32; 4]| {
        models.write(name, &[], |json| {
            square(json, turned, [normal; 4], tangent);
            json["nodes"][0]["rotation"] = json!(QUARTER);
        });
    };
    with("turned.gltf", [0., 1., 0.], [0., 0., -1., 1.]);
    let got = models.json("a.gltf", "turned.gltf", 0);
    assert!(distance(&got["rest"]) < 1e-6, "{got}");
    with("normals.gltf", [0., 0., 1.], [0., 0., -1., 1.]);
    let what = models.json("a.gltf", "normals.gltf", 1);
    let what = only(&what, "normals", "quad");
    assert!(what.starts_with("4 of 4 vertices differ in NORMAL by up to 90.0 degrees"), "{what}");
    with("tangents.gltf", [0., 1., 0.], [0., 1., 0., 1.]);
    let what = models.json("a.gltf", "tangents.gltf", 1);
    let what = only(&what, "tangents", "quad");
    assert!(what.starts_with("4 of 4 vertices differ in TANGENT by up to 90.0 degrees"), "{what}");
}

/// A node with a negative scale draws the other side of a triangle, unless its corners are in another order.
#[test]
fn triangles_wind_as_they_are_drawn() {
    let models = Models::new();
    // Beside the axis, so that the mirrored mesh lies elsewhere.
    let beside = |json: &mut Value, sign: f32| {
        json["meshes"][0]["name"] = json!("quad");
        let corners = CORNERS.map(|[x, y, z]| [sign * (x + 3.0), y, z]).concat();
        let corners = floats(json, "VEC3", &corners);
        json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(corners);
    };
    models.write("a.gltf", &[], |json| beside(json, 1.0));
    let with = |name: &str, indices: [u16; 6]| {
        models.write(name, &[], |json| {
            beside(json, -1.0);
            let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
            json["accessors"][1]["bufferView"] = json!(view(json, &bytes));
            json["nodes"][0]["scale"] = json!([-1, 1, 1]);
        });
    };
    with("applied.gltf", [0, 2, 1, 0, 3, 2]);
    with("inside_out.gltf", [0, 1, 2, 0, 2, 3]);
    models.json("a.gltf", "applied.gltf", 0);
    let got = models.json("a.gltf", "inside_out.gltf", 1);
    let what = only(&got, "winding", "quad");
    assert!(what.starts_with("2 of 2 triangles wind the other way"), "{what}");
}

/// Two joints below a root; `right` is a child of `left`. The skin has the root first.
fn skinned(json: &mut Value) {
    let joints = accessor(json, 5121, "VEC4", 4, &[1, 2, 0, 0].repeat(4));
    let weights = [[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 1., 0., 0.], [1., 0., 0., 0.]].concat();
    let weights = floats(json, "VEC4", &weights);
    let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
    (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (json!(joints), json!(weights));
    json["nodes"] = json!([{"name": "square", "mesh": 0, "skin": 0},
        {"name": "root", "children": [2]}, {"name": "left", "children": [3]}, {"name": "right"}]);
    json["scenes"][0]["nodes"] = json!([0, 1]);
    json["skins"] = json!([{"name": "rig", "joints": [1, 2, 3]}]);
}

/// Another roll of a bone turns its rest and its bind matrix against each other.
#[test]
fn a_bind_matrix_that_the_rest_makes_up_for_moves_no_vertices() {
    let models = Models::new();
    models.write("a.gltf", &[], skinned);
    let with = |name: &str, rest: [f32; 4]| {
        models.write(name, &[], |json| {
            skinned(json);
            json["nodes"][3]["rotation"] = json!(rest);
            let one = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
            // The inverse of the quarter turn.
            let back = [1., 0., 0., 0., 0., 0., -1., 0., 0., 1., 0., 0., 0., 0., 0., 1.];
            let matrices = floats(json, "MAT4", &[one, one, back].concat());
            json["skins"][0]["inverseBindMatrices"] = json!(matrices);
        });
    };
    for (name, rest, expected, other) in [
        ("rolled.gltf", QUARTER, "its rest transform makes up for that", "in every pose"),
        ("bound.gltf", [0., 0., 0., 1.], "in every pose", "makes up"),
    ] {
        with(name, rest);
        let got = models.json("a.gltf", name, 1);
        let what = only(&got, "bind", "right");
        assert!(what.contains("90.000 degrees") && what.contains(expected), "{what}");
        assert!(!what.contains(other), "{what}");
    }
}

/// The origins of a chain do not show how its last joint is turned, nor a neck that turns about itself.
#[test]
fn the_end_of_a_chain_without_a_mesh_is_compared_in_its_direction_and_scale() {
    let models = Models::new();
    let with = |name: &str, turned: usize, key: [f32; 4], head: Value| {
        models.write(name, &["Nod"], |json| {
            keys(json, "rotation", "LINEAR", &[0., 1.], &[[0., 0., 0., 1.], key].concat());
            json["animations"][0]["channels"][0]["target"]["node"] = json!(turned);
            json.as_object_mut().unwrap().remove("meshes");
            json["nodes"] = json!([{"name": "root", "children": [1]},
                {"name": "neck", "translation": [0, 1, 0], "children": [2]}, head]);
            json["nodes"][2]["name"] = json!("head");
            json["nodes"][2]["translation"] = json!([0, 1, 0]);
        });
    };
    let still = [0., 0., 0., 1.];
    with("a.gltf", 2, still, json!({}));
    with("nods.gltf", 2, [0.5, 0., 0., 0.75f32.sqrt()], json!({}));
    with("shakes.gltf", 1, [0., 0.5, 0., 0.75f32.sqrt()], json!({}));
    for name in ["nods.gltf", "shakes.gltf"] {
        let got = models.json("a.gltf", name, 1);
        let of_head = got["structure"].as_array().unwrap().iter().find(|c| c["name"] == "head");
        let what = of_head.unwrap()["what"].as_str().unwrap();
        assert_eq!(what, "turned by 60.0 degrees in clip \"Nod\" at 1.000 s", "{got}");
        assert_eq!(distance(&got["clips"][0]), 0.0);
    }
    with("turned.gltf", 2, still, json!({"rotation": QUARTER}));
    with("large.gltf", 2, still, json!({"scale": [3, 3, 3]}));
    let said = |name: &str| only(&models.json("a.gltf", name, 1), "node", "head").to_owned();
    assert!(said("turned.gltf").starts_with("turned by 90.0 degrees"));
    assert_eq!(said("large.gltf"), "scaled by 3.000 at rest");
}

/// Vertices are at the same places where the hips move instead of the root.
#[test]
fn the_motion_of_the_highest_joint_is_compared_since_its_rest() {
    let models = Models::new();
    let with = |name: &str, moved: usize, rest: Value| {
        models.write(name, &["Walk"], |json| {
            keys(json, "translation", "LINEAR", &[0., 1.], &[0., 0., 0., 0., 0., 2.]);
            skinned(json);
            json["animations"][0]["channels"][0]["target"]["node"] = json!(moved);
            json["nodes"][1].as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        });
    };
    with("a.gltf", 1, json!({}));
    with("hips.gltf", 2, json!({}));
    let got = models.json("a.gltf", "hips.gltf", 1);
    assert_eq!(distance(&got["clips"][0]), 0.0);
    let of_root = got["structure"].as_array().unwrap().iter().find(|c| c["kind"] == "node");
    let of_root = of_root.unwrap();
    assert_eq!(of_root["name"], json!("root"), "{got}");
    assert_eq!(of_root["what"], json!("2000.000 mm elsewhere in clip \"Walk\" at 1.000 s"));
    // Another rest of the root, for which the joint below it makes up, is no other motion.
    models.write("rolled.gltf", &["Walk"], |json| {
        keys(json, "translation", "LINEAR", &[0., 1.], &[0., 0., 0., 0., 0., 2.]);
        skinned(json);
        json["animations"][0]["channels"][0]["target"]["node"] = json!(1);
        json["nodes"][1]["rotation"] = json!(QUARTER);
        let [x, y, z, w] = QUARTER;
        json["nodes"][2]["rotation"] = json!([-x, y, z, w]);
    });
    let got = models.json("a.gltf", "rolled.gltf", 0);
    assert!(kinds(&got).is_empty(), "{got}");
}
