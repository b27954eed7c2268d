//! What a script puts into the shell, and what it takes out: input of the next frame, pictures, controls and answers.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use egui::accesskit::TreeUpdate;

use super::script::Script;

/// A script, with its input and its results.
pub(super) struct Driver {
    pub script: Script,
    /// The output for answers that are requested as `-`.
    pub answers: Box<dyn Write>,
    /// When to try the current step again.
    pub at: Option<Duration>,
    /// Input for the next frame, with the place of the pointer in points and the keys that are held.
    pub events: Vec<egui::Event>,
    pub pointer: egui::Pos2,
    pub modifiers: egui::Modifiers,
    /// Whether a key was pressed.
    pub focused: bool,
    /// The path for a picture of the next frame, and the result of the last picture.
    pub picture: Option<PathBuf>,
    pub written: Option<Result<(), String>>,
    /// The accessibility tree of the last frame, once it was asked for.
    pub tree: Option<TreeUpdate>,
    /// Whether the tree was asked for.
    pub listed: bool,
}

impl Driver {
    /// Returns the driver of a script without lines.
    pub fn new(answers: Box<dyn Write>) -> Self {
        Self {
            script: Script::default(),
            answers,
            at: None,
            events: Vec::new(),
            pointer: egui::Pos2::ZERO,
            modifiers: egui::Modifiers::NONE,
            focused: false,
            picture: None,
            written: None,
            tree: None,
            listed: false,
        }
    }
}
