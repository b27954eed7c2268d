//! Why a command fails, and its exit code.

use std::path::Path;

use super::input::is_standard_input;
use rigview_import::{ImportError, escaped};
use rigview_render::GpuError;

/// The exit codes and their meanings.
pub const EXIT_CODES: [(u8, &str); 6] = [
    (0, "Success."),
    (
        1,
        "The answer is no: pictures or models differ, a check found an error, a test failed, the rig shares no joint \
         with the clips, or a script failed.",
    ),
    (2, "Wrong usage, such as an unknown option, clip, camera or joint."),
    (3, "The file can't be loaded."),
    (4, "There is no usable GPU adapter or display, or the adapter failed."),
    (5, "The result can't be written, or an internal error."),
];

/// A command's failure.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The answer is no: a check found an error, a step of a script failed, or clips and rig share no joint.
    #[error("{0}")]
    No(String),
    /// The arguments are wrong, by themselves or for this file.
    #[error("{0}")]
    Usage(String),
    /// The file can't be loaded.
    #[error("{file}: {error}")]
    Load {
        /// The path as given, escaped for a terminal.
        file: String,
        /// The fault.
        error: ImportError,
    },
    /// There is no usable adapter or display, or the adapter failed.
    #[error("{0}")]
    Gpu(String),
    /// The result can't be written.
    #[error("{0}")]
    Output(String),
    /// Some of many pictures or files failed; the exit code is the highest of theirs.
    #[error("{text}")]
    Several {
        /// The exit code.
        code: u8,
        /// How many failed.
        text: String,
    },
    /// The reader closed the output. This ends the program without a message.
    #[error("the output was closed")]
    ClosedOutput,
}

impl Failure {
    /// Returns the failure for a file that can't be loaded.
    pub fn load(file: &Path, error: ImportError) -> Self {
        let file = match is_standard_input(file) {
            true => "standard input".into(),
            false => escaped(&file.to_string_lossy()),
        };
        Failure::Load { file, error }
    }

    /// Returns the exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::ClosedOutput => 0,
            Failure::No(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Load { .. } => 3,
            Failure::Gpu(_) => 4,
            Failure::Output(_) => 5,
            Failure::Several { code, .. } => *code,
        }
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::TooMuch(_) => Failure::Usage(error.to_string()),
            _ => Failure::Gpu(error.to_string()),
        }
    }
}

/// Returns a message about one of several things that a command works on, which begins with what it is called. Messages
/// about a file that can't be loaded begin with the name of the file already.
pub fn said_of(called: &str, file: &str, message: &str) -> String {
    let said = message.strip_prefix(file).and_then(|said| said.strip_prefix(": "));
    format!("{called}: {}", said.unwrap_or(message))
}
