//! Removes temporary files that a killed run left behind.

use std::fs::File;
use std::path::Path;

/// Prefix of temporary file names; six random letters or digits follow.
pub(super) const PREFIX: &str = ".rigview-";

/// Locks a temporary file while it is written, so that other runs do not consider it stale.
pub(super) fn lock(file: &File) {
    // Ignore errors: on file systems without locks, the age protects the file.
    let _ = file.try_lock();
}

/// Removes the stale temporary files of a folder: those with our prefix that belong to the user, are not
/// locked, and were last changed ten minutes or more before `now`, a file just created in the folder.
/// Only the first folder of a process is searched.
#[cfg(unix)]
pub(super) fn remove_stale(folder: &Path, now: &File) {
    use std::os::unix::fs::MetadataExt;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Seconds since the last change. A file that is being written changes continuously.
    const STALE: i64 = 600;
    static SEARCHED: AtomicBool = AtomicBool::new(false);

    if SEARCHED.swap(true, Ordering::Relaxed) {
        return;
    }
    let (Ok(now), Ok(entries)) = (now.metadata(), folder.read_dir()) else { return };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.file_name())) {
        let Ok(metadata) = entry.metadata() else { continue };
        let ours = metadata.is_file() && metadata.uid() == now.uid() && metadata.nlink() == 1;
        if !ours || now.mtime() - metadata.mtime() < STALE {
            continue;
        }
        let unlocked = File::open(entry.path()).and_then(|f| f.try_lock().map_err(Into::into));
        if unlocked.is_ok() && std::fs::remove_file(entry.path()).is_ok() {
            log::debug!("removed {}, left by an earlier run", entry.path().display());
        }
    }
}

#[cfg(not(unix))]
pub(super) fn remove_stale(_: &Path, _: &File) {}

/// Whether this program gives such names to temporary files. A lower-case word after the prefix, as in
/// `.rigview-config`, belongs to somebody else.
#[cfg(unix)]
fn is_temporary(name: &std::ffi::OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    random.is_some_and(|random| {
        let drawn = |c: u8| c.is_ascii_alphanumeric();
        let a_word = random.bytes().all(|c| c.is_ascii_lowercase());
        random.len() == 6 && random.bytes().all(drawn) && !a_word
    })
}
