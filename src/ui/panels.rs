//! All panels of a frame: columns beside the picture, the transport below it, and cards over it.

use egui::{Frame, Margin, Panel, Rect, Ui};

use super::clips::Clips;
use super::list::NameList;
use super::timing::Timing;
use super::{
    banner, choosers, clips, help, hover, joints, keys, layers, legend, light, look, mouse, theme,
    timing, transport, warnings,
};
use crate::session::{Action, FileSource, Session};

/// The actions of a frame, and the room that the panels leave for the picture.
#[derive(Debug)]
pub struct Shown {
    /// The actions of the person, in order.
    pub actions: Vec<Action>,
    /// The room for the picture, in points.
    pub picture: Rect,
}

/// Minimum width of the window in points for columns on both sides of the picture.
const ROOM_FOR_TWO: f32 = 1200.0;

/// The panels' state between frames that is not part of the session.
#[derive(Debug, Default)]
pub struct Panels {
    /// The file whose names the lists show.
    source: Option<FileSource>,
    clips: Clips,
    joints: NameList,
    chosen: legend::Chosen,
    drag: mouse::Drag,
    focus: keys::Focus,
    /// The duration of frames, filled in by the caller.
    pub timing: Timing,
}

impl Panels {
    /// Shows all panels and handles the frame's input.
    pub fn show(&mut self, ui: &mut Ui, session: &Session) -> Shown {
        let mut actions = keys::key_actions(ui.ctx(), session.exhibit(), &self.focus);
        self.forget_other_file(session);
        if session.panels() {
            self.columns_ui(ui, session, &mut actions);
        }
        let picture = ui.available_rect_before_wrap();
        mouse::mouse_ui(ui, picture, session.selection(), &mut self.drag, &mut actions);
        if !self.drag.is_held() {
            hover::hover_ui(ui, picture, session);
        }
        legend::legend_ui(ui, picture, session.exhibit(), session.look(), &mut self.chosen);
        cards_ui(ui, picture, session, &mut actions);
        if session.help() {
            help::help_ui(ui, &mut actions);
        }
        self.focus.keep_only_what_tab_gave(ui.ctx());
        Shown { actions, picture }
    }

    /// Shows the transport and the columns.
    fn columns_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let width = ui.available_width();
        let bar = Frame::new().fill(theme::BAR).inner_margin(Margin::symmetric(14, 10));
        Panel::bottom("transport")
            .frame(bar)
            .show(ui, |ui| transport::transport_ui(ui, session.exhibit(), actions));
        let column = |panel: Panel| {
            let most = (0.5 * width).clamp(180.0, 460.0);
            let frame = Frame::new().fill(theme::PANEL);
            panel.frame(frame).default_size(256.0).size_range(180.0..=most)
        };
        let both = width >= ROOM_FOR_TWO;
        column(Panel::left("side")).show(ui, |ui| self.left_ui(ui, session, both, actions));
        if both {
            column(Panel::right("view")).show(ui, |ui| {
                column_ui(ui, |ui| self.view_ui(ui, session, actions));
            });
        }
    }

    /// Shows the file and its clips; the view's panel too, unless it has a column of its own.
    fn left_ui(&mut self, ui: &mut Ui, session: &Session, both: bool, actions: &mut Vec<Action>) {
        let (exhibit, height) = (session.exhibit(), ui.available_height());
        let (list, content) = column_ui(ui, |ui| {
            clips::file_ui(ui, exhibit, actions);
            ui.separator();
            let list = clips::clips_ui(ui, exhibit, &mut self.clips, height, actions);
            layers::layers_ui(ui, exhibit, actions);
            if !both {
                ui.separator();
                self.view_ui(ui, session, actions);
            }
            list
        });
        self.clips.settle(ui, list, content);
    }

    /// Shows how the model is drawn: overlays, pass, camera, light; then timing and warnings.
    fn view_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let (exhibit, look, sight) = (session.exhibit(), session.look(), session.sight());
        theme::heading_ui(ui, "View");
        look::toggles_ui(ui, exhibit, look, sight, actions);
        look::pass_ui(ui, look, actions);
        joints::joints_ui(ui, exhibit, look, &mut self.joints, actions);
        if let Some(document) = exhibit.document() {
            let scene = exhibit.stage().map(|stage| stage.scene);
            look::variants_ui(ui, document, look.variant, actions);
            choosers::scenes_ui(ui, document, scene, actions);
            choosers::cameras_ui(ui, exhibit, sight, actions);
        }
        look::buttons_ui(ui, exhibit, actions);
        light::light_ui(ui, exhibit, look, session.loads(), actions);
        timing::timing_ui(ui, &mut self.timing);
        if let Some(document) = exhibit.document() {
            warnings::warnings_ui(ui, document);
        }
    }

    /// Clears the filters of the lists when another file is shown.
    fn forget_other_file(&mut self, session: &Session) {
        let source = session.exhibit().document().map(|document| &document.source);
        if self.source.as_ref() != source {
            self.source = source.cloned();
            self.joints = NameList::default();
            self.clips.forget();
        }
    }
}

/// Shows the cards over the picture.
fn cards_ui(ui: &Ui, picture: Rect, session: &Session, actions: &mut Vec<Action>) {
    let (loads, notice) = (session.loads(), session.notice_kind().zip(session.notice()));
    banner::message_ui(ui, picture, loads.failure(), notice, actions);
    if let Some(load) = loads.pending() {
        banner::loading_ui(ui, picture, load, actions);
    } else if session.exhibit().document().is_none() && loads.failure().is_none() {
        banner::empty_ui(ui, picture);
    }
    banner::drop_hint_ui(ui, picture);
}

/// Shows a column that scrolls as a whole. Returns the height of its contents in points, with margins. Contents that
/// are too wide are clipped; they must not make the panel wider.
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
