//! What lights the model, and how its light becomes colours: folded away, since the first picture of a
//! model should need none of it.

use egui::{ComboBox, Slider, Ui};

use super::choosers;
use crate::look::{Backdrop, EnvironmentSource, Lighting, ToneMap};
use crate::viewer::{Action, Viewer};

/// Environment, shadow, exposure and tone map.
pub(super) fn light_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    egui::CollapsingHeader::new("Light").show(ui, |ui| {
        let mut lighting = viewer.look().lighting.clone();
        environment_ui(ui, viewer, actions);
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

/// The environments: none, those that are built in, the file that was opened last, or another.
fn environment_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    let lighting = &viewer.look().lighting;
    let mut rows: Vec<_> = viewer
        .environments()
        .into_iter()
        .map(|source| (Some(source.name().to_owned()), environment_label(source.name())))
        .collect();
    rows.push((None, "Open a file…".to_owned()));
    let shown = Some(lighting.environment.name().to_owned());
    match choosers::chosen_ui(ui, "Environment", shown, rows) {
        None => {}
        Some(None) => actions.push(Action::AskForEnvironment),
        Some(Some(name)) => {
            let source = viewer.environments().into_iter().find(|source| source.name() == name);
            let mut lighting = lighting.clone();
            lighting.light_by(source.unwrap_or_else(EnvironmentSource::studio));
            actions.push(Action::SetLighting(Box::new(lighting)));
        }
    }
}

fn environment_label(name: &str) -> String {
    match name {
        "none" => "None".to_owned(),
        "studio" => "Studio".to_owned(),
        "uniform" => "Uniform".to_owned(),
        file => super::one_line(file),
    }
}

/// Whether anything was changed.
fn lighting_ui(ui: &mut Ui, lighting: &mut Lighting) -> bool {
    let mut changed = false;
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
