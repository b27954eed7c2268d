//! Tests of names of nodes: panels leave out what all joints begin with.

use egui::accesskit::Role;
use egui::vec2;
use egui_kittest::kittest::Queryable as _;

use super::tests::{Window, apply, painted, says, window_of_size};
use rigview_session::sample::{finish, loaded, session};
use rigview_session::{Action, Item, LoadAction, PlaybackAction, SelectionAction, WindowPart};

/// Returns a window with all parts, and a model whose nodes are `mixamorig:Hips` and one of this name.
fn open(name: &str) -> Window {
    let mut session = session();
    let mut loaded = loaded();
    for (node, name) in loaded.model.nodes.iter_mut().zip(["mixamorig:Hips", name]) {
        node.name = Some(name.to_owned());
    }
    let effects = session.apply(LoadAction::open("/rigs/mixamo.glb"));
    finish(&mut session, &effects, Ok(loaded));
    session.apply(PlaybackAction::TogglePlay);
    for part in [WindowPart::Scene, WindowPart::TimeLine, WindowPart::Inspector] {
        session.apply(Action::TogglePart(part));
    }
    window_of_size(session, vec2(1600.0, 900.0))
}

#[test]
fn tree_and_time_line_leave_out_what_all_joints_begin_with() {
    let window = open("mixamorig:LeftShoulder");
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
    let mut window = open(&name);
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
        let mut window = open(whole);
        let is_named = |window: &Window| painted(window).iter().any(|text| text.contains(whole));
        assert!(!is_named(&window), "{:?}", painted(&window));
        let at = window.get_by_role_and_label(role, &row).rect().center();
        window.hover_at(at);
        // Hover texts take a moment to appear.
        window.run_steps(8);
        assert!(is_named(&window), "{row}: {:?}", painted(&window));
    }
}
