//! Tests of the table of shortcuts.

use egui::{Key, Modifiers};

use super::shortcuts::*;

#[test]
fn the_readme_has_the_same_table() {
    let readme = include_str!("../../README.md");
    let wanted: String = GROUPS
        .iter()
        .flat_map(|group| group.lines)
        .map(|line| format!("| {} | {} |\n", line.keys(), line.what))
        .collect();
    assert!(readme.contains(&wanted), "README.md, \"In the window\", should have:\n{wanted}");
}

#[test]
fn a_key_with_its_modifiers_has_one_action() {
    let lines = || GROUPS.iter().flat_map(|group| group.lines);
    let all: Vec<&Shortcut> = lines().flat_map(|line| line.shortcuts).collect();
    for (i, shortcut) in all.iter().enumerate() {
        let same = |other: &&&Shortcut| (other.key, other.held) == (shortcut.key, shortcut.held);
        assert_eq!(all[i + 1..].iter().find(same).map(|s| s.name()), None);
    }
}

#[test]
fn shift_is_ignored_unless_it_makes_another_shortcut_and_only_arrows_repeat() {
    let name = |key, modifiers, repeat| shortcut_of(key, modifiers, repeat).map(|s| s.name());
    assert_eq!(name(Key::K, Modifiers::SHIFT, false).as_deref(), Some("K"));
    assert_eq!(name(Key::I, Modifiers::SHIFT, false).as_deref(), Some("Shift + I"));
    assert_eq!(name(Key::O, Modifiers::COMMAND, false).as_deref(), Some("Ctrl + O"));
    assert_eq!(name(Key::ArrowLeft, Modifiers::NONE, true).as_deref(), Some("Left"));
    assert_eq!(name(Key::Space, Modifiers::NONE, true), None);
    assert_eq!(name(Key::G, Modifiers::COMMAND, false), None);
    assert_eq!(name(Key::CloseBracket, Modifiers::ALT, false).as_deref(), Some("]"));
}
