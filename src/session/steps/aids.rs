//! Computes the drawings that help to judge a rig.

use crate::session::Session;
use crate::session::selection::question::Answer;

impl Session {
    /// Notes what is under the pointer.
    pub(super) fn note_hover(&mut self, answer: &Answer) {
        self.drawings.heat.hover(&self.playback, answer);
    }

    /// Computes the drawings of the pose.
    pub(super) fn draw_aids(&mut self) {
        let (aids, playback, drawings) = (self.look.aids, &self.playback, &mut self.drawings);
        drawings.onion.show(playback, aids.onion);
        drawings.root.show(playback, aids.root_path);
        drawings.boxes[0].show(playback, self.look.bounds);
        drawings.boxes[1].show(self.compared.playback(), self.look.bounds);
        let overlays = drawings.reach.show(playback, self.look.skeleton, &drawings.boxes[0]);
        self.camera.set_overlays(overlays);
        drawings.marks.show(playback, aids.weight_marks);
        drawings.heat.show(playback, &self.look);
        drawings.bind.show([playback, self.compared.playback()], self.look.pass);
        self.look.bind = drawings.bind.get()[0].clone();
        let mut strokes = Vec::new();
        drawings.boxes[0].add(&mut strokes);
        let key = drawings.boxes[0].key();
        if key[..] != drawings.key[..] {
            drawings.key = key.into();
        }
        let (low, high) = self.camera.bounds();
        self.drawings.root.add(&mut strokes, low.y, (high - low).max_element());
        self.drawings.marks.add(&self.playback, &mut strokes);
        self.engine.add(&self.playback, &mut strokes);
        self.add_measure(&mut strokes);
        if strokes[..] != self.drawings.strokes[..] {
            self.drawings.strokes = strokes.into();
        }
    }
}
