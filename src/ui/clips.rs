//! What is open, and its clips.

use egui::{Button, Color32, RichText, Ui, Vec2};

use super::{one_line, theme};
use crate::model::Stage;
use crate::report::ClipForm;
use crate::viewer::{Action, Viewer};

/// The file's name, a button for another, and what is in it.
pub(super) fn file_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let open = ui.button("Open…").on_hover_text("Ctrl+O, or drop a file on the window");
            if open.clicked() {
                actions.push(Action::AskForFile);
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                let name = viewer.document().map_or("No file", |d| d.name.as_str());
                let text = RichText::new(one_line(name)).heading().color(Color32::WHITE);
                ui.add(egui::Label::new(text).truncate());
            });
        });
    });
    let Some(document) = viewer.document() else { return };
    let s = &document.summary;
    let lines = [
        &[(s.nodes, "node"), (s.joints, "joint"), (s.meshes, "mesh")][..],
        &[(s.triangles, "triangle"), (s.vertices, "vertex")],
        &[(s.materials, "material"), (s.textures, "texture")],
    ];
    ui.spacing_mut().item_spacing.y = 2.0;
    for line in lines {
        let there = line.iter().filter(|(n, _)| *n > 0);
        let list: Vec<String> = there.map(|(n, noun)| counted(*n, noun)).collect();
        if !list.is_empty() {
            let text = RichText::new(list.join(" · ")).size(12.0).color(theme::WEAK);
            ui.add(egui::Label::new(text).truncate());
        }
    }
    posture_ui(ui, viewer, actions);
}

/// That the model seems to lie on its back, and a click to stand it up or lay it back.
fn posture_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    let stood_up = viewer.stage().is_some_and(Stage::stood_up);
    if !viewer.lies_on_its_back() && !stood_up {
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
            actions.push(Action::ToggleStoodUp);
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
    let ending = match (n, noun) {
        (1, _) => noun.to_owned(),
        (_, "mesh") => "meshes".to_owned(),
        (_, "vertex") => "vertices".to_owned(),
        _ => format!("{noun}s"),
    };
    format!("{number} {ending}")
}

/// Seconds with so many decimals. A file may claim any length, and no panel is wide enough for all.
pub(super) fn seconds(secs: f64, decimals: usize) -> String {
    if secs < 1e6 { format!("{secs:.decimals$}") } else { format!("{secs:.decimals$e}") }
}

/// The clips with their lengths, and the rest pose.
pub(super) fn clips_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    theme::heading_ui(ui, "Clips");
    let Some(document) = viewer.document() else {
        ui.weak("Open a file to see its clips.");
        return;
    };
    ui.spacing_mut().item_spacing.y = 2.0;
    super::layers::borrowed_ui(ui, viewer);
    if document.clip_names.is_empty() {
        ui.weak("This file has no animation.");
    }
    for (i, name) in document.clip_names.iter().enumerate() {
        let length = format!("{} s", seconds(document.clips()[i].duration_secs().into(), 2));
        if row_ui(ui, viewer.clip_index() == Some(i), name, Some(&length)) {
            actions.push(Action::SelectClip(Some(i)));
        }
    }
    let all = document.all_clips_index();
    if all > 1 && row_ui(ui, viewer.clip_index() == Some(all), "All clips", None) {
        actions.push(Action::SelectClip(Some(all)));
    }
    if row_ui(ui, viewer.clip_index().is_none(), "Rest pose", None) {
        actions.push(Action::SelectClip(None));
    }
    if viewer.clip().is_some() {
        ui.add_space(6.0);
        form_ui(ui, viewer, actions);
    }
    ui.add_space(8.0);
    super::layers::layers_ui(ui, viewer, actions);
    ui.add_space(8.0);
}

/// The forms that a clip can be played in.
fn form_ui(ui: &mut Ui, viewer: &Viewer, actions: &mut Vec<Action>) {
    let label = |form| match form {
        ClipForm::Source => "as in the file",
        ClipForm::Sampled => "sampled",
        ClipForm::Packed => "packed, 16 bytes a joint",
        ClipForm::Reduced => "keys reduced to 0.5 mm",
    };
    ui.horizontal(|ui| {
        ui.label("Keys");
        let combo = egui::ComboBox::from_id_salt("form")
            .selected_text(label(viewer.form()))
            .width(ui.available_width());
        let inner = combo.show_ui(ui, |ui| {
            for form in ClipForm::ALL {
                if ui.selectable_label(form == viewer.form(), label(form)).clicked() {
                    actions.push(Action::SetForm(form));
                }
            }
        });
        inner.response.on_hover_text("Plays the clip as a smaller format would keep it");
    });
}

/// A row of the list; says whether it was clicked.
fn row_ui(ui: &mut Ui, chosen: bool, name: &str, right: Option<&str>) -> bool {
    let color = if chosen { Color32::WHITE } else { theme::TEXT };
    let mut button = Button::selectable(chosen, RichText::new(one_line(name)).color(color))
        .truncate()
        .min_size(Vec2::new(ui.available_width(), theme::ROW));
    if let Some(right) = right {
        button = button.right_text(RichText::new(right).monospace().size(12.0).color(theme::WEAK));
    }
    let response = ui.add(button);
    if chosen {
        let rect = response.rect;
        let mark = egui::Rect::from_min_size(rect.min, Vec2::new(3.0, rect.height()));
        ui.painter().rect_filled(mark, 1.5, theme::ACCENT);
    }
    response.clicked()
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
