//! Lists of the file's scenes and cameras.

use egui::Ui;

use super::choice::{Entry, labelled_choice_ui};
use super::words::one_line;
use crate::session::{Action, Document, Exhibit, ExhibitAction, Sight, SightAction};

/// The entry for the orbiting camera.
const FREE_CAMERA: &str = "Free camera";

/// Shows the list of scenes, if the file has several.
pub(super) fn scenes_ui(
    ui: &mut Ui,
    document: &Document,
    shown: Option<usize>,
    actions: &mut Vec<Action>,
) {
    let scenes = &document.model.scenes;
    let Some(shown) = shown.filter(|_| scenes.len() > 1) else { return };
    let names: Vec<Option<&str>> = scenes.iter().map(|scene| scene.name.as_deref()).collect();
    let entry = |scene| Entry::new(scene, label(&names, scene, "Scene"));
    let entries = (0..scenes.len()).map(entry).collect();
    if let Some(scene) = labelled_choice_ui(ui, ("Scene", ""), &shown, entries) {
        actions.push(ExhibitAction::SelectScene(scene).into());
    }
}

/// Shows the list of cameras, if the shown scene has any.
pub(super) fn cameras_ui(ui: &mut Ui, exhibit: &Exhibit, sight: &Sight, actions: &mut Vec<Action>) {
    let (Some(document), cameras) = (exhibit.document(), exhibit.cameras()) else { return };
    if cameras.is_empty() {
        return;
    }
    let model = &document.model;
    let name = |camera: usize| {
        let node = || model.nodes.iter().find(|node| node.camera == Some(camera));
        model.cameras[camera].name.as_deref().or_else(|| node()?.name.as_deref())
    };
    let names: Vec<Option<&str>> = (0..model.cameras.len()).map(name).collect();
    let free = Entry::new(None, FREE_CAMERA);
    let entry = |camera: usize| Entry::new(Some(camera), label(&names, camera, "Camera"));
    let entries = std::iter::once(free).chain(cameras.iter().copied().map(entry)).collect();
    let shown = sight.file_camera().filter(|camera| cameras.contains(camera));
    if let Some(camera) = labelled_choice_ui(ui, ("Camera", ""), &shown, entries) {
        actions.push(SightAction::SelectCamera(camera).into());
    }
}

/// Returns the name of an entry, with its index if others share the name, or its noun and index if it has none.
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
