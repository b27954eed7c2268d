//! Errors of the window.

use rigview_render::GpuError;

/// Reasons why the window can't open or had to close.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppError {
    /// There is no display.
    #[error("no display to open a window on ({0}); `rigview screenshot` needs none")]
    NoDisplay(String),
    /// The system refused a window.
    #[error("can't open a window: {0}")]
    Window(String),
    /// There is no usable adapter, or it failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A step of the script failed. The message has the line.
    #[error("{0}")]
    Script(String),
}
