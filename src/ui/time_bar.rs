//! The bar over a clip's whole time: it shows where the clip is, and goes where it is pulled. In and
//! out points are flags below it that can be pulled too.

use egui::{
    Color32, EventFilter, Key, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2,
};

use super::theme;
use crate::viewer::{Action, Instant, Mark, Viewer};

/// The height that can be hit, of the rail, and half the width of the handle.
const HEIGHT: f32 = 22.0;
const RAIL: f32 = 5.0;
const HANDLE: f32 = 5.0;

/// Points that a key's tick needs.
const TICK_ROOM: f32 = 4.0;

/// Shows the bar. Pulling it seeks, and works while the clip plays.
pub(super) fn time_bar_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    let at = viewer.instant();
    let size = Vec2::new(ui.available_width(), HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let rail = Rect::from_center_size(rect.center(), Vec2::new(size.x - 2.0 * HANDLE, RAIL));
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::slider(enabled, at.time_secs, "Time"));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Slider);
        node.set_min_numeric_value(0.0);
        node.set_max_numeric_value(at.duration_secs);
    });
    if let Some(pointer) = response.interact_pointer_pos() {
        let part = f64::from((pointer.x - rail.left()) / rail.width()).clamp(0.0, 1.0);
        let time = part * at.duration_secs;
        // A pointer that is held still must not seek again and again.
        if time != at.time_secs {
            actions.push(Action::Seek(time));
        }
    }
    if response.has_focus() {
        let arrows = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|m| m.set_focus_lock_filter(response.id, arrows));
        let pressed = |key| ui.input(|i| i.num_presses(key)) as i64;
        let frames = pressed(Key::ArrowRight) - pressed(Key::ArrowLeft);
        if frames != 0 {
            actions.push(Action::StepFrames(frames));
        }
    }
    paint(ui, rail, viewer, &response);
    if viewer.player().has_range() && at.duration_secs > 0.0 {
        for (mark, secs) in [(Mark::In, at.range_secs[0]), (Mark::Out, at.range_secs[1])] {
            mark_ui(ui, rail, &at, (mark, secs), actions);
        }
    }
}

/// Where a time is on the rail.
fn x_of(rail: Rect, at: &Instant, secs: f64) -> f32 {
    let part = if at.duration_secs > 0.0 { secs / at.duration_secs } else { 0.0 };
    egui::lerp(rail.left()..=rail.right(), part as f32)
}

/// A point's flag; pulling it moves the point.
fn mark_ui(
    ui: &mut Ui,
    rail: Rect,
    at: &Instant,
    (mark, secs): (Mark, f64),
    actions: &mut Vec<Action>,
) {
    let (name, side) = match mark {
        Mark::In => ("In point", 1.0),
        Mark::Out => ("Out point", -1.0),
    };
    let foot = pos2(x_of(rail, at, secs), rail.bottom());
    let hit = Rect::from_center_size(foot + Vec2::new(2.0 * side, 4.0), Vec2::splat(14.0));
    let response = ui.interact(hit, ui.scope_id().with(name), Sense::drag());
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::slider(enabled, secs, name));
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged()) {
        let part = f64::from((pointer.x - rail.left()) / rail.width()).clamp(0.0, 1.0);
        let time = part * at.duration_secs;
        // As above.
        if time != secs {
            actions.push(Action::SetMark(mark, Some(time)));
        }
    }
    let held = response.hovered() || response.dragged();
    let color = if held { Color32::WHITE } else { theme::ACCENT };
    let top = pos2(foot.x, rail.top() - 3.0);
    ui.painter().line_segment([top, pos2(foot.x, rail.bottom() + 3.0)], Stroke::new(1.5, color));
    let flag = [(0.0, 1.0), (7.0, 1.0), (0.0, 8.0)];
    let flag = flag.map(|(x, y)| foot + Vec2::new(side * x, y)).to_vec();
    ui.painter().add(egui::Shape::convex_polygon(flag, color, Stroke::NONE));
    response.on_hover_text(format!("{name}: {secs:.3} s"));
}

/// A tick under the rail for every key; where they lie as close as in a baked clip they say nothing
/// and are left out.
fn paint_keys(painter: &egui::Painter, rail: Rect, at: &Instant, times: &[f32]) {
    if times.len() as f32 * TICK_ROOM > rail.width() {
        return;
    }
    for time in times {
        let x = x_of(rail, at, f64::from(*time));
        let ends = [pos2(x, rail.bottom() + 2.0), pos2(x, rail.bottom() + 6.0)];
        painter.line_segment(ends, Stroke::new(1.0, theme::WEAK));
    }
}

fn paint(ui: &Ui, rail: Rect, viewer: &Viewer, response: &egui::Response) {
    if !ui.is_rect_visible(rail) {
        return;
    }
    let (painter, at) = (ui.painter(), &viewer.instant());
    paint_keys(painter, rail, at, viewer.key_times());
    let x = x_of(rail, at, at.time_secs);
    painter.rect_filled(rail, 0.5 * RAIL, theme::RAIL);
    // Only what is played is filled.
    let [from, to] = at.range_secs.map(|secs| x_of(rail, at, secs));
    let played = rail.with_min_x(from).with_max_x(to);
    if played.width() < rail.width() {
        painter.rect_filled(played, 0.5 * RAIL, theme::RANGE);
    }
    let done = played.with_max_x(x.clamp(from, to));
    painter.rect_filled(done, 0.5 * RAIL, theme::ACCENT);
    let held = response.hovered() || response.dragged();
    let grown = if held && ui.is_enabled() { 1.0 } else { 0.0 };
    let handle = Vec2::new(2.0 * HANDLE, 16.0) + Vec2::splat(2.0 * grown);
    let handle = Rect::from_center_size(pos2(x, rail.center().y), handle);
    let color = if held { Color32::WHITE } else { theme::HANDLE };
    painter.rect_filled(handle, 4.0, color);
    if response.has_focus() {
        let ring = Stroke::new(1.5, Color32::WHITE);
        painter.rect_stroke(handle.expand(3.0), 6.0, ring, StrokeKind::Outside);
    }
}
