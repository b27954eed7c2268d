//! The name of the node under the pointer, beside the pointer.

use egui::{Align2, CornerRadius, FontId, Order, Rect, Ui, vec2};

use super::list::fitting_name;
use super::text::one_line;
use super::theme;
use rigview_session::Session;

/// From the pointer to the name, in points: right and below of a common pointer.
const OFFSET: egui::Vec2 = vec2(14.0, 18.0);

/// The share of the picture's width that a name takes at most.
const WIDEST: f32 = 0.4;

/// Shows the name.
pub(super) fn hover_ui(ui: &Ui, picture: Rect, session: &Session) {
    // What is selected is marked already, and the name would cover it.
    let selection = session.selection();
    let hovered = selection.hovered().filter(|node| selection.node() != Some(*node));
    let (Some(node), Some(document)) = (hovered, session.playback().document()) else {
        return;
    };
    // The name lies in the layer of the picture, so that help, palette and cards cover it.
    let is_free = |at: &egui::Pos2| {
        let above = ui.ctx().layer_id_at(*at).is_some_and(|l| l.order != Order::Background);
        picture.contains(*at) && !above
    };
    let Some(pointer) = ui.input(|i| i.pointer.hover_pos()).filter(is_free) else { return };
    let name = one_line(&document.short_name(node));
    let name = fitting_name(ui, &name, WIDEST * picture.width());
    let painter = ui.painter().with_clip_rect(picture);
    let text = painter.layout_no_wrap(name, FontId::proportional(13.0), theme::colors(ui).strong);
    let card = Align2::LEFT_TOP.anchor_size(pointer + OFFSET, text.size()).expand2(vec2(6.0, 3.0));
    // At the right and lower edge it moves to the other side of the pointer.
    let flip = |over: bool, length: f32| if over { -length } else { 0.0 };
    let card = card.translate(vec2(
        flip(card.right() > picture.right(), card.width() + OFFSET.x),
        flip(card.bottom() > picture.bottom(), card.height() + OFFSET.y),
    ));
    painter.rect_filled(card, CornerRadius::same(3), theme::colors(ui).card.gamma_multiply(0.92));
    painter.galley(card.min + vec2(6.0, 3.0), text, theme::colors(ui).strong);
}
