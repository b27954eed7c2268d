//! Zoom and double click on the surface under the pointer, and passes that show data.

use serde_json::{Value, json};

use super::session::number;
use super::shell::Shell;
use crate::support::SmallModel;

/// A small square a metre in front of a large one, seen from the front. Without panels, both are in the middle of
/// the window.
fn two_squares(options: &[&str]) -> (Shell, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("squares.gltf");
    SmallModel::new()
        .edit(|json| {
            json["scenes"][0]["nodes"] = json!([0, 1]);
            let small = json!({"mesh": 0, "translation": [0, 0, 2], "scale": [0.2, 0.2, 0.2]});
            json["nodes"].as_array_mut().unwrap().push(small);
        })
        .write_gltf(&path);
    let fixed = [
        path.to_str().unwrap(),
        "--rest",
        "--orbit",
        "0,0",
        "--size",
        "320x240",
        "--pass",
        "albedo",
    ];
    let mut window = Shell::open_quick(&[&fixed[..], options].concat());
    window.keys(&["U"]);
    (window, folder)
}

fn camera(window: &mut Shell) -> Value {
    window.state()["camera"].clone()
}

/// The camera's position along +Z.
fn height(camera: &Value) -> f64 {
    camera["target"][2].as_f64().unwrap() + number(camera, "distance")
}

#[test]
fn zoom_stops_before_the_surface_under_the_pointer() {
    for options in [&[][..], &["--orthographic", "3"]] {
        let (mut window, _folder) = two_squares(options);
        let first = camera(&mut window);
        assert!((first["target"][2].as_f64().unwrap() - 1.0).abs() < 1e-6, "{first}");
        // In the middle is the small square, a metre closer than the target.
        window.step(json!({"wheel": [160, 120, 30]}));
        let near = camera(&mut window);
        let share = 0.88f64.powi(30);
        let (from, to) = (height(&first) - 2.0, height(&near) - 2.0);
        assert!((to / from - share).abs() < 1e-3 * share, "{from} to {to}: {near}");
        // The square covers the window, so the near plane cuts nothing off.
        let shown = window.picture();
        let [first_row, last_row] = [shown.get_pixel(3, 3), shown.get_pixel(310, 230)];
        assert_eq!(first_row, last_row);
        assert_eq!(shown.get_pixel(160, 120), first_row);
        // Beside both squares there is no surface, and the zoom uses the depth of the target.
        window.keys(&["0"]);
        window.step(json!({"wheel": [2, 2, 3]}));
        let beside = camera(&mut window);
        let target = beside["target"][2].as_f64().unwrap();
        assert!((target - 1.0).abs() < 1e-6, "{beside}");
        window.close();
    }
}

#[test]
fn a_double_click_with_ctrl_sets_the_centre_of_orbits() {
    let (mut window, _folder) = two_squares(&[]);
    let first = camera(&mut window);
    window.step(json!({"double_click": [163, 121], "ctrl": true}));
    let centered = camera(&mut window);
    let target = |i: usize| centered["target"][i].as_f64().unwrap();
    assert!((target(2) - 2.0).abs() < 1e-5, "{centered}");
    assert!(target(0) > 0.0 && target(0) < 0.2 && target(1) < 0.0, "{centered}");
    assert!((height(&centered) - height(&first)).abs() < 1e-5, "{first} {centered}");
    // The clicked point is in the middle and stays there while the camera orbits.
    window.step(json!({"drag": [100, 200, 140, 200]}));
    let turned = camera(&mut window);
    assert_eq!(turned["target"], centered["target"]);
    assert_ne!(turned["azimuth"], centered["azimuth"]);
    window.close();
    // A double click beside both squares changes nothing.
    let (mut window, _folder) = two_squares(&[]);
    let first = camera(&mut window);
    window.step(json!({"double_click": [2, 2], "ctrl": true}));
    assert_eq!(camera(&mut window), first);
    window.close();
}

#[test]
fn a_double_click_frames_what_is_there() {
    let (mut window, _folder) = two_squares(&[]);
    let first = camera(&mut window);
    window.step(json!({"double_click": [163, 121]}));
    let state = window.state();
    // The small square, whose middle is at 0.05, 0.05, 2.
    assert_eq!(state["selection"], json!(1));
    let framed = state["camera"].clone();
    assert!((framed["target"][2].as_f64().unwrap() - 2.0).abs() < 1e-5, "{framed}");
    assert!(number(&framed, "distance") < 0.5 * number(&first, "distance"), "{first} {framed}");
    // Two clicks of which the first one has selected it.
    window.keys(&["0"]);
    window.step(json!({"pick": [163, 121]}));
    window.step(json!({"double_click": [163, 121]}));
    assert_eq!(camera(&mut window), framed);
    window.keys(&["0"]);
    let before = camera(&mut window);
    window.step(json!({"double_click": [2, 2]}));
    assert_eq!(camera(&mut window), before, "nothing is there");
    window.close();
}

#[test]
fn depth_is_grey_and_a_skeleton_is_drawn_over_data() {
    for pass in ["depth", "mask"] {
        let mut window = Shell::open_quick(&["--rest", "--size", "320x240", "--pass", pass]);
        window.keys(&["U"]);
        let plain = window.picture();
        if pass == "depth" {
            let coloured = |p: &&image::Rgb<u8>| p.0[0] != p.0[1] || p.0[1] != p.0[2];
            assert_eq!(plain.pixels().filter(coloured).count(), 0);
            let near = plain.pixels().filter(|p| p.0[0] < 200).count();
            assert!((1000..76_000).contains(&near), "{near}");
        }
        window.keys(&["K"]);
        let with_bones = window.picture();
        let differ = plain.pixels().zip(with_bones.pixels()).filter(|(a, b)| a != b).count();
        assert!(differ > 200, "{pass}: {differ}");
        window.close();
    }
}
