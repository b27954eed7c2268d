//! Writes files for the window, with messages that name the file and the reason.

use std::io;
use std::path::Path;

use crate::capture::write_whole;

/// What a person can do about a file that can't be written where a dialog or a script has put it.
pub(super) const ELSEWHERE: &str = "choose another place";

/// Writes a text file.
///
/// # Errors
/// If it can't be written; one line with the path.
pub(super) fn write_text(path: &Path, text: &str) -> Result<(), String> {
    write_whole(path, |out| out.write_all(text.as_bytes())).map_err(|e| write_error(path, &e))
}

/// Returns a line about a file that can't be written.
pub(super) fn write_error(path: &Path, error: &io::Error) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = whole.parent().unwrap_or(&whole);
    let why = match error.kind() {
        io::ErrorKind::NotFound if !folder.is_dir() => {
            format!("there is no folder {}", folder.display())
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "no permission to write there".to_owned()
        }
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => error.to_string(),
    };
    format!("{}: {why}", path.display())
}
