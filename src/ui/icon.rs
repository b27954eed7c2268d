//! Buttons with drawn signs, which look the same with every font.

use egui::{Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo};

use super::theme;

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Icon {
    Play,
    Pause,
    First,
    Back,
    Forward,
    Last,
    Close,
}

/// Shows a button with a sign. `name` is its accessible name, `hint` its hover text.
pub(super) fn icon_button_ui(
    ui: &mut Ui,
    icon: Icon,
    size: f32,
    name: &str,
    hint: &str,
) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(size), Sense::click());
    let enabled = ui.is_enabled();
    response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, name));
    if ui.is_rect_visible(rect) {
        let look = *ui.style().interact(&response);
        let primary = matches!(icon, Icon::Play | Icon::Pause);
        let fill = match (primary && enabled, response.hovered()) {
            (true, false) => theme::ACCENT,
            (true, true) => theme::ACCENT.lerp_to_gamma(egui::Color32::WHITE, 0.25),
            (false, _) if icon == Icon::Close && !response.hovered() => egui::Color32::TRANSPARENT,
            (false, _) => look.weak_bg_fill,
        };
        let corner = if primary { 0.5 * size } else { 5.0 };
        ui.painter().rect_filled(rect, corner, fill);
        if response.has_focus() {
            let ring = Stroke::new(1.5, egui::Color32::WHITE);
            ui.painter().rect_stroke(rect, corner, ring, StrokeKind::Inside);
        }
        let color = if primary && enabled { theme::BAR } else { look.fg_stroke.color };
        ui.painter().extend(shapes(icon, rect.center(), 0.22 * size, color));
    }
    response.on_hover_text(hint)
}

/// Returns the shapes of a sign around a centre; `r` is half its height.
fn shapes(icon: Icon, center: Pos2, r: f32, color: egui::Color32) -> Vec<Shape> {
    let at = |x: f32, y: f32| center + r * Vec2::new(x, y);
    let triangle = |x: f32, way: f32| {
        let points =
            vec![at(x - 0.75 * way, -1.0), at(x + 0.75 * way, 0.0), at(x - 0.75 * way, 1.0)];
        Shape::convex_polygon(points, color, Stroke::NONE)
    };
    let bar = |x: f32, half: f32| {
        Shape::rect_filled(Rect::from_min_max(at(x - half, -1.0), at(x + half, 1.0)), 0.0, color)
    };
    match icon {
        Icon::Play => vec![triangle(0.15, 1.2)],
        Icon::Pause => vec![bar(-0.5, 0.28), bar(0.5, 0.28)],
        Icon::First => vec![bar(-0.95, 0.14), triangle(-0.1, -0.85), triangle(0.85, -0.85)],
        Icon::Back => vec![triangle(-0.35, -1.0), bar(0.75, 0.14)],
        Icon::Forward => vec![triangle(0.35, 1.0), bar(-0.75, 0.14)],
        Icon::Last => vec![triangle(-0.85, 0.85), triangle(0.1, 0.85), bar(0.95, 0.14)],
        Icon::Close => {
            let stroke = Stroke::new(1.5, color);
            vec![
                Shape::line_segment([at(-0.8, -0.8), at(0.8, 0.8)], stroke),
                Shape::line_segment([at(-0.8, 0.8), at(0.8, -0.8)], stroke),
            ]
        }
    }
}
