//! The bar below the dope sheet: it shows which part of the clip is in sight. Drags of its ends zoom, drags of its middle
//! move, a double click shows the whole clip. Arrow keys move the part by a tenth of its length.

use egui::{CursorIcon, Pos2, Rect, Response, Sense, Ui};

use super::axis::TimeAxis;
use crate::theme;
use crate::time_slider::dragged_part;
use crate::time_slider::{Asked, TimeSlider};
use rigview_session::{Action, Playback, TimelineAction};

/// The height of the bar and the width of its ends in points.
const HEIGHT: f32 = 8.0;
const END: f32 = 8.0;

/// A step of the arrow keys, as a fraction of the part in sight.
const STEP: f64 = 0.1;

/// What the pointer drags, with the distance in seconds from the pointer to the start of the view.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Dragged {
    From,
    To,
    Middle(f64),
}

/// Shows the bar.
pub(super) fn range_bar_ui(
    ui: &Ui,
    rect: Rect,
    playback: &Playback,
    axis: TimeAxis,
    actions: &mut Vec<Action>,
) {
    let duration = playback.duration_secs();
    let whole = TimeAxis { view: [0.0, if duration > 0.0 { duration } else { 1.0 }], ..axis };
    let [from, to] = axis.view;
    let track = Rect::from_x_y_ranges(axis.x, rect.y_range())
        .shrink2(egui::vec2(0.0, 0.5 * (rect.height() - HEIGHT)));
    let thumb = Rect::from_x_y_ranges(whole.x_of(from)..=whole.x_of(to), track.y_range());
    let thumb =
        Rect::from_center_size(thumb.center(), thumb.size().max(egui::vec2(2.0 * END, 0.0)));
    let response = ui.interact(rect, ui.scope_id().with("range"), Sense::click_and_drag());
    let length = to - from;
    let last = (whole.view[1] - length).max(0.0);
    let slider = TimeSlider {
        name: "Visible time",
        text: &format!("{from:.3} s to {to:.3} s"),
        secs: from,
        range_secs: [0.0, last],
        step_secs: Some(STEP * length),
    };
    let asked = slider.ask(ui, &response).map(|asked| match asked {
        Asked::Steps(steps) => (from + steps as f64 * STEP * length).clamp(0.0, last),
        Asked::Time(secs) => secs,
    });
    if let Some(secs) = asked.filter(|secs| *secs != from) {
        actions.push(TimelineAction::Show([secs, secs + length]).into());
    }
    let held_at = |at: Pos2| {
        if at.x < thumb.left() + END && at.x > thumb.left() - END {
            Dragged::From
        } else if at.x > thumb.right() - END && at.x < thumb.right() + END {
            Dragged::To
        } else if thumb.contains(at) {
            Dragged::Middle(from - whole.secs_at(at.x))
        } else {
            // A press beside the bar moves its middle there.
            Dragged::Middle(-0.5 * length)
        }
    };
    if response.double_clicked() {
        actions.push(TimelineAction::ShowAll.into());
    } else if let Some((held, at)) = dragged_part(ui, &response, held_at) {
        let secs = whole.secs_at(at.x);
        let view = match held {
            Dragged::From => [secs.min(to), to],
            Dragged::To => [from, secs.max(from)],
            Dragged::Middle(offset) => {
                let from = (secs + offset).clamp(0.0, last);
                [from, from + length]
            }
        };
        if view != axis.view && response.dragged() {
            actions.push(TimelineAction::Show(view).into());
        }
    }
    paint(ui, track, thumb, &response);
}

fn paint(ui: &Ui, track: Rect, thumb: Rect, response: &Response) {
    ui.painter().rect_filled(track, 0.5 * HEIGHT, theme::colors(ui).bar);
    let lit = response.hovered() || response.dragged() || response.has_focus();
    let color = if lit { theme::colors(ui).handle } else { theme::colors(ui).rail };
    ui.painter().rect_filled(thumb, 0.5 * HEIGHT, color);
    for x in [thumb.left() + 0.5 * END, thumb.right() - 0.5 * END] {
        ui.painter().circle_filled(egui::pos2(x, thumb.center().y), 2.0, theme::colors(ui).bar);
    }
    let pointer = response.hover_pos();
    if pointer
        .is_some_and(|at| (at.x - thumb.left()).abs() < END || (at.x - thumb.right()).abs() < END)
    {
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
}
