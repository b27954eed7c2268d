//! The names of keys.

use egui::Key;

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
