//! Materials: Lambert, Phong and the physical materials of Maya and 3ds Max to metallic-roughness. ufbx maps
//! their properties to common names.

use serde_json::{Value, json};
use ufbx::{Material, MaterialMap, Scene, ShaderType};

use super::scene::finite;
use super::texture::Textures;
use crate::import::draft::Draft;
use crate::import::fault::{ImportError, Warnings};
use crate::import::uri::Folder;
use crate::import::warning_code::WarningCode;

/// Opacity from which on a material counts as opaque.
const OPAQUE: f32 = 0.999;

/// Appends all materials; the index in the document is the FBX material's typed ID.
pub(super) fn write(
    scene: &Scene,
    folder: &Folder,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    let mut textures = Textures::new(scene, folder);
    for material in &scene.materials {
        let item = convert(material, &mut textures, draft, warnings)?;
        draft.push("materials", item);
    }
    Ok(())
}

/// Returns a material for surfaces without one: matt and light grey.
pub(super) fn plain() -> Value {
    let color = [0.8, 0.8, 0.8, 1.0];
    json!({
        "name": "plain",
        "pbrMetallicRoughness": { "baseColorFactor": color, "metallicFactor": 0.0 },
        "doubleSided": true,
    })
}

fn convert(
    material: &Material,
    textures: &mut Textures,
    draft: &mut Draft,
    warnings: &mut Warnings,
) -> Result<Value, ImportError> {
    let pbr = &material.pbr;
    let mut texture = |map: &MaterialMap| match &map.texture {
        Some(texture) if map.texture_enabled => {
            textures.reference(texture, material, draft, warnings)
        }
        _ => Ok(None),
    };
    let base = texture(&pbr.base_color)?;
    let normal = texture(&pbr.normal_map)?;
    let emission = texture(&pbr.emission_color)?;
    let occlusion = texture(&pbr.ambient_occlusion)?;

    let opacity = opacity(material);
    // A texture takes the place of the colour.
    let mut color = match &base {
        Some(_) => [1.0; 4],
        None => {
            let factor = number(&pbr.base_factor, 1.0);
            let [r, g, b] = rgb(&pbr.base_color, 0.8);
            [r * factor, g * factor, b * factor, 1.0].map(|x: f32| x.clamp(0.0, 1.0))
        }
    };
    color[3] = opacity;
    let mut metallic_roughness = json!({
        "baseColorFactor": color,
        "metallicFactor": number(&pbr.metalness, 0.0).clamp(0.0, 1.0),
        "roughnessFactor": roughness(material),
    });
    let is_cut_out = base.is_some() && same_texture(&pbr.opacity, &pbr.base_color);
    if let Some(base) = base {
        metallic_roughness["baseColorTexture"] = base;
    }
    let mut out = json!({
        "name": &*material.element.name,
        "pbrMetallicRoughness": metallic_roughness,
        // FBX draws both sides.
        "doubleSided": true,
    });
    if opacity < OPAQUE || is_cut_out {
        out["alphaMode"] = "BLEND".into();
    }
    if let Some(normal) = normal {
        out["normalTexture"] = normal;
    }
    if let Some(occlusion) = occlusion {
        out["occlusionTexture"] = occlusion;
    }
    let strength = number(&pbr.emission_factor, 1.0).max(0.0);
    let glow = match &emission {
        Some(_) => [strength; 3],
        None => rgb(&pbr.emission_color, 0.0).map(|x| x.max(0.0) * strength),
    };
    let most = glow.iter().copied().fold(0.0, f32::max);
    if most > 1.0 {
        let name = draft.uses("KHR_materials_emissive_strength");
        out["extensions"] = json!({ name: { "emissiveStrength": most } });
    }
    if most > 0.0 {
        out["emissiveFactor"] = json!(glow.map(|x| x / most.max(1.0)));
        if let Some(emission) = emission {
            out["emissiveTexture"] = emission;
        }
    }
    if material.features.unlit.enabled {
        let name = draft.uses("KHR_materials_unlit");
        out["extensions"][name] = json!({});
    }
    warn(material, is_cut_out, warnings);
    Ok(out)
}

/// Lists the textures that are not shown.
fn warn(material: &Material, is_cut_out: bool, warnings: &mut Warnings) {
    let pbr = &material.pbr;
    let shown = [
        (&pbr.roughness, "roughness"),
        (&pbr.glossiness, "glossiness"),
        (&pbr.metalness, "metalness"),
        (&pbr.specular_color, "specular colour"),
        (&pbr.displacement_map, "displacement"),
        (&material.fbx.bump, "bump"),
    ];
    let mut left_out: Vec<&str> = shown
        .iter()
        .filter(|(map, _)| map.texture.is_some() && map.texture_enabled)
        .map(|(_, name)| *name)
        .collect();
    if pbr.opacity.texture.is_some() && !is_cut_out {
        left_out.push("opacity");
    }
    // ufbx lists a normal map that is connected as a bump map in both places.
    if same_texture(&material.fbx.bump, &pbr.normal_map) {
        left_out.retain(|name| *name != "bump");
    }
    if !left_out.is_empty() {
        let name = &*material.element.name;
        let message =
            format!("material \"{name}\": textures for {} are not shown", left_out.join(", "));
        warnings.add(WarningCode::NotShown, "", message);
    }
}

/// Returns the perceptual roughness. Phong's exponent is that of a lobe of about the same width.
fn roughness(material: &Material) -> f32 {
    let pbr = &material.pbr;
    let exponent = &material.fbx.specular_exponent;
    let is_phong = matches!(
        material.shader_type,
        ShaderType::FbxPhong | ShaderType::Unknown | ShaderType::WavefrontMtl
    );
    let roughness = match () {
        () if material.shader_type == ShaderType::FbxLambert => 1.0,
        () if is_phong && exponent.has_value => {
            (2.0 / (number(exponent, 0.0).max(0.0) + 2.0)).powf(0.25)
        }
        () if material.features.roughness_as_glossiness.enabled => {
            1.0 - number(&pbr.glossiness, 0.5)
        }
        () => number(&pbr.roughness, 1.0),
    };
    roughness.clamp(0.0, 1.0)
}

/// Returns the opacity, from 0 to 1.
fn opacity(material: &Material) -> f32 {
    let [r, g, b] = rgb(&material.pbr.opacity, 1.0);
    let mean = match material.pbr.opacity.value_components {
        3.. => (r + g + b) / 3.0,
        _ => r,
    };
    mean.clamp(0.0, 1.0)
}

fn same_texture(a: &MaterialMap, b: &MaterialMap) -> bool {
    let file = |map: &MaterialMap| {
        let texture = map.texture.as_ref()?;
        Some(texture.file_textures.into_iter().next()?.file_index)
    };
    file(a).is_some() && file(a) == file(b)
}

fn number(map: &MaterialMap, default: f32) -> f32 {
    if map.has_value { finite(map.value_vec4.x, &mut 0) } else { default }
}

fn rgb(map: &MaterialMap, default: f32) -> [f32; 3] {
    let value = map.value_vec4;
    match map.has_value {
        true => [value.x, value.y, value.z].map(|x| finite(x, &mut 0)),
        false => [default; 3],
    }
}
