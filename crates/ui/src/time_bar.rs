//! The time bar: shows the clip's time, its keys and its in and out points. Dragging the playhead seeks, dragging a
//! flag below the rail moves the in or out point.

use egui::{Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};

use super::theme;
use super::time_slider::dragged_part;
use super::time_slider::{mark_asked, playhead_asked};
use rigview_session::{Action, Mark, Playback, PlaybackAction, TimeReadout};

/// The height of the whole bar and of its rail, and the size of the playhead, in points.
const HEIGHT: f32 = 22.0;
const RAIL: f32 = 5.0;
const HANDLE: Vec2 = vec2(10.0, 16.0);

/// The size of a flag below the rail, in points.
const FLAG: Vec2 = vec2(8.0, 8.0);

/// Distance from a flag in points at which the pointer still grabs it.
const SLACK: f32 = 2.0;

/// Keys that are closer together than this, in points, are shown as a band.
const TICK_ROOM: f32 = 4.0;

/// Length in points of a band's piece, which has one brightness.
const BAND_CELL: f32 = 16.0;

/// What the pointer drags, from the press of the button to its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dragged {
    Head,
    Mark(Mark),
}

/// Shows the bar.
pub(super) fn time_bar_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    let at = playback.instant();
    let size = Vec2::new(ui.available_width(), HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let rail = Rect::from_center_size(rect.center(), Vec2::new(size.x - HANDLE.x, RAIL));
    let text = format!("{:.3} s", at.time_secs);
    actions.extend(playhead_asked(ui, &response, "Time", &text, playback));
    let has_marks = playback.player().has_range() && at.duration_secs > 0.0;
    let held = dragged_part(ui, &response, |pointer| pointed_at(rail, &at, has_marks, pointer));
    if let Some((held, pointer)) = held {
        actions.extend(dragged(rail, &at, held, pointer, response.dragged()));
    }
    let held = held.map(|(held, _)| held);
    paint(ui, rail, playback, &response);
    if has_marks {
        for mark in [Mark::In, Mark::Out] {
            let is_held = held == Some(Dragged::Mark(mark));
            actions.extend(mark_ui(ui, rail, playback, mark, is_held));
        }
    }
    paint_handle(ui, rail, &at, &response, held == Some(Dragged::Head));
}

/// Returns what is at a place of the bar. The playhead covers a flag under it.
fn pointed_at(rail: Rect, at: &TimeReadout, has_marks: bool, pointer: Pos2) -> Dragged {
    if !has_marks || handle(rail, at).contains(pointer) {
        return Dragged::Head;
    }
    let marks = [Mark::Out, Mark::In].into_iter();
    let mut hit = marks.filter(|mark| flag(rail, at, *mark).expand(SLACK).contains(pointer));
    hit.next().map_or(Dragged::Head, Dragged::Mark)
}

/// Returns the action of a drag. A click on a flag does nothing. A pointer that does not move causes no further
/// actions.
fn dragged(
    rail: Rect,
    at: &TimeReadout,
    held: Dragged,
    pointer: Pos2,
    dragged: bool,
) -> Option<Action> {
    let part = f64::from((pointer.x - rail.left()) / rail.width()).clamp(0.0, 1.0);
    let time = part * at.duration_secs;
    match held {
        Dragged::Head => (time != at.time_secs).then(|| PlaybackAction::Seek(time).into()),
        Dragged::Mark(mark) => (dragged && time != at.mark_secs(mark))
            .then(|| PlaybackAction::SetMark(mark, Some(time)).into()),
    }
}

fn handle(rail: Rect, at: &TimeReadout) -> Rect {
    Rect::from_center_size(pos2(x_of(rail, at, at.time_secs), rail.center().y), HANDLE)
}

/// The rectangle around a flag's triangle, which points from the mark into the range.
fn flag(rail: Rect, at: &TimeReadout, mark: Mark) -> Rect {
    let foot = pos2(x_of(rail, at, at.mark_secs(mark)), rail.bottom() + 1.0);
    let side = if mark == Mark::In { FLAG.x } else { -FLAG.x };
    Rect::from_two_pos(foot, foot + vec2(side, FLAG.y))
}

/// The X coordinate of a time on the rail.
fn x_of(rail: Rect, at: &TimeReadout, secs: f64) -> f32 {
    let part = if at.duration_secs > 0.0 { secs / at.duration_secs } else { 0.0 };
    egui::lerp(rail.left()..=rail.right(), part as f32)
}

/// Shows an in or out point: its flag, and a line through the rail. Returns what moves it.
fn mark_ui(ui: &Ui, rail: Rect, playback: &Playback, mark: Mark, is_held: bool) -> Option<Action> {
    let at = &playback.instant();
    let name = if mark == Mark::In { "In point" } else { "Out point" };
    let (secs, rect) = (at.mark_secs(mark), flag(rail, at, mark));
    let response = ui.interact(rect, ui.scope_id().with(name), Sense::focusable_noninteractive());
    let asked = mark_asked(ui, &response, name, playback, mark);
    let lit = is_held || response.hovered() || response.has_focus();
    let color = if lit { theme::colors(ui).strong } else { theme::colors(ui).accent };
    let x = x_of(rail, at, secs);
    let line = [pos2(x, rail.top() - 3.0), pos2(x, rail.bottom() + 3.0)];
    ui.painter().line_segment(line, Stroke::new(1.5, color));
    let end = if mark == Mark::In { rect.right_top() } else { rect.left_top() };
    let flag = vec![pos2(x, rect.top()), end, pos2(x, rect.bottom())];
    ui.painter().add(egui::Shape::convex_polygon(flag, color, Stroke::NONE));
    response.on_hover_text(format!("{name}: {secs:.3} s"));
    asked
}

/// Paints a tick under the rail for each key. Keys of a baked clip are too close for ticks: they become a band
/// whose brightness shows their density.
fn paint_keys(ui: &Ui, rail: Rect, at: &TimeReadout, times: &[f32]) {
    let painter = ui.painter();
    let xs = times.iter().map(|time| x_of(rail, at, f64::from(*time)));
    for (from, to, density) in key_bands(xs) {
        let [top, bottom] = [rail.bottom() + 2.0, rail.bottom() + 6.0];
        if from == to {
            painter.line_segment(
                [pos2(from, top), pos2(from, bottom)],
                Stroke::new(1.0, theme::colors(ui).weak),
            );
        } else {
            let band = Rect::from_min_max(pos2(from, top), pos2(to, bottom));
            painter.rect_filled(band, 0.0, theme::colors(ui).weak.gamma_multiply(density));
        }
    }
}

/// Returns start, end and brightness of bands for keys from left to right. A tick is a band of length 0.
pub(super) fn key_bands(xs: impl Iterator<Item = f32>) -> Vec<(f32, f32, f32)> {
    let mut bands = Vec::new();
    let mut cell: Option<(f32, f32, u32)> = None;
    // Brightness grows with the logarithm of the density, up to 32 keys in the room of one tick.
    let band = |(from, to, gaps): (f32, f32, u32)| {
        let keys = gaps as f32 * TICK_ROOM / (to - from).max(1.0);
        (from, to, if from == to { 1.0 } else { (0.45 + 0.11 * keys.log2()).clamp(0.35, 1.0) })
    };
    for x in xs {
        cell = match cell {
            Some((from, to, gaps)) if x - to < TICK_ROOM && to - from < BAND_CELL => {
                Some((from, x, gaps + 1))
            }
            Some(full) => {
                bands.push(band(full));
                // The next piece of a band starts where the last one ended.
                Some(if x - full.1 < TICK_ROOM { (full.1, x, 1) } else { (x, x, 0) })
            }
            None => Some((x, x, 0)),
        };
    }
    bands.extend(cell.map(band));
    bands
}

fn paint(ui: &Ui, rail: Rect, playback: &Playback, response: &Response) {
    if !ui.is_rect_visible(response.rect) {
        return;
    }
    let (painter, at) = (ui.painter(), &playback.instant());
    paint_keys(ui, rail, at, playback.key_times());
    painter.rect_filled(rail, 0.5 * RAIL, theme::colors(ui).rail);
    // Only the part between the in and the out point plays.
    let [from, to] = at.range_secs.map(|secs| x_of(rail, at, secs));
    let played = rail.with_min_x(from).with_max_x(to);
    if played.width() < rail.width() {
        painter.rect_filled(played, 0.5 * RAIL, theme::colors(ui).range);
    }
    let done = played.with_max_x(x_of(rail, at, at.time_secs).clamp(from, to));
    painter.rect_filled(done, 0.5 * RAIL, theme::colors(ui).accent);
}

/// Paints the playhead over the flags.
fn paint_handle(ui: &Ui, rail: Rect, at: &TimeReadout, response: &Response, is_held: bool) {
    let rect = handle(rail, at);
    let pointed = response.hover_pos().is_some_and(|pointer| rect.expand(4.0).contains(pointer));
    let lit = ui.is_enabled() && (is_held || pointed);
    let color = if lit { theme::colors(ui).strong } else { theme::colors(ui).handle };
    let rect = if lit { rect.expand(1.0) } else { rect };
    ui.painter().rect_filled(rect, 4.0, color);
    if response.has_focus() {
        let ring = Stroke::new(1.5, theme::colors(ui).strong);
        ui.painter().rect_stroke(rect.expand(3.0), 6.0, ring, StrokeKind::Outside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_far_apart_are_ticks_and_dense_ones_are_bands_without_gaps() {
        let bands = |count: u32, width: f32| {
            key_bands((0..count).map(|i| i as f32 / (count - 1) as f32 * width))
        };
        assert!(bands(5, 100.0).iter().all(|(from, to, shown)| from == to && *shown == 1.0));
        let dense = bands(281, 600.0);
        assert!(dense.windows(2).all(|pair| pair[0].1 == pair[1].0), "{dense:?}");
        assert_eq!((dense[0].0, dense.last().unwrap().1), (0.0, 600.0));
        let denser = bands(100_000, 600.0);
        assert!(denser.len() < 50 && denser[0].2 > dense[0].2 + 0.2, "{denser:?}");
        // A clip with dense keys at its start and sparse keys after it.
        let mixed = key_bands([0.0, 1.0, 2.0, 50.0, 60.0].into_iter());
        assert_eq!(
            mixed.iter().map(|b| (b.0, b.1)).collect::<Vec<_>>(),
            [(0.0, 2.0), (50.0, 50.0), (60.0, 60.0)]
        );
    }
}
