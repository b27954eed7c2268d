//! Tests of the curves without a window.

use egui::{Event, Modifiers, PointerButton, Vec2, pos2, vec2};
use glam::Quat;

use super::tests::{
    Window, actions, apply, button, click, control, did, said, says, window_of_size,
};
use rigview_anim::{Channel, Clip, ClipParts, Keys, Track};
use rigview_session::sample::{finish, loaded, session};
use rigview_session::{
    Action, HandValue, Item, LoadAction, PlaybackAction, PoseAction, SelectionAction,
    TimelineAction, WindowPart,
};

const SIZE: Vec2 = vec2(1280.0, 720.0);

/// Returns a window with the curves of node 1, which turns by 90 degrees per second for three seconds and moves for two.
fn open() -> Window {
    let mut session = session();
    let mut loaded = loaded();
    let turn = |quarter: f32| Quat::from_rotation_z(quarter * std::f32::consts::FRAC_PI_2);
    let keys = Keys::Linear([0.0, 1.0, 2.0, 3.0].map(turn).to_vec());
    let track = Track::new(vec![0.0, 1.0, 2.0, 3.0], keys, 1).unwrap();
    let mut parts: ClipParts = loaded.model.clips[0].clone().into_parts();
    parts.channels.push(Channel::Rotation { node: 1, track });
    parts.duration_secs = 3.0;
    loaded.model.clips[0] = Clip::new(parts);
    let effects = session.apply(LoadAction::open("/rigs/turning.glb"));
    finish(&mut session, &effects, Ok(loaded));
    session.apply(Action::TogglePart(WindowPart::Curves));
    session.apply(PlaybackAction::Seek(0.25));
    session.apply(SelectionAction::Select(Some(Item::Node(1))));
    window_of_size(session, SIZE)
}

#[test]
fn a_property_whose_value_was_set_by_hand_is_marked() {
    let mut window = open();
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
    let mut window = open();
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
    use egui_kittest::kittest::NodeT as _;
    assert_eq!(hidden.accesskit_node().toggled(), Some(egui::accesskit::Toggled::False));
}

#[test]
fn without_a_curve_it_says_why() {
    let mut window = open();
    apply(&mut window, SelectionAction::Select(Some(Item::Node(0))));
    assert!(says(&window, "The clip does not move node 0."));
    apply(&mut window, SelectionAction::Select(None));
    assert!(says(&window, "Select a node to see its curves"));
    apply(&mut window, PlaybackAction::SelectClip(None));
    assert!(says(&window, "The rest pose has no curves."));
}

#[test]
fn the_playhead_is_dragged_over_the_curves_and_the_wheel_zooms() {
    let mut window = open();
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
    let wheel = |window: &mut Window, modifiers| {
        window.hover_at(middle);
        window.event(Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: vec2(0.0, 1.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers,
        });
        actions(window)
    };
    let found = wheel(&mut window, Modifiers::NONE);
    let [Action::Timeline(TimelineAction::Show([from, to]))] = found[..] else {
        panic!("{:?}", said(&found))
    };
    assert!(from > 0.0 && to < 3.0);
    // With Ctrl the values zoom, which is no action of the session.
    assert_eq!(said(&wheel(&mut window, Modifiers::CTRL | Modifiers::COMMAND)), [""; 0]);
    assert_eq!(click(&mut window, "Fit the curves"), ["Timeline(ShowAll)"]);
    window.hover_at(pos2(5.0, 5.0));
    assert!(did(&mut window).is_empty());
}
