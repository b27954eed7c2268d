//! Drop-down lists.

use egui::{ComboBox, Id, Ui};

use super::list::fitting;
use super::theme;

/// Maximum height of an open list in points; longer ones scroll.
const HEIGHT: f32 = 480.0;

/// The width of the arrow and the padding in points.
const ARROW: f32 = 30.0;

/// An entry of a list.
pub(super) struct Entry<T> {
    pub value: T,
    pub text: String,
    /// The hover text; empty for none.
    pub hint: &'static str,
}

impl<T> Entry<T> {
    pub fn new(value: T, text: impl Into<String>) -> Self {
        Self { value, text: text.into(), hint: "" }
    }
}

/// A drop-down list.
pub(super) struct Choice<'a> {
    /// Identifies the list within its parent. Also its accessible name, if there is no label.
    pub name: &'a str,
    /// The label beside the list, which names it.
    pub label: Option<Id>,
    /// The text of the chosen entry.
    pub text: String,
    /// The hover text; empty for none.
    pub hint: &'a str,
    /// The width in points.
    pub width: f32,
}

impl Choice<'_> {
    /// Shows the list. Returns the entry that was picked, unless it is the chosen one. `entries` is only
    /// evaluated while the list is open.
    pub fn show<T: PartialEq>(
        self,
        ui: &mut Ui,
        chosen: &T,
        entries: impl FnOnce() -> Vec<Entry<T>>,
    ) -> Option<T> {
        let mut picked = None;
        // A hover text that repeats what is shown would only cover the next widget.
        let repeats =
            self.hint == self.text && fitting(ui, self.hint, self.width - ARROW) == self.hint;
        let list = ComboBox::from_id_salt(self.name)
            .selected_text(self.text)
            .truncate()
            .width(self.width)
            .height(HEIGHT);
        let inner = list.show_ui(ui, |ui| {
            for Entry { value, text, hint } in entries() {
                let is_chosen = value == *chosen;
                let mut row = ui.selectable_label(is_chosen, text);
                if !hint.is_empty() {
                    row = row.on_hover_text(hint);
                }
                if row.clicked() {
                    // egui closes it after a click of the pointer alone.
                    ui.close();
                    if !is_chosen {
                        picked = Some(value);
                    }
                }
            }
        });
        let shown = match self.label {
            Some(label) => inner.response.labelled_by(label),
            None => inner.response.accessible_name(self.name),
        };
        if !self.hint.is_empty() && !repeats {
            shown.on_hover_text(self.hint);
        }
        picked
    }
}

/// Shows a list with a label to its left. Returns the entry that was picked, unless it is the chosen one.
pub(super) fn labelled_choice_ui<T: PartialEq>(
    ui: &mut Ui,
    label: &str,
    hint: &str,
    chosen: &T,
    entries: Vec<Entry<T>>,
) -> Option<T> {
    let shown = entries.iter().find(|entry| entry.value == *chosen);
    let text = shown.map(|entry| entry.text.clone()).unwrap_or_default();
    theme::labelled_ui(ui, label, |ui, title| {
        let width = ui.available_width();
        let list = Choice { name: label, label: Some(title), text, hint, width };
        list.show(ui, chosen, || entries)
    })
}
