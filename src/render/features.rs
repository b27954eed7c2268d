//! What a model's materials ask of the shader: which textures are read, which layers there are. The
//! shader's text is put together from these, so that a plain model pays for nothing else.

use crate::model::{Material, TextureSlot};

/// A part of the shader that only some materials or draws need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// A frame of tangents, for normal maps and anisotropy.
    Tangents,
    /// KHR_materials_pbrSpecularGlossiness.
    SpecularGlossiness,
    /// KHR_materials_clearcoat.
    Clearcoat,
    /// KHR_materials_sheen.
    Sheen,
    /// KHR_materials_iridescence.
    Iridescence,
    /// KHR_materials_anisotropy.
    Anisotropy,
    /// KHR_materials_transmission.
    Transmission,
    /// KHR_materials_volume.
    Volume,
    /// KHR_materials_dispersion.
    Dispersion,
    /// KHR_materials_diffuse_transmission.
    DiffuseTransmission,
    /// Lines that are drawn as rectangles.
    Lines,
}

impl Layer {
    /// All of them.
    pub const ALL: [Layer; 11] = [
        Layer::Tangents,
        Layer::SpecularGlossiness,
        Layer::Clearcoat,
        Layer::Sheen,
        Layer::Iridescence,
        Layer::Anisotropy,
        Layer::Transmission,
        Layer::Volume,
        Layer::Dispersion,
        Layer::DiffuseTransmission,
        Layer::Lines,
    ];

    /// What `#if` lines of the shaders call it.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Tangents => "TANGENTS",
            Layer::SpecularGlossiness => "SPECULAR_GLOSSINESS",
            Layer::Clearcoat => "CLEARCOAT",
            Layer::Sheen => "SHEEN",
            Layer::Iridescence => "IRIDESCENCE",
            Layer::Anisotropy => "ANISOTROPY",
            Layer::Transmission => "TRANSMISSION",
            Layer::Volume => "VOLUME",
            Layer::Dispersion => "DISPERSION",
            Layer::DiffuseTransmission => "DIFFUSE_TRANSMISSION",
            Layer::Lines => "LINES",
        }
    }
}

/// A set of texture slots and layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features {
    slots: u32,
    layers: u32,
}

impl Features {
    /// All there are.
    pub const ALL: Self =
        Self { slots: (1 << TextureSlot::ALL.len()) - 1, layers: (1 << Layer::ALL.len()) - 1 };

    /// What a material asks for.
    pub fn of(material: &Material) -> Self {
        let mut features = Self::default();
        for (slot, _) in material.textures.iter() {
            features.slots |= 1 << slot as u32;
        }
        if material.unlit {
            return Self { slots: features.slots & 1 << TextureSlot::BaseColor as u32, layers: 0 };
        }
        let has_volume = material.volume.is_some();
        for (layer, there) in [
            (Layer::Tangents, material.needs_tangents()),
            (Layer::SpecularGlossiness, material.specular_glossiness.is_some()),
            (Layer::Clearcoat, material.clearcoat.is_some()),
            (Layer::Sheen, material.sheen.is_some()),
            (Layer::Iridescence, material.iridescence.is_some()),
            (Layer::Anisotropy, material.anisotropy.is_some()),
            (Layer::Transmission, material.is_transmissive()),
            (Layer::Volume, has_volume),
            (Layer::Dispersion, has_volume && material.dispersion.is_some()),
            (Layer::DiffuseTransmission, material.diffuse_transmission.is_some()),
        ] {
            if there {
                features = features.with(layer);
            }
        }
        features
    }

    /// The same and a layer.
    pub fn with(self, layer: Layer) -> Self {
        Self { layers: self.layers | 1 << layer as u32, ..self }
    }

    /// The same with the layers that those here can't be without.
    pub fn complete(self) -> Self {
        let mut out = self;
        for (layer, needs) in
            [(Layer::Anisotropy, Layer::Tangents), (Layer::Dispersion, Layer::Volume)]
        {
            if out.has(layer) {
                out = out.with(needs);
            }
        }
        out
    }

    /// What either asks for.
    pub fn union(self, other: Self) -> Self {
        Self { slots: self.slots | other.slots, layers: self.layers | other.layers }
    }

    /// Whether a layer is there.
    pub fn has(self, layer: Layer) -> bool {
        self.layers >> layer as u32 & 1 == 1
    }

    /// Whether a texture is read.
    pub fn reads(self, slot: TextureSlot) -> bool {
        self.slots >> slot as u32 & 1 == 1
    }

    /// The slots that are read, in order.
    pub fn slots(self) -> impl Iterator<Item = TextureSlot> {
        TextureSlot::ALL.into_iter().filter(move |slot| self.reads(*slot))
    }

    /// The same with the slots alone: what the textures' bindings depend on.
    pub fn without_layers(self) -> Self {
        Self { layers: 0, ..self }
    }

    /// The same with at most so many textures: the first of the slots' order.
    pub fn limited(self, textures: usize) -> Self {
        let kept = self.slots().take(textures).fold(0, |set, slot| set | 1 << slot as u32);
        Self { slots: kept, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Clearcoat, TextureRef, UvTransform};

    fn textured(slots: &[TextureSlot]) -> Material {
        let mut material = Material::default();
        for slot in slots {
            let transform = UvTransform::default();
            material.textures[*slot] = Some(TextureRef { texture: 0, uv_set: 0, transform });
        }
        material
    }

    #[test]
    fn a_plain_material_asks_for_nothing() {
        assert_eq!(Features::of(&Material::default()), Features::default());
        let thin = Material { dispersion: Some(1.0), ..Material::default() };
        assert_eq!(Features::of(&thin), Features::default());
    }

    #[test]
    fn layers_and_slots_count_apart() {
        let coat = Clearcoat { factor: 1.0, roughness: 0.0, normal_scale: 1.0 };
        let slots = [TextureSlot::Normal, TextureSlot::Clearcoat];
        let coated = Material { clearcoat: Some(coat), ..textured(&slots) };
        let features = Features::of(&coated);
        assert!(features.has(Layer::Clearcoat) && features.has(Layer::Tangents));
        assert!(!features.has(Layer::Sheen));
        assert_eq!(features.slots().collect::<Vec<_>>(), slots);
        let unlit = Features::of(&Material { unlit: true, ..coated });
        assert_eq!(unlit, Features::default());
    }

    #[test]
    fn the_last_slots_are_left_out_first() {
        let features = Features::of(&textured(&[
            TextureSlot::Thickness,
            TextureSlot::BaseColor,
            TextureSlot::Emissive,
        ]));
        let kept: Vec<_> = features.limited(2).slots().collect();
        assert_eq!(kept, [TextureSlot::BaseColor, TextureSlot::Emissive]);
        assert_eq!(features.limited(0).slots().count(), 0);
    }
}
