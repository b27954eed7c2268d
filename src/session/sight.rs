//! The view: an orbiting camera that keeps the model framed until a person moves it, a camera of the file, or a
//! camera that was given in numbers.

use glam::DVec3;

use super::fit::{Fit, Framed};
use super::framing::{file_camera_view, instant_hull};
use super::{ExplicitCamera, OrbitCamera, Side, SightAction, StartView};
use crate::look::View;
use crate::model::{Model, Stage};

/// The posed scene that a camera looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub model: &'a Model,
    pub stage: &'a Stage,
    /// The material variant in use, which decides what is cut out of surfaces.
    pub variant: Option<usize>,
}

/// The camera in use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Source {
    #[default]
    Orbit,
    File(usize),
    Explicit(ExplicitCamera),
}

/// A direction from which the whole model is framed, as [`StartView::Framed`] has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FramedDirection {
    /// Azimuth and elevation in radians.
    pub angles: [f64; 2],
    pub zoom: f64,
    pub orthographic: bool,
    pub height: Option<f64>,
}

/// The session's camera.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight {
    /// The view after loading, and the file's camera that it names.
    start: (StartView, Option<usize>),
    orbit: OrbitCamera,
    source: Source,
    fit: Fit,
    /// Whether the next pose is to be framed.
    awaits_pose: bool,
    /// The box of a pose that may lie outside of `fit`'s box. It is drawn, but not framed.
    reach: Option<(DVec3, DVec3)>,
}

impl Sight {
    /// The orbiting camera.
    pub fn orbit_camera(&self) -> &OrbitCamera {
        &self.orbit
    }

    /// The file's camera in use, if any.
    pub fn file_camera(&self) -> Option<usize> {
        match self.source {
            Source::File(camera) => Some(camera),
            _ => None,
        }
    }

    /// The box around the model over the clip, in scene space.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        self.fit.bounds()
    }

    /// The direction from which the whole model is framed; `None` if the camera stands elsewhere.
    pub(super) fn framed_direction(&self) -> Option<FramedDirection> {
        let Framed { zoom, height } = self.fit.framed.filter(|_| self.source == Source::Orbit)?;
        let OrbitCamera { azimuth, elevation, orthographic, .. } = self.orbit;
        (self.fit.turn.is_none() && !self.fit.shows_instant()).then_some(FramedDirection {
            angles: [azimuth, elevation],
            zoom,
            orthographic,
            height,
        })
    }

    /// The camera in numbers, unless it is one of the file's.
    pub(super) fn explicit_camera(&self) -> ExplicitCamera {
        let turn = self.fit.turn.unwrap_or(0.0);
        if let Source::Explicit(camera) = self.source {
            return if turn == 0.0 { camera } else { camera.turned(turn) };
        }
        let orbit = self.orbit.turned(turn);
        let (min, max) = self.bounds();
        let height = 2.0 * orbit.distance * (0.5 * orbit.fov_y).tan();
        ExplicitCamera {
            eye: orbit.view(min, max).world_from_camera.translation,
            target: orbit.target,
            up: orbit.axes().y_axis,
            fov_y: orbit.fov_y,
            height: orbit.orthographic.then_some(height),
            near: None,
            far: None,
        }
    }

    /// Whether the next pose is to be framed, by [`SightAction::FramePose`].
    pub(super) fn awaits_pose(&self) -> bool {
        self.awaits_pose
    }

    /// Draws also what is in this box, without framing it.
    pub(super) fn reach(&mut self, reach: Option<(DVec3, DVec3)>) {
        self.reach = reach;
    }

    /// Returns the view of a posed scene.
    pub(super) fn view(&self, shown: Option<Shown<'_>>) -> View {
        let (min, max) = match (self.bounds(), self.reach) {
            ((min, max), Some(reach)) => (min.min(reach.0), max.max(reach.1)),
            (bounds, None) => bounds,
        };
        let turn = self.fit.turn.unwrap_or(0.0);
        let fixed = match (self.source, shown) {
            (Source::Explicit(camera), _) => Some(match self.fit.turn {
                Some(turn) => camera.turned(turn).view((min, max)),
                None => camera.view((min, max)),
            }),
            (Source::File(camera), Some(Shown { model, stage, .. })) => {
                file_camera_view(model, stage, camera, (min, max))
            }
            _ => None,
        };
        fixed.unwrap_or_else(|| self.orbit.turned(turn).view(min, max))
    }

    /// Changes the view.
    pub(super) fn apply(&mut self, action: SightAction, shown: Option<Shown<'_>>) {
        let surface = |sight: &Self, pointer| {
            let Shown { model, stage, variant } = shown?;
            stage.surface_along(model, variant, sight.view(shown).ray(pointer))
        };
        match action {
            SightAction::SetAspect(aspect) => self.refit(|fit| fit.set_aspect(aspect)),
            SightAction::Orbit(drag) => self.take(shown, |orbit| orbit.orbit(drag)),
            SightAction::Pan(drag) => self.take(shown, |orbit| orbit.pan(drag)),
            SightAction::Zoom { factor, pointer } => {
                let surface = surface(self, pointer);
                self.take(shown, |orbit| {
                    let about = surface.unwrap_or_else(|| orbit.at_target_depth(pointer));
                    orbit.zoom(factor, about);
                });
            }
            SightAction::CenterOn(pointer) => {
                if let Some(surface) = surface(self, pointer) {
                    self.take(shown, |orbit| orbit.center_on(surface));
                }
            }
            SightAction::FrameAll => {
                self.leave_fixed(shown);
                self.refit(|fit| {
                    fit.framed = Some(Framed::WHOLE);
                    fit.set_instant(None);
                });
            }
            SightAction::FramePose => {
                let points = shown.map(|Shown { model, stage, .. }| instant_hull(model, stage));
                let framed = self.fit.framed.unwrap_or(Framed::WHOLE);
                self.awaits_pose = false;
                self.leave_fixed(shown);
                self.refit(|fit| {
                    fit.framed = Some(framed);
                    fit.set_instant(points);
                });
            }
            SightAction::FrameBox(min, max) => {
                self.leave_fixed(shown);
                self.fit.frame(&[min, max], &mut self.orbit);
            }
            SightAction::ResetCamera => self.reset(),
            SightAction::LookFrom(side) => {
                self.leave_fixed(shown);
                self.look_from(side);
            }
            SightAction::ToggleOrthographic => {
                self.leave_fixed(shown);
                self.orbit.orthographic = !self.orbit.orthographic;
                self.fit.apply(&mut self.orbit);
            }
            SightAction::SelectCamera(camera) => {
                if let Source::Explicit(_) = self.source {
                    self.leave_fixed(shown);
                }
                self.source = camera.map_or(Source::Orbit, Source::File);
                self.fit.apply(&mut self.orbit);
            }
            SightAction::SetTurn(turn) => {
                let same_framing = turn.is_some() == self.fit.turn.is_some();
                self.fit.turn = turn;
                if !same_framing {
                    self.fit.apply(&mut self.orbit);
                }
            }
        }
    }

    /// Replaces the points to frame. An empty list keeps the former ones.
    pub(super) fn set_hull(&mut self, hull: &[DVec3]) {
        self.refit(|fit| fit.set_hull(hull));
    }

    /// Starts from a view and returns to it on reset; `camera` is the file's camera that the view names.
    pub(super) fn start(&mut self, view: StartView, camera: Option<usize>) {
        self.start = (view, camera);
        self.reset();
    }

    fn reset(&mut self) {
        self.orbit = OrbitCamera::default();
        self.source = Source::Orbit;
        self.awaits_pose = false;
        self.fit.framed = Some(Framed::WHOLE);
        self.fit.set_instant(None);
        match &self.start {
            (StartView::Framed { azimuth, elevation, zoom, orthographic, height, pose }, _) => {
                self.awaits_pose = *pose;
                self.orbit.azimuth = *azimuth;
                self.orbit.elevation = *elevation;
                self.orbit.orthographic = *orthographic;
                self.fit.framed = Some(Framed { zoom: *zoom, height: *height });
            }
            (StartView::Explicit(camera), _) => self.source = Source::Explicit(*camera),
            (StartView::Camera(_), Some(camera)) => self.source = Source::File(*camera),
            (StartView::Camera(_), None) => {}
        }
        self.fit.apply(&mut self.orbit);
    }

    /// Changes what is framed, and frames it.
    fn refit(&mut self, change: impl FnOnce(&mut Fit)) {
        change(&mut self.fit);
        self.fit.apply(&mut self.orbit);
    }

    /// Moves the orbiting camera, which no longer follows the model then.
    fn take(&mut self, shown: Option<Shown<'_>>, change: impl FnOnce(&mut OrbitCamera)) {
        self.leave_fixed(shown);
        self.fit.framed = None;
        change(&mut self.orbit);
    }

    /// Looks at a side. A framed model stays framed; otherwise the target stays.
    fn look_from(&mut self, side: Side) {
        let quarter = std::f64::consts::FRAC_PI_2;
        (self.orbit.azimuth, self.orbit.elevation) = match side {
            Side::Front => (0.0, 0.0),
            Side::Right => (quarter, 0.0),
            Side::Top => (0.0, quarter),
        };
        self.fit.apply(&mut self.orbit);
    }

    /// Replaces a fixed camera by the orbiting one at the same place, so that a drag continues from there.
    fn leave_fixed(&mut self, shown: Option<Shown<'_>>) {
        if self.source != Source::Orbit {
            self.orbit.stand_at(&self.view(shown), self.bounds());
            self.source = Source::Orbit;
            self.fit.framed = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec2};

    use super::*;
    use crate::model::Projection;

    fn sight() -> Sight {
        let mut sight = Sight::default();
        sight.set_hull(&[DVec3::new(-1.0, 0.0, -0.5), DVec3::new(1.0, 2.0, 0.5)]);
        sight
    }

    #[test]
    fn a_framed_camera_follows_the_aspect_until_a_person_moves_it() {
        let mut sight = sight();
        let wide = sight.orbit.distance;
        sight.apply(SightAction::SetAspect(0.25), None);
        let narrow = sight.orbit.distance;
        assert!(narrow > wide);
        sight.apply(SightAction::Orbit(DVec2::new(0.1, 0.0)), None);
        sight.apply(SightAction::SetAspect(4.0), None);
        assert_eq!(sight.orbit.distance, narrow);
        sight.apply(SightAction::FrameAll, None);
        assert!(sight.orbit.distance < narrow);
    }

    #[test]
    fn a_turning_camera_keeps_its_distance_and_shows_the_model_from_every_side() {
        let mut sight = Sight::default();
        // Seen from the front the model is narrow, from the side it is wide.
        let hull = [DVec3::new(-0.2, 0.0, -2.0), DVec3::new(0.2, 1.0, 2.0)];
        sight.set_hull(&hull);
        sight.start(StartView::default(), None);
        sight.apply(SightAction::SetAspect(1.0), None);
        let still = sight.view(None).world_from_camera.translation;
        sight.apply(SightAction::SetTurn(Some(0.0)), None);
        let target = sight.orbit.target;
        let far = (sight.view(None).world_from_camera.translation - target).length();
        assert!(far > (still - target).length() * 1.2);
        for turn in [0.4, 1.3, 2.9, 5.0] {
            sight.apply(SightAction::SetTurn(Some(turn)), None);
            let view = sight.view(None);
            assert!(((view.world_from_camera.translation - target).length() - far).abs() < 1e-9);
            let to_picture = view.projection_matrix(1.0) * view.camera_from_world(DVec3::ZERO);
            for point in hull {
                let at = to_picture.project_point3(point);
                assert!(at.x.abs() < 1.0 && at.y.abs() < 1.0, "{turn}: {at}");
            }
        }
        sight.apply(SightAction::SetTurn(None), None);
        assert!((sight.view(None).world_from_camera.translation - still).length() < 1e-12);
    }

    #[test]
    fn moving_away_from_a_camera_in_numbers_goes_on_from_where_it_stood() {
        let mut sight = sight();
        let camera = ExplicitCamera {
            eye: DVec3::new(4.0, 2.0, 3.0),
            target: DVec3::new(0.0, 1.0, 0.0),
            up: DVec3::Y,
            fov_y: 0.5,
            height: None,
            near: None,
            far: None,
        };
        sight.start(StartView::Explicit(camera), None);
        let fixed = sight.view(None);
        sight.apply(SightAction::Orbit(DVec2::ZERO), None);
        let free = sight.view(None);
        let off = free.world_from_camera.translation - camera.eye;
        assert!(off.length() < 1e-9, "{off}");
        let turned = DQuat::from_mat3(&free.world_from_camera.matrix3)
            .angle_between(DQuat::from_mat3(&fixed.world_from_camera.matrix3));
        assert!(turned < 1e-6, "{turned}");
    }

    #[test]
    fn a_zoom_of_two_halves_the_distance_and_a_height_sets_it() {
        let mut sight = sight();
        let whole = sight.orbit.distance;
        let framed = |zoom, orthographic, height| StartView::Framed {
            azimuth: 30f64.to_radians(),
            elevation: 15f64.to_radians(),
            zoom,
            orthographic,
            height,
            pose: false,
        };
        sight.start(framed(2.0, false, None), None);
        assert!((sight.orbit.distance - 0.5 * whole).abs() < 1e-12);
        sight.start(framed(1.0, true, Some(5.0)), None);
        let Projection::Orthographic { half_height, .. } = sight.view(None).projection else {
            panic!("not parallel");
        };
        assert!((half_height - 2.5).abs() < 1e-6);
    }

    #[test]
    fn sides_are_looked_at_from_the_axes() {
        let mut sight = sight();
        for (side, back) in
            [(Side::Front, DVec3::Z), (Side::Right, DVec3::X), (Side::Top, DVec3::Y)]
        {
            sight.apply(SightAction::LookFrom(side), None);
            assert!((sight.orbit.axes().z_axis - back).length() < 1e-12, "{side:?}");
        }
    }
}
