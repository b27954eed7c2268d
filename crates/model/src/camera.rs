//! A file's cameras.

use serde::Serialize;

/// How a camera projects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Projection {
    /// A perspective projection.
    Perspective {
        /// The vertical field of view in radians.
        #[serde(rename = "yfov")]
        fov_y: f32,
        /// The file's ratio of width to height. Pictures ignore it: they keep `fov_y` at their own ratio.
        #[serde(rename = "aspectRatio")]
        aspect: Option<f32>,
        /// Distance of the near plane.
        #[serde(rename = "znear")]
        near: f32,
        /// Distance of the far plane; `None` is infinitely far.
        #[serde(rename = "zfar")]
        far: Option<f32>,
    },
    /// An orthographic projection.
    Orthographic {
        /// Half the width of the view.
        #[serde(rename = "xmag")]
        half_width: f32,
        /// Half the height of the view.
        #[serde(rename = "ymag")]
        half_height: f32,
        /// Distance of the near plane.
        #[serde(rename = "znear")]
        near: f32,
        /// Distance of the far plane.
        #[serde(rename = "zfar")]
        far: f32,
    },
}

/// A camera; its node defines its position and direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// The camera's name.
    pub name: Option<String>,
    /// How it projects.
    pub projection: Projection,
}
