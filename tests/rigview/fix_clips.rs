//! `fix`: what it mends in clips, what it leaves, and that it lists both.

use std::f32::consts::TAU;
use std::ops::RangeBounds;
use std::path::PathBuf;

use glam::{Quat, Vec3, Vec4};
use rigview::anim::Channel;
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
        let answer = self.fix_once(["in.glb", "out.glb"], more);
        let again = self.fix_once(["out.glb", "again.glb"], more);
        assert_eq!(again["fixed"], json!([]), "{answer}");
        answer
    }

    /// Runs `fix` from one file to another.
    fn fix_once(&self, files: [&str; 2], more: &[&str]) -> Value {
        let [input, output] = files.map(|name| self.path(name).into_os_string());
        let args = ["fix".into(), input, "-o".into(), output, "--json".into()];
        let run = rigview(args.into_iter().chain(more.iter().map(Into::into)));
        serde_json::from_str(run.done().text()).unwrap()
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

/// The same motion at an earlier time is far from itself at equal times.
#[test]
fn a_clip_that_is_moved_in_time_is_named_beside_its_distance() {
    let times = [1.0, 2.0];
    let turn = [[0.0, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8]];
    let chain = Joints::chain(&[Some("a"), Some("b")]).clip("Turn");
    let case = Case::new(&chain.channel(0, "rotation", &times, &turn));
    let input = case.path("in.glb");
    let run = rigview(["fix", "--dry-run", "--also", "CLIP_LATE", input.to_str().unwrap()]).done();
    let text = run.text();
    assert!(text.contains("2 changed, 0 mm at the skin"), "{text}");
    assert!(text.contains("mm at equal times, as clips begin earlier"), "{text}");
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

/// Replaces the target of a channel of the first clip by a pointer.
fn aim(json: &mut Value, channel: usize, pointer: &str) {
    json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
    let extension = json!({"KHR_animation_pointer": {"pointer": pointer}});
    json["animations"][0]["channels"][channel]["target"] =
        json!({"path": "pointer", "extensions": extension});
}

/// The same keys as channels of nodes, as pointers to these nodes, and as pointers to a material.
#[test]
fn keys_that_say_nothing_are_found_and_removed_where_pointers_name_the_target() {
    let turn = |angle: f32| Quat::from_rotation_x(angle).to_array();
    let turns = [turn(0.0), turn(0.5), turn(1.0)];
    let (times, dark) = ([0.0, 1.0, 2.0], [0.0; 3]);
    let grey = |light: f32| [light, light, light];
    let joints = Joints::chain(&[Some("a"), Some("b")])
        .clip("Turn")
        .channel(0, "rotation", &times, &turns)
        .channel(1, "rotation", &times, &turns)
        .channel(1, "translation", &[0.0, 2.0], &[[0.0, 1.0, 0.0]; 2])
        .channel(0, "translation", &[0.0, 2.0], &[dark; 2])
        .channel(0, "scale", &times, &[grey(0.0), grey(0.25), grey(0.5)]);
    let joints = joints.edit(|json| {
        json["materials"] = json!([{}, {"extensions": {"KHR_materials_sheen": {}}}]);
        aim(json, 1, "/nodes/1/rotation");
        aim(json, 2, "/nodes/1/translation");
        aim(json, 3, "/materials/0/emissiveFactor");
        aim(json, 4, "/materials/1/extensions/KHR_materials_sheen/sheenColorFactor");
        json["extensionsUsed"] = json!(["KHR_animation_pointer", "KHR_materials_sheen"]);
    });
    let case = Case::new(&joints);
    let places = |entries: &[Value]| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        entries.iter().map(|it| (text(&it["pointer"]), text(&it["object"]))).collect()
    };
    let sheen = "material 1: sheen color";
    for (code, expected) in [
        ("KEYS_SPARE", &[(0, "a", 20.0), (1, "b", 20.0), (4, sheen, 16.0)][..]),
        ("KEYS_STILL", &[(2, "b", 32.0), (3, "material 0: emissive", 32.0)]),
    ] {
        let mut found = case.found("in.glb", code, &[]);
        found.sort_by_key(|finding| finding["object"].as_str().unwrap().to_owned());
        let mut named: Vec<_> = expected.iter().map(|(_, name, bytes)| (*name, *bytes)).collect();
        named.sort_by_key(|(name, _)| *name);
        let said = |it: &Value| (it["object"].clone(), it["value"].clone());
        assert_eq!(
            found.iter().map(said).collect::<Vec<_>>(),
            named.iter().map(|(name, bytes)| (json!(name), json!(bytes))).collect::<Vec<_>>()
        );
        let answer = case.fix(&["--only", code]);
        let channel = |at: &usize| format!("/animations/0/channels/{at}");
        let fixed: Vec<_> =
            expected.iter().map(|(at, name, _)| (channel(at), (*name).to_owned())).collect();
        assert_eq!(places(entries(&answer, "fixed")), fixed, "{answer}");
        assert_eq!(places(entries(&answer, "left")), [], "{answer}");
        assert_eq!(case.found("out.glb", code, &[]), Vec::<Value>::new());
    }
}

/// A pointer may name one weight of a node, or the weights of a mesh.
#[test]
fn keys_of_weights_that_pointers_name_are_reduced_one_by_one() {
    let times = [0.0, 1.0, 2.0];
    let mut joints = Joints::chain(&[Some("a"), Some("b")])
        .clip("Grow")
        .channel(0, "weights", &times, &[[0.0], [0.5], [1.0]])
        .channel(0, "weights", &times, &[[0.0], [0.25], [1.0]])
        .channel(0, "weights", &[0.0, 1.0, 2.0, 3.0], &[[0.0], [0.0], [0.0], [0.0]]);
    let triangle = joints.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], 3, false);
    let joints = joints.edit(|json| {
        json["accessors"][triangle]["min"] = json!([0, 0, 0]);
        json["accessors"][triangle]["max"] = json!([1, 1, 0]);
        let at = json!({"POSITION": triangle});
        let primitive = json!({"attributes": at, "targets": [at, at, at]});
        json["meshes"] = json!([{"primitives": [primitive]}]);
        json["nodes"][1]["mesh"] = 0.into();
        ["/nodes/1/weights/0", "/nodes/1/weights/1", "/meshes/0/weights/2"]
            .iter()
            .enumerate()
            .for_each(|(channel, pointer)| aim(json, channel, pointer));
    });
    let case = Case::new(&joints);
    let answer = case.fix(&["--only", "KEYS_SPARE,KEYS_STILL", "--bound", "0.001"]);
    let fixed: Vec<_> =
        entries(&answer, "fixed").iter().map(|it| (&it["code"], &it["pointer"])).collect();
    let channel = |at: usize| json!(format!("/animations/0/channels/{at}"));
    let (spare, still) = (json!("KEYS_SPARE"), json!("KEYS_STILL"));
    assert_eq!(
        fixed,
        [(&spare, &channel(0)), (&spare, &channel(2)), (&still, &channel(2))],
        "{answer}"
    );
    let clip = &case.read("out.glb").clips[0];
    let keys: Vec<usize> = clip.channels().iter().map(|channel| channel.times().len()).collect();
    assert_eq!(keys, [2, 4], "the last key is held to the end of the clip");
}

/// Keys that none of the others implies may be removed within a wider bound.
#[test]
fn a_wide_bound_removes_keys_of_clips_without_spare_ones() {
    let turn = |frame: usize| Quat::from_rotation_x((0.2 * frame as f32).sin()).to_array();
    let turns: Vec<[f32; 4]> = (0..=30).map(turn).collect();
    let joints = Joints::chain(&[Some("a"), Some("b")]).clip("Sway").channel(
        0,
        "rotation",
        &frames(),
        &turns,
    );
    let case = Case::new(&joints);
    assert_eq!(case.found("in.glb", "KEYS_SPARE", &[]), Vec::<Value>::new());
    let files = ["in.glb", "out.glb"];
    let only = ["--only", "KEYS_SPARE", "--bound"];
    let answer = case.fix_once(files, &[&only[..], &["0.05"]].concat());
    assert_eq!(entries(&answer, "fixed").len(), 0, "{answer}");
    let answer = case.fix_once(files, &[&only[..], &["20"]].concat());
    let fixed = &entries(&answer, "fixed")[0];
    assert!(fixed["count"].as_u64() > Some(10), "{answer}");
    let moved = fixed["error_mm"].as_f64().unwrap();
    assert!(moved > 0.1 && moved <= 20.0, "{answer}");
}

/// A channel that can't be played hides the faults of its keys.
#[test]
fn what_a_repair_brings_to_light_is_mended_in_the_same_run() {
    let half = Quat::from_rotation_x(0.5);
    let long = (half * 2.0).to_array();
    let keys = [Quat::IDENTITY.to_array(), Quat::from_rotation_x(1.0).to_array(), long];
    let joints = Joints::chain(&[Some("a"), Some("b")]).clip("Turn").channel(
        0,
        "rotation",
        &[0.0, 2.0, 1.0],
        &keys,
    );
    let case = Case::new(&joints);
    let answer = case.fix(&["--also", "KEYS_SPARE"]);
    let codes: Vec<&Value> = entries(&answer, "fixed").iter().map(|it| &it["code"]).collect();
    assert_eq!(codes, ["CHANNEL_LEFT_OUT", "ROTATION_KEYS_NOT_UNIT", "KEYS_SPARE"], "{answer}");
    for code in ["CHANNEL_LEFT_OUT", "ROTATION_KEYS_NOT_UNIT", "KEYS_SPARE"] {
        assert_eq!(case.found("out.glb", code, &[]), Vec::<Value>::new());
    }
}

/// Each of the repairs alone stays within the bound.
#[test]
fn repairs_stay_within_the_bound_together() {
    let joints = Joints::chain(&[Some("a"), Some("b")])
        .clip("Turn")
        .channel(0, "translation", &[0.0, 0.5, 1.0], &[[0.0; 3], [0.5, 0.0, 0.0], [8e-5, 0.0, 0.0]])
        .channel(0, "scale", &[0.0, 1.0], &[[1.000_08; 3]; 2]);
    let mut joints = joints;
    let triangle = joints.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], 3, false);
    let joints = joints.edit(|json| {
        json["accessors"][triangle]["min"] = json!([0, 0, 0]);
        json["accessors"][triangle]["max"] = json!([1, 1, 0]);
        json["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": triangle}}]}]);
        json["nodes"][0]["mesh"] = 0.into();
    });
    let case = Case::new(&joints);
    let contract = case.path("loop.toml");
    std::fs::write(&contract, "[clips.Turn]\nloop = true\n[thresholds]\nLOOP_GAP = 0.00001\n")
        .unwrap();
    let asked = ["--contract", contract.to_str().unwrap(), "--only", "LOOP_GAP,SCALE_NOISE"];
    for (bound, repairs) in [("0.1", 1), ("0.2", 2)] {
        // What a second run finds is measured from the output of the first.
        let more = [&asked[..], &["--bound", bound]].concat();
        let run = case.fix_once(["in.glb", "out.glb"], &more);
        let (fixed, left) = (entries(&run, "fixed").len(), entries(&run, "left").len());
        assert_eq!((fixed, left), (repairs, 2 - repairs), "{run}");
        let [bound, moved] = [bound.parse().unwrap(), run["distance_mm"].as_f64().unwrap()];
        assert!(moved <= bound, "{moved} mm");
    }
}

/// Keys that are compressed can't be mended yet.
#[test]
fn every_finding_that_was_asked_for_is_listed() {
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

/// Its part from 0 on gets keys of unit length, except up to a key that has another length: it would turn in another way then.
#[test]
fn a_cubic_rotation_that_begins_before_0_turns_as_before() {
    cuts_at_zero_with_added_keys(1.0, 1..);
    cuts_at_zero_with_added_keys(1.3, 0..1);
}

/// Mends a turn from -1 s to a key at 1 s of this length.
fn cuts_at_zero_with_added_keys(length: f32, added: impl RangeBounds<usize>) {
    let [still, start, end, arrive] =
        [[0.0; 4], Vec4::W.to_array(), [length, 0.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0]];
    let keys = [still, start, still, arrive, end, still];
    let joints = Joints::chain(&[Some("a"), Some("b")])
        .clip("Turn")
        .channel(0, "rotation", &[-1.0, 1.0], &keys)
        .edit(|json| json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE"));
    let case = Case::new(&joints);
    let answer = case.fix_once(["in.glb", "out.glb"], &["--only", "CHANNEL_LEFT_OUT"]);
    assert_eq!(entries(&answer, "fixed").len(), 1, "{answer}");
    let model = case.read("out.glb");
    let Channel::Rotation { track, .. } = &model.clips[0].channels()[0] else {
        panic!("{:?}", model.clips[0].channels());
    };
    let more = track.times().len() - 2;
    assert!(added.contains(&more), "{more} more keys");
    assert_eq!(answer["fixed"][0]["count"], more.max(1), "{answer}");
    for time in (0..=2000u16).map(|step| f64::from(step) / 2000.0) {
        let u = (time as f32 + 1.0) / 2.0;
        let [uu, uuu] = [u * u, u * u * u];
        let between = (2.0 * uuu - 3.0 * uu + 1.0) * Vec4::from(start)
            + (3.0 * uu - 2.0 * uuu) * Vec4::from(end)
            + 2.0 * (uuu - uu) * Vec4::from(arrive);
        let off = (Vec4::from(track.sample(time)) - between.normalize()).length();
        assert!(off < 1e-5, "at {time}: {off}");
    }
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

#[test]
fn a_loop_without_its_last_frame_gets_one() {
    let times: Vec<f32> = (0..12).map(|frame| frame as f32 / 30.0).collect();
    let turn = |frame: usize| Quat::from_rotation_x((TAU * frame as f32 / 12.0).sin()).to_array();
    let turns: Vec<[f32; 4]> = (0..12).map(turn).collect();
    let joints = Joints::chain(&[Some("hips"), Some("chest"), Some("head")])
        .clip("Nod")
        .channel(1, "rotation", &times, &turns)
        .channel(0, "translation", &times[..2], &[[0.0, 0.5, 0.0]; 2]);
    let case = Case::new(&joints);
    assert_eq!(case.found("in.glb", "LOOP_GAP", &[]).len(), 1);
    let answer = case.fix(&["--only", "LOOP_GAP", "--bound", "1000"]);
    assert_eq!(entries(&answer, "fixed").len(), 1, "{answer}");
    assert_eq!(case.found("out.glb", "LOOP_GAP", &[]), Vec::<Value>::new());
    let place = |file: &str, frame: f64| case.place(file, 2, frame / 30.0);
    assert!(place("out.glb", 12.0).distance(place("in.glb", 0.0)) < 1e-6);
    // All frames before it are as they were.
    for frame in 0..12 {
        let [before, after] = ["in.glb", "out.glb"].map(|file| place(file, frame.into()));
        assert!(before.distance(after) < 1e-6, "frame {frame}: {before}, {after}");
    }
}

/// A clip without a name gets one in the same run.
#[test]
fn what_is_left_of_a_clip_that_is_named_is_listed_once() {
    let ends = [[0.0, 1.0, 0.0], [0.0, 1.5, 0.0]];
    let joints = Joints::chain(&[Some("a"), Some("b")]).clip("");
    let joints = joints.channel(1, "translation", &[0.0, 1.0], &ends);
    let mut joints = joints.edit(|json| {
        json["animations"][0].as_object_mut().unwrap().remove("name");
        json["nodes"][1]["mesh"] = 0.into();
    });
    let triangle = joints.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], 3, false);
    let joints = joints.edit(|json| {
        json["accessors"][triangle]["min"] = json!([0, 0, 0]);
        json["accessors"][triangle]["max"] = json!([1, 1, 0]);
        json["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": triangle}}]}]);
    });
    let case = Case::new(&joints);
    let contract = case.path("loop.toml");
    std::fs::write(&contract, "[clips.'*']\nloop = true\n").unwrap();
    let asked = ["--only", "LOOP_GAP,NAME_MISSING", "--contract", contract.to_str().unwrap()];
    let answer = case.fix_once(["in.glb", "out.glb"], &asked);
    let left = entries(&answer, "left");
    assert_eq!(left.len(), 1, "{answer}");
    assert_eq!(left[0]["code"], "LOOP_GAP");
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

/// The sums of its weights are one but for rounding, which glTF 2.0 does not allow.
#[test]
fn weights_of_gltf_1_are_rounded_as_gltf_2_demands() {
    let Some(shared) = shared("fix_clips::weights_of_gltf_1_are_rounded_as_gltf_2_demands") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.glb");
    let input = shared.join("models/1.0/CesiumMan/glTF-Binary/CesiumMan.glb").into_os_string();
    let fixed = |more: &[&str]| {
        let args = ["fix".into(), input.clone(), "-o".into(), output.clone().into()];
        rigview(args.into_iter().chain(more.iter().map(Into::into))).done();
        distances_from_one(&Glb::read(&output))
    };
    const ROUNDING: f64 = 2e-7;
    assert!(fixed(&[]).iter().all(|off| *off <= ROUNDING));
    // Sums that are off by more than rounding are a finding, which was not asked for.
    let others = fixed(&["--only", "KEYS_SPARE"]);
    assert!(others.iter().all(|off| *off <= ROUNDING || *off > 0.01));
}

/// Returns how far the sum of each vertex' weights is from one in the first primitive.
fn distances_from_one(glb: &Glb) -> Vec<f64> {
    let number = |of: &Value, key: &str| of[key].as_u64().unwrap_or(0) as usize;
    let attributes = &glb.json["meshes"][0]["primitives"][0]["attributes"];
    let accessor = &glb.json["accessors"][number(attributes, "WEIGHTS_0")];
    let view = &glb.json["bufferViews"][number(accessor, "bufferView")];
    let start = number(view, "byteOffset") + number(accessor, "byteOffset");
    let bytes = &glb.bin[start..][..16 * number(accessor, "count")];
    let off = |weights: &[u8; 16]| {
        let weights = weights.as_chunks::<4>().0.iter().map(|weight| f32::from_le_bytes(*weight));
        (weights.map(f64::from).sum::<f64>() - 1.0).abs()
    };
    bytes.as_chunks::<16>().0.iter().map(off).collect()
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

/// The channel that plays comes after one with the same target, and a wide bound reduces the keys of both clips.
#[test]
fn a_wide_bound_reduces_the_channel_that_plays() {
    let still = [[0.0, 1.0, 0.0]; 31];
    let wave = |scale: f32| -> Vec<[f32; 3]> {
        (0..=30).map(|frame| [(scale * frame as f32).sin(), 1.0, 0.0]).collect()
    };
    let joints = Joints::chain(&[Some("a"), Some("b")])
        .clip("Twice")
        .channel(1, "translation", &frames(), &still)
        .channel(1, "translation", &frames(), &wave(1.3))
        .clip("Sway")
        .channel(0, "translation", &frames(), &wave(0.02));
    let case = Case::new(&joints);
    let only = ["--only", "KEYS_SPARE", "--bound", "1"];
    let answer = case.fix_once(["in.glb", "out.glb"], &only);
    assert!(answer["distance_mm"].as_f64().unwrap() <= 1.0, "{answer}");
    assert_eq!(entries(&answer, "left").len(), 0, "{answer}");
    let removed = entries(&answer, "fixed").iter().filter(|it| it["clip"] == "Sway");
    assert!(removed.map(|it| it["count"].as_u64().unwrap()).sum::<u64>() > 10, "{answer}");
}

/// Without the later channel, the earlier one would play.
#[test]
fn a_still_channel_that_overrides_another_one_stays() {
    let joints = Joints::chain(&[Some("a"), Some("b")])
        .clip("Shift")
        .channel(0, "translation", &[0.0, 1.0], &[[0.0; 3], [5.0; 3]])
        .channel(0, "translation", &[0.0, 1.0], &[[0.0; 3], [0.0; 3]]);
    let case = Case::new(&joints);
    let answer = case.fix_once(["in.glb", "out.glb"], &["--only", "KEYS_STILL"]);
    assert_eq!(answer["fixed"], json!([]), "{answer}");
    let reason = entries(&answer, "left")[0]["reason"].as_str().unwrap();
    assert!(reason.contains("CHANNEL_TWICE"), "{answer}");
}

#[test]
fn a_clip_that_an_unknown_extension_may_refer_to_is_not_removed() {
    let turn = [[0.0, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8]];
    let joints = Joints::chain(&[Some("a"), Some("b")])
        .clip("One")
        .channel(0, "rotation", &[0.0, 1.0], &turn)
        .clip("Two")
        .channel(0, "rotation", &[0.0, 1.0], &turn)
        .edit(|json| {
            json["extensionsUsed"] = json!(["ACME_events"]);
            json["extensions"] = json!({"ACME_events": {"play": 1}});
        });
    let case = Case::new(&joints);
    let answer = case.fix_once(["in.glb", "out.glb"], &["--only", "CLIP_TWIN"]);
    assert_eq!(answer["fixed"], json!([]), "{answer}");
    let reason = entries(&answer, "left")[0]["reason"].as_str().unwrap();
    assert!(reason.contains("ACME_events"), "{answer}");
}
