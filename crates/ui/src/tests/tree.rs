//! The tree of nodes: search, selection, folding by keys, names, hiding and showing alone, and the menu of a node.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, OutputCommand, PointerButton, Pos2, Rect, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{
    Window, actions, apply, button, changed, click, control, did, painted, press, says, toggle,
    window_of_size,
};
use rigview_anim::{Hierarchy, LocalPose, Transform};
use rigview_model::Node;
use rigview_session::sample::session;
use rigview_session::{
    Action, DesktopAction, HiddenAction, Item, PlaybackAction, SelectionAction, Session, WindowPart,
};

/// Returns a session with an open tree of this many nodes, each with ten children: `Bone 0`, `Bone 1`, ...
fn with_nodes(count: usize) -> Session {
    tree_of((0..count as u32).map(|i| i.checked_sub(1).map(|i| i / 10)).collect())
}

/// Returns a session with an open tree of nodes with these parents.
fn tree_of(parents: Vec<Option<u32>>) -> Session {
    let mut session = changed(|model| {
        let name = |i| Some(format!("Bone {i}"));
        let count = parents.len();
        model.nodes = (0..count).map(|i| Node { name: name(i), ..Node::default() }).collect();
        model.hierarchy = Hierarchy::new(parents, vec![]).unwrap();
        model.rest = LocalPose::new(vec![Transform::IDENTITY; count], &vec![vec![]; count]);
    });
    session.apply(Action::TogglePart(WindowPart::Scene));
    session
}

fn tree(count: usize) -> Window {
    window_of_size(with_nodes(count), vec2(1280.0, 720.0))
}

/// Returns the rectangles and names of the rows that are laid out.
fn rows(window: &Window) -> Vec<(Rect, String)> {
    let rows = window.get_all_by_role(Role::TreeItem);
    let row = |node: egui_kittest::Node<'_>| (node.rect(), node.accesskit_node().label().unwrap());
    rows.map(row).filter(|(rect, _)| rect.is_positive()).collect()
}

fn search(window: &mut Window, text: &str) {
    click(window, "Search nodes");
    window.event(Event::Text(text.into()));
    window.run();
}

fn select(node: usize) -> SelectionAction {
    SelectionAction::Select(Some(Item::Node(node)))
}

#[test]
fn a_row_selects_folds_and_hides_its_node() {
    let mut window = tree(111);
    control(&window, "Search nodes");
    assert_eq!(click(&mut window, "Bone 3"), [format!("{:?}", Action::from(select(3)))]);
    click(&mut window, "Fold Bone 0");
    assert_eq!(rows(&window).len(), 1);
    click(&mut window, "Unfold Bone 0");
    click(&mut window, "Unfold Bone 2");
    assert!(rows(&window).iter().any(|(_, name)| name == "Bone 21"));
    let hide = Action::from(HiddenAction::Toggle(2));
    assert_eq!(click(&mut window, "Hide Bone 2"), [format!("{hide:?}")]);
    apply(&mut window, hide);
    control(&window, "Show Bone 2");
    assert_eq!(click(&mut window, "Show all"), ["Hidden(ShowAll)"]);
    let eye = control(&window, "Hide Bone 1").rect().center();
    window.hover_at(eye);
    window.event(Event::ModifiersChanged(Modifiers::ALT));
    for pressed in [true, false] {
        window.event(button(eye, PointerButton::Primary, pressed, Modifiers::ALT));
    }
    assert_eq!(did(&mut window), ["Hidden(ToggleSolo(1))"]);
}

#[test]
fn what_is_selected_elsewhere_is_unfolded_and_in_sight() {
    let mut window = tree(11_111);
    for node in [11_110, 0, 5_555] {
        apply(&mut window, select(node));
        let name = format!("Bone {node}");
        let rows = rows(&window);
        assert!(rows.iter().any(|row| row.1 == name), "{name}: {rows:?}");
        assert!(rows.len() < 60, "only rows in sight are laid out: {}", rows.len());
    }
}

#[test]
fn a_search_leads_to_a_node_and_enter_selects_it() {
    let mut window = tree(1111);
    search(&mut window, "bone 1110");
    let names: Vec<String> = rows(&window).into_iter().map(|row| row.1).collect();
    assert_eq!(names, ["Bone 0", "Bone 10", "Bone 110", "Bone 1110"]);
    assert!(says(&window, "1 node found"));
    let wanted = format!("{:?}", Action::from(select(1110)));
    assert_eq!(press(&mut window, Key::Enter, Modifiers::NONE), [wanted]);
    click(&mut window, "Clear the search");
    assert!(!says(&window, "1 node found"));
}

/// The nodes above what is found may fill the list.
#[test]
fn what_a_search_finds_is_in_sight() {
    let session = tree_of((0..60u32).map(|i| i.checked_sub(1)).collect());
    let mut window = window_of_size(session, vec2(1280.0, 720.0));
    search(&mut window, "bone 59");
    assert!(says(&window, "1 node found"));
    let list = window.get_by_role(Role::Tree).rect();
    let row = rows(&window).into_iter().find(|row| row.1 == "Bone 59").unwrap().0;
    assert!(list.contains_rect(row), "{row} in {list}");
}

#[test]
fn a_node_that_is_picked_is_shown_despite_a_search_and_stays_in_sight_without_it() {
    let mut window = tree(1111);
    search(&mut window, "bone 1110");
    apply(&mut window, select(5));
    let names = |window: &Window| -> Vec<String> {
        let seen = |row: &(Rect, String)| row.0.bottom() < 640.0;
        rows(window).into_iter().filter(seen).map(|row| row.1).collect()
    };
    let wanted = ["Bone 0", "Bone 5", "Bone 10", "Bone 110", "Bone 1110"];
    let mut shown = names(&window);
    shown.sort_by_key(|name| name[5..].parse::<usize>().unwrap());
    assert_eq!(shown, wanted);
    assert!(says(&window, "1 node found"));
    apply(&mut window, select(999));
    click(&mut window, "Clear the search");
    assert!(names(&window).contains(&"Bone 999".to_owned()), "{:?}", names(&window));
}

#[test]
fn ctrl_f_opens_the_tree_and_puts_the_cursor_into_its_search() {
    for size in [vec2(1280.0, 720.0), vec2(700.0, 500.0)] {
        let mut session = with_nodes(11);
        session.apply(Action::TogglePart(WindowPart::Scene));
        let mut window = window_of_size(session, size);
        let ctrl = Modifiers::CTRL | Modifiers::COMMAND;
        assert_eq!(press(&mut window, Key::F, ctrl), ["Desktop(FindNode)"]);
        apply(&mut window, DesktopAction::FindNode);
        assert!(control(&window, "Search nodes").is_focused(), "{size}");
    }
}

#[test]
fn rows_stay_where_they_are_when_nodes_are_hidden() {
    let mut window = tree(11);
    let eye = |window: &Window, verb: &str| control(window, &format!("{verb} Bone 2")).rect();
    let before = eye(&window, "Hide");
    apply(&mut window, HiddenAction::Toggle(2));
    assert_eq!(eye(&window, "Show"), before);
    assert!(says(&window, "1 node hidden"));
}

#[test]
fn arrows_walk_the_tree_when_tab_has_reached_it_and_move_the_time_otherwise() {
    let mut window = tree(111);
    let mut key = |key: Key| {
        window.key_press(key);
        let actions = actions(&mut window);
        let tree = window.get_by_role(Role::Tree).is_focused();
        for action in actions {
            window.state_mut().session.apply(action);
        }
        window.run();
        (window.state().session.selection().node(), tree)
    };
    assert_eq!(key(Key::ArrowRight), (None, false));
    let mut reached = false;
    for _ in 0..80 {
        reached = key(Key::Tab).1;
        if reached {
            break;
        }
    }
    assert!(reached, "Tab reaches the tree");
    use Key::{ArrowDown as Down, ArrowLeft as Left, ArrowRight as Right, ArrowUp as Up};
    // The first press to the right unfolds, the second goes to the first child.
    let presses = [Down, Down, Down, Right, Right, Up, Left, Down, Left];
    assert_eq!(presses.map(|press| key(press).0.unwrap()), [0, 1, 2, 2, 21, 2, 2, 3, 0]);
    assert_eq!(window.state().session.playback().time_secs(), 0.0 + 1.0 / 30.0);
}

#[test]
fn the_selection_is_hidden_and_shown_alone_by_keys() {
    let mut window = tree(11);
    let ctrl = Modifiers::CTRL | Modifiers::COMMAND;
    assert_eq!(press(&mut window, Key::H, ctrl), ["Hidden(ToggleSelected)"]);
    assert_eq!(press(&mut window, Key::H, Modifiers::SHIFT), ["Hidden(ToggleSoloSelected)"]);
    assert_eq!(press(&mut window, Key::H, Modifiers::NONE), ["ToggleHelp"]);
    apply(&mut window, select(4));
    apply(&mut window, HiddenAction::ToggleSelected);
    let session = &window.state().session;
    assert_eq!(session.hidden().nodes().collect::<Vec<_>>(), [4]);
    let visible = &session.playback().stage().unwrap().visible;
    assert!(!visible[4] && visible[3]);
}

#[test]
fn a_long_name_keeps_both_ends() {
    let name = "L_a_name_that_is_much_wider_than_the_tree_of_nodes_whose_end_matters_too_06";
    let mut session = changed(|model| model.nodes[0].name = Some(name.into()));
    session.apply(Action::TogglePart(WindowPart::Scene));
    let window = window_of_size(session, vec2(1280.0, 720.0));
    let shown = painted(&window);
    let is_cut = |text: &&String| text.starts_with("L_a") && text.ends_with("_06");
    assert!(shown.iter().any(|text| is_cut(&text) && text.contains('…')), "{shown:?}");
}

/// Returns a window with all parts, and a model whose nodes are `mixamorig:Hips` and one of this name.
fn named(name: &str) -> Window {
    let mut session = changed(|model| {
        let names = ["mixamorig:Hips", name].map(|name| Some(name.to_owned()));
        model.nodes.iter_mut().zip(names).for_each(|(node, name)| node.name = name);
    });
    session.apply(PlaybackAction::TogglePlay);
    toggle(&mut session, &[WindowPart::Scene, WindowPart::TimeLine, WindowPart::Inspector]);
    window_of_size(session, vec2(1600.0, 900.0))
}

#[test]
fn tree_and_time_line_leave_out_what_all_joints_begin_with() {
    let window = named("mixamorig:LeftShoulder");
    let shown = painted(&window);
    let count = |wanted: &str| shown.iter().filter(|text| *text == wanted).count();
    assert_eq!((count("Hips"), count("LeftShoulder")), (1, 2), "{shown:?}");
    assert!(!shown.iter().any(|text| text.contains("mixamorig")), "{shown:?}");
    // Scripts and screen readers find nodes by their whole names.
    assert!(says(&window, "mixamorig:LeftShoulder"));
}

#[test]
fn a_long_name_keeps_its_end() {
    let name = format!("mixamorig:Left{}Shoulder", "Very".repeat(20));
    let mut window = named(&name);
    apply(&mut window, SelectionAction::Select(Some(Item::Node(1))));
    let cut: Vec<String> = painted(&window).into_iter().filter(|t| t.contains('…')).collect();
    let ends = cut.iter().filter(|text| text.starts_with('…') && text.ends_with("Shoulder"));
    assert!(ends.count() >= 2, "{cut:?}");
}

#[test]
fn the_whole_name_is_shown_under_the_pointer_in_tree_and_time_line() {
    let whole = "mixamorig:LeftShoulder";
    for (role, row) in [
        (Role::TreeItem, whole.to_owned()),
        (Role::ListBoxOption, format!("translation of {whole}")),
    ] {
        let mut window = named(whole);
        let is_named = |window: &Window| painted(window).iter().any(|text| text.contains(whole));
        assert!(!is_named(&window), "{:?}", painted(&window));
        let at = window.get_by_role_and_label(role, &row).rect().center();
        window.hover_at(at);
        // Hover texts take a moment to appear.
        window.run_steps(8);
        assert!(is_named(&window), "{row}: {:?}", painted(&window));
    }
}

/// Returns a window with the tree and the time line.
fn tree_and_time_line() -> Window {
    let mut session = session();
    session.apply(PlaybackAction::Seek(0.0));
    session.apply(Action::Dismiss);
    toggle(&mut session, &[WindowPart::Scene, WindowPart::TimeLine]);
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

fn row(window: &Window, name: &str, role: Role) -> Pos2 {
    window.get_by_role_and_label(role, name).rect().center()
}

#[test]
fn a_right_click_opens_a_menu_in_tree_sheet_and_picture() {
    for place in ["tree", "sheet", "picture"] {
        let mut window = tree_and_time_line();
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
        let mut window = tree_and_time_line();
        let at = row(&window, "node 1", Role::TreeItem);
        click_with(&mut window, at, PointerButton::Secondary);
        assert_eq!(click(&mut window, entry), does, "{entry}");
    }
}

#[test]
fn a_double_click_in_tree_or_sheet_frames() {
    for (role, name) in [(Role::TreeItem, "node 1"), (Role::ListBoxOption, "translation of node 1")]
    {
        let mut window = tree_and_time_line();
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
        let at = row(window, "node 1", Role::TreeItem);
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
