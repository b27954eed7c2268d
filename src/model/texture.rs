//! Textures, how they are sampled, and what a material uses one for.

use glam::{Affine2, Vec2};

/// KHR_texture_transform: from the vertex's texture coordinates to the ones to sample at.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// The same as a matrix: translation * rotation * scale, as the extension writes it.
    pub fn matrix(&self) -> Affine2 {
        // The extension's rotation matrix is the transpose of the usual one, since V points down.
        Affine2::from_scale_angle_translation(self.scale, -self.rotation, self.offset)
    }
}

/// A material's use of a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// Which texture.
    pub texture: usize,
    /// Which of a vertex's texture coordinates: 0 or 1.
    pub uv_set: u32,
    /// What is done to them first.
    pub transform: UvTransform,
}

/// What a material reads a texture for, in the order in which they count: where an adapter binds
/// fewer textures than a material has, the last ones are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextureSlot {
    /// Base colour and alpha; of specular-glossiness the diffuse colour.
    BaseColor,
    /// Tangent space normals.
    Normal,
    /// Roughness in green, metallic in blue.
    MetallicRoughness,
    /// Specular colour, glossiness in alpha (KHR_materials_pbrSpecularGlossiness).
    SpecularGlossiness,
    /// Light of its own.
    Emissive,
    /// Occlusion in red.
    Occlusion,
    /// How much goes through, in red.
    Transmission,
    /// The clear coat's strength, in red.
    Clearcoat,
    /// The clear coat's roughness, in green.
    ClearcoatRoughness,
    /// The clear coat's normals.
    ClearcoatNormal,
    /// The sheen's colour.
    SheenColor,
    /// The sheen's roughness, in alpha.
    SheenRoughness,
    /// How much a dielectric reflects, in alpha.
    Specular,
    /// The colour that it reflects facing the light.
    SpecularColor,
    /// The thin film's strength, in red.
    Iridescence,
    /// The thin film's thickness, in green.
    IridescenceThickness,
    /// Direction in red and green, strength in blue.
    Anisotropy,
    /// The volume's thickness, in green.
    Thickness,
    /// How much diffuse light goes through, in alpha.
    DiffuseTransmission,
    /// What colour that has.
    DiffuseTransmissionColor,
}

impl TextureSlot {
    /// All of them, in order.
    pub const ALL: [TextureSlot; 20] = [
        TextureSlot::BaseColor,
        TextureSlot::Normal,
        TextureSlot::MetallicRoughness,
        TextureSlot::SpecularGlossiness,
        TextureSlot::Emissive,
        TextureSlot::Occlusion,
        TextureSlot::Transmission,
        TextureSlot::Clearcoat,
        TextureSlot::ClearcoatRoughness,
        TextureSlot::ClearcoatNormal,
        TextureSlot::SheenColor,
        TextureSlot::SheenRoughness,
        TextureSlot::Specular,
        TextureSlot::SpecularColor,
        TextureSlot::Iridescence,
        TextureSlot::IridescenceThickness,
        TextureSlot::Anisotropy,
        TextureSlot::Thickness,
        TextureSlot::DiffuseTransmission,
        TextureSlot::DiffuseTransmissionColor,
    ];

    /// glTF's key for it, which is also its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            TextureSlot::BaseColor => "baseColorTexture",
            TextureSlot::Normal => "normalTexture",
            TextureSlot::MetallicRoughness => "metallicRoughnessTexture",
            TextureSlot::SpecularGlossiness => "specularGlossinessTexture",
            TextureSlot::Emissive => "emissiveTexture",
            TextureSlot::Occlusion => "occlusionTexture",
            TextureSlot::Transmission => "transmissionTexture",
            TextureSlot::Clearcoat => "clearcoatTexture",
            TextureSlot::ClearcoatRoughness => "clearcoatRoughnessTexture",
            TextureSlot::ClearcoatNormal => "clearcoatNormalTexture",
            TextureSlot::SheenColor => "sheenColorTexture",
            TextureSlot::SheenRoughness => "sheenRoughnessTexture",
            TextureSlot::Specular => "specularTexture",
            TextureSlot::SpecularColor => "specularColorTexture",
            TextureSlot::Iridescence => "iridescenceTexture",
            TextureSlot::IridescenceThickness => "iridescenceThicknessTexture",
            TextureSlot::Anisotropy => "anisotropyTexture",
            TextureSlot::Thickness => "thicknessTexture",
            TextureSlot::DiffuseTransmission => "diffuseTransmissionTexture",
            TextureSlot::DiffuseTransmissionColor => "diffuseTransmissionColorTexture",
        }
    }

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
    /// Those there are, in the order of the slots.
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

/// What lies beyond 0..1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// Again from the start.
    #[default]
    Repeat,
    /// Again, mirrored.
    MirroredRepeat,
    /// The edge.
    ClampToEdge,
}

/// Nearest pixel or a blend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest.
    Nearest,
    /// A blend of the neighbours.
    #[default]
    Linear,
}

/// How a texture is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureSampler {
    /// Along U.
    pub wrap_u: Wrap,
    /// Along V.
    pub wrap_v: Wrap,
    /// When a texel is larger than a pixel.
    pub magnify: Filter,
    /// When it is smaller.
    pub minify: Filter,
    /// Between mip levels; `None` uses the full size only.
    pub mip: Option<Filter>,
}

impl Default for TextureSampler {
    /// What a texture without a sampler gets: repeated, smooth in all ways.
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

/// An image and how to sample it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texture {
    /// The file's name for it.
    pub name: Option<String>,
    /// The picture; a texture whose only source is an extension that is ignored has none.
    pub image: Option<usize>,
    /// How to sample it.
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
