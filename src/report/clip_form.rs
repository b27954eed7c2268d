//! The forms in which a clip can be stored.

use serde::{Deserialize, Serialize};

/// A form in which a clip can be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClipForm {
    /// As in the file.
    #[default]
    Source,
    /// Whole transforms at evenly spaced times, in single precision.
    Sampled,
    /// Like sampled, in half floats: 16 bytes per joint and frame.
    Packed,
    /// The file's keys, less those that can be left out within the error bound.
    Reduced,
}

impl ClipForm {
    /// All forms, in the order in which they are listed.
    pub const ALL: [ClipForm; 4] =
        [ClipForm::Source, ClipForm::Sampled, ClipForm::Packed, ClipForm::Reduced];

    /// Whether the form consists of samples at even times.
    pub fn is_sampled(self) -> bool {
        matches!(self, ClipForm::Sampled | ClipForm::Packed)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ClipForm::Source => "source",
            ClipForm::Sampled => "sampled",
            ClipForm::Packed => "packed",
            ClipForm::Reduced => "reduced",
        }
    }
}
