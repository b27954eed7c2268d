//! The options that a window is opened with.

use std::path::PathBuf;

use rigview_render::AdapterChoice;
use rigview_session::{Action, MotionQuality, SessionOptions};

/// Options of a window.
#[derive(Debug)]
pub struct Start {
    /// Opens the first file, or searches places for it.
    pub open: Action,
    /// Options of the session.
    pub session: SessionOptions,
    /// The adapter to draw with.
    pub adapter: AdapterChoice,
    /// The size of the window's contents in points. The display's scale converts points to pixels.
    pub size: [u32; 2],
    /// How the picture is drawn while something moves; `None` as settings say.
    pub quality: Option<MotionQuality>,
    /// The folder of pictures that are saved under a name of their own.
    pub folder: PathBuf,
    /// The file of settings that outlive the window, if there is one.
    pub settings: Option<PathBuf>,
    /// The script that drives the window.
    pub script: Option<ScriptSource>,
    /// Whether a window that a script drives takes the files of later starts, as other windows do.
    pub reuse: bool,
    /// Metres per unit of BVH files; guessed if `None`.
    pub bvh_scale: Option<f32>,
}

/// The source of a script's lines. Standard input is read line by line, so that another program can look at an answer
/// before it writes the next line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptSource {
    /// The text of a file.
    Text(String),
    /// Standard input.
    StandardInput,
}
