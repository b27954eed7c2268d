//! Watches the shown files for changes. The system reports events in their folders; a change is reported when the
//! files have been quiet for a while.
//!
//! Events only trigger a check of size and time. So writes, renames over a file and folders that reappear are all
//! handled in the same way.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use winit::event_loop::EventLoopProxy;

use super::wake::Wake;
use rigview_import::ReadFile;
use rigview_session::{FileChanges, Watch};

/// Time for which files must stay unchanged before a change is reported.
const QUIET: Duration = Duration::from_millis(200);

/// The watched files.
pub(super) struct Watcher {
    /// `None` if the system does not report changes.
    system: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
    /// Size and time of each file when it was last read or reported.
    files: Vec<ReadFile>,
    /// The time of the next check, and the state at the check before.
    check: Option<(Instant, Vec<ReadFile>)>,
    /// Whether the event loop was woken and has not reacted yet.
    woken: Arc<AtomicBool>,
}

impl Watcher {
    /// Returns a watcher without files, which wakes the event loop with [`Wake::FolderChanged`].
    pub fn new(proxy: EventLoopProxy<Wake>) -> Self {
        let woken = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&woken);
        let hear = move |event: notify::Result<Event>| {
            let matters = event.is_ok_and(|event| writes(event.kind));
            if matters && !told.swap(true, Ordering::Relaxed) {
                // The event loop is gone if the window has been closed.
                let _ = proxy.send_event(Wake::FolderChanged);
            }
        };
        let system = notify::recommended_watcher(hear)
            .inspect_err(|error| log::warn!("changed files are not reloaded: {error}"));
        let (folders, files) = (BTreeSet::new(), Vec::new());
        Self { system: system.ok(), folders, files, check: None, woken }
    }

    /// Replaces the watched files.
    pub fn watch(&mut self, watch: Watch, now: Instant) {
        let Watch { read: mut files, also } = watch;
        for path in also {
            if files.iter().all(|file| file.path != path) {
                let seen = self.files.iter().find(|file| file.path == path).cloned();
                files.push(seen.unwrap_or_else(|| ReadFile::now(&path)));
            }
        }
        self.files = files;
        self.watch_folders();
        // Files may have changed while they were read.
        if self.states() != self.files {
            self.check_soon(now);
        }
    }

    /// Watches the folders of the files. All are watched anew: the watch of a folder that was deleted ends without a word,
    /// also if there is another one in its place by now.
    fn watch_folders(&mut self) {
        let Some(system) = &mut self.system else { return };
        let mut wanted = BTreeSet::new();
        for file in &self.files {
            // For a link both the link and its target are watched, because either may change.
            let target = file.path.canonicalize().ok();
            wanted.insert(folder_of(&file.path));
            wanted.extend(target.as_deref().map(folder_of));
        }
        for old in &self.folders {
            // An error means that the folder is gone, and its watch with it.
            let _ = system.unwatch(old);
        }
        for new in &wanted {
            if let Err(error) = system.watch(new, RecursiveMode::NonRecursive) {
                log::info!("{}: not watched: {error}", new.display());
            }
        }
        self.folders = wanted;
    }

    /// Schedules a check after an event in the folders.
    pub fn check_soon(&mut self, now: Instant) {
        self.woken.store(false, Ordering::Relaxed);
        if self.check.is_none() {
            self.check = Some((now + QUIET, self.states()));
        }
    }

    /// The time of the next check.
    pub fn next_check(&self) -> Option<Instant> {
        self.check.as_ref().map(|(at, _)| *at)
    }

    /// Returns the files that have changed or gone and been quiet since. Each change is reported once.
    pub fn changes(&mut self, now: Instant) -> FileChanges {
        let mut changes = FileChanges::default();
        let Some((_, before)) = self.check.take_if(|(at, _)| *at <= now) else { return changes };
        // Before the files are looked at, so that none changes unseen in between.
        self.watch_folders();
        let states = self.states();
        if states != before {
            self.check = Some((now + QUIET, states));
            return changes;
        }
        for (file, state) in self.files.iter_mut().zip(states) {
            if *file != state {
                let list = if state.is_there() { &mut changes.changed } else { &mut changes.gone };
                list.push(file.path.clone());
                *file = state;
            }
        }
        changes
    }

    fn states(&self) -> Vec<ReadFile> {
        self.files.iter().map(|file| ReadFile::now(&file.path)).collect()
    }
}

/// Returns a file's folder, or the nearest one above that exists, in which it will be created. It has the one name that does
/// not depend on the working directory or on links: the system has one watch per folder, so that to end it for one name
/// would end it for all.
fn folder_of(path: &Path) -> PathBuf {
    let above = path.ancestors().skip(1).find(|folder| folder.is_dir());
    let folder = above.unwrap_or(Path::new("."));
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Whether an event can mean a change. Reading a file does not.
fn writes(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a watched file in a folder of its own, without events of the system.
    fn watched() -> (tempfile::TempDir, PathBuf, Watcher, Instant) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gltf");
        std::fs::write(&path, "1").unwrap();
        let mut watcher = Watcher {
            system: None,
            folders: BTreeSet::new(),
            files: Vec::new(),
            check: None,
            woken: Arc::default(),
        };
        let now = Instant::now();
        watcher.watch(Watch { read: vec![ReadFile::now(&path)], also: Vec::new() }, now);
        (folder, path, watcher, now)
    }

    fn is_empty(changes: &FileChanges) -> bool {
        *changes == FileChanges::default()
    }

    #[test]
    fn a_change_counts_once_the_files_are_quiet() {
        let (_folder, path, mut watcher, now) = watched();
        assert_eq!(watcher.next_check(), None, "nothing has happened");
        std::fs::write(&path, "12").unwrap();
        watcher.check_soon(now);
        assert_eq!(watcher.next_check(), Some(now + QUIET));
        let early = now + QUIET - Duration::from_millis(1);
        assert!(is_empty(&watcher.changes(early)));
        // The file is still being written, so the next check is as much later.
        std::fs::write(&path, "123").unwrap();
        watcher.check_soon(early);
        assert!(is_empty(&watcher.changes(now + QUIET)));
        assert_eq!(watcher.next_check(), Some(now + 2 * QUIET));
        assert_eq!(watcher.changes(now + 2 * QUIET).changed, [path]);
        watcher.check_soon(now + 3 * QUIET);
        assert!(is_empty(&watcher.changes(now + 4 * QUIET)), "reported twice");
    }

    #[test]
    fn what_changes_while_it_is_read_is_told() {
        let (_folder, path, mut watcher, now) = watched();
        let read = vec![ReadFile::now(&path)];
        std::fs::write(&path, "12").unwrap();
        watcher.watch(Watch { read, also: Vec::new() }, now);
        assert_eq!(watcher.changes(now + QUIET).changed, [path]);
    }

    #[test]
    fn what_is_gone_is_told_and_again_when_it_is_back() {
        let (_folder, path, mut watcher, now) = watched();
        std::fs::remove_file(&path).unwrap();
        watcher.check_soon(now);
        assert_eq!(watcher.changes(now + QUIET).gone, std::slice::from_ref(&path));
        watcher.check_soon(now + QUIET);
        assert!(is_empty(&watcher.changes(now + 2 * QUIET)), "reported twice");
        std::fs::write(&path, "another").unwrap();
        watcher.check_soon(now + 2 * QUIET);
        assert_eq!(watcher.changes(now + 3 * QUIET).changed, [path]);
    }
}
