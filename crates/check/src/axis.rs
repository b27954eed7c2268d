//! The axes of a scene, as contracts name them.

use glam::Vec3;
use serde::Deserialize;

rigview_anim::named_enum! {
    /// An axis of the scene and its direction. The names are those in contracts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
    pub enum Axis {
        /// To the left of a model that faces the front, as glTF defines it.
        #[serde(rename = "+X")]
        PositiveX = "+X",
        /// To its right.
        #[serde(rename = "-X")]
        NegativeX = "-X",
        /// Up.
        #[serde(rename = "+Y")]
        PositiveY = "+Y",
        /// Down.
        #[serde(rename = "-Y")]
        NegativeY = "-Y",
        /// To the front.
        #[serde(rename = "+Z")]
        PositiveZ = "+Z",
        /// To the back.
        #[serde(rename = "-Z")]
        NegativeZ = "-Z",
    }
}

impl Axis {
    /// Returns its unit vector.
    pub const fn vector(self) -> Vec3 {
        match self {
            Self::PositiveX => Vec3::X,
            Self::NegativeX => Vec3::NEG_X,
            Self::PositiveY => Vec3::Y,
            Self::NegativeY => Vec3::NEG_Y,
            Self::PositiveZ => Vec3::Z,
            Self::NegativeZ => Vec3::NEG_Z,
        }
    }

    /// Returns the axis nearest to a direction; `None` for one without length.
    pub fn nearest(direction: Vec3) -> Option<Self> {
        let direction = direction.try_normalize()?;
        let along = |axis: &Self| axis.vector().dot(direction);
        Self::ALL.into_iter().max_by(|a, b| along(a).total_cmp(&along(b)))
    }
}
