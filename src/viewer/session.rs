//! The viewer: all state of a session, changed by [`Viewer::apply`] and read by everyone.

use glam::{DVec2, DVec3};

use super::clips::Standing;
use super::environment::Environments;
use super::framing::scene_hull;
use super::loading::Loads;
use super::mix::Mix;
use super::notice::Notice;
use super::{
    Action, Document, Effect, LoadFailure, LoadRequest, NoticeKind, OrbitCamera, SessionOptions,
    Sight, StartView, named_or_numbered,
};
use crate::anim::{Clip, Player};
use crate::look::{Look, View};
use crate::model::Stage;
use crate::report::ClipForm;

/// A session.
#[derive(Debug)]
pub struct Viewer {
    pub(super) document: Option<Document>,
    pub(super) stage: Option<Stage>,
    /// Whether the file seems to have its +Z up.
    pub(super) lies: bool,
    pub(super) clip: Option<usize>,
    /// The clip as another form would hold it; none while it plays as the file has it.
    pub(super) reformed: Option<Clip>,
    pub(super) form: ClipForm,
    pub(super) player: Player,
    pub(super) mix: Mix,
    /// How playing is to go on when the clips of another file have been read again.
    pub(super) awaiting: Option<Standing>,
    pub(super) key_times: Vec<f32>,
    pub(super) fps: f64,
    pub(super) sight: Sight,
    pub(super) look: Look,
    pub(super) options: SessionOptions,
    pub(super) loads: Loads,
    pub(super) environments: Environments,
    pub(super) notice: Option<Notice>,
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
            lies: false,
            clip: None,
            reformed: None,
            form: options.form,
            player: Player::default(),
            mix: Mix::default(),
            awaiting: None,
            key_times: Vec::new(),
            fps,
            sight,
            environments: Environments::of(&options.look.lighting),
            look: options.look.clone(),
            options,
            loads: Loads::default(),
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

    /// Whether the model seems to lie on its back, as the file has it: see [`lies_on_its_back`].
    ///
    /// [`lies_on_its_back`]: crate::report::lies_on_its_back
    pub fn lies_on_its_back(&self) -> bool {
        self.lies
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
    pub fn loading(&self) -> Option<&LoadRequest> {
        self.loads.pending.as_ref()
    }

    /// Whether a file is read or looked for.
    pub fn is_busy(&self) -> bool {
        let Loads { pending, search, .. } = &self.loads;
        pending.is_some() || search.is_some() || self.environments.pending.is_some()
    }

    /// Why the last file is not shown.
    pub fn failure(&self) -> Option<&LoadFailure> {
        self.loads.failure.as_ref()
    }

    /// Something else that the person should know.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_ref().map(|notice| notice.text.as_str())
    }

    /// Whether that is of something done or is a warning; none where there is no notice.
    pub fn notice_kind(&self) -> Option<NoticeKind> {
        self.notice.as_ref().map(|notice| notice.kind)
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
            let clip = self.clip.and_then(|c| document.clip(c));
            let clip = self.reformed.as_ref().or(clip);
            if self.mix.is_on() {
                let mut clips = document.numbered_clips();
                if let (Some(shown), Some(clip)) = (self.clip, clip) {
                    clips[shown] = clip;
                }
                let layers = self.mix.posed(document, &clips, (self.clip, time));
                stage.pose_layers(&document.model, &clips, layers);
            } else {
                stage.pose(&document.model, clip, time);
            }
        }
    }

    /// Changes the session. What it returns is to be done outside, in order.
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Advance(step_secs) => self.advance(step_secs),
            Action::Loaded { id, result } => return self.loaded(id, *result),
            Action::EnvironmentLoaded { id, result } => self.environment_loaded(id, *result),
            Action::SetAspect(aspect) => self.sight.set_aspect(aspect),
            Action::Notice(kind, text) => self.notice = Some(Notice { kind, text }),

            Action::TogglePlay => self.toggle_play(),
            Action::Seek(time_secs) => self.seek(time_secs),
            Action::StepFrames(frames) => self.step_frames(frames),
            Action::StepKeys(keys) => self.step_keys(keys),
            Action::SelectClip(clip) => self.select_clip(clip),
            Action::NextClip => self.step_clips(1),
            Action::PreviousClip => self.step_clips(-1),
            Action::SetSpeed(speed) => self.set_speed(speed),
            Action::SetRepeat(repeat) => self.player.set_repeat(repeat),
            Action::SetForm(form) => self.set_form(form),
            Action::SetMark(mark, secs) => self.set_mark(mark, secs),
            Action::SetFade(secs) => self.set_fade(secs),
            Action::SetLayers(layers) => self.set_layers(layers),

            Action::Orbit(drag) => self.move_camera(|c| c.orbit(drag)),
            Action::Pan(drag) => self.move_camera(|c| c.pan(drag)),
            Action::Zoom { factor, pointer } => self.zoom(factor, pointer),
            Action::CenterOn(pointer) => self.center_on(pointer),
            Action::FrameAll => self.sight.frame(self.view(), |_| {}),
            Action::ResetCamera => self.reset_camera(),
            Action::LookFrom(side) => self.sight.look_from(self.view(), side),
            Action::ToggleOrthographic => self.sight.toggle_orthographic(self.view()),
            Action::SelectScene(scene) => self.select_scene(scene),
            Action::SelectCamera(camera) => self.select_camera(camera),

            Action::ToggleStoodUp => self.toggle_stood_up(),
            Action::ToggleSkeleton => self.look.skeleton = !self.look.skeleton,
            Action::ToggleJointNames => self.look.joint_names = !self.look.joint_names,
            Action::ToggleGrid => self.look.grid = !self.look.grid,
            Action::ToggleAxes => self.look.axes = !self.look.axes,
            Action::ToggleBounds => self.look.bounds = !self.look.bounds,
            Action::SetLighting(lighting) => self.look.lighting = *lighting,
            Action::SetToneMap(tone_map) => self.look.tone_map = tone_map,
            Action::SetExposure(stops) if stops.is_finite() => self.look.exposure = stops,
            Action::SetExposure(_) => {}
            Action::SetPass(pass) => self.set_pass(pass),
            Action::SelectJoint(joint) => self.select_joint(joint),
            Action::SelectVariant(variant) => self.look.variant = variant,
            Action::NextPass => self.set_pass(self.look.pass.next()),

            Action::SavePicture { bare } if self.stage.is_some() => {
                return vec![Effect::SavePicture { bare }];
            }
            Action::CopyPicture if self.stage.is_some() => return vec![Effect::CopyPicture],
            Action::SavePicture { .. } | Action::CopyPicture => {}
            Action::TogglePanels => self.panels = !self.panels,
            Action::ToggleHelp => self.help = !self.help,
            Action::ToggleFullScreen => return vec![Effect::ToggleFullScreen],
            Action::Escape => self.escape(),
            Action::Dismiss => self.dismiss(),

            Action::AskForFile => return vec![Effect::AskForFile],
            Action::AskForEnvironment => return vec![Effect::AskForEnvironment],
            Action::Open(source) => return self.open(source),
            Action::TakeClips(source) => return self.open_clips(source),
            Action::OpenAll(places) => return self.open_all(places),
            Action::TakeClipsOfAll(places) => return self.take_clips_of_all(places),
            Action::Found { search, finds } => return self.found(&search, finds),
            Action::StepFiles(by) => return self.step_files(by),
            Action::Reload => return self.reload(),
            Action::Restore => return self.restore(),
            Action::FilesChanged(files) => return self.files_changed(&files),
        }
        Vec::new()
    }

    fn toggle_stood_up(&mut self) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        stage.stand_up(&document.model, !stage.stood_up());
        let clip = self.clip.and_then(|c| document.clip(c));
        self.sight.set_hull(scene_hull(&document.model, stage, clip));
        self.pose();
        self.sight.frame(self.view(), |_| {});
    }

    /// The point of the surface that the last pose shows under the pointer.
    fn surface_at(&self, pointer: DVec2) -> Option<DVec3> {
        let (document, stage) = self.document.as_ref().zip(self.stage.as_ref())?;
        stage.surface_along(&document.model, self.look.variant, self.view().ray(pointer))
    }

    fn zoom(&mut self, factor: f64, pointer: DVec2) {
        let surface = self.surface_at(pointer);
        self.move_camera(|camera| {
            let about = surface.unwrap_or_else(|| camera.at_target_depth(pointer));
            camera.zoom(factor, about);
        });
    }

    fn center_on(&mut self, pointer: DVec2) {
        if let Some(surface) = self.surface_at(pointer) {
            self.move_camera(|camera| camera.center_on(surface));
        }
    }

    fn move_camera(&mut self, change: impl FnOnce(&mut OrbitCamera)) {
        self.sight.take(self.view(), change);
    }

    fn escape(&mut self) {
        if self.help {
            self.help = false;
        } else if self.is_busy() {
            self.give_up();
            self.environments.pending = None;
        } else {
            self.dismiss();
        }
    }

    pub(super) fn reset_camera(&mut self) {
        let first = self.document.as_ref().is_none_or(|d| self.is_first(d));
        let view = if first { self.options.view.clone() } else { StartView::default() };
        let camera = match (&view, &self.document) {
            (StartView::Camera(wanted), Some(document)) => {
                let cameras = &document.model.cameras;
                let found = named_or_numbered(cameras.iter().map(|c| c.name.as_deref()), wanted);
                if found.is_none() {
                    let text =
                        format!("no camera \"{wanted}\" among this file's {}", cameras.len());
                    self.notice = Some(Notice::warning(text));
                }
                found
            }
            _ => None,
        };
        self.sight.start(&view, camera);
    }
}
