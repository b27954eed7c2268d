//! Names of keys in scripts: `Space`, `Ctrl+O`, `Shift+Left`, `k`, `?`.

use egui::{Key, Modifiers};

/// Returns the key and modifiers of a name.
pub(super) fn key_of(name: &str) -> Option<(Key, Modifiers)> {
    let mut modifiers = Modifiers::NONE;
    let mut rest = name;
    while let Some((word, after)) = rest.split_once('+').filter(|(_, after)| !after.is_empty()) {
        match word.to_ascii_lowercase().as_str() {
            "ctrl" => {
                modifiers.ctrl = true;
                modifiers.command = true;
            }
            "shift" => modifiers.shift = true,
            "alt" => modifiers.alt = true,
            _ => return None,
        }
        rest = after;
    }
    let upper = rest.to_ascii_uppercase();
    let key = if rest.chars().count() == 1 { Key::from_name(&upper) } else { Key::from_name(rest) };
    Some((key?, modifiers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_contract_are_keys() {
        let ctrl = Modifiers::CTRL | Modifiers::COMMAND;
        for (name, key, modifiers) in [
            ("Space", Key::Space, Modifiers::NONE),
            ("Left", Key::ArrowLeft, Modifiers::NONE),
            ("Shift+Right", Key::ArrowRight, Modifiers::SHIFT),
            ("Ctrl+O", Key::O, ctrl),
            ("ctrl+o", Key::O, ctrl),
            ("F5", Key::F5, Modifiers::NONE),
            ("k", Key::K, Modifiers::NONE),
            ("[", Key::OpenBracket, Modifiers::NONE),
            ("]", Key::CloseBracket, Modifiers::NONE),
            ("?", Key::Questionmark, Modifiers::NONE),
            ("7", Key::Num7, Modifiers::NONE),
            ("Esc", Key::Escape, Modifiers::NONE),
            ("Home", Key::Home, Modifiers::NONE),
            ("+", Key::Plus, Modifiers::NONE),
        ] {
            assert_eq!(key_of(name), Some((key, modifiers)), "{name}");
        }
        for name in ["", "Spce", "Hyper+X", "Ctrl+"] {
            assert_eq!(key_of(name), None, "{name}");
        }
    }
}
