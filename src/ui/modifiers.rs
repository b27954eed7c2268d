//! The modifiers of shortcuts.

use egui::Modifiers;

/// The modifiers that a shortcut needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Neither Ctrl nor Alt. Shift only matters if another shortcut of the key needs it.
    None,
    Shift,
    Ctrl,
    CtrlShift,
    /// Any modifiers: the character needs Shift, Alt or AltGr on many keyboards.
    Any,
}

impl Held {
    /// Returns what precedes the key: `Ctrl + `.
    pub fn prefix(self) -> &'static str {
        match self {
            Held::None | Held::Any => "",
            Held::Shift => "Shift + ",
            Held::Ctrl => "Ctrl + ",
            Held::CtrlShift => "Ctrl + Shift + ",
        }
    }

    /// Whether a key that was pressed with these modifiers can be the shortcut.
    pub fn allows(self, modifiers: Modifiers) -> bool {
        match self {
            Held::Any => true,
            Held::Ctrl => modifiers.command,
            Held::CtrlShift => modifiers.command && modifiers.shift,
            Held::Shift => modifiers.shift && !modifiers.command && !modifiers.alt,
            Held::None => !modifiers.command && !modifiers.alt,
        }
    }
}
