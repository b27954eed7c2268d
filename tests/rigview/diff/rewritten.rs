//! Files that a tool wrote again without any loss: they are equal.

use base64::Engine as _;
use serde_json::{Value, json};

use super::{Models, distance, floats, kinds};

const CORNERS: [[f32; 2]; 4] = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]];

/// A square without indices; `order` lists the corners of its triangles. `up` is the Z of its normals.
fn square(json: &mut Value, order: [usize; 6], up: f32, material: usize) -> Value {
    let corners = |of: &dyn Fn([f32; 2]) -> Vec<f32>| -> Vec<f32> {
        order.iter().flat_map(|corner| of(CORNERS[*corner])).collect()
    };
    let positions = floats(json, "VEC3", &corners(&|[x, y]| vec![x, y, 0.]));
    let normals = floats(json, "VEC3", &corners(&|_| vec![0., 0., up]));
    let uvs = floats(json, "VEC2", &corners(&|[x, y]| vec![up * x, y]));
    json!({"attributes": {"POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs},
        "material": material})
}

/// The triangles of the square, and the same ones in another order.
const ORDER: [usize; 6] = [0, 1, 2, 0, 2, 3];
const OTHER_ORDER: [usize; 6] = [2, 3, 0, 1, 2, 0];

/// A mesh whose two sides, which lie at one place, are primitives of their own. `orders` are those of the front and the back.
fn two_sides(json: &mut Value, orders: [[usize; 6]; 2]) {
    json["materials"] = json!([{"name": "front"}, {"name": "back", "doubleSided": true}]);
    let front = square(json, orders[0], 1.0, 0);
    let back = square(json, orders[1], -1.0, 1);
    json["meshes"][0]["primitives"] = json!([front, back]);
}

fn is_equal(got: &Value) {
    assert_eq!((&got["equal"], kinds(got).len()), (&json!(true), 0), "{got}");
}

#[test]
fn vertices_in_another_order_keep_their_attributes_where_several_lie_at_one_place() {
    let models = Models::new();
    models.write("a.gltf", &[], |json| two_sides(json, [ORDER; 2]));
    models.write("b.gltf", &[], |json| two_sides(json, [OTHER_ORDER; 2]));
    is_equal(&models.json("a.gltf", "b.gltf", 0));
    // The normals of one side are turned, and only the other side has such normals at that place.
    models.write("turned.gltf", &[], |json| {
        two_sides(json, [OTHER_ORDER; 2]);
        let primitives = &mut json["meshes"][0]["primitives"];
        primitives[0]["attributes"]["NORMAL"] = primitives[1]["attributes"]["NORMAL"].clone();
    });
    let got = models.json("a.gltf", "turned.gltf", 1);
    assert_eq!(kinds(&got), ["normals"], "{got}");
}

#[test]
fn primitives_may_be_in_another_order() {
    let models = Models::new();
    models.write("a.gltf", &[], |json| two_sides(json, [ORDER; 2]));
    models.write("b.gltf", &[], |json| {
        two_sides(json, [ORDER; 2]);
        json["meshes"][0]["primitives"].as_array_mut().unwrap().reverse();
    });
    is_equal(&models.json("a.gltf", "b.gltf", 0));
    // Primitives that lie apart and exchange their materials are no reordered ones.
    let apart = |json: &mut Value, materials: [usize; 2]| {
        two_sides(json, [ORDER; 2]);
        let far = floats(json, "VEC3", &[5., 0., 0., 6., 0., 0., 6., 1., 0.].repeat(2));
        let primitives = &mut json["meshes"][0]["primitives"];
        primitives[1]["attributes"]["POSITION"] = json!(far);
        (0..2).for_each(|i| primitives[i]["material"] = json!(materials[i]));
    };
    models.write("c.gltf", &[], |json| apart(json, [0, 1]));
    models.write("d.gltf", &[], |json| apart(json, [1, 0]));
    let got = models.json("c.gltf", "d.gltf", 1);
    let what = got["structure"][0]["what"].as_str().unwrap();
    assert!(what.contains("primitive 0: material \"front\" -> \"back\""), "{got}");
}

/// The first half of the square stays in its node, the other one gets a node of its own.
#[test]
fn a_mesh_that_is_split_over_two_nodes_keeps_its_places() {
    let models = Models::new();
    let half = |json: &mut Value, corners: &[usize]| {
        let places: Vec<f32> =
            corners.iter().flat_map(|i| [CORNERS[*i][0], CORNERS[*i][1], 0.]).collect();
        json!([{"attributes": {"POSITION": floats(json, "VEC3", &places)}}])
    };
    models.write("a.gltf", &[], |json| {
        json["meshes"][0] = json!({"name": "quad", "primitives": half(json, &ORDER)});
    });
    let split = |name: &str, far: f32| {
        models.write(name, &[], |json| {
            let (first, second) = (half(json, &ORDER[..3]), half(json, &ORDER[3..]));
            json["meshes"] = json!([{"name": "quad", "primitives": first},
                {"name": "rest", "primitives": second}]);
            json["nodes"] = json!([{"name": "square", "mesh": 0},
                {"name": "other", "mesh": 1, "translation": [far, 0, 0]}]);
            json["scenes"][0]["nodes"] = json!([0, 1]);
        });
    };
    split("b.gltf", 0.0);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(distance(&got["rest"]), 0.0, "{got}");
    models.diff("a.gltf", "b.gltf", &["--ignore", "structure"]).done();
    split("moved.gltf", 0.5);
    models.diff("a.gltf", "moved.gltf", &["--ignore", "structure"]).failed(1);
}

#[test]
fn renamed_nodes_in_another_order_are_found_by_their_places() {
    let models = Models::new();
    let arms = |name: &str, names: [&str; 3], order: [usize; 3]| {
        models.write(name, &["Turn"], |json| {
            json["nodes"] = json!([{"name": "square", "mesh": 0, "children": [1, 2, 3]}]);
            for i in order {
                let node = json!({"name": names[i], "translation": [i, 1, 0]});
                json["nodes"].as_array_mut().unwrap().push(node);
            }
        });
    };
    arms("a.gltf", ["left", "middle", "right"], [0, 1, 2]);
    arms("b.gltf", ["L", "M", "R"], [2, 0, 1]);
    let got = models.json("a.gltf", "b.gltf", 1);
    let renamed = |from: &str, to: &str| {
        json!({"kind": "node", "name": from, "change": "changed",
            "what": format!("renamed to \"{to}\"")})
    };
    let all = [renamed("left", "L"), renamed("middle", "M"), renamed("right", "R")];
    assert_eq!(got["structure"], json!(all));
    models.diff("a.gltf", "b.gltf", &["--ignore", "names"]).done();
}

#[test]
fn numbers_in_extras_are_compared_by_value() {
    let models = Models::new();
    let with = |name: &str, extras: Value| {
        models.write(name, &[], |json| json["nodes"][0]["extras"] = extras);
    };
    with("a.gltf", json!({"lod": 2, "list": [1.0, {"x": -0.0}]}));
    with("b.gltf", json!({"lod": 2.0, "list": [1, {"x": 0}]}));
    is_equal(&models.json("a.gltf", "b.gltf", 0));
    with("c.gltf", json!({"lod": 2.5, "list": [1, {"x": 0}]}));
    assert_eq!(kinds(&models.json("a.gltf", "c.gltf", 1)), ["extras"]);
}

/// Returns a picture of four pixels as a data URI.
fn picture(filter: png::Filter, pixels: [u8; 4]) -> String {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_filter(filter);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    format!("data:;base64,{}", base64::engine::general_purpose::STANDARD.encode(&bytes))
}

/// A square whose texture coordinates are a quarter of what they are after the texture's transform.
fn textured(json: &mut Value, scale: f32, transform: f32) {
    let uvs: Vec<f32> = CORNERS.concat().iter().map(|x| scale * x).collect();
    let uvs = floats(json, "VEC2", &uvs);
    json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(uvs);
    json["meshes"][0]["primitives"][0]["material"] = json!(0);
    json["images"] = json!([{"uri": picture(png::Filter::NoFilter, [9, 8, 7, 6])}]);
    json["textures"] = json!([{"source": 0}]);
    let extensions = json!({"KHR_texture_transform": {"scale": [transform, transform]}});
    json["materials"] = json!([{"pbrMetallicRoughness":
        {"baseColorTexture": {"index": 0, "extensions": extensions}}}]);
    json["extensionsUsed"] = json!(["KHR_texture_transform"]);
}

#[test]
fn images_are_compared_by_their_pixels() {
    let models = Models::new();
    let with = |name: &str, filter: png::Filter, pixels: [u8; 4]| {
        models.write(name, &[], |json| {
            textured(json, 1.0, 1.0);
            json["images"] = json!([{"name": "skin", "uri": picture(filter, pixels)}]);
        });
    };
    with("a.gltf", png::Filter::NoFilter, [9, 8, 7, 6]);
    with("b.gltf", png::Filter::Sub, [9, 8, 7, 6]);
    let [a, b] = ["a.gltf", "b.gltf"].map(|name| std::fs::read(models.path(name)).unwrap());
    assert_ne!(a, b);
    is_equal(&models.json("a.gltf", "b.gltf", 0));
    with("c.gltf", png::Filter::Sub, [9, 8, 7, 5]);
    let got = models.json("a.gltf", "c.gltf", 1);
    assert_eq!((kinds(&got), &got["structure"][0]["what"]), (vec!["image"], &json!("content")));
}

#[test]
fn a_texture_transform_that_undoes_what_the_texture_coordinates_do_is_no_change() {
    let models = Models::new();
    models.write("a.gltf", &[], |json| textured(json, 1.0, 1.0));
    models.write("b.gltf", &[], |json| textured(json, 0.25, 4.0));
    let got = models.json("a.gltf", "b.gltf", 0);
    assert_eq!(got["materials"], json!([]), "{got}");
    models.write("c.gltf", &[], |json| textured(json, 1.0, 4.0));
    let got = models.json("a.gltf", "c.gltf", 1);
    assert_eq!((kinds(&got), got["materials"].as_array().unwrap().len()), (vec!["uv"], 1), "{got}");
}
