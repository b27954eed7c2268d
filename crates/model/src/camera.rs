//! A file's cameras.

/// How a camera projects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// A perspective projection.
    Perspective {
        /// The vertical field of view in radians.
        fov_y: f32,
        /// The file's ratio of width to height. Pictures ignore it: they keep `fov_y` at their own ratio.
        aspect: Option<f32>,
        /// Distance of the near plane.
        near: f32,
        /// Distance of the far plane; `None` is infinitely far.
        far: Option<f32>,
    },
    /// An orthographic projection.
    Orthographic {
        /// Half the width of the view.
        half_width: f32,
        /// Half the height of the view.
        half_height: f32,
        /// Distance of the near plane.
        near: f32,
        /// Distance of the far plane.
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
