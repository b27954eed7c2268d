//! The camera that moves with the selected node of a session.

use glam::DVec3;

use super::follow::moving_node;
use crate::session::Session;

impl Session {
    /// Whether the picture changes as time passes.
    pub fn is_moving(&self) -> bool {
        self.exhibit.is_moving() || self.exhibit.stage.is_some() && self.sight.is_moving()
    }

    /// Moves the camera with the selected node, if it follows.
    pub(in crate::session) fn follow_selection(&mut self) {
        let followed = self.followed();
        self.sight.follow(followed);
    }

    /// The selected node and its place in scene space. A node with a skinned mesh is where the first joint of its skin
    /// is, because its own transform moves nothing.
    fn followed(&self) -> Option<(usize, DVec3)> {
        let (document, stage) = self.exhibit.document().zip(self.exhibit.stage())?;
        let node = self.selection.node()?;
        let place = stage.position(moving_node(&document.model, node)).as_dvec3() + stage.origin;
        place.is_finite().then_some((node, place))
    }
}
