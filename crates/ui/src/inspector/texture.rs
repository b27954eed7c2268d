//! A texture: its image, its sampler, and the materials that use it.

use super::page::Page;
use super::thumbnails::{Channel, Thumbnails};
use rigview_report::TextureFacts;
use rigview_session::Item;

/// The largest side of the picture in points.
const SIDE: f32 = 224.0;

pub(super) fn show(page: &mut Page<'_>, facts: &TextureFacts, thumbnails: &mut Thumbnails) {
    picture_ui(page, facts.index, thumbnails);
    page.section("Texture", |page| {
        page.count("Index", facts.index);
        match facts.image {
            Some(image) => page.text("Image", &format!("{image}")),
            None => page.text("Image", "none that can be read"),
        }
        if let Some(name) = &facts.image_name {
            page.text("Image name", name);
        }
        page.text("Type", &facts.mime);
        page.text("Size", &format!("{} x {}", facts.width, facts.height));
    });
    page.section("Sampler", |page| {
        page.text("Magnify", facts.sampler.mag);
        page.text("Minify", facts.sampler.min);
        page.text("Wrap U", facts.sampler.wrap_s);
        page.text("Wrap V", facts.sampler.wrap_t);
    });
    page.section("Used by", |page| {
        for (material, slot) in &facts.used_by {
            page.link(slot.strip_suffix("Texture").unwrap_or(slot), Item::Material(*material));
        }
    });
}

/// Shows the texture, and buttons to choose what of it.
fn picture_ui(page: &mut Page<'_>, texture: usize, thumbnails: &mut Thumbnails) {
    page.ui.horizontal(|ui| {
        for (channel, label, name) in Channel::ALL {
            let button = ui.selectable_label(thumbnails.channel == channel, label);
            if button.accessible_name(name).clicked() {
                thumbnails.channel = channel;
            }
        }
    });
    let side = SIDE.min(page.ui.available_width());
    thumbnails.show(page.ui, texture, thumbnails.channel, side);
}
