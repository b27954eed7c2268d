//! The drawings that help to judge a rig, in the view's part.

use egui::vec2;
use egui_kittest::kittest::Queryable as _;

use super::tests::{Window, apply, click, control, painted, says, window_of_size};
use rigview_look::{OnionSkin, Spacing};
use rigview_session::sample::session;
use rigview_session::{Anchor, LookAction, MeasureAction, PlaybackAction};

/// Returns a window with the section open.
fn window() -> Window {
    let mut window = window_of_size(session(), vec2(1280.0, 1600.0));
    window.get_by_label("Motion and surface").click();
    window.run();
    window
}

#[test]
fn the_onion_skin_has_a_count_and_a_spacing_in_seconds_or_frames() {
    let mut window = window();
    assert!(!says(&window, "Ghosts"));
    assert_eq!(click(&mut window, "Onion skin"), ["ToggleOnionSkin"]);
    apply(&mut window, LookAction::ToggleOnionSkin);
    control(&window, "Ghosts value");
    control(&window, "Spacing value");
    let onion = OnionSkin { count: 2, spacing: Spacing::Frames(6.0) };
    apply(&mut window, LookAction::SetOnionSkin(Some(onion)));
    assert!(says(&window, "Frames"));
}

#[test]
fn checkboxes_toggle_paths_marks_vectors_and_measuring() {
    let mut window = window();
    assert_eq!(click(&mut window, "Root path"), ["ToggleRootPath"]);
    assert_eq!(click(&mut window, "Play in place"), ["ToggleInPlace"]);
    assert_eq!(click(&mut window, "Faulty weights"), ["ToggleWeightMarks"]);
    let vectors = click(&mut window, "Normals");
    assert_eq!(vectors, ["SetVectors(Vectors { normals: true, tangents: false })"]);
    assert_eq!(click(&mut window, "Measure"), ["Measure(Toggle)"]);
}

#[test]
fn numbers_are_shown_beside_what_they_belong_to() {
    let mut window = window();
    let session = &mut window.state_mut().session;
    session.apply(LookAction::ToggleRootPath);
    session.apply(LookAction::ToggleWeightMarks);
    session.apply(LookAction::ToggleBounds);
    session.apply(MeasureAction::Toggle);
    session.apply(MeasureAction::Mark(Anchor::Node(0)));
    session.apply(MeasureAction::Mark(Anchor::Node(1)));
    session.apply(PlaybackAction::Seek(0.5));
    session.pose();
    window.run();
    // The clip moves the joint by two metres in two seconds.
    assert!(says(&window, "2.00 m, 2.00 m from its start, 1.00 m/s"));
    assert!(says(&window, "0 without weights, 0 that do not sum to 1"));
    assert!(says(&window, "0.5000 m"));
    let shown = painted(&window);
    let axes = "X 0.5000 · Y 0.0000 · Z 0.0000 m";
    assert!(shown.iter().any(|text| text.contains(axes)), "{shown:?}");
    assert!(says(&window, "Clip: "));
}
