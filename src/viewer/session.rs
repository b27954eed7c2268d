//! The viewer: all state of a session, changed by [`Viewer::apply`] and read by everyone.

use super::clips::Standing;
use super::mix::Mix;
use super::{
    Action, Document, Effect, FileSource, LoadId, LoadRequest, OrbitCamera, SessionOptions, Sight,
    StartView, named_or_numbered,
};
use crate::anim::Player;
use crate::import::{ImportError, Loaded};
use crate::look::{Look, View};
use crate::model::Stage;
use crate::report::local_pose_of;

/// Why a file is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFailure {
    /// The file's name.
    pub file: String,
    /// One line.
    pub message: String,
}

/// A load that runs.
#[derive(Clone, Debug)]
struct Pending {
    id: LoadId,
    source: FileSource,
    purpose: Purpose,
}

/// What a file is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// To be shown.
    Show,
    /// To be shown again, with clip, time and camera as they are.
    ShowAgain,
    /// For its clips.
    Clips,
}

/// A session.
#[derive(Debug)]
pub struct Viewer {
    pub(super) document: Option<Document>,
    pub(super) stage: Option<Stage>,
    pub(super) clip: Option<usize>,
    pub(super) player: Player,
    pub(super) mix: Mix,
    /// How playing is to go on when the clips of another file have been read again.
    pub(super) awaiting: Option<Standing>,
    pub(super) key_times: Vec<f32>,
    pub(super) fps: f64,
    pub(super) sight: Sight,
    look: Look,
    pub(super) options: SessionOptions,
    /// The first file, which the options are about.
    first: Option<FileSource>,
    pending: Option<Pending>,
    last_id: LoadId,
    failure: Option<LoadFailure>,
    pub(super) notice: Option<String>,
    panels: bool,
    help: bool,
}

impl Viewer {
    /// A session that shows nothing yet.
    pub fn new(options: SessionOptions) -> Self {
        let mut sight = Sight::default();
        sight.start(&options.view, None);
        let fps = if options.fps.is_finite() && options.fps > 0.0 { options.fps } else { 30.0 };
        Self {
            document: None,
            stage: None,
            clip: None,
            player: Player::default(),
            mix: Mix::default(),
            awaiting: None,
            key_times: Vec::new(),
            fps,
            sight,
            look: options.look.clone(),
            options,
            first: None,
            pending: None,
            last_id: LoadId(0),
            failure: None,
            notice: None,
            panels: true,
            help: false,
        }
    }

    /// What is open.
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// The shown scene, in the pose of the clip and time as of the last [`Viewer::pose`].
    pub fn stage(&self) -> Option<&Stage> {
        self.stage.as_ref()
    }

    /// The index of the clip that is shown; none for the rest pose.
    pub fn clip_index(&self) -> Option<usize> {
        self.clip
    }

    /// How time passes.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Frames a second of read-outs and steps.
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// What the picture is like.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// Where it is looked from.
    pub fn sight(&self) -> &Sight {
        &self.sight
    }

    /// The file that is being read.
    pub fn loading(&self) -> Option<&FileSource> {
        self.pending.as_ref().map(|p| &p.source)
    }

    /// Why the last file is not shown.
    pub fn failure(&self) -> Option<&LoadFailure> {
        self.failure.as_ref()
    }

    /// Something else that the person should know.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Whether panels are shown.
    pub fn panels(&self) -> bool {
        self.panels
    }

    /// Whether the table of keys is shown.
    pub fn help(&self) -> bool {
        self.help
    }

    /// What a window is called.
    pub fn title(&self) -> String {
        match &self.document {
            Some(document) => format!("{} - rigview", document.name),
            None => "rigview".to_owned(),
        }
    }

    /// What is seen now.
    pub fn view(&self) -> View {
        let shown = self.document.as_ref().zip(self.stage.as_ref());
        self.sight.view(shown.map(|(document, stage)| (&*document.model, stage)))
    }

    /// Poses the stage for the clip and the time as they stand; a frame begins with it.
    pub fn pose(&mut self) {
        let time = self.time_secs();
        if let (Some(document), Some(stage)) = (&self.document, &mut self.stage) {
            if self.mix.is_on() {
                let clips = document.numbered_clips();
                let layers = self.mix.posed(document, &clips, (self.clip, time));
                stage.pose_layers(&document.model, &clips, layers);
            } else {
                let clip = self.clip.and_then(|c| document.clip(c));
                stage.pose(&document.model, clip, time);
            }
        }
    }

    /// Changes the session. What it returns is to be done outside, in order.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Advance(step_secs) => self.advance(step_secs),
            Action::Loaded { id, result } => return self.loaded(id, *result),
            Action::SetAspect(aspect) => self.sight.set_aspect(aspect),
            Action::Notice(text) => self.notice = Some(text),

            Action::TogglePlay => self.toggle_play(),
            Action::Seek(time_secs) => self.seek(time_secs),
            Action::StepFrames(frames) => self.step_frames(frames),
            Action::StepKeys(keys) => self.step_keys(keys),
            Action::SelectClip(clip) => self.select_clip(clip),
            Action::NextClip => self.step_clips(1),
            Action::PreviousClip => self.step_clips(-1),
            Action::SetSpeed(speed) => self.set_speed(speed),
            Action::SetRepeat(repeat) => self.player.set_repeat(repeat),
            Action::SetFade(secs) => self.set_fade(secs),
            Action::SetLayers(layers) => self.set_layers(layers),

            Action::Orbit(drag) => self.move_camera(|c| c.orbit(drag)),
            Action::Pan(drag) => self.move_camera(|c| c.pan(drag)),
            Action::Zoom { factor, pointer } => self.move_camera(|c| c.zoom(factor, pointer)),
            Action::FrameAll => self.sight.frame(self.view(), |_| {}),
            Action::ResetCamera => self.reset_camera(),
            Action::LookFrom(side) => self.sight.look_from(self.view(), side),
            Action::ToggleOrthographic => self.sight.toggle_orthographic(self.view()),

            Action::ToggleSkeleton => self.look.skeleton = !self.look.skeleton,
            Action::SetPass(pass) => self.look.pass = pass,
            Action::NextPass => self.look.pass = self.look.pass.next(),

            Action::TogglePanels => self.panels = !self.panels,
            Action::ToggleHelp => self.help = !self.help,
            Action::ToggleFullScreen => return vec![Effect::ToggleFullScreen],
            Action::Escape => self.escape(),
            Action::Dismiss => (self.failure, self.notice) = (None, None),

            Action::AskForFile => return vec![Effect::AskForFile],
            Action::Open(source) => return vec![self.load(source, Purpose::Show)],
            Action::TakeClips(source) if self.document.is_some() => {
                return vec![self.load(source, Purpose::Clips)];
            }
            // There is nothing yet that they could move.
            Action::TakeClips(source) => return vec![self.load(source, Purpose::Show)],
            Action::Reload => {
                let open = self.document.as_ref().map(|d| d.source.clone());
                let source = open.or_else(|| self.first.clone());
                let load = source.map(|source| self.load(source, Purpose::ShowAgain));
                return load.into_iter().collect();
            }
        }
        Vec::new()
    }

    fn move_camera(&mut self, change: impl FnOnce(&mut OrbitCamera)) {
        self.sight.take(self.view(), change);
    }

    fn escape(&mut self) {
        if self.help {
            self.help = false;
        } else if self.pending.is_some() {
            self.pending = None;
        } else {
            (self.failure, self.notice) = (None, None);
        }
    }

    fn load(&mut self, source: FileSource, purpose: Purpose) -> Effect {
        self.last_id = LoadId(self.last_id.0 + 1);
        let id = self.last_id;
        self.first.get_or_insert_with(|| source.clone());
        self.pending = Some(Pending { id, source: source.clone(), purpose });
        (self.failure, self.notice) = (None, None);
        Effect::Load(LoadRequest { id, source })
    }

    fn loaded(&mut self, id: LoadId, result: Result<Loaded, ImportError>) -> Vec<Effect> {
        // A load that was superseded or given up may still come in.
        let Some(pending) = self.pending.take_if(|p| p.id == id) else { return Vec::new() };
        match result {
            Ok(loaded) if pending.purpose == Purpose::Clips => {
                self.take_clips(pending.source, &loaded.model);
            }
            Ok(loaded) => {
                let clips_from = self.show(pending, loaded);
                return clips_from
                    .map(|source| self.load(source, Purpose::Clips))
                    .into_iter()
                    .collect();
            }
            Err(error) => self.fail(&pending.source, error.to_string()),
        }
        Vec::new()
    }

    pub(super) fn fail(&mut self, source: &FileSource, message: String) {
        self.failure = Some(LoadFailure { file: source.name(), message });
    }

    /// Shows a file, and says whose clips it is to play.
    fn show(&mut self, pending: Pending, mut loaded: Loaded) -> Option<FileSource> {
        if self.first.as_ref() == Some(&pending.source) {
            loaded.model.rest = local_pose_of(&loaded.model, &self.options.pose).0;
        }
        let again = pending.purpose == Purpose::ShowAgain && self.document.is_some();
        let borrowed = self.document.as_mut().and_then(|d| d.borrowed.take());
        let before = Standing { clip: self.clip, name: self.clip_name(), player: self.player };
        let document = Document::new(pending.source, loaded);
        let model = &document.model;
        let wanted = match &self.options.scene {
            Some(scene) if self.is_first(&document) => {
                let names = model.scenes.iter().map(|s| s.name.as_deref());
                named_or_numbered(names, scene)
            }
            _ => None,
        };
        self.stage = Some(Stage::new(model, wanted.unwrap_or(model.default_scene)));
        self.document = Some(document);
        self.mix.clear();
        self.awaiting = None;
        self.player = Player::default();
        self.player.speed = before.player.speed;
        self.player.set_repeat(before.player.repeat());
        if again {
            self.resume(&before);
            // Clips of another file are read again too, for a rig that may be another.
            self.awaiting = borrowed.as_ref().map(|_| before);
            borrowed.map(|(source, _)| source)
        } else {
            self.start_document();
            let first = self.document.as_ref().is_some_and(|d| self.is_first(d));
            self.options.clips_from.clone().filter(|_| first)
        }
    }

    /// Puts clip, time and camera where a new file has them.
    fn start_document(&mut self) {
        self.start_clips();
        self.reset_camera();
    }

    fn reset_camera(&mut self) {
        let first = self.document.as_ref().is_none_or(|d| self.is_first(d));
        let view = if first { self.options.view.clone() } else { StartView::default() };
        let camera = match (&view, &self.document) {
            (StartView::Camera(wanted), Some(document)) => {
                let cameras = &document.model.cameras;
                let found = named_or_numbered(cameras.iter().map(|c| c.name.as_deref()), wanted);
                if found.is_none() {
                    let text =
                        format!("no camera \"{wanted}\" among this file's {}", cameras.len());
                    self.notice = Some(text);
                }
                found
            }
            _ => None,
        };
        self.sight.start(&view, camera);
    }

    pub(super) fn is_first(&self, document: &Document) -> bool {
        self.first.as_ref() == Some(&document.source)
    }
}
