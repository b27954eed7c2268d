//! The parts of the window beside the picture, and which of them are open.

use serde::{Deserialize, Serialize};

/// A part of the window beside the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The tree of the scene's nodes.
    Scene,
    /// The file and its clips.
    Clips,
    /// How the model is drawn.
    View,
    /// The selected part of the file.
    Inspector,
    /// The clip's keys over time.
    TimeLine,
    /// The curves of the selected node.
    Curves,
    /// The model that is compared with the first one.
    Compared,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 7] = [
        Part::Scene,
        Part::Clips,
        Part::View,
        Part::Inspector,
        Part::TimeLine,
        Part::Curves,
        Part::Compared,
    ];

    /// Returns the part's name in states and settings.
    pub fn name(self) -> &'static str {
        match self {
            Part::Scene => "scene",
            Part::Clips => "clips",
            Part::View => "view",
            Part::Inspector => "inspector",
            Part::TimeLine => "time-line",
            Part::Curves => "curves",
            Part::Compared => "compared",
        }
    }
}

/// The open parts. At first the clips and the view are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts([bool; Part::ALL.len()]);

impl Default for Parts {
    fn default() -> Self {
        let mut parts = Self([false; Part::ALL.len()]);
        parts.set(Part::Clips, true);
        parts.set(Part::View, true);
        parts
    }
}

impl From<&[Part]> for Parts {
    /// These parts are open, and all others are closed.
    fn from(open: &[Part]) -> Self {
        let mut parts = Self([false; Part::ALL.len()]);
        open.iter().for_each(|part| parts.set(*part, true));
        parts
    }
}

impl Parts {
    /// Whether a part is open.
    pub fn has(self, part: Part) -> bool {
        self.0[part as usize]
    }

    /// Opens or closes a part.
    pub fn set(&mut self, part: Part, open: bool) {
        self.0[part as usize] = open;
    }

    /// Returns the open parts.
    pub fn iter(self) -> impl Iterator<Item = Part> {
        Part::ALL.into_iter().filter(move |part| self.has(*part))
    }
}
