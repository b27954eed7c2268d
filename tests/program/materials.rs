//! Materials on the GPU, compared with values worked out by hand and with reference pictures of other
//! renderers.

use std::path::Path;

use image::{DynamicImage, RgbImage};
use serde_json::{Value, json};

use crate::support::{
    Run, Shape, SmallModel, case_arguments, for_each, numbers, rigview, say_at_the_end,
    screenshots, shared,
};

/// With an index of refraction of 1 nothing is reflected, and Lambert's law remains.
#[test]
fn a_dull_square_gives_back_its_albedo_times_the_cosine() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({
        "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 1, 1], "metallicFactor": 0},
        "extensions": {"KHR_materials_specular": {"specularFactor": 0}},
    });
    let facing = "--light=0,0,-1,3.14159265";
    let aslant = "--light=0,-1.7320508,-1,3.14159265";
    for (light, cosine) in [(facing, 1.0), (aslant, 0.5)] {
        let square = Shape::square().material(material.clone());
        let picture = shot(folder.path(), square, &["--environment", "uniform:0", light]);
        assert_close(&picture, [0.5, 0.25, 1.0].map(|albedo| albedo * cosine), light);
    }
}

/// A mirror reflects its environment multiplied by its colour, for any light.
#[test]
fn a_smooth_metal_mirrors_with_its_colour() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({"pbrMetallicRoughness":
        {"baseColorFactor": [0.9, 0.5, 0.2, 1], "roughnessFactor": 0}});
    let square = Shape::square().material(material);
    let picture = shot(folder.path(), square, &["--environment", "uniform:0.6"]);
    assert_close(&picture, [0.54, 0.3, 0.12], "mirror");
}

/// At normal incidence, clear coat reflects 4 % of the light.
#[test]
fn varnish_on_black_shines_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({
        "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 0, 1], "metallicFactor": 0},
        "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 1},
            "KHR_materials_specular": {"specularFactor": 0}},
    });
    let square = Shape::square().material(material);
    let picture = shot(folder.path(), square, &["--environment", "uniform:1"]);
    assert_close(&picture, [0.04; 3], "varnish");
}

#[test]
fn emission_counts_its_strength_and_no_light() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({
        "pbrMetallicRoughness": {"baseColorFactor": [0, 0, 0, 1]},
        "emissiveFactor": [0.1, 0.2, 0.05],
        "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4}},
    });
    let square = Shape::square().material(material);
    let picture = shot(folder.path(), square, &["--environment", "uniform:0"]);
    assert_close(&picture, [0.4, 0.8, 0.2], "emission");
}

/// Thin clear glass without reflections shows the background unchanged.
#[test]
fn clear_glass_shows_the_background() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({
        "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0},
        "extensions": {"KHR_materials_transmission": {"transmissionFactor": 1},
            "KHR_materials_specular": {"specularFactor": 0}},
    });
    for tone_map in ["none", "neutral", "aces", "agx"] {
        let square = Shape::square().material(material.clone());
        let args =
            ["--environment", "uniform:1", "--background", "#5a3c78", "--tone-map", tone_map];
        let picture = shot(folder.path(), square, &args).to_rgb8();
        let [inside, outside] = [(100, 100), (3, 3)].map(|(x, y)| picture.get_pixel(x, y).0);
        assert_eq!(outside, [0x5a, 0x3c, 0x78]);
        let off = inside.iter().zip(outside).map(|(a, b)| a.abs_diff(b)).max();
        assert!(off <= Some(1), "{tone_map}: {inside:?} for {outside:?}");
    }
}

/// The passes that show a material's values show its textures multiplied by its factors.
#[test]
fn passes_show_the_values_of_textures_times_factors() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({
        "pbrMetallicRoughness": {"metallicFactor": 0.5, "roughnessFactor": 0.8,
            "metallicRoughnessTexture": {"index": 0}},
        "occlusionTexture": {"index": 0, "strength": 0.5},
        "emissiveTexture": {"index": 0},
        "emissiveFactor": [1, 1, 0],
    });
    for (pass, value) in [
        ("roughness", [102; 3]),
        ("metallic", [32; 3]),
        ("occlusion", [140; 3]),
        ("emissive", [25, 128, 0]),
        ("alpha", [255; 3]),
    ] {
        let square = Shape::square().material(material.clone()).texture([25, 128, 64, 255]);
        let picture = shot(folder.path(), square, &["--pass", pass]).to_rgb8();
        let found = picture.get_pixel(100, 100).0;
        let off = found.iter().zip(value).map(|(a, b)| a.abs_diff(b)).max();
        assert!(off <= Some(1), "{pass}: {found:?}, not {value:?}");
    }
}

/// A normal map that tilts to the right turns the normals of a square that faces +Z towards +X, both with
/// generated tangents and with those from derivatives.
#[test]
fn a_normal_map_leans_the_way_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({"normalTexture": {"index": 0}});
    // Rotated by 45 degrees about the vertical axis: red is +X, blue is +Z.
    for shape in [Shape::square(), Shape::square().without("NORMAL")] {
        let square = shape.material(material.clone()).texture([218, 128, 218, 255]);
        let picture = shot(folder.path(), square, &["--pass", "normal"]).to_rgb8();
        let found = picture.get_pixel(100, 100).0;
        let off = found.iter().zip([218, 128, 218]).map(|(a, b)| a.abs_diff(b)).max();
        assert!(off <= Some(1), "{found:?}");
    }
}

/// glTF 2.0, 3.9.7: points and lines without normals show the sum of base colour and emission; those with
/// normals but without tangents ignore the normal map.
#[test]
fn lines_are_as_bright_as_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({
        "pbrMetallicRoughness": {"baseColorFactor": [0.25, 0.5, 0, 1]},
        "emissiveFactor": [0.5, 0, 0.25],
        "normalTexture": {"index": 0},
    });
    let lines = || Shape::square().material(material.clone()).texture([218, 128, 218, 255]).lines();
    let picture = shot(folder.path(), lines().without("NORMAL"), &["--samples", "1"]).to_rgb8();
    let drawn: Vec<[u8; 3]> = picture.pixels().map(|p| p.0).filter(|p| *p != [0; 3]).collect();
    assert!(drawn.len() > 100, "{} pixels", drawn.len());
    for pixel in drawn {
        for (byte, want) in pixel.into_iter().zip([0.75, 0.5, 0.25]) {
            let (low, high) = (linear(byte.saturating_sub(1)), linear(byte.saturating_add(1)));
            assert!((low..=high).contains(&want), "{pixel:?}");
        }
    }
    let picture = shot(folder.path(), lines(), &["--samples", "1", "--pass", "normal"]).to_rgb8();
    let drawn: Vec<[u8; 3]> = picture.pixels().map(|p| p.0).filter(|p| *p != [0; 3]).collect();
    assert!(
        drawn.len() > 100 && drawn.iter().all(|p| *p == [128, 128, 255]),
        "{:?}",
        drawn.first()
    );
}

/// Compares some pictures with those of other renderers, by the measure that the references define.
#[test]
fn materials_look_as_in_other_renderers() {
    let Some(shared) = shared("materials_look_as_in_other_renderers") else { return };
    let references = shared.join("reference");
    let cases = std::fs::read_to_string(references.join("materials.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
    const SAMPLE: [&str; 12] = [
        "MetalRoughSpheresNoTextures.u",
        "ProbeOcclusion.u",
        "ProbeNormalGenerated.d",
        "TextureCoordinateTest.u",
        "AlphaBlendModeTest.d",
        "NegativeScaleTest.d",
        "ProbeClearcoat.d",
        "ProbeIridescence.u",
        "ProbeIorSpecular.d",
        "ProbeAnisotropy.d",
        "ProbeDiffuseTransmission.d",
        "ProbeSpecGloss.u",
    ];
    let name = |case: &Value| {
        format!("{}.{}", case["name"].as_str().unwrap(), case["lighting"].as_str().unwrap())
    };
    let sample: Vec<&Value> =
        cases.iter().filter(|case| SAMPLE.contains(&name(case).as_str())).collect();
    assert_eq!(sample.len(), SAMPLE.len());
    let folder = tempfile::tempdir().unwrap();
    let picture = |case: &Value| folder.path().join(format!("{}.png", name(case)));
    let pictures: Vec<Vec<String>> =
        sample.iter().map(|case| arguments(case, &shared, &picture(case))).collect();
    screenshots(&pictures).done();
    let ratios = for_each(&sample, |case| {
        let got = image::open(picture(case)).unwrap().to_rgb8();
        let want = image::open(references.join(case["picture"].as_str().unwrap())).unwrap();
        let (rmse, share) = difference(&want.to_rgb8(), &got);
        let most = |key: &str| case["tolerance"][key].as_f64().unwrap();
        (rmse / most("rmse")).max(share / most("share_visible"))
    });
    let told = |(case, ratio): (&&Value, &f64)| format!("{} {ratio:.2}", name(case));
    let list: Vec<String> = sample.iter().zip(&ratios).map(told).collect();
    say_at_the_end(format!("materials, of their tolerance: {}", list.join(", ")));
    assert!(ratios.iter().all(|ratio| *ratio <= 1.0), "{}", list.join(", "));
}

pub(super) fn run(folder: &Path, shape: Shape, args: &[&str]) -> Run {
    let args = shape.arguments(folder, "shape", args);
    rigview(std::iter::once("screenshot".to_owned()).chain(args))
}

/// Draws the shape without a background and a tone map, unless `args` set them.
pub(super) fn shot(folder: &Path, shape: Shape, args: &[&str]) -> DynamicImage {
    run(folder, shape, &plain(args)).done();
    image::open(folder.join("shape.png")).unwrap()
}

/// Draws shapes like [`shot`], all with the same arguments.
pub(super) fn shots(folder: &Path, shapes: &[Shape], args: &[&str]) -> Vec<DynamicImage> {
    let args = plain(args);
    let named = |(i, shape): (usize, &Shape)| shape.arguments(folder, &i.to_string(), &args);
    let pictures: Vec<Vec<String>> = shapes.iter().enumerate().map(named).collect();
    screenshots(&pictures).done();
    (0..shapes.len()).map(|i| image::open(folder.join(format!("{i}.png"))).unwrap()).collect()
}

fn plain<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let mut all = args.to_vec();
    for (option, value) in [("--tone-map", "none"), ("--background", "transparent")] {
        if !args.contains(&option) {
            all.extend([option, value]);
        }
    }
    all
}

pub(super) fn linear(byte: u8) -> f64 {
    let c = f64::from(byte) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Asserts that the middle of the picture has this radiance, to the precision of a byte.
#[track_caller]
fn assert_close(picture: &DynamicImage, light: [f64; 3], what: &str) {
    let found = picture.to_rgb8().get_pixel(100, 100).0;
    for (byte, want) in found.iter().zip(light) {
        let (low, high) = (linear(byte.saturating_sub(1)), linear(byte.saturating_add(1)));
        assert!((low..=high).contains(&want), "{what}: {found:?} for {light:?}");
    }
}

/// The command line of a case.
fn arguments(case: &Value, shared: &Path, out: &Path) -> Vec<String> {
    let mut args = case_arguments(case, &shared.join("models"));
    args.extend(["-o".into(), out.to_str().unwrap().into()]);
    args.push(format!("--environment=uniform:{}", case["environment"]));
    args.push(format!("--lights={}", case["lights"].as_str().unwrap()));
    if !case["light"].is_null() {
        args.push(format!("--light={}", numbers(&case["light"])));
    }
    args.extend(["--tone-map=none", "--background=#000000"].map(str::to_owned));
    args
}

/// The measure of `shared/reference/README.md`: both pictures are blurred with a box of three pixels; then root
/// mean square and the share of visible differences are taken over all pixels that are not black in both.
fn difference(a: &RgbImage, b: &RgbImage) -> (f64, f64) {
    assert_eq!(a.dimensions(), b.dimensions());
    let (a, b) = (blurred(a), blurred(b));
    let (mut sum, mut visible, mut counted) = (0.0, 0, 0);
    for (a, b) in a.iter().zip(&b) {
        if a.iter().chain(b).all(|c| *c <= 2.0 / 255.0) {
            continue;
        }
        let off = [0, 1, 2].map(|c| (a[c] - b[c]).abs());
        sum += off.iter().map(|d| d * d).sum::<f64>();
        visible += usize::from(off.iter().any(|d| *d > 0.08));
        counted += 1;
    }
    let n = f64::from(counted.max(1));
    ((sum / (3.0 * n)).sqrt(), visible as f64 / n)
}

fn blurred(picture: &RgbImage) -> Vec<[f64; 3]> {
    let (w, h) = picture.dimensions();
    let at = |x: i64, y: i64| {
        let x = x.clamp(0, i64::from(w) - 1) as u32;
        let y = y.clamp(0, i64::from(h) - 1) as u32;
        picture.get_pixel(x, y).0.map(|b| f64::from(b) / 255.0)
    };
    let mut out = Vec::with_capacity((w * h) as usize);
    for y in 0..i64::from(h) {
        for x in 0..i64::from(w) {
            let mut sum = [0.0; 3];
            for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
                let texel = at(x + dx, y + dy);
                (0..3).for_each(|c| sum[c] += texel[c] / 9.0);
            }
            out.push(sum);
        }
    }
    out
}

/// Interpolation makes an alpha of one a little smaller at some pixels.
#[test]
fn a_mask_draws_whole_what_has_the_alpha_of_its_cutoff() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out] = ["square.gltf", "square.png"].map(|name| folder.path().join(name));
    let seen = |alpha: f32, mode: &str| {
        let material = json!({"alphaMode": mode, "alphaCutoff": alpha,
            "pbrMetallicRoughness": {"baseColorFactor": [0.2, 0.8, 0.3, alpha]}});
        let model = SmallModel::new().paper().edit(|json| {
            for (key, value) in material.as_object().unwrap() {
                json["materials"][0][key] = value.clone();
            }
            if mode == "OPAQUE" {
                json["materials"][0].as_object_mut().unwrap().remove("alphaCutoff");
            }
        });
        model.write_gltf(&file);
        let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let view = ["--orbit", "35,25", "--size", "200x150", "--pass", "albedo"];
        rigview([&paths[..], &view].concat()).done();
        image::open(&out).unwrap().into_rgb8()
    };
    for alpha in [1.0, 0.7, 0.5] {
        let differing = seen(alpha, "MASK") != seen(alpha, "OPAQUE");
        assert!(!differing, "an alpha of {alpha} leaves holes");
    }
}
