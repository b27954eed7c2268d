//! A file's lights: KHR_lights_punctual.

use serde::Serialize;

/// The kind of a light.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LightKind {
    /// Parallel light along the node's -Z.
    Directional,
    /// Light from the node's position in all directions.
    Point,
    /// A cone of light from the node's position along its -Z. Angles are measured from that axis in
    /// radians; 0 <= inner < outer.
    Spot {
        /// Angle up to which the intensity is full.
        #[serde(rename = "innerConeAngle")]
        inner: f32,
        /// Angle from which on the intensity is zero.
        #[serde(rename = "outerConeAngle")]
        outer: f32,
    },
}

impl LightKind {
    /// Returns the kind's name in glTF.
    pub fn name(self) -> &'static str {
        match self {
            LightKind::Directional => "directional",
            LightKind::Point => "point",
            LightKind::Spot { .. } => "spot",
        }
    }
}

/// A light; its node defines its position and direction. The node's scale has no effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// The light's name.
    pub name: Option<String>,
    /// The kind of light.
    pub kind: LightKind,
    /// Colour in linear RGB.
    pub color: [f32; 3],
    /// Lux for directional lights, candela for the others.
    pub intensity: f32,
    /// Distance in metres at which the light ends; `None` is unlimited.
    pub range: Option<f32>,
}
