//! Events of other threads for the event loop.

use std::path::PathBuf;

use egui_winit::accesskit_winit;
#[cfg(target_os = "linux")]
use winit::window::Theme;

use super::pose_step::PoseAnswer;
use super::taken::Taken;
use crate::report::SkinError;
use crate::session::{FileQuestion, LoadId};

/// An event of another thread.
#[derive(Debug)]
pub(super) enum Wake {
    /// A load or an upload has ended.
    Loaded,
    /// A file changed in a watched folder.
    Stirred,
    /// Another start of the program has handed these files over.
    HandedOver(Vec<PathBuf>),
    /// The file dialog was closed, with the chosen file if any, and what is done with it.
    Chosen(Option<PathBuf>, Taken),
    /// A screen reader asks for the accessibility tree, or to act on a control of it.
    AccessKit(accesskit_winit::WindowEvent),
    /// The error of what is shown was found, for this load.
    Measured(LoadId, Result<SkinError, String>),
    /// The dialog for a pose was closed.
    PoseChosen(PoseAnswer),
    /// No file dialog could be shown.
    NoDialog,
    /// The dialog for a file to write was closed, with the file if one was chosen.
    Answered(FileQuestion, Option<PathBuf>),
    /// The recording of this number has ended, with the reason if its file is not written.
    Recorded(u32, Result<(), String>),
    /// The desktop prefers this theme, or none.
    #[cfg(target_os = "linux")]
    SystemTheme(Option<Theme>),
    /// The device was lost, for this reason.
    DeviceLost(String),
    /// A line of the script; `None` after the last one, an error if reading fails.
    Line(Result<Option<String>, String>),
}

impl From<accesskit_winit::Event> for Wake {
    fn from(event: accesskit_winit::Event) -> Self {
        Wake::AccessKit(event.window_event)
    }
}
