//! What belongs to the program's window rather than to a model: the command palette, the theme, the quality of motion,
//! the recent files, and the recording that runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use crate::{CopyOf, Destination, FileSource};

/// Number of recent files that are kept.
pub(super) const RECENT: usize = 10;

rigview_anim::named_enum! {
    /// The colours of the panels.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ThemeChoice {
        /// Those of the system; dark if it has none.
        #[default]
        System = "system",
        /// Light on dark.
        Dark = "dark",
        /// Dark on light.
        Light = "light",
    }
}

rigview_anim::named_enum! {
    /// How the picture is drawn while something moves. At rest it is always that of `screenshot`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum MotionQuality {
        /// With fewer pixels and samples where full frames take too long.
        #[default]
        Auto = "auto",
        /// In full, however long it takes.
        Full = "full",
        /// With half the width and height, and few samples.
        Quick = "quick",
    }
}

/// The state of the program's window that does not depend on the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Desktop {
    pub(super) palette: bool,
    pub(super) theme: ThemeChoice,
    pub(super) quality: MotionQuality,
    pub(super) recent: Vec<PathBuf>,
    pub(super) missing: Vec<PathBuf>,
    pub(super) keys: BTreeMap<String, String>,
    /// How often a node was to be found by its name.
    pub(super) searches: u32,
    pub(super) without_drops: bool,
    pub(super) recording: Option<Recording>,
    /// The number of recordings so far.
    pub(super) recordings: u32,
}

/// A change of the window that does not depend on the model.
#[derive(Clone, Debug, PartialEq)]
pub enum DesktopAction {
    /// Opens or closes the command palette.
    TogglePalette,
    /// Sets the colours of the panels.
    SetTheme(ThemeChoice),
    /// Sets how the picture is drawn while something moves.
    SetQuality(MotionQuality),
    /// Replaces the list of recent files, the latest first.
    SetRecent(Vec<PathBuf>),
    /// Opens the tree of nodes and puts the cursor into its search.
    FindNode,
    /// Sets the keys that shortcuts have instead of those of the table, by the shortcuts' titles.
    SetKeys(BTreeMap<String, String>),
    /// Looks which of the recent files still exist.
    LookForRecent,
    /// Says which of the recent files do not exist.
    SetMissing(Vec<PathBuf>),
    /// Says that no files can be dropped on the window.
    SetWithoutDrops,
    /// Copies the command that draws the shown picture without a window.
    CopyCommandLine,
    /// Writes a session file.
    SaveSession(PathBuf),
    /// Records what is shown to a file, from the in point to the out point of the clip.
    Record(PathBuf),
    /// Cancels the recording that runs. Its file is not written.
    CancelRecording,
    /// A recording has ended.
    Recorded {
        /// Of [`Recording::id`].
        id: u32,
        /// The reason if the file is not written.
        result: Result<(), String>,
    },
    /// The text of a session file has been read, or the reason why it can't be.
    SessionRead {
        /// The file.
        path: PathBuf,
        /// Its text.
        text: Result<String, String>,
    },
}

/// The purpose of a file that a dialog asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileQuestion {
    /// A file to open; its destination.
    Open(Destination),
    /// The file of a pose to read.
    LoadPose,
    /// The file of a pose to write.
    SavePose,
    /// The file of a table of joints to write.
    SaveMap,
    /// The file of a copy to write.
    SaveCopy(CopyOf),
    /// A session file to write.
    SaveSession,
    /// A recording to write.
    Record,
}

/// A request about the window; [`Effect::Desktop`](crate::Effect::Desktop) has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DesktopEffect {
    /// Copy the command line of the picture's size and scale ([`command_line`](crate::command_line())); answer with
    /// [`Action::Notice`](crate::Action::Notice).
    CopyCommandLine,
    /// Give the frame of the window these colours.
    SetTheme(ThemeChoice),
    /// Look which of these files exist; answer with [`DesktopAction::SetMissing`].
    LookFor(Vec<PathBuf>),
    /// Record [`twin`](crate::Session::twin) to the file of [`Desktop::recording`]; answer with
    /// [`DesktopAction::Recorded`].
    Record,
    /// Write a text to a file; answer with [`Action::Saved`](crate::Action::Saved), or
    /// [`Action::Notice`](crate::Action::Notice) if it fails.
    Write {
        /// The file.
        path: PathBuf,
        /// Its text.
        text: String,
    },
    /// Read a session file; answer with [`DesktopAction::SessionRead`].
    Read(PathBuf),
}

impl Desktop {
    /// Whether the command palette is open.
    pub fn palette(&self) -> bool {
        self.palette
    }

    /// The colours of the panels.
    pub fn theme(&self) -> ThemeChoice {
        self.theme
    }

    /// How the picture is drawn while something moves.
    pub fn quality(&self) -> MotionQuality {
        self.quality
    }

    /// Whether files can be dropped on the window.
    pub fn takes_drops(&self) -> bool {
        !self.without_drops
    }

    /// The files that were opened last, the latest first. Some may no longer exist.
    pub fn recent(&self) -> &[PathBuf] {
        &self.recent
    }

    /// The keys that were chosen for shortcuts, by their titles.
    pub fn keys(&self) -> &BTreeMap<String, String> {
        &self.keys
    }

    /// Changes when the cursor is to go into the search of the tree.
    pub fn searches(&self) -> u32 {
        self.searches
    }

    /// Whether a recent file did not exist when its list was opened last.
    pub fn is_missing(&self, path: &Path) -> bool {
        self.missing.iter().any(|missing| missing == path)
    }

    /// The recording that runs.
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// Puts a file that was opened at the start of the recent ones.
    pub(super) fn note_opened(&mut self, source: &FileSource) {
        if let FileSource::Path(path) = source {
            let path = absolute(path);
            self.recent.retain(|other| *other != path);
            self.recent.insert(0, path);
            self.recent.truncate(RECENT);
        }
    }
}

/// Returns a path that does not depend on the working directory, or the path itself if there is none.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_file_is_first_and_none_is_listed_twice() {
        let mut desktop = Desktop::default();
        let path = |i: usize| PathBuf::from(format!("/rigs/{i}.glb"));
        (0..12).for_each(|i| desktop.note_opened(&FileSource::Path(path(i))));
        assert_eq!(desktop.recent(), (2..12).rev().map(path).collect::<Vec<_>>());
        desktop.note_opened(&FileSource::Path(path(5)));
        assert_eq!((desktop.recent()[0].clone(), desktop.recent().len()), (path(5), 10));
        desktop.note_opened(&FileSource::BuiltIn { name: "creature", bytes: &[] });
        assert_eq!(desktop.recent()[0], path(5));
    }
}
