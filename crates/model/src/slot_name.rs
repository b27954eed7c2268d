//! The names of animated properties, for people.

use super::{Field, Model, Slot, SlotOwner};

impl Model {
    /// Returns the name of an animated property and of its object: `material "Skin": base color`, or `material 3: base color`
    /// if it has no name.
    pub fn slot_name(&self, slot: Slot) -> String {
        let Slot { field, item } = slot;
        let (object, name) = match field.owner() {
            SlotOwner::Node => ("node", &self.nodes[item].name),
            SlotOwner::Material => ("material", &self.materials[item].name),
            SlotOwner::Light => ("light", &self.lights[item].name),
            SlotOwner::Camera => ("camera", &self.cameras[item].name),
        };
        let field = match field {
            Field::NodeVisible => "visible".to_owned(),
            Field::Material(field) => in_words(&format!("{field:?}")),
            field => {
                let words = in_words(&format!("{field:?}"));
                words.strip_prefix("light ").map_or(words.clone(), str::to_owned)
            }
        };
        match name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => format!("{object} \"{name}\": {field}"),
            None => format!("{object} {item}: {field}"),
        }
    }
}

/// Returns the name of a variant as words: `TextureScale(BaseColor)` is "texture scale of base color".
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        match c {
            '(' => words.push_str(" of"),
            ')' => {}
            c => {
                if c.is_uppercase() && !words.is_empty() {
                    words.push(' ');
                }
                words.extend(c.to_lowercase());
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Light, LightKind, Material, MaterialField, TextureSlot};

    #[test]
    fn properties_are_named_with_their_object_in_words() {
        let skin = Material { name: Some("Skin".into()), ..Material::default() };
        let lamp = Light {
            name: None,
            kind: LightKind::Point,
            color: [1.0; 3],
            intensity: 1.0,
            range: None,
        };
        let model = Model { materials: vec![skin], lights: vec![lamp], ..Model::default() };
        let name = |field, item| model.slot_name(Slot { field, item });
        let scale = MaterialField::TextureScale(TextureSlot::BaseColor);
        assert_eq!(
            name(Field::Material(scale), 0),
            "material \"Skin\": texture scale of base color"
        );
        assert_eq!(name(Field::LightColor, 0), "light 0: color");
    }
}
