//! The texture slots and shader features that a model's materials need. The shader is assembled from them,
//! so that a plain model does not pay for the extensions.

use rigview_model::{Material, TextureSlot};

rigview_anim::named_enum! {
    /// An optional part of the mesh shader.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ShaderFeature {
        /// Tangent frames, for normal maps and anisotropy.
        Tangents = "TANGENTS",
        /// KHR_materials_pbrSpecularGlossiness.
        SpecularGlossiness = "SPECULAR_GLOSSINESS",
        /// KHR_materials_clearcoat.
        Clearcoat = "CLEARCOAT",
        /// KHR_materials_sheen.
        Sheen = "SHEEN",
        /// KHR_materials_iridescence.
        Iridescence = "IRIDESCENCE",
        /// KHR_materials_anisotropy.
        Anisotropy = "ANISOTROPY",
        /// KHR_materials_transmission.
        Transmission = "TRANSMISSION",
        /// KHR_materials_volume.
        Volume = "VOLUME",
        /// KHR_materials_dispersion.
        Dispersion = "DISPERSION",
        /// KHR_materials_diffuse_transmission.
        DiffuseTransmission = "DIFFUSE_TRANSMISSION",
        /// Lines and points drawn as rectangles.
        Lines = "LINES",
    }
}

/// A set of texture slots and shader features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features {
    slots: u32,
    shader: u32,
}

impl Features {
    /// All slots and features.
    pub const ALL: Self = Self {
        slots: (1 << TextureSlot::ALL.len()) - 1,
        shader: (1 << ShaderFeature::ALL.len()) - 1,
    };

    /// Returns the features that a material needs.
    pub fn needed_by(material: &Material) -> Self {
        let mut features = Self::default();
        for (slot, _) in material.textures.iter() {
            features.slots |= 1 << slot as u32;
        }
        if material.unlit {
            return Self { slots: features.slots & 1 << TextureSlot::BaseColor as u32, shader: 0 };
        }
        let has_volume = material.volume.is_some();
        for (feature, needed) in [
            (ShaderFeature::Tangents, material.needs_tangents()),
            (ShaderFeature::SpecularGlossiness, material.specular_glossiness.is_some()),
            (ShaderFeature::Clearcoat, material.clearcoat.is_some()),
            (ShaderFeature::Sheen, material.sheen.is_some()),
            (ShaderFeature::Iridescence, material.iridescence.is_some()),
            (ShaderFeature::Anisotropy, material.anisotropy.is_some()),
            (ShaderFeature::Transmission, material.is_transmissive()),
            (ShaderFeature::Volume, has_volume),
            (ShaderFeature::Dispersion, has_volume && material.dispersion.is_some()),
            (ShaderFeature::DiffuseTransmission, material.diffuse_transmission.is_some()),
        ] {
            if needed {
                features = features.with(feature);
            }
        }
        features
    }

    /// Returns the set with a shader feature added.
    pub fn with(self, feature: ShaderFeature) -> Self {
        Self { shader: self.shader | 1 << feature as u32, ..self }
    }

    /// Returns the set with the features added that its features depend on.
    pub fn complete(self) -> Self {
        let mut out = self;
        for (feature, needs) in [
            (ShaderFeature::Anisotropy, ShaderFeature::Tangents),
            (ShaderFeature::Dispersion, ShaderFeature::Volume),
        ] {
            if out.has(feature) {
                out = out.with(needs);
            }
        }
        out
    }

    /// Returns the union of both sets.
    pub fn union(self, other: Self) -> Self {
        Self { slots: self.slots | other.slots, shader: self.shader | other.shader }
    }

    /// Whether the set has a shader feature.
    pub fn has(self, feature: ShaderFeature) -> bool {
        self.shader >> feature as u32 & 1 == 1
    }

    /// Whether the texture of a slot is read.
    pub fn reads(self, slot: TextureSlot) -> bool {
        self.slots >> slot as u32 & 1 == 1
    }

    /// Returns the slots that are read, in order.
    pub fn slots(self) -> impl Iterator<Item = TextureSlot> {
        TextureSlot::ALL.into_iter().filter(move |slot| self.reads(*slot))
    }

    /// Returns the set with at most `textures` slots; the first ones are kept.
    pub fn limited(self, textures: usize) -> Self {
        let kept = self.slots().take(textures).fold(0, |set, slot| set | 1 << slot as u32);
        Self { slots: kept, ..self }
    }
}

/// The features of the models that were drawn last. Software drivers do not free all of a pipeline that is dropped, so
/// pipelines are kept for some models.
#[derive(Default)]
pub struct RecentFeatures(Vec<Features>);

impl RecentFeatures {
    /// Sets of features that are kept.
    const MOST: usize = 32;

    /// Makes these the most recent ones.
    pub fn put_first(&mut self, features: Features) {
        self.0.retain(|kept| *kept != features);
        self.0.insert(0, features);
        self.0.truncate(Self::MOST);
    }

    /// Whether these are among the recent ones.
    pub fn contains(&self, features: &Features) -> bool {
        self.0.contains(features)
    }

    /// Returns the recent ones, the last one first.
    pub fn iter(&self) -> impl Iterator<Item = &Features> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_model::{Clearcoat, TextureRef, UvTransform};

    fn textured(slots: &[TextureSlot]) -> Material {
        let mut material = Material::default();
        for slot in slots {
            let transform = UvTransform::default();
            material.textures[*slot] = Some(TextureRef { texture: 0, uv_set: 0, transform });
        }
        material
    }

    #[test]
    fn a_plain_material_needs_nothing() {
        assert_eq!(Features::needed_by(&Material::default()), Features::default());
        let thin = Material { dispersion: Some(1.0), ..Material::default() };
        assert_eq!(Features::needed_by(&thin), Features::default());
    }

    #[test]
    fn slots_and_shader_features_are_separate() {
        let coat = Clearcoat { factor: 1.0, roughness: 0.0, normal_scale: 1.0 };
        let slots = [TextureSlot::Normal, TextureSlot::Clearcoat];
        let coated = Material { clearcoat: Some(coat), ..textured(&slots) };
        let features = Features::needed_by(&coated);
        assert!(features.has(ShaderFeature::Clearcoat) && features.has(ShaderFeature::Tangents));
        assert!(!features.has(ShaderFeature::Sheen));
        assert_eq!(features.slots().collect::<Vec<_>>(), slots);
        let unlit = Features::needed_by(&Material { unlit: true, ..coated });
        assert_eq!(unlit, Features::default());
    }

    #[test]
    fn the_last_slots_are_left_out_first() {
        let features = Features::needed_by(&textured(&[
            TextureSlot::Thickness,
            TextureSlot::BaseColor,
            TextureSlot::Emissive,
        ]));
        let kept: Vec<_> = features.limited(2).slots().collect();
        assert_eq!(kept, [TextureSlot::BaseColor, TextureSlot::Emissive]);
        assert_eq!(features.limited(0).slots().count(), 0);
    }

    #[test]
    fn the_features_that_were_used_longest_ago_are_dropped() {
        let numbered = |slots| Features { slots, shader: 0 };
        let mut recent = RecentFeatures::default();
        for i in 0..RecentFeatures::MOST as u32 {
            recent.put_first(numbered(i));
        }
        recent.put_first(numbered(0));
        recent.put_first(numbered(1000));
        assert!(recent.contains(&numbered(0)) && recent.contains(&numbered(1000)));
        assert!(!recent.contains(&numbered(1)) && recent.contains(&numbered(2)));
        assert_eq!(recent.iter().count(), RecentFeatures::MOST);
    }
}
