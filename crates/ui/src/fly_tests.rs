//! Tests of keys and mouse that fly.

use egui::{Event, Key, Modifiers, PointerButton, vec2};
use glam::DVec3;

use super::tests::{Window, actions, button, press, said, window};
use rigview_session::sample::session;

fn key(window: &mut Window, key: Key, pressed: bool) -> Vec<String> {
    let modifiers = Modifiers::NONE;
    let event = Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
    window.input_mut().events.push(event);
    said(&actions(window))
}

#[test]
fn keys_fly_only_while_the_right_button_is_held() {
    let mut window = window(session());
    assert_eq!(press(&mut window, Key::W, Modifiers::NONE), ["Pose(SetTool(Move))"]);
    let at = window.state().picture.center();
    let right = |pressed| button(at, PointerButton::Secondary, pressed, Modifiers::NONE);
    window.input_mut().events.extend([Event::PointerMoved(at), right(true)]);
    assert_eq!(said(&actions(&mut window)), [""; 0]);
    let flies = |x, y, z| vec![format!("SetFlight({:?})", DVec3::new(x, y, z))];
    assert_eq!(key(&mut window, Key::W, true), flies(0.0, 0.0, 1.0));
    assert_eq!(key(&mut window, Key::D, true), flies(1.0, 0.0, 1.0));
    window.input_mut().events.push(Event::PointerMoved(at + vec2(40.0, 0.0)));
    let turned = said(&actions(&mut window));
    assert!(turned.len() == 1 && turned[0].starts_with("LookAround("), "{turned:?}");
    assert_eq!(key(&mut window, Key::W, false), flies(1.0, 0.0, 0.0));
    window.input_mut().events.push(right(false));
    assert_eq!(said(&actions(&mut window)), flies(0.0, 0.0, 0.0));
    assert_eq!(key(&mut window, Key::D, false), [""; 0]);
    assert_eq!(press(&mut window, Key::W, Modifiers::NONE), ["Pose(SetTool(Move))"]);
}
