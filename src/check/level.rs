//! The level of a finding.

use serde::{Deserialize, Serialize};

use crate::import::{Severity, WarningCode};

/// The format whose rules the import's codes are about.
pub const GLTF: &str = "glTF 2.0";

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

    /// Returns the level of a warning of the import in a file of a format ([`Source::format`]). What rigview
    /// merely does not show is no defect of the file, and what breaks a rule of glTF 2.0 is no error in a
    /// file of another format.
    ///
    /// [`Source::format`]: crate::model::Source::format
    pub fn of_import(code: WarningCode, format: &str) -> Self {
        match code.severity() {
            Severity::Hint | Severity::Limit => Level::Note,
            Severity::Error if format == GLTF => Level::Error,
            Severity::Warning | Severity::Error => Level::Warning,
        }
    }
}
