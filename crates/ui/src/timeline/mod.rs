//! The part with the clip's keys over time: a ruler with playhead, in and out points, the dope sheet, the findings of
//! `check`, and a bar that shows and changes the part of the clip in sight.

pub(crate) mod axis;
mod found;
mod range_bar;
mod rows;
mod ruler;
mod sheet;
mod tools;

pub(super) use found::jump;

use egui::{Frame, Margin, Rangef, Rect, Sense, Ui, UiBuilder, pos2};

use super::theme;
use axis::{Clock, MARGIN, TimeAxis, seek, snapped, view_input};
use rigview_session::{Action, Session};
use rows::{Rows, RowsOf};
use sheet::Sheet;

/// The heights of the ruler, of the row of findings and of the bar below, in points.
const RULER: f32 = 20.0;
const FOUND: f32 = 16.0;
const BAR: f32 = 14.0;

/// The width of the rows' names in points: the usual and the most as a share of the width.
const NAMES: f32 = 190.0;
const MOST_NAMES: f32 = 0.35;

/// The width of the scroll bar beside the rows in points.
pub(super) const SCROLL_BAR: f32 = 10.0;

/// The part's state between frames.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    rows: Rows,
    /// Whether the rows of all nodes are shown although one is selected.
    all_nodes: bool,
}

impl Timeline {
    /// Shows the part.
    pub fn show(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let playback = session.playback();
        let room = ui.available_rect_before_wrap();
        ui.advance_cursor_after_rect(room);
        let mut inside = ui.new_child(UiBuilder::new().max_rect(room));
        inside.shrink_clip_rect(room);
        let frame =
            Frame::new().inner_margin(Margin { top: 4, bottom: 4, ..Margin::symmetric(8, 0) });
        frame.show(&mut inside, |ui| {
            let shown = playback.document().zip(playback.clip()).zip(playback.clip_index());
            let Some(((document, clip), index)) = shown else {
                let open = playback.document().is_some();
                ui.weak(if open {
                    "The rest pose has no keys."
                } else {
                    "Open a file to see its keys."
                });
                return;
            };
            tools::tools_ui(ui, session, &mut self.all_nodes, actions);
            let node = session.selection().node().filter(|_| !self.all_nodes);
            let scene = playback.stage().map_or(0, |stage| stage.scene);
            let of = RowsOf { clips: document.clips_id(), clip: index, scene, node };
            self.rows.show(of, clip, &document.model);
            self.lanes_ui(ui, session, actions);
        });
    }

    /// Shows everything that is placed by time.
    fn lanes_ui(&self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let playback = session.playback();
        let Some((document, clip)) = playback.document().zip(playback.clip()) else { return };
        let room = ui.available_rect_before_wrap();
        let names = NAMES.min(MOST_NAMES * room.width());
        let x = Rangef::new(room.left() + names + MARGIN, room.right() - MARGIN - SCROLL_BAR);
        let axis = TimeAxis { x, view: session.timeline().view_secs(playback) };
        let clock = Clock::new(session.timeline().unit(), playback);
        let keys = self.rows.times(playback.key_times());
        let band = |top: f32, height: f32| {
            Rect::from_min_max(pos2(room.left(), top), pos2(room.right(), top + height))
        };
        let ruler = band(room.top(), RULER);
        let found = session.timeline().findings_of(document, playback.clip_index().unwrap_or(0));
        let found_height = if found.is_empty() { 0.0 } else { FOUND };
        let findings = band(ruler.bottom(), found_height);
        let bar = band(room.bottom() - BAR, BAR);
        let lanes = Rect::from_min_max(findings.left_bottom(), bar.right_top());

        // Below the rows: it gets the drags, they get the clicks.
        let lane =
            Rect::from_x_y_ranges(room.left() + names..=room.right(), ruler.top()..=lanes.bottom());
        let drags = ui.interact(lane, ui.scope_id().with("lanes"), Sense::DRAG);
        view_input(ui, axis, lane, &drags, actions);
        // A press on a mark is no drag yet.
        if drags.dragged_by(egui::PointerButton::Primary)
            && ui.input(|input| input.pointer.is_decidedly_dragging())
            && let Some(pointer) = drags.interact_pointer_pos()
        {
            let secs = snapped(ui, clock, axis.secs_at(pointer.x), keys);
            seek(playback, secs, actions);
        }
        ruler::ruler_ui(ui, ruler.with_min_x(lane.left()), axis, clock, keys, playback, actions);
        found::found_ui(ui, findings, axis, found, playback, actions);
        let sheet = Sheet { axis, clock, rows: self.rows.rows(), keys, clip, document, session };
        sheet.show(ui, lanes, actions);
        let x = axis.x_of(playback.time_secs());
        if axis.x.expand(1.0).contains(x) {
            let stroke = egui::Stroke::new(1.0, theme::colors(ui).handle);
            ui.painter().vline(x, ruler.bottom()..=lanes.bottom(), stroke);
        }
        range_bar::range_bar_ui(ui, bar.with_min_x(lane.left()), playback, axis, actions);
    }
}
