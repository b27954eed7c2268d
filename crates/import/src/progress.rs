//! The progress of an import, the files it has read, and its cancellation: all that the importer
//! shares with other threads.
//!
//! The importer starts no thread of its own for this. Nothing here blocks; reads return the current
//! values.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::fault::ImportError;
use super::files::ReadFile;

/// Estimated seconds per byte (read and unpacked), image, mesh and clip.
const SECS: [f64; 4] = [1e-8, 0.06, 0.01, 0.003];

/// Estimated seconds for the rest of an import whose images, meshes and clips are not counted yet.
const UNCOUNTED_SECS: f64 = 0.3;

/// The progress of one import. The default has not started.
#[derive(Debug, Default)]
pub struct Progress {
    cancelled: AtomicBool,
    /// Whether images, meshes and clips are counted.
    counted: AtomicBool,
    bytes: Count,
    /// Bytes that the document states, including those already read.
    expected: AtomicU64,
    images: Count,
    meshes: Count,
    clips: Count,
    /// The largest share returned so far, in millionths.
    largest_share: AtomicU64,
    files: Mutex<Vec<ReadFile>>,
}

/// `done` out of `of`.
#[derive(Debug, Default)]
struct Count {
    done: AtomicU64,
    of: AtomicU64,
}

/// `done` out of `of`, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The amount done.
    pub done: u64,
    /// The total, as far as is known.
    pub of: u64,
}

impl Count {
    fn part(&self) -> Tally {
        let of = self.of.load(Ordering::Relaxed);
        Tally { done: self.done.load(Ordering::Relaxed).min(of), of }
    }
}

impl Progress {
    /// Asks the import to stop soon. It then returns [`ImportError::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the import was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Bytes read, out of those of all files opened or expected.
    pub fn bytes(&self) -> Tally {
        let Tally { done, of } = self.bytes.part();
        Tally { done, of: of.max(self.expected.load(Ordering::Relaxed)) }
    }

    /// Images decoded.
    pub fn images(&self) -> Tally {
        self.images.part()
    }

    /// Estimated share of the import that is done, 0 to 1. It never decreases.
    pub fn share(&self) -> f64 {
        let counted = self.counted.load(Ordering::Relaxed);
        let [images, meshes, clips] = [&self.images, &self.meshes, &self.clips].map(Count::part);
        let parts = [self.bytes(), images, meshes, clips];
        let secs = |of: fn(&Tally) -> u64| -> f64 {
            parts.iter().zip(SECS).map(|(part, secs)| of(part) as f64 * secs).sum()
        };
        let (done, whole) = (secs(|part| part.done), secs(|part| part.of));
        let share = match counted {
            true if whole == 0.0 => 1.0,
            true => done / whole,
            false => done / (whole + UNCOUNTED_SECS),
        };
        let millionths = (share * 1e6).round() as u64;
        let largest = self.largest_share.fetch_max(millionths, Ordering::Relaxed).max(millionths);
        largest as f64 * 1e-6
    }

    /// The files that were opened so far, and those that were missing.
    pub fn files(&self) -> Vec<ReadFile> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Fails if the import was cancelled.
    pub(super) fn check(&self) -> Result<(), ImportError> {
        match self.is_cancelled() {
            true => Err(ImportError::Cancelled),
            false => Ok(()),
        }
    }

    /// Sets the totals of images, meshes and clips.
    pub(super) fn count(&self, images: usize, meshes: usize, clips: usize) {
        let of = [(&self.images, images), (&self.meshes, meshes), (&self.clips, clips)];
        of.into_iter().for_each(|(count, of)| count.of.store(of as u64, Ordering::Relaxed));
        self.counted.store(true, Ordering::Relaxed);
    }

    /// Announces bytes of files that are not open yet.
    pub(super) fn expect(&self, bytes: u64) {
        let all = self.bytes.done.load(Ordering::Relaxed).saturating_add(bytes);
        self.expected.fetch_max(all, Ordering::Relaxed);
    }

    /// Withdraws the announcement: all existing files were read.
    pub(super) fn expect_no_more(&self) {
        self.expected.store(0, Ordering::Relaxed);
    }

    /// Announces bytes that are about to be read.
    pub(super) fn will_read(&self, bytes: u64) {
        self.bytes.of.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that were read.
    pub(super) fn has_read(&self, bytes: u64) {
        self.bytes.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts an image as done.
    pub(super) fn image_done(&self) {
        self.images.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a mesh as done.
    pub(super) fn mesh_done(&self) {
        self.meshes.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a clip as done.
    pub(super) fn clip_done(&self) {
        self.clips.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Records a file that was opened, or was missing.
    pub(super) fn note(&self, file: ReadFile) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if !files.iter().any(|known| known.path == file.path) {
            files.push(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_rises_from_0_to_1_and_never_falls() {
        let progress = Progress::default();
        assert_eq!(progress.share(), 0.0);
        progress.will_read(100);
        progress.has_read(100);
        let first = progress.share();
        progress.will_read(900);
        assert_eq!((progress.share(), progress.bytes().of), (first, 1000));
        progress.has_read(900);
        progress.count(2, 0, 1);
        let before = progress.share();
        progress.image_done();
        assert!(progress.share() > before && progress.share() < 1.0);
        progress.image_done();
        progress.clip_done();
        assert_eq!(progress.share(), 1.0);
    }

    /// Reading takes most of the time for a large file without images.
    #[test]
    fn the_share_follows_the_bytes_of_a_large_file() {
        let progress = Progress::default();
        progress.will_read(102_000_000);
        progress.has_read(84_000_000);
        let uncounted = progress.share();
        assert!((0.6..0.85).contains(&uncounted), "{uncounted}");
        progress.count(0, 3, 4);
        let counted = progress.share();
        assert!((0.65..0.85).contains(&counted), "{counted}");
        // A small document that names a large buffer.
        let split = Progress::default();
        split.will_read(2_000_000);
        split.has_read(2_000_000);
        assert!(split.share() < 0.1, "{}", split.share());
        split.count(0, 1, 1);
        split.expect(100_000_000);
        assert!(split.share() < 0.1 && split.bytes().of == 102_000_000, "{split:?}");
        split.will_read(100_000_000);
        split.has_read(50_000_000);
        assert!((0.4..0.6).contains(&split.share()), "{split:?}");
    }
}
