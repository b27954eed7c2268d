//! Tone maps.

use serde::{Deserialize, Serialize};

rigview_anim::named_enum! {
    /// A mapping from linear light to linear colour of at most 1, both with sRGB primaries.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ToneMap {
        /// Khronos PBR Neutral: keeps base colours and compresses highlights only.
        #[default]
        Neutral = "neutral",
        /// ACES, as Stephen Hill's fit of the reference and output transforms.
        Aces = "aces",
        /// AgX, as Benjamin Wrensch's polynomial fit of its default look.
        AgX = "agx",
        /// Clamps.
        None = "none",
    }
}
