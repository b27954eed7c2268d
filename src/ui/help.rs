//! The help panel: the table of what keys and mouse do.

use egui::{Align2, Area, Frame, Grid, Id, Margin, Order, RichText, Stroke, Ui};

use super::icon::{Icon, icon_button_ui};
use super::shortcuts::{CLOSE, GROUPS, Group};
use super::theme;
use crate::session::Action;

/// Size of the table in points. In a smaller window it scrolls.
const TABLE: egui::Vec2 = egui::vec2(900.0, 420.0);

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
            .fill(theme::of(ui).card.gamma_multiply(0.97))
            .stroke(Stroke::new(1.0, theme::of(ui).line))
            .corner_radius(10)
            .inner_margin(Margin::same(18));
        card.show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            if room.x > TABLE.x && room.y > TABLE.y {
                return table_ui(ui, actions);
            }
            egui::ScrollArea::both().max_width(room.x).max_height(room.y).show(ui, |ui| {
                // Without a minimum, the area shrinks to less than its room.
                ui.set_min_size(TABLE);
                table_ui(ui, actions);
            });
        });
    });
}

fn table_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        if icon_button_ui(ui, Icon::Close, 24.0, "Close help", &CLOSE.hint("Close")).clicked() {
            actions.push(Action::ToggleHelp);
        }
        ui.label(RichText::new("Keyboard and mouse").heading().color(theme::of(ui).strong));
    });
    ui.add_space(4.0);
    let [time, pose, camera, rest @ ..] = &GROUPS;
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 20.0;
        for column in [&[*time, *pose][..], &[*camera], rest] {
            ui.vertical(|ui| column.iter().for_each(|group| group_ui(ui, group)));
        }
    });
}

fn group_ui(ui: &mut Ui, group: &Group) {
    theme::heading_ui(ui, group.title);
    let grid = Grid::new(group.title).num_columns(2).spacing([14.0, 5.0]);
    grid.min_row_height(18.0).show(ui, |ui| {
        for line in group.lines {
            ui.label(RichText::new(line.keys()).monospace().size(12.0).color(theme::of(ui).strong));
            ui.label(RichText::new(line.what).color(theme::of(ui).text));
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}
