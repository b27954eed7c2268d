//! What lights the model, and how its light becomes colours: folded away, since the first picture of a
//! model should need none of it.

use egui::{ComboBox, Slider, Ui};

use super::{choosers, theme};
use crate::look::{Backdrop, EnvironmentSource, Lighting, ToneMap, exposure};
use crate::session::{Action, LookAction, Session};

/// Environment, shadow, exposure and tone map.
pub(super) fn light_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    egui::CollapsingHeader::new("Light").show_unindented(ui, |ui| {
        let mut lighting = session.look().lighting.clone();
        environment_ui(ui, session, actions);
        if lighting_ui(ui, session, &mut lighting) {
            actions.push(Action::Look(LookAction::SetLighting(Box::new(lighting))));
        }
        let mut exposure = session.look().exposure;
        theme::labelled_ui(ui, "Exposure", |ui| {
            let slider = Slider::new(&mut exposure, -6.0..=6.0).step_by(0.1).suffix(" EV");
            if theme::slider_ui(ui, slider).on_hover_text("In stops").changed() {
                actions.push(Action::Look(LookAction::SetExposure(exposure)));
            }
        });
        auto_exposure_ui(ui, session, actions);
        let now = session.look().tone_map;
        theme::labelled_ui(ui, "Tones", |ui| {
            let combo = ComboBox::from_id_salt("tone map").truncate().width(ui.available_width());
            combo.selected_text(tone_map_label(now)).show_ui(ui, |ui| {
                for other in ToneMap::ALL {
                    if ui.selectable_label(other == now, tone_map_label(other)).clicked() {
                        actions.push(Action::Look(LookAction::SetToneMap(other)));
                    }
                }
            });
        });
    });
}

/// The automatic exposure and the stops that it adds.
fn auto_exposure_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let look = session.look();
    let exhibit = session.exhibit();
    let measured = exhibit.document().zip(exhibit.stage()).map(|(document, stage)| {
        let bounds = stage.bounds(&document.model);
        exposure(look, &document.model, stage, &bounds).stops - look.exposure
    });
    let label = match measured {
        Some(stops) if look.auto_exposure => format!("Automatic exposure: {stops:+.1} EV"),
        _ => "Automatic exposure".to_owned(),
    };
    let mut on = look.auto_exposure;
    let shown = theme::checkbox_ui(ui, &mut on, &label);
    if shown.on_hover_text("Measures the lights of the file").changed() {
        actions.push(Action::Look(LookAction::SetAutoExposure(on)));
    }
}

/// The environments: none, those that are built in, the file that was opened last, or another.
fn environment_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let lighting = &session.look().lighting;
    let mut rows: Vec<_> = session
        .loads()
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
            let source =
                session.loads().environments().into_iter().find(|source| source.name() == name);
            let mut lighting = lighting.clone();
            lighting.light_by(source.unwrap_or_else(EnvironmentSource::studio));
            actions.push(Action::Look(LookAction::SetLighting(Box::new(lighting))));
        }
    }
}

fn environment_label(name: &str) -> String {
    match name {
        "none" => "None".to_owned(),
        "studio" => "Studio".to_owned(),
        "uniform" => "Uniform".to_owned(),
        file => super::words::one_line(file),
    }
}

/// Returns whether anything was changed.
fn lighting_ui(ui: &mut Ui, session: &Session, lighting: &mut Lighting) -> bool {
    let mut changed = false;
    theme::labelled_ui(ui, "Rotation", |ui| {
        let mut degrees = lighting.rotation.to_degrees();
        let slider = Slider::new(&mut degrees, -180.0..=180.0).step_by(1.0).suffix("°");
        if theme::slider_ui(ui, slider).on_hover_text("Turns the environment").changed() {
            lighting.rotation = degrees.to_radians();
            changed = true;
        }
    });
    theme::labelled_ui(ui, "Brightness", |ui| {
        let slider = Slider::new(&mut lighting.intensity, 0.0..=4.0).step_by(0.05);
        let slider = theme::slider_ui(ui, slider);
        changed |= slider.on_hover_text("The environment's brightness").changed();
    });
    let mut shown = lighting.backdrop != Backdrop::None;
    if theme::checkbox_ui(ui, &mut shown, "Show the environment").changed() {
        lighting.backdrop = if shown { Backdrop::Blurred } else { Backdrop::None };
        changed = true;
    }
    let key = theme::checkbox_ui(ui, &mut lighting.key_light, "Key light and shadow");
    changed |= key.on_hover_text("Where no light of the file shines").changed();
    let occlusion = theme::checkbox_ui(ui, &mut lighting.ambient_occlusion, "Ambient occlusion");
    changed |= occlusion.on_hover_text("Darkens where surfaces are near each other").changed();
    ui.add_enabled_ui(has_lights(session), |ui| {
        let file = theme::checkbox_ui(ui, &mut lighting.file_lights, "Lights of the file");
        changed |= file.on_disabled_hover_text("This file has no lights").changed();
    });
    changed
}

/// Whether some node of the file has a light.
fn has_lights(session: &Session) -> bool {
    let model = session.exhibit().document().map(|document| &document.model);
    model.is_some_and(|m| !m.lights.is_empty() && m.nodes.iter().any(|node| node.light.is_some()))
}

fn tone_map_label(tone_map: ToneMap) -> &'static str {
    match tone_map {
        ToneMap::Neutral => "Khronos PBR Neutral",
        ToneMap::Aces => "ACES",
        ToneMap::AgX => "AgX",
        ToneMap::None => "None",
    }
}
