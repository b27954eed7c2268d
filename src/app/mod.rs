//! The window: its events, its surface, dialogs, and the script that drives it in tests.
//!
//! Everything a person does arrives as an event of the window, becomes egui input or an
//! [`Action`], and changes the session there. One function draws a frame;
//! nothing is drawn while nothing changes.

mod dialog;
mod drive;
mod frame;
mod key_name;
mod live;
mod picture;
mod resident;
mod screen;
mod script;
mod state;
mod watch;
mod window;

use std::io::Write;
use std::path::PathBuf;

use winit::event_loop::EventLoop;

use crate::render::{AdapterChoice, GpuError};
use crate::session::{Action, SessionOptions};

use window::App;

/// What to open a window with.
#[derive(Debug)]
pub struct Start {
    /// What it shows at first: a file, or what is found in these places.
    pub open: Action,
    /// How it shows that.
    pub session: SessionOptions,
    /// What it is drawn by.
    pub adapter: AdapterChoice,
    /// Points of its inside: the display's scale makes pixels of them.
    pub size: [u32; 2],
    /// Steps to drive it by.
    pub script: Option<ScriptSource>,
}

/// Where a script's lines come from. Those of standard input are read as they come, so another
/// program may write the next line when it has seen what the one before did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptSource {
    /// The text of a file.
    Text(String),
    /// Standard input.
    StandardInput,
}

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

/// What wakes the event loop from another thread.
#[derive(Debug)]
pub(crate) enum Wake {
    /// A load or an upload has ended.
    Loaded,
    /// Something happened in a folder that is watched.
    Stirred,
    /// The person chose a file, or none.
    Chosen(Option<PathBuf>),
    /// There was no dialog to choose in.
    NoDialog,
    /// The device is gone; says why.
    DeviceLost(String),
    /// A line of the script; none after the last, an error when they can't be read.
    Line(Result<Option<String>, String>),
}

/// Opens a window and runs until it is closed. What a script asks for as `-` goes to `answers`.
///
/// # Errors
/// When there is no display or adapter, or a script's step fails.
pub fn run(start: Start, answers: Box<dyn Write>) -> Result<(), AppError> {
    give_back_memory();
    let event_loop = EventLoop::<Wake>::with_user_event()
        .build()
        .map_err(|e| AppError::NoDisplay(reason(&e.to_string())))?;
    let mut app = App::new(start, answers, event_loop.create_proxy());
    event_loop.run_app(&mut app).map_err(|e| AppError::Window(one_line(&e.to_string())))?;
    app.result()
}

/// What winit says, without the place in its own source that it says first.
fn reason(text: &str) -> String {
    let line = one_line(text);
    let told = line.strip_prefix("os error at ").and_then(|rest| rest.split_once(": "));
    told.map_or(line.as_str(), |(_, why)| why).trim_end_matches('.').to_owned()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Has what is larger than a megabyte go back to the system as soon as it is let go of: glibc would
/// learn to keep blocks of up to 32 MiB, and in a window a model's old pictures would lie in such.
fn give_back_memory() {
    // SAFETY: it sets a number of the allocator.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}
