//! Reads files on background threads, so that the window never waits for a file.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::import::{
    ImportError, ImportOptions, Loaded, Progress, ReadFile, load_bytes, load_environment,
    load_telling,
};
use crate::model::BlockFormats;
use crate::session::{
    Action, CheckRequest, FileSource, Finds, LoadAction, LoadId, LoadRequest, Search,
    TimelineAction,
};

/// Time for which a changed file that can't be read must stay unchanged before the error is reported. The program
/// that writes it may not have finished.
const PATIENCE: Duration = Duration::from_secs(1);

/// Polling interval during that time.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Starts loads and collects their results.
pub struct Loader {
    results: Receiver<Action>,
    sender: Sender<Action>,
    wake: Arc<dyn Fn() + Send + Sync>,
    block_formats: Arc<OnceLock<BlockFormats>>,
}

impl Loader {
    /// Returns a loader that calls `wake` on the loading thread when [`Loader::poll`] has a result.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (sender, results) = channel();
        Self { results, sender, wake: Arc::new(wake), block_formats: Arc::default() }
    }

    /// Sets the texture formats that the adapter supports, once it is open. Loads that wait for them continue; later
    /// loads use them at once.
    pub fn set_block_formats(&mut self, formats: BlockFormats) {
        if self.block_formats.set(formats).is_err() {
            self.block_formats = Arc::new(OnceLock::from(formats));
        }
    }

    /// Reads a file in the background, until its progress is cancelled.
    pub fn start(&self, request: LoadRequest) {
        let id = request.id;
        let loaded = move |result| LoadAction::Loaded { id, result: Box::new(result) }.into();
        let formats = Arc::clone(&self.block_formats);
        self.spawn(
            "load",
            move || loaded(read(&request, &formats)),
            |error| {
                let what = format!("can't start a thread to read it: {error}");
                loaded(Err(ImportError::other(what)))
            },
        );
    }

    /// Reads an environment in the background.
    pub fn start_environment(&self, id: LoadId, path: PathBuf) {
        let loaded =
            move |result| LoadAction::EnvironmentLoaded { id, result: Box::new(result) }.into();
        self.spawn(
            "environment",
            move || loaded(guarded(|| load_environment(&path))),
            |error| {
                let what = format!("can't start a thread to read it: {error}");
                loaded(Err(ImportError::other(what)))
            },
        );
    }

    /// Searches for models in the background.
    pub fn find(&self, search: Search) {
        let nothing = search.clone();
        let look = move || LoadAction::Found { finds: search.run(), search }.into();
        self.spawn("find", look, |error| {
            let left_out = vec![format!("can't start a thread to search for models: {error}")];
            LoadAction::Found { search: nothing, finds: Finds { models: Vec::new(), left_out } }
                .into()
        });
    }

    /// Checks clips in the background. Without a thread, or if a rule fails, nothing is found.
    pub fn check(&self, request: CheckRequest) {
        let nothing = request.clone();
        let checked = move || {
            let found = std::panic::catch_unwind(|| request.run()).unwrap_or_default();
            TimelineAction::Checked(request, found).into()
        };
        self.spawn("check", checked, |error| {
            log::warn!("can't start a thread to check clips: {error}");
            TimelineAction::Checked(nothing, Vec::new()).into()
        });
    }

    fn spawn(
        &self,
        name: &str,
        work: impl FnOnce() -> Action + Send + 'static,
        instead: impl FnOnce(std::io::Error) -> Action,
    ) {
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        let report = move |action| {
            // Nobody listens any more when the window has been closed.
            let _ = sender.send(action);
            wake();
        };
        let also = report.clone();
        let thread = std::thread::Builder::new().name(name.into());
        if let Err(error) = thread.spawn(move || report(work())) {
            also(instead(error));
        }
    }

    /// Returns the result of the next load, search or check that has ended.
    pub fn poll(&self) -> Option<Action> {
        self.results.try_recv().ok()
    }
}

/// Reads a file. A panic of the importer becomes an error.
fn read(request: &LoadRequest, formats: &OnceLock<BlockFormats>) -> Result<Loaded, ImportError> {
    let result = guarded(|| {
        // For clips alone, images need not be decoded.
        let block_formats = (!request.for_clips).then_some(formats);
        let options = ImportOptions { block_formats, ..ImportOptions::default() };
        match &request.source {
            FileSource::Path(path) => load_telling(path, &options, &request.progress),
            FileSource::BuiltIn { bytes, .. } => load_bytes(bytes.to_vec(), &options),
        }
    });
    if request.patient && result.is_err() {
        wait_while_quiet(&request.progress);
    }
    result
}

/// Waits until the files have not changed for [`PATIENCE`], or the load is cancelled. The watcher requests another load
/// when they change.
fn wait_while_quiet(progress: &Progress) {
    let mut files = progress.files();
    let mut left = PATIENCE;
    while !left.is_zero() && !progress.is_cancelled() {
        std::thread::sleep(LOOK_AGAIN);
        left = left.saturating_sub(LOOK_AGAIN);
        let now: Vec<_> = files.iter().map(|file| ReadFile::now(&file.path)).collect();
        if now != files {
            (files, left) = (now, PATIENCE);
        }
    }
}

fn guarded<T>(read: impl FnOnce() -> Result<T, ImportError>) -> Result<T, ImportError> {
    crate::import::guarded(read).unwrap_or_else(|panic| {
        let said = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => text,
            (None, Some(text)) => text.as_str(),
            (None, None) => "no message",
        };
        let what = format!("internal error of the importer: {said}");
        Err(ImportError::other(what))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::session::LoadId;

    #[test]
    fn a_panic_while_loading_is_an_error_with_its_words() {
        let failed: Result<Loaded, _> = guarded(|| panic!("joint {} of {}", 3, 2));
        let error = failed.unwrap_err();
        assert!(error.message().ends_with("joint 3 of 2"), "{error}");
    }

    #[test]
    fn the_result_is_there_when_it_wakes() {
        let (woken, wakes) = channel();
        let loader = Loader::new(move || woken.send(()).unwrap());
        let source = FileSource::Path("/no/such/file.glb".into());
        let progress = Arc::default();
        let request = LoadRequest {
            id: LoadId(7),
            source,
            progress,
            again: false,
            patient: false,
            for_clips: false,
        };
        loader.start(request);
        wakes.recv_timeout(Duration::from_secs(20)).unwrap();
        let action = loader.poll().unwrap();
        let Action::Load(LoadAction::Loaded { id: LoadId(7), result }) = action else {
            panic!("{action:?}")
        };
        assert!(result.is_err());
        assert!(loader.poll().is_none());
    }
}
