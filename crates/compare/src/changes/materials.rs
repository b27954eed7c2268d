//! Differences of materials, by the names of their properties in glTF.

use super::rounding::are_like;
use crate::change::{Change, Kind};
use crate::pairing::pairs::{Models, Pairs, entry_name, given, may_be_one};
use crate::pairing::primitive_pairs::primitive_pairs;
use rigview_model::{AlphaMode, Material, Model, TextureRef, UvTransform};

/// A property's value.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Numbers(Vec<f32>),
    /// Two lengths in metres, then numbers. What is short in the space of a mesh may be long in the scene.
    Lengths([f32; 2], Vec<f32>),
    Alpha(AlphaMode),
    Text(String),
    /// A texture, and its texture coordinates: their set and their transform.
    Texture(String, u32, UvTransform),
}

impl Value {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Numbers(a), Value::Numbers(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| are_like(*a, *b, 1.0))
            }
            (Value::Lengths(a, of_a), Value::Lengths(b, of_b)) => {
                let mut numbers = of_a.iter().zip(of_b);
                a.iter().zip(b).all(|(a, b)| are_like(*a, *b, 0.0))
                    && numbers.all(|(a, b)| are_like(*a, *b, 1.0))
            }
            (
                Value::Alpha(AlphaMode::Mask { cutoff: a }),
                Value::Alpha(AlphaMode::Mask { cutoff: b }),
            ) => are_like(*a, *b, 1.0),
            (a, b) => a == b,
        }
    }

    /// Whether both are the same texture, apart from its texture coordinates.
    fn is_same_texture(&self, other: &Self) -> bool {
        matches!((self, other), (Value::Texture(a, ..), Value::Texture(b, ..)) if a == b)
    }

    fn text(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Texture(text, set, transform) => {
                let mut text = text.clone();
                if *set != 0 {
                    text += &format!(" at TEXCOORD_{set}");
                }
                if *transform != UvTransform::default() {
                    let UvTransform { offset, rotation, scale } = transform;
                    text += &format!(" moved by {offset}, turned by {rotation}, scaled by {scale}");
                }
                text
            }
            Value::Alpha(AlphaMode::Opaque) => "OPAQUE".into(),
            Value::Alpha(AlphaMode::Mask { cutoff }) => format!("MASK below {cutoff}"),
            Value::Alpha(AlphaMode::Blend) => "BLEND".into(),
            Value::Numbers(list) if list.is_empty() => "none".into(),
            Value::Numbers(list) => numbers_text(list),
            Value::Lengths(lengths, list) => numbers_text(&[&lengths[..], list].concat()),
        }
    }
}

fn numbers_text(list: &[f32]) -> String {
    list.iter().map(f32::to_string).collect::<Vec<_>>().join(", ")
}

/// The materials of a model, and names that identify its images.
struct Materials<'a> {
    model: &'a Model,
    images: Vec<String>,
}

impl Materials<'_> {
    /// Returns all properties of a material, the same ones for every material.
    fn properties(&self, m: &Material) -> Vec<(&'static str, Value)> {
        let numbers = |list: &[f32]| Value::Numbers(list.to_vec());
        let one = |x: f32| Value::Numbers(vec![x]);
        let some = |list: Option<Vec<f32>>| Value::Numbers(list.unwrap_or_default());
        let flag = |on: bool| Value::Text(on.to_string());
        let with = |first: f32, rest: &[f32]| [&[first], rest].concat();
        let mut list = vec![
            ("baseColorFactor", numbers(&m.base_color)),
            ("metallicFactor", one(m.metallic)),
            ("roughnessFactor", one(m.roughness)),
            ("normalTexture scale", one(m.normal_scale)),
            ("occlusionTexture strength", one(m.occlusion_strength)),
            ("emissiveFactor", numbers(&m.emissive)),
            ("emissiveStrength", one(m.emissive_strength)),
            ("alphaMode", Value::Alpha(m.alpha_mode)),
            ("doubleSided", flag(m.double_sided)),
            ("unlit", flag(m.unlit)),
            ("ior", one(m.ior)),
            ("specularFactor", one(m.specular)),
            ("specularColorFactor", numbers(&m.specular_color)),
            (
                "specularGlossiness",
                some(m.specular_glossiness.map(|s| with(s.glossiness, &s.specular))),
            ),
            ("clearcoat", some(m.clearcoat.map(|c| vec![c.factor, c.roughness, c.normal_scale]))),
            ("sheen", some(m.sheen.map(|s| with(s.roughness, &s.color)))),
            (
                "iridescence",
                some(
                    m.iridescence.map(|i| vec![i.factor, i.ior, i.thickness_min, i.thickness_max]),
                ),
            ),
            ("anisotropy", some(m.anisotropy.map(|a| vec![a.strength, a.rotation]))),
            ("transmissionFactor", some(m.transmission.map(|t| vec![t]))),
            (
                "volume",
                m.volume.map_or(Value::Numbers(Vec::new()), |v| {
                    let lengths = [v.thickness, v.attenuation_distance];
                    Value::Lengths(lengths, v.attenuation_color.to_vec())
                }),
            ),
            ("dispersion", some(m.dispersion.map(|d| vec![d]))),
            ("diffuseTransmission", some(m.diffuse_transmission.map(|d| with(d.factor, &d.color)))),
        ];
        for slot in rigview_model::TextureSlot::ALL {
            list.push((slot.name(), self.texture(m.textures[slot])));
        }
        list
    }

    fn texture(&self, texture: Option<TextureRef>) -> Value {
        let Some(used) = texture else { return Value::Text("none".into()) };
        let texture = &self.model.textures[used.texture];
        let mut text = texture.image.map_or("no image".into(), |image| self.images[image].clone());
        let sampler = texture.sampler;
        if sampler != Default::default() {
            let mip = sampler.mip.map_or("no mips".into(), |mip| format!("mips {mip:?}"));
            text += &format!(
                " wrapped {:?} and {:?}, filtered {:?} and {:?}, {mip}",
                sampler.wrap_u, sampler.wrap_v, sampler.magnify, sampler.minify
            );
        }
        Value::Texture(text, used.uv_set, used.transform)
    }
}

/// Returns both models' materials. Images of a pair have one name.
fn both<'a>(a: &'a Model, b: &'a Model, images: &Pairs) -> [Materials<'a>; 2] {
    let name = |model: &Model, i: usize| match given(&model.images[i].name) {
        Some(name) => format!("image \"{name}\""),
        None => format!("image {i}"),
    };
    let in_b = |i: usize| images.a_of(i).map_or_else(|| name(b, i) + " of B", |i| name(a, i));
    // A copy has the name of the image whose copy it is.
    let in_a = |i: usize| name(a, images.b_of(i).and_then(|j| images.a_of(j)).unwrap_or(i));
    [
        Materials { model: a, images: (0..a.images.len()).map(in_a).collect() },
        Materials { model: b, images: (0..b.images.len()).map(in_b).collect() },
    ]
}

/// Returns a text that is equal for materials with equal properties.
fn key(side: &Materials, i: usize) -> String {
    let properties = side.properties(&side.model.materials[i]);
    properties.iter().map(|(_, value)| value.text()).collect::<Vec<_>>().join("|")
}

fn name_of(model: &Model, i: usize) -> Option<&str> {
    given(&model.materials[i].name)
}

/// Pairs materials: by name, then those with equal properties in their order. [`pair_other_materials`] pairs the rest.
pub(crate) fn material_pairs(a: &Model, b: &Model, images: &Pairs) -> Pairs {
    let mut pairs = Pairs::new(a.materials.len(), b.materials.len());
    pairs.pair_unique(|i| name_of(a, i), |j| name_of(b, j));
    let [of_a, of_b] = both(a, b, images);
    let named = |side: &Materials, i: usize| {
        Some((name_of(side.model, i).map(str::to_owned), key(side, i)))
    };
    pairs.pair_in_order(|i| named(&of_a, i), |j| named(&of_b, j));
    pairs.pair_in_order(|i| Some(key(&of_a, i)), |j| Some(key(&of_b, j)));
    pairs
}

/// Pairs materials of one name, or of which one has none, by the primitives that have them, also in variants of one name; then those
/// of one name in their order, then by index if one of both has no name.
pub(crate) fn pair_other_materials([a, b]: [&Model; 2], meshes: &Pairs, materials: &mut Pairs) {
    if materials.left_in_a().is_empty() || materials.left_in_b().is_empty() {
        return;
    }
    let mut uses = Vec::new();
    for (x, y) in meshes.iter() {
        let [x, y] = [&a.meshes[x], &b.meshes[y]];
        for (i, j) in primitive_pairs([x, y], materials).iter() {
            let (p, q) = (&x.primitives[i], &y.primitives[j]);
            uses.extend(p.material.zip(q.material).map(|(i, j)| [i, j]));
            for (variant, i) in &p.variant_materials {
                let has_name = |(of, _): &&(usize, usize)| a.variants[*variant] == b.variants[*of];
                let there = q.variant_materials.iter().find(has_name);
                uses.extend(there.map(|(_, j)| [*i, *j]));
            }
        }
    }
    materials.pair_by_use(uses, |i, j| may_be_one([name_of(a, i), name_of(b, j)]));
    materials.pair_in_order(|i| name_of(a, i), |j| name_of(b, j));
    materials.pair_unique(|i| name_of(a, i).is_none().then_some(i), Some);
    materials.pair_unique(Some, |j| name_of(b, j).is_none().then_some(j));
}

/// Makes a material that one model has several times its copies' partner too.
pub(crate) fn join_materials([a, b]: [&Model; 2], images: &Pairs, materials: &mut Pairs) {
    let [of_a, of_b] = both(a, b, images);
    let named =
        |side: &Materials, i: usize| (name_of(side.model, i).map(str::to_owned), key(side, i));
    // A copy belongs to its namesake before others that are the same.
    materials.pair_copies(|i| Some(named(&of_a, i)), |j| Some(named(&of_b, j)));
    materials.pair_copies(|i| Some(key(&of_a, i)), |j| Some(key(&of_b, j)));
    // Which of several materials with one name and equal properties a primitive has does not count.
    materials.join_copies(|i| named(&of_a, i), |j| named(&of_b, j));
}

/// Returns, for each material, whether a primitive has it; all are used in a file without meshes, which is a library.
pub(crate) fn used_materials(model: &Model) -> Vec<bool> {
    let mut used = vec![model.meshes.is_empty(); model.materials.len()];
    let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    for material in primitives.flat_map(|primitive| primitive.materials()) {
        used[material] = true;
    }
    used
}

/// Lists the materials whose properties differ. The set of a texture's coordinates and their transform do not
/// count where the coordinates that they lead to `agree`: quantized ones have a transform of their own.
pub(crate) fn material_changes(models: Models, agree: impl Fn([usize; 2]) -> bool) -> Vec<Change> {
    let Models { a, b, pairs } = models;
    let [of_a, of_b] = both(a, b, &pairs.images);
    let change = |(i, j): (usize, usize)| {
        let (x, y) = (&a.materials[i], &b.materials[j]);
        let properties = of_a.properties(x).into_iter().zip(of_b.properties(y));
        let is_like = |before: &Value, after: &Value| {
            before.is_like(after) || before.is_same_texture(after) && agree([i, j])
        };
        let differ = properties.filter(|((_, before), (_, after))| !is_like(before, after));
        let said = differ.map(|((name, before), (_, after))| {
            format!("{name} {} -> {}", before.text(), after.text())
        });
        let what = said.collect::<Vec<_>>().join("; ");
        let name = entry_name(&x.name, i);
        (!what.is_empty()).then(|| Change::changed(Kind::Material, name, what))
    };
    pairs.materials.iter().filter_map(change).collect()
}
