//! The session: an opened model and how it plays, the view of it, and the files being read.
//!
//! A [`Session`] is composed of subjects, each in a folder: the [`Exhibit`] (a model and how it plays), the
//! [`Selection`] (the part that is described), the [`Sight`] (the camera), the [`Look`] (what the picture shows), the
//! [`Loads`] (files being read), and so on. A subject's `mod.rs` has its state and its actions; `apply.rs`, where there
//! is one, has the steps that concern other subjects too. [`Session::apply`] is the only way to change any of it.
//! Dialogs, loads and uploads happen outside: they are returned as [`Effect`]s. Nothing here has a clock, a window or a
//! GPU; time passes by [`Action::Advance`].
//!
//! ```
//! use rigview::session::{Action, Effect, ExhibitAction, LoadAction, Session, SessionOptions};
//!
//! let mut session = Session::new(SessionOptions::default());
//! let effects = session.apply(LoadAction::open("fox.glb"));
//! assert!(matches!(&effects[..], [Effect::Load(request)] if !request.again));
//! // Nothing is shown yet, so nothing plays.
//! session.apply(ExhibitAction::TogglePlay);
//! assert!(!session.exhibit().is_moving());
//! ```

mod action;
mod aids;
mod command_line;
mod compared;
mod desktop;
mod effect;
mod engine;
mod exhibit;
mod hidden;
mod loads;
mod look;
mod measure;
mod notice;
mod part;
mod posing;
#[cfg(test)]
pub(crate) mod sample;
mod saved;
mod selection;
mod sight;
mod start;
#[cfg(test)]
mod tests;
mod timeline;
#[cfg(test)]
mod view_tests;

use std::sync::Arc;

use aids::Drawings;
use aids::trail::KeptTrail;
use notice::{Notice, Notices};
use saved::Resuming;
use sight::place::Shown;

use crate::look::{Look, View};
use crate::model::Trail;

pub use action::Action;
pub use aids::boxes::BoxOf;
pub use command_line::{CommandLine, PictureSize};
pub use compared::{Compared, ComparedAction, ComparisonRequest, Measurement, Together};
pub use desktop::recording::{RecordProgress, Recording};
pub use desktop::{Desktop, DesktopAction, DesktopEffect, FileQuestion, ThemeChoice};
pub use effect::Effect;
pub use engine::{Engine, EngineAction};
pub use exhibit::borrowed::{Borrowed, Retargeting};
pub use exhibit::document::{ClipsId, Document, Summary, joint_node};
pub use exhibit::file_source::FileSource;
pub use exhibit::mix::{Blending, LONGEST_FADE, LayerSettings};
pub use exhibit::playback::{Instant, key_from};
pub use exhibit::{Exhibit, ExhibitAction, Mark};
pub use hidden::{Hidden, HiddenAction};
pub use loads::action::LoadAction;
pub use loads::folder::{Finds, Search};
pub use loads::request::{
    Destination, LoadId, LoadRequest, LoadedFile, Preparation, PreparedModel, Watch,
};
pub use loads::{LoadFailure, Loads};
pub use look::LookAction;
pub use measure::{Anchor, Measure, MeasureAction, Measured};
pub use notice::NoticeKind;
pub use part::{Part, Parts};
pub use posing::base_pose::BasePose;
pub use posing::hand_pose::{HandField, HandPose, HandValue};
pub use posing::history::History;
pub use posing::{Axes, PoseAction, Posing, Tool};
pub use saved::SESSION_FILE;
pub use selection::question::{Answer, PickAction, Purpose, Question, Seen};
pub use selection::{Item, PickedVertex, Selection, SelectionAction};
pub use sight::Sight;
pub use sight::action::{Side, SightAction};
pub use sight::camera::{self, OrbitCamera};
pub use sight::framing::{file_camera_view, scene_hull};
pub use start::{
    ClipChoice, ExplicitCamera, PosedClip, SessionOptions, StartView, named_or_numbered,
    several_at_once,
};
pub use timeline::check_request::{CheckRequest, ClipFinding};
pub use timeline::{TimeUnit, Timeline, TimelineAction};

/// A session; see the [module](self).
#[derive(Debug)]
pub struct Session {
    options: SessionOptions,
    exhibit: Exhibit,
    compared: Compared,
    selection: Selection,
    hidden: Hidden,
    posing: Posing,
    engine: Engine,
    sight: Sight,
    look: Look,
    loads: Loads,
    notices: Notices,
    trail: KeptTrail,
    measure: Measure,
    timeline: Timeline,
    drawings: Drawings,
    panels: bool,
    parts: Parts,
    help: bool,
    desktop: Desktop,
    resuming: saved::Resuming,
}

impl Session {
    /// Returns a session that shows nothing yet.
    pub fn new(options: SessionOptions) -> Self {
        let mut sight = Sight::default();
        sight.start(options.view.clone(), None);
        Self {
            exhibit: Exhibit::new(options.form, options.fps).in_place(options.in_place),
            compared: Compared::new(options.fps),
            selection: Selection::default(),
            hidden: Hidden::default(),
            posing: Posing::default(),
            engine: Engine::default(),
            sight,
            look: options.look.clone(),
            loads: Loads::new(&options.look.lighting),
            notices: Notices::default(),
            trail: KeptTrail::default(),
            measure: Measure::default(),
            timeline: Timeline::default(),
            drawings: Drawings::default(),
            panels: true,
            parts: Parts::default(),
            help: false,
            desktop: Desktop::default(),
            resuming: Resuming::default(),
            options,
        }
    }

    /// The opened model and how it plays.
    pub fn exhibit(&self) -> &Exhibit {
        &self.exhibit
    }

    /// What is selected.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The hidden nodes.
    pub fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// The time line.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The camera.
    pub fn sight(&self) -> &Sight {
        &self.sight
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

    /// The kind of that message.
    pub fn notice_kind(&self) -> Option<NoticeKind> {
        self.notices.shown().map(|notice| notice.kind)
    }

    /// Whether panels are shown.
    pub fn panels(&self) -> bool {
        self.panels
    }

    /// The parts of the window that are open; none is shown while panels are hidden.
    pub fn parts(&self) -> Parts {
        self.parts
    }

    /// Whether the help panel is shown.
    pub fn help(&self) -> bool {
        self.help
    }

    /// The view of the posed scene.
    pub fn view(&self) -> View {
        self.sight.view(self.shown())
    }

    /// Poses the exhibit for the present clip and time. Call it once per frame.
    pub fn pose(&mut self) {
        self.exhibit.pose();
        self.pose_beside();
        self.sight.reach(self.exhibit.reach());
        if self.sight.awaits_pose() && self.exhibit.stage.is_some() {
            self.change_sight(SightAction::FramePose);
        }
        self.follow_selection();
        self.trail.show(&self.exhibit, self.selection.node().filter(|_| self.look.trail));
        self.draw_aids();
    }

    /// The path of the selected node over the shown clip, if it is to be shown.
    pub fn trail(&self) -> Option<&Arc<Trail>> {
        self.trail.trail()
    }

    /// Changes the session. The effects are to be performed in order.
    pub fn apply(&mut self, action: impl Into<Action>) -> Vec<Effect> {
        let mut effects = self.change(action.into());
        effects.extend(self.restore_images());
        for effect in &mut effects {
            if let Effect::Load(request) = effect {
                request.preparation = self.preparation(request);
            }
        }
        effects
    }

    fn change(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Advance(step_secs) => {
                self.exhibit.advance(step_secs);
                self.change_sight(SightAction::Advance(step_secs));
            }
            Action::Exhibit(action) => self.change_exhibit(action),
            Action::Compared(action) => return self.change_compared(action),
            Action::Selection(action) => self.change_selection(action),
            Action::Hidden(action) => self.change_hidden(action),
            Action::Engine(action) => return self.change_engine(action),
            Action::Pose(action) => return self.change_pose(action),
            Action::Pick(action) => return self.change_pick(action),
            Action::Measure(action) => return self.change_measure(action),
            Action::Timeline(action) => return self.timeline.apply(action, &self.exhibit),
            Action::FrameSelection => self.frame_selection(),
            Action::Sight(action) => self.change_sight(action),
            Action::Look(action) => look::apply(&mut self.look, action, &self.exhibit),
            Action::Load(action) => return self.change_loads(action),
            Action::Desktop(action) => return self.change_desktop(action),
            Action::Notice(kind, text) => self.notices.replace(Notice { kind, text }),
            Action::Dismiss => self.dismiss(),
            Action::Escape => self.escape(),
            Action::TogglePanels => self.panels = !self.panels,
            Action::TogglePart(part) => self.toggle_part(part),
            Action::OpenParts(parts) => self.parts = parts,
            Action::ToggleHelp => self.help = !self.help,
            Action::ToggleFullScreen => return vec![Effect::ToggleFullScreen],
            Action::Ask(question) => return self.ask(question),
            Action::SavePicture { bare } if self.exhibit.stage.is_some() => {
                return vec![Effect::SavePicture { bare }];
            }
            Action::CopyPicture if self.exhibit.stage.is_some() => {
                return vec![Effect::CopyPicture];
            }
            Action::SavePicture { .. } | Action::CopyPicture => {}
        }
        Vec::new()
    }

    fn shown(&self) -> Option<Shown<'_>> {
        let shown = self.exhibit.document().zip(self.exhibit.stage());
        let variant = self.look.variant;
        shown.map(|(document, stage)| Shown { model: &document.model, stage, variant })
    }

    fn change_selection(&mut self, action: SelectionAction) {
        let model = self.exhibit.document().map(|document| &*document.model);
        self.selection.apply(action, model);
        // The weights of a selected joint are shown. The action ignores other nodes.
        if let Some(node) = self.selection.node() {
            look::apply(&mut self.look, LookAction::SelectJoint(Some(node)), &self.exhibit);
        }
    }

    fn change_sight(&mut self, action: SightAction) {
        if let SightAction::SelectCamera(Some(camera)) = action
            && !self.exhibit.cameras().contains(&camera)
        {
            return;
        }
        let mut sight = std::mem::take(&mut self.sight);
        sight.apply(action, self.shown());
        self.sight = sight;
    }

    /// Changes the exhibit. The camera follows if another clip, scene or posture is shown.
    fn change_exhibit(&mut self, action: ExhibitAction) {
        let scene =
            |exhibit: &Exhibit| exhibit.stage().map(|stage| (stage.scene, stage.stood_up()));
        let (clip, before) = (self.exhibit.clip_index(), scene(&self.exhibit));
        let notice = self.exhibit.apply(action);
        self.notices.replace(notice);
        let moved = scene(&self.exhibit) != before;
        if moved {
            self.veil();
        }
        if moved || self.exhibit.clip_index() != clip {
            self.frame_both();
        }
        let cameras = self.exhibit.cameras();
        let stood_up = |scene: Option<(usize, bool)>| scene.is_some_and(|(_, stood_up)| stood_up);
        let turned = stood_up(scene(&self.exhibit)) != stood_up(before);
        if moved && (turned || !self.sight.file_camera().is_some_and(|c| cameras.contains(&c))) {
            if !turned {
                self.change_sight(SightAction::SelectCamera(None));
            }
            self.change_sight(SightAction::FrameAll);
        }
    }

    /// Removes the failure and the notice.
    fn dismiss(&mut self) {
        self.loads.dismiss();
        self.notices.dismiss();
    }
}
