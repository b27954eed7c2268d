//! The white furnace test: in light that is the same from all directions, a body that reflects all of it is
//! invisible.

use image::DynamicImage;
use serde_json::json;

use crate::materials::{linear, shots};
use crate::support::{Shape, rigview, shared};

/// White bodies of every kind and roughness are invisible.
#[test]
fn a_white_body_in_a_white_furnace_cannot_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let roughnesses = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0];
    let kinds = [0.0, 0.5, 1.0].map(|metallic| roughnesses.map(|roughness| (metallic, roughness)));
    let kinds = kinds.concat();
    let ball = |(metallic, roughness): &(f64, f64)| {
        Shape::ball().material(json!({"pbrMetallicRoughness":
            {"metallicFactor": metallic, "roughnessFactor": roughness}}))
    };
    let balls: Vec<Shape> = kinds.iter().map(ball).collect();
    let pictures = shots(folder.path(), &balls, &["--environment", "uniform:0.5"]);
    for ((metallic, roughness), picture) in kinds.iter().zip(&pictures) {
        let (least, most) = light_range(picture);
        let what = format!("metallic {metallic}, roughness {roughness}: {least} to {most}");
        assert!(least > 0.49 && most < 0.51, "{what}");
    }
}

/// The upper two rows of the model are metals and dielectrics of all roughnesses; the last row is black.
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

/// With any layers, a white body reflects some light, and no more than it receives.
#[test]
fn no_layer_makes_light() {
    let folder = tempfile::tempdir().unwrap();
    let layers = [
        ("transmission", json!({"KHR_materials_transmission": {"transmissionFactor": 1}})),
        (
            "volume",
            json!({
                "KHR_materials_transmission": {"transmissionFactor": 1},
                "KHR_materials_volume": {"thicknessFactor": 0.5}, "KHR_materials_ior": {"ior": 1.8},
                "KHR_materials_dispersion": {"dispersion": 2},
            }),
        ),
        (
            "a thin film",
            json!({"KHR_materials_iridescence":
            {"iridescenceFactor": 1, "iridescenceThicknessMaximum": 150}}),
        ),
        (
            "a film",
            json!({"KHR_materials_iridescence":
            {"iridescenceFactor": 1, "iridescenceIor": 2, "iridescenceThicknessMaximum": 420}}),
        ),
        (
            "a film on glass",
            json!({"KHR_materials_iridescence": {"iridescenceFactor": 1},
            "KHR_materials_transmission": {"transmissionFactor": 1}}),
        ),
        (
            "anisotropy",
            json!({"KHR_materials_anisotropy":
            {"anisotropyStrength": 1, "anisotropyRotation": 0.7}}),
        ),
        (
            "diffuse transmission",
            json!({"KHR_materials_diffuse_transmission": {"diffuseTransmissionFactor": 0.6}}),
        ),
        (
            "sheen",
            json!({"KHR_materials_sheen":
            {"sheenColorFactor": [1, 1, 1], "sheenRoughnessFactor": 0.4}}),
        ),
        ("ior 0", json!({"KHR_materials_ior": {"ior": 0}})),
    ];
    let (mut names, mut balls) = (Vec::new(), Vec::new());
    for (name, extensions) in layers {
        for metallic in [0.0, 1.0] {
            for roughness in [0.0, 0.4, 1.0] {
                balls.push(Shape::ball().material(json!({"extensions": extensions,
                    "pbrMetallicRoughness":
                        {"metallicFactor": metallic, "roughnessFactor": roughness}})));
                names.push(format!("{name}, metallic {metallic}, roughness {roughness}"));
            }
        }
    }
    // A radiance of 0.5 from all directions and in the background.
    let args = ["--environment", "uniform:0.5", "--background", "#bcbcbc"];
    for (name, picture) in names.iter().zip(shots(folder.path(), &balls, &args)) {
        let (least, most) = light_range(&picture);
        assert!(most < 0.51, "{name}: up to {most}");
        // A result that is not a number would be black.
        assert!(least > 0.02, "{name}: down to {least}");
        // A thin film removes some colours; no other layer here absorbs light.
        if !name.contains("film") {
            assert!(least > 0.49, "{name}: down to {least}");
        }
    }
}

/// Returns the minimum and the maximum radiance of all completely covered pixels.
fn light_range(picture: &DynamicImage) -> (f64, f64) {
    let picture = picture.to_rgba8();
    let covered = picture.pixels().filter(|p| p.0[3] == 255);
    let light: Vec<f64> = covered.flat_map(|p| p.0[..3].to_vec()).map(linear).collect();
    assert!(light.len() > 3 * 2000, "{} values", light.len());
    let fold = |of: fn(f64, f64) -> f64, start| light.iter().copied().fold(start, of);
    (fold(f64::min, f64::INFINITY), fold(f64::max, 0.0))
}
