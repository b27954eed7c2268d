//! What the parts of the window show, and their state between frames.

use egui::{Frame, Id, Margin, Rect, Ui};

use super::clips::{Clips, ListRoom};
use super::curves::Curves;
use super::fly::camera_motion_ui;
use super::inspector::Inspector;
use super::list::NameList;
use super::scene::Scene;
use super::timeline::Timeline;
use super::timing::Timing;
use super::{
    aids, choosers, clips, compared, engine, expressions, joints, layers, light, look, posing,
    retarget, theme, timing,
};
use rigview_session::{Action, Session, WindowPart};

/// The number of clips from which on their list comes before the file's name there.
const MANY: usize = 9;

/// The height of a column in points below which the list of clips comes first.
const LOW: f32 = 380.0;

/// The parts' state between frames.
#[derive(Debug, Default)]
pub(super) struct PartStates {
    clips: Clips,
    joints: NameList,
    scene: Scene,
    timeline: Timeline,
    curves: Curves,
    pub inspector: Inspector,
    pub timing: Timing,
}

impl PartStates {
    /// Shows parts below each other in a column.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        parts: &[WindowPart],
        actions: &mut Vec<Action>,
    ) {
        match parts {
            [WindowPart::Scene] => return self.scene.show(ui, session, actions),
            [WindowPart::TimeLine] => return self.timeline.show(ui, session, actions),
            [WindowPart::Curves] => return self.curves.show(ui, session, actions),
            _ => {}
        }
        let height = ui.available_height();
        let (list, around) = column_ui(ui, |ui| {
            let mut list = None;
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    ui.separator();
                }
                match part {
                    WindowPart::Clips => {
                        let is_alone = parts.len() == 1;
                        list = Some(self.clips_ui(ui, session, height, is_alone, actions));
                    }
                    WindowPart::View => {
                        if parts.len() > 1 {
                            theme::heading_ui(ui, "View");
                        }
                        self.view_ui(ui, session, actions);
                    }
                    WindowPart::Inspector => self.inspector.show(ui, session, actions),
                    WindowPart::Compared => compared::compared_ui(ui, session, actions),
                    WindowPart::Scene | WindowPart::TimeLine | WindowPart::Curves => {}
                }
            }
            list
        });
        if let Some(list) = list {
            self.clips.settle(ui, list, around);
        }
    }

    /// Clears filters and searches: another file is shown.
    pub fn forget(&mut self) {
        self.joints = NameList::default();
        self.scene.forget();
        self.clips.forget();
    }

    /// Shows the file and its clips, in a column of this height, which they may have for themselves. Returns the height of the list of clips.
    fn clips_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        column: f32,
        is_alone: bool,
        actions: &mut Vec<Action>,
    ) -> f32 {
        let playback = session.playback();
        let top = ui.cursor().top();
        // In a low column the list comes first, so that it has room; a long one before the file's name too.
        let is_low = is_alone && column < LOW;
        let is_long = is_low && playback.document().is_some_and(|open| open.clips().len() >= MANY);
        if !is_long {
            clips::file_ui(ui, session, actions);
        }
        if !is_low {
            clips::about_ui(ui, playback, actions);
            clips::parts_ui(ui, session.window_parts(), playback, actions);
            ui.separator();
        }
        let above = is_alone.then(|| ui.cursor().top() - top);
        let room = ListRoom { column, above, heading_below: is_long };
        let list =
            clips::clips_ui(ui, playback, session.timeline(), &mut self.clips, room, actions);
        if is_low {
            ui.separator();
            if is_long {
                clips::file_ui(ui, session, actions);
            }
            clips::about_ui(ui, playback, actions);
            clips::parts_ui(ui, session.window_parts(), playback, actions);
        }
        if let Some(document) = playback.document() {
            retarget::retarget_ui(ui, document, actions);
        }
        expressions::expressions_ui(ui, playback, actions);
        layers::layers_ui(ui, playback, actions);
        list
    }

    /// Shows how the model is drawn: overlays, pass, camera, light; then timing.
    fn view_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let (playback, look, view_camera) = (session.playback(), session.look(), session.camera());
        look::toggles_ui(ui, playback, look, view_camera, actions);
        look::bones_ui(ui, playback, look, actions);
        look::pass_ui(ui, look, actions);
        joints::joints_ui(ui, playback, look, &mut self.joints, actions);
        if let Some(document) = playback.document() {
            let scene = playback.stage().map(|stage| stage.scene);
            look::variants_ui(ui, document, look.variant, actions);
            choosers::scenes_ui(ui, document, scene, actions);
            choosers::cameras_ui(ui, playback, view_camera, actions);
            camera_motion_ui(ui, playback, view_camera, actions);
        }
        look::buttons_ui(ui, playback, actions);
        aids::aids_ui(ui, session, actions);
        light::light_ui(ui, playback, look, session.loads(), actions);
        if let Some(document) = playback.document() {
            posing::posing_ui(ui, session, actions);
            engine::engine_ui(ui, session, document, actions);
        }
        let quality = session.desktop().quality();
        timing::timing_ui(ui, quality, &mut self.timing, actions);
    }
}

/// Scrolls to a widget of the column that has just got the focus out of sight, as by Tab.
fn follow_focus(ui: &Ui, room: Rect) {
    let focused = ui.memory(|memory| memory.focused());
    let id = ui.scope_id().with("focus");
    let before = ui.data_mut(|data| {
        std::mem::replace(data.get_temp_mut_or_default::<Option<Id>>(id), focused)
    });
    // A click gives the focus too, for a moment; what is under the pointer must not move.
    let clicks = ui.input(|input| input.pointer.any_down() || input.pointer.any_released());
    let new = focused.filter(|_| focused != before && !clicks);
    let widget = new.and_then(|id| ui.ctx().read_response(id));
    let Some(widget) = widget.filter(|widget| widget.layer_id == ui.layer_id()) else { return };
    // The contents that are out of sight reach as far as other panels, whose widgets are seen there.
    let is_elsewhere = widget.interact_rect.is_positive() && !room.intersects(widget.interact_rect);
    let is_inside = ui.min_rect().contains(widget.rect.center()) && !is_elsewhere;
    if is_inside && !room.contains_rect(widget.rect) {
        ui.scroll_to_rect(widget.rect.expand2(egui::vec2(0.0, 8.0)), None);
    }
}

/// Shows a column that scrolls as a whole. Returns the height of its contents in points, with margins. PartStates that
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
            let shown = contents(ui);
            follow_focus(ui, room);
            shown
        })
    });
    ui.advance_cursor_after_rect(room);
    (shown.inner.inner, shown.inner.response.rect.height())
}
