//! Materials: the metallic-roughness model, and numbers clamped to the range that glTF gives them. `material_extensions`
//! reads the extensions.

use std::collections::BTreeSet;

use super::fault::{ImportError, Warnings};
use super::texture::texture;
use super::{material_extensions, pointer};
use rigview_document::{At, Document};
use rigview_model::{AlphaMode, Material, TextureSlot, WarningCode, quoted};

/// Reads all materials.
pub(super) fn read(
    document: &Document,
    warnings: &mut Warnings,
) -> Result<Vec<Material>, ImportError> {
    let driven = pointer::of_materials(document);
    document.list("materials")?.iter().map(|at| material(at, &driven, warnings)).collect()
}

fn material(
    at: &At,
    driven: &BTreeSet<&str>,
    warnings: &mut Warnings,
) -> Result<Material, ImportError> {
    let mut material = Material { name: at.name()?, ..Material::default() };
    if let Some(pbr) = at.get("pbrMetallicRoughness") {
        pbr.object()?;
        metallic_roughness(&pbr, &mut material, warnings)?;
    }
    if let Some(normal) = at.get("normalTexture") {
        material.normal_scale = normal.number_at("scale")?.unwrap_or(1.0);
    }
    texture(at, TextureSlot::Normal, &mut material, warnings)?;
    if let Some(occlusion) = at.get("occlusionTexture")
        && let Some(strength) = fraction(&occlusion, "strength", warnings)?
    {
        material.occlusion_strength = strength;
    }
    texture(at, TextureSlot::Occlusion, &mut material, warnings)?;
    material.emissive = fractions::<3>(at, "emissiveFactor", warnings)?.unwrap_or([0.0; 3]);
    texture(at, TextureSlot::Emissive, &mut material, warnings)?;
    material.alpha_mode = alpha_mode(at, warnings)?;
    material.double_sided = at.flag("doubleSided")?;
    material_extensions::read(at, &mut material, driven, warnings)?;
    Ok(material)
}

fn metallic_roughness(
    at: &At,
    material: &mut Material,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    material.base_color = fractions::<4>(at, "baseColorFactor", warnings)?.unwrap_or([1.0; 4]);
    texture(at, TextureSlot::BaseColor, material, warnings)?;
    material.metallic = fraction(at, "metallicFactor", warnings)?.unwrap_or(1.0);
    material.roughness = fraction(at, "roughnessFactor", warnings)?.unwrap_or(1.0);
    texture(at, TextureSlot::MetallicRoughness, material, warnings)
}

fn alpha_mode(at: &At, warnings: &mut Warnings) -> Result<AlphaMode, ImportError> {
    let cutoff = at.number_at("alphaCutoff")?.unwrap_or(0.5);
    if cutoff < 0.0 {
        let message = format!("alphaCutoff {cutoff} is below 0");
        warnings.add_at(at, WarningCode::FactorRange, message);
    }
    match at.text_at("alphaMode")?.unwrap_or("OPAQUE") {
        "OPAQUE" => Ok(AlphaMode::Opaque),
        "MASK" => Ok(AlphaMode::Mask { cutoff }),
        "BLEND" => Ok(AlphaMode::Blend),
        other => {
            let message = format!("alphaMode {} is unknown: read as OPAQUE", quoted(other));
            warnings.add_at(at, WarningCode::AlphaMode, message);
            Ok(AlphaMode::Opaque)
        }
    }
}

/// Reads `N` factors from 0 to 1; others are clamped.
pub(super) fn fractions<const N: usize>(
    at: &At,
    key: &str,
    warnings: &mut Warnings,
) -> Result<Option<[f32; N]>, ImportError> {
    let Some(factors) = at.numbers::<N>(key)? else { return Ok(None) };
    if let Some(odd) = factors.iter().find(|f| !(0.0..=1.0).contains(*f)) {
        let message = format!("{key} has {odd}, it must be from 0 to 1: clamped");
        warnings.add_at(at, WarningCode::FactorRange, message);
    }
    Ok(Some(factors.map(|f| f.clamp(0.0, 1.0))))
}

/// Reads a factor from 0 to 1; others are clamped.
pub(super) fn fraction(
    at: &At,
    key: &str,
    warnings: &mut Warnings,
) -> Result<Option<f32>, ImportError> {
    let Some(factor) = at.number_at(key)? else { return Ok(None) };
    if !(0.0..=1.0).contains(&factor) {
        let message = format!("{key} is {factor}, it must be from 0 to 1: clamped");
        warnings.add_at(at, WarningCode::FactorRange, message);
    }
    Ok(Some(factor.clamp(0.0, 1.0)))
}

/// Reads an index of refraction: at least 1, or 0, which disables refraction.
pub(super) fn ior(
    at: &At,
    key: &str,
    instead: f32,
    warnings: &mut Warnings,
) -> Result<f32, ImportError> {
    let ior = at.number_at(key)?.unwrap_or(instead);
    if ior == 0.0 || ior >= 1.0 {
        return Ok(ior);
    }
    warnings.add_at(
        at,
        WarningCode::FactorRange,
        format!("{key} is {ior}, it must be 1 or more: clamped"),
    );
    Ok(1.0)
}

/// Reads a number that must not be negative; others are clamped to 0.
pub(super) fn not_negative(
    at: &At,
    key: &str,
    instead: f32,
    warnings: &mut Warnings,
) -> Result<f32, ImportError> {
    let number = at.number_at(key)?.unwrap_or(instead);
    if number < 0.0 {
        let message = format!("{key} is {number}, it must not be below 0: clamped");
        warnings.add_at(at, WarningCode::FactorRange, message);
    }
    Ok(number.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;
    use serde_json::json;

    fn read_one(value: serde_json::Value) -> Result<(Material, Vec<&'static str>), ImportError> {
        let document = json!({ "materials": [value], "textures": [{}, {}] });
        let document = Document::new(document)?;
        let mut warnings = Warnings::default();
        let material = read(&document, &mut warnings)?.remove(0);
        Ok((material, warnings.finish(false).iter().map(|w| w.code.as_str()).collect()))
    }

    #[test]
    fn an_empty_material_is_the_default_one() {
        assert_eq!(read_one(json!({})).unwrap(), (Material::default(), vec![]));
    }

    #[test]
    fn a_texture_has_its_coordinates_and_transform() {
        let transform = json!({"offset": [0.5, 0.25], "rotation": 1, "texCoord": 1});
        let (material, _) = read_one(json!({"normalTexture": {
            "index": 1.0, "scale": 2, "texCoord": 0,
            "extensions": {"KHR_texture_transform": transform}
        }}))
        .unwrap();
        let texture = material.textures[TextureSlot::Normal].unwrap();
        assert_eq!((texture.texture, texture.uv_set), (1, 1));
        assert_eq!(texture.transform.offset, Vec2::new(0.5, 0.25));
        assert_eq!(texture.transform.scale, Vec2::ONE);
        assert_eq!(material.normal_scale, 2.0);
    }

    #[test]
    fn odd_materials_are_repaired_or_refused() {
        let (material, codes) = read_one(json!({
            "alphaMode": "GLOW",
            "pbrMetallicRoughness": {"metallicFactor": 3, "baseColorTexture":
                {"index": 0, "texCoord": 4294967296u64}}
        }))
        .unwrap();
        assert_eq!(material.metallic, 1.0);
        assert_eq!(material.textures[TextureSlot::BaseColor].map(|t| t.uv_set), Some(0));
        assert_eq!(codes, ["TEXCOORD_UNREAD", "FACTOR_RANGE", "ALPHA_MODE"]);
        let error = read_one(json!({"emissiveTexture": {"index": 2}})).unwrap_err();
        assert_eq!(error.pointer(), "/materials/0/emissiveTexture/index");
    }
}
