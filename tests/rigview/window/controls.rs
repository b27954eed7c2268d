//! Controls of the window by their accessible names: clicks, lists, and names that are refused.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::shell::Shell;
use crate::support::SmallModel;

#[test]
fn every_control_has_a_name_of_its_own_and_a_place_in_the_window() {
    let mut window = Shell::open_quick(&["--clip", "Walk", "--time", "0.5", "--size", "1024x768"]);
    for section in ["Blending", "Light", "Timing"] {
        window.click(section);
    }
    // Two layers have the same widgets.
    window.click("Add a clip");
    window.click("Add a clip");
    window.keys(&["I"]);
    let controls = window.controls();
    assert!(controls.len() > 40, "{controls:#?}");
    let mut names = BTreeSet::new();
    for control in &controls {
        let name = control["name"].as_str().unwrap();
        assert!(!name.trim().is_empty() && names.insert(name), "{control}");
        assert!(control["rect"].as_array().unwrap().iter().all(Value::is_number), "{control}");
        assert!(control["role"].as_str().is_some_and(|role| !role.is_empty()), "{control}");
        assert!(control.get("value").is_some(), "{control}");
    }
    for (name, role, value) in [
        ("Loop", "button", json!(true)),
        ("Once", "button", json!(false)),
        ("Walk", "button", json!(true)),
        ("Play", "button", Value::Null),
        ("Skeleton", "checkbox", json!(false)),
        ("Shows", "combobox", json!("Shaded")),
        ("Speed", "spinbutton", json!(1.0)),
        ("Light", "button", json!(true)),
        ("Exposure", "slider", json!(0.0)),
        ("Time", "slider", json!(0.5)),
        ("In point", "slider", json!(0.5)),
        ("Weight of layer 2", "spinbutton", json!(1.0)),
    ] {
        let control = controls.iter().find(|control| control["name"] == name);
        let control = control.unwrap_or_else(|| panic!("no {name:?} among {controls:#?}"));
        assert_eq!((&control["role"], &control["value"]), (&json!(role), &value), "{name}");
    }
    window.close();
}

#[test]
fn clicks_by_name_reach_buttons_lists_and_what_is_scrolled_out_of_sight() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.gltf");
    let model =
        (0..150).fold(SmallModel::new(), |model, i| model.clip(&format!("Rig|Walk_{i:03}")));
    model.write_gltf(&path);
    let path = path.to_str().unwrap();
    let mut window = Shell::open_quick(&[path, "--size", "640x400"]);
    window.click("Pause");
    assert_eq!(window.state()["playing"], false);
    // In this small window the column scrolls, and the list of clips scrolls in it.
    window.click("Axes");
    window.click("Rig|Walk_140");
    let state = window.state();
    assert_eq!((&state["axes"], &state["clip"]), (&json!(true), &json!(140)));
    window.click("Shows");
    window.click("Normals");
    assert_eq!(window.state()["pass"], "normal");
    window.click("Rig|Walk_003");
    window.click("Light");
    window.click("Tones");
    window.click("AgX");
    let state = window.state();
    assert_eq!((&state["clip"], &state["tone_map"]), (&json!(3), &json!("agx")));
    window.close();
}

#[test]
fn a_name_that_is_not_there_or_can_not_be_clicked_ends_the_script_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twice.gltf");
    SmallModel::new().clip("Turn").clip("Turn").write_gltf(&path);
    let path = path.to_str().unwrap();
    for (arguments, before, name, says) in [
        (vec![path, "--size", "1024x480"], None, "lop", "no control \"lop\"; near: \"Loop\""),
        (vec![path], None, "Turn", "2 controls are named \"Turn\": button at ["),
        (vec!["--rest"], None, "Play", "the control \"Play\" is disabled"),
        (vec![path, "--size", "480x320"], Some("H"), "Pause", "is covered by something else"),
    ] {
        let mut window = Shell::open_quick(&arguments);
        if let Some(key) = before {
            window.keys(&[key]);
        }
        window.click(name);
        let said = window.failure();
        assert!(said.starts_with("script line ") && said.contains(says), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn on_a_display_of_twice_the_scale_places_are_in_its_pixels() {
    let scale = [("WINIT_X11_SCALE_FACTOR", "2")];
    let mut window = Shell::open_quick_with(&["--size", "640x400"], &scale);
    let size = window.state()["size"].clone();
    assert_eq!(size, json!([1280, 800]));
    let [x, y, width, height] = window.rect("Time");
    assert!(x + width > 1200.0 && y + height > 640.0 && height == 44.0, "{x} {y} {width} {height}");
    window.click("Skeleton");
    assert_eq!(window.state()["skeleton"], true);
    window.close();
}
