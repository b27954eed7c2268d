//! What a window is opened with.

use crate::render::AdapterChoice;
use crate::session::{Action, SessionOptions};

/// What to open a window with.
#[derive(Debug)]
pub struct Start {
    /// What it shows at first: a file, or what is found in these places.
    pub open: Action,
    /// How it shows that.
    pub session: SessionOptions,
    /// What it is drawn by.
    pub adapter: AdapterChoice,
    /// Points of its inside: the display's scale makes pixels of them.
    pub size: [u32; 2],
    /// Steps to drive it by.
    pub script: Option<ScriptSource>,
}

/// Where a script's lines come from. Those of standard input are read as they come, so another
/// program may write the next line when it has seen what the one before did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptSource {
    /// The text of a file.
    Text(String),
    /// Standard input.
    StandardInput,
}
