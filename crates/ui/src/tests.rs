//! Tests of the panels without a window: sessions and input in, actions out.

mod banner;
mod compared;
mod inspector;
mod keyboard;
mod layout;
mod timeline;
mod tree;
mod view;

use egui::accesskit::Role;
use egui::{
    Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, Rect, Ui, Vec2, pos2, vec2,
};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, Node};

use super::{Panels, set_style};
use rigview_anim::Repeat;
use rigview_import::Loaded;
use rigview_look::Pass;
use rigview_model::Model;
use rigview_session::sample::{bad, finish, loaded, session, session_with};
use rigview_session::{
    Action, Blending, CameraAction, ClipChoice, DesktopAction, Destination, FileQuestion,
    FileSource, LayerSettings, LoadAction, LookAction, Mark, PickAction, PlaybackAction,
    PoseAction, Purpose, Session, SessionOptions, Side, Tool, WindowPart,
};

pub(super) const SIZE: Vec2 = vec2(1024.0, 768.0);

/// The panels with the session that they show. Actions are kept and not applied.
pub(super) struct Contents {
    pub session: Session,
    pub panels: Panels,
    actions: Vec<Action>,
    /// The room for the picture.
    pub picture: Rect,
}

/// Returns a session that shows a changed sample.
pub(super) fn changed(change: impl FnOnce(&mut Model)) -> Session {
    let mut file = loaded();
    change(&mut file.model);
    showing(file)
}

/// Returns a session that shows a file.
pub(super) fn showing(file: Loaded) -> Session {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/changed.glb"));
    finish(&mut session, &effects, Ok(file));
    session
}

/// Opens parts of the window that are closed, and closes those that are open.
pub(super) fn toggle(session: &mut Session, parts: &[WindowPart]) {
    parts.iter().for_each(|part| drop(session.apply(Action::TogglePart(*part))));
}

/// The panels in a window without pixels.
pub(super) type Window = Harness<'static, Contents>;

pub(super) fn window(session: Session) -> Window {
    window_of_size(session, SIZE)
}

pub(super) fn window_of_size(session: Session, size: Vec2) -> Window {
    let panels = Panels::default();
    let contents = Contents { session, panels, actions: Vec::new(), picture: Rect::NOTHING };
    Harness::builder()
        .with_size(size)
        .with_max_steps(200)
        // Names of the sample have characters that the built-in fonts lack.
        .allow_missing_glyphs()
        .with_context_setup(set_style)
        .build_ui_state(panels_ui, contents)
}

fn panels_ui(ui: &mut Ui, contents: &mut Contents) {
    // The harness leaves a margin around its contents, which the window does not have.
    let whole = ui.ctx().content_rect();
    ui.scope_builder(egui::UiBuilder::new().max_rect(whole), |ui| {
        ui.set_clip_rect(whole);
        let shown = contents.panels.show(ui, &contents.session);
        contents.actions.extend(shown.actions);
        contents.picture = shown.picture;
    });
}

/// Runs frames until the panels settle, and returns the actions since the last call.
#[track_caller]
pub(super) fn actions(window: &mut Window) -> Vec<Action> {
    window.run();
    let mut actions = std::mem::take(&mut window.state_mut().actions);
    actions.retain(|action| !is_name(action));
    actions
}

/// Whether the action asks for the name of what is under the pointer, which it does wherever the pointer moves.
fn is_name(action: &Action) -> bool {
    let Action::Pick(PickAction::Ask(question)) = action else { return false };
    question.purpose == Purpose::Name
}

/// Runs frames until the panels settle, and returns the debug text of the actions since the last call.
#[track_caller]
pub(super) fn did(window: &mut Window) -> Vec<String> {
    said(&actions(window))
}

/// Returns the debug text of actions, to compare them.
pub(super) fn said(actions: &[Action]) -> Vec<String> {
    let text = |action: &Action| match action {
        Action::Playback(action) => format!("{action:?}"),
        Action::ViewCamera(action) => format!("{action:?}"),
        Action::Look(action) => format!("{action:?}"),
        other => format!("{other:?}"),
    };
    actions.iter().map(text).collect()
}

/// Applies an action to the session and shows the result.
pub(super) fn apply(window: &mut Window, action: impl Into<Action>) {
    window.state_mut().session.apply(action);
    window.run();
}

/// Clicks the only control of this name.
#[track_caller]
pub(super) fn click(window: &mut Window, name: &str) -> Vec<String> {
    control(window, name).click();
    did(window)
}

/// Returns the only control of this name.
#[track_caller]
pub(super) fn control<'a>(window: &'a Window, name: &'a str) -> Node<'a> {
    window.get_by(move |node| {
        egui::accessibility::is_input(node.role()) && node.label().as_deref() == Some(name)
    })
}

pub(super) fn click_at(window: &mut Window, at: Pos2) -> Vec<Action> {
    window.hover_at(at);
    window.drag_at(at);
    window.drop_at(at);
    actions(window)
}

pub(super) fn press(window: &mut Window, key: Key, modifiers: Modifiers) -> Vec<String> {
    window.key_press_modifiers(modifiers, key);
    did(window)
}

/// Whether a name or a value contains this text.
pub(super) fn says(window: &Window, text: &str) -> bool {
    let has = |own: Option<String>| own.is_some_and(|own| own.contains(text));
    let nodes = window.root().children_recursive().map(|node| node.accesskit_node());
    nodes.into_iter().any(|node| has(node.label()) || has(node.value()))
}

/// Returns the texts that the last frame has painted.
pub(super) fn painted(window: &Window) -> Vec<String> {
    fn collect(shape: &egui::Shape, texts: &mut Vec<String>) {
        match shape {
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, texts)),
            egui::Shape::Text(text) => texts.push(text.galley.text().to_owned()),
            _ => {}
        }
    }
    let mut texts = Vec::new();
    window.output().shapes.iter().for_each(|clipped| collect(&clipped.shape, &mut texts));
    texts
}

pub(super) fn button(
    pos: Pos2,
    button: PointerButton,
    pressed: bool,
    modifiers: Modifiers,
) -> Event {
    Event::PointerButton { pos, button, pressed, modifiers }
}

/// Returns a turn of the wheel, in lines or points.
pub(super) fn wheel(unit: MouseWheelUnit, by: f32, modifiers: Modifiers) -> Event {
    let (phase, source) = (egui::TouchPhase::Move, egui::MouseWheelSource::Unknown);
    Event::MouseWheel { unit, delta: vec2(0.0, by), phase, source, modifiers }
}

#[test]
fn the_list_has_all_clips_with_lengths_and_the_rest_pose() {
    let mut window = window(session());
    for text in ["walker.glb", "2 joints", "Walk", "歩く", "Clip 2", "Rest pose", "1 error"] {
        assert!(says(&window, text), "{text}: {window:#?}");
    }
    assert!(says(&window, "2.00 s") && says(&window, "0.000 / 2.000 s"));
    assert!(says(&window, "frame  0 / 60"));
    assert_eq!(click(&mut window, "歩く"), ["SelectClip(Some(1))"]);
    assert_eq!(click(&mut window, "Rest pose"), ["SelectClip(None)"]);
}

#[test]
fn the_transports_buttons_do_what_they_say() {
    let mut window = window(session());
    for (name, wanted) in [
        ("Pause", PlaybackAction::TogglePlay),
        ("First frame", PlaybackAction::Seek(0.0)),
        ("Last frame", PlaybackAction::Seek(2.0)),
        ("Step back", PlaybackAction::StepFrames(-1)),
        ("Step on", PlaybackAction::StepFrames(1)),
        ("Ping-pong", PlaybackAction::SetRepeat(Repeat::PingPong)),
        ("Once", PlaybackAction::SetRepeat(Repeat::Once)),
    ] {
        assert_eq!(click(&mut window, name), [format!("{wanted:?}")], "{name}");
    }
    apply(&mut window, PlaybackAction::TogglePlay);
    control(&window, "Play");
}

#[test]
fn the_time_bar_seeks_while_the_clip_plays() {
    let mut window = window(session());
    let bar = control(&window, "Time").rect();
    assert!(bar.width() > 0.9 * SIZE.x, "{bar:?}");
    let at = pos2(bar.left() + 0.75 * bar.width(), bar.center().y);
    let actions = click_at(&mut window, at);
    let Some(Action::Playback(PlaybackAction::Seek(time))) = actions.first() else {
        panic!("{actions:?}")
    };
    assert!((time - 1.5).abs() < 0.02, "{time}");
    // The playhead moves while the clip plays.
    apply(&mut window, Action::Advance(1.0));
    assert!(says(&window, "1.000 / 2.000 s"), "{window:#?}");
}

#[test]
fn in_and_out_points_are_set_by_keys_and_dragged_on_the_bar() {
    let mut window = window(session());
    assert!(!says(&window, "In point"));
    apply(&mut window, PlaybackAction::Seek(0.5));
    for (key, modifiers, wanted) in [
        (Key::I, Modifiers::NONE, "SetMark(In, Some(0.5))"),
        (Key::O, Modifiers::NONE, "SetMark(Out, Some(0.5))"),
        (Key::I, Modifiers::SHIFT, "SetMark(In, None)"),
        (Key::O, Modifiers::SHIFT, "SetMark(Out, None)"),
    ] {
        assert_eq!(press(&mut window, key, modifiers), [wanted]);
    }
    apply(&mut window, PlaybackAction::SetMark(Mark::In, Some(0.5)));
    apply(&mut window, PlaybackAction::SetMark(Mark::Out, Some(1.5)));
    let bar = control(&window, "Time").rect();
    let from = control(&window, "Out point").rect().center();
    assert!((from.x - bar.left() - 0.75 * bar.width()).abs() < 10.0);
    let to = pos2(bar.left() + 0.625 * bar.width(), from.y);
    window.hover_at(from);
    window.drag_at(from);
    window.hover_at(to);
    window.hover_at(to);
    window.drop_at(to);
    let actions = actions(&mut window);
    let Some(Action::Playback(PlaybackAction::SetMark(Mark::Out, Some(secs)))) = actions.last()
    else {
        panic!("{actions:?}")
    };
    assert!((secs - 1.25).abs() < 0.02, "{secs}");
    let is_mark = |action: &Action| matches!(action, Action::Playback(PlaybackAction::SetMark(..)));
    assert!(actions.iter().all(is_mark), "{actions:?}");
}

#[test]
fn without_a_clip_the_transport_is_there_and_disabled() {
    let rest = SessionOptions { clip: ClipChoice::Rest, ..SessionOptions::default() };
    for session in [session_with(rest), Session::new(SessionOptions::default())] {
        let mut window = window(session);
        assert!(control(&window, "Play").accesskit_node().is_disabled());
        assert!(control(&window, "Time").accesskit_node().is_disabled());
        assert_eq!(click(&mut window, "Play"), [""; 0]);
        // Tab skips disabled widgets; the menu of the parts is never disabled.
        press(&mut window, Key::Tab, Modifiers::NONE);
        press(&mut window, Key::Tab, Modifiers::NONE);
        assert_eq!(press(&mut window, Key::Space, Modifiers::NONE), ["Ask(Open(Shown))"]);
    }
}

#[test]
fn layers_over_the_rest_pose_are_played_and_paused() {
    let rest = SessionOptions { clip: ClipChoice::Rest, ..SessionOptions::default() };
    let mut window = window(session_with(rest));
    let layer = LayerSettings { clip: 0, weight: 1.0, blending: Blending::Mean, joint: None };
    apply(&mut window, PlaybackAction::SetLayers(vec![layer]));
    assert_eq!(click(&mut window, "Pause"), ["TogglePlay"]);
    apply(&mut window, PlaybackAction::SetSpeed(0.0));
    assert!(!control(&window, "Speed").accesskit_node().is_disabled());
    assert!(
        control(&window, "Step on").accesskit_node().is_disabled(),
        "there is no time to go to"
    );
}

#[test]
fn every_speed_that_can_be_set_is_shown_as_it_is() {
    let mut window = window(session());
    for speed in [-1.0, 16.0] {
        apply(&mut window, PlaybackAction::SetSpeed(speed));
        assert_eq!(did(&mut window), [""; 0]);
        assert_eq!(window.state().session.playback().player().speed, speed);
        assert!(says(&window, &format!("{speed:.1}")), "{speed}");
    }
}

#[test]
fn drags_over_the_picture_orbit_and_pan_and_the_wheel_zooms() {
    let mut window = window(session());
    let picture = window.state().picture;
    let at = picture.center();
    let to = at + vec2(0.1 * picture.height(), 0.0);
    for (which, modifiers, word) in [
        (PointerButton::Primary, Modifiers::NONE, "Orbit"),
        (PointerButton::Primary, Modifiers::SHIFT, "Pan"),
        (PointerButton::Secondary, Modifiers::NONE, "Pan"),
        (PointerButton::Middle, Modifiers::NONE, "Pan"),
    ] {
        // All events are in one frame, as on a slow machine.
        window.input_mut().events.extend([
            Event::PointerMoved(at),
            button(at, which, true, modifiers),
            Event::PointerMoved(to),
            button(to, which, false, modifiers),
            Event::PointerMoved(at),
        ]);
        let actions = did(&mut window);
        assert_eq!(actions.len(), 1, "{actions:?}");
        assert!(actions[0].starts_with(word) && actions[0].contains("0.1"), "{actions:?}");
    }
    window.hover_at(at);
    window.event(wheel(MouseWheelUnit::Line, 1.0, Modifiers::NONE));
    let zoom = actions(&mut window);
    assert!(
        matches!(zoom[..], [Action::ViewCamera(CameraAction::Zoom { factor, .. })] if factor < 1.0),
        "{zoom:?}"
    );
    // Over a panel, the wheel scrolls the panel.
    control(&window, "Rest pose").hover();
    window.event(wheel(MouseWheelUnit::Line, 1.0, Modifiers::NONE));
    assert_eq!(did(&mut window), [""; 0]);
}

#[test]
fn keys_are_the_contracts() {
    let mut window = window(session());
    let (none, shift, ctrl) =
        (Modifiers::NONE, Modifiers::SHIFT, Modifiers::CTRL | Modifiers::COMMAND);
    for (key, modifiers, wanted) in [
        (Key::Space, none, Action::Playback(PlaybackAction::TogglePlay)),
        (Key::ArrowLeft, none, Action::Playback(PlaybackAction::StepFrames(-1))),
        (Key::ArrowRight, none, Action::Playback(PlaybackAction::StepFrames(1))),
        (Key::ArrowUp, none, Action::Playback(PlaybackAction::StepFrames(10))),
        (Key::ArrowDown, none, Action::Playback(PlaybackAction::StepFrames(-10))),
        (Key::ArrowLeft, shift, Action::Playback(PlaybackAction::StepKeys(-1))),
        (Key::ArrowRight, shift, Action::Playback(PlaybackAction::StepKeys(1))),
        (Key::Home, none, Action::Playback(PlaybackAction::Seek(0.0))),
        (Key::End, none, Action::Playback(PlaybackAction::Seek(2.0))),
        (Key::OpenBracket, none, Action::Playback(PlaybackAction::PreviousClip)),
        (Key::CloseBracket, none, Action::Playback(PlaybackAction::NextClip)),
        (Key::Q, none, PoseAction::SetTool(Tool::Select).into()),
        (Key::W, none, PoseAction::SetTool(Tool::Move).into()),
        (Key::E, none, PoseAction::SetTool(Tool::Rotate).into()),
        (Key::R, none, PoseAction::SetTool(Tool::Scale).into()),
        (Key::F, none, Action::FrameSelection),
        (Key::F, shift, Action::ViewCamera(CameraAction::FrameAll)),
        (Key::F, ctrl | shift, Action::ViewCamera(CameraAction::FramePose)),
        (Key::F, ctrl, DesktopAction::FindNode.into()),
        (Key::Num0, none, Action::ViewCamera(CameraAction::ResetCamera)),
        (Key::Num1, ctrl, Action::ViewCamera(CameraAction::LookFrom(Side::Back))),
        (Key::Num3, ctrl, Action::ViewCamera(CameraAction::LookFrom(Side::Left))),
        (Key::Num7, ctrl, Action::ViewCamera(CameraAction::LookFrom(Side::Bottom))),
        (Key::F1, none, Action::ToggleHelp),
        (Key::Num1, none, Action::ViewCamera(CameraAction::LookFrom(Side::Front))),
        (Key::Num3, none, Action::ViewCamera(CameraAction::LookFrom(Side::Right))),
        (Key::Num7, none, Action::ViewCamera(CameraAction::LookFrom(Side::Top))),
        (Key::Num5, none, Action::ViewCamera(CameraAction::ToggleOrthographic)),
        (Key::K, none, Action::Look(LookAction::ToggleSkeleton)),
        (Key::N, none, Action::Look(LookAction::ToggleJointNames)),
        (Key::M, none, Action::Look(LookAction::ToggleTrail)),
        (Key::G, none, Action::Look(LookAction::ToggleGrid)),
        (Key::X, none, Action::Look(LookAction::ToggleAxes)),
        (Key::B, none, Action::Look(LookAction::ToggleBounds)),
        (Key::V, none, Action::Look(LookAction::NextPass)),
        (Key::U, none, Action::TogglePanels),
        (Key::H, none, Action::ToggleHelp),
        (Key::Questionmark, shift, Action::ToggleHelp),
        (Key::O, ctrl, Action::Ask(FileQuestion::Open(Destination::Shown))),
        (Key::PageUp, none, Action::Load(LoadAction::StepFiles(-1))),
        (Key::PageDown, none, Action::Load(LoadAction::StepFiles(1))),
        (Key::F5, none, Action::Load(LoadAction::Reload)),
        (Key::F11, none, Action::ToggleFullScreen),
        (Key::Q, ctrl, Action::Quit),
        (Key::F12, none, Action::SavePicture { bare: false }),
        (Key::F12, ctrl, Action::SavePicture { bare: true }),
        (Key::C, ctrl, Action::CopyPicture),
        (Key::Escape, none, Action::Escape),
    ] {
        assert_eq!(press(&mut window, key, modifiers), said(&[wanted]), "{key:?}");
    }
    assert_eq!(press(&mut window, Key::G, ctrl), [""; 0]);
    // The window reports keys of the clipboard in another way.
    window.event(egui::Event::Copy);
    window.run();
    assert_eq!(did(&mut window), said(&[Action::CopyPicture]));
    window.event(egui::Event::Cut);
    window.run();
    assert_eq!(did(&mut window), [""; 0]);
}

#[test]
fn space_plays_after_a_click_and_presses_the_button_that_tab_reached() {
    let mut window = window(session());
    let key = |window: &mut Window, key: Key| press(window, key, Modifiers::NONE);
    click(&mut window, "Reset");
    assert_eq!(key(&mut window, Key::Space), ["TogglePlay"]);
    click(&mut window, "Time");
    assert_eq!(key(&mut window, Key::ArrowRight), ["StepFrames(1)"]);
    // The first widget that Tab reaches is on the transport.
    key(&mut window, Key::Tab);
    assert!(control(&window, "Time").is_focused());
    assert_eq!(key(&mut window, Key::Space), [""; 0]);
    assert_eq!(key(&mut window, Key::ArrowRight), ["StepFrames(1)"]);
    key(&mut window, Key::Tab);
    assert_eq!(key(&mut window, Key::Space), ["Seek(0.0)"]);
    assert_eq!(key(&mut window, Key::K), ["ToggleSkeleton"]);
    // A click elsewhere removes the focus.
    click_at(&mut window, pos2(700.0, 300.0));
    assert_eq!(key(&mut window, Key::Space), ["TogglePlay"]);
}

#[test]
fn a_bad_file_is_said_and_can_be_dismissed() {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/bad.glb"));
    let mut window = window(session);
    assert!(says(&window, "Loading bad.glb"));
    finish(&mut window.state_mut().session, &effects, bad());
    window.run();
    assert!(says(&window, "Can't open bad.glb"));
    assert!(says(&window, "joint 9 of 2 at /skins/0/joints/1"));
    assert_eq!(click(&mut window, "Dismiss"), ["Dismiss"]);
}

#[test]
fn a_failure_says_what_the_file_was_wanted_for() {
    for (destination, title) in [
        (Destination::Shown, "Can't open bad.glb"),
        (Destination::Beside, "Can't compare with bad.glb"),
        (Destination::Clips, "Can't take clips from bad.glb"),
        (Destination::Light, "Can't light the model with bad.glb"),
    ] {
        let mut session = session();
        let source = FileSource::Path("/rigs/bad.glb".into());
        let effects = session.apply(LoadAction::Open(source, destination));
        finish(&mut session, &effects, bad());
        assert!(says(&window(session), title), "{destination:?}");
    }
}

#[test]
fn without_panels_the_picture_has_all_the_room() {
    let mut session = session();
    session.apply(Action::TogglePanels);
    let mut window = window(session);
    assert_eq!(window.state().picture, Rect::from_min_size(Pos2::ZERO, SIZE));
    assert!(!says(&window, "Rest pose"));
    apply(&mut window, Action::ToggleHelp);
    assert!(says(&window, "frame the model"));
}

#[test]
fn the_pass_is_chosen_from_a_list() {
    let mut window = window(session());
    assert_eq!(window.get_by_role_and_label(Role::ComboBox, "Shows").value().unwrap(), "Shaded");
    click(&mut window, "Shows");
    let wanted = LookAction::SetPass(Pass::Normal);
    assert_eq!(click(&mut window, "Normals"), [format!("{wanted:?}")]);
}

#[test]
fn nothing_asks_for_frames_when_nothing_happens() {
    let mut session = session();
    session.apply(PlaybackAction::TogglePlay);
    let window = window(session);
    assert!(!window.ctx.has_requested_repaint());
}
