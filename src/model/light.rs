//! A file's lights: KHR_lights_punctual.

/// How a light shines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// From everywhere the same way, along the node's -Z.
    Directional,
    /// From the node's place to all sides.
    Point,
    /// From the node's place along its -Z; angles from that axis in radians, 0 <= inner < outer.
    Spot {
        /// Up to here it has its whole intensity.
        inner: f32,
        /// From here on it has none.
        outer: f32,
    },
}

impl LightKind {
    /// Its name in glTF.
    pub fn name(self) -> &'static str {
        match self {
            LightKind::Directional => "directional",
            LightKind::Point => "point",
            LightKind::Spot { .. } => "spot",
        }
    }
}

/// A light; the node that has it says where it is and which way it shines. The node's scale counts
/// for nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// The file's name for it.
    pub name: Option<String>,
    /// How it shines.
    pub kind: LightKind,
    /// Linear RGB.
    pub color: [f32; 3],
    /// Lux for directional lights, candela for the others.
    pub intensity: f32,
    /// Metres after which it gives nothing; none is infinitely far.
    pub range: Option<f32>,
}
