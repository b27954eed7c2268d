//! Materials on the GPU, by values that can be worked out by hand and against the references of other
//! renderers.

use std::path::Path;

use image::{DynamicImage, RgbImage};
use rigview::import::{ImportOptions, load_bytes};
use rigview::render::{AdapterChoice, Features, Gpu, GpuModel, TextureLimits};
use serde_json::{Value, json};

use crate::support::{Run, Shape, for_each, rigview, say_at_the_end, shared};

/// White bodies of every kind and roughness are not to be told from light that is the same from
/// everywhere.
#[test]
fn a_white_body_in_a_white_furnace_cannot_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    for metallic in [0.0, 0.5, 1.0] {
        for roughness in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0] {
            let material = json!({"pbrMetallicRoughness":
                {"metallicFactor": metallic, "roughnessFactor": roughness}});
            let ball = Shape::ball().material(material);
            let picture = shot(folder.path(), ball, &["--environment", "uniform:0.5"]);
            let (least, most) = light_range(&picture);
            let what = format!("metallic {metallic}, roughness {roughness}: {least} to {most}");
            assert!(least > 0.49 && most < 0.51, "{what}");
        }
    }
}

/// Its upper two rows are metals and dielectrics of all roughnesses; the last row is black.
#[test]
fn the_furnace_of_the_references_stays_white() {
    let Some(shared) = shared("the_furnace_of_the_references_stays_white") else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("furnace.png");
    let model = shared.join("models/Probes/ProbeFurnace/ProbeFurnace.glb");
    let paths = ["screenshot", model.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let args = "--size 512x512 --background transparent --tone-map none --lights none --orbit 0,0 --orthographic 7";
    let args = args.split(' ').chain(["--environment", "uniform:0.5"]);
    rigview(paths.into_iter().chain(args)).done();
    let upper = image::open(out).unwrap().crop_imm(0, 0, 512, 288);
    let (least, most) = light_range(&upper);
    assert!(least > 0.49 && most < 0.51, "{least} to {most}");
}

/// Without a difference of densities nothing is reflected, and what is left is Lambert's law.
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

/// A mirror gives back what it mirrors times its colour, whatever the light.
#[test]
fn a_smooth_metal_mirrors_with_its_colour() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({"pbrMetallicRoughness":
        {"baseColorFactor": [0.9, 0.5, 0.2, 1], "roughnessFactor": 0}});
    let square = Shape::square().material(material);
    let picture = shot(folder.path(), square, &["--environment", "uniform:0.6"]);
    assert_close(&picture, [0.54, 0.3, 0.12], "mirror");
}

/// Facing it, varnish reflects 4 % of the light.
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

/// Thin clear glass without reflections shows what is behind it as it is: here the background.
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

/// The passes of a material's values show its textures times its factors.
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

/// A normal map that leans to the right turns a square that faces +Z towards +X, whichever of the
/// ways to find tangents it takes.
#[test]
fn a_normal_map_leans_the_way_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let material = json!({"normalTexture": {"index": 0}});
    // 45 degrees about the vertical: red for +X, blue for +Z.
    for shape in [Shape::square(), Shape::square().without("NORMAL")] {
        let square = shape.material(material.clone()).texture([218, 128, 218, 255]);
        let picture = shot(folder.path(), square, &["--pass", "normal"]).to_rgb8();
        let found = picture.get_pixel(100, 100).0;
        let off = found.iter().zip([218, 128, 218]).map(|(a, b)| a.abs_diff(b)).max();
        assert!(off <= Some(1), "{found:?}");
    }
}

/// Every texture slot with a picture that is missing, and with one of a single pixel: a picture all
/// the same, and a word where something is missing.
#[test]
fn missing_and_tiny_textures_still_make_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let whole = everything();
    let tiny = Shape::square().material(whole.clone()).texture([255, 128, 128, 255]);
    let run = run(folder.path(), tiny, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.ended());
    let missing = Shape::square().material(whole).missing_texture();
    let run = self::run(folder.path(), missing, &[]);
    assert_eq!(run.code, Some(0), "{}", run.ended());
    assert!(run.stderr.contains("image 0"), "{}", run.stderr);
}

/// Pictures larger than an adapter takes are scaled down, and of more textures than it binds the last
/// are left out; the picture is drawn, and nothing is refused.
#[test]
fn an_adapter_that_takes_little_still_draws() {
    let gpu = gpu();
    let square = Shape::square().material(everything()).sized_texture(64, [200, 128, 250, 255]);
    let model = load_bytes(square.gltf(), &ImportOptions::default()).unwrap().model;
    for limits in [TextureLimits { count: 20, side: 4 }, TextureLimits { count: 3, side: 64 }] {
        let uploaded = GpuModel::with_limits(&gpu, &model, limits);
        assert!(uploaded.features().slots().count() <= limits.count);
        gpu.check().unwrap();
    }
    let all = Features::of(&model.materials[0]);
    assert_eq!(all.slots().count(), 19, "the test's material reads all textures of its model");
    let kept: Vec<_> = all.limited(3).slots().map(|slot| slot.name()).collect();
    assert_eq!(kept, ["baseColorTexture", "normalTexture", "metallicRoughnessTexture"]);
}

/// A sample of the pictures of other renderers, by the measure that the references state.
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
    let ratios = for_each(&sample, |case| {
        let out = folder.path().join(format!("{}.png", name(case)));
        rigview(arguments(case, &shared, &out)).done();
        let got = image::open(&out).unwrap().to_rgb8();
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

fn gpu() -> Gpu {
    let software = cfg!(target_os = "linux").then(|| "software".to_owned());
    Gpu::headless(&AdapterChoice { adapter: software, backend: None }).unwrap()
}

/// A material that reads every texture there is but those of specular-glossiness, all the same one.
fn everything() -> Value {
    let t = || json!({"index": 0});
    json!({
        "pbrMetallicRoughness": {"baseColorTexture": t(), "metallicRoughnessTexture": t()},
        "normalTexture": t(), "occlusionTexture": t(), "emissiveTexture": t(),
        "emissiveFactor": [0.1, 0.1, 0.1],
        "extensions": {
            "KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatTexture": t(),
                "clearcoatRoughnessTexture": t(), "clearcoatNormalTexture": t()},
            "KHR_materials_sheen": {"sheenColorFactor": [1, 1, 1], "sheenColorTexture": t(),
                "sheenRoughnessTexture": t()},
            "KHR_materials_specular": {"specularTexture": t(), "specularColorTexture": t()},
            "KHR_materials_iridescence": {"iridescenceFactor": 1, "iridescenceTexture": t(),
                "iridescenceThicknessTexture": t()},
            "KHR_materials_anisotropy": {"anisotropyStrength": 1, "anisotropyTexture": t()},
            "KHR_materials_transmission": {"transmissionFactor": 0.5, "transmissionTexture": t()},
            "KHR_materials_volume": {"thicknessFactor": 1, "thicknessTexture": t()},
            "KHR_materials_dispersion": {"dispersion": 1},
            "KHR_materials_diffuse_transmission": {"diffuseTransmissionFactor": 1,
                "diffuseTransmissionTexture": t(), "diffuseTransmissionColorTexture": t()},
        },
    })
}

fn run(folder: &Path, shape: Shape, args: &[&str]) -> Run {
    let (file, out) = (folder.join("shape.gltf"), folder.join("shape.png"));
    std::fs::write(&file, shape.gltf()).unwrap();
    let paths = ["screenshot", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let view = ["--size", "200x200", "--orbit", "0,0", "--orthographic", "4", "--lights", "none"];
    rigview([&paths[..], &view, args].concat())
}

/// The shape in the middle of a picture without a background or a tone map, unless `args` say more.
fn shot(folder: &Path, shape: Shape, args: &[&str]) -> DynamicImage {
    let mut all = args.to_vec();
    for (option, value) in [("--tone-map", "none"), ("--background", "transparent")] {
        if !args.contains(&option) {
            all.extend([option, value]);
        }
    }
    run(folder, shape, &all).done();
    image::open(folder.join("shape.png")).unwrap()
}

fn linear(byte: u8) -> f64 {
    let c = f64::from(byte) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// The least and the most light of all pixels that are wholly covered.
fn light_range(picture: &DynamicImage) -> (f64, f64) {
    let picture = picture.to_rgba8();
    let covered = picture.pixels().filter(|p| p.0[3] == 255);
    let light: Vec<f64> = covered.flat_map(|p| p.0[..3].to_vec()).map(linear).collect();
    assert!(light.len() > 3 * 2000, "{} values", light.len());
    let fold = |of: fn(f64, f64) -> f64, start| light.iter().copied().fold(start, of);
    (fold(f64::min, f64::INFINITY), fold(f64::max, 0.0))
}

/// The middle of the picture has this light, to what a byte can tell.
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
    let model = shared.join("models").join(case["model"].as_str().unwrap());
    let list = |key: &str| {
        let numbers = case[key].as_array().unwrap().iter();
        numbers.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let mut args = vec!["screenshot".to_owned(), model.to_str().unwrap().to_owned()];
    args.extend(["-o".into(), out.to_str().unwrap().into()]);
    args.extend(["--size".into(), format!("{}x{}", case["width"], case["height"])]);
    if case["camera"].is_null() {
        args.extend(["eye", "target", "up"].map(|key| format!("--{key}={}", list(key))));
        for (name, key) in [("fov-y", "fov_y_deg"), ("near", "near"), ("far", "far")] {
            args.push(format!("--{name}={}", case[key]));
        }
    } else {
        args.push(format!("--camera={}", case["camera"]));
    }
    args.push(format!("--environment=uniform:{}", case["environment"]));
    args.push(format!("--lights={}", case["lights"].as_str().unwrap()));
    if !case["light"].is_null() {
        args.push(format!("--light={}", list("light")));
    }
    args.extend(["--tone-map=none", "--background=#000000"].map(str::to_owned));
    if case["clip"].is_null() {
        args.push("--rest".into());
    } else {
        args.extend([format!("--clip={}", case["clip"]), format!("--time={}", case["time"])]);
    }
    args
}

/// As `shared/reference/README.md` has it: both blurred by a box of three pixels, then root mean
/// square and the share of visible differences, over what is not black in both.
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
