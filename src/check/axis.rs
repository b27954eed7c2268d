//! The axes of a scene, as contracts name them.

use glam::Vec3;
use serde::Deserialize;

/// An axis of the scene and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Axis {
    /// To the right in glTF's convention.
    #[serde(rename = "+X")]
    PositiveX,
    /// To the left.
    #[serde(rename = "-X")]
    NegativeX,
    /// Up.
    #[serde(rename = "+Y")]
    PositiveY,
    /// Down.
    #[serde(rename = "-Y")]
    NegativeY,
    /// To the front.
    #[serde(rename = "+Z")]
    PositiveZ,
    /// To the back.
    #[serde(rename = "-Z")]
    NegativeZ,
}

impl Axis {
    /// Every axis.
    pub const ALL: [Self; 6] = [
        Self::PositiveX,
        Self::NegativeX,
        Self::PositiveY,
        Self::NegativeY,
        Self::PositiveZ,
        Self::NegativeZ,
    ];

    /// Returns its name in contracts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PositiveX => "+X",
            Self::NegativeX => "-X",
            Self::PositiveY => "+Y",
            Self::NegativeY => "-Y",
            Self::PositiveZ => "+Z",
            Self::NegativeZ => "-Z",
        }
    }

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
