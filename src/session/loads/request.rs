//! Requests that run on other threads: loads, and the files to watch.

use std::path::PathBuf;
use std::sync::Arc;

use crate::import::{Progress, ReadFile};
use crate::session::FileSource;

/// Identifies a load; a later load supersedes an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadId(pub u64);

/// Where a file goes that is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Destination {
    /// It is shown in place of the shown file.
    #[default]
    Shown,
    /// It is compared with the shown file.
    Beside,
    /// Its clips play on the shown model.
    Clips,
    /// It lights the scene.
    Light,
}

/// A request to read a file on another thread.
#[derive(Clone, Debug)]
pub struct LoadRequest {
    /// Returned with the result, in [`LoadAction::Loaded`](crate::session::LoadAction::Loaded).
    pub id: LoadId,
    /// The file.
    pub source: FileSource,
    /// Counts the bytes read; cancelled when the load is superseded or given up.
    pub progress: Arc<Progress>,
    /// Whether clip, time and camera stay if this is the file that is shown.
    pub again: bool,
    /// Whether the file is read because it changed. The program that writes it may not have finished, so a
    /// failure is reported only after the file has been quiet for a while.
    pub patient: bool,
    /// Whether only the file's clips are wanted, for the model that is shown.
    pub for_clips: bool,
}

impl PartialEq for LoadRequest {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The files whose changes are reported by [`LoadAction::FilesChanged`](crate::session::LoadAction::FilesChanged). Replaces
/// every earlier watch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// Files that were read, with their size and time at that moment: any difference counts as a change.
    pub read: Vec<ReadFile>,
    /// Further files; changes count from now on.
    pub also: Vec<PathBuf>,
}
