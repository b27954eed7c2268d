//! Controls of the camera that moves by itself: with the selection, or around the model.

use egui::Ui;

use super::number::Number;
use super::shortcuts::{FOLLOW, TURNTABLE};
use super::theme;
use crate::session::{Action, CameraAction, Playback, ViewCamera};

/// Shows a checkbox for each, and the speed of the turntable while it turns.
pub(super) fn camera_motion_ui(
    ui: &mut Ui,
    playback: &Playback,
    view_camera: &ViewCamera,
    actions: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        for (name, shortcut, mut on, hint) in [
            ("Follow", FOLLOW, view_camera.follows(), "Move the camera with the selected node"),
            ("Turntable", TURNTABLE, view_camera.turn_speed().is_some(), "Turn around the model"),
        ] {
            let shown =
                theme::checkbox_ui(ui, &mut on, name).on_hover_text(shortcut.hint(ui, hint));
            if shown.changed() {
                actions.push(shortcut.action(playback));
            }
        }
    });
    let Some(speed) = view_camera.turn_speed() else { return };
    let number = Number {
        label: "Turn speed",
        of: "",
        range: -180.0..=180.0,
        step: 1.0,
        unit: "°/s",
        hint: "Degrees per second; below 0 the other way round",
    };
    let mut degrees = speed.to_degrees() as f32;
    if number.show(ui, &mut degrees) {
        actions.push(CameraAction::SetTurnSpeed(f64::from(degrees).to_radians()).into());
    }
}
