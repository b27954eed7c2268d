//! What changes the session, and what the session wants done outside.

use std::path::PathBuf;

use glam::DVec2;

use super::{FileSource, LayerSettings};
use crate::anim::Repeat;
use crate::import::{ImportError, Loaded};
use crate::look::Pass;

/// Tells loads apart: a later one supersedes an earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadId(pub u64);

/// A file to be read on another thread.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRequest {
    /// What [`Action::Loaded`] is to give back.
    pub id: LoadId,
    /// Where the bytes are.
    pub source: FileSource,
}

/// A side of the model to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its face: from +Z.
    Front,
    /// From +X.
    Right,
    /// From +Y.
    Top,
}

/// One change of the session.
#[derive(Debug)]
pub enum Action {
    /// Seconds of real time have passed.
    Advance(f64),
    /// A load has ended.
    Loaded {
        /// Which.
        id: LoadId,
        /// The file, or why there is none.
        result: Box<Result<Loaded, ImportError>>,
    },
    /// The picture's width over its height is now this.
    SetAspect(f64),
    /// Something that the person should know, shown until dismissed.
    Notice(String),

    /// Plays or pauses.
    TogglePlay,
    /// Goes to a time of the clip and pauses.
    Seek(f64),
    /// Goes this many frames on (or back) and pauses.
    StepFrames(i64),
    /// Goes to the next key of any channel (or back to the one before) and pauses.
    StepKeys(i64),
    /// Chooses a clip, or the rest pose.
    SelectClip(Option<usize>),
    /// The clip after this one, round and round.
    NextClip,
    /// The clip before this one.
    PreviousClip,
    /// Clip seconds a second.
    SetSpeed(f64),
    /// What happens at the clip's end.
    SetRepeat(Repeat),
    /// How long it takes from one clip to the next, in seconds.
    SetFade(f64),
    /// The clips that play beside the shown one.
    SetLayers(Vec<LayerSettings>),

    /// Turns the camera by a drag, in parts of the picture's height.
    Orbit(DVec2),
    /// Moves the camera by a drag, in parts of the picture's height.
    Pan(DVec2),
    /// Scales the camera's distance and keeps what is under the pointer.
    Zoom {
        /// Below 1 comes nearer.
        factor: f64,
        /// In parts of the picture's height from its middle, Y down.
        pointer: DVec2,
    },
    /// Shows the model over its whole clip, from where the camera looks now.
    FrameAll,
    /// The camera as it was after loading.
    ResetCamera,
    /// Looks at a side of the model.
    LookFrom(Side),
    /// Parallel or perspective.
    ToggleOrthographic,

    /// The skeleton over the picture, or not.
    ToggleSkeleton,
    /// What the picture shows.
    SetPass(Pass),
    /// The next of the passes, round and round.
    NextPass,

    /// All panels, or only the picture.
    TogglePanels,
    /// The table of keys, or not.
    ToggleHelp,
    /// The whole screen, or a window.
    ToggleFullScreen,
    /// Closes what lies over the picture, or gives up a load: the topmost first.
    Escape,

    /// Asks for a file.
    AskForFile,
    /// Opens a file in place of what is shown.
    Open(FileSource),
    /// Plays the clips of a file on what is shown, in place of its own.
    TakeClips(FileSource),
    /// Reads the file again; clip, time and camera stay.
    Reload,
    /// Takes the error or notice away.
    Dismiss,
}

impl Action {
    /// Opens a file of a path.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Action::Open(FileSource::Path(path.into()))
    }
}

/// What the session wants done outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the person for a file and come back with [`Action::Open`].
    AskForFile,
    /// Read a file and come back with [`Action::Loaded`].
    Load(LoadRequest),
    /// Fill the screen, or stop to.
    ToggleFullScreen,
}
