//! Clicks in the view: nodes, vertices, joints, and what is marked for them.

use image::RgbImage;
use serde_json::{Value, json};

use super::session::number;
use super::shell::Shell;

/// The colour of a selected joint.
const SELECTED: [u8; 3] = [0x1e, 0xa7, 0xff];

/// The colour of a picked vertex.
const VERTEX: [u8; 3] = [0xff, 0x3d, 0xb0];

/// Opens the built-in rig at rest, without panels: the view fills the window.
fn opened() -> Shell {
    let mut window = Shell::open_quick(&["--rest", "--size", "800x600"]);
    window.keys(&["U"]);
    window
}

fn pick(window: &mut Shell, at: [u32; 2]) -> Value {
    window.step(json!({"pick": at}));
    window.state()
}

/// Returns the number of pixels of about this colour.
fn pixels_of(picture: &RgbImage, color: [u8; 3]) -> usize {
    let is_it = |pixel: &image::Rgb<u8>| pixel.0.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 24);
    picture.pixels().filter(|pixel| is_it(pixel)).count()
}

#[test]
fn a_click_selects_a_node_and_a_vertex_and_the_next_one_the_joint_there() {
    let mut window = opened();
    let at = [400, 300];
    assert_eq!(window.state()["selection"], Value::Null);
    let plain = window.picture();
    let state = pick(&mut window, at);
    let node = state["selection"].clone();
    assert!(node.is_u64(), "{state}");
    assert_eq!(state["vertex"]["node"], node);
    assert!(state["vertex"]["index"].as_u64().unwrap() < 4018, "{state}");
    let marked = window.picture();
    assert_eq!(pixels_of(&plain, VERTEX), 0);
    assert!((8..80).contains(&pixels_of(&marked, VERTEX)), "{}", pixels_of(&marked, VERTEX));

    let state = pick(&mut window, at);
    let joint = state["selection"].clone();
    assert!(joint.is_u64() && joint != node, "{state}");
    assert_eq!((&state["vertex"], &state["joint"]), (&Value::Null, &joint));
    let marked = window.picture();
    assert_eq!(pixels_of(&plain, SELECTED), 0);
    assert!(pixels_of(&marked, SELECTED) > 20, "the joint is marked without the skeleton too");

    assert_eq!(pick(&mut window, [3, 3])["selection"], Value::Null);
    window.step(json!({"pick": at, "alt": true}));
    assert_eq!(window.state()["selection"], joint, "Alt selects the joint at once");
    window.keys(&["Escape"]);
    assert_eq!(window.state()["selection"], Value::Null);
    window.close();
}

#[test]
fn a_node_is_selected_by_name_framed_and_named_under_the_pointer() {
    let mut window = opened();
    let whole = window.state();
    window.step(json!({"select": "head"}));
    window.keys(&["F"]);
    let framed = window.state();
    let distance = |state: &Value| number(&state["camera"], "distance");
    assert!(distance(&framed) < 0.6 * distance(&whole), "{framed}");
    window.keys(&["Shift+F"]);
    assert!((distance(&window.state()) - distance(&whole)).abs() < 1e-6);
    window.step(json!({"select": null}));
    assert_eq!(window.state()["selection"], Value::Null);

    let node = pick(&mut window, [400, 300])["selection"].clone();
    // A move of the pointer; the answer may come some frames later.
    window.step(json!({"wheel": [402, 300, 0]}));
    window.until("the name", |state| state["hovered"] == node);
    window.step(json!({"wheel": [2, 2, 0]}));
    window.until("no name", |state| state["hovered"].is_null());
    window.close();
}

#[test]
fn a_node_that_is_not_there_ends_the_script_with_a_reason() {
    let mut window = opened();
    window.step(json!({"select": "tentacle"}));
    let said = window.failure();
    assert!(said.contains("no node \"tentacle\" among 32"), "{said}");
}

#[test]
fn the_path_of_a_joint_and_the_shapes_and_sides_of_a_skeleton_are_drawn() {
    const PATH: [u8; 3] = [0xff, 0x9d, 0x2e];
    const LEFT: [u8; 3] = [0x3f, 0xd0, 0xa0];
    const RIGHT: [u8; 3] = [0xff, 0x76, 0x62];
    let mut window = Shell::open(&["--clip", "Walk", "--time", "0.3", "--size", "1024x620"]);
    window.keys(&["K"]);
    window.step(json!({"time": 0.3}));
    window.step(json!({"select": "foot.L"}));
    let plain = window.picture();
    window.keys(&["M"]);
    assert_eq!(window.state()["trail"], true);
    let path = window.picture();
    let more = pixels_of(&path, PATH) as i64 - pixels_of(&plain, PATH) as i64;
    assert!(more > 60, "{more} pixels of the path");
    window.keys(&["M"]);
    window.click("Left and right");
    let sides = window.picture();
    for side in [LEFT, RIGHT] {
        let (before, after) = (pixels_of(&plain, side), pixels_of(&sides, side));
        assert!(after > before + 100, "{side:?}: {before}, then {after}");
    }
    window.click("Joints");
    window.click("Spheres");
    let spheres = window.picture();
    assert!(pixels_of(&spheres, LEFT) < pixels_of(&sides, LEFT), "no bars between the joints");
    window.close();
}
