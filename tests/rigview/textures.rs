//! Materials with missing, tiny, too large or too many textures: they give a picture and a warning, and no
//! error of wgpu.

use std::path::Path;

use rigview::capture::{Picture, picture, session};
use rigview::import::{ImportOptions, load_bytes};
use rigview::look::{Look, Pass};
use rigview::render::{Features, Gpu, TextureLimits};
use rigview::session::{FileSource, SessionOptions};
use serde_json::{Value, json};

use crate::support::{Run, Shape, adapter_choice, rigview};

/// Draws a shape.
fn run(folder: &Path, shape: &Shape) -> Run {
    let args = shape.arguments(folder, "shape", &[]);
    rigview(std::iter::once("screenshot".to_owned()).chain(args))
}

/// Every texture slot, once with a missing image and once with an image of one pixel, gives a picture. A missing
/// image gives a warning.
#[test]
fn missing_and_tiny_textures_still_make_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let whole = everything();
    let tiny = Shape::square().material(whole.clone()).texture([255, 128, 128, 255]);
    let run = run(folder.path(), &tiny);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.ended());
    let missing = Shape::square().material(whole).missing_texture();
    let run = self::run(folder.path(), &missing);
    assert_eq!(run.code, Some(0), "{}", run.ended());
    assert!(run.stderr.contains("image 0"), "{}", run.stderr);
}

/// On a device with low limits, larger images are scaled down, and texture slots beyond the limit are left out
/// from the last one on, without an error of wgpu.
#[test]
fn an_adapter_that_takes_little_still_draws() {
    let gpu = Gpu::headless_within(&adapter_choice(), |limits| wgpu::Limits {
        max_texture_dimension_2d: 4096,
        max_sampled_textures_per_shader_stage: 16,
        max_samplers_per_shader_stage: 16,
        ..limits
    });
    let gpu = gpu.unwrap();
    assert_eq!(TextureLimits::new(&gpu), TextureLimits { count: 10, side: 4096 });
    let wide = || Shape::square().wide_texture(16384, 3, [200, 128, 250, 255]);
    let plain = json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
    for (material, pass, want) in [
        (plain, Pass::Albedo, Some([200, 128, 250])),
        (everything(), Pass::Albedo, Some([200, 128, 250])),
        (everything(), Pass::Shaded, None),
    ] {
        let loaded = load_bytes(wide().material(material).gltf(), &ImportOptions::default());
        let look = Look { pass, ..Look::default() };
        let options = SessionOptions { look, ..SessionOptions::default() };
        let source = FileSource::BuiltIn { name: "wide", bytes: &[] };
        let mut session = session(source, loaded.unwrap(), options);
        let Picture::Rgba8 { bytes, .. } = picture(&gpu, &mut session, [64, 64]).unwrap() else {
            panic!("not a colour picture")
        };
        gpu.check().unwrap();
        let middle = &bytes[4 * (32 * 64 + 32)..][..4];
        let background = &bytes[..4];
        assert_ne!(middle, background, "{pass:?}");
        if let Some(want) = want {
            let off = middle.iter().zip(want).map(|(a, b)| a.abs_diff(b)).max();
            assert!(off <= Some(1), "{pass:?}: {middle:?}");
        }
    }
    let model = load_bytes(wide().material(everything()).gltf(), &ImportOptions::default());
    let all = Features::needed_by(&model.unwrap().model.materials[0]);
    assert_eq!(all.slots().count(), 19, "the test's material reads all textures of its model");
    let kept: Vec<_> = all.limited(3).slots().map(|slot| slot.name()).collect();
    assert_eq!(kept, ["baseColorTexture", "normalTexture", "metallicRoughnessTexture"]);
}

/// Every kind of material with factors only, with unreadable textures and with textures of one pixel gives a
/// picture, without an error of wgpu.
#[test]
fn every_kind_of_material_makes_a_picture_whatever_its_textures() {
    let folder = tempfile::tempdir().unwrap();
    let whole = everything();
    let kinds = whole["extensions"].as_object().unwrap();
    let mut materials: Vec<(String, Value)> = kinds
        .iter()
        .map(|(name, extension)| (name.clone(), json!({"extensions": {name: extension}})))
        .collect();
    let shine = json!({"diffuseTexture": {"index": 0}, "specularGlossinessTexture": {"index": 0}});
    let shine = json!({"extensions": {"KHR_materials_pbrSpecularGlossiness": shine}});
    materials.push(("specular-glossiness".into(), shine));
    materials.push((
        "unlit".into(),
        json!({"extensions": {"KHR_materials_unlit": {}},
        "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}),
    ));
    for mode in ["OPAQUE", "MASK", "BLEND"] {
        let mut core = whole.clone();
        core.as_object_mut().unwrap().remove("extensions");
        core["alphaMode"] = json!(mode);
        materials.push((mode.into(), core));
    }
    for (name, material) in &materials {
        let square = || Shape::square().material(material.clone());
        let reads = material.to_string().contains("\"index\"");
        let tiny = run(folder.path(), &square().texture([255, 128, 128, 255]));
        assert_eq!(tiny.code, Some(0), "{name}: {}", tiny.ended());
        // The square has no tangents.
        let needs_tangents = ["KHR_materials_anisotropy", "KHR_materials_clearcoat"];
        let told = tiny.stderr.lines().filter(|line| line.contains("needs TANGENT")).count();
        assert_eq!(tiny.stderr.lines().count(), told, "{name}: {}", tiny.stderr);
        assert_eq!(told, usize::from(needs_tangents.contains(&name.as_str())), "{name}");
        let missing = run(folder.path(), &square().missing_texture());
        assert_eq!(missing.code, Some(0), "{name}: {}", missing.ended());
        assert!(!reads || missing.stderr.contains("image 0"), "{name}: {}", missing.stderr);
    }
}

/// A material that uses one texture in every slot except those of specular-glossiness.
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

/// Leaves and dots cover as much of a small picture as of a large one.
#[test]
fn what_an_alpha_mask_leaves_is_as_much_in_small_pictures() {
    const SIDE: u32 = 512;
    let leaf = |x: u32, y: u32| {
        let (x, y) = (x / 4, y / 4);
        let mixed =
            (x.wrapping_mul(0x9e37_79b9) ^ y.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0xc2b2_ae35);
        (mixed >> 16) & 0xff < 77
    };
    let dot = |x: u32, y: u32| (x % 8).pow(2) + (y % 8).pow(2) < 20;
    let patterns: [&dyn Fn(u32, u32) -> bool; 2] = [&leaf, &dot];
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("leaves.gltf"), folder.path().join("leaves.png"));
    let [file_path, out_path] = [&file, &out].map(|path| path.to_str().unwrap());
    for is_drawn in patterns {
        let texels = (0..SIDE * SIDE).map(|i| is_drawn(i % SIDE, i / SIDE));
        let share = texels.clone().filter(|drawn| *drawn).count() as f64 / f64::from(SIDE * SIDE);
        let rgba: Vec<u8> = texels.flat_map(|d| [255, 255, 255, if d { 255 } else { 0 }]).collect();
        let mut picture = Vec::new();
        let mut encoder = png::Encoder::new(&mut picture, SIDE, SIDE);
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header().unwrap().write_image_data(&rgba).unwrap();
        let material = json!({"alphaMode": "MASK", "doubleSided": true,
            "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0}});
        std::fs::write(&file, Shape::square().material(material).picture(&picture).gltf()).unwrap();
        // The square is half as high as the view.
        let seen = || {
            let drawn = image::open(&out).unwrap().into_rgba8();
            let alphas = drawn.pixels().map(|p| f64::from(p.0[3]) / 255.0).sum::<f64>();
            alphas / f64::from(drawn.width() * drawn.height() / 4)
        };
        let draw = |size: &str| {
            let paths = ["screenshot", file_path, "-o", out_path, "--size", size];
            let view = ["--orbit", "0,0", "--orthographic", "4", "--pass", "albedo"];
            rigview([&paths[..], &view, &["--background", "transparent"]].concat()).done();
            seen()
        };
        for size in ["1024x1024", "256x256", "64x64", "32x32"] {
            let found = draw(size);
            assert!((found / share - 1.0).abs() < 0.35, "{size}: {found}, not {share}");
        }
    }
}
