//! What is open, and its clips.

use std::borrow::Cow;

use egui::{Color32, RichText, Ui};

use super::list::{GAP, NameList, Names, row_ui};
use super::{one_line, theme};
use crate::model::Stage;
use crate::report::{ClipForm, plural};
use crate::session::{Action, ExhibitAction, Session};

/// The file's name, a button for another, and what is in it.
pub(super) fn file_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let open = ui.button("Open…").on_hover_text("Ctrl+O, or drop a file on the window");
            if open.clicked() {
                actions.push(Action::AskForFile);
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                let name = session.exhibit().document().map_or("No file", |d| d.name.as_str());
                let text = RichText::new(one_line(name)).heading().color(Color32::WHITE);
                ui.add(egui::Label::new(text).truncate());
            });
        });
    });
    let Some(document) = session.exhibit().document() else { return };
    let s = &document.summary;
    let lines = [
        &[(s.nodes, "node"), (s.joints, "joint"), (s.meshes, "mesh")][..],
        &[(s.triangles, "triangle"), (s.vertices, "vertex")],
        &[(s.materials, "material"), (s.textures, "texture")],
    ];
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for line in lines {
            let there = line.iter().filter(|(n, _)| *n > 0);
            let list: Vec<String> = there.map(|(n, noun)| counted(*n, noun)).collect();
            if !list.is_empty() {
                let text = RichText::new(list.join(" · ")).size(12.0).color(theme::WEAK);
                ui.add(egui::Label::new(text).truncate());
            }
        }
    });
    posture_ui(ui, session, actions);
}

/// That the model seems to lie on its back, and a click to stand it up or lay it back.
fn posture_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let stood_up = session.exhibit().stage().is_some_and(Stage::stood_up);
    if !session.exhibit().lies_on_its_back() && !stood_up {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let (text, button, why) = if stood_up {
            ("Its Z is up.", "As in the file", "Shows Y up again")
        } else {
            ("It seems to lie on its back.", "Stand up", "Turns it so that its Z is up")
        };
        ui.label(RichText::new(text).size(12.0).color(theme::WARNING));
        if ui.small_button(button).on_hover_text(why).clicked() {
            actions.push(Action::Exhibit(ExhibitAction::ToggleStoodUp));
        }
    });
}

/// `1 joint`, `12,345 vertices`.
pub(super) fn counted(n: usize, noun: &str) -> String {
    let digits = n.to_string();
    let mut number = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            number.push(',');
        }
        number.push(digit);
    }
    format!("{number} {}", plural(n, noun))
}

/// Seconds with so many decimals. A file may claim any length, and no panel is wide enough for all.
pub(super) fn seconds(secs: f64, decimals: usize) -> String {
    if secs < 1e6 { format!("{secs:.decimals$}") } else { format!("{secs:.decimals$e}") }
}

/// Rows of the list that are always in sight.
const LEAST_ROWS: f32 = 6.0;

/// The clip list's state between frames.
#[derive(Debug, Default)]
pub(super) struct Clips {
    list: NameList,
    /// The height of everything else in the column, in points.
    around: f32,
}

impl Clips {
    /// The height of the list's rows in a column: what the rest of it leaves, or six rows.
    fn height(&self, column: f32, count: usize) -> f32 {
        let row = theme::ROW + GAP;
        (column - self.around).max(LEAST_ROWS * row).min(count as f32 * row)
    }

    /// Clears what was typed for another file.
    pub fn forget(&mut self) {
        self.list = NameList::default();
    }

    /// Takes in the height that a column of clips with the list of this height has. The frame is laid out
    /// anew if the list is to be another height.
    pub fn settle(&mut self, ui: &Ui, list: f32, column: f32) {
        let around = column - list;
        if (around - self.around).abs() > 0.5 {
            self.around = around;
            ui.ctx().request_discard("the clip list has another height");
        }
    }
}

/// The clips with their lengths, and the rest pose, in a column of this height; returns the height of the
/// list's rows.
pub(super) fn clips_ui(
    ui: &mut Ui,
    session: &Session,
    clips: &mut Clips,
    column: f32,
    actions: &mut Vec<Action>,
) -> f32 {
    theme::heading_ui(ui, "Clips");
    let Some(document) = session.exhibit().document() else {
        ui.weak("Open a file to see its clips.");
        return 0.0;
    };
    super::layers::borrowed_ui(ui, session);
    if document.clip_names.is_empty() {
        ui.weak("This file has no animation.");
    }
    let names = Names {
        id: "clips",
        noun: "clip",
        names: document.clip_names.iter().map(|name| Cow::Borrowed(name.as_str())).collect(),
        note: &|i| format!("{} s", seconds(document.clips()[i].duration_secs().into(), 2)),
        chosen: session.exhibit().clip_index(),
        height: clips.height(column, document.clip_names.len()),
    };
    let top = ui.spacing().item_spacing.y;
    ui.spacing_mut().item_spacing.y = 2.0;
    if let Some(picked) = clips.list.show(ui, &names) {
        actions.push(Action::Exhibit(ExhibitAction::SelectClip(Some(picked))));
    }
    let all = document.all_clips_index();
    if all > 1 && row_ui(ui, session.exhibit().clip_index() == Some(all), ("All clips", 0), "") {
        actions.push(Action::Exhibit(ExhibitAction::SelectClip(Some(all))));
    }
    if row_ui(ui, session.exhibit().clip_index().is_none(), ("Rest pose", 0), "") {
        actions.push(Action::Exhibit(ExhibitAction::SelectClip(None)));
    }
    ui.spacing_mut().item_spacing.y = top;
    if session.exhibit().clip().is_some() {
        ui.add_space(4.0);
        form_ui(ui, session, actions);
    }
    names.height
}

/// The forms that a clip can be played in.
fn form_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let label = |form| match form {
        ClipForm::Source => "as in the file",
        ClipForm::Sampled => "sampled",
        ClipForm::Packed => "packed, 16 bytes per joint",
        ClipForm::Reduced => "keyframes reduced to 0.5 mm",
    };
    theme::labelled_ui(ui, "Encoding", |ui| {
        let combo = egui::ComboBox::from_id_salt("form")
            .selected_text(label(session.exhibit().form()))
            .truncate()
            .width(ui.available_width());
        let inner = combo.show_ui(ui, |ui| {
            for form in ClipForm::ALL {
                if ui.selectable_label(form == session.exhibit().form(), label(form)).clicked() {
                    actions.push(Action::Exhibit(ExhibitAction::SetForm(form)));
                }
            }
        });
        inner.response.on_hover_text("Plays the clip as a smaller format would store it");
    });
}

#[cfg(test)]
mod tests {
    use super::{counted, seconds};

    #[test]
    fn counts_read_well() {
        assert_eq!(counted(1, "joint"), "1 joint");
        assert_eq!(seconds(1.2345, 3), "1.234");
        assert_eq!(seconds(f64::from(f32::MAX), 2), "3.40e38");
        assert_eq!(counted(0, "mesh"), "0 meshes");
        assert_eq!(counted(999, "vertex"), "999 vertices");
        assert_eq!(counted(1_234_567, "triangle"), "1,234,567 triangles");
    }
}
