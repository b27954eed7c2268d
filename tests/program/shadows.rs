//! The shadow of the key light on the ground. The scene is a square of paper, two metres wide, that faces +Z
//! and stands on the ground; the light comes from the front. The ground is seen on a transparent picture.

use std::path::Path;

use image::{Rgba, RgbaImage};
use serde_json::{Value, json};

use crate::support::{Shape, SmallModel, rigview};

/// Behind the square, where the camera does not see it, and above.
const BEHIND: [&str; 4] = ["--orbit", "150,30", "--size", "200x200"];
const ABOVE: [&str; 6] = ["--orbit", "0,90", "--orthographic", "8", "--size", "400x400"];

fn shot(file: &Path, view: &[&str]) -> RgbaImage {
    let out = file.with_extension("png");
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    rigview([&paths[..], view, &["--background", "transparent"]].concat()).done();
    image::open(out).unwrap().into_rgba8()
}

/// Whether a pixel is black with an alpha of at most one half, as a shadow on a transparent picture is.
fn is_shadow(pixel: &Rgba<u8>) -> bool {
    pixel.0[..3] == [0; 3] && (1..=128).contains(&pixel.0[3])
}

/// Returns the sum of the shadow's alpha.
fn darkness(picture: &RgbaImage) -> u64 {
    picture.pixels().filter(|p| is_shadow(p)).map(|p| u64::from(p.0[3])).sum()
}

/// Returns the shadow of the square with a changed document.
fn shadow_of(edit: impl FnOnce(&mut Value)) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("square.gltf");
    SmallModel::new().paper().edit(edit).write_gltf(&file);
    darkness(&shot(&file, &BEHIND))
}

fn shadow_with(material: Value) -> u64 {
    shadow_of(|json| {
        for (key, value) in material.as_object().unwrap() {
            json["materials"][0][key] = value.clone();
        }
    })
}

fn color(alpha: f32) -> Value {
    json!({"metallicFactor": 0, "baseColorFactor": [1, 1, 1, alpha]})
}

#[track_caller]
fn assert_share(shadow: u64, whole: u64, share: f64) {
    let seen = shadow as f64 / whole as f64;
    assert!((seen - share).abs() < 0.05, "{seen} of the shadow, not {share}");
}

#[test]
fn surfaces_cast_as_much_shadow_as_they_cover() {
    let whole = shadow_of(|_| {});
    assert!(whole > 20_000, "{whole}");
    let masked = |alpha| json!({"alphaMode": "MASK", "pbrMetallicRoughness": color(alpha)});
    assert_eq!(shadow_with(masked(0.3)), 0);
    assert_eq!(shadow_with(masked(0.7)), whole);
    for alpha in [0.25, 0.5, 0.8] {
        let blended = json!({"alphaMode": "BLEND", "pbrMetallicRoughness": color(alpha)});
        assert_share(shadow_with(blended), whole, f64::from(alpha));
    }
    for transmission in [0.0, 0.5, 1.0] {
        let glass = json!({"extensions": {
            "KHR_materials_transmission": {"transmissionFactor": transmission}}});
        assert_share(shadow_with(glass), whole, 1.0 - transmission);
    }
}

#[test]
fn a_mask_cuts_the_shadow_where_it_cuts_the_surface() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("square.gltf");
    // Opaque on the left, where X is below 0, and cut on the right.
    let mut picture = Vec::new();
    let texels = [[255, 255, 255, 255], [255, 255, 255, 0]].concat();
    let mut encoder = png::Encoder::new(&mut picture, 2, 1);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().unwrap().write_image_data(&texels).unwrap();
    let drawn = |mode: &str| {
        let material = json!({"alphaMode": mode, "doubleSided": true,
            "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0}});
        std::fs::write(&file, Shape::square().material(material).picture(&picture).gltf()).unwrap();
        shot(&file, &ABOVE)
    };
    let (whole, cut) = (drawn("OPAQUE"), drawn("MASK"));
    assert_share(darkness(&cut), darkness(&whole), 0.5);
    // From above, the halves of the shadow lie side by side as those of the square do.
    for y in 0..200 {
        let row = |picture: &RgbaImage| -> Vec<u32> {
            (0..400).filter(|x| is_shadow(picture.get_pixel(*x, y))).collect()
        };
        let (whole, cut) = (row(&whole), row(&cut));
        if whole.len() > 40 {
            let middle = (whole[0] + whole[whole.len() - 1]) / 2;
            // The texture is repeated, which shows at its last column.
            let last = whole[whole.len() - 1];
            let stays = |x: &u32| *x < middle + 24 || *x > last - 6;
            assert!(cut.iter().all(stays), "row {y}: {cut:?} of {whole:?}");
        }
    }
}

/// As a camera does not see the back of a single-sided surface, the light does not either.
#[test]
fn a_single_sided_surface_casts_a_shadow_only_where_its_front_faces_the_light() {
    let turned = |sides: bool| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("square.gltf");
        let turn = |json: &mut Value| {
            json["nodes"][0]["rotation"] = json!([0, 1, 0, 0]);
            json["materials"][0]["doubleSided"] = json!(sides);
        };
        SmallModel::new().paper().edit(turn).write_gltf(&file);
        darkness(&shot(&file, &ABOVE))
    };
    // The edge of the square itself is black where it covers part of a pixel.
    assert!(turned(false) < 500);
    assert!(turned(true) > 20_000);
    // A mirrored square is wound the other way, but its front is still on the same side.
    let mirrored = shadow_of(|json| json["nodes"][0]["scale"] = json!([-1, 1, 1]));
    assert_share(mirrored, shadow_of(|_| {}), 1.0);
}

#[test]
fn the_shadows_edge_is_smooth_and_softer_far_from_the_surface() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("square.gltf");
    SmallModel::new().paper().write_gltf(&file);
    let picture = shot(&file, &ABOVE);
    let alpha = |x: u32, y: u32| match picture.get_pixel(x, y) {
        pixel if is_shadow(pixel) => pixel.0[3],
        _ => 0,
    };
    let most = picture.pixels().filter(|p| is_shadow(p)).map(|p| p.0[3]).max().unwrap();
    // The square is at row 200, a metre is 50 pixels, and the shadow falls away from the light: upwards.
    let mut edges = Vec::new();
    for y in (130..190).step_by(5) {
        // Noise that hides the steps between bytes raises the most by one and lowers others by one.
        let dark: Vec<u32> = (0..400).filter(|x| alpha(*x, y) >= most - 3).collect();
        let (first, last) = (dark[0], dark[dark.len() - 1]);
        assert_eq!(dark.len() as u32, last - first + 1, "row {y} has a hole");
        let left: Vec<u8> = (0..first).rev().map(|x| alpha(x, y)).collect();
        let right: Vec<u8> = (last..400).map(|x| alpha(x, y)).collect();
        for side in [&left, &right] {
            assert!(side.is_sorted_by(|near, far| *near + 1 >= *far), "row {y}: {side:?}");
        }
        edges.push(left.iter().filter(|alpha| **alpha > 0).count());
    }
    assert!(edges[0] > edges[edges.len() - 1] + 2, "{edges:?}");
}

/// The ground of a large picture is drawn in parts, of which only one looks for shadows.
#[test]
fn a_large_picture_has_the_shadow_of_a_small_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("shadow.png");
    for view in ["150,30", "0,90", "30,15"] {
        let [small, large] = ["300x300", "600x600"].map(|size| {
            let options = ["--orbit", view, "--size", size, "--background", "transparent"];
            let out = ["screenshot", "-o", out.to_str().unwrap()];
            rigview([&out[..], &options].concat()).done();
            image::open(out[2]).unwrap().into_rgba8()
        });
        let halved =
            image::imageops::resize(&large, 300, 300, image::imageops::FilterType::Triangle);
        let mut shadowed = 0;
        for (x, y) in (1..299).flat_map(|x| (1..299).map(move |y| (x, y))) {
            let around = [0, 1, 2, 3, 4, 5, 6, 7, 8]
                .map(|i| small.get_pixel(x + i % 3 - 1, y + i / 3 - 1).0);
            if around.iter().any(|pixel| pixel[..3] != [0; 3]) {
                continue;
            }
            let alphas = around.map(|pixel| i16::from(pixel[3]));
            let (least, most) =
                (alphas.iter().min().unwrap() - 6, alphas.iter().max().unwrap() + 6);
            let alpha = i16::from(halved.get_pixel(x, y).0[3]);
            let place = format!("{view}: {x}, {y}");
            assert!((least..=most).contains(&alpha), "{place}: {alpha}, not {least} to {most}");
            shadowed += u32::from(alpha > 20);
        }
        assert!(shadowed > 500, "{view}: {shadowed} pixels of shadow");
    }
}

/// Five bars, three centimetres wide and two metres high.
fn bars(file: &Path) {
    let bars = SmallModel::new().edit(|json| {
        let bar = |x: f32| json!({"mesh": 0, "translation": [x, 0, 0], "scale": [0.015, 1, 1]});
        json["nodes"] = [-0.8, -0.4, 0.0, 0.4, 0.8].map(bar).into_iter().collect();
        json["scenes"][0]["nodes"] = json!([0, 1, 2, 3, 4]);
    });
    bars.write_gltf(file);
}

/// Returns the mean difference of pixels from the 25 around them, as a share of their mean.
fn roughness(width: usize, values: &[f32]) -> f32 {
    let height = values.len() / width;
    let (mut off, mut sum) = (0.0, 0.0);
    for (x, y) in (2..height - 2).flat_map(|y| (2..width - 2).map(move |x| (x, y))) {
        let rows = y - 2..=y + 2;
        let around: f32 =
            rows.map(|y| values[y * width + x - 2..=y * width + x + 2].iter().sum::<f32>()).sum();
        off += (values[y * width + x] - around / 25.0).abs();
        sum += values[y * width + x];
    }
    off / sum
}

#[test]
fn narrow_bars_cast_shadows_without_strokes_and_holes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bars.gltf");
    bars(&file);
    let view = ["--orbit", "0,90", "--orthographic", "6", "--size", "384x384"];
    for words in [&[][..], &["--ambient-occlusion", "off"]] {
        let picture = shot(&file, &[&view[..], words].concat());
        let alpha = |x: u32, y: u32| f32::from(picture.get_pixel(x, y).0[3]);
        let all: Vec<f32> = (110..185)
            .flat_map(|y| (40..350).map(move |x| (x, y)))
            .map(|(x, y)| alpha(x, y))
            .collect();
        let rough = roughness(310, &all);
        assert!(rough < 0.25, "{words:?}: {rough}");
        // Each bar darkens the ground next to it.
        let row: Vec<f32> = (100..290).map(|x| alpha(x, 184)).collect();
        let peaks = row.windows(9).filter(|w| w[4] > 20.0 && w.iter().all(|a| *a <= w[4])).count();
        assert!(peaks >= 5, "{words:?}: {row:?}");
    }
}

/// The shadow ends where the upper edge of the square throws it; what is behind the map's far plane casts none.
#[test]
fn a_shadow_has_no_end_farther_than_the_light_throws_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("square.gltf");
    SmallModel::new().paper().write_gltf(&file);
    let view = ["--orbit", "0,90", "--orthographic", "8", "--size", "256x256"];
    let picture = shot(&file, &view);
    // 32 pixels per metre: the square is at row 128, and the light throws its shadow 1.6 m, to row 77.
    let first = picture.enumerate_pixels().filter(|(_, _, p)| p.0[3] > 4).map(|(_, y, _)| y).min();
    assert!(first.is_some_and(|y| (66..78).contains(&y)), "{first:?}");
}

/// Of a picture with more than 2,048 pixels on one side, what is drawn for its light is smaller than the picture.
#[test]
fn a_very_large_picture_has_the_shadow_of_a_small_one_on_surfaces() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("floor.gltf"), folder.path().join("floor.png"));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let floor = SmallModel::new().paper().edit(|json| {
        let bar = |x: f32| json!({"mesh": 0, "translation": [x, 0, 0], "scale": [0.03, 1, 1]});
        let floor = json!({"mesh": 0, "translation": [0, -1, -0.5], "scale": [2, 2, 1],
            "rotation": [-half, 0, 0, half]});
        json["nodes"] = json!([bar(-0.6), bar(-0.3), bar(0.0), bar(0.3), floor]);
        json["scenes"][0]["nodes"] = json!([0, 1, 2, 3, 4]);
    });
    floor.write_gltf(&file);
    let shown = |size: &str| {
        let view =
            ["--orbit", "0,90", "--target", "0.2,0,-0.6", "--orthographic", "0.2", "--size", size];
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        rigview([&paths[..], &view].concat()).done();
        image::open(&out).unwrap().into_rgb8()
    };
    let (small, large) = (shown("1050x60"), shown("2100x120"));
    let halved = image::imageops::resize(&large, 1050, 60, image::imageops::FilterType::Triangle);
    let off = small.iter().zip(halved.iter()).map(|(a, b)| u32::from(a.abs_diff(*b)));
    let (most, all) = off.fold((0, 0), |(most, all), off| (most.max(off), all + off));
    let mean = f64::from(all) / (3.0 * 1050.0 * 60.0);
    assert!(most <= 6 && mean < 1.0, "{most} at most, {mean} on average");
    let greens = || small.pixels().map(|p| p.0[1]);
    assert!(greens().max().unwrap() - greens().min().unwrap() > 20);
}

/// Returns the square upright on a floor of this half width in metres.
fn on_floor(half_width: f32) -> SmallModel {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    SmallModel::new().paper().edit(|json| {
        let floor = json!({"mesh": 0, "translation": [0, -1, 0],
            "scale": [half_width, half_width, 1], "rotation": [-half, 0, 0, half]});
        json["nodes"] = json!([json["nodes"][0], floor]);
        json["scenes"][0]["nodes"] = json!([0, 1]);
    })
}

/// The model's own floor lies where the ground does. A pixel's samples differ in depth most where the floor is flat.
#[test]
fn the_ground_does_not_show_through_the_models_own_floor() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("floor.gltf"), folder.path().join("floor.png"));
    on_floor(5.0).write_gltf(&file);
    let shown = |samples: &str| {
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let words = ["--size", "400x250", "--orbit", "30,12", "--samples", samples];
        rigview([&paths[..], &words].concat()).done();
        image::open(&out).unwrap().into_rgb8()
    };
    let (one, four) = (shown("1"), shown("4"));
    // Edges of the surfaces differ.
    let off = one.pixels().zip(four.pixels()).filter(|(a, b)| a.0[1].abs_diff(b.0[1]) > 8).count();
    assert!(off < 1000, "{off} of 100000 pixels");
}

/// The texels of the shadow map are for what stands on a floor, however wide that is.
#[test]
fn a_wide_floor_has_the_shadow_of_a_narrow_one() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("floor.gltf"), folder.path().join("floor.png"));
    for pass in ["shaded", "ambient-occlusion"] {
        let shown = |half_width: f32| {
            on_floor(half_width).write_gltf(&file);
            let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
            let view = ["--eye", "2,4,5", "--target", "0,-1,-1", "--fov-y", "30", "--pass", pass];
            rigview([&paths[..], &view, &["--size", "300x200"]].concat()).done();
            image::open(&out).unwrap().into_rgb8()
        };
        let (narrow, wide) = (shown(20.0), shown(300.0));
        let greens = || narrow.pixels().map(|p| p.0[1]);
        assert!(greens().max().unwrap() - greens().min().unwrap() > 25);
        let off = || narrow.pixels().zip(wide.pixels()).map(|(a, b)| a.0[1].abs_diff(b.0[1]));
        let (far, all) = (off().filter(|off| *off > 12).count(), off().map(u32::from).sum::<u32>());
        let mean = f64::from(all) / 60_000.0;
        assert!(far < 150 && mean < 1.0, "{pass}: {far} pixels differ, by {mean} on average");
    }
}

/// Seen up to the horizon, the surfaces of a wide floor are a hundred times as far from the square as it is large.
#[test]
fn a_wide_floor_is_open_and_lit_up_to_the_horizon() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("floor.gltf"), folder.path().join("floor.png"));
    on_floor(300.0).write_gltf(&file);
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let view = ["--eye", "0,0.5,6", "--target", "0,0,0", "--size", "300x200"];
    rigview([&paths[..], &view, &["--pass", "ambient-occlusion"]].concat()).done();
    let picture = image::open(&out).unwrap().into_rgb8();
    let covered = picture.enumerate_pixels().filter(|(_, _, p)| p.0[1] > 0);
    let beside: Vec<_> = covered.filter(|(x, _, _)| !(70..230).contains(x)).collect();
    let open = beside.iter().filter(|(_, _, p)| p.0[1] >= 240).count();
    assert!(beside.len() > 12_000 && open + 200 > beside.len(), "{open} of {}", beside.len());
}
