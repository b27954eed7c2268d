//! Keys: their names, and the modifiers of shortcuts.

use egui::{Key, Modifiers};

/// The name that is printed on the key.
pub(super) fn key_name(key: Key) -> &'static str {
    match key {
        Key::Questionmark => "?",
        Key::OpenBracket => "[",
        Key::CloseBracket => "]",
        Key::ArrowLeft => "Left",
        Key::ArrowRight => "Right",
        Key::ArrowUp => "Up",
        Key::ArrowDown => "Down",
        Key::Escape => "Esc",
        other => other.name(),
    }
}

/// The modifiers that a shortcut needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeldKeys {
    /// Neither Ctrl nor Alt. Shift only matters if another shortcut of the key needs it.
    None,
    Shift,
    Ctrl,
    CtrlShift,
    /// Any modifiers: the character needs Shift, Alt or AltGr on many keyboards.
    Any,
}

impl HeldKeys {
    /// Returns what precedes the key: `Ctrl + `.
    pub fn prefix(self) -> &'static str {
        match self {
            HeldKeys::None | HeldKeys::Any => "",
            HeldKeys::Shift => "Shift + ",
            HeldKeys::Ctrl => "Ctrl + ",
            HeldKeys::CtrlShift => "Ctrl + Shift + ",
        }
    }

    /// Whether a key that was pressed with these modifiers can be the shortcut.
    pub fn allows(self, modifiers: Modifiers) -> bool {
        match self {
            HeldKeys::Any => true,
            HeldKeys::Ctrl => modifiers.command,
            HeldKeys::CtrlShift => modifiers.command && modifiers.shift,
            HeldKeys::Shift => modifiers.shift && !modifiers.command && !modifiers.alt,
            HeldKeys::None => !modifiers.command && !modifiers.alt,
        }
    }
}
