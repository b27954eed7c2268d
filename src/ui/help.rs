//! The help panel: the table of what keys and mouse do.

use egui::{Align2, Area, Frame, Grid, Id, Margin, Order, RichText, Stroke, Ui};

use super::icon::{Icon, icon_button_ui};
use super::shortcuts::{CLOSE, GROUPS, Group};
use super::theme;
use crate::session::Action;

/// The width in points that a column of the table needs. In a smaller window there are fewer columns.
const COLUMN: f32 = 400.0;

/// What is around the table in points, on both sides together: margins, and the heading above it.
const AROUND: egui::Vec2 = egui::vec2(76.0, 112.0);

/// Shows the table over the window.
pub(super) fn help_ui(ui: &Ui, actions: &mut Vec<Action>) {
    let window = ui.ctx().content_rect();
    let room = (window.size() - AROUND).max(egui::Vec2::splat(1.0));
    let area = Area::new(Id::unique("help"))
        .order(Order::Foreground)
        .fade_in(false)
        .default_size(room)
        .pivot(Align2::CENTER_CENTER)
        .fixed_pos(window.center());
    area.show(ui.ctx(), |ui| {
        let card = Frame::new()
            .fill(theme::of(ui).card)
            .stroke(Stroke::new(1.0, theme::of(ui).line))
            .corner_radius(10)
            .inner_margin(Margin::same(18));
        card.show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            heading_ui(ui, actions);
            let area = egui::ScrollArea::both().max_width(room.x).max_height(room.y);
            // Without a minimum, the area shrinks to less than its room.
            let area = area.min_scrolled_width(room.x).min_scrolled_height(room.y);
            area.show(ui, |ui| table_ui(ui, room.x));
        });
    });
}

fn heading_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        if icon_button_ui(ui, Icon::Close, 24.0, "Close help", &CLOSE.hint("Close")).clicked() {
            actions.push(Action::ToggleHelp);
        }
        ui.label(RichText::new("Keyboard and mouse").heading().color(theme::of(ui).strong));
    });
}

/// Shows the groups in as many columns as the width has room for.
fn table_ui(ui: &mut Ui, width: f32) {
    let [time, pose, camera, view, file] = GROUPS;
    let three = [&[time, file][..], &[camera, pose], &[view]];
    let two = [&[time, file, pose][..], &[camera, view]];
    let columns: &[&[Group]] = match width / COLUMN {
        share if share >= 3.0 => &three,
        share if share >= 2.0 => &two,
        _ => &[&GROUPS[..]],
    };
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 18.0;
        for column in columns {
            ui.vertical(|ui| column.iter().for_each(|group| group_ui(ui, group)));
        }
    });
}

fn group_ui(ui: &mut Ui, group: &Group) {
    theme::heading_ui(ui, group.title);
    let grid = Grid::new(group.title).num_columns(2).spacing([12.0, 4.0]);
    grid.min_row_height(18.0).show(ui, |ui| {
        for line in group.lines {
            ui.label(RichText::new(line.keys()).monospace().size(12.0).color(theme::of(ui).strong));
            ui.label(RichText::new(line.what).size(12.5).color(theme::of(ui).text));
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}
