//! Orders for workers and their answers, a line of JSON each.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::case::Case;
use super::results::CaseResult;

/// A case and what to do with its results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseOrder {
    /// The case.
    pub case: Case,
    /// The folder of the goldens.
    pub goldens: PathBuf,
    /// The report folder, if one is written.
    pub report: Option<PathBuf>,
    /// Whether to write goldens that are missing and to replace those that differ.
    pub bless: bool,
    /// The command that writes this case's goldens, for messages.
    pub bless_command: String,
    /// The case's `args` for a command line in the working folder.
    pub draw_args: Vec<String>,
}

/// The answer to an [`CaseOrder`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseAnswer {
    /// The result of the case.
    pub result: CaseResult,
    /// Goldens that were written, each with the reason.
    #[serde(default)]
    pub blessed: Vec<String>,
    /// Files of the report that could not be written, each with the reason.
    #[serde(default)]
    pub unwritten: Vec<String>,
    /// Why there is no usable GPU, in which case no picture can be drawn at all.
    #[serde(default)]
    pub no_gpu: Option<String>,
}
