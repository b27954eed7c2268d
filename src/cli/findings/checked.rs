//! The result of checking one file, as the forms of output take it.

use serde::Serialize;

use rigview_check::Finding;

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
