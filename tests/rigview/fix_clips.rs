//! `fix`: what it mends in clips, what it leaves, and that it lists both.

use std::path::PathBuf;

use glam::{Quat, Vec3};
use rigview::import::{ImportOptions, load};
use rigview::model::{Model, Stage};
use serde_json::{Value, json};

use crate::support::{Glb, Joints, rigview, shared};

/// A file, and what `fix` makes of it.
struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new(joints: &Joints) -> Self {
        let case = Self { folder: tempfile::tempdir().unwrap() };
        joints.0.write(&case.path("in.glb"));
        case
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `fix`, and asserts that a second run changes nothing.
    fn fix(&self, more: &[&str]) -> Value {
        let run = |input: &str, output: &str| {
            let mut args = vec!["fix".into(), self.path(input).into_os_string(), "-o".into()];
            args.push(self.path(output).into_os_string());
            args.extend(["--json"].iter().chain(more).map(Into::into));
            let answer: Value = serde_json::from_str(rigview(args).done().text()).unwrap();
            answer
        };
        let answer = run("in.glb", "out.glb");
        assert_eq!(run("out.glb", "again.glb")["fixed"], json!([]), "{answer}");
        answer
    }

    /// Returns the findings of a code in a file.
    fn found(&self, file: &str, code: &str, more: &[&str]) -> Vec<Value> {
        let args = ["check".into(), self.path(file).into_os_string(), "--json".into()];
        let run = rigview(args.into_iter().chain(more.iter().map(Into::into)));
        let found: Value = serde_json::from_str(run.text()).unwrap();
        let found = found["files"][0]["findings"].as_array().unwrap();
        found.iter().filter(|finding| finding["code"] == code).cloned().collect()
    }

    fn read(&self, file: &str) -> Model {
        load(&self.path(file), &ImportOptions::default()).unwrap().model
    }

    fn place(&self, file: &str, node: usize, time: f64) -> Vec3 {
        let model = self.read(file);
        let mut stage = Stage::new(&model, 0);
        stage.pose(&model, model.clips.first(), time);
        stage.position(node)
    }
}

/// A second of frames.
fn frames() -> Vec<f32> {
    (0..=30).map(|frame| frame as f32 / 30.0).collect()
}

/// A slow turn with keys of another course at some frames.
fn spiked(spikes: &[usize]) -> Vec<[f32; 4]> {
    let angle =
        |frame: usize| 0.01 * frame as f32 + if spikes.contains(&frame) { 2.0 } else { 0.0 };
    (0..=30).map(|frame| Quat::from_rotation_x(angle(frame)).to_array()).collect()
}

fn entries<'a>(answer: &'a Value, list: &str) -> &'a Vec<Value> {
    answer[list].as_array().unwrap()
}

/// The joints have no names, and a channel that only rounding moves comes before the one with the bad key.
#[test]
fn a_pop_is_mended_in_the_channel_that_has_it() {
    let still = [[1.0, 0.0, 0.0]; 31];
    let mut noise = still;
    noise[10][0] = 1.000_000_1;
    let joints = Joints::chain(&[None, None, None])
        .clip("Wave")
        .channel(0, "rotation", &frames(), &spiked(&[]))
        .channel(1, "translation", &frames(), &noise)
        .channel(1, "rotation", &frames(), &spiked(&[10]));
    let case = Case::new(&joints);
    assert_eq!(case.found("in.glb", "POP", &[]).len(), 1);
    let answer = case.fix(&["--only", "POP"]);
    assert_eq!(entries(&answer, "fixed")[0]["pointer"], "/animations/0/channels/2", "{answer}");
    assert_eq!(entries(&answer, "left").len(), 0, "{answer}");
    assert_eq!(case.found("out.glb", "POP", &[]), Vec::<Value>::new());
}

/// The check tells the worst pop of a joint only.
#[test]
fn a_pop_behind_a_worse_one_is_mended_in_the_same_run() {
    let mut keys = spiked(&[20]);
    keys[8] = Quat::from_rotation_x(1.2).to_array();
    let joints = Joints::chain(&[Some("a"), Some("b")]).clip("Wave").channel(
        0,
        "rotation",
        &frames(),
        &keys,
    );
    let case = Case::new(&joints);
    let answer = case.fix(&["--only", "POP"]);
    assert_eq!(entries(&answer, "fixed").len(), 2, "{answer}");
    assert_eq!(case.found("out.glb", "POP", &[]), Vec::<Value>::new());
}

#[test]
fn a_channel_that_is_removed_does_not_shorten_the_clip() {
    let (turn, rest) = ([[0.0, 0.0, 0.0, 1.0], [0.1, 0.0, 0.0, 0.994_987_4]], [0.0, 0.0, 0.0, 1.0]);
    let chain = || Joints::chain(&[Some("a"), Some("b")]).clip("Turn");
    let twice = chain().channel(0, "rotation", &[0.0, 3.0], &turn).channel(
        0,
        "rotation",
        &[0.0, 1.0],
        &turn,
    );
    let still = chain().channel(0, "rotation", &[0.0, 1.0], &turn).channel(
        1,
        "rotation",
        &[0.0, 3.0],
        &[rest, rest],
    );
    for (joints, code) in [(twice, "CHANNEL_TWICE"), (still, "KEYS_STILL")] {
        let case = Case::new(&joints);
        let answer = case.fix(&["--only", code]);
        assert_eq!(entries(&answer, "fixed")[0]["code"], code, "{answer}");
        let clip = &case.read("out.glb").clips[0];
        assert_eq!((clip.duration_secs(), clip.channels().len()), (3.0, 1), "{code}");
        assert_eq!(case.found("out.glb", code, &[]), Vec::<Value>::new());
        assert!(case.place("out.glb", 1, 3.0).distance(case.place("in.glb", 1, 3.0)) < 1e-6);
    }
}

/// Keys that are compressed, or whose channel names its target by a pointer, can't be mended yet.
#[test]
fn every_finding_that_was_asked_for_is_listed() {
    let half = Quat::from_rotation_x(0.5).to_array();
    let whole = Quat::from_rotation_x(1.0).to_array();
    let keys = [Quat::IDENTITY.to_array(), half, whole];
    let joints = Joints::chain(&[Some("a"), Some("b")])
        .clip("Turn")
        .channel(0, "rotation", &[0.0, 1.0, 2.0], &keys)
        .channel(1, "rotation", &[0.0, 1.0, 2.0], &keys);
    let pointer = |json: &mut Value| {
        json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
        let pointer = json!({"KHR_animation_pointer": {"pointer": "/nodes/1/rotation"}});
        json["animations"][0]["channels"][1]["target"] =
            json!({"path": "pointer", "extensions": pointer});
    };
    let case = Case::new(&joints.edit(pointer));
    let answer = case.fix(&["--only", "KEYS_SPARE"]);
    let [fixed, left] = ["fixed", "left"].map(|list| entries(&answer, list));
    assert_eq!((fixed.len(), left.len()), (1, 1), "{answer}");
    assert_eq!((&fixed[0]["object"], &left[0]["object"]), (&json!("a"), &json!("b")));
    assert!(left[0]["reason"].as_str().unwrap().contains("pointer"), "{answer}");

    let times: Vec<f32> = (0..400).map(|key| key as f32 / 30.0).collect();
    let mut keys = [[0.0, 1.0, 0.0]; 400];
    keys[399][1] = 2.0;
    let joints = Joints::chain(&[Some("a"), Some("b")]).clip("Rise");
    let case = Case::new(&joints.channel(1, "translation", &times, &keys));
    let [input, packed] = ["in.glb", "packed.glb"].map(|name| case.path(name).into_os_string());
    rigview(["convert".into(), input, "--meshopt".into(), "-o".into(), packed.clone()]).done();
    std::fs::rename(packed, case.path("in.glb")).unwrap();
    let found = case.found("in.glb", "KEYS_SPARE", &[]).len();
    let answer = case.fix(&["--only", "KEYS_SPARE"]);
    assert!(found > 0, "no finding");
    assert_eq!(entries(&answer, "left").len(), found, "{answer}");
    assert!(answer["left"][0]["reason"].as_str().unwrap().contains("compressed"), "{answer}");
}

#[test]
fn channels_that_drive_one_pointer_twice_are_mended() {
    let turn = [Quat::IDENTITY.to_array(), Quat::from_rotation_x(1.0).to_array()];
    let joints = Joints::chain(&[Some("a"), Some("b")])
        .clip("Turn")
        .channel(0, "rotation", &[0.0, 2.0], &turn)
        .channel(0, "rotation", &[0.0, 2.0], &turn);
    let pointer = |json: &mut Value| {
        json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
        let pointer = json!({"KHR_animation_pointer": {"pointer": "/nodes/0/rotation"}});
        json["animations"][0]["channels"][0]["target"] =
            json!({"path": "pointer", "extensions": pointer});
    };
    let case = Case::new(&joints.edit(pointer));
    assert_eq!(case.found("in.glb", "CHANNEL_TWICE", &[]).len(), 1);
    let answer = case.fix(&[]);
    assert_eq!(entries(&answer, "fixed")[0]["code"], "CHANNEL_TWICE", "{answer}");
    assert_eq!(case.found("out.glb", "CHANNEL_TWICE", &[]).len(), 0);
}

#[test]
fn a_travelling_loop_keeps_its_way_and_closes_its_height() {
    let way = [[0.0, 1.0, 0.0], [0.3, 1.2, 0.6], [0.0, 1.003, 1.0]];
    let joints = Joints::chain(&[Some("hips"), Some("head")]).clip("Run").channel(
        0,
        "translation",
        &[0.0, 0.5, 1.0],
        &way,
    );
    let case = Case::new(&joints);
    let contract = case.path("run.toml");
    std::fs::write(&contract, "[clips.Run]\nloop = true\nin_place = false\n").unwrap();
    let contract = ["--contract", contract.to_str().unwrap()];
    assert_eq!(case.found("in.glb", "LOOP_GAP", &contract).len(), 1);
    let answer = case.fix(&[&contract[..], &["--only", "LOOP_GAP", "--bound", "10"]].concat());
    assert_eq!(entries(&answer, "fixed").len(), 1, "{answer}");
    assert_eq!(case.found("out.glb", "LOOP_GAP", &contract), Vec::<Value>::new());
    let way = case.place("out.glb", 0, 1.0) - case.place("out.glb", 0, 0.0);
    assert!(way.distance(Vec3::Z) < 1e-6, "{way}");
}

/// The joint's parent is no joint, and turns in the clip.
#[test]
fn a_drift_is_taken_off_below_a_parent_that_turns() {
    let quarter = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2).to_array();
    let mut joints = Joints::chain(&[Some("armature"), Some("hips"), Some("head")])
        .clip("Walk")
        .channel(0, "rotation", &[0.0, 1.0], &[[0.0, 0.0, 0.0, 1.0], quarter])
        .channel(1, "translation", &[0.0, 1.0], &[[0.0, 1.0, 0.0], [0.0, 1.0, 0.5]]);
    let triangle = joints.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], 3, false);
    let influences = joints.floats(&[0.0; 12], 4, false);
    let weights = joints.floats(&[1.0, 0.0, 0.0, 0.0].repeat(3), 4, false);
    let joints = joints.edit(|json| {
        json["accessors"][triangle]["min"] = json!([0, 0, 0]);
        json["accessors"][triangle]["max"] = json!([1, 1, 0]);
        // Zeros are zeros as integers too.
        json["accessors"][influences]["componentType"] = 5121.into();
        let attributes =
            json!({"POSITION": triangle, "JOINTS_0": influences, "WEIGHTS_0": weights});
        json["meshes"] = json!([{"primitives": [{"attributes": attributes}]}]);
        json["skins"] = json!([{"joints": [1, 2]}]);
        json["nodes"].as_array_mut().unwrap().push(json!({"mesh": 0, "skin": 0}));
        json["scenes"][0]["nodes"] = json!([0, 3]);
    });
    let case = Case::new(&joints);
    assert_eq!(case.found("in.glb", "ROOT_MOVES", &[]).len(), 1);
    let answer = case.fix(&["--only", "ROOT_MOVES"]);
    assert_eq!(entries(&answer, "fixed").len(), 1, "{answer}");
    let [start, end] = [0.0, 1.0].map(|time| case.place("out.glb", 1, time));
    assert!(start.distance(end) < 1e-5, "{start} {end}");
}

/// The length of a rotation of bytes is 1 but for their rounding, which the specification allows for bytes only.
#[test]
fn rotations_of_bytes_stay_bytes() {
    let keys = [[0, 0, 0, 127], [73, 0, 0, 104], [73, 0, 0, 104], [73, 0, 0, 104]];
    let joints = Joints::chain(&[Some("a"), Some("b")]).clip("Turn").byte_rotation(
        0,
        &[0.0, 1.0, 2.0, 3.0],
        &keys,
    );
    let case = Case::new(&joints);
    let answer = case.fix(&["--only", "KEYS_SPARE"]);
    assert_eq!(entries(&answer, "fixed")[0]["count"], 1, "{answer}");
    assert_eq!(case.found("out.glb", "ROTATION_KEYS_NOT_UNIT", &[]), Vec::<Value>::new());
    let glb = Glb::read(&case.path("out.glb"));
    let output = glb.json["animations"][0]["samplers"][0]["output"].as_u64().unwrap() as usize;
    let accessor = &glb.json["accessors"][output];
    assert_eq!((&accessor["componentType"], &accessor["count"]), (&json!(5120), &json!(3)));
}

/// Places in these files have names.
#[test]
fn weights_and_extensions_of_gltf_1_are_mended() {
    let Some(shared) = shared("fix_clips::weights_and_extensions_of_gltf_1_are_mended") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.glb");
    for (model, code) in [
        ("CesiumMan/glTF/CesiumMan.gltf", "WEIGHTS_SUM"),
        ("BoxAnimated/glTF-MaterialsCommon/BoxAnimated.gltf", "KEYS_FLIP"),
    ] {
        let input = shared.join("models/1.0").join(model).into_os_string();
        let args = ["fix".into(), input, "-o".into(), output.clone().into(), "--json".into()];
        let answer: Value = serde_json::from_str(rigview(args).done().text()).unwrap();
        let fixed = entries(&answer, "fixed");
        assert!(!fixed.is_empty() && fixed.iter().all(|it| it["code"] == code), "{answer}");
        let check = rigview(["check".as_ref(), output.as_os_str(), "--json".as_ref()]).done();
        for code in [code, "EXTENSION_UNDECLARED"] {
            assert!(!check.text().contains(code), "{model}: {}", check.text());
        }
    }
}
