//! The panels in a bare egui context: made-up sessions and mouse and keys in, actions out.

use egui::accesskit::{Node, Role};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, Vec2, pos2, vec2};

use super::{Panels, Shown, dress};
use crate::anim::{LocalPose, Repeat, Transform};
use crate::look::Pass;
use crate::session::sample::{bad, finish, loaded, session, session_with};
use crate::session::{
    Action, ClipChoice, ExhibitAction, LoadAction, LookAction, Mark, Session, SessionOptions, Side,
    SightAction,
};

pub(super) const SIZE: Vec2 = vec2(1024.0, 768.0);

/// A context with panels in it, and the names and places of what they showed last.
pub(super) struct Desk {
    pub ctx: egui::Context,
    panels: Panels,
    pub nodes: Vec<Node>,
    pub time: f64,
    size: Vec2,
}

impl Desk {
    pub fn new(session: &Session) -> Self {
        Self::of_size(session, SIZE)
    }

    pub fn of_size(session: &Session, size: Vec2) -> Self {
        let ctx = egui::Context::default();
        dress(&ctx);
        ctx.enable_accesskit();
        let mut desk = Self { ctx, panels: Panels::default(), nodes: Vec::new(), time: 0.0, size };
        // Areas know their size only after a frame.
        desk.frame(session, vec![]);
        desk.frame(session, vec![]);
        desk
    }

    pub fn frame(&mut self, session: &Session, events: Vec<Event>) -> Shown {
        self.time += 0.05;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, self.size)),
            time: Some(self.time),
            events,
            focused: true,
            ..RawInput::default()
        };
        let mut shown = Shown { actions: vec![], picture: Rect::NOTHING };
        let output = self.ctx.run_ui(input, |ui| {
            let pass = self.panels.show(ui, session);
            shown.actions.extend(pass.actions);
            shown.picture = pass.picture;
        });
        let update = output.platform_output.accesskit_update.clone();
        self.nodes = update.map(|u| u.nodes.into_iter().map(|(_, n)| n).collect()).unwrap();
        output.drop_without_applying_deltas();
        shown
    }

    pub fn node(&self, role: Role, name: &str) -> &Node {
        let named = |n: &&Node| n.role() == role && n.label() == Some(name);
        let found = self.nodes.iter().find(named);
        found.unwrap_or_else(|| panic!("no {role:?} {name:?} among {:#?}", self.names()))
    }

    pub fn names(&self) -> Vec<(Role, &str)> {
        self.nodes.iter().filter_map(|n| Some((n.role(), n.label()?))).collect()
    }

    pub fn says(&self, text: &str) -> bool {
        let has = |t: Option<&str>| t.is_some_and(|t| t.contains(text));
        self.nodes.iter().any(|n| has(n.label()) || has(n.value()))
    }

    pub fn place(&self, role: Role, name: &str) -> Pos2 {
        let b = self.node(role, name).bounds().unwrap();
        pos2(0.5 * (b.x0 + b.x1) as f32, 0.5 * (b.y0 + b.y1) as f32)
    }

    pub fn click(&mut self, session: &Session, role: Role, name: &str) -> Vec<Action> {
        let at = self.place(role, name);
        self.click_at(session, at)
    }

    pub fn click_at(&mut self, session: &Session, at: Pos2) -> Vec<Action> {
        let mut actions = self.frame(session, vec![Event::PointerMoved(at)]).actions;
        for pressed in [true, false] {
            let event = button(at, PointerButton::Primary, pressed, Modifiers::NONE);
            actions.extend(self.frame(session, vec![event]).actions);
        }
        actions
    }

    pub fn key(&mut self, session: &Session, key: Key, modifiers: Modifiers) -> Vec<Action> {
        let event =
            |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        let mut actions = self.frame(session, vec![event(true)]).actions;
        actions.extend(self.frame(session, vec![event(false)]).actions);
        actions
    }
}

fn button(pos: Pos2, button: PointerButton, pressed: bool, modifiers: Modifiers) -> Event {
    Event::PointerButton { pos, button, pressed, modifiers }
}

/// Actions by what they print, which tells all of them apart.
pub(super) fn said(actions: &[Action]) -> Vec<String> {
    let text = |action: &Action| match action {
        Action::Exhibit(action) => format!("{action:?}"),
        Action::Sight(action) => format!("{action:?}"),
        Action::Look(action) => format!("{action:?}"),
        other => format!("{other:?}"),
    };
    actions.iter().map(text).collect()
}

#[test]
fn the_list_has_all_clips_with_lengths_and_the_rest_pose() {
    let session = session();
    let mut desk = Desk::new(&session);
    for text in ["walker.glb", "2 joints", "Walk", "歩く", "Clip 2", "Rest pose", "1 warning"] {
        assert!(desk.says(text), "{text}: {:#?}", desk.names());
    }
    assert!(desk.says("2.00 s") && desk.says("0.000 / 2.000 s") && desk.says("frame  0 / 60"));
    let at = desk.nodes.iter().find(|n| n.label().is_some_and(|l| l.starts_with("歩く")));
    let b = at.unwrap().bounds().unwrap();
    let actions = desk.click_at(&session, pos2(b.x0 as f32 + 20.0, b.y0 as f32 + 5.0));
    assert_eq!(said(&actions), ["SelectClip(Some(1))"]);
    let actions = desk.click(&session, Role::Button, "Rest pose");
    assert_eq!(said(&actions), ["SelectClip(None)"]);
}

#[test]
fn the_transports_buttons_do_what_they_say() {
    let mut session = session();
    let mut desk = Desk::new(&session);
    for (name, wanted) in [
        ("Pause", Action::Exhibit(ExhibitAction::TogglePlay)),
        ("First frame", Action::Exhibit(ExhibitAction::Seek(0.0))),
        ("Last frame", Action::Exhibit(ExhibitAction::Seek(2.0))),
        ("Step back", Action::Exhibit(ExhibitAction::StepFrames(-1))),
        ("Step on", Action::Exhibit(ExhibitAction::StepFrames(1))),
        ("Ping-pong", Action::Exhibit(ExhibitAction::SetRepeat(Repeat::PingPong))),
        ("Once", Action::Exhibit(ExhibitAction::SetRepeat(Repeat::Once))),
    ] {
        let actions = desk.click(&session, Role::Button, name);
        assert_eq!(said(&actions), said(&[wanted]), "{name}");
    }
    session.apply(ExhibitAction::TogglePlay);
    desk.frame(&session, vec![]);
    desk.node(Role::Button, "Play");
}

#[test]
fn the_time_bar_seeks_while_the_clip_plays() {
    let mut session = session();
    let mut desk = Desk::new(&session);
    let b = desk.node(Role::Slider, "Time").bounds().unwrap();
    assert!(b.width() > 0.9 * f64::from(SIZE.x), "{b:?}");
    let at = pos2((b.x0 + 0.75 * b.width()) as f32, 0.5 * (b.y0 + b.y1) as f32);
    let actions = desk.click_at(&session, at);
    let Some(Action::Exhibit(ExhibitAction::Seek(time))) = actions.first() else {
        panic!("{actions:?}")
    };
    assert!((time - 1.5).abs() < 0.02, "{time}");
    // Playing moves it.
    session.apply(Action::Advance(1.0));
    desk.frame(&session, vec![]);
    assert!(desk.says("1.000 / 2.000 s"), "{:#?}", desk.names());
}

#[test]
fn in_and_out_points_are_set_by_keys_and_pulled_on_the_bar() {
    let mut session = session();
    let mut desk = Desk::new(&session);
    assert!(!desk.names().iter().any(|(_, name)| *name == "In point"));
    session.apply(ExhibitAction::Seek(0.5));
    for (key, modifiers, wanted) in [
        (Key::I, Modifiers::NONE, "SetMark(In, Some(0.5))"),
        (Key::O, Modifiers::NONE, "SetMark(Out, Some(0.5))"),
        (Key::I, Modifiers::SHIFT, "SetMark(In, None)"),
        (Key::O, Modifiers::SHIFT, "SetMark(Out, None)"),
    ] {
        assert_eq!(said(&desk.key(&session, key, modifiers)), [wanted]);
    }
    session.apply(ExhibitAction::SetMark(Mark::In, Some(0.5)));
    session.apply(ExhibitAction::SetMark(Mark::Out, Some(1.5)));
    for _ in 0..2 {
        desk.frame(&session, vec![]);
    }
    let bar = desk.node(Role::Slider, "Time").bounds().unwrap();
    let from = desk.place(Role::Slider, "Out point");
    assert!((f64::from(from.x) - bar.x0 - 0.75 * bar.width()).abs() < 10.0);
    let to = pos2((bar.x0 + 0.625 * bar.width()) as f32, from.y);
    let mut actions = Vec::new();
    for event in [
        Event::PointerMoved(from),
        button(from, PointerButton::Primary, true, Modifiers::NONE),
        Event::PointerMoved(to),
        Event::PointerMoved(to),
        button(to, PointerButton::Primary, false, Modifiers::NONE),
    ] {
        actions.extend(desk.frame(&session, vec![event]).actions);
    }
    let Some(Action::Exhibit(ExhibitAction::SetMark(Mark::Out, Some(secs)))) = actions.last()
    else {
        panic!("{actions:?}")
    };
    assert!((secs - 1.25).abs() < 0.02, "{secs}");
    assert!(
        actions.iter().all(|a| matches!(a, Action::Exhibit(ExhibitAction::SetMark(..)))),
        "{actions:?}"
    );
}

#[test]
fn without_a_clip_the_transport_is_there_and_disabled() {
    let rest = SessionOptions { clip: ClipChoice::Rest, ..SessionOptions::default() };
    for session in [session_with(rest), Session::new(SessionOptions::default())] {
        let mut desk = Desk::new(&session);
        assert!(desk.node(Role::Button, "Play").is_disabled());
        assert_eq!(said(&desk.click(&session, Role::Button, "Play")), [""; 0]);
        assert!(desk.node(Role::Slider, "Time").is_disabled());
        // Tab goes past what is disabled.
        desk.key(&session, Key::Tab, Modifiers::NONE);
        assert_eq!(said(&desk.key(&session, Key::Space, Modifiers::NONE)), ["AskForFile"]);
    }
}

#[test]
fn drags_over_the_picture_orbit_and_pan_and_the_wheel_zooms() {
    let session = session();
    let mut desk = Desk::new(&session);
    let picture = desk.frame(&session, vec![]).picture;
    let at = picture.center();
    let to = at + vec2(0.1 * picture.height(), 0.0);
    for (which, modifiers, word) in [
        (PointerButton::Primary, Modifiers::NONE, "Orbit"),
        (PointerButton::Primary, Modifiers::SHIFT, "Pan"),
        (PointerButton::Secondary, Modifiers::NONE, "Pan"),
        (PointerButton::Middle, Modifiers::NONE, "Pan"),
    ] {
        // All in one frame, as on a slow machine.
        let events = vec![
            Event::PointerMoved(at),
            button(at, which, true, modifiers),
            Event::PointerMoved(to),
            button(to, which, false, modifiers),
            Event::PointerMoved(at),
        ];
        let actions = said(&desk.frame(&session, events).actions);
        assert_eq!(actions.len(), 1, "{actions:?}");
        assert!(actions[0].starts_with(word) && actions[0].contains("0.1"), "{actions:?}");
    }
    let wheel = |y| Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: vec2(0.0, y),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    };
    let actions = desk.frame(&session, vec![Event::PointerMoved(at), wheel(1.0)]).actions;
    assert!(
        matches!(actions[..], [Action::Sight(SightAction::Zoom { factor, .. })] if factor < 1.0),
        "{actions:?}"
    );
    // Over a panel the mouse is the panel's.
    let over = desk.place(Role::Button, "Rest pose");
    let events = vec![Event::PointerMoved(over), wheel(1.0)];
    assert_eq!(said(&desk.frame(&session, events).actions), [""; 0]);
}

#[test]
fn keys_are_the_contracts() {
    let session = session();
    let mut desk = Desk::new(&session);
    let (none, shift, ctrl) =
        (Modifiers::NONE, Modifiers::SHIFT, Modifiers::CTRL | Modifiers::COMMAND);
    for (key, modifiers, wanted) in [
        (Key::Space, none, Action::Exhibit(ExhibitAction::TogglePlay)),
        (Key::ArrowLeft, none, Action::Exhibit(ExhibitAction::StepFrames(-1))),
        (Key::ArrowRight, none, Action::Exhibit(ExhibitAction::StepFrames(1))),
        (Key::ArrowUp, none, Action::Exhibit(ExhibitAction::StepFrames(10))),
        (Key::ArrowDown, none, Action::Exhibit(ExhibitAction::StepFrames(-10))),
        (Key::ArrowLeft, shift, Action::Exhibit(ExhibitAction::StepKeys(-1))),
        (Key::ArrowRight, shift, Action::Exhibit(ExhibitAction::StepKeys(1))),
        (Key::Home, none, Action::Exhibit(ExhibitAction::Seek(0.0))),
        (Key::End, none, Action::Exhibit(ExhibitAction::Seek(2.0))),
        (Key::OpenBracket, none, Action::Exhibit(ExhibitAction::PreviousClip)),
        (Key::CloseBracket, none, Action::Exhibit(ExhibitAction::NextClip)),
        (Key::W, none, Action::Exhibit(ExhibitAction::NextClip)),
        (Key::F, none, Action::Sight(SightAction::FrameAll)),
        (Key::R, none, Action::Sight(SightAction::ResetCamera)),
        (Key::Num1, none, Action::Sight(SightAction::LookFrom(Side::Front))),
        (Key::Num3, none, Action::Sight(SightAction::LookFrom(Side::Right))),
        (Key::Num7, none, Action::Sight(SightAction::LookFrom(Side::Top))),
        (Key::Num5, none, Action::Sight(SightAction::ToggleOrthographic)),
        (Key::K, none, Action::Look(LookAction::ToggleSkeleton)),
        (Key::N, none, Action::Look(LookAction::ToggleJointNames)),
        (Key::G, none, Action::Look(LookAction::ToggleGrid)),
        (Key::X, none, Action::Look(LookAction::ToggleAxes)),
        (Key::B, none, Action::Look(LookAction::ToggleBounds)),
        (Key::V, none, Action::Look(LookAction::NextPass)),
        (Key::U, none, Action::TogglePanels),
        (Key::H, none, Action::ToggleHelp),
        (Key::Questionmark, shift, Action::ToggleHelp),
        (Key::O, ctrl, Action::AskForFile),
        (Key::F5, none, Action::Load(LoadAction::Reload)),
        (Key::F11, none, Action::ToggleFullScreen),
        (Key::Escape, none, Action::Escape),
    ] {
        assert_eq!(said(&desk.key(&session, key, modifiers)), said(&[wanted]), "{key:?}");
    }
    assert_eq!(said(&desk.key(&session, Key::F, ctrl)), [""; 0]);
}

#[test]
fn space_plays_after_a_click_and_presses_the_button_that_tab_reached() {
    let session = session();
    let mut desk = Desk::new(&session);
    desk.click(&session, Role::Button, "Reset");
    assert_eq!(said(&desk.key(&session, Key::Space, Modifiers::NONE)), ["TogglePlay"]);
    desk.click(&session, Role::Slider, "Time");
    assert_eq!(said(&desk.key(&session, Key::ArrowRight, Modifiers::NONE)), ["StepFrames(1)"]);
    // The first thing that Tab reaches is on the transport.
    desk.key(&session, Key::Tab, Modifiers::NONE);
    assert!(desk.ctx.memory(|m| m.focused()).is_some());
    assert_eq!(said(&desk.key(&session, Key::Space, Modifiers::NONE)), [""; 0]);
    assert_eq!(said(&desk.key(&session, Key::ArrowRight, Modifiers::NONE)), ["StepFrames(1)"]);
    desk.key(&session, Key::Tab, Modifiers::NONE);
    assert_eq!(said(&desk.key(&session, Key::Space, Modifiers::NONE)), ["Seek(0.0)"]);
    assert_eq!(said(&desk.key(&session, Key::K, Modifiers::NONE)), ["ToggleSkeleton"]);
    // A click elsewhere ends it.
    desk.click_at(&session, pos2(700.0, 300.0));
    assert_eq!(said(&desk.key(&session, Key::Space, Modifiers::NONE)), ["TogglePlay"]);
}

#[test]
fn a_bad_file_is_said_and_can_be_dismissed() {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/bad.glb"));
    let mut desk = Desk::new(&session);
    assert!(desk.says("Loading bad.glb"));
    finish(&mut session, &effects, bad());
    for _ in 0..2 {
        desk.frame(&session, vec![]);
    }
    assert!(desk.says("Can't open bad.glb") && desk.says("joint 9 of 2 at /skins/0/joints/1"));
    assert_eq!(said(&desk.click(&session, Role::Button, "Dismiss")), ["Dismiss"]);
}

#[test]
fn without_panels_the_picture_has_all_the_room() {
    let mut session = session();
    session.apply(Action::TogglePanels);
    let mut desk = Desk::new(&session);
    assert_eq!(desk.frame(&session, vec![]).picture, Rect::from_min_size(Pos2::ZERO, SIZE));
    assert!(!desk.says("Rest pose"));
    session.apply(Action::ToggleHelp);
    desk.frame(&session, vec![]);
    desk.frame(&session, vec![]);
    assert!(desk.says("frame the model"));
}

#[test]
fn the_pass_is_chosen_from_a_list() {
    let session = session();
    let mut desk = Desk::new(&session);
    let at = desk.nodes.iter().find(|n| n.role() == Role::ComboBox && n.value() == Some("Shaded"));
    let b = at.unwrap_or_else(|| panic!("{:#?}", desk.nodes)).bounds().unwrap();
    let at = pos2(0.5 * (b.x0 + b.x1) as f32, 0.5 * (b.y0 + b.y1) as f32);
    desk.click_at(&session, at);
    desk.frame(&session, vec![]);
    let actions = desk.click(&session, Role::Button, "Normals");
    assert_eq!(said(&actions), said(&[Action::Look(LookAction::SetPass(Pass::Normal))]));
}

#[test]
fn what_seems_to_lie_is_told_and_stood_up_by_a_click() {
    let mut session = session();
    assert!(!Desk::new(&session).says("lie on its back"));
    let mut lying = loaded();
    lying.model.nodes[0].name = Some("foot".into());
    lying.model.nodes[1].name = Some("Head".into());
    let up = Transform { translation: glam::Vec3::Z, ..Transform::IDENTITY };
    lying.model.rest = LocalPose::new(vec![Transform::IDENTITY, up], &[vec![], vec![]]);
    let effects = session.apply(LoadAction::open("/rigs/lying.glb"));
    finish(&mut session, &effects, Ok(lying));
    let mut desk = Desk::new(&session);
    assert!(desk.says("It seems to lie on its back."));
    let actions = desk.click(&session, Role::Button, "Stand up");
    assert_eq!(said(&actions), ["ToggleStoodUp"]);
    session.apply(ExhibitAction::ToggleStoodUp);
    desk.frame(&session, vec![]);
    assert!(!desk.says("lie on its back"));
    let actions = desk.click(&session, Role::Button, "As in the file");
    assert_eq!(said(&actions), ["ToggleStoodUp"]);
}

#[test]
fn nothing_asks_for_frames_when_nothing_happens() {
    let mut session = session();
    session.apply(ExhibitAction::TogglePlay);
    let mut desk = Desk::new(&session);
    for _ in 0..3 {
        desk.frame(&session, vec![]);
    }
    assert!(!desk.ctx.has_requested_repaint());
}
