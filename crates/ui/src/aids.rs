//! The drawings that help to judge a rig. Folded by default.

use egui::Ui;

use super::choice::{Entry, labelled_choice_ui};
use super::measure::length_text;
use super::number::number_ui;
use super::section::section_ui;
use super::text::one_line;
use super::{shortcuts, theme};
use rigview_look::{OnionSkin, Spacing};
use rigview_session::{Action, LookAction, MeasureAction, Playback, PlaybackAction, Session};

/// Shows the section.
pub(super) fn aids_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    section_ui(ui, egui::CollapsingHeader::new("Motion and surface"), |ui| {
        onion_ui(ui, session, actions);
        root_ui(ui, session, actions);
        surface_ui(ui, session, actions);
        let hint = shortcuts::MEASURE.hint(ui, "Click two points to see their distance");
        if theme::toggle_ui(ui, session.measuring().is_on(), "Measure", hint) {
            actions.push(MeasureAction::Toggle.into());
        }
        if let Some(measured) = session.measured() {
            ui.weak(length_text(measured.metres));
        }
    });
}

/// Shows the path of the root with its numbers, and whether the clip plays in place.
fn root_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let hint = "The path of the root on the ground, a tick per second";
    if theme::toggle_ui(ui, session.look().aids.root_path, "Root path", hint) {
        actions.push(LookAction::ToggleRootPath.into());
    }
    if let Some((motion, document)) = session.root_motion().zip(session.playback().document()) {
        let name = one_line(&document.model.node_name(motion.node));
        let (way, drift, speed) = (motion.distance, motion.drift(), motion.speed());
        ui.weak(format!("{name}: {way:.2} m, {drift:.2} m from its start, {speed:.2} m/s"));
    }
    let hint = "Keep the root where the clip starts, over the ground";
    if theme::toggle_ui(ui, session.playback().plays_in_place(), "Play in place", hint) {
        actions.push(PlaybackAction::ToggleInPlace.into());
    }
}

/// Shows the marks of faulty weights with their counts, and the vectors of the surface.
fn surface_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let aids = session.look().aids;
    let hint =
        "Mark vertices without weights (magenta), and whose weights do not sum to 1 (yellow)";
    if theme::toggle_ui(ui, aids.weight_marks, "Faulty weights", hint) {
        actions.push(LookAction::ToggleWeightMarks.into());
    }
    if aids.weight_marks {
        let faults = session.weight_faults();
        let unbound = faults.iter().filter(|fault| fault.is_unbound()).count();
        let off = faults.len() - unbound;
        ui.weak(format!("{unbound} without weights, {off} that do not sum to 1"));
    }
    let mut vectors = aids.vectors;
    let of = "as lines from the vertices of the selected mesh, or of all";
    let normals = theme::checkbox_ui(ui, &mut vectors.normals, "Normals");
    normals.on_hover_text(format!("Posed normals {of}"));
    let tangents = theme::checkbox_ui(ui, &mut vectors.tangents, "Tangents");
    tangents.on_hover_text(format!("Posed tangents {of}"));
    if vectors != aids.vectors {
        actions.push(LookAction::SetVectors(vectors).into());
    }
}

/// Shows whether there are ghosts, how many, and the time between them.
fn onion_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let (playback, shown) = (session.playback(), session.look().aids.onion);
    let hint = shortcuts::ONION_SKIN.hint(ui, "Past poses in blue, next poses in orange");
    if theme::toggle_ui(ui, shown.is_some(), "Onion skin", hint) {
        actions.push(shortcuts::ONION_SKIN.action(playback));
    }
    let Some(mut onion) = shown else { return };
    number_ui(
        ui,
        &mut onion.count,
        "Ghosts",
        1.0..=OnionSkin::MOST as f64,
        1.0,
        "",
        "Poses before and after the present one",
    );
    spacing_ui(ui, playback, &mut onion.spacing);
    if Some(onion) != shown {
        actions.push(LookAction::SetOnionSkin(Some(onion)).into());
    }
}

/// Shows the time between ghosts and its unit. Another unit keeps the time.
fn spacing_ui(ui: &mut Ui, playback: &Playback, spacing: &mut Spacing) {
    let fps = playback.fps();
    let (unit, secs, most) = match spacing {
        Spacing::Secs(secs) => (" s", *secs, 2.0),
        Spacing::Frames(frames) => (" f", *frames / fps, 60.0),
    };
    let in_frames = matches!(spacing, Spacing::Frames(_));
    let (Spacing::Secs(amount) | Spacing::Frames(amount)) = spacing;
    let step = if in_frames { 1.0 } else { 0.01 };
    let hint = "Time from one ghost to the next";
    number_ui(ui, amount, "Spacing", step..=most, step, unit, hint);
    let units = [(false, "Seconds"), (true, "Frames")].map(|(unit, name)| Entry::new(unit, name));
    let picked = labelled_choice_ui(ui, "Spacing in", "", &in_frames, units.into());
    match picked {
        Some(true) => *spacing = Spacing::Frames((secs * fps).round().max(1.0)),
        Some(false) => *spacing = Spacing::Secs(secs),
        None => {}
    }
}
