//! Lists in another order whose entries have no names, or one name: they are known by their place, their content and their use.

use serde_json::{Value, json};

use super::{Models, distance, floats, kinds};
use crate::support::{accessor, data_uri};

/// Adds a mesh without a name: a quad of this size around a centre.
fn quad(json: &mut Value, [x, y]: [f32; 2], size: f32) -> usize {
    let corners = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]];
    let places: Vec<f32> = [0, 1, 2, 0, 2, 3]
        .into_iter()
        .flat_map(|i: usize| [x + size * corners[i][0], y + size * corners[i][1], 0.0])
        .collect();
    let position = floats(json, "VEC3", &places);
    let meshes = json["meshes"].as_array_mut().unwrap();
    meshes.push(json!({"primitives": [{"attributes": {"POSITION": position}}]}));
    meshes.len() - 1
}

/// Sets the nodes, all of which are roots.
fn nodes(json: &mut Value, nodes: Vec<Value>) {
    json["scenes"][0]["nodes"] = (0..nodes.len()).collect();
    json["nodes"] = Value::from(nodes);
}

fn is_equal(got: &Value) {
    assert_eq!(got["equal"], json!(true), "{got}");
    assert_eq!((distance(&got["rest"]), kinds(got).len()), (0.0, 0), "{got}");
}

#[test]
fn nodes_of_one_name_are_paired_by_their_places() {
    let models = Models::new();
    let wheels = |name: &str, places: [f32; 3]| {
        models.write(name, &[], |json| {
            let wheel = |x: f32| json!({"name": "Wheel", "mesh": 0, "translation": [x, 0, 0]});
            nodes(json, places.map(wheel).to_vec());
        });
    };
    wheels("a.gltf", [0.0, 3.0, 6.0]);
    wheels("b.gltf", [6.0, 0.0, 3.0]);
    is_equal(&models.json("a.gltf", "b.gltf", 0));
    // One of them is moved by 50 mm.
    wheels("moved.gltf", [6.0, 0.0, 3.05]);
    let got = models.json("a.gltf", "moved.gltf", 1);
    assert!((distance(&got["rest"]) - 0.05).abs() < 1e-5, "{got}");
}

/// Two chains of nodes have equal paths: those below a node follow it.
#[test]
fn nodes_below_those_of_one_name_belong_to_their_parents() {
    let models = Models::new();
    let chains = |name: &str, [first, second]: [f32; 2]| {
        models.write(name, &[], |json| {
            let arm = |x: f32, hand: usize| {
                json!({"name": "Arm", "translation": [x, 0, 0], "children": [hand]})
            };
            let hand = json!({"name": "Hand", "mesh": 0, "translation": [0, 1, 0]});
            let list = vec![hand.clone(), arm(first, 3), arm(second, 0), hand];
            nodes(json, list);
            json["scenes"][0]["nodes"] = json!([1, 2]);
        });
    };
    chains("a.gltf", [0.0, 5.0]);
    chains("b.gltf", [5.0, 0.0]);
    is_equal(&models.json("a.gltf", "b.gltf", 0));
}

/// Their meshes have equal counts, so only their places tell them apart.
#[test]
fn nodes_without_names_are_paired_by_their_transforms() {
    let models = Models::new();
    let three = |name: &str, order: [usize; 3], sizes: [f32; 3]| {
        models.write(name, &[], |json| {
            let centres = [[0, 0, 0], [5, 0, 0], [0, 5, 0]];
            let meshes: Vec<usize> = (0..3).map(|i| quad(json, [0.0, 0.0], sizes[i])).collect();
            let node = |i: &usize| json!({"mesh": meshes[*i], "translation": centres[*i]});
            nodes(json, order.iter().map(node).collect());
            json["meshes"].as_array_mut().unwrap().remove(0);
            json["nodes"].as_array_mut().unwrap().iter_mut().for_each(|node| {
                node["mesh"] = json!(node["mesh"].as_u64().unwrap() - 1);
            });
        });
    };
    three("a.gltf", [0, 1, 2], [1.0; 3]);
    three("b.gltf", [2, 0, 1], [1.0; 3]);
    is_equal(&models.json("a.gltf", "b.gltf", 0));
    // The corners of one quad are moved outwards by 0.01 times the root of 2.
    three("larger.gltf", [2, 0, 1], [1.0, 1.01, 1.0]);
    let got = models.json("a.gltf", "larger.gltf", 1);
    let far = 0.01 * f64::from(2.0_f32.sqrt());
    assert!((distance(&got["rest"]) - far).abs() < 1e-5, "{got}");
}

/// The same mesh is drawn by an unnamed node below the one that drew it.
#[test]
fn a_node_without_a_name_may_carry_the_mesh_of_the_one_above_it() {
    let models = Models::new();
    let at = |x: f32| json!([x, 0, 0]);
    models.write("a.gltf", &[], |json| {
        nodes(
            json,
            [0.0, 4.0].map(|x| json!({"name": "n", "mesh": 0, "translation": at(x)})).into(),
        );
        json["nodes"][1]["name"] = json!("m");
    });
    let carried = |name: &str, moved: f32| {
        models.write(name, &[], |json| {
            let above = |name: &str, x: f32, child: usize| {
                json!({"name": name, "translation": at(x), "children": [child]})
            };
            let carrier = |x: f32| json!({"mesh": 0, "translation": at(x)});
            let list =
                vec![above("n", 0.0, 3), above("m", 4.0, 2), carrier(moved), carrier(0.0)];
            nodes(json, list);
            json["scenes"][0]["nodes"] = json!([0, 1]);
        });
    };
    carried("b.gltf", 0.0);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!((distance(&got["rest"]), kinds(&got)), (0.0, vec!["node"; 4]), "{got}");
    carried("moved.gltf", 0.02);
    let got = models.json("a.gltf", "moved.gltf", 1);
    assert!((distance(&got["rest"]) - 0.02).abs() < 1e-5, "{got}");
}

/// Two clips that change the same morph weight or property, in another order and with other values.
#[test]
fn clips_are_paired_by_weights_and_properties() {
    let models = Models::new();
    let clips = |name: &str, names: [&str; 2], ends: [f32; 2], pointer: Option<&str>| {
        models.write(name, &["", ""], |json| {
            let target = floats(json, "VEC3", &[0., 0., 1., 0., 0., 0., 0., 0., 0., 0., 0., 0.]);
            json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": target}]);
            json["materials"] =
                json!([{"name": "m", "pbrMetallicRoughness": {"roughnessFactor": 1}}]);
            json["meshes"][0]["primitives"][0]["material"] = json!(0);
            json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
            for (i, end) in ends.into_iter().enumerate() {
                let output = floats(json, "SCALAR", &[0.0, end]);
                let clip = &mut json["animations"][i];
                clip["name"] = json!(names[i]);
                clip["samplers"][0]["output"] = json!(output);
                clip["channels"][0]["target"] = match pointer {
                    None => json!({"node": 0, "path": "weights"}),
                    Some(to) => json!({"path": "pointer", "extensions":
                        {"KHR_animation_pointer": {"pointer": to}}}),
                };
            }
        });
    };
    let roughness = Some("/materials/0/pbrMetallicRoughness/roughnessFactor");
    for pointer in [None, roughness] {
        clips("a.gltf", ["", ""], [1.0, 0.4], pointer);
        clips("b.gltf", ["", ""], [0.4, 1.0], pointer);
        let got = models.json("a.gltf", "b.gltf", 0);
        assert_eq!(got["clips"].as_array().unwrap().len(), 2, "{got}");
        clips("named.gltf", ["smile", "blink"], [1.0, 0.4], pointer);
        clips("renamed.gltf", ["Blink2", "Smile2"], [0.4, 1.0], pointer);
        let got = models.json("named.gltf", "renamed.gltf", 1);
        let pairs: Vec<_> = got["clips"].as_array().unwrap().iter().map(|c| &c["b"]).collect();
        assert_eq!(pairs, ["Smile2", "Blink2"], "{got}");
        assert_eq!(kinds(&got), ["clip", "clip"], "{got}");
        // A clip that was replaced by another one is no rename.
        clips("other.gltf", ["wink", "blink"], [0.7, 0.4], pointer);
        let got = models.json("named.gltf", "other.gltf", 1);
        let changes: Vec<_> = got["structure"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| [&c["name"], &c["change"]])
            .collect();
        let want = [json!(["smile", "removed"]), json!(["wink", "added"])];
        assert_eq!(json!(changes), json!(want), "{got}");
    }
}

#[test]
fn a_clip_with_another_number_is_another_clip() {
    let models = Models::new();
    let turn = |name: &str, clip: &str, z: f32| {
        models.write(name, &["Idle", clip], |json| {
            let w = (1.0 - z * z).sqrt();
            let output = floats(json, "VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, z, w]);
            json["animations"][1]["samplers"][0]["output"] = json!(output);
        });
    };
    turn("a.gltf", "Attack_1", 1.0);
    turn("b.gltf", "Attack_2", -0.5);
    let got = models.json("a.gltf", "b.gltf", 1);
    let clips = got["clips"].as_array().unwrap();
    assert_eq!((clips.len(), &clips[0]["a"]), (1, &json!("Idle")), "{got}");
    assert_eq!(kinds(&got), ["clip"; 2], "{got}");
    // What exporters add to a name does not count.
    for (name, clip) in [("c.gltf", "Attack"), ("d.gltf", "Rig|Attack_1")] {
        turn(name, clip, -0.5);
        let got = models.json("a.gltf", name, 1);
        assert_eq!(got["clips"][1]["paired_by"], json!("name"), "{got}");
    }
}

/// Two squares with a material each. `order` says which is stored first.
fn coloured(json: &mut Value, name: Option<&str>, order: [usize; 2], colours: [[f32; 4]; 2]) {
    quad(json, [5.0, 0.0], 1.0);
    nodes(json, vec![json!({"name": "l", "mesh": 0}), json!({"name": "r", "mesh": 1})]);
    json["meshes"][0]["name"] = json!("L");
    json["meshes"][1]["name"] = json!("R");
    json["materials"] = json!([{}, {}]);
    for i in 0..2 {
        let mut material = json!({"pbrMetallicRoughness": {"baseColorFactor": colours[i]}});
        if let Some(name) = name {
            material["name"] = json!(name);
        }
        json["materials"][order[i]] = material;
        json["meshes"][i]["primitives"][0]["material"] = json!(order[i]);
    }
}

#[test]
fn a_changed_material_without_a_name_of_its_own_is_known_by_its_use() {
    let models = Models::new();
    let (red, blue, other) = ([1., 0., 0., 1.], [0., 0., 1., 1.], [0., 0.25, 1., 1.]);
    for name in [Some("m"), None] {
        for order in [[0, 1], [1, 0]] {
            models.write("a.gltf", &[], |json| coloured(json, name, [0, 1], [red, blue]));
            models.write("b.gltf", &[], |json| coloured(json, name, order, [red, blue]));
            is_equal(&models.json("a.gltf", "b.gltf", 0));
            models.write("c.gltf", &[], |json| coloured(json, name, order, [red, other]));
            let got = models.json("a.gltf", "c.gltf", 1);
            assert_eq!(kinds(&got), Vec::<&str>::new(), "{got}");
            let what = json!("baseColorFactor 0, 0, 1, 1 -> 0, 0.25, 1, 1");
            assert_eq!(got["materials"].as_array().unwrap().len(), 1, "{got}");
            assert_eq!(got["materials"][0]["what"], what, "{got}");
        }
    }
    // A material that was replaced by one of another name is no changed one.
    models.write("a.gltf", &[], |json| coloured(json, Some("m"), [0, 1], [red, blue]));
    models.write("new.gltf", &[], |json| {
        coloured(json, Some("m"), [0, 1], [red, other]);
        json["materials"][1]["name"] = json!("n");
    });
    let got = models.json("a.gltf", "new.gltf", 1);
    assert_eq!(kinds(&got), ["material", "material", "mesh"], "{got}");
}

#[test]
fn a_changed_image_without_a_name_is_known_by_its_use() {
    let models = Models::new();
    let write = |name: &str, order: [usize; 2], greys: [u8; 2]| {
        models.write(name, &[], |json| {
            coloured(json, None, [0, 1], [[1.0; 4]; 2]);
            json["images"] = json!([{}, {}]);
            json["textures"] = json!([{"source": 0}, {"source": 1}]);
            for i in 0..2 {
                json["images"][order[i]] = json!({"uri": grey(greys[i])});
                json["materials"][i] = json!({"name": format!("m{i}"),
                    "pbrMetallicRoughness": {"baseColorTexture": {"index": order[i]}}});
            }
        });
    };
    write("a.gltf", [0, 1], [10, 200]);
    write("b.gltf", [1, 0], [10, 200]);
    is_equal(&models.json("a.gltf", "b.gltf", 0));
    write("c.gltf", [1, 0], [10, 210]);
    let got = models.json("a.gltf", "c.gltf", 1);
    assert_eq!((kinds(&got), &got["materials"]), (vec!["image"], &json!([])), "{got}");
    assert_eq!(got["structure"][0]["name"], json!("#1"), "{got}");
}

/// Returns a picture of one grey pixel.
fn grey(level: u8) -> String {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[level]).unwrap();
    data_uri(&bytes).replace("application/octet-stream", "image/png")
}

/// A material that only a variant uses has the transform that makes up for quantized texture coordinates.
#[test]
fn the_transforms_of_quantized_coordinates_are_no_change_of_a_variant() {
    let models = Models::new();
    let write = |name: &str, unit: f32, scale: f32| {
        models.write(name, &[], |json| {
            let uvs = [0., 0., 1., 0., 1., 1., 0., 1.].map(|x: f32| x * unit);
            let uvs = floats(json, "VEC2", &uvs);
            let primitive = &mut json["meshes"][0]["primitives"][0];
            primitive["attributes"]["TEXCOORD_0"] = json!(uvs);
            primitive["material"] = json!(0);
            primitive["extensions"] = json!({"KHR_materials_variants":
                {"mappings": [{"material": 1, "variants": [0]}]}});
            let material = |name: &str, scale: f32| {
                let transform = json!({"KHR_texture_transform": {"scale": [scale, scale]}});
                let texture = json!({"index": 0, "extensions": transform});
                json!({"name": name, "pbrMetallicRoughness": {"baseColorTexture": texture}})
            };
            json["materials"] = json!([material("m", 1.0 / unit), material("n", scale)]);
            json["images"] = json!([{"uri": grey(7)}]);
            json["textures"] = json!([{"source": 0}]);
            json["extensionsUsed"] = json!(["KHR_materials_variants", "KHR_texture_transform"]);
            json["extensions"] = json!({"KHR_materials_variants": {"variants": [{"name": "v"}]}});
        });
    };
    write("a.gltf", 1.0, 1.0);
    write("b.gltf", 0.25, 4.0);
    is_equal(&models.json("a.gltf", "b.gltf", 0));
    write("c.gltf", 0.25, 5.0);
    let got = models.json("a.gltf", "c.gltf", 1);
    assert_eq!(got["materials"].as_array().unwrap().len(), 1, "{got}");
    assert_eq!(got["materials"][0]["name"], json!("n"), "{got}");
}

#[test]
fn copies_of_a_mesh_may_be_merged_and_split() {
    let models = Models::new();
    let write = |name: &str, mesh: Option<&str>, right: Option<f32>| {
        models.write(name, &[], |json| {
            let size = right.unwrap_or(1.0);
            json["meshes"] = json!([]);
            quad(json, [0.0, 0.0], 1.0);
            if right.is_some() {
                quad(json, [0.0, 0.0], size);
            }
            if let Some(name) = mesh {
                let meshes = json["meshes"].as_array_mut().unwrap();
                meshes.iter_mut().for_each(|mesh| mesh["name"] = json!(name));
            }
            let of_right = usize::from(right.is_some());
            let node = |name: &str, mesh: usize, x: f32| json!({"name": name, "mesh": mesh, "translation": [x, 0, 0]});
            nodes(json, vec![node("l", 0, 0.0), node("r", of_right, 5.0)]);
        });
    };
    for name in [Some("W"), None] {
        write("shared.gltf", name, None);
        write("split.gltf", name, Some(1.0));
        is_equal(&models.json("shared.gltf", "split.gltf", 0));
        is_equal(&models.json("split.gltf", "shared.gltf", 0));
        // A mesh that was changed is no copy.
        write("changed.gltf", name, Some(1.5));
        let got = models.json("shared.gltf", "changed.gltf", 1);
        assert!((distance(&got["rest"]) - 0.5 * 2f64.sqrt()).abs() < 1e-5, "{got}");
        assert!(kinds(&got).contains(&"mesh"), "{got}");
    }
}

#[test]
fn copies_of_a_skin_may_be_merged_and_split() {
    let models = Models::new();
    let write = |name: &str, skin: Option<&str>, skins: [usize; 2], bind: f32| {
        models.write(name, &[], |json| {
            let joints = accessor(json, 5121, "VEC4", 4, &[0; 16]);
            let weights = floats(json, "VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(4));
            let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
            attributes["JOINTS_0"] = json!(joints);
            attributes["WEIGHTS_0"] = json!(weights);
            let matrices: Vec<usize> = [0.0, bind]
                .map(|x| {
                    let identity = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, 0., 0., 1.];
                    floats(json, "MAT4", &identity)
                })
                .to_vec();
            let all = (0..=*skins.iter().max().unwrap()).map(|i| {
                let mut of = json!({"joints": [2], "inverseBindMatrices": matrices[i]});
                if let Some(name) = skin {
                    of["name"] = json!(name);
                }
                of
            });
            json["skins"] = all.collect();
            let node = |name: &str, skin: usize| json!({"name": name, "mesh": 0, "skin": skin});
            nodes(json, vec![node("l", skins[0]), node("r", skins[1]), json!({"name": "joint"})]);
        });
    };
    for name in [Some("Armature"), None] {
        write("shared.gltf", name, [0, 0], 0.0);
        write("split.gltf", name, [0, 1], 0.0);
        is_equal(&models.json("shared.gltf", "split.gltf", 0));
        is_equal(&models.json("split.gltf", "shared.gltf", 0));
        write("moved.gltf", name, [0, 1], 0.5);
        let got = models.json("shared.gltf", "moved.gltf", 1);
        assert!((distance(&got["rest"]) - 0.5).abs() < 1e-5, "{got}");
    }
}

/// Cameras and scenes in another order, with what an application stored in them.
#[test]
fn extras_of_cameras_and_scenes_in_another_order_are_no_change() {
    let models = Models::new();
    let write = |name: &str, order: [usize; 2], lenses: [u32; 2]| {
        models.write(name, &[], |json| {
            let carrier =
                |camera: usize| json!({"camera": order[camera], "name": format!("c{camera}")});
            nodes(json, vec![json!({"mesh": 0, "name": "box"}), carrier(0), carrier(1)]);
            json["cameras"] = json!([{}, {}]);
            json["scenes"] = json!([{}, {}]);
            json["scene"] = json!(order[0]);
            for i in 0..2 {
                json["cameras"][order[i]] = json!({"type": "perspective", "perspective":
                    {"yfov": 0.5, "znear": 0.1}, "extras": {"lens": lenses[i]}});
                json["scenes"][order[i]] =
                    json!({"nodes": [0, 1, 2], "name": format!("s{i}"), "extras": lenses[i]});
            }
        });
    };
    write("a.gltf", [0, 1], [35, 50]);
    write("b.gltf", [1, 0], [35, 50]);
    is_equal(&models.json("a.gltf", "b.gltf", 0));
    write("c.gltf", [1, 0], [35, 60]);
    let got = models.json("a.gltf", "c.gltf", 1);
    let names: Vec<_> =
        got["structure"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!((kinds(&got), names), (vec!["extras"; 2], vec!["camera #1", "scene s1"]), "{got}");
}

#[test]
fn extras_of_objects_within_others_are_compared() {
    let models = Models::new();
    let base = |json: &mut Value| {
        json["extensionsUsed"] = json!(["KHR_lights_punctual", "KHR_materials_variants"]);
        let light = |name: &str| json!({"type": "point", "name": name, "extras": {"power": 3}});
        let lights = json!([light("Key"), light("Fill")]);
        json["extensions"] = json!({"KHR_lights_punctual": {"lights": lights},
            "KHR_materials_variants": {"variants": [{"name": "v"}]}});
        let lit = |i: usize| json!({"extensions": {"KHR_lights_punctual": {"light": i}}});
        nodes(json, vec![json!({"mesh": 0}), lit(0), lit(1), json!({"camera": 0})]);
        json["cameras"] =
            json!([{"type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1}}]);
        json["materials"] = json!([{"name": "m", "pbrMetallicRoughness":
            {"baseColorTexture": {"index": 0}}}]);
        json["textures"] = json!([{"source": 0}]);
        json["images"] = json!([{"uri": grey(7)}]);
        json["meshes"][0]["primitives"][0]["material"] = json!(0);
    };
    models.write("a.gltf", &["Turn"], base);
    models.write("order.gltf", &["Turn"], |json| {
        base(json);
        json["extensions"]["KHR_lights_punctual"]["lights"].as_array_mut().unwrap().reverse();
        for (node, light) in [(1, 1), (2, 0)] {
            json["nodes"][node]["extensions"]["KHR_lights_punctual"]["light"] = json!(light);
        }
    });
    is_equal(&models.json("a.gltf", "order.gltf", 0));
    let lights = "/extensions/KHR_lights_punctual/lights";
    for (place, name) in [
        (format!("{lights}/1"), "light Fill"),
        ("/extensions/KHR_materials_variants/variants/0".into(), "variant v"),
        ("/materials/0/pbrMetallicRoughness".into(), "pbrMetallicRoughness of material m"),
        (
            "/materials/0/pbrMetallicRoughness/baseColorTexture".into(),
            "pbrMetallicRoughness/baseColorTexture of material m",
        ),
        ("/cameras/0/perspective".into(), "perspective of camera #0"),
        ("/animations/0/channels/0/target".into(), "channels/target of clip Turn"),
    ] {
        models.write("b.gltf", &["Turn"], |json| {
            base(json);
            json.pointer_mut(&place).unwrap()["extras"] = json!({"mine": 4});
        });
        let got = models.json("a.gltf", "b.gltf", 1);
        assert_eq!(kinds(&got), ["extras"], "{got}");
        assert_eq!(got["structure"][0]["name"], json!(name), "{got}");
    }
}

/// Two mappings of variants in another order, with what an application stored in them.
#[test]
fn extras_of_mappings_are_compared_as_a_set() {
    let models = Models::new();
    let write = |name: &str, order: [usize; 2], notes: [&str; 2]| {
        models.write(name, &[], |json| {
            json["extensionsUsed"] = json!(["KHR_materials_variants"]);
            let names = json!([{"name": "day"}, {"name": "night"}]);
            json["extensions"] = json!({"KHR_materials_variants": {"variants": names}});
            json["materials"] = json!([{"name": "red"}, {"name": "blue", "doubleSided": true}]);
            let mapping =
                |i: usize| json!({"material": i, "variants": [i], "extras": {"note": notes[i]}});
            json["meshes"][0]["primitives"][0]["extensions"] =
                json!({"KHR_materials_variants": {"mappings": order.map(mapping)}});
        });
    };
    write("a.gltf", [0, 1], ["x", "y"]);
    write("order.gltf", [1, 0], ["x", "y"]);
    is_equal(&models.json("a.gltf", "order.gltf", 0));
    write("other.gltf", [1, 0], ["z", "y"]);
    let got = models.json("a.gltf", "other.gltf", 1);
    assert_eq!(kinds(&got), ["extras"], "{got}");
    let told = &got["structure"][0];
    assert_eq!(
        told["name"],
        json!("primitives/extensions/KHR_materials_variants/mappings of mesh #0"),
        "{got}"
    );
    assert_eq!(told["what"], json!("{\"note\":\"x\"} -> {\"note\":\"z\"}"), "{got}");
}

/// The second file has a material twice, with what an application stored in it.
#[test]
fn extras_that_a_copy_alone_has_are_new() {
    let models = Models::new();
    let write = |name: &str, notes: &[&str]| {
        models.write(name, &[], |json| {
            let material = |note: &&str| json!({"name": "m", "extras": {"note": note}});
            json["materials"] = notes.iter().map(material).collect();
            json["meshes"] = json!([]);
            for (i, _) in notes.iter().enumerate() {
                let mesh = quad(json, [3.0 * i as f32, 0.0], 1.0);
                json["meshes"][mesh]["primitives"][0]["material"] = json!(i);
            }
            nodes(json, (0..notes.len()).map(|mesh| json!({"mesh": mesh})).collect());
        });
    };
    let extras = |a: &str, b: &str| -> Vec<String> {
        let got = models.json(a, b, 1);
        let all = got["structure"].as_array().unwrap().iter();
        let extras = all.filter(|change| change["kind"] == "extras");
        extras.map(|change| change["what"].as_str().unwrap().to_owned()).collect()
    };
    write("a.gltf", &["x"]);
    write("b.gltf", &["x", "x"]);
    assert!(extras("a.gltf", "b.gltf").is_empty());
    write("c.gltf", &["x", "y"]);
    assert_eq!(extras("a.gltf", "c.gltf"), ["none -> {\"note\":\"y\"}"]);
}

/// Two meshes are copies; in the second file, the other one is twice as large.
#[test]
fn a_node_that_draws_the_changed_one_of_two_copies_draws_another_mesh() {
    let models = Models::new();
    let write = |name: &str, size: f32, drawn: [usize; 2]| {
        models.write(name, &[], |json| {
            json["meshes"] = json!([]);
            for (name, size) in [("same", 1.0), ("changed", size)] {
                let mesh = quad(json, [0.0, 0.0], size);
                json["meshes"][mesh]["name"] = json!(name);
            }
            let node = |(name, mesh): (&str, usize)| json!({"name": name, "mesh": mesh});
            nodes(json, ["p", "q"].into_iter().zip(drawn).map(node).collect());
        });
    };
    write("a.gltf", 1.0, [0, 1]);
    write("b.gltf", 2.0, [1, 1]);
    let got = models.json("a.gltf", "b.gltf", 1);
    let is_node = |change: &&Value| change["kind"] == "node";
    let told: Vec<_> = got["structure"].as_array().unwrap().iter().filter(is_node).collect();
    assert_eq!(told.len(), 1, "{got}");
    assert_eq!(
        (&told[0]["name"], &told[0]["what"]),
        (&json!("p"), &json!("mesh \"same\" -> \"changed\""))
    );
}

/// Both meshes are copies. No node has a partner, because those of the second file have other names and another one above them.
#[test]
fn nodes_without_partners_are_compared_by_the_meshes_of_their_names() {
    let models = Models::new();
    let mesh = |json: &mut Value, name: &str| {
        let mesh = quad(json, [0.0, 0.0], 1.0);
        json["meshes"][mesh]["name"] = json!(name);
    };
    models.write("a.gltf", &[], |json| {
        json["meshes"] = json!([]);
        ["left", "right"].into_iter().for_each(|name| mesh(json, name));
        let node = |mesh: usize, x: f32| json!({"name": format!("p{x}"), "mesh": mesh, "translation": [x, 0, 0]});
        nodes(json, vec![node(0, 0.0), node(1, 5.0)]);
    });
    models.write("b.gltf", &[], |json| {
        json["meshes"] = json!([]);
        ["right", "left"].into_iter().for_each(|name| mesh(json, name));
        let node = |mesh: usize, x: f32| json!({"name": format!("q{x}"), "mesh": mesh, "translation": [x, 0, 0]});
        json["nodes"] =
            json!([{"name": "above", "children": [1, 2]}, node(1, 0.0), node(0, 5.5)]);
        json["scenes"][0]["nodes"] = json!([0]);
    });
    let got = models.json("a.gltf", "b.gltf", 1);
    assert!((distance(&got["rest"]) - 0.5).abs() < 1e-5, "{got}");
}
