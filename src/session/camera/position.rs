//! Where the camera stands, as session files and command lines tell it.

use serde::{Deserialize, Serialize};

use crate::model::{Model, Stage};
use crate::session::camera::file_camera::FileCamera;
use crate::session::{ExplicitCamera, OrbitCamera};

/// The posed scene that a camera looks at.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct PosedScene<'a> {
    pub model: &'a Model,
    pub stage: &'a Stage,
    /// The material variant in use, which decides what is cut out of surfaces.
    pub variant: Option<usize>,
}

/// The camera in use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::session) enum CameraChoice {
    #[default]
    Orbit,
    File(FileCamera),
    Explicit(ExplicitCamera),
}

/// A direction from which the whole model is framed, as [`StartView::Framed`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::session) struct FramedDirection {
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
pub(in crate::session) enum CameraPosition {
    Framed(FramedDirection),
    Orbit(OrbitCamera),
    #[serde(rename = "given")]
    Explicit(ExplicitCamera),
    File(FileCamera),
}
