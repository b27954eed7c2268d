//! Normals and tangents as lines, and the path of the root.

use std::path::Path;

use image::RgbImage;
use rigview::import::load;
use rigview::model::Stage;
use serde_json::{Value, json};

use crate::support::{Shape, floats, put_weights, rigview, walker};

const NORMAL: [u8; 3] = [89, 204, 255];
const TANGENT: [u8; 3] = [255, 133, 56];

/// Draws a file on black.
fn picture(folder: &Path, file: &Path, arguments: &[&str]) -> RgbImage {
    picture_on(folder, file, "#000000", arguments)
}

/// Draws a file on a colour.
fn picture_on(folder: &Path, file: &Path, background: &str, arguments: &[&str]) -> RgbImage {
    let out = folder.join("out.png");
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    rigview([&paths[..], &["--background", background], arguments].concat()).done();
    image::open(&out).unwrap().into_rgb8()
}

/// Returns the places of the pixels of about a colour.
fn places(picture: &RgbImage, color: [u8; 3]) -> Vec<[u32; 2]> {
    let is_it = |pixel: &image::Rgb<u8>| pixel.0.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 12);
    let found = picture.enumerate_pixels().filter(|(_, _, pixel)| is_it(pixel));
    found.map(|(x, y, _)| [x, y]).collect()
}

/// Returns the least and the greatest coordinate along an axis.
fn span(places: &[[u32; 2]], axis: usize) -> [u32; 2] {
    let along = || places.iter().map(|place| place[axis]);
    [along().min().unwrap(), along().max().unwrap()]
}

/// A square of two metres, seen from its side at 200 pixels per metre: it has no area there, and its normals are lines
/// at its upper and lower edge.
#[test]
fn normals_are_lines_from_the_vertices_as_long_as_a_share_of_the_models_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("square.gltf");
    std::fs::write(&file, Shape::square().gltf()).unwrap();
    let view = ["--size", "800x800", "--orthographic", "4", "--pass", "albedo"];
    let side = [&view[..], &["--orbit", "90,0", "--normals"]].concat();
    let drawn = places(&picture(folder.path(), &file, &side), NORMAL);
    // 0.02 of the diagonal of 2.83 m.
    let length = 0.02 * 8f64.sqrt() * 200.0;
    let [left, right] = span(&drawn, 0).map(f64::from);
    assert!((right - left + 1.0 - length).abs() <= 1.5, "{left} to {right}, not {length} pixels");
    assert!(left > 396.0 - length && right < 404.0 + length, "{left} to {right}");
    let [top, bottom] = span(&drawn, 1);
    assert!(top.abs_diff(200) <= 2 && bottom.abs_diff(600) <= 2, "{top} to {bottom}");
    assert!(drawn.iter().all(|[_, y]| y.abs_diff(200) <= 2 || y.abs_diff(600) <= 2));
    // The file has no tangents.
    let tangents = [&view[..], &["--orbit", "90,0", "--tangents"]].concat();
    assert_eq!(places(&picture(folder.path(), &file, &tangents), TANGENT), [[0; 2]; 0]);
    let mask = ["--size", "800x800", "--orbit", "30,0", "--pass", "mask"];
    let with = [&mask[..], &["--normals"]].concat();
    assert_eq!(picture(folder.path(), &file, &with), picture(folder.path(), &file, &mask));
}

/// The square of two metres, which goes two hundred metres along its plane.
#[test]
fn the_way_of_a_clip_does_not_lengthen_normals() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("walk.gltf");
    let mut json: Value = serde_json::from_slice(&Shape::square().gltf()).unwrap();
    let input = floats(&mut json, "SCALAR", &[0.0, 1.0]);
    let output = floats(&mut json, "VEC3", &[0.0, 0.0, 0.0, 200.0, 0.0, 0.0]);
    json["animations"] = json!([{
        "samplers": [{"input": input, "output": output}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
    }]);
    std::fs::write(&file, json.to_string()).unwrap();
    let view = ["--size", "800x800", "--orthographic", "4", "--pass", "albedo", "--frame-pose"];
    let side = [&view[..], &["--orbit", "90,0", "--normals", "--time", "0.5"]].concat();
    let [left, right] = span(&places(&picture(folder.path(), &file, &side), NORMAL), 0);
    let length = 0.02 * 8f64.sqrt() * 200.0;
    assert!((f64::from(right - left + 1) - length).abs() <= 1.5, "{left} to {right}");
}

/// The normals of a posed rig start at its surface and end outside of it, not farther away than their length.
#[test]
fn normals_of_a_posed_rig_surround_it() {
    let folder = tempfile::tempdir().unwrap();
    let creature = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/creature.glb"));
    let view = ["--clip", "Hop", "--time", "0.5", "--size", "320x320", "--orthographic", "2"];
    let draw = |more: &[&str]| picture(folder.path(), creature, &[&view[..], more].concat());
    let mask = draw(&["--pass", "mask"]);
    let (plain, with) = (draw(&["--pass", "normal"]), draw(&["--pass", "normal", "--normals"]));
    let changed = plain.enumerate_pixels().filter(|(x, y, pixel)| with.get_pixel(*x, *y) != *pixel);
    let changed: Vec<(u32, u32)> = changed.map(|(x, y, _)| (x, y)).collect();
    assert!(changed.len() > 1000, "{} pixels", changed.len());
    // Two metres are 320 pixels. Normals are 0.02 of the diagonal of the posed box long.
    let model = load(creature, &Default::default()).unwrap().model;
    let mut stage = Stage::new(&model, 0);
    let clip = model.clips.iter().find(|clip| clip.name() == Some("Hop"));
    stage.pose(&model, clip, 0.5);
    let length = f64::from(0.02 * stage.bounds(&model).size().length()) * 160.0;
    let covered: Vec<(u32, u32)> = mask
        .enumerate_pixels()
        .filter(|(_, _, pixel)| pixel.0[0] > 127)
        .map(|(x, y, _)| (x, y))
        .collect();
    let away = |(x, y): &(u32, u32)| {
        let to = |(a, b): &(u32, u32)| f64::from(a.abs_diff(*x)).hypot(f64::from(b.abs_diff(*y)));
        covered.iter().map(to).fold(f64::INFINITY, f64::min)
    };
    let furthest = changed.iter().map(away).fold(0.0, f64::max);
    // A line is a pixel and a half wide.
    assert!((furthest - length).abs() <= 1.5, "{furthest} pixels away, not {length}");
}

/// Hips that walk four metres along X in two seconds, seen from above at 30 pixels per metre.
#[test]
fn the_path_of_the_root_is_as_long_as_its_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("walker.gltf");
    std::fs::write(&file, walker(1.0).to_string()).unwrap();
    let view = ["--size", "320x240", "--orthographic", "8", "--orbit", "0,90"];
    let shown =
        picture(folder.path(), &file, &[&view[..], &["--root-path", "--time", "1"]].concat());
    let path = places(&shown, [0x4f, 0xd6, 0xc4]);
    let [left, right] = span(&path, 0);
    assert!((112..=128).contains(&(right - left)), "{left} to {right}");
    assert_eq!(places(&picture(folder.path(), &file, &view), [0x4f, 0xd6, 0xc4]), [[0; 2]; 0]);
}

/// The same hips' own path is found by name, and a node that does not exist is named.
#[test]
fn the_path_of_a_node_is_drawn_without_a_window() {
    const PATH: [u8; 3] = [0xff, 0x9d, 0x2e];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("walker.gltf");
    std::fs::write(&file, walker(1.0).to_string()).unwrap();
    let view = ["--size", "320x240", "--orthographic", "8", "--orbit", "0,90", "--time", "1"];
    for node in ["Hips", "1"] {
        let words = [&view[..], &["--trail", node]].concat();
        let [left, right] = span(&places(&picture(folder.path(), &file, &words), PATH), 0);
        assert!((112..=128).contains(&(right - left)), "{node}: {left} to {right}");
    }
    assert_eq!(places(&picture(folder.path(), &file, &view), PATH), [[0; 2]; 0]);
    let run = rigview(["screenshot", file.to_str().unwrap(), "-o", "-", "--trail", "Tail"]);
    assert!(run.failed(2).stderr.contains("no node \"Tail\"; the file has: 0 \"Root\""));
}

/// A vertex without weights and one whose weights sum to a half have a mark each.
#[test]
fn vertices_with_faulty_weights_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("faulty.gltf");
    let mut skinned: Value = serde_json::from_slice(&Shape::square().gltf()).unwrap();
    let weights = [[1.0, 0.0, 0.0, 0.0], [0.0; 4], [0.5, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]];
    put_weights(&mut skinned, [0; 4], &weights);
    skinned["nodes"] = json!([{"mesh": 0, "skin": 0}, {"name": "bone"}]);
    skinned["scenes"] = json!([{"nodes": [0, 1]}]);
    skinned["skins"] = json!([{"joints": [1]}]);
    std::fs::write(&file, skinned.to_string()).unwrap();
    let view = ["--size", "400x400", "--orthographic", "4", "--orbit", "0,0", "--pass", "albedo"];
    // A mark is translucent: on white it has the same colour inside and outside of the white square.
    let words = [&view[..], &["--weight-marks"]].concat();
    let shown = picture_on(folder.path(), &file, "#ffffff", &words);
    let middle = |color| {
        let all = places(&shown, color);
        [0, 1].map(|axis| 0.5 * f64::from(span(&all, axis).iter().sum::<u32>() + 1))
    };
    let near = |a: [f64; 2], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 0.5);
    // Vertices 1 and 2 are the lower and the upper right corner.
    assert!(near(middle([0xff, 0x2f, 0xd0]), [300.0, 300.0]), "{:?}", middle([0xff, 0x2f, 0xd0]));
    assert!(near(middle([0xff, 0xd0, 0x2f]), [300.0, 100.0]), "{:?}", middle([0xff, 0xd0, 0x2f]));
}
