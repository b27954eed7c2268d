//! What wakes the event loop.

use std::path::PathBuf;

/// What wakes the event loop from another thread.
#[derive(Debug)]
pub(super) enum Wake {
    /// A load or an upload has ended.
    Loaded,
    /// Something happened in a folder that is watched.
    Stirred,
    /// The person chose a file, or none.
    Chosen(Option<PathBuf>),
    /// There was no dialog to choose in.
    NoDialog,
    /// The device is gone; says why.
    DeviceLost(String),
    /// A line of the script; none after the last, an error when they can't be read.
    Line(Result<Option<String>, String>),
}
