//! The value of the scene that a picture shows.

use serde::{Deserialize, Serialize};

rigview_anim::named_enum! {
    /// The value of the scene that a picture shows. All passes but `Shaded` and `Clay` are data, without
    /// lighting and tone mapping.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Pass {
        /// The lit picture.
        #[default]
        Shaded = "shaded",
        /// The base colour, as sRGB.
        Albedo = "albedo",
        /// The metallic factor.
        Metallic = "metallic",
        /// The perceptual roughness.
        Roughness = "roughness",
        /// The ambient occlusion: 1 is unoccluded.
        Occlusion = "occlusion",
        /// The share of its surroundings that a point can see, from the visible surfaces: 1 is open. Nothing
        /// else is in it, not even the material's occlusion.
        AmbientOcclusion = "ambient-occlusion",
        /// The emitted light, as sRGB.
        Emissive = "emissive",
        /// The alpha.
        Alpha = "alpha",
        /// The world-space normal facing the camera, as `n / 2 + 1/2`.
        Normal = "normal",
        /// The triangle's own normal, encoded like `Normal`.
        GeometricNormal = "geometric-normal",
        /// The tangent of the file or of the normal map's coordinates, encoded like `Normal`.
        Tangent = "tangent",
        /// The first texture coordinates in red and green, wrapped to 0..1.
        Uv = "uv",
        /// The first texture coordinates as a checkerboard of eight by eight squares per unit, tinted by their place.
        UvChecker = "uv-checker",
        /// The number of joints that influence the vertex: grey for none, then blue, green and red at 16.
        Influences = "influences",
        /// Front faces blue, back faces red.
        Faces = "faces",
        /// Linear depth in sixteen bits: 0 at the camera's near plane, 1 at the far one.
        Depth = "depth",
        /// White where a triangle covers the pixel's centre, black elsewhere.
        Mask = "mask",
        /// The lit shape in a uniform grey.
        Clay = "clay",
        /// The edges of all visible triangles.
        Wireframe = "wireframe",
        /// The number of faces over a pixel; brighter is more.
        Overdraw = "overdraw",
        /// The total weight of one joint: dark for none, then blue, green and red at 1.
        Weights = "weights",
        /// Deviation of a vertex's weight sum from 1: grey for none, red above, blue below.
        WeightSum = "weight-sum",
        /// The distance between the joints at rest and their bind pose, as the weighted mean of a vertex' joints: blue, green
        /// and red at the largest distance of the model, which is at least 1 mm; grey for rigid surfaces, and for skins
        /// without inverse bind matrices.
        RestToBind = "rest-to-bind",
    }
}

impl Pass {
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
