//! The tree of nodes: search, selection, folding by keys, hiding and showing alone.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, Rect, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::tests::{
    Window, actions, apply, click, control, did, painted, press, says, window_of_size,
};
use rigview_anim::{Hierarchy, LocalPose, Transform};
use rigview_model::Node;
use rigview_session::sample::{finish, loaded, session};
use rigview_session::{
    Action, DesktopAction, HiddenAction, Item, LoadAction, SelectionAction, Session, WindowPart,
};

/// Returns a session with an open tree of this many nodes, each with ten children: `Bone 0`, `Bone 1`, ...
fn with_nodes(count: usize) -> Session {
    tree_of((0..count as u32).map(|i| i.checked_sub(1).map(|i| i / 10)).collect())
}

/// Returns a session with an open tree of nodes with these parents.
fn tree_of(parents: Vec<Option<u32>>) -> Session {
    let (mut session, count) = (session(), parents.len());
    let mut loaded = loaded();
    let model = &mut loaded.model;
    let name = |i| Some(format!("Bone {i}"));
    model.nodes = (0..count).map(|i| Node { name: name(i), ..Node::default() }).collect();
    model.hierarchy = Hierarchy::new(parents, vec![]).unwrap();
    model.rest = LocalPose::new(vec![Transform::IDENTITY; count], &vec![vec![]; count]);
    let effects = session.apply(LoadAction::open("/rigs/bones.glb"));
    finish(&mut session, &effects, Ok(loaded));
    session.apply(Action::TogglePart(WindowPart::Scene));
    session
}

fn window(count: usize) -> Window {
    window_of_size(with_nodes(count), vec2(1280.0, 720.0))
}

/// Returns the rectangles and names of the rows that are laid out.
fn rows(window: &Window) -> Vec<(Rect, String)> {
    let rows = window.get_all_by_role(Role::TreeItem);
    let row = |node: egui_kittest::Node<'_>| (node.rect(), node.accesskit_node().label().unwrap());
    rows.map(row).filter(|(rect, _)| rect.is_positive()).collect()
}

fn select(node: usize) -> SelectionAction {
    SelectionAction::Select(Some(Item::Node(node)))
}

#[test]
fn a_row_selects_folds_and_hides_its_node() {
    let mut window = window(111);
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
        window.event(Event::PointerButton {
            pos: eye,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::ALT,
        });
    }
    assert_eq!(did(&mut window), ["Hidden(ToggleSolo(1))"]);
}

#[test]
fn what_is_selected_elsewhere_is_unfolded_and_in_sight() {
    let mut window = window(11_111);
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
    let mut window = window(1111);
    click(&mut window, "Search nodes");
    window.event(Event::Text("bone 1110".into()));
    window.run();
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
    click(&mut window, "Search nodes");
    window.event(Event::Text("bone 59".into()));
    window.run();
    assert!(says(&window, "1 node found"));
    let list = window.get_by_role(Role::Tree).rect();
    let row = rows(&window).into_iter().find(|row| row.1 == "Bone 59").unwrap().0;
    assert!(list.contains_rect(row), "{row} in {list}");
}

#[test]
fn a_node_that_is_picked_is_shown_despite_a_search_and_stays_in_sight_without_it() {
    let mut window = window(1111);
    click(&mut window, "Search nodes");
    window.event(Event::Text("bone 1110".into()));
    window.run();
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
    let mut window = window(11);
    let eye = |window: &Window, verb: &str| control(window, &format!("{verb} Bone 2")).rect();
    let before = eye(&window, "Hide");
    apply(&mut window, HiddenAction::Toggle(2));
    assert_eq!(eye(&window, "Show"), before);
    assert!(says(&window, "1 node hidden"));
}

#[test]
fn arrows_walk_the_tree_when_tab_has_reached_it_and_move_the_time_otherwise() {
    let mut window = window(111);
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
    assert_eq!(key(Key::ArrowDown).0, Some(0));
    assert_eq!(key(Key::ArrowDown).0, Some(1));
    assert_eq!(key(Key::ArrowDown).0, Some(2));
    // The first press unfolds, the second goes to the first child.
    assert_eq!(key(Key::ArrowRight).0, Some(2));
    assert_eq!(key(Key::ArrowRight).0, Some(21));
    assert_eq!(key(Key::ArrowUp).0, Some(2));
    assert_eq!(key(Key::ArrowLeft).0, Some(2));
    assert_eq!(key(Key::ArrowDown).0, Some(3));
    assert_eq!(key(Key::ArrowLeft).0, Some(0));
    assert_eq!(window.state().session.playback().time_secs(), 0.0 + 1.0 / 30.0);
}

#[test]
fn the_selection_is_hidden_and_shown_alone_by_keys() {
    let mut window = window(11);
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
    let mut loaded = loaded();
    let name = "L_a_name_that_is_much_wider_than_the_tree_of_nodes_whose_end_matters_too_06";
    loaded.model.nodes[0].name = Some(name.into());
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/long.glb"));
    finish(&mut session, &effects, Ok(loaded));
    session.apply(Action::TogglePart(WindowPart::Scene));
    let window = window_of_size(session, vec2(1280.0, 720.0));
    let shown = painted(&window);
    let is_cut = |text: &&String| text.starts_with("L_a") && text.ends_with("_06");
    assert!(shown.iter().any(|text| is_cut(&text) && text.contains('…')), "{shown:?}");
}
