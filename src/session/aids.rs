//! What is computed of the posed exhibit for the drawings that help to judge a rig.

use super::Session;
use super::onion::Onion;
use crate::look::Ghost;

/// The drawings, as [`Look::aids`](crate::look::Look::aids) asks for them.
#[derive(Debug, Default)]
pub(super) struct Drawings {
    onion: Onion,
}

impl Session {
    /// The ghosts of past and next poses, in the order in which they are drawn.
    pub fn ghosts(&self) -> &[Ghost] {
        self.drawings.onion.ghosts()
    }

    /// Computes the drawings of the pose.
    pub(super) fn draw_aids(&mut self) {
        let aids = self.look.aids;
        self.drawings.onion.show(&self.exhibit, aids.onion);
    }
}
