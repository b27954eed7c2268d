//! The window: its contents, its events, its surface, and the script that drives it in tests.
//!
//! `shell` has the contents: session, panels and painter, without a window. `window` gives it the system's events
//! and performs its requests; [`Headless`] drives it in tests, without a window. Work that takes longer than a frame runs in `jobs`. Nothing is drawn while nothing
//! changes.

mod error;
mod headless;
mod jobs;
mod shell;
mod start;
mod window;
mod write;

pub use error::AppError;
#[doc(hidden)]
pub use headless::Headless;
pub use shell::settings::settings_path;
pub use start::{ScriptSource, Start};
pub use window::{hand_over, run};
