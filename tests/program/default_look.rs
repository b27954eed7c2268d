//! The default look: its key light, its faces of a white cube, and the exposure that fits a file's lights.

use serde_json::{Value, json};

use crate::materials::linear;
use crate::support::{Shape, SmallModel, rigview};

/// Returns the colour at a point of the scene in metres, X right and Y up, as seen from an orbit; the view is
/// four metres high.
fn shot(model: SmallModel, orbit: &str, words: &[&str], x: f32, y: f32) -> [u8; 3] {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("model.gltf"), folder.path().join("model.png"));
    model.write_gltf(&file);
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let view = ["--orbit", orbit, "--orthographic", "4", "--size", "200x200"];
    rigview([&paths[..], &view, words].concat()).done();
    let picture = image::open(out).unwrap().into_rgb8();
    picture.get_pixel((100.0 + 50.0 * x) as u32, (100.0 - 50.0 * y) as u32).0
}

/// Returns the colour of the paper's middle under a sun that faces it.
fn under_sun(lux: f32, words: &[&str]) -> [u8; 3] {
    let sun = json!({"type": "directional", "intensity": lux});
    shot(SmallModel::new().paper().light(sun, [0.0; 3]), "0,0", words, 0.0, 0.0)
}

#[test]
fn the_exposure_fits_the_files_lights_unless_it_is_given() {
    let (weak, strong) = (under_sun(0.5, &[]), under_sun(6830.0, &[]));
    for (a, b) in weak.into_iter().zip(strong) {
        assert!(a.abs_diff(b) <= 2, "{weak:?} {strong:?}");
    }
    assert!((150..240).contains(&strong[1]), "{strong:?}");
    assert_eq!(under_sun(6830.0, &["--exposure", "auto"]), strong);
    assert!(under_sun(6830.0, &["--exposure", "0"])[1] > 250);
    assert!(under_sun(6830.0, &["--lights", "file"])[1] > 250);
    // Without the default look, all light is measured.
    let even = |light: &str| {
        let words = ["--environment", light, "--exposure", "auto"];
        shot(SmallModel::new().paper(), "0,0", &words, 0.0, 0.0)
    };
    assert_eq!(even("uniform:0.2"), even("uniform:0.4"));
}

/// Under a file's sun, a dark model gets up to one and a half stops more light, half of what it lacks.
#[test]
fn dark_models_are_exposed_longer_under_a_files_lights() {
    let light = |reflectance: f32, words: &[&str]| {
        let sun = json!({"type": "directional", "intensity": 20});
        let model = SmallModel::new().paper().light(sun, [0.0; 3]);
        let model = model.edit(|json| {
            let color = json!([reflectance, reflectance, reflectance, 1]);
            json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] = color;
        });
        let words = [&["--tone-map", "none"], words].concat();
        let [_, encoded, _] = shot(model, "0,0", &words, 0.0, 0.0);
        linear(encoded)
    };
    let stops = |reflectance: f32| {
        (light(reflectance, &["--exposure", "auto"]) / light(reflectance, &["--exposure=-4"]))
            .log2()
    };
    let usual = stops(0.3);
    for (reflectance, longer) in [(0.6, 0.0), (0.15, 0.5), (0.075, 1.0), (0.01, 1.5)] {
        let shown = stops(reflectance) - usual;
        assert!((shown - longer).abs() < 0.12, "{reflectance}: {shown} stops longer, not {longer}");
    }
}

/// Four suns of which one faces the paper: those from behind and from the sides do not darken the picture.
#[test]
fn lights_that_a_surface_faces_away_from_do_not_darken_it() {
    let sun = |turns: &[[f32; 4]]| {
        let model = SmallModel::new()
            .paper()
            .light(json!({"type": "directional", "intensity": 40}), [0.0; 3]);
        let model = model.edit(|json| {
            for turn in turns {
                let mut node = json["nodes"][1].clone();
                node["rotation"] = json!(turn);
                let nodes = json["nodes"].as_array_mut().unwrap();
                nodes.push(node);
                let last = nodes.len() - 1;
                json["nodes"][0]["children"].as_array_mut().unwrap().push(json!(last));
            }
        });
        shot(model, "0,0", &[], 0.0, 0.0)
    };
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let one = sun(&[]);
    let many = sun(&[[0.0, 1.0, 0.0, 0.0], [0.0, half, 0.0, half], [0.0, -half, 0.0, half]]);
    assert!(one.iter().zip(many).all(|(a, b)| a.abs_diff(b) <= 2), "{one:?} {many:?}");
}

#[test]
fn white_paper_keeps_its_form_in_the_default_look() {
    let folder = tempfile::tempdir().unwrap();
    let ball = folder.path().join("ball.gltf");
    let paper = json!({"pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 1}});
    std::fs::write(&ball, Shape::ball().material(paper).gltf()).unwrap();
    let out = folder.path().join("ball.png");
    let paths = ["screenshot", ball.to_str().unwrap(), "-o", out.to_str().unwrap()];
    rigview([&paths[..], &["--size", "200x200"]].concat()).done();
    let picture = image::open(&out).unwrap().into_rgba8();
    let [_, facing, ..] = picture.get_pixel(100, 100).0;
    assert!(facing.abs_diff(200) <= 10, "{facing}");
    let brightest = picture.pixels().map(|p| p.0[..3].iter().max().copied()).max().flatten();
    assert!(brightest <= Some(240), "{brightest:?}");
}

/// The three visible faces of a white cube have different brightness from both sides.
#[test]
fn the_faces_of_a_white_cube_differ() {
    // Three squares that meet in a corner.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    for side in [1.0f32, -1.0] {
        let faces = |json: &mut Value| {
            json["nodes"] = json!([
                {"mesh": 0, "translation": [0, 0, 1]},
                {"mesh": 0, "translation": [0, 1, 0], "rotation": [-half, 0, 0, half]},
                {"mesh": 0, "translation": [side, 0, 0], "rotation": [0, side * half, 0, half]},
            ]);
            json["scenes"][0]["nodes"] = json!([0, 1, 2]);
        };
        let orbit = format!("{},15", 30.0 * side);
        let green = |x: f32, y: f32| {
            shot(SmallModel::new().paper().edit(faces), &orbit, &[], side * x, y)[1]
        };
        let faces = [green(-0.4, 0.0), green(0.9, 0.0), green(0.1, 1.05)];
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            assert!(faces[a].abs_diff(faces[b]) >= 12, "{orbit}: {faces:?}");
        }
    }
}

/// The light of the night comes from behind, so that dark models are exposed longer.
#[test]
fn a_dark_model_stands_out_from_the_night() {
    let folder = tempfile::tempdir().unwrap();
    let [ball, out] = ["ball.gltf", "ball.png"].map(|name| folder.path().join(name));
    let lit = |reflectance: f32| {
        let color = [reflectance, reflectance, reflectance, 1.0];
        let coal = json!({"pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.9,
            "baseColorFactor": color}});
        std::fs::write(&ball, Shape::ball().material(coal).gltf()).unwrap();
        let paths = ["screenshot", ball.to_str().unwrap(), "-o", out.to_str().unwrap()];
        rigview([&paths[..], &["--size", "96x96", "--look", "night"]].concat()).done();
        let picture = image::open(&out).unwrap().into_rgb8();
        // The side that faces the camera, and the background.
        [picture.get_pixel(52, 50).0, picture.get_pixel(4, 4).0].map(|p| u32::from(p[1]))
    };
    let ([coal, background], [paper, _]) = (lit(0.02), lit(0.9));
    assert!(coal >= background + 6 && coal + 40 < paper, "{coal}, {paper} on {background}");
}

/// A mirror shows the studio. Between its texels, the bars of a window keep their width.
#[test]
fn the_studio_shows_no_steps_where_it_is_magnified() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("studio.png");
    let view = "--eye 0,0,0 --target=-0.52,0.66,0.72 --fov-y 40 --near 50 --far 100 --size 256x256";
    let light = "--environment studio --show-environment=sharp --tone-map none --exposure -2";
    let words = ["screenshot", "-o", out.to_str().unwrap()];
    let all: Vec<&str> = words.into_iter().chain(view.split(' ')).chain(light.split(' ')).collect();
    rigview(all).done();
    let picture = image::open(&out).unwrap().into_rgb8();
    let green = |x: u32, y: u32| f32::from(picture.get_pixel(x, y).0[1]);
    // A bar crosses the upper half of the picture from above to below.
    let widths: Vec<f32> = (20..100)
        .map(|y| {
            let darkest = (80..150).min_by(|a, b| green(*a, y).total_cmp(&green(*b, y))).unwrap();
            let least = 0.75 * green(darkest, y) + 0.25 * green(75, y);
            // The distance from the darkest pixel to where it is as bright as that, to one side.
            let reach = |step: i32| {
                let at = |i: i32| green((darkest as i32 + i * step) as u32, y);
                let first = (1..).find(|i| at(*i) >= least).unwrap();
                first as f32 - (at(first) - least) / (at(first) - at(first - 1))
            };
            reach(-1) + reach(1)
        })
        .collect();
    let mean = widths.iter().sum::<f32>() / 80.0;
    let around = |y: usize| widths[y - 10..=y + 10].iter().sum::<f32>() / 21.0;
    let off = (10..70).map(|y| (widths[y] - around(y)).powi(2)).sum::<f32>() / 60.0;
    assert!((4.0..16.0).contains(&mean) && off.sqrt() < 0.18, "{mean}, off by {}", off.sqrt());
}
