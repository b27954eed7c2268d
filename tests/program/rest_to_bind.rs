//! `--pass rest-to-bind`: the distance of joints at rest from their bind pose as heat.

use std::path::Path;

use image::RgbImage;
use serde_json::{Value, json};

use crate::support::{Shape, floats, put_weights, rigview};

/// The background, which no colour of the scale is.
const AROUND: [u8; 3] = [1, 2, 3];

/// A square of two metres whose left side belongs to a joint at its bind pose, and whose right side to one that is
/// 10 cm above of it.
fn square(inverse_bind: bool) -> Value {
    let mut file: Value = serde_json::from_slice(&Shape::square().gltf()).unwrap();
    let [left, right] = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];
    put_weights(&mut file, [0, 1, 0, 0], &[left, right, right, left]);
    file["nodes"] = json!([
        {"mesh": 0, "skin": 0},
        {"name": "still", "children": [2]},
        {"name": "moved", "translation": [0.5, 0.1, 0.0]},
    ]);
    file["scenes"] = json!([{"nodes": [0, 1]}]);
    file["skins"] = json!([{"joints": [1, 2]}]);
    if inverse_bind {
        let matrix = |x: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, 0., 0., 1.0f32];
        let matrices = floats(&mut file, "MAT4", &[matrix(0.0), matrix(-0.5)].concat());
        file["skins"][0]["inverseBindMatrices"] = json!(matrices);
    }
    file
}

/// Draws a file from its front, at 100 pixels per metre.
fn drawn(folder: &Path, file: &Value) -> RgbImage {
    let (path, out) = (folder.join("square.gltf"), folder.join("out.png"));
    std::fs::write(&path, file.to_string()).unwrap();
    let words = "--pass rest-to-bind --no-legend --size 400x400 --orthographic 4 --background #010203 \
                 --eye 0,0,5 --target 0,0,0";
    let words = words.split_whitespace();
    let paths = ["screenshot", path.to_str().unwrap(), "-o", out.to_str().unwrap()];
    rigview(paths.into_iter().chain(words)).done();
    image::open(&out).unwrap().into_rgb8()
}

#[test]
fn vertices_have_the_mean_distance_of_their_joints() {
    let folder = tempfile::tempdir().unwrap();
    let picture = drawn(folder.path(), &square(true));
    assert_eq!(picture.get_pixel(50, 200).0, AROUND);
    // The right side is drawn 10 cm higher. Five colours, evenly spaced from the left to the right side.
    for (x, wanted) in [
        (101, [0, 0, 255]),
        (150, [0, 255, 255]),
        (200, [0, 255, 0]),
        (250, [255, 255, 0]),
        (299, [255, 0, 0]),
    ] {
        let seen = picture.get_pixel(x, 200).0;
        let off = seen.iter().zip(wanted).map(|(a, b): (&u8, u8)| a.abs_diff(b)).max();
        assert!(off <= Some(16), "{seen:?} at {x}, not {wanted:?}");
    }
}

/// A tenth of a millimetre is no red: the scale ends at 1 mm at least.
#[test]
fn small_distances_stay_blue() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = square(true);
    file["nodes"][2]["translation"] = json!([0.5, 0.0001, 0.0]);
    let [r, g, b] = drawn(folder.path(), &file).get_pixel(298, 200).0;
    assert!(r == 0 && b == 255 && (85..=110).contains(&g), "{r} {g} {b}");
}

#[test]
fn without_inverse_bind_matrices_there_is_no_bind_pose_to_compare_with() {
    let folder = tempfile::tempdir().unwrap();
    let picture = drawn(folder.path(), &square(false));
    let [r, g, b] = picture.get_pixel(200, 200).0;
    assert!(r == g && g == b && r > 0x50, "{r} {g} {b}");
}

/// The origin of the joint is in its place, but its vertices are not.
#[test]
fn a_turned_joint_is_away_from_its_bind_pose() {
    let folder = tempfile::tempdir().unwrap();
    let reds = |turn: f32| {
        let mut file = square(true);
        file["nodes"][2]["translation"] = json!([0.5, 0.0, 0.0]);
        let (sin, cos) = (0.5 * turn.to_radians()).sin_cos();
        file["nodes"][2]["rotation"] = json!([0.0, 0.0, sin, cos]);
        let picture = drawn(folder.path(), &file);
        picture.pixels().filter(|p| p.0[0] > 200 && p.0[1] < 60 && p.0[2] < 60).count()
    };
    assert_eq!(reds(0.0), 0);
    assert!(reds(45.0) > 100, "{}", reds(45.0));
}
