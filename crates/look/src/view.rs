//! The camera of a picture.

use glam::{DAffine3, DMat4, DVec2, DVec3, DVec4};

use rigview_model::{Projection, Ray};

/// A camera in the scene. It looks along the -Z axis of its matrix; +Y is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// A rigid transform. Double precision, because a camera may be far from the scene's origin.
    pub world_from_camera: DAffine3,
    /// The projection. The width follows from the picture's aspect ratio; the file's is not used.
    pub projection: Projection,
    /// Shift of the picture's contents to the right and up, in halves of its width and height. Pictures with more
    /// samples than the adapter has are averages of shifted ones.
    pub shift: DVec2,
}

impl View {
    /// Returns a camera at `eye` that looks at `target`. If `up` is zero or parallel to the line of sight,
    /// another axis replaces it.
    pub fn look_at(eye: DVec3, target: DVec3, up: DVec3, projection: Projection) -> Self {
        let forward = (target - eye).try_normalize().unwrap_or(DVec3::NEG_Z);
        let side = |up: DVec3| forward.cross(up).try_normalize();
        let right = up
            .try_normalize()
            .and_then(|up| side(up).filter(|_| up.dot(forward).abs() < 1.0 - 1e-12))
            .or_else(|| side(DVec3::Y).filter(|_| forward.y.abs() < 1.0 - 1e-12))
            .unwrap_or(DVec3::X);
        let axes = glam::DMat3::from_cols(right, right.cross(forward), -forward);
        let world_from_camera = DAffine3::from_mat3_translation(axes, eye);
        Self { world_from_camera, projection, shift: DVec2::ZERO }
    }

    /// Returns the matrix from scene space relative to `origin` to camera space.
    pub fn camera_from_world(&self, origin: DVec3) -> DMat4 {
        let mut world_from_camera = self.world_from_camera;
        world_from_camera.translation -= origin;
        world_from_camera.inverse().into()
    }

    /// Returns the matrix from camera space to clip space for an aspect ratio (width over height). Depth is
    /// 1 at the near plane and 0 at the far one, which keeps precision at a distance because floats are
    /// densest near 0.
    pub fn projection_matrix(&self, aspect: f64) -> DMat4 {
        // Not -0.0 without a shift.
        let away = DVec2::ZERO - self.shift;
        match self.projection {
            Projection::Perspective { fov_y, near, far, .. } => {
                let f = 1.0 / (0.5 * f64::from(fov_y)).tan();
                let n = f64::from(near);
                let (a, b) = match far.map(f64::from) {
                    Some(far) => (n / (far - n), far * n / (far - n)),
                    None => (0.0, n),
                };
                DMat4::from_cols(
                    DVec4::new(f / aspect, 0.0, 0.0, 0.0),
                    DVec4::new(0.0, f, 0.0, 0.0),
                    DVec4::new(away.x, away.y, a, -1.0),
                    DVec4::new(0.0, 0.0, b, 0.0),
                )
            }
            Projection::Orthographic { half_height, near, far, .. } => {
                let (h, n, far) = (f64::from(half_height), f64::from(near), f64::from(far));
                DMat4::from_cols(
                    DVec4::new(1.0 / (h * aspect), 0.0, 0.0, 0.0),
                    DVec4::new(0.0, 1.0 / h, 0.0, 0.0),
                    DVec4::new(0.0, 0.0, 1.0 / (far - n), 0.0),
                    DVec4::new(self.shift.x, self.shift.y, far / (far - n), 1.0),
                )
            }
        }
    }

    /// Returns the distance along [`View::ray`] at which a point is `ahead` in front of the camera, measured along
    /// the camera's axis.
    pub fn distance_along(&self, at: DVec2, ahead: f64) -> f64 {
        let ray = self.ray(at);
        let axis = -self.world_from_camera.matrix3.z_axis;
        let near = (ray.start - self.world_from_camera.translation).dot(axis);
        (ahead - near) / ray.ahead.dot(axis)
    }

    /// Returns the ray through a position in the picture, in scene space: from a point on the near plane away from the
    /// camera, with a direction of unit length. `at` is measured from the picture's centre in units of its
    /// height, with Y down.
    pub fn ray(&self, at: DVec2) -> Ray {
        let (x, y) = (2.0 * at.x, -2.0 * at.y);
        let (start, ahead) = match self.projection {
            Projection::Perspective { fov_y, near, .. } => {
                let slope = (0.5 * f64::from(fov_y)).tan();
                let ahead = DVec3::new(slope * x, slope * y, -1.0);
                (f64::from(near) * ahead, ahead)
            }
            Projection::Orthographic { half_height, near, .. } => {
                let half = f64::from(half_height);
                (DVec3::new(half * x, half * y, -f64::from(near)), DVec3::NEG_Z)
            }
        };
        let world_from_camera = &self.world_from_camera;
        Ray {
            start: world_from_camera.transform_point3(start),
            ahead: world_from_camera.transform_vector3(ahead).normalize(),
        }
    }

    /// Returns the distances of the near and far planes. An infinite far plane counts as 1e4 times the near
    /// distance.
    pub fn depth_range(&self) -> (f32, f32) {
        match self.projection {
            Projection::Perspective { near, far, .. } => (near, far.unwrap_or(1e4 * near)),
            Projection::Orthographic { near, far, .. } => (near, far),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENS: Projection =
        Projection::Perspective { fov_y: 0.7, aspect: None, near: 0.5, far: Some(20.0) };

    fn depth(view: &View, z: f64) -> f64 {
        let p = view.projection_matrix(1.0) * DVec4::new(0.0, 0.0, -z, 1.0);
        p.z / p.w
    }

    #[test]
    fn depth_runs_from_one_at_the_near_plane_to_zero_at_the_far_one() {
        let ortho =
            Projection::Orthographic { half_width: 1.0, half_height: 1.0, near: 0.5, far: 20.0 };
        for projection in [LENS, ortho] {
            let view = View::look_at(DVec3::ZERO, DVec3::NEG_Z, DVec3::Y, projection);
            assert!((depth(&view, 0.5) - 1.0).abs() < 1e-7);
            assert!(depth(&view, 20.0).abs() < 1e-7);
        }
    }

    #[test]
    fn every_point_of_a_ray_projects_to_its_position() {
        let ortho =
            Projection::Orthographic { half_width: 1.0, half_height: 1.5, near: 0.5, far: 20.0 };
        let (at, aspect) = (DVec2::new(0.6, -0.3), 1.5);
        for projection in [LENS, ortho] {
            let view = View::look_at(DVec3::new(3.0, 4.0, 5.0), DVec3::ONE, DVec3::Y, projection);
            let ray = view.ray(at);
            for (along, depth) in [(0.0, Some(1.0)), (7.0, None)] {
                let seen = view.camera_from_world(DVec3::ZERO) * ray.at(along).extend(1.0);
                let clip = view.projection_matrix(aspect) * seen;
                let place = DVec2::new(0.5 * aspect * clip.x, -0.5 * clip.y) / clip.w;
                assert!((place - at).length() < 1e-6, "{place}");
                assert!(depth.is_none_or(|depth: f64| (clip.z / clip.w - depth).abs() < 1e-6));
            }
        }
    }

    #[test]
    fn the_target_is_ahead_and_up_is_up() {
        let view = View::look_at(DVec3::new(3.0, 4.0, 5.0), DVec3::ONE, DVec3::Y, LENS);
        let to_camera = view.camera_from_world(DVec3::ZERO);
        let target = to_camera.transform_point3(DVec3::ONE);
        assert!(target.truncate().length() < 1e-9 && target.z < 0.0, "{target}");
        assert!(to_camera.transform_vector3(DVec3::Y).y > 0.0);
    }

    #[test]
    fn looking_along_up_still_gives_a_camera() {
        for up in [DVec3::Y, DVec3::ZERO] {
            let view = View::look_at(DVec3::ZERO, DVec3::NEG_Y, up, LENS);
            assert!((view.world_from_camera.matrix3.determinant() - 1.0).abs() < 1e-9);
        }
    }
}
