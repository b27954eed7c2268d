//! How far an import has come, told while it runs, which files it read, and whether it is still
//! wanted: all that the importer shares with other threads.
//!
//! Who runs it where is the caller's matter. Nothing here waits: whoever looks sees the numbers of
//! that moment.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::fault::ImportError;

/// About how long the parts of an import take, in seconds: a byte (read and unpacked), an image, a mesh, a
/// clip.
const SECS: [f64; 4] = [1e-8, 0.06, 0.01, 0.003];

/// How long the rest may take while the file has not said what else it holds, in seconds.
const UNCOUNTED_SECS: f64 = 0.3;

/// The progress of one import. The default is of one that has not begun.
#[derive(Debug, Default)]
pub struct Progress {
    unwanted: AtomicBool,
    /// Set once the file has said how much it holds.
    counted: AtomicBool,
    bytes: Count,
    /// Bytes that the file says there are, those already read included.
    expected: AtomicU64,
    images: Count,
    meshes: Count,
    clips: Count,
    /// The largest share that was told, in millionths.
    told: AtomicU64,
    files: Mutex<Vec<ReadFile>>,
}

/// So many of so many.
#[derive(Debug, Default)]
struct Count {
    done: AtomicU64,
    of: AtomicU64,
}

/// How much is done, of how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// So much is done.
    pub done: u64,
    /// Of so much, as far as is known.
    pub of: u64,
}

/// A file that an import read or looked for, as it was then.
#[derive(Clone, Debug)]
pub struct ReadFile {
    /// Where.
    pub path: PathBuf,
    /// What the system said of it; none where it was not there.
    metadata: Option<Metadata>,
}

impl ReadFile {
    /// A file as it is now.
    pub fn now(path: &Path) -> Self {
        Self { path: path.to_owned(), metadata: std::fs::metadata(path).ok() }
    }

    /// Whether there was a file.
    pub fn is_there(&self) -> bool {
        self.metadata.is_some()
    }
}

/// Equal are two looks at a file between which nobody wrote to it, as far as its length and time
/// tell, or put another in its place.
impl PartialEq for ReadFile {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.metadata, &other.metadata) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                (a.len(), a.modified().ok()) == (b.len(), b.modified().ok()) && same_file(a, b)
            }
            _ => false,
        };
        same && self.path == other.path
    }
}

/// A file that was renamed over another may have its length and time.
#[cfg(unix)]
fn same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

impl Count {
    fn part(&self) -> Part {
        let of = self.of.load(Ordering::Relaxed);
        Part { done: self.done.load(Ordering::Relaxed).min(of), of }
    }
}

impl Progress {
    /// Asks the import to end soon. It then ends with an error, which nobody needs to see.
    pub fn cancel(&self) {
        self.unwanted.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.unwanted.load(Ordering::Relaxed)
    }

    /// Bytes of the files that were opened.
    pub fn bytes(&self) -> Part {
        let Part { done, of } = self.bytes.part();
        Part { done, of: of.max(self.expected.load(Ordering::Relaxed)) }
    }

    /// Images whose pixels are there.
    pub fn images(&self) -> Part {
        self.images.part()
    }

    /// How much of the whole import is done, 0 to 1; it never goes back.
    pub fn share(&self) -> f64 {
        let counted = self.counted.load(Ordering::Relaxed);
        let [images, meshes, clips] = [&self.images, &self.meshes, &self.clips].map(Count::part);
        let parts = [self.bytes(), images, meshes, clips];
        let secs = |of: fn(&Part) -> u64| -> f64 {
            parts.iter().zip(SECS).map(|(part, secs)| of(part) as f64 * secs).sum()
        };
        let (done, whole) = (secs(|part| part.done), secs(|part| part.of));
        let share = match counted {
            true if whole == 0.0 => 1.0,
            true => done / whole,
            false => done / (whole + UNCOUNTED_SECS),
        };
        let millionths = (share * 1e6).round() as u64;
        let told = self.told.fetch_max(millionths, Ordering::Relaxed).max(millionths);
        told as f64 * 1e-6
    }

    /// The files that were read so far, and those that were looked for in vain.
    pub fn files(&self) -> Vec<ReadFile> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// An error where the import is no longer wanted.
    pub(super) fn check(&self) -> Result<(), ImportError> {
        match self.is_cancelled() {
            true => Err(ImportError::Cancelled),
            false => Ok(()),
        }
    }

    /// What the file says that it holds.
    pub(super) fn count(&self, images: usize, meshes: usize, clips: usize) {
        let of = [(&self.images, images), (&self.meshes, meshes), (&self.clips, clips)];
        of.into_iter().for_each(|(count, of)| count.of.store(of as u64, Ordering::Relaxed));
        self.counted.store(true, Ordering::Relaxed);
    }

    /// So many bytes are expected beside those that were read, before their files are opened.
    pub(super) fn expect(&self, bytes: u64) {
        let all = self.bytes.done.load(Ordering::Relaxed).saturating_add(bytes);
        self.expected.fetch_max(all, Ordering::Relaxed);
    }

    /// What was expected has been read, as far as it was there.
    pub(super) fn expect_no_more(&self) {
        self.expected.store(0, Ordering::Relaxed);
    }

    /// So many bytes are going to be read.
    pub(super) fn will_read(&self, bytes: u64) {
        self.bytes.of.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes were read.
    pub(super) fn has_read(&self, bytes: u64) {
        self.bytes.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// An image has been dealt with.
    pub(super) fn image_done(&self) {
        self.images.done.fetch_add(1, Ordering::Relaxed);
    }

    /// A mesh has been read.
    pub(super) fn mesh_done(&self) {
        self.meshes.done.fetch_add(1, Ordering::Relaxed);
    }

    /// A clip has been read.
    pub(super) fn clip_done(&self) {
        self.clips.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes a file that is opened, or is not there.
    pub(super) fn note(&self, path: &Path, metadata: Option<&Metadata>) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if !files.iter().any(|file| file.path == path) {
            files.push(ReadFile { path: path.to_owned(), metadata: metadata.cloned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_goes_from_0_to_1_and_never_back() {
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

    /// A large file without images is read for most of its time.
    #[test]
    fn the_bar_stands_where_the_bytes_are() {
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

    #[test]
    fn a_file_that_was_written_replaced_or_deleted_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let gone = ReadFile::now(&path);
        std::fs::write(&path, "one").unwrap();
        let first = ReadFile::now(&path);
        assert!(first == ReadFile::now(&path) && gone == gone.clone());
        assert!(first != gone && !gone.is_there());
        std::fs::write(&path, "longer").unwrap();
        assert!(first != ReadFile::now(&path));
    }
}
