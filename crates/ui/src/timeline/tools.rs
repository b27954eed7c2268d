//! The row of controls over the time line: unit, time, choice of nodes, zoom, findings.

use egui::{DragValue, Ui};

use super::axis::{Clock, seek};
use super::found;
use crate::choice::{Choice, Entry};
use crate::number::typed;
use crate::text::counted;
use crate::theme;
use rigview_session::{
    Action, Playback, PlaybackAction, Session, TimeUnit, Timeline, TimelineAction,
};

/// Frame rates to choose from.
const RATES: [f64; 4] = [24.0, 25.0, 30.0, 60.0];

/// Factor of the visible time per press of a button.
const ZOOM: f64 = 0.5;

/// Shows the controls.
pub(super) fn tools_ui(
    ui: &mut Ui,
    session: &Session,
    all_nodes: &mut bool,
    actions: &mut Vec<Action>,
) {
    let (playback, timeline) = (session.playback(), session.timeline());
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        unit_ui(ui, playback, timeline.unit(), actions);
        time_ui(ui, playback, Clock::new(timeline.unit(), playback), actions);
        let mut only = !*all_nodes;
        let only_hint = "Show only the keys of the selected node";
        if theme::checkbox_ui(ui, &mut only, "Selection only").on_hover_text(only_hint).changed() {
            *all_nodes = !only;
        }
        zoom_ui(ui, playback, timeline, actions);
        findings_ui(ui, session, actions);
    });
}

fn unit_ui(ui: &mut Ui, playback: &Playback, unit: TimeUnit, actions: &mut Vec<Action>) {
    let text = |(unit, fps): (TimeUnit, f64)| match unit {
        TimeUnit::Seconds => "Seconds".to_owned(),
        TimeUnit::Frames => format!("Frames, {fps}/s"),
    };
    let chosen = match unit {
        TimeUnit::Seconds => (unit, 0.0),
        TimeUnit::Frames => (unit, playback.fps()),
    };
    let hint = "The unit of times; frames also set the steps of the arrow keys";
    let list = Choice { name: "Time unit", label: None, text: text(chosen), hint, width: 108.0 };
    let entries = || {
        let mut rates = RATES.to_vec();
        if !rates.contains(&playback.fps()) {
            rates.push(playback.fps());
        }
        let frames = rates.into_iter().map(|fps| (TimeUnit::Frames, fps));
        let all = std::iter::once((TimeUnit::Seconds, 0.0)).chain(frames);
        all.map(|value| Entry::new(value, text(value))).collect()
    };
    if let Some((unit, fps)) = list.show(ui, &chosen, entries) {
        if unit == TimeUnit::Frames && fps != playback.fps() {
            actions.push(PlaybackAction::SetFps(fps).into());
        }
        actions.push(TimelineAction::SetUnit(unit).into());
    }
}

/// Shows the time as a number that can be typed.
fn time_ui(ui: &mut Ui, playback: &Playback, clock: Clock, actions: &mut Vec<Action>) {
    let mut number = clock.number(playback.time_secs());
    let end = clock.number(playback.duration_secs());
    let (decimals, step, unit) = match clock.unit {
        TimeUnit::Seconds => (3, 0.01, " s"),
        TimeUnit::Frames => (0, 0.25, ""),
    };
    let field = typed(DragValue::new(&mut number))
        .range(0.0..=end)
        .speed(step)
        .fixed_decimals(decimals)
        .suffix(unit);
    let field = ui.add_sized([72.0, ui.spacing().interact_size.y], field);
    let field = field.accessible_name("Go to time").on_hover_text("Click to type a time");
    if field.changed() {
        seek(playback, clock.secs(number), actions);
    }
}

fn zoom_ui(ui: &mut Ui, playback: &Playback, timeline: &Timeline, actions: &mut Vec<Action>) {
    let view = timeline.view_secs(playback);
    // Around the playhead if it is in sight.
    let middle = 0.5 * (view[0] + view[1]);
    let now = playback.time_secs();
    let at = if (view[0]..=view[1]).contains(&now) { now } else { middle };
    for (text, name, factor) in
        [("−", "Zoom out of time", 1.0 / ZOOM), ("+", "Zoom into time", ZOOM)]
    {
        let button = ui.button(text).accessible_name(name);
        if button.on_hover_text(format!("{name} (wheel)")).clicked() {
            let view = view.map(|end| at + factor * (end - at));
            actions.push(TimelineAction::Show(view).into());
        }
    }
    let whole = ui.add_enabled(timeline.is_zoomed(playback), egui::Button::new("Whole clip"));
    if whole.on_hover_text("Show the whole clip").clicked() {
        actions.push(TimelineAction::ShowAll.into());
    }
}

/// Shows a button that checks the clips, and then the findings about the shown clip.
fn findings_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let (playback, timeline) = (session.playback(), session.timeline());
    let Some((document, clip)) = playback.document().zip(playback.clip_index()) else { return };
    if timeline.is_checking(document) {
        ui.weak("Checking…");
        return;
    }
    if timeline.findings(document).is_none() {
        let button = ui.button("Check").accessible_name("Check clips");
        let hint = "Look for defects of the file's clips, as `rigview check` does";
        if button.on_hover_text(hint).clicked() {
            actions.push(TimelineAction::Check.into());
        }
        return;
    }
    let found = timeline.findings_of(document, clip);
    if found.is_empty() {
        ui.weak("No findings");
        return;
    }
    ui.menu_button(counted(found.len(), "finding"), |ui| {
        found::list_ui(ui, found, playback, actions)
    });
}
