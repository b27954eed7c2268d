//! What a picture is asked to be: from where, what of it, in which light. Plain data that the
//! session fills in and the renderer reads; it knows models and no GPU.
//!
//! ```
//! use rigview::glam::DVec3;
//! use rigview::look::{Look, Pass, View};
//! use rigview::model::Projection;
//!
//! let look = Look { pass: Pass::Normal, skeleton: true, ..Look::default() };
//! assert!(!look.pass.is_shaded());
//! let lens = Projection::Perspective { fov_y: 0.7, aspect: None, near: 0.1, far: None };
//! let view = View::look_at(DVec3::new(0.0, 1.0, 4.0), DVec3::Y, DVec3::Y, lens);
//! assert_eq!(view.world_from_camera.translation.z, 4.0);
//! ```

mod lighting;
mod pass;
mod studio;
mod tone_map;
mod view;

pub use lighting::{Backdrop, DirectionalLight, EnvironmentSource, Lighting};
pub use pass::Pass;
pub use tone_map::ToneMap;
pub use view::View;

/// Everything about a picture but the model, its pose and the place it is seen from.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// What is drawn.
    pub pass: Pass,
    /// sRGB bytes and alpha, exactly these where nothing is drawn.
    pub background: [u8; 4],
    /// What lights it.
    pub lighting: Lighting,
    /// How its light becomes colours.
    pub tone_map: ToneMap,
    /// Stops: the light times two to the power of this.
    pub exposure: f32,
    /// The joint whose weights are shown, as a node; the first one if none.
    pub joint: Option<usize>,
    /// Which of the file's material variants; none for the materials themselves.
    pub variant: Option<usize>,
    /// Samples a pixel of the smooth passes: 1 or 4.
    pub samples: u32,
    /// Whether joints and bones are drawn over it.
    pub skeleton: bool,
    /// Whether the joints' names are drawn over it.
    pub joint_names: bool,
    /// Whether there is a grid on the ground at the model's feet.
    pub grid: bool,
    /// Whether the scene's axes are drawn over it.
    pub axes: bool,
    /// Whether the box around the posed model is drawn over it.
    pub bounds: bool,
    /// Whether overlays are drawn over `mask` and `depth` too. Off where those are read as data.
    pub overlays_on_data: bool,
    /// Pixels a point of the overlays: 1 on an ordinary screen.
    pub overlay_scale: f32,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            pass: Pass::Shaded,
            background: [0x2b, 0x2f, 0x36, 0xff],
            lighting: Lighting::default(),
            tone_map: ToneMap::Neutral,
            exposure: 0.0,
            joint: None,
            variant: None,
            samples: 4,
            skeleton: false,
            joint_names: false,
            grid: false,
            axes: false,
            bounds: false,
            overlays_on_data: false,
            overlay_scale: 1.0,
        }
    }
}

impl Look {
    /// Whether overlays may be drawn over the picture.
    pub fn takes_overlays(&self) -> bool {
        self.overlays_on_data || !matches!(self.pass, Pass::Mask | Pass::Depth)
    }
}
