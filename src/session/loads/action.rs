//! The steps in opening files.

use std::path::PathBuf;

use crate::import::{ImportError, Loaded};
use crate::model::{Environment, RetargetOptions};
use crate::session::{FileSource, Finds, LoadId, Search};

/// A step in opening a file.
#[derive(Debug)]
pub enum LoadAction {
    /// Opens a file in place of the one shown; an .hdr or .exr becomes the environment.
    Open(FileSource),
    /// Plays the clips of a file on the shown model, in place of its own.
    TakeClips(FileSource),
    /// Converts the clips that were taken of another file again, in another way.
    Retarget(RetargetOptions),
    /// Saves which joints follow which as a table.
    SaveMap,
    /// Plays the clips of the first model in several files and folders on the shown model.
    TakeClipsOfAll(Vec<PathBuf>),
    /// Opens the first model of several files and folders; [`LoadAction::StepFiles`] then goes through all of them.
    OpenAll(Vec<PathBuf>),
    /// Opens the n-th file after this one (before it if negative), of those opened together or of the
    /// folder.
    StepFiles(i64),
    /// Reads the file again; clip, time and camera stay.
    Reload,
    /// Reads the file of a shown model again because its images were lost with the device. Messages stay. A load that
    /// runs has precedence; if it fails or is cancelled, the file is read then. Escape does not cancel it.
    Restore(LoadId),
    /// Watched files have changed and have been quiet since.
    FilesChanged(Vec<PathBuf>),
    /// A search has ended.
    Found {
        /// The search.
        search: Search,
        /// What was found.
        finds: Finds,
    },
    /// Reading a file has ended.
    Loaded {
        /// The load.
        id: LoadId,
        /// The file, or the reason why it can't be read.
        result: Box<Result<Loaded, ImportError>>,
    },
    /// Uploading a model has ended.
    Uploaded {
        /// The load.
        id: LoadId,
        /// The model, without the pixels that the GPU has now.
        loaded: Box<Loaded>,
    },
    /// Reading an environment has ended.
    EnvironmentLoaded {
        /// The load.
        id: LoadId,
        /// The environment, or the reason why it can't be read.
        result: Box<Result<Environment, ImportError>>,
    },
}

impl LoadAction {
    /// Opens the file at a path.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        LoadAction::Open(FileSource::Path(path.into()))
    }
}
