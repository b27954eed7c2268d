//! The panels' style: a dark palette, sizes, and widgets that follow it.

use egui::style::WidgetVisuals;
use egui::style::{ScrollAnimation, ScrollStyle};
use egui::{
    Checkbox, Color32, CornerRadius, FontFamily, FontId, Id, Response, Stroke, TextStyle, Theme,
    Ui, Vec2, Visuals,
};

/// Background of the columns.
pub(super) const PANEL: Color32 = Color32::from_rgb(0x1b, 0x1e, 0x24);
/// Background of the transport.
pub(super) const BAR: Color32 = Color32::from_rgb(0x17, 0x1a, 0x1f);
/// Background of cards over the picture.
pub(super) const CARD: Color32 = Color32::from_rgb(0x22, 0x26, 0x2d);
/// Outlines of cards.
pub(super) const LINE: Color32 = Color32::from_rgb(0x0e, 0x10, 0x13);
/// Chosen or active parts.
pub(super) const ACCENT: Color32 = Color32::from_rgb(0x5c, 0xad, 0xff);
/// Background of chosen rows and buttons.
pub(super) const CHOSEN: Color32 = Color32::from_rgb(0x25, 0x3c, 0x57);
/// The rail of a slider, a time bar or a progress bar, and the edge of a checkbox or a text field.
pub(super) const RAIL: Color32 = Color32::from_rgb(0x6b, 0x74, 0x82);
/// The part of the time bar between the in and the out point.
pub(super) const RANGE: Color32 = Color32::from_rgb(0x4a, 0x7f, 0xb5);
/// The handle of a slider.
pub(super) const HANDLE: Color32 = Color32::from_rgb(0xdb, 0xe0, 0xe8);
/// Text.
pub(super) const TEXT: Color32 = Color32::from_rgb(0xd3, 0xd7, 0xde);
/// Less important text.
pub(super) const WEAK: Color32 = Color32::from_rgb(0x8e, 0x95, 0xa1);
/// Errors.
pub(super) const ERROR: Color32 = Color32::from_rgb(0xff, 0x7b, 0x72);
/// Warnings.
pub(super) const WARNING: Color32 = Color32::from_rgb(0xe8, 0xb3, 0x4a);

/// The inside of a checkbox or a text field.
const FIELD: Color32 = Color32::from_rgb(0x12, 0x14, 0x18);

/// The height of a row of a list.
pub(super) const ROW: f32 = 26.0;

/// Applies the style to a context.
pub fn dress(ctx: &egui::Context) {
    ctx.set_theme(Theme::Dark);
    ctx.all_styles_mut(|style| {
        style.visuals = visuals();
        style.animation_time = 0.0;
        style.scroll_animation = ScrollAnimation::none();
        style.interaction.selectable_labels = false;
        let spacing = &mut style.spacing;
        spacing.item_spacing = Vec2::new(8.0, 6.0);
        spacing.button_padding = Vec2::new(10.0, 4.0);
        spacing.interact_size.y = ROW;
        spacing.combo_width = 96.0;
        // Scroll bars are always visible where there is something to scroll, and have room of their own.
        spacing.scroll = ScrollStyle {
            bar_width: 8.0,
            floating_width: 5.0,
            floating_allocated_width: 9.0,
            interact_background_opacity: 1.0,
            interact_handle_opacity: 1.0,
            ..ScrollStyle::thin()
        };
        style.text_styles = [
            (TextStyle::Small, FontId::new(11.0, FontFamily::Proportional)),
            (TextStyle::Body, FontId::new(13.5, FontFamily::Proportional)),
            (TextStyle::Button, FontId::new(13.5, FontFamily::Proportional)),
            (TextStyle::Heading, FontId::new(16.0, FontFamily::Proportional)),
            (TextStyle::Monospace, FontId::new(13.0, FontFamily::Monospace)),
        ]
        .into();
    });
}

fn visuals() -> Visuals {
    let mut visuals = Visuals::dark();
    let look = |fill: u32, line: u32, text: Color32| {
        let color = |c: u32| {
            let [_, r, g, b] = c.to_be_bytes();
            Color32::from_rgb(r, g, b)
        };
        WidgetVisuals {
            bg_fill: color(fill),
            weak_bg_fill: color(fill),
            bg_stroke: Stroke::new(1.0, color(line)),
            corner_radius: CornerRadius::same(5),
            fg_stroke: Stroke::new(1.25, text),
            expansion: 0.0,
        }
    };
    let widgets = &mut visuals.widgets;
    widgets.noninteractive = look(0x001b_1e24, 0x000e_1013, TEXT);
    widgets.inactive = look(0x002a_2f38, 0x003a_424e, TEXT);
    // Rails and scroll bars; buttons have the weak fill.
    widgets.inactive.bg_fill = RAIL;
    widgets.hovered = look(0x0034_3b46, 0x0046_4f5d, Color32::WHITE);
    widgets.active = look(0x003d_4653, 0x005c_adff, Color32::WHITE);
    widgets.open = look(0x0030_3640, 0x0046_4f5d, Color32::WHITE);
    visuals.selection.bg_fill = CHOSEN;
    visuals.selection.stroke = Stroke::new(1.0, Color32::WHITE);
    visuals.panel_fill = PANEL;
    visuals.window_fill = CARD;
    visuals.window_stroke = Stroke::new(1.0, Color32::from_rgb(0x39, 0x40, 0x4b));
    visuals.extreme_bg_color = FIELD;
    visuals.weak_text_color = Some(WEAK);
    visuals.error_fg_color = ERROR;
    visuals.warn_fg_color = WARNING;
    visuals.slider_trailing_fill = true;
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals
}

/// Shows a small heading over a group of widgets.
pub(super) fn heading_ui(ui: &mut Ui, text: &str) {
    let text = egui::RichText::new(text.to_uppercase()).size(10.5).color(WEAK).strong();
    ui.label(text);
}

/// Shows a label and a widget to its right, which gets the label's id to be named by. Labels have one width, so
/// that the widgets of a panel are aligned.
pub(super) fn labelled_ui<R>(ui: &mut Ui, label: &str, widget: impl FnOnce(&mut Ui, Id) -> R) -> R {
    const WIDTH: f32 = 86.0;
    ui.horizontal(|ui| {
        let left = ui.cursor().left();
        let title = ui.label(label).id;
        ui.add_space(left + WIDTH - ui.cursor().left());
        widget(ui, title)
    })
    .inner
}

/// Shows a checkbox with an edge that contrasts with the panel.
pub(super) fn checkbox_ui(ui: &mut Ui, on: &mut bool, text: &str) -> Response {
    ui.scope(|ui| {
        edge_ui(ui);
        ui.add(Checkbox::new(on, text))
    })
    .inner
}

/// Fills widgets of `ui` that are not hovered with a dark colour and outlines them in a contrasting one.
pub(super) fn edge_ui(ui: &mut Ui) {
    let inactive = &mut ui.visuals_mut().widgets.inactive;
    (inactive.bg_fill, inactive.bg_stroke) = (FIELD, Stroke::new(1.0, RAIL));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the contrast ratio of WCAG 2, from 1 to 21.
    fn contrast(a: Color32, b: Color32) -> f32 {
        let luminance = |color: Color32| {
            let [r, g, b, _] = egui::Rgba::from(color).to_array();
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let (a, b) = (luminance(a), luminance(b));
        a.max(b) / a.min(b)
    }

    /// WCAG 2.2, 1.4.3 and 1.4.11: at least 4.5 for text and 3 for the parts that identify a widget.
    #[test]
    fn words_and_widgets_stand_out_from_what_is_behind_them() {
        assert!((contrast(Color32::WHITE, Color32::BLACK) - 21.0).abs() < 1e-3);
        for behind in [PANEL, BAR, CARD] {
            for text in [TEXT, WEAK, WARNING, ERROR] {
                assert!(contrast(text, behind) >= 4.5, "{text:?} on {behind:?}");
            }
            for part in [RAIL, RANGE, ACCENT, HANDLE] {
                assert!(contrast(part, behind) >= 3.0, "{part:?} on {behind:?}");
            }
        }
        assert!(contrast(HANDLE, RAIL) >= 3.0 && contrast(RAIL, FIELD) >= 3.0);
        let widgets = visuals().widgets;
        assert!(contrast(widgets.inactive.bg_fill, PANEL) >= 3.0, "sliders and scroll bars");
        assert!(contrast(widgets.inactive.fg_stroke.color, widgets.inactive.weak_bg_fill) >= 4.5);
        egui::__run_test_ui(|ui| {
            edge_ui(ui);
            let edge = ui.visuals().widgets.inactive.bg_stroke.color;
            assert!(contrast(edge, PANEL) >= 3.0, "checkboxes and text fields");
        });
    }
}
