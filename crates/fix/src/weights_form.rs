//! The forms in which mended weights are stored.

use rigview_document::{Component, ElementLayout};

/// How mended weights are stored, from the least exact form on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightsForm {
    /// As in the file.
    #[default]
    Stored,
    /// Bytes as 16-bit integers.
    Short,
    /// All integers as floats.
    Float,
}

impl WeightsForm {
    /// Returns the layout in which weights of another layout are stored.
    pub fn layout(self, stored: ElementLayout) -> ElementLayout {
        match (self, stored.component) {
            (Self::Short, Component::U8) => ElementLayout { component: Component::U16, ..stored },
            (Self::Float, Component::U8 | Component::U16) => {
                ElementLayout { component: Component::F32, normalized: false, ..stored }
            }
            _ => stored,
        }
    }
}
