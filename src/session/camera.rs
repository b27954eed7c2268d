//! The camera that a person moves: it orbits a point.

use glam::{DMat3, DVec2, DVec3, Vec4Swizzles};

use crate::look::View;
use crate::model::Projection;

/// The vertical angle of view, radians: 40 degrees.
pub const FOV_Y: f64 = 0.698_131_700_797_731_8;

/// Room left around a framed model, as a share of its size on the picture.
const MARGIN: f64 = 0.1;

/// The near plane's distance as a share of the far one's, at least.
const NEAREST: f32 = 1e-4;

/// A camera on a sphere around a point of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitCamera {
    /// What it turns around and looks at, in the scene.
    pub target: DVec3,
    /// How far it stands away.
    pub distance: f64,
    /// Radians from +Z towards +X about +Y: 0 looks at a model's front.
    pub azimuth: f64,
    /// Radians above the horizon.
    pub elevation: f64,
    /// The vertical angle of view, radians.
    pub fov_y: f64,
    /// Parallel instead of perspective, at the same size at the target.
    pub orthographic: bool,
}

impl Default for OrbitCamera {
    /// A metre's cube seen from the front, a little from the right and above.
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
    /// Points at the middle of the box around some points (in the scene) and stands as near as shows
    /// all of them with a margin, in a picture of this aspect; the direction stays. No points change
    /// nothing.
    pub fn frame(&mut self, points: &[DVec3], aspect: f64) {
        let Some((min, max)) = around(points) else { return };
        self.target = 0.5 * min + 0.5 * max;
        let axes = self.axes();
        let slope = (0.5 * self.fov_y).tan() / (1.0 + MARGIN);
        let mut distance = 0.0f64;
        for point in points {
            let seen = axes.transpose() * (*point - self.target);
            let reach = (seen.y.abs() / slope).max(seen.x.abs() / (slope * aspect));
            distance = distance.max(if self.orthographic { reach } else { reach + seen.z });
        }
        // A point or a line seen from its end still needs a distance to stand at.
        let size = (max - min).length();
        let least = if size > 0.0 { 0.5 * size } else { 1.0 };
        self.distance = distance.max(least);
    }

    /// The camera's right, up and backward directions, as columns.
    pub fn axes(&self) -> DMat3 {
        let (sa, ca) = self.azimuth.sin_cos();
        let (se, ce) = self.elevation.sin_cos();
        let back = DVec3::new(ce * sa, se, ce * ca);
        let right = DVec3::new(ca, 0.0, -sa);
        DMat3::from_cols(right, back.cross(right), back)
    }

    /// Where it stands.
    pub fn eye(&self) -> DVec3 {
        self.target + self.distance * self.axes().z_axis
    }

    /// Turns by a drag over a part of the picture's height.
    pub fn orbit(&mut self, drag: DVec2) {
        self.azimuth =
            (self.azimuth - drag.x * std::f64::consts::PI).rem_euclid(std::f64::consts::TAU);
        let limit = std::f64::consts::FRAC_PI_2;
        self.elevation = (self.elevation + drag.y * std::f64::consts::PI).clamp(-limit, limit);
    }

    /// Moves the target with the pointer, by a drag over a part of the picture's height (Y down).
    pub fn pan(&mut self, drag: DVec2) {
        let height = 2.0 * self.distance * (0.5 * self.fov_y).tan();
        let axes = self.axes();
        self.target += height * (drag.y * axes.y_axis - drag.x * axes.x_axis);
    }

    /// Scales the distances of camera and target to a point, which stays where it is in the picture
    /// and is never passed.
    pub fn zoom(&mut self, factor: f64, about: DVec3) {
        let distance = self.distance * factor;
        if distance > 1e-12 && distance < 1e30 {
            self.distance = distance;
            self.target = about + factor * (self.target - about);
        }
    }

    /// The point at the target's depth under the pointer. `pointer` is in parts of the picture's
    /// height from its middle, Y down.
    pub fn at_target_depth(&self, pointer: DVec2) -> DVec3 {
        let height = 2.0 * self.distance * (0.5 * self.fov_y).tan();
        let axes = self.axes();
        self.target + height * (pointer.x * axes.x_axis - pointer.y * axes.y_axis)
    }

    /// Makes a point the centre of orbits and of the picture. Direction and scale at the point stay.
    pub fn center_on(&mut self, point: DVec3) {
        let ahead = (self.eye() - point).dot(self.axes().z_axis);
        if !self.orthographic && ahead > 1e-12 {
            self.distance = ahead;
        }
        self.target = point;
    }

    /// What it sees; the planes hold the box around the scene (in the scene's space), as far as it
    /// is ahead.
    pub fn view(&self, min: DVec3, max: DVec3) -> View {
        let axes = self.axes();
        let eye = self.view_eye(min, max);
        let projection = projection_around(eye, -axes.z_axis, min, max, |near, far| {
            if self.orthographic {
                let half = (self.distance * (0.5 * self.fov_y).tan()) as f32;
                Projection::Orthographic { half_width: half, half_height: half, near, far }
            } else {
                let fov_y = self.fov_y as f32;
                // Amid the scene the plane is close enough for whatever is looked at from nearby.
                let amid = near <= NEAREST * far;
                let near = if amid { near.min(NEAREST * self.distance as f32) } else { near };
                Projection::Perspective { fov_y, aspect: None, near, far: Some(far) }
            }
        });
        View { world_from_camera: glam::DAffine3::from_mat3_translation(axes, eye), projection }
    }

    /// Where the view stands. A parallel camera shows the same from everywhere along its line of
    /// sight, so it moves back until the whole box is ahead.
    fn view_eye(&self, min: DVec3, max: DVec3) -> DVec3 {
        let (eye, back) = (self.eye(), self.axes().z_axis);
        let (center, radius) = (0.5 * (min + max), 0.5 * (max - min).length());
        let short = 1.02 * radius - (eye - center).dot(back);
        if self.orthographic && short > 0.0 && short.is_finite() { eye + short * back } else { eye }
    }
}

/// A projection whose near and far planes hold a box, seen from `eye` along the unit vector
/// `forward`. The near plane stays ahead of the eye.
pub fn projection_around(
    eye: DVec3,
    forward: DVec3,
    min: DVec3,
    max: DVec3,
    make: impl Fn(f32, f32) -> Projection,
) -> Projection {
    let center = 0.5 * (min + max);
    let (depth, radius) = match (max - min).is_finite() && min.cmple(max).all() {
        true => ((center - eye).dot(forward), 0.5 * (max - min).length()),
        false => (1.0, 1.0),
    };
    let radius = radius.max(1e-6 * depth.abs()).max(1e-9);
    let far = (depth + 1.01 * radius).max(2e-3 * radius);
    let near = (depth - 1.01 * radius).max(f64::from(NEAREST) * far);
    make(near as f32, far as f32)
}

/// The box around some points; none around no points.
pub fn around(points: &[DVec3]) -> Option<(DVec3, DVec3)> {
    let min = points.iter().copied().reduce(DVec3::min)?;
    let max = points.iter().copied().reduce(DVec3::max)?;
    (max - min).is_finite().then_some((min, max))
}

/// Where a point of the scene falls in a picture of this aspect: in parts of its height from its
/// middle, Y down, and the distance ahead.
pub fn project(view: &View, point: DVec3, aspect: f64) -> (DVec2, f64) {
    let seen = view.camera_from_world(DVec3::ZERO).transform_point3(point);
    let clip = view.projection_matrix(aspect) * seen.extend(1.0);
    let ndc = clip.xy() / clip.w;
    (DVec2::new(0.5 * aspect * ndc.x, -0.5 * ndc.y), -seen.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN: DVec3 = DVec3::new(-1.0, 0.0, -0.25);
    const MAX: DVec3 = DVec3::new(1.0, 3.0, 0.25);

    fn corners() -> impl Iterator<Item = DVec3> {
        (0..8).map(|i| {
            let pick = |bit: usize, axis: usize| if i & bit == 0 { MIN[axis] } else { MAX[axis] };
            DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2))
        })
    }

    #[test]
    fn framing_shows_the_whole_box_with_a_margin_and_no_more() {
        for aspect in [0.4, 1.0, 2.5] {
            for orthographic in [false, true] {
                let mut camera = OrbitCamera { orthographic, ..OrbitCamera::default() };
                camera.frame(&corners().collect::<Vec<_>>(), aspect);
                let view = camera.view(MIN, MAX);
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
            let place = |camera: &OrbitCamera| project(&camera.view(MIN, MAX), point, 1.0);
            let (before, _) = place(&camera);
            for _ in 0..80 {
                camera.zoom(0.88, point);
                let (now, ahead) = place(&camera);
                assert!((now - before).length() < 1e-6, "{orthographic}: {now} {before}");
                let (near, _) = camera.view(MIN, MAX).depth_range();
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
            let place = |camera: &OrbitCamera, p| project(&camera.view(MIN, MAX), p, 1.0).0;
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
