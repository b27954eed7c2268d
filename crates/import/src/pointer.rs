//! KHR_animation_pointer: maps JSON pointers to properties of a model, and collects the property
//! slots that a file's animations drive.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use rigview_document::Document;
use rigview_model::{Field, MaterialField as Of, Properties, Slot, TextureSlot};

/// Pointers to properties: the parts before and after the object's index, and the property.
const POINTERS: &[(&str, &str, Field)] = &[
    ("/nodes/", "/extensions/KHR_node_visibility/visible", Field::NodeVisible),
    ("/cameras/", "/perspective/yfov", Field::PerspectiveFovY),
    ("/cameras/", "/perspective/znear", Field::PerspectiveNear),
    ("/cameras/", "/perspective/zfar", Field::PerspectiveFar),
    ("/cameras/", "/orthographic/xmag", Field::OrthographicHalfWidth),
    ("/cameras/", "/orthographic/ymag", Field::OrthographicHalfHeight),
    ("/cameras/", "/orthographic/znear", Field::OrthographicNear),
    ("/cameras/", "/orthographic/zfar", Field::OrthographicFar),
    (LIGHTS, "/color", Field::LightColor),
    (LIGHTS, "/intensity", Field::LightIntensity),
    (LIGHTS, "/range", Field::LightRange),
    (LIGHTS, "/spot/innerConeAngle", Field::LightInnerCone),
    (LIGHTS, "/spot/outerConeAngle", Field::LightOuterCone),
];

const LIGHTS: &str = "/extensions/KHR_lights_punctual/lights/";

/// Properties of a material: the part of the pointer after its index.
const MATERIALS: &[(&str, Of)] = &[
    ("pbrMetallicRoughness/baseColorFactor", Of::BaseColor),
    ("pbrMetallicRoughness/metallicFactor", Of::Metallic),
    ("pbrMetallicRoughness/roughnessFactor", Of::Roughness),
    ("normalTexture/scale", Of::NormalScale),
    ("occlusionTexture/strength", Of::OcclusionStrength),
    ("emissiveFactor", Of::Emissive),
    ("alphaCutoff", Of::AlphaCutoff),
];

/// Properties of a material's extensions: the part after `extensions/KHR_materials_`.
const EXTENSIONS: &[(&str, Of)] = &[
    ("anisotropy/anisotropyStrength", Of::AnisotropyStrength),
    ("anisotropy/anisotropyRotation", Of::AnisotropyRotation),
    ("clearcoat/clearcoatFactor", Of::Clearcoat),
    ("clearcoat/clearcoatRoughnessFactor", Of::ClearcoatRoughness),
    ("clearcoat/clearcoatNormalTexture/scale", Of::ClearcoatNormalScale),
    ("diffuse_transmission/diffuseTransmissionFactor", Of::DiffuseTransmission),
    ("diffuse_transmission/diffuseTransmissionColorFactor", Of::DiffuseTransmissionColor),
    ("dispersion/dispersion", Of::Dispersion),
    ("emissive_strength/emissiveStrength", Of::EmissiveStrength),
    ("ior/ior", Of::Ior),
    ("iridescence/iridescenceFactor", Of::Iridescence),
    ("iridescence/iridescenceIor", Of::IridescenceIor),
    ("iridescence/iridescenceThicknessMinimum", Of::IridescenceThicknessMin),
    ("iridescence/iridescenceThicknessMaximum", Of::IridescenceThicknessMax),
    ("pbrSpecularGlossiness/diffuseFactor", Of::Diffuse),
    ("pbrSpecularGlossiness/specularFactor", Of::Reflected),
    ("pbrSpecularGlossiness/glossinessFactor", Of::Glossiness),
    ("sheen/sheenColorFactor", Of::SheenColor),
    ("sheen/sheenRoughnessFactor", Of::SheenRoughness),
    ("specular/specularFactor", Of::Specular),
    ("specular/specularColorFactor", Of::SpecularColor),
    ("transmission/transmissionFactor", Of::Transmission),
    ("volume/thicknessFactor", Of::Thickness),
    ("volume/attenuationDistance", Of::AttenuationDistance),
    ("volume/attenuationColor", Of::AttenuationColor),
];

/// A slot that a pointer names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotRef {
    /// Index into the slots.
    pub slot: usize,
    /// Values of the slot.
    pub width: usize,
}

/// The property slots of a file: one for each property that a channel names.
pub(super) struct Slots {
    list: Vec<Slot>,
    /// By slot: its values at rest.
    rest: Vec<Vec<f32>>,
    numbers: HashMap<Slot, usize>,
}

impl Slots {
    /// Collects the slots that the channels of a document name and that `properties` has.
    pub fn driven(document: &Document, mut properties: Properties) -> Self {
        let mut slots = Self { list: Vec::new(), rest: Vec::new(), numbers: HashMap::new() };
        let defined = pointers(document).filter(|pointer| is_defined(document, pointer));
        for slot in defined.filter_map(property_slot) {
            if let Some(values) = properties.values(slot)
                && let Entry::Vacant(number) = slots.numbers.entry(slot)
            {
                number.insert(slots.list.len());
                slots.list.push(slot);
                slots.rest.push(values.to_vec());
            }
        }
        slots
    }

    /// Returns the slot that a pointer names; `None` if the file does not define the property or it
    /// is not supported.
    pub fn named_by(&self, pointer: &str) -> Option<SlotRef> {
        let slot = *self.numbers.get(&property_slot(pointer)?)?;
        Some(SlotRef { slot, width: self.rest[slot].len() })
    }

    /// Returns the property of a slot.
    pub fn field(&self, slot: usize) -> Field {
        self.list[slot].field
    }

    /// Returns the slots and the values of each at rest.
    pub fn finish(self) -> (Vec<Slot>, Vec<Vec<f32>>) {
        (self.list, self.rest)
    }
}

/// Whether a property has a value: the object that holds it is in the file (KHR_animation_pointer,
/// "Operation"), and the property too where it has no default. A far plane or a range that is left out
/// stands for infinity.
pub(super) fn is_defined(document: &Document, pointer: &str) -> bool {
    let root = document.root().value;
    let holder = pointer.rsplit_once('/').and_then(|(to, _)| root.pointer(to));
    let has_default = !matches!(
        property_slot(pointer),
        Some(Slot { field: Field::PerspectiveFar | Field::LightRange, .. })
    );
    holder.is_some_and(Value::is_object) && (has_default || root.pointer(pointer).is_some())
}

/// Returns the pointers of all material properties that channels name.
pub(super) fn of_materials(document: &Document) -> BTreeSet<&str> {
    pointers(document).filter(|pointer| pointer.starts_with("/materials/")).collect()
}

/// Returns the property that a JSON pointer names; `None` if animations can't drive it here. The file need not define it.
pub fn property_slot(pointer: &str) -> Option<Slot> {
    if let Some(rest) = pointer.strip_prefix("/materials/") {
        let (item, property) = rest.split_once('/')?;
        return Some(Slot { field: Field::Material(of_material(property)?), item: index(item)? });
    }
    POINTERS.iter().find_map(|(before, behind, field)| {
        Some(Slot { field: *field, item: number_between(pointer, before, behind)? })
    })
}

fn of_material(property: &str) -> Option<Of> {
    if let Some((texture, transform)) = property.split_once("/extensions/KHR_texture_transform/") {
        // The key of the texture, and the path before it.
        let (before, key) = texture.rsplit_once('/').unwrap_or(("", texture));
        let slot = match key {
            "diffuseTexture" => TextureSlot::BaseColor,
            _ => TextureSlot::from_name(key)?,
        };
        let known = matches!(before, "" | "pbrMetallicRoughness");
        return match transform {
            _ if !known && !before.starts_with("extensions/KHR_materials_") => None,
            "offset" => Some(Of::TextureOffset(slot)),
            "rotation" => Some(Of::TextureRotation(slot)),
            "scale" => Some(Of::TextureScale(slot)),
            _ => None,
        };
    }
    let stem = property.strip_prefix("extensions/KHR_materials_");
    let (list, key) = match stem {
        Some(key) => (EXTENSIONS, key),
        None => (MATERIALS, property),
    };
    list.iter().find(|(known, _)| *known == key).map(|(_, field)| *field)
}

/// Returns the index between two parts of a pointer, if nothing else is between them.
fn number_between(pointer: &str, before: &str, behind: &str) -> Option<usize> {
    index(pointer.strip_prefix(before)?.strip_suffix(behind)?)
}

/// Returns the pointers of all channels. Defects are reported when the channels are read.
fn pointers(document: &Document) -> impl Iterator<Item = &str> {
    fn items<'a>(of: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
        of.get(key).and_then(Value::as_array).into_iter().flatten()
    }
    let animations = items(document.root().value, "animations");
    animations.flat_map(|animation| items(animation, "channels")).filter_map(|at| {
        at.get("target")?.get("extensions")?.get("KHR_animation_pointer")?.get("pointer")?.as_str()
    })
}

/// Parses an index of a JSON pointer: no sign, no leading zero.
pub fn index(digits: &str) -> Option<usize> {
    let canonical = digits == "0" || !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|_| canonical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    use rigview_model::{Camera, Light, LightKind, Material, Node, Projection};

    fn slots(pointers: &[&str]) -> Slots {
        let projection = Projection::Perspective { fov_y: 1.0, aspect: None, near: 0.5, far: None };
        let camera = Camera { name: None, projection };
        let (color, intensity) = ([1.0, 0.5, 0.25], 2.0);
        let kind = LightKind::Point;
        let light = Light { name: None, kind, color, intensity, range: None };
        let channel = |pointer: &&str| json!({"target": {"extensions": {"KHR_animation_pointer": {"pointer": pointer}}}});
        let channels: Vec<Value> = pointers.iter().map(channel).collect();
        let document = Document::new(json!({
            "animations": [{"channels": channels}],
            "cameras": [{"perspective": {}}],
            "materials": [{"pbrMetallicRoughness": {}}],
            "nodes": [{}, {"extensions": {"KHR_node_visibility": {}}}],
            "extensions": {"KHR_lights_punctual": {"lights": [{}]}},
        }))
        .unwrap();
        let nodes = [Node::default(), Node::default()];
        let material = Material::default();
        Slots::driven(&document, Properties::at_rest(&nodes, &[camera], &[light], &[material]))
    }

    #[test]
    fn pointers_name_slots_with_their_values_at_rest() {
        let color = "/extensions/KHR_lights_punctual/lights/0/color";
        let visible = "/nodes/1/extensions/KHR_node_visibility/visible";
        let near = "/cameras/0/perspective/znear";
        let base = "/materials/0/pbrMetallicRoughness/baseColorFactor";
        let slots = slots(&[color, visible, color, near, base]);
        let slot = |slot, width| Some(SlotRef { slot, width });
        assert_eq!(slots.named_by(color), slot(0, 3), "one slot per property");
        assert_eq!(slots.named_by(visible), slot(1, 1));
        assert_eq!(slots.named_by(near), slot(2, 1));
        assert_eq!(slots.named_by(base), slot(3, 4));
        let (list, rest) = slots.finish();
        assert_eq!(rest, [vec![1.0, 0.5, 0.25], vec![1.0], vec![0.5], vec![1.0; 4]]);
        assert_eq!(list[1], Slot { field: Field::NodeVisible, item: 1 });
    }

    #[test]
    fn properties_that_do_not_exist_have_no_slot() {
        let odd = [
            "",
            "/cameras/0/perspective",
            "/cameras/0/perspective/zfar",
            "/cameras/0/orthographic/znear",
            "/cameras/1/perspective/yfov",
            "/cameras/00/perspective/yfov",
            "/cameras/+0/perspective/yfov",
            "/cameras/-1/perspective/yfov",
            "/cameras/4294967296/perspective/yfov",
            "/cameras/0/0/perspective/yfov",
            "/extensions/KHR_lights_punctual/lights/0/range",
            "/extensions/KHR_lights_punctual/lights/0/spot/outerConeAngle",
            "/nodes/0/extensions/KHR_node_visibility/visible",
            "/nodes/2/extensions/KHR_node_visibility/visible",
            "/materials/0/extensions/KHR_materials_ior/ior",
            "/materials/0/normalTexture/scale",
            "/materials/1/alphaCutoff",
            "/materials/0/alphaCutoff",
            "/materials/0/normalTexture/extensions/KHR_texture_transform/offset",
            "/materials/0/extensions/KHR_materials_clearcoat/clearcoatFactor",
        ];
        let slots = slots(&odd);
        for pointer in odd {
            assert_eq!(slots.named_by(pointer), None, "{pointer}");
        }
        assert!(slots.finish().0.is_empty());
    }
}
