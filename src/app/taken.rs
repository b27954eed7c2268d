//! What is done with files that a person drops or chooses.

use winit::keyboard::ModifiersState;

/// What is done with files that a person drops or chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Taken {
    /// They are opened in place of the shown one.
    #[default]
    Opened,
    /// Their clips play on the shown model.
    ForClips,
    /// They are compared with the shown one.
    Beside,
}

impl Taken {
    /// Returns what is done with files that are dropped while these keys are held.
    pub fn with(held: ModifiersState) -> Self {
        match (held.control_key(), held.shift_key()) {
            (true, _) => Self::Beside,
            (false, true) => Self::ForClips,
            (false, false) => Self::Opened,
        }
    }
}
