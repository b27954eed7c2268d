//! Frames the selected node.

use super::framing::node_box;
use crate::session::{Session, SightAction};

impl Session {
    /// Frames the selected node, or else the whole model.
    pub(in crate::session) fn frame_selection(&mut self) {
        let shown = self.shown().zip(self.selection.node());
        let found = shown.and_then(|(shown, node)| {
            node_box(shown.model, shown.stage, node, self.sight.bounds())
        });
        self.change_sight(match found {
            Some((min, max)) => SightAction::FrameBox(min, max),
            None => SightAction::FrameAll,
        });
    }
}
