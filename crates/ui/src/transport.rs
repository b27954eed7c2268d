//! The transport: the time bar, buttons to play and step, the speed, and what happens at the clip's end.

use egui::{RichText, Ui};

use super::choice::{Choice, Entry};
use super::icon::{Icon, icon_button_ui};
use super::layout;
use super::list::fitting;
use super::number::typed;
use super::shortcuts::{self, Shortcut};
use super::text::one_line;
use super::text::seconds;
use super::theme;
use super::time_bar::time_bar_ui;
use rigview_anim::Repeat;
use rigview_session::{Action, BasePose, MAX_SPEED, OpenWindowParts, Playback, PlaybackAction};

/// Speeds to choose from. A negative speed plays backwards.
const SPEEDS: [f64; 9] = [-1.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// Sizes of the button that plays and of the other buttons, in points.
const PLAY: f32 = 34.0;
const BUTTON: f32 = 28.0;

/// Minimum widths in points to show frame numbers, to show buttons instead of a list for the clip's end, and to fit
/// everything in one row.
const ROOM_FOR_FRAMES: f32 = 820.0;
const ROOM_FOR_BUTTONS: f32 = 700.0;
const ROOM_FOR_ONE_ROW: f32 = 560.0;

/// The gaps between the groups of a row, where there is room and where there is little, in points.
const WIDE_GAP: f32 = 10.0;
const NARROW_GAP: f32 = 4.0;

/// The margin before the clip's name, and the minimum width of a name that is worth showing, in points.
const GAP: f32 = 8.0;
const LEAST_NAME: f32 = 24.0;

/// Frame numbers are hidden for clips with more frames than this.
const MANY_FRAMES: f64 = 1e7;

/// What can happen at the clip's end, with label and hover text.
const REPEATS: [(Repeat, &str, &str); 3] = [
    (Repeat::Loop, "Loop", "Start again at the end"),
    (Repeat::Once, "Once", "Stop at the end"),
    (Repeat::PingPong, "Ping-pong", "Turn round at both ends"),
];

/// Shows the transport, which is disabled without a clip or a layer to play, and at its end the menu of the window's parts.
pub(super) fn transport_ui(
    ui: &mut Ui,
    playback: &Playback,
    open: OpenWindowParts,
    actions: &mut Vec<Action>,
) {
    let enabled = playback.can_run();
    ui.add_enabled_ui(playback.can_play(), |ui| time_bar_ui(ui, playback, actions));
    let width = ui.available_width();
    let room = width - BUTTON - ui.spacing().item_spacing.x;
    if width < ROOM_FOR_ONE_ROW {
        row_ui(ui, |ui| {
            enabled_ui(ui, enabled, room, |ui| {
                buttons_ui(ui, playback, actions);
                end_ui(ui, |ui| speed_ui(ui, playback, actions));
            });
            parts_ui(ui, open, actions);
        });
        row_ui(ui, |ui| {
            enabled_ui(ui, enabled, width, |ui| {
                read_out_ui(ui, playback, false);
                end_ui(ui, |ui| {
                    repeat_list_ui(ui, playback, actions);
                    name_ui(ui, playback);
                });
            });
        });
        return;
    }
    row_ui(ui, |ui| {
        enabled_ui(ui, enabled, room, |ui| {
            buttons_ui(ui, playback, actions);
            let gap = if width > ROOM_FOR_BUTTONS { WIDE_GAP } else { NARROW_GAP };
            ui.add_space(gap);
            read_out_ui(ui, playback, width > ROOM_FOR_FRAMES);
            end_ui(ui, |ui| {
                speed_ui(ui, playback, actions);
                ui.add_space(gap);
                if width > ROOM_FOR_BUTTONS {
                    repeat_ui(ui, playback, actions);
                } else {
                    repeat_list_ui(ui, playback, actions);
                }
                name_ui(ui, playback);
            });
        });
        parts_ui(ui, open, actions);
    });
}

/// Shows a button that opens the menu of the window's parts. It is in sight however many of them are open.
fn parts_ui(ui: &mut Ui, open: OpenWindowParts, actions: &mut Vec<Action>) {
    let button =
        icon_button_ui(ui, Icon::Parts, BUTTON, "Parts of the window", "Open or close parts");
    egui::Popup::menu(&button).show(|ui| {
        for (part, key) in shortcuts::PARTS {
            let entry = egui::Button::selectable(open.has(part), layout::title(part));
            let entry = ui.add(entry.shortcut_text(key.key_name(ui)));
            let entry = entry.accessible_name(format!("Part: {}", layout::title(part)));
            if entry.clicked() {
                actions.push(Action::TogglePart(part));
                ui.close();
            }
        }
    });
}

/// A row as high as its largest button, so that the others are centred beside it.
fn row_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let row = egui::vec2(ui.available_width(), PLAY);
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    ui.allocate_ui_with_layout(row, layout, contents);
}

/// The rest of a row, laid out from the right.
fn end_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), contents);
}

/// A part of a row, which can be disabled.
fn enabled_ui(ui: &mut Ui, enabled: bool, width: f32, contents: impl FnOnce(&mut Ui)) {
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    ui.allocate_ui_with_layout(egui::vec2(width, PLAY), layout, |ui| {
        if !enabled {
            ui.disable();
        }
        contents(ui);
    });
}

/// Shows the name of the shown clip in the rest of the row, shortened if necessary.
fn name_ui(ui: &mut Ui, playback: &Playback) {
    let Some(document) = playback.document() else { return };
    let name = match playback.clip_index() {
        Some(clip) => document.clip_name(clip).unwrap_or_default(),
        None => "Rest pose",
    };
    let room = ui.available_width() - GAP;
    if room < LEAST_NAME {
        return;
    }
    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
        ui.add_space(GAP);
        let name = one_line(name);
        let shown = RichText::new(fitting(ui, &name, room)).color(theme::colors(ui).text);
        ui.add(egui::Label::new(shown).truncate()).on_hover_text(name);
    });
}

fn buttons_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 5.0;
    let mut button = |ui: &mut Ui, icon, name: &str, hint: &str, shortcut: Shortcut| {
        let size = if icon == Icon::Play || icon == Icon::Pause { PLAY } else { BUTTON };
        // Layers over the rest pose have no time to go to.
        let enabled = size == PLAY || playback.can_play();
        let button = ui.add_enabled_ui(enabled, |ui| {
            icon_button_ui(ui, icon, size, name, &shortcut.hint(ui, hint))
        });
        if button.inner.clicked() {
            actions.push(shortcut.action(playback));
        }
    };
    let plays =
        playback.player().playing && playback.can_run() && playback.base() == BasePose::Clip;
    let (icon, name) = if plays { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
    button(ui, Icon::First, "First frame", "First frame", shortcuts::FIRST_FRAME);
    button(ui, Icon::Back, "Step back", "One frame back", shortcuts::FRAME_BACK);
    button(ui, icon, name, name, shortcuts::PLAY);
    button(ui, Icon::Forward, "Step on", "One frame on", shortcuts::FRAME_ON);
    button(ui, Icon::Last, "Last frame", "Last frame", shortcuts::LAST_FRAME);
}

/// Shows `1.233 / 2.000 s   frame 37 / 60`, or `frame 37 / 60.5` if the end is between two frames, in digits of equal width so that the text does not jitter.
fn read_out_ui(ui: &mut Ui, playback: &Playback, with_frames: bool) {
    let at = playback.instant();
    let secs = format!("{} / {} s", seconds(at.time_secs, 3), seconds(at.duration_secs, 3));
    ui.label(RichText::new(secs).monospace().color(theme::colors(ui).strong));
    if with_frames && at.end_frame < MANY_FRAMES {
        let width = at.end_frame.floor().to_string().len();
        let end = (at.end_frame * 100.0).round() / 100.0;
        let frames = format!("frame {:>width$} / {end}", at.frame);
        ui.add_space(8.0);
        ui.label(RichText::new(frames).monospace().color(theme::colors(ui).weak));
    }
}

fn repeat_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 3.0;
    let now = playback.player().repeat();
    // The row is laid out from the right.
    for (repeat, name, hint) in REPEATS.into_iter().rev() {
        if ui.selectable_label(now == repeat, name).on_hover_text(hint).clicked() {
            actions.push(PlaybackAction::SetRepeat(repeat).into());
        }
    }
}

fn repeat_list_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    let now = playback.player().repeat();
    let text = REPEATS.iter().find(|r| r.0 == now).map_or("", |r| r.1).to_owned();
    let (name, hint) = ("At the end", "What happens at the clip's end");
    let list = Choice { name, label: None, text, hint, width: 96.0 };
    let entries = || REPEATS.map(|(value, text, hint)| Entry { value, text: text.into(), hint });
    if let Some(repeat) = list.show(ui, &now, || entries().into()) {
        actions.push(PlaybackAction::SetRepeat(repeat).into());
    }
}

/// Shows the speed as a field, and a list of usual ones.
fn speed_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    let now = playback.player().speed;
    let label = |speed: f64| format!("{speed} ×");
    let mut set = |speed: f64| actions.push(PlaybackAction::SetSpeed(speed).into());
    // The row is laid out from the right.
    ui.spacing_mut().item_spacing.x = 2.0;
    let list = Choice {
        name: "Usual speeds",
        label: None,
        text: String::new(),
        hint: "Usual speeds",
        width: 20.0,
    };
    let entries = || SPEEDS.map(|speed| Entry::new(speed, label(speed)));
    if let Some(speed) = list.show(ui, &now, || entries().into()) {
        set(speed);
    }
    let mut speed = now;
    let field = typed(egui::DragValue::new(&mut speed))
        .range(-MAX_SPEED..=MAX_SPEED)
        .speed(0.01)
        .max_decimals(3);
    let field = ui.add_sized([56.0, ui.spacing().interact_size.y], field.suffix(" ×"));
    if field.accessible_name("Speed").on_hover_text("Speed: drag, or click to type").changed() {
        set(speed);
    }
}
