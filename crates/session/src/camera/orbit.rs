//! The orbiting camera, which a person moves.

use glam::{DAffine3, DMat3, DVec2, DVec3, Vec4Swizzles};
use serde::{Deserialize, Serialize};

use rigview_look::View;
use rigview_model::{Projection, SceneBox};

/// The default vertical angle of view in radians: 40 degrees.
pub const FOV_Y: f64 = 0.698_131_700_797_731_8;

/// Margin around a framed model, as a share of its size in the picture.
const MARGIN: f64 = 0.1;

/// Minimum ratio of the near plane's distance to the far plane's.
const NEAREST: f32 = 1e-4;

/// A camera on a sphere around a point of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrbitCamera {
    /// The point that it orbits and looks at, in scene space.
    pub target: DVec3,
    /// Its distance from the target.
    pub distance: f64,
    /// Radians from +Z towards +X about +Y: 0 looks at a model's front.
    pub azimuth: f64,
    /// Radians above the horizon.
    pub elevation: f64,
    /// The vertical angle of view in radians.
    pub fov_y: f64,
    /// Whether the projection is parallel. The size at the target is the same in both projections.
    pub orthographic: bool,
}

impl Default for OrbitCamera {
    /// Sees a cube of one metre from the front, slightly from the right and above.
    fn default() -> Self {
        Self {
            target: DVec3::ZERO,
            distance: 3.0,
            azimuth: 30f64.to_radians(),
            elevation: 15f64.to_radians(),
            fov_y: FOV_Y,
            orthographic: false,
        }
    }
}

impl OrbitCamera {
    /// Moves to the smallest distance at which a picture of this aspect shows all points (in scene space) with a
    /// margin, and centres what the picture shows of them. The direction stays. An empty list changes nothing.
    pub fn frame(&mut self, points: &[DVec3], aspect: f64) {
        let Some(bounds) = SceneBox::around(points) else { return };
        let (middle, axes) = (bounds.center(), self.axes());
        let seen = points.iter().map(|point| axes.transpose() * (*point - middle));
        let seen = Seen { points: seen.collect(), orthographic: self.orthographic };
        let slope = (0.5 * self.fov_y).tan() / (1.0 + MARGIN);
        let needed = seen.distance(0, slope * aspect).max(seen.distance(1, slope));
        self.distance = needed.max(least_distance(bounds));
        let [x, y] = [0, 1].map(|axis| seen.middle(axis, self.distance));
        self.target = middle + x * axes.x_axis + y * axes.y_axis;
    }

    /// Like [`OrbitCamera::frame`], but looks at the middle of the box around the points, about which the camera can
    /// turn.
    pub fn frame_around_middle(&mut self, points: &[DVec3], aspect: f64) {
        let Some(bounds) = SceneBox::around(points) else { return };
        self.target = 0.5 * bounds.min + 0.5 * bounds.max;
        let axes = self.axes();
        let slope = (0.5 * self.fov_y).tan() / (1.0 + MARGIN);
        let mut distance = 0.0f64;
        for point in points {
            let seen = axes.transpose() * (*point - self.target);
            let reach = (seen.y.abs() / slope).max(seen.x.abs() / (slope * aspect));
            distance = distance.max(if self.orthographic { reach } else { reach + seen.z });
        }
        self.distance = distance.max(least_distance(bounds));
    }

    /// The camera's right, up and backward directions, as columns.
    pub fn axes(&self) -> DMat3 {
        let (sa, ca) = self.azimuth.sin_cos();
        let (se, ce) = self.elevation.sin_cos();
        let back = DVec3::new(ce * sa, se, ce * ca);
        let right = DVec3::new(ca, 0.0, -sa);
        DMat3::from_cols(right, back.cross(right), back)
    }

    /// Its position in scene space.
    pub fn eye(&self) -> DVec3 {
        self.target + self.distance * self.axes().z_axis
    }

    /// Orbits by a drag, in picture heights.
    pub fn orbit(&mut self, drag: DVec2) {
        self.azimuth =
            (self.azimuth - drag.x * std::f64::consts::PI).rem_euclid(std::f64::consts::TAU);
        let limit = std::f64::consts::FRAC_PI_2;
        self.elevation = (self.elevation + drag.y * std::f64::consts::PI).clamp(-limit, limit);
    }

    /// Turns where it stands by a drag, in picture heights, Y down. The target turns with it.
    pub fn look_around(&mut self, drag: DVec2) {
        const RADIANS_PER_HEIGHT: f64 = 1.5;
        let eye = self.eye();
        self.orbit(RADIANS_PER_HEIGHT / std::f64::consts::PI * drag);
        self.target = eye - self.distance * self.axes().z_axis;
    }

    /// Moves camera and target by a drag, in picture heights, Y down. The target follows the pointer.
    pub fn pan(&mut self, drag: DVec2) {
        let height = 2.0 * self.distance * (0.5 * self.fov_y).tan();
        let axes = self.axes();
        self.target += height * (drag.y * axes.y_axis - drag.x * axes.x_axis);
    }

    /// Scales the distances of camera and target to a point. The point keeps its place in the picture, and the camera
    /// never passes it.
    pub fn zoom(&mut self, factor: f64, about: DVec3) {
        let distance = self.distance * factor;
        if distance > 1e-12 && distance < 1e30 {
            self.distance = distance;
            self.target = about + factor * (self.target - about);
        }
    }

    /// Returns the point at the target's depth under the pointer, which is given in picture heights from the
    /// picture's centre, Y down.
    pub fn at_target_depth(&self, pointer: DVec2) -> DVec3 {
        let height = 2.0 * self.distance * (0.5 * self.fov_y).tan();
        let axes = self.axes();
        self.target + height * (pointer.x * axes.x_axis - pointer.y * axes.y_axis)
    }

    /// Makes a point the target. The direction and the scale at the point stay.
    pub fn center_on(&mut self, point: DVec3) {
        let ahead = (self.eye() - point).dot(self.axes().z_axis);
        if !self.orthographic && ahead > 1e-12 {
            self.distance = ahead;
        }
        self.target = point;
    }

    /// Returns the camera, turned by an angle in radians about the vertical axis through its target.
    pub fn turned(&self, turn: f64) -> Self {
        Self { azimuth: self.azimuth + turn, ..*self }
    }

    /// Moves to where a view is seen from. The target is at the depth of the middle of a box, or at the box's size
    /// ahead if the box is behind. Roll is lost.
    pub fn stand_at(&mut self, view: &View, bounds: SceneBox) {
        let DAffine3 { matrix3: axes, translation: eye } = view.world_from_camera;
        let back = axes.z_axis;
        let ahead = (bounds.center() - eye).dot(-back);
        self.distance = if ahead > 0.0 { ahead } else { bounds.size().length().max(1e-3) };
        self.azimuth = back.x.atan2(back.z);
        self.elevation = back.y.clamp(-1.0, 1.0).asin();
        match view.projection {
            Projection::Perspective { fov_y, .. } => self.fov_y = f64::from(fov_y),
            Projection::Orthographic { half_height, .. } => {
                self.fov_y = FOV_Y;
                self.orthographic = true;
                self.distance = f64::from(half_height) / (0.5 * FOV_Y).tan();
            }
        }
        self.target = eye - self.distance * back;
    }

    /// Returns the view. Its near and far planes enclose the part of the box that is in
    /// front of the camera.
    pub fn view(&self, bounds: SceneBox) -> View {
        let axes = self.axes();
        let eye = self.view_eye(bounds);
        let projection = projection_around(eye, -axes.z_axis, bounds, |near, far| {
            if self.orthographic {
                let half = (self.distance * (0.5 * self.fov_y).tan()) as f32;
                Projection::Orthographic { half_width: half, half_height: half, near, far }
            } else {
                let fov_y = self.fov_y as f32;
                // Inside the scene, the near plane must not cut off what is close to the camera.
                let amid = near <= NEAREST * far;
                let near = if amid { near.min(NEAREST * self.distance as f32) } else { near };
                Projection::Perspective { fov_y, aspect: None, near, far: Some(far) }
            }
        });
        let world_from_camera = DAffine3::from_mat3_translation(axes, eye);
        View { world_from_camera, projection, shift: DVec2::ZERO }
    }

    /// The position that the view is taken from. A parallel camera shows the same from everywhere along its line of
    /// sight, so it is moved back until the whole box is in front of it.
    fn view_eye(&self, bounds: SceneBox) -> DVec3 {
        let (eye, back) = (self.eye(), self.axes().z_axis);
        let (center, radius) = (bounds.center(), 0.5 * bounds.size().length());
        let short = 1.02 * radius - (eye - center).dot(back);
        if self.orthographic && short > 0.0 && short.is_finite() { eye + short * back } else { eye }
    }
}

/// Returns the least distance from points in a box. A single point, or a line seen from its end, needs
/// one above 0 too.
fn least_distance(bounds: SceneBox) -> f64 {
    let size = bounds.size().length();
    if size > 0.0 { 0.5 * size } else { 1.0 }
}

/// Points in the axes of a camera: right, up and backward, relative to a point on its line of sight.
struct Seen {
    points: Vec<DVec3>,
    orthographic: bool,
}

impl Seen {
    /// Returns the largest value over the points.
    fn largest(&self, value: impl Fn(&DVec3) -> f64) -> f64 {
        self.points.iter().map(value).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the distance from which all points fit on an axis of the picture (0 across, 1 up), if the camera is
    /// moved along that axis. `slope` is the tangent of the angle between the picture's middle and its edge.
    fn distance(&self, axis: usize, slope: f64) -> f64 {
        let depth = |p: &DVec3| if self.orthographic { 0.0 } else { slope * p.z };
        let (right, left) =
            (self.largest(|p| p[axis] + depth(p)), self.largest(|p| depth(p) - p[axis]));
        0.5 * (right + left) / slope
    }

    /// Returns how far along an axis the camera must be moved so that the points reach equally far to both sides of
    /// the picture's middle, from a distance from which they all fit.
    fn middle(&self, axis: usize, distance: f64) -> f64 {
        let ends = [self.largest(|p| -p[axis]), self.largest(|p| p[axis])];
        let (mut low, mut high) = (-ends[0], ends[1]);
        if self.orthographic {
            return 0.5 * (low + high);
        }
        // The sum of both reaches falls as the camera moves.
        for _ in 0..60 {
            let at = 0.5 * (low + high);
            let slope = |p: &DVec3| (p[axis] - at) / (distance - p.z);
            if self.largest(slope) > self.largest(|p| -slope(p)) {
                low = at
            } else {
                high = at
            };
        }
        0.5 * (low + high)
    }
}

/// Share of a box's half diagonal that is drawn on each side of its middle.
const ENCLOSED: f64 = 1.01;

/// Whether the planes of [`projection_around`] a box enclose another one from wherever they are seen.
pub fn is_enclosed(inner: SceneBox, outer: SceneBox) -> bool {
    let radius = 0.5 * ENCLOSED * outer.size().length();
    inner.corners().iter().all(|corner| corner.distance(outer.center()) <= radius)
}

/// Calls `make` with the distances of near and far planes that enclose a box, seen from `eye` along the
/// unit vector `forward`. Both distances are positive.
pub fn projection_around(
    eye: DVec3,
    forward: DVec3,
    bounds: SceneBox,
    make: impl Fn(f32, f32) -> Projection,
) -> Projection {
    let (center, size) = (bounds.center(), bounds.size());
    let (depth, radius) = if size.is_finite() && bounds.min.cmple(bounds.max).all() {
        ((center - eye).dot(forward), 0.5 * size.length())
    } else {
        (1.0, 1.0)
    };
    let radius = radius.max(1e-6 * depth.abs()).max(1e-9);
    let far = (depth + ENCLOSED * radius).max(2e-3 * radius);
    let near = (depth - ENCLOSED * radius).max(f64::from(NEAREST) * far);
    make(near as f32, far as f32)
}

/// Returns the place of a point in a picture of this aspect, in picture heights from its centre, Y down, and the
/// point's distance along the line of sight.
pub fn project(view: &View, point: DVec3, aspect: f64) -> (DVec2, f64) {
    let seen = view.camera_from_world(DVec3::ZERO).transform_point3(point);
    let clip = view.projection_matrix(aspect) * seen.extend(1.0);
    let ndc = clip.xy() / clip.w;
    (DVec2::new(0.5 * aspect * ndc.x, -0.5 * ndc.y), -seen.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: SceneBox =
        SceneBox { min: DVec3::new(-1.0, 0.0, -0.25), max: DVec3::new(1.0, 3.0, 0.25) };

    fn corners() -> impl Iterator<Item = DVec3> {
        (0..8).map(|i| {
            let pick =
                |bit: usize, axis: usize| if i & bit == 0 { BOX.min[axis] } else { BOX.max[axis] };
            DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2))
        })
    }

    #[test]
    fn framing_shows_the_whole_box_with_a_margin_and_no_more() {
        for aspect in [0.4, 1.0, 2.5] {
            for orthographic in [false, true] {
                let mut camera = OrbitCamera { orthographic, ..OrbitCamera::default() };
                camera.frame(&corners().collect::<Vec<_>>(), aspect);
                let view = camera.view(BOX);
                let mut reach = 0.0f64;
                for corner in corners() {
                    let (at, ahead) = project(&view, corner, aspect);
                    reach = reach.max(2.0 * at.y.abs()).max(2.0 * at.x.abs() / aspect);
                    let (near, far) = view.depth_range();
                    assert!(ahead > f64::from(near) && ahead < f64::from(far));
                }
                assert!((reach - 1.0 / 1.1).abs() < 1e-6, "{aspect} {orthographic}: {reach}");
            }
        }
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer_and_never_passes_it() {
        for orthographic in [false, true] {
            let mut camera = OrbitCamera { orthographic, ..OrbitCamera::default() };
            let point = DVec3::new(0.4, 0.3, 0.5);
            let place = |camera: &OrbitCamera| project(&camera.view(BOX), point, 1.0);
            let (before, _) = place(&camera);
            for _ in 0..80 {
                camera.zoom(0.88, point);
                let (now, ahead) = place(&camera);
                assert!((now - before).length() < 1e-6, "{orthographic}: {now} {before}");
                let (near, _) = camera.view(BOX).depth_range();
                assert!(ahead > f64::from(near), "{orthographic}: {ahead} {near}");
            }
            assert!((camera.distance / 3.0 - 0.88f64.powi(80)).abs() < 1e-9);
        }
    }

    #[test]
    fn without_a_surface_zoom_is_about_the_targets_depth() {
        let mut camera = OrbitCamera::default();
        let pointer = DVec2::new(0.3, -0.2);
        let before = camera.at_target_depth(pointer);
        camera.zoom(0.5, before);
        assert!((camera.at_target_depth(pointer) - before).length() < 1e-12);
        assert!((camera.distance - 1.5).abs() < 1e-12);
    }

    #[test]
    fn a_new_centre_is_in_the_middle_at_the_same_scale() {
        for orthographic in [false, true] {
            let mut camera = OrbitCamera { orthographic, ..OrbitCamera::default() };
            let (point, beside) = (DVec3::new(0.4, 0.3, 0.5), camera.axes().x_axis * 0.1);
            let place = |camera: &OrbitCamera, p| project(&camera.view(BOX), p, 1.0).0;
            let across = place(&camera, point + beside) - place(&camera, point);
            camera.center_on(point);
            assert!(place(&camera, point).length() < 1e-6);
            assert!((place(&camera, point + beside) - across).length() < 1e-6, "{orthographic}");
        }
    }

    #[test]
    fn azimuth_0_looks_at_the_front_and_90_at_the_models_left_side() {
        let eye = |azimuth: f64| {
            let azimuth = azimuth.to_radians();
            OrbitCamera { azimuth, elevation: 0.0, ..OrbitCamera::default() }.eye()
        };
        assert!((eye(0.0) - DVec3::new(0.0, 0.0, 3.0)).length() < 1e-12);
        assert!((eye(90.0) - DVec3::new(3.0, 0.0, 0.0)).length() < 1e-12);
    }

    #[test]
    fn looking_straight_down_still_has_an_up() {
        let camera = OrbitCamera {
            elevation: std::f64::consts::FRAC_PI_2,
            azimuth: 0.0,
            ..OrbitCamera::default()
        };
        let axes = camera.axes();
        assert!((axes.determinant() - 1.0).abs() < 1e-12);
        assert!((axes.y_axis - DVec3::NEG_Z).length() < 1e-12);
    }
}
