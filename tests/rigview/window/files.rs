//! Files: one that changes while it is shown, the next one in its folder, and several opened together.

use std::path::Path;

use image::{Rgb, RgbImage};
use serde_json::{Value, json};

use super::session::{Session, number, small_model};
use super::shell::Shell;
use crate::support::{Shape, SmallModel};

#[test]
fn a_file_that_changes_is_read_again_and_keeps_what_was_set() {
    let folder = tempfile::tempdir().unwrap();
    let file = small_model(folder.path(), "square.gltf");
    let mut window = Session::open_quick(&[&file]);
    window.keys(&["]"]);
    window.step(json!({"drag": [600, 300, 700, 340]}));
    window.step(json!({"time": 0.5}));
    let before = window.state();

    // The file is written in place, then replaced by a rename.
    for (way, clips) in [("in place", 3), ("renamed", 4)] {
        let mut model = SmallModel::new().clip("Turn").clip("Slow turn");
        for i in 2..clips {
            model = model.clip(&format!("Clip {i}"));
        }
        if way == "renamed" {
            let beside = folder.path().join("square.tmp");
            model.write_gltf(&beside);
            std::fs::rename(&beside, &file).unwrap();
        } else {
            model.write_gltf(Path::new(&file));
        }
        let state = window.until(way, |s| s["clips"] == clips && s["loading"].is_null());
        for kept in ["file", "clip", "clip_name", "time", "playing", "camera", "error"] {
            assert_eq!(state[kept], before[kept], "{way}: {kept}");
        }
    }

    // While the file is broken or deleted, the old model stays and a message says why; then the file is back.
    std::fs::write(&file, "{\"asset\": {").unwrap();
    let state = window.until("the error", |s| !s["error"].is_null());
    assert_eq!((&state["clips"], &state["time"]), (&json!(4), &before["time"]));
    std::fs::remove_file(&file).unwrap();
    window.step(json!({"wait": 0.5}));
    assert_eq!(window.state()["clips"], 4);
    SmallModel::new().clip("Turn").clip("Slow turn").write_gltf(Path::new(&file));
    let state = window.until("the file", |s| s["clips"] == 2);
    assert_eq!((&state["error"], &state["clip"]), (&json!(null), &json!(1)));
    window.close();
}

#[test]
fn a_file_opened_by_a_relative_name_is_watched_after_it_was_gone() {
    let folder = tempfile::tempdir().unwrap();
    let file = small_model(folder.path(), "square.gltf");
    let mut window = Session::open_quick(&["--rest"]);
    std::fs::create_dir(window.path("rigs")).unwrap();
    let own = window.path("rigs/square.gltf");
    std::fs::copy(&file, &own).unwrap();
    window.step(json!({"drop": "rigs/square.gltf"}));
    window.until("the file", |s| s["clips"] == 2);
    std::fs::remove_file(&own).unwrap();
    let state = window.until("the message", |s| !s["error"].is_null());
    assert!(state["error"].as_str().unwrap().contains("deleted or moved"), "{state}");
    assert_eq!(state["clips"], 2, "the model stays");
    window.keys(&["F5"]);
    window.until("the failure", |s| {
        s["error"].as_str().is_some_and(|error| error.contains("not found"))
    });
    SmallModel::new().clip("Turn").write_gltf(&own);
    let state = window.until("the file", |s| s["clips"] == 1);
    assert_eq!(state["error"], json!(null));

    // A build that begins anew deletes the folder.
    let rigs = window.path("rigs");
    std::fs::remove_dir_all(&rigs).unwrap();
    window.until("the message", |s| !s["error"].is_null());
    std::fs::create_dir(&rigs).unwrap();
    SmallModel::new().clip("Turn").clip("Nod").clip("Walk").write_gltf(&own);
    window.until("the new folder's file", |s| s["clips"] == 3);
    std::fs::remove_dir_all(&rigs).unwrap();
    std::fs::create_dir(&rigs).unwrap();
    SmallModel::new().clip("Turn").write_gltf(&own);
    window.until("the file of a folder that was replaced at once", |s| s["clips"] == 1);
    window.close();
}

#[test]
fn a_writer_that_takes_its_time_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = small_model(folder.path(), "square.gltf");
    let bytes = std::fs::read(&file).unwrap();
    let mut window = Session::open_quick(&[&file, "--rest"]);
    let mut model = SmallModel::new().clip("Turn").clip("Slow turn").clip("Third");
    model = model.clip("Fourth");
    let whole = folder.path().join("whole");
    model.write_gltf(&whole);
    let text = std::fs::read(&whole).unwrap();
    assert!(text.len() > bytes.len());
    // Each part is read, since the pauses are longer than the quiet time after which a change counts.
    for part in 1..=4 {
        std::fs::write(&file, &text[..text.len() * part / 4]).unwrap();
        window.step(json!({"wait": 0.4}));
        window.state();
    }
    let state = window.until("the whole file", |s| s["clips"] == 4);
    assert_eq!(state["error"], json!(null));
    window.close();
}

#[test]
fn a_picture_or_buffer_that_changes_counts_as_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("square.gltf");
    let buffer = folder.path().join("data.bin");
    SmallModel::new().clip("Turn").write_gltf_with(&path, &buffer);
    let mut window = Session::open_quick(&[path.to_str().unwrap(), "--rest"]);
    let first = window.picture();
    let mut bytes = std::fs::read(&buffer).unwrap();
    let load = number(&window.state(), "load");
    // Changes the X coordinate of the first position.
    bytes[..4].copy_from_slice(&(-9f32).to_le_bytes());
    std::fs::write(&buffer, &bytes).unwrap();
    window.until("the buffer", |s| number(s, "load") > load);
    assert!(window.picture() != first, "the same picture");
    window.close();

    // Changes a texture in another file.
    let material = json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
    let square = Shape::square().material(material).texture([255, 0, 0, 255]).gltf();
    let mut model: Value = serde_json::from_slice(&square).unwrap();
    model["images"] = json!([{"uri": "skin.png"}]);
    std::fs::write(&path, model.to_string()).unwrap();
    let skin = folder.path().join("skin.png");
    let paint = |side, color| RgbImage::from_pixel(side, side, Rgb(color)).save(&skin).unwrap();
    paint(1, [255, 0, 0]);
    let mut window = Session::open_quick(&[path.to_str().unwrap()]);
    let first = window.picture();
    let load = number(&window.state(), "load");
    paint(2, [0, 0, 255]);
    window.until("the picture", |s| number(s, "load") > load);
    assert!(window.picture() != first, "the same picture");
    window.close();
}

#[test]
fn page_down_goes_through_the_folder_and_a_dropped_one() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["b10.gltf", "b9.gltf", "a.gltf"] {
        small_model(folder.path(), name);
    }
    std::fs::write(folder.path().join("notes.txt"), "no model").unwrap();
    std::fs::write(folder.path().join("broken.glb"), "no model").unwrap();
    let mut window = Shell::open_quick(&[folder.path().join("a.gltf").to_str().unwrap()]);
    let mut titles = Vec::new();
    for key in ["PageDown", "PageDown", "PageDown", "PageDown", "PageUp"] {
        window.keys(&[key]);
        window.step(json!({"loaded": true}));
        let state = window.state();
        let error = state["error"].as_str().map(|e| e.split(':').next().unwrap().to_owned());
        titles.push(error.unwrap_or_else(|| state["title"].as_str().unwrap().to_owned()));
    }
    let shown = |name: &str| format!("{name} - rigview");
    let expected = ["b9.gltf", "b10.gltf", "", "a.gltf", ""].map(shown);
    for (i, (title, expected)) in titles.iter().zip(expected).enumerate() {
        let expected = if matches!(i, 2 | 4) { "broken.glb".to_owned() } else { expected };
        assert_eq!(*title, expected, "{titles:?}");
    }
    // Drops a folder that contains another folder.
    let inner = folder.path().join("inner");
    std::fs::create_dir_all(inner.join("deep")).unwrap();
    small_model(&inner.join("deep"), "deep.gltf");
    window.step(json!({"drop": inner}));
    window.step(json!({"loaded": true}));
    assert_eq!(window.state()["title"], "deep.gltf - rigview");
    window.close();
}

#[test]
fn several_files_on_the_command_line_are_walked_through() {
    let folder = tempfile::tempdir().unwrap();
    let (z, a) = (small_model(folder.path(), "z.gltf"), small_model(folder.path(), "a.gltf"));
    small_model(folder.path(), "m.gltf");
    let mut window = Shell::open_quick(&[&z, &a]);
    let mut names = vec![window.state()["title"].clone()];
    for _ in 0..2 {
        window.keys(&["PageDown"]);
        window.step(json!({"loaded": true}));
        names.push(window.state()["title"].clone());
    }
    assert_eq!(names, ["z.gltf - rigview", "a.gltf - rigview", "z.gltf - rigview"]);
    window.close();
}

#[test]
fn a_buffer_before_its_model_on_the_command_line_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let [model, buffer] = ["square.gltf", "data.bin"].map(|name| folder.path().join(name));
    SmallModel::new().clip("Turn").write_gltf_with(&model, &buffer);
    let mut window = Shell::open_quick(&[buffer.to_str().unwrap(), model.to_str().unwrap()]);
    let state = window.state();
    assert_eq!((&state["title"], &state["error"]), (&json!("square.gltf - rigview"), &json!(null)));
    window.close();
}

#[test]
fn a_file_without_a_mesh_shows_bones_and_says_what_it_is_good_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("walk.gltf");
    let model = SmallModel::new().clip("Turn").edit(|json| {
        json.as_object_mut().unwrap().remove("meshes");
        json["nodes"] = json!([{"children": [1]}, {"translation": [1, 0, 0]}]);
    });
    model.write_gltf(&file);
    let mut window = Shell::open_quick(&[file.to_str().unwrap(), "--time", "0.5"]);
    let notice = window.state()["notice"].as_str().unwrap_or_default().to_owned();
    for part in ["no mesh in this file", "drawn as bones", "Shift+drop"] {
        assert!(notice.contains(part), "{notice}");
    }
    window.keys(&["Escape"]);
    let bone = |p: &Rgb<u8>| p.0[0] > 200 && p.0[1] > 150 && p.0[2] < 120;
    let picture = window.picture();
    let bones =
        picture.enumerate_pixels().filter(|(x, y, p)| *x > 260 && *y < 680 && bone(p)).count();
    assert!(bones > 200, "{bones}");
    window.close();
    // A file with a mesh gives no such message.
    let whole = small_model(folder.path(), "whole.gltf");
    let mut window = Shell::open_quick(&[&whole]);
    assert_eq!(window.state()["notice"], Value::Null);
    window.close();
}

#[test]
fn a_message_leaves_the_skeleton_of_a_small_window_free() {
    // The skeleton's root moves down from the upper edge of what is framed.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fall.bvh");
    let motion = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n\
                  JOINT Arm\n{\nOFFSET 30 0 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 30 0\n}\n}\n}\n\
                  MOTION\nFrames: 2\nFrame Time: 1\n0 200 0\n0 0 0\n";
    std::fs::write(&file, motion).unwrap();
    let mut window =
        Shell::open_quick(&[file.to_str().unwrap(), "--time", "0", "--size", "640x400"]);
    assert!(window.state()["notice"].as_str().unwrap().contains("no mesh in this file"));
    let bone = |p: &Rgb<u8>| p.0[0] > 200 && p.0[1] > 150 && p.0[2] < 120;
    // The message has an outline of a similar colour.
    let bones = |window: &mut Shell| {
        let picture = window.picture();
        picture.enumerate_pixels().filter(|(x, y, p)| *x > 260 && *y < 200 && bone(p)).count()
    };
    let covered = bones(&mut window);
    window.keys(&["Escape"]);
    let whole = bones(&mut window);
    assert!(whole > 100 && covered.abs_diff(whole) * 10 < whole, "{covered} of {whole}");
    window.close();
}
