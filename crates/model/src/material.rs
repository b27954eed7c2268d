//! Materials: the metallic-roughness model and its KHR_materials extensions.

use super::texture::{MaterialTextures, TextureRef, TextureSlot};
use serde::Serialize;

/// The meaning of a material's alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "UPPERCASE", rename_all_fields = "camelCase")]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Pixels with alpha below the cutoff are not drawn.
    Mask {
        /// The cutoff.
        cutoff: f32,
    },
    /// Alpha is the opacity.
    Blend,
}

/// A material. Each factor is multiplied by its texture, if there is one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Material {
    /// The material's name.
    #[serde(skip)]
    pub name: Option<String>,
    /// The textures, by slot.
    #[serde(skip)]
    pub textures: MaterialTextures,
    /// Base colour in linear RGBA; for specular-glossiness, the diffuse colour.
    #[serde(rename = "baseColorFactor")]
    pub base_color: [f32; 4],
    /// From 0, dielectric, to 1, metal.
    #[serde(rename = "metallicFactor")]
    pub metallic: f32,
    /// From 0, smooth, to 1, rough.
    #[serde(rename = "roughnessFactor")]
    pub roughness: f32,
    /// Scale of the normals' X and Y.
    #[serde(rename = "normalTexture scale")]
    pub normal_scale: f32,
    /// From 0, no occlusion, to 1, full occlusion.
    #[serde(rename = "occlusionTexture strength")]
    pub occlusion_strength: f32,
    /// Emitted light in linear RGB.
    #[serde(rename = "emissiveFactor")]
    pub emissive: [f32; 3],
    /// Factor of the emitted light (KHR_materials_emissive_strength).
    pub emissive_strength: f32,
    /// The meaning of alpha.
    pub alpha_mode: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Whether only the base colour is shown, without lighting (KHR_materials_unlit).
    pub unlit: bool,
    /// Index of refraction (KHR_materials_ior), 1 or more; 0 reflects everything.
    pub ior: f32,
    /// Specular strength of a dielectric (KHR_materials_specular), 0 to 1.
    #[serde(rename = "specularFactor")]
    pub specular: f32,
    /// Specular colour of a dielectric at normal incidence, linear, 0 or more.
    #[serde(rename = "specularColorFactor")]
    pub specular_color: [f32; 3],
    /// KHR_materials_pbrSpecularGlossiness; replaces metallic and roughness.
    pub specular_glossiness: Option<SpecularGlossiness>,
    /// KHR_materials_clearcoat.
    pub clearcoat: Option<Clearcoat>,
    /// KHR_materials_sheen.
    pub sheen: Option<Sheen>,
    /// KHR_materials_iridescence.
    pub iridescence: Option<Iridescence>,
    /// KHR_materials_anisotropy.
    pub anisotropy: Option<Anisotropy>,
    /// Transmission factor (KHR_materials_transmission), 0 to 1. Like all optional layers, `None` if the
    /// factor is 0 and not animated.
    #[serde(rename = "transmissionFactor")]
    pub transmission: Option<f32>,
    /// KHR_materials_volume; `None` for thin walls.
    pub volume: Option<Volume>,
    /// 20 over the Abbe number (KHR_materials_dispersion).
    pub dispersion: Option<f32>,
    /// KHR_materials_diffuse_transmission.
    pub diffuse_transmission: Option<DiffuseTransmission>,
}

/// KHR_materials_pbrSpecularGlossiness, beside the diffuse colour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpecularGlossiness {
    /// Reflectance at normal incidence, linear.
    pub specular: [f32; 3],
    /// 0 rough to 1 smooth.
    pub glossiness: f32,
}

/// KHR_materials_clearcoat: a layer of varnish.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Clearcoat {
    /// 0 none to 1.
    pub factor: f32,
    /// 0 smooth to 1 rough.
    pub roughness: f32,
    /// Scale of the X and Y of its own normals.
    pub normal_scale: f32,
}

/// KHR_materials_sheen: the fuzz of cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sheen {
    /// Linear.
    pub color: [f32; 3],
    /// 0 smooth to 1 rough.
    pub roughness: f32,
}

/// KHR_materials_iridescence: a thin film.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Iridescence {
    /// 0 none to 1.
    pub factor: f32,
    /// The film's index of refraction.
    pub ior: f32,
    /// Thickness in nanometres where the thickness texture is 0.
    pub thickness_min: f32,
    /// Thickness in nanometres where the texture is 1, or without a texture.
    pub thickness_max: f32,
}

/// KHR_materials_anisotropy: highlights stretched along the tangent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Anisotropy {
    /// 0 none to 1.
    pub strength: f32,
    /// Direction in radians, counter-clockwise from the tangent.
    pub rotation: f32,
}

/// KHR_materials_volume: the medium below the surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Volume {
    /// Thickness in the mesh's space; 0 is a thin wall.
    pub thickness: f32,
    /// Distance in metres after which light has the attenuation colour; infinite without attenuation.
    pub attenuation_distance: f32,
    /// Linear.
    pub attenuation_color: [f32; 3],
}

/// KHR_materials_diffuse_transmission: light that passes through and is scattered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffuseTransmission {
    /// 0 none to 1.
    pub factor: f32,
    /// Linear.
    pub color: [f32; 3],
}

impl Default for Material {
    /// The specification's default material.
    fn default() -> Self {
        Self {
            name: None,
            textures: MaterialTextures::default(),
            base_color: [1.0; 4],
            metallic: 1.0,
            roughness: 1.0,
            normal_scale: 1.0,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            emissive_strength: 1.0,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            ior: 1.5,
            specular: 1.0,
            specular_color: [1.0; 3],
            specular_glossiness: None,
            clearcoat: None,
            sheen: None,
            iridescence: None,
            anisotropy: None,
            transmission: None,
            volume: None,
            dispersion: None,
            diffuse_transmission: None,
        }
    }
}

impl Material {
    /// Whether light passes through the material, at least at some time of a clip.
    pub fn is_transmissive(&self) -> bool {
        self.transmission.is_some() && !self.unlit
    }

    /// Whether alpha is so low everywhere that no pixel is drawn, whatever the textures are.
    pub fn draws_nothing(&self) -> bool {
        match self.alpha_mode {
            AlphaMode::Opaque => false,
            AlphaMode::Mask { cutoff } => self.base_color[3] < cutoff,
            AlphaMode::Blend => self.base_color[3] <= 0.0,
        }
    }

    /// Whether its shading depends on tangents.
    pub fn needs_tangents(&self) -> bool {
        !self.unlit
            && (self.textures[TextureSlot::Normal].is_some()
                || self.textures[TextureSlot::ClearcoatNormal].is_some()
                || self.anisotropy.is_some())
    }

    /// Returns the texture whose coordinates its tangents follow; `None` if no texture needs tangents.
    pub fn tangent_map(&self) -> Option<TextureRef> {
        let slots = [TextureSlot::Normal, TextureSlot::ClearcoatNormal, TextureSlot::Anisotropy];
        slots.into_iter().find_map(|slot| self.textures[slot])
    }
}
