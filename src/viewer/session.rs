//! The viewer: all state of a session, changed by [`Viewer::apply`] and read by everyone.

use super::framing::scene_hull;
use super::playback::key_times;
use super::{
    Action, ClipChoice, Document, Effect, FileSource, LoadId, LoadRequest, OrbitCamera,
    SessionOptions, Sight, StartView, named_or_numbered,
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
    /// Keep clip, time and camera if the same file comes back.
    again: bool,
}

/// A session.
#[derive(Debug)]
pub struct Viewer {
    pub(super) document: Option<Document>,
    stage: Option<Stage>,
    pub(super) clip: Option<usize>,
    pub(super) player: Player,
    pub(super) key_times: Vec<f32>,
    pub(super) fps: f64,
    sight: Sight,
    pub(super) look: Look,
    options: SessionOptions,
    /// The first file, which the options are about.
    first: Option<FileSource>,
    pending: Option<Pending>,
    /// The environment that is being read.
    pub(super) pending_environment: Option<LoadRequest>,
    pub(super) last_id: LoadId,
    pub(super) failure: Option<LoadFailure>,
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
            key_times: Vec::new(),
            fps,
            sight,
            look: options.look.clone(),
            options,
            first: None,
            pending: None,
            pending_environment: None,
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
        let environment = self.pending_environment.as_ref().map(|p| &p.source);
        self.pending.as_ref().map(|p| &p.source).or(environment)
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
            let clip = self.clip.and_then(|c| document.model.clips.get(c));
            stage.pose(&document.model, clip, time);
        }
    }

    /// Changes the session. What it returns is to be done outside, in order.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Advance(step_secs) => self.advance(step_secs),
            Action::Loaded { id, result } => self.loaded(id, *result),
            Action::EnvironmentLoaded { id, result } => self.environment_loaded(id, *result),
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

            Action::Orbit(drag) => self.move_camera(|c| c.orbit(drag)),
            Action::Pan(drag) => self.move_camera(|c| c.pan(drag)),
            Action::Zoom { factor, pointer } => self.move_camera(|c| c.zoom(factor, pointer)),
            Action::FrameAll => self.sight.frame(self.view(), |_| {}),
            Action::ResetCamera => self.reset_camera(),
            Action::LookFrom(side) => self.sight.look_from(self.view(), side),
            Action::ToggleOrthographic => self.sight.toggle_orthographic(self.view()),

            Action::ToggleSkeleton => self.look.skeleton = !self.look.skeleton,
            Action::ToggleJointNames => self.look.joint_names = !self.look.joint_names,
            Action::ToggleGrid => self.look.grid = !self.look.grid,
            Action::ToggleAxes => self.look.axes = !self.look.axes,
            Action::ToggleBounds => self.look.bounds = !self.look.bounds,
            Action::SetLighting(lighting) => self.look.lighting = *lighting,
            Action::SetToneMap(tone_map) => self.look.tone_map = tone_map,
            Action::SetExposure(stops) if stops.is_finite() => self.look.exposure = stops,
            Action::SetExposure(_) => {}
            Action::SetPass(pass) => self.look.pass = pass,
            Action::SelectVariant(variant) => self.look.variant = variant,
            Action::NextPass => self.look.pass = self.look.pass.next(),

            Action::TogglePanels => self.panels = !self.panels,
            Action::ToggleHelp => self.help = !self.help,
            Action::ToggleFullScreen => return vec![Effect::ToggleFullScreen],
            Action::Escape => self.escape(),
            Action::Dismiss => (self.failure, self.notice) = (None, None),

            Action::AskForFile => return vec![Effect::AskForFile],
            Action::Open(source) if source.is_environment() => {
                return vec![self.load_environment(source)];
            }
            Action::Open(source) => return vec![self.load(source, false)],
            Action::Reload => {
                let open = self.document.as_ref().map(|d| d.source.clone());
                let source = open.or_else(|| self.first.clone());
                return source.map(|source| self.load(source, true)).into_iter().collect();
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
        } else if self.loading().is_some() {
            (self.pending, self.pending_environment) = (None, None);
        } else {
            (self.failure, self.notice) = (None, None);
        }
    }

    fn load(&mut self, source: FileSource, again: bool) -> Effect {
        self.last_id = LoadId(self.last_id.0 + 1);
        let id = self.last_id;
        self.first.get_or_insert_with(|| source.clone());
        self.pending = Some(Pending { id, source: source.clone(), again });
        (self.failure, self.notice) = (None, None);
        Effect::Load(LoadRequest { id, source })
    }

    fn loaded(&mut self, id: LoadId, result: Result<Loaded, ImportError>) {
        // A load that was superseded or given up may still come in.
        let Some(pending) = self.pending.take_if(|p| p.id == id) else { return };
        match result {
            Ok(loaded) => self.show(pending, loaded),
            Err(error) => {
                let file = pending.source.name();
                self.failure = Some(LoadFailure { file, message: error.to_string() });
            }
        }
    }

    fn show(&mut self, pending: Pending, mut loaded: Loaded) {
        if self.first.as_ref() == Some(&pending.source) {
            loaded.model.rest = local_pose_of(&loaded.model, &self.options.pose).0;
        }
        let again = pending.again && self.document.is_some();
        let before = (self.clip, self.clip_name(), self.player);
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
        self.look.joint = match &self.options.joint {
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
        self.player = Player::default();
        self.player.speed = before.2.speed;
        self.player.set_repeat(before.2.repeat());
        if again {
            self.show_clip(self.same_clip(before.0, before.1.as_deref()));
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

    fn is_first(&self, document: &Document) -> bool {
        self.first.as_ref() == Some(&document.source)
    }

    fn clip_name(&self) -> Option<String> {
        Some(self.document.as_ref()?.clip_names.get(self.clip?)?.clone())
    }

    /// Makes a clip the shown one; the player is the caller's matter.
    pub(super) fn show_clip(&mut self, clip: Option<usize>) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        let data = clip.and_then(|c| document.model.clips.get(c));
        self.sight.set_hull(scene_hull(&document.model, stage, data));
        self.key_times = data.map(key_times).unwrap_or_default();
        self.clip = clip;
        self.pose();
    }
}
