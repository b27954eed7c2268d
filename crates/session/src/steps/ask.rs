//! Asks for files.

use std::path::PathBuf;

use crate::{Destination, Effect, FileQuestion, FileSource, Session};

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

    /// Returns the folder in which a person probably looks for a file: that of the file that it would replace, or else that
    /// of the shown one.
    pub fn folder_for(&self, question: FileQuestion) -> Option<PathBuf> {
        let shown = self.playback.document();
        let replaced = match question {
            FileQuestion::Open(Destination::Clips) => {
                shown.and_then(|document| document.borrowed.as_ref()).map(|clips| &clips.source)
            }
            FileQuestion::Open(Destination::Beside) => {
                self.compared.document().map(|document| &document.source)
            }
            _ => None,
        };
        let files = replaced.into_iter().chain(shown.map(|document| &document.source));
        let paths = files.filter_map(|file| match file {
            FileSource::Path(path) => std::path::absolute(path).ok(),
            _ => None,
        });
        paths.filter_map(|path| path.parent().map(PathBuf::from)).next()
    }
}
