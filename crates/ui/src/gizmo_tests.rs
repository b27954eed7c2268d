//! Posing in the window: the gizmo's drags, fields and sliders in the inspector, marks in the tree.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::tests::{
    Window, actions, apply, button, click, control, painted, press, says, window_of_size,
};
use rigview_anim::{LocalPose, Transform};
use rigview_import::{ImportOptions, load_bytes};
use rigview_look::Pass;
use rigview_session::sample::{finish, loaded, session};
use rigview_session::{
    Action, DesktopAction, HandField, HandValue, Item, LoadAction, LookAction, NoticeKind,
    PoseAction, SelectionAction, Session, Tool, WindowPart,
};

const CREATURE: &[u8] = include_bytes!("../../../assets/creature.glb");

/// Returns a session with the built-in creature and its head selected.
fn creature() -> (Session, usize) {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/creature.glb"));
    let loaded = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap();
    finish(&mut session, &effects, Ok(loaded));
    let nodes = &session.playback().document().unwrap().model.nodes;
    let head = nodes.iter().position(|node| node.name.as_deref() == Some("head")).unwrap();
    session.apply(SelectionAction::Select(Some(Item::Node(head))));
    session.pose();
    (session, head)
}

fn window(tool: Tool) -> (Window, usize) {
    let (mut session, head) = creature();
    session.apply(Action::TogglePart(WindowPart::Inspector));
    session.apply(Action::TogglePart(WindowPart::Scene));
    session.apply(PoseAction::SetTool(tool));
    (window_of_size(session, vec2(1400.0, 1200.0)), head)
}

/// Applies the actions of the frames so far and returns those that pose.
fn perform(window: &mut Window) -> Vec<PoseAction> {
    let mut posed = Vec::new();
    for action in actions(window) {
        if let Action::Pose(action) = &action {
            posed.push(action.clone());
        }
        window.state_mut().session.apply(action);
    }
    window.state_mut().session.pose();
    window.run();
    posed
}

fn move_to(window: &mut Window, at: Pos2) {
    window.event(Event::PointerMoved(at));
}

fn hold(window: &mut Window, at: Pos2, pressed: bool) {
    window.event(button(at, PointerButton::Primary, pressed, Modifiers::NONE));
}

/// Drags a handle by a way in points. Returns the actions that pose.
fn drag(window: &mut Window, name: &str, by: egui::Vec2) -> Vec<PoseAction> {
    perform(window);
    let from = control(window, name).rect().center();
    move_to(window, from);
    perform(window);
    hold(window, from, true);
    let mut all = perform(window);
    for share in [0.5, 1.0] {
        move_to(window, from + share * by);
        all.extend(perform(window));
    }
    hold(window, from + by, false);
    all.extend(perform(window));
    all
}

#[test]
fn a_drag_of_a_ring_turns_the_selected_node_in_one_step() {
    let (mut window, head) = window(Tool::Rotate);
    let before = window.state().session.playback().stage().unwrap().local.transform(head);
    let actions = drag(&mut window, "Rotate about Z", vec2(0.0, 40.0));
    assert!(matches!(actions[0], PoseAction::Begin), "{actions:?}");
    assert!(matches!(actions.last(), Some(PoseAction::End)), "{actions:?}");
    let session = &window.state().session;
    let after = session.playback().stage().unwrap().local.transform(head);
    assert!(after.rotation.angle_between(before.rotation) > 0.05);
    assert_eq!((after.translation, after.scale), (before.translation, before.scale));
    assert_eq!((session.history().undo_count(), session.playback().hand().count()), (1, 1));
    assert!(says(&window, "Rotation is set by hand"));
    assert!(says(&window, "head is posed by hand"));
    click(&mut window, "Reset rotation");
    let reset = Action::Pose(PoseAction::Reset(head, HandField::Rotation));
    apply(&mut window, reset);
    assert!(window.state().session.playback().hand().is_empty());
    assert!(!says(&window, "is set by hand"));
}

#[test]
fn escape_takes_the_drag_back_and_does_nothing_else() {
    for by_key in [true, false] {
        let (mut window, head) = window(Tool::Move);
        perform(&mut window);
        let from = control(&window, "Move along X").rect().center();
        move_to(&mut window, from);
        hold(&mut window, from, true);
        perform(&mut window);
        move_to(&mut window, from + vec2(60.0, 10.0));
        perform(&mut window);
        assert!(window.state().session.playback().hand().get(head).is_some());
        if by_key {
            window.key_press(Key::Escape);
        } else {
            let at = from + vec2(60.0, 10.0);
            window.event(button(at, PointerButton::Secondary, true, Modifiers::NONE));
        }
        let actions = perform(&mut window);
        assert!(matches!(actions[..], [PoseAction::Cancel]), "{actions:?}");
        let session = &window.state().session;
        assert!(session.playback().hand().is_empty());
        assert_eq!(session.history().undo_count(), 0);
        assert_eq!(session.selection().node(), Some(head), "nothing else was escaped from");
    }
}

#[test]
fn the_camera_stays_while_a_handle_is_dragged_and_the_tools_have_names_and_keys() {
    let (mut window, _) = window(Tool::Scale);
    let camera = *window.state().session.camera().orbit_camera();
    let actions = drag(&mut window, "Scale evenly", vec2(30.0, 0.0));
    assert!(matches!(actions[1], PoseAction::Set(_, HandValue::Scale(_))), "{actions:?}");
    assert_eq!(*window.state().session.camera().orbit_camera(), camera);
    assert_eq!(click(&mut window, "Move tool"), ["Pose(SetTool(Move))"]);
    assert_eq!(press(&mut window, Key::E, Modifiers::NONE), ["Pose(SetTool(Rotate))"]);
    assert_eq!(press(&mut window, Key::A, Modifiers::NONE), ["Pose(NextAxes)"]);
    assert_eq!(press(&mut window, Key::Z, Modifiers::COMMAND), ["Pose(Undo)"]);
    assert_eq!(press(&mut window, Key::Y, Modifiers::COMMAND), ["Pose(Redo)"]);
    let both = Modifiers::COMMAND | Modifiers::SHIFT;
    assert_eq!(press(&mut window, Key::Z, both), ["Pose(Redo)"]);
    apply(&mut window, PoseAction::SetTool(Tool::Select));
    assert!(window.query_by_label("Scale evenly").is_none());
}

#[test]
fn tools_legend_and_progress_cover_neither_each_other_nor_the_parts() {
    for (size, part) in [
        (vec2(640.0, 400.0), None),
        (vec2(640.0, 400.0), Some(WindowPart::TimeLine)),
        (vec2(1280.0, 720.0), Some(WindowPart::TimeLine)),
    ] {
        let (mut session, head) = creature();
        session.apply(PoseAction::SetTool(Tool::Rotate));
        session.apply(LookAction::SetPass(Pass::Weights));
        session.apply(LookAction::SelectJoint(Some(head)));
        part.into_iter().for_each(|part| drop(session.apply(Action::TogglePart(part))));
        let mut window = window_of_size(session, size);
        for records in [false, true] {
            if records {
                apply(&mut window, DesktopAction::Record("a.gif".into()));
            }
            let mut cards = vec![
                ["Select tool", "Move tool", "Rotate tool", "Scale tool", "Local axes"].to_vec(),
                // The name of the joint is shortened where there is little room.
                vec!["Wei"],
            ];
            if records {
                cards.push(vec!["Recording a.gif", "Cancel the recording"]);
            }
            for _ in 0..5 {
                window.step();
            }
            let place = |name: &&str| {
                let mut all = window.root().children_recursive();
                let is_it = |text: Option<String>| text.is_some_and(|text| text.starts_with(name));
                let found = all.find(|node| {
                    let node = node.accesskit_node();
                    let is_shown = matches!(node.role(), Role::Label | Role::Button);
                    is_shown && (is_it(node.label()) || is_it(node.value()))
                });
                found.unwrap_or_else(|| panic!("{size} {part:?}: no {name}")).rect()
            };
            let places = |names: &Vec<_>| names.iter().map(place).reduce(Rect::union).unwrap();
            let places: Vec<Rect> = cards.iter().map(places).collect();
            let picture = window.state().picture;
            for (i, place) in places.iter().enumerate() {
                assert!(picture.contains_rect(*place), "{size} {part:?}: {picture} {places:?}");
                // Cards have margins.
                let clear =
                    places[i + 1..].iter().all(|other| !other.intersects(place.expand(6.0)));
                assert!(clear, "{size} {part:?}: {places:?}");
            }
        }
        let text = "Saved /rigs/characters/of/the/third/chapter/walks/and/runs/a.gif for review";
        apply(&mut window, DesktopAction::CancelRecording);
        apply(&mut window, Action::Notice(NoticeKind::Warning, text.into()));
        window.run();
        let (picture, message) = (window.state().picture, window.get_by_label(text).rect());
        assert!(picture.contains_rect(message), "{size} {part:?}: {picture} {message}");
    }
}

#[test]
fn fields_set_one_number_and_keep_the_bits_of_the_others() {
    let (mut window, head) = window(Tool::Select);
    let before = window.state().session.playback().stage().unwrap().local.transform(head);
    control(&window, "Pose translation Y").focus();
    window.run();
    window.key_press(Key::ArrowUp);
    let posed = perform(&mut window);
    let [PoseAction::Set(node, HandValue::Translation(to))] = posed[..] else {
        panic!("{posed:?}")
    };
    assert_eq!((node, to.x, to.z), (head, before.translation.x, before.translation.z));
    assert!(to.y > before.translation.y);
    for name in ["Pose rotation X", "Pose quaternion W", "Pose scale Z", "Euler order"] {
        assert!(!control(&window, name).accesskit_node().is_disabled());
    }
    control(&window, "Pose rotation Y").focus();
    window.run();
    window.key_press(Key::ArrowUp);
    let posed = perform(&mut window);
    assert!(matches!(posed[..], [PoseAction::Set(_, HandValue::Rotation(_))]), "{posed:?}");
    let after = window.state().session.playback().stage().unwrap().local.transform(head);
    assert!(after.rotation.angle_between(before.rotation) > 1e-3);
}

#[test]
fn the_node_of_a_skinned_mesh_has_no_handles_because_its_transform_is_ignored() {
    let (mut window, _) = window(Tool::Move);
    let skinned = {
        let model = &window.state().session.playback().document().unwrap().model;
        model.nodes.iter().position(|node| node.skin.is_some() && node.mesh.is_some()).unwrap()
    };
    assert!(window.query_by_label("Move along X").is_some());
    apply(&mut window, SelectionAction::Select(Some(Item::Node(skinned))));
    assert!(window.query_by_label("Move along X").is_none());
    // Beside the tools, and above the fields.
    let text = "glTF ignores the transform of a skinned mesh: pose its joints";
    let painted = painted(&window);
    assert!(painted.iter().any(|shown| shown == text), "{painted:?}");
    assert!(painted.iter().any(|shown| *shown == format!("{text}.")), "{painted:?}");
}

#[test]
fn typed_angles_stay_as_typed_also_when_another_node_was_selected() {
    let (mut window, head) = window(Tool::Select);
    let degrees = |window: &Window| {
        ["X", "Y", "Z"].map(|axis| {
            let name = format!("Pose rotation {axis}");
            control(window, &name).accesskit_node().numeric_value().unwrap()
        })
    };
    let type_in = |window: &mut Window, axis: &str, text: &str| {
        control(window, &format!("Pose rotation {axis}")).focus();
        window.run();
        window.event(Event::Text(text.into()));
        window.run();
        window.key_press(Key::Enter);
        perform(window);
    };
    // Other angles mean the same, with a middle turn of 45 degrees.
    for (axis, text) in [("X", "180"), ("Y", "135"), ("Z", "200")] {
        type_in(&mut window, axis, text);
    }
    assert_eq!(degrees(&window), [180.0, 135.0, 200.0]);
    apply(&mut window, SelectionAction::Select(Some(Item::Node(0))));
    apply(&mut window, SelectionAction::Select(Some(Item::Node(head))));
    assert_eq!(degrees(&window), [180.0, 135.0, 200.0]);
    // Nothing but the angles of the rotation is shown once something else has turned the node.
    let turn = glam::Quat::from_rotation_y(0.25 * std::f32::consts::PI);
    apply(&mut window, PoseAction::Set(head, HandValue::Rotation(turn)));
    window.state_mut().session.pose();
    window.run();
    let shown = degrees(&window);
    assert!((shown[1] - 45.0).abs() < 1e-4 && shown[0].abs() + shown[2].abs() < 1e-4, "{shown:?}");
}

#[test]
fn a_translation_below_a_scaled_armature_is_in_its_parents_units() {
    let mut session = session();
    let mut scaled = loaded();
    let armature = Transform { scale: glam::Vec3::splat(0.01), ..Transform::IDENTITY };
    let hips = Transform { translation: glam::Vec3::Y * 97.0, ..Transform::IDENTITY };
    scaled.model.rest = LocalPose::new(vec![armature, hips], &[vec![], vec![]]);
    scaled.model.clips.clear();
    let effects = session.apply(LoadAction::open("/rigs/centimetres.glb"));
    finish(&mut session, &effects, Ok(scaled));
    session.apply(SelectionAction::Select(Some(Item::Node(1))));
    session.apply(Action::TogglePart(WindowPart::Inspector));
    session.pose();
    let mut window = window_of_size(session, vec2(1400.0, 1200.0));
    assert!(says(&window, "parent's units"));
    let metres = control(&window, "Pose in metres").value().unwrap();
    let metres: Vec<f32> = metres.split(", ").map(|x| x.parse().unwrap()).collect();
    assert!((metres[1] - 0.97).abs() < 1e-6, "{metres:?}");
    apply(&mut window, SelectionAction::Select(Some(Item::Node(0))));
    assert!(!says(&window, "parent's units"));
}

#[test]
fn a_slider_stays_under_the_pointer_when_its_weight_is_set() {
    let mut session = session();
    let mut morphed = loaded();
    let rest = vec![Transform::IDENTITY; 2];
    morphed.model.rest = LocalPose::new(rest, &[vec![0.0; 52], vec![]]);
    let effects = session.apply(LoadAction::open("/rigs/face.glb"));
    finish(&mut session, &effects, Ok(morphed));
    session.apply(SelectionAction::Select(Some(Item::Node(0))));
    session.apply(Action::TogglePart(WindowPart::Inspector));
    session.pose();
    let mut window = window_of_size(session, vec2(1400.0, 1400.0));
    let place = |window: &Window| control(window, "Weight of target 3").rect();
    let before = place(&window);
    let row = control(&window, "Weight of target 4").rect().top() - before.top();
    assert!(row < 26.0, "a target takes one row: {row}");
    apply(&mut window, PoseAction::Set(0, HandValue::Weight(3, 0.5)));
    apply(&mut window, PoseAction::Set(0, HandValue::Rotation(glam::Quat::from_rotation_x(1.0))));
    window.state_mut().session.pose();
    window.run();
    assert_eq!(place(&window), before);
}

#[test]
fn morph_targets_are_filtered_set_and_follow_the_clip_again() {
    let mut session = session();
    let mut morphed = loaded();
    let rest = vec![Transform::IDENTITY; 2];
    morphed.model.rest = LocalPose::new(rest, &[vec![0.25; 12], vec![]]);
    let effects = session.apply(LoadAction::open("/rigs/face.glb"));
    finish(&mut session, &effects, Ok(morphed));
    session.apply(SelectionAction::Select(Some(Item::Node(0))));
    session.apply(Action::TogglePart(WindowPart::Inspector));
    session.pose();
    let mut window = window_of_size(session, vec2(1400.0, 1400.0));
    control(&window, "Weight of target 3");
    control(&window, "Filter morph targets").focus();
    window.run();
    control(&window, "Filter morph targets").type_text("target 11");
    window.run();
    assert!(window.query_by_label("Weight of target 3").is_none());
    control(&window, "Weight of target 11 value").focus();
    window.run();
    window.key_press(Key::ArrowUp);
    let posed = perform(&mut window);
    let [PoseAction::Set(0, HandValue::Weight(11, weight))] = posed[..] else {
        panic!("{posed:?}")
    };
    assert!(weight > 0.25);
    let weights = window.state().session.playback().stage().unwrap().local.weights(0).to_vec();
    assert_eq!((weights[11], weights[3]), (weight, 0.25));
    assert!(says(&window, "target 11 is set by hand"));
    assert_eq!(click(&mut window, "Reset target 11"), ["Pose(Reset(0, Weight(11)))"]);
}
