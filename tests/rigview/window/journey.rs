//! One script through the window, as a person uses it who has never seen the program: drop a file, choose a clip, scrub,
//! read curves and numbers, see a joint's weights, pose it, compare with another file, save a picture, and find
//! everything again after a restart.

use std::path::{Path, PathBuf};

use image::RgbImage;
use rigview::import::load_bytes;
use rigview::model::{FileVertex, Stage};
use serde_json::{Value, json};

use super::session::number;
use super::shell::Shell;
use crate::support::{Glb, checkout, rigview};

/// The window's size, a place on the head where the parts that the script opens leave it, and the columns around the
/// model, without the cards over the picture.
const SIZE: [u32; 2] = [1024, 640];
const HEAD: [f64; 2] = [630.0, 158.0];
const MODEL: std::ops::Range<u32> = 510..1000;

/// Rows from the picture's top that have the names of the files, and columns beside the line with its handle.
const NAMES: u32 = 60;
const LINE: u32 = 12;

/// Writes the built-in rig with clips enough for a filter.
fn first_file(folder: &Path) -> PathBuf {
    let mut glb = Glb::read(&checkout().join("assets/creature.glb"));
    let clips = glb.json["animations"].as_array_mut().unwrap();
    let hop = clips.iter().find(|clip| clip["name"] == "Hop").unwrap().clone();
    for number in 1..=8 {
        clips.push(hop.clone());
        clips.last_mut().unwrap()["name"] = json!(format!("Hop {number}"));
    }
    let path = folder.join("first.glb");
    glb.write(&path);
    path
}

/// Writes the rig with another head and only one of the clips.
fn second_file(folder: &Path) -> PathBuf {
    let mut glb = Glb::read(&checkout().join("assets/creature.glb"));
    glb.node("head")["scale"] = json!([1.5, 1.5, 1.5]);
    glb.json["animations"].as_array_mut().unwrap().retain(|clip| clip["name"] == "Walk");
    let path = folder.join("second.glb");
    glb.write(&path);
    path
}

#[track_caller]
fn middle(window: &mut Shell, name: &str) -> [f64; 2] {
    let [x, y, width, height] = window.rect(name);
    [x + 0.5 * width, y + 0.5 * height]
}

/// Counts the pixels of the hottest colour of heat maps.
fn hottest(picture: &RgbImage) -> usize {
    picture.pixels().filter(|pixel| pixel[0] > 230 && pixel[1] < 60 && pixel[2] < 60).count()
}

/// Counts the pixels around the model that differ.
fn differing(a: &RgbImage, b: &RgbImage) -> usize {
    let pixels = MODEL.flat_map(|x| (0..360).map(move |y| (x, y)));
    pixels.filter(|(x, y)| a.get_pixel(*x, *y) != b.get_pixel(*x, *y)).count()
}

/// Returns a picture without the name of what the pointer was over, which comes and goes some frames late.
#[track_caller]
fn still(window: &mut Shell) -> RgbImage {
    window.step(json!({"wheel": [2, 2, 0]}));
    window.until("no name", |state| state["hovered"].is_null());
    window.picture()
}

#[test]
fn a_new_user_finds_the_way_from_a_drop_to_a_saved_picture_and_back_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (first_file(folder.path()), second_file(folder.path()));
    let settings = folder.path().join("settings.json");
    let settings = [("RIGVIEW_SETTINGS", settings.to_str().unwrap())];
    let mut window = Shell::open_quick_with(&["--size", "1024x640"], &settings);
    let state = window.state();
    assert_eq!((&state["file"], &state["recent"]), (&json!("creature"), &json!([])));
    assert_eq!(state["parts"], json!(["clips", "view"]));
    drop_and_choose(&mut window, &first);
    scrub(&mut window);
    read_the_joint(&mut window, &first);
    see_the_weights(&mut window);
    read_the_vertex(&mut window);
    pose_the_joint(&mut window);
    compare(&mut window, [&first, &second]);
    let wiped = wipe(&mut window);
    save(&mut window, &wiped);
    let tabs = tabs(&mut window);
    window.close();
    find_again(
        Shell::open_with(&["--pass", "mask", "--size", "1024x640"], &settings),
        &first,
        &tabs,
    );
}

fn drop_and_choose(window: &mut Shell, file: &Path) {
    window.step(json!({"drop": file}));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["file"], &state["error"]), (&json!(file), &Value::Null));
    assert_eq!((&state["clips"], &state["recent"]), (&json!(11), &json!([file])));
    assert_eq!(state["playing"], true);
    let listed = |window: &mut Shell| {
        let controls = window.controls();
        let has = |name: &str| controls.iter().any(|control| control["name"] == name);
        ["Idle", "Walk", "Hop", "Hop 1"].map(has)
    };
    assert_eq!(listed(window), [true; 4]);
    window.click("Filter clips");
    window.keys(&["W", "A", "L"]);
    assert_eq!(listed(window), [false, true, false, false]);
    window.click("Walk");
    let state = window.state();
    assert_eq!((&state["clip"], &state["clip_name"]), (&json!(1), &json!("Walk")));
    window.click("Clear the filter");
    assert_eq!(listed(window), [true; 4]);
    assert_eq!(window.state()["clip_name"], "Walk");
}

/// Drags the time bar to the middle of the clip, which pauses.
fn scrub(window: &mut Shell) {
    let [x, y, width, height] = window.rect("Time");
    let y = y + 0.5 * height;
    window.step(json!({"drag": [x + 0.2 * width, y, x + 0.5 * width, y]}));
    let state = window.state();
    let (time, duration) = (number(&state, "time"), number(&state, "duration"));
    assert!((time - 0.5 * duration).abs() < 0.01 * duration, "{state}");
    assert_eq!((&state["playing"], &state["clip_name"]), (&json!(false), &json!("Walk")));
    assert_eq!(window.control("Time")["value"], json!(time));
}

/// Opens curves and inspector, picks a joint in the view and reads its numbers, which are those of `pose`.
fn read_the_joint(window: &mut Shell, file: &Path) {
    window.click("Inspector panel");
    window.keys(&["Shift+C"]);
    assert_eq!(window.state()["parts"], json!(["clips", "view", "inspector", "curves"]));
    window.step(json!({"pick": HEAD, "alt": true}));
    let state = window.state();
    let time = number(&state, "time");
    let run = rigview([
        "pose",
        file.to_str().unwrap(),
        "--clip",
        "Walk",
        "--time",
        &time.to_string(),
        "--json",
    ]);
    let pose = run.json();
    let joint = &pose["nodes"][state["selection"].as_u64().unwrap() as usize];
    assert_eq!((&joint["name"], &state["vertex"]), (&json!("head"), &Value::Null));
    for (name, key) in [("Pose rotation", "rotation"), ("World matrix", "world")] {
        let wanted = joint[key].as_array().unwrap().iter();
        let wanted: Vec<f32> = wanted.map(|number| number.as_f64().unwrap() as f32).collect();
        let shown = window.numbers(name).into_iter().map(|number| number as f32);
        assert_eq!(shown.collect::<Vec<_>>(), wanted, "{name}");
    }
    assert_eq!(window.control("Curves of rotation")["value"], json!(time));
    assert_eq!(
        ["x", "y", "z"].map(|axis| window.control(&format!("Curve {axis}"))["value"].clone()),
        [true, true, true]
    );
}

/// Shows the weights of the picked joint as heat, with their numbers.
fn see_the_weights(window: &mut Shell) {
    let shaded = still(window);
    window.keys(&["J"]);
    let state = window.state();
    assert_eq!((&state["pass"], &state["joint"]), (&json!("weights"), &state["selection"]));
    let weights = &state["joint_weights"];
    let shown = ["vertices", "largest weight"]
        .map(|what| window.numbers(&format!("Joint of armature {what}"))[0]);
    assert_eq!(shown, [number(weights, "vertices"), number(weights, "largest")], "{weights}");
    assert!(shown[0] > 1000.0 && shown[1] == 1.0, "{weights}");
    let heat = still(window);
    let (before, hot) = (hottest(&shaded), hottest(&heat));
    assert!(hot > before + 5000, "{before} red pixels, then {hot}");
    window.keys(&["J"]);
    assert_eq!(window.state()["pass"], "shaded");
    assert_eq!(differing(&still(window), &shaded), 0);
}

/// Picks a vertex in the view and reads its numbers.
fn read_the_vertex(window: &mut Shell) {
    window.step(json!({"select": null}));
    window.step(json!({"pick": HEAD}));
    let state = window.state();
    let at = &state["vertex"];
    let [node, primitive, index] =
        ["node", "primitive", "index"].map(|key| number(at, key) as usize);
    assert_eq!(state["selection"], json!(node));
    let shown = ["Vertex index", "Vertex primitive"].map(|name| window.numbers(name)[0] as usize);
    assert_eq!(shown, [index, primitive]);
    let bytes = std::fs::read(checkout().join("assets/creature.glb")).unwrap();
    let model = load_bytes(bytes, &Default::default()).unwrap().model;
    let mut stage = Stage::new(&model, model.default_scene);
    stage.pose(&model, Some(&model.clips[1]), number(&state, "time"));
    let vertex = FileVertex::new(node, primitive, index as u32);
    let wanted = stage.vertex_position(&model, vertex).unwrap();
    let posed = window.numbers("Vertex posed");
    let controls = window.controls();
    let adds = controls.iter().filter_map(|control| control["name"].as_str());
    let adds: Vec<&str> = adds.filter(|name| name.starts_with("Vertex adds ")).collect();
    let adds: Vec<Vec<f64>> = adds.into_iter().map(|name| window.numbers(name)).collect();
    for axis in 0..3 {
        let sum: f64 = adds.iter().map(|added| added[axis]).sum();
        assert!((posed[axis] - wanted[axis]).abs() < 1e-6, "{posed:?} {wanted}");
        assert!((posed[axis] - sum).abs() < 1e-6, "{posed:?} {adds:?}");
    }
}

/// Turns the joint by the gizmo, and undoes and redoes it.
fn pose_the_joint(window: &mut Shell) {
    window.step(json!({"pick": HEAD, "alt": true}));
    let before = still(window);
    window.keys(&["E"]);
    let [x, y] = middle(window, "Rotate about Z");
    window.step(json!({"drag": [x, y, x + 20.0, y + 60.0]}));
    window.keys(&["Q"]);
    let state = window.state();
    let edits = state["pose_edits"].clone();
    assert_eq!(
        (&edits[0]["name"], &edits[1], &state["undo"]),
        (&json!("head"), &Value::Null, &json!(1))
    );
    assert_eq!(edits[0]["values"].as_object().unwrap().keys().collect::<Vec<_>>(), ["rotation"]);
    let posed = still(window);
    assert!(differing(&posed, &before) > 10_000);
    window.keys(&["Ctrl+Z"]);
    let state = window.state();
    assert_eq!((&state["pose_edits"], &state["redo"]), (&json!([]), &json!(1)));
    assert_eq!(differing(&still(window), &before), 0);
    window.keys(&["Ctrl+Y"]);
    assert_eq!(window.state()["pose_edits"], edits);
    assert_eq!(differing(&still(window), &posed), 0);
    window.keys(&["Ctrl+Z"]);
}

/// Opens a second file beside the first; the worst instant is that of `diff`.
fn compare(window: &mut Shell, files: [&Path; 2]) {
    let [first, second] = files.map(|file| file.to_str().unwrap());
    window.step(json!({"drop": second, "ctrl": true}));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["file"], &state["error"]), (&json!(first), &Value::Null));
    let compared = &state["compared"];
    assert_eq!((&compared["file"], &compared["mode"]), (&json!(second), &json!("beside")));
    assert_eq!((&compared["clip_name"], &compared["time"]), (&json!("Walk"), &state["time"]));
    let run = rigview(["diff", first, second, "--json"]);
    let wanted = run.json();
    let clips = wanted["clips"].as_array().unwrap();
    let wanted = clips.iter().find(|clip| clip["a"] == "Walk").unwrap();
    for key in ["time", "joint", "distance"] {
        assert_eq!(compared["worst"][key], wanted[key], "{key}");
    }
    assert_eq!(wanted["joint"], "head");
}

/// Drags the line of the wipe to both ends and to the middle: each side has the pixels of its model. Returns the last
/// picture with the columns of the room and of the line.
fn wipe(window: &mut Shell) -> (RgbImage, [u32; 3]) {
    window.step(json!({"select": null}));
    window.keys(&["Shift+D"]);
    let mut drag = |to: f64| {
        let [x, y] = middle(window, "Wipe line");
        window.step(json!({"drag": [x, y, to, y]}));
        let at = middle(window, "Wipe line")[0].round() as u32;
        let state = window.state();
        assert_eq!(state["compared"]["mode"], "wipe");
        (window.picture(), at, number(&state["compared"], "wipe"))
    };
    let (only_second, left, share) = drag(0.0);
    assert!(share < 0.02 && left < 400, "{left}: {share}");
    let (only_first, right, share) = drag(1023.0);
    assert!(share > 0.98 && right > 1000, "{right}: {share}");
    let (both, line, share) = drag(HEAD[0]);
    assert!((share - f64::from(line - left) / f64::from(right - left)).abs() < 0.01, "{share}");
    let [_, top, _, height] = window.rect("Resize panel");
    let bottom = (top + height) as u32 - 30;
    let mut differ = [0, 0];
    for (x, y) in (left + LINE..right - LINE).flat_map(|x| (NAMES..bottom).map(move |y| (x, y))) {
        if x.abs_diff(line) > LINE {
            let (wanted, other) = if x < line { (&only_first, 0) } else { (&only_second, 1) };
            assert_eq!(both.get_pixel(x, y), wanted.get_pixel(x, y), "{x}, {y}");
            differ[other] += usize::from(only_first.get_pixel(x, y) != only_second.get_pixel(x, y));
        }
    }
    assert!(differ.iter().all(|count| *count > 3000), "{differ:?} pixels differ left and right");
    (both, [left, right, line])
}

/// Saves the picture, which has the pixels of the window.
fn save(window: &mut Shell, (shown, [left, right, line]): &(RgbImage, [u32; 3])) {
    window.keys(&["F12"]);
    let state = window.state();
    assert_eq!(state["notice_kind"], "done", "{state}");
    let path = state["notice"].as_str().unwrap().strip_prefix("Saved ").unwrap().to_owned();
    assert_eq!(
        path,
        window.path(&format!("first-Walk-{:.3}.png", number(&state, "time"))).to_str().unwrap()
    );
    let saved = image::open(&path).unwrap().into_rgb8();
    let start = SIZE[0] - saved.width();
    assert!(
        start.abs_diff(*left) < 3 && start + saved.width() >= *right,
        "{start}: {left} to {right}"
    );
    for y in NAMES..saved.height() {
        for x in (left + LINE..right - LINE).filter(|x| x.abs_diff(*line) > LINE) {
            assert_eq!(saved.get_pixel(x - start, y), shown.get_pixel(x, y), "{x}, {y}");
        }
    }
}

/// Returns the places of the column's tabs, and of its edge, which ends where the curves begin.
fn tabs(window: &mut Shell) -> Value {
    window.click("End the comparison");
    window.keys(&["T"]);
    assert_eq!(window.state()["parts"], json!(["scene", "clips", "view", "inspector", "curves"]));
    json!(["Scene", "Clips, View", "Inspector", "Resize panel"].map(|tab| window.rect(tab)))
}

/// The second start has the layout of the first one, and its file among the recent ones.
fn find_again(mut window: Shell, file: &Path, before: &Value) {
    let state = window.state();
    assert_eq!((&state["file"], &state["size"]), (&json!("creature"), &json!(SIZE)));
    assert_eq!(state["parts"], json!(["scene", "clips", "view", "inspector", "curves"]));
    let places = ["Scene", "Clips, View", "Inspector", "Resize panel"].map(|tab| window.rect(tab));
    assert_eq!(json!(places), *before);
    window.click("Clips, View");
    window.click("Recent files");
    window.click(&format!("Open {}", file.display()));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["file"], &state["clips"]), (&json!(file), &json!(11)));
    window.close();
}
