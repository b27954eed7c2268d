//! Tests of menus, lists and neighbours by keyboard alone.

use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::tests::{Window, apply, click, did, press, window, window_of_size};
use rigview_session::Action;
use rigview_session::sample::session;

/// Returns the name of the control that has the focus.
fn focused(window: &Window) -> Option<String> {
    let nodes = window.root().children_recursive().map(|node| node.accesskit_node());
    let node = nodes.into_iter().find(|node| node.is_focused())?;
    Some(node.label().or(node.value()).unwrap_or_default())
}

fn key(window: &mut Window, key: Key) -> Vec<String> {
    press(window, key, Modifiers::NONE)
}

/// Presses Tab until the control of this name has the focus.
#[track_caller]
fn tab_to(window: &mut Window, name: &str) {
    let reached = (0..200).any(|_| {
        key(window, Key::Tab);
        focused(window).as_deref() == Some(name)
    });
    assert!(reached, "Tab does not reach {name}");
}

#[test]
fn a_list_that_a_key_opens_is_walked_chosen_from_and_left_with_the_focus_where_it_was() {
    let mut window = window(session());
    tab_to(&mut window, "Shows");
    key(&mut window, Key::Space);
    key(&mut window, Key::ArrowDown);
    assert_eq!(focused(&window).as_deref(), Some("Shaded"));
    key(&mut window, Key::ArrowDown);
    let second = focused(&window).unwrap();
    assert_ne!(second, "Shaded");
    let said = key(&mut window, Key::Enter);
    assert!(said.iter().any(|action| action.starts_with("SetPass")), "{said:?}");
    assert_eq!(focused(&window).as_deref(), Some("Shows"));
    // Escape chooses nothing.
    key(&mut window, Key::Space);
    assert_eq!(key(&mut window, Key::Escape), [""; 0]);
    assert_eq!(focused(&window).as_deref(), Some("Shows"));
}

#[test]
fn a_menu_that_a_click_opens_leaves_the_keys_to_the_transport() {
    let mut window = window(session());
    click(&mut window, "Shows");
    assert_eq!(focused(&window), None);
    key(&mut window, Key::Escape);
    assert_eq!(focused(&window), None);
}

#[test]
fn arrows_go_on_from_what_tab_has_reached() {
    let mut window = window(session());
    tab_to(&mut window, "Walk");
    key(&mut window, Key::ArrowDown);
    assert_eq!(focused(&window).as_deref(), Some("歩く"));
    key(&mut window, Key::ArrowUp);
    assert_eq!(focused(&window).as_deref(), Some("Walk"));
    let _ = did(&mut window);
}

#[test]
fn help_is_scrolled_and_its_controls_are_reached_by_keys_and_what_is_behind_stays() {
    let mut window = window_of_size(session(), egui::vec2(640.0, 400.0));
    apply(&mut window, Action::ToggleHelp);
    let top = |window: &Window| window.get_by_label("play or pause").rect().top();
    let first = top(&window);
    for (forth, back) in
        [(Key::PageDown, Key::PageUp), (Key::ArrowDown, Key::ArrowUp), (Key::End, Key::Home)]
    {
        assert_eq!(key(&mut window, forth), [""; 0], "{forth:?}");
        assert!(top(&window) < first, "{forth:?}");
        assert_eq!(key(&mut window, back), [""; 0], "{back:?}");
        assert_eq!(top(&window), first, "{back:?}");
    }
    // Other keys do what the table says.
    assert_eq!(key(&mut window, Key::Space), ["TogglePlay"]);
    key(&mut window, Key::Tab);
    assert_eq!(focused(&window).as_deref(), Some("Close help"));
    key(&mut window, Key::Tab);
    assert_eq!(focused(&window).as_deref(), Some("Keys"));
}
