//! Requests of the session to `shell` and `capture`.

use super::{
    CheckRequest, ComparisonRequest, CopyRequest, DesktopEffect, FileQuestion, LoadId, LoadRequest,
    MendRequest, PickRequest, Search, Watch,
};
use rigview_report::ShownSkin;

/// A request of the session that `shell` or `capture` performs.
#[derive(Debug)]
pub enum Effect {
    /// Ask for a file in a dialog; answer with the action that the question is for.
    Ask(FileQuestion),
    /// Compare two models; answer with [`ComparedAction::Measured`](super::ComparedAction::Measured), unless it was
    /// cancelled.
    Compare(ComparisonRequest),
    /// Read a file, prepare and upload it if it is a model to be drawn; answer with
    /// [`LoadAction::Loaded`](super::LoadAction::Loaded), even if the upload fails or there is no device.
    Load(LoadRequest),
    /// Search for models; answer with [`LoadAction::Found`](super::LoadAction::Found).
    Find(Search),
    /// Watch these files from now on, and no others.
    Watch(Watch),
    /// Check clips; answer with [`TimelineAction::Checked`](super::TimelineAction::Checked).
    Check(CheckRequest),
    /// Find what the picture shows at a place; answer with [`PickAction::Take`](super::PickAction::Take), unless there
    /// is no picture.
    Pick(PickRequest),
    /// Find the error of what is shown, which takes longer than a frame; answer with
    /// [`EngineAction::Take`](super::EngineAction::Take).
    MeasureSkin(LoadId, Box<ShownSkin>),
    /// Make a mended copy; answer with [`MendAction::Take`](super::MendAction::Take).
    Mend(MendRequest),
    /// Write a copy; answer with [`CopyAction::Written`](super::CopyAction::Written).
    WriteCopy(CopyRequest),
    /// Write a picture of the view to a file; answer with [`Action::Saved`](super::Action::Saved), or
    /// [`Action::Notice`](super::Action::Notice) if it fails.
    SavePicture {
        /// Without background and overlays.
        bare: bool,
    },
    /// Copy a picture of the view to the clipboard; answer with
    /// [`Action::Notice`](super::Action::Notice).
    CopyPicture,
    /// Enter or leave full screen.
    ToggleFullScreen,
    /// Close the window.
    Quit,
    /// A request about the window beside the model.
    Desktop(DesktopEffect),
}
