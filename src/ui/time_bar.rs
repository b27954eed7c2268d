//! The bar over a clip's whole time: it shows where the clip is, and goes where it is pulled.

use egui::{
    Color32, EventFilter, Key, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo,
};

use super::theme;
use crate::viewer::{Action, Viewer};

/// The height that can be hit, of the rail, and half the width of the handle.
const HEIGHT: f32 = 22.0;
const RAIL: f32 = 5.0;
const HANDLE: f32 = 5.0;

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
    let part = if at.duration_secs > 0.0 { at.time_secs / at.duration_secs } else { 0.0 };
    paint(ui, rail, part as f32, &response);
}

fn paint(ui: &Ui, rail: Rect, part: f32, response: &egui::Response) {
    if !ui.is_rect_visible(rail) {
        return;
    }
    let painter = ui.painter();
    let x = egui::lerp(rail.left()..=rail.right(), part);
    let done = Rect::from_min_max(rail.min, egui::pos2(x, rail.bottom()));
    painter.rect_filled(rail, 0.5 * RAIL, theme::RAIL);
    painter.rect_filled(done, 0.5 * RAIL, theme::ACCENT);
    let held = response.hovered() || response.dragged();
    let grown = if held && ui.is_enabled() { 1.0 } else { 0.0 };
    let handle = Vec2::new(2.0 * HANDLE, 16.0) + Vec2::splat(2.0 * grown);
    let handle = Rect::from_center_size(egui::pos2(x, rail.center().y), handle);
    let color = if held { Color32::WHITE } else { theme::HANDLE };
    painter.rect_filled(handle, 4.0, color);
    if response.has_focus() {
        let ring = Stroke::new(1.5, Color32::WHITE);
        painter.rect_stroke(handle.expand(3.0), 6.0, ring, StrokeKind::Outside);
    }
}
