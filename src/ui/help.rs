//! The table of what the keyboard and the mouse do.

use egui::{Align2, Area, Frame, Grid, Id, Margin, Order, RichText, Stroke, Ui};

use super::icon::{Icon, icon_button_ui};
use super::theme;
use crate::session::Action;

/// What there is, in three groups.
const GROUPS: [(&str, &[(&str, &str)]); 3] = [
    (
        "Time",
        &[
            ("Space", "play, pause"),
            ("Left, Right", "one frame"),
            ("Down, Up", "ten frames"),
            ("Shift + arrows", "previous, next keyframe"),
            ("Home, End", "first, last"),
            ("[ and ]", "previous, next clip"),
            ("W", "next clip"),
            ("I, O", "play from, up to here"),
            ("Shift + I, O", "from the start, to the end"),
        ],
    ),
    (
        "Camera",
        &[
            ("Left drag", "orbit"),
            ("Right drag", "pan"),
            ("Shift + left", "pan"),
            ("Wheel, pinch", "zoom to the pointer"),
            ("Double click", "orbit this point"),
            ("F", "frame the model"),
            ("R", "reset"),
            ("1, 3, 7", "front, right, top"),
            ("5", "orthographic"),
        ],
    ),
    (
        "View and file",
        &[
            ("K, N", "skeleton, joint names"),
            ("G, X, B", "grid, axes, bounds"),
            ("V", "next pass"),
            ("U", "hide the panels"),
            ("H or ?", "this table"),
            ("F11", "full screen"),
            ("Ctrl + O, or drop", "open a file, an .hdr"),
            ("Shift + drop", "take its clips"),
            ("PageUp, PageDown", "previous, next file"),
            ("F5", "read it again"),
            ("F12, Ctrl + F12", "picture to a file, bare"),
            ("Ctrl + C", "picture to the clipboard"),
            ("Esc", "close, cancel a load"),
        ],
    ),
];

/// What the table takes at most; in a smaller window it scrolls.
const TABLE: egui::Vec2 = egui::vec2(780.0, 270.0);

/// Shows the table over the window.
pub(super) fn help_ui(ui: &Ui, actions: &mut Vec<Action>) {
    let window = ui.ctx().content_rect();
    let room = window.size() - egui::vec2(76.0, 80.0);
    let area = Area::new(Id::unique("help"))
        .order(Order::Foreground)
        .fade_in(false)
        .default_size(room)
        .pivot(Align2::CENTER_CENTER)
        .fixed_pos(window.center());
    area.show(ui.ctx(), |ui| {
        let card = Frame::new()
            .fill(theme::CARD.gamma_multiply(0.97))
            .stroke(Stroke::new(1.0, theme::LINE))
            .corner_radius(10)
            .inner_margin(Margin::same(18));
        card.show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            if room.x > TABLE.x && room.y > TABLE.y {
                return table_ui(ui, actions);
            }
            egui::ScrollArea::both().max_width(room.x).max_height(room.y).show(ui, |ui| {
                ui.set_min_size(TABLE);
                table_ui(ui, actions);
            });
        });
    });
}

fn table_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        if icon_button_ui(ui, Icon::Close, 24.0, "Close help", "Close (Esc)").clicked() {
            actions.push(Action::ToggleHelp);
        }
        ui.label(RichText::new("Keyboard and mouse").heading().color(egui::Color32::WHITE));
    });
    ui.add_space(4.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 28.0;
        for (title, rows) in GROUPS {
            ui.vertical(|ui| {
                theme::heading_ui(ui, title);
                let grid = Grid::new(title).num_columns(2).spacing([14.0, 5.0]);
                grid.min_row_height(18.0).show(ui, |ui| rows_ui(ui, rows));
            });
        }
    });
}

fn rows_ui(ui: &mut Ui, rows: &[(&str, &str)]) {
    for (keys, what) in rows {
        ui.label(RichText::new(*keys).monospace().size(12.0).color(egui::Color32::WHITE));
        ui.label(RichText::new(*what).color(theme::TEXT));
        ui.end_row();
    }
}
