//! Tests of the table of shortcuts.

use egui::{Key, Modifiers};

use super::keymap::Keymap;
use super::shortcuts::*;
use super::tests::{Window, actions, apply, click, control, press, window_of_size};
use rigview_session::Action;
use rigview_session::sample::session;

#[test]
fn the_book_has_the_same_table() {
    let page = include_str!("../../../docs/keys.md");
    let wanted: String = GROUPS
        .iter()
        .flat_map(|group| group.lines)
        .map(|line| format!("| {} | {} |\n", Keymap::default().keys_of(line), line.what))
        .collect();
    assert!(page.contains(&wanted), "docs/keys.md should have:\n{wanted}");
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
fn keys_are_chosen_by_a_preset_or_one_by_one() {
    let mut window = window_of_size(session(), egui::vec2(1200.0, 2600.0));
    apply(&mut window, Action::ToggleHelp);
    click(&mut window, "Keys");
    let set = actions_of(&mut window, "Blender");
    apply_all(&mut window, set);
    assert_eq!(press(&mut window, Key::R, Modifiers::NONE), ["Pose(SetTool(Rotate))"]);
    assert_eq!(press(&mut window, Key::G, Modifiers::SHIFT), ["ToggleGrid"]);
    click(&mut window, "Choose keys");
    click(&mut window, "Key of: Axes");
    window.key_press(Key::R);
    let set = actions(&mut window);
    apply_all(&mut window, set);
    assert_eq!(press(&mut window, Key::R, Modifiers::NONE), ["ToggleAxes"]);
    assert_eq!(press(&mut window, Key::X, Modifiers::NONE), [""; 0]);
    // Escape leaves the key, and the next one has its action again.
    click(&mut window, "Key of: Grid");
    assert_eq!(press(&mut window, Key::Escape, Modifiers::NONE), [""; 0]);
    assert_eq!(press(&mut window, Key::G, Modifiers::SHIFT), ["ToggleGrid"]);
    apply(&mut window, Action::ToggleHelp);
    assert_eq!(press(&mut window, Key::G, Modifiers::NONE), ["Pose(SetTool(Move))"]);
}

fn actions_of(window: &mut Window, name: &str) -> Vec<Action> {
    control(window, name).click();
    actions(window)
}

fn apply_all(window: &mut Window, all: Vec<Action>) {
    all.into_iter().for_each(|action| apply(window, action));
}

#[test]
fn shift_is_ignored_unless_it_makes_another_shortcut_and_only_arrows_repeat() {
    let map = Keymap::default();
    let name = |key, modifiers, repeat| map.shortcut_of(key, modifiers, repeat).map(|s| s.name());
    assert_eq!(name(Key::K, Modifiers::SHIFT, false).as_deref(), Some("K"));
    assert_eq!(name(Key::I, Modifiers::SHIFT, false).as_deref(), Some("Shift + I"));
    assert_eq!(name(Key::O, Modifiers::COMMAND, false).as_deref(), Some("Ctrl + O"));
    assert_eq!(name(Key::ArrowLeft, Modifiers::NONE, true).as_deref(), Some("Left"));
    assert_eq!(name(Key::Space, Modifiers::NONE, true), None);
    assert_eq!(name(Key::G, Modifiers::COMMAND, false), None);
    assert_eq!(name(Key::CloseBracket, Modifiers::ALT, false).as_deref(), Some("]"));
}
