//! The value of the scene that a picture shows.

use serde::{Deserialize, Serialize};

/// The value of the scene that a picture shows. All passes but `Shaded` and `Clay` are data, without
/// lighting and tone mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pass {
    /// The lit picture.
    #[default]
    Shaded,
    /// White where a triangle covers the pixel's centre, black elsewhere.
    Mask,
    /// The world-space normal facing the camera, as `n / 2 + 1/2`.
    Normal,
    /// The triangle's own normal, encoded like `Normal`.
    GeometricNormal,
    /// Linear depth in sixteen bits: 0 at the camera's near plane, 1 at the far one.
    Depth,
    /// The base colour, as sRGB.
    Albedo,
    /// The tangent of the file or of the normal map's coordinates, encoded like `Normal`.
    Tangent,
    /// The metallic factor.
    Metallic,
    /// The perceptual roughness.
    Roughness,
    /// The ambient occlusion: 1 is unoccluded.
    Occlusion,
    /// The emitted light, as sRGB.
    Emissive,
    /// The alpha.
    Alpha,
    /// The first texture coordinates in red and green, wrapped to 0..1.
    Uv,
    /// The first texture coordinates as a checkerboard of eight by eight squares per unit, tinted by their place.
    UvChecker,
    /// The number of joints that influence the vertex: grey for none, then blue, green and red at 16.
    Influences,
    /// Front faces blue, back faces red.
    Faces,
    /// The lit shape in a uniform grey.
    Clay,
    /// The edges of all visible triangles.
    Wireframe,
    /// The number of faces over a pixel; brighter is more.
    Overdraw,
    /// The total weight of one joint: dark for none, then blue, green and red at 1.
    Weights,
    /// Deviation of a vertex's weight sum from 1: grey for none, red above, blue below.
    WeightSum,
    /// The distance between the joints at rest and their bind pose, as the weighted mean of a vertex' joints: blue, green
    /// and red at the largest distance of the model, which is at least 1 mm; grey for rigid surfaces, and for skins
    /// without inverse bind matrices.
    RestToBind,
    /// The share of its surroundings that a point can see, from the visible surfaces: 1 is open. Nothing
    /// else is in it, not even the material's occlusion.
    AmbientOcclusion,
}

impl Pass {
    /// All passes, in the order in which a key cycles through them.
    pub const ALL: [Pass; 23] = [
        Pass::Shaded,
        Pass::Albedo,
        Pass::Metallic,
        Pass::Roughness,
        Pass::Occlusion,
        Pass::AmbientOcclusion,
        Pass::Emissive,
        Pass::Alpha,
        Pass::Normal,
        Pass::GeometricNormal,
        Pass::Tangent,
        Pass::Uv,
        Pass::UvChecker,
        Pass::Influences,
        Pass::Faces,
        Pass::Depth,
        Pass::Mask,
        Pass::Clay,
        Pass::Wireframe,
        Pass::Overdraw,
        Pass::Weights,
        Pass::WeightSum,
        Pass::RestToBind,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Shaded => "shaded",
            Pass::Mask => "mask",
            Pass::Normal => "normal",
            Pass::GeometricNormal => "geometric-normal",
            Pass::Depth => "depth",
            Pass::Albedo => "albedo",
            Pass::Tangent => "tangent",
            Pass::Metallic => "metallic",
            Pass::Roughness => "roughness",
            Pass::Occlusion => "occlusion",
            Pass::Emissive => "emissive",
            Pass::Alpha => "alpha",
            Pass::Uv => "uv",
            Pass::UvChecker => "uv-checker",
            Pass::Influences => "influences",
            Pass::Faces => "faces",
            Pass::Clay => "clay",
            Pass::Wireframe => "wireframe",
            Pass::Overdraw => "overdraw",
            Pass::Weights => "weights",
            Pass::WeightSum => "weight-sum",
            Pass::RestToBind => "rest-to-bind",
            Pass::AmbientOcclusion => "ambient-occlusion",
        }
    }

    /// Returns the pass of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Returns the next pass, cycling at the end.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|p| *p == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// Whether the pass is lit and tone-mapped.
    pub fn is_shaded(self) -> bool {
        matches!(self, Pass::Shaded | Pass::Clay)
    }

    /// Whether the pass is antialiased. Passes whose pixels are read as data are not.
    pub fn is_smooth(self) -> bool {
        self.is_shaded() || self == Pass::Wireframe
    }

    /// Whether the pass shows transparency.
    pub fn blends(self) -> bool {
        self == Pass::Shaded
    }
}
