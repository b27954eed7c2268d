//! Materials: the metallic-roughness model, and what the KHR_materials extensions lay on it.

use super::texture::{MaterialTextures, TextureSlot};

/// What a material's alpha means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Nothing.
    #[default]
    Opaque,
    /// Below the cutoff nothing is drawn.
    Mask {
        /// Alpha below which a pixel is left out.
        cutoff: f32,
    },
    /// How much covers what is behind.
    Blend,
}

/// A material. Every factor counts times its texture, where there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The file's name for it.
    pub name: Option<String>,
    /// The textures, by what they are read for.
    pub textures: MaterialTextures,
    /// Linear RGBA; of specular-glossiness the diffuse colour.
    pub base_color: [f32; 4],
    /// 0 dielectric to 1 metal.
    pub metallic: f32,
    /// 0 smooth to 1 rough.
    pub roughness: f32,
    /// Scales the normals' X and Y.
    pub normal_scale: f32,
    /// 0 none to 1 all of the occlusion.
    pub occlusion_strength: f32,
    /// Linear RGB that shines by itself.
    pub emissive: [f32; 3],
    /// What that is multiplied by (KHR_materials_emissive_strength).
    pub emissive_strength: f32,
    /// What alpha means.
    pub alpha_mode: AlphaMode,
    /// Whether backs are drawn.
    pub double_sided: bool,
    /// Base colour only, no light (KHR_materials_unlit).
    pub unlit: bool,
    /// Index of refraction (KHR_materials_ior), 1 or more; 0 reflects everything.
    pub ior: f32,
    /// How much a dielectric reflects (KHR_materials_specular), 0 to 1.
    pub specular: f32,
    /// The linear colour that it reflects facing the light, 0 or more.
    pub specular_color: [f32; 3],
    /// KHR_materials_pbrSpecularGlossiness, in place of metallic and roughness.
    pub specular_glossiness: Option<SpecularGlossiness>,
    /// KHR_materials_clearcoat.
    pub clearcoat: Option<Clearcoat>,
    /// KHR_materials_sheen.
    pub sheen: Option<Sheen>,
    /// KHR_materials_iridescence.
    pub iridescence: Option<Iridescence>,
    /// KHR_materials_anisotropy.
    pub anisotropy: Option<Anisotropy>,
    /// How much light goes through (KHR_materials_transmission), 0 to 1. As all layers here it is none
    /// where there is nothing of it and no animation brings any.
    pub transmission: Option<f32>,
    /// KHR_materials_volume; none where the wall is thin.
    pub volume: Option<Volume>,
    /// 20 over the Abbe number (KHR_materials_dispersion).
    pub dispersion: Option<f32>,
    /// KHR_materials_diffuse_transmission.
    pub diffuse_transmission: Option<DiffuseTransmission>,
}

/// KHR_materials_pbrSpecularGlossiness, beside the diffuse colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpecularGlossiness {
    /// Linear: what is reflected facing the light.
    pub specular: [f32; 3],
    /// 0 rough to 1 smooth.
    pub glossiness: f32,
}

/// KHR_materials_clearcoat: a layer of varnish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearcoat {
    /// 0 none to 1.
    pub factor: f32,
    /// 0 smooth to 1 rough.
    pub roughness: f32,
    /// Scales the X and Y of its own normals.
    pub normal_scale: f32,
}

/// KHR_materials_sheen: the fuzz of cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheen {
    /// Linear.
    pub color: [f32; 3],
    /// 0 smooth to 1 rough.
    pub roughness: f32,
}

/// KHR_materials_iridescence: a thin film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iridescence {
    /// 0 none to 1.
    pub factor: f32,
    /// The film's index of refraction.
    pub ior: f32,
    /// Nanometres where the thickness texture is 0.
    pub thickness_min: f32,
    /// Nanometres where it is 1, or where there is none.
    pub thickness_max: f32,
}

/// KHR_materials_anisotropy: highlights stretched along the tangent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anisotropy {
    /// 0 none to 1.
    pub strength: f32,
    /// Radians, counter-clockwise from the tangent.
    pub rotation: f32,
}

/// KHR_materials_volume: what is below the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// In the mesh's space; 0 is a thin wall.
    pub thickness: f32,
    /// Metres after which light has the colour; infinite where nothing is taken from it.
    pub attenuation_distance: f32,
    /// Linear.
    pub attenuation_color: [f32; 3],
}

/// KHR_materials_diffuse_transmission: light that goes through and is scattered.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Whether it shows what is behind it, or may at some time of a clip.
    pub fn is_transmissive(&self) -> bool {
        self.transmission.is_some() && !self.unlit
    }

    /// Whether its light depends on the way of the tangents.
    pub fn needs_tangents(&self) -> bool {
        !self.unlit
            && (self.textures[TextureSlot::Normal].is_some()
                || self.textures[TextureSlot::ClearcoatNormal].is_some()
                || self.anisotropy.is_some())
    }
}
