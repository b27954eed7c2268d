//! The progress of a comparison, shared between the thread that compares and one that shows it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The progress of a comparison.
#[derive(Debug, Default)]
pub struct CompareProgress {
    done: AtomicUsize,
    of: AtomicUsize,
    cancelled: AtomicBool,
}

impl CompareProgress {
    /// The compared share of the clips, from 0 to 1; 0 until the number of clips is known.
    pub fn share(&self) -> f64 {
        match self.of.load(Ordering::Relaxed) {
            0 => 0.0,
            of => self.done.load(Ordering::Relaxed) as f64 / of as f64,
        }
    }

    /// Ends the comparison before its next clip.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the comparison was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self, clips: usize) {
        self.of.store(clips, Ordering::Relaxed);
    }

    pub(super) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}
