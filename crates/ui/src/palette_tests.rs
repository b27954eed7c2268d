//! Tests of the command palette.

use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::tests::{
    Window, actions, apply, click, control, did, press, said, window, window_of_size,
};
use rigview_session::sample::session;
use rigview_session::{Action, DesktopAction, NoticeKind};

/// Returns a window with the palette open.
fn open() -> Window {
    let mut window = window(session());
    assert_eq!(press(&mut window, Key::P, Modifiers::COMMAND), ["Desktop(TogglePalette)"]);
    apply(&mut window, DesktopAction::TogglePalette);
    did(&mut window);
    window
}

fn write(window: &mut Window, text: &str) {
    window.input_mut().events.push(egui::Event::Text(text.into()));
    assert_eq!(did(window), [""; 0], "letters are no shortcuts now");
}

#[test]
fn what_is_typed_finds_a_command_and_enter_runs_it() {
    let mut window = open();
    write(&mut window, "clip walk");
    let run = press(&mut window, Key::Enter, Modifiers::NONE);
    assert_eq!(run, ["Desktop(TogglePalette)", "SelectClip(Some(0))"]);
}

#[test]
fn nodes_and_engine_limits_are_found() {
    let mut window = open();
    write(&mut window, "node 1");
    let run = press(&mut window, Key::Enter, Modifiers::NONE);
    assert_eq!(run[1], "Selection(Select(Some(Node(1))))");
    let mut window = open();
    write(&mut window, "engine 4 infl");
    let run = press(&mut window, Key::Enter, Modifiers::NONE);
    assert!(run[1].contains("influences: 4"), "{run:?}");
}

#[test]
fn arrows_choose_another_row_and_a_click_runs_one() {
    let mut window = open();
    write(&mut window, "keyframe");
    assert_eq!(press(&mut window, Key::ArrowDown, Modifiers::NONE), [""; 0]);
    let run = press(&mut window, Key::Enter, Modifiers::NONE);
    assert_eq!(run, ["Desktop(TogglePalette)", "StepKeys(1)"]);
    let mut window = open();
    write(&mut window, "grid");
    assert_eq!(click(&mut window, "Run: Grid")[..], ["Desktop(TogglePalette)", "ToggleGrid"]);
}

#[test]
fn a_message_is_beside_the_palette() {
    for size in [vec2(640.0, 400.0), vec2(1280.0, 720.0), vec2(1920.0, 1080.0)] {
        let mut window = window_of_size(session(), size);
        apply(&mut window, DesktopAction::TogglePalette);
        let text = "The pose has 3 nodes that this file does not have: Hips, Spine and Head";
        apply(&mut window, Action::Notice(NoticeKind::Warning, text.into()));
        let label = window.get_by(|node| {
            node.role() == Role::Label && node.value().or(node.label()).as_deref() == Some(text)
        });
        let message = label.rect();
        let rows = window.root().children_recursive().filter(|node| {
            let name = node.accesskit_node().label().unwrap_or_default();
            name.starts_with("Run: ") || name == "Find a command"
        });
        let rows: Vec<_> = rows.map(|row| row.rect()).collect();
        assert!(rows.len() >= 4, "{size}: {rows:?}");
        for row in rows {
            assert!(!row.intersects(message), "{size}: {row} {message}");
        }
    }
}

#[test]
fn escape_and_its_own_key_close_it_and_nothing_else() {
    for (key, modifiers) in [(Key::Escape, Modifiers::NONE), (Key::P, Modifiers::COMMAND)] {
        let mut window = open();
        assert_eq!(press(&mut window, key, modifiers), ["Desktop(TogglePalette)"]);
        apply(&mut window, DesktopAction::TogglePalette);
        assert!(window.query_by_label("Find a command").is_none());
        assert_eq!(press(&mut window, Key::K, Modifiers::NONE), ["ToggleSkeleton"]);
    }
}

#[test]
fn each_row_says_its_keys() {
    let mut window = open();
    write(&mut window, "next clip");
    let value = control(&window, "Run: Next clip").accesskit_node().value();
    assert_eq!(value.as_deref(), Some("]"));
    assert!(said(&actions(&mut window)).is_empty());
}

#[test]
fn what_is_typed_right_after_the_key_that_opens_it_is_text() {
    let mut window = window(session());
    let pressed = |key, modifiers| egui::Event::Key {
        key,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers,
    };
    let typed =
        |letter: &str, key| [pressed(key, Modifiers::NONE), egui::Event::Text(letter.to_owned())];
    // On a slow machine, one frame has the key and what is typed after it; the next one still has no field.
    window.input_mut().events.push(pressed(Key::P, Modifiers::COMMAND));
    window.input_mut().events.extend(typed("k", Key::K));
    window.step();
    window.state_mut().session.apply(DesktopAction::TogglePalette);
    window.input_mut().events.extend(typed("g", Key::G));
    window.step();
    window.input_mut().events.extend(typed("x", Key::X));
    assert_eq!(did(&mut window), ["Desktop(TogglePalette)"], "no letter is a shortcut");
    assert_eq!(control(&window, "Find a command").value().as_deref(), Some("kgx"));
}
