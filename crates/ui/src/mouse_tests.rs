//! Tests of clicks in the picture.

use egui::{Event, Modifiers, PointerButton, vec2};

use super::tests::{actions, button, window};
use rigview_session::sample::session;
use rigview_session::{Action, PickAction, Purpose};

#[test]
fn clicks_in_the_picture_select_and_drags_do_not() {
    let mut window = window(session());
    let at = window.state().picture.center();
    let asks = |actions: &[Action]| {
        let of = |action: &Action| match action {
            Action::Pick(PickAction::Ask(question)) => Some((question.purpose, question.at)),
            _ => None,
        };
        actions.iter().filter_map(of).collect::<Vec<_>>()
    };
    let primary = PointerButton::Primary;
    for (which, modifiers, by, wanted) in [
        (primary, Modifiers::NONE, 0.0, Some(Purpose::Select)),
        (primary, Modifiers::NONE, 2.0, Some(Purpose::Select)),
        (primary, Modifiers::ALT, 0.0, Some(Purpose::SelectJoint)),
        (primary, Modifiers::NONE, 9.0, None),
        (PointerButton::Secondary, Modifiers::NONE, 0.0, None),
    ] {
        // Far from the click before, so that it is no double click.
        let at = at + vec2(0.0, 10.0 * by);
        window.input_mut().events.extend([
            Event::PointerMoved(at),
            button(at, which, true, modifiers),
            Event::PointerMoved(at + vec2(by, 0.0)),
            button(at + vec2(by, 0.0), which, false, modifiers),
        ]);
        let actions = actions(&mut window);
        let found: Vec<_> = asks(&actions).into_iter().map(|(purpose, _)| purpose).collect();
        assert_eq!(found, wanted.into_iter().collect::<Vec<_>>(), "{by}: {actions:?}");
        // A hand that trembles does not turn the camera.
        assert_eq!(actions.len(), 1 - usize::from(which != primary), "{actions:?}");
    }
}
