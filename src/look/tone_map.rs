//! Tone maps.

use serde::{Deserialize, Serialize};

/// A mapping from linear light to linear colour of at most 1, both with sRGB primaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToneMap {
    /// Khronos PBR Neutral: keeps base colours and compresses highlights only.
    #[default]
    Neutral,
    /// ACES, as Stephen Hill's fit of the reference and output transforms.
    Aces,
    /// AgX, as Benjamin Wrensch's polynomial fit of its default look.
    AgX,
    /// Clamps.
    None,
}

impl ToneMap {
    /// All tone maps.
    pub const ALL: [ToneMap; 4] = [ToneMap::Neutral, ToneMap::Aces, ToneMap::AgX, ToneMap::None];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ToneMap::Neutral => "neutral",
            ToneMap::Aces => "aces",
            ToneMap::AgX => "agx",
            ToneMap::None => "none",
        }
    }

    /// Returns the tone map of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }
}
