//! What is opened: loads that run, fail and come back, files that change, and the next one of a
//! folder. What comes to be shown begins here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::natural_order;
use super::{
    ClipChoice, Document, Effect, FileSource, LoadId, LoadRequest, Search, SessionOptions, Viewer,
    Watch, named_or_numbered,
};
use crate::anim::Player;
use crate::import::{ImportError, Loaded, Progress};
use crate::model::Stage;
use crate::report::local_pose_of;

/// Why a file is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFailure {
    /// The file's name.
    pub file: String,
    /// One line.
    pub message: String,
    /// Where it is.
    source: FileSource,
    /// What was read of it before it failed.
    files: Vec<PathBuf>,
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
    /// The models that were opened together.
    together: Vec<PathBuf>,
    last_id: LoadId,
}

impl Viewer {
    /// Opens a file in place of what is shown, for the first time.
    pub(super) fn open(&mut self, source: FileSource) -> Vec<Effect> {
        self.dismiss();
        vec![self.load(source, false, false)]
    }

    /// Opens what can be found in these places.
    pub(super) fn open_all(&mut self, places: Vec<PathBuf>) -> Vec<Effect> {
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
        loads.last_id = LoadId(loads.last_id.0 + 1);
        let progress = Arc::new(Progress::default());
        let request = LoadRequest { id: loads.last_id, source, progress, again, patient };
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
        let read = pending.progress.files();
        let files = read.iter().map(|file| file.path.clone()).collect();
        let mut also = Vec::new();
        match result {
            Ok(loaded) => {
                self.loads.failure = None;
                self.show(pending, files, loaded);
            }
            Err(error) => {
                let (file, message) = (pending.source.name(), error.to_string());
                let source = pending.source;
                self.loads.failure = Some(LoadFailure { file, message, source, files });
                also.extend(self.document.iter().flat_map(|d| d.files.iter().cloned()));
            }
        }
        vec![Effect::Watch(Watch { read, also })]
    }

    fn show(&mut self, pending: LoadRequest, files: Vec<PathBuf>, mut loaded: Loaded) {
        if self.loads.first.as_ref() == Some(&pending.source) {
            loaded.model.rest = local_pose_of(&loaded.model, &self.options.pose).0;
        }
        // A file that was opened, changed and only then could be shown starts like any other.
        let shown = self.document.as_ref().is_some_and(|d| d.source == pending.source);
        let again = pending.again && shown;
        let before = (self.clip, self.clip_name(), self.player);
        let document = Document::new(pending.source, files, loaded);
        let model = &document.model;
        let wanted = match &self.options.scene {
            Some(scene) if self.is_first(&document) => {
                let names = model.scenes.iter().map(|s| s.name.as_deref());
                named_or_numbered(names, scene)
            }
            _ => None,
        };
        self.stage = Some(Stage::new(model, wanted.unwrap_or(model.default_scene)));
        self.look.variant = match (&self.options.variant, self.look.variant) {
            (_, shown) if again => shown.filter(|v| *v < model.variants.len()),
            (Some(variant), _) if self.is_first(&document) => {
                named_or_numbered(model.variants.iter().map(|v| Some(v.as_str())), variant)
            }
            _ => None,
        };
        self.document = Some(document);
        self.player = Player::default();
        self.player.speed = before.2.speed;
        self.player.set_repeat(before.2.repeat());
        if again {
            self.show_clip(self.same_clip(before.0, before.1.as_deref()));
            self.player = before.2;
            self.seek(before.2.time_secs());
            self.player.playing = before.2.playing;
        } else {
            self.start_document();
        }
    }

    /// The clip of a file that was read again that stands for one of before: of the same name,
    /// the same index where several share it or none does.
    fn same_clip(&self, index: Option<usize>, name: Option<&str>) -> Option<usize> {
        let names = &self.document.as_ref()?.clip_names;
        let (index, name) = (index?, name?);
        let same = |n: &String| n == name;
        if names.get(index).is_some_and(same) {
            return Some(index);
        }
        names.iter().position(same).or((index < names.len()).then_some(index))
    }

    /// Puts clip, time and camera where a new file has them.
    fn start_document(&mut self) {
        let Some(document) = &self.document else { return };
        let first = self.is_first(document);
        let default = SessionOptions::default();
        let options = if first { &self.options } else { &default };
        let names = document.model.clips.iter().map(|c| c.name.as_deref());
        let some_clip = (!document.model.clips.is_empty()).then_some(0);
        let mut notice = None;
        let clip = match &options.clip {
            ClipChoice::First => some_clip,
            ClipChoice::Rest => None,
            ClipChoice::Named(wanted) => {
                let found = named_or_numbered(names, wanted);
                if found.is_none() {
                    let list = document.clip_names.join(", ");
                    let list = if list.is_empty() { "none".to_owned() } else { list };
                    notice = Some(format!("no clip \"{wanted}\" in this file; it has: {list}"));
                }
                found.or(some_clip)
            }
        };
        let time_secs = options.time_secs;
        self.show_clip(clip);
        if let Some(time_secs) = time_secs {
            self.seek(time_secs);
        }
        self.reset_camera();
        self.notice = notice.or(self.notice.take());
    }

    pub(super) fn is_first(&self, document: &Document) -> bool {
        self.loads.first.as_ref() == Some(&document.source)
    }

    fn clip_name(&self) -> Option<String> {
        Some(self.document.as_ref()?.clip_names.get(self.clip?)?.clone())
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
