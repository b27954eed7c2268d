//! From the scene's light to what a screen can show.

/// A tone map. All take linear light of the sRGB primaries and give as much, at most 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ToneMap {
    /// Khronos PBR Neutral: base colours come through as they are, only what is bright rolls off.
    #[default]
    Neutral,
    /// The fit of ACES' reference and output transforms by Stephen Hill.
    Aces,
    /// AgX, in the polynomial fit of its default look by Benjamin Wrensch.
    AgX,
    /// Clamped.
    None,
}

impl ToneMap {
    /// All of them.
    pub const ALL: [ToneMap; 4] = [ToneMap::Neutral, ToneMap::Aces, ToneMap::AgX, ToneMap::None];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ToneMap::Neutral => "neutral",
            ToneMap::Aces => "aces",
            ToneMap::AgX => "agx",
            ToneMap::None => "none",
        }
    }

    /// The tone map of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }
}
