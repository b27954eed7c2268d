//! Writes files for the window, with messages that name the file and the reason, and finds names that no file has.

use std::io;
use std::path::{Path, PathBuf};

use rigview_capture::write_whole;

/// What a person can do about a file that can't be written where a dialog or a script has put it.
pub(crate) const ELSEWHERE: &str = "choose another place";

/// Writes a text file.
///
/// # Errors
/// If it can't be written; one line with the path.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), String> {
    write_whole(path, |out| out.write_all(text.as_bytes())).map_err(|e| write_error(path, &e))
}

/// Returns a line about a file that can't be written.
pub(crate) fn write_error(path: &Path, error: &io::Error) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = whole.parent().unwrap_or(&whole);
    let why = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !folder.is_dir() => {
            format!("there is no folder {}", folder.display())
        }
        io::ErrorKind::IsADirectory => "a folder has that name".to_owned(),
        io::ErrorKind::InvalidFilename => "the file system does not allow that name".to_owned(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "no permission to write there".to_owned()
        }
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => error.to_string(),
    };
    format!("{}: {why}", path.display())
}

/// Returns the path of this name and end in a folder, or the first one with a number between them, that no file has.
pub(crate) fn free_path(folder: &Path, name: &str, end: &str) -> Option<PathBuf> {
    numbered(folder, name, end).find(|path| !path.exists())
}

/// Returns the paths of this name and end in a folder, the plain one first, then those with a number.
pub(crate) fn numbered(folder: &Path, name: &str, end: &str) -> impl Iterator<Item = PathBuf> {
    let path = move |n: u32| match n {
        1 => folder.join(format!("{name}{end}")),
        n => folder.join(format!("{name}-{n}{end}")),
    };
    (1..10_000).map(path)
}
