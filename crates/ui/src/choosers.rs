//! Lists of the file's scenes and cameras.

use egui::Ui;

use super::choice::{Entry, labelled_choice_ui};
use super::text::one_line;
use rigview_session::{
    Action, CameraAction, Document, FileCamera, Playback, PlaybackAction, ViewCamera,
};

/// The entry for the orbiting camera.
pub(super) const FREE_CAMERA: &str = "Free camera";

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
    if let Some(scene) = labelled_choice_ui(ui, "Scene", "", &shown, entries) {
        actions.push(PlaybackAction::SelectScene(scene).into());
    }
}

/// Returns the names of the file's cameras, as the list shows them, with their indices.
pub(super) fn camera_names(playback: &Playback) -> Vec<(FileCamera, String)> {
    let (Some(document), cameras) = (playback.document(), playback.cameras()) else {
        return Vec::new();
    };
    let model = &document.model;
    let name = |camera: usize| {
        let node = || model.nodes.iter().find(|node| node.camera == Some(camera));
        model.cameras[camera].name.as_deref().or_else(|| node()?.name.as_deref())
    };
    let names: Vec<Option<&str>> = (0..model.cameras.len()).map(name).collect();
    let name = |camera: &FileCamera| match *camera {
        FileCamera::First(index) => label(&names, index, "Camera"),
        FileCamera::Further { node } => {
            let camera = model.nodes[node].camera.map(|index| label(&names, index, "Camera"));
            format!("{} at {}", camera.unwrap_or_default(), one_line(&model.node_name(node)))
        }
    };
    cameras.into_iter().map(|camera| (camera, name(&camera))).collect()
}

/// Shows the list of cameras, if the shown scene has any.
pub(super) fn cameras_ui(
    ui: &mut Ui,
    playback: &Playback,
    view_camera: &ViewCamera,
    actions: &mut Vec<Action>,
) {
    let cameras = camera_names(playback);
    if cameras.is_empty() {
        return;
    }
    let has = |camera: &FileCamera| cameras.iter().any(|(own, _)| own == camera);
    let shown = view_camera.file_camera().filter(has);
    let free = Entry::new(None, FREE_CAMERA);
    let entry = |(camera, name): &(FileCamera, String)| Entry::new(Some(*camera), name);
    let entries = std::iter::once(free).chain(cameras.iter().map(entry)).collect();
    if let Some(camera) = labelled_choice_ui(ui, "Camera", "", &shown, entries) {
        actions.push(CameraAction::SelectCamera(camera).into());
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
