//! The pose below the values that are set by hand, and buttons for the pose as a whole: undo, redo, reset, save, load.

use egui::{CollapsingHeader, RichText, Ui};

use super::choice::{Entry, labelled_choice_ui};
use super::section::section_ui;
use super::shortcuts::{self, Shortcut};
use super::text::counted;
use super::theme;
use rigview_session::{Action, Axes, BasePose, CopyAction, CopyOf, PoseAction, Session, Tool};

/// The tools with their names and keys.
const TOOLS: [(Tool, &str, Shortcut); 4] = [
    (Tool::Select, "Select", shortcuts::SELECT),
    (Tool::Move, "Move", shortcuts::MOVE),
    (Tool::Rotate, "Rotate", shortcuts::ROTATE),
    (Tool::Scale, "Scale", shortcuts::SCALE),
];

/// Shows a section that is folded at first.
pub(super) fn posing_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let header = CollapsingHeader::new(RichText::new("Pose").size(12.5)).id_salt("posing");
    section_ui(ui, header, |ui| {
        base_ui(ui, session, actions);
        start_ui(ui, session, actions);
        edits_ui(ui, session, actions);
    });
}

fn base_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let label = |base| match base {
        BasePose::Clip => "The clip",
        BasePose::ClipStart => "The clip at 0 s",
        BasePose::Rest => "Rest pose",
        BasePose::Bind => "Bind pose",
    };
    let entries = BasePose::ALL.map(|base| Entry::new(base, label(base))).into();
    let hint = "The pose under the values that are set by hand";
    if let Some(base) =
        labelled_choice_ui(ui, "Shown pose", hint, &session.playback().base(), entries)
    {
        actions.push(PoseAction::SetBase(base).into());
    }
}

/// Shows the button that shows or hides the tools over the picture.
fn start_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let on = session.posing().tool() != Tool::Select;
    let button = egui::Button::selectable(on, "Pose in the view").frame_when_inactive(true);
    let hint =
        shortcuts::ROTATE.hint(ui, "Show tools that move, rotate and scale the selected node");
    if ui.add(button).on_hover_text(hint).clicked() {
        let tool = if on { Tool::Select } else { Tool::Rotate };
        actions.push(PoseAction::SetTool(tool).into());
    }
}

/// Shows the tools below each other, and for tools that have axes a button that chooses the next ones.
pub(super) fn tools_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let posing = session.posing();
    for (tool, name, key) in TOOLS {
        let button = egui::Button::selectable(posing.tool() == tool, name);
        let button = ui.add(button.frame_when_inactive(true));
        let button = button.accessible_name(format!("{name} tool"));
        if button.on_hover_text(key.hint(ui, name)).clicked() {
            actions.push(PoseAction::SetTool(tool).into());
        }
    }
    if !matches!(posing.tool(), Tool::Move | Tool::Rotate) {
        return;
    }
    let name = match posing.axes() {
        Axes::Local => "Local",
        Axes::Parent => "Parent",
        Axes::World => "World",
    };
    ui.add_space(4.0);
    let button = ui.button(name).accessible_name(format!("{name} axes"));
    if button.on_hover_text(shortcuts::NEXT_AXES.hint(ui, "Next axes")).clicked() {
        actions.push(PoseAction::NextAxes.into());
    }
}

fn edits_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let (hand, history) = (session.playback().hand(), session.history());
    let count = hand.count();
    if count > 0 {
        let nodes = counted(hand.nodes().len(), "node");
        let text = format!("{} of {nodes} set by hand", counted(count, "value"));
        ui.label(RichText::new(text).size(12.0).color(theme::colors(ui).weak));
    }
    let shown = session.playback().stage().is_some();
    let undo = shortcuts::UNDO.hint(ui, "Undo");
    let redo = shortcuts::REDO.hint(ui, "Redo");
    let export = |of| CopyAction::Ask(of).into();
    let buttons: [(&str, bool, Action, String); 7] = [
        ("Undo", history.undo_count() > 0, PoseAction::Undo.into(), undo),
        ("Redo", history.redo_count() > 0, PoseAction::Redo.into(), redo),
        ("Reset all", count > 0, PoseAction::ResetAll.into(), "Follow the clip everywhere".into()),
        ("Save pose…", shown, PoseAction::Save.into(), "Save what is shown as JSON".into()),
        (
            "Load pose…",
            shown,
            PoseAction::Load.into(),
            "Load the JSON of a pose, or drop it".into(),
        ),
        (
            "Export as clip…",
            shown,
            export(CopyOf::PoseAsClip),
            "Write a copy of the file in which the shown pose is one more clip".into(),
        ),
        (
            "Export as rest pose…",
            shown,
            export(CopyOf::PoseAsRest),
            "Write a copy of the file whose rest pose is the shown pose".into(),
        ),
    ];
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.spacing_mut().button_padding.x = 7.0;
        for (name, enabled, action, hint) in buttons {
            let button = ui.add_enabled(enabled, egui::Button::new(name));
            let button = button.accessible_name(name.trim_end_matches('…'));
            if button.on_hover_text(hint).clicked() {
                actions.push(action);
            }
        }
    });
}
