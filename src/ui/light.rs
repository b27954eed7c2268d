//! What lights the model, and how its light becomes colours: folded away, since the first picture of a
//! model should need none of it.

use egui::{ComboBox, Slider, Ui};

use crate::look::{Backdrop, EnvironmentSource, Lighting, ToneMap};
use crate::viewer::{Action, Viewer};

/// Environment, shadow, exposure and tone map.
pub(super) fn light_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    egui::CollapsingHeader::new("Light").show(ui, |ui| {
        let mut lighting = viewer.look().lighting.clone();
        if lighting_ui(ui, &mut lighting) {
            actions.push(Action::SetLighting(Box::new(lighting)));
        }
        let mut exposure = viewer.look().exposure;
        let slider = Slider::new(&mut exposure, -6.0..=6.0).step_by(0.1).text("EV");
        if ui.add(slider).on_hover_text("Exposure: stops").changed() {
            actions.push(Action::SetExposure(exposure));
        }
        let now = viewer.look().tone_map;
        ui.horizontal(|ui| {
            ui.label("Tones");
            let combo = ComboBox::from_id_salt("tone map").width(ui.available_width());
            combo.selected_text(tone_map_label(now)).show_ui(ui, |ui| {
                for other in ToneMap::ALL {
                    if ui.selectable_label(other == now, tone_map_label(other)).clicked() {
                        actions.push(Action::SetToneMap(other));
                    }
                }
            });
        });
    });
}

/// Whether anything was changed.
fn lighting_ui(ui: &mut Ui, lighting: &mut Lighting) -> bool {
    let mut changed = false;
    ui.horizontal(|ui| {
        ui.label("Light");
        let now = lighting.environment.name().to_owned();
        let combo = ComboBox::from_id_salt("environment").width(ui.available_width());
        let inner = combo.selected_text(super::one_line(&now)).show_ui(ui, |ui| {
            for name in EnvironmentSource::NAMES {
                if ui.selectable_label(name == now, name).clicked()
                    && let Some(source) = EnvironmentSource::named(name)
                {
                    (lighting.environment, lighting.key_light) = (source, true);
                    changed = true;
                }
            }
        });
        inner.response.on_hover_text("Drop an .hdr or .exr on the window for another");
    });
    let shadow = ui.checkbox(&mut lighting.key_light, "Key light and shadow");
    changed |= shadow.on_hover_text("Where no light of the file shines").changed();
    changed |= ui.checkbox(&mut lighting.file_lights, "Lights of the file").changed();
    let mut shown = lighting.backdrop != Backdrop::None;
    if ui.checkbox(&mut shown, "Show the environment").changed() {
        lighting.backdrop = if shown { Backdrop::Blurred } else { Backdrop::None };
        changed = true;
    }
    let mut degrees = lighting.rotation.to_degrees();
    let slider = Slider::new(&mut degrees, -180.0..=180.0).step_by(1.0).suffix("°");
    if ui.add(slider.text("turn")).on_hover_text("Turns the environment").changed() {
        lighting.rotation = degrees.to_radians();
        changed = true;
    }
    let slider = Slider::new(&mut lighting.intensity, 0.0..=4.0).step_by(0.05);
    changed | ui.add(slider.text("bright")).on_hover_text("The environment's brightness").changed()
}

fn tone_map_label(tone_map: ToneMap) -> &'static str {
    match tone_map {
        ToneMap::Neutral => "Khronos PBR Neutral",
        ToneMap::Aces => "ACES",
        ToneMap::AgX => "AgX",
        ToneMap::None => "None",
    }
}
