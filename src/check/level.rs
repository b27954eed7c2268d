//! The level of a finding.

use serde::{Deserialize, Serialize};

/// How much a finding matters. Only errors make the check fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Probably a defect.
    Warning,
    /// Breaks the contract.
    Error,
}

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Error, Self::Warning, Self::Note];
        let level = all.into_iter().find(|level| level.as_str() == text);
        level.ok_or_else(|| "expected error, warning or note".to_owned())
    }
}

impl Level {
    /// Returns the level in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}
