//! The time line and the curves in the window: they open by keys, zoom, scrub and jump, and an arrangement of an earlier
//! version keeps its places.

use serde_json::{Value, json};

use super::session::number;
use super::shell::Shell;

fn view(state: &Value) -> [f64; 2] {
    serde_json::from_value(state["time_view"].clone()).unwrap()
}

/// Returns the place of a control at a share of its width, in pixels.
fn within(window: &mut Shell, name: &str, share: f64) -> [f64; 2] {
    let [x, y, width, height] = window.rect(name);
    [x + share * width, y + 0.5 * height]
}

#[test]
fn the_time_line_scrubs_zooms_and_shows_findings() {
    let mut window = Shell::open_quick(&["--clip", "Walk", "--pass", "mask", "--size", "1280x720"]);
    window.keys(&["Shift+T"]);
    let state = window.state();
    assert_eq!(state["parts"], json!(["clips", "view", "time-line"]));
    let duration = number(&state, "duration");
    assert_eq!(view(&state), [0.0, duration]);
    window.click("Playhead");
    let state = window.state();
    assert!((number(&state, "time") - 0.5 * duration).abs() < 0.02 * duration, "{state}");
    assert_eq!(state["playing"], false);
    // The wheel zooms at the pointer, the bar below moves and zooms.
    let [x, y] = within(&mut window, "Playhead", 0.25);
    window.step(json!({"wheel": [x, y, 3]}));
    let zoomed = view(&window.state());
    assert!(zoomed[0] > 0.0 && zoomed[1] < 0.85 * duration, "{zoomed:?}");
    window.click("Whole clip");
    assert_eq!(view(&window.state()), [0.0, duration]);
    // Drag the end of the range to its middle: playing stays before it.
    let [x, y, width, height] = window.rect("End of the range");
    let to = within(&mut window, "Playhead", 0.5);
    window.step(json!({"drag": [x + 0.5 * width, y + 0.4 * height, to[0], y + 0.4 * height]}));
    let state = window.state();
    let end = state["range"][1].as_f64().unwrap();
    assert!((end - 0.5 * duration).abs() < 0.02 * duration, "{state}");
    window.keys(&["Shift+O"]);
    window.click("Time unit");
    window.click("Frames, 24/s");
    let state = window.state();
    assert_eq!((&state["time_unit"], number(&state, "fps")), (&json!("frames"), 24.0));
    assert_eq!(state["findings"], Value::Null);
    window.click("Check clips");
    window.step(json!({"loaded": true}));
    assert!(window.state()["findings"].is_u64());
    window.close();
}

#[test]
fn a_row_selects_its_node_whose_curves_are_beside_it() {
    let mut window = Shell::open_quick(&["--clip", "Walk", "--pass", "mask", "--size", "1280x720"]);
    window.keys(&["Shift+T"]);
    window.click("rotation of hips");
    let selected = window.state()["selection"].clone();
    assert!(selected.is_u64(), "{selected}");
    window.keys(&["Shift+C"]);
    assert_eq!(window.state()["parts"], json!(["clips", "view", "time-line", "curves"]));
    window.control("Curves of rotation");
    window.click("Angular speed");
    window.click("Curves of angular speed");
    let state = window.state();
    let middle = 0.5 * number(&state, "duration");
    assert!((number(&state, "time") - middle).abs() < 0.02 * middle, "{state}");
    window.click("Time line");
    window.control("Playhead");
    window.close();
}

#[test]
fn an_arrangement_of_an_earlier_version_keeps_its_places() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let tabs = |parts: &[&str]| {
        let parts = parts.iter().map(|part| json!({"part": part}));
        json!({"tabs": parts.collect::<Vec<_>>()})
    };
    let left = tabs(&["view", "scene"]);
    let right = tabs(&["inspector", "clips"]);
    let row = json!({"row": [[300.0, left], [1.0, "picture"], [260.0, right]]});
    let settings = json!({"parts": ["clips", "scene"], "arrangement": row});
    std::fs::write(&path, settings.to_string()).unwrap();
    let settings = [("RIGVIEW_SETTINGS", path.to_str().unwrap())];
    let arguments = ["--clip", "Walk", "--pass", "mask", "--size", "1600x900"];
    let mut window = Shell::open_with(&arguments, &settings);
    let state = window.state();
    assert_eq!((&state["parts"], &state["notice"]), (&json!(["scene", "clips"]), &Value::Null));
    let clips = window.rect("Clips");
    assert!(clips[0] > 1300.0 && window.rect("Scene")[0] < 300.0, "{clips:?}");
    window.keys(&["Shift+T"]);
    assert_eq!(window.rect("Clips"), clips);
    let ruler = window.rect("Playhead");
    assert!(ruler[1] > 450.0 && ruler[2] > 1200.0, "{ruler:?}");
    window.close();
    // It is found again with the part.
    let mut window = Shell::open_with(&arguments, &settings);
    assert_eq!(window.state()["parts"], json!(["scene", "clips", "time-line"]));
    assert_eq!(window.rect("Playhead"), ruler);
    window.close();
}

#[test]
fn frames_are_counted_at_the_rate_that_the_file_says() {
    let mut window = Shell::open_quick(&["--size", "640x480"]);
    let path = window.path("nod.bvh");
    let frames = "0\n10\n20\n30\n20\n";
    let text = format!(
        "HIERARCHY\nROOT Hips\n{{\nOFFSET 0 1 0\nCHANNELS 1 Zrotation\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n\
         MOTION\nFrames: 5\nFrame Time: 0.05\n{frames}"
    );
    std::fs::write(&path, text).unwrap();
    window.step(json!({"drop": path}));
    window.step(json!({"loaded": true}));
    // The keys lie on the frames of 60 per second too.
    assert_eq!(number(&window.state(), "fps"), 20.0);
    window.close();
}
