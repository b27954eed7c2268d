//! The KHR_materials extensions. One whose strength is 0 is left out, unless an animation drives
//! it.

use std::collections::BTreeSet;

use super::fault::{ImportError, Warnings};
use super::material::{fraction, fractions, ior, not_negative};
use super::texture::{texture, texture_ref};
use rigview_document::At;
use rigview_model::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Material, Sheen, SpecularGlossiness,
    TextureSlot, Volume, WarningCode,
};

/// Reads the extensions of a material whose core properties are read. `driven` are the pointers of
/// all material properties that animations drive.
pub(super) fn read(
    at: &At,
    m: &mut Material,
    driven: &BTreeSet<&str>,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    m.unlit = at.extension("KHR_materials_unlit")?.is_some();
    if let Some(at) = at.extension("KHR_materials_emissive_strength")? {
        m.emissive_strength = not_negative(&at, "emissiveStrength", 1.0, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_ior")? {
        m.ior = ior(&at, "ior", 1.5, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_specular")? {
        m.specular = fraction(&at, "specularFactor", warnings)?.unwrap_or(1.0);
        let color = at.numbers::<3>("specularColorFactor")?.unwrap_or([1.0; 3]);
        if color.iter().any(|c| *c < 0.0) {
            warnings.add_at(
                &at,
                WarningCode::FactorRange,
                "specularColorFactor is below 0: clamped",
            );
        }
        m.specular_color = color.map(|c| c.max(0.0));
        texture(&at, TextureSlot::Specular, m, warnings)?;
        texture(&at, TextureSlot::SpecularColor, m, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_pbrSpecularGlossiness")? {
        specular_glossiness(&at, m, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_clearcoat")? {
        clearcoat(&at, m, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_sheen")? {
        let color = fractions::<3>(&at, "sheenColorFactor", warnings)?.unwrap_or([0.0; 3]);
        let roughness = fraction(&at, "sheenRoughnessFactor", warnings)?.unwrap_or(0.0);
        m.sheen = Some(Sheen { color, roughness });
        texture(&at, TextureSlot::SheenColor, m, warnings)?;
        texture(&at, TextureSlot::SheenRoughness, m, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_iridescence")? {
        iridescence(&at, m, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_anisotropy")? {
        let strength = fraction(&at, "anisotropyStrength", warnings)?.unwrap_or(0.0);
        let rotation = at.number_at("anisotropyRotation")?.unwrap_or(0.0);
        m.anisotropy = Some(Anisotropy { strength, rotation });
        texture(&at, TextureSlot::Anisotropy, m, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_transmission")? {
        m.transmission = Some(fraction(&at, "transmissionFactor", warnings)?.unwrap_or(0.0));
        texture(&at, TextureSlot::Transmission, m, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_volume")? {
        volume(&at, m, warnings)?;
    }
    if let Some(at) = at.extension("KHR_materials_dispersion")? {
        m.dispersion = Some(not_negative(&at, "dispersion", 0.0, warnings)?);
    }
    if let Some(at) = at.extension("KHR_materials_diffuse_transmission")? {
        let factor = fraction(&at, "diffuseTransmissionFactor", warnings)?.unwrap_or(0.0);
        let color = fractions::<3>(&at, "diffuseTransmissionColorFactor", warnings)?;
        let color = color.unwrap_or([1.0; 3]);
        m.diffuse_transmission = Some(DiffuseTransmission { factor, color });
        texture(&at, TextureSlot::DiffuseTransmission, m, warnings)?;
        texture(&at, TextureSlot::DiffuseTransmissionColor, m, warnings)?;
    }
    drop_idle(at, m, driven);
    Ok(())
}

/// Leaves out extensions of strength 0 that no animation drives.
fn drop_idle(at: &At, m: &mut Material, driven: &BTreeSet<&str>) {
    let stays = |extension: &str| {
        let place = format!("{}/extensions/KHR_materials_{extension}/", at.pointer);
        let next = driven.range(place.as_str()..).next();
        !next.is_some_and(|pointer| pointer.starts_with(&place))
    };
    m.clearcoat.take_if(|coat| coat.factor == 0.0 && stays("clearcoat"));
    m.sheen.take_if(|sheen| sheen.color == [0.0; 3] && stays("sheen"));
    m.iridescence.take_if(|film| film.factor == 0.0 && stays("iridescence"));
    m.anisotropy.take_if(|stretch| stretch.strength == 0.0 && stays("anisotropy"));
    m.transmission.take_if(|factor| *factor == 0.0 && stays("transmission"));
    m.volume.take_if(|volume| volume.thickness == 0.0 && stays("volume"));
    m.dispersion.take_if(|dispersion| *dispersion == 0.0 && stays("dispersion"));
    m.diffuse_transmission
        .take_if(|through| through.factor == 0.0 && stays("diffuse_transmission"));
}

/// Reads KHR_materials_pbrSpecularGlossiness, which replaces metallic-roughness.
fn specular_glossiness(
    at: &At,
    m: &mut Material,
    warnings: &mut Warnings,
) -> Result<(), ImportError> {
    m.base_color = fractions::<4>(at, "diffuseFactor", warnings)?.unwrap_or([1.0; 4]);
    let diffuse = at.get("diffuseTexture").map(|at| texture_ref(&at, warnings)).transpose()?;
    m.textures[TextureSlot::BaseColor] = diffuse;
    m.textures[TextureSlot::MetallicRoughness] = None;
    m.metallic = 0.0;
    m.specular_glossiness = Some(SpecularGlossiness {
        specular: fractions::<3>(at, "specularFactor", warnings)?.unwrap_or([1.0; 3]),
        glossiness: fraction(at, "glossinessFactor", warnings)?.unwrap_or(1.0),
    });
    texture(at, TextureSlot::SpecularGlossiness, m, warnings)
}

fn clearcoat(at: &At, m: &mut Material, warnings: &mut Warnings) -> Result<(), ImportError> {
    let factor = fraction(at, "clearcoatFactor", warnings)?.unwrap_or(0.0);
    let roughness = fraction(at, "clearcoatRoughnessFactor", warnings)?.unwrap_or(0.0);
    let mut normal_scale = 1.0;
    if let Some(normal) = at.get("clearcoatNormalTexture") {
        normal_scale = normal.number_at("scale")?.unwrap_or(1.0);
    }
    texture(at, TextureSlot::Clearcoat, m, warnings)?;
    texture(at, TextureSlot::ClearcoatRoughness, m, warnings)?;
    texture(at, TextureSlot::ClearcoatNormal, m, warnings)?;
    m.clearcoat = Some(Clearcoat { factor, roughness, normal_scale });
    Ok(())
}

fn iridescence(at: &At, m: &mut Material, warnings: &mut Warnings) -> Result<(), ImportError> {
    let film = Iridescence {
        factor: fraction(at, "iridescenceFactor", warnings)?.unwrap_or(0.0),
        ior: ior(at, "iridescenceIor", 1.3, warnings)?.max(1.0),
        thickness_min: not_negative(at, "iridescenceThicknessMinimum", 100.0, warnings)?,
        thickness_max: not_negative(at, "iridescenceThicknessMaximum", 400.0, warnings)?,
    };
    texture(at, TextureSlot::Iridescence, m, warnings)?;
    texture(at, TextureSlot::IridescenceThickness, m, warnings)?;
    m.iridescence = Some(film);
    Ok(())
}

fn volume(at: &At, m: &mut Material, warnings: &mut Warnings) -> Result<(), ImportError> {
    let mut distance = at.number_at("attenuationDistance")?.unwrap_or(f32::INFINITY);
    if distance <= 0.0 {
        let message = format!("attenuationDistance is {distance}, it must be above 0: ignored");
        warnings.add_at(at, WarningCode::FactorRange, message);
        distance = f32::INFINITY;
    }
    m.volume = Some(Volume {
        thickness: not_negative(at, "thicknessFactor", 0.0, warnings)?,
        attenuation_distance: distance,
        attenuation_color: fractions::<3>(at, "attenuationColor", warnings)?.unwrap_or([1.0; 3]),
    });
    texture(at, TextureSlot::Thickness, m, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_document::Document;
    use serde_json::json;

    fn read_one(extensions: serde_json::Value) -> (Material, Vec<&'static str>) {
        let material = json!({
            "pbrMetallicRoughness": {"baseColorTexture": {"index": 1}},
            "extensions": extensions,
        });
        let document = json!({ "materials": [material], "textures": [{}, {}] });
        let document = Document::new(document).unwrap();
        let mut warnings = Warnings::default();
        let material = crate::material::read(&document, &mut warnings).unwrap().remove(0);
        (material, warnings.finish(false).iter().map(|w| w.code.as_str()).collect())
    }

    #[test]
    fn an_extension_of_strength_0_is_left_out() {
        let (material, warnings) = read_one(json!({
            "KHR_materials_clearcoat": {"clearcoatRoughnessFactor": 0.5},
            "KHR_materials_sheen": {"sheenRoughnessFactor": 0.5},
            "KHR_materials_iridescence": {},
            "KHR_materials_anisotropy": {"anisotropyRotation": 1},
            "KHR_materials_diffuse_transmission": {},
            "KHR_materials_transmission": {},
            "KHR_materials_volume": {"attenuationDistance": 1},
            "KHR_materials_dispersion": {},
            "KHR_materials_ior": {},
            "KHR_materials_specular": {},
        }));
        let textures = material.textures.clone();
        assert_eq!(material, Material { textures, ..Material::default() });
        assert!(warnings.is_empty());
    }

    #[test]
    fn an_extension_that_an_animation_drives_is_kept() {
        let layers = json!({"extensions": {
            "KHR_materials_clearcoat": {}, "KHR_materials_sheen": {},
            "KHR_materials_iridescence": {}, "KHR_materials_anisotropy": {},
            "KHR_materials_diffuse_transmission": {}, "KHR_materials_transmission": {},
            "KHR_materials_volume": {}, "KHR_materials_dispersion": {},
        }});
        let channel = |property: &str| {
            let pointer = format!("/materials/1/extensions/KHR_materials_{property}");
            json!({"target": {"extensions": {"KHR_animation_pointer": {"pointer": pointer}}}})
        };
        let channels: Vec<_> = [
            "clearcoat/clearcoatFactor",
            "sheen/sheenColorFactor",
            "iridescence/iridescenceFactor",
            "anisotropy/anisotropyStrength",
            "diffuse_transmission/diffuseTransmissionFactor",
            "transmission/transmissionFactor",
            "volume/thicknessFactor",
            "dispersion/dispersion",
        ]
        .map(channel)
        .into();
        let document = json!({
            "extensionsUsed": ["KHR_animation_pointer"],
            "materials": [layers, layers, {}, layers],
            "animations": [{"channels": channels}],
        });
        let document = Document::new(document).unwrap();
        let materials = crate::material::read(&document, &mut Warnings::default()).unwrap();
        let there = |m: &Material| {
            [
                m.clearcoat.map(|c| c.factor),
                m.sheen.map(|s| s.color[0]),
                m.iridescence.map(|i| i.factor),
                m.anisotropy.map(|a| a.strength),
                m.diffuse_transmission.map(|d| d.factor),
                m.transmission,
                m.volume.map(|v| v.thickness),
                m.dispersion,
            ]
        };
        assert_eq!(there(&materials[1]), [Some(0.0); 8]);
        for undriven in [0, 2, 3] {
            assert_eq!(there(&materials[undriven]), [None; 8], "material {undriven}");
        }
    }

    #[test]
    fn extensions_have_the_specifications_defaults() {
        let (material, warnings) = read_one(json!({
            "KHR_materials_iridescence": {"iridescenceFactor": 1},
            "KHR_materials_volume": {"thicknessFactor": 2},
            "KHR_materials_clearcoat": {"clearcoatFactor": 0.5,
                "clearcoatNormalTexture": {"index": 0, "scale": 2}},
        }));
        let film =
            Iridescence { factor: 1.0, ior: 1.3, thickness_min: 100.0, thickness_max: 400.0 };
        assert_eq!(material.iridescence, Some(film));
        let volume = material.volume.unwrap();
        assert_eq!((volume.thickness, volume.attenuation_distance), (2.0, f32::INFINITY));
        assert_eq!(material.clearcoat.unwrap().normal_scale, 2.0);
        assert_eq!(material.textures[TextureSlot::ClearcoatNormal].unwrap().texture, 0);
        assert!(warnings.is_empty());
    }

    #[test]
    fn specular_glossiness_replaces_metallic_roughness() {
        let (material, _) = read_one(json!({
            "KHR_materials_pbrSpecularGlossiness": {"diffuseFactor": [0.5, 0.5, 0.5, 1]},
        }));
        let shine = SpecularGlossiness { specular: [1.0; 3], glossiness: 1.0 };
        assert_eq!(material.specular_glossiness, Some(shine));
        assert_eq!(material.base_color[0], 0.5);
        assert_eq!(material.textures[TextureSlot::BaseColor], None);
    }

    #[test]
    fn factors_out_of_range_are_repaired() {
        let (material, warnings) = read_one(json!({
            "KHR_materials_ior": {"ior": 0.5},
            "KHR_materials_volume": {"thicknessFactor": 1, "attenuationDistance": 0},
            "KHR_materials_dispersion": {"dispersion": -1},
        }));
        assert_eq!(material.ior, 1.0);
        assert_eq!(material.volume.unwrap().attenuation_distance, f32::INFINITY);
        assert_eq!(material.dispersion, None);
        assert_eq!(warnings, ["FACTOR_RANGE", "FACTOR_RANGE", "FACTOR_RANGE"]);
    }
}
