//! A material: its factors, and its textures with their transforms.

use super::page::Page;
use super::thumbnails::{Channel, Thumbnails};
use rigview_report::{MaterialFacts, TextureUse};
use rigview_session::Item;

/// The side of a texture's picture in points.
const SIDE: f32 = 64.0;

pub(super) fn show(page: &mut Page<'_>, facts: &MaterialFacts, thumbnails: &mut Thumbnails) {
    page.section("Material", |page| {
        page.count("Index", facts.index);
        page.text("Alpha mode", facts.alpha_mode);
        page.text("Sides", if facts.double_sided { "both" } else { "front" });
        if facts.unlit {
            page.text("Light", "none (unlit)");
        }
        page.links("Meshes", facts.meshes.iter().map(|mesh| Item::Mesh(*mesh)));
    });
    page.section("Factors", |page| {
        for factor in &facts.factors {
            let label = label_of(factor.name);
            match factor.value.len() {
                1 => page.numbers(&label, &factor.value, ""),
                _ => page.color(&label, &factor.value),
            }
        }
    });
    for used in &facts.textures {
        page.section(&label_of(used.slot), |page| {
            page.row("", |page, _| thumbnails.show(page.ui, used.texture, Channel::Color, SIDE));
            show_use(page, used);
        });
    }
}

fn show_use(page: &mut Page<'_>, used: &TextureUse) {
    page.link("Texture", Item::Texture(used.texture));
    page.text("Coordinates", &format!("TEXCOORD_{}", used.uv_set));
    if used.offset != [0.0; 2] || used.rotation_degrees != 0.0 || used.scale != [1.0; 2] {
        page.numbers("Offset", &used.offset, "");
        page.numbers("Rotation", &[used.rotation_degrees], "°");
        page.numbers("Scale", &used.scale, "");
    }
}

/// Returns a name of glTF as words: `baseColorFactor` becomes `Base color`.
fn label_of(name: &str) -> String {
    let name = name.strip_suffix("Factor").unwrap_or(name);
    let mut label = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() {
            label.push(' ');
        }
        if label.is_empty() {
            label.extend(letter.to_uppercase())
        } else {
            label.extend(letter.to_lowercase())
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::label_of;

    #[test]
    fn names_of_gltf_become_words() {
        assert_eq!(label_of("baseColorFactor"), "Base color");
        assert_eq!(label_of("ior"), "Ior");
        assert_eq!(label_of("metallicRoughnessTexture"), "Metallic roughness texture");
    }
}
