//! A second model beside the opened one: how both are shown, and how they differ.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::notice::Notice;
use crate::playback::{FrameRate, Playback};
use crate::{Document, LoadId};
use rigview_compare::{ClipDifference, CompareProgress, ModelDifference, Moment};
use rigview_look::View;
use rigview_model::{Model, Projection, SceneBox, Stage};
use rigview_report::ClipForm;

rigview_anim::named_enum! {
    /// How two models are shown.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum CompareMode {
        /// Side by side, each in half of the picture.
        #[default]
        Beside = "beside",
        /// In one picture: the first model left of a line, the second one right of it.
        Wipe = "wipe",
        /// The second model over the first one, tinted and translucent.
        Ghost = "ghost",
        /// The first model, coloured by the distance of its vertices from the second one.
        Heat = "heat",
    }
}

/// A request to compare two models on another thread.
#[derive(Clone, Debug)]
pub struct ComparisonRequest {
    /// Returned with the result, in [`ComparedAction::Measured`].
    pub id: LoadId,
    /// The first model.
    pub a: Arc<Model>,
    /// The second model.
    pub b: Arc<Model>,
    /// Cancelled when the result is no longer wanted.
    pub progress: Arc<CompareProgress>,
}

/// What is known of the difference of both models.
#[derive(Debug, Default)]
pub enum Measurement {
    /// There is nothing to compare.
    #[default]
    None,
    /// The models are being compared.
    Running(ComparisonRequest),
    /// The difference.
    Done(Arc<ModelDifference>),
    /// The models can't be compared, for this reason.
    Failed(String),
}

/// A change of what is compared, or of how it is shown.
#[derive(Debug)]
pub enum ComparedAction {
    /// Sets how both models are shown.
    Show(CompareMode),
    /// Shows both models in the next way; in the first one after the last.
    Next,
    /// Sets the line's place as a share of the picture's width.
    SetWipe(f64),
    /// Goes to the instant at which a pair of clips differs most, given by its index in
    /// [`ModelDifference::clips`], pauses there and selects the joint.
    GoTo(usize),
    /// Goes to the instant at which the models differ most.
    GoToWorst,
    /// Exchanges the two models.
    Swap,
    /// Ends the comparison; the first model stays.
    Close,
    /// A comparison has ended.
    Measured {
        /// The comparison.
        id: LoadId,
        /// The difference, or the reason why there is none.
        result: Box<Result<ModelDifference, String>>,
    },
}

/// The second model and what is known of its difference from the first one. Empty while nothing is compared.
#[derive(Debug)]
pub struct Compared {
    /// The second model. It follows the clip and the time of the first one.
    pub(super) playback: Playback,
    pub(super) mode: CompareMode,
    pub(super) wipe: f64,
    pub(super) measurement: Measurement,
    /// The boxes of both models at rest, computed when a comparison is requested.
    pub(super) at_rest: Option<[SceneBox; 2]>,
}

impl Compared {
    pub(super) fn new(fps: f64) -> Self {
        Self {
            playback: Playback::new(ClipForm::Source, FrameRate::new(fps, false)),
            mode: CompareMode::default(),
            wipe: 0.5,
            measurement: Measurement::None,
            at_rest: None,
        }
    }

    /// The second model, posed by the last [`Session::pose`](crate::Session::pose).
    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    /// The second file.
    pub fn document(&self) -> Option<&Document> {
        self.playback.document()
    }

    /// Whether there is a second model.
    pub fn is_shown(&self) -> bool {
        self.playback.stage().is_some()
    }

    /// How both models are shown.
    pub fn mode(&self) -> CompareMode {
        self.mode
    }

    /// Whether each model has half of the picture.
    pub fn halves(&self) -> bool {
        self.is_shown() && self.mode == CompareMode::Beside
    }

    /// The line's place as a share of the picture's width, from 0 to 1.
    pub fn wipe(&self) -> f64 {
        self.wipe
    }

    /// What is known of the difference.
    pub fn measurement(&self) -> &Measurement {
        &self.measurement
    }

    /// The difference, once it is known.
    pub fn difference(&self) -> Option<&ModelDifference> {
        match &self.measurement {
            Measurement::Done(difference) => Some(difference),
            _ => None,
        }
    }

    /// Whether both models are being compared.
    pub fn is_busy(&self) -> bool {
        matches!(self.measurement, Measurement::Running(_))
    }

    /// Returns the difference of the clip that the first model shows.
    pub fn shown_difference(&self, a: &Playback) -> Option<&ClipDifference> {
        let clip = own_clip(a)?;
        self.difference()?.clips.iter().find(|pair| pair.index[0] == clip)
    }

    /// Returns the distance in metres that has the hottest colour while the first model shows its present clip: the
    /// largest one over that clip. `None` if it is not known.
    pub fn hottest(&self, a: &Playback) -> Option<f64> {
        match a.clip_index() {
            None => self.difference()?.rest.distance,
            Some(_) => self.shown_difference(a)?.distance,
        }
    }

    /// Returns the instant at which both models are shown; `None` if their distance there can't be measured, because
    /// the first model plays clips of another file, or a clip that the second model does not have, or is not posed by
    /// its clip alone.
    pub fn moment(&self, a: &Playback) -> Option<Moment> {
        if !self.is_shown() || self.not_as_in_file(a).is_some() {
            return None;
        }
        if a.clip_index().is_none() {
            return Some(Moment::default());
        }
        let clips = self.shown_difference(a)?.index.map(Some);
        Some(Moment { clips, time_secs: a.time_secs() })
    }

    /// Returns what makes a model's pose another one than that of its clip: `Posed by hand`.
    pub fn not_as_in_file(&self, a: &Playback) -> Option<&'static str> {
        a.not_as_in_file().or_else(|| self.playback.not_as_in_file())
    }

    /// The largest side of the first model's box at rest in metres, once both models are compared.
    pub fn rest_size(&self) -> Option<f64> {
        let [a, _] = self.at_rest.filter(|_| self.difference().is_some())?;
        Some(a.size().max_element())
    }

    /// How the second model is brought to the size and the place of the first one in its half of the picture. `None` if
    /// one view shows both.
    pub fn apart(&self) -> Option<Apart> {
        self.far_apart().filter(|_| self.halves())
    }

    /// How the second model would be brought to the first one, however both are shown. `None` if one view shows both.
    pub fn far_apart(&self) -> Option<Apart> {
        self.at_rest.filter(|_| self.is_shown()).and_then(Apart::between)
    }

    /// Forgets what is known of the difference, and cancels a comparison.
    pub(super) fn forget(&mut self) {
        if let Measurement::Running(request) = std::mem::take(&mut self.measurement) {
            request.progress.cancel();
        }
    }

    /// Drops the second model. How two models are shown stays.
    pub(super) fn close(&mut self) {
        self.forget();
        self.at_rest = None;
        self.empty();
    }

    /// Keeps of the second model what another one takes over: of the same file, read again, the pose by hand; of another
    /// file nothing. To be called before it is shown. Returns a notice if something of the pose is lost.
    pub(super) fn receive(&mut self, after: &Model, again: bool) -> Option<Notice> {
        if again {
            return self.playback.carry_pose(after, true);
        }
        self.empty();
        None
    }

    fn empty(&mut self) {
        self.playback =
            Playback::new(ClipForm::Source, FrameRate::new(self.playback.rate.fps, false));
    }

    /// Poses the second model as the first one: by the clip that belongs to the shown one, at the same time in
    /// seconds, in place or not, or in the same pose at rest. Returns whether it is another motion than before.
    pub(super) fn follow(&mut self, a: &mut Playback) -> bool {
        let changes_clip = self.show_partner(a);
        let b = &mut self.playback;
        b.base.chosen = a.base();
        let changes_place = b.plays_in_place() != a.plays_in_place();
        if changes_place {
            b.toggle_in_place();
        }
        let changed = changes_clip || changes_place;
        a.least_secs = if a.clip_index().is_some() { b.duration_secs() } else { 0.0 };
        let stood_up = a.stage().is_some_and(Stage::stood_up);
        b.player.seek(a.time_secs(), b.duration_secs());
        if let (Some(document), Some(stage)) = (&b.document, &mut b.stage) {
            stage.stand_up(&document.model, stood_up);
        }
        b.pose();
        changed
    }

    /// Shows the clip of the second model that belongs to the shown one, or plays those at once that belong to the
    /// clips that play at once. Returns whether that is another motion than before.
    pub(super) fn show_partner(&mut self, a: &Playback) -> bool {
        let plays_all =
            a.document().is_some_and(|shown| a.clip_index() == Some(shown.all_clips_index()));
        let (clip, together) = if plays_all {
            self.partners_together(a).unzip()
        } else {
            (a.clip_index().and_then(|clip| self.partner(a, clip)), None)
        };
        let b = &mut self.playback;
        let others = b.document.as_mut().zip(together);
        let others = others.is_some_and(|(of_b, together)| of_b.play_together(together));
        let changes = others || b.clip_index() != clip;
        if changes {
            b.show_clip(clip);
        }
        changes
    }

    /// Shows a second model that was just read, with the clip that belongs to the shown one.
    pub(super) fn show_new(&mut self, a: &Playback) {
        if !self.show_partner(a) {
            // The clip of the same index, or none, moves in another way.
            let clip = self.playback.clip_index();
            self.playback.show_clip(clip);
        }
    }

    /// Returns the entry of the second model for clips that play at once, and the clips that belong to those that the
    /// first one plays; an empty list stands for all of them.
    fn partners_together(&self, a: &Playback) -> Option<(usize, Vec<usize>)> {
        let (shown, of_b) = a.document().zip(self.document())?;
        let some = shown.together();
        let clips: Vec<usize> =
            some.into_iter().flatten().filter_map(|clip| self.partner(a, *clip)).collect();
        let is_empty = if some.is_some() { clips.is_empty() } else { of_b.clips().is_empty() };
        (!is_empty).then(|| (of_b.all_clips_index(), clips))
    }

    /// Returns the clip of the second model that belongs to one of the first: by the difference, as long as that is not
    /// known by the name.
    fn partner(&self, a: &Playback, clip: usize) -> Option<usize> {
        let (shown, of_b) = a.document().zip(self.document())?;
        if let (Some(difference), true) = (self.difference(), is_own(shown, clip)) {
            let pair = difference.clips.iter().find(|pair| pair.index[0] == clip);
            return pair.map(|pair| pair.index[1]);
        }
        let name = shown.clip_name(clip)?;
        of_b.clip_names.iter().position(|other| other == name)
    }

    /// Returns the outermost points of both models; of the first one alone if the second one is far apart and not drawn.
    pub(super) fn hull(&self, a: &Playback) -> Vec<DVec3> {
        let is_alone = self.mode == CompareMode::Heat && self.far_apart().is_some();
        let b = if self.is_shown() && !is_alone { self.playback.hull() } else { &[] };
        let apart = self.apart();
        let b = b.iter().map(|at| apart.map_or(*at, |apart| apart.in_first(*at)));
        a.hull().iter().copied().chain(b).collect()
    }
}

/// Returns the shown clip if it is one of the file's own.
fn own_clip(a: &Playback) -> Option<usize> {
    a.document().zip(a.clip_index()).filter(|(shown, clip)| is_own(shown, *clip)).unzip().1
}

/// Whether a clip is one of the file's own.
fn is_own(document: &Document, clip: usize) -> bool {
    document.borrowed.is_none() && clip < document.model.clips.len()
}

/// The ratio of sizes, and the distance in sizes of the larger one, up to which one view shows both models.
const MOST: f64 = 4.0;

/// How the space of the first model is mapped to that of the second one: by a scale, and from one point to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    scale: f64,
    from: DVec3,
    to: DVec3,
}

impl Apart {
    /// Returns the mapping between two boxes at rest. `None` if one view can show both, or a box has no size.
    pub(super) fn between([a, b]: [SceneBox; 2]) -> Option<Self> {
        let [small, large] = [a, b].map(|of| of.size().max_element());
        let (small, large) = (small.min(large), small.max(large));
        let (from, to) = (a.center(), b.center());
        let is_far = large > MOST * small || from.distance(to) > MOST * large;
        let scale = b.size().max_element() / a.size().max_element();
        (small > 0.0 && scale.is_finite() && is_far).then_some(Self { scale, from, to })
    }

    /// The size of the second model, divided by that of the first one.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the view that shows the second model as a view shows the first one.
    pub fn view(&self, view: View) -> View {
        let mut world_from_camera = view.world_from_camera;
        let eye = world_from_camera.translation;
        world_from_camera.translation = self.to + self.scale * (eye - self.from);
        let scaled = |x: f32| (self.scale * f64::from(x)) as f32;
        let projection = match view.projection {
            Projection::Perspective { fov_y, aspect, near, far } => {
                Projection::Perspective { fov_y, aspect, near: scaled(near), far: far.map(scaled) }
            }
            Projection::Orthographic { half_width, half_height, near, far } => {
                Projection::Orthographic {
                    half_width: scaled(half_width),
                    half_height: scaled(half_height),
                    near: scaled(near),
                    far: scaled(far),
                }
            }
        };
        View { world_from_camera, projection, ..view }
    }

    /// Returns the place in the space of the first model that looks like this place of the second one.
    pub(super) fn in_first(&self, at: DVec3) -> DVec3 {
        self.from + (at - self.to) / self.scale
    }
}

#[cfg(test)]
mod apart_tests {
    use glam::DVec2;

    use crate::compared::*;

    fn cube(center: DVec3, side: f64) -> SceneBox {
        let half = DVec3::splat(0.5 * side);
        SceneBox { min: center - half, max: center + half }
    }

    #[test]
    fn models_of_similar_size_and_place_share_a_view() {
        let a = cube(DVec3::ZERO, 1.0);
        assert_eq!(Apart::between([a, cube(DVec3::X, 3.9)]), None);
        assert_eq!(Apart::between([a, cube(DVec3::X, 0.0)]), None);
        assert!(Apart::between([a, cube(DVec3::X, 4.1)]).is_some());
        assert!(Apart::between([a, cube(5.0 * DVec3::X, 1.0)]).is_some());
    }

    #[test]
    fn a_place_of_the_second_model_is_seen_where_the_first_one_has_it() {
        let boxes = [cube(DVec3::Y, 2.0), cube(DVec3::new(30.0, -40.0, 5.0), 200.0)];
        let apart = Apart::between(boxes).unwrap();
        assert_eq!(apart.scale(), 100.0);
        let far = Some(50.0);
        for projection in [
            Projection::Perspective { fov_y: 0.7, aspect: None, near: 0.5, far },
            Projection::Orthographic { half_width: 2.0, half_height: 2.0, near: 0.5, far: 50.0 },
        ] {
            let view = View::look_at(DVec3::new(3.0, 2.0, 5.0), DVec3::Y, DVec3::Y, projection);
            let at = DVec2::new(0.2, -0.1);
            let (here, there) = (view.ray(at), apart.view(view).ray(at));
            assert!(apart.in_first(there.start).distance(here.start) < 1e-4);
            assert!(there.ahead.distance(here.ahead) < 1e-6);
        }
    }
}
