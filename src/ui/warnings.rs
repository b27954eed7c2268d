//! The file's warnings.

use egui::{RichText, Ui};

use super::theme;
use super::words::{counted, one_line};
use crate::session::Document;

/// Shows the number of warnings, which unfolds to a list of them.
pub(super) fn warnings_ui(ui: &mut Ui, document: &Document) {
    let count = document.faults().count();
    if count == 0 {
        return;
    }
    let title = RichText::new(counted(count, "warning")).color(theme::of(ui).warning);
    egui::CollapsingHeader::new(title).id_salt("warnings").show_unindented(ui, |ui| {
        egui::ScrollArea::vertical()
            .max_height(140.0)
            .min_scrolled_height(140.0)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                for warning in document.faults() {
                    let place = if warning.pointer.is_empty() { "" } else { " at " };
                    let line = format!("{}{place}{}", warning.message, warning.pointer);
                    ui.add(egui::Label::new(RichText::new(one_line(&line)).size(12.0)).wrap())
                        .on_hover_text(warning.code.as_str());
                }
            });
    });
}
