//! Moves the camera, and what it frames and follows.

use glam::DVec3;

use crate::session::sight::follow::moving_node;
use crate::session::sight::framing::node_box;
use crate::session::{Session, SightAction};

impl Session {
    pub(super) fn change_sight(&mut self, action: SightAction) {
        if let SightAction::SelectCamera(Some(camera)) = action
            && !self.exhibit.cameras().contains(&camera)
        {
            return;
        }
        let mut sight = std::mem::take(&mut self.sight);
        sight.apply(action, self.shown());
        self.sight = sight;
    }

    /// Frames the selected node, or else the whole model.
    pub(super) fn frame_selection(&mut self) {
        let shown = self.shown().zip(self.selection.node());
        let found = shown.and_then(|(shown, node)| {
            node_box(shown.model, shown.stage, node, self.sight.bounds())
        });
        self.change_sight(match found {
            Some((min, max)) => SightAction::FrameBox(min, max),
            None => SightAction::FrameAll,
        });
    }

    /// Frames both models over the shown clip.
    pub(super) fn frame_both(&mut self) {
        self.compared.follow(&mut self.exhibit);
        self.sight.set_hull(&self.compared.hull(&self.exhibit));
    }

    /// Moves the camera with the selected node, if it follows.
    pub(super) fn follow_selection(&mut self) {
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
