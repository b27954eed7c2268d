//! Takes of small FBX files: fast turns, spans, poses without keys, limits, and rotations that are interpolated otherwise.

use glam::Vec3;
use rigview::import::{ImportOptions, Loaded, WarningCode, load_bytes};
use rigview::model::Model;

use crate::fbx::{TRIANGLE, assert_near, facts, read, world};
use crate::support::{Curve, Fbx, rigview};

/// Ticks per second.
const SECOND: i64 = 46_186_158_000;

fn load(text: String) -> Loaded {
    load_bytes(text.into_bytes(), &ImportOptions::default()).unwrap()
}

/// Returns how far a node is turned about Z from where it should be, in degrees.
fn off(model: &Model, name: &str, time: f64, degrees: f64) -> f64 {
    let found = Vec3::from(world(model, name, Some(time)).x_axis);
    let found = f64::from(found.y.atan2(found.x)).to_degrees();
    ((found - degrees + 180.0).rem_euclid(360.0) - 180.0).abs()
}

/// Uneven times of a take.
fn instants(secs: f64) -> impl Iterator<Item = f64> {
    (0..40).map(move |i| secs * (f64::from(i) * 0.618_033_988_7).fract())
}

/// Whole numbers of turns, some of which meet their chords wherever these are compared with them.
#[test]
fn nodes_that_turn_fast_between_two_keys_are_followed() {
    let cases = [(612.0, 30.0), (997.0, 10.0), (1000.0, 10.0), (1800.0, 60.0), (5000.3, 30.0)];
    for (turns, secs) in cases {
        let mut file = Fbx::new();
        let wheel = file.node("wheel", "Null", 0, &[]);
        let take = file.take("Spin", 0.0, secs);
        let keys = [[0.0, 0.0], [secs, 360.0 * turns]];
        file.animate(take, wheel, ["Lcl Rotation", "d|Z"], Curve::Linear, &keys);
        let Loaded { model, warnings, .. } = read(&file);
        assert_eq!(warnings, [], "{turns}");
        for time in instants(secs) {
            let off = off(&model, "wheel", time, 360.0 * turns * time / secs);
            assert!(off < 0.5, "{turns} turns at {time} s: {off} degrees");
        }
        let keys = model.clips[0].channels()[0].times().len() as f64;
        assert!(keys < 8.0 * turns, "{turns} turns: {keys} keys");
    }
}

/// Smooth curves turn faster in the middle; and slopes go on where there are no keys.
#[test]
fn smooth_turns_and_those_beyond_the_keys_are_followed() {
    let mut file = Fbx::new();
    let wheel = file.node("wheel", "Null", 0, &[]);
    let take = file.take("Spin", 0.0, 20.0);
    let keys = [[0.0, 0.0], [20.0, 360_000.0]];
    file.animate(take, wheel, ["Lcl Rotation", "d|Z"], Curve::Cubic, &keys);
    let model = read(&file).model;
    for time in instants(20.0) {
        let u = time / 20.0;
        let off = off(&model, "wheel", time, 360_000.0 * u * u * (3.0 - 2.0 * u));
        assert!(off < 0.5, "{time} s: {off} degrees");
    }
    let mut file = Fbx::new();
    let wheel = file.node("wheel", "Null", 0, &[]);
    let take = file.take("Spin", 0.0, 20.0);
    let keys = [[0.0, 0.0], [1.0, 36_000.0]];
    file.animate(take, wheel, ["Lcl Rotation", "d|Z"], Curve::Linear, &keys);
    let count = "KeyAttrRefCount: *1 {\na: 2\n}\n";
    let sloped = format!("{count}Post-Extrapolation: {{\nType: K\nRepetition: 0\n}}\n");
    let model = load(file.text().replace(count, &sloped)).model;
    for time in instants(20.0) {
        let off = off(&model, "wheel", time, 36_000.0 * time);
        assert!(off < 0.5, "{time} s: {off} degrees");
    }
}

/// Each of many nodes has what it needs.
#[test]
fn many_fans_turn_as_they_should() {
    let mut file = Fbx::new();
    let fans: Vec<_> = (0..12).map(|i| file.node(&format!("fan {i}"), "Null", 0, &[])).collect();
    let take = file.take("Spin", 0.0, 30.0);
    let turns = |fan: usize| 777.0 + 0.37 * fan as f64;
    for (i, fan) in fans.iter().enumerate() {
        let keys = [[0.0, 0.0], [30.0, 360.0 * turns(i)]];
        file.animate(take, *fan, ["Lcl Rotation", "d|Z"], Curve::Linear, &keys);
    }
    let model = read(&file).model;
    for i in 0..fans.len() {
        for time in instants(30.0).take(4) {
            let off = off(&model, &format!("fan {i}"), time, 360.0 * turns(i) * time / 30.0);
            assert!(off < 0.5, "fan {i} at {time} s: {off} degrees");
        }
    }
}

/// What turns too often is said not to be followed; no number is made up for how far off it is.
#[test]
fn turns_beyond_all_measure_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = Fbx::new();
    let wheel = file.node("wheel", "Mesh", 0, &[]);
    file.polygon(wheel, &TRIANGLE);
    let take = file.take("Spin", 0.0, 10.0);
    let keys = [[0.0, 0.0], [10.0, 360.0e6]];
    file.animate(take, wheel, ["Lcl Rotation", "d|Z"], Curve::Linear, &keys);
    let path = folder.path().join("wild.fbx");
    std::fs::write(&path, file.bytes()).unwrap();
    let out = folder.path().join("wild.glb");
    let run = rigview(["convert", path.to_str().unwrap(), "-o", out.to_str().unwrap()]).done();
    let said = format!("{}{}", run.text(), run.stderr);
    assert!(said.contains("turn too often between their keys for clips to follow them"), "{said}");
    assert!(!said.contains("curves became keys within"), "{said}");
}

/// The largest numbers of ticks are FBX's infinite times.
#[test]
fn infinite_times_are_no_ends_of_a_take() {
    let infinite = i64::MAX.to_string();
    let spans = [
        (format!("-{infinite}"), infinite.clone(), [1.0, 3.0]),
        (i64::MIN.to_string(), infinite.clone(), [1.0, 3.0]),
        (infinite.clone(), format!("-{infinite}"), [1.0, 3.0]),
        ("0".to_owned(), infinite.clone(), [0.0, 3.0]),
        (format!("-{infinite}"), (2 * SECOND).to_string(), [1.0, 2.0]),
        // Only keys are there to end it.
        ((9 * SECOND).to_string(), infinite.clone(), [1.0, 3.0]),
        ((-7 * SECOND).to_string(), (7 * SECOND).to_string(), [-7.0, 7.0]),
    ];
    for (begin, end, [first, last]) in spans {
        let mut file = Fbx::new();
        let a = file.node("a", "Null", 0, &[]);
        let take = file.take("T", 5.0, 6.0);
        let keys = [[1.0, 0.0], [2.0, 90.0], [3.0, 10.0]];
        file.animate(take, a, ["Lcl Rotation", "d|Z"], Curve::Linear, &keys);
        let text = file.text();
        let text = text.replace(&(5 * SECOND).to_string(), &begin);
        let text = text.replace(&(6 * SECOND).to_string(), &end);
        let model = load(text).model;
        let secs = f64::from(model.clips[0].duration_secs());
        assert!((secs - (last - first)).abs() < 1e-6, "{begin} to {end}: {secs} s");
        assert!(off(&model, "a", 2.0 - first, 90.0) < 0.1, "{begin} to {end}");
    }
}

/// In single precision, times after 1e6 s are a sixteenth of a second apart.
#[test]
fn keys_that_a_long_span_merges_are_said() {
    let said = |span: f64| {
        let mut file = Fbx::new();
        let a = file.node("a", "Null", 0, &[]);
        let take = file.take("Long", -span, span);
        let keys: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i) / 60.0, f64::from(i)]).collect();
        file.animate(take, a, ["Lcl Translation", "d|X"], Curve::Linear, &keys);
        let warnings = read(&file).warnings.into_iter();
        let messages = warnings.filter(|warning| warning.code == WarningCode::NotShown);
        messages.map(|warning| warning.message).collect::<Vec<_>>()
    };
    assert_eq!(said(1e3), [""; 0]);
    let long = said(1e6);
    assert_eq!(long.len(), 1, "{long:?}");
    assert!(long[0].starts_with("take \"Long\": keys are merged"), "{long:?}");
}

/// Programs write only the values of curves that do not change.
#[test]
fn a_take_without_keys_is_a_clip_if_it_is_another_pose() {
    let with = |degrees: f64| {
        let mut file = Fbx::new();
        let turned = "\"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",0,0,30";
        let a = file.node("a", "Null", 0, &[turned]);
        let layer = file.take("Pose", 0.0, 2.0);
        let values = ["X", "Y", "Z"].iter().zip([0.0, 0.0, degrees]);
        let values =
            values.map(|(axis, at)| format!("P: \"d|{axis}\", \"Number\", \"\", \"A\",{at}\n"));
        file.animated(layer, a, "Lcl Rotation", &values.collect::<String>());
        read(&file).model
    };
    let model = with(90.0);
    assert_eq!((model.clips.len(), model.clips[0].name()), (1, Some("Pose")));
    assert_eq!(model.clips[0].duration_secs(), 2.0);
    for time in [0.0, 1.3] {
        assert_near(world(&model, "a", Some(time)).x_axis.into(), [0.0, 1.0, 0.0]);
    }
    let said = facts(&model).join("; ");
    assert!(said.contains("\"Pose\": 0.0000 s to 2.0000 s, no keys, one pose"), "{said}");
    assert!(!said.contains("not shown"), "{said}");
    for rest in [30.0, 30.000_000_1] {
        let model = with(rest);
        assert_eq!(model.clips.len(), 0, "{rest}");
        let said = facts(&model).join("; ");
        assert!(said.contains("no keys, left out"), "{said}");
        assert!(said.contains("not shown: 1 take without keys"), "{said}");
    }
}

/// Opening a file shows the first clip, which should move. The values of a pose may be keys at one time.
#[test]
fn takes_that_are_one_pose_come_after_the_others() {
    let mut file = Fbx::new();
    let a = file.node("a", "Null", 0, &[]);
    file.take("Empty", 0.0, 0.0);
    let still = file.take("Still", 1.0, 1.0);
    file.animate(still, a, ["Lcl Rotation", "d|Z"], Curve::Linear, &[[1.0, 90.0]]);
    let turn = file.take("Turn", 0.0, 2.0);
    file.animate(turn, a, ["Lcl Rotation", "d|Z"], Curve::Linear, &[[0.0, 0.0], [2.0, 90.0]]);
    let model = read(&file).model;
    let clips: Vec<_> =
        model.clips.iter().map(|clip| (clip.name().unwrap(), clip.duration_secs())).collect();
    assert_eq!(clips, [("Turn", 2.0), ("Still", 0.0)]);
    let said = facts(&model).join("; ");
    assert!(said.contains("\"Empty\": 0.0000 s to 0.0000 s, no keys, left out"), "{said}");
    assert!(said.contains("\"Still\": 1.0000 s to 1.0000 s, 1 key, one pose"), "{said}");
}

fn messages(file: &Fbx) -> Vec<String> {
    read(file).warnings.into_iter().map(|warning| warning.message).collect()
}

/// FBX programs stop at limits, at rest and in takes.
#[test]
fn nodes_beyond_their_limits_are_named() {
    let limited = |active: u32, at: f64, keys: Option<[[f64; 2]; 2]>| {
        let mut file = Fbx::new();
        let active = format!("\"RotationActive\", \"bool\", \"\", \"\",{active}");
        let at = format!("\"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",{at},50,0");
        let properties = [
            &*active,
            "\"RotationMaxX\", \"bool\", \"\", \"\",1",
            "\"RotationMin\", \"Vector3D\", \"Vector\", \"\",-10,0,0",
            "\"RotationMax\", \"Vector3D\", \"Vector\", \"\",30,0,0",
            &*at,
        ];
        let knee = file.node("knee", "LimbNode", 0, &properties);
        if let Some(keys) = keys {
            let take = file.take("Bend", 0.0, 1.0);
            file.animate(take, knee, ["Lcl Rotation", "d|X"], Curve::Linear, &keys);
        }
        messages(&file)
    };
    let said = ["nodes are shown beyond the limits that they have: \"knee\""];
    assert_eq!(limited(1, 90.0, None), said);
    assert_eq!(limited(1, 0.0, Some([[0.0, 0.0], [1.0, 31.0]])), said);
    // The lower limit is not in force.
    assert_eq!(limited(1, 30.0, Some([[0.0, -90.0], [1.0, 30.0]])), [""; 0]);
    assert_eq!(limited(0, 90.0, None), [""; 0]);
}

/// Halfway from 0 to 120, 80 and 100 degrees about X, Y and Z, the two ways are 37.8 degrees apart.
#[test]
fn rotations_that_a_file_interpolates_as_quaternions_are_named() {
    let said = |mode: u32, keys: [f64; 3], axes: &[&str]| {
        let mut file = Fbx::new();
        let mode = format!("\"QuaternionInterpolate\", \"enum\", \"\", \"\",{mode}");
        let arm = file.node("arm", "LimbNode", 0, &[&mode]);
        let layer = file.take("Swing", 0.0, 1.0);
        let rotation = file.animated(layer, arm, "Lcl Rotation", "");
        for (axis, degrees) in axes.iter().zip(keys) {
            file.curve(rotation, axis, Curve::Linear, &[[0.0, 0.0], [1.0, degrees]]);
        }
        messages(&file)
    };
    let axes = ["d|X", "d|Y", "d|Z"];
    let wanted = "nodes whose rotations the file interpolates as quaternions follow their angles, up to 37.8 degrees away \
                  between keys: \"arm\"";
    assert_eq!(said(2, [120.0, 80.0, 100.0], &axes), [wanted]);
    assert_eq!(said(0, [120.0, 80.0, 100.0], &axes), [""; 0]);
    // About one axis, both are the same; and so are they from frame to frame.
    assert_eq!(said(2, [120.0, 80.0, 100.0], &axes[..1]), [""; 0]);
    assert_eq!(said(2, [2.0, 1.0, 3.0], &axes), [""; 0]);
}
