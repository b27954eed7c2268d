//! The script that drives the window, and its progress.

use std::io::Write;
use std::path::Path;

use super::script::Script;
use crate::capture::write_whole;

/// A script and its progress.
pub(super) struct Driver {
    pub script: Script,
    /// The output for answers that are requested as `-`.
    answers: Box<dyn Write>,
    /// The number of frames that must have been shown before the next step.
    pub after: u64,
    /// Set while the current step has begun and waits. A step that waits for frames stores their number.
    pub begun: Option<u64>,
}

impl Driver {
    /// Returns a driver with an empty script.
    pub fn new(answers: Box<dyn Write>) -> Self {
        Self { script: Script::default(), answers, after: 1, begun: None }
    }

    /// Writes an answer to a file, or as one line to the output for answers.
    pub fn answer(&mut self, path: &Path, answer: &serde_json::Value) -> Result<(), String> {
        let written = if path == Path::new("-") {
            writeln!(self.answers, "{answer}").and_then(|()| self.answers.flush())
        } else {
            write_whole(path, |file| writeln!(file, "{answer:#}"))
        };
        written.map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Appends a line to the script.
    pub fn add(&mut self, line: Result<Option<String>, String>) -> Result<(), String> {
        match line {
            Ok(Some(line)) => self.script.add(&line),
            Ok(None) => Ok(()),
            Err(what) => Err(format!("script: {what}")),
        }
    }
}
