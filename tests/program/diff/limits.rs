//! What is rounding and what is a change: texture coordinates without a texture, factors of materials, lights, turned meshes, and the
//! scale of nodes that no vertex shows.

use serde_json::{Value, json};

use super::unseen::only;
use super::{Models, distance, floats, keys, kinds};
use crate::support::accessor;

/// The square's texture coordinates.
const UVS: [[f32; 2]; 4] = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.8], [0.1, 0.8]];

/// Gives the square texture coordinates that no texture reads.
fn unread(json: &mut Value, uvs: [[f32; 2]; 4]) {
    let uvs = floats(json, "VEC2", uvs.as_flattened());
    json["meshes"][0]["name"] = json!("quad");
    json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = json!(uvs);
}

#[test]
fn texture_coordinates_without_a_texture_are_compared() {
    let models = Models::new();
    let write = |name: &str, uvs: [[f32; 2]; 4]| models.write(name, &[], |json| unread(json, uvs));
    write("a.gltf", UVS);
    let mut one = UVS;
    one[2] = [1.1, 0.8];
    write("one.gltf", one);
    write("moved.gltf", UVS.map(|uv| uv.map(|x| x + 0.5)));
    write("scaled.gltf", UVS.map(|uv| uv.map(|x| 0.5 * x)));
    for (other, count) in [("one.gltf", 1), ("moved.gltf", 4), ("scaled.gltf", 4)] {
        for (a, b) in [("a.gltf", other), (other, "a.gltf")] {
            let got = models.json(a, b, 1);
            let what = only(&got, "uv", "quad");
            let said = format!("{count} of 4 vertices differ in TEXCOORD_1");
            assert!(what.starts_with(&said), "{what}");
        }
    }
}

/// Without a texture no transform tells what the integers are: a quarter of the range is the whole of it.
#[test]
fn the_unit_of_quantized_texture_coordinates_without_a_texture_is_unknown() {
    let models = Models::new();
    models.write("a.gltf", &[], |json| unread(json, UVS));
    let quantized = |name: &str, range: f32, first: f32| {
        models.write(name, &[], |json| {
            unread(json, UVS);
            let mut uvs = UVS;
            uvs[0][0] += first;
            let numbers = uvs.as_flattened().iter().map(|x| (range * 65535. * x) as u16);
            let numbers: Vec<u16> = numbers.collect();
            let index = accessor(json, 5123, "VEC2", 4, bytemuck::cast_slice(&numbers));
            json["accessors"][index]["normalized"] = json!(true);
            json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = json!(index);
        });
    };
    quantized("same.gltf", 1.0, 0.0);
    quantized("quarter.gltf", 0.25, 0.0);
    for (a, b) in
        [("a.gltf", "same.gltf"), ("quarter.gltf", "a.gltf"), ("same.gltf", "quarter.gltf")]
    {
        assert_eq!(kinds(&models.json(a, b, 0)).len(), 0);
    }
    quantized("changed.gltf", 0.25, 0.05);
    for other in ["a.gltf", "same.gltf", "quarter.gltf"] {
        let got = models.json(other, "changed.gltf", 1);
        let what = only(&got, "uv", "quad");
        assert!(what.starts_with("1 of 4 vertices differ in TEXCOORD_1"), "{what}");
    }
}

/// Two corners of the square are at the same place in the box of the mesh before and after a quarter turn about X.
#[test]
fn a_turn_that_moved_from_a_node_into_its_flat_mesh_is_no_change_of_normals() {
    let models = Models::new();
    let corners = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]];
    let with = |name: &str, place: fn([f32; 2]) -> [f32; 3], normal: [f32; 3], turn: f32| {
        models.write(name, &[], |json| {
            let position = floats(json, "VEC3", corners.map(place).as_flattened());
            let normal = floats(json, "VEC3", &normal.repeat(4));
            let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
            *attributes = json!({"POSITION": position, "NORMAL": normal});
            json["meshes"][0]["name"] = json!("quad");
            let half = 0.5f32.sqrt();
            json["nodes"][0]["rotation"] =
                json!([turn * half, 0, 0, 1.0 - turn.abs() * (1.0 - half)]);
        });
    };
    let front: fn([f32; 2]) -> [f32; 3] = |[x, y]| [x, y, 0.];
    let floor: fn([f32; 2]) -> [f32; 3] = |[x, y]| [x, 0., y];
    with("a.gltf", front, [0., 0., 1.], 0.0);
    with("b.gltf", floor, [0., -1., 0.], -1.0);
    with("wrong.gltf", floor, [1., 0., 0.], -1.0);
    for (a, b) in [("a.gltf", "b.gltf"), ("b.gltf", "a.gltf")] {
        let got = models.json(a, b, 0);
        assert!(distance(&got["rest"]) < 1e-6, "{got}");
    }
    let got = models.json("a.gltf", "wrong.gltf", 1);
    let what = only(&got, "normals", "quad");
    assert!(what.starts_with("4 of 4 vertices differ in NORMAL by up to 90.0 degrees"), "{what}");
}

/// Gives the square a material.
fn coated(json: &mut Value, material: Value) {
    json["extensionsUsed"] = json!([
        "KHR_materials_volume",
        "KHR_materials_transmission",
        "KHR_materials_emissive_strength"
    ]);
    json["meshes"][0]["primitives"][0]["material"] = json!(0);
    json["materials"] = json!([material]);
}

#[test]
fn rounding_of_factors_is_absolute_and_that_of_lengths_relative() {
    let models = Models::new();
    let volume = |thickness: f64, distance: f64| {
        let volume = json!({"thicknessFactor": thickness, "attenuationDistance": distance});
        json!({"name": "glass", "extensions": {"KHR_materials_volume": volume,
            "KHR_materials_transmission": {"transmissionFactor": 1}}})
    };
    let glow = |strength: f64| {
        let strength = json!({"emissiveStrength": strength});
        json!({"name": "lamp", "emissiveFactor": [1, 1, 1],
            "extensions": {"KHR_materials_emissive_strength": strength}})
    };
    let leaf = |cutoff: f64| json!({"name": "leaf", "alphaMode": "MASK", "alphaCutoff": cutoff});
    let says = |before: &Value, after: &Value, code: i32| {
        models.write("a.gltf", &[], |json| coated(json, before.clone()));
        models.write("b.gltf", &[], |json| coated(json, after.clone()));
        [("a.gltf", "b.gltf"), ("b.gltf", "a.gltf")]
            .map(|(a, b)| models.json(a, b, code)["materials"][0]["what"].clone())
    };
    for (before, after) in [
        (glow(1000.0), glow(1000.0001)),
        (volume(100.0, 5.0), volume(100.00001, 5.0)),
        (leaf(0.3), leaf(0.300_001)),
    ] {
        assert_eq!(says(&before, &after, 0), [json!(null), json!(null)]);
    }
    for (before, after) in [
        (volume(5e-6, 8e-6), volume(1e-5, 8e-6)),
        (volume(5e-6, 8e-6), volume(5e-6, 2e-6)),
        (glow(1000.0), glow(1001.0)),
        (leaf(0.3), leaf(0.31)),
    ] {
        assert!(says(&before, &after, 1).iter().all(Value::is_string));
    }
    let [said, _] = says(&leaf(0.3), &leaf(0.31), 1);
    assert_eq!(said, "alphaMode MASK cutoff 0.3 -> 0.31");
}

#[test]
fn rounding_of_a_light_s_colour_is_absolute_and_that_of_its_strength_relative() {
    let models = Models::new();
    let with = |name: &str, blue: f64, intensity: f64| {
        let light = json!({"type": "point", "color": [1, 1, blue], "intensity": intensity});
        models.write(name, &[], |json| {
            json["extensionsUsed"] = json!(["KHR_lights_punctual"]);
            json["extensions"] = json!({"KHR_lights_punctual": {"lights": [light]}});
            json["nodes"][0]["extensions"] = json!({"KHR_lights_punctual": {"light": 0}});
        });
    };
    with("a.gltf", 0.0, 1e-7);
    with("rounded.gltf", 5.5e-17, 1e-7);
    with("dim.gltf", 0.0, 2e-7);
    with("blue.gltf", 0.01, 1e-7);
    for (a, b) in [("a.gltf", "rounded.gltf"), ("rounded.gltf", "a.gltf")] {
        assert_eq!(kinds(&models.json(a, b, 0)).len(), 0);
    }
    for other in ["dim.gltf", "blue.gltf"] {
        assert_eq!(kinds(&models.json("a.gltf", other, 1)), ["node"]);
    }
}

/// A spine without a mesh, whose clip scales it along its way to the head or across.
#[test]
fn the_proportions_of_a_joint_are_compared_where_nothing_is_drawn() {
    let models = Models::new();
    let with = |name: &str, key: [f32; 3], root: f32| {
        models.write(name, &["Squash"], |json| {
            keys(json, "scale", "LINEAR", &[0., 1.], &[[1.; 3], key].concat());
            json["animations"][0]["channels"][0]["target"]["node"] = json!(1);
            json.as_object_mut().unwrap().remove("meshes");
            let up = [0., 1. / root, 0.];
            json["nodes"] = json!([{"name": "root", "children": [1], "scale": [root, root, root]},
                {"name": "spine", "translation": up, "children": [2]},
                {"name": "head", "translation": up, "scale": [1. / root, 1. / root, 1. / root]}]);
        });
    };
    with("a.gltf", [1.; 3], 1.0);
    with("squash.gltf", [1.5, 1., 1.5], 1.0);
    let got = models.json("a.gltf", "squash.gltf", 1);
    let what = only(&got, "node", "spine");
    assert_eq!(what, "scaled by 1.500 in clip \"Squash\" at 1.000 s");
    assert_eq!(distance(&got["clips"][0]), 0.0);
    // Centimetres below a root that makes them as small as they were.
    with("unit.gltf", [1.; 3], 0.01);
    for (a, b) in [("a.gltf", "unit.gltf"), ("unit.gltf", "a.gltf")] {
        assert_eq!(kinds(&models.json(a, b, 0)).len(), 0);
    }
}
