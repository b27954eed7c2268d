//! A slider for a number, with a field to type it in.

use std::ops::RangeInclusive;

use egui::emath::Numeric;
use egui::{DragValue, Slider, SliderClamping, Ui};

use super::theme;

/// The width of the field in points.
const FIELD: f32 = 70.0;

/// Minimum width of the slider in points.
const LEAST: f32 = 40.0;

/// Lets a field take the text that is typed into it once it is complete.
pub(super) fn typed(field: DragValue<'_>) -> DragValue<'_> {
    field.custom_parser(typed_number).update_while_editing(false)
}

/// Returns the number of a text that was typed into a field, also with a decimal comma; `None` for anything else, which leaves
/// the number as it was.
fn typed_number(text: &str) -> Option<f64> {
    let plain = |c: char| match c {
        ',' => '.',
        '−' => '-',
        c => c,
    };
    let text: String = text.chars().filter(|c| !c.is_whitespace()).map(plain).collect();
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A number that can be set.
pub(super) struct Number<'a> {
    /// The label to the left.
    pub label: &'a str,
    /// Follows the label in the accessible name, where several numbers have the same label.
    pub of: &'a str,
    pub range: RangeInclusive<f64>,
    /// The smallest change.
    pub step: f64,
    /// Follows the number in the field.
    pub unit: &'a str,
    /// The hover text.
    pub hint: &'a str,
}

impl Number<'_> {
    /// Shows the label, the slider and the field. Returns whether the number was changed.
    pub fn show<N: Numeric>(&self, ui: &mut Ui, value: &mut N) -> bool {
        let name = format!("{}{}", self.label, self.of);
        let range = N::from_f64(*self.range.start())..=N::from_f64(*self.range.end());
        let decimals = if self.step < 0.1 { 2 } else { usize::from(self.step < 1.0) };
        theme::labelled_ui(ui, self.label, |ui, title| {
            let room = ui.available_width() - FIELD - ui.spacing().item_spacing.x;
            ui.spacing_mut().slider_width = room.max(LEAST);
            ui.visuals_mut().selection.bg_fill = theme::colors(ui).accent;
            // A number outside of the range, as of a session file, stays until it is changed here.
            let slider = Slider::new(value, range.clone()).clamping(SliderClamping::Edits);
            let slider = slider.step_by(self.step).show_value(false);
            let slider = ui.add(slider);
            let slider = if self.of.is_empty() {
                slider.labelled_by(title)
            } else {
                slider.accessible_name(&name)
            };
            let slid = slider.on_hover_text(self.hint).changed();
            let field = typed(DragValue::new(value))
                .range(range)
                .clamp_existing_to_range(false)
                .speed(self.step)
                .fixed_decimals(decimals)
                .suffix(self.unit);
            let size = egui::vec2(FIELD, ui.spacing().interact_size.y);
            let field = ui.add_sized(size, field).accessible_name(format!("{name} value"));
            field.on_hover_text(self.hint).changed() || slid
        })
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;

    use super::typed_number;
    use crate::tests::{apply, click, did, says, window_of_size};
    use rigview_look::{Lighting, OnionSkin, Spacing};
    use rigview_session::LookAction;
    use rigview_session::sample::session;

    #[test]
    fn a_number_is_typed_as_a_whole_or_not_at_all() {
        for (text, number) in
            [("0,5", 0.5), (" 1.25 ", 1.25), ("−3", -3.0), ("-3", -3.0), ("1e-2", 0.01)]
        {
            assert_eq!(typed_number(text), Some(number), "{text}");
        }
        for text in ["", "12f", "1/2", "nan", "inf", "1,2,3", "-"] {
            assert_eq!(typed_number(text), None, "{text}");
        }
    }

    /// A command line or a session file may give numbers that the sliders do not reach.
    #[test]
    fn a_number_outside_of_the_range_is_not_changed_by_being_shown() {
        let mut window = window_of_size(session(), egui::vec2(1280.0, 1600.0));
        let onion = OnionSkin { count: 2, spacing: Spacing::Secs(3.0) };
        apply(&mut window, LookAction::SetOnionSkin(Some(onion)));
        let look = window.state().session.look().clone();
        let lighting = Lighting { rotation: 4.5, ..look.lighting };
        apply(&mut window, LookAction::SetLighting(Box::new(lighting)));
        apply(&mut window, LookAction::SetExposure(7.5));
        window.get_by_label("Motion and surface").click();
        assert_eq!(did(&mut window), [""; 0]);
        assert_eq!(click(&mut window, "Light"), [""; 0]);
        for shown in ["3.00 s", "7.5", "258"] {
            assert!(says(&window, shown), "{shown}");
        }
    }
}
