//! Materials, textures and how they are sampled.

use glam::{Affine2, Vec2};

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

/// A material of the metallic-roughness model.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The file's name for it.
    pub name: Option<String>,
    /// Linear RGBA, times the texture.
    pub base_color: [f32; 4],
    /// sRGB with alpha.
    pub base_color_texture: Option<TextureRef>,
    /// 0 dielectric to 1 metal.
    pub metallic: f32,
    /// 0 smooth to 1 rough.
    pub roughness: f32,
    /// Metallic in blue, roughness in green.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Tangent space normals.
    pub normal_texture: Option<TextureRef>,
    /// Scales the normals' X and Y.
    pub normal_scale: f32,
    /// Occlusion in red.
    pub occlusion_texture: Option<TextureRef>,
    /// 0 none to 1 all of the occlusion.
    pub occlusion_strength: f32,
    /// Linear RGB that shines by itself.
    pub emissive: [f32; 3],
    /// sRGB, times the factor.
    pub emissive_texture: Option<TextureRef>,
    /// What alpha means.
    pub alpha_mode: AlphaMode,
    /// Whether backs are drawn.
    pub double_sided: bool,
    /// Base colour only, no light (KHR_materials_unlit).
    pub unlit: bool,
}

impl Default for Material {
    /// The specification's default material.
    fn default() -> Self {
        Self {
            name: None,
            base_color: [1.0; 4],
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            emissive_texture: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
        }
    }
}

impl Material {
    /// The textures that a picture of the material takes pixels from. The light does not yet depend
    /// on the others.
    pub fn drawn_textures(&self) -> impl Iterator<Item = TextureRef> {
        self.base_color_texture.into_iter()
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
