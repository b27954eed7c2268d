//! The command palette: a search over all commands. Arrows choose, Enter runs, Escape closes.

use egui::{
    Align2, Area, Frame, Id, Key, Margin, Modifiers, Order, Rect, ScrollArea, Stroke, TextEdit, Ui,
    Vec2, vec2,
};

use super::commands::{Command, commands, rank};
use super::list::{GAP, Row};
use super::theme;
use rigview_session::{Action, DesktopAction, Session};

/// The width of the palette in points, where there is room.
const WIDTH: f32 = 520.0;

/// Maximum number of rows in sight.
const ROWS: usize = 12;

/// The distance from the window's edges and from a message, and the height without the rows, in points.
const EDGE: f32 = 40.0;
const GAP_TO_MESSAGE: f32 = 8.0;
const AROUND_ROWS: f32 = 60.0;

/// The palette's state between frames.
#[derive(Debug, Default)]
pub(super) struct CommandPalette {
    text: String,
    /// The chosen row among those that match.
    chosen: usize,
    /// Whether it was open in the last frame.
    was_open: bool,
}

impl CommandPalette {
    /// Shows the palette, if it is open, above or below a message.
    pub fn show(
        &mut self,
        ui: &Ui,
        session: &Session,
        message: Option<Rect>,
        actions: &mut Vec<Action>,
    ) {
        let opened = session.desktop().palette() && !self.was_open;
        self.was_open = session.desktop().palette();
        if !self.was_open {
            return;
        }
        if opened {
            (self.text, self.chosen) = (String::new(), 0);
        }
        let window = ui.ctx().content_rect();
        let room = room_beside(window, message);
        let area = Area::new(Id::unique("palette"))
            .order(Order::Foreground)
            .fade_in(false)
            .pivot(Align2::CENTER_TOP)
            .fixed_pos(room.center_top());
        let shown = area.show(ui.ctx(), |ui| {
            let card = Frame::new()
                .fill(theme::colors(ui).card)
                .stroke(Stroke::new(1.0, theme::colors(ui).line))
                .corner_radius(10)
                .inner_margin(Margin::same(10));
            card.show(ui, |ui| {
                ui.set_width(WIDTH.min(window.width() - 60.0));
                let most = ((room.height() - AROUND_ROWS) / (theme::ROW + GAP)).floor();
                self.contents_ui(ui, session, (most.max(3.0) as usize).min(ROWS), opened)
            })
        });
        let beside = ui.input(|i| i.pointer.any_pressed())
            && ui
                .input(|i| i.pointer.interact_pos())
                .is_some_and(|at| !shown.response.rect.contains(at));
        match shown.inner.inner {
            Some(run) => {
                // An action that opens or closes the palette itself must come after this.
                actions.push(DesktopAction::TogglePalette.into());
                actions.extend(run);
            }
            None if beside && !opened => actions.push(DesktopAction::TogglePalette.into()),
            None => {}
        }
    }

    /// Shows the search and the rows. Returns the action to run, `Some(None)` to close without one.
    fn contents_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        rows: usize,
        opened: bool,
    ) -> Option<Option<Action>> {
        let asks_to_close = |i: &egui::InputState| {
            i.key_pressed(Key::Escape) || (i.modifiers.command && i.key_pressed(Key::P))
        };
        if !opened && ui.input(asks_to_close) {
            return Some(None);
        }
        let entered = ui.input(|i| i.key_pressed(Key::Enter));
        self.search_ui(ui, opened);
        let mut found = self.matching(session);
        self.move_choice(ui, found.len(), rows);
        if found.is_empty() {
            ui.weak("No command matches.");
        }
        let clicked = self.rows_ui(ui, &found, rows);
        let run = clicked.or(entered.then_some(self.chosen)).filter(|run| *run < found.len());
        run.map(|run| Some(found.swap_remove(run).action))
    }

    fn search_ui(&mut self, ui: &mut Ui, opened: bool) {
        ui.scope(|ui| {
            theme::edge_ui(ui);
            let field = TextEdit::singleline(&mut self.text)
                .id_salt("palette")
                .hint_text("Find a command, a clip, a node, a recent file")
                .desired_width(f32::INFINITY);
            let response = ui.add(field).accessible_name("Find a command");
            if response.changed() {
                self.chosen = 0;
            }
            if opened || !response.has_focus() {
                response.request_focus();
            }
        });
    }

    /// Returns the commands that match, the best first.
    fn matching(&self, session: &Session) -> Vec<Command> {
        let ranked = commands(session).into_iter().filter_map(|command| {
            let rank = rank(&command.title, &self.text)?;
            Some((rank, command))
        });
        let mut ranked: Vec<(u32, Command)> =
            ranked.chain(super::commands::nodes(session, &self.text)).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, command)| command).collect()
    }

    fn move_choice(&mut self, ui: &Ui, count: usize, page: usize) {
        let pressed = |key| ui.input_mut(|i| i.count_and_consume_key(Modifiers::NONE, key));
        let down = pressed(Key::ArrowDown) + page * pressed(Key::PageDown);
        let up = pressed(Key::ArrowUp) + page * pressed(Key::PageUp);
        let last = count.saturating_sub(1);
        self.chosen = (self.chosen + down).min(last).saturating_sub(up);
    }

    /// Shows the rows. Returns the row that was clicked.
    fn rows_ui(&self, ui: &mut Ui, found: &[Command], rows: usize) -> Option<usize> {
        ui.spacing_mut().item_spacing.y = GAP;
        let step = theme::ROW + GAP;
        let height = rows.min(found.len()) as f32 * step;
        let area = ScrollArea::vertical()
            .id_salt("commands")
            .max_height(height)
            .min_scrolled_height(height)
            .auto_shrink([false, true]);
        let mut clicked = None;
        area.show_rows(ui, theme::ROW, found.len(), |ui, range| {
            let top = ui.max_rect().top() - range.start as f32 * step;
            for row in range {
                let Command { title, keys, .. } = &found[row];
                let chosen = row == self.chosen;
                let row_ui = Row { name: title, note: keys, chosen, ..Row::default() };
                // Other controls may have the same title.
                let shown = row_ui.show(ui).accessible_name(format!("Run: {title}"));
                if shown.clicked() {
                    clicked = Some(row);
                }
            }
            let at = egui::pos2(ui.max_rect().left(), top + self.chosen as f32 * step);
            let chosen = Rect::from_min_size(at, Vec2::new(1.0, theme::ROW));
            // Only the keys move the choice, so a person can scroll away from it otherwise.
            if ui.input(|i| i.events.iter().any(|e| matches!(e, egui::Event::Key { .. }))) {
                ui.scroll_to_rect(chosen, None);
            }
        });
        clicked
    }
}

/// Returns the part of the window for the palette: above or below a message, where there is more room.
fn room_beside(window: Rect, message: Option<Rect>) -> Rect {
    let whole = window.shrink2(vec2(0.0, EDGE));
    let Some(message) = message.map(|message| message.expand(GAP_TO_MESSAGE)) else {
        return whole;
    };
    let above = whole.with_max_y(message.top().min(whole.bottom()));
    let below = whole.with_min_y(message.bottom().max(whole.top()));
    if above.height() > below.height() { above } else { below }
}
