//! Findings are fixed in a copy that is shown beside the file, undone, done again and saved; poses are exported.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::shell::Shell;
use crate::support::command;

const CHECKOUT: &str = env!("CARGO_MANIFEST_DIR");

/// Copies a file of the repository into the folder that a window saves in, and opens it.
fn open(window: &mut Shell, file: &str) -> PathBuf {
    let from = Path::new(CHECKOUT).join(file);
    let path = window.path(from.file_name().unwrap().to_str().unwrap());
    std::fs::copy(&from, &path).unwrap();
    window.step(json!({"drop": path}));
    window.step(json!({"loaded": true}));
    path
}

/// Runs the program and returns the file that it writes.
fn written(arguments: &[&Path], out: &Path) -> Vec<u8> {
    let run = command().args(arguments).arg("-o").arg(out).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    std::fs::read(out).unwrap()
}

/// Opens the list of findings.
fn open_findings(window: &mut Shell) {
    let is_list = |name: &Value| name.as_str().is_some_and(|name| name.starts_with("Findings: "));
    let controls = window.controls();
    let list = controls.iter().find(|control| is_list(&control["name"]));
    let list = list.unwrap_or_else(|| panic!("no findings in {controls:#?}"));
    window.click(list["name"].as_str().unwrap());
}

fn codes(state: &Value) -> Value {
    state["mended"]["codes"].clone()
}

#[test]
fn a_finding_is_fixed_beside_the_file_undone_and_saved() {
    let mut window = Shell::open_quick(&["--rest", "--size", "1280x720"]);
    let file = open(&mut window, "docs/rigs/rig-faults.gltf");
    let before = std::fs::read(&file).unwrap();
    let count = || std::fs::read_dir(file.parent().unwrap()).unwrap().count();
    let files = count();
    open_findings(&mut window);
    window.click("Check the file");
    window.step(json!({"loaded": true}));
    // A list of many rules is folded at first, and stays open while one is unfolded.
    if !window.controls().iter().any(|control| control["name"] == "Fix JOINT_UNUSED") {
        window.click("JOINT_UNUSED (1)");
    }
    window.click("Fix JOINT_UNUSED");
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!(codes(&state), json!(["JOINT_UNUSED"]), "{state}");
    assert_eq!(state["mended"]["fixed"].as_array().unwrap().len(), 1, "{state}");
    assert_eq!(state["compared"]["file"], "rig-faults.gltf, fixed");
    assert_eq!((&state["error"], &state["undo"]), (&json!(null), &json!(1)));
    // It is one step of the history that poses have too.
    window.keys(&["Escape"]);
    window.step(json!({"pose": {"node": "3", "scale": [2, 2, 2]}}));
    window.keys(&["Ctrl+Z", "Ctrl+Z"]);
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["mended"], &state["compared"]), (&json!(null), &json!(null)), "{state}");
    window.keys(&["Ctrl+Y"]);
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!(codes(&state), json!(["JOINT_UNUSED"]));
    assert_eq!(state["compared"]["file"], "rig-faults.gltf, fixed");
    // A session does not have what was fixed, and says so.
    let session = window.path("a.rigview.json");
    window.step(json!({"save": session}));
    let notice = window.state()["notice"].as_str().unwrap().to_owned();
    assert!(notice.starts_with("Saved ") && notice.contains("is not part of it"), "{notice}");
    std::fs::remove_file(session).unwrap();
    // A file that is read again is fixed again.
    window.keys(&["F5"]);
    window.step(json!({"loaded": true}));
    assert_eq!(window.state()["compared"]["file"], "rig-faults.gltf, fixed");
    assert_eq!((std::fs::read(&file).unwrap(), count()), (before, files), "nothing is written");
    // Saving writes what the command writes.
    window.keys(&["Ctrl+Shift+S"]);
    window.step(json!({"loaded": true}));
    let saved = window.path("rig-faults-fixed.glb");
    let state = window.state();
    assert_eq!(state["notice"], format!("Saved {}", saved.display()));
    let arguments = ["fix".as_ref(), file.as_path(), "--only".as_ref(), "JOINT_UNUSED".as_ref()];
    let wanted = written(&arguments, &window.path("wanted.glb"));
    assert!(std::fs::read(&saved).unwrap() == wanted, "not the bytes of the command");
    // Another file has nothing fixed.
    let other = Path::new(CHECKOUT).join("docs/rigs/walker.gltf");
    window.step(json!({"drop": other}));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["mended"], &state["undo"]), (&json!(null), &json!(0)));
    window.keys(&["Ctrl+Shift+S"]);
    assert!(window.state()["notice"].as_str().unwrap().starts_with("Nothing is fixed"));
    window.close();
}

#[test]
fn what_is_safe_is_fixed_at_once_and_the_list_says_what_was_done() {
    let mut window = Shell::open_quick(&["--rest", "--size", "1280x720"]);
    open(&mut window, "docs/rigs/rig-faults.gltf");
    open_findings(&mut window);
    window.click("Check the file");
    window.step(json!({"loaded": true}));
    window.click("Fix what is safe");
    window.step(json!({"loaded": true}));
    let state = window.state();
    let fixed = state["mended"]["fixed"].as_array().unwrap();
    let fixed: Vec<&Value> = fixed.iter().map(|fixed| &fixed["code"]).collect();
    assert_eq!(fixed, ["WEIGHTS_ZERO", "WEIGHTS_SUM"], "{state}");
    let done = "2 repairs in a copy; the skin moves by at most 0 mm";
    assert_eq!(state["notice"], done);
    window.close();
}

#[test]
fn a_fix_that_fixes_nothing_says_so_and_is_not_taken() {
    let mut window = Shell::open_quick(&["--rest", "--size", "1280x720"]);
    open(&mut window, "docs/rigs/faults.gltf");
    window.click("Check the file");
    window.step(json!({"loaded": true}));
    open_findings(&mut window);
    if !window.controls().iter().any(|control| control["name"] == "Fix LOOP_GAP") {
        window.click("LOOP_GAP (1)");
    }
    window.click("Fix LOOP_GAP");
    window.step(json!({"loaded": true}));
    let state = window.state();
    let notice = state["notice"].as_str().unwrap();
    assert!(notice.starts_with("Not fixed: LOOP_GAP: "), "{notice}");
    assert_eq!((&state["undo"], &state["mended"]), (&json!(0), &json!(null)), "{state}");
    window.control("Fix LOOP_GAP");
    window.close();
}

#[test]
fn a_pose_is_exported_as_a_clip_and_as_the_rest_pose() {
    let mut window = Shell::open_quick(&["--clip", "Walk", "--size", "1280x720"]);
    let file = open(&mut window, "assets/creature.glb");
    window.step(json!({"time": 0.3}));
    window.step(json!({"pose": {"node": "head", "rotation": [0.0, 0.0, 0.38, 0.92]}}));
    window.click("Pose");
    for (button, name, more) in [
        ("Export as clip", "creature-pose.glb", &[][..]),
        ("Export as rest pose", "creature-rest.glb", &["--as-rest"]),
    ] {
        window.click(button);
        window.step(json!({"loaded": true}));
        let saved = window.path(name);
        assert_eq!(window.state()["notice"], format!("Saved {}", saved.display()));
        let pose = window.path("pose.json");
        window.step(json!({"save_pose": pose}));
        window.state();
        let mut arguments: Vec<&Path> =
            vec!["bake".as_ref(), &file, "--pose".as_ref(), pose.as_path()];
        arguments.extend(more.iter().map(Path::new));
        let wanted = written(&arguments, &window.path("wanted.glb"));
        assert!(std::fs::read(&saved).unwrap() == wanted, "{name}: not the bytes of the command");
        std::fs::remove_file(window.path("wanted.glb")).unwrap();
    }
    // A file that is there stays: the next copy has another name.
    window.click("Export as clip");
    window.step(json!({"loaded": true}));
    assert!(window.path("creature-pose-2.glb").exists());
    window.close();
}
