//! The numbers of a material that an animation can drive, as mutable slices.

use std::slice::from_mut;

use self::MaterialField as Of;
use super::{AlphaMode, Material, TextureSlot};

/// A property of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaterialField {
    /// Base colour and alpha; not for specular-glossiness.
    BaseColor,
    /// Metallic factor.
    Metallic,
    /// Roughness factor.
    Roughness,
    /// The scale of the normals.
    NormalScale,
    /// The strength of the occlusion.
    OcclusionStrength,
    /// Emitted colour.
    Emissive,
    /// Factor of the emitted colour.
    EmissiveStrength,
    /// Alpha cutoff.
    AlphaCutoff,
    /// Index of refraction.
    Ior,
    /// Specular strength of a dielectric.
    Specular,
    /// Specular colour of a dielectric.
    SpecularColor,
    /// Specular-glossiness: the diffuse colour and alpha.
    Diffuse,
    /// Specular-glossiness: reflectance at normal incidence.
    Reflected,
    /// Specular-glossiness: glossiness.
    Glossiness,
    /// The clear coat's strength.
    Clearcoat,
    /// The clear coat's roughness.
    ClearcoatRoughness,
    /// The scale of the clear coat's normals.
    ClearcoatNormalScale,
    /// The sheen's colour.
    SheenColor,
    /// The sheen's roughness.
    SheenRoughness,
    /// The thin film's strength.
    Iridescence,
    /// The thin film's index of refraction.
    IridescenceIor,
    /// The thin film's thickness where the texture is 0.
    IridescenceThicknessMin,
    /// The thin film's thickness where the texture is 1.
    IridescenceThicknessMax,
    /// The strength of the anisotropy.
    AnisotropyStrength,
    /// The direction of the anisotropy in radians.
    AnisotropyRotation,
    /// Transmission factor.
    Transmission,
    /// The thickness below the surface.
    Thickness,
    /// The distance after which light has the attenuation's colour.
    AttenuationDistance,
    /// The attenuation's colour.
    AttenuationColor,
    /// Dispersion.
    Dispersion,
    /// Diffuse transmission factor.
    DiffuseTransmission,
    /// Diffuse transmission colour.
    DiffuseTransmissionColor,
    /// KHR_texture_transform: offset of the coordinates.
    TextureOffset(TextureSlot),
    /// KHR_texture_transform: rotation of the coordinates in radians.
    TextureRotation(TextureSlot),
    /// KHR_texture_transform: scale of the coordinates.
    TextureScale(TextureSlot),
}

impl MaterialField {
    /// Returns the field's values in a material. `None` if the material has no such property: an animation
    /// does not add layers that the file does not declare.
    pub fn values(self, m: &mut Material) -> Option<&mut [f32]> {
        let glossy = m.specular_glossiness.is_some();
        Some(match self {
            Of::BaseColor if glossy => return None,
            Of::Diffuse if !glossy => return None,
            Of::BaseColor | Of::Diffuse => &mut m.base_color,
            Of::Metallic => from_mut(&mut m.metallic),
            Of::Roughness => from_mut(&mut m.roughness),
            Of::NormalScale => from_mut(&mut m.normal_scale),
            Of::OcclusionStrength => from_mut(&mut m.occlusion_strength),
            Of::Emissive => &mut m.emissive,
            Of::EmissiveStrength => from_mut(&mut m.emissive_strength),
            Of::AlphaCutoff => match &mut m.alpha_mode {
                AlphaMode::Mask { cutoff } => from_mut(cutoff),
                AlphaMode::Opaque | AlphaMode::Blend => return None,
            },
            Of::Ior => from_mut(&mut m.ior),
            Of::Specular => from_mut(&mut m.specular),
            Of::SpecularColor => &mut m.specular_color,
            Of::Reflected => &mut m.specular_glossiness.as_mut()?.specular,
            Of::Glossiness => from_mut(&mut m.specular_glossiness.as_mut()?.glossiness),
            Of::Clearcoat => from_mut(&mut m.clearcoat.as_mut()?.factor),
            Of::ClearcoatRoughness => from_mut(&mut m.clearcoat.as_mut()?.roughness),
            Of::ClearcoatNormalScale => from_mut(&mut m.clearcoat.as_mut()?.normal_scale),
            Of::SheenColor => &mut m.sheen.as_mut()?.color,
            Of::SheenRoughness => from_mut(&mut m.sheen.as_mut()?.roughness),
            Of::Iridescence => from_mut(&mut m.iridescence.as_mut()?.factor),
            Of::IridescenceIor => from_mut(&mut m.iridescence.as_mut()?.ior),
            Of::IridescenceThicknessMin => from_mut(&mut m.iridescence.as_mut()?.thickness_min),
            Of::IridescenceThicknessMax => from_mut(&mut m.iridescence.as_mut()?.thickness_max),
            Of::AnisotropyStrength => from_mut(&mut m.anisotropy.as_mut()?.strength),
            Of::AnisotropyRotation => from_mut(&mut m.anisotropy.as_mut()?.rotation),
            Of::Transmission => from_mut(m.transmission.as_mut()?),
            Of::Thickness => from_mut(&mut m.volume.as_mut()?.thickness),
            Of::AttenuationDistance => from_mut(&mut m.volume.as_mut()?.attenuation_distance),
            Of::AttenuationColor => &mut m.volume.as_mut()?.attenuation_color,
            Of::Dispersion => from_mut(m.dispersion.as_mut()?),
            Of::DiffuseTransmission => from_mut(&mut m.diffuse_transmission.as_mut()?.factor),
            Of::DiffuseTransmissionColor => &mut m.diffuse_transmission.as_mut()?.color,
            Of::TextureOffset(slot) => m.textures[slot].as_mut()?.transform.offset.as_mut(),
            Of::TextureRotation(slot) => {
                from_mut(&mut m.textures[slot].as_mut()?.transform.rotation)
            }
            Of::TextureScale(slot) => m.textures[slot].as_mut()?.transform.scale.as_mut(),
        })
    }

    /// Returns the valid range.
    pub(super) fn range(self) -> (f32, f32) {
        match self {
            Of::NormalScale
            | Of::ClearcoatNormalScale
            | Of::AlphaCutoff
            | Of::AnisotropyRotation
            | Of::TextureOffset(_)
            | Of::TextureRotation(_)
            | Of::TextureScale(_) => (f32::MIN, f32::MAX),
            Of::Ior | Of::IridescenceIor => (1.0, f32::MAX),
            Of::AttenuationDistance => (1e-6, f32::INFINITY),
            Of::EmissiveStrength
            | Of::SpecularColor
            | Of::IridescenceThicknessMin
            | Of::IridescenceThicknessMax
            | Of::Thickness
            | Of::Dispersion => (0.0, f32::MAX),
            _ => (0.0, 1.0),
        }
    }
}
