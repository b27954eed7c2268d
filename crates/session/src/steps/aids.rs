//! Computes the drawings that help to judge a rig.

use glam::DVec3;

use crate::Session;
use crate::aids::overlay_reach::box_corners;
use crate::camera::framing::instant_hull;
use crate::camera::position::PosedScene;
use crate::measure::COLOR;
use crate::selection::pick::PickAnswer;
use rigview_look::Stroke;

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
