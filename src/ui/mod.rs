//! The panels: each reads the [`Session`] and returns [`Action`]s; none changes it.
//!
//! Nothing here knows a window or a GPU, so all of it runs on made-up input in tests.

mod banner;
mod choosers;
#[cfg(test)]
mod choosers_tests;
mod clips;
mod help;
mod icon;
mod joints;
mod keys;
mod layers;
mod legend;
mod light;
mod list;
mod look;
mod picture;
#[cfg(test)]
mod room_tests;
#[cfg(test)]
mod tests;
mod theme;
mod time_bar;
mod timing;
mod transport;
mod words;

use egui::{Frame, Margin, Panel, Rect, Ui};

use crate::session::{Action, FileSource, Session};
use clips::Clips;
use list::NameList;

pub use theme::dress;
pub use timing::Timing;

/// What the panels want, and where they leave room for the picture.
#[derive(Debug)]
pub struct Shown {
    /// What the person did.
    pub actions: Vec<Action>,
    /// The free place, in points.
    pub picture: Rect,
}

/// The window's width in points from which there are columns on both sides of the picture.
const ROOM_FOR_TWO: f32 = 1200.0;

/// The panels' state between frames; nothing of it belongs to the session.
#[derive(Debug, Default)]
pub struct Panels {
    /// The file that the lists are of.
    source: Option<FileSource>,
    clips: Clips,
    joints: NameList,
    chosen: legend::Chosen,
    picture: picture::Drag,
    focus: keys::Focus,
    /// How long frames take, as whoever draws them says.
    pub timing: Timing,
}

impl Panels {
    /// Shows all panels and takes the frame's input.
    pub fn show(&mut self, ui: &mut Ui, session: &Session) -> Shown {
        let mut actions = keys::key_actions(ui.ctx(), session, &self.focus);
        self.forget_other_file(session);
        if session.panels() {
            let width = ui.available_width();
            let bar = Frame::new().fill(theme::BAR).inner_margin(Margin::symmetric(14, 10));
            Panel::bottom("transport")
                .frame(bar)
                .show(ui, |ui| transport::transport_ui(ui, session, &mut actions));
            let column = |panel: Panel| {
                let most = (0.5 * width).clamp(180.0, 460.0);
                let frame = Frame::new().fill(theme::PANEL);
                panel.frame(frame).default_size(256.0).size_range(180.0..=most)
            };
            let both = width >= ROOM_FOR_TWO;
            column(Panel::left("side")).show(ui, |ui| {
                self.left_ui(ui, session, both, &mut actions);
            });
            if both {
                column(Panel::right("view")).show(ui, |ui| {
                    column_ui(ui, |ui| self.view_ui(ui, session, &mut actions));
                });
            }
        }
        let picture = ui.available_rect_before_wrap();
        picture::picture_ui(ui, picture, &mut self.picture, &mut actions);
        legend::legend_ui(ui, picture, session, &mut self.chosen);
        banner::banner_ui(ui, picture, session, &mut actions);
        if session.help() {
            help::help_ui(ui, &mut actions);
        }
        self.focus.keep_only_what_tab_gave(ui.ctx());
        Shown { actions, picture }
    }

    /// What is open and what of it plays; what is shown of it too unless that has its own column.
    fn left_ui(&mut self, ui: &mut Ui, session: &Session, both: bool, actions: &mut Vec<Action>) {
        let height = ui.available_height();
        let (list, content) = column_ui(ui, |ui| {
            clips::file_ui(ui, session, actions);
            ui.separator();
            let list = clips::clips_ui(ui, session, &mut self.clips, height, actions);
            layers::layers_ui(ui, session, actions);
            if !both {
                ui.separator();
                self.view_ui(ui, session, actions);
            }
            list
        });
        self.clips.settle(ui, list, content);
    }

    /// How the model is shown, and what is to be known about it.
    fn view_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        look::look_ui(ui, session, &mut self.joints, actions);
        timing::timing_ui(ui, &mut self.timing);
        look::warnings_ui(ui, session);
    }

    /// Filters are about the names of one file.
    fn forget_other_file(&mut self, session: &Session) {
        let source = session.exhibit().document().map(|document| &document.source);
        if self.source.as_ref() != source {
            self.source = source.cloned();
            self.joints = NameList::default();
            self.clips.forget();
        }
    }
}

/// A column that scrolls as a whole; returns the height of its contents, margins included. What is too
/// wide is cut off: it must not make the panel wider.
fn column_ui<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> (R, f32) {
    let room = ui.available_rect_before_wrap();
    let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(room));
    inside.shrink_clip_rect(room);
    let area = egui::ScrollArea::vertical().id_salt("column").auto_shrink(false);
    let shown = area.show(&mut inside, |ui| {
        let block = Frame::new().inner_margin(Margin { right: 8, ..Margin::symmetric(14, 12) });
        block.show(ui, |ui| {
            ui.set_width(ui.available_width());
            contents(ui)
        })
    });
    ui.advance_cursor_after_rect(room);
    (shown.inner.inner, shown.inner.response.rect.height())
}

/// Words of a file as a line: a line feed in a name must not make a row two rows high.
fn one_line(text: &str) -> String {
    words::in_visual_order(
        text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect(),
    )
}
