//! Buttons with drawn signs, which look the same with every font.

use egui::{Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo};

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
    /// A window with parts around its picture.
    Parts,
    /// An open folder.
    Folder,
    /// A node with a mesh that is not skinned.
    Mesh,
    /// A node with a skinned mesh.
    Skin,
    Joint,
    Camera,
    Light,
    /// A node that carries nothing.
    Empty,
    /// A node that is shown, and one that is hidden.
    Eye,
    EyeShut,
    /// A row of a tree that is folded, and one that is unfolded.
    Right,
    Down,
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
            (true, false) => theme::colors(ui).accent,
            (true, true) => theme::colors(ui).accent.lerp_to_gamma(theme::colors(ui).strong, 0.25),
            (false, _) if icon == Icon::Close && !response.hovered() => egui::Color32::TRANSPARENT,
            (false, _) => look.weak_bg_fill,
        };
        let corner = if primary { 0.5 * size } else { 5.0 };
        ui.painter().rect_filled(rect, corner, fill);
        if response.has_focus() {
            theme::ring(ui.painter(), rect, corner);
        }
        let color = if primary && enabled { theme::colors(ui).bar } else { look.fg_stroke.color };
        ui.painter().extend(shapes(icon, rect.center(), 0.22 * size, color));
    }
    response.on_hover_text(hint)
}

/// Paints a sign around a centre; `r` is half its height in points.
pub(super) fn paint_icon(
    painter: &Painter,
    icon: Icon,
    center: Pos2,
    r: f32,
    color: egui::Color32,
) {
    painter.extend(shapes(icon, center, r, color));
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
        Icon::Right => {
            vec![Shape::convex_polygon(
                vec![at(-0.6, -1.0), at(0.7, 0.0), at(-0.6, 1.0)],
                color,
                Stroke::NONE,
            )]
        }
        Icon::Down => {
            vec![Shape::convex_polygon(
                vec![at(-1.0, -0.6), at(1.0, -0.6), at(0.0, 0.7)],
                color,
                Stroke::NONE,
            )]
        }
        of_nodes => outlines(of_nodes, at, r, Stroke::new(1.2, color)),
    }
}

/// Returns the shapes of the signs that are drawn with lines: those of nodes, and eyes. `at` places a point of the
/// square from -1 to 1, `r` is the length of its unit.
fn outlines(icon: Icon, at: impl Fn(f32, f32) -> Pos2, r: f32, stroke: Stroke) -> Vec<Shape> {
    let line = |from: (f32, f32), to: (f32, f32)| {
        Shape::line_segment([at(from.0, from.1), at(to.0, to.1)], stroke)
    };
    let closed = |points: &[(f32, f32)]| {
        Shape::closed_line(points.iter().map(|(x, y)| at(*x, *y)).collect(), stroke)
    };
    let dot = |x: f32, y: f32, size: f32| Shape::circle_filled(at(x, y), size * r, stroke.color);
    let cube = [(0.0, -1.0), (0.9, -0.5), (0.9, 0.5), (0.0, 1.0), (-0.9, 0.5), (-0.9, -0.5)];
    let lid = [(-1.1, 0.0), (-0.5, -0.6), (0.5, -0.6), (1.1, 0.0), (0.5, 0.6), (-0.5, 0.6)];
    match icon {
        Icon::Parts => vec![
            closed(&[(-1.2, -1.0), (1.2, -1.0), (1.2, 1.0), (-1.2, 1.0)]),
            line((-0.4, -1.0), (-0.4, 0.4)),
            line((-1.2, 0.4), (1.2, 0.4)),
        ],
        Icon::Folder => vec![
            closed(&[
                (-1.2, -0.9),
                (-0.4, -0.9),
                (-0.1, -0.5),
                (0.9, -0.5),
                (0.9, 0.9),
                (-1.2, 0.9),
            ]),
            line((-1.2, 0.9), (-0.75, 0.0)),
            line((-0.75, 0.0), (1.35, 0.0)),
            line((1.35, 0.0), (0.9, 0.9)),
        ],
        Icon::Mesh => vec![
            closed(&cube),
            line((0.0, 0.0), cube[3]),
            line((0.0, 0.0), cube[1]),
            line((0.0, 0.0), cube[5]),
        ],
        Icon::Skin => vec![closed(&cube), dot(0.0, 0.0, 0.38)],
        Icon::Joint => vec![
            closed(&[(0.0, -1.0), (0.5, -0.45), (0.0, 1.0), (-0.5, -0.45)]),
            line((-0.5, -0.45), (0.5, -0.45)),
        ],
        Icon::Camera => vec![
            closed(&[(-1.0, -0.6), (0.4, -0.6), (0.4, 0.6), (-1.0, 0.6)]),
            closed(&[(0.4, 0.0), (1.0, -0.5), (1.0, 0.5)]),
        ],
        Icon::Light => vec![
            dot(0.0, 0.0, 0.45),
            line((0.0, -1.0), (0.0, -0.75)),
            line((0.0, 1.0), (0.0, 0.75)),
            line((-1.0, 0.0), (-0.75, 0.0)),
            line((1.0, 0.0), (0.75, 0.0)),
        ],
        Icon::Eye => vec![closed(&lid), dot(0.0, 0.0, 0.32)],
        Icon::EyeShut => vec![closed(&lid), line((-0.9, 0.9), (0.9, -0.9))],
        _ => vec![line((-0.7, 0.0), (0.7, 0.0)), line((0.0, -0.7), (0.0, 0.7))],
    }
}
