//! Files of poses: which dropped files they are, and what they say.

use std::path::Path;

use crate::import::read_file;
use crate::report::GivenPose;
use crate::session::SESSION_FILE;

/// Whether a dropped file is a pose.
pub(super) fn is_pose(path: &Path) -> bool {
    let is_session = path.to_string_lossy().to_lowercase().ends_with(SESSION_FILE);
    !is_session && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

/// Reads a pose.
///
/// # Errors
/// If the file can't be read or is no pose; one line.
pub(super) fn read_pose(path: &Path) -> Result<GivenPose, String> {
    let bytes = read_file(path, GivenPose::MOST_BYTES).map_err(|e| e.to_string())?;
    GivenPose::read(&bytes)
}
