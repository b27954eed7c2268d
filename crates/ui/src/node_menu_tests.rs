//! Tests of the menu of a node.

use egui::{OutputCommand, PointerButton, Pos2, vec2};
use egui_kittest::kittest::Queryable as _;

use super::tests::{Window, button, click, control, did, window_of_size};
use rigview_session::sample::session;
use rigview_session::{Action, PlaybackAction, SelectionAction, WindowPart};

/// Returns a window with the tree and the time line.
fn open() -> Window {
    let mut session = session();
    session.apply(PlaybackAction::Seek(0.0));
    session.apply(Action::Dismiss);
    for part in [WindowPart::Scene, WindowPart::TimeLine] {
        session.apply(Action::TogglePart(part));
    }
    window_of_size(session, vec2(1600.0, 900.0))
}

fn click_with(window: &mut Window, at: Pos2, with: PointerButton) -> Vec<String> {
    window.hover_at(at);
    window.run();
    for pressed in [true, false] {
        window.event(button(at, with, pressed, egui::Modifiers::NONE));
    }
    did(window)
}

fn row(window: &Window, name: &str, role: egui::accesskit::Role) -> Pos2 {
    window.get_by_role_and_label(role, name).rect().center()
}

#[test]
fn a_right_click_opens_a_menu_in_tree_sheet_and_picture() {
    use egui::accesskit::Role;
    for place in ["tree", "sheet", "picture"] {
        let mut window = open();
        let at = match place {
            "tree" => row(&window, "node 1", Role::TreeItem),
            "sheet" => row(&window, "translation of node 1", Role::ListBoxOption),
            _ => {
                let hover = SelectionAction::Hover(Some(1));
                window.state_mut().session.apply(hover);
                window.state().picture.center()
            }
        };
        assert_eq!(click_with(&mut window, at, PointerButton::Secondary), [""; 0], "{place}");
        let framed = ["Selection(Select(Some(Node(1))))", "FrameSelection"];
        let did = click(&mut window, "Frame the node");
        // Over the menu, nothing of the picture is under the pointer any more.
        assert!(did.ends_with(&framed.map(str::to_owned)), "{place}: {did:?}");
        assert!(window.query_by_label("Show alone").is_none(), "{place}: the menu stays open");
    }
}

#[test]
fn the_menu_hides_shows_alone_measures_and_shows_keys() {
    for (entry, does) in [
        ("Hide", &["Hidden(Toggle(1))"][..]),
        ("Show alone", &["Hidden(ToggleSolo(1))"]),
        ("Copy the name", &[]),
        ("Measure from here", &["Measure(Toggle)", "Measure(Mark(Node(1)))"]),
        ("Keys of this node", &["Selection(Select(Some(Node(1))))"]),
    ] {
        let mut window = open();
        let at = row(&window, "node 1", egui::accesskit::Role::TreeItem);
        click_with(&mut window, at, PointerButton::Secondary);
        assert_eq!(click(&mut window, entry), does, "{entry}");
    }
}

#[test]
fn a_double_click_in_tree_or_sheet_frames() {
    use egui::accesskit::Role;
    for (role, name) in [(Role::TreeItem, "node 1"), (Role::ListBoxOption, "translation of node 1")]
    {
        let mut window = open();
        let at = row(&window, name, role);
        window.hover_at(at);
        window.run();
        // In one frame: the harness passes too much time between frames for a double click.
        let click = |pressed| button(at, PointerButton::Primary, pressed, egui::Modifiers::NONE);
        window.input_mut().events.extend([true, false, true, false].map(click));
        let twice = did(&mut window);
        assert_eq!(twice, ["Selection(Select(Some(Node(1))))", "FrameSelection"], "{name}");
    }
}

#[test]
fn the_menu_copies_the_name_and_opens_the_time_line() {
    let mut session = session();
    session.apply(PlaybackAction::Seek(0.0));
    session.apply(Action::TogglePart(WindowPart::Scene));
    let mut window = window_of_size(session, vec2(1600.0, 900.0));
    let open_menu = |window: &mut Window| {
        let at = row(window, "node 1", egui::accesskit::Role::TreeItem);
        click_with(window, at, PointerButton::Secondary);
    };
    open_menu(&mut window);
    let keys = ["Selection(Select(Some(Node(1))))", "TogglePart(TimeLine)"];
    assert_eq!(click(&mut window, "Keys of this node"), keys);
    open_menu(&mut window);
    control(&window, "Copy the name").click();
    // The frame that handles the click is not the last one.
    let copied = (0..4).any(|_| {
        window.step();
        let commands = &window.output().platform_output.commands;
        commands.iter().any(|c| matches!(c, OutputCommand::CopyText(text) if text == "node 1"))
    });
    assert!(copied);
}
