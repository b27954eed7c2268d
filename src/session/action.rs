//! The changes of a session.

use super::{ExhibitAction, LoadAction, LookAction, NoticeKind, SightAction};

/// One change of the session.
#[derive(Debug)]
pub enum Action {
    /// Seconds of real time have passed.
    Advance(f64),
    /// What plays and how.
    Exhibit(ExhibitAction),
    /// The camera.
    Sight(SightAction),
    /// What the picture shows.
    Look(LookAction),
    /// Opening files.
    Load(LoadAction),
    /// A message for the person, shown until dismissed.
    Notice(NoticeKind, String),
    /// Removes the failure or notice.
    Dismiss,
    /// Closes the topmost thing over the picture, or gives up a load.
    Escape,
    /// Shows or hides all panels.
    TogglePanels,
    /// Shows or hides the table of keys.
    ToggleHelp,
    /// Enters or leaves full screen.
    ToggleFullScreen,
    /// Asks for a file to open.
    AskForFile,
    /// Asks for the picture of an environment to light the scene by.
    AskForEnvironment,
    /// Writes a picture of the view to a file.
    SavePicture {
        /// Without background and overlays.
        bare: bool,
    },
    /// Copies a picture of the view to the clipboard.
    CopyPicture,
}

impl From<ExhibitAction> for Action {
    fn from(action: ExhibitAction) -> Self {
        Action::Exhibit(action)
    }
}

impl From<SightAction> for Action {
    fn from(action: SightAction) -> Self {
        Action::Sight(action)
    }
}

impl From<LookAction> for Action {
    fn from(action: LookAction) -> Self {
        Action::Look(action)
    }
}

impl From<LoadAction> for Action {
    fn from(action: LoadAction) -> Self {
        Action::Load(action)
    }
}
