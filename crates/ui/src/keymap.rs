//! The keys that a person chose instead of those of the table of shortcuts.

use std::collections::BTreeMap;
use std::sync::Arc;

use egui::{Context, Id, Key, Modifiers, Ui};

use super::key_name::HeldKeys;
use super::key_name::key_name;
use super::shortcuts::{GROUPS, Line, Shortcut};

/// A key with the modifiers that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chord {
    pub held: HeldKeys,
    pub key: Key,
}

/// A preset: its name, and titles of shortcuts with other keys than those of the table.
pub(super) type Preset = (&'static str, &'static [(&'static str, &'static str)]);

/// The presets. The table's own keys are those of Maya and Unity.
pub(super) const PRESETS: [Preset; 2] = [
    ("Maya, Unity", &[]),
    (
        "Blender",
        &[
            ("Move the selection", "G"),
            ("Rotate the selection", "R"),
            ("Scale the selection", "S"),
            ("Select, without a tool", "W"),
            ("Grid", "Shift+G"),
            ("View settings", "Shift+S"),
            ("Hide the selection", "H"),
            ("Keyboard and mouse", "F1"),
        ],
    ),
];

/// The chosen keys by the shortcuts' titles, as settings keep them. An empty text stands for no key.
pub(super) type Chosen = BTreeMap<String, String>;

/// The chosen keys. Where nothing was chosen, the table's apply, unless another shortcut has taken the key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Keymap {
    chosen: BTreeMap<String, Option<Chord>>,
}

impl Keymap {
    /// Returns the keys of settings. Texts that name no key are left out.
    pub fn new(chosen: &Chosen) -> Self {
        let read = |(title, text): (&String, &String)| {
            if text.is_empty() {
                Some((title.clone(), None))
            } else {
                Some((title.clone(), Some(read(text)?)))
            }
        };
        Self { chosen: chosen.iter().filter_map(read).collect() }
    }

    /// Makes the keys those of a frame's panels.
    pub fn follow(ctx: &Context, chosen: &Chosen) {
        ctx.data_mut(|data| data.insert_temp(id(), Arc::new(Self::new(chosen))));
    }

    /// The keys of a frame's panels.
    pub fn get(ctx: &Context) -> Arc<Self> {
        ctx.data(|data| data.get_temp(id())).unwrap_or_default()
    }

    /// Returns the key of a shortcut; `None` if it has none.
    pub fn key_of(&self, shortcut: &Shortcut) -> Option<Chord> {
        let own = Chord { held: shortcut.held, key: shortcut.key };
        if self.chosen.is_empty() {
            return Some(own);
        }
        // Only in the table has each shortcut its title.
        let listed = shortcuts().find(|(_, other)| is_same(other, shortcut));
        let title = listed.map(|(line, listed)| listed.title(line)).unwrap_or_default();
        match self.chosen.get(&title) {
            // Of several keys of one title, the first one is replaced and the others go.
            Some(chosen) => {
                let first = shortcuts().find(|(line, other)| other.title(line) == title);
                chosen.filter(|_| first.is_some_and(|(_, first)| is_same(first, shortcut)))
            }
            None => Some(own).filter(|own| !self.chosen.values().flatten().any(|c| c == own)),
        }
    }

    /// Returns the shortcut of a key; `repeat` means that it is held down.
    pub fn shortcut_of(&self, key: Key, modifiers: Modifiers, repeat: bool) -> Option<Shortcut> {
        let fits = |shortcut: &Shortcut| {
            let own = self.key_of(shortcut)?;
            (own.key == key && own.held.allows(modifiers)).then_some(own.held)
        };
        let fitting = shortcuts().filter_map(|(_, shortcut)| Some((fits(shortcut)?, *shortcut)));
        // Shift + I is more specific than I.
        let (_, best) = fitting.max_by_key(|(held, _)| match held {
            HeldKeys::CtrlShift => 2,
            HeldKeys::Shift => 1,
            _ => 0,
        })?;
        (!repeat || best.repeats()).then_some(best)
    }

    /// Returns the keys of a line and what the mouse does, as the help panel shows them: `Shift + Left, Right`.
    pub fn keys_of(&self, line: &Line) -> String {
        let mut text = line.mouse.to_owned();
        let mut before = HeldKeys::Any;
        for Chord { held, key } in
            line.shortcuts.iter().filter_map(|shortcut| self.key_of(shortcut))
        {
            let prefix = if held == before { "" } else { held.prefix() };
            let gap = if text.is_empty() { "" } else { ", " };
            text += &format!("{gap}{prefix}{}", key_name(key));
            before = held;
        }
        text
    }

    /// Returns the key of a shortcut with its modifiers: `Ctrl + O`; an empty text if it has none.
    pub fn name_of(&self, shortcut: &Shortcut) -> String {
        self.key_of(shortcut).map(name).unwrap_or_default()
    }
}

impl Shortcut {
    /// Returns a hover text that ends with the key: `One frame back (Left)`.
    pub fn hint(&self, ui: &Ui, text: &str) -> String {
        match self.key_name(ui) {
            key if key.is_empty() => text.to_owned(),
            key => format!("{text} ({key})"),
        }
    }

    /// Returns the chosen key with its modifier: `Ctrl + O`; an empty text if it has none.
    pub fn key_name(&self, ui: &Ui) -> String {
        Keymap::get(ui.ctx()).name_of(self)
    }

    /// Returns the table's key with its modifier.
    #[cfg(test)]
    pub fn name(&self) -> String {
        name(Chord { held: self.held, key: self.key })
    }
}

/// Returns the keys after a shortcut of a title was given a key. Another shortcut that was given it before has none.
pub(super) fn with(chosen: &Chosen, title: &str, key: Chord) -> Chosen {
    let mut chosen = chosen.clone();
    let text = written(key);
    chosen.values_mut().filter(|other| **other == text).for_each(String::clear);
    chosen.insert(title.to_owned(), text);
    chosen
}

/// Returns the keys of a preset as settings keep them.
pub(super) fn chosen_of(preset: &Preset) -> Chosen {
    preset.1.iter().map(|(title, key)| ((*title).to_owned(), (*key).to_owned())).collect()
}

/// The titles of all shortcuts, each once, with the first shortcut of each.
pub(super) fn titles() -> Vec<(String, &'static Shortcut)> {
    let mut all: Vec<(String, &Shortcut)> = Vec::new();
    for (line, shortcut) in shortcuts() {
        let title = shortcut.title(line);
        if all.iter().all(|(other, _)| *other != title) {
            all.push((title, shortcut));
        }
    }
    all
}

/// Returns the name of a key with its modifiers: `Ctrl + O`.
pub(super) fn name(chord: Chord) -> String {
    format!("{}{}", chord.held.prefix(), key_name(chord.key))
}

/// Returns the modifiers that a key needs which was pressed with these; `None` with Alt, which no shortcut needs.
pub(super) fn held_of(modifiers: Modifiers) -> Option<HeldKeys> {
    match (modifiers.alt, modifiers.command, modifiers.shift) {
        (true, ..) => None,
        (_, true, true) => Some(HeldKeys::CtrlShift),
        (_, true, false) => Some(HeldKeys::Ctrl),
        (_, false, true) => Some(HeldKeys::Shift),
        (_, false, false) => Some(HeldKeys::None),
    }
}

/// Writes a key as settings have it: `Ctrl+Shift+Z`.
fn written(chord: Chord) -> String {
    format!("{}{}", chord.held.prefix().replace(' ', ""), chord.key.name())
}

/// Reads a key of settings.
fn read(text: &str) -> Option<Chord> {
    let (held, rest) = [HeldKeys::CtrlShift, HeldKeys::Ctrl, HeldKeys::Shift]
        .into_iter()
        .find_map(|held| Some((held, text.strip_prefix(&held.prefix().replace(' ', ""))?)))
        .unwrap_or((HeldKeys::None, text));
    Some(Chord { held, key: Key::from_name(rest)? })
}

fn id() -> Id {
    Id::unique("keymap")
}

fn shortcuts() -> impl Iterator<Item = (&'static Line, &'static Shortcut)> {
    let lines = GROUPS.iter().flat_map(|group| group.lines);
    lines.flat_map(|line| line.shortcuts.iter().map(move |shortcut| (line, shortcut)))
}

fn is_same(a: &Shortcut, b: &Shortcut) -> bool {
    (a.held, a.key) == (b.held, b.key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shortcuts::{GRID, MOVE, ROTATE, SCALE, VIEW_SETTINGS};

    fn named(map: &Keymap, key: Key, modifiers: Modifiers) -> Option<String> {
        map.shortcut_of(key, modifiers, false).map(|shortcut| shortcut.name())
    }

    #[test]
    fn presets_name_shortcuts_and_keys_that_exist_and_no_key_has_two_actions() {
        for preset in &PRESETS {
            let all = titles();
            for (title, key) in preset.1 {
                assert!(all.iter().any(|(own, _)| own == title), "{title}");
                assert!(read(key).is_some_and(|read| written(read) == *key), "{key}");
            }
            let map = Keymap::new(&chosen_of(preset));
            let keys: Vec<Chord> = shortcuts().filter_map(|(_, s)| map.key_of(s)).collect();
            for (i, key) in keys.iter().enumerate() {
                assert!(!keys[i + 1..].contains(key), "{}: {}", preset.0, name(*key));
            }
        }
    }

    #[test]
    fn the_keys_of_blender_move_rotate_and_scale() {
        let map = Keymap::new(&chosen_of(&PRESETS[1]));
        for (shortcut, key) in [(MOVE, "G"), (ROTATE, "R"), (SCALE, "S")] {
            assert_eq!(map.name_of(&shortcut), key);
            let pressed = Key::from_name(key).unwrap();
            assert_eq!(named(&map, pressed, Modifiers::NONE), Some(shortcut.name()));
        }
        assert_eq!(map.name_of(&GRID), "Shift + G");
        assert_eq!(map.name_of(&VIEW_SETTINGS), "Shift + S");
        assert_eq!(named(&map, Key::E, Modifiers::NONE), None, "it rotates no longer");
    }

    #[test]
    fn a_key_that_is_given_to_another_shortcut_is_taken_from_the_first() {
        let chosen = with(&Chosen::new(), "Grid", Chord { held: HeldKeys::None, key: Key::W });
        let map = Keymap::new(&chosen);
        assert_eq!((map.name_of(&GRID), map.name_of(&MOVE)), ("W".into(), String::new()));
        let chosen = with(&chosen, "Axes", Chord { held: HeldKeys::None, key: Key::W });
        let map = Keymap::new(&chosen);
        assert_eq!(map.name_of(&GRID), "", "{chosen:?}");
        assert_eq!(map, Keymap::new(&chosen.clone()));
        // Unknown names are ignored.
        let odd = Chosen::from([("Grid".to_owned(), "Hyper+Q".to_owned())]);
        assert_eq!(Keymap::new(&odd).name_of(&GRID), "G");
    }
}
