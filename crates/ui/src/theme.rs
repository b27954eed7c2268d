//! The panels' style: a dark and a light palette, sizes, and widgets that follow it.

use egui::style::WidgetVisuals;
use egui::style::{ScrollAnimation, ScrollStyle};
use egui::{
    Checkbox, Color32, CornerRadius, FontFamily, FontId, Id, Painter, Rect, Response, Stroke,
    StrokeKind, TextStyle, Theme, ThemePreference, Ui, Vec2, Visuals,
};

use rigview_session::ThemeChoice;

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

/// The colours of a theme.
#[derive(Clone, Copy, Debug)]
pub(super) struct Colors {
    /// Background of the columns.
    pub panel: Color32,
    /// Background of the transport.
    pub bar: Color32,
    /// Background of cards over the picture.
    pub card: Color32,
    /// Outlines of cards.
    pub line: Color32,
    /// Chosen or active parts.
    pub accent: Color32,
    /// Background of chosen rows and buttons.
    pub chosen: Color32,
    /// The rail of a slider, a time bar or a progress bar, and the edge of a checkbox or a text field.
    pub rail: Color32,
    /// The part of the time bar between the in and the out point.
    pub range: Color32,
    /// The handle of a slider.
    pub handle: Color32,
    /// Headings and chosen text.
    pub strong: Color32,
    /// Text.
    pub text: Color32,
    /// Less important text.
    pub weak: Color32,
    /// Errors.
    pub error: Color32,
    /// Warnings.
    pub warning: Color32,
    /// Curves of x, y, z and w, then of further components in turns.
    pub curves: [Color32; 8],
    /// The inside of a checkbox or a text field.
    field: Color32,
    /// Fill and line of buttons: at rest, under the pointer, pressed, open.
    buttons: [[Color32; 2]; 4],
}

const DARK: Colors = Colors {
    panel: PANEL,
    bar: BAR,
    card: CARD,
    line: LINE,
    accent: ACCENT,
    chosen: CHOSEN,
    rail: RAIL,
    range: RANGE,
    handle: HANDLE,
    strong: Color32::WHITE,
    text: TEXT,
    weak: WEAK,
    error: ERROR,
    warning: WARNING,
    curves: [
        rgb(0xff_6b6b),
        rgb(0x7b_d86f),
        rgb(0x5c_adff),
        rgb(0xf2_c14e),
        rgb(0xc7_92ea),
        rgb(0x4f_d1c5),
        rgb(0xff_9e64),
        rgb(0xdb_e0e8),
    ],
    field: FIELD,
    buttons: [
        [rgb(0x2a_2f38), rgb(0x3a_424e)],
        [rgb(0x34_3b46), rgb(0x46_4f5d)],
        [rgb(0x3d_4653), rgb(0x5c_adff)],
        [rgb(0x30_3640), rgb(0x46_4f5d)],
    ],
};

const LIGHT: Colors = Colors {
    panel: rgb(0xf3_f4f6),
    bar: rgb(0xe9_ebee),
    card: rgb(0xff_ffff),
    line: rgb(0xc3_c8cf),
    accent: rgb(0x0b_63c5),
    chosen: rgb(0xcf_e2f8),
    rail: rgb(0x7a_8290),
    range: rgb(0x3f_7fc0),
    handle: rgb(0x2f_3640),
    strong: Color32::BLACK,
    text: rgb(0x23_272e),
    weak: rgb(0x5a_626e),
    error: rgb(0xb3_261e),
    warning: rgb(0x7d_5200),
    curves: [
        rgb(0xc0_2626),
        rgb(0x1d_7a1d),
        rgb(0x0b_63c5),
        rgb(0x86_5c00),
        rgb(0x7d_3cb5),
        rgb(0x0b_746b),
        rgb(0xa8_4a00),
        rgb(0x3a_424e),
    ],
    field: rgb(0xff_ffff),
    buttons: [
        [rgb(0xe1_e4e9), rgb(0xcb_d0d8)],
        [rgb(0xd5_dae1), rgb(0xb4_bbc6)],
        [rgb(0xc3_d9f2), rgb(0x0b_63c5)],
        [rgb(0xdb_dfe6), rgb(0xb4_bbc6)],
    ],
};

const fn rgb(code: u32) -> Color32 {
    let [_, r, g, b] = code.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

/// Returns the colours of the theme in use.
pub(super) fn colors(ui: &Ui) -> &'static Colors {
    in_visuals(ui.visuals())
}

/// Returns the colours of the theme that some visuals belong to.
pub(super) fn in_visuals(visuals: &Visuals) -> &'static Colors {
    if visuals.dark_mode { &DARK } else { &LIGHT }
}

/// The height of a row of a list.
pub(super) const ROW: f32 = 26.0;

/// Makes a context use the colours that are chosen.
pub(super) fn follow(ctx: &egui::Context, choice: ThemeChoice) {
    let wanted = match choice {
        ThemeChoice::System => ThemePreference::System,
        ThemeChoice::Dark => ThemePreference::Dark,
        ThemeChoice::Light => ThemePreference::Light,
    };
    if ctx.options(|options| options.theme_preference) != wanted {
        ctx.set_theme(wanted);
        ctx.request_repaint();
    }
}

/// Applies the style to a context.
pub fn set_style(ctx: &egui::Context) {
    ctx.options_mut(|options| {
        options.theme_preference = ThemePreference::System;
        options.fallback_theme = Theme::Dark;
    });
    for theme in [Theme::Dark, Theme::Light] {
        ctx.style_mut_of(theme, |style| style.visuals = visuals(theme));
    }
    ctx.all_styles_mut(|style| {
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

fn visuals(theme: Theme) -> Visuals {
    let (mut visuals, colors) = match theme {
        Theme::Dark => (Visuals::dark(), &DARK),
        Theme::Light => (Visuals::light(), &LIGHT),
    };
    let look = |[fill, line]: [Color32; 2], text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, line),
        corner_radius: CornerRadius::same(5),
        fg_stroke: Stroke::new(1.25, text),
        expansion: 0.0,
    };
    let [rest, hovered, pressed, open] = colors.buttons;
    let widgets = &mut visuals.widgets;
    widgets.noninteractive = look([colors.panel, colors.line], colors.text);
    widgets.inactive = look(rest, colors.text);
    // Rails and scroll bars; buttons have the weak fill.
    widgets.inactive.bg_fill = colors.rail;
    widgets.hovered = look(hovered, colors.strong);
    widgets.active = look(pressed, colors.strong);
    widgets.open = look(open, colors.strong);
    visuals.selection.bg_fill = colors.chosen;
    visuals.selection.stroke = Stroke::new(1.0, colors.strong);
    visuals.panel_fill = colors.panel;
    visuals.window_fill = colors.card;
    visuals.window_stroke = Stroke::new(1.0, rest[1]);
    visuals.extreme_bg_color = colors.field;
    visuals.weak_text_color = Some(colors.weak);
    visuals.error_fg_color = colors.error;
    visuals.warn_fg_color = colors.warning;
    visuals.slider_trailing_fill = true;
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals
}

/// Paints the ring of a widget that has the focus.
pub(super) fn ring(painter: &Painter, rect: Rect, corner: f32) {
    let color = in_visuals(&painter.ctx().global_style().visuals).strong;
    painter.rect_stroke(rect, corner, Stroke::new(1.5, color), StrokeKind::Inside);
}

/// Shows a small heading over a group of widgets, in capitals that a screen reader does not spell out.
pub(super) fn heading_ui(ui: &mut Ui, text: &str) {
    let shown = egui::RichText::new(text.to_uppercase()).size(10.5).color(of(ui).weak).strong();
    let heading = ui.label(shown);
    heading.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text));
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
    let colors = of(ui);
    let inactive = &mut ui.visuals_mut().widgets.inactive;
    (inactive.bg_fill, inactive.bg_stroke) = (colors.field, Stroke::new(1.0, colors.rail));
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
        for (theme, c) in [(Theme::Dark, DARK), (Theme::Light, LIGHT)] {
            for behind in [c.panel, c.bar, c.card] {
                let texts = [c.strong, c.text, c.weak, c.warning, c.error];
                for text in texts.into_iter().chain(c.curves) {
                    assert!(contrast(text, behind) >= 4.5, "{text:?} on {behind:?}");
                }
                for part in [c.rail, c.range, c.accent, c.handle] {
                    assert!(contrast(part, behind) >= 3.0, "{part:?} on {behind:?}");
                }
            }
            assert!(contrast(c.handle, c.rail) >= 3.0 && contrast(c.rail, c.field) >= 3.0);
            assert!(contrast(c.strong, c.chosen) >= 4.5 && contrast(c.text, c.field) >= 4.5);
            let widgets = visuals(theme).widgets;
            assert!(contrast(widgets.inactive.bg_fill, c.panel) >= 3.0, "sliders and scroll bars");
            for widget in [widgets.inactive, widgets.hovered, widgets.active, widgets.open] {
                assert!(contrast(widget.fg_stroke.color, widget.weak_bg_fill) >= 4.5);
            }
        }
        egui::__run_test_ui(|ui| {
            edge_ui(ui);
            let edge = ui.visuals().widgets.inactive.bg_stroke.color;
            assert!(contrast(edge, of(ui).panel) >= 3.0, "checkboxes and text fields");
        });
    }
}
