//! Files being read: requests, running and failed loads, and reloads of changed files.

pub(super) mod search;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::playback::clips::KeptPlayback;
use crate::playback::document::Retargeting;
use crate::{Document, FileSource, Finds, Search};
use rigview_import::{ImportError, Loaded, Progress, ReadFile};
use rigview_look::{EnvironmentSource, Lighting};
use rigview_model::{Environment, JointsBeyond, Model, Primitive, PrimitiveSkin, SkinForm};
use rigview_rig::{RetargetOptions, add_springs};

/// A step in opening a file.
#[derive(Debug)]
pub enum LoadAction {
    /// Opens a file; an .hdr or .exr becomes the environment, whatever the destination.
    Open(FileSource, Destination),
    /// Opens the first model of several files and folders; [`LoadAction::StepFiles`] then goes through all of them. To be
    /// compared with nothing shown, the first two models are opened.
    OpenAll(Vec<PathBuf>, Destination),
    /// Reports a file that can't be opened for a destination, for this reason.
    Refuse(FileSource, Destination, String),
    /// Opens a file in place of the shown one, and another file beside it.
    OpenBoth([FileSource; 2]),
    /// Converts the clips that were taken of another file again, in another way.
    Retarget(RetargetOptions),
    /// Saves which joints follow which as a table.
    SaveMap,
    /// Opens the n-th file after this one (before it if negative), of those opened together or of the
    /// folder.
    StepFiles(i64),
    /// Reads the file again; clip, time and camera stay.
    Reload,
    /// Reads the file of a shown model again because its images were lost with the device. Messages stay. A load that
    /// runs has precedence; if it fails or is cancelled, the file is read then. Escape does not cancel it.
    Restore(LoadId),
    /// Watched files have changed or gone, and have been quiet since.
    FilesChanged(FileChanges),
    /// A search has ended.
    Found {
        /// The search.
        search: Search,
        /// What was found.
        finds: Finds,
    },
    /// A load has ended. The model is uploaded where that is possible, and does not have the pixels that the GPU has.
    Loaded {
        /// The load.
        id: LoadId,
        /// The file, or the reason why it can't be read.
        result: Result<LoadedFile, ImportError>,
    },
}

impl LoadAction {
    /// Shows the file at a path.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        LoadAction::Open(FileSource::Path(path.into()), Destination::Shown)
    }
}

/// Identifies a load; a later load supersedes an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadId(pub u64);

/// Where a file goes that is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Destination {
    /// It is shown in place of the shown file.
    #[default]
    Shown,
    /// It is compared with the shown file; shown if there is none.
    Beside,
    /// Its clips play on the shown model in place of its own; shown if there is none.
    Clips,
    /// It lights the scene.
    Light,
}

impl Destination {
    /// Whether a load with one destination ends a load with the other: both would change the same thing.
    pub(crate) fn supersedes(self, other: Self) -> bool {
        let changes_shown = |of| matches!(of, Destination::Shown | Destination::Clips);
        self == other || changes_shown(self) && changes_shown(other)
    }

    /// Whether the whole model is drawn, with its images.
    pub fn is_drawn(self) -> bool {
        matches!(self, Destination::Shown | Destination::Beside)
    }
}

/// What is done to a model that was read, before it is uploaded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preparation {
    /// The form in which its skins are stored.
    pub skin_form: SkinForm,
    /// Whether chains of joints that the file calls springs swing in its clips.
    pub springs: bool,
}

/// A model that was read and prepared.
#[derive(Debug)]
pub struct PreparedModel {
    /// The model and the importer's warnings.
    pub loaded: Loaded,
    pub(crate) skins: StoredSkins,
}

/// The contents of a file that was read.
#[derive(Debug)]
pub enum LoadedFile {
    /// A model.
    Model(Box<PreparedModel>),
    /// An environment.
    Light(Environment),
}

/// A request to read a file on another thread.
#[derive(Clone, Debug)]
pub struct LoadRequest {
    /// Returned with the result, in [`LoadAction::Loaded`](crate::LoadAction::Loaded).
    pub id: LoadId,
    /// The file.
    pub source: FileSource,
    /// Where it goes.
    pub destination: Destination,
    /// What is done to a model.
    pub preparation: Preparation,
    /// Counts the bytes read; cancelled when the load is superseded or given up.
    pub progress: Arc<Progress>,
    /// Whether clip, time and camera stay if this is the file that is shown.
    pub again: bool,
    /// Whether the file is read because it changed. The program that writes it may not have finished, so a
    /// failure is reported only after the file has been quiet for a while.
    pub patient: bool,
}

impl LoadRequest {
    /// Returns a request with defaults, and no id yet.
    pub fn new(source: FileSource, destination: Destination) -> Self {
        Self {
            id: LoadId::default(),
            source,
            destination,
            preparation: Preparation::default(),
            progress: Arc::default(),
            again: false,
            patient: false,
        }
    }

    /// Prepares a model that was read.
    pub fn prepare(&self, mut loaded: Loaded) -> PreparedModel {
        if self.preparation.springs {
            let faults = add_springs(&mut loaded.model);
            faults.iter().for_each(|fault| log::warn!("{fault}"));
        }
        let skins = StoredSkins::store(self.preparation.skin_form, &mut loaded.model);
        PreparedModel { loaded, skins }
    }
}

impl PartialEq for LoadRequest {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The files whose changes are reported by [`LoadAction::FilesChanged`](crate::LoadAction::FilesChanged). Replaces
/// every earlier watch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// Files that were read, with their size and time at that moment: any difference counts as a change.
    pub read: Vec<ReadFile>,
    /// Further files; changes count from now on.
    pub also: Vec<PathBuf>,
}

/// What has happened to watched files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileChanges {
    /// Files that were written or replaced, or are back.
    pub changed: Vec<PathBuf>,
    /// Files that were deleted or moved.
    pub gone: Vec<PathBuf>,
}

/// The form in which a model's skins are stored, and what the file has instead.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredSkins {
    pub form: SkinForm,
    /// The file's joints and weights; `None` if the model has them.
    pub exact: Option<Vec<PrimitiveSkin>>,
    /// The joints beyond the limit, and the vertices that they move.
    pub beyond: JointsBeyond,
}

impl StoredSkins {
    /// Stores the skins of a model in a form, and keeps the file's influences.
    pub fn store(form: SkinForm, model: &mut Model) -> Self {
        if form.is_exact() {
            return Self { form, ..Self::default() };
        }
        let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let exact = Some(primitives.filter_map(Primitive::skin).collect());
        let nodes = model.scene_nodes(model.default_scene);
        let beyond = JointsBeyond::find(model, &nodes, form.joints);
        form.apply(model);
        Self { form, exact, beyond }
    }
}

/// A file that can't be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFailure {
    /// The file's name.
    pub file: String,
    /// The reason, in one line.
    pub message: String,
    source: FileSource,
    destination: Destination,
    /// The files that were read before the failure.
    files: Vec<PathBuf>,
    /// Whether the file is shown and was deleted since.
    is_gone: bool,
}

impl LoadFailure {
    /// Where the file was to go.
    pub fn destination(&self) -> Destination {
        self.destination
    }

    /// Whether the file could be read, but one of its files was deleted or moved since.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    fn is_of(&self, request: &LoadRequest) -> bool {
        self.source == request.source && self.destination == request.destination
    }
}

/// What is shown somewhere, and the files that it was read from.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadFrom<'a> {
    pub source: &'a FileSource,
    pub files: &'a [PathBuf],
}

impl<'a> ReadFrom<'a> {
    pub fn new(document: &'a Document) -> Self {
        Self { source: &document.source, files: &document.files }
    }
}

/// The files being read, and the last failure.
#[derive(Debug)]
pub struct Loads {
    /// The first file, to which the session's options apply.
    first: Option<FileSource>,
    /// The loads that run, the latest one last. No two of them supersede each other.
    running: Vec<LoadRequest>,
    failure: Option<LoadFailure>,
    /// The running search, with the steps that were requested meanwhile.
    search: Option<Search>,
    /// The environment file that was read last, to be chosen again.
    environment_file: Option<EnvironmentSource>,
    /// The models that were opened together.
    together: Vec<PathBuf>,
    /// The file to be opened once the other one is shown: that one, then this one, and where this one goes.
    both: Option<([FileSource; 2], Destination)>,
    last_id: LoadId,
    /// What continues to play when the clips of another file have been read again.
    pub(super) awaiting: Option<KeptPlayback>,
    /// The file whose clips are read again for a reloaded file.
    pub(super) clips_from: Option<FileSource>,
    /// The file whose clips were taken last, and how they were converted.
    pub(super) retargeting: Option<(FileSource, Retargeting)>,
}

impl Loads {
    /// Returns the loads of a session that starts with this light.
    pub(super) fn new(lighting: &Lighting) -> Self {
        let source = &lighting.environment;
        let is_file = !EnvironmentSource::NAMES.contains(&source.name());
        Self {
            first: None,
            running: Vec::new(),
            failure: None,
            search: None,
            environment_file: is_file.then(|| source.clone()),
            together: Vec::new(),
            both: None,
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

    /// The loads that run, the latest one last.
    pub fn running(&self) -> &[LoadRequest] {
        &self.running
    }

    /// The load that runs for a destination, or that changes the same: a file to be shown and a file for its clips.
    pub fn pending(&self, destination: Destination) -> Option<&LoadRequest> {
        self.running.iter().find(|load| destination.supersedes(load.destination))
    }

    /// Whether a file is being read or searched for.
    pub fn is_busy(&self) -> bool {
        !self.running.is_empty() || self.search.is_some()
    }

    /// The reason why the last file is not shown.
    pub fn failure(&self) -> Option<&LoadFailure> {
        self.failure.as_ref()
    }

    /// Whether the session's options apply to a file.
    pub(super) fn is_first(&self, source: &FileSource) -> bool {
        self.first.as_ref() == Some(source)
    }

    /// Requests a file.
    pub(super) fn open(&mut self, source: FileSource, destination: Destination) -> LoadRequest {
        let destination = match &source {
            FileSource::Path(path) if is_environment(path) => Destination::Light,
            _ => destination,
        };
        self.load(LoadRequest::new(source, destination))
    }

    /// Requests a file to be shown, and remembers another one to be opened then.
    pub(super) fn open_both(
        &mut self,
        both: [FileSource; 2],
        destination: Destination,
    ) -> LoadRequest {
        let first = both[0].clone();
        self.both = Some((both, destination));
        self.open(first, Destination::Shown)
    }

    /// Requests the file that was to be opened after the one that is shown now.
    pub(super) fn open_second(&mut self, shown: &FileSource) -> Option<LoadRequest> {
        let ([first, second], destination) = self.both.take()?;
        (first == *shown).then(|| self.open(second, destination))
    }

    /// Files that are read again for both models change places with the models, unless another file is read too.
    pub(super) fn exchange(&mut self) {
        let others = |load: &&mut LoadRequest| load.destination != Destination::Light;
        let loads: Vec<_> = self.running.iter_mut().filter(others).collect();
        if loads.iter().all(|load| load.again) {
            for load in loads {
                load.destination = match load.destination {
                    Destination::Shown => Destination::Beside,
                    _ => Destination::Shown,
                };
            }
        }
    }

    /// Requests the shown file again, or the first one if none is shown.
    pub(super) fn reload(&mut self, shown: Option<&Document>) -> Option<LoadRequest> {
        let source = shown.map(|d| d.source.clone()).or_else(|| self.first.clone())?;
        Some(self.read_again(source, Destination::Shown))
    }

    /// Requests a file again for a destination.
    pub(super) fn read_again(
        &mut self,
        source: FileSource,
        destination: Destination,
    ) -> LoadRequest {
        self.load(LoadRequest { again: true, ..LoadRequest::new(source, destination) })
    }

    /// Requests the file that changed files belong to: the one that failed last, or the one that is shown there. One whose
    /// files are gone becomes the failure.
    pub(super) fn files_changed(
        &mut self,
        FileChanges { changed, gone }: &FileChanges,
        destination: Destination,
        shown: Option<ReadFrom<'_>>,
    ) -> Option<LoadRequest> {
        if let Some(ReadFrom { source, files }) = shown
            && let Some(missing) = files.iter().find(|file| gone.contains(file))
        {
            self.failure = Some(LoadFailure {
                file: name_of_gone(source, missing),
                message: gone_text(source, missing),
                source: source.clone(),
                destination,
                files: files.to_vec(),
                is_gone: true,
            });
        }
        let is_of = |files: &[PathBuf]| files.iter().any(|file| changed.contains(file));
        let failed = self.failure.as_ref().filter(|f| f.destination == destination);
        let failed = failed.filter(|f| is_of(&f.files)).map(|f| &f.source);
        let shown = shown.filter(|shown| is_of(shown.files)).map(|shown| shown.source);
        let source = failed.or(shown).cloned()?;
        // Another file that was just opened has precedence.
        if self.pending(destination).is_some_and(|p| p.source != source) {
            return None;
        }
        let request = LoadRequest::new(source, destination);
        Some(self.load(LoadRequest { again: true, patient: true, ..request }))
    }

    /// Cancels the loads that one with this destination would supersede.
    pub(super) fn give_up(&mut self, destination: Destination) {
        self.running.retain(|load| {
            let ends = destination.supersedes(load.destination);
            if ends {
                load.progress.cancel();
            }
            !ends
        });
    }

    /// Forgets the clips of other files: those being read, and those that are read again after a reload.
    pub(super) fn give_up_clips(&mut self) {
        if self
            .pending(Destination::Clips)
            .is_some_and(|load| load.destination == Destination::Clips)
        {
            self.give_up(Destination::Clips);
        }
        (self.clips_from, self.awaiting) = (None, None);
    }

    /// Cancels every load and search, and returns what was loaded; what is shown stays.
    pub(super) fn give_up_all(&mut self) -> Vec<Destination> {
        (self.search, self.both, self.awaiting) = (None, None, None);
        let cancelled = self.running.drain(..).map(|load| {
            load.progress.cancel();
            load.destination
        });
        cancelled.collect()
    }

    /// Removes the failure.
    pub(super) fn dismiss(&mut self) {
        self.failure = None;
    }

    /// Removes the failure of a file that was read for a destination which is no more.
    pub(super) fn forget_failure(&mut self, destination: Destination) {
        self.failure.take_if(|failure| failure.destination == destination);
    }

    /// Records that a file can't be used for what it was read for.
    pub(super) fn fail(&mut self, source: FileSource, destination: Destination, message: String) {
        let file = source.name();
        let files = Vec::new();
        self.failure =
            Some(LoadFailure { file, message, source, destination, files, is_gone: false });
    }

    /// Records that a file can't be read.
    pub(super) fn note_failure(&mut self, request: LoadRequest, message: String) {
        let files = request.progress.files().into_iter().map(|file| file.path).collect();
        let LoadRequest { source, destination, .. } = request;
        let file = source.name();
        self.failure =
            Some(LoadFailure { file, message, source, destination, files, is_gone: false });
    }

    /// The files that were read for the file that failed last.
    pub(super) fn failed_files(&self) -> &[PathBuf] {
        self.failure.as_ref().map_or(&[], |failure| &failure.files)
    }

    /// Ends a load. `None` if it was superseded or given up.
    pub(super) fn end(&mut self, id: LoadId) -> Option<LoadRequest> {
        let at = self.running.iter().position(|load| load.id == id)?;
        Some(self.running.remove(at))
    }

    /// Removes the failure of a file that could be read now. That of another one opened with it stays.
    pub(super) fn note_success(&mut self, request: &LoadRequest) {
        self.failure.take_if(|failure| failure.is_of(request));
    }

    /// Records an environment that was read, to be chosen again.
    pub(super) fn note_environment(&mut self, source: &EnvironmentSource) {
        self.environment_file = Some(source.clone());
    }

    fn load(&mut self, request: LoadRequest) -> LoadRequest {
        if Destination::Shown.supersedes(request.destination) {
            self.search = None;
        }
        self.give_up(request.destination);
        if request.destination == Destination::Shown {
            self.first.get_or_insert_with(|| request.source.clone());
        }
        let request = LoadRequest { id: self.next_id(), ..request };
        self.running.push(request.clone());
        request
    }

    pub(super) fn next_id(&mut self) -> LoadId {
        self.last_id = LoadId(self.last_id.0 + 1);
        self.last_id
    }
}

/// Whether a file's name is that of an environment: `.hdr` or `.exr`.
pub fn is_environment(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("hdr") || e.eq_ignore_ascii_case("exr"))
}

fn is_itself(source: &FileSource, missing: &Path) -> bool {
    matches!(source, FileSource::Path(path) if path == missing)
}

fn name_of_gone(source: &FileSource, missing: &Path) -> String {
    let other = missing.file_name().filter(|_| !is_itself(source, missing));
    other.map_or_else(|| source.name(), |name| name.to_string_lossy().into_owned())
}

/// Says that a file of a source is gone, and what becomes of what was read from it.
fn gone_text(source: &FileSource, missing: &Path) -> String {
    let what = if is_itself(source, missing) {
        "The file was deleted or moved".to_owned()
    } else {
        format!("This file of {} was deleted or moved", source.name())
    };
    format!("{what}. What was read of it stays, and it is read again when the file is back")
}
