//! The view: an orbiting camera that keeps the model framed until a person moves it, a camera of the file, or a
//! camera that was given in numbers.

pub(super) mod file_camera;
pub mod orbit;
#[cfg(test)]
mod tests;

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};

use crate::camera::file_camera::{FileCamera, file_camera_view, instant_hull};
use crate::camera::orbit::{OrbitCamera, is_enclosed};
use crate::{ExplicitCamera, StartView};
use rigview_look::View;
use rigview_model::{Model, SceneBox, Stage};

/// The session's camera.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewCamera {
    /// The view after loading, and the file's camera that it names.
    start: (StartView, Option<FileCamera>),
    /// The azimuth in radians from which the model's front is seen.
    pub(super) front: f64,
    pub(super) orbit: OrbitCamera,
    pub(super) source: CameraChoice,
    pub(super) fit: Fit,
    /// Whether the next pose is to be framed.
    pub(super) awaits_pose: bool,
    pub(super) follow: Follow,
    pub(super) motion: Motion,
    /// The box of a pose that may lie outside of `fit`'s box. It is drawn, but not framed.
    reach: Option<SceneBox>,
}

impl ViewCamera {
    /// The orbiting camera.
    pub fn orbit_camera(&self) -> &OrbitCamera {
        &self.orbit
    }

    /// Whether the orbiting camera is in use.
    pub fn is_orbiting(&self) -> bool {
        self.source == CameraChoice::Orbit
    }

    /// The file's camera in use, if any.
    pub fn file_camera(&self) -> Option<FileCamera> {
        match self.source {
            CameraChoice::File(camera) => Some(camera),
            _ => None,
        }
    }

    /// The box around the model over the clip, in scene space.
    pub fn bounds(&self) -> SceneBox {
        self.fit.bounds()
    }

    /// Whether the next pose is to be framed, by [`CameraAction::FramePose`].
    pub(super) fn awaits_pose(&self) -> bool {
        self.awaits_pose
    }

    /// Draws also what is in this box, without framing it.
    pub(super) fn reach(&mut self, reach: Option<SceneBox>) {
        self.reach = reach;
    }

    /// Returns the view of a posed scene.
    pub(super) fn view(&self, shown: Option<PosedScene<'_>>) -> View {
        let drawn = self.fit.drawn_bounds();
        // A box around a pose is larger than the pose, so one that is drawn whole anyway changes nothing.
        let beyond = self.reach.filter(|reach| !is_enclosed(*reach, drawn));
        let bounds = beyond.map_or(drawn, |reach| drawn.union(reach));
        let turn = self.fit.turn.unwrap_or(0.0);
        let fixed = match (self.source, shown) {
            (CameraChoice::Explicit(camera), _) => Some(match self.fit.turn {
                Some(turn) => camera.turned(turn).view(bounds),
                None => camera.view(bounds),
            }),
            (CameraChoice::File(camera), Some(PosedScene { model, stage, .. })) => {
                file_camera_view(model, stage, camera, bounds)
            }
            _ => None,
        };
        fixed.unwrap_or_else(|| self.orbit.turned(turn).view(bounds))
    }

    /// Changes the view.
    pub(super) fn apply(&mut self, action: CameraAction, shown: Option<PosedScene<'_>>) {
        let surface = |view_camera: &Self, pointer| {
            let PosedScene { model, stage, variant, .. } = shown?;
            stage.surface_along(model, variant, view_camera.view(shown).ray(pointer))
        };
        match action {
            // Every frame sets it; framing a turning model takes too long for that.
            CameraAction::SetAspect(aspect) if self.fit.has_aspect(aspect) => {}
            CameraAction::SetAspect(aspect) => self.refit(|fit| fit.set_aspect(aspect)),
            CameraAction::Orbit(drag) => self.take(shown, |orbit| orbit.orbit(drag)),
            CameraAction::Pan(drag) => self.take(shown, |orbit| orbit.pan(drag)),
            CameraAction::Zoom { factor, pointer } => {
                let surface = surface(self, pointer);
                self.take(shown, |orbit| {
                    let about = surface.unwrap_or_else(|| orbit.at_target_depth(pointer));
                    orbit.zoom(factor, about);
                });
            }
            CameraAction::CenterOn(pointer) => {
                if let Some(surface) = surface(self, pointer) {
                    self.take(shown, |orbit| orbit.center_on(surface));
                }
            }
            CameraAction::FrameAll => {
                self.leave_fixed(shown);
                self.refit(|fit| {
                    fit.framed = Some(Framed::WHOLE);
                    fit.set_instant(None);
                });
            }
            CameraAction::FramePose => self.frame_pose(shown, &[]),
            CameraAction::FrameBox(bounds) => {
                self.leave_fixed(shown);
                let turn = self.fit.turn.unwrap_or(0.0);
                self.orbit = self.orbit.turned(turn);
                self.fit.frame(bounds, &mut self.orbit);
                self.orbit = self.orbit.turned(-turn);
            }
            CameraAction::ResetCamera => self.reset(),
            CameraAction::StandAt(orbit) if self.source == CameraChoice::Orbit => {
                self.set_position(CameraPosition::Orbit(orbit), |_| false);
            }
            CameraAction::LookFrom(side) => {
                self.leave_fixed(shown);
                self.look_from(side);
            }
            CameraAction::ToggleOrthographic => {
                self.leave_fixed(shown);
                self.orbit.orthographic = !self.orbit.orthographic;
                self.fit.apply(&mut self.orbit);
            }
            CameraAction::SelectCamera(camera) => {
                if let CameraChoice::Explicit(_) = self.source {
                    self.leave_fixed(shown);
                }
                self.source = camera.map_or(CameraChoice::Orbit, CameraChoice::File);
                self.fit.apply(&mut self.orbit);
            }
            CameraAction::SetTurn(turn) => {
                let same_framing = turn.is_some() == self.fit.turn.is_some();
                self.fit.turn = turn;
                if !same_framing {
                    self.fit.apply(&mut self.orbit);
                }
            }
            CameraAction::ToggleTurntable => self.toggle_turntable(shown),
            CameraAction::SetTurnSpeed(speed) if speed.is_finite() => {
                self.motion.turn_speed = speed.clamp(-FASTEST_TURN, FASTEST_TURN);
            }
            CameraAction::ToggleFollow => {
                self.leave_fixed(shown);
                self.follow = Follow::new(!self.follow.on);
            }
            CameraAction::SetFlight(direction) if direction.is_finite() => {
                self.motion.flight = direction;
            }
            CameraAction::ScaleFlySpeed(factor) if factor.is_finite() => {
                self.motion.fly_speed = (self.motion.fly_speed * factor).clamp(0.001, 1000.0);
            }
            CameraAction::LookAround(drag) => self.take(shown, |orbit| orbit.look_around(drag)),
            CameraAction::Advance(step_secs) => self.advance(step_secs, shown),
            CameraAction::StandAt(_)
            | CameraAction::SetTurnSpeed(_)
            | CameraAction::SetFlight(_)
            | CameraAction::ScaleFlySpeed(_) => {}
        }
    }

    /// Frames the scene in its present pose, and these points of overlays.
    pub(super) fn frame_pose(&mut self, shown: Option<PosedScene<'_>>, overlays: &[DVec3]) {
        let points = shown.map(|PosedScene { model, stage, .. }| {
            instant_hull(model, stage).into_iter().chain(overlays.iter().copied()).collect()
        });
        let framed = self.fit.framed.unwrap_or(Framed::WHOLE);
        self.awaits_pose = false;
        self.leave_fixed(shown);
        self.refit(|fit| {
            fit.framed = Some(framed);
            fit.set_instant(points);
        });
    }

    /// Replaces the points to frame. An empty list keeps the former ones.
    pub(super) fn set_hull(&mut self, hull: &[DVec3]) {
        self.refit(|fit| fit.set_hull(hull));
    }

    /// Replaces the points of overlays that are framed with the model over the clip.
    pub(super) fn set_overlays(&mut self, overlays: Vec<DVec3>) {
        if !self.fit.has_overlays(&overlays) {
            self.refit(|fit| fit.set_overlays(overlays));
        }
    }

    /// Starts from a view and returns to it on reset; `camera` is the file's camera that the view names.
    pub(super) fn start(&mut self, view: StartView, camera: Option<FileCamera>) {
        self.start = (view, camera);
        self.reset();
    }

    /// Finds the file's cameras in a file that was read again. Without the one in use, the orbiting camera is used. The one of
    /// the start may have been missing before; `named` finds it then.
    pub(super) fn carry_over(
        &mut self,
        again: impl Fn(FileCamera) -> Option<FileCamera>,
        named: impl Fn(&str) -> Option<FileCamera>,
    ) {
        self.start.1 = match &self.start {
            (_, Some(camera)) => again(*camera),
            (StartView::Camera(wanted), None) => named(wanted),
            _ => None,
        };
        if let CameraChoice::File(camera) = self.source {
            self.source = again(camera).map_or(CameraChoice::Orbit, CameraChoice::File);
        }
    }

    fn reset(&mut self) {
        self.orbit = OrbitCamera::default();
        self.source = CameraChoice::Orbit;
        self.awaits_pose = false;
        (self.follow, self.motion.turns, self.fit.turn) = (Follow::default(), false, None);
        self.fit.framed = Some(Framed::WHOLE);
        self.fit.set_instant(None);
        match &self.start {
            (StartView::Framed { azimuth, elevation, zoom, orthographic, height, pose }, _) => {
                self.awaits_pose = *pose;
                self.orbit.azimuth = azimuth.unwrap_or(self.front + self.orbit.azimuth);
                self.orbit.elevation = *elevation;
                self.orbit.orthographic = *orthographic;
                self.fit.framed = Some(Framed { zoom: *zoom, height: *height });
            }
            (StartView::Explicit(camera), _) => self.source = CameraChoice::Explicit(*camera),
            (StartView::Camera(_), Some(camera)) => self.source = CameraChoice::File(*camera),
            (StartView::Camera(_), None) => {}
        }
        self.fit.apply(&mut self.orbit);
    }

    /// Changes what is framed, and frames it.
    pub(super) fn refit(&mut self, change: impl FnOnce(&mut Fit)) {
        change(&mut self.fit);
        self.fit.apply(&mut self.orbit);
    }

    /// Moves the orbiting camera, which no longer follows the model then.
    pub(super) fn take(
        &mut self,
        shown: Option<PosedScene<'_>>,
        change: impl FnOnce(&mut OrbitCamera),
    ) {
        self.leave_fixed(shown);
        self.fit.framed = None;
        let turn = self.fit.turn.unwrap_or(0.0);
        self.orbit = self.orbit.turned(turn);
        change(&mut self.orbit);
        self.orbit = self.orbit.turned(-turn);
    }

    /// Looks at a side. A framed model stays framed; otherwise the target stays.
    fn look_from(&mut self, side: Side) {
        let quarter = std::f64::consts::FRAC_PI_2;
        let (beside, elevation) = match side {
            Side::Front => (0.0, 0.0),
            Side::Right => (quarter, 0.0),
            Side::Top => (0.0, quarter),
            Side::Back => (2.0 * quarter, 0.0),
            Side::Left => (-quarter, 0.0),
            Side::Bottom => (0.0, -quarter),
        };
        (self.orbit.azimuth, self.orbit.elevation) = (self.front + beside, elevation);
        self.fit.turn = self.fit.turn.map(|_| 0.0);
        self.fit.apply(&mut self.orbit);
    }

    /// Replaces a fixed camera by the orbiting one at the same place, so that a drag continues from there.
    pub(super) fn leave_fixed(&mut self, shown: Option<PosedScene<'_>>) {
        if self.source != CameraChoice::Orbit {
            self.orbit.stand_at(&self.view(shown), self.bounds());
            self.orbit = self.orbit.turned(-self.fit.turn.unwrap_or(0.0));
            self.source = CameraChoice::Orbit;
            self.fit.framed = None;
        }
    }

    /// Whether the camera moves with the selected node.
    pub fn follows(&self) -> bool {
        self.follow.on
    }

    /// The speed at which the camera turns around its target in radians per second; `None` while it does not.
    pub fn turn_speed(&self) -> Option<f64> {
        self.motion.turns.then_some(self.motion.turn_speed)
    }

    /// The speed of a flight in metres per second.
    pub fn fly_speed(&self) -> f64 {
        self.motion.fly_speed * 0.5 * self.bounds().size().length()
    }

    /// Whether the view changes as time passes, apart from the model's own motion.
    pub fn is_moving(&self) -> bool {
        let turns = self.motion.turns && self.motion.turn_speed != 0.0;
        turns && !matches!(self.source, CameraChoice::File(_)) || self.motion.flight != DVec3::ZERO
    }

    /// Moves the camera with a point, if it follows one.
    pub(crate) fn follow(&mut self, point: Option<(usize, DVec3)>) {
        let target = self.follow.moved(self.orbit.target, point);
        if target != self.orbit.target {
            self.fit.framed = None;
            self.orbit.target = target;
        }
    }

    fn toggle_turntable(&mut self, shown: Option<PosedScene<'_>>) {
        self.motion.turns = !self.motion.turns;
        if self.motion.turns {
            if let CameraChoice::File(_) = self.source {
                self.leave_fixed(shown);
            }
            return self.apply(CameraAction::SetTurn(Some(0.0)), shown);
        }
        // It stays where it is.
        let turn = self.fit.turn.take().unwrap_or(0.0);
        self.fit.framed = None;
        match &mut self.source {
            CameraChoice::Explicit(camera) => *camera = camera.turned(turn),
            _ => self.orbit = self.orbit.turned(turn),
        }
    }

    /// Moves the camera as far as it moves by itself in a time.
    pub(crate) fn advance(&mut self, step_secs: f64, shown: Option<PosedScene<'_>>) {
        let Motion { turns, turn_speed, flight, .. } = self.motion;
        if let Some(turn) = self.fit.turn.as_mut().filter(|_| turns) {
            *turn = (*turn + turn_speed * step_secs).rem_euclid(std::f64::consts::TAU);
        }
        if flight != DVec3::ZERO {
            let way = step_secs * self.fly_speed() * flight;
            self.take(shown, |orbit| {
                let axes = orbit.axes();
                orbit.target += way.x * axes.x_axis + way.y * axes.y_axis - way.z * axes.z_axis;
            });
        }
    }

    /// The direction from which the whole model is framed; `None` if the camera stands elsewhere.
    pub(crate) fn framed_direction(&self) -> Option<FramedDirection> {
        let Framed { zoom, height } =
            self.fit.framed.filter(|_| self.source == CameraChoice::Orbit)?;
        let OrbitCamera { azimuth, elevation, orthographic, .. } = self.orbit;
        (self.fit.turn.is_none() && !self.fit.shows_instant()).then_some(FramedDirection {
            azimuth,
            elevation,
            zoom,
            orthographic,
            height,
        })
    }

    /// Where the camera stands.
    pub(crate) fn placed(&self) -> CameraPosition {
        let turn = self.fit.turn.unwrap_or(0.0);
        match (self.source, self.framed_direction()) {
            (CameraChoice::File(camera), _) => CameraPosition::File(camera),
            (CameraChoice::Explicit(camera), _) => CameraPosition::Explicit(camera),
            (CameraChoice::Orbit, Some(framed)) => CameraPosition::Framed(framed),
            (CameraChoice::Orbit, None) => CameraPosition::Orbit(self.orbit.turned(turn)),
        }
    }

    /// Puts the camera where it stood. A camera of the file must be one of those that `has` allows.
    pub(crate) fn set_position(
        &mut self,
        placed: CameraPosition,
        has: impl Fn(FileCamera) -> bool,
    ) {
        self.awaits_pose = false;
        self.fit.framed = None;
        match placed {
            CameraPosition::Framed(framed) => {
                let FramedDirection { azimuth, elevation, zoom, orthographic, height } = framed;
                self.source = CameraChoice::Orbit;
                self.orbit = OrbitCamera { azimuth, elevation, orthographic, ..self.orbit };
                self.refit(|fit| {
                    fit.framed = Some(Framed { zoom, height });
                    fit.set_instant(None);
                });
            }
            CameraPosition::Orbit(orbit) => {
                (self.source, self.orbit) = (CameraChoice::Orbit, orbit)
            }
            CameraPosition::Explicit(camera) => self.source = CameraChoice::Explicit(camera),
            CameraPosition::File(camera) if has(camera) => self.source = CameraChoice::File(camera),
            CameraPosition::File(_) => {}
        }
    }

    /// The camera in numbers, unless it is one of the file's.
    pub(crate) fn explicit_camera(&self) -> ExplicitCamera {
        let turn = self.fit.turn.unwrap_or(0.0);
        if let CameraChoice::Explicit(camera) = self.source {
            return if turn == 0.0 { camera } else { camera.turned(turn) };
        }
        let orbit = self.orbit.turned(turn);
        let height = 2.0 * orbit.distance * (0.5 * orbit.fov_y).tan();
        ExplicitCamera {
            eye: orbit.view(self.bounds()).world_from_camera.translation,
            target: orbit.target,
            up: orbit.axes().y_axis,
            fov_y: orbit.fov_y,
            height: orbit.orthographic.then_some(height),
            near: None,
            far: None,
        }
    }
}

/// A side of the model to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The face, from +Z.
    Front,
    /// From +X.
    Right,
    /// From +Y.
    Top,
    /// From -Z.
    Back,
    /// From -X.
    Left,
    /// From -Y.
    Bottom,
}

/// A change of the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraAction {
    /// Sets the picture's width divided by its height.
    SetAspect(f64),
    /// Orbits by a drag, in picture heights.
    Orbit(DVec2),
    /// Pans by a drag, in picture heights.
    Pan(DVec2),
    /// Scales the camera's distance to the surface under the pointer, which keeps its place.
    Zoom {
        /// Below 1 moves nearer.
        factor: f64,
        /// In picture heights from the picture's centre, Y down.
        pointer: DVec2,
    },
    /// Makes the surface under a place of the picture the centre of orbits. The place is in picture heights
    /// from the picture's centre, Y down.
    CenterOn(DVec2),
    /// Frames the model over its whole clip, from the present direction.
    FrameAll,
    /// Frames the model in its present pose, from the present direction.
    FramePose,
    /// Frames a box in scene space from the present direction.
    FrameBox(SceneBox),
    /// Returns to the view after loading.
    ResetCamera,
    /// Puts the orbiting camera somewhere, if it is in use; it frames nothing any more.
    StandAt(OrbitCamera),
    /// Looks at a side of the model.
    LookFrom(Side),
    /// Switches between parallel and perspective projection.
    ToggleOrthographic,
    /// Looks through a camera of the file; with `None`, through the orbiting camera where it was before.
    SelectCamera(Option<FileCamera>),
    /// Turns the camera by an angle in radians about the vertical axis through its target, from where it
    /// stands otherwise. While it is turned, even by 0, a framed model fits from every side. `None` ends this.
    /// Cameras of the file do not turn.
    SetTurn(Option<f64>),
    /// Turns the camera around its target as time passes, or stops where it is.
    ToggleTurntable,
    /// Sets the speed of the turntable in radians per second; below 0 the other way round.
    SetTurnSpeed(f64),
    /// Moves the camera with the selected node, or no longer.
    ToggleFollow,
    /// Flies as time passes: to the right (X), up (Y) and ahead (Z) of the camera, in multiples of its speed. Zero stops.
    SetFlight(DVec3),
    /// Multiplies the speed of flights.
    ScaleFlySpeed(f64),
    /// Turns the camera where it stands by a drag, in picture heights.
    LookAround(DVec2),
    /// Seconds have passed, for a camera that moves by itself.
    Advance(f64),
}

/// The posed scene that a camera looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PosedScene<'a> {
    pub model: &'a Model,
    pub stage: &'a Stage,
    /// The material variant in use, which decides what is cut out of surfaces.
    pub variant: Option<usize>,
}

/// The camera in use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum CameraChoice {
    #[default]
    Orbit,
    File(FileCamera),
    Explicit(ExplicitCamera),
}

/// A direction from which the whole model is framed, as [`StartView::Framed`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FramedDirection {
    /// In radians, like the elevation.
    pub azimuth: f64,
    pub elevation: f64,
    pub zoom: f64,
    pub orthographic: bool,
    pub height: Option<f64>,
}

/// Where the camera stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CameraPosition {
    Framed(FramedDirection),
    Orbit(OrbitCamera),
    #[serde(rename = "given")]
    Explicit(ExplicitCamera),
    File(FileCamera),
}

/// Number of sides from which a model is framed that the camera turns about.
const SIDES: u32 = 72;

/// What a framed camera shows instead of exactly the whole model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Framed {
    /// Divides the distance from which the whole model is visible.
    pub zoom: f64,
    /// The visible height at the target, for a parallel view that was given one.
    pub height: Option<f64>,
}

impl Framed {
    /// Exactly the whole model.
    pub const WHOLE: Self = Self { zoom: 1.0, height: None };
}

/// The points to frame and the picture to frame them in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    /// While set, the camera follows the points and the aspect. A person who moves the camera clears it.
    pub framed: Option<Framed>,
    /// The angle of [`CameraAction::SetTurn`](crate::CameraAction::SetTurn).
    pub turn: Option<f64>,
    aspect: f64,
    /// The outermost points over the clip, and the box around them.
    hull: Vec<DVec3>,
    bounds: SceneBox,
    /// Points of overlays, which are framed with the points over the clip.
    overlays: Vec<DVec3>,
    /// The outermost points of one instant, which are framed instead.
    instant: Option<Vec<DVec3>>,
}

impl Default for Fit {
    fn default() -> Self {
        Self {
            framed: Some(Framed::WHOLE),
            turn: None,
            aspect: 4.0 / 3.0,
            hull: Vec::new(),
            bounds: SceneBox { min: DVec3::splat(-0.5), max: DVec3::splat(0.5) },
            overlays: Vec::new(),
            instant: None,
        }
    }
}

impl Fit {
    /// The box around the model over the clip, in scene space.
    pub fn bounds(&self) -> SceneBox {
        self.bounds
    }

    /// Replaces the points to frame, and those of an instant. An empty list keeps the former ones.
    pub fn set_hull(&mut self, hull: &[DVec3]) {
        if let Some(bounds) = SceneBox::around(hull) {
            (self.hull, self.bounds, self.instant) = (hull.to_vec(), bounds, None);
        }
    }

    /// Frames the points of one instant instead, or with `None` those over the clip again.
    pub fn set_instant(&mut self, points: Option<Vec<DVec3>>) {
        self.instant = points.filter(|points| SceneBox::around(points).is_some());
    }

    /// Whether one instant is framed instead of the clip.
    pub fn shows_instant(&self) -> bool {
        self.instant.is_some()
    }

    /// Replaces the points of overlays.
    pub fn set_overlays(&mut self, overlays: Vec<DVec3>) {
        self.overlays = overlays;
    }

    /// Whether these are the points of overlays.
    pub fn has_overlays(&self, overlays: &[DVec3]) -> bool {
        self.overlays == overlays
    }

    /// The box around the model and the overlays, in scene space.
    pub fn drawn_bounds(&self) -> SceneBox {
        let of = |at: &DVec3| SceneBox { min: *at, max: *at };
        self.overlays.iter().map(of).fold(self.bounds, SceneBox::union)
    }

    fn points(&self) -> Vec<DVec3> {
        match &self.instant {
            Some(points) => points.clone(),
            None => [&self.hull[..], &self.overlays].concat(),
        }
    }

    /// Whether the picture has this width divided by its height.
    pub fn has_aspect(&self, aspect: f64) -> bool {
        self.aspect == aspect
    }

    /// Sets the picture's width divided by its height. Ignores values that are not positive.
    pub fn set_aspect(&mut self, aspect: f64) {
        if aspect.is_finite() && aspect > 0.0 {
            self.aspect = aspect;
        }
    }

    /// Moves the camera so that it frames the points, if it is to.
    pub fn apply(&self, orbit: &mut OrbitCamera) {
        let Some(Framed { zoom, height }) = self.framed else { return };
        let points = self.points();
        if self.turn.is_some() {
            orbit.frame_around_middle(&points, self.aspect);
            orbit.distance = self.farthest(&points, orbit);
        } else {
            orbit.frame(&points, self.aspect);
        }
        orbit.distance /= zoom;
        if let Some(height) = height {
            orbit.distance = 0.5 * height / (0.5 * orbit.fov_y).tan();
        }
    }

    /// Moves the camera so that it frames a box. It no longer follows the model then.
    pub fn frame(&mut self, bounds: SceneBox, orbit: &mut OrbitCamera) {
        self.framed = None;
        orbit.frame(&bounds.corners(), self.aspect);
    }

    /// Returns the greatest distance that the camera needs when it turns about the points.
    fn farthest(&self, points: &[DVec3], orbit: &OrbitCamera) -> f64 {
        let sides = (1..SIDES).map(|side| TAU * f64::from(side) / f64::from(SIDES));
        let distances = sides.map(|side| {
            let mut turned = orbit.turned(side);
            turned.frame_around_middle(points, self.aspect);
            turned.distance
        });
        distances.fold(orbit.distance, f64::max)
    }
}

/// What the camera moves with. Its target keeps its distance from the point, exactly: the target is a function of the
/// point's place and of what a person did to the camera, not of the places in between.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Follow {
    pub on: bool,
    held: Option<FollowedPlace>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FollowedPlace {
    node: usize,
    /// From the node to the target.
    offset: DVec3,
    /// The target as it was set last. Another one means that a person moved the camera.
    target: DVec3,
}

impl Follow {
    /// Returns what follows nothing yet.
    pub fn new(on: bool) -> Self {
        Self { on, held: None }
    }

    /// Returns the new target for a point that moved, given by its node and its place in scene space. The first point,
    /// and the first one of another node, move nothing.
    pub fn moved(&mut self, target: DVec3, point: Option<(usize, DVec3)>) -> DVec3 {
        let Some((node, place)) = point.filter(|_| self.on) else {
            self.held = None;
            return target;
        };
        let offset = match self.held.filter(|held| held.node == node) {
            Some(held) if held.target == target => held.offset,
            Some(held) => held.offset + (target - held.target),
            None => target - place,
        };
        let fresh = self.held.is_none_or(|held| held.node != node);
        let target = if fresh { target } else { place + offset };
        self.held = Some(FollowedPlace { node, offset, target });
        target
    }
}

pub(crate) fn moving_node(model: &Model, node: usize) -> usize {
    let skin = model.nodes[node].skin.and_then(|skin| model.skins.get(skin));
    let first = skin.and_then(|skin| skin.joints.first());
    first.map_or(node, |joint| *joint as usize)
}

/// The fastest turntable, in radians per second.
pub(super) const FASTEST_TURN: f64 = std::f64::consts::TAU;

/// How the camera moves as time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Motion {
    /// Whether it turns around its target.
    pub turns: bool,
    /// Radians per second.
    pub turn_speed: f64,
    /// To the right, up and ahead, in speeds; zero while it does not fly.
    pub flight: DVec3,
    /// Half diagonals of the model's box per second.
    pub fly_speed: f64,
}

impl Default for Motion {
    fn default() -> Self {
        let turn_speed = std::f64::consts::TAU / 12.0;
        Self { turns: false, turn_speed, flight: DVec3::ZERO, fly_speed: 1.0 }
    }
}

#[cfg(test)]
mod follow_tests {
    use crate::Session;
    use crate::camera::*;
    use crate::sample::session;
    use crate::{Action, CameraAction, Item, PlaybackAction, SelectionAction};

    #[test]
    fn the_target_keeps_its_distance_from_the_node_and_comes_back_exactly() {
        let mut session = session();
        let target = |session: &mut Session| {
            session.pose();
            session.camera().orbit_camera().target
        };
        session.apply(PlaybackAction::Seek(0.0));
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        let still = target(&mut session);
        session.apply(PlaybackAction::Seek(0.5));
        assert_eq!(target(&mut session), still, "it does not follow yet");
        session.apply(PlaybackAction::Seek(0.0));
        session.apply(CameraAction::ToggleFollow);
        assert!(session.camera().follows());
        let first = target(&mut session);
        // The node moves along X by one metre per second.
        session.apply(PlaybackAction::Seek(0.5));
        let moved = target(&mut session);
        assert!((moved - first - DVec3::new(0.5, 0.0, 0.0)).length() < 1e-6, "{moved} {first}");
        for time in [0.7, 1.9, 0.1] {
            session.apply(PlaybackAction::Seek(time));
            target(&mut session);
        }
        session.apply(PlaybackAction::Seek(0.5));
        assert_eq!(target(&mut session), moved);
        // A person moves the camera meanwhile.
        session.apply(CameraAction::Pan(glam::DVec2::new(0.1, 0.0)));
        let panned = target(&mut session);
        session.apply(PlaybackAction::Seek(1.5));
        assert!((target(&mut session) - panned - DVec3::X).length() < 1e-6);
        // Another node is followed from where the camera is.
        let before = target(&mut session);
        session.apply(SelectionAction::Select(Some(Item::Node(0))));
        assert_eq!(target(&mut session), before);
        session.apply(CameraAction::ToggleFollow);
        assert!(!session.camera().follows());
    }

    #[test]
    fn a_turntable_and_a_flight_are_functions_of_the_time_that_passed() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let eye = |session: &Session| session.view().world_from_camera.translation;
        let turned = |steps: u32| {
            let mut session = session();
            session.apply(PlaybackAction::Seek(0.0));
            session.apply(CameraAction::ToggleTurntable);
            session.apply(CameraAction::SetTurnSpeed(quarter));
            assert!(session.is_moving() && !session.playback().is_moving());
            (0..steps).for_each(|_| drop(session.apply(Action::Advance(1.0 / f64::from(steps)))));
            session
        };
        let (mut one, many) = (turned(1), turned(64));
        assert!((eye(&one) - eye(&many)).length() < 1e-9);
        let before = eye(&one);
        let target = one.camera().orbit_camera().target;
        one.apply(CameraAction::ToggleTurntable);
        assert!((eye(&one) - before).length() < 1e-9, "it stops where it is");
        assert!(!one.is_moving());
        assert_eq!(one.camera().orbit_camera().target, target);

        let flown = |steps: u32| {
            let mut session = session();
            session.apply(PlaybackAction::Seek(0.0));
            session.apply(CameraAction::SetFlight(DVec3::new(0.0, 0.0, 1.0)));
            (0..steps).for_each(|_| drop(session.apply(Action::Advance(1.0 / f64::from(steps)))));
            session
        };
        let start = eye(&flown(0));
        let (one, many) = (flown(1), flown(64));
        assert!((eye(&one) - eye(&many)).length() < 1e-9);
        let way = eye(&one) - start;
        assert!((way.length() - one.camera().fly_speed()).abs() < 1e-9, "{way}");
        let ahead = -one.view().world_from_camera.matrix3.z_axis;
        assert!((way.normalize() - ahead).length() < 1e-9, "{way} {ahead}");
    }

    #[test]
    fn looking_around_keeps_the_camera_where_it_is() {
        let mut session = session();
        session.apply(CameraAction::Orbit(glam::DVec2::ZERO));
        let before = session.view().world_from_camera;
        session.apply(CameraAction::LookAround(glam::DVec2::new(0.2, -0.1)));
        let after = session.view().world_from_camera;
        assert!((after.translation - before.translation).length() < 1e-9);
        let ahead = |view: glam::DAffine3| -view.matrix3.z_axis;
        // To the right and upwards.
        assert!((ahead(after) - ahead(before)).dot(before.matrix3.x_axis) > 0.1);
        assert!((ahead(after) - ahead(before)).dot(before.matrix3.y_axis) > 0.05);
    }
}
