//! The parts of the window beside the picture, and which of them are open.

use serde::{Deserialize, Serialize};

rigview_anim::named_enum! {
    /// A part of the window beside the picture.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum WindowPart {
        /// The tree of the scene's nodes.
        Scene = "scene",
        /// The file and its clips.
        Clips = "clips",
        /// How the model is drawn.
        View = "view",
        /// The selected part of the file.
        Inspector = "inspector",
        /// The clip's keys over time.
        TimeLine = "time-line",
        /// The curves of the selected node.
        Curves = "curves",
        /// The model that is compared with the first one.
        Compared = "compared",
    }
}

/// The open parts. At first the clips and the view are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenWindowParts([bool; WindowPart::ALL.len()]);

impl Default for OpenWindowParts {
    fn default() -> Self {
        let mut parts = Self([false; WindowPart::ALL.len()]);
        parts.set(WindowPart::Clips, true);
        parts.set(WindowPart::View, true);
        parts
    }
}

impl From<&[WindowPart]> for OpenWindowParts {
    /// These parts are open, and all others are closed.
    fn from(open: &[WindowPart]) -> Self {
        let mut parts = Self([false; WindowPart::ALL.len()]);
        open.iter().for_each(|part| parts.set(*part, true));
        parts
    }
}

impl OpenWindowParts {
    /// Whether a part is open.
    pub fn has(self, part: WindowPart) -> bool {
        self.0[part as usize]
    }

    /// Opens or closes a part.
    pub fn set(&mut self, part: WindowPart, open: bool) {
        self.0[part as usize] = open;
    }

    /// Returns the open parts.
    pub fn iter(self) -> impl Iterator<Item = WindowPart> {
        WindowPart::ALL.into_iter().filter(move |part| self.has(*part))
    }
}
