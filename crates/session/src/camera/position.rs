//! Where the camera stands, as session files and command lines tell it.

use serde::{Deserialize, Serialize};

use crate::camera::file_camera::FileCamera;
use crate::{ExplicitCamera, OrbitCamera};
use rigview_model::{Model, Stage};

/// The posed scene that a camera looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PosedScene<'a> {
    pub model: &'a Model,
    pub stage: &'a Stage,
    /// The material variant in use, which decides what is cut out of surfaces.
    pub variant: Option<usize>,
}

/// The camera in use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum CameraChoice {
    #[default]
    Orbit,
    File(FileCamera),
    Explicit(ExplicitCamera),
}

/// A direction from which the whole model is framed, as [`StartView::Framed`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FramedDirection {
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
pub(crate) enum CameraPosition {
    Framed(FramedDirection),
    Orbit(OrbitCamera),
    #[serde(rename = "given")]
    Explicit(ExplicitCamera),
    File(FileCamera),
}
