//! Posing by hand in the window: a joint is turned by the gizmo, undone bit for bit, saved, and drawn by `screenshot`.

use std::path::Path;

use serde_json::{Value, json};

use super::shell::Shell;
use crate::support::command;

/// Saves the shown pose and returns the file's contents.
fn saved(window: &mut Shell, name: &str) -> Value {
    let path = window.path(name);
    window.step(json!({"save_pose": path}));
    window.state();
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Runs the program with these arguments and a pose file.
fn run(arguments: &[&str], pose: &Path) -> Vec<u8> {
    let out = command().args(arguments).arg("--pose").arg(pose).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    out.stdout
}

const CAMERA: [&str; 8] =
    ["--eye", "1.2,1,2", "--target", "0,0.35,0", "--pass", "normal", "--size", "900x600"];

#[test]
fn a_joint_is_turned_undone_saved_and_drawn_again() {
    let mut window = Shell::open_quick(&[&["--clip", "Walk"], &CAMERA[..]].concat());
    window.step(json!({"time": 0.3}));
    window.step(json!({"select": "head"}));
    let before = saved(&mut window, "before.json");
    assert_eq!(before["by_hand"], json!([]));
    window.keys(&["U", "E"]);
    let [x, y, width, height] = window.rect("Rotate about Z");
    let (x, y) = (x + 0.5 * width, y + 0.5 * height);
    window.step(json!({"drag": [x, y, x + 20.0, y + 60.0]}));
    let state = window.state();
    assert_eq!((&state["undo"], &state["tool"]), (&json!(1), &json!("rotate")), "{state}");
    let edits = state["pose_edits"].as_array().unwrap();
    assert_eq!(edits.len(), 1, "{state}");
    assert_eq!(edits[0]["name"], "head");
    assert_eq!(edits[0]["values"].as_object().unwrap().keys().collect::<Vec<_>>(), ["rotation"]);

    let after = saved(&mut window, "after.json");
    assert_ne!(after["nodes"], before["nodes"]);
    window.keys(&["Ctrl+Z"]);
    assert_eq!(saved(&mut window, "undone.json"), before, "the same numbers to the last bit");
    window.keys(&["Ctrl+Shift+Z"]);
    assert_eq!(saved(&mut window, "redone.json"), after);

    // The same numbers and the same picture without the window.
    let pose = window.path("after.json");
    let numbers: Value = serde_json::from_slice(&run(&["pose", "--json"], &pose)).unwrap();
    assert_eq!(numbers["nodes"], after["nodes"]);
    assert_eq!(numbers["skins"], after["skins"]);
    window.keys(&["Q"]);
    window.step(json!({"select": null}));
    let shown = window.picture();
    let out = window.path("still.png");
    let arguments = [&["screenshot", "-o", out.to_str().unwrap()], &CAMERA[..]].concat();
    run(&arguments, &pose);
    let still = image::open(&out).unwrap().into_rgb8();
    let off = shown.pixels().zip(still.pixels()).filter(|(a, b)| a != b).count();
    assert_eq!(off, 0, "pixels that differ of {}", shown.pixels().len());

    // A pose that was saved is loaded, also by dropping it, and what was set by hand is that again.
    window.keys(&["Ctrl+Z"]);
    window.step(json!({"drop": pose}));
    assert_eq!(saved(&mut window, "loaded.json"), after);
    window.step(json!({"pose": {"node": "head", "scale": [2, 2, 2]}}));
    let state = window.state();
    assert_eq!(state["pose_edits"][0]["values"]["scale"], json!([2.0, 2.0, 2.0]), "{state}");
    window.close();
}

/// `rigview model.glb pose.json`, in either order.
#[test]
fn a_pose_beside_a_model_on_the_command_line_is_that_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let pose = folder.path().join("nod.json");
    let values = json!({"rotation": [0.5, 0.5, 0.5, 0.5]});
    let head = json!({"index": 0, "name": "head", "values": values});
    std::fs::write(&pose, json!({"nodes": [], "by_hand": [head]}).to_string()).unwrap();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/creature.glb");
    let pose = pose.to_str().unwrap();
    for files in [[model, pose], [pose, model]] {
        let mut window = Shell::open_quick(&[&["--rest"][..], &files].concat());
        let state = window.state();
        let edits = state["pose_edits"].as_array().unwrap();
        assert_eq!(edits.len(), 1, "{files:?}: {state}");
        assert_eq!((&edits[0]["name"], &edits[0]["values"]), (&json!("head"), &values));
        assert_eq!(state["file"], model, "the pose is not opened as a model: {state}");
        window.close();
    }
}

#[test]
fn joint_names_keep_clear_of_the_tools() {
    let mut window = Shell::open_quick(&["--rest", "--size", "640x480"]);
    // Moves the model below the tools.
    let [x, y, width, height] = {
        window.keys(&["E"]);
        window.rect("Rotate tool")
    };
    let by = 448.0 - (x + 0.5 * width);
    window.step(json!({"drag": [448.0, 200.0, 448.0 - by, 200.0], "button": "middle"}));
    let bare = window.picture();
    window.keys(&["N"]);
    let named = window.picture();
    assert!(bare != named, "names are shown");
    // The columns beside the tools, in the rows between the first and the last one.
    let right = (x + width).ceil() as u32 + 9;
    let rows = (y - 50.0) as u32..(y + height + 50.0) as u32;
    for (row, column) in rows.flat_map(|row| (right..right + 2).map(move |x| (row, x))) {
        assert_eq!(bare.get_pixel(column, row), named.get_pixel(column, row), "{column}, {row}");
    }
    window.close();
}
