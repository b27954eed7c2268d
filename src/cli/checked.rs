//! The result of checking one file, as the forms of output take it.

use serde::Serialize;

use crate::check::{Finding, Level};
use crate::import::{Severity, WarningCode};

/// The remedy of all warnings of the import.
pub const IMPORT_REMEDY: &str = "Correct the place that the finding names in the program that wrote the file, \
and export again. Other programs may refuse the file or show it differently.";

/// The result of one file.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// The path as given.
    pub file: String,
    /// Its findings; empty if it can't be loaded.
    pub findings: Vec<Finding>,
    /// Why it can't be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Returns the level of a warning of the import. What this program merely does not show is no defect of the file, and
/// what breaks a rule of glTF 2.0 is no error in a file of another format.
pub fn level_of(code: WarningCode, format: &str) -> Level {
    match code.severity() {
        Severity::Hint | Severity::Limit => Level::Note,
        Severity::Error if format == GLTF => Level::Error,
        Severity::Warning | Severity::Error => Level::Warning,
    }
}

/// The format whose rules the import's codes are about.
pub const GLTF: &str = "glTF 2.0";
