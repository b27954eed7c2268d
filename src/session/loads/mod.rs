//! Files being read: running and failed loads, and reloads of changed files.

pub(super) mod action;
pub(super) mod folder;
pub(super) mod request;
mod restore;
mod search;
mod show;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::import::{ImportError, Loaded, Progress};
use crate::look::{EnvironmentSource, Lighting};
use crate::model::Environment;
use crate::session::exhibit::borrowed::Retargeting;
use crate::session::exhibit::clips::Standing;
use crate::session::notice::{Notice, Notices};
use crate::session::{Document, Effect, FileSource, LoadId, LoadRequest, Search, Watch};

/// A file that can't be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFailure {
    /// The file's name.
    pub file: String,
    /// The reason, in one line.
    pub message: String,
    source: FileSource,
    /// The files that were read before the failure.
    files: Vec<PathBuf>,
}

/// The files being read, and the last failure.
#[derive(Debug)]
pub struct Loads {
    /// The first file, to which the session's options apply.
    first: Option<FileSource>,
    pending: Option<LoadRequest>,
    failure: Option<LoadFailure>,
    /// The running search, with the steps that were requested meanwhile.
    search: Option<Search>,
    /// The environment that is being read.
    environment: Option<(LoadId, PathBuf)>,
    /// The environment file that was read last, to be chosen again.
    environment_file: Option<EnvironmentSource>,
    /// The models that were opened together.
    together: Vec<PathBuf>,
    last_id: LoadId,
    /// What continues to play when the clips of another file have been read again.
    pub(super) awaiting: Option<Standing>,
    /// The file whose clips are read again for a reloaded file.
    pub(super) clips_from: Option<FileSource>,
    /// The file whose clips were taken last, and how they were converted.
    pub(super) retargeting: Option<(FileSource, Retargeting)>,
}

/// A file that was read for its clips.
#[derive(Debug)]
pub(super) struct ReadForClips {
    pub source: FileSource,
    pub loaded: Loaded,
}

impl Loads {
    /// Returns the loads of a session that starts with this light.
    pub(super) fn new(lighting: &Lighting) -> Self {
        let source = &lighting.environment;
        let is_file = !EnvironmentSource::NAMES.contains(&source.name());
        Self {
            first: None,
            pending: None,
            failure: None,
            search: None,
            environment: None,
            environment_file: is_file.then(|| source.clone()),
            together: Vec::new(),
            last_id: LoadId::default(),
            awaiting: None,
            clips_from: None,
            retargeting: None,
        }
    }

    /// The environments to choose from: the built-in ones, then the file that was read last.
    pub fn environments(&self) -> Vec<EnvironmentSource> {
        let built_in = EnvironmentSource::NAMES.into_iter().filter_map(EnvironmentSource::named);
        built_in.chain(self.environment_file.clone()).collect()
    }

    /// The file that is being read.
    pub fn pending(&self) -> Option<&LoadRequest> {
        self.pending.as_ref()
    }

    /// Whether a file is being read or searched for.
    pub fn is_busy(&self) -> bool {
        self.pending.is_some() || self.search.is_some() || self.environment.is_some()
    }

    /// The reason why the last file is not shown.
    pub fn failure(&self) -> Option<&LoadFailure> {
        self.failure.as_ref()
    }

    /// Whether the session's options apply to a file.
    pub(super) fn is_first(&self, source: &FileSource) -> bool {
        self.first.as_ref() == Some(source)
    }

    /// Requests a file in place of the shown one.
    pub(super) fn open(&mut self, source: FileSource) -> Effect {
        match source {
            FileSource::Path(path) if is_environment(&path) => self.open_environment(path),
            source => Effect::Load(self.load(LoadRequest { source, ..request() })),
        }
    }

    /// Requests a file for its clips.
    pub(super) fn open_clips(&mut self, source: FileSource) -> Effect {
        Effect::Load(self.load(LoadRequest { source, for_clips: true, ..request() }))
    }

    /// Requests the models among some files and folders, and the last environment among them.
    pub(super) fn open_all(&mut self, places: Vec<PathBuf>, notices: &mut Notices) -> Vec<Effect> {
        let (mut environments, places): (Vec<PathBuf>, Vec<PathBuf>) =
            places.into_iter().partition(|path| is_environment(path));
        let environment = environments.pop().map(|path| self.open_environment(path));
        if let Some(other) = environments.first() {
            let name = FileSource::Path(other.clone()).name();
            let text = format!("{name} is left out: one environment at a time");
            notices.add(Notice::warning(text));
        }
        let search =
            (!places.is_empty()).then(|| self.search(Search { places, ..Search::default() }));
        environment.into_iter().chain(search).collect()
    }

    /// Requests the clips of the first model among some files and folders.
    pub(super) fn open_clips_of_all(&mut self, places: Vec<PathBuf>) -> Effect {
        self.search(Search { places, for_clips: true, ..Search::default() })
    }

    fn open_environment(&mut self, path: PathBuf) -> Effect {
        let id = self.next_id();
        self.environment = Some((id, path.clone()));
        Effect::LoadEnvironment { id, path }
    }

    /// Exchanges the file that is being read with that for a second model, if each is none or one that is read again.
    pub(super) fn exchange_reloads(&mut self, beside: &mut Option<LoadRequest>) {
        let is_reload = |pending: &Option<LoadRequest>| pending.as_ref().is_none_or(|p| p.again);
        if is_reload(&self.pending) && is_reload(beside) {
            std::mem::swap(&mut self.pending, beside);
        }
    }

    /// Requests the shown file again, or the first one if none is shown.
    pub(super) fn reload(&mut self, shown: Option<&Document>) -> Option<Effect> {
        let source = shown.map(|d| d.source.clone()).or_else(|| self.first.clone())?;
        Some(Effect::Load(self.load(LoadRequest { source, again: true, ..request() })))
    }

    /// Requests the file that changed files belong to: the one that failed last, or the shown one.
    pub(super) fn files_changed(
        &mut self,
        changed: &[PathBuf],
        shown: Option<&Document>,
    ) -> Option<Effect> {
        let is_of = |files: &[PathBuf]| files.iter().any(|file| changed.contains(file));
        let failed = self.failure.as_ref().filter(|f| is_of(&f.files)).map(|f| &f.source);
        let shown = shown.filter(|d| is_of(&d.files)).map(|d| &d.source);
        let source = failed.or(shown).cloned()?;
        // Another file that was just opened has precedence.
        if self.pending.as_ref().is_some_and(|p| p.source != source) {
            return None;
        }
        let request = LoadRequest { source, again: true, patient: true, ..request() };
        Some(Effect::Load(self.load(request)))
    }

    /// Cancels loads and searches of models; what is shown stays.
    pub(super) fn give_up(&mut self) {
        self.search = None;
        if let Some(pending) = self.pending.take() {
            pending.progress.cancel();
        }
    }

    /// Cancels every load and search.
    pub(super) fn give_up_all(&mut self) {
        self.give_up();
        self.environment = None;
    }

    /// Removes the failure.
    pub(super) fn dismiss(&mut self) {
        self.failure = None;
    }

    /// Records that a file can't be used for what it was read for.
    pub(super) fn fail(&mut self, source: FileSource, message: String) {
        let file = source.name();
        self.failure = Some(LoadFailure { file, message, source, files: Vec::new() });
    }

    /// Takes the result of a load. A model is to be uploaded first; the result of a load that was superseded
    /// or given up is dropped.
    pub(super) fn loaded(
        &mut self,
        id: LoadId,
        result: Result<Loaded, ImportError>,
        shown: Option<&Document>,
    ) -> (Option<Effect>, Option<ReadForClips>) {
        let Some(pending) = self.pending.take_if(|p| p.id == id) else { return (None, None) };
        match result {
            Ok(loaded) if pending.for_clips => {
                (None, Some(ReadForClips { source: pending.source, loaded }))
            }
            Ok(loaded) => {
                self.pending = Some(pending);
                (Some(Effect::Upload { id, loaded: Box::new(loaded) }), None)
            }
            Err(error) if pending.for_clips => {
                self.fail(pending.source, error.to_string());
                (None, None)
            }
            Err(error) => {
                let read = pending.progress.files();
                let files = read.iter().map(|file| file.path.clone()).collect();
                let (file, message) = (pending.source.name(), error.to_string());
                self.failure = Some(LoadFailure { file, message, source: pending.source, files });
                let also = shown.into_iter().flat_map(|d| d.files.iter().cloned()).collect();
                (Some(Effect::Watch(Watch { read, also })), None)
            }
        }
    }

    /// Takes the load whose model was uploaded, unless it was superseded or given up.
    pub(super) fn uploaded(&mut self, id: LoadId) -> Option<LoadRequest> {
        let pending = self.pending.take_if(|p| p.id == id)?;
        // Only the file's own failure is removed: an environment opened with it may have failed too.
        self.failure.take_if(|f| f.source == pending.source);
        Some(pending)
    }

    /// Takes the result of reading an environment, unless it was superseded or given up.
    pub(super) fn environment_loaded(
        &mut self,
        id: LoadId,
        result: Result<Environment, ImportError>,
    ) -> Option<EnvironmentSource> {
        let (_, path) = self.environment.take_if(|(own, _)| *own == id)?;
        match result {
            Ok(environment) => {
                let source = EnvironmentSource::Picture(Arc::new(environment));
                self.environment_file = Some(source.clone());
                Some(source)
            }
            Err(error) => {
                self.fail(FileSource::Path(path), error.to_string());
                None
            }
        }
    }

    fn load(&mut self, request: LoadRequest) -> LoadRequest {
        self.give_up();
        self.first.get_or_insert_with(|| request.source.clone());
        let request = LoadRequest { id: self.next_id(), ..request };
        self.pending = Some(request.clone());
        request
    }

    pub(super) fn next_id(&mut self) -> LoadId {
        self.last_id = LoadId(self.last_id.0 + 1);
        self.last_id
    }
}

/// A request with defaults. The caller sets the source; [`Loads::load`] sets the id.
fn request() -> LoadRequest {
    LoadRequest {
        id: LoadId::default(),
        source: FileSource::Path(PathBuf::new()),
        progress: Arc::new(Progress::default()),
        again: false,
        patient: false,
        for_clips: false,
    }
}

/// Whether a file's name is that of an environment: `.hdr` or `.exr`.
fn is_environment(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("hdr") || e.eq_ignore_ascii_case("exr"))
}
