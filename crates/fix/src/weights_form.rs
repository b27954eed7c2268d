//! The forms in which mended weights are stored.

use super::document::{ElementLayout, FLOAT};

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
            (Self::Short, BYTE) => ElementLayout { component: SHORT, ..stored },
            (Self::Float, BYTE | SHORT) => {
                ElementLayout { component: FLOAT, normalized: false, ..stored }
            }
            _ => stored,
        }
    }
}

/// The glTF component types of unsigned integers of 8 and 16 bits.
pub const BYTE: u64 = 5121;
pub const SHORT: u64 = 5123;
