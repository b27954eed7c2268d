//! An opened model and how it plays: the clip or the layers, the time, and the poses of stages.

pub(super) mod clips;
pub(super) mod document;
pub(super) mod mix;
#[cfg(test)]
mod mix_tests;
#[cfg(test)]
mod scene_tests;
pub(super) mod transport;

use std::collections::BTreeMap;

use glam::DVec3;

use crate::camera::file_camera::scene_hull;
use crate::notice::Notice;
use crate::playback::mix::Mix;
use crate::posing::{Base, BasePose, HandPose, is_fixed};
use crate::{Document, FileCamera, LayerSettings};
use rigview_anim::{BlendLayer, Clip, Player, Repeat, frame_rate, instants, some_of};
use rigview_look::Metered;
use rigview_model::{HeldRoot, Model, Node, PoseSource, SceneBox, Stage, Trail, TrailDetail};
use rigview_report::{ClipForm, FormOptions, PoseFile, clip_in_form, lies_on_its_back};
use rigview_rig::add_expressions;

/// An in or out point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Playing begins here.
    In,
    /// Playing ends here.
    Out,
}

/// A change of what plays and how.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaybackAction {
    /// Plays or pauses.
    TogglePlay,
    /// Goes to a time of the clip in seconds, and pauses.
    Seek(f64),
    /// Moves by a number of frames (backwards if negative), and pauses.
    StepFrames(i64),
    /// Moves by a number of keys of any channel (backwards if negative), and pauses.
    StepKeys(i64),
    /// Shows a clip, or the rest pose.
    SelectClip(Option<usize>),
    /// Shows the next clip; the first one after the last.
    NextClip,
    /// Shows the previous clip; the last one before the first.
    PreviousClip,
    /// Sets the speed in clip seconds per second.
    SetSpeed(f64),
    /// Sets the frames per second of read-outs and steps.
    SetFps(f64),
    /// Sets what happens at the clip's end.
    SetRepeat(Repeat),
    /// Plays clips in a smaller form.
    SetForm(ClipForm),
    /// Chooses the clips that play at once as the entry for all clips, and shows it.
    SetTogether(Vec<usize>),
    /// Sets the duration of the crossfade between clips in seconds.
    SetFade(f64),
    /// Plays the file's own clips again instead of those of another file.
    OwnClips,
    /// Replaces the clips that play beside the shown one.
    SetLayers(Vec<LayerSettings>),
    /// Sets an in or out point in seconds, or removes it.
    SetMark(Mark, Option<f64>),
    /// Turns the scene so that its +Z is up, or back to what the file says.
    ToggleStoodUp,
    /// Holds the root of the shown clip at its first place over the ground, or lets it move again.
    ToggleInPlace,
    /// Shows another scene of the file; clip and time stay.
    SelectScene(usize),
    /// Sets the weight of an expression of a VRM file.
    Express(usize, f32),
    /// Sets the weights of all expressions to 0.
    ResetExpressions,
}

/// An opened model and how it plays; empty until the first file is shown.
#[derive(Clone, Debug)]
pub struct Playback {
    pub(super) document: Option<Document>,
    pub(super) stage: Option<Stage>,
    /// Whether the file seems to have its +Z up.
    pub(super) lies_on_its_back: bool,
    shown: ShownClip,
    /// The form that clips play in.
    pub(super) form: ClipForm,
    pub(super) rate: FrameRate,
    pub(super) player: Player,
    pub(super) mix: Mix,
    /// The clock runs at least this long while a clip is shown: for a longer clip of a model that is compared.
    pub(super) least_secs: f64,
    pub(super) base: Base,
    pub(super) expressions: Expressions,
    /// The values that were set by hand.
    pub(super) hand: HandPose,
    framed: Framed,
    root: ShownRoot,
}

/// The shown clip.
#[derive(Clone, Debug, Default)]
struct ShownClip {
    /// `None` for the rest pose.
    index: Option<usize>,
    /// The clip in the chosen form; `None` while it plays as the file has it.
    reformed: Option<Clip>,
    /// The times of all keys, each once, increasing.
    key_times: Vec<f32>,
}

/// The root of the shown clip.
#[derive(Clone, Copy, Debug, Default)]
struct ShownRoot {
    /// Whether it stays at its first place over the ground.
    is_held: bool,
    /// The root, and its place at the clip's start in scene space.
    at_start: Option<HeldRoot>,
}

impl Playback {
    /// Returns a playback without a model.
    pub(super) fn new(form: ClipForm, rate: FrameRate) -> Self {
        Self {
            document: None,
            stage: None,
            lies_on_its_back: false,
            shown: ShownClip::default(),
            form,
            rate,
            player: Player::default(),
            mix: Mix::default(),
            least_secs: 0.0,
            base: Base::default(),
            expressions: Expressions::default(),
            hand: HandPose::default(),
            framed: Framed::default(),
            root: ShownRoot::default(),
        }
    }

    /// Returns the playback with clips that play in place, or not.
    pub(super) fn in_place(self, in_place: bool) -> Self {
        Self { root: ShownRoot { is_held: in_place, ..self.root }, ..self }
    }

    /// The opened file.
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// The shown scene, posed by the last [`Playback::pose`].
    pub fn stage(&self) -> Option<&Stage> {
        self.stage.as_ref()
    }

    /// Returns a message for a scene without a mesh: what is drawn instead, and how to use the file's clips.
    pub(super) fn without_mesh(&self) -> Option<String> {
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
                "There is no mesh in this {place}: it is drawn as bones. Shift+drop it on a model \
                 to play its clips."
            ),
        })
    }

    /// Whether the model seems to lie on its back, as the file has it: see [`lies_on_its_back`].
    ///
    /// [`lies_on_its_back`]: rigview_report::lies_on_its_back
    pub fn lies_on_its_back(&self) -> bool {
        self.lies_on_its_back
    }

    /// The window's title.
    pub fn title(&self) -> String {
        match self.document() {
            Some(document) => format!("{} - rigview", document.name),
            None => "rigview".to_owned(),
        }
    }

    /// Keeps the pose by hand and the expressions for a file that was read again, as far as it has the same names; forgets
    /// them for another file. To be called before the file is shown. Returns a notice if the file that was read again lacks posed
    /// nodes.
    pub(super) fn carry_pose(&mut self, after: &Model, again: bool) -> Option<Notice> {
        let before = self.document.as_ref().filter(|_| again).map(|document| &document.model);
        let hand = before.map(|before| self.hand.carried_over(before, after));
        self.base.forget(again);
        let (hand, missing) = hand.unwrap_or_default();
        self.hand = hand;
        match before {
            Some(before) => self.expressions.carry_over(before, after),
            None => self.expressions.clear(),
        }
        Notice::lost_pose(missing)
    }

    /// The values that were set by hand.
    pub fn hand(&self) -> &HandPose {
        &self.hand
    }

    /// Whether a node can be moved, turned and scaled: not if its matrix is one that no pose changes.
    pub fn can_pose(&self, node: usize) -> bool {
        self.document().is_some_and(|document| {
            node < document.model.nodes.len() && !is_fixed(&document.model, node)
        })
    }

    /// Whether glTF ignores a node's transform: its mesh is skinned, and nothing else hangs from it.
    pub fn ignores_transform(&self, node: usize) -> bool {
        self.document().is_some_and(|document| {
            let model = &*document.model;
            let hierarchy = &model.hierarchy;
            let has_children = (0..model.nodes.len()).any(|n| hierarchy.parent(n) == Some(node));
            let is_skinned = |node: &Node| node.skin.is_some() && node.mesh.is_some();
            model.nodes.get(node).is_some_and(is_skinned) && !has_children
        })
    }

    /// Whether other clips play beside the shown one, or fade.
    pub fn is_mixed(&self) -> bool {
        self.mix.is_on()
    }

    /// Returns the shown pose as a file that `screenshot --pose` draws; `None` while nothing is shown.
    pub fn pose_file(&self) -> Option<PoseFile> {
        let (document, stage) = self.document().zip(self.stage())?;
        let model = &*document.model;
        let clip = self.shown.index;
        Some(PoseFile {
            // All clips at once have no index in the file.
            clip: clip.filter(|clip| *clip < document.clips().len()),
            clip_name: clip.and_then(|clip| document.clip_name(clip)).map(str::to_owned),
            time: self.time_secs(),
            by_hand: self.hand.named(model),
            expressions: expression_names(model).next().map(|_| self.named_expressions()),
            ..PoseFile::new(document.source.path_text(), model, stage)
        })
    }

    /// The cameras of the shown scene, in file order.
    pub fn cameras(&self) -> Vec<FileCamera> {
        self.document.as_ref().map_or_else(Vec::new, |document| self.cameras_of(&document.model))
    }

    /// Returns the cameras of the stage's scene, in file order. The stage is that of the model.
    pub(super) fn cameras_of(&self, model: &Model) -> Vec<FileCamera> {
        let cameras = self.stage.as_ref().map(|stage| FileCamera::all(model, &stage.nodes));
        cameras.unwrap_or_default()
    }

    /// The outermost points of the scene over the shown clip (or at rest), in scene space.
    pub fn hull(&self) -> &[DVec3] {
        &self.framed.hull
    }

    /// The light that automatic exposure is for: that of the file's lamps over the framed clip. `None` for that of the
    /// present pose.
    pub fn metered(&self) -> Option<&Metered> {
        self.framed.metered.as_ref().filter(|_| self.is_framed())
    }

    /// The clip whose motion [`Playback::hull`] holds, by its index.
    pub(super) fn framed_clip(&self) -> Option<usize> {
        self.framed.clip
    }

    /// The root that [`Playback::hull`] holds in its place.
    pub(super) fn held_in_frame(&self) -> Option<HeldRoot> {
        self.framed.root
    }

    /// Returns what makes the pose another one than that of the shown clip as the file has it: `Posed by hand`. `None` if
    /// nothing does.
    pub fn not_as_in_file(&self) -> Option<&'static str> {
        let is_another_scene = |stage: &Stage| {
            self.document.as_ref().is_some_and(|d| d.model.default_scene != stage.scene)
        };
        [
            (!self.hand.is_empty(), "Posed by hand"),
            (self.base() != BasePose::Clip, "Another pose than the clip's"),
            (self.shows_expressions(), "Expressions are set"),
            (!self.mix.layers.is_empty(), "Layers are played"),
            (self.held().is_some(), "Played in place"),
            (self.shown.reformed.is_some(), "Played in another form"),
            (
                self.stage.as_ref().is_some_and(is_another_scene),
                "Another scene than the default one",
            ),
        ]
        .into_iter()
        .find_map(|(is_so, what)| is_so.then_some(what))
    }

    /// The pose under the values that are set by hand.
    pub fn base(&self) -> BasePose {
        self.base.chosen
    }

    /// Whether the pose is that of the framed clip alone, or the rest pose.
    fn is_framed(&self) -> bool {
        self.base() == BasePose::Clip && self.hand.is_empty() && !self.mix.is_on()
    }

    /// The box around the pose in scene space, and somewhat larger; `None` if the framed box holds it, which is the same at all
    /// instants of a clip.
    pub(super) fn reach(&self) -> Option<SceneBox> {
        let (document, stage) = self.document.as_ref().zip(self.stage.as_ref())?;
        if self.is_framed() {
            return None;
        }
        let bounds = stage.bounds(&document.model);
        SceneBox::around(&[bounds.min, bounds.max].map(|corner| corner.as_dvec3() + stage.origin))
    }

    /// The root that a clip does not move over the ground; `None` while it does.
    fn held(&self) -> Option<HeldRoot> {
        self.root.at_start.filter(|_| self.root.is_held)
    }

    /// Whether the root of the shown clip stays at its first place over the ground.
    pub fn plays_in_place(&self) -> bool {
        self.root.is_held
    }

    /// The weight of an expression of a VRM file; 0 if it was not set.
    pub fn expression(&self, index: usize) -> f32 {
        self.expressions.weight(index)
    }

    /// Whether the weight of an expression is not 0.
    pub fn shows_expressions(&self) -> bool {
        self.expressions.is_set()
    }

    /// The weights of expressions that are not 0, by name.
    pub(super) fn named_expressions(&self) -> BTreeMap<String, f32> {
        let named = |document: &Document| self.expressions.named(&document.model);
        self.document.as_ref().map(named).unwrap_or_default()
    }

    /// Sets the weights of expressions by name. Returns the first name that the file lacks.
    pub(super) fn express_named<'a>(
        &mut self,
        weights: impl IntoIterator<Item = (&'a String, &'a f32)>,
    ) -> Option<&'a str> {
        self.expressions.set_named(&self.document.as_ref()?.model, weights)
    }

    /// The shown clip in the form in which it plays.
    pub(super) fn shown_clip(&self) -> Option<&Clip> {
        let clip = self.shown.index.and_then(|c| self.document.as_ref()?.clip(c));
        self.shown.reformed.as_ref().or(clip)
    }

    /// The shown clip; `None` for the rest pose.
    pub fn clip(&self) -> Option<&Clip> {
        self.document.as_ref()?.clip(self.shown.index?)
    }

    /// The shown clip's time in seconds; 0 in the rest pose.
    pub fn time_secs(&self) -> f64 {
        if self.shown.index.is_some() { self.player.time_secs() } else { 0.0 }
    }

    /// Whether there is a clip with a duration above 0.
    pub fn can_play(&self) -> bool {
        self.duration_secs() > 0.0
    }

    /// The shown clip's duration in seconds, or that of a longer clip of a model that is compared; 0 for the rest pose.
    pub fn duration_secs(&self) -> f64 {
        self.clip().map_or(0.0, |c| f64::from(c.duration_secs()).max(self.least_secs))
    }
}

impl Playback {
    /// Changes what plays. Returns a notice, if any.
    pub(crate) fn apply(&mut self, action: PlaybackAction) -> Option<Notice> {
        match action {
            PlaybackAction::SelectClip(_)
            | PlaybackAction::NextClip
            | PlaybackAction::PreviousClip
            | PlaybackAction::OwnClips => self.base.chosen = BasePose::Clip,
            PlaybackAction::TogglePlay
            | PlaybackAction::Seek(_)
            | PlaybackAction::StepFrames(_)
            | PlaybackAction::StepKeys(_)
                if self.can_run() && self.base() != BasePose::Clip =>
            {
                // Time passes only in a clip. Play begins there, whether or not it ran before.
                self.base.chosen = BasePose::Clip;
                self.player.playing &= action != PlaybackAction::TogglePlay;
            }
            _ => {}
        }
        match action {
            PlaybackAction::TogglePlay => self.toggle_play(),
            PlaybackAction::Seek(time_secs) => self.seek(time_secs),
            PlaybackAction::StepFrames(frames) => self.step_frames(frames),
            PlaybackAction::StepKeys(keys) => self.step_keys(keys),
            PlaybackAction::SelectClip(clip) => return self.select_clip(clip),
            PlaybackAction::NextClip => return self.step_clips(1),
            PlaybackAction::PreviousClip => return self.step_clips(-1),
            PlaybackAction::SetSpeed(speed) => self.set_speed(speed),
            PlaybackAction::SetFps(fps) => return self.set_fps(fps),
            PlaybackAction::SetRepeat(repeat) => self.player.set_repeat(repeat),
            PlaybackAction::SetForm(form) => return self.set_form(form),
            PlaybackAction::SetTogether(clips) => return self.play_together(clips),
            PlaybackAction::OwnClips => return self.return_clips(),
            PlaybackAction::SetFade(secs) => self.set_fade(secs),
            PlaybackAction::SetLayers(layers) => self.set_layers(layers),
            PlaybackAction::SetMark(mark, secs) => return self.set_mark(mark, secs),
            PlaybackAction::ToggleStoodUp => self.toggle_stood_up(),
            PlaybackAction::ToggleInPlace => self.toggle_in_place(),
            PlaybackAction::SelectScene(scene) => self.select_scene(scene),
            PlaybackAction::Express(index, weight) => {
                if let Some(document) = &self.document {
                    self.expressions.set(&document.model, index, weight);
                }
                self.pose();
            }
            PlaybackAction::ResetExpressions => {
                self.expressions.clear();
                self.pose();
            }
        }
        None
    }

    fn select_scene(&mut self, scene: usize) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        let model = &document.model;
        if scene >= model.scenes.len() || scene == stage.scene {
            return;
        }
        let stood_up = stage.stood_up();
        *stage = Stage::new(model, scene);
        self.lies_on_its_back = lies_on_its_back(model, stage);
        stage.stand_up(model, stood_up);
        self.find_extent();
        self.pose();
    }

    fn toggle_stood_up(&mut self) {
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        stage.stand_up(&document.model, !stage.stood_up());
        self.find_extent();
        self.pose();
    }
}

/// Frames per second of read-outs and steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FrameRate {
    /// A positive number.
    pub fps: f64,
    /// Whether the rate follows the file or the keys of the shown clip.
    pub follows_clip: bool,
}

impl FrameRate {
    /// The rate of clips that do not tell one.
    pub const USUAL_FPS: f64 = 30.0;

    /// Returns a rate of so many frames per second, or the usual one if that is no rate.
    pub fn new(fps: f64, follows_clip: bool) -> Self {
        let is_rate = fps.is_finite() && fps > 0.0;
        Self { fps: if is_rate { fps } else { Self::USUAL_FPS }, follows_clip }
    }
}

impl Playback {
    /// Makes a clip the shown one and leaves the player as it is. Returns a notice if the clip moves nothing
    /// or can't take the chosen form.
    pub(crate) fn show_clip(&mut self, clip: Option<usize>) -> Option<Notice> {
        let document = self.document.as_ref()?;
        let data = clip.and_then(|c| document.clip(c));
        self.shown.key_times = data.map(key_times).unwrap_or_default();
        if self.rate.follows_clip {
            let clips_from =
                document.borrowed.as_ref().map_or(&document.model, |clips| &clips.model);
            let fps = clips_from.source.frame_rate.or_else(|| frame_rate(&self.shown.key_times));
            self.rate.fps = fps.unwrap_or(FrameRate::USUAL_FPS);
        }
        let still = data.is_some_and(Clip::is_empty).then(|| {
            let name = clip.and_then(|c| document.clip_name(c)).unwrap_or_default();
            Notice::warning(format!("the clip \"{name}\" moves nothing; this is the rest pose"))
        });
        self.shown.index = clip;
        self.mix.note_switch();
        self.find_extent();
        let refused = self.reform();
        self.pose();
        refused.or(still)
    }

    /// Finds the outermost points over the shown clip, and the root that is held where it plays in place. Leaves the stage in
    /// another pose.
    pub(crate) fn find_extent(&mut self) {
        self.root.at_start = self.root_of(self.shown.index);
        self.frame_motion(self.shown.index);
    }

    /// Frames the motion of a clip, whether or not it is the shown one.
    pub(crate) fn frame_clip(&mut self, clip: Option<usize>) {
        self.frame_motion(clip);
        self.pose();
    }

    /// Finds the outermost points over a clip, as it plays. Leaves the stage in another pose.
    fn frame_motion(&mut self, clip: Option<usize>) {
        let root = self.root_of(clip).filter(|_| self.root.is_held);
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        self.framed = Framed::new(document, stage, clip, root);
    }

    /// Returns the root of a clip and its place at the clip's start.
    fn root_of(&self, clip: Option<usize>) -> Option<HeldRoot> {
        let (document, stage) = self.document.as_ref().zip(self.stage.as_ref())?;
        let clip = document.clip(clip?)?;
        let node = stage.root_of(&document.model, clip)?;
        let mut stage = stage.clone();
        stage.pose(&document.model, Some(clip), 0.0);
        Some(HeldRoot { node, place: stage.position(node).as_dvec3() + stage.origin })
    }

    /// Plays clips in place, or not, and frames the motion again.
    pub(crate) fn toggle_in_place(&mut self) {
        self.root.is_held = !self.root.is_held;
        self.frame_clip(self.framed.clip);
    }

    /// Sets the frames per second. A clip in a sampled form is sampled again.
    pub(crate) fn set_fps(&mut self, fps: f64) -> Option<Notice> {
        if !fps.is_finite() || fps <= 0.0 {
            return None;
        }
        let before = self.rate.fps;
        // A rate that was chosen stays.
        self.rate = FrameRate { fps, follows_clip: false };
        if fps == before {
            return None;
        }
        self.set_form(self.form)
    }

    pub(crate) fn set_form(&mut self, form: ClipForm) -> Option<Notice> {
        self.form = form;
        let refused = self.reform();
        self.pose();
        refused
    }

    /// Converts the shown clip to the chosen form. A clip that can't be converted plays as the file has it; the
    /// reason is returned.
    pub(crate) fn reform(&mut self) -> Option<Notice> {
        self.shown.reformed = None;
        let (document, clip) = self.document.as_ref().zip(self.clip())?;
        if self.form == ClipForm::Source {
            return None;
        }
        let options = FormOptions { fps: self.rate.fps, ..FormOptions::default() };
        match clip_in_form(&document.model, clip, self.form, options) {
            Ok(clip) => {
                self.shown.reformed = Some(clip);
                None
            }
            Err(error) => {
                let form = std::mem::replace(&mut self.form, ClipForm::Source);
                Some(Notice::warning(format!("the clip can't be {}: {error}", form.name())))
            }
        }
    }
}

fn key_times(clip: &Clip) -> Vec<f32> {
    let mut times: Vec<f32> = clip.key_times().collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    times
}

/// The motion that is framed, and what was found over it.
#[derive(Clone, Debug, Default)]
pub(super) struct Framed {
    /// The clip: the shown one, or the one that a pose was taken from; `None` at rest.
    pub clip: Option<usize>,
    /// The root that is held.
    pub root: Option<HeldRoot>,
    /// The outermost points over the clip (or at rest), in scene space.
    pub hull: Vec<DVec3>,
    /// The light of the file's lamps over the clip; `None` without lamps, or at rest.
    pub metered: Option<Metered>,
}

impl Framed {
    /// Frames the motion of a clip. Leaves the stage in another pose.
    pub fn new(
        document: &Document,
        stage: &mut Stage,
        clip: Option<usize>,
        root: Option<HeldRoot>,
    ) -> Self {
        let model = &document.model;
        let motion = clip.and_then(|clip| document.clip(clip));
        Self {
            clip,
            root,
            hull: scene_hull(model, stage, motion, root),
            metered: motion.and_then(|clip| metered(model, stage, clip, root)),
        }
    }
}

/// Returns the light of a file's lamps at the instants of a clip, of very many at some; `None` if it has none. Leaves the
/// stage in another pose.
fn metered(
    model: &Model,
    stage: &mut Stage,
    clip: &Clip,
    held: Option<HeldRoot>,
) -> Option<Metered> {
    /// Limits of instants, and of posed nodes over all of them.
    const MOST: usize = 1000;
    const MOST_NODES: usize = 1_000_000;
    if model.lights.is_empty() {
        return None;
    }
    let most = (MOST_NODES / model.nodes.len().max(1)).clamp(9, MOST);
    let mut metered = Metered::default();
    for time in some_of(instants(&[clip]), most) {
        stage.pose_with(model, PoseSource::Clip(Some(clip), time), held, |_| {});
        metered.add(model, stage, &stage.bounds(model));
    }
    Some(metered)
}

impl Playback {
    /// Poses the stage for the present clip and time, with the values that were set by hand.
    pub fn pose(&mut self) {
        self.update_layers();
        let Some(mut stage) = self.stage.take() else { return };
        if let Some(document) = &self.document {
            self.base.update(&document.model, stage.scene);
        }
        self.pose_base(&mut stage);
        self.stage = Some(stage);
    }

    /// Updates the layers that pose the stage, while other clips play beside the shown one.
    fn update_layers(&mut self) {
        if self.can_play() {
            self.mix.at_secs = self.time_secs();
        }
        if let (true, Some(document)) = (self.mix.is_on(), &self.document) {
            let clips = with_shown(document, &self.shown);
            self.mix.update(document, &clips, self.shown.index);
        }
    }

    /// Poses a stage in the chosen pose, which is by default that of the clip at its time.
    fn pose_base(&self, stage: &mut Stage) {
        let alone = |clip, time_secs| PoseSource::Clip(clip, time_secs);
        match (self.base.chosen, self.base.bind()) {
            (BasePose::Bind, Some(bind)) => {
                self.pose_stage(stage, PoseSource::Transforms(bind), None);
            }
            (BasePose::Rest | BasePose::Bind, _) => self.pose_stage(stage, alone(None, 0.0), None),
            (BasePose::ClipStart, _) => {
                self.pose_stage(stage, alone(self.shown_clip(), 0.0), None);
            }
            (BasePose::Clip, _) if self.mix.is_on() => self.pose_mixed(stage, self.mix.posed()),
            (BasePose::Clip, _) => {
                self.pose_stage(stage, alone(self.shown_clip(), self.time_secs()), self.held());
            }
        }
    }

    /// Poses a stage by layers of the file's clips.
    fn pose_mixed(&self, stage: &mut Stage, layers: &[BlendLayer]) {
        let Some(document) = &self.document else { return };
        let clips = with_shown(document, &self.shown);
        self.pose_stage(stage, PoseSource::Layers(&clips, layers), self.held());
    }

    /// Poses a stage of the scene by a source: then a root may be held, expressions add their weights, and values that
    /// were set by hand replace all others.
    fn pose_stage(&self, stage: &mut Stage, source: PoseSource<'_>, held: Option<HeldRoot>) {
        let Some(document) = &self.document else { return };
        let model = &document.model;
        stage.pose_with(model, source, held, |pose| {
            if let Some(vrm) = model.vrm.as_ref().filter(|_| self.shows_expressions()) {
                add_expressions(vrm, self.expressions.weights(), pose);
            }
            self.hand.apply(pose);
        });
    }

    /// Returns the stage as the file's own clip poses it, with the values that were set by hand.
    pub(crate) fn exact_stage(&self) -> Option<Stage> {
        let mut stage = self.stage.clone()?;
        let alone = self.base() == BasePose::Clip && !self.mix.is_on();
        if self.shown.reformed.is_some() && alone {
            let source = PoseSource::Clip(self.clip(), self.time_secs());
            self.pose_stage(&mut stage, source, self.held());
        }
        Some(stage)
    }

    /// Poses another stage of the scene at a time of the shown clip, which is `offset_secs` from the present.
    pub(crate) fn pose_at(&self, stage: &mut Stage, time_secs: f64, offset_secs: f64) {
        let Some(document) = &self.document else { return };
        if self.mix.is_on() {
            self.pose_mixed(stage, &self.mix.posed_at(document, time_secs, offset_secs));
        } else {
            self.pose_stage(stage, PoseSource::Clip(self.shown_clip(), time_secs), self.held());
        }
    }

    /// Returns the path of a node over the shown clip, in the poses that seeking to each time shows: with the clips beside
    /// it, the root in its place while it is held, and the values that were set by hand.
    pub(crate) fn trail(&self, node: usize, detail: TrailDetail) -> Option<Trail> {
        let (document, stage) = self.document.as_ref().zip(self.stage.as_ref())?;
        let clip = self.shown_clip()?;
        Some(stage.trail(&document.model, clip, node, detail, |stage, time_secs| {
            if self.mix.layers.is_empty() {
                self.pose_stage(stage, PoseSource::Clip(Some(clip), time_secs), self.held());
            } else {
                self.pose_mixed(stage, &self.mix.sought(document, time_secs));
            }
        }))
    }
}

/// Returns the clips that layers are numbered by, the shown one in the form in which it plays.
fn with_shown<'a>(document: &'a Document, shown: &'a ShownClip) -> Vec<&'a Clip> {
    let mut clips = document.numbered_clips();
    if let (Some(index), Some(clip)) = (shown.index, &shown.reformed) {
        clips[index] = clip;
    }
    clips
}

/// The weights of a VRM file's expressions by their index; empty if none was set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expressions(Vec<f32>);

impl Expressions {
    /// The weights, of as many expressions as were needed.
    pub fn weights(&self) -> &[f32] {
        &self.0
    }

    /// The weight of an expression; 0 if it was not set.
    pub fn weight(&self, index: usize) -> f32 {
        self.0.get(index).copied().unwrap_or_default()
    }

    /// Whether a weight is not 0.
    pub fn is_set(&self) -> bool {
        self.0.iter().any(|weight| *weight != 0.0)
    }

    /// Sets all weights to 0.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Sets the weight of an expression, if the model has it.
    pub fn set(&mut self, model: &Model, index: usize, weight: f32) {
        let count = model.vrm.as_ref().map_or(0, |vrm| vrm.expressions.len());
        if index < count && weight.is_finite() {
            self.0.resize(count, 0.0);
            self.0[index] = weight.clamp(0.0, 1.0);
        }
    }

    /// Returns the weights that are not 0, by name.
    pub fn named(&self, model: &Model) -> BTreeMap<String, f32> {
        let set = expression_names(model).zip(&self.0).filter(|(_, weight)| **weight != 0.0);
        set.map(|(name, weight)| (name.clone(), *weight)).collect()
    }

    /// Sets weights by name. Returns the first name that the model lacks.
    pub fn set_named<'a>(
        &mut self,
        model: &Model,
        weights: impl IntoIterator<Item = (&'a String, &'a f32)>,
    ) -> Option<&'a str> {
        let mut missing = None;
        for (name, weight) in weights {
            match expression_names(model).position(|other| other == name) {
                Some(index) => self.set(model, index, *weight),
                None => missing = missing.or(Some(name.as_str())),
            }
        }
        missing
    }

    /// Keeps the weights in another version of the file, by their names.
    pub fn carry_over(&mut self, before: &Model, after: &Model) {
        let weights = self.named(before);
        self.clear();
        if !weights.is_empty() {
            let weight = |name: &String| weights.get(name).copied().unwrap_or_default();
            self.0 = expression_names(after).map(weight).collect();
        }
    }
}

/// Returns the names of a VRM file's expressions.
pub(crate) fn expression_names(model: &Model) -> impl Iterator<Item = &String> {
    model.vrm.iter().flat_map(|vrm| &vrm.expressions).map(|expression| &expression.name)
}
