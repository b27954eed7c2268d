//! VRM files of both versions: bones, expressions, springs, invalid parts, and VRM animations.

use std::path::{Path, PathBuf};

use glam::{DMat4, DQuat, Quat};
use rigview::import::{ImportOptions, Loaded, load_bytes};
use serde_json::{Value, json};

use crate::support::{Glb, Joints, SmallModel, rigview, shared};

fn avatars(test: &'static str) -> Option<PathBuf> {
    Some(shared(test)?.join("characters"))
}

fn info(file: &Path) -> Value {
    let run = rigview([Path::new("info"), file, Path::new("--json")]).done();
    run.json()
}

/// Returns the pose at rest and the positions of all vertices.
fn pose(file: &Path, more: &[&str]) -> Value {
    let mut args = vec!["pose", file.to_str().unwrap(), "--json", "--vertices", "100000"];
    args.extend(more);
    serde_json::from_str(rigview(args).done().text().lines().next().unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Returns `(node, target, weight)` of each morph weight of an expression.
fn morphs(expression: &Value) -> Vec<(u64, u64, i64)> {
    let morphs = expression["morphs"].as_array().unwrap().iter().map(|m| {
        let weight = (m["weight"].as_f64().unwrap() * 1e5).round() as i64;
        (m["node"].as_u64().unwrap(), m["target"].as_u64().unwrap(), weight)
    });
    let mut morphs: Vec<_> = morphs.collect();
    morphs.sort_unstable();
    morphs
}

#[test]
fn bones_and_expressions_are_those_that_the_files_say() {
    let Some(folder) = avatars("bones_and_expressions_are_those_that_the_files_say") else {
        return;
    };
    for name in ["synth_vrm0", "synth_vrm1", "simple_morph", "debug_robot"] {
        let file = folder.join(format!("vrm/{name}.vrm"));
        let oracle = std::fs::read(folder.join(format!("oracle/{name}.vrm.json"))).unwrap();
        let oracle: Value = serde_json::from_slice(&oracle).unwrap();
        let found = info(&file);
        let bones = |list: &Value| -> Vec<(String, u64)> {
            let bones = list.as_array().unwrap().iter();
            let bones = bones
                .map(|b| (b["bone"].as_str().unwrap().to_owned(), b["node"].as_u64().unwrap()));
            let mut bones: Vec<_> = bones.collect();
            bones.sort();
            bones
        };
        assert_eq!(bones(&found["humanoid"]), bones(&oracle["humanoid"]), "{name}");
        assert_eq!(found["avatar"]["name"], oracle["meta"]["name"], "{name}");
        assert_eq!(found["avatar"]["licence"], oracle["meta"]["licence"], "{name}");
        let expressions = found["expressions"].as_array().unwrap();
        assert_eq!(expressions.len(), oracle["expressions"].as_array().unwrap().len(), "{name}");
        for want in oracle["expressions"].as_array().unwrap() {
            let called = &want["name"];
            let got = expressions.iter().find(|e| e["name"] == *called).unwrap();
            assert_eq!(morphs(got), morphs(want), "{name}: {called}");
            for key in ["is_binary", "override_blink", "override_look_at", "override_mouth"] {
                assert_eq!(got[key], want[key], "{name}: {called}: {key}");
            }
            let posed = want["posed"].as_array().unwrap();
            if posed.is_empty() {
                continue;
            }
            let shown = pose(&file, &["--rest", "--expression", called.as_str().unwrap()]);
            for want in posed {
                let vertices = shown["vertices"].as_array().unwrap();
                let got = vertices
                    .iter()
                    .find(|v| v["node"] == want["node"] && v["primitive"] == want["primitive"]);
                let got = got.unwrap();
                let indices: Vec<_> = got["index"].as_array().unwrap().iter().collect();
                let pairs = want["index"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .zip(want["position"].as_array().unwrap());
                for (index, position) in pairs {
                    let at = indices.iter().position(|i| *i == index).unwrap();
                    let (a, b) = (numbers(&got["position"][at]), numbers(position));
                    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4), "{name}: {called}");
                }
            }
        }
    }
}

#[test]
fn expressions_have_weights_and_unknown_ones_are_refused() {
    let Some(folder) = avatars("expressions_have_weights_and_unknown_ones_are_refused") else {
        return;
    };
    let file = folder.join("vrm/synth_vrm1.vrm");
    let weights = |more: &[&str]| -> Vec<f64> {
        let args: Vec<&str> = ["--rest"].iter().chain(more).copied().collect();
        let pose = pose(&file, &args);
        numbers(&pose["nodes"][27]["weights"])
    };
    // happy: 0.8 of target 0 and 0.5 of target 1; aa: target 1; blink, which is on or off: targets 2 and 3.
    assert_eq!(weights(&[]), [0.0; 4]);
    let near = |a: Vec<f64>, b: [f64; 4]| {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{a:?}, not {b:?}");
    };
    near(weights(&["--expression", "happy=0.5"]), [0.4, 0.25, 0.0, 0.0]);
    near(weights(&["--expression", "aa=0.25", "--expression", "happy"]), [0.8, 0.75, 0.0, 0.0]);
    near(weights(&["--expression", "blink=0.6"]), [0.0, 0.0, 1.0, 1.0]);
    near(weights(&["--expression", "blink=0.5"]), [0.0; 4]);
    // happy fades blinking out, and a binary expression is not faded by half.
    near(weights(&["--expression", "blink", "--expression", "happy=0.5"]), [0.4, 0.25, 0.0, 0.0]);
    near(
        weights(&["--expression", "blinkLeft", "--expression", "happy=0.5"]),
        [0.4, 0.25, 0.5, 0.0],
    );
    let args = ["pose", file.to_str().unwrap(), "--rest", "--expression"];
    let run = rigview(args.iter().chain(&["grin"])).failed(2);
    assert!(run.stderr.contains("no expression \"grin\"; the file has: happy"), "{}", run.stderr);
    let run = rigview(args.iter().chain(&["happy=2"])).failed(2);
    assert!(run.stderr.contains("from 0 to 1"), "{}", run.stderr);
}

/// Writes an avatar with a change.
fn changed(folder: &Path, from: &Path, change: impl FnOnce(&mut Glb)) -> PathBuf {
    let mut glb = Glb::read(from);
    change(&mut glb);
    let path = folder.join("changed.vrm");
    glb.write(&path);
    path
}

#[test]
fn invalid_parts_are_left_out_and_required_extensions_accepted() {
    let Some(folder) = avatars("invalid_parts_are_left_out_and_required_extensions_accepted")
    else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let file = changed(out.path(), &folder.join("vrm/synth_vrm1.vrm"), |glb| {
        glb.json["extensionsRequired"] = glb.json["extensionsUsed"].clone();
        let vrm = &mut glb.json["extensions"]["VRMC_vrm"];
        vrm["humanoid"]["humanBones"]["leftWing"] = json!({"node": 3});
        vrm["humanoid"]["humanBones"]["leftHand"] = json!({"node": 999});
        vrm["expressions"]["preset"]["aa"]["morphTargetBinds"][0]["index"] = json!(99);
        glb.json["extensions"]["VRMC_springBone"]["springs"][0]["joints"][0]["node"] = json!("x");
    });
    let found = info(&file);
    let skipped: Vec<&str> = found["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|w| w["code"] == "VRM_SKIPPED")
        .map(|w| w["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(skipped.len(), 4, "{skipped:?}");
    assert_eq!(found["humanoid"].as_array().unwrap().len(), 21);
    assert_eq!(found["avatar"]["springs"], json!([]));
    assert!(found["warnings"].to_string().contains("TOON_APPROXIMATED"));
}

/// Adds an animation of one second that turns a node about Z, and moves another along X.
fn animate(glb: &mut Glb, turned: usize, moved: Option<usize>) {
    let half = 0.5f32.sqrt();
    let times = glb.put_floats("SCALAR", &[0.0, 1.0]);
    let turns = glb.put_floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half]);
    let moves = glb.put_floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let mut channels = vec![json!({"sampler": 0, "target": {"node": turned, "path": "rotation"}})];
    channels.extend(
        moved.map(|node| json!({"sampler": 1, "target": {"node": node, "path": "translation"}})),
    );
    let samplers =
        [json!({"input": times, "output": turns}), json!({"input": times, "output": moves})];
    glb.json["animations"] = json!([{"channels": channels, "samplers": samplers}]);
}

#[test]
fn a_vrm_animation_moves_bones_and_expressions() {
    let Some(folder) = avatars("a_vrm_animation_moves_bones_and_expressions") else { return };
    let avatar = folder.join("vrm/synth_vrm1.vrm");
    let out = tempfile::tempdir().unwrap();
    let mut glb = Glb::read(&avatar);
    let humanoid = glb.json["extensions"]["VRMC_vrm"]["humanoid"].clone();
    let arm = humanoid["humanBones"]["leftLowerArm"]["node"].as_u64().unwrap() as usize;
    for (index, node) in glb.json["nodes"].as_array_mut().unwrap().iter_mut().enumerate() {
        node["name"] = json!(format!("bone {index}"));
    }
    let nodes = glb.json["nodes"].as_array_mut().unwrap();
    nodes.push(json!({"name": "weight of happy"}));
    let weight = nodes.len() - 1;
    glb.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(weight));
    animate(&mut glb, arm, Some(weight));
    glb.json["extensions"] = json!({"VRMC_vrm_animation": {
        "specVersion": "1.0",
        "humanoid": humanoid,
        "expressions": {"preset": {"happy": {"node": weight}}},
    }});
    glb.json["extensionsUsed"] = json!(["VRMC_vrm_animation", "VRMC_materials_mtoon"]);
    let animation = out.path().join("wave.vrma");
    glb.write(&animation);
    let clips = ["--clips-from", animation.to_str().unwrap(), "--time", "0.5"];
    let at = pose(&avatar, &clips);
    let rest = pose(&avatar, &["--rest"]);
    let turn = |pose: &Value| {
        let world = numbers(&pose["nodes"][arm]["world"]);
        world[1].atan2(world[0]).to_degrees()
    };
    assert!((turn(&at) - turn(&rest) - 45.0).abs() < 0.01, "{} {}", turn(&at), turn(&rest));
    let weights = numbers(&at["nodes"][27]["weights"]);
    assert!((weights[0] - 0.4).abs() < 1e-5 && (weights[1] - 0.25).abs() < 1e-5, "{weights:?}");

    // An expression that is asked for adds up with that of the clip, up to 1.
    for (asked, shown) in [("happy=0.25", 0.75), ("happy", 1.0)] {
        let at = pose(&avatar, &[&clips[..], &["--expression", asked]].concat());
        let weights = numbers(&at["nodes"][27]["weights"]);
        let near = |weight: f64, whole: f64| (weight - whole * shown).abs() < 1e-5;
        assert!(near(weights[0], 0.8) && near(weights[1], 0.5), "{asked}: {weights:?}");
    }

    // What the avatar has no expression for is said.
    let face = &mut glb.json["extensions"]["VRMC_vrm_animation"]["expressions"];
    *face = json!({"custom": {"wink": {"node": weight}}});
    glb.write(&animation);
    let args = ["pose", avatar.to_str().unwrap(), "--time", "1", "--clips-from"];
    let run = rigview(args.iter().copied().chain([animation.to_str().unwrap()])).done();
    assert!(run.stderr.contains("left out: expressions \"wink\""), "{}", run.stderr);
}

/// A clip of the file itself that drives the morph targets does not hide an expression that is asked for.
#[test]
fn an_expression_shows_over_a_clip_that_drives_its_targets() {
    let Some(folder) = avatars("an_expression_shows_over_a_clip_that_drives_its_targets") else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let file = changed(out.path(), &folder.join("vrm/synth_vrm1.vrm"), |glb| {
        let times = glb.put_floats("SCALAR", &[0.0, 1.0]);
        let weights = glb.put_floats("SCALAR", &[0.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.0, 0.0]);
        let target = json!({"node": 27, "path": "weights"});
        glb.json["animations"] = json!([{
            "samplers": [{"input": times, "output": weights}],
            "channels": [{"sampler": 0, "target": target}],
        }]);
    });
    let weights = |more: &[&str]| -> Vec<f64> {
        numbers(&pose(&file, &[&["--time", "0.5"], more].concat())["nodes"][27]["weights"])
    };
    for (asked, expected) in
        [(&[][..], [0.05, 0.1]), (&["--expression", "happy=0.5"], [0.45, 0.35])]
    {
        let found = weights(asked);
        let near = |at: usize| (found[at] - expected[at]).abs() < 1e-6;
        assert!(near(0) && near(1), "{asked:?}: {found:?}");
    }
}

/// The eyes of avatars of both versions, which look in opposite directions, follow the gaze of a clip.
#[test]
fn a_vrm_animation_turns_eyes_or_shows_where_they_look() {
    let test = "a_vrm_animation_turns_eyes_or_shows_where_they_look";
    let Some(folder) = avatars(test) else { return };
    let avatar = folder.join("vrm/synth_vrm1.vrm");
    let out = tempfile::tempdir().unwrap();
    // A gaze that goes 60 degrees to the left, and 30 down.
    let animation = changed(out.path(), &avatar, |glb| {
        let humanoid = glb.json["extensions"]["VRMC_vrm"]["humanoid"].clone();
        let nodes = glb.json["nodes"].as_array_mut().unwrap();
        nodes.push(json!({"name": "gaze"}));
        let gaze = nodes.len() - 1;
        glb.json["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(gaze));
        let turn =
            Quat::from_rotation_y(60f32.to_radians()) * Quat::from_rotation_x(30f32.to_radians());
        let times = glb.put_floats("SCALAR", &[0.0, 1.0]);
        let turns = [Quat::IDENTITY.to_array(), turn.to_array()].concat();
        let turns = glb.put_floats("VEC4", &turns);
        glb.json["animations"] = json!([{
            "channels": [{"sampler": 0, "target": {"node": gaze, "path": "rotation"}}],
            "samplers": [{"input": times, "output": turns}],
        }]);
        glb.json["extensions"] = json!({"VRMC_vrm_animation": {
            "specVersion": "1.0", "humanoid": humanoid, "lookAt": {"node": gaze},
        }});
        glb.json["extensionsUsed"] = json!(["VRMC_vrm_animation", "VRMC_materials_mtoon"]);
    });
    let gaze = out.path().join("gaze.vrma");
    std::fs::rename(animation, &gaze).unwrap();
    let clips = ["--clips-from", gaze.to_str().unwrap(), "--time", "1"];
    let turn = |pose: &Value, node: usize| {
        let world: [f64; 16] = numbers(&pose["nodes"][node]["world"]).try_into().unwrap();
        DQuat::from_mat4(&DMat4::from_cols_array(&world))
    };
    // Both ranges are 10 degrees of the eye for 90 of the gaze. Node 2 is the left eye, 1 the right one.
    let expected = |sign: f64| {
        DQuat::from_rotation_y((60.0f64 / 9.0).to_radians())
            * DQuat::from_rotation_x(sign * (30.0f64 / 9.0).to_radians())
    };
    for (file, sign) in [("synth_vrm1.vrm", 1.0), ("synth_vrm0.vrm", -1.0)] {
        let file = folder.join("vrm").join(file);
        let (rest, at) = (pose(&file, &["--rest"]), pose(&file, &clips));
        for eye in [1, 2] {
            let own = turn(&at, eye) * turn(&rest, eye).inverse();
            let off = own.angle_between(expected(sign)).to_degrees();
            assert!(off < 0.01, "{}, node {eye}: {off}", file.display());
        }
    }
    // An expression may stop the gaze, or fade it out.
    for (overrides, left) in [("block", 0.0), ("blend", 0.5), ("none", 1.0)] {
        let file = changed(out.path(), &avatar, |glb| {
            let presets = &mut glb.json["extensions"]["VRMC_vrm"]["expressions"]["preset"];
            presets["happy"]["overrideLookAt"] = json!(overrides);
            presets["happy"]["isBinary"] = json!(false);
        });
        let at = pose(&file, &[&clips[..], &["--expression", "happy=0.5"]].concat());
        let own = turn(&at, 2) * turn(&pose(&file, &["--rest"]), 2).inverse();
        let expected = DQuat::from_rotation_y((left * 60.0f64 / 9.0).to_radians())
            * DQuat::from_rotation_x((left * 30.0f64 / 9.0).to_radians());
        let off = own.angle_between(expected).to_degrees();
        assert!(off < 0.05, "{overrides}: {off}");
    }
    let file = changed(out.path(), &avatar, |glb| {
        let vrm = &mut glb.json["extensions"]["VRMC_vrm"];
        vrm["lookAt"] = json!({"type": "expression"});
        let happy = vrm["expressions"]["preset"]["happy"].clone();
        vrm["expressions"]["preset"] = json!({"lookLeft": happy});
    });
    let at = pose(&file, &clips);
    let weights = numbers(&at["nodes"][27]["weights"]);
    let share = 60.0 / 90.0;
    assert!((weights[0] - 0.8 * share).abs() < 1e-4, "{weights:?}");
    assert_eq!(at["nodes"][2]["world"], pose(&file, &["--rest"])["nodes"][2]["world"]);
}

#[test]
fn springs_follow_late_and_every_instant_has_one_pose() {
    let Some(folder) = avatars("springs_follow_late_and_every_instant_has_one_pose") else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let file = changed(out.path(), &folder.join("vrm/synth_vrm1.vrm"), |glb| {
        let bones = &glb.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"];
        let head = bones["head"]["node"].as_u64().unwrap() as usize;
        animate(glb, head, None);
    });
    let world = |pose: &Value, node: usize| numbers(&pose["nodes"][node]["world"]);
    let distance = |a: &[f64], b: &[f64]| -> f64 {
        a[12..15].iter().zip(&b[12..15]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    };
    let stiff = pose(&file, &["--time", "0.5"]);
    let swung = pose(&file, &["--time", "0.5", "--springs", "on"]);
    assert_eq!(stiff, pose(&file, &["--time", "0.5", "--springs", "off"]));
    // Node 25 is the end of the chain 23, 24, 25.
    assert!(distance(&world(&stiff, 25), &world(&swung, 25)) > 0.005);
    for (above, below) in [(23, 24), (24, 25)] {
        let length = |pose| distance(&world(pose, above), &world(pose, below));
        assert!((length(&stiff) - length(&swung)).abs() < 1e-5);
    }
    // The same instant after another one is the same.
    let args = [
        "pose",
        file.to_str().unwrap(),
        "--json",
        "--springs",
        "on",
        "--time",
        "0.9",
        "--time",
        "0.5",
    ];
    let run = rigview(args).done();
    let again: Value = serde_json::from_str(run.text().lines().nth(1).unwrap()).unwrap();
    assert_eq!(again["nodes"], swung["nodes"]);
}

/// A plane far above the chain, whose fallback touches nothing, and a ball far above that nothing may leave: its last bone
/// points up.
#[test]
fn springs_stay_above_planes_and_inside_of_balls() {
    let Some(folder) = avatars("springs_stay_above_planes_and_inside_of_balls") else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let points_up = |shape: Option<Value>| {
        let file = changed(out.path(), &folder.join("vrm/synth_vrm1.vrm"), |glb| {
            let bones = &glb.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"];
            let head = bones["head"]["node"].as_u64().unwrap() as usize;
            animate(glb, head, None);
            if let Some(shape) = shape {
                let name = "VRMC_springBone_extended_collider";
                glb.json["extensionsUsed"].as_array_mut().unwrap().push(json!(name));
                glb.json["extensionsRequired"] = json!([name]);
                let springs = &mut glb.json["extensions"]["VRMC_springBone"];
                springs["colliders"] = json!([{"node": 0, "shape": {"sphere": {"radius": 0.0}},
                    "extensions": {name: {"specVersion": "1.0", "shape": shape}}}]);
                springs["colliderGroups"] = json!([{"colliders": [0]}]);
                springs["springs"][0]["colliderGroups"] = json!([0]);
            }
        });
        let warnings = info(&file)["warnings"].to_string();
        assert!(!warnings.contains("EXTENSION_IGNORED"), "{warnings}");
        let at = pose(&file, &["--time", "0.5", "--springs", "on"]);
        let place = |node: usize| {
            let world = numbers(&at["nodes"][node]["world"]);
            glam::DVec3::new(world[12], world[13], world[14])
        };
        (place(25) - place(24)).normalize().y
    };
    let free = points_up(None);
    let plane = json!({"plane": {"offset": [0.0, 10.0, 0.0], "normal": [0.0, 1.0, 0.0]}});
    let ball = json!({"sphere": {"offset": [0.0, 20.0, 0.0], "radius": 10.0, "inside": true}});
    let (above, inside) = (points_up(Some(plane)), points_up(Some(ball)));
    assert!(free < 0.9 && above > 0.99 && inside > 0.99, "{free} {above} {inside}");
}

/// Constraints follow the pose whatever their order in the file. Those in a circle, and invalid ones, are left out.
#[test]
fn constraints_turn_nodes_after_each_pose() {
    let Some(folder) = avatars("constraints_turn_nodes_after_each_pose") else { return };
    let out = tempfile::tempdir().unwrap();
    let mut first = 0;
    let file = changed(out.path(), &folder.join("vrm/synth_vrm1.vrm"), |glb| {
        let nodes = glb.json["nodes"].as_array_mut().unwrap();
        first = nodes.len();
        let constraint = |constraint: Value| json!({"extensions": {"VRMC_node_constraint": {"constraint": constraint}}});
        let mut aims = constraint(
            json!({"aim": {"source": first + 1, "aimAxis": "NegativeY", "weight": 1.0}}),
        );
        aims["translation"] = json!([0.0, -1.0, 0.0]);
        let half = 0.5f64.sqrt();
        // Turned by 90 degrees about X at rest, so that its own Y is the scene's Z.
        let mut rolls = constraint(json!({"roll": {"source": first, "rollAxis": "Y"}}));
        rolls["rotation"] = json!([half, 0.0, 0.0, half]);
        nodes.extend([
            json!({"name": "turns about Z"}),
            json!({"name": "moves along X"}),
            constraint(json!({"rotation": {"source": first + 3}})),
            constraint(json!({"rotation": {"source": first, "weight": 0.5}})),
            constraint(json!({"roll": {"source": first, "rollAxis": "X"}})),
            rolls,
            aims,
            constraint(json!({"roll": {"source": first + 8, "rollAxis": "X"}})),
            constraint(json!({"rotation": {"source": first + 7}})),
            constraint(json!({"rotation": {"source": first + 9}})),
            constraint(json!({"aim": {"source": first, "aimAxis": "X"}})),
        ]);
        let added: Vec<usize> = (first..nodes.len()).collect();
        let roots = glb.json["scenes"][0]["nodes"].as_array_mut().unwrap();
        roots.extend(added.into_iter().map(Value::from));
        animate(glb, first, Some(first + 1));
        glb.json["extensionsRequired"] = json!(["VRMC_node_constraint"]);
    });
    let pose = pose(&file, &["--time", "0.5"]);
    let world = |node: usize| numbers(&pose["nodes"][first + node]["world"]);
    let is_along = |node: usize, axis: usize, wanted: [f64; 3]| {
        let world = world(node);
        let column = &world[4 * axis..4 * axis + 3];
        assert!(column.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{node}: {world:?}");
    };
    let at = |degrees: f64| [degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0];
    is_along(0, 0, at(45.0));
    is_along(3, 0, at(22.5));
    is_along(2, 0, at(22.5));
    is_along(4, 0, at(0.0));
    is_along(5, 0, at(45.0));
    is_along(5, 1, [0.0, 0.0, 1.0]);
    // From (0, -1) to (0.5, 0).
    let length = 1.25f64.sqrt();
    is_along(6, 1, [-0.5 / length, -1.0 / length, 0.0]);
    (7..=10).for_each(|node| is_along(node, 0, at(0.0)));
    let found = info(&file);
    let skipped = found["warnings"].as_array().unwrap().iter();
    let skipped: Vec<_> =
        skipped.filter(|w| w["code"] == "VRM_SKIPPED").map(|w| &w["pointer"]).collect();
    assert_eq!(skipped.len(), 4, "{skipped:?}");
    let kinds: Vec<_> =
        found["constraints"].as_array().unwrap().iter().map(|c| c["type"].clone()).collect();
    assert_eq!(kinds, ["rotation", "roll", "roll", "aim", "rotation"]);
    assert_eq!(found["constraints"][4]["node"], first + 2);
}

/// A printed pose is that of its nodes once more, although a constraint that counts in part made it.
#[test]
fn a_pose_of_nodes_that_follow_in_part_comes_back() {
    let out = tempfile::tempdir().unwrap();
    let constraint = |constraint: Value| json!({"VRMC_node_constraint": {"specVersion": "1.0", "constraint": constraint}});
    let half = 0.5f32.sqrt();
    let mut glb = Joints::chain(&["hips", "arm", "aims", "rolls", "turns"].map(Some))
        .clip("Move")
        .channel(0, "translation", &[0.0, 1.0], &[[0.0; 3], [1.0, 0.5, 2.0]])
        .channel(1, "rotation", &[0.0, 1.0], &[[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half]])
        .edit(|json| {
            json["extensionsUsed"] = json!(["VRMC_node_constraint"]);
            json["scenes"][0]["nodes"] = json!([0, 5]);
            let nodes = json["nodes"].as_array_mut().unwrap();
            nodes.push(json!({"name": "target", "translation": [3, 0, 1]}));
            nodes[2]["extensions"] =
                constraint(json!({"aim": {"source": 5, "aimAxis": "PositiveX", "weight": 0.8}}));
            nodes[3]["extensions"] =
                constraint(json!({"roll": {"source": 1, "rollAxis": "X", "weight": 0.5}}));
            nodes[4]["extensions"] = constraint(json!({"rotation": {"source": 1, "weight": 0.3}}));
        })
        .0;
    glb.json["nodes"][2]["rotation"] = json!([0.0, half, 0.0, half]);
    let file = out.path().join("follows.glb");
    glb.write(&file);
    let printed = pose(&file, &["--time", "0.37"]);
    let saved = out.path().join("pose.json");
    std::fs::write(&saved, printed.to_string()).unwrap();
    let again = pose(&file, &["--pose", saved.to_str().unwrap()]);
    assert_ne!(printed["nodes"][2], pose(&file, &["--rest"])["nodes"][2]);
    assert_eq!(printed["nodes"], again["nodes"]);
}

/// Avatars of VRM 0.x look along -Z, and those of 1.0 along +Z.
#[test]
fn the_first_view_shows_the_front_of_avatars_of_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["avatar.gltf", "out.png"].map(|name| folder.path().join(name));
    let picture = |more: &[&str]| {
        let words = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let look = ["--pass", "faces", "--size", "64x64"];
        rigview([&words[..], &look, more].concat()).done();
        std::fs::read(&out).unwrap()
    };
    let bones = json!([{"bone": "hips", "node": 0}]);
    let old = json!({"VRM": {"specVersion": "0.0", "humanoid": {"humanBones": bones}}});
    let new = json!({"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": {"hips": {"node": 0}}}}});
    for (extensions, front) in [(old, "210,15"), (new, "30,15")] {
        SmallModel::new()
            .edit(|json| {
                json["extensionsUsed"] = extensions.as_object().unwrap().keys().cloned().collect();
                json["extensions"] = extensions.clone();
            })
            .write_gltf(&file);
        let first = picture(&[]);
        assert_eq!(first, picture(&["--orbit", front]), "{extensions}");
        assert_ne!(first, picture(&["--orbit", if front == "30,15" { "210,15" } else { "30,15" }]));
    }
}

/// Returns a model of two nodes with the extension `VRM`.
fn of_0_x(extension: Value) -> Loaded {
    let file = json!({
        "asset": {"version": "2.0"},
        "nodes": [{"name": "tail", "children": [1]}, {"name": "tip", "translation": [0, 0, -1]}],
        "scenes": [{"nodes": [0]}],
        "extensionsUsed": ["VRM"],
        "extensions": {"VRM": extension},
    });
    load_bytes(file.to_string().into_bytes(), &ImportOptions::default()).unwrap()
}

/// Vectors of VRM 0.x are those of Unity.
#[test]
fn z_of_vectors_of_0_x_is_reversed_and_gravity_that_is_not_stated_points_down() {
    let springs = |more: Value| {
        let mut group = json!({"bones": [0], "gravityPower": 1, "colliderGroups": [0]});
        group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let ball = json!({"offset": {"x": 1, "y": 2, "z": 3}, "radius": 1});
        let groups = json!([{"node": 0, "colliders": [ball]}]);
        let swinging = json!({"boneGroups": [group], "colliderGroups": groups});
        let vrm = of_0_x(json!({"secondaryAnimation": swinging})).model.vrm.unwrap();
        assert_eq!(vrm.colliders[0].offset.to_array(), [1.0, 2.0, -3.0]);
        vrm.springs[0].joints[0].gravity_dir.to_array()
    };
    assert_eq!(springs(json!({"gravityDir": {"x": 1, "y": -2, "z": 3}})), [1.0, -2.0, -3.0]);
    assert_eq!(springs(json!({})), [0.0, -1.0, 0.0]);
}

/// As UniVRM writes where nothing was chosen. Nothing else is lost, and nothing is said.
#[test]
fn an_index_of_0_x_that_is_minus_one_names_nothing() {
    let ball = json!({"offset": {"x": 0, "y": 0, "z": 0}, "radius": 1});
    let loaded = of_0_x(json!({
        "humanoid": {"humanBones": [{"bone": "hips", "node": 0}, {"bone": "jaw", "node": -1}]},
        "firstPerson": {"meshAnnotations": [{"mesh": -1, "firstPersonFlag": "Auto"}]},
        "blendShapeMaster": {"blendShapeGroups": [
            {"name": "a", "binds": [{"mesh": -1, "index": 0, "weight": 100}]},
        ]},
        "secondaryAnimation": {
            "boneGroups": [
                {"bones": [1, -1], "colliderGroups": [-1, 1], "center": -1},
                {"bones": [-1]},
            ],
            "colliderGroups": [
                {"node": -1, "colliders": [ball]},
                {"node": 1, "colliders": [ball]},
            ],
        },
    }));
    assert_eq!(loaded.warnings, []);
    let vrm = loaded.model.vrm.unwrap();
    assert_eq!(vrm.bones.values().copied().collect::<Vec<_>>(), [0]);
    assert_eq!((vrm.springs.len(), vrm.colliders.len(), vrm.expressions.len()), (1, 1, 1));
    assert_eq!((vrm.springs[0].joints[0].node, &*vrm.springs[0].colliders), (1, &[0][..]));
}

#[test]
fn expressions_of_0_x_are_presets_by_their_names_too_and_each_name_is_there_once() {
    let group = |preset: &str, name: &str| json!({"presetName": preset, "name": name});
    let groups = [
        group("joy", "Joy"),
        group("JOY", "Joy 2"),
        group("unknown", ""),
        group("", "Blink"),
        group("unknown", "Angry"),
        group("angry", "Cross"),
        group("unknown", "happy"),
    ];
    let loaded = of_0_x(json!({"blendShapeMaster": {"blendShapeGroups": groups}}));
    let expressions = loaded.model.vrm.unwrap().expressions;
    let found: Vec<_> = expressions.iter().map(|e| (e.name.as_str(), e.is_preset)).collect();
    let wanted = [("happy", true), ("blink", true), ("angry", true), ("Angry", false)];
    assert_eq!(found[..4], wanted);
    // VRM 1.0 has this name for "joy".
    assert_eq!(found[4..], [("happy (custom)", false)]);
    let said: Vec<_> = loaded.warnings.iter().map(|w| (&*w.pointer, &*w.message)).collect();
    let at = "/extensions/VRM/blendShapeMaster/blendShapeGroups";
    let [second, nameless] = [1, 2].map(|i| format!("{at}/{i}"));
    let wanted = [
        (&*second, "left out: a second expression \"happy\""),
        (&*nameless, "left out: an expression without a name"),
    ];
    assert_eq!(said, wanted);
}

/// The properties of Unity's materials that move a texture: both axes, or one, whose other one stays as it is.
#[test]
fn texture_transforms_of_0_x_move_both_axes_or_one() {
    let values = [
        ("_MainTex_ST", [2.0, 4.0, 0.5, 0.25]),
        ("_MainTex_ST_S", [2.0, 4.0, 0.5, 0.25]),
        ("_MainTex_ST_T", [2.0, 4.0, 0.5, 0.25]),
        ("_MainTex_STX", [1.0; 4]),
    ];
    let values = values.map(|(property, value)| {
        json!({"materialName": "Face", "propertyName": property, "targetValue": value})
    });
    let file = json!({
        "asset": {"version": "2.0"},
        "materials": [{"name": "Face"}],
        "extensionsUsed": ["VRM"],
        "extensions": {"VRM": {"blendShapeMaster": {"blendShapeGroups":
            [{"name": "Joy", "presetName": "joy", "materialValues": values}]}}},
    });
    let loaded = load_bytes(file.to_string().into_bytes(), &ImportOptions::default()).unwrap();
    let vrm = loaded.model.vrm.unwrap();
    let binds = &vrm.expressions[0].texture_transforms;
    let found: Vec<_> = binds.iter().map(|bind| (bind.scale, bind.offset)).collect();
    // V points down, so that the offset is that of the other side of the scaled texture: 1 - 0.25 - 4.
    let wanted = [
        ([Some(2.0), Some(4.0)], [Some(0.5), Some(-3.25)]),
        ([Some(2.0), None], [Some(0.5), None]),
        ([None, Some(4.0)], [None, Some(-3.25)]),
    ];
    assert_eq!(found, wanted);
    assert_eq!(vrm.expressions[0].colors[0].kind, "_MainTex_STX");
}

#[test]
fn info_names_the_gaze_of_an_animation() {
    let folder = tempfile::tempdir().unwrap();
    let file = json!({
        "asset": {"version": "2.0"},
        "nodes": [{"name": "hips"}, {"name": "gaze"}],
        "scenes": [{"nodes": [0, 1]}],
        "extensionsUsed": ["VRMC_vrm_animation"],
        "extensions": {"VRMC_vrm_animation": {
            "specVersion": "1.0",
            "humanoid": {"humanBones": {"hips": {"node": 0}}},
            "lookAt": {"node": 1},
        }},
    });
    let path = folder.path().join("gaze.vrma");
    std::fs::write(&path, file.to_string()).unwrap();
    let run = rigview([Path::new("info"), &path]).done();
    assert!(run.text().contains("eyes are turned by: the gaze of node 1"), "{}", run.text());
    assert_eq!(info(&path)["avatar"]["gaze"], 1);
}
