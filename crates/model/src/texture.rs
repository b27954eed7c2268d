//! Textures, their samplers, and their use by materials.

use glam::{Affine2, Vec2};
use serde::Serialize;

/// A transform of texture coordinates (KHR_texture_transform).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UvTransform {
    /// Added last.
    pub offset: Vec2,
    /// Radians; positive turns the texture counter-clockwise on a V-down image.
    pub rotation: f32,
    /// Applied first.
    pub scale: Vec2,
}

impl Default for UvTransform {
    fn default() -> Self {
        Self { offset: Vec2::ZERO, rotation: 0.0, scale: Vec2::ONE }
    }
}

impl UvTransform {
    /// Returns the matrix translation * rotation * scale, as defined by the extension.
    pub fn matrix(&self) -> Affine2 {
        // The extension's rotation matrix is the transpose of the usual one, since V points down.
        Affine2::from_scale_angle_translation(self.scale, -self.rotation, self.offset)
    }
}

/// A material's use of a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// Index of the texture.
    pub texture: usize,
    /// The set of texture coordinates: 0 or 1.
    pub uv_set: u32,
    /// Transform of the texture coordinates before sampling.
    pub transform: UvTransform,
}

rigview_anim::named_enum! {
    /// The uses of textures by a material, by decreasing importance: if a material has more textures than an
    /// adapter can bind, the last ones are left out.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum TextureSlot {
        /// Base colour and alpha; of specular-glossiness the diffuse colour.
        BaseColor = "baseColorTexture",
        /// Tangent space normals.
        Normal = "normalTexture",
        /// Roughness in green, metallic in blue.
        MetallicRoughness = "metallicRoughnessTexture",
        /// Specular colour, glossiness in alpha (KHR_materials_pbrSpecularGlossiness).
        SpecularGlossiness = "specularGlossinessTexture",
        /// Emissive colour.
        Emissive = "emissiveTexture",
        /// Occlusion in red.
        Occlusion = "occlusionTexture",
        /// Transmission factor, in red.
        Transmission = "transmissionTexture",
        /// The clear coat's strength, in red.
        Clearcoat = "clearcoatTexture",
        /// The clear coat's roughness, in green.
        ClearcoatRoughness = "clearcoatRoughnessTexture",
        /// The clear coat's normals.
        ClearcoatNormal = "clearcoatNormalTexture",
        /// The sheen's colour.
        SheenColor = "sheenColorTexture",
        /// The sheen's roughness, in alpha.
        SheenRoughness = "sheenRoughnessTexture",
        /// Specular strength of a dielectric, in alpha.
        Specular = "specularTexture",
        /// Specular colour of a dielectric at normal incidence.
        SpecularColor = "specularColorTexture",
        /// The thin film's strength, in red.
        Iridescence = "iridescenceTexture",
        /// The thin film's thickness, in green.
        IridescenceThickness = "iridescenceThicknessTexture",
        /// Direction in red and green, strength in blue.
        Anisotropy = "anisotropyTexture",
        /// The volume's thickness, in green.
        Thickness = "thicknessTexture",
        /// Diffuse transmission factor, in alpha.
        DiffuseTransmission = "diffuseTransmissionTexture",
        /// Diffuse transmission colour.
        DiffuseTransmissionColor = "diffuseTransmissionColorTexture",
    }
}

impl TextureSlot {
    /// Whether its red, green and blue are an sRGB colour. Those that read alpha alone, which is
    /// linear either way, count as colour too: they mostly share their picture with one.
    pub fn is_color(self) -> bool {
        matches!(
            self,
            TextureSlot::BaseColor
                | TextureSlot::SpecularGlossiness
                | TextureSlot::Emissive
                | TextureSlot::SheenColor
                | TextureSlot::SheenRoughness
                | TextureSlot::Specular
                | TextureSlot::SpecularColor
                | TextureSlot::DiffuseTransmission
                | TextureSlot::DiffuseTransmissionColor
        )
    }
}

/// The textures of a material, by slot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialTextures([Option<TextureRef>; TextureSlot::ALL.len()]);

impl MaterialTextures {
    /// Returns the existing textures, in the order of the slots.
    pub fn iter(&self) -> impl Iterator<Item = (TextureSlot, TextureRef)> {
        TextureSlot::ALL.into_iter().filter_map(|slot| Some((slot, self[slot]?)))
    }
}

impl std::ops::Index<TextureSlot> for MaterialTextures {
    type Output = Option<TextureRef>;

    fn index(&self, slot: TextureSlot) -> &Option<TextureRef> {
        &self.0[slot as usize]
    }
}

impl std::ops::IndexMut<TextureSlot> for MaterialTextures {
    fn index_mut(&mut self, slot: TextureSlot) -> &mut Option<TextureRef> {
        &mut self.0[slot as usize]
    }
}

/// How texture coordinates outside 0 to 1 are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Wrap {
    /// The texture repeats.
    #[default]
    Repeat,
    /// The texture repeats, mirrored each time.
    MirroredRepeat,
    /// The texels of the edge continue.
    ClampToEdge,
}

/// How texels are filtered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Filter {
    /// Uses the nearest texel.
    Nearest,
    /// Interpolates between neighbouring texels.
    #[default]
    Linear,
}

/// How a texture is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextureSampler {
    /// Wrapping along U.
    pub wrap_u: Wrap,
    /// Wrapping along V.
    pub wrap_v: Wrap,
    /// Filter if texels are larger than pixels.
    pub magnify: Filter,
    /// Filter if texels are smaller than pixels.
    pub minify: Filter,
    /// Filter between mip levels; `None` uses only the largest level.
    pub mip: Option<Filter>,
}

impl Default for TextureSampler {
    /// The sampler of textures without one: repeated, with linear filters.
    fn default() -> Self {
        Self {
            wrap_u: Wrap::Repeat,
            wrap_v: Wrap::Repeat,
            magnify: Filter::Linear,
            minify: Filter::Linear,
            mip: Some(Filter::Linear),
        }
    }
}

/// An image and its sampler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texture {
    /// The texture's name.
    pub name: Option<String>,
    /// Index of the image; `None` if the only source is an unsupported extension.
    pub image: Option<usize>,
    /// The sampler.
    pub sampler: TextureSampler,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uv_transform_is_the_extensions_matrix() {
        // KHR_texture_transform: uv' = T * R * S * uv with R = [[cos, sin], [-sin, cos]] (rows).
        let t =
            UvTransform { offset: Vec2::new(0.5, 0.25), rotation: 0.3, scale: Vec2::new(2.0, 3.0) };
        let uv = Vec2::new(0.7, 0.2);
        let s = uv * t.scale;
        let (sin, cos) = t.rotation.sin_cos();
        let want = Vec2::new(cos * s.x + sin * s.y, -sin * s.x + cos * s.y) + t.offset;
        assert!((t.matrix().transform_point2(uv) - want).length() < 1e-6);
    }
}
