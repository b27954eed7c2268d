//! Light, in bytes that are worked out by hand. The scene is a square of paper, two metres wide and facing
//! +Z. The view is four metres high and 200 pixels, so a metre is 50 pixels.

use std::path::Path;

use image::{Rgb, Rgba, RgbaImage};
use serde_json::json;

use crate::support::{Glb, SmallModel, rigview};

const FRONT: &str = "0,0";

fn shot(folder: &Path, model: SmallModel, args: &[&str]) -> RgbaImage {
    seen_from(FRONT, folder, model, args)
}

fn seen_from(orbit: &str, folder: &Path, model: SmallModel, args: &[&str]) -> RgbaImage {
    let (file, out) = (folder.join("square.gltf"), folder.join("square.png"));
    model.write_gltf(&file);
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let view = ["--orbit", orbit, "--orthographic", "4", "--size", "200x200"];
    rigview([&paths[..], &view, args].concat()).done();
    image::open(out).unwrap().into_rgba8()
}

/// Returns the colour at a point of the square in metres, X right and Y up.
fn at(picture: &RgbaImage, x: f32, y: f32) -> [u8; 3] {
    let [r, g, b, _] = picture.get_pixel((100.0 + 50.0 * x) as u32, (100.0 - 50.0 * y) as u32).0;
    [r, g, b]
}

/// Returns the colour in the paper's middle with these options, without a tone map unless they name one.
fn middle(words: &str) -> [u8; 3] {
    let folder = tempfile::tempdir().unwrap();
    let plain = if words.contains("--tone-map") { "" } else { "--tone-map=none " };
    let args = format!("{plain}{words}");
    at(&shot(folder.path(), SmallModel::new().paper(), &words_of(&args)), 0.0, 0.0)
}

fn words_of(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[track_caller]
fn assert_near(seen: [u8; 3], expected: [f32; 3]) {
    let off = seen.iter().zip(expected).map(|(a, b)| (f32::from(*a) - b).abs());
    assert!(off.fold(0.0, f32::max) <= 1.0, "{seen:?}, not {expected:?}");
}

#[test]
fn a_light_gives_its_lux_over_pi_times_the_cosine() {
    // In sRGB: 1/2; that times cos 45 degrees; two lights; a light from behind.
    assert_near(middle("--light=0,0,-1,1.5707963"), [187.5; 3]);
    assert_near(middle("--light=0,-1,-1,1.5707963"), [160.4; 3]);
    assert_near(middle("--light=0,0,-2,0.78539816 --light=0,0,-1,0.78539816"), [187.5; 3]);
    assert_near(middle("--light=0,0,1"), [0.0; 3]);
}

#[test]
fn a_uniform_environment_is_exact_and_exposure_and_intensity_double_it() {
    assert_near(middle("--environment uniform:1"), [255.0; 3]);
    assert_near(middle("--environment uniform:0.25,0.5,0"), [137.0, 187.5, 0.0]);
    assert_near(middle("--environment uniform:0.25 --exposure 1"), [187.5; 3]);
    assert_near(middle("--environment uniform:1 --exposure=-2"), [137.0; 3]);
    assert_near(middle("--environment uniform:0.25 --environment-intensity 2"), [187.5; 3]);
}

/// Results of the published formulas for four colours, computed independently of the program.
#[test]
fn tone_maps_are_their_formulas() {
    let expected = [
        ("0.18", [[104.6; 3], [91.4; 3], [127.6; 3], [117.6; 3]]),
        ("2", [[250.5; 3], [231.6; 3], [223.7; 3], [255.0; 3]]),
        (
            "4,1,0.2",
            [
                [253.1, 182.1, 155.7],
                [254.7, 212.7, 144.7],
                [246.0, 206.1, 159.7],
                [255.0, 255.0, 123.5],
            ],
        ),
        (
            "0.05,0.3,0.9",
            [
                [37.5, 139.1, 235.3],
                [39.2, 127.1, 198.4],
                [102.5, 155.3, 202.2],
                [63.2, 148.9, 243.5],
            ],
        ),
    ];
    for (light, colours) in expected {
        for (name, colour) in ["neutral", "aces", "agx", "none"].into_iter().zip(colours) {
            let words = format!("--environment uniform:{light} --tone-map {name}");
            let seen = middle(&words);
            let off = seen.iter().zip(colour).map(|(a, b)| (f32::from(*a) - b).abs());
            assert!(off.fold(0.0, f32::max) <= 1.2, "{words}: {seen:?}, not {colour:?}");
        }
    }
}

const DARK: [&str; 4] = ["--environment", "uniform:0", "--tone-map", "none"];

#[test]
fn a_point_light_falls_off_with_the_square_and_ends_at_its_range() {
    let folder = tempfile::tempdir().unwrap();
    let lit = |light, words: &[&str]| {
        let model = SmallModel::new().paper().light(light, [0.0, 0.0, 2.0]);
        shot(folder.path(), model, &[&DARK[..], words].concat())
    };
    // 8 candela at 2 metres are 2 lux, a radiance of 2 / pi.
    let free = lit(json!({"type": "point", "intensity": 8}), &[]);
    assert_near(at(&free, 0.0, 0.0), [208.9; 3]);
    // At half the range, it is multiplied by 1 - 1/16.
    let ranged = lit(json!({"type": "point", "intensity": 8, "range": 4}), &[]);
    assert_near(at(&ranged, 0.0, 0.0), [202.9; 3]);
    let near = lit(json!({"type": "point", "intensity": 8, "range": 1.9}), &[]);
    assert_near(at(&near, 0.0, 0.0), [0.0; 3]);
    let off = lit(json!({"type": "point", "intensity": 8}), &["--lights", "none"]);
    assert_near(at(&off, 0.0, 0.0), [0.0; 3]);
}

#[test]
fn lamps_that_are_hidden_do_not_count_as_lights() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lamps.gltf");
    let hidden = |count: usize| {
        let lamp = json!({"type": "point", "intensity": 8});
        let model = SmallModel::new().paper().light(lamp, [0.0, 0.0, 2.0]).edit(|json| {
            let nodes = json["nodes"].as_array_mut().unwrap();
            let lamp = nodes.last().unwrap().clone();
            for i in 0..99 {
                let mut lamp = lamp.clone();
                let visible = json!({"visible": i >= count});
                lamp["extensions"]["KHR_node_visibility"] = visible;
                nodes.push(lamp);
            }
            nodes[0]["children"] = json!((1..nodes.len()).collect::<Vec<_>>());
            json["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_node_visibility"));
        });
        model.write_gltf(&file);
        let out = file.with_extension("png");
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        rigview([&paths[..], &["--size", "64x64"]].concat()).done().stderr
    };
    assert_eq!(hidden(99), "");
    let all = "rigview: warn: the scene has 100 lights; only the first 64 are used\n";
    assert_eq!(hidden(0), all);
}

#[test]
fn a_spot_light_has_a_cone_and_a_colour() {
    let folder = tempfile::tempdir().unwrap();
    let spot = json!({"type": "spot", "intensity": 8, "color": [1, 0.5, 0],
        "spot": {"innerConeAngle": 0, "outerConeAngle": std::f32::consts::FRAC_PI_4}});
    let model = SmallModel::new().paper().light(spot, [0.0, 0.0, 2.0]);
    let picture = shot(folder.path(), model, &DARK);
    assert_near(at(&picture, 0.0, 0.0), [208.9, 152.8, 0.0]);
    // The pixel's middle is at 0.51 m: cos = 0.96899, ((cos - cos 45) / (1 - cos 45))^2 = 0.79946,
    // squared distance 4.2602.
    assert_near(at(&picture, 0.5, 0.0), [181.2, 132.2, 0.0]);
}

#[test]
fn a_nodes_motion_carries_its_light() {
    let folder = tempfile::tempdir().unwrap();
    let picture = |time: &str| {
        let light = json!({"type": "point", "intensity": 2});
        let model = SmallModel::new().paper().clip("Turn").light(light, [0.8, 0.0, 0.5]);
        shot(folder.path(), model, &[&DARK[..], &["--time", time]].concat())
    };
    let (first, last) = (picture("0"), picture("2"));
    assert!(at(&first, 0.8, 0.0)[0] > at(&first, -0.8, 0.0)[0] + 100);
    assert!(at(&last, -0.8, 0.0)[0] > at(&last, 0.8, 0.0)[0] + 100);
}

#[test]
fn a_files_own_light_takes_the_place_of_the_key_light() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--background", "transparent"];
    // Returns the number of shadow's pixels and the mean of their columns.
    let shadow = |light: Option<serde_json::Value>| {
        let paper = SmallModel::new().paper();
        let model = match light {
            Some(light) => paper.light(light, [0.0; 3]).edit(|json| {
                // Down and to the left: a half turn about the axis between -Z and that direction.
                json["nodes"][1]["rotation"] = json!([-0.4082483, -0.4082483, -0.8164966, 0.0]);
            }),
            None => paper,
        };
        let picture = seen_from("0,90", folder.path(), model, &words);
        let dark = picture.enumerate_pixels().filter(|(_, _, p)| is_shadow(p));
        let columns: Vec<f64> = dark.map(|(x, _, _)| f64::from(x)).collect();
        (columns.len(), columns.iter().sum::<f64>() / columns.len().max(1) as f64)
    };
    let sun = |lux: f32| Some(json!({"type": "directional", "intensity": lux}));
    let (key, at) = shadow(None);
    assert!(key > 500 && at > 110.0, "{key} pixels at {at}");
    assert_eq!(shadow(sun(0.0)).0, 0);
    // The sun shines from the right, the key light from the left.
    let (sun, at) = shadow(sun(3.0));
    assert!(sun > 500 && at < 90.0, "{sun} pixels at {at}");
}

/// The exposure follows the lights of a file, so their strength shows in nothing but what they have not lit.
#[test]
fn the_strength_of_a_files_lights_changes_no_colour() {
    let folder = tempfile::tempdir().unwrap();
    let seen = |lux: Option<f64>, material: serde_json::Value, words: &[&str]| {
        let model = SmallModel::new().paper().edit(|json| json["materials"] = json!([material]));
        let model = match lux {
            Some(lux) => {
                let sun = json!({"type": "directional", "intensity": lux});
                model.light(sun, [0.0, 0.0, 2.0])
            }
            None => model,
        };
        at(&shot(folder.path(), model, words), 0.0, 0.0)
    };
    let color = json!({"baseColorFactor": [0.8, 0.2, 0.1, 1.0], "metallicFactor": 0.0});
    let unlit = json!({"pbrMetallicRoughness": color, "extensions": {"KHR_materials_unlit": {}}});
    let plain = seen(None, unlit.clone(), &[]);
    assert!(plain[0] > 150 && plain[2] < 120, "{plain:?}");
    for lux in [3.0, 1e3, 1e6] {
        assert_eq!(seen(Some(lux), unlit.clone(), &[]), plain, "{lux} lux");
    }
    // The exposure that is asked for counts for all.
    assert!(seen(Some(1e3), unlit.clone(), &["--exposure=-1"])[0] < plain[0] - 30);
    // Sunlight and much more than that: beyond what half-float texels hold.
    let lit = json!({"pbrMetallicRoughness": color});
    let usual = seen(Some(3.0), lit.clone(), &[]);
    for lux in [1e3, 1e5, 1e6] {
        assert_near(seen(Some(lux), lit.clone(), &[]), usual.map(f32::from));
    }
    // A lamp that does not reach the model.
    let far = |json: &mut serde_json::Value| {
        let lights = &mut json["extensions"]["KHR_lights_punctual"]["lights"];
        let lamp = json!({"type": "point", "intensity": 1e5, "range": 3.0});
        lights.as_array_mut().unwrap().push(lamp);
        let index = lights.as_array().unwrap().len() - 1;
        let node = json!({"translation": [0, 0, 10],
            "extensions": {"KHR_lights_punctual": {"light": index}}});
        json["nodes"].as_array_mut().unwrap().push(node);
        let node = json["nodes"].as_array().unwrap().len() - 1;
        json["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(node));
    };
    let lamp = || {
        SmallModel::new().paper().light(json!({"type": "point", "intensity": 100}), [0.0, 0.0, 2.0])
    };
    let near = at(&shot(folder.path(), lamp(), &[]), 0.0, 0.0);
    assert_eq!(at(&shot(folder.path(), lamp().edit(far), &[]), 0.0, 0.0), near);
}

/// The exposure is that of the clip's brightest instant; otherwise it would hide that a lamp grows dim.
#[test]
fn a_lamp_that_grows_dim_is_seen_to() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["lamp.glb", "out.png"].map(|name| folder.path().join(name));
    let sun = json!({"type": "directional", "intensity": 3.0});
    let model = SmallModel::new().clip("Dim").paper().light(sun, [0.0, 0.0, 2.0]);
    let mut glb = Glb::of(&model.glb());
    let output = glb.put_floats("SCALAR", &[3000.0, 3.0]);
    let clip = &mut glb.json["animations"][0];
    clip["samplers"][0]["output"] = json!(output);
    let pointer = "/extensions/KHR_lights_punctual/lights/0/intensity";
    clip["channels"][0]["target"] = json!({"path": "pointer",
        "extensions": {"KHR_animation_pointer": {"pointer": pointer}}});
    glb.json["extensionsUsed"].as_array_mut().unwrap().push(json!("KHR_animation_pointer"));
    glb.write(&file);
    let seen = |words: &[&str]| {
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let view = ["--orbit", FRONT, "--orthographic", "4", "--size", "200x200"];
        rigview([&paths[..], &view, words].concat()).done();
        at(&image::open(&out).unwrap().into_rgba8(), 0.0, 0.0)[0]
    };
    let [bright, dim] = ["0", "2"].map(|time| seen(&["--time", time]));
    assert!(bright > dim + 30, "{bright} {dim}: only the surroundings light it");
    assert!(
        seen(&["--rest"]).abs_diff(bright) < 4,
        "at rest the lamp has 3 lux, for which it is exposed"
    );
}

/// An equirectangular image that is red where Z is above 0 and blue elsewhere.
fn write_environment(path: &Path) {
    let (width, height) = (64, 32);
    let pixel = |i: usize| match i % width < width / 2 {
        true => Rgb([0.0, 0.0, 0.5]),
        false => Rgb([0.5, 0.0, 0.0]),
    };
    let pixels: Vec<Rgb<f32>> = (0..width * height).map(pixel).collect();
    let file = std::fs::File::create(path).unwrap();
    image::codecs::hdr::HdrEncoder::new(file).encode(&pixels, width, height).unwrap();
}

#[test]
fn an_environment_of_a_file_lights_from_where_it_is_bright_and_is_seen_behind() {
    let folder = tempfile::tempdir().unwrap();
    let sky = folder.path().join("sky.hdr");
    write_environment(&sky);
    let sky = sky.to_str().unwrap();
    let lit = |words: &[&str]| {
        let args = [&["--environment", sky, "--tone-map", "none"], words].concat();
        shot(folder.path(), SmallModel::new().paper(), &args)
    };
    // The square receives only red light: 1/2.
    let [r, g, b] = at(&lit(&[]), 0.0, 0.0);
    assert!(r.abs_diff(187) <= 4 && g == 0 && b < 45, "{r} {g} {b}");
    let turned = lit(&["--environment-rotation", "180", "--show-environment"]);
    let [r, g, b] = at(&turned, 0.0, 0.0);
    assert!(b.abs_diff(187) <= 4 && g == 0 && r < 45, "{r} {g} {b}");
    // The background is the direction -Z.
    assert_near(at(&turned, 0.0, 1.5), [187.5, 0.0, 0.0]);
    let [r, g, b] = at(&lit(&["--show-environment=blurred"]), 0.0, 1.5);
    assert!(r < 30 && g == 0 && b.abs_diff(187) <= 4, "{r} {g} {b}");
}

#[test]
fn what_is_no_environment_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("broken.hdr"), "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 9 +X 9\n")
        .unwrap();
    std::fs::write(path("huge.hdr"), "#?RADIANCE\n\n-Y 900000 +X 900000\n").unwrap();
    std::fs::write(path("text.exr"), "not a picture").unwrap();
    let out = path("out.png");
    let with =
        |environment: &str| rigview(["screenshot", "-o", &out, "--environment", environment]);
    for name in ["broken.hdr", "huge.hdr", "text.exr", "missing.hdr"] {
        let run = with(&path(name)).failed(3);
        assert!(run.stderr.contains(name), "{}", run.stderr);
    }
    for name in ["beach", "uniform:x", "sky.png"] {
        assert_eq!(with(name).code, Some(2), "{name}");
    }
    assert!(!Path::new(&out).exists());
}

/// Whether a pixel is black and not opaque, as a shadow on a transparent picture is.
fn is_shadow(pixel: &Rgba<u8>) -> bool {
    pixel.0[..3] == [0; 3] && (1..=250).contains(&pixel.0[3])
}

/// Returns the pixels with a shadow on the ground in a transparent picture of the built-in rig.
fn shadow_of_creature(time: &str) -> Vec<(u32, u32)> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.png");
    let out = out.to_str().unwrap();
    let words = ["--clip", "Hop", "--time", time, "--size", "300x300"];
    let more = ["--background", "transparent", "--orbit", "30,30"];
    rigview([&["screenshot", "-o", out], &words[..], &more].concat()).done();
    let picture = image::open(out).unwrap().into_rgba8();
    let dark = picture.enumerate_pixels().filter(|(_, _, p)| is_shadow(p));
    dark.map(|(x, y, _)| (x, y)).collect()
}

#[test]
fn the_shadow_of_a_skinned_model_moves_with_its_pose() {
    let (first, again, later) =
        (shadow_of_creature("0"), shadow_of_creature("0"), shadow_of_creature("0.6"));
    assert_eq!(first, again);
    assert!(first.len() > 400, "{}", first.len());
    let moved = later.iter().filter(|p| !first.contains(p)).count();
    assert!(moved > 200, "{moved} of {}", later.len());
}

#[test]
fn overlays_are_where_they_belong() {
    let folder = tempfile::tempdir().unwrap();
    let lit = ["--environment", "uniform:0.2", "--tone-map", "none"];
    let from = |orbit: &str, words: &[&str]| {
        let args = [&lit[..], words].concat();
        seen_from(orbit, folder.path(), SmallModel::new().paper(), &args)
    };
    let shown = |words: &[&str]| from(FRONT, words);
    let plain = shown(&[]);
    let changed = |other: &RgbaImage| -> Vec<(u32, u32)> {
        let pairs = plain.enumerate_pixels().zip(other.pixels());
        pairs.filter(|((_, _, a), b)| a != b).map(|((x, y, _), _)| (x, y)).collect()
    };
    // All boxes of a flat square are its outline.
    let bounds = changed(&shown(&["--bounds", "--no-legend"]));
    assert!(bounds.len() >= 4 * 100);
    for (x, y) in bounds {
        let off = |v: u32| (v as i32 - 50).abs().min((v as i32 - 150).abs());
        assert!(off(x).min(off(y)) <= 2, "{x} {y}");
    }
    // The X axis is red and points right, the Y axis is green and points up; both are a metre long.
    let axes = shown(&["--axes"]);
    let [r, g, b] = at(&axes, 0.5, 0.0);
    assert!(r > 2 * g && r > 2 * b, "{r} {g} {b}");
    let [r, g, b] = at(&axes, 0.0, 0.5);
    assert!(g > r && g > b, "{r} {g} {b}");
    assert_eq!(at(&axes, -0.5, 0.0), at(&plain, -0.5, 0.0));
    // From the front the ground is seen edge-on; from above it is below the square.
    let (bare, grid) = (from("0,40", &[]), from("0,40", &["--grid"]));
    let differ = |x: u32, y: u32| bare.get_pixel(x, y) != grid.get_pixel(x, y);
    let lines = (150..200).flat_map(|y| (0..200).map(move |x| (x, y)));
    assert!(lines.filter(|(x, y)| differ(*x, *y)).count() > 100);
    assert!(!differ(100, 100), "the square hides the grid");
}

#[test]
fn passes_of_the_rig_are_plain_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let seen = |pass: &str| {
        let picture = shot(folder.path(), SmallModel::new(), &["--pass", pass]);
        (at(&picture, 0.5, 0.2), at(&picture, 0.2, 0.2))
    };
    // Overdraw shows one face.
    assert_near(seen("overdraw").0, [0.0, 0.0, 255.0]);
    // No joint moves the square: it is grey, shaded so that its shape shows, and lighter than the background.
    let (weights, _) = seen("weights");
    assert!(
        weights[0] == weights[2] && (100.0..=128.0).contains(&f64::from(weights[0])),
        "{weights:?}"
    );
    // A square without weights has another colour than the grey of weights that sum to 1.
    assert_near(seen("weight-sum").0, [140.2, 108.4, 51.0]);
    // The diagonal of the square is an edge; beside the diagonal there is none.
    let (beside, diagonal) = seen("wireframe");
    assert!(beside[0] < 60 && diagonal[0] > beside[0] + 30, "{beside:?} {diagonal:?}");
    let (clay, _) = seen("clay");
    assert!(clay[0] > 90 && clay[0] >= clay[2], "{clay:?}");
}

#[test]
fn a_joints_weight_is_shown_as_heat() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.png");
    let out = out.to_str().unwrap();
    let heat = |joint: &str| {
        let words = ["--pass", "weights", "--joint", joint, "--size", "200x200", "--rest"];
        rigview([&["screenshot", "-o", out], &words[..]].concat())
    };
    heat("head").done();
    let picture = image::open(out).unwrap().into_rgb8();
    let red = picture.pixels().filter(|p| p.0 == [255, 0, 0]).count();
    let is_grey = |p: &[u8; 3]| p[0] == p[1] && p[1] == p[2] && p[0] >= 0x42;
    let greys: Vec<u8> = picture.pixels().filter(|p| is_grey(&p.0)).map(|p| p.0[0]).collect();
    let (least, most) = (greys.iter().min().unwrap(), greys.iter().max().unwrap());
    assert!(red > 500 && greys.len() > 500, "{red} wholly, {} not at all", greys.len());
    assert!(most - least > 30, "its shape shows: {least} to {most}");
    // By default it is the joint with the largest area.
    rigview(["screenshot", "-o", out, "--pass", "weights", "--size", "200x200", "--rest"]).done();
    assert_eq!(image::open(out).unwrap().into_rgb8(), picture);
    heat("hips").done();
    assert_ne!(image::open(out).unwrap().into_rgb8(), picture);
    let unknown = heat("knee of nobody").failed(2);
    assert!(unknown.stderr.contains("\"head\""), "{}", unknown.stderr);
}

#[test]
fn names_stand_beside_their_joints() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.png");
    let out = out.to_str().unwrap();
    let shown = |more: &[&str]| {
        let words = ["screenshot", "-o", out, "--rest", "--size", "400x400", "--scale", "2"];
        rigview([&words[..], more].concat()).done();
        image::open(out).unwrap().into_rgb8()
    };
    let (plain, named) = (shown(&[]), shown(&["--joint-names"]));
    let written: Vec<[u8; 3]> =
        plain.pixels().zip(named.pixels()).filter(|(a, b)| a != b).map(|(_, b)| b.0).collect();
    let bright = written.iter().filter(|p| p.iter().all(|c| *c > 200)).count();
    let dark = written.iter().filter(|p| p.iter().all(|c| *c < 70)).count();
    assert!(bright > 500 && dark > 500, "{bright} bright, {dark} dark");
    assert!(written.len() < 400 * 400 / 4, "{}", written.len());
    assert_eq!(named, shown(&["--joint-names"]));
}
