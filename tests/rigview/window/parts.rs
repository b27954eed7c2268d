//! The parts of the window: the tree finds and selects a node, the inspector has its numbers, a hidden node is not
//! drawn, and parts that are closed leave their room to the picture.

use serde_json::{Value, json};

use super::shell::Shell;
use crate::support::command;

/// Returns what `pose --json` prints for a node of the built-in model.
fn posed(clip: &str, time: &str, node: usize) -> Value {
    let out = command().args(["pose", "--clip", clip, "--time", time, "--json"]).output().unwrap();
    let pose: Value = serde_json::from_slice(&out.stdout).unwrap();
    pose["nodes"][node].clone()
}

/// Returns a list of numbers as the nearest that 32 bits can hold.
fn rounded(list: &Value) -> Vec<f64> {
    let numbers = list.as_array().unwrap().iter();
    numbers.map(|number| f64::from(number.as_f64().unwrap() as f32)).collect()
}

#[test]
fn a_node_is_searched_selected_and_read_in_numbers() {
    let mut window = Shell::open_quick(&["--clip", "Walk", "--pass", "mask", "--size", "1280x720"]);
    window.step(json!({"time": 0.3}));
    assert_eq!(window.state()["parts"], json!(["clips", "view"]));
    window.keys(&["T", "P"]);
    window.click("Search nodes");
    window.keys(&["E", "A", "R", "T", "I", "P"]);
    window.keys(&["Enter"]);
    let state = window.state();
    assert_eq!(state["parts"], json!(["scene", "clips", "view", "inspector"]));
    let node = state["selection"].as_u64().unwrap() as usize;
    let pose = posed("Walk", "0.3", node);
    assert_eq!(pose["name"], "earTip.L");
    assert_eq!(window.control("earTip.L")["role"], "treeitem");
    for (name, key) in [
        ("Pose translation", "translation"),
        ("Pose rotation", "rotation"),
        ("Pose scale", "scale"),
        ("World matrix", "world"),
    ] {
        let shown: Vec<f64> = window.numbers(name);
        let shown: Vec<f64> = shown.into_iter().map(|x| f64::from(x as f32)).collect();
        assert_eq!(shown, rounded(&pose[key]), "{name}");
    }
    window.click("Clear the search");
    window.click("Node parent");
    let parent = window.state()["selection"].as_u64().unwrap();
    assert_eq!(posed("Walk", "0.3", parent as usize)["name"], "ear.L");
    window.close();
}

#[test]
fn a_hidden_node_is_not_drawn_and_closed_parts_leave_their_room() {
    let mut window = Shell::open_quick(&[
        "--clip", "Walk", "--time", "0.3", "--pass", "mask", "--size", "1280x720",
    ]);
    window.keys(&["T", "P"]);
    window.click("body");
    let shown = window.picture();
    window.keys(&["Ctrl+H"]);
    let state = window.state();
    assert_eq!((&state["hidden"], &state["solo"]), (&json!([state["selection"]]), &Value::Null));
    let hidden = window.picture();
    let center = |picture: &image::RgbImage| {
        let pixels = picture.enumerate_pixels();
        let middle = pixels.filter(|(x, y, _)| (500..760).contains(x) && (150..500).contains(y));
        middle.map(|(.., pixel)| pixel.0).collect::<Vec<_>>()
    };
    let changed = center(&shown).iter().zip(center(&hidden)).filter(|(a, b)| **a != *b).count();
    assert!(changed > 5000, "{changed} pixels differ");
    window.click("Show all");
    assert_eq!(window.state()["hidden"], json!([]));
    window.keys(&["Shift+H"]);
    let state = window.state();
    assert_eq!(state["solo"], state["selection"]);
    window.keys(&["Shift+H"]);
    assert_eq!(window.state()["solo"], Value::Null);
    for part in ["Close scene", "Close clips", "Close view", "Close inspector"] {
        window.click(part);
    }
    assert_eq!(window.state()["parts"], json!([]));
    assert_eq!(window.rect("Time")[2].round(), 1280.0 - 28.0);
    window.keys(&["C"]);
    window.control("Walk");
    window.close();
}

#[test]
fn a_hidden_joint_has_no_bone() {
    let mut window = Shell::open_quick(&["--rest", "--skeleton", "--size", "1280x720"]);
    window.keys(&["T", "P"]);
    let bones = |window: &mut Shell| {
        let is_bone = |[r, g, b]: [u8; 3]| r > 190 && g > 150 && b < 110;
        let picture = window.picture();
        let middle = picture
            .enumerate_pixels()
            .filter(|(x, y, _)| (500..760).contains(x) && (150..500).contains(y));
        middle.filter(|(.., pixel)| is_bone(pixel.0)).count()
    };
    window.click("body");
    window.keys(&["Ctrl+H"]);
    let shown = bones(&mut window);
    window.click("root");
    window.keys(&["Ctrl+H"]);
    assert_eq!(window.state()["hidden"].as_array().unwrap().len(), 2);
    let hidden = bones(&mut window);
    assert!(shown > 1000 && hidden == 0, "{shown} and {hidden} pixels of bones");
}

/// Hidden joints have neither solid bones nor names.
#[test]
fn nothing_of_a_hidden_joint_is_drawn_over_the_picture() {
    let skeleton = ["--skeleton", "--joint-style", "octahedra", "--joint-names"];
    let size = ["--rest", "--size", "640x400"];
    let mut window = Shell::open_quick(&[&skeleton[..], &size].concat());
    // The hint about hidden panels disappears after some seconds.
    window.keys(&["U"]);
    window.step(json!({"wait": 6.0}));
    let with_and_without = |window: &mut Shell| {
        let with = window.picture();
        window.keys(&["K", "N"]);
        let without = window.picture();
        window.keys(&["K", "N"]);
        (with, without)
    };
    let (with, without) = with_and_without(&mut window);
    assert!(with != without, "the skeleton is drawn");
    window.step(json!({"select": "root"}));
    window.keys(&["Ctrl+H", "Escape"]);
    assert_eq!(window.state()["hidden"].as_array().unwrap().len(), 1);
    let (with, without) = with_and_without(&mut window);
    assert!(with == without, "the skeleton is hidden");
}

#[test]
fn the_layout_is_found_again_and_broken_settings_are_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let settings = [("RIGVIEW_SETTINGS", path.to_str().unwrap())];
    let open = || Shell::open_with(&["--rest", "--pass", "mask", "--size", "1280x720"], &settings);
    let mut window = open();
    window.keys(&["T", "S"]);
    // Drag the tab of the clips onto that of the scene.
    let [from, to] = ["Clips", "Scene"]
        .map(|tab| window.rect(tab))
        .map(|[x, y, w, h]| [x + 0.5 * w, y + 0.5 * h]);
    window.step(json!({"drag": [from[0], from[1], to[0], to[1]], "button": "left"}));
    let places = |window: &mut Shell| ["Clips", "Scene"].map(|tab| window.rect(tab));
    let before = places(&mut window);
    assert_eq!(before[0][1], before[1][1], "they share a bar: {before:?}");
    window.close();
    let mut window = open();
    assert_eq!(window.state()["parts"], json!(["scene", "clips"]));
    assert_eq!(places(&mut window), before);
    window.close();
    std::fs::write(&path, "nothing").unwrap();
    let mut window = open();
    let state = window.state();
    assert_eq!(state["parts"], json!(["clips", "view"]));
    assert!(state["notice"].as_str().unwrap().contains("settings.broken.json"), "{state}");
    window.close();
    assert!(folder.path().join("settings.broken.json").is_file());
}
