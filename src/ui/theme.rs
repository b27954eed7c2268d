//! What the panels look like: one dark palette, one place for sizes.

use egui::style::WidgetVisuals;
use egui::{Color32, CornerRadius, FontFamily, FontId, Stroke, TextStyle, Theme, Vec2, Visuals};

/// The side panel.
pub(super) const PANEL: Color32 = Color32::from_rgb(0x1b, 0x1e, 0x24);
/// The transport.
pub(super) const BAR: Color32 = Color32::from_rgb(0x17, 0x1a, 0x1f);
/// What floats over the picture.
pub(super) const CARD: Color32 = Color32::from_rgb(0x22, 0x26, 0x2d);
/// Lines between panels.
pub(super) const LINE: Color32 = Color32::from_rgb(0x0e, 0x10, 0x13);
/// What is chosen or runs.
pub(super) const ACCENT: Color32 = Color32::from_rgb(0x5c, 0xad, 0xff);
/// Behind what is chosen.
pub(super) const CHOSEN: Color32 = Color32::from_rgb(0x25, 0x3c, 0x57);
/// What a slider runs on.
pub(super) const RAIL: Color32 = Color32::from_rgb(0x31, 0x37, 0x41);
/// What runs on it.
pub(super) const HANDLE: Color32 = Color32::from_rgb(0xdb, 0xe0, 0xe8);
/// Words.
pub(super) const TEXT: Color32 = Color32::from_rgb(0xd3, 0xd7, 0xde);
/// Words that stand back.
pub(super) const WEAK: Color32 = Color32::from_rgb(0x8e, 0x95, 0xa1);
/// Something is wrong.
pub(super) const ERROR: Color32 = Color32::from_rgb(0xff, 0x7b, 0x72);
/// Something was repaired.
pub(super) const WARNING: Color32 = Color32::from_rgb(0xe8, 0xb3, 0x4a);

/// The height of a row of a list.
pub(super) const ROW: f32 = 26.0;

/// Dresses a context.
pub fn dress(ctx: &egui::Context) {
    ctx.set_theme(Theme::Dark);
    ctx.all_styles_mut(|style| {
        style.visuals = visuals();
        style.animation_time = 0.0;
        style.interaction.selectable_labels = false;
        let spacing = &mut style.spacing;
        spacing.item_spacing = Vec2::new(8.0, 6.0);
        spacing.button_padding = Vec2::new(10.0, 4.0);
        spacing.interact_size.y = ROW;
        spacing.combo_width = 96.0;
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
    widgets.hovered = look(0x0034_3b46, 0x0046_4f5d, Color32::WHITE);
    widgets.active = look(0x003d_4653, 0x005c_adff, Color32::WHITE);
    widgets.open = look(0x0030_3640, 0x0046_4f5d, Color32::WHITE);
    visuals.selection.bg_fill = CHOSEN;
    visuals.selection.stroke = Stroke::new(1.0, Color32::WHITE);
    visuals.panel_fill = PANEL;
    visuals.window_fill = CARD;
    visuals.window_stroke = Stroke::new(1.0, Color32::from_rgb(0x39, 0x40, 0x4b));
    visuals.extreme_bg_color = Color32::from_rgb(0x12, 0x14, 0x18);
    visuals.weak_text_color = Some(WEAK);
    visuals.error_fg_color = ERROR;
    visuals.warn_fg_color = WARNING;
    visuals.slider_trailing_fill = true;
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals
}

/// A small heading over a group of widgets.
pub(super) fn heading_ui(ui: &mut egui::Ui, text: &str) {
    let text = egui::RichText::new(text.to_uppercase()).size(10.5).color(WEAK).strong();
    ui.label(text);
}
