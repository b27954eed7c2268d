//! The distance between two picked points, beside the middle of the line between them; before, what to click.

use egui::{Align2, CornerRadius, FontId, Id, LayerId, Order, Rect, Ui, pos2, vec2};
use glam::DVec3;

use super::text::unsigned_zero;
use super::theme;
use rigview_look::View;
use rigview_session::{Session, orbit::project};

/// Shows the distance, or what is to be done.
pub(super) fn measure_ui(ui: &Ui, picture: Rect, session: &Session) {
    if !session.measuring().is_on() || session.playback().document().is_none() {
        return;
    }
    let Some(measured) = session.measured() else {
        let text = match session.measuring().anchors().len() {
            1 => "Click the second point · Esc ends measuring",
            _ => "Click two points to measure · Esc ends measuring",
        };
        let at = picture.center_top() + vec2(0.0, 14.0);
        return card_ui(ui, picture, text, at, Align2::CENTER_TOP);
    };
    let middle = 0.5 * (measured.ends[0] + measured.ends[1]);
    let [from, to] = measured.ends;
    let text = format!("{}\n{}", length_text(measured.metres), axes_text(to - from));
    let at = on_screen(&session.view(), picture, middle).unwrap_or(picture.center());
    card_ui(ui, picture, &text, at + vec2(0.0, -10.0), Align2::CENTER_BOTTOM);
}

/// Returns a length in metres and millimetres.
pub(super) fn length_text(metres: f64) -> String {
    format!("{metres:.4} m · {:.1} mm", 1000.0 * metres)
}

/// Returns the differences along the axes in metres.
fn axes_text(difference: DVec3) -> String {
    let DVec3 { x, y, z } = difference;
    let [x, y, z] = [x, y, z].map(|metres| unsigned_zero(format!("{metres:.4}")));
    format!("X {x} · Y {y} · Z {z} m")
}

/// Returns the place of a point of the scene in the window; `None` behind the camera.
fn on_screen(view: &View, picture: Rect, at: DVec3) -> Option<egui::Pos2> {
    let (at, ahead) = project(view, at, 1.0);
    let height = f64::from(picture.height());
    let (x, y) = ((at.x * height) as f32, (at.y * height) as f32);
    let seen = ahead > 0.0 && x.is_finite() && y.is_finite();
    let center = picture.center();
    seen.then(|| pos2(center.x + x, center.y + y))
}

/// Shows a text on a card in the picture.
fn card_ui(ui: &Ui, picture: Rect, text: &str, at: egui::Pos2, align: Align2) {
    let layer = LayerId::new(Order::Middle, Id::unique("measured"));
    let painter = ui.ctx().layer_painter(layer).with_clip_rect(picture);
    let text = painter.layout_no_wrap(
        text.to_owned(),
        FontId::proportional(13.0),
        theme::colors(ui).strong,
    );
    let card = align.anchor_size(at, text.size()).expand2(vec2(7.0, 4.0));
    painter.rect_filled(card, CornerRadius::same(4), theme::colors(ui).card.gamma_multiply(0.92));
    painter.galley(card.min + vec2(7.0, 4.0), text, theme::colors(ui).strong);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_in_metres_and_millimetres() {
        assert_eq!(length_text(0.321_54), "0.3215 m · 321.5 mm");
        let difference = DVec3::new(0.25, -0.000_001, -1.5);
        assert_eq!(axes_text(difference), "X 0.2500 · Y 0.0000 · Z -1.5000 m");
    }
}
