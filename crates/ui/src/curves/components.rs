//! The list beside the curves: a check box, a colour and the present value per component.

use std::collections::HashSet;

use egui::{Color32, RichText, ScrollArea, Ui};

use crate::text::{one_line, unsigned_zero};
use crate::theme;
use rigview_report::TrackCurve;

/// Lists of more components are drawn only where they are in sight.
const ROW: f32 = 22.0;

/// The components that are not shown.
#[derive(Debug, Default)]
pub(super) struct Components {
    off: HashSet<String>,
}

impl Components {
    /// Whether a component is shown.
    pub fn is_on(&self, name: &str) -> bool {
        !self.off.contains(name)
    }

    /// Shows the list with the present values.
    pub fn show(&mut self, ui: &mut Ui, curve: &TrackCurve, now: &[f32]) {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.spacing_mut().interact_size.y = ROW;
        let unit = match curve.unit {
            "metres" => " m",
            "units" => " units",
            "degrees" => "°",
            "degrees per second" => "°/s",
            _ => "",
        };
        let area = ScrollArea::vertical().id_salt("components").auto_shrink(false);
        area.show_rows(ui, ROW, curve.components.len(), |ui, rows| {
            for i in rows {
                let name = &curve.components[i];
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = 4.0;
                    let mut on = self.is_on(name);
                    let check = theme::checkbox_ui(ui, &mut on, "");
                    let check = check.accessible_name(format!("Curve {}", one_line(name)));
                    if check.on_hover_text("Show this curve").changed() {
                        if on {
                            self.off.remove(name)
                        } else {
                            self.off.insert(name.clone())
                        };
                    }
                    let shown = if on { color(ui, i) } else { theme::colors(ui).weak };
                    let value = now
                        .get(i)
                        .map_or(String::new(), |value| unsigned_zero(format!("{value:.3}")) + unit);
                    let text = RichText::new(one_line(name)).size(12.5).color(shown);
                    let room = egui::Layout::right_to_left(egui::Align::Center);
                    ui.with_layout(room, |ui| {
                        ui.add_space(4.0);
                        let label = RichText::new(value).monospace().size(12.0).color(shown);
                        ui.label(label);
                        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                            ui.add(egui::Label::new(text).truncate());
                        });
                    });
                });
            }
        });
    }
}

/// Returns the colour of a component by its index.
pub(super) fn color(ui: &Ui, component: usize) -> Color32 {
    let colors = &theme::colors(ui).curves;
    colors[component % colors.len()]
}
