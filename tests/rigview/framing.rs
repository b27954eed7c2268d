//! The camera that frames a model: what is drawn is in the middle of the picture.

use std::path::{Path, PathBuf};

use serde_json::json;

use rigview::import::load;
use rigview::model::{DrawnVertices, Stage};

use crate::support::{Shape, SmallModel, accessor, floats, rigview, screenshots, shared};

const SIZE: [f64; 2] = [320.0, 240.0];

/// Returns how far the middle of the covered pixels' box is from the picture's middle, as shares of its width and
/// height, and the box's size, as shares too.
fn middle(file: &Path, out: &Path, args: &[&str]) -> Option<([f64; 2], [f64; 2])> {
    rigview([&["screenshot"], &mask(file, out)[..], args].concat()).done();
    drawn(out)
}

/// The arguments of a mask.
fn mask<'a>(file: &'a Path, out: &'a Path) -> [&'a str; 7] {
    let [file, out] = [file, out].map(|path| path.to_str().unwrap());
    [file, "--size", "320x240", "--pass", "mask", "-o", out]
}

/// The same of a mask that was drawn.
fn drawn(mask: &Path) -> Option<([f64; 2], [f64; 2])> {
    let picture = image::open(mask).unwrap().into_luma8();
    let covered = picture.enumerate_pixels().filter(|(_, _, p)| p.0[0] > 127);
    let [mut low, mut high] = [[f64::MAX; 2], [f64::MIN; 2]];
    for (x, y, _) in covered {
        for (axis, at) in [x, y].into_iter().map(f64::from).enumerate() {
            (low[axis], high[axis]) = (low[axis].min(at), high[axis].max(at + 1.0));
        }
    }
    let share = |of: fn(f64, f64, f64) -> f64| [0, 1].map(|i| of(low[i], high[i], SIZE[i]));
    let off = share(|low, high, size| (0.5 * (low + high) / size - 0.5).abs());
    (low[0] < high[0]).then(|| (off, share(|low, high, size| (high - low) / size)))
}

/// The default camera looks from the right and above, so that nearer parts of these models are larger in the picture.
#[test]
fn what_is_drawn_is_in_the_middle_of_the_picture() {
    let Some(shared) = shared("what_is_drawn_is_in_the_middle_of_the_picture") else { return };
    let names = [
        "fox",
        "cesium_man",
        "BoxAnimated",
        "BrainStem",
        "RiggedSimple",
        "SciFiHelmet",
        "CarConcept",
        "AntiqueCamera",
        "ToyCar",
        "Duck",
        "Avocado",
        "Lantern",
        "DragonAttenuation",
        "Sponza",
        "Corset",
    ];
    let is_meant = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        names.iter().any(|name| stem == name.to_lowercase())
    };
    let all = crate::support::models_below(&shared.join("models"));
    let models: Vec<PathBuf> = all.into_iter().filter(is_meant).collect();
    assert!(models.len() >= 6, "{models:?}");
    let folder = tempfile::tempdir().unwrap();
    let outs: Vec<PathBuf> =
        (0..models.len()).map(|i| folder.path().join(format!("{i}.png"))).collect();
    let pictures = models.iter().zip(&outs);
    let pictures = pictures.map(|(model, out)| [&mask(model, out)[..], &["--rest"]].concat());
    screenshots(&pictures.collect::<Vec<_>>()).done();
    for (out, model) in outs.iter().zip(&models) {
        let (off, size) = drawn(out).unwrap();
        let (off, size) = (off[0].max(off[1]), size[0].max(size[1]));
        assert!(off <= 0.02, "{}: {off:.3} off the middle", model.display());
        // Of the margin, at most a share is lost to the points between those that are measured.
        assert!((0.86..0.95).contains(&size), "{}: {size:.3} of the picture", model.display());
    }
}

/// A square in the middle, and one far to the right whose alpha is 0.
#[test]
fn surfaces_that_draw_nothing_are_not_framed() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["model.gltf", "mask.png"].map(|name| folder.path().join(name));
    let model = |alpha: f32, mode: &str| {
        SmallModel::new().edit(|json| {
            let mut unseen = json["meshes"][0].clone();
            unseen["primitives"][0]["material"] = json!(0);
            json["meshes"] = json!([json["meshes"][0], unseen]);
            json["materials"] = json!([{"alphaMode": mode,
                "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, alpha]}}]);
            json["nodes"] = json!([json["nodes"][0], {"mesh": 1, "translation": [30, 0, 0]}]);
            json["scenes"] = json!([{"nodes": [0, 1]}]);
        })
    };
    let width = |alpha: f32, mode: &str| {
        model(alpha, mode).write_gltf(&file);
        // The mask shows wholly transparent surfaces too, but the second square is outside of the picture.
        let (off, size) = middle(&file, &out, &["--orbit", "0,0"]).unwrap();
        assert!(off[0].max(off[1]) <= 0.02, "{alpha} {mode}: {off:?}");
        size[0]
    };
    let square = 0.9 * SIZE[1] / SIZE[0];
    for (alpha, mode) in [(0.0, "BLEND"), (0.4, "MASK")] {
        let seen = width(alpha, mode);
        assert!((seen - square).abs() < 0.02, "{alpha} {mode}: {seen:.3}, not {square:.3}");
    }
    for (alpha, mode) in [(0.1, "BLEND"), (0.6, "MASK"), (0.0, "OPAQUE")] {
        let seen = width(alpha, mode);
        assert!((seen - 0.9).abs() < 0.03, "{alpha} {mode}: {seen:.3}");
    }
}

/// A square that turns about its corner: over the whole clip it needs more room than in one pose.
#[test]
fn a_pose_can_be_framed_instead_of_the_clip() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["model.gltf", "mask.png"].map(|name| folder.path().join(name));
    let model = SmallModel::new().clip("Turn").edit(|json| {
        json["nodes"] =
            json!([{"name": "pivot", "children": [1]}, {"mesh": 0, "translation": [3, 0, 0]}]);
    });
    model.write_gltf(&file);
    let shown = |args: &[&str]| middle(&file, &out, &[&["--orbit", "0,0"], args].concat()).unwrap();
    let (off, whole) = shown(&["--time", "2"]);
    assert!(off[0] > 0.1 && whole[1] < 0.5, "{off:?} {whole:?}");
    for time in ["0", "0.7", "2"] {
        let (off, size) = shown(&["--frame-pose", "--time", time]);
        assert!(off[0].max(off[1]) <= 0.01, "{time}: {off:?}");
        assert!(size[1] > 0.85, "{time}: {size:?}");
    }
    let words = ["--frame-pose", "--orbit", "0,0,0.5", "--time", "2"];
    let (off, size) = middle(&file, &out, &words).unwrap();
    assert!(off[0].max(off[1]) <= 0.01 && (size[1] - 0.45).abs() < 0.03, "{off:?} {size:?}");
    // Each picture of a sheet frames its own pose.
    let sheet = folder.path().join("sheet.png");
    let words = ["sheet", file.to_str().unwrap(), "-o", sheet.to_str().unwrap(), "--per-clip", "3"];
    let look =
        ["--size", "60x60", "--pass", "mask", "--frame-pose", "--orbit", "0,0", "--no-labels"];
    rigview([&words[..], &look].concat()).done();
    let cells = image::open(&sheet).unwrap().into_luma8();
    for cell in 0..3 {
        let inside = (0..60).flat_map(|y| (0..60).map(move |x| (60 * cell + x, y)));
        let white = inside.filter(|(x, y)| cells.get_pixel(*x, *y).0[0] > 127).count();
        assert!(white > 1400, "cell {cell}: {white}");
    }
}

#[test]
fn only_a_camera_that_frames_can_frame_the_pose() {
    for other in [["--eye", "0,0,5", "--target", "0,0,0"], ["--camera", "0", "--rest", "-q"]] {
        let words = ["screenshot", "-o", "unused.png", "--frame-pose"];
        let run = rigview([&words[..], &other].concat()).failed(2);
        assert!(run.stderr.contains("--frame-pose"), "{}", run.stderr);
    }
}

/// A target that moves only a vertex in the middle, which is not among the outermost ones at rest.
#[test]
fn what_a_morph_target_moves_is_in_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["model.gltf", "mask.png"].map(|name| folder.path().join(name));
    let mut positions = Vec::new();
    let mut indices: Vec<u16> = Vec::new();
    for i in 0..64u16 {
        let (sin, cos) = (std::f32::consts::TAU * f32::from(i) / 64.0).sin_cos();
        positions.push([cos, sin, 0.0f32]);
        indices.extend([64, i, (i + 1) % 64]);
    }
    // The last one, since the first of those that reach equally far across the disk is an outermost one.
    positions.push([0.0; 3]);
    let mut deltas = vec![[0.0f32; 3]; positions.len()];
    deltas[64] = [0.0, 4.0, 0.0];
    let mut document = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "weights": [1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 2, "material": 0,
            "targets": [{"POSITION": 1}]}]}],
        "materials": [{"doubleSided": true}],
    });
    floats(&mut document, "VEC3", positions.as_flattened());
    floats(&mut document, "VEC3", deltas.as_flattened());
    let bytes = bytemuck::cast_slice(&indices);
    accessor(&mut document, 5123, "SCALAR", indices.len(), bytes);
    std::fs::write(&file, document.to_string()).unwrap();
    let (off, size) = middle(&file, &out, &["--orbit", "0,0"]).unwrap();
    assert!(size[1] < 0.95 && off[0].max(off[1]) < 0.02, "{size:?}, {off:?} off the middle");
}

/// Returns how near what is drawn over a white background comes to the picture's edges, as a share of its size: the
/// least distance, and the distances in both directions together.
fn room(file: &Path, out: &Path, args: &[&str]) -> (f64, f64) {
    let fixed = ["--pass", "albedo", "--background", "#ffffff", "--no-legend", "--size", "320x240"];
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    rigview([&paths[..], &fixed, args].concat()).done();
    let picture = image::open(out).unwrap().into_rgb8();
    let drawn = picture.enumerate_pixels().filter(|(_, _, p)| p.0.iter().any(|byte| *byte < 200));
    let (mut low, mut high) = ([1.0f64; 2], [0.0f64; 2]);
    for (x, y, _) in drawn {
        for (axis, at) in [x, y].into_iter().map(f64::from).enumerate() {
            low[axis] = low[axis].min(at / SIZE[axis]);
            high[axis] = high[axis].max((at + 1.0) / SIZE[axis]);
        }
    }
    let sides = [low[0], low[1], 1.0 - high[0], 1.0 - high[1]];
    let least = sides.into_iter().fold(1.0, f64::min);
    (least, (low[0] + 1.0 - high[0]).min(low[1] + 1.0 - high[1]))
}

/// Joints far outside of the mesh, and the corners of a ball's box.
#[test]
fn what_overlays_draw_is_in_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let [far, ball, out] =
        ["far.gltf", "ball.gltf", "out.png"].map(|name| folder.path().join(name));
    let model = SmallModel::new().edit(|json| {
        json["nodes"] = json!([json["nodes"][0], {"name": "a", "translation": [5, 0, 0]},
            {"name": "b", "translation": [-2, 7, 1]}]);
        json["skins"] = json!([{"joints": [1, 2]}]);
        json["scenes"] = json!([{"nodes": [0, 1, 2]}]);
    });
    model.write_gltf(&far);
    std::fs::write(&ball, Shape::ball().gltf()).unwrap();
    for (file, overlay) in [(&far, "--skeleton"), (&far, "--joint-names"), (&ball, "--bounds")] {
        for view in [&["--orbit", "0,0"][..], &["--orbit", "40,30"], &["--frame-pose", "--rest"]] {
            let (least, all) = room(file, &out, &[view, &[overlay]].concat());
            assert!(least > 0.005, "{overlay} {view:?}: {least:.3} from the edge");
            assert!(all < 0.2, "{overlay} {view:?}: {all:.3} of the picture left free");
        }
    }
    // Overlays that are not drawn leave the model as large as before.
    let (off, size) = middle(&far, &out, &["--orbit", "0,0"]).unwrap();
    assert!(off[0].max(off[1]) <= 0.02 && size[1] > 0.85, "{off:?} {size:?}");
}

/// A wide square of which a texture shows only a small part, beside a small opaque one.
#[test]
fn what_a_texture_cuts_away_is_not_framed() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["model.gltf", "out.png"].map(|name| folder.path().join(name));
    // Opaque in the middle eighth of both sides.
    let mut texture = Vec::new();
    let texels = (0..64 * 64u32).flat_map(|i| {
        let inside = [i % 64, i / 64].iter().all(|at| (28..36).contains(at));
        [255, 128, 0, if inside { 255 } else { 0 }]
    });
    let mut encoder = png::Encoder::new(&mut texture, 64, 64);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&texels.collect::<Vec<u8>>()).unwrap();
    drop(writer);
    let part = |mode: &str, args: &[&str]| {
        let material = json!({"alphaMode": mode,
            "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
        std::fs::write(&file, Shape::square().material(material).picture(&texture).gltf()).unwrap();
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let plain = ["--environment", "uniform:1", "--background", "transparent"];
        let view = ["--orbit", "0,0", "--size", "320x240"];
        rigview([&paths[..], &plain, &view, args].concat()).done();
        let picture = image::open(&out).unwrap().into_rgba8();
        let rows = picture.enumerate_pixels().filter(|(.., p)| p.0[3] > 127).map(|(_, y, _)| y);
        (f64::from(rows.clone().max().unwrap() - rows.min().unwrap()) + 1.0) / SIZE[1]
    };
    for mode in ["MASK", "BLEND"] {
        for args in [&[][..], &["--frame-pose"]] {
            let seen = part(mode, args);
            assert!((0.8..0.95).contains(&seen), "{mode} {args:?}: {seen}");
        }
        // A box in the picture is framed too.
        let seen = part(mode, &["--bounds", "--no-legend", "--pass", "alpha"]);
        assert!((0.8..0.95).contains(&seen), "{mode}: {seen}");
    }
    let seen = part("OPAQUE", &[]);
    assert!((0.8..0.95).contains(&seen), "{seen}");
}

/// Ghosts and the boxes of a square that turns about a far point: outside of the pose, but in the picture.
#[test]
fn what_is_drawn_beside_a_framed_pose_is_in_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["model.gltf", "out.png"].map(|name| folder.path().join(name));
    let model = SmallModel::new().clip("Turn").edit(|json| {
        json["nodes"] =
            json!([{"name": "pivot", "children": [1]}, {"mesh": 0, "translation": [3, 0, 0]}]);
    });
    model.write_gltf(&file);
    let pose = ["--frame-pose", "--time", "1", "--orbit", "0,0"];
    for beside in [&["--onion-skin", "2,0.4"][..], &["--bounds"]] {
        let (least, all) = room(&file, &out, &[&pose, beside].concat());
        assert!(least > 0.005, "{beside:?}: {least:.3} from the edge");
        // Far ghosts are faint.
        assert!(all < 0.35, "{beside:?}: {all:.3} of the picture left free");
    }
}

/// Writes a square of two metres whose node goes through these places.
fn moved_square(file: &Path, times: &[f32], places: &[[f32; 3]]) {
    let mut json: serde_json::Value = serde_json::from_slice(&Shape::square().gltf()).unwrap();
    let input = floats(&mut json, "SCALAR", times);
    let output = floats(&mut json, "VEC3", places.as_flattened());
    json["animations"] = json!([{
        "samplers": [{"input": input, "output": output}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
    }]);
    std::fs::write(file, json.to_string()).unwrap();
}

/// A minute of keys at 30 per second, and a leap of ten metres that takes a fifth of a second.
#[test]
fn a_short_leap_in_a_long_clip_is_in_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["leap.gltf", "mask.png"].map(|name| folder.path().join(name));
    let times: Vec<f32> = (0..=1800).map(|frame| frame as f32 / 30.0).collect();
    let height = |frame| if (904..909).contains(&frame) { 10.0 } else { 0.0 };
    let places: Vec<[f32; 3]> = (0..=1800).map(|frame| [0.0, height(frame), 0.0]).collect();
    moved_square(&file, &times, &places);
    let (off, size) = middle(&file, &out, &["--time", "30.2", "--orbit", "0,0"]).unwrap();
    // Two of twelve metres, at the upper end of a picture with a margin.
    assert!((size[1] - 0.9 / 6.0).abs() < 0.01, "{size:?}");
    assert!((off[1] - (0.45 - 0.075)).abs() < 0.01 && off[0] < 0.01, "{off:?}");
    let eye = ["--time", "30.2", "--eye", "0,15,20", "--target", "0,5,0"];
    assert!(middle(&file, &out, &eye).is_some(), "the near and far planes hold it too");
    let model = load(&file, &Default::default()).unwrap().model;
    let mut stage = Stage::new(&model, 0);
    let drawn = DrawnVertices::new(&model, &stage);
    let over = drawn.box_over(&model, &mut stage, model.clips.first(), None);
    assert_eq!((over.min.y, over.max.y, over.max.x), (-1.0, 11.0, 1.0));
}

/// A walk of twenty metres, in place.
#[test]
fn a_clip_in_place_is_framed_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["walk.gltf", "mask.png"].map(|name| folder.path().join(name));
    moved_square(&file, &[0.0, 2.0], &[[0.0; 3], [20.0, 0.0, 0.0]]);
    let front = ["--time", "1", "--orbit", "0,0"];
    let (_, travels) = middle(&file, &out, &front).unwrap();
    assert!(travels[1] < 0.2, "{travels:?}");
    let held = [&front[..], &["--in-place", "--bounds", "--no-legend"]].concat();
    let (off, size) = middle(&file, &out, &held).unwrap();
    assert!((size[1] - 0.9).abs() < 0.02 && off[0].max(off[1]) < 0.01, "{off:?} {size:?}");
}

/// A camera that is half as wide as the square, before its middle and beside it.
#[test]
fn a_camera_of_two_nodes_is_named_by_either_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["model.gltf", "mask.png"].map(|name| folder.path().join(name));
    let model = SmallModel::new().edit(|json| {
        let lens = json!({"xmag": 0.5, "ymag": 0.5, "znear": 0.1, "zfar": 10.0});
        json["cameras"] = json!([{"name": "lens", "type": "orthographic", "orthographic": lens}]);
        json["scenes"][0]["nodes"] = json!([0, 1, 2, 3]);
        // A node's name does not hide an index.
        for (name, x) in [("before", 0.0), ("beside", 1.0), ("0", 1.0)] {
            let node = json!({"name": name, "camera": 0, "translation": [x, 0.0, 1.0]});
            json["nodes"].as_array_mut().unwrap().push(node);
        }
    });
    model.write_gltf(&file);
    let white = |camera: &str| {
        let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
        let words = ["screenshot", file, "-o", out, "--pass", "mask", "--size", "40x40"];
        rigview([&words[..], &["--camera", camera]].concat()).done();
        let picture = image::open(out).unwrap().into_luma8();
        picture.pixels().filter(|pixel| pixel.0[0] > 127).count()
    };
    for all in ["lens", "before", "0"] {
        assert_eq!(white(all), 40 * 40, "{all}");
    }
    assert_eq!(white("beside"), 20 * 40);
    let file = file.to_str().unwrap();
    let none = rigview(["screenshot", file, "-o", "unused.png", "--camera", "square"]).failed(2);
    assert!(
        none.stderr.contains(
            "no camera \"square\"; the file has: 0 \"lens\", 0 \"before\", 0 \"beside\", 0 \"0\""
        ),
        "{}",
        none.stderr
    );
}
