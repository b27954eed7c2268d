//! A script and the window's place in it.

use std::io::Write;
use std::path::Path;

use super::script::Script;
use crate::capture::write_whole;

/// A script and where the window stands in it.
pub(super) struct Driver {
    pub script: Script,
    /// Where a state goes that was asked for as `-`.
    answers: Box<dyn Write>,
    /// The frame that must have been shown before the next step.
    pub after: u64,
    /// The step that is up has been begun and waits for its end.
    pub begun: Option<u64>,
}

impl Driver {
    /// A script without lines yet.
    pub fn new(answers: Box<dyn Write>) -> Self {
        Self { script: Script::default(), answers, after: 1, begun: None }
    }

    /// Writes a state to a file, or as one line where the answers go.
    pub fn answer(&mut self, path: &Path, state: &serde_json::Value) -> Result<(), String> {
        let written = if path == Path::new("-") {
            writeln!(self.answers, "{state}").and_then(|()| self.answers.flush())
        } else {
            write_whole(path, |file| writeln!(file, "{state:#}"))
        };
        written.map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Takes in a line of the script.
    pub fn hear(&mut self, line: Result<Option<String>, String>) -> Result<(), String> {
        match line {
            Ok(Some(line)) => self.script.add(&line),
            Ok(None) => Ok(()),
            Err(what) => Err(format!("script: {what}")),
        }
    }
}
