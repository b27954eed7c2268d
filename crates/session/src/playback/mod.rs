//! The playback: an opened model and how it plays.

mod apply;
pub(super) mod borrowed;
pub(super) mod clips;
pub(super) mod document;
pub(super) mod expressions;
pub(super) mod file_source;
pub(super) mod frame_rate;
mod framed;
pub(super) mod kept_layer;
pub(super) mod mix;
#[cfg(test)]
mod mix_tests;
mod posed_stage;
#[cfg(test)]
mod scene_tests;
mod showing;
pub(super) mod transport;

use std::collections::BTreeMap;

use glam::DVec3;

use crate::notice::Notice;
use crate::posing::base_pose::{Base, BasePose};
use crate::posing::hand_pose::{HandPose, is_fixed};
use crate::{Document, FileCamera, LayerSettings};
use expressions::{Expressions, expression_names};
use frame_rate::FrameRate;
use framed::Framed;
use mix::Mix;
use rigview_anim::{Clip, Player, Repeat};
use rigview_look::Metered;
use rigview_model::{HeldRoot, Model, Node, SceneBox, Stage};
use rigview_report::{ClipForm, PoseFile};

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
            ..PoseFile::of(document.source.path_text(), model, stage)
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
