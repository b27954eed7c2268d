//! Moves the camera, and computes the drawings that help to judge a rig.

use glam::DVec3;

use crate::aids::box_corners;
use crate::camera::file_camera::{instant_hull, node_box};
use crate::camera::{PosedScene, moving_node};
use crate::measure::COLOR;
use crate::notice::Notice;
use crate::selection::PickAnswer;
use crate::{CameraAction, Session};
use rigview_look::Stroke;
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

impl Session {
    /// Notes what is under the pointer.
    pub(super) fn note_hover(&mut self, answer: &PickAnswer) {
        self.drawings.heat.hover(&self.playback, answer);
    }

    /// Computes the drawings of the pose.
    pub(super) fn draw_aids(&mut self) {
        let (aids, playback, drawings) = (self.look.aids, &self.playback, &mut self.drawings);
        drawings.onion.show(playback, aids.onion);
        drawings.root.show(playback, aids.root_path);
        drawings.boxes[0].show(playback, self.look.bounds);
        drawings.boxes[1].show(self.compared.playback(), self.look.bounds);
        let joints = self.look.skeleton || self.look.joint_names;
        let mut overlays = drawings.reach.show(playback, joints, &drawings.boxes[0]);
        overlays.extend(drawings.root.on_ground(self.camera.bounds().min.y));
        self.camera.set_overlays(overlays);
        drawings.marks.show(playback, aids.weight_marks);
        drawings.heat.show(playback, &self.look);
        drawings.bind.show([playback, self.compared.playback()], self.look.pass);
        self.look.bind = drawings.bind.get()[0].clone();
        let mut strokes = Vec::new();
        drawings.boxes[0].add(&mut strokes);
        let rows = drawings.boxes[0].legend_rows();
        if rows[..] != drawings.legend_rows[..] {
            drawings.legend_rows = rows.into();
        }
        let bounds = self.camera.bounds();
        self.drawings.root.add(&mut strokes, bounds.min.y, bounds.size().max_element());
        self.drawings.marks.add(&self.playback, &mut strokes);
        self.chosen.engine.add(&self.playback, &mut strokes);
        self.add_measure(&mut strokes);
        if strokes[..] != self.drawings.strokes[..] {
            self.drawings.strokes = strokes.into();
        }
    }

    /// Adds the points and the line between them.
    pub(super) fn add_measure(&self, strokes: &mut Vec<Stroke>) {
        let places = self.measure.places(&self.playback);
        if let [a, b] = places[..] {
            strokes.push(Stroke::line([a, b], COLOR, 1.6));
        }
        strokes.extend(places.iter().map(|at| Stroke::point(*at, COLOR, 1.0)));
    }

    /// Returns the points of overlays and ghosts that are drawn beside the present pose.
    pub(super) fn drawn_beside(&self) -> Vec<DVec3> {
        let Some(PosedScene { model, stage, .. }) = self.shown() else { return Vec::new() };
        let named = self.look.skeleton || self.look.joint_names;
        let joints = if named { stage.joints(model) } else { Vec::new() };
        let at = |joint| stage.position(joint).as_dvec3() + stage.origin;
        let seen = self.ghosts().iter().filter(|ghost| ghost.opacity > 0.0);
        let mut points: Vec<DVec3> =
            joints.into_iter().map(at).filter(|at| at.is_finite()).collect();
        points.extend(seen.flat_map(|ghost| instant_hull(model, &ghost.stage)));
        points.extend(box_corners(&self.drawings.boxes[0]));
        points.extend(self.drawings.root.on_ground(self.camera.bounds().min.y));
        points
    }
}
