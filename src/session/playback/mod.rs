//! The playback: an opened model and how it plays.

mod apply;
pub(super) mod borrowed;
pub(super) mod clips;
pub(super) mod document;
pub(super) mod file_source;
pub(super) mod kept_layer;
pub(super) mod mix;
#[cfg(test)]
mod mix_tests;
#[cfg(test)]
mod scene_tests;
pub(super) mod transport;

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;

use crate::anim::{BlendLayer, Clip, Player, Repeat, frame_rate, instants, some_of};
use crate::look::Metered;
use crate::model::{HeldRoot, Model, Node, PoseSource, SceneBox, Stage, Trail, TrailDetail};
use crate::report::{ClipForm, FormOptions, PoseFile, clip_in_form};
use crate::session::camera::framing::scene_hull;
use crate::session::notice::Notice;
use crate::session::posing::base_pose::{Base, BasePose};
use crate::session::posing::hand_pose::{HandPose, is_fixed};
use crate::session::{Document, FileCamera, LayerSettings};
use mix::Mix;

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
    pub(super) clip: Option<usize>,
    /// The shown clip in the chosen form; `None` while it plays as the file has it.
    reformed: Option<Clip>,
    /// The form that clips play in.
    pub(super) form: ClipForm,
    /// Frames per second of read-outs and steps.
    pub(super) fps: f64,
    /// Whether `fps` follows the file or the keys of the shown clip.
    pub(super) guesses_fps: bool,
    pub(super) player: Player,
    pub(super) mix: Mix,
    /// The clock runs at least this long while a clip is shown: for a longer clip of a model that is compared.
    pub(super) least_secs: f64,
    pub(super) base: Base,
    /// The weights of a VRM file's expressions; empty if none was set.
    pub(super) expressions: Vec<f32>,
    /// The values that were set by hand.
    pub(super) hand: HandPose,
    /// The times of all keys of the shown clip, each once, increasing.
    pub(super) key_times: Vec<f32>,
    /// The outermost points over the framed clip (or at rest), in scene space.
    hull: Vec<DVec3>,
    /// The light of the file's lamps over the framed clip; `None` without lamps, or at rest.
    metered: Option<Metered>,
    /// The clip whose motion is framed: the shown one, or the one that a pose was taken from.
    framed_clip: Option<usize>,
    /// The root that is held in the framed motion.
    framed_root: Option<HeldRoot>,
    /// Whether the root stays at its first place over the ground.
    in_place: bool,
    /// The root of the shown clip, and its place at the clip's start in scene space.
    root: Option<HeldRoot>,
}

impl Playback {
    /// Returns a playback without a model.
    pub(super) fn new(form: ClipForm, fps: f64) -> Self {
        let fps = if fps.is_finite() && fps > 0.0 { fps } else { 30.0 };
        Self {
            document: None,
            stage: None,
            lies_on_its_back: false,
            clip: None,
            reformed: None,
            form,
            fps,
            guesses_fps: false,
            player: Player::default(),
            mix: Mix::default(),
            least_secs: 0.0,
            base: Base::default(),
            expressions: Vec::new(),
            hand: HandPose::default(),
            key_times: Vec::new(),
            hull: Vec::new(),
            metered: None,
            framed_clip: None,
            framed_root: None,
            in_place: false,
            root: None,
        }
    }

    /// Returns the playback with clips that play in place, or not.
    pub(super) fn in_place(self, in_place: bool) -> Self {
        Self { in_place, ..self }
    }

    /// Returns the playback with a frame rate that follows the keys of the shown clip, or not.
    pub(super) fn guessing_fps(self, guesses_fps: bool) -> Self {
        Self { guesses_fps, ..self }
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
    /// [`lies_on_its_back`]: crate::report::lies_on_its_back
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
    /// them for another file. To be called before the file is shown.
    pub(super) fn carry_pose(&mut self, after: &Model, again: bool) {
        let before = self.document.as_ref().filter(|_| again).map(|document| &document.model);
        let hand = before.map(|before| self.hand.carried_over(before, after));
        self.base.forget(again);
        self.hand = hand.unwrap_or_default();
        let weights = self.named_expressions();
        self.expressions.clear();
        if again && !weights.is_empty() {
            let weight = |name: &String| weights.get(name).copied().unwrap_or_default();
            self.expressions = expression_names(after).map(weight).collect();
        }
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
        let clip = self.clip;
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
        &self.hull
    }

    /// The light that automatic exposure is for: that of the file's lamps over the framed clip. `None` for that of the
    /// present pose.
    pub fn metered(&self) -> Option<&Metered> {
        self.metered.as_ref().filter(|_| self.is_framed())
    }

    /// The clip whose motion [`Playback::hull`] holds, by its index.
    pub(super) fn framed_clip(&self) -> Option<usize> {
        self.framed_clip
    }

    /// The root that [`Playback::hull`] holds in its place.
    pub(super) fn held_in_frame(&self) -> Option<HeldRoot> {
        self.framed_root
    }

    /// Plays clips in place, or not, and frames the motion again.
    pub(super) fn toggle_in_place(&mut self) {
        self.in_place = !self.in_place;
        self.frame_clip(self.framed_clip);
    }

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
            let clips = with_shown(document, self.clip, self.reformed.as_ref());
            self.mix.update(document, &clips, self.clip);
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
        let clips = with_shown(document, self.clip, self.reformed.as_ref());
        self.pose_stage(stage, PoseSource::Layers(&clips, layers), self.held());
    }

    /// Poses a stage of the scene by a source: then a root may be held, expressions add their weights, and values that
    /// were set by hand replace all others.
    fn pose_stage(&self, stage: &mut Stage, source: PoseSource<'_>, held: Option<HeldRoot>) {
        let Some(document) = &self.document else { return };
        let model = &document.model;
        stage.pose_with(model, source, held, |pose| {
            if let Some(vrm) = model.vrm.as_ref().filter(|_| self.shows_expressions()) {
                vrm.express(&self.expressions, pose);
            }
            self.hand.put(pose);
        });
    }

    /// The root that a clip does not move over the ground; `None` while it does.
    fn held(&self) -> Option<HeldRoot> {
        self.root.filter(|_| self.in_place)
    }

    /// Returns the stage as the file's own clip poses it, with the values that were set by hand.
    pub(super) fn exact_stage(&self) -> Option<Stage> {
        let mut stage = self.stage.clone()?;
        let alone = self.base() == BasePose::Clip && !self.mix.is_on();
        if self.reformed.is_some() && alone {
            let source = PoseSource::Clip(self.clip(), self.time_secs());
            self.pose_stage(&mut stage, source, self.held());
        }
        Some(stage)
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
            (self.reformed.is_some(), "Played in another form"),
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

    /// Whether the root of the shown clip stays at its first place over the ground.
    pub fn plays_in_place(&self) -> bool {
        self.in_place
    }

    /// Poses another stage of the scene at a time of the shown clip, which is `offset_secs` from the present.
    pub(super) fn pose_at(&self, stage: &mut Stage, time_secs: f64, offset_secs: f64) {
        let Some(document) = &self.document else { return };
        if self.mix.is_on() {
            self.pose_mixed(stage, &self.mix.posed_at(document, time_secs, offset_secs));
        } else {
            self.pose_stage(stage, PoseSource::Clip(self.shown_clip(), time_secs), self.held());
        }
    }

    /// Returns the path of a node over the shown clip, in the poses that seeking to each time shows: with the clips beside
    /// it, the root in its place while it is held, and the values that were set by hand.
    pub(super) fn trail(&self, node: usize, detail: TrailDetail) -> Option<Trail> {
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

    /// The weights of a VRM file's expressions; 0 where none was set.
    pub fn expression(&self, index: usize) -> f32 {
        self.expressions.get(index).copied().unwrap_or_default()
    }

    /// Whether the weight of an expression is not 0.
    pub fn shows_expressions(&self) -> bool {
        self.expressions.iter().any(|weight| *weight != 0.0)
    }

    /// Sets the weight of an expression, if there is one.
    fn express(&mut self, index: usize, weight: f32) {
        let vrm = self.document.as_ref().and_then(|document| document.model.vrm.as_ref());
        let count = vrm.map_or(0, |vrm| vrm.expressions.len());
        if index < count && weight.is_finite() {
            self.expressions.resize(count, 0.0);
            self.expressions[index] = weight.clamp(0.0, 1.0);
        }
    }

    /// The weights of expressions that are not 0, by name.
    pub(super) fn named_expressions(&self) -> BTreeMap<String, f32> {
        let names = self.document.iter().flat_map(|document| expression_names(&document.model));
        let set = names.zip(&self.expressions).filter(|(_, weight)| **weight != 0.0);
        set.map(|(name, weight)| (name.clone(), *weight)).collect()
    }

    /// Sets the weights of expressions by name. Returns the first name that the file lacks.
    pub(super) fn express_named<'a>(
        &mut self,
        weights: impl IntoIterator<Item = (&'a String, &'a f32)>,
    ) -> Option<&'a str> {
        let model = self.document.as_ref().map(|document| Arc::clone(&document.model))?;
        let mut missing = None;
        for (name, weight) in weights {
            match expression_names(&model).position(|other| other == name) {
                Some(index) => self.express(index, *weight),
                None => missing = missing.or(Some(name.as_str())),
            }
        }
        missing
    }

    /// The shown clip in the form in which it plays.
    pub(super) fn shown_clip(&self) -> Option<&Clip> {
        let clip = self.clip.and_then(|c| self.document.as_ref()?.clip(c));
        self.reformed.as_ref().or(clip)
    }

    /// Makes a clip the shown one and leaves the player as it is. Returns a notice if the clip moves nothing
    /// or can't take the chosen form.
    pub(super) fn show_clip(&mut self, clip: Option<usize>) -> Option<Notice> {
        let document = self.document.as_ref()?;
        let data = clip.and_then(|c| document.clip(c));
        self.key_times = data.map(key_times).unwrap_or_default();
        if self.guesses_fps {
            let clips_from =
                document.borrowed.as_ref().map_or(&document.model, |clips| &clips.model);
            let rate = clips_from.source.frame_rate.or_else(|| frame_rate(&self.key_times));
            self.fps = rate.unwrap_or(30.0);
        }
        let still = data.is_some_and(Clip::is_empty).then(|| {
            let name = clip.and_then(|c| document.clip_name(c)).unwrap_or_default();
            Notice::warning(format!("the clip \"{name}\" moves nothing; this is the rest pose"))
        });
        self.clip = clip;
        self.mix.note_switch();
        self.find_extent();
        let refused = self.reform();
        self.pose();
        refused.or(still)
    }

    /// Finds the outermost points over the shown clip, and the root that is held where it plays in place. Leaves the stage in
    /// another pose.
    pub(super) fn find_extent(&mut self) {
        self.root = self.root_of(self.clip);
        self.frame_motion(self.clip);
    }

    /// Frames the motion of a clip, whether or not it is the shown one.
    pub(super) fn frame_clip(&mut self, clip: Option<usize>) {
        self.frame_motion(clip);
        self.pose();
    }

    /// Finds the outermost points over a clip, as it plays. Leaves the stage in another pose.
    fn frame_motion(&mut self, clip: Option<usize>) {
        let framed_root = self.root_of(clip).filter(|_| self.in_place);
        let (Some(document), Some(stage)) = (&self.document, &mut self.stage) else { return };
        (self.framed_clip, self.framed_root) = (clip, framed_root);
        let clip = clip.and_then(|clip| document.clip(clip));
        self.hull = scene_hull(&document.model, stage, clip, framed_root);
        self.metered = clip.and_then(|clip| metered(&document.model, stage, clip, framed_root));
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

    /// The shown clip; `None` for the rest pose.
    pub fn clip(&self) -> Option<&Clip> {
        self.document.as_ref()?.clip(self.clip?)
    }

    /// The shown clip's time in seconds; 0 in the rest pose.
    pub fn time_secs(&self) -> f64 {
        if self.clip.is_some() { self.player.time_secs() } else { 0.0 }
    }

    /// Whether there is a clip with a duration above 0.
    pub fn can_play(&self) -> bool {
        self.duration_secs() > 0.0
    }

    /// Sets the frames per second. A clip in a sampled form is sampled again.
    pub(super) fn set_fps(&mut self, fps: f64) -> Option<Notice> {
        if !fps.is_finite() || fps <= 0.0 {
            return None;
        }
        // A rate that was chosen stays.
        self.guesses_fps = false;
        if fps == self.fps {
            return None;
        }
        self.fps = fps;
        self.set_form(self.form)
    }

    pub(super) fn set_form(&mut self, form: ClipForm) -> Option<Notice> {
        self.form = form;
        let refused = self.reform();
        self.pose();
        refused
    }

    /// Converts the shown clip to the chosen form. A clip that can't be converted plays as the file has it; the
    /// reason is returned.
    pub(super) fn reform(&mut self) -> Option<Notice> {
        self.reformed = None;
        let (document, clip) = self.document.as_ref().zip(self.clip())?;
        if self.form == ClipForm::Source {
            return None;
        }
        let options = FormOptions { fps: self.fps, ..FormOptions::default() };
        match clip_in_form(&document.model, clip, self.form, options) {
            Ok(clip) => {
                self.reformed = Some(clip);
                None
            }
            Err(error) => {
                let form = std::mem::replace(&mut self.form, ClipForm::Source);
                Some(Notice::warning(format!("the clip can't be {}: {error}", form.name())))
            }
        }
    }

    /// The shown clip's duration in seconds, or that of a longer clip of a model that is compared; 0 for the rest pose.
    pub fn duration_secs(&self) -> f64 {
        self.clip().map_or(0.0, |c| f64::from(c.duration_secs()).max(self.least_secs))
    }
}

/// Returns the clips that layers are numbered by, the shown one in the form in which it plays.
fn with_shown<'a>(
    document: &'a Document,
    shown: Option<usize>,
    reformed: Option<&'a Clip>,
) -> Vec<&'a Clip> {
    let mut clips = document.numbered_clips();
    if let (Some(shown), Some(clip)) = (shown, reformed) {
        clips[shown] = clip;
    }
    clips
}

/// Returns the names of a VRM file's expressions.
pub(super) fn expression_names(model: &Model) -> impl Iterator<Item = &String> {
    model.vrm.iter().flat_map(|vrm| &vrm.expressions).map(|expression| &expression.name)
}

fn key_times(clip: &Clip) -> Vec<f32> {
    let mut times: Vec<f32> = clip.key_times().collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    times
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
