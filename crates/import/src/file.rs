//! Reads files without trusting them: only regular ones, never blocking, never more than asked for.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::fault::ImportError;
use super::guard::reserve;
use super::progress::Progress;

/// Bytes read between two checks for cancellation.
const STEP: u64 = 8 << 20;

/// Reads a whole regular file of at most `most` bytes.
///
/// # Errors
/// When it is not a regular file, is larger, or can't be read.
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, ImportError> {
    let wrong = |what: String| ImportError::io(what);
    let progress = Progress::default();
    let mut file = open(path, &progress).map_err(wrong)?;
    if file.len > most {
        return Err(wrong(format!(
            "it has {} bytes, which is too many: at most {most} are read",
            file.len
        )));
    }
    file.read(most).map_err(wrong)
}

/// An open regular file.
pub(super) struct OpenFile<'a> {
    file: File,
    progress: &'a Progress,
    /// Its length in bytes.
    pub len: u64,
}

/// Opens a regular file without blocking, and records it in the progress.
///
/// # Errors
/// The reason in words.
pub(super) fn open<'a>(path: &Path, progress: &'a Progress) -> Result<OpenFile<'a>, String> {
    let mut options = File::options();
    options.read(true);
    // Opening a FIFO without a writer would block.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path).map_err(|e| {
        progress.note(path, None);
        in_words(&e)
    })?;
    // Checks the opened file, not the path, which may name another file by now.
    let metadata = file.metadata().map_err(|e| in_words(&e))?;
    progress.note(path, Some(&metadata));
    match metadata.file_type() {
        t if t.is_dir() => Err("it is a folder, not a regular file".into()),
        t if !t.is_file() => Err("not a regular file (a pipe, socket or device)".into()),
        _ => Ok(OpenFile { file, progress, len: metadata.len() }),
    }
}

impl OpenFile<'_> {
    /// Reads the next `most` bytes, or fewer if the file ends.
    ///
    /// # Errors
    /// When reading fails, memory is short, or the load was cancelled.
    pub fn read(&mut self, most: u64) -> Result<Vec<u8>, String> {
        let there = usize::try_from(most.min(self.len)).map_err(|_| "it is too large")?;
        let mut bytes = Vec::new();
        reserve(&mut bytes, there).map_err(|_| format!("no memory for {there} bytes"))?;
        self.read_onto(&mut bytes, most)?;
        Ok(bytes)
    }

    /// Appends to `bytes` until it is `end` long or the file ends.
    ///
    /// # Errors
    /// Like [`OpenFile::read`].
    pub fn read_onto(&mut self, bytes: &mut Vec<u8>, end: u64) -> Result<(), String> {
        let missing = end.min(self.len).saturating_sub(bytes.len() as u64);
        let missing_here = usize::try_from(missing).map_err(|_| "it is too large")?;
        reserve(bytes, missing_here).map_err(|_| format!("no memory for {end} bytes"))?;
        self.progress.will_read(missing);
        let mut left = missing;
        while left > 0 {
            self.progress.check().map_err(|e| e.message())?;
            let step = left.min(STEP);
            let read = self.file.by_ref().take(step).read_to_end(bytes);
            let read = read.map_err(|e| in_words(&e))? as u64;
            self.progress.has_read(if read < step { left } else { step });
            left = if read < step { 0 } else { left - step };
        }
        Ok(())
    }
}

/// Returns a system error in words, without its number where possible.
pub(super) fn in_words(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "not found".into(),
        ErrorKind::PermissionDenied => "no permission to read it".into(),
        _ => error.to_string(),
    }
}
