//! Computes the drawings that help to judge a rig.

use crate::session::Session;
use crate::session::selection::question::Answer;

impl Session {
    /// Notes what is under the pointer.
    pub(super) fn note_hover(&mut self, answer: &Answer) {
        self.drawings.heat.hover(&self.exhibit, answer);
    }

    /// Computes the drawings of the pose.
    pub(super) fn draw_aids(&mut self) {
        let (aids, exhibit, drawings) = (self.look.aids, &self.exhibit, &mut self.drawings);
        drawings.onion.show(exhibit, aids.onion);
        drawings.root.show(exhibit, aids.root_path);
        drawings.boxes[0].show(exhibit, self.look.bounds);
        drawings.boxes[1].show(self.compared.exhibit(), self.look.bounds);
        let overlays = drawings.reach.show(exhibit, self.look.skeleton, &drawings.boxes[0]);
        self.sight.set_overlays(overlays);
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
