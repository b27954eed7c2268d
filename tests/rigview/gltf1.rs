//! glTF 1.0: a small file that uses the peculiarities of that version is read with its numbers, errors name
//! places in it, no defect crashes the importer, and models that exist in both versions move alike.

use glam::{Affine3A, Vec3};
use rigview::export::{Animations, Gathered, file_parts, glb, glb_with};
use rigview::import::{ImageDecoding, ImportError, ImportOptions, Loaded, load_bytes};
use rigview::model::AlphaMode;
use serde_json::{Value, json};
use std::path::Path;

use crate::support::{Glb, data_uri, rigview, say_at_the_end, shared};

const HEADERS: ImportOptions =
    ImportOptions { images: ImageDecoding::Headers, ..ImportOptions::DEFAULT };

/// The buffer of [`small`]: positions, then interleaved joints and weights, two matrices, two times and two
/// rotations.
fn body() -> Vec<u8> {
    let mut floats = vec![0f32, 0., 0., 1., 0., 0., 0., 1., 0.];
    for joint in [0., 1., 1.] {
        floats.extend([joint, 0., 0., 0., 1., 0., 0., 0.]);
    }
    for x in [0., -5.] {
        floats.extend([1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, 0., 0., 1.]);
    }
    floats.extend([0., 2.]);
    floats.extend([0., 0., 0., 1., 0., 0., 1., 0.]);
    bytemuck::cast_slice(&floats).to_vec()
}

/// Two skinned triangles on a node, a second node that uses the skin with other joints, and two animations
/// of one node each.
fn small() -> Value {
    json!({
        "asset": {"version": 1.0, "generator": "by hand"},
        "scene": "all",
        "scenes": {"all": {"nodes": ["left", "right", "first", "second"]}},
        "nodes": {
            "second": {"meshes": ["triangle"], "skin": "arm", "skeletons": ["right"]},
            "left": {"jointName": "upper", "children": ["left lower"]},
            "left lower": {"jointName": "lower", "translation": [5, 0, 0]},
            "right": {"jointName": "upper", "children": ["right/lower"]},
            "right/lower": {"jointName": "lower", "translation": [5, 0, 0], "name": "Hand"},
            "first": {"meshes": ["triangle", "again"], "skin": "arm", "skeletons": ["left"],
                "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}
        },
        "skins": {"arm": {"jointNames": ["upper", "lower"], "inverseBindMatrices": "inverse",
            "bindShapeMatrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 7, 1]}},
        "meshes": {
            "again": {"primitives": [{"attributes": {"POSITION": "position"}, "material": "lit"}]},
            "triangle": {"primitives": [{"mode": 4, "material": "technical", "attributes":
                {"POSITION": "position", "JOINT": "joint", "WEIGHT": "weight"}}]}
        },
        "accessors": {
            "position": {"bufferView": "vertices", "byteOffset": 0, "byteStride": 12,
                "componentType": 5126, "count": 3, "type": "VEC3"},
            "joint": {"bufferView": "vertices", "byteOffset": 36, "byteStride": 32,
                "componentType": 5126, "count": 3, "type": "VEC4"},
            "weight": {"bufferView": "vertices", "byteOffset": 52, "byteStride": 32,
                "componentType": 5126, "count": 3, "type": "VEC4"},
            "inverse": {"bufferView": "rest", "byteOffset": 0, "componentType": 5126,
                "count": 2, "type": "MAT4"},
            "time": {"bufferView": "rest", "byteOffset": 128, "componentType": 5126,
                "count": 2, "type": "SCALAR"},
            "turn": {"bufferView": "rest", "byteOffset": 136, "componentType": 5126,
                "count": 2, "type": "VEC4"}
        },
        "bufferViews": {
            "rest": {"buffer": "data", "byteOffset": 132, "byteLength": 168},
            "vertices": {"buffer": "data", "byteOffset": 0, "byteLength": 132}
        },
        "buffers": {"data": {"byteLength": 300, "type": "arraybuffer"}},
        "animations": {
            "a": {"parameters": {"TIME": "time", "rotation": "turn"},
                "samplers": {"s": {"input": "TIME", "output": "rotation"}},
                "channels": [{"sampler": "s", "target": {"id": "left", "path": "rotation"}}]},
            "b": {"samplers": {"t": {"input": "time", "output": "turn"}},
                "channels": [{"sampler": "t", "target": {"id": "right", "path": "rotation"}}]}
        },
        "materials": {
            "lit": {"extensions": {"KHR_materials_common": {"technique": "CONSTANT",
                "values": {"emission": [1, 0.5, 0, 1]}}}},
            "technical": {"technique": "blending", "values": {"diffuse": [1, 0, 0.5, 1]}}
        },
        "techniques": {"blending": {"parameters": {"transparency": {"value": 0.25}},
            "states": {"enable": [2929, 3042]}}},
        "extensionsUsed": ["KHR_materials_common"]
    })
}

/// The file as text, with its buffer in a data URI.
fn as_text(mut file: Value) -> Vec<u8> {
    if let Some(Value::Object(buffer)) = file.pointer_mut("/buffers/data") {
        buffer.insert("uri".into(), data_uri(&body()).into());
    }
    file.to_string().into_bytes()
}

/// The file in a container of version 1, with its buffer in the body.
fn as_container(mut file: Value) -> Vec<u8> {
    file["buffers"] = json!({
        "empty": {"byteLength": 0, "uri": "data:,"},
        "binary_glTF": {"byteLength": 300, "uri": "data:,"}
    });
    for view in ["rest", "vertices"] {
        file["bufferViews"][view]["buffer"] = "binary_glTF".into();
    }
    let text = file.to_string();
    let length = 20 + text.len() + body().len();
    let words = [1, length as u32, text.len() as u32, 0].map(u32::to_le_bytes);
    [b"glTF", words.as_flattened(), text.as_bytes(), &body()].concat()
}

fn loaded(file: Value) -> Result<Loaded, ImportError> {
    load_bytes(as_text(file), &HEADERS)
}

#[test]
fn a_small_file_comes_out_as_it_was_written() {
    for bytes in [as_text(small()), as_container(small())] {
        let Loaded { model, warnings } = load_bytes(bytes, &HEADERS).unwrap();
        let codes: Vec<_> = warnings.iter().map(|w| (w.code.as_str(), &*w.pointer)).collect();
        // The mesh `again` has no joints, and the node that draws it a skin.
        let idle = ("SKIN_IDLE", "/nodes/first");
        assert_eq!(codes, [("ANIMATIONS_JOINED", "/animations"), idle]);
        assert_eq!(model.source.format, "glTF 1.0");
        assert_eq!(model.source.generator.as_deref(), Some("by hand"));

        let names: Vec<_> = model.nodes.iter().filter_map(|n| n.name.as_deref()).collect();
        let file = ["second", "left", "left lower", "right", "Hand", "first"];
        assert_eq!(names[..6], file);
        let mesh = |node: usize| model.nodes[node].mesh.map(|m| model.meshes[m].name.as_deref());
        assert_eq!(
            [0, 5, 6].map(mesh),
            [Some("triangle"), Some("triangle"), Some("again")].map(Some)
        );
        assert_eq!(model.hierarchy.parent(6), Some(5));
        assert_eq!(model.scenes[0].roots, [1, 3, 5, 0]);

        // The skin is converted to one skin per user.
        let joints: Vec<_> = model.skins.iter().map(|s| s.joints.clone()).collect();
        assert_eq!(joints, [[3, 4], [1, 2]]);
        assert_eq!((model.nodes[0].skin, model.nodes[5].skin), (Some(0), Some(1)));
        let shape = Affine3A::from_scale(Vec3::splat(2.0));
        let shape = Affine3A::from_translation(Vec3::new(0., 0., 7.)) * shape;
        let lower = Affine3A::from_translation(Vec3::new(-5., 0., 0.)) * shape;
        assert!(model.skins.iter().all(|s| s.joint_from_mesh == [shape, lower]));

        let triangle = &model.meshes[1].primitives[0];
        assert_eq!(triangle.attributes, ["POSITION", "JOINTS_0", "WEIGHTS_0"]);
        assert_eq!(triangle.vertices[2].position, [0., 1., 0.]);
        let influences = triangle.influences.as_ref().unwrap();
        let joint = |v: usize| influences.of_vertex(v)[0].joints[0];
        assert_eq!([joint(0), joint(1), joint(2)], [0, 1, 1]);

        assert_eq!(model.clips.len(), 1);
        assert_eq!((model.clips[0].channels().len(), model.clips[0].duration_secs()), (2, 2.0));

        let [lit, technical] = &model.materials[..] else { panic!() };
        assert!(lit.unlit && !lit.double_sided && (lit.base_color[1] - 0.214).abs() < 1e-3);
        assert!(technical.double_sided && !technical.unlit);
        assert_eq!(technical.alpha_mode, AlphaMode::Blend);
        assert_eq!((technical.base_color[3], technical.metallic), (0.25, 0.0));
    }
}

/// The rules of glTF 2.0 are not those of older files.
#[test]
fn what_only_gltf_2_forbids_is_a_warning_and_what_was_usual_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.gltf");
    std::fs::write(&file, as_text(small())).unwrap();
    let run = rigview(["check", file.to_str().unwrap(), "--json"]).done();
    let report = run.json();
    let level = |code: &str| {
        let found = report["files"][0]["findings"].as_array().unwrap();
        found.iter().find(|finding| finding["code"] == code).unwrap()["level"].clone()
    };
    assert_eq!(level("SKIN_IDLE"), "warning");
    assert_eq!(level("ANIMATIONS_JOINED"), "note");
}

/// The small file with more attributes on its triangle, and a technique that names some of them.
fn with_technique(semantics: &[&str]) -> Value {
    let mut file = small();
    file["accessors"]["uv"] = file["accessors"]["position"].clone();
    file["accessors"]["uv"]["type"] = "VEC2".into();
    let more = [("COLOR_0", "position"), ("NORMAL", "position"), ("TEXCOORD_0", "uv")];
    for (semantic, accessor) in more {
        file["meshes"]["triangle"]["primitives"][0]["attributes"][semantic] = accessor.into();
    }
    let technique = &mut file["techniques"]["blending"];
    for (i, semantic) in semantics.iter().enumerate() {
        technique["attributes"][format!("a_{i}")] = format!("p{i}").into();
        technique["parameters"][format!("p{i}")] = json!({"semantic": semantic, "type": 35665});
    }
    file
}

/// A glTF 1.0 shader reads the attributes that its technique names; other attributes have no effect.
#[test]
fn only_what_the_technique_names_is_drawn_with() {
    let skin = ["JOINTS_0", "WEIGHTS_0"];
    for (named, want, unlit) in [
        (&["POSITION", "NORMAL"][..], &["POSITION", "NORMAL"][..], false),
        (&["POSITION", "NORMAL", "COLOR"], &["POSITION", "NORMAL", "COLOR_0"], false),
        (&["POSITION", "TEXCOORD_0"], &["POSITION", "TEXCOORD_0"], true),
        // An incomplete technique does not read colours either.
        (&[], &["POSITION", "NORMAL", "TEXCOORD_0"], false),
    ] {
        let Loaded { model, warnings } = loaded(with_technique(named)).unwrap();
        let triangle = model.meshes.iter().find(|m| m.name.as_deref() == Some("triangle")).unwrap();
        let mut got = triangle.primitives[0].attributes.clone();
        let mut want: Vec<_> = want.iter().chain(&skin).map(|name| (*name).to_owned()).collect();
        got.sort();
        want.sort();
        assert_eq!(got, want, "{named:?}");
        assert_eq!(model.materials[1].unlit, unlit, "{named:?}");
        let untaken = warnings.iter().filter(|w| w.code.as_str() == "ATTRIBUTE_NOT_TAKEN");
        assert_eq!(untaken.clone().count(), 6 - want.len(), "{warnings:?}");
        assert!(untaken.clone().all(|w| w.is_hint() && w.pointer.starts_with("/meshes/triangle")));
    }
}

/// KHR_materials_common has no technique, and vertex colours have an effect.
#[test]
fn colours_count_where_materials_are_common() {
    let mut file = with_technique(&["POSITION", "NORMAL"]);
    file["meshes"]["triangle"]["primitives"][0]["material"] = "lit".into();
    let model = loaded(file).unwrap().model;
    let triangle = model.meshes.iter().find(|m| m.name.as_deref() == Some("triangle")).unwrap();
    assert!(triangle.primitives[0].attributes.iter().any(|name| name == "COLOR_0"));
}

#[test]
fn animations_that_want_the_same_property_stay_clips() {
    let mut file = small();
    file["animations"]["b"]["channels"][0]["target"]["id"] = "left".into();
    let model = loaded(file).unwrap().model;
    let names: Vec<_> = model.clips.iter().filter_map(|c| c.name()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn errors_and_warnings_name_the_place_in_the_file() {
    for (place, value, pointer, word) in [
        ("/nodes/first/skin", json!("leg"), "/nodes/first/skin", "no skin \"leg\""),
        ("/nodes/right~1lower/children", json!(["x"]), "/nodes/right~1lower/children/0", "Hand"),
        ("/nodes/left lower/children", json!(["left"]), "/nodes/left lower", "cycle"),
        ("/skins/arm/jointNames/1", json!("toe"), "/skins/arm/jointNames/1", "\"toe\""),
        ("/accessors/time/count", json!(1000), "/accessors/time", "1000 elements"),
        ("/accessors/weight/byteStride", json!(255), "/accessors/weight/byteStride", "252"),
        ("/accessors/inverse/type", json!("VEC4"), "/accessors/inverse", "VEC4"),
        ("/buffers/data/byteLength", json!(301), "/buffers/data", "301"),
        ("/scene", json!("none"), "/scene", "no scene"),
        (
            "/materials/technical/technique",
            json!(""),
            "/materials/technical/technique",
            "technique",
        ),
        ("/meshes", json!([]), "/meshes", "not an object"),
        ("/extensionsUsed/0", json!("WEB3D_quantized_attributes"), "/extensionsUsed/0", "WEB3D"),
        ("/animations/a/samplers/s/input", json!("when"), "/animations/a/samplers/s/input", "when"),
    ] {
        let mut file = small();
        let at = file.pointer_mut(place).map(|at| *at = value.clone());
        if at.is_none() {
            let (parent, key) = place.rsplit_once('/').unwrap();
            file.pointer_mut(parent).unwrap()[key] = value;
        }
        let error = loaded(file).expect_err(place);
        assert!(error.message().contains(word), "{place}: {error}");
        assert_eq!(error.pointer(), pointer, "{place}: {error}");
    }
    let mut file = small();
    file["nodes"]["left"]["rotation"] = json!([0, 0, 0, 0]);
    let warnings = loaded(file).unwrap().warnings;
    let warning = warnings.iter().find(|w| w.code.as_str() == "ROTATION_ZERO").unwrap();
    assert_eq!(warning.pointer, "/nodes/left/rotation");
}

#[test]
fn nothing_odd_brings_the_importer_down() {
    let file = small();
    let mut places = vec![String::new()];
    let mut at = 0;
    while let Some(place) = places.get(at).cloned() {
        at += 1;
        match file.pointer(&place) {
            Some(Value::Object(map)) => {
                let escaped = map.keys().map(|key| key.replace('~', "~0").replace('/', "~1"));
                places.extend(escaped.map(|key| format!("{place}/{key}")));
            }
            Some(Value::Array(list)) => {
                places.extend((0..list.len()).map(|i| format!("{place}/{i}")));
            }
            _ => {}
        }
    }
    let odd = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(3.5),
        json!(5126),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("left"),
        json!("joint"),
        json!("triangle"),
        json!([]),
        json!([1, "arm", {}]),
        json!({}),
        json!({"left": {"children": ["left"]}}),
    ];
    let (mut loads, mut refused) = (0, 0);
    for place in &places {
        for value in &odd {
            let mut file = file.clone();
            *file.pointer_mut(place).unwrap() = value.clone();
            match load_bytes(as_text(file), &HEADERS) {
                Ok(_) => loads += 1,
                Err(error) => {
                    assert!(!error.message().is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(loads > 500 && refused > 500, "{loads} load, {refused} are refused");
}

#[test]
fn models_in_both_versions_move_alike() {
    let Some(shared) = shared("models_in_both_versions_move_alike") else { return };
    let models = shared.join("models");
    let mut worst = 0f64;
    for (name, turned) in [("RiggedFigure", false), ("CesiumMan", true)] {
        let new = joints(&models.join(format!("{name}/glTF/{name}.gltf")));
        for (folder, extension) in [
            ("glTF", "gltf"),
            ("glTF-Binary", "glb"),
            ("glTF-Embedded", "gltf"),
            ("glTF-MaterialsCommon", "gltf"),
        ] {
            let old = joints(&models.join(format!("1.0/{name}/{folder}/{name}.{extension}")));
            assert_eq!((old.len(), new.len()), (4, 4));
            for (old, new) in old.iter().zip(&new) {
                let place = |joint: &(String, [f64; 3])| joint.1;
                let found = |joint: &&(String, [f64; 3])| old.iter().any(|o| o.0 == joint.0);
                assert!(new.iter().filter(found).count() >= 19, "{name} {folder}");
                for joint in new.iter().filter(found) {
                    let before = old.iter().find(|o| o.0 == joint.0).map(place).unwrap();
                    // The later export of this model is rotated to the side.
                    let [x, y, z] = before;
                    let before = if turned { [-z, y, x] } else { before };
                    let off = before.iter().zip(joint.1).map(|(a, b)| (a - b).abs());
                    worst = off.fold(worst, f64::max);
                }
            }
        }
    }
    assert!(worst < 1e-5, "joints are {worst:.1e} apart");
    say_at_the_end(format!("models in both versions move alike, joints within {worst:.1e}"));
}

/// Returns the positions of the joints by name at a few times of a model's first clip.
fn joints(model: &Path) -> Vec<Vec<(String, [f64; 3])>> {
    let model = model.to_string_lossy().into_owned();
    let mut args = ["pose", &model, "--clip", "0", "--json"].map(str::to_owned).to_vec();
    for time in ["0.13", "0.5", "0.81", "1.2"] {
        args.extend(["--time", time].map(str::to_owned));
    }
    let run = rigview(args).done();
    let line = |line: &str| -> Vec<_> {
        let pose: Value = serde_json::from_str(line).unwrap();
        let nodes = pose["nodes"].as_array().unwrap().iter();
        let named = nodes.filter(|n| n["name"].as_str().is_some_and(|n| n.contains("joint")));
        let place = |n: &Value| [12, 13, 14].map(|i| n["world"][i].as_f64().unwrap());
        named.map(|n| (n["name"].as_str().unwrap().to_owned(), place(n))).collect()
    };
    run.text().lines().map(line).collect()
}

/// Bounds that a file states, and weights, may be wrong in glTF 1.0.
#[test]
fn what_is_written_has_no_wrong_bounds_and_weights_that_sum_to_one() {
    let options = ImportOptions { keep_original: true, ..HEADERS };
    let mut file = small();
    for accessor in ["weight", "inverse", "turn", "position"] {
        file["accessors"][accessor]["min"] = json!([7.0, 7.0, 7.0]);
        file["accessors"][accessor]["max"] = json!([8.0, 8.0, 8.0]);
    }
    // The weight of the last vertex.
    let mut bin = body();
    bin[116..120].copy_from_slice(&0.5f32.to_le_bytes());
    file["buffers"]["data"]["uri"] = data_uri(&bin).into();
    let text = file.to_string().into_bytes();
    let model = load_bytes(text, &options).unwrap().model;
    let written = glb_with(&model, Animations::File).unwrap();
    let Glb { json: root, bin: bytes } = Glb::of(&written);
    for accessor in root["accessors"].as_array().unwrap() {
        let is_bounded = accessor.get("min").is_some();
        assert_eq!(is_bounded, ["VEC3", "SCALAR"].map(Value::from).contains(&accessor["type"]));
        assert_ne!(accessor["min"][0], 7.0, "{accessor}");
    }
    let mesh = root["meshes"].as_array().unwrap().iter().find_map(|mesh| {
        mesh["primitives"][0]["attributes"].get("WEIGHTS_0").and_then(Value::as_u64)
    });
    let view = &root["accessors"][mesh.unwrap() as usize]["bufferView"];
    let view = &root["bufferViews"][view.as_u64().unwrap() as usize];
    let from = view["byteOffset"].as_u64().unwrap() as usize;
    let stride = view["byteStride"].as_u64().unwrap() as usize;
    let weight = |vertex: usize| {
        let at = from + vertex * stride;
        f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    };
    assert_eq!([0, 1, 2].map(weight), [1.0; 3]);
}

/// What is written from such a file is glTF 2.0, which asks for more: bounds, and views of one use.
#[test]
fn what_is_written_has_bounds_and_views_of_one_use() {
    let options = ImportOptions { keep_original: true, ..HEADERS };
    let model = load_bytes(as_text(small()), &options).unwrap().model;
    let Gathered { root, bytes, .. } = file_parts(&model).unwrap().gathered();
    for written in [glb_with(&model, Animations::File).unwrap(), glb(&root, bytes, &[]).unwrap()] {
        assert_complete(&written);
    }
}

/// `fix` has nothing to mend, and writes what `convert` does.
#[test]
fn extras_and_copyright_are_written_and_unknown_extensions_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).into_os_string();
    let mut file = small();
    file["asset"]["copyright"] = json!("(c) Someone");
    file["asset"]["extras"] = json!("license");
    file["extras"] = json!({"root": 1});
    for list in ["nodes", "meshes", "materials", "skins", "scenes"] {
        for (id, item) in file[list].as_object_mut().unwrap() {
            item["extras"] = json!({"id": id});
        }
    }
    file["meshes"]["again"]["primitives"][0]["extras"] = json!(2);
    file["extensionsUsed"] = json!(["ACME_thing"]);
    std::fs::write(at("in.glb"), as_container(file)).unwrap();
    let to = |command: &str, out: &str, more: &[&str]| {
        let args = [command.into(), at("in.glb"), "-o".into(), at(out)];
        rigview(args.into_iter().chain(more.iter().map(Into::into))).done()
    };
    let said = to("convert", "out.glb", &["--json"]).json();
    let lost = "the extension \"ACME_thing\" of glTF 1.0";
    assert!(said["not_carried_over"].as_array().unwrap().contains(&lost.into()), "{said}");
    let run = to("fix", "fixed.glb", &["--only", "CLIP_TWIN"]);
    assert!(run.text().contains("nothing to fix") && run.stderr.contains(lost), "{}", run.ended());
    for out in ["out.glb", "fixed.glb"] {
        let json = Glb::read(Path::new(&at(out))).json;
        assert_eq!(json["asset"]["copyright"], "(c) Someone");
        assert_eq!(
            (&json["asset"]["extras"], &json["extras"]["root"]),
            (&"license".into(), &1.into())
        );
        assert_eq!(json["nodes"][0]["extras"]["id"], "second");
        assert_eq!(json["skins"][0]["extras"]["id"], "arm");
        assert_eq!(json["meshes"][0]["primitives"][0]["extras"], 2);
    }
}

fn assert_complete(written: &[u8]) {
    let json = Glb::of(written).json;
    let list = |at: &Value, key: &str| at[key].as_array().cloned().unwrap_or_default();
    let accessor = |index: &Value| &json["accessors"][index.as_u64().unwrap() as usize];
    let mut views = Vec::new();
    for mesh in list(&json, "meshes") {
        for primitive in list(&mesh, "primitives") {
            assert!(accessor(&primitive["attributes"]["POSITION"])["min"].is_array());
            let attributes = primitive["attributes"].as_object().unwrap().values().cloned();
            views.extend(attributes.map(|index| (accessor(&index)["bufferView"].clone(), index)));
        }
    }
    for skin in list(&json, "skins") {
        let index = skin["inverseBindMatrices"].clone();
        views.push((accessor(&index)["bufferView"].clone(), index));
    }
    for animation in list(&json, "animations") {
        for sampler in list(&animation, "samplers") {
            assert!(accessor(&sampler["input"])["max"].is_array());
            let ends = [sampler["input"].clone(), sampler["output"].clone()];
            views.extend(ends.map(|index| (accessor(&index)["bufferView"].clone(), "key".into())));
        }
    }
    let lists =
        json.as_object().unwrap().iter().filter_map(|(key, at)| Some((key, at.as_array()?)));
    for (key, list) in lists {
        assert!(!list.is_empty(), "{key} is empty, which glTF 2.0 forbids");
    }
    for (view, user) in &views {
        assert!(views.iter().all(|(other, by)| other != view || by == user), "{view}: {views:?}");
    }
}
