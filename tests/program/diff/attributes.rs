//! What can change besides the motion: attributes, winding and bind matrices.

use serde_json::{Value, json};

use super::{Models, distance, floats, kinds};
use crate::support::{accessor, view};

/// Gives the square normals, texture coordinates and two joints, of which each moves two of its corners.
fn skinned(json: &mut Value) {
    let normals = floats(json, "VEC3", &[0., 0., 1.].repeat(4));
    let uvs = floats(json, "VEC2", &[0., 0., 1., 0., 1., 1., 0., 1.]);
    let joints = accessor(json, 5121, "VEC4", 4, &[0, 1, 0, 0].repeat(4));
    let weights = [[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 1., 0., 0.], [1., 0., 0., 0.]].concat();
    let weights = floats(json, "VEC4", &weights);
    let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
    for (name, index) in
        [("NORMAL", normals), ("TEXCOORD_0", uvs), ("JOINTS_0", joints), ("WEIGHTS_0", weights)]
    {
        attributes[name] = json!(index);
    }
    json["nodes"] = json!([{"name": "square", "mesh": 0, "skin": 0}, {"name": "left"},
        {"name": "right"}, {"name": "root", "children": [1, 2]}]);
    json["scenes"][0]["nodes"] = json!([0, 3]);
    json["skins"] = json!([{"name": "rig", "joints": [1, 2]}]);
    json["meshes"][0]["name"] = json!("quad");
}

/// Replaces the numbers of an attribute.
fn attribute(json: &mut Value, name: &str, kind: &str, numbers: &[f32]) {
    let accessor = floats(json, kind, numbers);
    json["meshes"][0]["primitives"][0]["attributes"][name] = json!(accessor);
}

#[test]
fn what_else_can_change_is_named_counted_and_located() {
    let models = Models::new();
    models.write("a.gltf", &[], skinned);
    let changed = |name: &str, edit: &dyn Fn(&mut Value)| {
        models.write(name, &[], |json| {
            skinned(json);
            edit(json);
        });
        models.json("a.gltf", name, 1)
    };
    let only = |got: &Value, kind: &str, name: &str, says: &str| {
        assert_eq!(kinds(got), [kind], "{got}");
        let change = &got["structure"][0];
        assert_eq!((&change["name"], &change["change"]), (&json!(name), &json!("changed")));
        assert!(change["what"].as_str().unwrap().contains(says), "{change}");
    };
    let up = [0., 0., 1.];
    let got = changed("normals.gltf", &|json| {
        attribute(json, "NORMAL", "VEC3", &[up, [0., 0., -1.], up, up].concat());
    });
    only(&got, "normals", "quad", "1 of 4 vertices differ in NORMAL by up to 180.0 degrees");
    let what = got["structure"][0]["what"].as_str().unwrap();
    assert!(what.contains("\"right\"") && what.contains("vertex 1 of primitive 0"), "{what}");
    let got = changed("uv.gltf", &|json| {
        attribute(json, "TEXCOORD_0", "VEC2", &[0.25, 0., 1., 0., 1., 1., 0., 1.]);
    });
    only(&got, "uv", "quad", "1 of 4 vertices differ in TEXCOORD_0 by up to 0.2500");
    let got = changed("weights.gltf", &|json| {
        let half = [0.5, 0.5, 0., 0.];
        let (left, right) = ([1., 0., 0., 0.], [0., 1., 0., 0.]);
        attribute(json, "WEIGHTS_0", "VEC4", &[half, right, right, left].concat());
    });
    only(&got, "weights", "quad", "1 of 4 vertices differ in WEIGHTS_0 by up to 50.0 %");
    let got = changed("winding.gltf", &|json| {
        let corners = [[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.]].concat();
        attribute(json, "POSITION", "VEC3", &corners);
        let bytes: Vec<u8> = [0u16, 1, 2, 2, 0, 3].iter().flat_map(|i| i.to_le_bytes()).collect();
        json["accessors"][1]["bufferView"] = json!(view(json, &bytes));
    });
    only(&got, "winding", "quad", "1 of 2 triangles wind the other way");
    let got = changed("bind.gltf", &|json| {
        let column = |x: f32, y: f32, z: f32, w: f32| [x, y, z, w];
        let one = [column(1., 0., 0., 0.), column(0., 1., 0., 0.), column(0., 0., 1., 0.)];
        let matrix = |x: f32| [&one[..], &[column(x, 0., 0., 1.)]].concat().concat();
        let matrices = floats(json, "MAT4", &[matrix(0.0), matrix(0.005)].concat());
        json["skins"][0]["inverseBindMatrices"] = json!(matrices);
    });
    only(&got, "bind", "right", "its inverse bind matrix is off by 5.000 mm");
    assert!((distance(&got["rest"]) - 0.005).abs() < 1e-5, "{got}");
}

/// The matrix of one joint is all zeros.
#[test]
fn a_bind_matrix_without_an_inverse_names_its_joint() {
    let models = Models::new();
    let with = |name: &str, diagonals: [f32; 2]| {
        models.write(name, &[], |json| {
            skinned(json);
            let matrix = |d: f32| [d, 0., 0., 0., 0., d, 0., 0., 0., 0., d, 0., 0., 0., 0., 1.];
            let matrices = floats(json, "MAT4", &diagonals.map(matrix).concat());
            json["skins"][0]["inverseBindMatrices"] = json!(matrices);
        });
    };
    with("a.gltf", [1., 1.]);
    with("b.gltf", [1., 0.]);
    for (pair, of) in [(["a.gltf", "b.gltf"], "B"), (["b.gltf", "a.gltf"], "A")] {
        let got = models.json(pair[0], pair[1], 1);
        let change = &got["structure"][0];
        assert_eq!((kinds(&got), &change["name"]), (vec!["bind"], &json!("right")), "{got}");
        let what = change["what"].as_str().unwrap();
        assert!(what.contains(&format!("that of {of} has no inverse")), "{what}");
    }
    models.json("b.gltf", "b.gltf", 0);
}

#[test]
fn kinds_are_left_out_on_request() {
    let models = Models::new();
    models.write("a.gltf", &[], skinned);
    models.write("b.gltf", &[], |json| {
        skinned(json);
        attribute(json, "NORMAL", "VEC3", &[1., 0., 0.].repeat(4));
        json["nodes"][1]["name"] = json!("Left.L");
        json["meshes"][0]["name"] = json!("Quad");
    });
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(kinds(&got), ["node", "mesh", "normals"], "{got}");
    models.diff("a.gltf", "b.gltf", &["--ignore", "names,normals"]).done();
    models.diff("a.gltf", "b.gltf", &["--ignore", "structure", "--ignore", "normals"]).done();
    models.diff("a.gltf", "b.gltf", &["--ignore", "names"]).failed(1);
    let run = models.diff("a.gltf", "b.gltf", &["--ignore", "colors"]).failed(2);
    assert!(run.stderr.contains("colours"), "{}", run.stderr);
    // Numbers come first: the list of changes may be long.
    let said = models.diff("a.gltf", "b.gltf", &[]).failed(1);
    let at = |what: &str| said.text().find(what).unwrap();
    assert!(at("rest pose:") < at("structure: 3 changes"), "{}", said.text());
}

#[test]
fn extras_are_compared_by_object_and_can_be_ignored() {
    let models = Models::new();
    let with = |name: &str, node: Value, file: Value| {
        models.write(name, &[], |json| {
            json["nodes"][0]["extras"] = node;
            json["extras"] = file;
        });
    };
    with("a.gltf", json!({"lod": 1, "tags": ["x"]}), json!({"targetNames": ["smile"]}));
    with("same.gltf", json!({"tags": ["x"], "lod": 1}), json!(null));
    assert_eq!(kinds(&models.json("a.gltf", "same.gltf", 0)), [""; 0]);
    with("b.gltf", json!({"lod": 2}), json!({"build": 7}));
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(kinds(&got), ["extras", "extras"], "{got}");
    let changes = got["structure"].as_array().unwrap();
    let said: Vec<&str> = changes.iter().map(|change| change["what"].as_str().unwrap()).collect();
    assert_eq!(said, ["{\"lod\":1,\"tags\":[\"x\"]} -> {\"lod\":2}", "none -> {\"build\":7}"]);
    assert!(changes[0]["name"].as_str().unwrap().starts_with("node "), "{got}");
    assert_eq!(changes[1]["name"], "the file");
    models.diff("a.gltf", "b.gltf", &["--ignore", "extras"]).done();
}

/// The same square, a thousand times as large.
#[test]
fn a_bind_matrix_of_a_large_model_is_named_if_its_distance_can_be_seen() {
    let models = Models::new();
    let with = |name: &str, off: f32| {
        models.write(name, &[], |json| {
            skinned(json);
            let joints = json["skins"][0]["joints"].as_array().unwrap().clone();
            for joint in joints {
                let node = joint.as_u64().unwrap() as usize;
                json["nodes"][node]["scale"] = json!([1000.0, 1000.0, 1000.0]);
            }
            let matrix = |x: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, 0., 0., 1.];
            let matrices = floats(json, "MAT4", &[matrix(0.0), matrix(off)].concat());
            json["skins"][0]["inverseBindMatrices"] = json!(matrices);
        });
    };
    with("a.gltf", 0.0);
    with("b.gltf", 5e-6);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(kinds(&got), ["bind"], "{got}");
    let what = got["structure"][0]["what"].as_str().unwrap();
    assert!(what.starts_with("its inverse bind matrix is off by 5.0"), "{what}");
}

/// glTF ignores the transform of a node with a skin.
#[test]
fn a_node_with_a_skin_is_placed_by_its_joints_alone() {
    let models = Models::new();
    models.write("a.gltf", &[], skinned);
    models.write("b.gltf", &[], |json| {
        skinned(json);
        json["nodes"][0]["rotation"] = json!([1, 0, 0, 0]);
    });
    let got = models.json("a.gltf", "b.gltf", 0);
    assert_eq!(kinds(&got).len(), 0, "{got}");
}
