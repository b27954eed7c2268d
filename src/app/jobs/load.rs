//! Reads files, so that the window never waits for a file.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::Jobs;
use crate::import::{
    ImportError, ImportOptions, Loaded, Progress, ReadFile, load_bytes, load_environment,
    load_telling,
};
use crate::model::BlockFormats;
use crate::session::{FileSource, LoadAction, LoadId, LoadRequest};

/// Time for which a changed file that can't be read must stay unchanged before the error is reported. The program
/// that writes it may not have finished.
const PATIENCE: Duration = Duration::from_secs(1);

/// Polling interval during that time.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Jobs {
    /// Reads a file, until its progress is cancelled.
    pub fn load(&self, request: LoadRequest) {
        let id = request.id;
        let loaded = move |result| LoadAction::Loaded { id, result: Box::new(result) };
        let (formats, bvh_scale) = (Arc::clone(&self.block_formats), self.bvh_scale);
        self.answer(
            "load",
            move || loaded(read(&request, &formats, bvh_scale)),
            |error| {
                let what = format!("can't start a thread to read it: {error}");
                loaded(Err(ImportError::other(what)))
            },
        );
    }

    /// Reads an environment.
    pub fn load_environment(&self, id: LoadId, path: PathBuf) {
        let loaded = move |result| LoadAction::EnvironmentLoaded { id, result: Box::new(result) };
        self.answer(
            "load",
            move || loaded(guarded(|| load_environment(&path))),
            |error| {
                let what = format!("can't start a thread to read it: {error}");
                loaded(Err(ImportError::other(what)))
            },
        );
    }
}

/// Reads a file. A panic of the importer becomes an error.
fn read(
    request: &LoadRequest,
    formats: &OnceLock<BlockFormats>,
    bvh_scale: Option<f32>,
) -> Result<Loaded, ImportError> {
    let result = guarded(|| {
        // For clips alone, images need not be decoded.
        let block_formats = (!request.for_clips).then_some(formats);
        let options = ImportOptions { block_formats, bvh_scale, ..ImportOptions::default() };
        match &request.source {
            FileSource::Path(path) => load_telling(path, &options, &request.progress),
            FileSource::BuiltIn { bytes, .. } => load_bytes(bytes.to_vec(), &options),
        }
    });
    if request.patient && result.is_err() {
        wait_while_quiet(&request.progress, std::thread::sleep);
    }
    result
}

/// Waits until the files have not changed for [`PATIENCE`], or the load is cancelled. The watcher requests another load
/// when they change.
fn wait_while_quiet(progress: &Progress, mut pause: impl FnMut(Duration)) {
    let mut files = progress.files();
    let mut left = PATIENCE;
    while !left.is_zero() && !progress.is_cancelled() {
        pause(LOOK_AGAIN);
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
    use std::sync::mpsc::channel;

    use super::super::Report;
    use super::*;
    use crate::session::Action;

    #[test]
    fn a_panic_while_loading_is_an_error_with_its_words() {
        let failed: Result<Loaded, _> = guarded(|| panic!("joint {} of {}", 3, 2));
        let error = failed.unwrap_err();
        assert!(error.message().ends_with("joint 3 of 2"), "{error}");
    }

    /// Writes to a file that can't be read during so many pauses. Returns how many there were.
    fn pauses(writes: usize, progress: &Progress) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("square.gltf");
        std::fs::write(&path, "{").unwrap();
        load_telling(&path, &ImportOptions::default(), progress).unwrap_err();
        let mut count = 0;
        wait_while_quiet(progress, |_| {
            count += 1;
            if count <= writes {
                std::fs::write(&path, "{".repeat(count + 1)).unwrap();
            }
        });
        count
    }

    #[test]
    fn a_file_is_waited_for_until_it_has_been_quiet_for_a_second() {
        let quiet = (PATIENCE.as_millis() / LOOK_AGAIN.as_millis()) as usize;
        assert_eq!(pauses(0, &Progress::default()), quiet);
        assert_eq!(
            pauses(100, &Progress::default()),
            100 + quiet,
            "it is written for five seconds"
        );
    }

    #[test]
    fn the_result_is_there_when_it_wakes() {
        let (woken, wakes) = channel();
        let jobs = Jobs::new(move || woken.send(()).unwrap());
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
        jobs.load(request);
        wakes.recv_timeout(Duration::from_secs(20)).unwrap();
        let report = jobs.poll().unwrap();
        let Report::Answer(Action::Load(LoadAction::Loaded { id: LoadId(7), result })) = report
        else {
            panic!("another result")
        };
        assert!(result.is_err());
        assert!(jobs.poll().is_none());
    }
}
