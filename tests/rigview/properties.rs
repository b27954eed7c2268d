//! Animated properties other than transforms and weights: visibility, cameras, lights, materials.

use rigview::import::{ImportOptions, Loaded, load, load_bytes};
use rigview::model::{LightKind, Projection, Stage, clip_hull};
use serde_json::{Value, json};

use crate::support::{accessor, data_uri, push, rigview, shared};

/// Two squares beside each other, each a metre wide. The right one is on a child of a node that an animation
/// hides from 1 s on. The angle of the camera changes from 0.5 to 1, the light turns red, and the material is
/// white, then red, then green.
fn small() -> Value {
    let mut bytes: Vec<u8> = Vec::new();
    let corners = [[0f32, 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
    bytes.extend(bytemuck::cast_slice(corners.as_flattened()));
    bytes.extend(bytemuck::cast_slice(&[0f32, 1., 2.]));
    bytes.extend(bytemuck::cast_slice(&[0.5f32, 0.75, 1.0]));
    bytes.extend(bytemuck::cast_slice(&[1f32, 1., 1., 1., 0.5, 0.5, 1., 0., 0.]));
    bytes.extend([1u8, 0, 0, 0]);
    bytes.extend(bytemuck::cast_slice(&[0u16, 1, 2, 0, 2, 3]));
    bytes.extend(bytemuck::cast_slice(&[1f32, 1., 1., 1., 1., 0., 0., 1., 0., 1., 0., 1.]));
    let channel = |sampler: usize, pointer: &str| {
        json!({"sampler": sampler, "target": {"path": "pointer", "extensions":
            {"KHR_animation_pointer": {"pointer": pointer}}}})
    };
    json!({
        "asset": {"version": "2.0"},
        "extensionsUsed":
            ["KHR_animation_pointer", "KHR_lights_punctual", "KHR_node_visibility"],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point"}]}},
        "scenes": [{"nodes": [0, 1, 3, 4]}],
        "nodes": [
            {"mesh": 0},
            {"children": [2], "extensions": {"KHR_node_visibility": {}}},
            {"mesh": 0, "translation": [3, 0, 0]},
            {"camera": 0},
            {"extensions": {"KHR_lights_punctual": {"light": 0}}},
        ],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1}}],
        "materials": [{"doubleSided": true, "pbrMetallicRoughness": {}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 5, "material": 0}]}],
        "animations": [{
            "channels": [
                channel(0, "/nodes/1/extensions/KHR_node_visibility/visible"),
                channel(1, "/cameras/0/perspective/yfov"),
                channel(2, "/extensions/KHR_lights_punctual/lights/0/color"),
                channel(3, "/materials/0/pbrMetallicRoughness/baseColorFactor"),
            ],
            "samplers": [
                {"input": 1, "output": 4, "interpolation": "STEP"},
                {"input": 1, "output": 2},
                {"input": 1, "output": 3},
                {"input": 1, "output": 6},
            ],
        }],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 0, "byteOffset": 48, "componentType": 5126, "count": 3,
             "type": "SCALAR", "min": [0], "max": [2]},
            {"bufferView": 0, "byteOffset": 60, "componentType": 5126, "count": 3,
             "type": "SCALAR"},
            {"bufferView": 0, "byteOffset": 72, "componentType": 5126, "count": 3,
             "type": "VEC3"},
            {"bufferView": 0, "byteOffset": 108, "componentType": 5121, "count": 3,
             "type": "SCALAR"},
            {"bufferView": 0, "byteOffset": 112, "componentType": 5123, "count": 6,
             "type": "SCALAR"},
            {"bufferView": 0, "byteOffset": 124, "componentType": 5126, "count": 3,
             "type": "VEC4"},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": bytes.len()}],
        "buffers": [{"byteLength": bytes.len(), "uri": data_uri(&bytes)}],
    })
}

fn loaded(json: &Value) -> Loaded {
    let loaded = load_bytes(json.to_string().into_bytes(), &ImportOptions::DEFAULT).unwrap();
    let said: Vec<_> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
    loaded
}

#[test]
fn properties_move_with_the_clip_and_rest_without() {
    let model = loaded(&small()).model;
    let mut stage = Stage::new(&model, 0);
    let fov = |stage: &Stage| match stage.properties.cameras[0].projection {
        Projection::Perspective { fov_y, .. } => fov_y,
        Projection::Orthographic { .. } => panic!("another projection"),
    };
    for (time, visible, fov_y, color) in [
        (0.0, true, 0.5, [1.0, 1.0, 1.0]),
        (0.5, true, 0.625, [1.0, 0.75, 0.75]),
        (1.0, false, 0.75, [1.0, 0.5, 0.5]),
        (9.0, false, 1.0, [1.0, 0.0, 0.0]),
    ] {
        stage.pose(&model, Some(&model.clips[0]), time);
        assert_eq!(stage.visible, [true, visible, visible, true, true], "at {time} s");
        assert_eq!(fov(&stage), fov_y, "at {time} s");
        assert_eq!(stage.properties.lights[0].color, color, "at {time} s");
    }
    stage.pose(&model, None, 0.0);
    assert_eq!((stage.visible[2], fov(&stage)), (true, 0.5));
}

/// A mesh with three morph targets on two nodes, the first one with weights of its own, and a clip of two seconds
/// that drives weights by pointers. Each entry is a pointer and its keys at 0, 1 and 2 s.
fn weighted(driven: &[(&str, Vec<u8>)]) -> Value {
    let mut json = small();
    for (i, (pointer, keys)) in driven.iter().enumerate() {
        // Integers that are not normalised.
        accessor(&mut json, 5121, "SCALAR", keys.len(), keys);
        if i == 0 {
            json["animations"] = json!([{"channels": [], "samplers": []}]);
        }
        let clip = &mut json["animations"][0];
        push(clip, "samplers", json!({"input": 1, "output": 7 + i}));
        let target = json!({"path": "pointer", "extensions":
            {"KHR_animation_pointer": {"pointer": pointer}}});
        push(clip, "channels", json!({"sampler": i, "target": target}));
    }
    json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 0}, {}, {"POSITION": 0}]);
    json["meshes"][0]["weights"] = json!([0.5, 0.25, 0]);
    json["nodes"][0]["weights"] = json!([0.125, 0.75, 0.375]);
    json
}

#[test]
fn single_weights_move_and_the_others_rest() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("weights.gltf");
    let driven = [
        ("/nodes/0/weights/1", vec![0, 2, 4]),
        ("/meshes/0/weights/2", vec![1, 0, 1]),
        ("/meshes/0/weights/0", vec![8, 8, 0]),
    ];
    let model = weighted(&driven);
    loaded(&model);
    std::fs::write(&file, model.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let run = rigview(["pose", file, "--json", "--time", "0.5", "--time", "1.5"]).done();
    let poses = run.json_lines();
    for (pose, first, second) in [
        (&poses[0], [0.125, 1.0, 0.375], [8.0, 0.25, 0.5]),
        (&poses[1], [0.125, 3.0, 0.375], [4.0, 0.25, 0.5]),
    ] {
        assert_eq!(pose["nodes"][0]["weights"], json!(first), "at {}", pose["time"]);
        assert_eq!(pose["nodes"][2]["weights"], json!(second), "at {}", pose["time"]);
    }
    let run = rigview(["curve", file, "--node", "2", "-o", "-", "--time", "1.5"]).done();
    let curves = run.json();
    let track = |i: usize| {
        let track = &curves["tracks"][i];
        (track["path"].clone(), track["components"].clone(), track["at"][0]["value"].clone())
    };
    assert_eq!(track(0), (json!("weights"), json!(["target 2"]), json!([0.5])));
    assert_eq!(track(1), (json!("weights"), json!(["target 0"]), json!([4.0])));
}

#[test]
fn a_whole_list_of_weights_moves_by_a_pointer() {
    let driven = [("/meshes/0/weights", vec![0, 1, 2, 4, 5, 6, 8, 9, 10])];
    let model = loaded(&weighted(&driven)).model;
    let mut stage = Stage::new(&model, 0);
    stage.pose(&model, Some(&model.clips[0]), 0.5);
    assert_eq!(stage.local.weights(2), [2.0, 3.0, 4.0]);
    assert_eq!(stage.local.weights(0), [0.125, 0.75, 0.375], "it has its own");
}

/// Returns the codes and the places of a file's warnings.
fn warnings(json: &Value) -> Vec<(&'static str, String)> {
    let loaded = load_bytes(json.to_string().into_bytes(), &ImportOptions::DEFAULT).unwrap();
    loaded.warnings.into_iter().map(|w| (w.code.as_str(), w.pointer)).collect()
}

#[test]
fn a_weight_that_is_driven_twice_is_told() {
    for (first, second) in [
        ("/nodes/0/weights/1", "/nodes/0/weights"),
        ("/nodes/0/weights", "/nodes/0/weights/1"),
        ("/nodes/2/weights/1", "/meshes/0/weights/1"),
    ] {
        let keys = |pointer: &str| vec![1; if pointer.ends_with('s') { 9 } else { 3 }];
        let json = weighted(&[(first, keys(first)), (second, keys(second))]);
        let at = "/animations/0/channels/1".to_owned();
        assert_eq!(warnings(&json), [("CHANNEL_TWICE", at)], "{first} and {second}");
    }
}

#[test]
fn pointers_to_nothing_are_left_out_and_the_rest_plays() {
    let nothing = [
        "/nodes/0/weights/3",
        "/nodes/1/weights/0",
        "/meshes/0/weights/03",
        "/meshes/1/weights/0",
        "/materials/0/extensions/KHR_materials_clearcoat/clearcoatFactor",
        "/materials/0/extensions/KHR_materials_ior/ior",
        "/materials/0/normalTexture/scale",
        "/nodes/0/extensions/KHR_node_visibility/visible",
        "/cameras/0/perspective/zfar",
        "/extensions/KHR_lights_punctual/lights/0/range",
    ];
    for pointer in nothing {
        let json = weighted(&[(pointer, vec![0, 1, 2]), ("/nodes/0/weights/1", vec![0, 2, 4])]);
        let left_out = ("CHANNEL_LEFT_OUT", "/animations/0/channels/0".to_owned());
        assert_eq!(warnings(&json), [left_out], "{pointer}");
        let bytes = json.to_string().into_bytes();
        let model = load_bytes(bytes, &ImportOptions::DEFAULT).unwrap().model;
        let mut stage = Stage::new(&model, 0);
        stage.pose(&model, Some(&model.clips[0]), 1.5);
        assert_eq!(stage.local.weights(0), [0.125, 3.0, 0.375], "{pointer}");
    }
}

#[test]
fn what_is_hidden_is_not_framed() {
    let mut json = small();
    let model = loaded(&json).model;
    let mut stage = Stage::new(&model, 0);
    assert_eq!(stage.bounds(&model).max.x, 4.0);
    stage.pose(&model, Some(&model.clips[0]), 1.5);
    assert_eq!(stage.bounds(&model).max.x, 1.0);
    json["nodes"][1]["extensions"] = json!({"KHR_node_visibility": {"visible": false}});
    json.as_object_mut().unwrap().remove("animations");
    let model = loaded(&json).model;
    let mut stage = Stage::new(&model, 0);
    let right = clip_hull(&model, &mut stage, None, None).iter().map(|p| p.x).fold(0.0, f32::max);
    assert_eq!(right, 1.0);
}

#[test]
fn what_is_hidden_is_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("blink.gltf");
    std::fs::write(&file, small().to_string()).unwrap();
    let covered = |time: &str| {
        let out = folder.path().join("mask.png");
        rigview(
            ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()].into_iter().chain(
                [
                    "--pass", "mask", "--size", "90x60", "--time", time, "--eye", "2,0.5,5",
                    "--target", "2,0.5,0", "--fov-y", "60",
                ],
            ),
        )
        .done();
        let picture = image::open(&out).unwrap().into_rgb8();
        picture.pixels().filter(|pixel| pixel.0[0] > 0).count()
    };
    let (both, one) = (covered("0"), covered("1.5"));
    assert!(one > 50, "{one} pixels");
    assert_eq!(both, 2 * one, "the same square twice");
}

#[test]
fn materials_change_in_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("signal.gltf");
    std::fs::write(&file, small().to_string()).unwrap();
    for (time, color) in [("0", [255, 255, 255]), ("1", [255, 0, 0]), ("2", [0, 255, 0])] {
        let out = folder.path().join("albedo.png");
        let arguments = [
            "screenshot",
            file.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
            "--pass",
            "albedo",
            "--size",
            "40x40",
            "--time",
            time,
            "--eye",
            "0.5,0.5,3",
            "--target",
            "0.5,0.5,0",
        ];
        rigview(arguments).done();
        let picture = image::open(&out).unwrap().into_rgb8();
        assert_eq!(picture.get_pixel(20, 20).0, color, "at {time} s");
    }
}

#[test]
fn pointers_of_a_whole_file_are_read() {
    let Some(shared) = shared("pointers_of_a_whole_file_are_read") else { return };
    let file = "models/BlenderIO/24_animation_pointer/24_animation_pointer.gltf";
    let loaded = load(&shared.join(file), &ImportOptions::DEFAULT).unwrap();
    let model = loaded.model;
    let mut stage = Stage::new(&model, 0);
    let clip = &model.clips[0];
    stage.pose(&model, Some(clip), f64::from(clip.duration_secs()) * 0.5);
    let moved = |a: &LightKind, b: &LightKind| a != b;
    assert!(moved(&stage.properties.lights[3].kind, &model.lights[3].kind));
    assert_ne!(stage.properties.cameras[2], model.cameras[2]);
    assert_eq!(stage.properties.cameras[0], model.cameras[0], "nothing drives it");
    assert_ne!(stage.properties.materials[2].base_color, model.materials[2].base_color);
    let left_out: Vec<_> =
        loaded.warnings.iter().filter(|w| w.code.as_str() == "CHANNEL_LEFT_OUT").collect();
    // The file names an offset where none can be: beside a texture's scale.
    assert!(left_out.iter().all(|w| w.message.contains("/normalTexture/offset")), "{left_out:?}");
}

#[test]
fn diff_tells_which_animated_property_differs() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["a.gltf", "b.gltf"].map(|name| folder.path().join(name));
    let mut json = small();
    std::fs::write(&a, json.to_string()).unwrap();
    // The material's colour is white until 1 s, instead of turning red by then.
    json["animations"][0]["samplers"][3]["interpolation"] = json!("STEP");
    std::fs::write(&b, json.to_string()).unwrap();
    let diff = |b: &std::path::Path| {
        rigview([&["diff", "--json"], &[a.to_str().unwrap(), b.to_str().unwrap()][..]].concat())
    };
    diff(&a).done();
    let found = diff(&b).failed(1).json();
    let change = &found["structure"][0];
    assert_eq!((&change["kind"], &change["change"]), (&json!("clip"), &json!("changed")));
    // Just before the key at 1 s it is still white, and in the other almost red.
    assert_eq!(change["what"], json!("material 0: base color is off by 1.0000 at 1.000 s"));
    assert_eq!(found["structure"].as_array().unwrap().len(), 1);
}

/// A lamp that the file hides for the whole clip does not replace the key light; one that blinks does, while it is off too.
#[test]
fn a_hidden_lamp_leaves_the_key_light_on() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("lamp.gltf"), folder.path().join("lamp.png"));
    let shown = |change: &dyn Fn(&mut Value)| {
        let mut json = small();
        json["extensions"]["KHR_lights_punctual"]["lights"][0] = json!({"type": "directional"});
        // Only the lamp is hidden and shown.
        json["nodes"][1] = json!({"children": [2]});
        json["nodes"][4]["extensions"]["KHR_node_visibility"] = json!({});
        json["animations"][0]["channels"] = json!([json["animations"][0]["channels"][1]]);
        change(&mut json);
        std::fs::write(&file, json.to_string()).unwrap();
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        rigview([&paths[..], &["--size", "96x64", "--time", "1.5"]].concat()).done();
        image::open(&out).unwrap().into_rgb8()
    };
    let without = shown(&|json| json["nodes"][4] = json!({}));
    let lit = shown(&|_| {});
    let hide = |json: &mut Value| {
        json["nodes"][4]["extensions"]["KHR_node_visibility"] = json!({"visible": false});
    };
    let blink = |json: &mut Value| {
        let mut channel = small()["animations"][0]["channels"][0].clone();
        channel["target"]["extensions"]["KHR_animation_pointer"]["pointer"] =
            json!("/nodes/4/extensions/KHR_node_visibility/visible");
        json["animations"][0]["channels"].as_array_mut().unwrap().push(channel);
    };
    assert_eq!(shown(&hide), without);
    assert_ne!(lit, without);
    let off = shown(&blink);
    let sum = |picture: &image::RgbImage| picture.iter().map(|v| u32::from(*v)).sum::<u32>();
    assert!(sum(&off) < sum(&lit) && sum(&off) < sum(&without));
}
