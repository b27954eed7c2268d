//! Clips of one file on the rig of another: on the same rig, a larger one, one with longer bones, one with
//! other names, and one that has nothing in common.

use std::path::{Path, PathBuf};

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};

use crate::support::{Glb, Run, SmallModel, floats, rigview, shared};

const TIMES: [&str; 4] = ["0", "0.4", "1.03", "2"];

/// CesiumMan, and a folder for files derived from it.
struct Rigs {
    shared: PathBuf,
    folder: tempfile::TempDir,
}

impl Rigs {
    fn new(test: &'static str) -> Option<Self> {
        Some(Self { shared: shared(test)?, folder: tempfile::tempdir().unwrap() })
    }

    fn man(&self) -> PathBuf {
        self.shared.join("models/CesiumMan/glTF-Binary/CesiumMan.glb")
    }

    fn fox(&self) -> PathBuf {
        self.shared.join("models/Fox/glTF-Binary/Fox.glb")
    }

    /// Writes CesiumMan with a change.
    fn changed(&self, name: &str, change: impl FnOnce(&mut Glb)) -> PathBuf {
        let mut glb = Glb::read(&self.man());
        change(&mut glb);
        let path = self.folder.path().join(name);
        glb.write(&path);
        path
    }
}

fn pose(rig: &Path, clips: Option<&Path>) -> Run {
    let mut args = vec!["pose".into(), rig.to_owned(), "--json".into()];
    if let Some(clips) = clips {
        args.extend(["--clips-from".into(), clips.to_owned()]);
    }
    for time in TIMES {
        args.extend(["--time".into(), time.into()]);
    }
    rigview(args)
}

fn rest(rig: &Path) -> Value {
    let run = rigview([Path::new("pose"), rig, Path::new("--json"), Path::new("--rest")]).done();
    run.json()
}

fn numbers<const N: usize>(value: &Value) -> [f32; N] {
    let list: Vec<f32> =
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect();
    list.try_into().unwrap()
}

fn named<'a>(pose: &'a Value, name: &str) -> &'a Value {
    pose["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap()
}

#[test]
fn a_clip_on_its_own_rig_gives_the_same_poses() {
    let Some(rigs) = Rigs::new("a_clip_on_its_own_rig_gives_the_same_poses") else { return };
    for model in [rigs.man(), rigs.fox()] {
        let (own, taken) = (pose(&model, None).done(), pose(&model, Some(&model)).done());
        assert_eq!(own.text(), taken.text(), "{}", model.display());
        assert_eq!(taken.stderr, "");
    }
    // A file with unnamed nodes and morph weights.
    for model in
        ["BoxAnimated/glTF-Binary/BoxAnimated.glb", "AnimatedMorphCube/glTF/AnimatedMorphCube.gltf"]
    {
        let model = rigs.shared.join("models").join(model);
        let (own, taken) = (pose(&model, None).done(), pose(&model, Some(&model)).done());
        assert_eq!(own.text(), taken.text(), "{}", model.display());
    }
}

#[test]
fn a_rig_twice_as_large_moves_twice_as_far() {
    let Some(rigs) = Rigs::new("a_rig_twice_as_large_moves_twice_as_far") else { return };
    let large = rigs.changed("large.glb", |glb| {
        for node in glb.json["nodes"].as_array_mut().unwrap() {
            if node.get("translation").is_some() {
                let [x, y, z] = numbers(&node["translation"]);
                node["translation"] = json!([2.0 * x, 2.0 * y, 2.0 * z]);
            }
        }
        glb.json.as_object_mut().unwrap().remove("animations");
    });
    let own = pose(&rigs.man(), None).done().json_lines();
    let taken = pose(&large, Some(&rigs.man())).done().json_lines();
    let at_rest = rest(&large);
    let mut moved = 0;
    for (own, taken) in own.iter().zip(&taken) {
        for (i, (a, b)) in own["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .zip(taken["nodes"].as_array().unwrap())
            .enumerate()
        {
            let joint = a["name"].as_str().unwrap().contains("joint");
            let size = if joint { 2.0 } else { 1.0 };
            let (t, u) =
                (Vec3::from(numbers(&a["translation"])), Vec3::from(numbers(&b["translation"])));
            assert!((u - size * t).length() < 1e-5, "{}: {u} is not {size} times {t}", a["name"]);
            let (q, r) = (
                Quat::from_array(numbers(&a["rotation"])),
                Quat::from_array(numbers(&b["rotation"])),
            );
            assert!(q.dot(r).abs() > 1.0 - 1e-6, "{}", a["name"]);
            moved += usize::from(at_rest["nodes"][i]["rotation"] != b["rotation"]);
        }
    }
    assert!(moved > 50, "a T-pose: {moved}");
}

#[test]
fn longer_bones_stay_as_long_as_they_are() {
    let Some(rigs) = Rigs::new("longer_bones_stay_as_long_as_they_are") else { return };
    let (bone, turned) = ("leg_joint_L_3", "Skeleton_arm_joint_R__2_");
    let other = rigs.changed("long.glb", |glb| {
        let [x, y, z] = numbers(&glb.node(bone)["translation"]);
        glb.node(bone)["translation"] = json!([3.0 * x, 3.0 * y, 3.0 * z]);
        let q = Quat::from_array(numbers(&glb.node(turned)["rotation"]));
        let q = (Quat::from_rotation_z(0.5) * q).normalize();
        glb.node(turned)["rotation"] = json!(q.to_array());
    });
    let taken = pose(&other, Some(&rigs.man())).done().json_lines();
    let own = pose(&rigs.man(), None).done().json_lines();
    let (rest_b, rest_a) = (rest(&rigs.man()), rest(&other));
    // All bones below the two whose transforms are matrices.
    let length = |pose: &Value| -> f32 {
        let joints = pose["nodes"].as_array().unwrap().iter().filter(|n| {
            let name = n["name"].as_str().unwrap();
            name.contains("joint") || name == "Armature" || name == "Cesium_Man"
        });
        joints.map(|n| Vec3::from(numbers(&n["translation"])).length()).sum()
    };
    let size = length(&rest_a) / length(&rest_b);
    assert!(size > 1.01, "{size}");
    for (own, taken) in own.iter().zip(&taken) {
        for a in own["nodes"].as_array().unwrap() {
            let name = a["name"].as_str().unwrap();
            let b = named(taken, name);
            let (from, to) = (named(&rest_b, name), named(&rest_a, name));
            let t = |node: &Value| Vec3::from(numbers(&node["translation"]));
            let far = (t(b) - t(to)).length() - size * (t(a) - t(from)).length();
            assert!(far.abs() < 1e-4, "{name}: {far}");
            // In axes of the scene every joint makes the same turn from rest.
            let world = |node: &Value| Mat4::from_cols_array(&numbers(&node["world"]));
            let q = |node: &Value| world(node).to_scale_rotation_translation().1;
            let want = q(a) * q(from).inverse() * q(to);
            assert!(q(b).dot(want).abs() > 1.0 - 1e-5, "{name}");
        }
        let length = |node: &Value| Vec3::from(numbers(&node["translation"])).length();
        let ratio = length(named(taken, bone)) / length(named(own, bone));
        assert!((ratio - 3.0).abs() < 0.05, "{ratio}");
    }
}

#[test]
fn joints_of_other_names_stay_at_rest_and_are_named() {
    let Some(rigs) = Rigs::new("joints_of_other_names_stay_at_rest_and_are_named") else { return };
    let other = rigs.changed("renamed.glb", |glb| {
        glb.node("leg_joint_L_3")["name"] = json!("Knie");
    });
    let run = pose(&other, Some(&rigs.man())).done();
    assert!(run.stderr.contains("18 of 19 moved nodes matched"), "{}", run.stderr);
    assert!(run.stderr.contains("\"leg_joint_L_3\""), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let own = pose(&rigs.man(), None).done().json_lines();
    let at_rest = rest(&rigs.man());
    for (own, taken) in own.iter().zip(run.json_lines()) {
        for (i, a) in own["nodes"].as_array().unwrap().iter().enumerate() {
            if a["name"] == "leg_joint_L_3" {
                let rest = &at_rest["nodes"][i];
                assert_eq!(taken["nodes"][i]["rotation"], rest["rotation"]);
                continue;
            }
            // The joint below it makes the turn of both.
            let turn = |node: &Value| {
                let world = Mat4::from_cols_array(&numbers(&node["world"]));
                world.to_scale_rotation_translation().1
            };
            let off = turn(&taken["nodes"][i]).dot(turn(a)).abs();
            assert!(off > 1.0 - 1e-5, "{}: {off}", a["name"]);
        }
    }
}

#[test]
fn names_that_occur_twice_are_told_apart_by_their_path() {
    let Some(rigs) = Rigs::new("names_that_occur_twice_are_told_apart_by_their_path") else {
        return;
    };
    let twins = |name: &str, glb: &mut Glb| {
        glb.node("leg_joint_L_3")["name"] = json!("foot");
        glb.node("leg_joint_R_3")["name"] = json!("foot");
        glb.json["asset"]["generator"] = json!(name);
    };
    let first = rigs.changed("first.glb", |glb| twins("one", glb));
    // The same rig with reordered nodes.
    let second = rigs.changed("second.glb", |glb| {
        twins("two", glb);
        let nodes = glb.json["nodes"].as_array_mut().unwrap();
        let foot = |n: &Value| n["name"] == "foot";
        let a = nodes.iter().position(foot).unwrap();
        let b = nodes.iter().rposition(foot).unwrap();
        nodes.swap(a, b);
        let swapped = |i: &Value| match i.as_u64().unwrap() as usize {
            i if i == a => json!(b),
            i if i == b => json!(a),
            i => json!(i),
        };
        for node in nodes {
            if let Some(children) = node.get_mut("children").and_then(Value::as_array_mut) {
                children.iter_mut().for_each(|child| *child = swapped(child));
            }
        }
        let joints = glb.json["skins"][0]["joints"].as_array_mut().unwrap();
        joints.iter_mut().for_each(|joint| *joint = swapped(joint));
        glb.json.as_object_mut().unwrap().remove("animations");
    });
    let run = pose(&second, Some(&first)).done();
    assert_eq!(run.stderr, "");
    let own = pose(&first, None).done().json_lines();
    for (own, taken) in own.iter().zip(run.json_lines()) {
        assert_eq!(own["skins"], own["skins"]);
        let skin = |pose: &Value| pose["skins"][0]["joint_matrices"].clone();
        assert_eq!(skin(own), skin(&taken));
    }
}

#[test]
fn a_rig_that_shares_no_joint_is_1_with_a_line_and_nothing_is_written() {
    let Some(rigs) =
        Rigs::new("a_rig_that_shares_no_joint_is_1_with_a_line_and_nothing_is_written")
    else {
        return;
    };
    let (man, fox) = (rigs.man(), rigs.fox());
    let run = pose(&man, Some(&fox)).failed(1);
    assert!(
        run.stderr.contains("shares no joint") && run.stderr.contains("b_Head_05"),
        "{}",
        run.stderr
    );
    assert_eq!(run.text(), "");
    for command in ["screenshot", "bake"] {
        let out = rigs.folder.path().join("out.bin");
        let args =
            [Path::new(command), &man, Path::new("--clips-from"), &fox, Path::new("-o"), &out];
        let run = rigview(args).failed(1);
        assert!(run.stderr.contains("shares no joint"), "{command}: {}", run.stderr);
        assert!(!out.exists(), "{command}");
    }
    // A root node with a joint's name does not match the joint.
    let fox_like = rigs.changed("root.glb", |glb| glb.node("Z_UP")["name"] = json!("root"));
    pose(&fox_like, Some(&fox)).failed(1);
}

#[test]
fn names_choose_among_the_taken_clips() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    SmallModel::new().clip("Own").write_gltf(&folder.path().join("a.gltf"));
    SmallModel::new().clip("One").clip("Two").write_gltf(&folder.path().join("b.gltf"));
    SmallModel::new().write_gltf(&folder.path().join("none.gltf"));
    let taken = |clips: &str, clip: &str| {
        rigview(["pose", &path("a.gltf"), "--json", "--clips-from", &path(clips), "--clip", clip])
    };
    let line = taken("b.gltf", "Two").done().json();
    assert_eq!((&line["clip"], &line["clip_name"]), (&json!(1), &json!("Two")));
    let run = taken("b.gltf", "Own").failed(2);
    assert!(run.stderr.contains("One") && run.stderr.contains("Two"), "{}", run.stderr);
    let run = taken("none.gltf", "One").failed(2);
    assert!(run.stderr.contains("none.gltf: the file has no clips"), "{}", run.stderr);
    let run = taken("missing.gltf", "One").failed(3);
    assert!(run.stderr.contains("missing.gltf"), "{}", run.stderr);
}

#[test]
fn all_clips_at_once_are_neither_first_nor_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("a.gltf").to_string_lossy().into_owned();
    SmallModel::new().clip("One").clip("Two").write_gltf(&folder.path().join("a.gltf"));
    let run = rigview(["pose", &model, "--json", "--all-clips", "--time", "1"]).done();
    let all = run.json();
    assert_eq!((&all["clip"], &all["clip_name"]), (&Value::Null, &json!("All clips")));
    let run = rigview(["pose", &model, "--json", "--clip", "1", "--time", "1"]).done();
    let last = run.json();
    assert_eq!(all["nodes"], last["nodes"]);
    let run = rigview(["pose", &model, "--all-clips", "--clip", "One"]);
    assert_eq!(run.code, Some(2), "{}", run.ended());
}

/// Animation of a material belongs to the file that has it. Every command that takes clips of another file says so.
#[test]
fn animation_of_materials_is_left_out_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let [path, out] = ["glow.gltf", "out.glb"].map(|name| folder.path().join(name));
    let pointer = "/materials/0/pbrMetallicRoughness/baseColorFactor";
    let lights_up = SmallModel::new().clip("Glow").edit(|json| {
        json["materials"] = json!([{"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 1]}}]);
        json["meshes"][0]["primitives"][0]["material"] = json!(0);
        json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
        let target = json!({"path": "pointer", "extensions":
            {"KHR_animation_pointer": {"pointer": pointer}}});
        let clip = &mut json["animations"][0];
        clip["channels"].as_array_mut().unwrap().push(json!({"sampler": 0, "target": target}));
    });
    lights_up.write_gltf(&path);
    for (command, option) in
        [("convert", "--clips-from"), ("bake", "--clips-from"), ("bake", "--merge")]
    {
        let args = [Path::new(command), &path, Path::new(option), &path, Path::new("-o"), &out];
        let run = rigview(args).done();
        let said = "left out: animation of materials, lights, cameras and visibility";
        assert!(run.stderr.contains(said), "{command} {option}: {}", run.stderr);
    }
    let args = [Path::new("convert"), &path, "--clips-from".as_ref(), &path, "-o".as_ref(), &out];
    let run = rigview(args.into_iter().chain([Path::new("--json")])).done();
    let lost = "animation of materials, lights, cameras and visibility of the clips";
    assert_eq!(run.json_lines()[0]["not_carried_over"], json!([lost]));
}

/// Writes a glTF file of one triangle with these morph targets, each of which a clip holds at a weight.
fn face(path: &Path, names: &[&str], weights: &[f32]) {
    faces(path, &[("face", names, weights)]);
}

/// Writes a glTF file of nodes, each with a name, its morph targets and the weights at which a clip holds them; a node without
/// weights is not animated.
fn faces(path: &Path, nodes: &[(&str, &[&str], &[f32])]) {
    let all: Vec<usize> = (0..nodes.len()).collect();
    let mut json = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": all}],
        "nodes": [], "meshes": [], "animations": [{"samplers": [], "channels": []}],
    });
    let corners = floats(&mut json, "VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let times = floats(&mut json, "SCALAR", &[0.0]);
    let push = |list: &mut Value, item: Value| list.as_array_mut().unwrap().push(item);
    for (node, (name, names, weights)) in nodes.iter().enumerate() {
        let targets = vec![json!({"POSITION": corners}); names.len()];
        let primitive = json!({"attributes": {"POSITION": corners}, "targets": targets});
        let mesh = json!({"primitives": [primitive], "extras": {"targetNames": names}});
        push(&mut json["meshes"], mesh);
        push(&mut json["nodes"], json!({"name": name, "mesh": node}));
        if !weights.is_empty() {
            let values = floats(&mut json, "SCALAR", weights);
            let clip = &mut json["animations"][0];
            let sampler = clip["samplers"].as_array().unwrap().len();
            push(&mut clip["samplers"], json!({"input": times, "output": values}));
            let target = json!({"node": node, "path": "weights"});
            push(&mut clip["channels"], json!({"sampler": sampler, "target": target}));
        }
    }
    if json["animations"][0]["channels"] == json!([]) {
        json.as_object_mut().unwrap().remove("animations");
    }
    std::fs::write(path, json.to_string()).unwrap();
}

/// Returns the weights of each node of a rig in the pose of another file's clip, and what is said.
fn shown(rig: &Path, clips: &Path, map: &str) -> (Vec<Vec<f64>>, String) {
    let args = ["pose".as_ref(), rig, "--json".as_ref(), "--clips-from".as_ref(), clips];
    let run = rigview(args.into_iter().chain(["--map", map].map(Path::new))).done();
    let weights = |node: &Value| -> Vec<f64> {
        node["weights"].as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect()
    };
    let nodes = run.json()["nodes"].as_array().unwrap().iter().map(weights).collect();
    (nodes, run.stderr)
}

/// Faces of one clip go by the names of their targets, whatever their meshes are called and however many there are.
#[test]
fn morph_targets_follow_those_of_nodes_with_other_names() {
    let folder = tempfile::tempdir().unwrap();
    let [rig, clips] = ["rig.gltf", "clips.gltf"].map(|name| folder.path().join(name));
    let names: &[&str] = &["JawOpen", "blinkLeft", "blinkRight", "smile"];
    let weights: &[f32] = &[1.0, 0.5, 0.25, 0.75];
    faces(&clips, &[("Face", names, weights)]);
    for head in ["Wolf3D_Head", "Face"] {
        faces(&rig, &[(head, names, &[]), ("Teeth", &["JawOpen", "smile"], &[])]);
        for map in ["auto", "exact"] {
            let (taken, said) = shown(&rig, &clips, map);
            assert_eq!(taken, [vec![1.0, 0.5, 0.25, 0.75], vec![1.0, 0.75]], "{head} {map}");
            assert_eq!(said, "", "{head} {map}");
        }
    }
    // One face follows several, each of which has a part of its targets.
    faces(&rig, &[("Head", &["smile", "brow", "still", "jawOpen"], &[])]);
    faces(&clips, &[("Mouth", &["jawOpen", "smile"], &[0.5, 0.25]), ("Brows", &["brow"], &[0.75])]);
    let (taken, said) = shown(&rig, &clips, "auto");
    assert_eq!((taken, said.as_str()), (vec![vec![0.25, 0.75, 0.0, 0.5]], ""));
    // The warning names the targets that the rig lacks.
    faces(&clips, &[("Face", &["jawOpen", "kiss"], &[0.5, 0.25])]);
    let (taken, said) = shown(&rig, &clips, "auto");
    assert_eq!(taken, [[0.0, 0.0, 0.0, 0.5]]);
    assert!(said.contains("left out: morph targets \"kiss\"\n"), "{said}");
}

#[test]
fn morph_targets_of_nodes_that_follow_their_own_stay() {
    let folder = tempfile::tempdir().unwrap();
    let [rig, clips, table] =
        ["rig.gltf", "clips.gltf", "map.toml"].map(|name| folder.path().join(name));
    // The teeth have a node of their own in the clip file, which does not move.
    let both = |head: &'static [f32]| {
        [("Head", &["jawOpen", "smile"][..], head), ("Teeth", &["jawOpen"][..], &[][..])]
    };
    faces(&rig, &both(&[]));
    faces(&clips, &both(&[0.5, 0.25]));
    assert_eq!(shown(&rig, &clips, "auto").0, [vec![0.5, 0.25], vec![0.0]]);
    // A table holds a node at rest.
    faces(&clips, &[("Face", &["jawOpen", "smile"], &[0.5, 0.25])]);
    std::fs::write(&table, "base = \"auto\"\n[joints]\nTeeth = false\n").unwrap();
    let held = shown(&rig, &clips, table.to_str().unwrap()).0;
    assert_eq!(held, [vec![0.5, 0.25], vec![0.0]]);
    // Only lines count without a base, and an exact one takes no other spelling.
    faces(&rig, &[("Head", &["jawOpen"], &[]), ("Teeth", &["JawOpen"], &[])]);
    faces(&clips, &[("Face", &["jawOpen"], &[0.5]), ("Other", &["JAWOPEN"], &[0.25])]);
    for (base, teeth) in [("none", 0.0), ("exact", 0.0), ("auto", 0.5)] {
        std::fs::write(&table, format!("base = \"{base}\"\n[joints]\nHead = \"Face\"\n")).unwrap();
        let taken = shown(&rig, &clips, table.to_str().unwrap()).0;
        assert_eq!(taken, [vec![0.5], vec![teeth]], "{base}");
    }
    faces(&rig, &[("Teeth", &["jawOpen"], &[])]);
    std::fs::write(&table, "base = \"exact\"\n").unwrap();
    assert_eq!(shown(&rig, &clips, table.to_str().unwrap()).0, [[0.5]]);
    // Names that programs give by themselves say nothing of another mesh.
    faces(&rig, &[("Head", &["jawOpen"], &[]), ("Flag", &["Key 1"], &[])]);
    faces(&clips, &[("Face", &["jawOpen", "Key 1"], &[0.5, 0.25])]);
    assert_eq!(shown(&rig, &clips, "auto").0, [vec![0.5], vec![0.0]]);
}

/// A mouth that opens must not close an eye: targets with names follow by name, whatever their order.
#[test]
fn morph_targets_follow_by_name_and_those_that_the_rig_lacks_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let [rig, clips] = ["rig.gltf", "clips.gltf"].map(|name| folder.path().join(name));
    face(&rig, &["Blink", "head.jawOpen", "brow"], &[0.0; 3]);
    face(&clips, &["jawOpen", "smile", "blink", "still"], &[0.75, 0.5, 0.25, 0.0]);
    let run = pose(&rig, Some(&clips)).done();
    let weights = numbers::<3>(&run.json_lines()[0]["nodes"][0]["weights"]);
    assert_eq!(weights, [0.25, 0.75, 0.0]);
    assert!(run.stderr.contains("left out: morph targets \"smile\"\n"), "{}", run.stderr);

    face(&clips, &["smile", "kiss", "frown"], &[1.0, 1.0, 1.0]);
    let run = pose(&rig, Some(&clips));
    assert_eq!(run.code, Some(1));
    let lost = "left out: morph targets \"smile\", \"kiss\", \"frown\"";
    assert!(run.stderr.contains(lost), "{}", run.stderr);
}

/// `--mirror` keeps what a target on one side only does, and exchanges those with a partner.
#[test]
fn a_morph_target_without_a_partner_keeps_its_motion() {
    let folder = tempfile::tempdir().unwrap();
    let [input, out] = ["in.gltf", "out.glb"].map(|name| folder.path().join(name));
    face(&input, &["jawLeft", "blinkLeft", "blinkRight"], &[0.5, 0.25, 0.75]);
    let mut json: Value = serde_json::from_slice(&std::fs::read(&input).unwrap()).unwrap();
    let sides = json!([{"name": "armLeft", "translation": [1.0, 0.0, 0.0]},
        {"name": "armRight", "translation": [-1.0, 0.0, 0.0]}]);
    json["nodes"].as_array_mut().unwrap().extend(sides.as_array().unwrap().clone());
    json["scenes"][0]["nodes"] = json!([0, 1, 2]);
    std::fs::write(&input, json.to_string()).unwrap();
    let args = [Path::new("bake"), &input, "-o".as_ref(), &out, "--mirror".as_ref()];
    rigview(args.into_iter().chain(["--rate", "keep"].map(Path::new))).done();
    let run = pose(&out, None).done();
    let weights = numbers::<3>(&run.json_lines()[0]["nodes"][0]["weights"]);
    assert_eq!(weights, [0.5, 0.75, 0.25]);
}
