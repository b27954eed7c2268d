//! The parts around the picture: where they are, how they open and close, and how they are dragged elsewhere.

use egui::{Rect, Vec2, vec2};
use egui_kittest::kittest::NodeT as _;

use super::tests::{Window, actions, click, control, did, press, says, window_of_size};
use rigview_session::sample::session;
use rigview_session::{Action, Session, WindowPart};

/// Returns a session with all parts open.
fn all_open() -> Session {
    let mut session = session();
    for part in [WindowPart::Scene, WindowPart::Inspector] {
        session.apply(Action::TogglePart(part));
    }
    session
}

/// Returns the rectangle of the tab of a part.
fn tab(window: &Window, title: &str) -> Rect {
    control(window, title).rect()
}

fn drag(window: &mut Window, from: Rect, to: egui::Pos2) {
    window.hover_at(from.center());
    window.drag_at(from.center());
    window.run();
    for at in [from.center() + vec2(20.0, 20.0), to, to] {
        window.hover_at(at);
        window.run();
    }
    window.drop_at(to);
    window.run();
}

#[test]
fn the_model_has_half_of_the_window_with_everything_open() {
    for size in [vec2(1280.0, 720.0), vec2(1920.0, 1080.0), vec2(1200.0, 700.0)] {
        let window = window_of_size(all_open(), size);
        let picture = window.state().picture;
        assert!(picture.width() >= 0.5 * size.x, "{size}: {picture}");
        if size.x == 1280.0 {
            assert!(picture.area() >= 0.5 * size.x * size.y, "{size}: {picture}");
        }
        for title in ["Scene", "Clips", "View", "Inspector"] {
            assert!(!tab(&window, title).intersects(picture), "{size}: {title}");
        }
        let left_of = |a: &str| tab(&window, a).right() < picture.left();
        assert!(left_of("Scene") && left_of("Clips") && !left_of("View"));
    }
}

/// Tree and inspector are at the sides of the picture, and rows of the sheet are in sight.
#[test]
fn with_the_time_line_the_other_parts_stay_beside_the_picture() {
    let mut session = all_open();
    session.apply(Action::TogglePart(WindowPart::TimeLine));
    let size = vec2(1280.0, 720.0);
    let window = window_of_size(session, size);
    let picture = window.state().picture;
    let [tree, inspector, line] = ["Scene", "Inspector", "Time line"].map(|t| tab(&window, t));
    assert!(tree.right() < picture.left() && picture.right() < inspector.left(), "{picture}");
    assert!(picture.bottom() < line.top(), "{picture} {line}");
    let keys = control(&window, "Playhead").rect();
    let end = control(&window, "Visible time").rect().top();
    // The ruler, the row of all keys, and four rows of 20 points.
    assert!(end - keys.bottom() >= 20.0 + 4.0 * 20.0, "{keys} to {end}");
}

#[test]
fn the_sheet_has_rows_in_a_low_window() {
    for curves in [false, true] {
        let mut session = session();
        for part in
            [WindowPart::Curves, WindowPart::TimeLine].into_iter().skip(usize::from(!curves))
        {
            session.apply(Action::TogglePart(part));
        }
        let mut window = window_of_size(session, vec2(640.0, 400.0));
        if curves {
            click(&mut window, "Time line");
        }
        let keys = control(&window, "Playhead").rect();
        let end = control(&window, "Visible time").rect().top();
        // The ruler, the row of all keys, and two rows of 20 points.
        assert!(end - keys.bottom() >= 20.0 + 2.0 * 20.0, "{keys} to {end}, curves: {curves}");
    }
}

#[test]
fn a_low_column_does_not_reach_into_the_time_line() {
    let mut session = session();
    for part in [WindowPart::Scene, WindowPart::TimeLine] {
        session.apply(Action::TogglePart(part));
    }
    let window = window_of_size(session, vec2(640.0, 400.0));
    let picture = window.state().picture;
    for clipped in &window.output().shapes {
        let egui::Shape::LineSegment { points, .. } = &clipped.shape else { continue };
        let is_edge = points.iter().all(|at| (at.x - picture.left()).abs() < 2.0);
        let end = points[0].y.max(points[1].y);
        assert!(!is_edge || end <= picture.bottom() + 2.0, "{points:?} below {picture}");
    }
}

#[test]
fn parts_are_tabs_of_one_column_in_a_small_window() {
    let mut window = window_of_size(all_open(), vec2(800.0, 600.0));
    let picture = window.state().picture;
    assert!(picture.width() >= 540.0, "{picture}");
    // The part that was opened last is shown.
    assert!(!says(&window, "Rest pose"));
    click(&mut window, "Clips, View");
    assert!(says(&window, "Rest pose") && says(&window, "Ping-pong"));
    control(&window, "Skeleton");
    assert_eq!(window.state().picture, picture);
    click(&mut window, "Scene");
    assert!(!says(&window, "Rest pose"));
    // Without the others there are no tabs.
    let first = window_of_size(session(), vec2(800.0, 600.0));
    assert!(!says(&first, "Clips, View") && says(&first, "Rest pose"));
}

#[test]
fn a_part_is_opened_and_closed_by_key_and_button() {
    use egui::{Key, Modifiers};
    let mut window = window_of_size(session(), vec2(1280.0, 720.0));
    for (key, part) in [
        (Key::T, WindowPart::Scene),
        (Key::C, WindowPart::Clips),
        (Key::S, WindowPart::View),
        (Key::P, WindowPart::Inspector),
    ] {
        let wanted = format!("TogglePart({part:?})");
        assert_eq!(press(&mut window, key, Modifiers::NONE), [wanted]);
    }
    assert_eq!(click(&mut window, "Inspector panel"), ["TogglePart(Inspector)"]);
    assert_eq!(click(&mut window, "Close view"), ["TogglePart(View)"]);
    // The last part leaves the whole window to the picture.
    let session = &mut window.state_mut().session;
    session.apply(Action::TogglePart(WindowPart::View));
    session.apply(Action::TogglePart(WindowPart::Clips));
    window.run();
    assert_eq!(window.state().picture.width(), 1280.0);
    // A part that is opened while panels are hidden shows them.
    let session = &mut window.state_mut().session;
    session.apply(Action::TogglePanels);
    session.apply(Action::TogglePart(WindowPart::Clips));
    assert!(session.panels() && session.window_parts().has(WindowPart::Clips));
}

#[test]
fn a_part_can_be_dragged_anywhere_and_never_covers_the_picture() {
    let size = vec2(1600.0, 900.0);
    let mut window = window_of_size(all_open(), size);
    let places = |picture: Rect| {
        let [left, middle, right] = [0.1, 0.5, 0.9].map(|x| picture.left() + x * picture.width());
        let [top, center, bottom] = [0.1, 0.5, 0.9].map(|y| picture.top() + y * picture.height());
        [(left, center), (middle, top), (right, center), (middle, bottom), (middle, center)]
    };
    for title in ["View", "Inspector", "Scene", "Clips"] {
        for i in 0..5 {
            let (x, y) = places(window.state().picture)[i];
            let from = tab(&window, title);
            drag(&mut window, from, egui::pos2(x, y));
            let picture = window.state().picture;
            assert!(picture.width() >= 0.2 * size.x, "{title} {i}: {picture}");
            assert!(picture.height() >= 0.2 * size.y, "{title} {i}: {picture}");
            for other in ["Scene", "Clips", "View", "Inspector"] {
                assert!(!tab(&window, other).intersects(picture), "{title} {i}: {other}");
            }
            let arrangement = window.state_mut().panels.arrangement().unwrap();
            assert_eq!(window.state_mut().panels.arrange(arrangement), Ok(()), "{title} {i}");
            window.run();
        }
    }
    // Onto the tab of another part: both share a place.
    let to = tab(&window, "Scene").center();
    let from = tab(&window, "Inspector");
    drag(&mut window, from, to);
    assert_eq!(tab(&window, "Scene").top(), tab(&window, "Inspector").top());
    assert!(actions(&mut window).is_empty(), "dragging changes nothing in the session");
}

#[test]
fn parts_keep_their_width_when_the_window_grows() {
    let mut window = window_of_size(all_open(), vec2(1280.0, 720.0));
    let widths = |window: &Window| {
        let (picture, whole) = (window.state().picture, window.ctx.content_rect());
        Vec2::new(picture.left() - whole.left(), whole.right() - picture.right())
    };
    let before = widths(&window);
    window.set_size(vec2(1920.0, 1080.0));
    assert!(did(&mut window).is_empty());
    assert!((widths(&window) - before).length() < 1.0, "{before} {}", widths(&window));
    window.set_size(vec2(1280.0, 720.0));
    window.run();
    assert!((widths(&window) - before).length() < 1.0);
}

#[test]
fn an_arrangement_that_is_no_arrangement_is_refused() {
    let mut window = window_of_size(session(), vec2(1280.0, 720.0));
    let panels = &mut window.state_mut().panels;
    let scene = serde_json::json!({"part": "scene"});
    for bad in [
        serde_json::json!(3),
        serde_json::json!({"tabs": []}),
        serde_json::json!({"row": [[1.0, "picture"], [9.0, scene], [9.0, scene]]}),
    ] {
        assert!(panels.arrange(bad.clone()).is_err(), "{bad}");
    }
    // One of an earlier version, which had fewer parts.
    let earlier =
        serde_json::json!({"row": [[300.0, {"tabs": [{"part": "clips"}]}], [1.0, "picture"]]});
    assert_eq!(panels.arrange(earlier), Ok(()));
    window.run();
    assert!(says(&window, "Rest pose"));
    assert!(!control(&window, "Clips").accesskit_node().is_disabled());
}

#[test]
fn parts_are_opened_by_a_menu_that_is_in_sight_in_every_layout() {
    for size in [vec2(480.0, 320.0), vec2(640.0, 400.0), vec2(1280.0, 720.0)] {
        let mut session = session();
        for part in [WindowPart::Scene, WindowPart::Inspector, WindowPart::TimeLine] {
            session.apply(Action::TogglePart(part));
        }
        let mut window = window_of_size(session, size);
        let whole = egui::Rect::from_min_size(egui::Pos2::ZERO, size);
        assert!(whole.contains_rect(control(&window, "Parts of the window").rect()), "{size}");
        click(&mut window, "Parts of the window");
        assert!(whole.contains_rect(control(&window, "Part: Compared").rect()), "{size}");
        assert_eq!(click(&mut window, "Part: Curves"), ["TogglePart(Curves)"]);
    }
}
