//! Ambient occlusion: the pass compared with path-traced pictures, and the light that it darkens.

use std::path::Path;

use image::{Rgb, RgbaImage};
use serde_json::{Value, json};

use crate::support::{SmallModel, case_arguments, for_each, rigview, screenshots, shared};

/// In the truth of these models, whole triangles of flat outer sides are black.
const UNSUITABLE: [&str; 1] = ["BoxAnimated"];

/// Openness from 0 to 1 by pixel, and whether the pixel is covered.
struct Openness {
    width: usize,
    open: Vec<f32>,
    covered: Vec<bool>,
}

impl Openness {
    fn read(file: &Path) -> Self {
        let picture = image::open(file).unwrap().into_rgba8();
        let open = picture.pixels().map(|p| f32::from(p.0[0]) / 255.0).collect();
        let covered = picture.pixels().map(|p| p.0[3] > 252).collect();
        Self { width: picture.width() as usize, open, covered }
    }

    /// Returns the pixels at most `reach` away in both directions.
    fn around(&self, pixel: usize, reach: usize) -> impl Iterator<Item = usize> + use<> {
        let (width, height) = (self.width, self.open.len() / self.width);
        let (x, y) = (pixel % width, pixel / width);
        let span = move |at: usize, end: usize| at.saturating_sub(reach)..(at + reach + 1).min(end);
        span(y, height).flat_map(move |y| span(x, width).map(move |x| y * width + x))
    }

    /// Returns the mean of the nine pixels around one.
    fn mean(&self, pixel: usize) -> f32 {
        self.around(pixel, 1).map(|other| self.open[other]).sum::<f32>() / 9.0
    }
}

/// Returns the error of a picture and that of a picture without occlusion, as root mean squares.
fn errors(seen: &Openness, truth: &Openness) -> [f32; 2] {
    let inside = |pixel: &usize| {
        seen.around(*pixel, 2).all(|other| seen.covered[other] && truth.covered[other])
    };
    let pixels: Vec<usize> = (0..seen.open.len()).filter(inside).collect();
    assert!(pixels.len() >= 200);
    let rms = |other: &dyn Fn(usize) -> f32| {
        let squares = pixels.iter().map(|pixel| (other(*pixel) - truth.mean(*pixel)).powi(2));
        (squares.sum::<f32>() / pixels.len() as f32).sqrt()
    };
    [rms(&|pixel| seen.mean(pixel)), rms(&|_| 1.0)]
}

fn arguments(case: &Value, models: &Path) -> Vec<String> {
    let mut args = case_arguments(case, models);
    args.extend(["--pass=ambient-occlusion", "--background=transparent"].map(str::to_owned));
    args
}

#[test]
fn the_pass_is_near_the_path_tracers_picture() {
    let Some(shared) = shared("occlusion::the_pass_is_near_the_path_tracers_picture") else {
        return;
    };
    let folder = shared.join("reference/ao");
    let list = std::fs::read_to_string(folder.join("ao.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&list).unwrap();
    let suitable = |case: &&Value| !UNSUITABLE.contains(&case["name"].as_str().unwrap());
    let cases: Vec<&Value> = cases.iter().filter(suitable).collect();
    assert!(cases.len() >= 13);
    let drawn = tempfile::tempdir().unwrap();
    let out = |case: &Value| drawn.path().join(format!("{}.png", case["name"].as_str().unwrap()));
    let picture = |case: &&Value| {
        let mut args = arguments(case, &shared.join("models"));
        args.extend(["-o".to_owned(), out(case).to_str().unwrap().to_owned()]);
        args
    };
    screenshots(&cases.iter().map(picture).collect::<Vec<_>>()).done();
    let ratios = for_each(&cases, |case| {
        let truth = Openness::read(&folder.join(case["picture"].as_str().unwrap()));
        let [error, without] = errors(&Openness::read(&out(case)), &truth);
        assert!(error <= 0.7 * without, "{}: {error} of {without}", case["name"]);
        error / without
    });
    let mean = ratios.iter().sum::<f32>() / ratios.len() as f32;
    assert!(mean <= 0.5, "{mean}");
}

/// A floor of two metres' width and a wall of the same size behind it, of paper.
fn corner() -> SmallModel {
    SmallModel::new().paper().edit(|json| {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let floor = json!({"mesh": 0, "translation": [0, -1, 1], "rotation": [-half, 0, 0, half]});
        json["nodes"] = json!([json["nodes"][0], floor]);
        json["scenes"][0]["nodes"] = json!([0, 1]);
    })
}

fn shot(model: SmallModel, args: &[&str]) -> RgbaImage {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("model.gltf"), folder.path().join("model.png"));
    model.write_gltf(&file);
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let size = ["--size", "200x200"];
    let size = if args.contains(&size[0]) { &[][..] } else { &size };
    rigview([&paths[..], size, args].concat()).done();
    image::open(out).unwrap().into_rgba8()
}

const FRONT: [&str; 4] = ["--orbit", "0,0", "--orthographic", "4"];
const RAISED: [&str; 4] = ["--orbit", "0,45", "--orthographic", "4"];
const PASS: [&str; 2] = ["--pass", "ambient-occlusion"];

#[test]
fn a_flat_surface_is_open_and_the_background_black_or_transparent() {
    let picture =
        shot(SmallModel::new(), &[&FRONT[..], &PASS, &["--background", "#ff0000"]].concat());
    let open = picture.pixels().filter(|p| p.0[0] >= 253).count();
    let black = picture.pixels().filter(|p| p.0 == [0, 0, 0, 255]).count();
    assert_eq!((open, black), (10_000, 30_000));
    let clear = [&FRONT[..], &PASS, &["--background", "transparent"]].concat();
    let clear = shot(SmallModel::new(), &clear);
    assert_eq!(clear.pixels().filter(|p| p.0[3] == 0).count(), 30_000);
}

#[test]
fn a_corner_is_half_open_and_its_rim_almost_wholly() {
    let picture = shot(corner(), &[&RAISED[..], &PASS].concat());
    let column: Vec<u8> = (0..200).map(|y| picture.get_pixel(100, y).0[0]).collect();
    let covered: Vec<usize> = (0..200).filter(|y| column[*y] > 0).collect();
    let (top, bottom) = (covered[0], covered[covered.len() - 1]);
    let middle = usize::midpoint(top, bottom);
    // In the edge between two planes at a right angle, half of each plane's sky is hidden.
    assert!((110..=160).contains(&column[middle]), "{column:?}");
    for end in [top + 3, bottom - 3] {
        assert!(column[end] > 215, "{column:?}");
    }
    let rises = |half: &[u8]| half.windows(8).all(|w| w[7].saturating_add(3) >= w[0]);
    assert!(rises(&column[middle + 2..bottom]), "{column:?}");
}

/// Returns the colour beside the edge of the corner, on the wall, and the colour at its rim.
fn wall(args: &[&str]) -> [Rgb<u8>; 2] {
    let picture = shot(corner(), &[&RAISED[..], args].concat());
    [94, 40].map(|y| {
        let [r, g, b, _] = picture.get_pixel(100, y).0;
        Rgb([r, g, b])
    })
}

#[test]
fn exactly_defined_light_is_occluded_only_on_request() {
    let light = ["--environment", "uniform:0.5", "--tone-map", "none"];
    let with = |switch: &str| wall(&[&light[..], &["--ambient-occlusion", switch]].concat());
    let ([near, far], off, plain) = (with("on"), with("off"), wall(&light));
    assert_eq!(off, plain);
    assert_eq!(plain[0], plain[1]);
    // Light bounces between white surfaces, so that they stay bright.
    assert!(near.0[0] + 2 < far.0[0], "{near:?} {far:?}");
    // Light of one direction is not occluded.
    let sun = ["--light=0,0,-1", "--tone-map", "none", "--ambient-occlusion"];
    assert_eq!(wall(&[&sun[..], &["on"]].concat()), wall(&[&sun[..], &["off"]].concat()));
    // The default look is occluded.
    let default = |switch: &[&str]| wall(&[&["--tone-map", "none"], switch].concat());
    assert_eq!(default(&[]), default(&["--ambient-occlusion", "on"]));
    assert_ne!(default(&[]), default(&["--ambient-occlusion", "off"]));
}

/// A floor and two walls, and before one of them five narrow bars, which turn no side towards a wall.
fn room() -> SmallModel {
    SmallModel::new().edit(|json| {
        let (half, eighth) =
            (std::f32::consts::FRAC_1_SQRT_2, (0.125 * std::f32::consts::PI).sin_cos());
        let mut nodes = vec![
            json!({"mesh": 0}),
            json!({"mesh": 0, "translation": [0, -1, 1], "rotation": [-half, 0, 0, half]}),
            json!({"mesh": 0, "translation": [-1, 0, 1], "rotation": [0, half, 0, half]}),
        ];
        nodes.extend((0..5).map(|i| {
            let x = 0.2 * i as f32 - 0.2;
            json!({"mesh": 0, "translation": [x, -0.6, 0.3], "scale": [0.04, 0.4, 1],
                "rotation": [0, eighth.0, 0, eighth.1]})
        }));
        json["scenes"][0]["nodes"] = (0..nodes.len()).collect();
        json["nodes"] = json!(nodes);
        json["meshes"][0]["primitives"][0]["material"] = json!(0);
        json["materials"] = json!([{"doubleSided": true}]);
    })
}

/// Few samples per pixel must not show as streaks or squares.
#[test]
fn flat_surfaces_have_no_ripple() {
    const SIDE: usize = 768;
    const REACH: usize = 8;
    let view = ["--orbit", "35,30", "--orthographic", "3.4", "--size", "768x768"];
    let drawn = |args: &[&str]| shot(room(), &[&view[..], args].concat());
    let open = drawn(&PASS);
    let normals = drawn(&["--pass", "geometric-normal", "--background", "#000000"]);
    let (mut ripples, mut all) = (Vec::new(), 0.0);
    for (x, y) in (REACH..SIDE - REACH).flat_map(|y| (REACH..SIDE - REACH).map(move |x| (x, y))) {
        let around = || {
            let span = |at: usize| at - REACH..=at + REACH;
            span(y).flat_map(move |y| span(x).map(move |x| (x as u32, y as u32)))
        };
        let own = normals.get_pixel(x as u32, y as u32).0;
        if own[..3] == [0; 3] || around().any(|(x, y)| normals.get_pixel(x, y).0 != own) {
            continue;
        }
        let sum: u32 = around().map(|(x, y)| u32::from(open.get_pixel(x, y).0[0])).sum();
        let mean = sum as f32 / (2 * REACH + 1).pow(2) as f32;
        ripples.push((f32::from(open.get_pixel(x as u32, y as u32).0[0]) - mean).abs());
        all += ripples[ripples.len() - 1];
    }
    ripples.sort_unstable_by(f32::total_cmp);
    assert!(ripples.len() > 120_000, "{}", ripples.len());
    // The openness itself bends in the corners and around the bars.
    let (mean, most) = (all / ripples.len() as f32, ripples[ripples.len() * 95 / 100]);
    assert!(mean < 0.6 && most < 2.0, "{mean:.2} on average, 95 % below {most:.2}");
}
