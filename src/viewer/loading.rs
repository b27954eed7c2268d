//! What is opened: loads that run, fail and come back, files that change, and the next one of a
//! folder. What comes to be shown begins here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::clips::Standing;
use super::environment::is_environment;
use super::folder::natural_order;
use super::{
    Document, Effect, FileSource, LoadId, LoadRequest, Search, Viewer, Watch, named_or_numbered,
};
use crate::anim::Player;
use crate::import::{ImportError, Loaded, Progress};
use crate::model::Stage;
use crate::report::{lies_on_its_back, local_pose_of};

/// Why a file is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFailure {
    /// The file's name.
    pub file: String,
    /// One line.
    pub message: String,
    /// Where it is.
    pub(super) source: FileSource,
    /// What was read of it before it failed.
    pub(super) files: Vec<PathBuf>,
}

/// What is being opened, and what could not be.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// The first file, which the session's options are about.
    pub first: Option<FileSource>,
    pub pending: Option<LoadRequest>,
    pub failure: Option<LoadFailure>,
    /// The search that runs, with the steps that were asked for meanwhile.
    pub search: Option<Search>,
    /// The environment that is being read.
    pub environment: Option<(LoadId, PathBuf)>,
    /// The models that were opened together.
    together: Vec<PathBuf>,
    last_id: LoadId,
    /// Whose clips are awaited for a file that was read again.
    clips_from: Option<FileSource>,
}

impl Loads {
    /// An id that no load had before.
    pub fn next_id(&mut self) -> LoadId {
        self.last_id = LoadId(self.last_id.0 + 1);
        self.last_id
    }
}

impl Viewer {
    /// Opens a file in place of what is shown, for the first time.
    pub(super) fn open(&mut self, source: FileSource) -> Vec<Effect> {
        self.dismiss();
        match source {
            FileSource::Path(path) if is_environment(&path) => vec![self.load_environment(path)],
            source => vec![self.load(source, false, false)],
        }
    }

    /// Reads a file for its clips, which what is shown is to play; shows it where nothing is.
    pub(super) fn open_clips(&mut self, source: FileSource) -> Vec<Effect> {
        if self.document.is_none() {
            return self.open(source);
        }
        self.awaiting = None;
        self.dismiss();
        vec![self.load_clips(source)]
    }

    fn load_clips(&mut self, source: FileSource) -> Effect {
        match self.load(source, false, false) {
            Effect::Load(mut request) => {
                request.for_clips = true;
                self.loads.pending = Some(request.clone());
                Effect::Load(request)
            }
            other => other,
        }
    }

    /// Opens what can be found in these places.
    pub(super) fn open_all(&mut self, places: Vec<PathBuf>) -> Vec<Effect> {
        let (mut environments, places): (Vec<PathBuf>, Vec<PathBuf>) =
            places.into_iter().partition(|path| is_environment(path));
        let environment = environments.pop().map(|path| self.load_environment(path));
        if places.is_empty() {
            return environment.into_iter().collect();
        }
        let search = self.search_all(places);
        environment.into_iter().chain(search).collect()
    }

    fn search_all(&mut self, places: Vec<PathBuf>) -> Vec<Effect> {
        self.search(Search { places, beside: None })
    }

    fn search(&mut self, search: Search) -> Vec<Effect> {
        self.give_up();
        self.loads.search = Some(search.clone());
        vec![Effect::Find(search)]
    }

    pub(super) fn found(&mut self, search: &Search, models: Vec<PathBuf>) -> Vec<Effect> {
        // What was given up or superseded is no longer wanted.
        let Some(wanted) = self.loads.search.take_if(|s| s.places == search.places) else {
            return Vec::new();
        };
        let next = match &wanted.beside {
            Some((path, by)) => step_from(&models, path, *by),
            None => models.first().cloned(),
        };
        let Some(next) = next else {
            let place = wanted.places.first().map(|p| p.to_string_lossy().into_owned());
            let place = place.unwrap_or_default();
            let other = if wanted.beside.is_some() { "other " } else { "" };
            self.notice = Some(format!("no {other}.gltf or .glb file in {place}"));
            return Vec::new();
        };
        if wanted.beside.is_none() {
            self.loads.together = models;
        }
        self.open(FileSource::Path(next))
    }

    /// The file after the one that is shown or was last tried.
    pub(super) fn step_files(&mut self, by: i64) -> Vec<Effect> {
        if let Some((_, steps)) = self.loads.search.as_mut().and_then(|s| s.beside.as_mut()) {
            *steps += by;
            return Vec::new();
        }
        let Loads { pending, failure, together, .. } = &self.loads;
        let last = pending.as_ref().map(|p| &p.source).or(failure.as_ref().map(|f| &f.source));
        let last = last.or(self.document.as_ref().map(|d| &d.source));
        let Some(FileSource::Path(path)) = last.cloned() else { return Vec::new() };
        if together.len() > 1 && together.contains(&path) {
            let next = step_from(together, &path, by);
            return next.map_or_else(Vec::new, |next| self.open(FileSource::Path(next)));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        self.search(Search { places: vec![folder], beside: Some((path, by)) })
    }

    /// Reads what is shown again, or what was asked for first if nothing is.
    pub(super) fn reload(&mut self) -> Vec<Effect> {
        let open = self.document.as_ref().map(|d| d.source.clone());
        let Some(source) = open.or_else(|| self.loads.first.clone()) else { return Vec::new() };
        self.dismiss();
        vec![self.load(source, true, false)]
    }

    /// Reads what is shown again for what the GPU lost of it, unless something else is on its way.
    pub(super) fn restore(&mut self) -> Vec<Effect> {
        let source = self.document.as_ref().map(|d| d.source.clone());
        let source = source.filter(|_| self.loads.pending.is_none());
        source.map(|source| self.load(source, true, false)).into_iter().collect()
    }

    /// Reads again what these files belong to: what could not be shown last, or what is shown.
    pub(super) fn files_changed(&mut self, changed: &[PathBuf]) -> Vec<Effect> {
        let is_of = |files: &[PathBuf]| files.iter().any(|file| changed.contains(file));
        let failed = self.loads.failure.as_ref().filter(|f| is_of(&f.files)).map(|f| &f.source);
        let shown = self.document.as_ref().filter(|d| is_of(&d.files)).map(|d| &d.source);
        let Some(source) = failed.or(shown).cloned() else { return Vec::new() };
        // Another file that somebody just opened comes first.
        if self.loads.pending.as_ref().is_some_and(|p| p.source != source) {
            return Vec::new();
        }
        vec![self.load(source, true, true)]
    }

    /// Ends what is being opened; what is shown stays.
    pub(super) fn give_up(&mut self) {
        self.loads.search = None;
        if let Some(pending) = self.loads.pending.take() {
            pending.progress.cancel();
        }
    }

    /// Takes messages away.
    pub(super) fn dismiss(&mut self) {
        (self.loads.failure, self.notice) = (None, None);
    }

    fn load(&mut self, source: FileSource, again: bool, patient: bool) -> Effect {
        self.give_up();
        let loads = &mut self.loads;
        loads.first.get_or_insert_with(|| source.clone());
        let progress = Arc::new(Progress::default());
        let id = loads.next_id();
        let request = LoadRequest { id, source, progress, again, patient, for_clips: false };
        loads.pending = Some(request.clone());
        Effect::Load(request)
    }

    pub(super) fn loaded(
        &mut self,
        id: LoadId,
        result: Result<Loaded, ImportError>,
    ) -> Vec<Effect> {
        // A load that was superseded or given up may still come in.
        let Some(pending) = self.loads.pending.take_if(|p| p.id == id) else { return Vec::new() };
        if pending.for_clips {
            match result {
                Ok(loaded) => self.take_clips(pending.source, &loaded.model),
                Err(error) => self.fail(pending.source, error.to_string()),
            }
            return Vec::new();
        }
        let read = pending.progress.files();
        let mut also = Vec::new();
        match result {
            Ok(loaded) => {
                // What is read again takes away only what was said of itself.
                self.loads.failure.take_if(|f| !pending.again || f.source == pending.source);
                let clips_from = self.show(pending, loaded);
                let load = clips_from.map(|source| self.load_clips(source));
                return std::iter::once(Effect::Watch(Watch { read, also })).chain(load).collect();
            }
            Err(error) => {
                let (file, message) = (pending.source.name(), error.to_string());
                let source = pending.source;
                let files = read.iter().map(|file| file.path.clone()).collect();
                self.loads.failure = Some(LoadFailure { file, message, source, files });
                also.extend(self.document.iter().flat_map(|d| d.files.iter().cloned()));
            }
        }
        vec![Effect::Watch(Watch { read, also })]
    }

    /// Says that a file can't be what it was read for.
    pub(super) fn fail(&mut self, source: FileSource, message: String) {
        let file = source.name();
        self.loads.failure = Some(LoadFailure { file, message, source, files: Vec::new() });
    }

    /// Shows a file, and says whose clips it is to play.
    fn show(&mut self, pending: LoadRequest, mut loaded: Loaded) -> Option<FileSource> {
        if self.loads.first.as_ref() == Some(&pending.source) {
            loaded.model.rest = local_pose_of(&loaded.model, &self.options.pose).0;
        }
        // A file that was opened, changed and only then could be shown starts like any other.
        let shown = self.document.as_ref().is_some_and(|d| d.source == pending.source);
        let again = pending.again && shown;
        let before = Standing { clip: self.clip, name: self.clip_name(), player: self.player };
        // What was awaited when this began is what is to go on.
        let before = self.awaiting.take().filter(|_| again).unwrap_or(before);
        let borrowed = self.document.as_ref().and_then(|d| d.borrowed.as_ref());
        let clips_from =
            borrowed.map(|(source, _)| source.clone()).or(self.loads.clips_from.take());
        let document = Document::new(pending, loaded);
        let model = &document.model;
        let wanted = match &self.options.scene {
            Some(scene) if self.is_first(&document) => {
                let names = model.scenes.iter().map(|s| s.name.as_deref());
                named_or_numbered(names, scene)
            }
            _ => None,
        };
        let mut stage = Stage::new(model, wanted.unwrap_or(model.default_scene));
        self.lies = lies_on_its_back(model, &stage);
        let stood_up = self.stage.as_ref().is_some_and(Stage::stood_up);
        stage.stand_up(model, again && stood_up);
        self.stage = Some(stage);
        self.look.joint = match &self.options.joint {
            _ if again => self.same_joint(&document),
            Some(joint) if self.is_first(&document) => document.joint(joint),
            _ => None,
        };
        self.look.variant = match (&self.options.variant, self.look.variant) {
            (_, shown) if again => shown.filter(|v| *v < model.variants.len()),
            (Some(variant), _) if self.is_first(&document) => {
                named_or_numbered(model.variants.iter().map(|v| Some(v.as_str())), variant)
            }
            _ => None,
        };
        self.document = Some(document);
        self.default_joint();
        self.mix.clear();
        self.player = Player::default();
        self.player.speed = before.player.speed;
        self.player.set_repeat(before.player.repeat());
        if again {
            self.resume(&before);
            // Clips of another file are read again too, for a rig that may be another.
            self.awaiting = clips_from.as_ref().map(|_| before);
            self.loads.clips_from.clone_from(&clips_from);
            return clips_from;
        }
        self.start_clips();
        self.reset_camera();
        let first = self.document.as_ref().is_some_and(|d| self.is_first(d));
        self.options.clips_from.clone().filter(|_| first)
    }

    pub(super) fn is_first(&self, document: &Document) -> bool {
        self.loads.first.as_ref() == Some(&document.source)
    }
}

/// What stands so many places behind a path in a list, round and round; none where there is no
/// other. One that is not in the list stands where its name would.
fn step_from(models: &[PathBuf], path: &Path, by: i64) -> Option<PathBuf> {
    let count = i64::try_from(models.len()).ok().filter(|count| *count > 0)?;
    // What lies in the working directory is named with and without its dot.
    let is_it = |model: &PathBuf| model == path || model.strip_prefix(".") == Ok(path);
    let at = match models.iter().position(is_it) {
        Some(at) => at as i64,
        None => {
            let before = models.iter().filter(|m| natural_order(m, path).is_lt()).count() as i64;
            // On from a gap, the first step leads to what is behind it.
            if by > 0 { before - 1 } else { before }
        }
    };
    let next = &models[(at + by).rem_euclid(count) as usize];
    (!is_it(next)).then(|| next.clone())
}
