//! The steps in opening files.

use std::path::PathBuf;

use crate::{Destination, FileChanges, FileSource, Finds, LoadId, LoadedFile, Search};
use rigview_import::ImportError;
use rigview_rig::RetargetOptions;

/// A step in opening a file.
#[derive(Debug)]
pub enum LoadAction {
    /// Opens a file; an .hdr or .exr becomes the environment, whatever the destination.
    Open(FileSource, Destination),
    /// Opens the first model of several files and folders; [`LoadAction::StepFiles`] then goes through all of them. To be
    /// compared with nothing shown, the first two models are opened.
    OpenAll(Vec<PathBuf>, Destination),
    /// Reports a file that can't be opened for a destination, for this reason.
    Refuse(FileSource, Destination, String),
    /// Opens a file in place of the shown one, and another file beside it.
    OpenBoth([FileSource; 2]),
    /// Converts the clips that were taken of another file again, in another way.
    Retarget(RetargetOptions),
    /// Saves which joints follow which as a table.
    SaveMap,
    /// Opens the n-th file after this one (before it if negative), of those opened together or of the
    /// folder.
    StepFiles(i64),
    /// Reads the file again; clip, time and camera stay.
    Reload,
    /// Reads the file of a shown model again because its images were lost with the device. Messages stay. A load that
    /// runs has precedence; if it fails or is cancelled, the file is read then. Escape does not cancel it.
    Restore(LoadId),
    /// Watched files have changed or gone, and have been quiet since.
    FilesChanged(FileChanges),
    /// A search has ended.
    Found {
        /// The search.
        search: Search,
        /// What was found.
        finds: Finds,
    },
    /// A load has ended. The model is uploaded where that is possible, and does not have the pixels that the GPU has.
    Loaded {
        /// The load.
        id: LoadId,
        /// The file, or the reason why it can't be read.
        result: Result<LoadedFile, ImportError>,
    },
}

impl LoadAction {
    /// Shows the file at a path.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        LoadAction::Open(FileSource::Path(path.into()), Destination::Shown)
    }
}
