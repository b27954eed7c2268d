//! The panels: each reads the [`Viewer`] and returns [`Action`]s; none changes it.
//!
//! Nothing here knows a window or a GPU, so all of it runs on made-up input in tests.

mod banner;
mod choosers;
#[cfg(test)]
mod choosers_tests;
mod clips;
mod help;
mod icon;
mod keys;
mod layers;
mod light;
mod look;
mod picture;
#[cfg(test)]
mod tests;
mod theme;
mod time_bar;
mod timing;
mod transport;
mod words;

use egui::{Frame, Margin, Panel, Rect, Ui};

use crate::viewer::{Action, Viewer};

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

/// What the panels remember between frames: nothing of the session.
#[derive(Debug, Default)]
pub struct Panels {
    picture: picture::Drag,
    focus: keys::Focus,
    /// How long frames take, as whoever draws them says.
    pub timing: Timing,
}

impl Panels {
    /// Shows all panels and takes the frame's input.
    pub fn show(&mut self, ui: &mut Ui, viewer: &Viewer) -> Shown {
        let mut actions = keys::key_actions(ui.ctx(), viewer);
        if viewer.panels() {
            let bar = Frame::new().fill(theme::BAR).inner_margin(Margin::symmetric(14, 10));
            Panel::bottom("transport")
                .frame(bar)
                .show(ui, |ui| transport::transport_ui(ui, viewer, &mut actions));
            let side = Frame::new().fill(theme::PANEL);
            Panel::left("side")
                .frame(side)
                .default_size(248.0)
                .size_range(180.0..=460.0)
                .show(ui, |ui| side_ui(ui, viewer, &mut self.timing, &mut actions));
        }
        let picture = ui.available_rect_before_wrap();
        picture::picture_ui(ui, picture, &mut self.picture, &mut actions);
        banner::banner_ui(ui, picture, viewer, &mut actions);
        if viewer.help() {
            help::help_ui(ui, &mut actions);
        }
        self.focus.keep_only_what_tab_gave(ui.ctx());
        Shown { actions, picture }
    }
}

/// The side panel: the clips between what is open and how it is shown. Where there is no height
/// for three, they scroll as one.
fn side_ui(ui: &mut Ui, viewer: &Viewer, timing: &mut Timing, actions: &mut Vec<Action>) {
    const ROOM_FOR_ALL: f32 = 430.0;
    let block = Frame::new().inner_margin(Margin::symmetric(14, 12));
    if ui.available_height() < ROOM_FOR_ALL {
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            block.show(ui, |ui| {
                clips::file_ui(ui, viewer, actions);
                ui.separator();
                clips::clips_ui(ui, viewer, actions);
                ui.separator();
                look::look_ui(ui, viewer, actions);
                timing::timing_ui(ui, timing);
            });
        });
        return;
    }
    Panel::top("file").frame(block).show(ui, |ui| clips::file_ui(ui, viewer, actions));
    Panel::bottom("look").frame(block).show(ui, |ui| {
        look::look_ui(ui, viewer, actions);
        timing::timing_ui(ui, timing);
    });
    block.show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            clips::clips_ui(ui, viewer, actions);
        });
    });
}

/// Words of a file as a line: a line feed in a name must not make a row two rows high.
fn one_line(text: &str) -> String {
    words::in_visual_order(
        text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect(),
    )
}
