//! The transport: the time as a bar, buttons to play and step, speed and what happens at the end.

use egui::{RichText, Ui};

use super::icon::{Icon, icon_button_ui};
use super::theme;
use crate::anim::Repeat;
use crate::viewer::{Action, Viewer};

/// Speeds to choose from.
const SPEEDS: [f64; 8] = [0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// The whole bar. With no clip to play it is there and disabled.
pub(super) fn transport_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    ui.add_enabled_ui(viewer.can_play(), |ui| {
        time_bar_ui(ui, viewer, actions);
        ui.add_space(2.0);
        ui.horizontal(|ui| {
            buttons_ui(ui, viewer, actions);
            ui.add_space(10.0);
            read_out_ui(ui, viewer);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                speed_ui(ui, viewer, actions);
                ui.add_space(10.0);
                repeat_ui(ui, viewer, actions);
            });
        });
    });
}

/// The slider over the clip's whole time; moving it seeks, playing moves it.
fn time_bar_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    let at = viewer.instant();
    let mut time = at.time_secs;
    // A clip without length still shows a bar, standing at its start.
    let end = if at.duration_secs > 0.0 { at.duration_secs } else { 1.0 };
    ui.spacing_mut().slider_width = ui.available_width();
    ui.spacing_mut().slider_rail_height = 5.0;
    ui.spacing_mut().interact_size.y = 20.0;
    let slider = egui::Slider::new(&mut time, 0.0..=end)
        .show_value(false)
        .smart_aim(false)
        .trailing_fill(true)
        .handle_shape(egui::style::HandleShape::Rect { aspect_ratio: 0.55 });
    let response = ui
        .scope(|ui| {
            let visuals = ui.visuals_mut();
            visuals.selection.bg_fill = theme::ACCENT;
            visuals.widgets.inactive.bg_fill = egui::Color32::from_rgb(0xc5, 0xcb, 0xd4);
            visuals.widgets.hovered.bg_fill = egui::Color32::WHITE;
            visuals.widgets.active.bg_fill = egui::Color32::WHITE;
            ui.add(slider)
        })
        .inner;
    response.widget_info(|| egui::WidgetInfo::slider(viewer.can_play(), time, "Time"));
    if response.changed() {
        actions.push(Action::Seek(time));
    }
}

fn buttons_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 5.0;
    let mut button = |ui: &mut Ui, icon, size, name: &str, hint: &str, action: Action| {
        if icon_button_ui(ui, icon, size, name, hint).clicked() {
            actions.push(action);
        }
    };
    let end = viewer.duration_secs();
    button(ui, Icon::First, 28.0, "First frame", "To the start (Home)", Action::Seek(0.0));
    button(ui, Icon::Back, 28.0, "Step back", "One frame back (Left)", Action::StepFrames(-1));
    let (icon, name) =
        if viewer.player().playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
    button(ui, icon, 34.0, name, &format!("{name} (Space)"), Action::TogglePlay);
    button(ui, Icon::Forward, 28.0, "Step on", "One frame on (Right)", Action::StepFrames(1));
    button(ui, Icon::Last, 28.0, "Last frame", "To the end (End)", Action::Seek(end));
}

/// `1.233 / 2.000 s   frame 37 / 60`, in digits of one width so that nothing dances.
fn read_out_ui(ui: &mut Ui, viewer: &Viewer) {
    let at = viewer.instant();
    let secs = format!("{:.3} / {:.3} s", at.time_secs, at.duration_secs);
    let width = at.last_frame.to_string().len();
    let frames = format!("frame {:>width$} / {}", at.frame, at.last_frame);
    ui.label(RichText::new(secs).monospace().color(egui::Color32::WHITE));
    ui.add_space(8.0);
    ui.label(RichText::new(frames).monospace().color(theme::WEAK));
}

fn repeat_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 3.0;
    let now = viewer.player().repeat();
    // Laid out from the right.
    for (repeat, name, hint) in [
        (Repeat::PingPong, "Ping-pong", "Turns round at either end"),
        (Repeat::Once, "Once", "Stops at the end"),
        (Repeat::Loop, "Loop", "Starts again at the end"),
    ] {
        if ui.selectable_label(now == repeat, name).on_hover_text(hint).clicked() {
            actions.push(Action::SetRepeat(repeat));
        }
    }
}

fn speed_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    let now = viewer.player().speed;
    let label = |speed: f64| format!("{speed} ×");
    let combo = egui::ComboBox::from_id_salt("speed").selected_text(label(now)).width(72.0);
    let inner = combo.show_ui(ui, |ui| {
        for speed in SPEEDS {
            if ui.selectable_label(speed == now, label(speed)).clicked() {
                actions.push(Action::SetSpeed(speed));
            }
        }
    });
    inner.response.on_hover_text("Speed");
}
