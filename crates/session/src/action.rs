//! The changes of a session.

use std::path::PathBuf;

use super::{
    CameraAction, ComparedAction, CopyAction, DesktopAction, EngineAction, FileQuestion,
    HiddenAction, LoadAction, LookAction, MeasureAction, MendAction, NoticeKind, OpenWindowParts,
    PickAction, PlaybackAction, PoseAction, SelectionAction, TimelineAction, WindowPart,
};

/// One change of the session.
#[derive(Debug)]
pub enum Action {
    /// Seconds of real time have passed.
    Advance(f64),
    /// Changes what plays and how.
    Playback(PlaybackAction),
    /// Changes what is compared with the model, or how.
    Compared(ComparedAction),
    /// Changes what is selected.
    Selection(SelectionAction),
    /// Hides or shows nodes.
    Hidden(HiddenAction),
    /// Changes how an engine would store the model.
    Engine(EngineAction),
    /// Changes the pose by hand.
    Pose(PoseAction),
    /// Changes what is mended of the shown file.
    Mend(MendAction),
    /// Takes a step in writing a copy of the shown file.
    Copy(CopyAction),
    /// Finds what is at a place of the picture.
    Pick(PickAction),
    /// Changes what is measured.
    Measure(MeasureAction),
    /// Changes the time line.
    Timeline(TimelineAction),
    /// Frames the selected node in its present pose; the whole model if none is selected.
    FrameSelection,
    /// Changes the camera.
    ViewCamera(CameraAction),
    /// Changes what the picture shows.
    Look(LookAction),
    /// Takes a step in opening files.
    Load(LoadAction),
    /// Changes the window beside the model.
    Desktop(DesktopAction),
    /// Shows a message until it is dismissed.
    Notice(NoticeKind, String),
    /// Says that a file was written.
    Saved(PathBuf),
    /// Removes the failure and the notice.
    Dismiss,
    /// Closes the palette or the help panel, or else cancels loads, or else removes messages, or else ends measuring, or
    /// else selects nothing.
    Escape,
    /// Shows or hides all panels.
    TogglePanels,
    /// Opens or closes a part of the window.
    TogglePart(WindowPart),
    /// Opens these parts of the window and closes all others.
    OpenParts(OpenWindowParts),
    /// Shows or hides the help panel.
    ToggleHelp,
    /// Enters or leaves full screen.
    ToggleFullScreen,
    /// Closes the window.
    Quit,
    /// Asks for a file in a dialog.
    Ask(FileQuestion),
    /// Writes a picture of the view to a file.
    SavePicture {
        /// Without background and overlays.
        bare: bool,
    },
    /// Copies a picture of the view to the clipboard.
    CopyPicture,
}

/// Converts the actions of subjects.
macro_rules! from_subjects {
    ($($variant:ident($subject:ty),)*) => {
        $(impl From<$subject> for Action {
            fn from(action: $subject) -> Self {
                Action::$variant(action)
            }
        })*
    };
}

from_subjects! {
    Playback(PlaybackAction),
    Compared(ComparedAction),
    Selection(SelectionAction),
    Hidden(HiddenAction),
    Engine(EngineAction),
    Pose(PoseAction),
    Mend(MendAction),
    Copy(CopyAction),
    Pick(PickAction),
    Timeline(TimelineAction),
    ViewCamera(CameraAction),
    Look(LookAction),
    Desktop(DesktopAction),
    Load(LoadAction),
    Measure(MeasureAction),
}
