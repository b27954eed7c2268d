//! `check --contract`: what a contract declares of clips and of the skin.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    HEAD, HIPS, JOINTS, LEFT_HAND, Rig, TAIL, checked, first, frames, has, objects, turning, turns,
    wave,
};
use crate::support::{Glb, SmallModel, push, rigview};

#[test]
fn a_contract_declares_weights_and_bind_matrices_by_a_reference() {
    let of = |change: fn(&mut Rig)| {
        let contract = "[skeleton]\nreference = \"reference.gltf\"\nweights = true\n";
        let found = Rig::new().edit(change).check_with(contract, Some(Rig::new()));
        objects(&found, "SKELETON_DIFFERS")
    };
    assert_eq!(of(|_| ()), [""; 0]);
    // Other order of vertices.
    assert_eq!(
        of(|rig| {
            rig.positions.reverse();
            rig.normals.reverse();
            rig.joints.reverse();
            let last = rig.positions.len() as u16 - 1;
            rig.triangles.iter_mut().for_each(|triangle| *triangle = triangle.map(|i| last - i));
        }),
        [""; 0]
    );
    let moved = of(|rig| rig.joints.iter_mut().filter(|j| **j == 6).for_each(|j| *j = 0));
    assert_eq!(moved.len(), 1, "{moved:?}");
    assert_eq!(of(|rig| rig.inverse_binds[TAIL][13] += 0.001), ["Tail"]);
    // What the reference does not have is not judged, even if the box becomes larger by it.
    let pack = |rig: &mut Rig| rig.add_box([0.0, 1.0, -0.4], 1);
    assert_eq!(of(pack), [""; 0]);
    let moved = of(|rig| {
        rig.add_box([0.0, 1.0, -0.4], 1);
        rig.joints.iter_mut().filter(|j| **j == 6).for_each(|j| *j = 0);
    });
    assert_eq!(moved.len(), 1, "{moved:?}");
    // All vertices at one place, and a matrix without an inverse, are no reason to fail.
    of(|rig| rig.positions.fill([1.0; 3]));
    assert_eq!(of(|rig| rig.inverse_binds[TAIL] = [0.0; 16]), [""; 0]);
}

/// Weights that can't be compared are no weights that are the same.
#[test]
fn weights_are_only_right_if_they_could_be_compared() {
    let contract = "[skeleton]\nreference = \"reference.gltf\"\nweights = true\n";
    let of = |moved: usize, reference: Rig| {
        let rig = Rig::new().edit(|rig| {
            // A box of eight places around each joint.
            for at in rig.positions.iter_mut().take(24 * moved) {
                *at = at.map(|x| x + 0.002);
            }
        });
        let found = rig.check_with(contract, Some(reference));
        let found = first(&found, "SKELETON_DIFFERS");
        found.map(|found| found["message"].as_str().unwrap().to_owned())
    };
    assert_eq!(of(0, Rig::new()), None);
    let few = of(6, Rig::new()).unwrap();
    assert!(few.contains("only 8 of 56 vertex places of the file"), "{few}");
    // A coarser form, and one with a coat, are all there.
    let with_coat = Rig::new().edit(|rig| (0..3).for_each(|_| rig.add_box([0.0, 1.0, -0.4], 1)));
    assert_eq!(of(0, with_coat), None);
    let folder = tempfile::tempdir().unwrap();
    let file = Rig::new().write(folder.path(), "rig.gltf");
    let bare = folder.path().join("reference.gltf");
    let mut json: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    json.as_object_mut().unwrap().remove("meshes");
    json["nodes"][JOINTS.len()].as_object_mut().unwrap().remove("mesh");
    json["nodes"][JOINTS.len()].as_object_mut().unwrap().remove("skin");
    std::fs::write(&bare, json.to_string()).unwrap();
    let rules = folder.path().join("rig.toml");
    std::fs::write(&rules, contract).unwrap();
    let [file, rules_of, bare] = [&file, &rules, &bare].map(|path| path.to_str().unwrap());
    let found = checked(Path::new(file), &["--contract", rules_of]);
    let found = first(&found, "SKELETON_DIFFERS").unwrap();
    assert_eq!(found["message"], "the reference has no weights to compare");
    // Without any reference, the contract is wrong, unless the command line has one.
    std::fs::write(&rules, "[skeleton]\nweights = true\n").unwrap();
    let run = rigview(["check", file, "--contract", rules_of]).failed(2);
    assert!(run.stderr.contains("needs a reference"), "{}", run.stderr);
    assert!(has(
        &checked(Path::new(file), &["--contract", rules_of, "--skeleton", bare]),
        "SKELETON_DIFFERS"
    ));
    assert!(!has(
        &checked(Path::new(file), &["--contract", rules_of, "--skeleton", file]),
        "SKELETON_DIFFERS"
    ));
}

#[test]
fn every_joint_that_a_glob_matches_must_move() {
    let of = |moves: &str| {
        let rig = Rig::new().clip("Wave", vec![turning(LEFT_HAND, |_, time| wave(time, 10.0))]);
        let rig = rig.edit(|rig| rig.json["nodes"][JOINTS.len()]["name"] = json!("HandBody"));
        objects(
            &rig.check_with(&format!("[clips.Wave]\nmoves = [\"{moves}\"]\n"), None),
            "CONTRACT",
        )
    };
    assert_eq!(of("LeftHand"), [""; 0]);
    // The mesh is no joint.
    assert_eq!(of("*Hand*"), ["RightHand"]);
    assert_eq!(of("*Foot"), ["*Foot"], "no joint has that name");
}

/// A clip that starts late holds its first pose until then.
#[test]
fn the_speed_of_a_clip_counts_from_its_first_key() {
    let of = |late: f32| {
        let travel: Vec<f32> = frames().iter().flat_map(|time| [0.0, 1.0, 1.5 * time]).collect();
        let times = frames().iter().map(|time| time + late).collect();
        let rig = Rig::new().clip("Walk", vec![(HIPS, "translation", "LINEAR", times, travel)]);
        objects(&rig.check_with("[clips.Walk]\nspeed = [1.4, 1.6]\n", None), "CONTRACT").len()
    };
    assert_eq!([of(0.0), of(5.0)], [0, 0]);
}

/// At 500 frames per second, 1 ms is half a frame: no key would be off.
#[test]
fn keys_are_off_a_grid_by_a_share_of_its_frames() {
    let of = |fps: u32, off: f32| {
        let times: Vec<f32> = (0..=30).map(|i| (i as f32 + off) / fps as f32).collect();
        let values = turns(&times, |i, _| i as f32);
        let rig = Rig::new().clip("Nod", vec![(HEAD, "rotation", "LINEAR", times, values)]);
        has(&rig.check_with(&format!("[clips.Nod]\nfps = {fps}\n"), None), "CONTRACT")
    };
    assert!(!of(500, 0.05) && of(500, 0.4));
    assert!(!of(30, 0.02) && of(30, 0.04));
}

/// One bad key below the ground does not make the foot hover everywhere else.
#[test]
fn a_foot_slides_in_spite_of_a_single_low_key() {
    let of = |height: fn(usize) -> f32, speed: f32| {
        let values: Vec<f32> = frames()
            .iter()
            .enumerate()
            .flat_map(|(i, time)| [0.0, height(i) - 0.6, speed * time])
            .collect();
        let rig = Rig::new().clip("Walk", vec![(TAIL, "translation", "LINEAR", frames(), values)]);
        let found = rig.check_with("[clips.Walk]\nfeet = [\"Tail\"]\n", None);
        first(&found, "FOOT_SLIDES").map(|found| found["level"].clone())
    };
    let dip = |i| if i == 12 { -0.1 } else { 0.0 };
    assert_eq!(of(|_| 0.0, 0.5), Some(json!("warning")));
    assert_eq!(of(dip, 0.5), Some(json!("warning")));
    assert_eq!(of(dip, 0.05), None);
    // It falls by 10 cm in each frame.
    assert_eq!(of(|i| -0.1 * i as f32, 0.5), Some(json!("note")));
}

/// Quantization moves a mesh and its bind matrices to another space.
#[test]
fn a_quantized_rig_has_the_weights_and_bind_matrices_of_its_reference() {
    let folder = tempfile::tempdir().unwrap();
    let file = Rig::new().write(folder.path(), "reference.gltf");
    let odd = Rig::new().edit(|rig| rig.inverse_binds[TAIL][13] += 0.01);
    let odd = odd.write(folder.path(), "odd.gltf");
    let contract = folder.path().join("rig.toml");
    std::fs::write(&contract, "[skeleton]\nreference = \"reference.gltf\"\nweights = true\n")
        .unwrap();
    for (file, expected) in [(file, &[][..]), (odd, &["Tail"])] {
        let small = folder.path().join("small.glb");
        let [file, small] = [&file, &small].map(|path| path.to_str().unwrap());
        rigview(["convert", file, "--quantize", "-o", small]).done();
        let found = checked(Path::new(small), &["--contract", contract.to_str().unwrap()]);
        assert_eq!(objects(&found, "SKELETON_DIFFERS"), expected);
        std::fs::remove_file(small).unwrap();
    }
}

/// A cubic curve leaves equal keys by its tangents.
#[test]
fn tangents_alone_move_a_joint() {
    let of = |tangent: f32| {
        let key = [[tangent, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [tangent, 0.0, 0.0, 0.0]];
        let values = [key.as_flattened(), key.as_flattened()].concat();
        let track = (TAIL, "rotation", "CUBICSPLINE", vec![0.0, 1.0], values);
        let rig = Rig::new().clip("Walk", vec![track]);
        let found = rig.check_with("[clips.Walk]\nmoves = [\"Tail\"]\n", None);
        has(&found, "CONTRACT")
    };
    assert!(!of(1.0));
    assert!(of(0.0));
}

/// A cubic curve leaves equal keys by its tangents.
#[test]
fn a_joint_that_grows_between_keys_is_not_rigid() {
    let of = |tangent: f32| {
        let key = [[tangent; 3], [1.0; 3], [-tangent; 3]];
        let values = [key.as_flattened(), key.as_flattened()].concat();
        let track = (TAIL, "scale", "CUBICSPLINE", vec![0.0, 1.0], values);
        let root = turning(HIPS, |_, time| wave(time, 10.0));
        let rig = Rig::new().clip("Walk", vec![root, track]);
        has(&rig.check_with("[clips.Walk]\nrigid = true\n", None), "CONTRACT")
    };
    assert!(!of(0.0));
    assert!(of(1.0));
}

/// Exporters put the movement on a node above the joints, or a file has no joints at all.
#[test]
fn a_node_that_is_no_joint_stays_in_place_too() {
    let of = |metres: f32| {
        let mut glb = Glb::of(&SmallModel::new().clip("Walk").glb());
        let output = glb.put_floats("VEC3", &[0.0, 0.0, 0.0, metres, 0.0, 0.0]);
        let clip = &mut glb.json["animations"][0];
        clip["samplers"][0]["output"] = json!(output);
        clip["channels"][0]["target"]["path"] = json!("translation");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("prop.glb");
        glb.write(&file);
        let contract = folder.path().join("rig.toml");
        std::fs::write(&contract, "[clips.Walk]\nin_place = true\n").unwrap();
        let found = checked(&file, &["--contract", contract.to_str().unwrap()]);
        has(&found, "ROOT_MOVES")
    };
    assert!(!of(0.0));
    assert!(of(5.0));
    // Beside a rig, a prop may go where it likes.
    let camera = json!({"name": "Camera", "children": []});
    let clip = vec![(
        JOINTS.len(),
        "translation",
        "LINEAR",
        vec![0.0, 1.0],
        vec![0.0, 0.0, 0.0, 2.0, 0.0, 0.0],
    )];
    let rig = Rig::new().edit(|rig| {
        push(&mut rig.json, "nodes", camera);
    });
    let found = rig.clip("Orbit", clip).check_with("[clips.\"*\"]\nin_place = true\n", None);
    assert!(!has(&found, "ROOT_MOVES"));
}

/// A prop that is hidden by a scale of 0 has no share by which it grows.
#[test]
fn a_joint_that_is_hidden_is_rigid() {
    let of = |scale: f32| {
        let values = vec![0.0, 0.0, 0.0, scale, scale, scale];
        let track = (TAIL, "scale", "LINEAR", vec![0.0, 1.0], values);
        let root = turning(HIPS, |_, time| wave(time, 10.0));
        let rig = Rig::new().clip("Walk", vec![root, track]);
        let rig = rig.edit(|rig| rig.json["nodes"][TAIL]["scale"] = json!([0, 0, 0]));
        let found = rig.check_with("[clips.Walk]\nrigid = true\n", None);
        let found = found.iter().find(|finding| finding["code"] == "CONTRACT");
        found.map(|finding| finding["message"].as_str().unwrap().to_owned())
    };
    assert_eq!(of(0.0), None);
    let said = of(1.0).unwrap();
    assert!(!said.contains("inf") && !said.contains("NaN"), "{said}");
}

#[test]
fn a_contract_declares_frame_rate_movement_stiffness_and_speed() {
    let of = |rules: &str| {
        let travel: Vec<f32> = frames().iter().flat_map(|time| [0.0, 1.0, 1.5 * time]).collect();
        let longer: Vec<f32> = frames().iter().flat_map(|_| [0.42, 0.0, 0.0]).collect();
        let rig = Rig::new().clip(
            "Walk",
            vec![
                (HIPS, "translation", "LINEAR", frames(), travel),
                turning(HEAD, |_, time| wave(time, 10.0)),
                (LEFT_HAND, "translation", "LINEAR", frames(), longer),
            ],
        );
        let found = rig.check_with(&format!("[clips.Walk]\n{rules}\n"), None);
        found.iter().filter(|f| f["code"] == "CONTRACT").count()
    };
    assert_eq!(of("fps = 30\nmoves = [\"Hea*\", \"Hips\"]\nspeed = [1.4, 1.6]"), 0);
    assert_eq!(of("fps = 24"), 1);
    assert_eq!(of("moves = [\"Tail\"]"), 1);
    assert_eq!(of("speed = [1.0, 1.4]"), 1);
    assert_eq!(of("rigid = true"), 1, "the hand is 2 cm too far out; the root may move");
    assert_eq!(of("rigid = false"), 0);
}
