//! The menu of recent files.

use std::path::PathBuf;

use egui::Ui;

use super::icon::{Icon, icon_button_ui};
use super::words::one_line;
use crate::session::{Action, Exhibit, FileSource, LoadAction};

/// Shows a button that opens the menu, if another file than the shown one was opened recently.
pub(super) fn recent_ui(
    ui: &mut Ui,
    exhibit: &Exhibit,
    recent: &[PathBuf],
    actions: &mut Vec<Action>,
) {
    let shown = match exhibit.document().map(|document| &document.source) {
        Some(FileSource::Path(path)) => std::path::absolute(path).ok(),
        _ => None,
    };
    let mut others = recent.iter().filter(|path| Some(*path) != shown.as_ref()).peekable();
    if others.peek().is_none() {
        return;
    }
    let button =
        icon_button_ui(ui, Icon::Down, 22.0, "Recent files", "Files that were open before");
    egui::Popup::menu(&button).show(|ui| {
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        for path in others {
            let name = one_line(&FileSource::Path(path.clone()).name());
            let whole = one_line(&path.to_string_lossy());
            let entry = ui.button(name).accessible_name(format!("Open {whole}"));
            if entry.on_hover_text(whole).clicked() {
                actions.push(LoadAction::open(path).into());
            }
        }
    });
}
