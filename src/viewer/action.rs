//! What changes the session, and what the session wants done outside.

use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec2;

use super::{FileSource, Finds, LayerSettings, NoticeKind, Search};
use crate::anim::Repeat;
use crate::import::{ImportError, Loaded, Progress, ReadFile};
use crate::look::{Lighting, Pass, ToneMap};
use crate::model::Environment;
use crate::report::ClipForm;

/// Tells loads apart: a later one supersedes an earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadId(pub u64);

/// A file to be read on another thread.
#[derive(Clone, Debug)]
pub struct LoadRequest {
    /// What [`Action::Loaded`] is to give back.
    pub id: LoadId,
    /// Where the bytes are.
    pub source: FileSource,
    /// How far it has come; cancelled when nobody wants it any more.
    pub progress: Arc<Progress>,
    /// Clip, time and camera stay if the file that is shown comes back.
    pub again: bool,
    /// It is read because it changed: whoever writes it may not be done, so a failure is told
    /// only after a while in which nothing changes.
    pub patient: bool,
    /// Only its clips are wanted, for what is shown.
    pub for_clips: bool,
}

impl PartialEq for LoadRequest {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The files whose change is to be told by [`Action::FilesChanged`], in place of all before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// Files that were read, as they were then: a change since counts.
    pub read: Vec<ReadFile>,
    /// Others, of which it counts what was last seen of them.
    pub also: Vec<PathBuf>,
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

/// A point at which playing begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Playing begins here.
    In,
    /// Playing ends here.
    Out,
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
    /// Reading an environment has ended.
    EnvironmentLoaded {
        /// Which.
        id: LoadId,
        /// The environment, or why there is none.
        result: Box<Result<Environment, ImportError>>,
    },
    /// The picture's width over its height is now this.
    SetAspect(f64),
    /// Something that the person should know, shown until dismissed.
    Notice(NoticeKind, String),

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
    /// Plays the clip as a smaller form would hold it.
    SetForm(ClipForm),
    /// How long it takes from one clip to the next, in seconds.
    SetFade(f64),
    /// The clips that play beside the shown one.
    SetLayers(Vec<LayerSettings>),
    /// Plays from or up to a time of the clip, or without such a point.
    SetMark(Mark, Option<f64>),

    /// Turns the camera by a drag, in parts of the picture's height.
    Orbit(DVec2),
    /// Moves the camera by a drag, in parts of the picture's height.
    Pan(DVec2),
    /// Scales the camera's distance to the surface under the pointer, which stays there.
    Zoom {
        /// Below 1 comes nearer.
        factor: f64,
        /// In parts of the picture's height from its middle, Y down.
        pointer: DVec2,
    },
    /// Makes the surface under a place of the picture the centre of orbits. The place is in parts of
    /// the picture's height from its middle, Y down.
    CenterOn(DVec2),
    /// Shows the model over its whole clip, from where the camera looks now.
    FrameAll,
    /// The camera as it was after loading.
    ResetCamera,
    /// Looks at a side of the model.
    LookFrom(Side),
    /// Parallel or perspective.
    ToggleOrthographic,
    /// Shows another scene of the file.
    SelectScene(usize),
    /// Looks through a camera of the file, or by the orbiting one as it stood before.
    SelectCamera(Option<usize>),

    /// Turns the scene so that its +Z is up, or back as the file has it, and frames it.
    ToggleStoodUp,
    /// The skeleton over the picture, or not.
    ToggleSkeleton,
    /// The joints' names over the picture, or not.
    ToggleJointNames,
    /// The grid on the ground, or not.
    ToggleGrid,
    /// The scene's axes over the picture, or not.
    ToggleAxes,
    /// The posed model's box over the picture, or not.
    ToggleBounds,
    /// What lights the scene.
    SetLighting(Box<Lighting>),
    /// How light becomes colours.
    SetToneMap(ToneMap),
    /// Stops of exposure.
    SetExposure(f32),
    /// What the picture shows.
    SetPass(Pass),
    /// Shows the weights of a joint, given as a node; of the joint with the most weight if none.
    SelectJoint(Option<usize>),
    /// Which of the file's material variants, or none.
    SelectVariant(Option<usize>),
    /// The next of the passes, round and round.
    NextPass,

    /// Writes a picture of what is shown to a file: bare, without background and overlays.
    SavePicture {
        /// Without them.
        bare: bool,
    },
    /// Puts a picture of what is shown on the clipboard.
    CopyPicture,
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
    /// Asks for a picture of all around to light the scene by.
    AskForEnvironment,
    /// Opens a file in place of what is shown; an .hdr or .exr lights what is shown.
    Open(FileSource),
    /// Plays the clips of a file on what is shown, in place of its own.
    TakeClips(FileSource),
    /// Opens one of several places: files, and folders in which models are looked for. Steps go
    /// through all of them.
    OpenAll(Vec<PathBuf>),
    /// Plays the clips of the first model in these places on what is shown.
    TakeClipsOfAll(Vec<PathBuf>),
    /// A search for models has ended.
    Found {
        /// What was asked.
        search: Search,
        /// What it came to.
        finds: Finds,
    },
    /// Opens the next file of those that were opened together, or of the folder (or one before).
    StepFiles(i64),
    /// Reads the file again; clip, time and camera stay.
    Reload,
    /// Reads it again because the pixels of its pictures were lost; messages stay too, and what is
    /// being opened comes first.
    Restore,
    /// Files that are watched have changed and are quiet since.
    FilesChanged(Vec<PathBuf>),
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
    /// Ask the person for an environment's picture and come back with [`Action::Open`].
    AskForEnvironment,
    /// Read a file and come back with [`Action::Loaded`].
    Load(LoadRequest),
    /// Read an environment and come back with [`Action::EnvironmentLoaded`].
    LoadEnvironment {
        /// What the action is to give back.
        id: LoadId,
        /// Where the picture is.
        path: PathBuf,
    },
    /// Look for models and come back with [`Action::Found`].
    Find(Search),
    /// Look at these files from now on, and no others.
    Watch(Watch),
    /// Write a picture of what is shown to a file and come back with [`Action::Notice`].
    SavePicture {
        /// Without background and overlays.
        bare: bool,
    },
    /// Put a picture of what is shown on the clipboard and come back with [`Action::Notice`].
    CopyPicture,
    /// Fill the screen, or stop to.
    ToggleFullScreen,
}
