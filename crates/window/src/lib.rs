//! The native half of the window: the system's events, its surface, files and threads.
//!
//! `rigview-shell` has the contents: session, panels and painter, without a window. `window` gives it the system's events
//! and performs its requests; [`Headless`] drives it in tests, without a window. `workers` runs its jobs on threads. Nothing
//! is drawn while nothing changes.

mod headless;
mod settings_path;
mod window;
mod workers;

#[doc(hidden)]
pub use headless::Headless;
pub use rigview_shell::{AppError, ScriptSource, Start};
pub use settings_path::settings_path;
pub use window::{hand_over, run};
