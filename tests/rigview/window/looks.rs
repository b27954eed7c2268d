//! The picture in the window, compared with `screenshot`, and its response to the mouse.

use serde_json::json;

use super::session::{Session, number, small_model};
use super::shell::Shell;
use crate::support::{rigview, walker};

#[test]
fn without_panels_it_shows_what_screenshot_draws() {
    // A width whose rows are not a multiple of the alignment of copies.
    let size = "333x257";
    let clip = ["--clip", "Hop", "--time", "0.7", "--size", size];
    for more in [
        &[][..],
        &["--skeleton", "--background", "#204060"],
        &["--samples", "16"],
        &["--pass", "normal"],
        &["--grid", "--axes", "--show-environment=blurred", "--tone-map", "agx"],
        &["--bounds", "--no-legend"],
        &["--pass", "rest-to-bind", "--no-legend"],
    ] {
        let options = [&clip[..], more].concat();
        let mut window = Shell::open(&options);
        window.keys(&["U"]);
        let shown = window.picture();
        let out = window.path("headless.png");
        let arguments = [&["screenshot", "-o", out.to_str().unwrap()], &options[..]].concat();
        rigview(arguments).done();
        let drawn = image::open(&out).unwrap().into_rgb8();
        assert_eq!(shown.dimensions(), drawn.dimensions());
        let off = shown.iter().zip(drawn.iter()).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(off <= Some(1), "{more:?}: a byte is off by {off:?}");
        window.close();
    }
}

/// Frames in which only the panels change show the last picture again, and whatever changes the picture draws it.
#[test]
fn the_model_is_drawn_when_its_picture_changes() {
    let mut window = Shell::open(&["--clip", "Hop", "--time", "0.2", "--size", "900x600"]);
    let first = middle(&mut window);
    let [frames, drawn] = counts(&mut window);
    for _ in 0..3 {
        window.step(json!({"wheel": [80, 300, -1]}));
    }
    window.step(json!({"wait": 0.5}));
    assert!(middle(&mut window) == first, "the same picture");
    let [more, again] = counts(&mut window);
    assert!(more > frames + 3 && again == drawn, "{more} frames, {frames} before, {again} drawn");
    let mut before = (window.picture(), drawn);
    for change in [
        json!({"time": 0.7}),
        json!({"select": 5}),
        json!({"pose": {"node": "head", "rotation": [0, 0.6, 0, 0.8]}}),
        json!({"drag": [450, 300, 520, 340]}),
        json!({"key": "G"}),
        json!({"key": "K"}),
        json!({"resize": [1000, 600]}),
    ] {
        window.step(change.clone());
        let (shown, [_, now]) = (window.picture(), counts(&mut window));
        assert!(now > before.1 && shown != before.0, "{change}: {now} drawn, {} before", before.1);
        before = (shown, now);
    }
    window.close();
}

/// The same with two models; the line of a wipe and the second model's pose are parts of the picture.
#[test]
fn two_models_are_drawn_when_their_picture_changes() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| small_model(folder.path(), name));
    let mut window = Shell::open_quick(&[&one, "--time", "0.2", "--compare", &other]);
    window.step(json!({"loaded": true}));
    let mut before = window.picture();
    let mut drawn = counts(&mut window)[1];
    window.step(json!({"wheel": [80, 300, -1]}));
    window.step(json!({"wait": 0.5}));
    assert_eq!(counts(&mut window)[1], drawn, "a panel was scrolled");
    for change in [json!({"click": "Wipe"}), json!({"click": "Ghost"}), json!({"time": 0.7})] {
        window.step(change.clone());
        let (shown, [_, now]) = (window.picture(), counts(&mut window));
        assert!(now > drawn && shown != before, "{change}: {now} drawn, {drawn} before");
        (before, drawn) = (shown, now);
    }
    window.close();
}

/// Returns a part of the window without panels.
fn middle(window: &mut Shell) -> image::RgbImage {
    image::imageops::crop_imm(&window.picture(), 380, 120, 200, 320).to_image()
}

/// Returns the numbers of frames that were shown, and that drew the model.
fn counts(window: &mut Shell) -> [u64; 2] {
    let state = window.state();
    ["frames", "drawn"].map(|key| state[key].as_u64().unwrap())
}

/// Hips that walk along X stay over the point where they start, in the window, in a screenshot and in a recording.
#[test]
fn a_clip_plays_in_place_wherever_it_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let file = path("walker.gltf");
    std::fs::write(&file, walker(1.0).to_string()).unwrap();
    let view = ["--size", "333x257", "--background", "#204060"];
    let shot = |name: &str, more: &[&str]| {
        let out = path(name);
        rigview([&["screenshot", &file, "-o", &out], &view[..], more].concat()).done();
        image::open(&out).unwrap().into_rgb8()
    };
    let start = shot("a.png", &["--time", "0", "--in-place"]);
    let held = shot("b.png", &["--time", "1", "--in-place"]);
    assert!(held == start);
    assert!(shot("c.png", &["--time", "1"]) != start);
    let frames = path("frame{frame}.png");
    let times = ["--from", "1", "--to", "2", "--fps", "1", "--in-place"];
    rigview([&["record", &file, "-o", &frames], &view[..], &times].concat()).done();
    assert!(image::open(path("frame0.png")).unwrap().into_rgb8() == held);
    let mut window = Shell::open(&[&[&file, "--time", "1"], &view[..]].concat());
    window.step(json!({"resize": [900, 700]}));
    window.click("Motion and surface");
    window.click("Play in place");
    assert_eq!(window.state()["in_place"], true);
    window.step(json!({"resize": [333, 257]}));
    // Escape removes the message that there is no mesh.
    window.keys(&["U", "Escape"]);
    let shown = window.picture();
    let off = shown.iter().zip(held.iter()).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(shown.dimensions() == held.dimensions() && off <= Some(1), "off by {off:?}");
    window.close();
}

#[test]
fn the_mouse_orbits_pans_and_zooms_and_r_resets() {
    let mut window = Shell::open_quick(&["--rest"]);
    let camera = |window: &mut Shell| window.state()["camera"].clone();
    let first = camera(&mut window);
    window.step(json!({"drag": [600, 300, 700, 340]}));
    let turned = camera(&mut window);
    assert_ne!(turned["azimuth"], first["azimuth"]);
    assert!(number(&turned, "elevation") > number(&first, "elevation"));
    assert_eq!(turned["target"], first["target"]);
    window.step(json!({"drag": [600, 300, 640, 300], "button": "right"}));
    let moved = camera(&mut window);
    assert_ne!(moved["target"], turned["target"]);
    assert_eq!(moved["azimuth"], turned["azimuth"]);
    window.step(json!({"wheel": [600, 300, 3]}));
    assert!(number(&camera(&mut window), "distance") < number(&first, "distance"));
    window.keys(&["0"]);
    assert_eq!(camera(&mut window), first);
    window.keys(&["1"]);
    assert_eq!(number(&camera(&mut window), "azimuth"), 0.0);
    window.close();
}

#[test]
fn another_size_shows_the_same_scene_at_that_size() {
    let mut window = Session::open_quick(&["--rest"]);
    for size in [[640, 400], [1200, 900]] {
        window.step(json!({"resize": size}));
        let picture = window.picture();
        assert_eq!([picture.width(), picture.height()], size);
        assert_eq!(window.state()["size"], json!(size));
    }
    window.close();
}

#[test]
fn a_display_of_twice_the_scale_has_a_window_of_as_many_points() {
    let model = tempfile::tempdir().unwrap();
    let file = small_model(model.path(), "square.gltf");
    let mut window = Session::open_quick_with(
        // With a background of its own, no pool of light lies on the floor.
        &[&file, "--rest", "--background", "#2b2f36"],
        &[("WINIT_X11_SCALE_FACTOR", "2")],
    );
    let large = window.picture();
    assert_eq!(large.dimensions(), (1280, 960));
    // The transport has the same height in points on every display, so it has twice as many pixels here.
    assert_eq!(large.get_pixel(600, 960 - 190).0, window_background());
    assert_ne!(large.get_pixel(600, 960 - 120).0, window_background());
    window.close();
}

/// The background of pictures.
fn window_background() -> [u8; 3] {
    [0x2b, 0x2f, 0x36]
}

/// F12 writes the picture with its overlays, Ctrl+F12 the model alone. No file is overwritten.
#[test]
fn f12_writes_pictures_and_ctrl_f12_bare_ones() {
    let mut window = Shell::open(&[
        "--clip",
        "Hop",
        "--time",
        "0.5",
        "--skeleton",
        "--grid",
        "--size",
        "480x360",
    ]);
    let clean = |path: &std::path::Path| image::open(path).unwrap().into_rgba8();
    window.keys(&["U", "F12", "F12", "Ctrl+F12", "Ctrl+C"]);
    window.state();
    let mut files: Vec<_> =
        std::fs::read_dir(window.folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let names: Vec<_> = files.iter().filter_map(|f| f.file_name()?.to_str()).collect();
    let [again, bare, first] = &files[..] else { panic!("{names:?}") };
    assert!(names[2].ends_with("-Hop-0.500.png") && names[1].ends_with("-Hop-0.500-3.png"));
    let (bare, again, first) = (clean(bare), clean(again), clean(first));
    assert_eq!(first, again);
    assert_eq!(first.dimensions(), (480, 360));
    assert!(first.pixels().all(|p| p.0[3] == 255));
    assert_eq!((bare.get_pixel(3, 3).0, bare.dimensions()), ([0; 4], (480, 360)));
    let opaque = bare.pixels().filter(|p| p.0[3] == 255).count();
    assert!(opaque > 8_000, "{opaque} pixels of the model");
    window.close();
}

/// Only failures are shown in amber.
#[test]
fn a_notice_of_success_has_no_frame_of_a_warning() {
    let amber = |picture: &image::RgbImage| {
        let near = |p: &&image::Rgb<u8>| {
            p.0.iter().zip([0xe8, 0xb3, 0x4a]).all(|(a, b)| a.abs_diff(b) < 6)
        };
        picture.pixels().filter(near).count()
    };
    // The mask has nothing of that colour that a message could cover.
    let mut window = Shell::open_quick(&["--time", "0", "--pass", "mask"]);
    window.keys(&["Escape"]);
    let before = amber(&window.picture());
    window.keys(&["Ctrl+C"]);
    assert_eq!(window.state()["notice"], "The picture is on the clipboard");
    assert_eq!(amber(&window.picture()), before);
    window.keys(&["Escape"]);
    assert_eq!(window.state()["notice"], serde_json::Value::Null);
    window.close();
}

/// The window's legend takes the corner that `screenshot` takes, and stays there while that hides little.
#[test]
fn the_legend_is_where_the_model_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = small_model(folder.path(), "square.gltf");
    let corner = |target: &str, height: &str| {
        let eye = format!("{target},5");
        let camera = ["--eye", &eye, "--target", &format!("{target},0"), "--orthographic", height];
        let pictures = [&[][..], &["--no-legend"]].map(|more| {
            let look = ["--pass", "overdraw", "--size", "600x600"];
            let mut window = Shell::open(&[&[&file[..]], &camera[..], &look, more].concat());
            window.keys(&["U"]);
            let shown = window.picture();
            window.close();
            shown
        });
        let [with, without] = pictures;
        let differs = with.enumerate_pixels().filter(|(x, y, p)| *p != without.get_pixel(*x, *y));
        let places: Vec<_> = differs.map(|(x, y, _)| [x / 300, y / 300]).collect();
        assert!(places.len() > 3000 && places.iter().all(|place| *place == places[0]), "{target}");
        places[0]
    };
    for (target, height, want) in
        [("1,1", "4", [1, 1]), ("-1,1", "4", [0, 1]), ("0,0.9", "2.4", [0, 0])]
    {
        assert_eq!(corner(target, height), want, "{target}");
    }
}
