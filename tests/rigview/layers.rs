//! Material layers that have no strength at rest and get it from a clip: each looks as if the file itself had
//! that strength.

use image::RgbaImage;
use rigview::import::{ImportOptions, Warning, WarningCode, load_bytes};
use serde_json::{Value, json};

use crate::support::{Shape, floats, screenshots};

/// A property of a material that a clip drives, and the rest of the material.
struct Case {
    /// The pointer relative to the material.
    pointer: &'static str,
    /// The material without the driven property.
    material: Value,
    /// The property's value after one second.
    to: &'static [f32],
}

fn cases() -> Vec<Case> {
    let case = |pointer, material: Value, to| Case { pointer, material, to };
    let dull = |extensions: Value| {
        json!({"pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.3,
            "baseColorFactor": [0.8, 0.7, 0.3, 1]}, "extensions": extensions})
    };
    let glass = |extensions: Value| {
        let mut material = dull(extensions);
        material["pbrMetallicRoughness"]["roughnessFactor"] = json!(0);
        material["extensions"]["KHR_materials_transmission"] = json!({"transmissionFactor": 1});
        material["extensions"]["KHR_materials_ior"] = json!({"ior": 1.6});
        material
    };
    vec![
        case(
            "/extensions/KHR_materials_transmission/transmissionFactor",
            dull(json!({"KHR_materials_transmission": {}})),
            &[1.0],
        ),
        case(
            "/extensions/KHR_materials_volume/thicknessFactor",
            glass(json!({"KHR_materials_volume":
                {"attenuationDistance": 0.5, "attenuationColor": [0.2, 0.9, 0.5]}})),
            &[1.0],
        ),
        case(
            "/extensions/KHR_materials_dispersion/dispersion",
            glass(json!({"KHR_materials_dispersion": {},
                "KHR_materials_volume": {"thicknessFactor": 1}})),
            &[8.0],
        ),
        case(
            "/extensions/KHR_materials_diffuse_transmission/diffuseTransmissionFactor",
            dull(json!({"KHR_materials_diffuse_transmission":
                {"diffuseTransmissionColorFactor": [0.1, 1, 0.1]}})),
            &[1.0],
        ),
        case(
            "/extensions/KHR_materials_clearcoat/clearcoatFactor",
            json!({"pbrMetallicRoughness": {"roughnessFactor": 1},
                "extensions": {"KHR_materials_clearcoat": {}}}),
            &[1.0],
        ),
        case(
            "/extensions/KHR_materials_sheen/sheenColorFactor",
            dull(json!({"KHR_materials_sheen": {"sheenRoughnessFactor": 0.5}})),
            &[0.1, 0.2, 1.0],
        ),
        case(
            "/extensions/KHR_materials_iridescence/iridescenceFactor",
            dull(json!({"KHR_materials_iridescence": {"iridescenceIor": 2.2}})),
            &[1.0],
        ),
        case(
            "/extensions/KHR_materials_anisotropy/anisotropyStrength",
            json!({"pbrMetallicRoughness": {"roughnessFactor": 0.4},
                "extensions": {"KHR_materials_anisotropy": {"anisotropyRotation": 0.5}}}),
            &[1.0],
        ),
        case("/emissiveFactor", dull(json!({})), &[0.2, 0.1, 0.6]),
        case(
            "/extensions/KHR_materials_specular/specularColorFactor",
            dull(json!({"KHR_materials_specular": {}})),
            &[0.0, 4.0, 4.0],
        ),
        case("/extensions/KHR_materials_ior/ior", dull(json!({"KHR_materials_ior": {}})), &[3.0]),
        case(
            "/pbrMetallicRoughness/metallicFactor",
            json!({"pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.4, 0.1, 1]}}),
            &[0.0],
        ),
    ]
}

#[test]
fn a_layer_looks_the_same_driven_and_stated() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let cases = cases();
    let mut shots = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let mut stated = file(&case.material);
        let (holder, key) = case.pointer.rsplit_once('/').unwrap();
        let value = if case.to.len() == 1 { json!(case.to[0]) } else { json!(case.to) };
        *stated["materials"][0].pointer_mut(holder).unwrap() = {
            let mut holder = stated["materials"][0].pointer(holder).unwrap().clone();
            holder[key] = value;
            holder
        };
        let files = [
            (driven(case), "at rest", "0"),
            (driven(case), "at end", "1"),
            (stated, "stated", "0"),
            (file(&case.material), "plain", "0"),
        ];
        for (file, name, time) in files {
            let [model, out] = ["gltf", "png"].map(|ending| path(&format!("{i} {name}.{ending}")));
            let text = file.to_string();
            let warnings =
                load_bytes(text.clone().into(), &ImportOptions::default()).unwrap().warnings;
            // The mesh has no tangents: the direction of anisotropy follows the texture coordinates.
            let is_known = |warning: &Warning| {
                warning.is_hint() || warning.code == WarningCode::TangentMissing
            };
            assert!(warnings.iter().all(is_known), "{}: {warnings:?}", case.pointer);
            std::fs::write(&model, text).unwrap();
            // Occlusion and shadow are filtered on opaque surfaces and sampled on those that light may go through, so
            // that a penumbra has other noise: this light casts no shadow.
            let view = ["--size", "64x64", "--eye", "0,1,4", "--target", "0,0,0", "--time", time];
            let view = view.into_iter().chain(["--light=0.30,-0.78,-0.62"]).map(str::to_owned);
            shots.push([model, "-o".to_owned(), out].into_iter().chain(view).collect());
        }
    }
    screenshots(&shots).done();
    for (i, case) in cases.iter().enumerate() {
        let shot = |name: &str| image::open(path(&format!("{i} {name}.png"))).unwrap().into_rgba8();
        let [at_rest, at_end] = [shot("at rest"), shot("at end")];
        let (away, off) = (most(&at_rest, &at_end), most(&at_end, &shot("stated")));
        assert!(away > 20, "{}: it changes by {away}", case.pointer);
        assert!(off <= 1, "{}: off by {off}", case.pointer);
        let off = most(&at_rest, &shot("plain"));
        assert!(off <= 1, "{}: off by {off} at rest", case.pointer);
    }
}

/// Returns the largest difference between two pictures in a channel of a pixel.
fn most(a: &RgbaImage, b: &RgbaImage) -> u8 {
    a.as_raw().iter().zip(b.as_raw()).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

/// A ball of a material in front of a small red one that emits light.
fn file(material: &Value) -> Value {
    let ball = Shape::ball().material(material.clone()).gltf();
    let mut file: Value = serde_json::from_slice(&ball).unwrap();
    let mut other = file["meshes"][0].clone();
    other["primitives"][0]["material"] = json!(1);
    file["meshes"].as_array_mut().unwrap().push(other);
    let red = json!({"emissiveFactor": [1, 0.1, 0], "pbrMetallicRoughness": {"metallicFactor": 0}});
    file["materials"].as_array_mut().unwrap().push(red);
    let place = [0.3, 0.2, -1.8];
    let behind = json!({"mesh": 1, "translation": place, "scale": [0.5, 0.5, 0.5]});
    file["nodes"].as_array_mut().unwrap().push(behind);
    file["scenes"][0]["nodes"] = json!([0, 1]);
    file
}

/// The same with a clip of one second from the property's default to the case's value.
fn driven(case: &Case) -> Value {
    let mut file = file(&case.material);
    let from = match case.pointer.rsplit_once('/').unwrap().1 {
        "ior" => [1.5; 3],
        "metallicFactor" | "specularColorFactor" => [1.0; 3],
        _ => [0.0; 3],
    };
    let width = case.to.len();
    let input = floats(&mut file, "SCALAR", &[0.0, 1.0]);
    let shape = if width == 1 { "SCALAR" } else { "VEC3" };
    let output = floats(&mut file, shape, &[&from[..width], case.to].concat());
    let pointer = format!("/materials/0{}", case.pointer);
    let target = json!({"path": "pointer", "extensions":
        {"KHR_animation_pointer": {"pointer": pointer}}});
    file["animations"] = json!([{"channels": [{"sampler": 0, "target": target}],
        "samplers": [{"input": input, "output": output}]}]);
    let mut used = file["extensionsUsed"].as_array().cloned().unwrap_or_default();
    used.push(json!("KHR_animation_pointer"));
    file["extensionsUsed"] = json!(used);
    file
}
