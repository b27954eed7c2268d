//! Tests of details of the panels: what covers the hover label, how numbers are typed, what lists mark.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::tests::{Window, apply, click, control, painted, press, says, window, window_of_size};
use rigview_report::{SkinError, WorstVertex};
use rigview_session::sample::session;
use rigview_session::{Action, DesktopAction, EngineAction, SelectionAction};

/// Types a text into a field.
fn typed(window: &mut Window, field: &str, text: &str) -> Vec<String> {
    window.get_by_role_and_label(Role::SpinButton, field).click();
    window.run();
    press(window, Key::A, Modifiers::CTRL | Modifiers::COMMAND);
    window.event(Event::Text(text.into()));
    press(window, Key::Enter, Modifiers::NONE)
}

#[test]
fn help_covers_the_name_under_the_pointer() {
    let mut window = window_of_size(session(), vec2(1280.0, 720.0));
    let at = window.state().picture.center();
    window.hover_at(at);
    apply(&mut window, SelectionAction::Hover(Some(1)));
    let is_named = |window: &Window| painted(window).iter().any(|text| text == "node 1");
    assert!(is_named(&window), "{:?}", painted(&window));
    apply(&mut window, Action::ToggleHelp);
    assert!(!is_named(&window));
    apply(&mut window, Action::ToggleHelp);
    apply(&mut window, DesktopAction::TogglePalette);
    window.hover_at(control(&window, "Find a command").rect().center());
    window.run();
    assert!(!is_named(&window));
}

#[test]
fn a_recent_file_that_is_gone_is_marked() {
    let mut session = session();
    let path = |name: &str| std::path::absolute(name).unwrap();
    session.apply(DesktopAction::SetRecent(vec![path("gone.glb"), path("here.glb")]));
    let mut window = window(session);
    let wanted = format!("{:?}", Action::from(DesktopAction::LookForRecent));
    assert_eq!(click(&mut window, "Recent files"), [wanted]);
    assert!(!says(&window, "The file does not exist"));
    apply(&mut window, DesktopAction::SetMissing(vec![path("gone.glb")]));
    let entry = |window: &Window, name: &str| {
        let name = format!("Open {}", path(name).display());
        control(window, &name).accesskit_node().value().unwrap_or_default()
    };
    assert!(entry(&window, "gone.glb").ends_with("The file does not exist"));
    assert!(!entry(&window, "here.glb").contains("not exist"));
}

#[test]
fn any_speed_can_be_typed() {
    let mut window = window(session());
    assert_eq!(typed(&mut window, "Speed", "0.3").last().unwrap(), "SetSpeed(0.3)");
}

#[test]
fn an_engine_may_take_any_number_of_influences() {
    let mut window = window_of_size(session(), vec2(1280.0, 1400.0));
    click(&mut window, "As an engine shows it");
    click(&mut window, "Influences");
    for count in ["1", "15"] {
        window.get_by_role_and_label(Role::Button, count);
    }
    let chosen = click(&mut window, "15");
    assert!(chosen[0].contains("influences: 15"), "{chosen:?}");
}

#[test]
fn the_largest_error_of_an_engine_names_its_vertex_and_leads_there() {
    let mut session = session();
    let worst = WorstVertex { node: 1, primitive: 0, vertex: 7, joint: Some(0) };
    let error = SkinError { now_mm: 1.5, now_vertex: Some(worst), ..SkinError::default() };
    let load = session.playback().document().unwrap().load;
    session.apply(EngineAction::Take(load, Ok(error)));
    let mut window = window_of_size(session, vec2(1280.0, 1400.0));
    click(&mut window, "As an engine shows it");
    let link = "Worst vertex now: Vertex 7 of node 1, joint node 0";
    assert_eq!(click(&mut window, link), ["Engine(GoToWorst { over_clip: false })"]);
    assert_eq!(click(&mut window, "Show as heat"), ["Engine(ShowHeat)"]);
}
