//! Changes that no vertex shows: morph targets at weight 0, cameras and lights, avatars, variants, other scenes, holes
//! and the ends of clips.

use serde_json::{Value, json};

use super::{Models, distance, floats, keys, kinds};
use crate::support::SmallModel;

/// Asserts that a model has one change of structure, and returns what it says.
pub fn only<'a>(got: &'a Value, kind: &str, name: &str) -> &'a str {
    assert_eq!((kinds(got), &got["structure"][0]["name"]), (vec![kind], &json!(name)), "{got}");
    got["structure"][0]["what"].as_str().unwrap()
}

/// A square with a morph target that moves one corner by `far` along Z.
fn smiling(json: &mut Value, far: f32, names: Value) {
    let deltas = floats(json, "VEC3", &[0., 0., 0., 0., 0., far, 0., 0., 0., 0., 0., 0.]);
    json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": deltas}]);
    json["meshes"][0]["name"] = json!("face");
    json["meshes"][0]["extras"] = json!({"targetNames": names});
    json["nodes"][0]["scale"] = json!([2, 2, 2]);
}

/// The node doubles the distance of 2 mm.
#[test]
fn a_morph_target_is_compared_where_nothing_shows_it() {
    let models = Models::new();
    models.write("a.gltf", &["Turn"], |json| smiling(json, 0.5, json!(["smile"])));
    models.write("b.gltf", &["Turn"], |json| smiling(json, 0.502, json!(["smile"])));
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(distance(&got["clips"][0]), 0.0);
    let what = only(&got, "mesh", "face");
    assert!(
        what.contains("\"smile\" moves 1 of 4 vertices elsewhere, by up to 4.000 mm"),
        "{what}"
    );
    models.diff("a.gltf", "b.gltf", &["--tolerance", "0.0041"]).done();
    models.diff("a.gltf", "b.gltf", &["--tolerance", "0.0039"]).failed(1);
    models.diff("a.gltf", "b.gltf", &["--ignore", "mesh"]).done();
}

#[test]
fn lost_and_other_names_of_morph_targets_are_changes() {
    let models = Models::new();
    models.write("a.gltf", &[], |json| smiling(json, 0.5, json!(["smile"])));
    models.write("b.gltf", &[], |json| smiling(json, 0.5, json!([])));
    models.write("c.gltf", &[], |json| smiling(json, 0.5, json!(["grin"])));
    let said = |a: &str, b: &str| only(&models.json(a, b, 1), "mesh", "face").to_owned();
    assert_eq!(said("a.gltf", "b.gltf"), "without the names of its morph targets");
    // Some tools number targets that had no names.
    models.json("b.gltf", "a.gltf", 0);
    assert_eq!(said("a.gltf", "c.gltf"), "names of morph targets 0 smile -> grin");
}

/// Each target moves a corner of its own. In another order, the clip's weights too, the face shows the same.
#[test]
fn morph_targets_belong_together_by_name() {
    let models = Models::new();
    let write = |name: &str, targets: &[(&str, f32)]| {
        models.write(name, &[], |json| {
            let deltas: Vec<Value> = targets
                .iter()
                .map(|(_, far)| {
                    let deltas = [0., 0., 0., 0., 0., *far, 0., 0., 0., 0., 0., 0.];
                    json!({"POSITION": floats(json, "VEC3", &deltas)})
                })
                .collect();
            json["meshes"][0]["primitives"][0]["targets"] = json!(deltas);
            json["meshes"][0]["name"] = json!("face");
            let names: Vec<&str> = targets.iter().map(|(name, _)| *name).collect();
            json["meshes"][0]["extras"] = json!({"targetNames": names});
        });
    };
    write("a.gltf", &[("smile", 0.5), ("blink", 0.1)]);
    let said = |b: &str| only(&models.json("a.gltf", b, 1), "mesh", "face").to_owned();
    write("turned.gltf", &[("blink", 0.1), ("smile", 0.5)]);
    let names = "names of morph targets 0 smile -> blink; names of morph targets 1 blink -> smile";
    assert_eq!(said("turned.gltf"), names);
    write("more.gltf", &[("frown", 0.3), ("smile", 0.5), ("blink", 0.1)]);
    let said = said("more.gltf");
    assert!(
        said.starts_with("morph targets 2 -> 3; names of morph targets 0 smile -> frown"),
        "{said}"
    );
    write("other.gltf", &[("blink", 0.1), ("smile", 0.25)]);
    let got = models.json("a.gltf", "other.gltf", 1);
    let what = got["structure"].to_string();
    assert!(what.contains("\\\"smile\\\" moves 1 of 4 vertices elsewhere"), "{what}");
    assert!(!what.contains("\\\"blink\\\" moves"), "{what}");
}

/// Adds a camera, a lamp and a node without contents below the square, at these places.
pub fn furnished(json: &mut Value, camera: [f32; 3], lamp_turn: [f32; 4], socket: [f32; 3]) {
    json["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]);
    json["extensionsUsed"] = json!(["KHR_lights_punctual"]);
    json["extensions"] = json!({"KHR_lights_punctual": {"lights": [{"type": "directional"}]}});
    let lamp = json!({"KHR_lights_punctual": {"light": 0}});
    json["nodes"] = json!([{"name": "square", "mesh": 0, "children": [3]},
        {"name": "camera", "camera": 0, "translation": camera},
        {"name": "lamp", "rotation": lamp_turn, "extensions": lamp},
        {"name": "socket", "translation": socket}]);
    json["scenes"][0]["nodes"] = json!([0, 1, 2]);
}

#[test]
fn cameras_lights_and_nodes_to_attach_things_to_are_compared() {
    let models = Models::new();
    let still = [0., 0., 0., 1.];
    let with = |name: &str, camera: [f32; 3], lamp: [f32; 4], socket: [f32; 3]| {
        models.write(name, &["Turn"], |json| furnished(json, camera, lamp, socket));
    };
    with("a.gltf", [0., 0., 5.], still, [1., 0., 0.]);
    let got = |name: &str| models.json("a.gltf", name, 1);
    with("camera.gltf", [0., 3., 5.], still, [1., 0., 0.]);
    assert_eq!(only(&got("camera.gltf"), "node", "camera"), "3000.000 mm elsewhere at rest");
    models.write("wide.gltf", &["Turn"], |json| {
        furnished(json, [0., 0., 5.], still, [1., 0., 0.]);
        json["cameras"][0]["perspective"]["yfov"] = json!(1.5);
    });
    assert_eq!(only(&got("wide.gltf"), "node", "camera"), "camera perspective yfov 1 -> 1.5");
    with("lamp.gltf", [0., 0., 5.], [0.5, 0.5, 0.5, 0.5], [1., 0., 0.]);
    assert_eq!(only(&got("lamp.gltf"), "node", "lamp"), "turned by 90.0 degrees at rest");
    with("socket.gltf", [0., 0., 5.], still, [1., 0.004, 0.]);
    assert_eq!(only(&got("socket.gltf"), "node", "socket"), "4.000 mm elsewhere at rest");
    models.diff("a.gltf", "socket.gltf", &["--tolerance", "0.0041"]).done();
    // A directional light shines from anywhere, and the roll about its direction does not show.
    models.write("same.gltf", &["Turn"], |json| {
        furnished(json, [0., 0., 5.], [0., 0., 0.6, 0.8], [1., 0., 0.]);
        json["nodes"][2]["translation"] = json!([7, 0, 0]);
    });
    models.json("a.gltf", "same.gltf", 0);
}

/// A negative scale mirrors what is attached.
#[test]
fn the_scale_of_a_node_to_attach_things_to_is_compared() {
    let models = Models::new();
    let with = |name: &str, scale: [f32; 3]| {
        models.write(name, &[], |json| {
            furnished(json, [0., 0., 5.], [0., 0., 0., 1.], [1., 0., 0.]);
            json["nodes"][3]["scale"] = json!(scale);
        });
    };
    with("a.gltf", [1., 1., 1.]);
    with("rounded.gltf", [1.0005, 1., 1.]);
    models.json("a.gltf", "rounded.gltf", 0);
    with("large.gltf", [2., 2., 2.]);
    with("mirrored.gltf", [-1., 1., 1.]);
    let said = |name: &str| only(&models.json("a.gltf", name, 1), "node", "socket").to_owned();
    assert_eq!(said("large.gltf"), "scaled by 2.000 at rest");
    assert_eq!(said("mirrored.gltf"), "scaled by -1.000 at rest");
    // No distance stands for a scale.
    models.diff("a.gltf", "large.gltf", &["--tolerance", "10"]).failed(1);
    // Cameras and lights have no size.
    models.write("camera.gltf", &[], |json| {
        furnished(json, [0., 0., 5.], [0., 0., 0., 1.], [1., 0., 0.]);
        json["nodes"][1]["scale"] = json!([2, 2, 2]);
    });
    models.json("a.gltf", "camera.gltf", 0);
    let grows = |name: &str, scale: f32| {
        models.write(name, &["Grow"], |json| {
            furnished(json, [0., 0., 5.], [0., 0., 0., 1.], [1., 0., 0.]);
            keys(json, "scale", "LINEAR", &[0., 2.], &[1., 1., 1., scale, scale, scale]);
            json["animations"][0]["channels"][0]["target"]["node"] = json!(3);
        });
    };
    grows("still.gltf", 1.0);
    grows("grows.gltf", 3.0);
    let got = models.json("still.gltf", "grows.gltf", 1);
    let what = only(&got, "node", "socket");
    assert_eq!(what, "scaled by 3.000 in clip \"Grow\" at 2.000 s");
    for (a, b, says) in [
        ("a.gltf", "gone.gltf", "scaled to nothing at rest"),
        ("gone.gltf", "a.gltf", "no longer scaled to nothing at rest"),
    ] {
        with("gone.gltf", [1e-9; 3]);
        assert_eq!(only(&models.json(a, b, 1), "node", "socket"), says);
    }
    with("hidden.gltf", [0.0; 3]);
    let kinds = models.json("gone.gltf", "hidden.gltf", 0);
    assert!(kinds["structure"].as_array().unwrap().is_empty(), "{kinds}");
}

/// Rounding of the scale at rest weighs more than the limit of places, and yet does not count.
#[test]
fn a_scale_that_is_rounded_hides_no_move_in_a_clip() {
    let models = Models::new();
    let with = |name: &str, scale: f32, off: f32| {
        models.write(name, &["Move"], |json| {
            furnished(json, [0., 0., 5.], [0., 0., 0., 1.], [1., 0., 0.]);
            json["nodes"][3]["scale"] = json!([scale, scale, scale]);
            keys(json, "translation", "LINEAR", &[0., 2.], &[1., 0., 0., 1., off, 0.]);
            json["animations"][0]["channels"][0]["target"]["node"] = json!(3);
        });
    };
    with("a.gltf", 1.0, 0.0);
    with("b.gltf", 1.0009, 0.0005);
    let got = models.json("a.gltf", "b.gltf", 1);
    let what = only(&got, "node", "socket");
    assert_eq!(what, "0.500 mm elsewhere in clip \"Move\" at 2.000 s");
}

/// The square and what hangs on it are in centimetres below a node that makes them as small as they were.
#[test]
fn the_unit_of_a_rig_is_no_scale_of_the_nodes_on_it() {
    let models = Models::new();
    let with = |name: &str, unit: f32| {
        models.write(name, &["Turn"], |json| {
            furnished(json, [0., 0., 5.], [0., 0., 0., 1.], [unit, 0., 0.]);
            let places: Vec<f32> = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]]
                .iter()
                .flat_map(|[x, y]| [unit * x, unit * y, 0.])
                .collect();
            let positions = floats(json, "VEC3", &places);
            json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(positions);
            json["nodes"][0]["scale"] = json!([1. / unit, 1. / unit, 1. / unit]);
        });
    };
    with("a.gltf", 1.0);
    with("b.gltf", 100.0);
    models.json("a.gltf", "b.gltf", 0);
}

#[test]
fn entries_with_one_name_are_told_apart_by_their_indices() {
    let models = Models::new();
    let with = |name: &str, second: usize| {
        models.write(name, &[], |json| {
            json["meshes"][0]["name"] = json!("body");
            let mesh = json["meshes"][0].clone();
            json["meshes"] = json!(vec![mesh; 1 + second]);
            // A copy would be no other mesh.
            json["meshes"][second]["primitives"][0]["mode"] =
                json!(if second == 0 { 4 } else { 5 });
            json["nodes"] =
                json!([{"name": "square", "mesh": 0}, {"name": "other", "mesh": second}]);
            json["scenes"][0]["nodes"] = json!([0, 1]);
        });
    };
    with("a.gltf", 0);
    with("b.gltf", 1);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(got["structure"][0]["what"], json!("mesh \"body\" -> 1 \"body\""), "{got}");
}

/// A clip moves the camera, by 3 m in one file and by 4 m in the other.
#[test]
fn a_camera_that_only_a_clip_moves_is_compared_with_its_time() {
    let models = Models::new();
    let with = |name: &str, far: f32| {
        models.write(name, &["Drive"], |json| {
            furnished(json, [0., 0., 5.], [0., 0., 0., 1.], [1., 0., 0.]);
            keys(json, "translation", "LINEAR", &[0., 2.], &[0., 0., 5., far, 0., 5.]);
            json["animations"][0]["channels"][0]["target"]["node"] = json!(1);
        });
    };
    with("a.gltf", 3.0);
    with("b.gltf", 4.0);
    let got = models.json("a.gltf", "b.gltf", 1);
    let what = only(&got, "node", "camera");
    assert_eq!(what, "1000.000 mm elsewhere in clip \"Drive\" at 2.000 s");
}

/// Where a joint moves what is attached to it, the distance at the vertices says so already.
#[test]
fn a_node_that_moves_with_the_vertices_is_no_change_of_its_own() {
    let models = Models::new();
    let with = |name: &str, x: f32| {
        models.write(name, &[], |json| {
            furnished(json, [0., 0., 5.], [0., 0., 0., 1.], [1., 0., 0.]);
            json["nodes"][0]["translation"] = json!([x, 0, 0]);
        });
    };
    with("a.gltf", 0.0);
    with("b.gltf", 0.003);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(kinds(&got), [""; 0], "{got}");
    models.diff("a.gltf", "b.gltf", &["--tolerance", "0.0031"]).done();
}

/// The node of the other scene is a metre away.
#[test]
fn scenes_beside_the_default_one_are_compared() {
    let models = Models::new();
    let with = |name: &str, x: f32, scenes: Value| {
        models.write(name, &[], |json| {
            json["nodes"] = json!([{"name": "square", "mesh": 0},
                {"name": "other", "mesh": 0, "translation": [x, 0, 0]}, {"name": "third"}]);
            json["scenes"] = scenes;
        });
    };
    let two = json!([{"nodes": [0]}, {"name": "attic", "nodes": [1]}]);
    with("a.gltf", 0.0, two.clone());
    with("b.gltf", 1.0, two);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(only(&got, "node", "other"), "1000.000 mm elsewhere at rest");
    with("c.gltf", 0.0, json!([{"nodes": [0]}, {"name": "attic", "nodes": [1, 2]}]));
    let got = models.json("a.gltf", "c.gltf", 1);
    assert_eq!(only(&got, "scene", "attic"), "with nodes \"third\"");
    with("d.gltf", 0.0, json!([{"nodes": [0]}]));
    let got = models.json("a.gltf", "d.gltf", 1);
    only(&got, "scene", "attic");
    assert_eq!(got["structure"][0]["change"], "removed");
}

#[test]
fn the_materials_of_variants_are_compared() {
    let models = Models::new();
    let with = |name: &str, variants: Value, mappings: Value| {
        models.write(name, &[], |json| {
            json["extensionsUsed"] = json!(["KHR_materials_variants"]);
            json["extensions"] = json!({"KHR_materials_variants": {"variants": variants}});
            json["materials"] = json!([{"name": "red"}, {"name": "blue", "doubleSided": true}]);
            json["meshes"][0]["name"] = json!("shoe");
            json["meshes"][0]["primitives"][0]["material"] = json!(0);
            json["meshes"][0]["primitives"][0]["extensions"] =
                json!({"KHR_materials_variants": {"mappings": mappings}});
        });
    };
    let names = json!([{"name": "day"}, {"name": "night"}]);
    with("a.gltf", names.clone(), json!([{"material": 1, "variants": [1]}]));
    with(
        "same.gltf",
        names,
        json!([{"material": 0, "variants": [0]},
        {"material": 1, "variants": [1]}]),
    );
    models.json("a.gltf", "same.gltf", 0);
    let exchanged = json!([{"name": "night"}, {"name": "day"}]);
    with("b.gltf", exchanged.clone(), json!([{"material": 1, "variants": [1]}]));
    let got = models.json("a.gltf", "b.gltf", 1);
    let what = only(&got, "mesh", "shoe");
    assert!(
        what.contains("variants \"night\" removed") && what.contains("variants \"day\" added"),
        "{what}"
    );
    with("c.gltf", json!([{"name": "day"}]), json!([]));
    let got = models.json("a.gltf", "c.gltf", 1);
    assert_eq!(kinds(&got), ["mesh", "variant"], "{got}");
    assert_eq!(got["structure"][0]["what"], "variants \"night\" removed", "{got}");
    let lost = &got["structure"][1];
    assert_eq!((&lost["name"], &lost["change"]), (&json!("night"), &json!("removed")), "{got}");
}

/// An avatar with an expression that shows the morph target with this weight.
fn avatar(json: &mut Value, hips: usize, weight: f32) {
    smiling(json, 0.5, json!(["smile"]));
    json["extensionsUsed"] = json!(["VRMC_vrm"]);
    json["nodes"] = json!([{"name": "face", "mesh": 0}, {"name": "hips"}, {"name": "belly"}]);
    json["scenes"][0]["nodes"] = json!([0, 1, 2]);
    let happy = json!({"morphTargetBinds": [{"node": 0, "index": 0, "weight": weight}]});
    json["extensions"] = json!({"VRMC_vrm": {"specVersion": "1.0",
        "meta": {"name": "Ada", "authors": ["Bo"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
        "humanoid": {"humanBones": {"hips": {"node": hips}}},
        "expressions": {"preset": {"happy": happy}}}});
}

#[test]
fn avatars_are_compared() {
    let models = Models::new();
    models.write("a.gltf", &[], |json| avatar(json, 1, 1.0));
    models.json("a.gltf", "a.gltf", 0);
    models.write("weaker.gltf", &[], |json| avatar(json, 1, 0.5));
    let got = models.json("a.gltf", "weaker.gltf", 1);
    let what = only(&got, "vrm", "expression \"happy\"");
    assert!(what.contains("morphs 0 weight 1 -> 0.5"), "{what}");
    models.write("bone.gltf", &[], |json| avatar(json, 2, 1.0));
    let got = models.json("a.gltf", "bone.gltf", 1);
    assert_eq!(only(&got, "vrm", "humanoid"), "hips \"hips\" -> \"belly\"");
    models.write("none.gltf", &[], |json| {
        avatar(json, 1, 1.0);
        json["extensions"] = json!({});
        json["extensionsUsed"] = json!([]);
    });
    let got = models.json("a.gltf", "none.gltf", 1);
    only(&got, "vrm", "avatar");
    assert_eq!(got["structure"][0]["change"], "removed");
    models.diff("a.gltf", "none.gltf", &["--ignore", "vrm"]).done();
}

/// The second triangle is replaced by the first one.
#[test]
fn a_hole_is_found_though_the_number_of_triangles_is_the_same() {
    let models = Models::new();
    let corners = [[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.], [0., 3., 0.]];
    let with = |name: &str, order: &[usize]| {
        let places: Vec<f32> = order.iter().flat_map(|i| corners[*i]).collect();
        models.write(name, &[], |json| {
            let positions = floats(json, "VEC3", &places);
            json["meshes"][0] = json!({"name": "quad",
                "primitives": [{"attributes": {"POSITION": positions}}]});
        });
    };
    with("a.gltf", &[0, 1, 2, 0, 2, 3, 3, 2, 4]);
    with("hole.gltf", &[3, 2, 4, 0, 1, 2, 3, 2, 4]);
    let got = models.json("a.gltf", "hole.gltf", 1);
    let what = only(&got, "mesh", "quad");
    assert!(what.contains("1 of 3 triangles are missing") && what.contains("triangle 1"), "{what}");
    // The square is cut along its other diagonal: no surface is lost.
    with("diagonal.gltf", &[3, 2, 4, 0, 1, 3, 1, 2, 3]);
    models.json("a.gltf", "diagonal.gltf", 0);
}

/// The clip holds its last pose for four more seconds.
#[test]
fn a_clip_that_lasts_longer_is_a_change() {
    let models = Models::new();
    models.write("a.gltf", &["Turn"], |_| ());
    let half = [0., 0., 1., 0.];
    models.write("b.gltf", &["Turn"], |json| {
        let values = [[0., 0., 0., 1.], half, half].concat();
        keys(json, "rotation", "LINEAR", &[0., 2., 6.], &values);
    });
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(only(&got, "clip", "Turn"), "lasts 6.000 s instead of 2.000 s");
    assert_eq!(got["clips"][0]["durations"], json!([2.0, 6.0]));
    // A frame is what resampling costs.
    models.write("c.gltf", &["Turn"], |json| {
        let values = [[0., 0., 0., 1.], half, half].concat();
        keys(json, "rotation", "LINEAR", &[0., 2., 2.03], &values);
    });
    models.json("a.gltf", "c.gltf", 0);
}

#[test]
fn attributes_of_applications_are_compared() {
    let models = Models::new();
    let with = |name: &str, attribute: &str, values: [f32; 4]| {
        models.write(name, &[], |json| {
            json["meshes"][0]["name"] = json!("quad");
            let accessor = floats(json, "SCALAR", &values);
            json["meshes"][0]["primitives"][0]["attributes"][attribute] = json!(accessor);
        });
    };
    with("a.gltf", "_WETNESS", [0., 0.5, 1., 0.25]);
    with("quantized.gltf", "_WETNESS", [0., 0.5004, 1., 0.25]);
    models.json("a.gltf", "quantized.gltf", 0);
    with("b.gltf", "_WETNESS", [0., 0.5, 0.75, 0.25]);
    let got = models.json("a.gltf", "b.gltf", 1);
    let what = only(&got, "attribute", "quad");
    assert!(what.contains("1 of 4 vertices differ in _WETNESS by up to 0.25"), "{what}");
    assert!(what.contains("vertex 2 of primitive 0"), "{what}");
    models.diff("a.gltf", "b.gltf", &["--ignore", "attribute"]).done();
    // Whole numbers may be indices.
    with("ids.gltf", "_ID", [0., 7., 5000., 3.]);
    with("other.gltf", "_ID", [0., 7., 5000., 4.]);
    only(&models.json("ids.gltf", "other.gltf", 1), "attribute", "quad");
}

#[test]
fn normals_of_morph_targets_are_compared() {
    let models = Models::new();
    let with = |name: &str, turned: Option<f32>| {
        models.write(name, &[], |json| {
            smiling(json, 0.5, json!(["smile"]));
            let normals = floats(json, "VEC3", &[0., 0., 1.].repeat(4));
            json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(normals);
            if let Some(turned) = turned {
                let deltas = [0., 0., 0., turned, 0., 0., 0., 0., 0., 0., 0., 0.];
                let deltas = floats(json, "VEC3", &deltas);
                json["meshes"][0]["primitives"][0]["targets"][0]["NORMAL"] = json!(deltas);
            }
        });
    };
    with("a.gltf", Some(1.0));
    with("b.gltf", Some(0.0));
    with("lost.gltf", None);
    for other in ["b.gltf", "lost.gltf"] {
        let got = models.json("a.gltf", other, 1);
        let what = only(&got, "normals", "face");
        assert!(what.contains("1 of 4 vertices differ in NORMAL of morph targets"), "{what}");
        assert!(what.contains("by up to 45.0 degrees"), "{what}");
    }
}

/// Programs merge and reorder accessors, samplers and textures, so only what is stored in them counts.
#[test]
fn extras_of_objects_without_names_are_compared_as_sets() {
    type Edit<'a> = &'a dyn Fn(&mut Value);
    let models = Models::new();
    let with = |name: &str, edit: &dyn Fn(&mut Value)| {
        models.write(name, &["Turn"], |json| {
            keys(json, "translation", "LINEAR", &[0.0, 1.0], &[0.0; 6]);
            json["asset"]["copyright"] = json!("Ann");
            json["accessors"][0]["extras"] = json!({"role": 1});
            json["samplers"] = json!([{"extras": "sharp"}, {}]);
            json["animations"][0]["channels"][0]["extras"] = json!({"curve": "fcurve"});
            json["animations"][0]["samplers"][0]["extras"] = json!(7);
            edit(json);
        });
    };
    with("a.gltf", &|_| ());
    with("moved.gltf", &|json| {
        json["asset"]["generator"] = json!("another");
        json["accessors"][0]["extras"] = json!(null);
        json["accessors"][1]["extras"] = json!({"role": 1.0});
        json["samplers"] = json!([{}, {"extras": "sharp"}, {"extras": "sharp"}]);
    });
    models.json("a.gltf", "moved.gltf", 0);
    let changes: [(&str, Edit, &str, &str); 6] = [
        ("b", &|j| j["accessors"][0]["extras"] = json!(2), "accessors", "{\"role\":1} -> 2"),
        ("c", &|j| j["samplers"] = json!([]), "samplers", "\"sharp\" -> none"),
        ("d", &|j| j["textures"] = json!([{"extras": 1}]), "textures", "none -> 1"),
        (
            "e",
            &|j| j["animations"][0]["channels"][0]["extras"] = json!(null),
            "channels of clip Turn",
            "{\"curve\":\"fcurve\"} -> none",
        ),
        (
            "f",
            &|j| j["animations"][0]["samplers"][0]["extras"] = json!(8),
            "samplers of clip Turn",
            "7 -> 8",
        ),
        ("g", &|j| j["asset"]["copyright"] = json!("Bob"), "asset", "copyright \"Ann\" -> \"Bob\""),
    ];
    for (name, edit, place, what) in changes {
        with(&format!("{name}.gltf"), edit);
        let got = models.json("a.gltf", &format!("{name}.gltf"), 1);
        assert_eq!(only(&got, "extras", place), what, "{got}");
    }
}

#[test]
fn what_only_applications_read_is_compared() {
    let models = Models::new();
    let with = |name: &str, edit: &dyn Fn(&mut Value)| {
        models.write(name, &[], |json| {
            json["extensionsUsed"] = json!(["ACME_physics"]);
            json["nodes"][0]["extensions"] = json!({"ACME_physics": {"mass": 3}});
            json["meshes"][0]["primitives"][0]["extras"] = json!({"lod": 1});
            json["meshes"][0]["name"] = json!("quad");
            edit(json);
        });
    };
    with("a.gltf", &|_| ());
    models.json("a.gltf", "a.gltf", 0);
    with("b.gltf", &|json| json["nodes"][0]["extensions"] = json!({"ACME_physics": {"mass": 4}}));
    let got = models.json("a.gltf", "b.gltf", 1);
    let what = only(&got, "extras", "node square");
    assert_eq!(what, "{\"ACME_physics\":{\"mass\":3}} -> {\"ACME_physics\":{\"mass\":4}}");
    with("c.gltf", &|json| json["meshes"][0]["primitives"][0]["extras"] = json!({"lod": 2}));
    let got = models.json("a.gltf", "c.gltf", 1);
    assert_eq!(only(&got, "extras", "primitives of mesh quad"), "{\"lod\":1} -> {\"lod\":2}");
}

#[test]
fn chunks_that_gltf_does_not_define_are_compared() {
    let models = Models::new();
    let with = |name: &str, chunk: &[u8]| {
        let mut bytes = SmallModel::new().glb();
        bytes.extend(u32::try_from(chunk.len()).unwrap().to_le_bytes());
        bytes.extend(b"ACME");
        bytes.extend(chunk);
        let length = u32::try_from(bytes.len()).unwrap();
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
        std::fs::write(models.path(name), bytes).unwrap();
    };
    with("a.glb", b"abcd");
    with("b.glb", b"abce");
    models.json("a.glb", "a.glb", 0);
    assert_eq!(only(&models.json("a.glb", "b.glb", 1), "extras", "chunk ACME"), "other bytes");
    std::fs::write(models.path("none.glb"), SmallModel::new().glb()).unwrap();
    let got = models.json("a.glb", "none.glb", 1);
    only(&got, "extras", "chunk ACME");
    assert_eq!(got["structure"][0]["change"], json!("removed"));
}
