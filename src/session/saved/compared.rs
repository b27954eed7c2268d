//! The file beside, in a session file.

use serde::{Deserialize, Serialize};

use crate::session::{Compared, Together};

/// The second file and how both are shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct SavedCompared {
    pub file: String,
    /// By its name.
    together: String,
    wipe: f64,
}

impl SavedCompared {
    pub fn of(file: String, compared: &Compared) -> Self {
        let together = compared.together().name().to_owned();
        Self { file, together, wipe: compared.wipe() }
    }

    /// The line's place as a share of the picture's width.
    pub fn wipe(&self) -> f64 {
        if self.wipe.is_finite() { self.wipe.clamp(0.0, 1.0) } else { 0.5 }
    }

    /// How both are shown; side by side if the name is not known.
    pub fn together(&self) -> Together {
        let known = Together::ALL.into_iter().find(|way| way.name() == self.together);
        known.unwrap_or_default()
    }
}
