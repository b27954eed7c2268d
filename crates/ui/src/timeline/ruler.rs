//! The ruler: ticks with times, the playhead, and the in and out points, all of which can be dragged.

use egui::{FontId, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, pos2, vec2};

use super::axis::{Clock, TimeAxis, seek, snapped};
use crate::theme;
use crate::time_slider::dragged_part;
use crate::time_slider::{mark_asked, playhead_asked};
use rigview_session::{Action, Mark, Playback, PlaybackAction, TimeReadout};

/// The size of the playhead's handle and of a flag in points.
const HANDLE: egui::Vec2 = vec2(9.0, 12.0);
const FLAG: f32 = 8.0;

/// What the pointer drags, from the press of the button to its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dragged {
    Head,
    Mark(Mark),
}

/// Shows the ruler. `keys` are the times that drags with Shift snap to.
pub(super) fn ruler_ui(
    ui: &Ui,
    rect: Rect,
    axis: TimeAxis,
    clock: Clock,
    keys: &[f32],
    playback: &Playback,
    actions: &mut Vec<Action>,
) {
    let at = playback.instant();
    let response = ui.interact(rect, ui.scope_id().with("ruler"), Sense::click_and_drag());
    let text = clock.text(at.time_secs);
    actions.extend(playhead_asked(ui, &response, "Playhead", &text, playback));
    let held = dragged_part(ui, &response, |pointer| pointed_at(rect, axis, &at, pointer));
    if let Some((held, pointer)) = held {
        let secs = snapped(ui, clock, axis.secs_at(pointer.x), keys);
        match held {
            Dragged::Head => seek(playback, secs, actions),
            Dragged::Mark(mark) if response.dragged() => {
                let secs = secs.clamp(0.0, at.duration_secs);
                if secs != at.mark_secs(mark) {
                    actions.push(PlaybackAction::SetMark(mark, Some(secs)).into());
                }
            }
            Dragged::Mark(_) => {}
        }
    }
    paint_ticks(ui, rect, axis, clock, &at);
    for mark in [Mark::In, Mark::Out] {
        actions.extend(flag_ui(ui, rect, axis, playback, mark));
    }
    paint_head(ui, rect, axis.x_of(at.time_secs), axis, &response);
}

/// Returns what is at a place of the ruler. A flag is grabbed in the upper half, the playhead anywhere.
fn pointed_at(rect: Rect, axis: TimeAxis, at: &TimeReadout, pointer: Pos2) -> Dragged {
    let mut marks = [Mark::Out, Mark::In].into_iter();
    let hit = marks.find(|mark| flag(rect, axis, at, *mark).expand(1.0).contains(pointer));
    hit.map_or(Dragged::Head, Dragged::Mark)
}

/// The rectangle around a flag's triangle, which points into the range.
fn flag(rect: Rect, axis: TimeAxis, at: &TimeReadout, mark: Mark) -> Rect {
    let foot = pos2(axis.x_of(at.mark_secs(mark)), rect.top());
    let side = if mark == Mark::In { FLAG } else { -FLAG };
    Rect::from_two_pos(foot, foot + vec2(side, FLAG))
}

/// Shows an in or out point; at the ends of the clip it is dimmed. Returns what moves it by the keyboard.
fn flag_ui(ui: &Ui, rect: Rect, axis: TimeAxis, playback: &Playback, mark: Mark) -> Option<Action> {
    let at = &playback.instant();
    let (name, end) = match mark {
        Mark::In => ("Start of the range", 0.0),
        Mark::Out => ("End of the range", at.duration_secs),
    };
    let secs = at.mark_secs(mark);
    let x = axis.x_of(secs);
    if !axis.x.expand(1.0).contains(x) {
        return None;
    }
    let place = flag(rect, axis, at, mark);
    let response = ui.interact(place, ui.scope_id().with(name), Sense::focusable_noninteractive());
    let asked = mark_asked(ui, &response, name, playback, mark);
    let color = match (response.hovered() || response.has_focus(), secs == end) {
        (true, _) => theme::colors(ui).strong,
        (_, true) => theme::colors(ui).rail,
        _ => theme::colors(ui).accent,
    };
    let tip = if mark == Mark::In { place.right_top() } else { place.left_top() };
    let corners = vec![pos2(x, place.top()), tip, pos2(x, place.bottom())];
    ui.painter().add(Shape::convex_polygon(corners, color, Stroke::NONE));
    if secs != end {
        ui.painter().vline(x, rect.y_range(), Stroke::new(1.0, color));
    }
    response.on_hover_text(format!("{name}: {secs:.3} s; drag to play only a part of the clip"));
    asked
}

fn paint_ticks(ui: &Ui, rect: Rect, axis: TimeAxis, clock: Clock, at: &TimeReadout) {
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    painter.rect_filled(rect, 0.0, theme::colors(ui).bar);
    let [from, to] = at.range_secs.map(|secs| axis.x_of(secs));
    if at.range_secs != [0.0, at.duration_secs] {
        let range = Rect::from_x_y_ranges(from..=to, rect.y_range());
        painter.rect_filled(range, 0.0, theme::colors(ui).chosen);
    }
    let flags = [Mark::In, Mark::Out].map(|mark| (mark, flag(rect, axis, at, mark)));
    let head = axis.x_of(at.time_secs);
    for tick in axis.ticks(clock) {
        let x = axis.x_of(tick.secs);
        let line = rect.bottom() - 5.0..=rect.bottom();
        painter.vline(x, line, Stroke::new(1.0, theme::colors(ui).rail));
        let font = FontId::proportional(11.0);
        let label = painter.layout_no_wrap(tick.label, font, theme::colors(ui).weak);
        let width = label.size().x;
        let left = beside_flags(x - 0.5 * width, width, flags);
        // A label that the playhead would cover in part is left out.
        if (left + 0.5 * width - head).abs() < 0.5 * (width + HANDLE.x) {
            continue;
        }
        let top = rect.center().y - 1.0 - 0.5 * label.size().y;
        painter.galley(pos2(left, top), label, theme::colors(ui).weak);
    }
}

/// Returns the left end of a label, which is moved aside if a flag would cover it.
fn beside_flags(left: f32, width: f32, flags: [(Mark, Rect); 2]) -> f32 {
    flags.into_iter().fold(left, |left, (mark, flag)| {
        let covered = left < flag.right() && left + width > flag.left();
        match mark {
            _ if !covered => left,
            Mark::In => flag.right() + 1.0,
            Mark::Out => flag.left() - 1.0 - width,
        }
    })
}

/// Paints the playhead's handle.
fn paint_head(ui: &Ui, rect: Rect, x: f32, axis: TimeAxis, response: &Response) {
    if !axis.x.expand(1.0).contains(x) {
        return;
    }
    let top = rect.bottom() - HANDLE.y;
    let half = 0.5 * HANDLE.x;
    let corners = vec![
        pos2(x - half, top),
        pos2(x + half, top),
        pos2(x + half, rect.bottom() - half),
        pos2(x, rect.bottom()),
        pos2(x - half, rect.bottom() - half),
    ];
    let lit = response.hovered() || response.dragged() || response.has_focus();
    let color = if lit { theme::colors(ui).strong } else { theme::colors(ui).handle };
    ui.painter().add(Shape::convex_polygon(corners, color, Stroke::NONE));
}
