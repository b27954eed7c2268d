//! The file as a whole: what it holds, and its warnings, each of which selects the part that it is about.

use egui::RichText;

use super::page::Page;
use crate::text::one_line;
use crate::theme;
use rigview_report::ModelInfo;
use rigview_session::{Document, Item, SelectionAction};

pub(super) fn show(page: &mut Page<'_>, document: &Document, info: &ModelInfo) {
    page.section("File", |page| {
        page.text("Format", &format!("{}, {}", info.format, info.container));
        if let Some(generator) = &info.generator {
            page.text("Generator", generator);
        }
        if let Some(copyright) = &info.copyright {
            page.text("Copyright", copyright);
        }
        page.count("Nodes", info.nodes);
        if let Some(bounds) = &info.bounds {
            page.numbers("Lowest", &bounds.min, "m");
            page.numbers("Highest", &bounds.max, "m");
            page.numbers("Height", &[bounds.max[1] - bounds.min[1]], "m");
        }
    });
    if !document.warnings.is_empty() {
        page.section("Warnings of the import", |page| warnings(page, document));
    }
    let lists = [
        ("Meshes", items(info.meshes.len(), Item::Mesh)),
        ("Skins", items(info.skins.len(), Item::Skin)),
        ("Materials", items(info.materials.len(), Item::Material)),
        ("Textures", items(info.textures.len(), Item::Texture)),
        ("Cameras", items(info.cameras.len(), Item::Camera)),
        ("Lights", items(info.lights.len(), Item::Light)),
        ("Animations", items(info.animations.len(), Item::Clip)),
    ];
    for (title, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
        page.folded(&format!("{title} ({})", items.len()), |page| {
            page.links("", items.into_iter());
        });
    }
    if !info.metadata.is_empty() {
        page.folded("Metadata", |page| {
            for thing in &info.metadata {
                for (property, value) in &thing.properties {
                    let name = match thing.about.as_str() {
                        "/asset" => property.clone(),
                        about => format!("{about} {property}"),
                    };
                    page.text(&name, value);
                }
            }
        });
    }
    if !info.extensions.is_empty() {
        page.folded("Extensions", |page| {
            for extension in &info.extensions {
                page.text(extension.status, &extension.name);
            }
        });
    }
}

fn items(count: usize, item: fn(usize) -> Item) -> Vec<Item> {
    (0..count).map(item).collect()
}

fn warnings(page: &mut Page<'_>, document: &Document) {
    for warning in &document.warnings {
        let place = if warning.pointer.is_empty() { "" } else { " at " };
        let line = one_line(&format!("{}{place}{}", warning.message, warning.pointer));
        let item = Item::at(&warning.pointer).filter(|item| item.is_in(page.model));
        let color = if warning.is_hint() {
            theme::colors(page.ui).weak
        } else {
            theme::colors(page.ui).warning
        };
        let text = RichText::new(&line).size(12.0).color(color);
        let Some(item) = item else {
            page.ui.add(egui::Label::new(text).wrap()).on_hover_text(warning.code.as_str());
            continue;
        };
        let button = page.ui.add(egui::Button::new(text).frame(false).wrap());
        if button.on_hover_text(format!("{}: select it", warning.code.as_str())).clicked() {
            page.actions.push(SelectionAction::Select(Some(item)).into());
        }
    }
}
