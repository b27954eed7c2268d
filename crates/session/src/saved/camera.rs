//! The camera in a session file.

use serde::{Deserialize, Serialize};

use crate::camera::position::{CameraPosition, FramedDirection};
use crate::{ExplicitCamera, OrbitCamera, ViewCamera};

/// Where the camera stands, and how it moves by itself. Angles are in radians, lengths in metres, points in scene space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SavedCamera {
    at: CameraPosition,
    pub follow: bool,
    /// The speed of the turntable; `None` while it does not turn.
    pub turn_speed: Option<f64>,
}

impl Default for SavedCamera {
    fn default() -> Self {
        let OrbitCamera { azimuth, elevation, orthographic, .. } = OrbitCamera::default();
        let framed = FramedDirection { azimuth, elevation, zoom: 1.0, orthographic, height: None };
        Self { at: CameraPosition::Framed(framed), follow: false, turn_speed: None }
    }
}

impl SavedCamera {
    pub fn of(camera: &ViewCamera) -> Self {
        Self { at: camera.placed(), follow: camera.follows(), turn_speed: camera.turn_speed() }
    }

    /// Returns where the camera is to stand; `None` if the numbers make no camera.
    pub fn placed(&self) -> Option<CameraPosition> {
        let length = |x: f64| x.is_finite() && x > 0.0;
        let angle = |x: f64| x.is_finite() && x > 0.0 && x < std::f64::consts::PI;
        let is_sound = match self.at {
            CameraPosition::Framed(FramedDirection {
                azimuth, elevation, zoom, height, ..
            }) => {
                azimuth.is_finite()
                    && elevation.is_finite()
                    && length(zoom)
                    && height.is_none_or(length)
            }
            CameraPosition::Orbit(orbit) => {
                let OrbitCamera { target, distance, azimuth, elevation, fov_y, .. } = orbit;
                target.is_finite()
                    && length(distance)
                    && azimuth.is_finite()
                    && elevation.is_finite()
                    && angle(fov_y)
            }
            CameraPosition::Explicit(ExplicitCamera { eye, target, up, fov_y, .. }) => {
                eye.is_finite() && target.is_finite() && up.is_finite() && angle(fov_y)
            }
            CameraPosition::File(_) => true,
        };
        is_sound.then_some(self.at)
    }
}
