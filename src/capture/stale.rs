//! Temporary files that an earlier run left because it was killed.

use std::fs::File;
use std::path::Path;

/// Prefix of temporary file names; six random letters or digits follow.
pub(super) const PREFIX: &str = ".rigview-";

/// Locks a temporary file while it is written, so that no other run takes it for a stale one.
pub(super) fn lock(file: &File) {
    // A file system without locks is no reason not to write: the age protects the file there.
    let _ = file.try_lock();
}

/// Removes the temporary files of a folder that certainly nobody writes any more: named as ours
/// are, the user's own, not locked, and last changed ten minutes before `now`, a file that was just
/// created in the same folder. The first folder of a process counts; others are not searched.
#[cfg(unix)]
pub(super) fn remove_stale(folder: &Path, now: &File) {
    use std::os::unix::fs::MetadataExt;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Seconds without a change. Whoever writes a file changes it all the time.
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

/// Whether a name is one that this program gives to temporary files. A word in lower case, such as
/// `.rigview-config`, is somebody's own.
#[cfg(unix)]
fn is_temporary(name: &std::ffi::OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    random.is_some_and(|random| {
        let drawn = |c: u8| c.is_ascii_alphanumeric();
        let a_word = random.bytes().all(|c| c.is_ascii_lowercase());
        random.len() == 6 && random.bytes().all(drawn) && !a_word
    })
}
