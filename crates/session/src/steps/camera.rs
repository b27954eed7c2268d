//! Moves the camera, and what it frames and follows.

use glam::DVec3;

use crate::camera::follow::moving_node;
use crate::camera::framing::node_box;
use crate::notice::Notice;
use crate::{CameraAction, Session};
use rigview_model::{SceneBox, Vrm};

impl Session {
    /// Changes the camera as a person asks. A camera that is to follow needs a selected node.
    pub(super) fn steer_camera(&mut self, action: CameraAction) {
        if action == CameraAction::ToggleFollow && !self.camera.follows() {
            self.require_selection("Select a node for the camera to follow");
        }
        self.change_camera(action);
    }

    /// Shows a notice if no node is selected, which something needs.
    pub(super) fn require_selection(&mut self, text: &str) {
        if self.chosen.selection.node().is_none() && self.playback.document().is_some() {
            self.notices.replace(Notice::warning(text));
        }
    }

    pub(super) fn change_camera(&mut self, action: CameraAction) {
        if let CameraAction::SelectCamera(Some(camera)) = action
            && !self.playback.cameras().contains(&camera)
        {
            return;
        }
        let mut view_camera = std::mem::take(&mut self.camera);
        match action {
            CameraAction::FramePose => view_camera.frame_pose(self.shown(), &self.drawn_beside()),
            action => view_camera.apply(action, self.shown()),
        }
        self.camera = view_camera;
    }

    /// Frames the selected node, or else the whole model.
    pub(super) fn frame_selection(&mut self) {
        let shown = self.shown().zip(self.chosen.selection.node());
        let found = shown.and_then(|(shown, node)| {
            node_box(shown.model, shown.stage, node, self.camera.bounds())
        });
        self.change_camera(match found {
            Some(bounds) => CameraAction::FrameBox(bounds),
            None => CameraAction::FrameAll,
        });
    }

    /// Poses the model and frames the picked vertex, with a twentieth of the model around it.
    pub(super) fn frame_vertex(&mut self) {
        const PART: f64 = 0.05;
        self.playback.pose();
        let picked = self.chosen.selection.vertex().zip(self.shown());
        let place =
            picked.and_then(|(vertex, shown)| shown.stage.vertex_position(shown.model, vertex));
        if let Some(at) = place {
            let room = 0.5 * PART * self.camera.bounds().size().length();
            let bounds = SceneBox { min: at, max: at }.grown(DVec3::splat(room));
            self.change_camera(CameraAction::FrameBox(bounds));
        }
    }

    /// Finds the direction that the first model faces.
    pub(super) fn find_front(&mut self) {
        let vrm = self.playback.document().and_then(|document| document.model.vrm.as_ref());
        self.camera.front = vrm.map_or(0.0, Vrm::front);
    }

    /// Lets the second model follow the first one, whose clock lasts as long as the longer clip, and fits the camera to what is
    /// shown over the clip. To be called after another model or another clip is shown.
    pub(super) fn refit(&mut self) {
        self.compared.follow(&mut self.playback);
        self.camera.set_hull(&self.compared.hull(&self.playback));
    }

    /// Moves the camera with the selected node, if it follows.
    pub(super) fn follow_selection(&mut self) {
        let followed = self.followed();
        self.camera.follow(followed);
    }

    /// The selected node and its place in scene space. A node with a skinned mesh is where the first joint of its skin
    /// is, because its own transform moves nothing.
    fn followed(&self) -> Option<(usize, DVec3)> {
        let (document, stage) = self.playback.document().zip(self.playback.stage())?;
        let node = self.chosen.selection.node()?;
        let place = stage.position(moving_node(&document.model, node)).as_dvec3() + stage.origin;
        place.is_finite().then_some((node, place))
    }
}
