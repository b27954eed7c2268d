//! Asks for files.

use crate::session::{Effect, FileQuestion, Session};

impl Session {
    /// Asks for a file. Only a file that is opened can be asked for while nothing is shown.
    pub(super) fn ask(&mut self, question: FileQuestion) -> Vec<Effect> {
        match question {
            FileQuestion::Record if self.desktop.recording.is_some() => {
                self.say_what_is_recorded();
                Vec::new()
            }
            FileQuestion::Open(_) => vec![Effect::Ask(question)],
            _ if self.playback.stage.is_some() => vec![Effect::Ask(question)],
            _ => Vec::new(),
        }
    }
}
