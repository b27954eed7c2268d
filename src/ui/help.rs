//! The table of keys.

use egui::{Align2, Area, Frame, Grid, Id, Margin, Order, Rect, RichText, Stroke, Ui};

use super::icon::{Icon, icon_button_ui};
use super::theme;
use crate::viewer::Action;

/// What there is, in three groups.
const GROUPS: [(&str, &[(&str, &str)]); 3] = [
    (
        "Time",
        &[
            ("Space", "play, pause"),
            ("Left, Right", "one frame"),
            ("Down, Up", "ten frames"),
            ("Shift + Left, Right", "previous, next key"),
            ("Home, End", "first, last"),
            ("[ and ]", "previous, next clip"),
            ("W", "next clip"),
        ],
    ),
    (
        "Camera",
        &[
            ("Left drag", "orbit"),
            ("Right, middle, Shift + left drag", "pan"),
            ("Wheel, pinch", "zoom to the pointer"),
            ("F", "frame the model"),
            ("R", "reset"),
            ("1, 3, 7", "front, right, top"),
            ("5", "orthographic"),
        ],
    ),
    (
        "View and file",
        &[
            ("K", "skeleton"),
            ("V", "next pass"),
            ("U", "hide the panels"),
            ("H or ?", "this table"),
            ("F11", "full screen"),
            ("Ctrl + O, or drop", "open a file"),
            ("F5", "read it again"),
            ("Esc", "close, cancel a load"),
        ],
    ),
];

/// Shows the table over the picture.
pub(super) fn help_ui(ui: &Ui, picture: Rect, actions: &mut Vec<Action>) {
    let area = Area::new(Id::unique("help"))
        .order(Order::Foreground)
        .fade_in(false)
        .constrain_to(ui.ctx().content_rect())
        .pivot(Align2::CENTER_CENTER)
        .fixed_pos(picture.center());
    area.show(ui.ctx(), |ui| {
        let card = Frame::new()
            .fill(theme::CARD.gamma_multiply(0.97))
            .stroke(Stroke::new(1.0, theme::LINE))
            .corner_radius(10)
            .inner_margin(Margin::same(18));
        card.show(ui, |ui| {
            // A window smaller than the table scrolls it.
            let room = ui.ctx().content_rect().size() - egui::vec2(60.0, 80.0);
            egui::ScrollArea::both().max_width(room.x).max_height(room.y).show(ui, |ui| {
                table_ui(ui, actions);
            });
        });
    });
}

fn table_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("Keys and mouse").heading().color(egui::Color32::WHITE));
        if icon_button_ui(ui, Icon::Close, 24.0, "Close help", "Close (Esc)").clicked() {
            actions.push(Action::ToggleHelp);
        }
    });
    Grid::new("keys").num_columns(2).spacing([18.0, 4.0]).min_row_height(18.0).show(ui, |ui| {
        for (title, rows) in GROUPS {
            theme::heading_ui(ui, title);
            ui.end_row();
            for (keys, what) in rows {
                ui.label(RichText::new(*keys).monospace().size(12.5).color(egui::Color32::WHITE));
                ui.label(*what);
                ui.end_row();
            }
        }
    });
}
