//! The transport: the time as a bar, buttons to play and step, speed and what happens at the end.

use egui::{RichText, Ui};

use super::clips::seconds;
use super::icon::{Icon, icon_button_ui};
use super::list::fitting;
use super::time_bar::time_bar_ui;
use super::{one_line, theme};
use crate::anim::Repeat;
use crate::session::{Action, ExhibitAction, Session};

/// Speeds to choose from; a negative one plays backwards.
const SPEEDS: [f64; 9] = [-1.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// The size of the button that plays.
const PLAY: f32 = 34.0;

/// Narrower bars leave the frames out, fold what happens at the end into a list, and have a second row.
const ROOM_FOR_FRAMES: f32 = 820.0;
const ROOM_FOR_BUTTONS: f32 = 700.0;
const ROOM_FOR_ONE_ROW: f32 = 560.0;

/// Points beside the clip's name, and those that a name needs to say anything.
const GAP: f32 = 8.0;
const LEAST_NAME: f32 = 24.0;

/// Clips of more frames than this have no use for their number.
const MANY_FRAMES: u64 = 10_000_000;

/// What may happen at the end, with words.
const REPEATS: [(Repeat, &str, &str); 3] = [
    (Repeat::Loop, "Loop", "Starts again at the end"),
    (Repeat::Once, "Once", "Stops at the end"),
    (Repeat::PingPong, "Ping-pong", "Turns round at either end"),
];

/// The whole bar. With no clip to play it is there and disabled.
pub(super) fn transport_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    ui.add_enabled_ui(session.exhibit().can_play(), |ui| {
        time_bar_ui(ui, session, actions);
        let width = ui.available_width();
        if width < ROOM_FOR_ONE_ROW {
            row_ui(ui, |ui| {
                buttons_ui(ui, session, actions);
                end_ui(ui, |ui| speed_ui(ui, session, actions));
            });
            row_ui(ui, |ui| {
                read_out_ui(ui, session, false);
                end_ui(ui, |ui| {
                    repeat_list_ui(ui, session, actions);
                    name_ui(ui, session);
                });
            });
            return;
        }
        row_ui(ui, |ui| {
            buttons_ui(ui, session, actions);
            ui.add_space(10.0);
            read_out_ui(ui, session, width > ROOM_FOR_FRAMES);
            end_ui(ui, |ui| {
                speed_ui(ui, session, actions);
                ui.add_space(10.0);
                if width > ROOM_FOR_BUTTONS {
                    repeat_ui(ui, session, actions);
                } else {
                    repeat_list_ui(ui, session, actions);
                }
                name_ui(ui, session);
            });
        });
    });
}

/// A row of one height for all, so that small buttons stand at the middle of the large one.
fn row_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let row = egui::vec2(ui.available_width(), PLAY);
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    ui.allocate_ui_with_layout(row, layout, contents);
}

/// The rest of a row, laid out from the right.
fn end_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), contents);
}

/// The name of the shown clip in what room is left, beside the time.
fn name_ui(ui: &mut Ui, session: &Session) {
    let name = match session.exhibit().document().zip(session.exhibit().clip_index()) {
        Some((document, clip)) => document.clip_name(clip).unwrap_or_default(),
        None if session.exhibit().document().is_some() => "Rest pose",
        None => return,
    };
    let room = ui.available_width() - 2.0 * GAP;
    if room < LEAST_NAME {
        return;
    }
    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
        ui.add_space(GAP);
        let name = one_line(name);
        let shown = RichText::new(fitting(ui, &name, room)).color(theme::TEXT);
        ui.add(egui::Label::new(shown).truncate()).on_hover_text(name);
    });
}

fn buttons_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 5.0;
    let mut button = |ui: &mut Ui, icon, size, name: &str, hint: &str, action: Action| {
        if icon_button_ui(ui, icon, size, name, hint).clicked() {
            actions.push(action);
        }
    };
    let (end, plays) = (
        session.exhibit().duration_secs(),
        session.exhibit().player().playing && session.exhibit().can_play(),
    );
    button(
        ui,
        Icon::First,
        28.0,
        "First frame",
        "To the start (Home)",
        Action::Exhibit(ExhibitAction::Seek(0.0)),
    );
    button(
        ui,
        Icon::Back,
        28.0,
        "Step back",
        "One frame back (Left)",
        Action::Exhibit(ExhibitAction::StepFrames(-1)),
    );
    let (icon, name) = if plays { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
    button(
        ui,
        icon,
        PLAY,
        name,
        &format!("{name} (Space)"),
        Action::Exhibit(ExhibitAction::TogglePlay),
    );
    button(
        ui,
        Icon::Forward,
        28.0,
        "Step on",
        "One frame on (Right)",
        Action::Exhibit(ExhibitAction::StepFrames(1)),
    );
    button(
        ui,
        Icon::Last,
        28.0,
        "Last frame",
        "To the end (End)",
        Action::Exhibit(ExhibitAction::Seek(end)),
    );
}

/// `1.233 / 2.000 s   frame 37 / 60`, in digits of one width so that nothing dances.
fn read_out_ui(ui: &mut Ui, session: &Session, with_frames: bool) {
    let at = session.exhibit().instant();
    let secs = format!("{} / {} s", seconds(at.time_secs, 3), seconds(at.duration_secs, 3));
    ui.label(RichText::new(secs).monospace().color(egui::Color32::WHITE));
    if with_frames && at.last_frame < MANY_FRAMES {
        let width = at.last_frame.to_string().len();
        let frames = format!("frame {:>width$} / {}", at.frame, at.last_frame);
        ui.add_space(8.0);
        ui.label(RichText::new(frames).monospace().color(theme::WEAK));
    }
}

fn repeat_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 3.0;
    let now = session.exhibit().player().repeat();
    // The row is laid out from the right.
    for (repeat, name, hint) in REPEATS.into_iter().rev() {
        if ui.selectable_label(now == repeat, name).on_hover_text(hint).clicked() {
            actions.push(Action::Exhibit(ExhibitAction::SetRepeat(repeat)));
        }
    }
}

fn repeat_list_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let now = session.exhibit().player().repeat();
    let name = REPEATS.iter().find(|r| r.0 == now).map_or("", |r| r.1);
    egui::ComboBox::from_id_salt("repeat").selected_text(name).show_ui(ui, |ui| {
        for (repeat, name, hint) in REPEATS {
            if ui.selectable_label(now == repeat, name).on_hover_text(hint).clicked() {
                actions.push(Action::Exhibit(ExhibitAction::SetRepeat(repeat)));
            }
        }
    });
}

fn speed_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let now = session.exhibit().player().speed;
    let label = |speed: f64| format!("{speed} ×");
    let combo = egui::ComboBox::from_id_salt("speed").selected_text(label(now)).width(72.0);
    let inner = combo.show_ui(ui, |ui| {
        for speed in SPEEDS {
            if ui.selectable_label(speed == now, label(speed)).clicked() {
                actions.push(Action::Exhibit(ExhibitAction::SetSpeed(speed)));
            }
        }
    });
    inner.response.on_hover_text("Speed");
}
