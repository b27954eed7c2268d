//! The menu of recent files.

use egui::Ui;

use super::icon::{Icon, icon_button_ui};
use super::text::one_line;
use super::theme;
use rigview_session::{Action, Desktop, DesktopAction, FileSource, LoadAction, Playback};

/// Shows a button that opens the menu, if another file than the shown one was opened recently.
pub(super) fn recent_ui(
    ui: &mut Ui,
    playback: &Playback,
    desktop: &Desktop,
    actions: &mut Vec<Action>,
) {
    let shown = match playback.document().map(|document| &document.source) {
        Some(FileSource::Path(path)) => std::path::absolute(path).ok(),
        _ => None,
    };
    let mut others =
        desktop.recent().iter().filter(|path| Some(*path) != shown.as_ref()).peekable();
    if others.peek().is_none() {
        return;
    }
    let button =
        icon_button_ui(ui, Icon::Down, 22.0, "Recent files", "Files that were open before");
    if button.clicked() {
        actions.push(DesktopAction::LookForRecent.into());
    }
    egui::Popup::menu(&button).show(|ui| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        for path in others {
            let name = one_line(&FileSource::Path(path.clone()).name());
            let whole = one_line(&path.to_string_lossy());
            let mut text = egui::RichText::new(name);
            let mut hint = whole.clone();
            if desktop.is_missing(path) {
                text = text.strikethrough().color(theme::colors(ui).weak);
                hint += "\nThe file does not exist";
            }
            let entry = ui.button(text).accessible_name(format!("Open {whole}"));
            ui.ctx().accesskit_node_builder(entry.id, |node| node.set_value(hint.as_str()));
            if entry.on_hover_text(hint).clicked() {
                actions.push(LoadAction::open(path).into());
                ui.close();
            }
        }
    });
}
