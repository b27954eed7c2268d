//! Files with animated nodes but without a mesh, such as motion capture and exports of clips only. Their
//! nodes are drawn as bones, and the camera frames them.

use std::path::{Path, PathBuf};

use image::RgbImage;
use rigview::import::load_bytes;
use rigview::model::Stage;
use serde_json::{Value, json};

use crate::support::{rigview, walker};

fn write(folder: &Path, file: &Value) -> PathBuf {
    let path = folder.join("walker.gltf");
    std::fs::write(&path, file.to_string()).unwrap();
    path
}

/// Draws the file on black.
fn picture(file: &Value, arguments: &[&str]) -> RgbImage {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (write(folder.path(), file), folder.path().join("out.png"));
    let fixed = ["--size", "320x240", "--background", "#000000", "-o", out.to_str().unwrap()];
    let all = ["screenshot", file.to_str().unwrap()].into_iter().chain(fixed);
    rigview(all.chain(arguments.iter().copied())).done();
    image::open(&out).unwrap().into_rgb8()
}

/// Returns the box around all pixels that are not black: left, top, right, bottom.
fn drawn(picture: &RgbImage) -> Option<[u32; 4]> {
    let lit = picture.enumerate_pixels().filter(|(_, _, pixel)| pixel.0.iter().any(|c| *c > 24));
    lit.map(|(x, y, _)| [x, y, x, y])
        .reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])])
}

fn joints(file: &Value) -> Vec<usize> {
    let model = load_bytes(file.to_string().into_bytes(), &Default::default()).unwrap().model;
    Stage::new(&model, model.default_scene).joints(&model)
}

/// In metres and in centimetres, at the start and at the end of the path: the whole skeleton is inside the
/// picture with a margin, and as large as the path allows.
#[test]
fn a_node_tree_is_drawn_as_bones_and_framed_over_the_whole_clip() {
    for scale in [1.0, 100.0] {
        for arguments in [&["--time", "0"][..], &["--time", "2", "--skeleton"]] {
            let shown = drawn(&picture(&walker(scale), arguments)).expect("bones");
            let [left, top, right, bottom] = shown;
            let margins = [left, top, 320 - right, 240 - bottom];
            assert!(margins.iter().all(|m| *m >= 8), "{scale} {arguments:?}: {shown:?}");
            assert!(bottom - top > 40, "the far root is not framed: {shown:?}");
        }
    }
}

/// The camera frames the whole clip and not only the shown pose: at the start, the skeleton is on the left.
#[test]
fn bones_walk_from_one_side_to_the_other() {
    let [start, end] = ["0", "2"].map(|time| {
        let at = drawn(&picture(&walker(1.0), &["--time", time, "--orbit", "0,0"])).expect("bones");
        (at[0] + at[2]) / 2
    });
    assert!(start < 100 && end > 220, "{start} {end}");
}

/// A file with a skin but without a mesh is framed with the same margin.
#[test]
fn a_skin_without_a_mesh_is_framed_over_the_whole_clip() {
    let mut file = walker(1.0);
    file["skins"] = json!([{"joints": [1, 2, 3, 4]}]);
    assert_eq!(joints(&file), [1, 2, 3, 4]);
    assert_eq!(picture(&file, &["--time", "2"]), picture(&walker(1.0), &["--time", "2"]));
}

#[test]
fn what_moves_and_what_hangs_on_it_are_bones() {
    assert_eq!(joints(&walker(1.0)), [1, 2, 3, 4]);
    // Without an animation, nodes with a parent or children are bones; cameras and single nodes are not.
    let mut still = walker(1.0);
    still.as_object_mut().unwrap().remove("animations");
    assert_eq!(joints(&still), [0, 1, 2, 3, 4]);
    let lone = json!({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{}, {"children": [2]}, {"camera": 0}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]});
    assert_eq!(joints(&lone), [0; 0]);
    assert_eq!(drawn(&picture(&lone, &["--skeleton"])), None, "nothing to draw stays nothing");
    // An animation of morph weights moves no node.
    let mut weighted = walker(1.0);
    weighted["animations"][0]["channels"][0]["target"]["path"] = "weights".into();
    assert_eq!(joints(&weighted), [0, 1, 2, 3, 4]);
}

/// A file with a mesh but without a skin has no bones.
#[test]
fn a_tree_with_a_mesh_has_no_bones() {
    let model = crate::support::SmallModel::new().clip("Turn").glb();
    let model = load_bytes(model, &Default::default()).unwrap().model;
    assert_eq!(Stage::new(&model, 0).joints(&model), [0; 0]);
}

#[test]
fn a_single_node_that_moves_is_a_point_inside_the_picture() {
    let mut file = walker(1.0);
    file["nodes"] = json!([{}, {"name": "Locator"}]);
    file["scenes"] = json!([{"nodes": [1]}]);
    for time in ["0", "2"] {
        let [left, top, right, bottom] =
            drawn(&picture(&file, &["--time", time])).expect("a point");
        assert!(left >= 8 && top >= 8 && right <= 312 && bottom <= 232, "{time}");
        assert!(right - left < 16 && bottom - top < 16, "{time}");
    }
}
