//! The drawings that help to judge a rig, for a session.

use std::sync::Arc;

use glam::DVec3;

use super::boxes::BoxOf;
use crate::look::{Ghost, Stroke};
use crate::model::RootMotion;
use crate::report::{JointWeights, WeightFault};
use crate::session::Session;
use crate::session::selection::question::Answer;

impl Session {
    /// The ghosts of past and next poses, in the order in which they are drawn.
    pub fn ghosts(&self) -> &[Ghost] {
        self.drawings.onion.ghosts()
    }

    /// The lines and points over the picture: the root's path, marks, what is measured.
    pub fn strokes(&self) -> &Arc<[Stroke]> {
        &self.drawings.strokes
    }

    /// The lines of the boxes; none unless the look shows bounds.
    pub fn box_strokes(&self) -> Vec<Stroke> {
        self.drawings.boxes.strokes()
    }

    /// A box of the model, minimum and maximum in scene space; `None` unless the look shows bounds.
    pub fn bounds_of(&self, of: BoxOf) -> Option<(DVec3, DVec3)> {
        self.drawings.boxes.get(of)
    }

    /// The motion of the root over the shown clip; `None` unless the look shows its path, or the clip moves no joint.
    pub fn root_motion(&self) -> Option<&RootMotion> {
        self.drawings.root.motion().map(AsRef::as_ref)
    }

    /// Vertices without weights, or whose weights do not sum to 1; none unless the look marks them.
    pub fn weight_faults(&self) -> &[WeightFault] {
        self.drawings.marks.faults()
    }

    /// The weights of the joint whose heat is shown.
    pub fn shown_weights(&self) -> Option<JointWeights> {
        self.drawings.heat.weights()
    }

    /// The weight of that joint at the vertex under the pointer.
    pub fn hovered_weight(&self) -> Option<f32> {
        self.drawings.heat.hovered(&self.exhibit)
    }

    /// Notes what is under the pointer.
    pub(in crate::session) fn note_hover(&mut self, answer: &Answer) {
        self.drawings.heat.hover(&self.exhibit, answer);
    }

    /// Computes the drawings of the pose.
    pub(in crate::session) fn draw_aids(&mut self) {
        let (aids, exhibit, drawings) = (self.look.aids, &self.exhibit, &mut self.drawings);
        drawings.onion.show(exhibit, aids.onion);
        drawings.root.show(exhibit, aids.root_path);
        drawings.boxes.show(exhibit, self.look.bounds);
        drawings.marks.show(exhibit, aids.weight_marks);
        drawings.heat.show(exhibit, &self.look);
        let mut strokes = Vec::new();
        let (low, high) = self.sight.bounds();
        self.drawings.root.add(&mut strokes, low.y, (high - low).max_element());
        self.drawings.marks.add(&self.exhibit, &mut strokes);
        self.add_measure(&mut strokes);
        if strokes[..] != self.drawings.strokes[..] {
            self.drawings.strokes = strokes.into();
        }
    }
}
