//! The window: its events, its surface, dialogs, and the script that drives it in tests.
//!
//! Input arrives as events of the window, and becomes egui input or an [`Action`](crate::session::Action) of the
//! session. One function draws a frame. Nothing is drawn while nothing changes.

mod attributes;
mod comparer;
mod comparison;
mod controls;
mod desktop;
mod dialog;
mod drive;
mod driver;
mod engine;
mod error;
mod frame;
mod heat;
mod identity;
mod input;
mod key_name;
mod live;
mod opening;
mod pair;
mod panel_fills;
mod picks;
mod picture;
mod place;
mod pose_files;
mod pose_step;
mod recorder;
mod recording;
mod resident;
mod reuse;
mod run;
mod screen;
mod script;
mod settings;
mod shot;
mod start;
mod state;
mod stills;
mod stored;
#[cfg(target_os = "linux")]
mod system_theme;
mod taken;
mod wake;
mod watch;
mod window;

pub use error::AppError;
pub use reuse::hand_over;
pub use run::run;
pub use start::{ScriptSource, Start};
