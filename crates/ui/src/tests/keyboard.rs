//! Keys, the command palette, menus by keyboard, and requests by screen readers, which do what clicks and keys do.

use egui::accesskit::{Action as Request, ActionRequest, Role};
use egui::{Key, Modifiers, Vec2, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{Window, actions, apply, click, control, did, press, said, window, window_of_size};
use crate::keymap::Keymap;
use crate::shortcuts::{GROUPS, Shortcut};
use rigview_session::sample::session;
use rigview_session::{
    Action, DesktopAction, NoticeKind, OpenWindowParts, PlaybackAction, WindowPart,
};

#[test]
fn the_book_has_the_same_table() {
    let page = include_str!("../../../../docs/keys.md");
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
    control(&window, "Blender").click();
    apply_all(&mut window);
    assert_eq!(press(&mut window, Key::R, Modifiers::NONE), ["Pose(SetTool(Rotate))"]);
    assert_eq!(press(&mut window, Key::G, Modifiers::SHIFT), ["ToggleGrid"]);
    click(&mut window, "Choose keys");
    click(&mut window, "Key of: Axes");
    window.key_press(Key::R);
    apply_all(&mut window);
    assert_eq!(press(&mut window, Key::R, Modifiers::NONE), ["ToggleAxes"]);
    assert_eq!(press(&mut window, Key::X, Modifiers::NONE), [""; 0]);
    // Escape leaves the key, and the next one has its action again.
    click(&mut window, "Key of: Grid");
    assert_eq!(press(&mut window, Key::Escape, Modifiers::NONE), [""; 0]);
    assert_eq!(press(&mut window, Key::G, Modifiers::SHIFT), ["ToggleGrid"]);
    apply(&mut window, Action::ToggleHelp);
    assert_eq!(press(&mut window, Key::G, Modifiers::NONE), ["Pose(SetTool(Move))"]);
}

fn apply_all(window: &mut Window) {
    actions(window).into_iter().for_each(|action| apply(window, action));
}

#[test]
fn shift_is_ignored_unless_it_makes_another_shortcut_and_only_arrows_repeat() {
    let map = Keymap::default();
    for (key, modifiers, repeat, name) in [
        (Key::K, Modifiers::SHIFT, false, Some("K")),
        (Key::I, Modifiers::SHIFT, false, Some("Shift + I")),
        (Key::O, Modifiers::COMMAND, false, Some("Ctrl + O")),
        (Key::ArrowLeft, Modifiers::NONE, true, Some("Left")),
        (Key::Space, Modifiers::NONE, true, None),
        (Key::G, Modifiers::COMMAND, false, None),
        (Key::CloseBracket, Modifiers::ALT, false, Some("]")),
    ] {
        let found = map.shortcut_of(key, modifiers, repeat).map(|s| s.name());
        assert_eq!(found.as_deref(), name, "{key:?}");
    }
}

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

/// Returns a window with the palette open.
fn palette() -> Window {
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
fn what_is_typed_finds_commands_nodes_and_engine_limits_and_enter_runs_it() {
    for (typed, wanted) in [
        ("clip walk", "SelectClip(Some(0))"),
        ("node 1", "Selection(Select(Some(Node(1))))"),
        ("engine 4 infl", "influences: 4"),
    ] {
        let mut window = palette();
        write(&mut window, typed);
        let run = press(&mut window, Key::Enter, Modifiers::NONE);
        assert!(run.len() == 2 && run[0] == "Desktop(TogglePalette)", "{run:?}");
        assert!(run[1].contains(wanted), "{run:?}");
    }
}

#[test]
fn arrows_choose_another_row_and_a_click_runs_one() {
    let mut window = palette();
    write(&mut window, "keyframe");
    assert_eq!(press(&mut window, Key::ArrowDown, Modifiers::NONE), [""; 0]);
    let run = press(&mut window, Key::Enter, Modifiers::NONE);
    assert_eq!(run, ["Desktop(TogglePalette)", "StepKeys(1)"]);
    let mut window = palette();
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
        let mut window = palette();
        assert_eq!(press(&mut window, key, modifiers), ["Desktop(TogglePalette)"]);
        apply(&mut window, DesktopAction::TogglePalette);
        assert!(window.query_by_label("Find a command").is_none());
        assert_eq!(press(&mut window, Key::K, Modifiers::NONE), ["ToggleSkeleton"]);
    }
}

#[test]
fn each_row_says_its_keys() {
    let mut window = palette();
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

/// Sends a request to the node of this name.
fn ask(window: &mut Window, name: &str, action: Request) -> Vec<String> {
    let node = window.get_by(|node| {
        node.label().as_deref() == Some(name) && egui::accessibility::is_input(node.role())
    });
    let (target_node, target_tree) = node.accesskit_node().locate();
    let request = ActionRequest { action, target_tree, target_node, data: None };
    window.event(egui::Event::AccessKitActionRequest(request));
    said(&actions(window))
}

#[test]
fn the_time_bar_takes_steps_and_times() {
    let mut window = window(session());
    assert_eq!(ask(&mut window, "Time", Request::Increment), ["StepFrames(1)"]);
    assert_eq!(ask(&mut window, "Time", Request::Decrement), ["StepFrames(-1)"]);
    control(&window, "Time").set_value_accesskit(0.75);
    assert_eq!(did(&mut window), ["Seek(0.75)"]);
    control(&window, "Time").set_value_accesskit(75.0);
    assert_eq!(did(&mut window), ["Seek(2.0)"]);
}

/// Returns a window of the sample session with the time line open, paused at 0.5 s.
fn time_line() -> Window {
    let mut session = session();
    session.apply(Action::TogglePart(WindowPart::TimeLine));
    session.apply(PlaybackAction::Seek(0.5));
    window_of_size(session, Vec2::new(1280.0, 720.0))
}

#[test]
fn the_time_line_takes_steps_and_times() {
    let mut window = time_line();
    assert_eq!(ask(&mut window, "Playhead", Request::Increment), ["StepFrames(1)"]);
    control(&window, "Playhead").set_value_accesskit(0.75);
    assert_eq!(did(&mut window), ["Seek(0.75)"]);
    let moved = ask(&mut window, "Start of the range", Request::Increment);
    assert_eq!(moved, [format!("SetMark(In, Some({:?}))", 1.0 / 30.0)]);
    control(&window, "End of the range").set_value_accesskit(1.5);
    assert_eq!(did(&mut window), ["SetMark(Out, Some(1.5))"]);
}

#[test]
fn rows_of_keys_say_where_the_time_is_and_step_from_key_to_key() {
    let mut window = time_line();
    let value = |window: &Window, name| control(window, name).accesskit_node().value();
    for name in ["All keys", "Keys: translation of node 1"] {
        assert_eq!(value(&window, name).as_deref(), Some("key 2 of 3, 0.500 s"));
        assert_eq!(ask(&mut window, name, Request::Increment), ["Seek(2.0)"]);
        apply(&mut window, PlaybackAction::Seek(0.75));
        assert_eq!(value(&window, name).as_deref(), Some("after key 2 of 3, 0.750 s"));
        assert_eq!(ask(&mut window, name, Request::Decrement), ["Seek(0.5)"]);
        apply(&mut window, PlaybackAction::Seek(0.5));
    }
    // Past the last key nothing happens.
    apply(&mut window, PlaybackAction::Seek(2.0));
    assert_eq!(ask(&mut window, "All keys", Request::Increment), [""; 0]);
    // The keyboard does the same, and Enter selects the row's node.
    control(&window, "Keys: translation of node 1").focus();
    did(&mut window);
    assert_eq!(press(&mut window, Key::ArrowLeft, Modifiers::NONE), ["Seek(0.5)"]);
    assert_eq!(
        press(&mut window, Key::Enter, Modifiers::NONE),
        ["Selection(Select(Some(Node(1))))"]
    );
}

#[test]
fn rows_of_the_tree_unfold_fold_and_select() {
    let mut session = session();
    session.apply(Action::OpenParts(OpenWindowParts::from(&[WindowPart::Scene][..])));
    let mut window = window_of_size(session, Vec2::new(1280.0, 720.0));
    let rows = |window: &Window| window.get_all_by_role(Role::TreeItem).count();
    let names: Vec<String> = window
        .get_all_by_role(Role::TreeItem)
        .filter_map(|row| row.accesskit_node().label())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(ask(&mut window, &names[0], Request::Collapse), [""; 0]);
    assert_eq!(rows(&window), 1);
    assert_eq!(ask(&mut window, &names[0], Request::Expand), [""; 0]);
    assert_eq!(rows(&window), 2);
    let selected = ask(&mut window, &names[1], Request::Click);
    assert_eq!(selected, ["Selection(Select(Some(Node(1))))"]);
}

#[test]
fn with_everything_open_each_control_has_a_name() {
    let mut session = session();
    session.apply(Action::OpenParts(OpenWindowParts::from(&WindowPart::ALL[..])));
    session.apply(DesktopAction::SetRecent(vec!["/rigs/other.glb".into()]));
    session.apply(DesktopAction::TogglePalette);
    let mut window = window_of_size(session, Vec2::new(1280.0, 720.0));
    did(&mut window);
    let mut count = 0;
    for node in window.root().children_recursive() {
        let node = node.accesskit_node();
        if !egui::accessibility::is_input(node.role()) {
            continue;
        }
        count += 1;
        let named = [node.label(), node.placeholder().map(|text| text.to_string())];
        let is_named = named.into_iter().flatten().any(|name| !name.trim().is_empty());
        assert!(is_named, "a {:?} has no name: {:?}", node.role(), node.bounding_box());
    }
    assert!(count > 40, "{count}");
}
