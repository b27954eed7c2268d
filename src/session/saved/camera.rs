//! The camera in a session file.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::session::camera::position::{CameraPosition, FramedDirection};
use crate::session::{ExplicitCamera, OrbitCamera, ViewCamera};

/// Where the camera stands, and how it moves by itself. Angles are in radians, lengths in metres, points in scene space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct SavedCamera {
    at: SavedPlace,
    pub follow: bool,
    /// The speed of the turntable; `None` while it does not turn.
    pub turn_speed: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedPlace {
    Framed {
        azimuth: f64,
        elevation: f64,
        zoom: f64,
        orthographic: bool,
        height: Option<f64>,
    },
    Orbit {
        target: [f64; 3],
        distance: f64,
        azimuth: f64,
        elevation: f64,
        fov_y: f64,
        orthographic: bool,
    },
    Given {
        eye: [f64; 3],
        target: [f64; 3],
        up: [f64; 3],
        fov_y: f64,
        height: Option<f64>,
        near: Option<f32>,
        far: Option<f32>,
    },
    File(usize),
}

impl Default for SavedPlace {
    fn default() -> Self {
        let OrbitCamera { azimuth, elevation, orthographic, .. } = OrbitCamera::default();
        Self::Framed { azimuth, elevation, zoom: 1.0, orthographic, height: None }
    }
}

impl SavedCamera {
    pub fn of(view_camera: &ViewCamera) -> Self {
        let at = match view_camera.placed() {
            CameraPosition::Framed(FramedDirection {
                angles: [azimuth, elevation],
                zoom,
                orthographic,
                height,
            }) => SavedPlace::Framed { azimuth, elevation, zoom, orthographic, height },
            CameraPosition::Orbit(orbit) => SavedPlace::Orbit {
                target: orbit.target.to_array(),
                distance: orbit.distance,
                azimuth: orbit.azimuth,
                elevation: orbit.elevation,
                fov_y: orbit.fov_y,
                orthographic: orbit.orthographic,
            },
            CameraPosition::Explicit(camera) => SavedPlace::Given {
                eye: camera.eye.to_array(),
                target: camera.target.to_array(),
                up: camera.up.to_array(),
                fov_y: camera.fov_y,
                height: camera.height,
                near: camera.near,
                far: camera.far,
            },
            CameraPosition::File(camera) => SavedPlace::File(camera),
        };
        Self { at, follow: view_camera.follows(), turn_speed: view_camera.turn_speed() }
    }

    /// Returns where the camera is to stand; `None` if the numbers make no camera.
    pub fn placed(&self) -> Option<CameraPosition> {
        let length = |x: f64| x.is_finite() && x > 0.0;
        let angle = |x: f64| x.is_finite() && x > 0.0 && x < std::f64::consts::PI;
        Some(match self.at {
            SavedPlace::Framed { azimuth, elevation, zoom, orthographic, height } => {
                let sound = azimuth.is_finite() && elevation.is_finite() && length(zoom);
                let angles = [azimuth, elevation];
                let framed = FramedDirection { angles, zoom, orthographic, height };
                CameraPosition::Framed(Some(framed).filter(|_| sound && height.is_none_or(length))?)
            }
            SavedPlace::Orbit { target, distance, azimuth, elevation, fov_y, orthographic } => {
                let target = DVec3::from_array(target);
                let orbit =
                    OrbitCamera { target, distance, azimuth, elevation, fov_y, orthographic };
                let turned = azimuth.is_finite() && elevation.is_finite() && angle(fov_y);
                CameraPosition::Orbit(
                    Some(orbit).filter(|_| target.is_finite() && length(distance) && turned)?,
                )
            }
            SavedPlace::Given { eye, target, up, fov_y, height, near, far } => {
                let [eye, target, up] = [eye, target, up].map(DVec3::from_array);
                let sound = eye.is_finite() && target.is_finite() && up.is_finite() && angle(fov_y);
                let camera = ExplicitCamera { eye, target, up, fov_y, height, near, far };
                CameraPosition::Explicit(Some(camera).filter(|_| sound)?)
            }
            SavedPlace::File(camera) => CameraPosition::File(camera),
        })
    }
}
