//! Two files in one window: side by side, divided by a line, as a ghost and as heat; the worst instant is that of
//! `diff`.

use std::path::PathBuf;

use image::RgbImage;
use serde_json::{Value, json};

use super::session::{Session, number};
use super::shell::Shell;
use crate::support::{SmallModel, rigview};

/// Rows from the picture's top that have the names of the files, and columns around the line with its handle.
const NAMES: u32 = 60;
const LINE: i64 = 12;

/// Writes a square with a clip and a colour.
fn square(window: &Shell, name: &str, color: [f64; 4], edit: impl FnOnce(&mut Value)) -> PathBuf {
    let path = window.path(name);
    let square = SmallModel::new().clip("Turn").paper().edit(|json| {
        json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] = json!(color);
        edit(json);
    });
    square.write_gltf(&path);
    path
}

const RED: [f64; 4] = [0.8, 0.05, 0.05, 1.0];
const BLUE: [f64; 4] = [0.05, 0.05, 0.8, 1.0];

/// Opens a file beside the shown one, and waits until both are compared.
fn compare_with(window: &mut Shell, path: &PathBuf) -> Value {
    window.step(json!({"drop": path, "ctrl": true}));
    window.step(json!({"loaded": true}));
    window.state()
}

/// Asserts that two pictures are the same in some columns, where no name and no line is.
#[track_caller]
fn same(got: &RgbImage, wanted: &RgbImage, columns: std::ops::Range<u32>, line: u32) {
    let far = |x: u32| (i64::from(x) - i64::from(line)).abs() > LINE;
    for y in NAMES..got.height() - 20 {
        for x in columns.clone().filter(|x| far(*x)) {
            assert_eq!(got.get_pixel(x, y), wanted.get_pixel(x, y), "{x}, {y}");
        }
    }
}

/// Counts the pixels of a picture that are mostly of one channel.
fn mostly(picture: &RgbImage, channel: usize, columns: std::ops::Range<u32>) -> usize {
    let rows = NAMES..picture.height() - 20;
    let pixels = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
    let is = |(x, y): (u32, u32)| {
        let pixel = picture.get_pixel(x, y).0.map(i32::from);
        (0..3).all(|other| other == channel || pixel[channel] > pixel[other] + 60)
    };
    pixels.filter(|at| is(*at)).count()
}

#[test]
fn models_of_very_different_size_are_both_readable_side_by_side() {
    let mut window = Shell::open_quick(&["--rest", "--size", "640x480"]);
    let a = square(&window, "a.gltf", RED, |_| ());
    let b = square(&window, "b.gltf", BLUE, |json| {
        json["nodes"][0]["scale"] = json!([100, 100, 100]);
        json["nodes"][0]["translation"] = json!([4000, 0, 0]);
    });
    window.step(json!({"drop": a}));
    window.step(json!({"loaded": true}));
    window.keys(&["U"]);
    compare_with(&mut window, &b);
    let picture = window.picture();
    let [red, blue] = [mostly(&picture, 0, 0..320), mostly(&picture, 2, 320..640)];
    assert!(red > 2000 && red.abs_diff(blue) * 20 < red, "{red} {blue}");
    // In one picture, both have their true size.
    window.keys(&["Shift+D"]);
    let picture = window.picture();
    assert!(mostly(&picture, 0, 0..640) < 100, "{}", mostly(&picture, 0, 0..640));
    // Heat shows the first model alone.
    window.keys(&["Shift+D", "Shift+D"]);
    assert_eq!(window.state()["compared"]["mode"], "heat");
    let picture = window.picture();
    let middle = [320, 240].map(|at: u32| at - 40..at + 40);
    let [columns, rows] = middle;
    let corner = *picture.get_pixel(30, 400);
    let pixels = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
    let differ = pixels.filter(|(x, y)| {
        let pixel = picture.get_pixel(*x, *y).0;
        pixel.iter().zip(corner.0).any(|(a, b)| a.abs_diff(b) > 40)
    });
    assert!(differ.count() > 5000, "the model fills the middle");
    window.close();
}

#[test]
fn each_side_of_the_line_has_the_pixels_of_its_model() {
    let size = "640x480";
    let mut window = Shell::open_quick(&["--rest", "--size", size]);
    let a = square(&window, "a.gltf", RED, |_| ());
    let b = square(&window, "b.gltf", BLUE, |_| ());
    let mut alone = |path: &PathBuf| {
        window.step(json!({"drop": path}));
        window.step(json!({"loaded": true}));
        window.step(json!({"time": 0.5}));
        if window.state()["panels"] == true {
            window.keys(&["U"]);
        }
        window.picture()
    };
    let [red, blue] = [&a, &b].map(&mut alone);
    assert!(mostly(&red, 0, 0..640) > 2000 && mostly(&blue, 2, 0..640) > 2000);
    alone(&a);
    let state = compare_with(&mut window, &b);
    assert_eq!(state["compared"]["file"], json!(b));
    assert_eq!(state["compared"]["mode"], "beside");
    assert_eq!(state["error"], json!(null));
    // Each half has its square, and nothing of the other one.
    let halves = window.picture();
    assert_eq!(mostly(&halves, 0, 320..640) + mostly(&halves, 2, 0..320), 0);
    let [left, right] = [mostly(&halves, 0, 0..320), mostly(&halves, 2, 320..640)];
    assert!(left > 1000 && left.abs_diff(right) < left / 20, "{left} {right}");
    window.keys(&["Shift+D"]);
    let state = window.state();
    assert_eq!(
        (&state["compared"]["mode"], number(&state["compared"], "wipe")),
        (&json!("wipe"), 0.5)
    );
    assert_eq!((number(&state, "time"), number(&state["compared"], "time")), (0.5, 0.5));
    let line = window.picture();
    same(&line, &red, 0..320, 320);
    same(&line, &blue, 320..640, 320);
    for to in [480, 2, 160] {
        let from = window.rect("Wipe line");
        let middle = [from[0] + 0.5 * from[2], from[1] + 0.5 * from[3]];
        window.step(json!({"drag": [middle[0], middle[1], to, middle[1]]}));
        let line = window.picture();
        same(&line, &red, 0..to, to);
        same(&line, &blue, to..640, to);
    }
    // The ghost is neither red nor blue; without the second model the first one is as before.
    window.keys(&["Shift+D"]);
    let ghost = window.picture();
    assert_ne!(ghost, red);
    assert!(mostly(&ghost, 2, 0..640) == 0);
    window.keys(&["D"]);
    window.click("End the comparison");
    assert_eq!(window.state()["compared"], json!(null));
    // The second key takes away the hint that follows the first one.
    window.keys(&["U", "Escape"]);
    same(&window.picture(), &red, 0..640, 0);
    window.close();
}

#[test]
fn the_worst_instant_is_that_of_diff_and_the_heat_has_its_colours() {
    let mut window = Shell::open_quick(&["--rest", "--size", "1280x720"]);
    let a = square(&window, "a.gltf", RED, |_| ());
    // One clip holds the square, the other one turns it by 180 degrees.
    let b = square(&window, "b.gltf", RED, |json| {
        json["animations"][0]["channels"] = json!([]);
        json["nodes"][0]["rotation"] = json!([0, 0, 0, 1]);
    });
    let texts = [&a, &b].map(|path| path.to_str().unwrap().to_owned());
    let run = rigview(["diff", &texts[0], &texts[1], "--json"]);
    let wanted: Value = serde_json::from_str(run.text()).unwrap();
    window.step(json!({"drop": a}));
    window.step(json!({"loaded": true}));
    let state = compare_with(&mut window, &b);
    let worst = &state["compared"]["worst"];
    assert_eq!(worst["clip"], wanted["clips"][0]["a"], "{state}");
    for key in ["time", "joint", "distance"] {
        assert_eq!(worst[key], wanted["clips"][0][key], "{key}");
    }
    window.click("Worst instant");
    let state = window.state();
    assert_eq!((&state["time"], &state["clip_name"]), (&worst["time"], &json!("Turn")));
    assert_eq!((&state["selection"], &state["playing"]), (&json!(0), &json!(false)));
    // At the worst instant the corners have the hottest colour; at the start all is cold. The columns are those right
    // of the scale.
    window.click("Heat");
    window.step(json!({"select": null}));
    let hot = window.picture();
    assert!(mostly(&hot, 0, 560..960) > 1000);
    window.step(json!({"time": 0.0}));
    let cold = window.picture();
    assert_eq!(mostly(&cold, 0, 560..960), 0);
    assert!(mostly(&cold, 2, 560..960) > 1000);
    window.close();
}

#[test]
fn two_files_of_the_command_line_are_compared_and_a_bad_second_one_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, bad] = ["a.gltf", "b.gltf", "bad.glb"].map(|name| folder.path().join(name));
    SmallModel::new().clip("Turn").write_gltf(&a);
    SmallModel::new().clip("Turn").node_name("other").write_gltf(&b);
    std::fs::write(&bad, "glTF, it says").unwrap();
    let [a, b, bad] = [a, b, bad].map(|path| path.to_string_lossy().into_owned());
    for arguments in [[&*a, "--compare", &b], ["--compare", &a, &b]] {
        let mut window = Session::open_quick(&[&arguments[..], &["--size", "640x480"]].concat());
        let state = window.state();
        assert_eq!((&state["file"], &state["compared"]["file"]), (&json!(a), &json!(b)));
        assert!(state["parts"].as_array().unwrap().contains(&json!("compared")));
        window.close();
    }
    let mut window = Session::open_quick(&["--compare", &a, &bad, "--size", "640x480"]);
    let state = window.state();
    assert_eq!((&state["file"], &state["compared"]), (&json!(a), &json!(null)));
    assert!(state["error"].as_str().unwrap().starts_with("bad.glb: "), "{state}");
    // The file is read again when it is written.
    std::fs::copy(&b, &bad).unwrap();
    window.until("the second file", |state| state["error"].is_null());
    window.close();
    let wrong = rigview(["--compare", &a]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.ended());
    assert!(wrong.stderr.contains("--compare: two files are compared"), "{}", wrong.stderr);
}
