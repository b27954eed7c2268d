//! The camera that moves by itself: flying with keys while the right button is held over the picture, and controls of a camera
//! that follows the selection or turns around the model.

use egui::{Context, Key, Ui};
use glam::DVec3;

use super::number::number_ui;
use super::shortcuts::{FOLLOW, TURNTABLE};
use super::theme;
use rigview_session::{Action, CameraAction, Playback, ViewCamera};

/// The keys, with their directions to the right, up and ahead.
const KEYS: [(Key, DVec3); 6] = [
    (Key::W, DVec3::Z),
    (Key::S, DVec3::NEG_Z),
    (Key::D, DVec3::X),
    (Key::A, DVec3::NEG_X),
    (Key::E, DVec3::Y),
    (Key::Q, DVec3::NEG_Y),
];

/// Factor of the speed per line of the wheel.
const FASTER_PER_LINE: f64 = 1.15;

/// What the keys asked for in the last frame.
#[derive(Debug, Default)]
pub(super) struct Flight {
    direction: DVec3,
}

impl Flight {
    /// Adds an action if the keys ask for another direction than in the last frame. `held` is whether the button is
    /// held. Returns whether the camera flies.
    pub fn steer(&mut self, ctx: &Context, held: bool, actions: &mut Vec<Action>) -> bool {
        let down = |key| ctx.input(|i| i.key_down(key) && !i.modifiers.command);
        let flies = held && !ctx.text_edit_focused();
        let asked = KEYS.iter().filter(|(key, _)| flies && down(*key));
        let direction = asked.map(|(_, direction)| *direction).sum::<DVec3>();
        if direction != self.direction {
            self.direction = direction;
            actions.push(CameraAction::SetFlight(direction).into());
        }
        direction != DVec3::ZERO
    }
}

/// Whether a key steers while the right button is held, and is no shortcut then.
pub(super) fn steers(key: Key) -> bool {
    KEYS.iter().any(|(own, _)| *own == key)
}

/// Returns the change of the speed for lines of the wheel.
pub(super) fn faster(lines: f64) -> Action {
    CameraAction::ScaleFlySpeed(FASTER_PER_LINE.powf(lines)).into()
}

/// Shows a checkbox for each, and the speed of the turntable while it turns.
pub(super) fn camera_motion_ui(
    ui: &mut Ui,
    playback: &Playback,
    view_camera: &ViewCamera,
    actions: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        for (name, shortcut, on, hint) in [
            ("Follow", FOLLOW, view_camera.follows(), "Move the camera with the selected node"),
            ("Turntable", TURNTABLE, view_camera.turn_speed().is_some(), "Turn around the model"),
        ] {
            let hint = shortcut.hint(ui, hint);
            if theme::toggle_ui(ui, on, name, hint) {
                actions.push(shortcut.action(playback));
            }
        }
    });
    let Some(speed) = view_camera.turn_speed() else { return };
    let mut degrees = speed.to_degrees() as f32;
    if number_ui(
        ui,
        &mut degrees,
        "Turn speed",
        -180.0..=180.0,
        1.0,
        "°/s",
        "Degrees per second; below 0 the other way round",
    ) {
        actions.push(CameraAction::SetTurnSpeed(f64::from(degrees).to_radians()).into());
    }
}
