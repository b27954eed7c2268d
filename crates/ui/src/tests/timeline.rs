//! The time line and the curves.

use egui::{Event, Key, Modifiers, PointerButton, Rect, Vec2, pos2, vec2};
use egui_kittest::kittest::NodeT as _;
use glam::Quat;

use super::{
    Window, actions, apply, button, changed, click, click_at, control, did, painted, press, said,
    says, toggle, window_of_size,
};
use rigview_anim::{Channel, Clip, ClipParts, Keys, Track};
use rigview_session::sample::session;
use rigview_session::{
    Action, HandValue, Item, Mark, PlaybackAction, PoseAction, SelectionAction, Session, TimeUnit,
    TimelineAction, WindowPart,
};

const SIZE: Vec2 = vec2(1280.0, 720.0);

/// Returns a window with the time line open, paused at the start of a clip with keys at 0, 0.5 and 2 s.
fn open() -> Window {
    let mut session = session();
    session.apply(Action::TogglePart(WindowPart::TimeLine));
    session.apply(PlaybackAction::Seek(0.0));
    window_of_size(session, SIZE)
}

/// Returns the rectangle of times of the control: its width without the margins beside the first and last time.
fn times(window: &Window, name: &str) -> Rect {
    let rect = control(window, name).rect();
    let bar = crate::timeline::SCROLL_BAR;
    rect.with_min_x(rect.left() + 8.0).with_max_x(rect.right() - 8.0 - bar)
}

/// Returns the place of a time of the whole clip.
fn place(window: &Window, secs: f32) -> egui::Pos2 {
    let keys = times(window, "Playhead");
    pos2(keys.left() + 0.5 * secs * keys.width(), keys.center().y)
}

fn seek_of(actions: &[Action]) -> f64 {
    let seek = actions.iter().rev().find_map(|action| match action {
        Action::Playback(PlaybackAction::Seek(secs)) => Some(*secs),
        _ => None,
    });
    seek.unwrap_or_else(|| panic!("{:?}", said(actions)))
}

fn wheel(window: &mut Window, at: egui::Pos2, lines: f32, modifiers: Modifiers) -> Vec<Action> {
    window.hover_at(at);
    window.event(super::wheel(egui::MouseWheelUnit::Line, lines, modifiers));
    actions(window)
}

fn shown(actions: &[Action]) -> [f64; 2] {
    match actions {
        [.., Action::Timeline(TimelineAction::Show(view))] => *view,
        _ => panic!("{:?}", said(actions)),
    }
}

fn drag(
    window: &mut Window,
    from: egui::Pos2,
    to: egui::Pos2,
    modifiers: Modifiers,
) -> Vec<Action> {
    window.event(Event::ModifiersChanged(modifiers));
    window.hover_at(from);
    window.event(button(from, PointerButton::Primary, true, modifiers));
    window.run();
    for at in [from + 0.5 * (to - from), to] {
        window.hover_at(at);
        window.run();
    }
    window.event(button(to, PointerButton::Primary, false, modifiers));
    let found = actions(window);
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    found
}

#[test]
fn a_key_mark_goes_to_its_time_and_selects_its_node() {
    let mut window = open();
    assert!(says(&window, "key 1 of 3, 0.000 s"), "{window:#?}");
    let row = control(&window, "Keys: translation of node 1").rect();
    let at = pos2(place(&window, 0.5).x + 2.0, row.center().y);
    let found = click_at(&mut window, at);
    assert_eq!(said(&found), ["Seek(0.5)", "Selection(Select(Some(Node(1))))"]);
    // Beside the marks a click changes nothing.
    let beside = pos2(place(&window, 1.0).x, row.center().y);
    assert_eq!(said(&click_at(&mut window, beside)), [""; 0]);
    assert_eq!(click(&mut window, "translation of node 1"), ["Selection(Select(Some(Node(1))))"]);
    // The row of all keys selects nothing.
    let all = control(&window, "All keys").rect().center().y;
    let at = pos2(place(&window, 2.0).x, all);
    assert_eq!(said(&click_at(&mut window, at)), ["Seek(2.0)"]);
}

#[test]
fn the_rows_are_those_of_the_selection_or_of_all_nodes() {
    let mut window = open();
    assert!(says(&window, "translation of node 1"));
    apply(&mut window, SelectionAction::Select(Some(Item::Node(0))));
    assert!(!says(&window, "translation of node 1"));
    assert!(says(&window, "The clip does not move node 0."));
    click(&mut window, "Selection only");
    assert!(says(&window, "translation of node 1"));
    apply(&mut window, PlaybackAction::SelectClip(None));
    assert!(says(&window, "The rest pose has no keys."));
}

#[test]
fn the_playhead_is_dragged_and_snaps_to_keys_and_frames() {
    let mut window = open();
    let (from, to) = (place(&window, 1.0), place(&window, 0.6));
    let found = drag(&mut window, from, to, Modifiers::NONE);
    assert!((seek_of(&found) - 0.6).abs() < 0.01, "{:?}", said(&found));
    let found = drag(&mut window, from, to, Modifiers::SHIFT);
    assert_eq!(seek_of(&found), 0.5);
    apply(&mut window, TimelineAction::SetUnit(TimeUnit::Frames));
    let found = drag(&mut window, from, to, Modifiers::NONE);
    assert_eq!(seek_of(&found), 0.6, "frame 18 of 30 per second");
    // Over the rows as on the ruler.
    let row = control(&window, "All keys").rect().center().y;
    let found = drag(&mut window, pos2(from.x, row), pos2(to.x, row), Modifiers::SHIFT);
    assert_eq!(seek_of(&found), 0.5);
}

#[test]
fn the_playhead_covers_no_label_of_the_ruler() {
    let mut window = open();
    let has = |window: &Window| painted(window).iter().any(|text| text == "1.0");
    assert!(has(&window), "{:?}", painted(&window));
    apply(&mut window, PlaybackAction::Seek(1.0));
    assert!(!has(&window), "its handle would hide a part of it");
    apply(&mut window, PlaybackAction::Seek(1.15));
    assert!(has(&window));
}

#[test]
fn in_and_out_points_are_dragged_on_the_ruler() {
    let mut window = open();
    let flag = control(&window, "Start of the range").rect().center();
    let to = pos2(place(&window, 0.5).x, flag.y);
    let found = drag(&mut window, flag, to, Modifiers::SHIFT);
    let last = found.last();
    let Some(Action::Playback(PlaybackAction::SetMark(Mark::In, Some(secs)))) = last else {
        panic!("{:?}", said(&found))
    };
    assert_eq!(*secs, 0.5);
    apply(&mut window, PlaybackAction::SetMark(Mark::Out, Some(1.0)));
    let flag = control(&window, "End of the range").rect();
    assert!((flag.right() - place(&window, 1.0).x).abs() < 1.0);
}

#[test]
fn the_wheel_zooms_at_the_pointer_and_shift_moves() {
    let mut window = open();
    let at = place(&window, 0.5);
    let view = shown(&wheel(&mut window, at, 2.0, Modifiers::NONE));
    assert!(view[0] > 0.1 && view[1] < 1.7, "{view:?}");
    assert!(((0.5 - view[0]) / (view[1] - view[0]) - 0.25).abs() < 0.01, "{view:?}");
    apply(&mut window, TimelineAction::Show([0.5, 1.0]));
    assert!(says(&window, "0.500 s to 1.000 s"), "{window:#?}");
    let view = shown(&wheel(&mut window, at, -1.0, Modifiers::SHIFT));
    assert!(view[0] > 0.5 && (view[1] - view[0] - 0.5).abs() < 1e-9, "{view:?}");
    // The picture does not zoom, and the wheel over the picture does not zoom the time.
    let picture = window.state().picture.center();
    let found = wheel(&mut window, picture, 1.0, Modifiers::NONE);
    assert!(matches!(found[..], [Action::ViewCamera(_)]), "{:?}", said(&found));
    assert_eq!(click(&mut window, "Whole clip"), ["Timeline(ShowAll)"]);
    control(&window, "Zoom into time").click();
    let view = shown(&actions(&mut window));
    assert_eq!(view[1] - view[0], 0.25);
}

#[test]
fn the_bar_below_zooms_by_its_ends_and_moves_by_its_middle() {
    let mut window = open();
    let bar = times(&window, "Visible time");
    let x = |secs: f32| bar.left() + 0.5 * secs * bar.width();
    let y = bar.center().y;
    let view = shown(&drag(&mut window, pos2(x(2.0) - 2.0, y), pos2(x(1.0), y), Modifiers::NONE));
    assert!(view[0] == 0.0 && (view[1] - 1.0).abs() < 0.02, "{view:?}");
    apply(&mut window, TimelineAction::Show([0.0, 1.0]));
    let view = shown(&drag(&mut window, pos2(x(0.5), y), pos2(x(1.0), y), Modifiers::NONE));
    assert!((view[0] - 0.5).abs() < 0.02 && (view[1] - 1.5).abs() < 0.02, "{view:?}");
    // By keys it moves by a tenth of its length, and not out of the clip.
    apply(&mut window, TimelineAction::Show([0.5, 1.0]));
    control(&window, "Visible time").focus();
    window.run();
    let keyed = |window: &mut Window, key: Key| press(window, key, Modifiers::NONE).last().cloned();
    let found = keyed(&mut window, Key::ArrowRight);
    assert_eq!(found.as_deref(), Some("Timeline(Show([0.55, 1.05]))"));
    apply(&mut window, TimelineAction::Show([0.0, 1.0]));
    assert_eq!(keyed(&mut window, Key::ArrowLeft), None);
}

#[test]
fn a_time_is_typed_in_seconds_and_frames() {
    let mut window = open();
    let typed = |window: &mut Window, text: &str| {
        control(window, "Go to time").click();
        window.run();
        press(window, Key::A, Modifiers::CTRL | Modifiers::COMMAND);
        window.event(Event::Text(text.into()));
        press(window, Key::Enter, Modifiers::NONE)
    };
    let found = typed(&mut window, "1.25");
    assert_eq!(found.last().map(String::as_str), Some("Seek(1.25)"));
    apply(&mut window, TimelineAction::SetUnit(TimeUnit::Frames));
    apply(&mut window, PlaybackAction::SetFps(25.0));
    let found = typed(&mut window, "10");
    assert_eq!(found.last().map(String::as_str), Some("Seek(0.4)"));
    click(&mut window, "Time unit");
    let found = click(&mut window, "Frames, 24/s");
    assert_eq!(found, ["SetFps(24.0)", "Timeline(SetUnit(Frames))"]);
}

#[test]
fn findings_are_marks_and_a_list_that_jump() {
    let mut window = open();
    let session: &mut Session = &mut window.state_mut().session;
    let effects = session.apply(TimelineAction::Check);
    let [rigview_session::Effect::Check(request)] = &effects[..] else { panic!("{effects:?}") };
    let request = request.clone();
    window.run();
    assert!(says(&window, "Checking…"));
    let mut found = request.run();
    found.retain(|finding| finding.clip == Some(2));
    let pop = rigview_session::ClipFinding {
        clip: Some(0),
        item: None,
        node: Some(1),
        time_secs: Some(0.5),
        level: rigview_check::Level::Warning,
        code: "POP".into(),
        message: "joint \"Hips\" jumps".into(),
    };
    found.insert(0, pop);
    apply(&mut window, TimelineAction::Checked(request, Ok(found)));
    let wanted = ["Seek(0.5)", "Selection(Select(Some(Node(1))))"];
    assert_eq!(click(&mut window, "POP at 0.500 s"), wanted);
    click(&mut window, "1 finding");
    assert_eq!(click(&mut window, "POP: joint \"Hips\" jumps"), wanted);
}

#[test]
fn the_picture_keeps_half_of_a_small_window_with_every_part_open() {
    for size in [SIZE, vec2(800.0, 600.0), vec2(853.0, 480.0)] {
        let mut session = session();
        use WindowPart::*;
        toggle(&mut session, &[Scene, Inspector, TimeLine, Curves]);
        let mut window = window_of_size(session, size);
        let picture = window.state().picture;
        assert!(picture.width() >= 0.5 * size.x, "{size}: {picture}");
        let share = picture.area() / (size.x * size.y);
        // Where there is room, tree, inspector and keys are shown at once.
        assert!(share >= 0.3, "{size}: {picture} {share}");
        for name in ["Playhead", "Go to time", "Visible time", "Whole clip"] {
            control(&window, "Time line").click();
            did(&mut window);
            let rect = control(&window, name).rect();
            let whole = Rect::from_min_size(egui::Pos2::ZERO, size);
            assert!(
                whole.contains_rect(rect) && !rect.intersects(picture),
                "{size} {name}: {rect}"
            );
        }
    }
}

/// Returns a window with the curves of node 1, which turns by 90 degrees per second for three seconds and moves for two.
fn curves() -> Window {
    let turn = |quarter: f32| Quat::from_rotation_z(quarter * std::f32::consts::FRAC_PI_2);
    let keys = Keys::Linear([0.0, 1.0, 2.0, 3.0].map(turn).to_vec());
    let track = Track::new(vec![0.0, 1.0, 2.0, 3.0], keys, 1).unwrap();
    let mut session = changed(|model| {
        let mut parts: ClipParts = model.clips[0].clone().into_parts();
        parts.channels.push(Channel::Rotation { node: 1, track });
        parts.duration_secs = 3.0;
        model.clips[0] = Clip::new(parts);
    });
    session.apply(Action::TogglePart(WindowPart::Curves));
    session.apply(PlaybackAction::Seek(0.25));
    session.apply(SelectionAction::Select(Some(Item::Node(1))));
    window_of_size(session, SIZE)
}

#[test]
fn a_property_whose_value_was_set_by_hand_is_marked() {
    let mut window = curves();
    assert!(!says(&window, "set by hand"));
    apply(&mut window, PoseAction::Set(1, HandValue::Rotation(Quat::from_rotation_x(0.5))));
    assert!(says(&window, "set by hand"));
    click(&mut window, "Translation");
    assert!(!says(&window, "set by hand"));
    apply(&mut window, PoseAction::Set(1, HandValue::Translation(glam::Vec3::X)));
    assert!(says(&window, "set by hand"));
}

#[test]
fn each_property_has_a_curve_with_its_value_at_the_playhead() {
    let mut window = curves();
    // The rotation comes first to mind: it is shown unless another property is chosen.
    assert!(says(&window, "22.500°"), "{window:#?}");
    click(&mut window, "Translation");
    assert!(says(&window, "0.250 m") && !says(&window, "22.500°"));
    click(&mut window, "Angular speed");
    assert!(says(&window, "90.000°/s"));
    click(&mut window, "Rotation");
    // More than half a turn: no jump to -112.5.
    apply(&mut window, PlaybackAction::Seek(2.75));
    assert!(says(&window, "247.500°"));
    click(&mut window, "Rotation as");
    assert_eq!(click(&mut window, "Quaternion"), [""; 0]);
    let half = f64::to_radians(247.5) / 2.0;
    assert!(says(&window, &format!("{:.3}", half.sin())));
    control(&window, "Curve w");
    assert_eq!(click(&mut window, "Curve x"), [""; 0]);
    let hidden = control(&window, "Curve x");
    assert_eq!(hidden.accesskit_node().toggled(), Some(egui::accesskit::Toggled::False));
}

#[test]
fn without_a_curve_it_says_why() {
    let mut window = curves();
    apply(&mut window, SelectionAction::Select(Some(Item::Node(0))));
    assert!(says(&window, "The clip does not move node 0."));
    apply(&mut window, SelectionAction::Select(None));
    assert!(says(&window, "Select a node to see its curves"));
    apply(&mut window, PlaybackAction::SelectClip(None));
    assert!(says(&window, "The rest pose has no curves."));
}

#[test]
fn the_playhead_is_dragged_over_the_curves_and_the_wheel_zooms() {
    let mut window = curves();
    let plot = control(&window, "Curves of rotation").rect();
    assert!(plot.width() > 700.0 && plot.height() > 60.0, "{plot}");
    let middle = plot.center();
    let press = |down, modifiers| button(middle, PointerButton::Primary, down, modifiers);
    let clicked = |window: &mut Window, modifiers| {
        window.event(Event::ModifiersChanged(modifiers));
        window.hover_at(middle);
        window.event(press(true, modifiers));
        window.run();
        window.event(press(false, modifiers));
        let found = actions(window);
        window.event(Event::ModifiersChanged(Modifiers::NONE));
        found
    };
    let found = clicked(&mut window, Modifiers::SHIFT);
    let Some(Action::Playback(PlaybackAction::Seek(secs))) = found.last() else {
        panic!("{:?}", said(&found))
    };
    assert!([1.0, 2.0].contains(secs), "a key: {secs}");
    let found = wheel(&mut window, middle, 1.0, Modifiers::NONE);
    let [Action::Timeline(TimelineAction::Show([from, to]))] = found[..] else {
        panic!("{:?}", said(&found))
    };
    assert!(from > 0.0 && to < 3.0);
    // With Ctrl the values zoom, which is no action of the session.
    assert_eq!(
        said(&wheel(&mut window, middle, 1.0, Modifiers::CTRL | Modifiers::COMMAND)),
        [""; 0]
    );
    assert_eq!(click(&mut window, "Fit the curves"), ["Timeline(ShowAll)"]);
    window.hover_at(pos2(5.0, 5.0));
    assert!(did(&mut window).is_empty());
}
