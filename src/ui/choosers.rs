//! Lists of what the file holds several of: its scenes and cameras.

use egui::{ComboBox, Ui};

use super::{one_line, theme};
use crate::session::{Action, Document, ExhibitAction, Session, SightAction};

/// What the orbiting camera is called.
const FREE_CAMERA: &str = "Free camera";

/// The scene and the camera, each where there is a choice.
pub(super) fn choosers_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let Some(document) = session.exhibit().document() else { return };
    scene_ui(ui, session, document, actions);
    camera_ui(ui, session, document, actions);
}

fn scene_ui(ui: &mut Ui, session: &Session, document: &Document, actions: &mut Vec<Action>) {
    let scenes = &document.model.scenes;
    let Some(shown) =
        session.exhibit().stage().map(|stage| stage.scene).filter(|_| scenes.len() > 1)
    else {
        return;
    };
    let names: Vec<Option<&str>> = scenes.iter().map(|scene| scene.name.as_deref()).collect();
    let rows = (0..scenes.len()).map(|scene| (scene, label(&names, scene, "Scene"))).collect();
    if let Some(scene) = chosen_ui(ui, "Scene", shown, rows) {
        actions.push(Action::Exhibit(ExhibitAction::SelectScene(scene)));
    }
}

fn camera_ui(ui: &mut Ui, session: &Session, document: &Document, actions: &mut Vec<Action>) {
    let cameras = session.exhibit().cameras();
    if cameras.is_empty() {
        return;
    }
    let model = &document.model;
    let name = |camera: usize| {
        let node = || model.nodes.iter().find(|node| node.camera == Some(camera));
        model.cameras[camera].name.as_deref().or_else(|| node()?.name.as_deref())
    };
    let names: Vec<Option<&str>> = (0..model.cameras.len()).map(name).collect();
    let free = (None, FREE_CAMERA.to_owned());
    let row = |camera: usize| (Some(camera), label(&names, camera, "Camera"));
    let rows = std::iter::once(free).chain(cameras.iter().copied().map(row)).collect();
    let shown = session.sight().file_camera().filter(|camera| cameras.contains(camera));
    if let Some(camera) = chosen_ui(ui, "Camera", shown, rows) {
        actions.push(Action::Sight(SightAction::SelectCamera(camera)));
    }
}

/// Shows a list of choices by their labels, with a name beside it. Returns another that was chosen.
pub(super) fn chosen_ui<T: PartialEq>(
    ui: &mut Ui,
    name: &str,
    shown: T,
    rows: Vec<(T, String)>,
) -> Option<T> {
    let mut chosen = None;
    ui.horizontal(|ui| {
        let title = theme::label_ui(ui, name);
        let text = rows.iter().find(|(row, _)| *row == shown).map_or("", |(_, text)| text);
        let combo =
            ComboBox::from_id_salt(name).selected_text(text).width(ui.available_width()).truncate();
        let inner = combo.show_ui(ui, |ui| {
            for (row, text) in rows {
                let is_shown = row == shown;
                if ui.selectable_label(is_shown, text).clicked() && !is_shown {
                    chosen = Some(row);
                }
            }
        });
        inner.response.labelled_by(title.id);
    });
    chosen
}

/// What to call one of several: its name, with its number where others share it, or only the number.
fn label(names: &[Option<&str>], index: usize, noun: &str) -> String {
    match names[index] {
        Some(name) if !name.trim().is_empty() => {
            let shared = names.iter().filter(|other| **other == Some(name)).count() > 1;
            let name = one_line(name);
            if shared { format!("{name} ({index})") } else { name }
        }
        _ => format!("{noun} {index}"),
    }
}
