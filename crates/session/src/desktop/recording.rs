//! A recording of what is shown to a file, and its progress.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The progress of a recording, shared between the thread that draws it and the window.
#[derive(Debug, Default)]
pub struct RecordProgress {
    done: AtomicU32,
    of: AtomicU32,
    cancelled: AtomicBool,
}

impl RecordProgress {
    /// Sets the number of frames.
    pub fn begin(&self, frames: u32) {
        self.of.store(frames, Ordering::Relaxed);
    }

    /// Counts a frame that is written.
    pub fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of frames that are written, and of all; both are 0 until the number is known.
    pub fn frames(&self) -> [u32; 2] {
        [self.done.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed)]
    }

    /// Ends the recording before its next frame. Its file is not written.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the recording was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// A recording that runs.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Identifies the recording in its answer.
    pub id: u32,
    /// The file.
    pub path: PathBuf,
    /// Shared with the thread that draws it.
    pub progress: Arc<RecordProgress>,
}

impl PartialEq for Recording {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
