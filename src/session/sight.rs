//! Where the session looks from: an orbiting camera that keeps the model framed until a person
//! moves it, or a camera of the file, or one in numbers.

use glam::{DAffine3, DVec2, DVec3};

use super::camera::around;
use super::framing::file_camera_view;
use super::start::default_fov;
use super::{ExplicitCamera, OrbitCamera, StartView};
use crate::look::View;
use crate::model::{Model, Projection, Stage};

/// A side of the model to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The face, from +Z.
    Front,
    /// From +X.
    Right,
    /// From +Y.
    Top,
}

/// A change of the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SightAction {
    /// The picture's width divided by its height.
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
    /// Returns to the view after loading.
    ResetCamera,
    /// Looks at a side of the model.
    LookFrom(Side),
    /// Switches between parallel and perspective projection.
    ToggleOrthographic,
    /// Looks through a camera of the file, or by the orbiting camera where it was before.
    SelectCamera(Option<usize>),
    /// Turns the camera by an angle in radians about the vertical axis through its target, from where it
    /// stands otherwise. While it is turned, even by 0, a framed model fits from every side. `None` ends this.
    /// Cameras of the file do not turn.
    SetTurn(Option<f64>),
}

/// Number of sides from which a model is framed that the camera turns about.
const SIDES: u32 = 72;

/// The posed scene that a camera looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub model: &'a Model,
    pub stage: &'a Stage,
    /// The material variant in use, which decides what is cut out of surfaces.
    pub variant: Option<usize>,
}

/// The camera in use.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Orbit,
    File(usize),
    Explicit(ExplicitCamera),
}

/// What a framed camera was asked to show beyond the whole model.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Framed {
    zoom: f64,
    height: Option<f64>,
}

/// The session's camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// The view after loading, and the file's camera that it names.
    start: (StartView, Option<usize>),
    orbit: OrbitCamera,
    source: Source,
    /// While set, the orbiting camera follows the bounds and the picture's aspect.
    framed: Option<Framed>,
    /// The angle of [`SightAction::SetTurn`].
    turn: Option<f64>,
    aspect: f64,
    /// What is framed: the points that reach furthest, and the box around them.
    hull: Vec<DVec3>,
    bounds: (DVec3, DVec3),
}

impl Default for Sight {
    fn default() -> Self {
        let bounds = (DVec3::splat(-0.5), DVec3::splat(0.5));
        let whole = Framed { zoom: 1.0, height: None };
        let orbit = OrbitCamera::default();
        Self {
            start: (StartView::default(), None),
            orbit,
            source: Source::Orbit,
            framed: Some(whole),
            turn: None,
            aspect: 4.0 / 3.0,
            hull: Vec::new(),
            bounds,
        }
    }
}

impl Sight {
    /// The orbiting camera as it stands.
    pub fn orbit_camera(&self) -> &OrbitCamera {
        &self.orbit
    }

    /// The file's camera that is looked through.
    pub fn file_camera(&self) -> Option<usize> {
        match self.source {
            Source::File(camera) => Some(camera),
            _ => None,
        }
    }

    /// The box that is framed, in the scene's space.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        self.bounds
    }

    /// Returns the view of a posed scene.
    pub(super) fn view(&self, shown: Option<Shown<'_>>) -> View {
        let (min, max) = self.bounds;
        let file_view = match (self.source, shown) {
            (Source::Explicit(camera), _) => {
                Some(self.turn.map_or(camera, |turn| camera.turned(turn)).view(self.bounds))
            }
            (Source::File(camera), Some(Shown { model, stage, .. })) => {
                file_camera_view(model, stage, camera, self.bounds)
            }
            _ => None,
        };
        file_view.unwrap_or_else(|| self.turned(self.turn.unwrap_or(0.0)).view(min, max))
    }

    /// Changes the view.
    pub(super) fn apply(&mut self, action: SightAction, shown: Option<Shown<'_>>) {
        let surface = |sight: &Self, pointer| {
            let Shown { model, stage, variant } = shown?;
            stage.surface_along(model, variant, sight.view(shown).ray(pointer))
        };
        match action {
            SightAction::SetAspect(aspect) => self.set_aspect(aspect),
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
                self.frame_all();
            }
            SightAction::ResetCamera => self.reset(),
            SightAction::LookFrom(side) => {
                self.leave_fixed(shown);
                self.look_from(side);
            }
            SightAction::ToggleOrthographic => {
                self.leave_fixed(shown);
                self.orbit.orthographic = !self.orbit.orthographic;
                self.reframe();
            }
            SightAction::SelectCamera(camera) => {
                if let Source::Explicit(_) = self.source {
                    self.leave_fixed(shown);
                }
                self.source = camera.map_or(Source::Orbit, Source::File);
                self.reframe();
            }
            SightAction::SetTurn(turn) => {
                let same_framing = turn.is_some() == self.turn.is_some();
                self.turn = turn;
                if !same_framing {
                    self.reframe();
                }
            }
        }
    }

    /// Replaces the points to frame. An empty list keeps the former ones.
    pub(super) fn set_hull(&mut self, hull: &[DVec3]) {
        if let Some(bounds) = around(hull) {
            (self.hull, self.bounds) = (hull.to_vec(), bounds);
            self.reframe();
        }
    }

    fn set_aspect(&mut self, aspect: f64) {
        if aspect.is_finite() && aspect > 0.0 {
            self.aspect = aspect;
            self.reframe();
        }
    }

    /// Starts from a view and returns to it on reset; `camera` is the file's one that the view names.
    pub(super) fn start(&mut self, view: StartView, camera: Option<usize>) {
        self.start = (view, camera);
        self.reset();
    }

    fn reset(&mut self) {
        self.orbit = OrbitCamera::default();
        self.source = Source::Orbit;
        self.framed = Some(Framed { zoom: 1.0, height: None });
        match &self.start {
            (StartView::Framed { azimuth, elevation, zoom, orthographic, height }, _) => {
                self.orbit.azimuth = *azimuth;
                self.orbit.elevation = *elevation;
                self.orbit.orthographic = *orthographic;
                self.framed = Some(Framed { zoom: *zoom, height: *height });
            }
            (StartView::Explicit(camera), _) => self.source = Source::Explicit(*camera),
            (StartView::Camera(_), Some(camera)) => self.source = Source::File(*camera),
            (StartView::Camera(_), None) => {}
        }
        self.reframe();
    }

    /// Moves the orbiting camera; it no longer follows the bounds.
    fn take(&mut self, shown: Option<Shown<'_>>, change: impl FnOnce(&mut OrbitCamera)) {
        self.leave_fixed(shown);
        self.framed = None;
        change(&mut self.orbit);
    }

    /// Frames the whole model and follows its bounds again.
    fn frame_all(&mut self) {
        self.framed = Some(Framed { zoom: 1.0, height: None });
        self.reframe();
    }

    /// Looks at a side. A framed model stays framed; otherwise the target stays.
    fn look_from(&mut self, side: Side) {
        let quarter = std::f64::consts::FRAC_PI_2;
        (self.orbit.azimuth, self.orbit.elevation) = match side {
            Side::Front => (0.0, 0.0),
            Side::Right => (quarter, 0.0),
            Side::Top => (0.0, quarter),
        };
        self.reframe();
    }

    fn reframe(&mut self) {
        let Some(Framed { zoom, height }) = self.framed else { return };
        self.orbit.frame(&self.hull, self.aspect);
        if self.turn.is_some() {
            let sides =
                (1..SIDES).map(|side| std::f64::consts::TAU * f64::from(side) / f64::from(SIDES));
            let distances = sides.map(|side| {
                let mut turned = self.turned(side);
                turned.frame(&self.hull, self.aspect);
                turned.distance
            });
            self.orbit.distance = distances.fold(self.orbit.distance, f64::max);
        }
        self.orbit.distance /= zoom;
        if let Some(height) = height {
            self.orbit.distance = 0.5 * height / (0.5 * self.orbit.fov_y).tan();
        }
    }

    /// Returns the orbiting camera, turned about the vertical axis.
    fn turned(&self, turn: f64) -> OrbitCamera {
        OrbitCamera { azimuth: self.orbit.azimuth + turn, ..self.orbit }
    }

    /// Moves the orbiting camera to where a fixed one stands, so that a drag continues from there.
    fn leave_fixed(&mut self, shown: Option<Shown<'_>>) {
        if self.source == Source::Orbit {
            return;
        }
        let view = self.view(shown);
        self.source = Source::Orbit;
        self.framed = None;
        let DAffine3 { matrix3: axes, translation: eye } = view.world_from_camera;
        let back = axes.z_axis;
        let center = 0.5 * (self.bounds.0 + self.bounds.1);
        let size = (self.bounds.1 - self.bounds.0).length();
        let ahead = (center - eye).dot(-back);
        let orbit = &mut self.orbit;
        orbit.distance = if ahead > 0.0 { ahead } else { size.max(1e-3) };
        orbit.target = eye - orbit.distance * back;
        orbit.azimuth = back.x.atan2(back.z);
        orbit.elevation = back.y.clamp(-1.0, 1.0).asin();
        orbit.fov_y = default_fov(&view.projection);
        if let Projection::Orthographic { half_height, .. } = view.projection {
            orbit.orthographic = true;
            orbit.distance = f64::from(half_height) / (0.5 * orbit.fov_y).tan();
            orbit.target = eye - orbit.distance * back;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    fn sight() -> Sight {
        let mut sight = Sight::default();
        sight.set_hull(&[DVec3::new(-1.0, 0.0, -0.5), DVec3::new(1.0, 2.0, 0.5)]);
        sight
    }

    #[test]
    fn a_framed_camera_follows_the_aspect_until_a_person_moves_it() {
        let mut sight = sight();
        let wide = sight.orbit.distance;
        sight.set_aspect(0.25);
        let narrow = sight.orbit.distance;
        assert!(narrow > wide);
        sight.apply(SightAction::Orbit(DVec2::new(0.1, 0.0)), None);
        sight.set_aspect(4.0);
        assert_eq!(sight.orbit.distance, narrow);
        sight.apply(SightAction::FrameAll, None);
        assert!(sight.orbit.distance < narrow);
    }

    #[test]
    fn a_turning_camera_keeps_its_distance_and_shows_the_model_from_every_side() {
        let mut sight = Sight::default();
        // Seen from the front the model is narrow, from the side it is wide.
        sight.set_hull(&[DVec3::new(-0.2, 0.0, -2.0), DVec3::new(0.2, 1.0, 2.0)]);
        sight.start(StartView::default(), None);
        sight.set_aspect(1.0);
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
            for point in &sight.hull {
                let at = to_picture.project_point3(*point);
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
