//! The session as a whole: its subjects, and what is read from them together. `steps` changes it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;

use super::aids::Drawings;
use super::chosen::Chosen;
use super::look::{same_joint, same_variant};
use super::notice::Notices;
use super::saved::Resuming;
use super::{
    BoxOf, Compared, Copies, Desktop, Document, Engine, Hidden, History, LoadId, Loads, Measure,
    Measured, Mending, NoticeKind, OpenWindowParts, Playback, Posing, Selection, SessionOptions,
    Timeline, ViewCamera,
};
use crate::aids::KeptTrail;
use crate::camera::PosedScene;
use crate::chosen::Aside;
use crate::playback::FrameRate;
use rigview_look::{BindDistances, Ghost, Highlight, LegendRow, Look, Stroke, View};
use rigview_model::{RootMotion, SceneBox, Trail};
use rigview_report::{JointWeights, WeightFault};

/// A session; see the [front page](crate).
#[derive(Debug)]
pub struct Session {
    pub(super) options: SessionOptions,
    pub(super) playback: Playback,
    pub(super) compared: Compared,
    pub(super) aside: Aside,
    pub(super) chosen: Chosen,
    pub(super) posing: Posing,
    pub(super) mending: Mending,
    pub(super) copies: Copies,
    pub(super) camera: ViewCamera,
    pub(super) look: Look,
    pub(super) loads: Loads,
    pub(super) notices: Notices,
    pub(super) trail: KeptTrail,
    pub(super) measure: Measure,
    pub(super) timeline: Timeline,
    pub(super) drawings: Drawings,
    pub(super) panels: bool,
    pub(super) parts: OpenWindowParts,
    pub(super) help: bool,
    pub(super) desktop: Desktop,
    pub(super) resuming: Resuming,
}

impl Session {
    /// Returns a session that shows nothing yet.
    pub fn new(options: SessionOptions) -> Self {
        let mut camera = ViewCamera::default();
        camera.start(options.view.clone(), None);
        Self {
            playback: Playback::new(options.form, FrameRate::new(options.fps, options.guesses_fps))
                .in_place(options.in_place),
            compared: Compared::new(options.fps),
            aside: Aside::default(),
            chosen: Chosen::default(),
            posing: Posing::default(),
            mending: Mending::default(),
            copies: Copies::default(),
            camera,
            look: options.look.clone(),
            loads: Loads::new(&options.look.lighting),
            notices: Notices::default(),
            trail: KeptTrail::default(),
            measure: Measure::default(),
            timeline: Timeline::default(),
            drawings: Drawings::default(),
            panels: true,
            parts: OpenWindowParts::default(),
            help: false,
            desktop: Desktop::default(),
            resuming: Resuming::default(),
            options,
        }
    }

    /// The opened model and how it plays.
    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    /// What is selected.
    pub fn selection(&self) -> &Selection {
        &self.chosen.selection
    }

    /// The hidden nodes.
    pub fn hidden(&self) -> &Hidden {
        &self.chosen.hidden
    }

    /// The time line.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The options that it was opened with.
    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// The camera.
    pub fn camera(&self) -> &ViewCamera {
        &self.camera
    }

    /// What the picture shows.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// The files being read.
    pub fn loads(&self) -> &Loads {
        &self.loads
    }

    /// A message for the person, other than a failed load.
    pub fn notice(&self) -> Option<&str> {
        self.notices.shown().map(|notice| notice.text.as_str())
    }

    /// The file whose writing that message reports, if it does.
    pub fn saved_file(&self) -> Option<&Path> {
        self.notices.shown().and_then(|notice| notice.saved.as_deref())
    }

    /// The kind of that message.
    pub fn notice_kind(&self) -> Option<NoticeKind> {
        self.notices.shown().map(|notice| notice.kind)
    }

    /// Whether panels are shown.
    pub fn panels(&self) -> bool {
        self.panels
    }

    /// The parts of the window that are open; none is shown while panels are hidden.
    pub fn window_parts(&self) -> OpenWindowParts {
        self.parts
    }

    /// Whether the help panel is shown.
    pub fn help(&self) -> bool {
        self.help
    }

    /// The view of the posed scene.
    pub fn view(&self) -> View {
        self.camera.view(self.shown())
    }

    /// The path of the selected node over the shown clip, if it is to be shown.
    pub fn trail(&self) -> Option<&Arc<Trail>> {
        self.trail.trail()
    }

    /// The model that is shown, with its stage.
    pub(super) fn shown(&self) -> Option<PosedScene<'_>> {
        let shown = self.playback.document().zip(self.playback.stage());
        let variant = self.look.variant;
        shown.map(|(document, stage)| PosedScene { model: &document.model, stage, variant })
    }

    /// The second model, and how it differs from the first one.
    pub fn compared(&self) -> &Compared {
        &self.compared
    }

    /// Whether a file is being read, searched for, compared, checked, mended, written or recorded.
    pub fn is_busy(&self) -> bool {
        let reads = self.loads.is_busy() || self.compared.is_busy();
        let copies = self.mending.is_busy() || self.copies.is_busy();
        reads || copies || self.timeline.is_busy() || self.desktop.recording().is_some()
    }

    /// Returns the document that a load has read, if it is shown.
    pub fn document_of(&self, id: LoadId) -> Option<&Document> {
        let both = self.playback.document().into_iter().chain(self.compared.document());
        both.into_iter().find(|document| document.load == id)
    }

    /// Returns a look of the first model for the second one: joint and variant are those of the same name, and only
    /// its boxes are marked.
    pub fn look_beside(&self, look: &Look) -> Look {
        let both = self.playback.document().zip(self.compared.document());
        let joint = both.and_then(|(a, b)| same_joint(look.joint, a, b));
        let variant = both.and_then(|(a, b)| same_variant(look.variant, a, b));
        let (bind, highlight) = (self.bind_beside(), self.highlight_beside());
        Look { joint, bind, variant, highlight, ..look.clone() }
    }

    /// How a person poses.
    pub fn posing(&self) -> &Posing {
        &self.posing
    }

    /// What can be undone and done again.
    pub fn history(&self) -> &History {
        &self.chosen.history
    }

    /// How an engine would store the model.
    pub fn engine(&self) -> &Engine {
        &self.chosen.engine
    }

    /// How an engine would store the second model.
    pub fn engine_beside(&self) -> &Engine {
        &self.aside.chosen.engine
    }

    /// What is mended of the shown file.
    pub fn mending(&self) -> &Mending {
        &self.mending
    }

    /// The state of the window that does not depend on the model.
    pub fn desktop(&self) -> &Desktop {
        &self.desktop
    }

    /// The ghosts of past and next poses, in the order in which they are drawn.
    pub fn ghosts(&self) -> &[Ghost] {
        self.drawings.onion.ghosts()
    }

    /// The lines and points over the picture: the boxes, the root's path, marks, what is measured.
    pub fn strokes(&self) -> &Arc<[Stroke]> {
        &self.drawings.strokes
    }

    /// What the drawings mark in a picture, without the selection.
    pub fn highlight(&self) -> Highlight {
        Highlight {
            trail: self.trail().cloned(),
            strokes: Arc::clone(self.strokes()),
            legend_rows: Arc::clone(self.legend_rows()),
            covered: [].into(),
            ..Highlight::default()
        }
    }

    /// The legend of the boxes; empty unless the look shows bounds.
    pub fn legend_rows(&self) -> &Arc<[LegendRow]> {
        &self.drawings.legend_rows
    }

    /// A box of the model; `None` unless the look shows bounds.
    pub fn bounds_of(&self, of: BoxOf) -> Option<SceneBox> {
        self.drawings.boxes[0].get(of)
    }

    /// The motion of the root over the shown clip; `None` unless the look shows its path, or the clip moves no joint.
    pub fn root_motion(&self) -> Option<&RootMotion> {
        self.drawings.root.motion().map(AsRef::as_ref)
    }

    /// Vertices without weights, or whose weights do not sum to 1; none unless the look marks them.
    pub fn weight_faults(&self) -> &[WeightFault] {
        self.drawings.marks.faults()
    }

    /// The weights of the joint whose heat is shown.
    pub fn shown_weights(&self) -> Option<JointWeights> {
        self.drawings.heat.weights()
    }

    /// The weight of that joint at the vertex under the pointer.
    pub fn hovered_weight(&self) -> Option<f32> {
        self.drawings.heat.hovered(&self.playback)
    }

    /// The boxes of the model beside, as what is marked in its picture.
    pub(super) fn highlight_beside(&self) -> Highlight {
        let mut strokes = Vec::new();
        self.drawings.boxes[1].add(&mut strokes);
        Highlight { strokes: strokes.into(), ..Highlight::default() }
    }

    /// The distances between rest and bind pose of the model beside, while the pass shows them.
    pub(super) fn bind_beside(&self) -> Option<Arc<BindDistances>> {
        self.drawings.bind.get()[1].clone()
    }

    /// What is measured.
    pub fn measuring(&self) -> &Measure {
        &self.measure
    }

    /// The distance between the two points in the present pose, once both are marked.
    pub fn measured(&self) -> Option<Measured> {
        let places = self.measure.places(&self.playback);
        let ends = <[DVec3; 2]>::try_from(places).ok()?;
        Some(Measured { ends, metres: ends[0].distance(ends[1]) })
    }

    /// Whether the picture changes as time passes.
    pub fn is_moving(&self) -> bool {
        self.playback.is_moving() || self.playback.stage.is_some() && self.camera.is_moving()
    }

    /// Removes the failure and the notice.
    pub(super) fn dismiss(&mut self) {
        self.loads.dismiss();
        self.notices.dismiss();
    }

    /// The files of both models, and of the clips that play on one.
    pub(super) fn shown_files(&self) -> Vec<PathBuf> {
        let both = self.playback.document().into_iter().chain(self.compared.document());
        both.flat_map(Document::all_files).collect()
    }
}
