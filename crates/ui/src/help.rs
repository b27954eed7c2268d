//! The help panel: the table of what keys and mouse do, and a list in which other keys are chosen.

use egui::style::ScrollAnimation;
use egui::{
    Align2, Area, Context, Frame, Grid, Id, Key, Margin, Modifiers, Order, RichText, Stroke, Ui,
};

use super::choice::{Choice, Entry};
use super::icon::{Icon, icon_button_ui};
use super::keymap::{self, Chord, Chosen, Keymap, PRESETS};
use super::keys::pressed_chord;
use super::shortcuts::{CLOSE, GROUPS, Group};
use super::theme;
use rigview_session::{Action, DesktopAction, NoticeKind, Session};

/// The width in points that a column of the table needs. In a smaller window there are fewer columns.
const COLUMN: f32 = 400.0;

/// What is around the table in points, on both sides together: margins, and the heading above it.
const AROUND: egui::Vec2 = egui::vec2(76.0, 112.0);

/// The width of the buttons with keys, and of the list of presets, in points.
const KEYS: f32 = 130.0;

/// The panel's state between frames.
#[derive(Debug, Default)]
pub(super) struct Help {
    /// Whether keys are chosen.
    choosing: bool,
    /// The title of the shortcut whose next key is waited for.
    awaited: Option<String>,
    /// How far keys scroll the table in this frame: in rows, and in pages.
    scrolled: [f32; 2],
    /// Whether something had the focus in the last frame; if nothing had it, Tab goes to the panel first.
    focused: bool,
}

/// The height of a row of the table, in points.
const ROW: f32 = 22.0;

/// The part of the table's room that a page is: the row where a page ends is seen on both.
const PAGE: f32 = 0.85;

impl Help {
    /// Whether the next key is that of a shortcut, and does nothing else.
    pub fn takes_keys(&self) -> bool {
        self.awaited.is_some()
    }

    /// Takes the keys that scroll the open panel. Otherwise they would change what it covers.
    pub fn take_scrolling(&mut self, ctx: &Context) {
        self.scrolled = [0.0; 2];
        if egui::Popup::is_any_open(ctx) || ctx.text_edit_focused() {
            return;
        }
        let free = ctx.memory(|m| m.focused()).is_none();
        ctx.input_mut(|input| {
            let mut count = |key| input.count_and_consume_key(Modifiers::NONE, key) as f32;
            self.scrolled[1] = count(Key::PageDown) - count(Key::PageUp);
            if free {
                let all = 1e3 * (count(Key::End) - count(Key::Home));
                self.scrolled[0] = count(Key::ArrowDown) - count(Key::ArrowUp) + all;
            }
        });
    }

    /// Shows the table over the window.
    pub fn show(&mut self, ui: &Ui, session: &Session, actions: &mut Vec<Action>) {
        self.take_key(ui, session.desktop().keys(), actions);
        help_ui(ui, |ui, room| {
            self.heading_ui(ui, session, actions);
            let area = egui::ScrollArea::both().max_width(room.x).max_height(room.y);
            // Without a minimum, the area shrinks to less than its room.
            let area = area.min_scrolled_width(room.x).min_scrolled_height(room.y);
            let [rows, pages] = self.scrolled;
            area.show(ui, |ui| {
                let down = rows * ROW + pages * PAGE * room.y;
                ui.scroll_with_delta_animation(egui::vec2(0.0, -down), ScrollAnimation::none());
                if self.choosing { self.keys_ui(ui) } else { table_ui(ui, room.x) }
            });
        });
        self.focused = ui.memory(|m| m.focused()).is_some();
    }

    /// Gives the key that was pressed to the shortcut that waits for it. Escape ends the waiting.
    fn take_key(&mut self, ui: &Ui, chosen: &Chosen, actions: &mut Vec<Action>) {
        let Some(title) = &self.awaited else { return };
        let Some((key, modifiers, _)) = ui.input(|i| i.events.iter().find_map(pressed_chord))
        else {
            return;
        };
        match keymap::held_of(modifiers) {
            _ if key == Key::Escape => self.awaited = None,
            _ if matches!(key, Key::Tab | Key::Enter) => {
                let text = "Tab moves the focus, and Enter presses what has it: press another key";
                actions.push(Action::Notice(NoticeKind::Warning, text.to_owned()));
            }
            Some(held) => {
                let keys = keymap::with(chosen, title, Chord { held, key });
                actions.push(DesktopAction::SetKeys(keys).into());
                self.awaited = None;
            }
            None => {}
        }
    }

    fn heading_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            let hint = CLOSE.hint(ui, "Close");
            let close = icon_button_ui(ui, Icon::Close, 24.0, "Close help", &hint);
            if !self.focused && ui.input(|i| i.key_pressed(Key::Tab)) {
                close.request_focus();
            }
            if close.clicked() {
                actions.push(Action::ToggleHelp);
            }
            let title =
                RichText::new("Keyboard and mouse").heading().color(theme::colors(ui).strong);
            ui.label(title);
            ui.add_space(12.0);
            presets_ui(ui, session.desktop().keys(), actions);
            let button = egui::Button::selectable(self.choosing, "Choose keys");
            if ui.add(button.frame_when_inactive(true)).clicked() {
                (self.choosing, self.awaited) = (!self.choosing, None);
            }
        });
    }

    /// Shows all shortcuts with a button for the key of each.
    fn keys_ui(&mut self, ui: &mut Ui) {
        let keymap = Keymap::get(ui.ctx());
        ui.label("Click a key, then press another one. Esc leaves it as it is.");
        ui.add_space(4.0);
        let grid = Grid::new("keys").num_columns(2).spacing([12.0, 4.0]);
        grid.show(ui, |ui| {
            for (title, shortcut) in keymap::titles() {
                let waits = self.awaited.as_ref() == Some(&title);
                let text =
                    if waits { "Press a key…".to_owned() } else { keymap.name_of(shortcut) };
                let button = egui::Button::selectable(waits, text).frame_when_inactive(true);
                let button = ui.add_sized([KEYS, 20.0], button);
                if button.accessible_name(format!("Key of: {title}")).clicked() {
                    self.awaited = (!waits).then(|| title.clone());
                }
                ui.label(RichText::new(title).size(12.5).color(theme::colors(ui).text));
                ui.end_row();
            }
        });
    }
}

/// Shows the list of presets.
fn presets_ui(ui: &mut Ui, chosen: &Chosen, actions: &mut Vec<Action>) {
    let preset = PRESETS.iter().position(|preset| keymap::chosen_of(preset) == *chosen);
    let text = preset.map_or("Own", |preset| PRESETS[preset].0).to_owned();
    let hint = "Keys as in another program";
    let list = Choice { name: "Keys", label: None, text, hint, width: KEYS };
    let entries = || (0..PRESETS.len()).map(|i| Entry::new(Some(i), PRESETS[i].0)).collect();
    if let Some(Some(preset)) = list.show(ui, &preset, entries) {
        let keys = keymap::chosen_of(&PRESETS[preset]);
        actions.push(DesktopAction::SetKeys(keys).into());
    }
}

/// Shows a card in the middle of the window, with contents that get their greatest size.
fn help_ui(ui: &Ui, contents: impl FnOnce(&mut Ui, egui::Vec2)) {
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
            .fill(theme::colors(ui).card)
            .stroke(Stroke::new(1.0, theme::colors(ui).line))
            .corner_radius(10)
            .inner_margin(Margin::same(18));
        card.show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            contents(ui, room);
        });
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
        let keymap = Keymap::get(ui.ctx());
        for line in group.lines {
            let keys = keymap.keys_of(line);
            // A line whose keys were all given to others says nothing.
            if keys.is_empty() {
                continue;
            }
            ui.label(RichText::new(keys).monospace().size(12.0).color(theme::colors(ui).strong));
            ui.label(RichText::new(line.what).size(12.5).color(theme::colors(ui).text));
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}
