//! Changes of the selection, and of what is hidden.

use crate::posing::history::Step;
use crate::{Hidden, HiddenAction, LookAction, SelectionAction, Session, look};

impl Session {
    /// Selects a part of the file, or names one.
    pub(super) fn change_selection(&mut self, action: SelectionAction) {
        let model = self.playback.document().map(|document| &*document.model);
        self.chosen.selection.apply(action, model);
        // The weights of a selected joint are shown. The action ignores other nodes.
        if let Some(node) = self.chosen.selection.node() {
            look::apply(&mut self.look, LookAction::SelectJoint(Some(node)), &self.playback);
        }
    }

    /// Hides or shows nodes.
    pub(super) fn change_hidden(&mut self, action: HiddenAction) {
        let before = self.chosen.hidden.clone();
        if let Some(document) = self.playback.document() {
            self.chosen.hidden.apply(action, self.chosen.selection.node(), &document.model);
        }
        self.note_hidden(before);
        self.hide_nodes();
    }

    /// Leaves the hidden nodes out of the stage.
    pub(super) fn hide_nodes(&mut self) {
        if let (Some(document), Some(stage)) = (&self.playback.document, &mut self.playback.stage) {
            self.chosen.hidden.hide_nodes(&document.model, stage);
        }
    }

    /// Notes what was hidden before a change, so that it can be undone.
    fn note_hidden(&mut self, before: Hidden) {
        if before != self.chosen.hidden {
            let after = self.chosen.hidden.clone();
            self.chosen.history.end();
            self.chosen.history.add(Step::Hidden { before, after });
        }
    }
}
