//! Which value of the scene a picture shows.

/// What a picture shows. All but `Shaded` are data: one sample a pixel, no light, no tone map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pass {
    /// The lit picture.
    #[default]
    Shaded,
    /// White where a triangle covers a pixel's centre, else black.
    Mask,
    /// The normal, from world space, as `n / 2 + 1/2`, facing the camera.
    Normal,
    /// The triangle's own normal, likewise.
    GeometricNormal,
    /// Linear: 0 at the camera's near plane, 1 at the far one; sixteen bits.
    Depth,
    /// The base colour, as sRGB.
    Albedo,
    /// The tangent, likewise, where the file or a normal map gives one.
    Tangent,
    /// How much of it is metal.
    Metallic,
    /// Its roughness.
    Roughness,
    /// How much light from around reaches it.
    Occlusion,
    /// Its own light, as sRGB.
    Emissive,
    /// How much it covers.
    Alpha,
    /// The first texture coordinates in red and green.
    Uv,
    /// How many joints move the vertex: black none, then from blue over green to red at 16.
    Influences,
    /// Fronts blue, backs red.
    Faces,
}

impl Pass {
    /// All of them, in the order in which a key steps through them.
    pub const ALL: [Pass; 15] = [
        Pass::Shaded,
        Pass::Albedo,
        Pass::Metallic,
        Pass::Roughness,
        Pass::Occlusion,
        Pass::Emissive,
        Pass::Alpha,
        Pass::Normal,
        Pass::GeometricNormal,
        Pass::Tangent,
        Pass::Uv,
        Pass::Influences,
        Pass::Faces,
        Pass::Depth,
        Pass::Mask,
    ];

    /// Its name on the command line.
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
            Pass::Influences => "influences",
            Pass::Faces => "faces",
        }
    }

    /// The pass of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// The one after it, round and round.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|p| *p == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// Whether it is the lit picture and not data.
    pub fn is_shaded(self) -> bool {
        self == Pass::Shaded
    }
}
