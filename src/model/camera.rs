//! A file's cameras.

/// How a camera projects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Things get smaller with distance.
    Perspective {
        /// The vertical angle of view, radians.
        fov_y: f32,
        /// Width over height the file was made for; pictures keep `fov_y` at their own aspect.
        aspect: Option<f32>,
        /// Distance of the near plane.
        near: f32,
        /// Distance of the far plane; none is infinitely far.
        far: Option<f32>,
    },
    /// Things keep their size.
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

/// A camera; the node that has it says where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// The file's name for it.
    pub name: Option<String>,
    /// How it projects.
    pub projection: Projection,
}
