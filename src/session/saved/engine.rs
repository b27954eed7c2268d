//! How an engine would store the model, in a session file.

use serde::{Deserialize, Serialize};

use crate::model::SkinForm;

/// The limits of skins; `None` where they are as in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::session) struct SavedEngine {
    influences: Option<usize>,
    joints: Option<usize>,
    weight_bits: Option<u32>,
}

impl SavedEngine {
    pub fn of(form: SkinForm) -> Self {
        let file = SkinForm::default();
        Self {
            influences: (form.influences != file.influences).then_some(form.influences),
            joints: (form.joints != file.joints).then_some(form.joints),
            weight_bits: (form.weight_bits != file.weight_bits).then_some(form.weight_bits),
        }
    }

    /// Returns the form, with each limit in the range that the window offers.
    pub fn form(self) -> SkinForm {
        let file = SkinForm::default();
        SkinForm {
            influences: self.influences.map_or(file.influences, |most| most.clamp(1, 16)),
            joints: self.joints.map_or(file.joints, |most| most.max(1)),
            weight_bits: match self.weight_bits {
                Some(bits @ (8 | 16)) => bits,
                _ => file.weight_bits,
            },
        }
    }
}
