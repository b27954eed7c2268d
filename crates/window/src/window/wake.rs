//! Events of other threads for the event loop.

use egui_winit::accesskit_winit;
#[cfg(target_os = "linux")]
use winit::window::Theme;

#[cfg(target_os = "linux")]
use super::lost_drops::LostDrop;
use rigview_session::FileQuestion;
use rigview_shell::DialogAnswer;

/// An event of another thread.
#[derive(Debug)]
pub(crate) enum Wake {
    /// A job has a result.
    JobReported,
    /// A file changed in a watched folder.
    FolderChanged,
    /// The dialog for a file was closed.
    DialogAnswer(FileQuestion, DialogAnswer),
    /// A screen reader asks for the accessibility tree, or to act on a control of it.
    AccessKit(accesskit_winit::WindowEvent),
    /// The desktop prefers this theme, or none.
    #[cfg(target_os = "linux")]
    SystemTheme(Option<Theme>),
    /// A dragged file can't be opened.
    #[cfg(target_os = "linux")]
    DropLost(LostDrop),
    /// The device was lost, for this reason.
    DeviceLost(String),
}

impl From<accesskit_winit::Event> for Wake {
    fn from(event: accesskit_winit::Event) -> Self {
        Wake::AccessKit(event.window_event)
    }
}
