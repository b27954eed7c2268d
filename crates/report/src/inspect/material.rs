//! A material: its factors and its textures.

use serde::Serialize;

use rigview_model::{AlphaMode, Material, Model, TextureRef, TextureSlot};

/// A material in the present pose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MaterialFacts {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: Option<String>,
    /// The numbers that it is made of: those of the core, then those of the extensions that it uses.
    pub factors: Vec<FactorValue>,
    /// `OPAQUE`, `MASK` or `BLEND`.
    pub alpha_mode: &'static str,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Whether it is shown without light.
    pub unlit: bool,
    /// Its textures.
    pub textures: Vec<TextureUse>,
    /// The meshes that use it, in a variant or without one.
    pub meshes: Vec<usize>,
}

/// A number of a material, or a colour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactorValue {
    /// Its name in glTF.
    pub name: &'static str,
    /// One number, or a linear colour of three or four.
    pub value: Vec<f32>,
}

/// A material's use of a texture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextureUse {
    /// The slot's key in glTF.
    pub slot: &'static str,
    /// The texture.
    pub texture: usize,
    /// The set of texture coordinates.
    pub uv_set: u32,
    /// The transform of the texture coordinates: offset.
    pub offset: [f32; 2],
    /// The transform of the texture coordinates: rotation in degrees.
    pub rotation_degrees: f32,
    /// The transform of the texture coordinates: scale.
    pub scale: [f32; 2],
}

/// Returns the facts of a material, as the model or a pose's properties have it.
pub fn material_facts(model: &Model, index: usize, material: &Material) -> MaterialFacts {
    let uses = |mesh: &usize| {
        let primitives = &model.meshes[*mesh].primitives;
        primitives.iter().any(|primitive| primitive.materials().any(|m| m == index))
    };
    MaterialFacts {
        index,
        name: material.name.clone(),
        factors: core(material).into_iter().chain(layers(material)).collect(),
        alpha_mode: match material.alpha_mode {
            AlphaMode::Opaque => "OPAQUE",
            AlphaMode::Mask { .. } => "MASK",
            AlphaMode::Blend => "BLEND",
        },
        double_sided: material.double_sided,
        unlit: material.unlit,
        textures: material.textures.iter().map(|(slot, used)| texture_use(slot, used)).collect(),
        meshes: (0..model.meshes.len()).filter(uses).collect(),
    }
}

fn texture_use(slot: TextureSlot, used: TextureRef) -> TextureUse {
    let TextureRef { texture, uv_set, transform } = used;
    TextureUse {
        slot: slot.name(),
        texture,
        uv_set,
        offset: transform.offset.to_array(),
        rotation_degrees: transform.rotation.to_degrees(),
        scale: transform.scale.to_array(),
    }
}

fn one(name: &'static str, value: f32) -> FactorValue {
    FactorValue { name, value: vec![value] }
}

fn many(name: &'static str, value: &[f32]) -> FactorValue {
    FactorValue { name, value: value.to_vec() }
}

/// The factors of the core, and those of extensions that every material has.
fn core(m: &Material) -> Vec<FactorValue> {
    let mut all = match m.specular_glossiness {
        Some(s) => vec![
            many("diffuseFactor", &m.base_color),
            many("specularFactor", &s.specular),
            one("glossinessFactor", s.glossiness),
        ],
        None => vec![
            many("baseColorFactor", &m.base_color),
            one("metallicFactor", m.metallic),
            one("roughnessFactor", m.roughness),
        ],
    };
    all.push(many("emissiveFactor", &m.emissive));
    all.push(one("emissiveStrength", m.emissive_strength));
    all.push(one("normalScale", m.normal_scale));
    all.push(one("occlusionStrength", m.occlusion_strength));
    all.push(one("ior", m.ior));
    if let AlphaMode::Mask { cutoff } = m.alpha_mode {
        all.push(one("alphaCutoff", cutoff));
    }
    all
}

/// The factors of the layers that a material has.
fn layers(m: &Material) -> Vec<FactorValue> {
    let mut all = Vec::new();
    if m.specular != 1.0 || m.specular_color != [1.0; 3] {
        all.extend([
            one("specularFactor", m.specular),
            many("specularColorFactor", &m.specular_color),
        ]);
    }
    if let Some(c) = m.clearcoat {
        all.push(one("clearcoatFactor", c.factor));
        all.push(one("clearcoatRoughnessFactor", c.roughness));
        all.push(one("clearcoatNormalScale", c.normal_scale));
    }
    if let Some(s) = m.sheen {
        all.extend([many("sheenColorFactor", &s.color), one("sheenRoughnessFactor", s.roughness)]);
    }
    if let Some(i) = m.iridescence {
        all.push(one("iridescenceFactor", i.factor));
        all.push(one("iridescenceIor", i.ior));
        all.push(one("iridescenceThicknessMinimum", i.thickness_min));
        all.push(one("iridescenceThicknessMaximum", i.thickness_max));
    }
    if let Some(a) = m.anisotropy {
        all.push(one("anisotropyStrength", a.strength));
        all.push(one("anisotropyRotation", a.rotation));
    }
    all.extend(m.transmission.map(|factor| one("transmissionFactor", factor)));
    if let Some(v) = m.volume {
        all.push(one("thicknessFactor", v.thickness));
        all.push(one("attenuationDistance", v.attenuation_distance));
        all.push(many("attenuationColor", &v.attenuation_color));
    }
    all.extend(m.dispersion.map(|dispersion| one("dispersion", dispersion)));
    if let Some(d) = m.diffuse_transmission {
        all.push(one("diffuseTransmissionFactor", d.factor));
        all.push(many("diffuseTransmissionColorFactor", &d.color));
    }
    all
}
