//! The left column's top: the open file, and its clips.

use std::borrow::Cow;

use egui::{RichText, Ui};

use super::choice::{Entry, labelled_choice_ui};
use super::findings::{color_of, findings_ui, sign_of};
use super::icon::{Icon, icon_button_ui};
use super::list::{GAP, NameList, Names, Row, Sign, fitting};
use super::recent::recent_ui;
use super::section::section_ui;
use super::shortcuts::{COMPARED, CURVES, INSPECTOR, OPEN, SCENE, TIME_LINE};
use super::text::{counted, one_line, seconds};
use super::theme;
use rigview_anim::{Clip, Interpolation};
use rigview_model::Stage;
use rigview_report::ClipForm;
use rigview_session::{
    Action, ClipFinding, Destination, Document, FileQuestion, OpenWindowParts, Playback,
    PlaybackAction, Session, Timeline, WindowPart,
};

/// Maximum number of rows in sight of the choice of clips that play at once.
const TOGETHER_ROWS: f32 = 6.0;

/// Minimum number of rows of the list in sight.
const LEAST_ROWS: f32 = 6.0;

/// Shows the file's name, and a button to open another file.
pub(super) fn file_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let playback = session.playback();
    ui.horizontal(|ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            let hint = OPEN.hint(ui, "Open a file, or drop one on the window");
            if icon_button_ui(ui, Icon::Folder, 26.0, "Open", &hint).clicked() {
                actions.push(OPEN.action(playback));
            }
            recent_ui(ui, playback, session.desktop(), actions);
            if let Some(document) = playback.document() {
                findings_ui(ui, session, document, actions);
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                let name = playback.document().map_or("No file", |d| d.name.as_str());
                let text = RichText::new(one_line(name)).heading().color(theme::colors(ui).strong);
                ui.add(egui::Label::new(text).truncate()).on_hover_text(one_line(name));
            });
        });
    });
}

/// Shows the file's numbers, and whether it seems to lie on its back.
pub(super) fn about_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    if let Some(document) = playback.document() {
        summary_ui(ui, document);
        posture_ui(ui, playback, actions);
    }
}

/// The room of the list of clips, in points.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListRoom {
    /// The height of the column that it is in.
    pub column: f32,
    /// The height of what is above it there; `None` if other parts are below it.
    pub above: Option<f32>,
    /// Whether the heading of the clips is below the list.
    pub heading_below: bool,
}

/// The height of the heading of the list, and of the filter and the margins around it, in points.
const HEADING: f32 = 30.0;
const BESIDE_ROWS: f32 = 60.0;

/// Shows buttons that open and close the parts that are closed at first.
pub(super) fn parts_ui(
    ui: &mut Ui,
    open: OpenWindowParts,
    playback: &Playback,
    actions: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (part, text, name, key, hint) in [
            (WindowPart::Scene, "Scene", "Scene panel", SCENE, "The tree of nodes"),
            (
                WindowPart::Inspector,
                "Inspector",
                "Inspector panel",
                INSPECTOR,
                "Numbers of the selection",
            ),
            (
                WindowPart::TimeLine,
                "Time line",
                "Time line panel",
                TIME_LINE,
                "The clip's keys over time",
            ),
            (
                WindowPart::Curves,
                "Curves",
                "Curves panel",
                CURVES,
                "The curves of the selected node",
            ),
            (
                WindowPart::Compared,
                "Compare",
                "Comparison panel",
                COMPARED,
                "Compare with another file",
            ),
        ] {
            let button = egui::Button::selectable(open.has(part), text).frame_when_inactive(true);
            let button = ui.add(button).accessible_name(name);
            if button.on_hover_text(key.hint(ui, hint)).clicked() {
                actions.push(key.action(playback));
            }
        }
    });
}

fn summary_ui(ui: &mut Ui, document: &Document) {
    let s = &document.summary;
    let lines = [
        &[(s.nodes, "node"), (s.joints, "joint"), (s.meshes, "mesh")][..],
        &[(s.triangles, "triangle"), (s.vertices, "vertex")],
        &[(s.materials, "material"), (s.textures, "texture")],
    ];
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for line in lines {
            let present = line.iter().filter(|(n, _)| *n > 0);
            let list: Vec<String> = present.map(|(n, noun)| counted(*n, noun)).collect();
            if !list.is_empty() {
                let text = RichText::new(list.join(" · ")).size(12.0).color(theme::colors(ui).weak);
                ui.add(egui::Label::new(text).truncate());
            }
        }
    });
}

/// For a model that seems to lie on its back: says so, with a button to stand it up or lay it down again.
fn posture_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    let stood_up = playback.stage().is_some_and(Stage::stood_up);
    if !playback.lies_on_its_back() && !stood_up {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let (text, button, hint) = if stood_up {
            ("Shown with Z up.", "As in the file", "Show Y up, as the file says")
        } else {
            ("It seems to lie on its back.", "Stand up", "Rotate the model so that Z is up")
        };
        ui.label(RichText::new(text).size(12.0).color(theme::colors(ui).warning));
        if ui.small_button(button).on_hover_text(hint).clicked() {
            actions.push(PlaybackAction::ToggleStoodUp.into());
        }
    });
}

/// The clip list's state between frames.
#[derive(Debug, Default)]
pub(super) struct Clips {
    list: NameList,
    /// The height of everything else in the column, in points.
    around: f32,
}

impl Clips {
    /// Returns the height of the list's rows: what the rest of the column leaves; where that is little, what is above
    /// the list leaves, but at least six rows.
    fn height(&self, room: ListRoom, count: usize) -> f32 {
        let row = theme::ROW + GAP;
        let below_all = room.column - self.around;
        let heading = if room.heading_below { 0.0 } else { HEADING };
        let in_sight = room.above.map_or(0.0, |above| room.column - above - heading - BESIDE_ROWS);
        let wanted = if below_all < LEAST_ROWS * row { in_sight } else { below_all };
        wanted.max(LEAST_ROWS * row).min(count as f32 * row)
    }

    /// Clears the filter.
    pub fn forget(&mut self) {
        self.list = NameList::default();
    }

    /// Takes the heights of the list and of the column around it, as they were laid out. If they differ from those
    /// assumed, the frame is laid out again.
    pub fn settle(&mut self, ui: &Ui, list: f32, column: f32) {
        let around = column - list;
        if (around - self.around).abs() > 0.5 {
            self.around = around;
            ui.ctx().request_discard("the clip list has another height");
        }
    }
}

/// Shows the clips with their durations and the rest pose. Returns the height of the
/// list's rows.
pub(super) fn clips_ui(
    ui: &mut Ui,
    playback: &Playback,
    timeline: &Timeline,
    clips: &mut Clips,
    room: ListRoom,
    actions: &mut Vec<Action>,
) -> f32 {
    if !room.heading_below {
        heading_ui(ui, playback, actions);
    }
    let Some(document) = playback.document() else {
        ui.weak("Open a file to see its clips.");
        return 0.0;
    };
    super::layers::borrowed_ui(ui, document);
    if document.clip_names.is_empty() {
        ui.weak("This file has no animation.");
    }
    // Only findings of the worst level are counted.
    let signs = (0..document.clips().len())
        .map(|clip| {
            let levels = timeline.findings_of(document, clip).iter().map(|finding| finding.level);
            let worst = levels.clone().max()?;
            let count = levels.filter(|level| *level == worst).count();
            Some(Sign { text: format!("{}{count}", sign_of(worst)), color: color_of(ui, worst) })
        })
        .collect::<Vec<_>>();
    let names = Names {
        id: "clips",
        noun: "clip",
        names: document.clip_names.iter().map(|name| Cow::Borrowed(name.as_str())).collect(),
        sign: &|i| signs[i].as_ref(),
        note: &|i| format!("{} s", seconds(document.clips()[i].duration_secs().into(), 2)),
        hint: &|i| hint(&document.clips()[i], timeline.findings_of(document, i)),
        chosen: playback.clip_index(),
        height: clips.height(room, document.clip_names.len()),
    };
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = GAP;
        let mut select = |clip| actions.push(PlaybackAction::SelectClip(clip).into());
        if let Some(picked) = clips.list.show(ui, &names) {
            select(Some(picked));
        }
        let all = document.all_clips_index();
        let shows_all = playback.clip_index() == Some(all);
        let name = document.clip_name(all).unwrap_or_default();
        let all_row = Row { name, chosen: shows_all, ..Row::default() };
        if all > 1 && all_row.show(ui).clicked() {
            select(Some(all));
        }
        let together = (all > 1 && shows_all).then(|| together_ui(ui, document)).flatten();
        let shows_none = playback.clip_index().is_none();
        let rest_row = Row { name: "Rest pose", chosen: shows_none, ..Row::default() };
        if rest_row.show(ui).clicked() {
            select(None);
        }
        actions.extend(together.map(|some| PlaybackAction::SetTogether(some).into()));
    });
    if room.heading_below {
        heading_ui(ui, playback, actions);
    }
    if playback.clip().is_some() {
        ui.add_space(4.0);
        form_ui(ui, playback.form(), actions);
    }
    names.height
}

/// Shows the heading of the clips with a button to take those of another file.
fn heading_ui(ui: &mut Ui, playback: &Playback, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        theme::heading_ui(ui, "Clips");
        if playback.document().is_some() {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let button = ui.small_button("From file…").accessible_name("Clips from file");
                let hint = "Play the clips of another file on this model (Shift + drop)";
                if button.on_hover_text(hint).clicked() {
                    actions.push(Action::Ask(FileQuestion::Open(Destination::Clips)));
                }
            });
        }
    });
}

/// Shows a check box per clip to choose those that play at once. Returns the clips, if the choice changed.
fn together_ui(ui: &mut Ui, document: &Document) -> Option<Vec<usize>> {
    let count = document.clips().len();
    let mut changed = None;
    let title = egui::CollapsingHeader::new("Choose clips").id_salt("together");
    section_ui(ui, title, |ui| {
        let rows = theme::ROW * TOGETHER_ROWS.min(count as f32);
        let area = egui::ScrollArea::vertical().id_salt("together").max_height(rows);
        area.show_rows(ui, theme::ROW, count, |ui, shown| {
            for clip in shown {
                let mut on = document.plays_together(clip);
                let name = one_line(&document.clip_names[clip]);
                let check = theme::checkbox_ui(
                    ui,
                    &mut on,
                    &fitting(ui, &name, ui.available_width() - 40.0),
                );
                if check.accessible_name(format!("Play {name} with the others")).changed() {
                    changed = Some((clip, on));
                }
            }
        });
    });
    let (clip, on) = changed?;
    let plays = |i: &usize| if *i == clip { on } else { document.plays_together(*i) };
    Some((0..count).filter(plays).collect())
}

/// Returns the numbers of a clip and its findings for a hover text.
fn hint(clip: &Clip, found: &[ClipFinding]) -> String {
    let of_nodes = clip.channels().iter().map(|channel| channel.times().len());
    let of_others = clip.properties().iter().map(|channel| channel.track.times().len());
    let keys: usize = of_nodes.chain(of_others).sum();
    let channels = clip.channels().len() + clip.properties().len();
    let mut text = format!("{}, {}", counted(channels, "channel"), counted(keys, "key"));
    let of_nodes = clip.channels().iter().map(rigview_anim::Channel::interpolation);
    let of_others = clip.properties().iter().map(|channel| channel.track.keys().interpolation());
    let all: Vec<Interpolation> = of_nodes.chain(of_others).collect();
    for kind in [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline] {
        let count = all.iter().filter(|other| **other == kind).count();
        if count > 0 {
            text.push_str(&format!("\n{count} × {}", kind.name()));
        }
    }
    if !found.is_empty() {
        let mut codes: Vec<&str> = found.iter().map(|finding| finding.code.as_str()).collect();
        codes.sort_unstable();
        codes.dedup();
        let count = counted(found.len(), "finding");
        text.push_str(&format!("\n{count}: {}", codes.join(", ")));
    }
    text
}

/// Shows the list of forms that clips can play in.
fn form_ui(ui: &mut Ui, shown: ClipForm, actions: &mut Vec<Action>) {
    let label = |form| match form {
        ClipForm::Source => "as in the file",
        ClipForm::Sampled => "sampled",
        ClipForm::Packed => "packed, 16 bytes per joint",
        ClipForm::Reduced => "keyframes reduced to 0.5 mm",
    };
    let entries = ClipForm::ALL.into_iter().map(|form| Entry::new(form, label(form))).collect();
    let hint = "Play clips as a smaller format would store them";
    if let Some(form) = labelled_choice_ui(ui, "Encoding", hint, &shown, entries) {
        actions.push(PlaybackAction::SetForm(form).into());
    }
}
