//! Presets of the look, and what the default look adds to a picture: a vignette, bloom, and smoother edges on request.

use std::path::Path;

use image::{RgbImage, RgbaImage};
use serde_json::json;

use crate::support::{SmallModel, rigview};

/// Draws the built-in rig, at 160x120.
fn creature(folder: &Path, words: &[&str]) -> RgbaImage {
    let out = folder.join("out.png");
    let fixed = ["screenshot", "-o", out.to_str().unwrap(), "--rest", "--size", "160x120"];
    rigview([&fixed[..], words].concat()).done();
    image::open(out).unwrap().into_rgba8()
}

fn rgb(picture: &RgbaImage, x: u32, y: u32) -> [u8; 3] {
    let [r, g, b, _] = picture.get_pixel(x, y).0;
    [r, g, b]
}

fn brightness(picture: &RgbaImage) -> f64 {
    let all: u64 =
        picture.pixels().map(|p| p.0[..3].iter().map(|c| u64::from(*c)).sum::<u64>()).sum();
    all as f64 / f64::from(3 * picture.width() * picture.height())
}

#[test]
fn the_default_picture_darkens_a_little_towards_its_corners() {
    let folder = tempfile::tempdir().unwrap();
    // From below there is no floor, so the background is seen as it is.
    let shown = |words: &[&str]| creature(folder.path(), &[&["--orbit", "30,-40"], words].concat());
    let picture = shown(&[]);
    let (corner, side) = (rgb(&picture, 0, 0), rgb(&picture, 50, 2));
    assert!(side[0].abs_diff(0x2b) <= 1, "{side:?}");
    assert!((1..8).contains(&(i32::from(side[2]) - i32::from(corner[2]))), "{corner:?} {side:?}");
    for (x, y) in [(159, 0), (0, 119), (159, 119)] {
        let other = rgb(&picture, x, y);
        assert!(other.iter().zip(corner).all(|(a, b)| a.abs_diff(b) <= 1), "{other:?} {corner:?}");
    }
    // A background that was chosen is exact.
    let chosen = shown(&["--background", "#2b2f36"]);
    for (x, y) in [(0, 0), (159, 119), (50, 2)] {
        assert_eq!(chosen.get_pixel(x, y).0, [0x2b, 0x2f, 0x36, 0xff]);
    }
    assert_eq!(shown(&["--background", "transparent"]).get_pixel(0, 0).0[3], 0);
    assert_eq!(rgb(&shown(&["--environment", "studio"]), 0, 0), [0x2b, 0x2f, 0x36]);
}

#[test]
fn each_look_is_a_light_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["studio", "soft", "contrast", "daylight", "night", "clay", "blueprint"];
    let pictures = names.map(|name| creature(folder.path(), &["--look", name]));
    for (i, a) in pictures.iter().enumerate() {
        for (j, b) in pictures.iter().enumerate().skip(i + 1) {
            let differ = a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
            assert!(differ > 2000, "{} and {}: {differ}", names[i], names[j]);
        }
    }
    assert_eq!(creature(folder.path(), &[]), pictures[0]);
    let [_, soft, contrast, daylight, night, clay, blueprint] = &pictures;
    let order = [night, contrast, soft, daylight].map(brightness);
    assert!(order.is_sorted(), "{order:?}");
    let [r, g, b] = rgb(blueprint, 0, 0);
    assert!(b > 2 * r && b > g, "{r} {g} {b}");
    // The middle of the clay figure is nearly grey.
    let [r, _, b] = rgb(clay, 80, 70);
    assert!(r.abs_diff(b) < 24, "{r} {b}");
}

#[test]
fn what_is_given_beside_a_look_replaces_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |words: &[&str]| creature(folder.path(), words);
    let night = shown(&["--look", "night", "--background", "#405060"]);
    assert_eq!(rgb(&night, 0, 0), [0x40, 0x50, 0x60]);
    let [shaded, clay] = ["shaded", "clay"].map(|pass| shown(&["--look", "clay", "--pass", pass]));
    assert!(shaded != clay && clay == shown(&["--look", "clay"]));
    let soft = brightness(&shown(&["--look", "soft"]));
    assert!(brightness(&shown(&["--look", "soft", "--exposure", "-2"])) < soft);
    let mapped = shown(&["--look", "contrast", "--tone-map", "agx"]);
    assert_ne!(mapped, shown(&["--look", "contrast"]));
    let wrong: [&[&str]; 3] = [
        &["--look", "dusk"],
        &["--look=soft", "--lights=none"],
        &["--look=soft", "--light=0,0,-1"],
    ];
    for words in wrong {
        let run = rigview([&["screenshot", "-o", "unused.png"], words].concat()).failed(2);
        assert!(run.stderr.contains("--look"), "{}", run.stderr);
    }
}

/// Draws a black square of two metres that emits white light, in a view of eight metres and 160 pixels, on black.
fn lamp(folder: &Path, strength: f32, words: &[&str]) -> RgbaImage {
    coloured_lamp(folder, [1.0; 3], strength, words)
}

/// Like [`lamp`], of this colour.
fn coloured_lamp(folder: &Path, color: [f32; 3], strength: f32, words: &[&str]) -> RgbaImage {
    let (file, out) = (folder.join("lamp.gltf"), folder.join("lamp.png"));
    let black = json!({"baseColorFactor": [0, 0, 0, 1], "metallicFactor": 0, "roughnessFactor": 1});
    let lamp = SmallModel::new().edit(|json| {
        json["extensionsUsed"] = json!(["KHR_materials_emissive_strength"]);
        json["meshes"][0]["primitives"][0]["material"] = json!(0);
        let extensions = json!({"KHR_materials_emissive_strength": {"emissiveStrength": strength}});
        json["materials"] = json!([
            {"emissiveFactor": color, "pbrMetallicRoughness": black, "extensions": extensions},
        ]);
    });
    lamp.write_gltf(&file);
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let view = ["--orbit", "0,0", "--orthographic", "8", "--size", "160x160"];
    let background = ["--background", "#000000"];
    let background = if words.contains(&"--background") { &[][..] } else { &background[..] };
    rigview([&paths[..], &view, background, words].concat()).done();
    image::open(out).unwrap().into_rgba8()
}

#[test]
fn a_lamp_above_white_shines_around_itself() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |strength: f32, words: &[&str]| lamp(folder.path(), strength, words);
    // The square's left edge is at 60.
    let row = |picture: &RgbaImage| (0..60).map(|x| rgb(picture, x, 80)[1]).collect::<Vec<_>>();
    let (white, lamp, strong) = (shown(1.0, &[]), shown(8.0, &[]), shown(16.0, &[]));
    assert!(row(&white).iter().all(|g| *g == 0), "{:?}", row(&white));
    let glow = row(&lamp);
    assert!(glow.is_sorted() && glow[58] > 40 && glow[30] < glow[58] / 2, "{glow:?}");
    assert!(row(&strong)[56] > glow[56]);
    assert!(rgb(&lamp, 80, 80)[1] > 240);
    let none: [&[&str]; 4] = [
        &["--tone-map", "none"],
        &["--environment", "uniform:0"],
        &["--lights", "none"],
        &["--pass", "emissive"],
    ];
    for words in none {
        let dark = shown(8.0, words);
        assert!(row(&dark).iter().all(|g| *g == 0), "{words:?}: {:?}", row(&dark));
    }
    // Of a transparent picture its light is alpha, which adds light on any background: no colour but that of the lamp.
    let clear = shown(8.0, &["--background", "transparent"]);
    for x in 0..60 {
        let [r, g, b, a] = clear.get_pixel(x, 80).0;
        assert!(a < 3 || [r, g, b] == [255; 3], "{x}: {:?}", clear.get_pixel(x, 80));
        assert!(a.abs_diff(glow[x as usize]) <= 2, "{x}: {a} and {}", glow[x as usize]);
    }
    assert!((20..240).contains(&clear.get_pixel(57, 80).0[3]), "{:?}", clear.get_pixel(57, 80));
    let white = shown(8.0, &["--background", "#ffffff"]);
    assert!(row(&white).iter().all(|g| *g == 255), "{:?}", row(&white));
}

/// Even of a lamp that is hundreds of times brighter than white.
#[test]
fn light_around_a_lamp_has_its_hue() {
    let folder = tempfile::tempdir().unwrap();
    for strength in [4.0, 50.0, 1000.0] {
        let picture = coloured_lamp(folder.path(), [1.0, 0.3, 0.05], strength, &[]);
        // Of light of 0.3, sRGB is 0.58.
        for x in [40, 48, 52] {
            let [r, g, b] = rgb(&picture, x, 80).map(u32::from);
            assert!(g <= 8 * r / 10 && b <= g, "{strength} at {x}: {:?}", [r, g, b]);
        }
    }
}

/// Noise of one step hides the steps between bytes, but not in data.
#[test]
fn the_background_has_no_bands() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |words: &[&str]| {
        let out = folder.path().join("out.png");
        let fixed = ["screenshot", "-o", out.to_str().unwrap(), "--rest", "--size", "480x360"];
        rigview([&fixed[..], words].concat()).done();
        image::open(out).unwrap().into_rgba8()
    };
    // The length of the run of equal pixels that the median pixel of the uppermost and lowest rows lies in.
    let median_run = |picture: &RgbaImage| {
        let mut runs = Vec::new();
        for y in (0..40).chain(330..360) {
            let row: Vec<_> = (0..480).map(|x| rgb(picture, x, y)).collect();
            for run in row.chunk_by(|a, b| a == b) {
                runs.extend(std::iter::repeat_n(run.len(), run.len()));
            }
        }
        runs.sort_unstable();
        runs[runs.len() / 2]
    };
    for look in ["studio", "night"] {
        let picture = shown(&["--look", look]);
        assert!(median_run(&picture) <= 6, "{look}: {}", median_run(&picture));
        assert_eq!(picture, shown(&["--look", look]));
    }
    // A chosen background and data are exact: the creature stands in front of fewer than half of the pixels.
    let below = ["--orbit", "30,-40"];
    for (background, bytes) in [("#2b2f36", [0x2b, 0x2f, 0x36, 255]), ("transparent", [0; 4])] {
        let chosen = shown(&[&["--background", background], &below[..]].concat());
        let exact = chosen.pixels().filter(|p| p.0 == bytes).count();
        assert!(exact > 100_000, "{background}: {exact}");
        assert!(median_run(&chosen) > 200, "{background}: {}", median_run(&chosen));
    }
    assert!(median_run(&shown(&["--pass", "albedo"])) > 200);
}

#[test]
fn sixteen_samples_make_finer_edges_and_leave_flat_areas_alone() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |samples: &str| {
        let (file, out) = (folder.path().join("square.gltf"), folder.path().join("square.png"));
        let half = (0.5 * 4f32.to_radians()).sin_cos();
        let tilted = SmallModel::new().edit(|json| {
            json["nodes"][0]["rotation"] = json!([0, 0, half.0, half.1]);
            json["extensionsUsed"] = json!(["KHR_materials_unlit"]);
            json["meshes"][0]["primitives"][0]["material"] = json!(0);
            json["materials"] = json!([{"extensions": {"KHR_materials_unlit": {}}}]);
        });
        tilted.write_gltf(&file);
        let view = ["--orbit", "0,0", "--orthographic", "4", "--size", "200x200"];
        let light = ["--environment", "uniform:1", "--background", "#102030", "--tone-map", "none"];
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        rigview([&paths[..], &view, &light, &["--samples", samples]].concat()).done();
        image::open(out).unwrap().into_rgb8()
    };
    let kinds = |picture: &RgbImage| {
        let mut greens: Vec<u8> = picture.pixels().map(|p| p.0[1]).collect();
        greens.sort_unstable();
        greens.dedup();
        greens.len()
    };
    let (one, four, sixteen) = (shown("1"), shown("4"), shown("16"));
    assert_eq!((kinds(&one), kinds(&four)), (2, 5));
    assert!(kinds(&sixteen) > 9, "{}", kinds(&sixteen));
    for at in [(100, 100), (3, 3)] {
        assert_eq!(sixteen[at], four[at]);
    }
    assert_eq!(sixteen, shown("16"));
    let half_covered = |picture: &RgbImage| picture.pixels().filter(|p| p.0[1] > 188).count();
    assert!(half_covered(&sixteen).abs_diff(half_covered(&four)) < 120);
}
