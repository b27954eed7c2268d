//! `fix --rename`: the joints of a humanoid get the names of a convention, and others keep theirs.

use std::path::Path;

use rigview::import::{ImportOptions, load};
use rigview::rig::{BoneNames, Humanoid};
use serde_json::{Value, json};

use crate::support::{Glb, rigview};

/// The names of a humanoid by Unity, with the index of each one's parent.
fn humanoid() -> Vec<(String, Option<usize>)> {
    let mut names: Vec<(String, Option<usize>)> = Vec::new();
    let mut add = |name: &str, parent: Option<&str>| {
        let parent = parent.map(|parent| names.iter().position(|(n, _)| n == parent).unwrap());
        names.push((name.to_owned(), parent));
    };
    let trunk = ["Hips", "Spine", "Chest", "UpperChest", "Neck", "Head"];
    trunk.iter().enumerate().for_each(|(i, name)| add(name, (i > 0).then(|| trunk[i - 1])));
    for side in ["Left", "Right"] {
        let limbs: [(&str, &[&str]); 3] = [
            ("UpperChest", &["Shoulder", "UpperArm", "LowerArm", "Hand"]),
            ("Hips", &["UpperLeg", "LowerLeg", "Foot", "Toes"]),
            ("Hand", &["IndexProximal", "IndexIntermediate", "IndexDistal"]),
        ];
        for (from, joints) in limbs {
            let mut above = if from == "Hand" { format!("{side}Hand") } else { from.to_owned() };
            for joint in joints {
                let name = format!("{side}{joint}");
                add(&name, Some(&above));
                above = name;
            }
        }
    }
    add("Backpack", Some("Chest"));
    names
}

/// Writes a rig of joints without a mesh.
fn write_rig(path: &Path, names: &[(String, Option<usize>)]) {
    let node = |(at, (name, _)): (usize, &(String, Option<usize>))| {
        let children: Vec<usize> = (0..names.len()).filter(|i| names[*i].1 == Some(at)).collect();
        let mut node = json!({ "name": name, "translation": [0.0, 0.1, 0.0] });
        if !children.is_empty() {
            node["children"] = children.into();
        }
        node
    };
    let nodes: Vec<Value> = names.iter().enumerate().map(node).collect();
    let joints: Vec<usize> = (0..names.len()).collect();
    let json = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
        "skins": [{ "joints": joints }],
    });
    Glb { json, bin: Vec::new() }.write(path);
}

#[test]
fn a_humanoid_has_the_same_bones_under_the_names_of_each_convention() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_rig(&at("rig.glb"), &humanoid());
    let bones = |file: &Path| Humanoid::find(&load(file, &ImportOptions::default()).unwrap().model);
    let before = bones(&at("rig.glb"));
    assert_eq!(before.trunk.len(), 3);
    for names in BoneNames::all_names() {
        let (input, output, again) = (at("rig.glb"), at("out.glb"), at("again.glb"));
        let fix = |from: &Path, to: &Path| {
            let args = ["fix".as_ref(), from.as_os_str(), "-o".as_ref(), to.as_os_str()];
            let more = ["--json", "--rename", names].map(std::ffi::OsStr::new);
            let run = rigview(args.into_iter().chain(more)).done();
            run.json()
        };
        let answer = fix(&input, &output);
        let mut after = bones(&output);
        let left: Vec<&str> = answer["left"]
            .as_array()
            .unwrap()
            .iter()
            .map(|left| left["pointer"].as_str().unwrap())
            .collect();
        match names {
            // Its files have no fingers that could be named.
            "cmu" => assert_eq!(left.len(), 6, "{answer}"),
            _ => assert!(left.is_empty(), "{names}: {answer}"),
        }
        after.convention = before.convention;
        assert_eq!(after, before, "{names}: {answer}");
        let names_of = |file: &Path| Glb::read(file).json["nodes"].clone();
        assert_eq!(names_of(&output).as_array().unwrap().last().unwrap()["name"], "Backpack");
        fix(&output, &again);
        assert!(std::fs::read(&output).unwrap() == std::fs::read(&again).unwrap(), "{names}");
    }
    let unknown = rigview(["fix", "rig.glb", "-o", "out.glb", "--rename", "poser"]).failed(2);
    assert!(unknown.stderr.contains("mixamo, unreal"), "{}", unknown.stderr);
    let without = rigview(["fix", "rig.glb", "-o", "out.glb", "--also", "NAMES"]);
    assert!(without.failed(2).stderr.contains("--rename"));
}

#[test]
fn a_name_that_another_node_has_is_not_given() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("rig.glb"), folder.path().join("out.glb"));
    let mut names = humanoid();
    names.last_mut().unwrap().0 = "mixamorig:Spine1".into();
    write_rig(&input, &names);
    let args = ["fix".as_ref(), input.as_os_str(), "-o".as_ref(), output.as_os_str()];
    let more = ["--json", "--rename", "mixamo"].map(std::ffi::OsStr::new);
    let run = rigview(args.into_iter().chain(more)).done();
    let answer = run.json();
    let after = Glb::read(&output).json["nodes"].clone();
    assert_eq!(after[2]["name"], "Chest", "{answer}");
    assert_eq!(after[1]["name"], "mixamorig:Spine", "{answer}");
    assert_eq!(answer["left"][0]["pointer"], "/nodes/2", "{answer}");
}

#[test]
fn only_the_joints_of_a_humanoid_are_renamed() {
    let folder = tempfile::tempdir().unwrap();
    let [input, output] = ["rig.glb", "out.glb"].map(|name| folder.path().join(name));
    let left = |edit: &dyn Fn(&mut Value), names: &[(String, Option<usize>)]| {
        write_rig(&input, names);
        let mut glb = Glb::read(&input);
        edit(&mut glb.json);
        glb.write(&input);
        let args = ["fix".as_ref(), input.as_os_str(), "-o".as_ref(), output.as_os_str()];
        let more = ["--json", "--rename", "mixamo"].map(std::ffi::OsStr::new);
        let answer = rigview(args.into_iter().chain(more)).done().json();
        let renamed = answer["fixed"].as_array().unwrap().len();
        (renamed, answer["left"].clone())
    };
    // A quadruped has a name or two that fit a convention by chance.
    let beast = ["Hips", "Spine", "FrontLegA", "FrontLegB", "Tail"];
    let beast = beast.iter().enumerate().map(|(i, name)| ((*name).to_owned(), i.checked_sub(1)));
    let (renamed, all) = left(&|_| {}, &beast.collect::<Vec<_>>());
    assert_eq!(renamed, 0, "{all}");
    assert!(all[0]["reason"].as_str().unwrap().contains("are not those of a humanoid"), "{all}");
    // A node beside the skin keeps its name, and one above the skin's joints does not.
    let people = humanoid();
    let at = |name: &str| people.iter().position(|(n, _)| n == name).unwrap();
    let (hips, tip) = (at("Hips"), at("LeftToes"));
    let without = |json: &mut Value| {
        let joints = json["skins"][0]["joints"].as_array_mut().unwrap();
        joints.retain(|joint| *joint != json!(hips) && *joint != json!(tip));
    };
    let (renamed, some) = left(&without, &people);
    assert!(renamed > 20, "{some}");
    assert_eq!(some.as_array().unwrap().len(), 1, "{some}");
    assert_eq!(some[0]["pointer"], format!("/nodes/{tip}"), "{some}");
}
