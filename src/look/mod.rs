//! What a picture is asked to be: from where, what of it, in which light. Plain data that the
//! session fills in and the renderer reads; it knows models and no GPU.

mod pass;
mod view;

pub use pass::Pass;
pub use view::View;

/// A directional light that a command line adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionalLight {
    /// The way it shines; any length but zero.
    pub direction: glam::Vec3,
    /// Illuminance; at pi a white Lambert surface that faces it has radiance 1.
    pub lux: f32,
}

/// What lights the scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Lighting {
    /// A key light and a sky, as a look.
    #[default]
    Default,
    /// Only what was asked for.
    Explicit {
        /// The same linear radiance from everywhere.
        environment: glam::Vec3,
        /// Directional lights.
        lights: Vec<DirectionalLight>,
    },
}

/// Everything about a picture but the model, its pose and the place it is seen from.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// What is drawn.
    pub pass: Pass,
    /// sRGB bytes and alpha, exactly these where nothing is drawn.
    pub background: [u8; 4],
    /// What lights it.
    pub lighting: Lighting,
    /// Samples a pixel of the shaded pass: 1 or 4.
    pub samples: u32,
    /// Whether joints and bones are drawn over it.
    pub skeleton: bool,
    /// Pixels a point of the overlays: 1 on an ordinary screen.
    pub overlay_scale: f32,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            pass: Pass::Shaded,
            background: [0x2b, 0x2f, 0x36, 0xff],
            lighting: Lighting::Default,
            samples: 4,
            skeleton: false,
            overlay_scale: 1.0,
        }
    }
}
