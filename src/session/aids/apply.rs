//! The drawings that help to judge a rig, for a session.

use std::sync::Arc;

use glam::DVec3;

use super::boxes::BoxOf;
use crate::look::{BindDistances, Ghost, Highlight, KeyRow, Stroke};
use crate::model::RootMotion;
use crate::report::{JointWeights, WeightFault};
use crate::session::Session;
use crate::session::selection::question::Answer;

impl Session {
    /// The ghosts of past and next poses, in the order in which they are drawn.
    pub fn ghosts(&self) -> &[Ghost] {
        self.drawings.onion.ghosts()
    }

    /// The lines and points over the picture: the boxes, the root's path, marks, what is measured.
    pub fn strokes(&self) -> &Arc<[Stroke]> {
        &self.drawings.strokes
    }

    /// The legend of the boxes; empty unless the look shows bounds.
    pub fn key(&self) -> &Arc<[KeyRow]> {
        &self.drawings.key
    }

    /// A box of the model, minimum and maximum in scene space; `None` unless the look shows bounds.
    pub fn bounds_of(&self, of: BoxOf) -> Option<(DVec3, DVec3)> {
        self.drawings.boxes[0].get(of)
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

    /// The boxes of the model beside, as what is marked in its picture.
    pub(in crate::session) fn highlight_beside(&self) -> Highlight {
        let mut strokes = Vec::new();
        self.drawings.boxes[1].add(&mut strokes);
        Highlight { strokes: strokes.into(), ..Highlight::default() }
    }

    /// The distances between rest and bind pose of the model beside, while the pass shows them.
    pub(in crate::session) fn bind_beside(&self) -> Option<Arc<BindDistances>> {
        self.drawings.bind.get()[1].clone()
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
        drawings.boxes[0].show(exhibit, self.look.bounds);
        drawings.boxes[1].show(self.compared.exhibit(), self.look.bounds);
        drawings.marks.show(exhibit, aids.weight_marks);
        drawings.heat.show(exhibit, &self.look);
        drawings.bind.show([exhibit, self.compared.exhibit()], self.look.pass);
        self.look.bind = drawings.bind.get()[0].clone();
        let mut strokes = Vec::new();
        drawings.boxes[0].add(&mut strokes);
        let key = drawings.boxes[0].key();
        if key[..] != drawings.key[..] {
            drawings.key = key.into();
        }
        let (low, high) = self.sight.bounds();
        self.drawings.root.add(&mut strokes, low.y, (high - low).max_element());
        self.drawings.marks.add(&self.exhibit, &mut strokes);
        self.engine.add(&self.exhibit, &mut strokes);
        self.add_measure(&mut strokes);
        if strokes[..] != self.drawings.strokes[..] {
            self.drawings.strokes = strokes.into();
        }
    }
}
