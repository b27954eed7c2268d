//! The view: an orbiting camera that keeps the model framed until a person moves it, a camera of the file, or a
//! camera that was given in numbers.

pub(super) mod action;
pub(super) mod file_camera;
mod fit;
pub(super) mod follow;
pub(super) mod framing;
pub mod orbit;
pub(super) mod position;
#[cfg(test)]
mod tests;

use glam::DVec3;

use crate::{CameraAction, ExplicitCamera, OrbitCamera, Side, StartView};
use file_camera::FileCamera;
use fit::{Fit, Framed};
use follow::{FASTEST_TURN, Follow, Motion};
use framing::{file_camera_view, instant_hull};
use orbit::is_enclosed;
use position::{CameraChoice, CameraPosition, FramedDirection, PosedScene};
use rigview_look::View;
use rigview_model::SceneBox;

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
                self.place(CameraPosition::Orbit(orbit), |_| false);
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
    pub(crate) fn place(&mut self, placed: CameraPosition, has: impl Fn(FileCamera) -> bool) {
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
