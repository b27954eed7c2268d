//! What lies over the picture for a while: why a file is not shown, that one is being read, where
//! to drop one.

use std::time::Duration;

use egui::{Align2, Area, Color32, Frame, Id, Margin, Order, Rect, RichText, Stroke, Ui};

use super::icon::{Icon, icon_button_ui};
use super::{one_line, theme};
use crate::viewer::{Action, Viewer};

/// Shows what there is to say.
pub(super) fn banner_ui(ui: &Ui, picture: Rect, viewer: &Viewer, actions: &mut Vec<Action>) {
    message_ui(ui, picture, viewer, actions);
    if let Some(source) = viewer.loading() {
        loading_ui(ui, picture, &one_line(&source.name()));
    } else if viewer.document().is_none() && viewer.failure().is_none() {
        card_ui(ui, picture, "empty", Align2::CENTER_CENTER, theme::LINE, |ui| {
            ui.label("Drop a .glb or .gltf file here, or press Ctrl+O");
        });
    }
    if ui.ctx().input(|i| !i.raw.hovered_files.is_empty()) {
        drop_hint_ui(ui, picture);
    }
}

fn message_ui(ui: &Ui, picture: Rect, viewer: &Viewer, actions: &mut Vec<Action>) {
    let (title, text, color) = match (viewer.failure(), viewer.notice()) {
        (Some(f), _) => {
            (format!("Can't open {}", one_line(&f.file)), f.message.as_str(), theme::ERROR)
        }
        (None, Some(notice)) => (String::new(), notice, theme::WARNING),
        (None, None) => return,
    };
    card_ui(ui, picture, "message", Align2::CENTER_TOP, color, |ui| {
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| {
                ui.set_max_width((picture.width() - 120.0).clamp(120.0, 560.0));
                if !title.is_empty() {
                    ui.label(RichText::new(title).color(color).strong());
                }
                ui.add(egui::Label::new(text).wrap().selectable(true));
            });
            if icon_button_ui(ui, Icon::Close, 24.0, "Dismiss", "Dismiss (Esc)").clicked() {
                actions.push(Action::Dismiss);
            }
        });
    });
}

/// That a file is being read. It ticks ten times a second, not at the screen's rate: the load
/// needs the processor more.
fn loading_ui(ui: &Ui, picture: Rect, name: &str) {
    const TICK: f64 = 0.1;
    card_ui(ui, picture, "loading", Align2::CENTER_BOTTOM, theme::LINE, |ui| {
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(egui::Vec2::splat(16.0), egui::Sense::hover());
            let turn = (ui.input(|i| i.time) / TICK).floor() as usize;
            for i in 0..8 {
                let angle = std::f32::consts::TAU * i as f32 / 8.0;
                let at = rect.center() + 6.0 * egui::Vec2::angled(angle);
                let age = (turn + 8 - i) % 8;
                let color = theme::ACCENT.gamma_multiply(1.0 - age as f32 / 9.0);
                ui.painter().circle_filled(at, 1.8, color);
            }
            ui.label(format!("Loading {name} …"));
        });
    });
    ui.ctx().request_repaint_after(Duration::from_secs_f64(TICK));
}

fn drop_hint_ui(ui: &Ui, picture: Rect) {
    let layer = egui::LayerId::new(Order::Tooltip, Id::unique("drop"));
    let painter = ui.ctx().layer_painter(layer);
    let rect = picture.shrink(10.0);
    painter.rect_filled(rect, 10.0, Color32::from_black_alpha(120));
    painter.rect_stroke(rect, 10.0, Stroke::new(2.0, theme::ACCENT), egui::StrokeKind::Inside);
    let font = egui::FontId::proportional(18.0);
    let shift = ui.input(|i| i.modifiers.shift);
    let text =
        if shift { "Drop to take its clips" } else { "Drop to open; with Shift, take its clips" };
    painter.text(rect.center(), Align2::CENTER_CENTER, text, font, Color32::WHITE);
}

/// A card over the picture, at one of its edges or in its middle.
fn card_ui(
    ui: &Ui,
    picture: Rect,
    name: &str,
    align: Align2,
    line: Color32,
    contents: impl FnOnce(&mut Ui),
) {
    let inner = picture.shrink(16.0);
    let area = Area::new(Id::unique(name))
        .order(Order::Middle)
        .fade_in(false)
        .pivot(align)
        .fixed_pos(align.pos_in_rect(&inner));
    area.show(ui.ctx(), |ui| {
        let card = Frame::new()
            .fill(theme::CARD)
            .stroke(Stroke::new(1.0, line))
            .corner_radius(8)
            .inner_margin(Margin::symmetric(14, 10));
        card.show(ui, contents);
    });
}
