//! Changes of extensions and of lists that have no vertices: constraints, metadata, toon shading, variants and names.

use serde_json::{Value, json};

use super::unseen::{furnished, only};
use super::{Models, distance, floats, kinds};

/// A square that follows the turn of another node, by half a turn in two seconds, with a weight.
fn following(json: &mut Value, weight: Option<f32>) {
    json["nodes"] = json!([{"name": "square", "mesh": 0}, {"name": "driver"}]);
    json["scenes"][0]["nodes"] = json!([0, 1]);
    if !json["animations"].is_null() {
        json["animations"][0]["channels"][0]["target"]["node"] = json!(1);
    }
    if let Some(weight) = weight {
        json["extensionsUsed"] = json!(["VRMC_node_constraint"]);
        let constraint = json!({"rotation": {"source": 1, "weight": weight}});
        let constraint = json!({"specVersion": "1.0", "constraint": constraint});
        json["nodes"][0]["extensions"] = json!({"VRMC_node_constraint": constraint});
    }
}

/// The corners are sqrt(2) from the axis; after half a turn they are twice that away.
#[test]
fn a_constraint_is_compared_and_moves_what_it_turns() {
    let models = Models::new();
    for (name, weight) in [("full", Some(1.0)), ("none", None), ("quarter", Some(0.25))] {
        models.write(&format!("{name}.gltf"), &["Turn"], |json| following(json, weight));
        models.write(&format!("{name}_still.gltf"), &[], |json| following(json, weight));
    }
    let told = [
        ("none", 8f64.sqrt(), "constraint removed"),
        ("quarter", 8f64.sqrt() * (67.5f64).to_radians().sin(), "constraint weight 1 -> 0.25"),
    ];
    for (name, far, what) in told {
        let got = models.json("full.gltf", &format!("{name}.gltf"), 1);
        assert_eq!(only(&got, "node", "square"), what);
        assert!((distance(&got["clips"][0]) - far).abs() < 1e-4, "{got}");
        assert_eq!(got["clips"][0]["joint"], "square");
        let got = models.json("full_still.gltf", &format!("{name}_still.gltf"), 1);
        assert_eq!(only(&got, "node", "square"), what);
    }
    models.json("full.gltf", "full.gltf", 0);
}

/// Writes the square with an avatar, a toon material and metadata, changed by `edit`.
fn write_extended(models: &Models, name: &str, edit: &dyn Fn(&mut Value)) {
    models.write(name, &[], |json| {
        json["extensionsUsed"] = json!(["VRMC_vrm", "VRMC_materials_mtoon", "KHR_xmp_json_ld"]);
        json["nodes"] = json!([{"name": "square", "mesh": 0}, {"name": "hips"}]);
        json["scenes"][0]["nodes"] = json!([0, 1]);
        json["asset"]["extensions"] = json!({"KHR_xmp_json_ld": {"packet": 0}});
        let toon = json!({"specVersion": "1.0", "shadeColorFactor": [1, 0.5, 0],
            "shadingToonyFactor": 0.9});
        json["materials"] = json!([{"name": "skin", "extensions": {"VRMC_materials_mtoon": toon}}]);
        json["meshes"][0]["primitives"][0]["material"] = json!(0);
        let meta = json!({"name": "Ada", "authors": ["Bo"], "references": ["Fox"],
            "licenseUrl": "https://vrm.dev/licenses/1.0/"});
        let avatar = json!({"specVersion": "1.0", "meta": meta,
            "humanoid": {"humanBones": {"hips": {"node": 1}}},
            "lookAt": {"type": "bone", "offsetFromHeadBone": [0, 0.06, 0]}});
        let packets = json!({"packets": [{"dc:title": "Fox"}]});
        json["extensions"] = json!({"VRMC_vrm": avatar, "KHR_xmp_json_ld": packets});
        edit(json);
    });
}

#[test]
fn what_is_not_read_of_an_extension_is_compared() {
    type Edit<'a> = &'a dyn Fn(&mut Value);
    let models = Models::new();
    write_extended(&models, "a.gltf", &|_| ());
    models.json("a.gltf", "a.gltf", 0);
    let toon = |json: &mut Value| {
        let of = &mut json["materials"][0]["extensions"]["VRMC_materials_mtoon"];
        of["shadeColorFactor"][1] = json!(0.25);
    };
    let changes: [(Edit, &str, &str); 5] = [
        (
            &|j| j["extensions"]["VRMC_vrm"]["lookAt"]["offsetFromHeadBone"][1] = json!(0.1),
            "the file",
            "VRMC_vrm/lookAt/offsetFromHeadBone/1 0.06 -> 0.1",
        ),
        (
            &|j| j["extensions"]["VRMC_vrm"]["meta"]["references"] = json!(["Owl"]),
            "the file",
            "VRMC_vrm/meta/references/0 \"Fox\" -> \"Owl\"",
        ),
        (&toon, "material skin", "VRMC_materials_mtoon/shadeColorFactor/1 0.5 -> 0.25"),
        (
            &|j| j["extensions"]["KHR_xmp_json_ld"]["packets"][0]["dc:title"] = json!("Owl"),
            "asset",
            "{\"KHR_xmp_json_ld\":{\"dc:title\":\"Fox\"}} -> {\"KHR_xmp_json_ld\":{\"dc:title\":\"Owl\"}}",
        ),
        (
            &|j| drop(j["asset"].as_object_mut().unwrap().remove("extensions")),
            "asset",
            "{\"KHR_xmp_json_ld\":{\"dc:title\":\"Fox\"}} -> none",
        ),
    ];
    for (edit, name, what) in changes {
        write_extended(&models, "b.gltf", edit);
        assert_eq!(only(&models.json("a.gltf", "b.gltf", 1), "extras", name), what);
        models.diff("a.gltf", "b.gltf", &["--ignore", "extras"]).done();
    }
    // What is read is compared as what it stands for.
    write_extended(&models, "title.gltf", &|j| {
        j["extensions"]["VRMC_vrm"]["meta"]["name"] = json!("Eve");
    });
    only(&models.json("a.gltf", "title.gltf", 1), "vrm", "meta");
    write_extended(&models, "order.gltf", &|json| {
        json["extensions"]["KHR_xmp_json_ld"]["packets"] = json!([{}, {"dc:title": "Fox"}]);
        json["asset"]["extensions"] = json!({"KHR_xmp_json_ld": {"packet": 1}});
    });
    models.json("a.gltf", "order.gltf", 0);
}

#[test]
fn the_nodes_that_show_expressions_in_an_animation_file_are_compared() {
    let models = Models::new();
    let with = |name: &str, [happy, sad]: [usize; 2]| {
        models.write(name, &[], |json| {
            json["extensionsUsed"] = json!(["VRMC_vrm_animation"]);
            json["nodes"] = json!([{"name": "square", "mesh": 0}, {"name": "x"}, {"name": "y"}]);
            json["scenes"][0]["nodes"] = json!([0, 1, 2]);
            let preset = json!({"happy": {"node": happy}, "sad": {"node": sad}});
            json["extensions"] = json!({"VRMC_vrm_animation": {"specVersion": "1.0",
                "humanoid": {"humanBones": {"hips": {"node": 0}}},
                "expressions": {"preset": preset}}});
        });
    };
    with("a.gltf", [1, 2]);
    with("b.gltf", [2, 1]);
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(kinds(&got), ["vrm", "vrm"], "{got}");
    assert_eq!(got["structure"][0]["what"], "node \"x\" -> \"y\"");
}

#[test]
fn the_default_scene_is_told_by_its_own() {
    let models = Models::new();
    let with = |name: &str, scene: usize| {
        models.write(name, &[], |json| {
            json["nodes"] = json!([{"name": "square", "mesh": 0}, {"name": "copy", "mesh": 0}]);
            json["scenes"] = json!([{"nodes": [0]}, {"nodes": [1]}]);
            json["scene"] = json!(scene);
        });
    };
    with("a.gltf", 1);
    with("b.gltf", 0);
    let got = models.json("a.gltf", "b.gltf", 1);
    let all =
        got["structure"].as_array().unwrap().iter().filter(|change| change["kind"] == "scene");
    let all: Vec<_> = all.map(|change| (&change["name"], &change["what"])).collect();
    let want = [("#0", "default false -> true"), ("#1", "default true -> false")];
    let want = want.map(|(name, what)| (json!(name), json!(what)));
    assert_eq!(all, want.each_ref().map(|(name, what)| (name, what)), "{got}");
}

/// The clip makes glass of a material, which has no such property in the other file.
#[test]
fn an_animated_property_that_the_other_file_lacks_is_a_change_of_the_clip() {
    let models = Models::new();
    let with = |name: &str, has: bool| {
        models.write(name, &["Turn"], |json| {
            json["extensionsUsed"] = json!(["KHR_animation_pointer", "KHR_materials_transmission"]);
            json["materials"] = json!([{"name": "pane"}]);
            json["meshes"][0]["primitives"][0]["material"] = json!(0);
            if has {
                let glass = json!({"KHR_materials_transmission": {"transmissionFactor": 0}});
                json["materials"][0]["extensions"] = glass;
                let pointer =
                    "/materials/0/extensions/KHR_materials_transmission/transmissionFactor";
                let sampler = json!({"input": floats(json, "SCALAR", &[0., 2.]),
                    "output": floats(json, "SCALAR", &[0., 1.])});
                let target = json!({"path": "pointer",
                    "extensions": {"KHR_animation_pointer": {"pointer": pointer}}});
                let clip = &mut json["animations"][0];
                clip["samplers"].as_array_mut().unwrap().push(sampler);
                clip["channels"]
                    .as_array_mut()
                    .unwrap()
                    .push(json!({"sampler": 1, "target": target}));
            }
        });
    };
    with("a.gltf", true);
    with("b.gltf", false);
    for [a, b] in [["a.gltf", "b.gltf"], ["b.gltf", "a.gltf"]] {
        let got = models.json(a, b, 1);
        let what = only(&got, "clip", "Turn");
        assert!(what.ends_with("is animated, and only one file has it"), "{what}");
    }
}

#[test]
fn a_renamed_variant_is_a_rename() {
    let models = Models::new();
    let with = |name: &str, second: &str| {
        models.write(name, &[], |json| {
            json["extensionsUsed"] = json!(["KHR_materials_variants"]);
            let variants = json!([{"name": "day"}, {"name": second}]);
            json["extensions"] = json!({"KHR_materials_variants": {"variants": variants}});
            json["materials"] = json!([{"name": "red"}, {"name": "blue", "doubleSided": true}]);
            let mappings =
                json!([{"material": 0, "variants": [0]}, {"material": 1, "variants": [1]}]);
            json["meshes"][0]["primitives"][0]["extensions"] =
                json!({"KHR_materials_variants": {"mappings": mappings}});
        });
    };
    with("a.gltf", "night");
    with("b.gltf", "dusk");
    let got = models.json("a.gltf", "b.gltf", 1);
    assert_eq!(only(&got, "variant", "night"), "renamed to \"dusk\"");
    models.diff("a.gltf", "b.gltf", &["--ignore", "names"]).done();
}

#[test]
fn cameras_and_lights_with_other_names_are_renames() {
    let models = Models::new();
    let with = |name: &str, camera: &str, light: &str| {
        models.write(name, &[], |json| {
            furnished(json, [0., 0., 5.], [0., 0., 0., 1.], [1., 0., 0.]);
            json["cameras"][0]["name"] = json!(camera);
            json["extensions"]["KHR_lights_punctual"]["lights"][0]["name"] = json!(light);
        });
    };
    with("a.gltf", "Main", "Sun");
    with("camera.gltf", "Close", "Sun");
    with("light.gltf", "Main", "Moon");
    let said = |b: &str, node: &str| only(&models.json("a.gltf", b, 1), "node", node).to_owned();
    assert_eq!(said("camera.gltf", "camera"), "camera renamed to \"Close\"");
    assert_eq!(said("light.gltf", "lamp"), "light renamed to \"Moon\"");
    models.diff("a.gltf", "camera.gltf", &["--ignore", "names"]).done();
    models.diff("a.gltf", "light.gltf", &["--ignore", "names"]).done();
}

#[test]
fn a_camera_that_became_two_has_another_name_on_one_of_its_nodes() {
    let models = Models::new();
    let with = |name: &str, cameras: &[&str]| {
        models.write(name, &[], |json| {
            let lens = json!({"yfov": 1, "znear": 0.1});
            let camera =
                |name: &&str| json!({"name": name, "type": "perspective", "perspective": lens});
            json["cameras"] = cameras.iter().map(camera).collect();
            for (i, name) in ["near", "far"].into_iter().enumerate() {
                let node = json!({"name": name, "camera": i.min(cameras.len() - 1)});
                json["nodes"].as_array_mut().unwrap().push(node);
            }
            json["scenes"][0]["nodes"] = json!([0, 1, 2]);
        });
    };
    with("one.gltf", &["lens"]);
    with("two.gltf", &["lens", "lens.001"]);
    with("same.gltf", &["lens", "lens"]);
    let said = |a: &str, b: &str| only(&models.json(a, b, 1), "node", "far").to_owned();
    assert_eq!(said("one.gltf", "two.gltf"), "camera renamed to \"lens.001\"");
    assert_eq!(said("two.gltf", "one.gltf"), "camera renamed to \"lens\"");
    models.diff("one.gltf", "two.gltf", &["--ignore", "names"]).done();
    models.json("one.gltf", "same.gltf", 0);
}
