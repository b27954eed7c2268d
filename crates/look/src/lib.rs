//! Describes a picture: view, pass, lighting and overlays. Plain data that the session fills in and the
//! renderer reads. The crate uses `model`, but not the GPU.
//!
//! ```
//! use glam::DVec3;
//! use rigview_look::{Look, Pass, View};
//! use rigview_model::Projection;
//!
//! let look = Look { pass: Pass::Normal, skeleton: true, ..Look::default() };
//! assert!(!look.pass.is_shaded());
//! let lens = Projection::Perspective { fov_y: 0.7, aspect: None, near: 0.1, far: None };
//! let view = View::look_at(DVec3::new(0.0, 1.0, 4.0), DVec3::Y, DVec3::Y, lens);
//! assert_eq!(view.world_from_camera.translation.z, 4.0);
//! ```

use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

mod absent;
mod aids;
mod bind_distances;
mod bone_style;
mod highlight;
mod known;
mod legend;
mod lighting;
mod metering;
mod pass;
mod preset;
mod silhouette;
mod stroke;
mod studio;
mod tone_map;
mod view;

pub use absent::Absent;
pub use aids::{Aids, Ghost, OnionSkin, Spacing, Vectors};
pub use bind_distances::BindDistances;
pub use bone_style::{BoneShape, BoneStyle};
pub use highlight::{Highlight, LegendRow};
pub use known::{known, known_items};
pub use legend::{Legend, Scale};
pub use lighting::{Backdrop, DirectionalLight, EnvironmentSource, KeyLight, Lighting, MAX_LIGHTS};
pub use metering::{Exposure, Metered, exposure, light_at};
pub use pass::Pass;
pub use preset::Preset;
pub use silhouette::{CardPlace, Corner, Silhouette};
pub use stroke::Stroke;
pub use tone_map::ToneMap;
pub use view::View;

/// All settings of a picture except the model, its pose and the view. Serialised, it has the settings that are single
/// values and make sense for another picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// The value that the picture shows.
    #[serde(deserialize_with = "known")]
    pub pass: Pass,
    /// Background as sRGB bytes and alpha, reproduced exactly where nothing is drawn.
    pub background: [u8; 4],
    /// Environment and lights.
    #[serde(skip)]
    pub lighting: Lighting,
    /// Mapping from linear light to displayable colours.
    #[serde(deserialize_with = "known")]
    pub tone_map: ToneMap,
    /// Exposure in stops: the light is multiplied by two to this power.
    pub exposure: f32,
    /// Whether [`exposure()`] is added that makes the model as bright as in the default look.
    pub auto_exposure: bool,
    /// The joint whose weights are shown, as a node; `None` for the first joint.
    #[serde(skip)]
    pub joint: Option<usize>,
    /// The distances that [`Pass::RestToBind`] shows; a session finds them for its model. Without them, that pass is
    /// grey.
    #[serde(skip)]
    pub bind: Option<Arc<BindDistances>>,
    /// Index of the material variant; `None` for the default materials.
    pub variant: Option<usize>,
    /// Samples per pixel in antialiased passes: 1, 4 or 16.
    #[serde(skip)]
    pub samples: u32,
    /// Whether joints and bones are drawn over the picture.
    pub skeleton: bool,
    /// How joints and bones are drawn.
    #[serde(flatten)]
    pub bones: BoneStyle,
    /// Whether the path of the selected node over the clip is drawn.
    pub trail: bool,
    /// Whether the joints' names are drawn over the picture.
    pub joint_names: bool,
    /// Whether a pool of light on the floor surrounds the model. Off if a background was chosen, so that its colour
    /// is exact.
    pub floor: bool,
    /// Colour of the floor's pool of light, linear, whatever the exposure; in the wireframe, of faces that are seen
    /// from their edge, sRGB.
    pub paint: Vec3,
    /// Whether a grid is drawn on the ground below the model.
    pub grid: bool,
    /// Whether the scene's axes are drawn over the picture.
    pub axes: bool,
    /// Whether a session draws the model's boxes over the picture.
    pub bounds: bool,
    /// Whether the picture has a legend of the pass' colours and of the boxes.
    pub legend: bool,
    /// Ghosts, vectors and marks that help to judge a rig.
    #[serde(flatten)]
    pub aids: Aids,
    /// What a window marks in the picture.
    #[serde(skip)]
    pub highlight: Highlight,
    /// Whether overlays are also drawn over `mask` and `depth`. Off if these are read as data.
    #[serde(skip)]
    pub overlays_on_data: bool,
    /// Pixels per point of the overlays; 1 on a screen of ordinary density.
    #[serde(skip)]
    pub overlay_scale: f32,
    /// Whether the picture is shown only until the next one, because something moves: ambient occlusion and shadows
    /// take fewer samples, at half the width and height.
    #[serde(skip)]
    pub in_motion: bool,
}

impl Look {
    /// Whether the picture darkens slightly towards its corners: on a background that was not chosen.
    pub fn has_vignette(&self) -> bool {
        self.pass.is_shaded() && self.lighting.key_light && self.floor
    }

    /// Whether light above white is spread around it: not under exactly defined light, and not without a tone map.
    pub fn blooms(&self) -> bool {
        self.pass == Pass::Shaded && self.lighting.key_light && self.tone_map != ToneMap::None
    }

    /// Whether points are drawn wider than a pixel: not in data, and not under exactly defined light.
    pub fn widens_points(&self) -> bool {
        self.pass.is_smooth() && self.lighting.key_light
    }

    /// Returns the look with nothing around the model: a transparent background, no floor, grid or axes.
    pub fn without_surroundings(self) -> Self {
        let lighting = Lighting { backdrop: Backdrop::None, ..self.lighting };
        let (floor, grid, axes) = (false, false, false);
        Self { background: [0; 4], lighting, floor, grid, axes, ..self }
    }

    /// Whether overlays may be drawn over the picture.
    pub fn takes_overlays(&self) -> bool {
        self.overlays_on_data || !matches!(self.pass, Pass::Mask | Pass::Depth)
    }

    /// Whether the grid is drawn over the pass. Masks and depths are data, and overdraw has no depth that would hide it.
    pub fn takes_grid(&self) -> bool {
        !matches!(self.pass, Pass::Mask | Pass::Depth | Pass::Overdraw)
    }

    /// Whether ghosts, normals and tangents are drawn over the pass. Masks and depths are data, and with overdraw the
    /// nearest surface is not known.
    pub fn takes_ghosts(&self) -> bool {
        self.takes_overlays() && self.takes_grid()
    }
}
