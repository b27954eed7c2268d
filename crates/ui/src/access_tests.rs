//! Tests of requests by screen readers: they do what clicks and keys do.

use egui::accesskit::{Action as Request, ActionRequest, Role};
use egui::{Key, Modifiers, Vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::tests::{Window, actions, apply, control, did, press, said, window, window_of_size};
use rigview_session::sample::session;
use rigview_session::{Action, DesktopAction, OpenWindowParts, PlaybackAction, WindowPart};

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
