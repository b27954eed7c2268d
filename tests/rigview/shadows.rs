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
        let dark: Vec<u32> = (0..400).filter(|x| alpha(*x, y) >= most - 1).collect();
        let (first, last) = (dark[0], dark[dark.len() - 1]);
        assert_eq!(dark.len() as u32, last - first + 1, "row {y} has a hole");
        let left: Vec<u8> = (0..first).rev().map(|x| alpha(x, y)).collect();
        let right: Vec<u8> = (last..400).map(|x| alpha(x, y)).collect();
        for side in [&left, &right] {
            assert!(side.is_sorted_by(|near, far| near >= far), "row {y}: {side:?}");
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
