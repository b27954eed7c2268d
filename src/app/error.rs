//! Errors of the window.

use crate::render::GpuError;

/// Why there is no window, or none any more.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppError {
    /// No screen to open a window on.
    #[error("no display to open a window on ({0}); `rigview screenshot` needs none")]
    NoDisplay(String),
    /// The system refused a window.
    #[error("can't open a window: {0}")]
    Window(String),
    /// Nothing to draw with.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A step of the script failed; says which.
    #[error("{0}")]
    Script(String),
}

/// Returns a message of the system in one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
