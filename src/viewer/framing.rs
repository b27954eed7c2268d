//! Where the session looks from: an orbiting camera that keeps the model framed until a person
//! moves it, or a camera of the file, or one in numbers.

use glam::{DAffine3, DVec3};

use super::camera::{around, projection_around};
use super::start::default_fov;
use super::{ExplicitCamera, OrbitCamera, Side, StartView};
use crate::anim::Clip;
use crate::look::View;
use crate::model::{Model, Projection, Stage, clip_hull};

/// The points of a scene that reach furthest over a whole clip (or at rest), in the scene's space.
/// The stage is left in another pose.
pub fn scene_hull(model: &Model, stage: &mut Stage, clip: Option<&Clip>) -> Vec<DVec3> {
    let points = clip_hull(model, stage, clip);
    points.into_iter().map(|p| p.as_dvec3() + stage.origin).collect()
}

/// What a camera of the file sees in the stage's pose. None when no node of the scene has it. A
/// plane at a distance that the file does not give is put around the scene's box.
pub fn file_camera_view(
    model: &Model,
    stage: &Stage,
    camera: usize,
    (min, max): (DVec3, DVec3),
) -> Option<View> {
    let node = *stage.nodes.iter().find(|n| model.nodes[**n].camera == Some(camera))?;
    let placed = *stage.world.world_from_node(node);
    let eye = glam::Vec3::from(placed.translation).as_dvec3() + stage.origin;
    // Only where it stands and looks counts: a scaled or sheared node does not bend its lens.
    let column = |c: glam::Vec3A| glam::Vec3::from(c).as_dvec3();
    let back = column(placed.matrix3.z_axis).try_normalize().unwrap_or(DVec3::Z);
    let axes = View::look_at(DVec3::ZERO, -back, column(placed.matrix3.y_axis), unit_lens());
    let world_from_camera = DAffine3::from_mat3_translation(axes.world_from_camera.matrix3, eye);
    let projection = match stage.properties.cameras[camera].projection {
        Projection::Perspective { fov_y, aspect, near, far: None } => {
            projection_around(eye, -back, min, max, |_, far| Projection::Perspective {
                fov_y,
                aspect,
                near,
                far: Some(far.max(near * 1.001)),
            })
        }
        given => given,
    };
    Some(View { world_from_camera, projection })
}

fn unit_lens() -> Projection {
    Projection::Orthographic { half_width: 1.0, half_height: 1.0, near: 0.0, far: 1.0 }
}

/// Which camera the picture is taken by.
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
    orbit: OrbitCamera,
    source: Source,
    /// While set, the orbiting camera follows the bounds and the picture's aspect.
    framed: Option<Framed>,
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
            orbit,
            source: Source::Orbit,
            framed: Some(whole),
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

    /// What is seen of a posed scene.
    pub fn view(&self, shown: Option<(&Model, &Stage)>) -> View {
        let (min, max) = self.bounds;
        let file_view = match (self.source, shown) {
            (Source::Explicit(camera), _) => Some(camera.view(self.bounds)),
            (Source::File(camera), Some((model, stage))) => {
                file_camera_view(model, stage, camera, self.bounds)
            }
            _ => None,
        };
        file_view.unwrap_or_else(|| self.orbit.view(min, max))
    }

    /// Has other points to show. No points leave what was framed before.
    pub(super) fn set_hull(&mut self, hull: Vec<DVec3>) {
        if let Some(bounds) = around(&hull) {
            (self.hull, self.bounds) = (hull, bounds);
            self.reframe();
        }
    }

    pub(super) fn set_aspect(&mut self, aspect: f64) {
        if aspect.is_finite() && aspect > 0.0 {
            self.aspect = aspect;
            self.reframe();
        }
    }

    /// Starts from a view; `camera` is the file's one that it names.
    pub(super) fn start(&mut self, view: &StartView, camera: Option<usize>) {
        self.orbit = OrbitCamera::default();
        self.source = Source::Orbit;
        self.framed = Some(Framed { zoom: 1.0, height: None });
        match view {
            StartView::Framed { azimuth, elevation, zoom, orthographic, height } => {
                self.orbit.azimuth = *azimuth;
                self.orbit.elevation = *elevation;
                self.orbit.orthographic = *orthographic;
                self.framed = Some(Framed { zoom: *zoom, height: *height });
            }
            StartView::Explicit(camera) => self.source = Source::Explicit(*camera),
            StartView::Camera(_) => {
                if let Some(camera) = camera {
                    self.source = Source::File(camera);
                }
            }
        }
        self.reframe();
    }

    /// Looks through a camera of the file, or by the orbiting one again, as it stood before.
    pub(super) fn look_through(&mut self, view: View, camera: Option<usize>) {
        if let Source::Explicit(_) = self.source {
            self.leave_fixed(view);
        }
        self.source = camera.map_or(Source::Orbit, Source::File);
        self.reframe();
    }

    /// A person moves the camera: from here on it is theirs.
    pub(super) fn take(&mut self, view: View, change: impl FnOnce(&mut OrbitCamera)) {
        self.leave_fixed(view);
        self.framed = None;
        change(&mut self.orbit);
    }

    /// Frames the whole model again, after a turn or none.
    pub(super) fn frame(&mut self, view: View, turn: impl FnOnce(&mut OrbitCamera)) {
        self.leave_fixed(view);
        turn(&mut self.orbit);
        self.framed = Some(Framed { zoom: 1.0, height: None });
        self.reframe();
    }

    /// Looks at a side; framed stays framed, and a place that a person chose keeps its target.
    pub(super) fn look_from(&mut self, view: View, side: Side) {
        self.leave_fixed(view);
        let quarter = std::f64::consts::FRAC_PI_2;
        (self.orbit.azimuth, self.orbit.elevation) = match side {
            Side::Front => (0.0, 0.0),
            Side::Right => (quarter, 0.0),
            Side::Top => (0.0, quarter),
        };
        self.reframe();
    }

    pub(super) fn toggle_orthographic(&mut self, view: View) {
        self.leave_fixed(view);
        self.orbit.orthographic = !self.orbit.orthographic;
        self.reframe();
    }

    fn reframe(&mut self) {
        let Some(Framed { zoom, height }) = self.framed else { return };
        self.orbit.frame(&self.hull, self.aspect);
        self.orbit.distance /= zoom;
        if let Some(height) = height {
            self.orbit.distance = 0.5 * height / (0.5 * self.orbit.fov_y).tan();
        }
    }

    /// Puts the orbiting camera where a fixed one stands, so that a drag goes on from there.
    fn leave_fixed(&mut self, view: View) {
        if self.source == Source::Orbit {
            return;
        }
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
    use glam::{DQuat, DVec2};

    use super::*;

    fn sight() -> Sight {
        let mut sight = Sight::default();
        sight.set_hull(vec![DVec3::new(-1.0, 0.0, -0.5), DVec3::new(1.0, 2.0, 0.5)]);
        sight
    }

    #[test]
    fn a_framed_camera_follows_the_aspect_until_a_person_moves_it() {
        let mut sight = sight();
        let wide = sight.orbit.distance;
        sight.set_aspect(0.25);
        let narrow = sight.orbit.distance;
        assert!(narrow > wide);
        let view = sight.view(None);
        sight.take(view, |orbit| orbit.orbit(DVec2::new(0.1, 0.0)));
        sight.set_aspect(4.0);
        assert_eq!(sight.orbit.distance, narrow);
        let view = sight.view(None);
        sight.frame(view, |_| {});
        assert!(sight.orbit.distance < narrow);
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
        sight.start(&StartView::Explicit(camera), None);
        let fixed = sight.view(None);
        sight.take(fixed, |_| {});
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
        sight.start(&framed(2.0, false, None), None);
        assert!((sight.orbit.distance - 0.5 * whole).abs() < 1e-12);
        sight.start(&framed(1.0, true, Some(5.0)), None);
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
            let view = sight.view(None);
            sight.look_from(view, side);
            assert!((sight.orbit.axes().z_axis - back).length() < 1e-12, "{side:?}");
        }
    }
}
