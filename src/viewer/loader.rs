//! Reads files on threads of their own, so that a window never waits for one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::{Action, FileSource, LoadRequest};
use crate::import::{ImportError, ImportOptions, Loaded, load, load_bytes, load_environment};
use crate::model::Environment;

/// Starts loads and collects what came of them.
pub struct Loader {
    results: Receiver<Action>,
    sender: Sender<Action>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl Loader {
    /// A loader that calls `wake`, on the loading thread, when [`Loader::poll`] has something.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (sender, results) = channel();
        Self { results, sender, wake: Arc::new(wake) }
    }

    /// Reads a file in the background. Earlier loads run to their end; the session tells them
    /// apart by their ids.
    pub fn start(&self, LoadRequest { id, source }: LoadRequest) {
        let loaded = move |result| Action::Loaded { id, result: Box::new(result) };
        self.run(move || loaded(read(source)), move |error| loaded(Err(error)));
    }

    /// Reads an environment in the background.
    pub fn start_environment(&self, LoadRequest { id, source }: LoadRequest) {
        let loaded = move |result| Action::EnvironmentLoaded { id, result: Box::new(result) };
        self.run(move || loaded(read_environment(&source)), move |error| loaded(Err(error)));
    }

    fn run(
        &self,
        work: impl FnOnce() -> Action + Send + 'static,
        failed: impl FnOnce(ImportError) -> Action,
    ) {
        let (sender, wake) = (self.sender.clone(), Arc::clone(&self.wake));
        let work = move || {
            // Nobody listens any more when the window has been closed.
            let _ = sender.send(work());
            wake();
        };
        let thread = std::thread::Builder::new().name("load".into()).spawn(work);
        if let Err(error) = thread {
            let what = format!("no thread to load it on: {error}");
            let _ = self.sender.send(failed(ImportError { what, pointer: String::new() }));
            (self.wake)();
        }
    }

    /// The next load that has ended.
    pub fn poll(&self) -> Option<Action> {
        self.results.try_recv().ok()
    }
}

/// Reads a file; a panic of the importer is an error like any other.
fn read(source: FileSource) -> Result<Loaded, ImportError> {
    guarded(|| {
        let options = ImportOptions::default();
        match source {
            FileSource::Path(path) => load(&path, &options),
            FileSource::BuiltIn { bytes, .. } => load_bytes(bytes.to_vec(), &options),
        }
    })
}

/// Reads an environment.
fn read_environment(source: &FileSource) -> Result<Environment, ImportError> {
    guarded(|| match source {
        FileSource::Path(path) => load_environment(path),
        FileSource::BuiltIn { name, .. } => {
            Err(ImportError { what: format!("{name} is no environment"), pointer: String::new() })
        }
    })
}

fn guarded<T>(read: impl FnOnce() -> Result<T, ImportError>) -> Result<T, ImportError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let said = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => text,
            (None, Some(text)) => text.as_str(),
            (None, None) => "no message",
        };
        let what = format!("the importer failed, which is a fault of rigview: {said}");
        Err(ImportError { what, pointer: String::new() })
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::viewer::LoadId;

    #[test]
    fn a_panic_while_loading_is_an_error_with_its_words() {
        let failed: Result<Loaded, _> = guarded(|| panic!("joint {} of {}", 3, 2));
        let error = failed.unwrap_err();
        assert!(error.what.ends_with("joint 3 of 2"), "{error}");
    }

    #[test]
    fn the_result_is_there_when_it_wakes() {
        let (woken, wakes) = channel();
        let loader = Loader::new(move || woken.send(()).unwrap());
        let source = FileSource::Path("/no/such/file.glb".into());
        loader.start(LoadRequest { id: LoadId(7), source });
        wakes.recv_timeout(Duration::from_secs(20)).unwrap();
        let action = loader.poll().unwrap();
        assert!(matches!(&action, Action::Loaded { id: LoadId(7), result } if result.is_err()));
        assert!(loader.poll().is_none());
    }
}
