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
    /// Closes the palette or the help panel, or else cancels loads, or else removes messages, or else selects nothing.
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

impl From<PlaybackAction> for Action {
    fn from(action: PlaybackAction) -> Self {
        Action::Playback(action)
    }
}

impl From<ComparedAction> for Action {
    fn from(action: ComparedAction) -> Self {
        Action::Compared(action)
    }
}

impl From<SelectionAction> for Action {
    fn from(action: SelectionAction) -> Self {
        Action::Selection(action)
    }
}

impl From<HiddenAction> for Action {
    fn from(action: HiddenAction) -> Self {
        Action::Hidden(action)
    }
}

impl From<EngineAction> for Action {
    fn from(action: EngineAction) -> Self {
        Action::Engine(action)
    }
}

impl From<PoseAction> for Action {
    fn from(action: PoseAction) -> Self {
        Action::Pose(action)
    }
}

impl From<MendAction> for Action {
    fn from(action: MendAction) -> Self {
        Action::Mend(action)
    }
}

impl From<CopyAction> for Action {
    fn from(action: CopyAction) -> Self {
        Action::Copy(action)
    }
}

impl From<PickAction> for Action {
    fn from(action: PickAction) -> Self {
        Action::Pick(action)
    }
}

impl From<TimelineAction> for Action {
    fn from(action: TimelineAction) -> Self {
        Action::Timeline(action)
    }
}

impl From<CameraAction> for Action {
    fn from(action: CameraAction) -> Self {
        Action::ViewCamera(action)
    }
}

impl From<LookAction> for Action {
    fn from(action: LookAction) -> Self {
        Action::Look(action)
    }
}

impl From<DesktopAction> for Action {
    fn from(action: DesktopAction) -> Self {
        Action::Desktop(action)
    }
}

impl From<LoadAction> for Action {
    fn from(action: LoadAction) -> Self {
        Action::Load(action)
    }
}

impl From<MeasureAction> for Action {
    fn from(action: MeasureAction) -> Self {
        Action::Measure(action)
    }
}
