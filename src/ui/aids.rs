//! The drawings that help to judge a rig. Folded by default.

use egui::Ui;

use super::choice::{Entry, labelled_choice_ui};
use super::number::Number;
use super::{shortcuts, theme};
use crate::look::{OnionSkin, Spacing};
use crate::session::{Action, Exhibit, LookAction, Session};

/// Shows the section.
pub(super) fn aids_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    egui::CollapsingHeader::new("Motion and surface").show_unindented(ui, |ui| {
        onion_ui(ui, session, actions);
    });
}

/// Shows whether there are ghosts, how many, and the time between them.
fn onion_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let (exhibit, shown) = (session.exhibit(), session.look().aids.onion);
    let mut on = shown.is_some();
    let toggle = theme::checkbox_ui(ui, &mut on, "Onion skin");
    let hint = shortcuts::ONION_SKIN.hint("Past poses in blue, next poses in orange");
    if toggle.on_hover_text(hint).changed() {
        actions.push(shortcuts::ONION_SKIN.action(exhibit));
    }
    let Some(mut onion) = shown else { return };
    let count = Number {
        label: "Ghosts",
        of: "",
        range: 1.0..=OnionSkin::MOST as f64,
        step: 1.0,
        unit: "",
        hint: "Poses before and after the present one",
    };
    count.show(ui, &mut onion.count);
    spacing_ui(ui, exhibit, &mut onion.spacing);
    if Some(onion) != shown {
        actions.push(LookAction::SetOnionSkin(Some(onion)).into());
    }
}

/// Shows the time between ghosts and its unit. Another unit keeps the time.
fn spacing_ui(ui: &mut Ui, exhibit: &Exhibit, spacing: &mut Spacing) {
    let fps = exhibit.fps();
    let (label, unit, secs, most) = match spacing {
        Spacing::Secs(secs) => ("Spacing", " s", *secs, 2.0),
        Spacing::Frames(frames) => ("Spacing", " f", *frames / fps, 60.0),
    };
    let in_frames = matches!(spacing, Spacing::Frames(_));
    let (Spacing::Secs(amount) | Spacing::Frames(amount)) = spacing;
    let step = if in_frames { 1.0 } else { 0.01 };
    let hint = "Time from one ghost to the next";
    Number { label, of: "", range: step..=most, step, unit, hint }.show(ui, amount);
    let units = [(false, "Seconds"), (true, "Frames")].map(|(unit, name)| Entry::new(unit, name));
    let picked = labelled_choice_ui(ui, ("Spacing in", ""), &in_frames, units.into());
    match picked {
        Some(true) => *spacing = Spacing::Frames((secs * fps).round().max(1.0)),
        Some(false) => *spacing = Spacing::Secs(secs),
        None => {}
    }
}
