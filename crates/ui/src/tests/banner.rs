//! Messages: they go by themselves, name files, and say what is missing.

use egui::{Modifiers, vec2};
use egui_kittest::kittest::Queryable as _;

use super::{Window, actions, apply, click, painted, press, said, says, window, window_of_size};
use rigview_session::sample::{bad, finish, session};
use rigview_session::{
    Action, CameraAction, Item, LoadAction, LookAction, NoticeKind, PlaybackAction, SelectionAction,
};

fn shown(kind: NoticeKind) -> Window {
    let mut session = session();
    session.apply(PlaybackAction::TogglePlay);
    session.apply(Action::Notice(kind, "Something happened".into()));
    window(session)
}

/// Lets time pass in frames of the harness.
fn wait(window: &mut Window, secs: f32) {
    /// The harness passes a quarter of a second per frame.
    const STEP: f32 = 0.25;
    window.run_steps((secs / STEP).ceil() as usize);
}

#[test]
fn a_message_of_success_goes_by_itself_and_a_warning_stays() {
    let mut done = shown(NoticeKind::Done);
    wait(&mut done, 4.0);
    assert_eq!(said(&actions(&mut done)), [""; 0]);
    wait(&mut done, 5.0);
    assert_eq!(said(&actions(&mut done))[0], "Dismiss");
    let mut warning = shown(NoticeKind::Warning);
    wait(&mut warning, 20.0);
    assert_eq!(said(&actions(&mut warning)), [""; 0]);
    // The time of another message begins anew.
    let mut another = shown(NoticeKind::Done);
    wait(&mut another, 6.0);
    apply(&mut another, Action::Notice(NoticeKind::Done, "Something else".into()));
    wait(&mut another, 6.0);
    assert_eq!(said(&actions(&mut another)), [""; 0]);
}

#[test]
fn a_notice_is_shown_although_a_file_could_not_be_opened() {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/broken.glb"));
    finish(&mut session, &effects, bad());
    let mut window = window(session);
    apply(&mut window, Action::Saved("/pictures/a.png".into()));
    assert!(says(&window, "Can't open broken.glb") && says(&window, "Saved /pictures/a.png"));
    click(&mut window, "Copy path");
}

#[test]
fn a_long_message_in_a_low_picture_is_cut_until_it_is_unfolded() {
    let text = "There is something in this file that takes many words. ".repeat(6);
    let mut session = session();
    session.apply(PlaybackAction::TogglePlay);
    session.apply(Action::Notice(NoticeKind::Warning, text.clone()));
    let mut window = window_of_size(session, vec2(640.0, 400.0));
    let height = |window: &Window| window.get_by_label(&text).rect().height();
    let low = height(&window);
    assert!(low < 45.0, "{low}");
    click(&mut window, "More");
    assert!(height(&window) > 2.0 * low);
    // Another message is cut again.
    let other = text.replace("something", "more");
    apply(&mut window, Action::Notice(NoticeKind::Warning, other.clone()));
    assert!(window.get_by_label(&other).rect().height() < 45.0);
}

#[test]
fn a_message_leaves_the_title_of_the_help_free() {
    let mut session = session();
    let text = "Something happened that takes more than one line here. ".repeat(3);
    session.apply(Action::Notice(NoticeKind::Warning, text.clone()));
    let mut window = window_of_size(session, vec2(640.0, 480.0));
    apply(&mut window, Action::ToggleHelp);
    let title = window.get_by_label("Close help").rect();
    let message = window.get_by_label(&text).rect();
    assert!(message.top() > title.bottom() + 100.0, "{message}, {title}");
    // It can still be dismissed.
    assert_eq!(click(&mut window, "Dismiss").last().unwrap(), "Dismiss");
}

/// Returns the most opaque fill of the rectangles that have a place.
fn fill_at(window: &Window, at: egui::Pos2) -> u8 {
    let fills = window.output().shapes.iter().filter_map(|clipped| match &clipped.shape {
        egui::Shape::Rect(shape) if shape.rect.contains(at) && shape.rect.width() < 600.0 => {
            Some(shape.fill.a())
        }
        _ => None,
    });
    fills.max().unwrap_or_default()
}

#[test]
fn a_message_of_success_fades_out() {
    let mut window = shown(NoticeKind::Done);
    let at = window.get_by_label("Something happened").rect().center();
    wait(&mut window, 5.0);
    assert_eq!(fill_at(&window, at), 255);
    wait(&mut window, 2.25);
    let fading = fill_at(&window, at);
    assert!((1..255).contains(&fading), "{fading}");
    // The pointer over it shows it anew.
    window.hover_at(at);
    wait(&mut window, 2.0);
    assert_eq!(fill_at(&window, at), 255);
    assert_eq!(said(&actions(&mut window)), [""; 0]);
}

#[test]
fn a_saved_file_is_named_with_its_whole_path_which_can_be_copied() {
    let mut window = window(session());
    apply(&mut window, Action::Saved("pictures/a.png".into()));
    let path = std::path::absolute("pictures/a.png").unwrap();
    assert!(says(&window, &format!("Saved {}", path.display())));
    click(&mut window, "Copy path");
}

#[test]
fn without_panels_a_hint_names_the_key_for_some_seconds() {
    let mut window = window(session());
    let hint = "Press U to show the panels";
    assert!(!says(&window, hint));
    window.hover_at(egui::pos2(600.0, 300.0));
    apply(&mut window, Action::TogglePanels);
    assert!(says(&window, hint));
    wait(&mut window, 5.0);
    assert!(!says(&window, hint));
}

#[test]
fn what_needs_a_selection_says_so() {
    for (action, text) in [
        (Action::from(LookAction::ToggleTrail), "Select a node to see its path"),
        (CameraAction::ToggleFollow.into(), "Select a node for the camera to follow"),
    ] {
        let mut session = session();
        session.apply(action);
        assert_eq!(session.notice(), Some(text));
    }
    let mut selected = session();
    selected.apply(Action::Dismiss);
    selected.apply(SelectionAction::Select(Some(Item::Node(1))));
    selected.apply(LookAction::ToggleTrail);
    assert_eq!(selected.notice(), None);
}

#[test]
fn a_hover_text_does_not_repeat_what_is_shown() {
    let mut window = window_of_size(session(), vec2(1280.0, 720.0));
    let row = window.get_by_role_and_label(egui::accesskit::Role::Button, "Walk").rect();
    window.hover_at(row.center());
    wait(&mut window, 2.0);
    // The numbers of the clip are worth a hover text; its name alone is not.
    assert!(says(&window, "1 channel"));
    let list = window.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Shows").rect();
    press(&mut window, egui::Key::Escape, Modifiers::NONE);
    window.hover_at(list.center());
    wait(&mut window, 2.0);
    assert!(window.query_all_by_label("Shaded").count() <= 1);
    // A row that is shown whole and has nothing more to say has no hover text.
    let row = window.get_by_role_and_label(egui::accesskit::Role::Button, "Rest pose").rect();
    window.hover_at(row.center());
    wait(&mut window, 2.0);
    let shown = painted(&window);
    assert_eq!(shown.iter().filter(|text| *text == "Rest pose").count(), 1, "{shown:?}");
}
