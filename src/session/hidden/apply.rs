//! Hides and shows nodes of the session's model.

use crate::session::{HiddenAction, Session};

impl Session {
    /// Hides or shows nodes.
    pub(in crate::session) fn change_hidden(&mut self, action: HiddenAction) {
        let before = self.hidden.clone();
        if let Some(document) = self.exhibit.document() {
            self.hidden.apply(action, self.selection.node(), &document.model);
        }
        self.note_hidden(before);
        self.veil();
    }

    /// Leaves the hidden nodes out of the stage.
    pub(in crate::session) fn veil(&mut self) {
        if let (Some(document), Some(stage)) = (&self.exhibit.document, &mut self.exhibit.stage) {
            self.hidden.veil(&document.model, stage);
        }
    }
}
