//! The forms in which a clip can be stored.

use serde::{Deserialize, Serialize};

rigview_anim::named_enum! {
    /// A form in which a clip can be stored.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ClipForm {
        /// As in the file.
        #[default]
        Source = "source",
        /// Whole transforms at evenly spaced times, in single precision.
        Sampled = "sampled",
        /// Like sampled, in half floats: 16 bytes per joint and frame.
        Packed = "packed",
        /// The file's keys, less those that can be left out within the error bound.
        Reduced = "reduced",
    }
}

impl ClipForm {
    /// Whether the form consists of samples at even times.
    pub fn is_sampled(self) -> bool {
        matches!(self, ClipForm::Sampled | ClipForm::Packed)
    }
}
