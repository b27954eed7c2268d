//! What is opened: loads that run, fail and come back, and files that change. What comes to be shown
//! begins here.

use std::path::PathBuf;
use std::sync::Arc;

use super::clips::{Standing, add_several};
use super::environment::is_environment;
use super::notice::Notice;
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
    /// The models that were opened together.
    pub together: Vec<PathBuf>,
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

    pub(super) fn load_clips(&mut self, source: FileSource) -> Effect {
        match self.load(source, false, false) {
            Effect::Load(mut request) => {
                request.for_clips = true;
                self.loads.pending = Some(request.clone());
                Effect::Load(request)
            }
            other => other,
        }
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

    pub(super) fn load(&mut self, source: FileSource, again: bool, patient: bool) -> Effect {
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
                // What it takes away is only what was said of itself: an environment that was opened
                // with it may have failed meanwhile.
                self.loads.failure.take_if(|f| f.source == pending.source);
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
            if self.options.clips_from.is_none() {
                add_several(&mut loaded.model.clips, &self.options.clip);
            }
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
        let shown = self.stage.as_ref().map(|stage| stage.scene).filter(|_| again);
        let scene = shown.filter(|scene| *scene < model.scenes.len()).or(wanted);
        let mut stage = Stage::new(model, scene.unwrap_or(model.default_scene));
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
        let clips_from = self.options.clips_from.clone().filter(|_| first);
        if clips_from.is_none() {
            self.notice = self.notice.take().or(self.said_without_mesh().map(Notice::warning));
        }
        clips_from
    }

    /// What to say of a scene without a mesh: what is drawn in its place, and what else the file is
    /// good for.
    fn said_without_mesh(&self) -> Option<String> {
        let (document, stage) = self.document.as_ref().zip(self.stage.as_ref())?;
        let model = &document.model;
        if !stage.has_no_mesh(model) {
            return None;
        }
        let place = if model.meshes.is_empty() { "file" } else { "scene" };
        Some(match (stage.joints(model).is_empty(), model.clips.is_empty()) {
            (true, _) => format!("There is no mesh in this {place}: nothing to draw."),
            (false, true) => {
                format!("There is no mesh in this {place}: its nodes are drawn as bones.")
            }
            (false, false) => format!(
                "There is no mesh in this {place}: its nodes are drawn as bones. To play its clips \
                 on a model, open the model, then Shift+drop this file on it."
            ),
        })
    }

    pub(super) fn is_first(&self, document: &Document) -> bool {
        self.loads.first.as_ref() == Some(&document.source)
    }
}
