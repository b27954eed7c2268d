//! The light: environment, key light, exposure and tone map. Folded by default, because the first picture of a model
//! should need none of it.

use egui::Ui;

use super::choice::{Entry, labelled_choice_ui};
use super::number::Number;
use super::section::section_ui;
use super::theme;
use rigview_look::{Backdrop, EnvironmentSource, Lighting, Look, Preset, ToneMap, exposure};
use rigview_session::{Action, Destination, FileQuestion, Loads, LookAction, Playback};

/// Shows the section.
pub(super) fn light_ui(
    ui: &mut Ui,
    playback: &Playback,
    look: &Look,
    loads: &Loads,
    actions: &mut Vec<Action>,
) {
    section_ui(ui, egui::CollapsingHeader::new("Light"), |ui| {
        preset_ui(ui, look, actions);
        background_ui(ui, look, actions);
        environment_ui(ui, &look.lighting, loads.environments(), actions);
        let mut lighting = look.lighting.clone();
        if lighting_ui(ui, &mut lighting, has_lights(playback)) {
            actions.push(LookAction::SetLighting(Box::new(lighting)).into());
        }
        exposure_ui(ui, look.exposure, actions);
        auto_exposure_ui(ui, playback, look, actions);
        let maps = ToneMap::ALL.into_iter().map(|map| Entry::new(map, tone_map_label(map)));
        let hint = "Map light to the colours of the screen";
        if let Some(map) = labelled_choice_ui(ui, "Tones", hint, &look.tone_map, maps.collect()) {
            actions.push(LookAction::SetToneMap(map).into());
        }
    });
}

/// Shows the list of presets. A look that was changed by hand has none.
fn preset_ui(ui: &mut Ui, look: &Look, actions: &mut Vec<Action>) {
    let shown = Preset::matching(look);
    let named = |preset: Preset| Entry::new(Some(preset), preset_label(preset));
    let custom = shown.is_none().then(|| Entry::new(None, "Custom"));
    let entries = custom.into_iter().chain(Preset::ALL.map(named)).collect();
    let hint = "Set light, ground and tones together";
    if let Some(Some(preset)) = labelled_choice_ui(ui, "Look", hint, &shown, entries) {
        actions.push(LookAction::SetPreset(preset).into());
    }
}

/// Shows the background colour, which a click opens for changes.
fn background_ui(ui: &mut Ui, look: &Look, actions: &mut Vec<Action>) {
    let [r, g, b, _] = look.background;
    let mut color = [r, g, b];
    theme::labelled_ui(ui, "Background", |ui, title| {
        let button = ui.color_edit_button_srgb(&mut color).labelled_by(title);
        if button.on_hover_text("Colour of the background").changed() {
            actions.push(LookAction::SetBackground(color).into());
        }
    });
}

pub(super) fn preset_label(preset: Preset) -> &'static str {
    match preset {
        Preset::Studio => "Studio",
        Preset::Soft => "Soft",
        Preset::Contrast => "Contrast",
        Preset::Daylight => "Daylight",
        Preset::Night => "Night",
        Preset::Clay => "Clay",
        Preset::Blueprint => "Blueprint",
    }
}

/// Shows the automatic exposure and the stops that it adds.
fn auto_exposure_ui(ui: &mut Ui, playback: &Playback, look: &Look, actions: &mut Vec<Action>) {
    let mut on = look.auto_exposure;
    let shown = theme::checkbox_ui(ui, &mut on, "Automatic exposure");
    if shown.on_hover_text("Measures the lights of the file").changed() {
        actions.push(LookAction::SetAutoExposure(on).into());
    }
    if look.auto_exposure
        && let Some((document, stage)) = playback.document().zip(playback.stage())
    {
        let (model, bounds) = (&document.model, stage.bounds(&document.model));
        let exposure = exposure(look, model, stage, &bounds, playback.metered());
        let stops = exposure.stops - look.exposure;
        ui.weak(format!("It adds {stops:+.1} EV"));
    }
}

/// Shows the list of environments: the built-in ones, the file that was opened last, and an entry to open another.
fn environment_ui(
    ui: &mut Ui,
    lighting: &Lighting,
    environments: Vec<EnvironmentSource>,
    actions: &mut Vec<Action>,
) {
    let named = |source: &EnvironmentSource| {
        Entry::new(Some(source.name().to_owned()), environment_label(source.name()))
    };
    let mut entries: Vec<_> = environments.iter().map(named).collect();
    entries.push(Entry::new(None, "Open a file…"));
    let shown = Some(lighting.environment.name().to_owned());
    match labelled_choice_ui(ui, "Environment", "", &shown, entries) {
        None => {}
        Some(None) => actions.push(Action::Ask(FileQuestion::Open(Destination::Light))),
        Some(Some(name)) => {
            let source = environments.into_iter().find(|source| source.name() == name);
            let mut lighting = lighting.clone();
            lighting.light_by(source.unwrap_or_else(EnvironmentSource::studio));
            actions.push(LookAction::SetLighting(Box::new(lighting)).into());
        }
    }
}

fn environment_label(name: &str) -> String {
    match name {
        "none" => "None".to_owned(),
        "studio" => "Studio".to_owned(),
        "uniform" => "Uniform".to_owned(),
        file => super::text::one_line(file),
    }
}

/// Shows the settings of the environment and the lights. Returns whether one was changed.
fn lighting_ui(ui: &mut Ui, lighting: &mut Lighting, has_lights: bool) -> bool {
    let mut changed = false;
    let rotation = Number {
        label: "Rotation",
        of: "",
        range: -180.0..=180.0,
        step: 1.0,
        unit: "°",
        hint: "Rotate the environment about the vertical axis",
    };
    let mut degrees = lighting.rotation.to_degrees();
    if rotation.show(ui, &mut degrees) {
        lighting.rotation = degrees.to_radians();
        changed = true;
    }
    let brightness = Number {
        label: "Brightness",
        of: "",
        range: 0.0..=4.0,
        step: 0.05,
        unit: "",
        hint: "Multiply the environment's light",
    };
    changed |= brightness.show(ui, &mut lighting.intensity);
    let mut shown = lighting.backdrop != Backdrop::None;
    if theme::checkbox_ui(ui, &mut shown, "Show the environment").changed() {
        lighting.backdrop = if shown { Backdrop::Blurred } else { Backdrop::None };
        changed = true;
    }
    let key = theme::checkbox_ui(ui, &mut lighting.key_light, "Key light and shadow");
    changed |= key.on_hover_text("Off while lights of the file are on").changed();
    let occlusion = theme::checkbox_ui(ui, &mut lighting.ambient_occlusion, "Ambient occlusion");
    changed |= occlusion.on_hover_text("Darkens where surfaces are near each other").changed();
    ui.add_enabled_ui(has_lights, |ui| {
        let file = theme::checkbox_ui(ui, &mut lighting.file_lights, "Lights of the file");
        changed |= file.on_disabled_hover_text("This file has no lights").changed();
    });
    changed
}

fn exposure_ui(ui: &mut Ui, mut exposure: f32, actions: &mut Vec<Action>) {
    let number = Number {
        label: "Exposure",
        of: "",
        range: -6.0..=6.0,
        step: 0.1,
        unit: " EV",
        hint: "Brighten or darken the picture, in stops",
    };
    if number.show(ui, &mut exposure) {
        actions.push(LookAction::SetExposure(exposure).into());
    }
}

/// Whether a node of the file has a light.
fn has_lights(playback: &Playback) -> bool {
    let model = playback.document().map(|document| &document.model);
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
