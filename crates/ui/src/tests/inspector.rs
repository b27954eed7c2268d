//! The inspector and posing: numbers of the pose, names that select, fields, sliders and the drags of the gizmo.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, OutputCommand, PointerButton, Pos2, Rect, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{
    Window, actions, apply, button, changed, click, control, did, painted, press, says, showing,
    window_of_size,
};
use rigview_anim::{LocalPose, Transform};
use rigview_import::{ImportOptions, Loaded, load_bytes};
use rigview_look::Pass;
use rigview_model::{Extras, FileVertex, Model};
use rigview_report::{pose_report, posed_joint};
use rigview_session::sample::session;
use rigview_session::{
    Action, DesktopAction, HandField, HandValue, Item, LookAction, NoticeKind, PlaybackAction,
    PoseAction, SelectionAction, Session, Tool, WindowPart,
};

fn creature_file() -> Loaded {
    let creature = include_bytes!("../../../../assets/creature.glb");
    load_bytes(creature.to_vec(), &ImportOptions::default()).unwrap()
}

/// Returns a session with the built-in creature in the middle of a step, and the inspector open.
fn creature() -> Session {
    let mut session = showing(creature_file());
    session.apply(Action::TogglePart(WindowPart::Inspector));
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(PlaybackAction::Seek(0.3));
    session.pose();
    session
}

fn window(item: Option<Item>) -> Window {
    let mut session = creature();
    session.apply(SelectionAction::Select(item));
    window_of_size(session, vec2(1280.0, 1600.0))
}

fn model(window: &Window) -> &Model {
    &window.state().session.playback().document().unwrap().model
}

/// Returns a joint that a channel of the shown clip drives.
fn joint(session: &Session) -> usize {
    let playback = session.playback();
    let skin = &playback.document().unwrap().model.skins[0];
    let driven = |node: &&u32| {
        playback.clip().unwrap().channels().iter().any(|channel| channel.node() == **node as usize)
    };
    *skin.joints.iter().find(driven).unwrap() as usize
}

/// Returns the numbers that a control would copy.
fn numbers(window: &Window, name: &str) -> Vec<f32> {
    let value = control(window, name).value().unwrap();
    let value = value.trim_matches(['[', ']']);
    value.split(',').map(|number| number.trim().parse().unwrap()).collect()
}

#[test]
fn a_joints_numbers_are_those_of_the_pose() {
    let node = joint(&creature());
    let window = window(Some(Item::Node(node)));
    let session = &window.state().session;
    let (document, stage) = session.playback().document().zip(session.playback().stage()).unwrap();
    let pose = &pose_report(&document.model, stage).nodes[node];
    assert_eq!(numbers(&window, "Pose translation"), pose.translation.unwrap());
    assert_eq!(numbers(&window, "Pose rotation"), pose.rotation.unwrap());
    assert_eq!(numbers(&window, "Pose scale"), pose.scale.unwrap());
    assert_eq!(numbers(&window, "World matrix"), pose.world);
    let (axis, angle) = (numbers(&window, "Pose axis"), numbers(&window, "Pose angle")[0]);
    let turn = glam::Quat::from_axis_angle(glam::Vec3::from_slice(&axis), angle.to_radians());
    let rotation = glam::Quat::from_array(pose.rotation.unwrap());
    assert!(turn.dot(rotation).abs() > 0.999_999, "{axis:?} {angle} of {rotation}");
    assert!(!says(&window, "Local translation"), "each number is there once");
    let skin = &document.model.skins[0];
    let joint = skin.joints.iter().position(|j| *j as usize == node).unwrap();
    let place = rigview_report::JointOf { skin: 0, joint };
    let section = window.get_by(|n| {
        n.role() == Role::Button && n.label().is_some_and(|label| label.ends_with("joint matrix"))
    });
    let section = section.accesskit_node().label().unwrap();
    assert_eq!(numbers(&window, &section), posed_joint(&document.model, stage, place).joint_matrix);
}

#[test]
fn a_rotation_that_turns_nothing_has_no_axis_and_its_row_keeps_its_height() {
    let node = joint(&creature());
    let mut window = window(Some(Item::Node(node)));
    let place = |window: &Window, name: &str| control(window, name).rect();
    let turned = ["Pose axis", "Pose angle"].map(|name| place(&window, name).top());
    apply(&mut window, PoseAction::Set(node, HandValue::Rotation(glam::Quat::IDENTITY)));
    pose(&mut window);
    assert_eq!(control(&window, "Pose axis").value().as_deref(), Some("none"));
    assert_eq!(numbers(&window, "Pose angle"), [0.0]);
    assert_eq!(["Pose axis", "Pose angle"].map(|name| place(&window, name).top()), turned);
}

#[test]
fn names_select_and_keys_of_channels_are_gone_to() {
    let node = joint(&creature());
    let mut window = window(Some(Item::Node(node)));
    let parent = model(&window).hierarchy.parent(node).unwrap();
    let wanted = SelectionAction::Select(Some(Item::Node(parent)));
    assert_eq!(click(&mut window, "Node parent"), [format!("{:?}", Action::from(wanted))]);
    let right = |name| control(&window, name).rect().right();
    assert!(right("Key next of rotation") <= right("Copy as JSON"), "cut at the edge");
    let [Action::Playback(PlaybackAction::Seek(at))] =
        actions_of(&mut window, "Key next of rotation")[..]
    else {
        panic!("{window:#?}");
    };
    let now = window.state().session.playback().time_secs();
    assert!(at > now, "{at} {now}");
    apply(&mut window, PlaybackAction::Seek(at));
    let [Action::Playback(PlaybackAction::Seek(back))] =
        actions_of(&mut window, "Key previous of rotation")[..]
    else {
        panic!("{window:#?}");
    };
    assert!(back < at);
}

fn actions_of(window: &mut Window, name: &str) -> Vec<Action> {
    control(window, name).click();
    actions(window)
}

#[test]
fn a_click_copies_a_number_with_all_its_digits_or_everything_as_json() {
    let node = joint(&creature());
    let mut window = window(Some(Item::Node(node)));
    let exact = control(&window, "Pose translation").value().unwrap();
    assert_eq!(copied(&mut window, "Pose translation"), exact);
    let text = copied(&mut window, "Copy as JSON");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["node"]["index"], node);
    assert_eq!(json["posed"]["world"].as_array().unwrap().len(), 16);
    assert!(json["joints"][0]["joint"]["vertices"].as_u64().is_some(), "{text}");
    let playback = window.state().session.playback();
    let clip = playback.clip_index().unwrap();
    assert_eq!(json["at"]["clip"], clip, "{text}");
    assert_eq!(json["at"]["clip_name"], playback.document().unwrap().clip_names[clip]);
    assert_eq!(json["at"]["time"], playback.time_secs());
}

/// Clicks a control and returns the text that it copies.
fn copied(window: &mut Window, name: &str) -> String {
    control(window, name).click();
    // The frame that handles the click is not the last one.
    for _ in 0..4 {
        window.step();
        for command in &window.output().platform_output.commands {
            if let OutputCommand::CopyText(text) = command {
                return text.clone();
            }
        }
    }
    panic!("{name} copies nothing");
}

#[test]
fn a_picked_vertex_has_the_sum_of_what_its_joints_add() {
    let mut window = window(None);
    let model = model(&window);
    let node = model.nodes.iter().position(|node| node.skin.is_some()).unwrap();
    apply(&mut window, SelectionAction::Pick(FileVertex::new(node, 0, 11)));
    let posed = numbers(&window, "Vertex posed");
    let mut sum = [0.0_f32; 3];
    for i in 0..16 {
        let name = format!("Vertex adds {i}");
        if window.query_by_role_and_label(Role::Button, &name).is_none() {
            assert!(i > 0);
            break;
        }
        sum = [0, 1, 2].map(|axis| sum[axis] + numbers(&window, &name)[axis]);
    }
    for axis in 0..3 {
        assert!((sum[axis] - posed[axis]).abs() < 1e-6, "{sum:?} {posed:?}");
    }
    assert!((numbers(&window, "Vertex weight sum")[0] - 1.0).abs() < 0.01);
}

#[test]
fn each_kind_of_part_is_shown_and_all_its_controls_have_names() {
    let session = creature();
    let model = &session.playback().document().unwrap().model;
    let count = |count: usize, item: fn(usize) -> Item| (0..count.min(3)).map(item);
    let items: Vec<Item> = count(model.nodes.len(), Item::Node)
        .chain(count(model.meshes.len(), Item::Mesh))
        .chain(count(model.skins.len(), Item::Skin))
        .chain(count(model.materials.len(), Item::Material))
        .chain(count(model.textures.len(), Item::Texture))
        .chain(count(model.clips.len(), Item::Clip))
        .collect();
    let mut window = window(None);
    for item in items.into_iter().map(Some).chain([None]) {
        apply(&mut window, SelectionAction::Select(item));
        control(&window, "Copy as JSON");
        for node in window.root().children_recursive() {
            let own = node.accesskit_node();
            let named = own.label().is_some_and(|name| !name.trim().is_empty())
                || own.labelled_by().next().is_some();
            assert!(!egui::accessibility::is_input(own.role()) || named, "{item:?}: {node:?}");
        }
        let kind = item.map_or("File".to_owned(), |item| {
            format!("{item:?}").split('(').next().unwrap().to_owned()
        });
        assert!(says(&window, &kind), "{kind}");
        assert!(did(&mut window).is_empty());
    }
}

#[test]
fn cameras_of_the_file_are_looked_through() {
    let mut session = session();
    session.apply(Action::TogglePart(WindowPart::Inspector));
    session.apply(SelectionAction::Select(Some(Item::Camera(0))));
    let mut window = window_of_size(session, vec2(1280.0, 900.0));
    assert!(says(&window, "perspective") && says(&window, "infinite"));
    assert_eq!(click(&mut window, "Look through it"), ["SelectCamera(Some(First(0)))"]);
}

#[test]
fn the_table_of_vertices_is_sorted_and_a_row_shows_its_vertex() {
    let session = creature();
    let nodes = &session.playback().document().unwrap().model.nodes;
    let skinned = nodes.iter().position(|node| node.skin.is_some()).unwrap();
    let mut window = window(Some(Item::Node(skinned)));
    let count = {
        let model = model(&window);
        let mesh = &model.meshes[model.nodes[skinned].mesh.unwrap()];
        mesh.primitives.iter().map(|p| p.source_vertices as usize).sum::<usize>()
    };
    let title = format!("Table of {}", crate::text::counted(count, "vertex"));
    control(&window, &title).scroll_to_me();
    window.run();
    click(&mut window, &title);
    control(&window, "Sorted by").scroll_to_me();
    window.run();
    let first = |window: &Window| {
        let is_row = |label: &str| label.starts_with("Vertex ") && label.contains(": ");
        let nodes = window.root().children_recursive();
        let mut rows = nodes.filter_map(|n| n.accesskit_node().label().filter(|l| is_row(l)));
        rows.next().unwrap()
    };
    assert!(first(&window).starts_with("Vertex 0: ") || first(&window).starts_with("Vertex 0/0: "));
    click(&mut window, "Sorted by");
    click(&mut window, "Most joints first");
    window.run();
    let most = first(&window);
    let rows = rigview_report::vertex_rows(model(&window), skinned);
    assert_eq!(rows.len(), count);
    let joints = rows.iter().map(|row| row.joints).max().unwrap();
    let row = rows.iter().find(|row| row.joints == joints).unwrap();
    let weights = rigview_report::vertex_weights(model(&window), skinned, row);
    assert_eq!(weights.len(), joints as usize);
    assert!((weights.iter().map(|w| w.1).sum::<f32>() - row.sum).abs() < 1e-5);
    let picked = format!("index: {} }}))", row.vertex);
    let did = click(&mut window, &most);
    assert!(did[0].starts_with("Selection(Pick(") && did[0].ends_with(&picked), "{did:?} {picked}");
}

#[test]
fn extras_of_a_part_and_of_the_file_are_shown() {
    for (item, about) in [(Some(Item::Node(3)), "/nodes/3"), (None, "/asset")] {
        let mut file = creature_file();
        let json = "{\"rig\":\"biped\",\"layers\":[1,2]}".to_owned();
        file.model.source.extras = vec![Extras { about: about.into(), json }];
        let mut session = showing(file);
        session.apply(Action::TogglePart(WindowPart::Inspector));
        session.apply(SelectionAction::Select(item));
        session.pose();
        // High enough for all sections, because a click goes to a place of the screen.
        let mut window = window_of_size(session, vec2(1280.0, 8000.0));
        click(&mut window, "Extras");
        assert_eq!(copied(&mut window, "Extras rig"), "biped", "{about}");
        assert_eq!(copied(&mut window, "Extras layers"), "[1,2]", "{about}");
    }
}

#[test]
fn with_nothing_selected_a_warning_selects_its_place() {
    let mut session = session();
    session.apply(Action::TogglePart(WindowPart::Inspector));
    // The warning of the sample is about a mesh, which the sample lacks.
    let mut window = window_of_size(session, vec2(1280.0, 900.0));
    assert!(says(&window, "weights sum to 0.98 at /meshes/0"));
    click(&mut window, "Cameras (1)");
    let wanted = format!("{:?}", Action::from(SelectionAction::Select(Some(Item::Camera(0)))));
    assert_eq!(click(&mut window, "Cameras (1) : Shot"), [wanted]);
    assert_eq!(press(&mut window, Key::P, Modifiers::NONE), ["TogglePart(Inspector)"]);
}

#[test]
fn rounding_errors_are_zeros_in_fields() {
    let mut window = window(Some(Item::Node(1)));
    let values = [
        HandValue::Translation(glam::Vec3::new(90.0, -1.192e-5, 1.5e-3)),
        HandValue::Rotation(glam::Quat::from_xyzw(-2.3e-7, 0.0, 0.0, 1.0)),
    ];
    for value in values {
        apply(&mut window, PoseAction::Set(1, value));
    }
    pose(&mut window);
    let shown = painted(&window);
    let noise = shown.iter().filter(|text| text.starts_with("-0.00001") || text.contains("e-7"));
    assert_eq!(noise.count(), 0, "{shown:?}");
    assert!(shown.iter().any(|text| text == "0.0015"), "{shown:?}");
}

/// Returns a session with the built-in creature and its head selected.
fn posed_creature() -> (Session, usize) {
    let mut session = showing(creature_file());
    let nodes = &session.playback().document().unwrap().model.nodes;
    let head = nodes.iter().position(|node| node.name.as_deref() == Some("head")).unwrap();
    session.apply(SelectionAction::Select(Some(Item::Node(head))));
    session.pose();
    (session, head)
}

fn tool_window(tool: Tool) -> (Window, usize) {
    let (mut session, head) = posed_creature();
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
    pose(window);
    posed
}

/// Returns a window with a node of a changed sample in the inspector.
fn inspected(node: usize, change: impl FnOnce(&mut Model)) -> Window {
    let mut session = changed(change);
    session.apply(SelectionAction::Select(Some(Item::Node(node))));
    session.apply(Action::TogglePart(WindowPart::Inspector));
    session.pose();
    window_of_size(session, vec2(1400.0, 1400.0))
}

/// Focuses a field and presses the arrow that increases it. Returns the actions that pose.
fn increase(window: &mut Window, name: &str) -> Vec<PoseAction> {
    control(window, name).focus();
    window.run();
    window.key_press(Key::ArrowUp);
    perform(window)
}

fn pose(window: &mut Window) {
    window.state_mut().session.pose();
    window.run();
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
    let (mut window, head) = tool_window(Tool::Rotate);
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
        let (mut window, head) = tool_window(Tool::Move);
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
    let (mut window, _) = tool_window(Tool::Scale);
    let camera = *window.state().session.camera().orbit_camera();
    let actions = drag(&mut window, "Scale evenly", vec2(30.0, 0.0));
    assert!(matches!(actions[1], PoseAction::Set(_, HandValue::Scale(_))), "{actions:?}");
    assert_eq!(*window.state().session.camera().orbit_camera(), camera);
    assert_eq!(click(&mut window, "Move tool"), ["Pose(SetTool(Move))"]);
    for (key, held, does) in [
        (Key::E, Modifiers::NONE, "Pose(SetTool(Rotate))"),
        (Key::A, Modifiers::NONE, "Pose(NextAxes)"),
        (Key::Z, Modifiers::COMMAND, "Pose(Undo)"),
        (Key::Y, Modifiers::COMMAND, "Pose(Redo)"),
        (Key::Z, Modifiers::COMMAND | Modifiers::SHIFT, "Pose(Redo)"),
    ] {
        assert_eq!(press(&mut window, key, held), [does]);
    }
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
        let (mut session, head) = posed_creature();
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
    let (mut window, head) = tool_window(Tool::Select);
    let before = window.state().session.playback().stage().unwrap().local.transform(head);
    let posed = increase(&mut window, "Pose translation Y");
    let [PoseAction::Set(node, HandValue::Translation(to))] = posed[..] else {
        panic!("{posed:?}")
    };
    assert_eq!((node, to.x, to.z), (head, before.translation.x, before.translation.z));
    assert!(to.y > before.translation.y);
    for name in ["Pose rotation X", "Pose quaternion W", "Pose scale Z", "Euler order"] {
        assert!(!control(&window, name).accesskit_node().is_disabled());
    }
    let posed = increase(&mut window, "Pose rotation Y");
    assert!(matches!(posed[..], [PoseAction::Set(_, HandValue::Rotation(_))]), "{posed:?}");
    let after = window.state().session.playback().stage().unwrap().local.transform(head);
    assert!(after.rotation.angle_between(before.rotation) > 1e-3);
}

#[test]
fn the_node_of_a_skinned_mesh_has_no_handles_because_its_transform_is_ignored() {
    let (mut window, _) = tool_window(Tool::Move);
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
    let (mut window, head) = tool_window(Tool::Select);
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
    pose(&mut window);
    let shown = degrees(&window);
    assert!((shown[1] - 45.0).abs() < 1e-4 && shown[0].abs() + shown[2].abs() < 1e-4, "{shown:?}");
}

#[test]
fn a_translation_below_a_scaled_armature_is_in_its_parents_units() {
    let mut window = inspected(1, |model| {
        let armature = Transform { scale: glam::Vec3::splat(0.01), ..Transform::IDENTITY };
        let hips = Transform { translation: glam::Vec3::Y * 97.0, ..Transform::IDENTITY };
        model.rest = LocalPose::new(vec![armature, hips], &[vec![], vec![]]);
        model.clips.clear();
    });
    assert!(says(&window, "parent's units"));
    let metres = control(&window, "Pose in metres").value().unwrap();
    let metres: Vec<f32> = metres.split(", ").map(|x| x.parse().unwrap()).collect();
    assert!((metres[1] - 0.97).abs() < 1e-6, "{metres:?}");
    apply(&mut window, SelectionAction::Select(Some(Item::Node(0))));
    assert!(!says(&window, "parent's units"));
}

#[test]
fn a_slider_stays_under_the_pointer_when_its_weight_is_set() {
    let mut window = inspected(0, |model| {
        model.rest = LocalPose::new(vec![Transform::IDENTITY; 2], &[vec![0.0; 52], vec![]]);
    });
    let place = |window: &Window| control(window, "Weight of target 3").rect();
    let before = place(&window);
    let row = control(&window, "Weight of target 4").rect().top() - before.top();
    assert!(row < 26.0, "a target takes one row: {row}");
    apply(&mut window, PoseAction::Set(0, HandValue::Weight(3, 0.5)));
    apply(&mut window, PoseAction::Set(0, HandValue::Rotation(glam::Quat::from_rotation_x(1.0))));
    pose(&mut window);
    assert_eq!(place(&window), before);
}

#[test]
fn morph_targets_are_filtered_set_and_follow_the_clip_again() {
    let mut window = inspected(0, |model| {
        model.rest = LocalPose::new(vec![Transform::IDENTITY; 2], &[vec![0.25; 12], vec![]]);
    });
    control(&window, "Weight of target 3");
    control(&window, "Filter morph targets").focus();
    window.run();
    control(&window, "Filter morph targets").type_text("target 11");
    window.run();
    assert!(window.query_by_label("Weight of target 3").is_none());
    let posed = increase(&mut window, "Weight of target 11 value");
    let [PoseAction::Set(0, HandValue::Weight(11, weight))] = posed[..] else {
        panic!("{posed:?}")
    };
    assert!(weight > 0.25);
    let weights = window.state().session.playback().stage().unwrap().local.weights(0).to_vec();
    assert_eq!((weights[11], weights[3]), (weight, 0.25));
    assert!(says(&window, "target 11 is set by hand"));
    assert_eq!(click(&mut window, "Reset target 11"), ["Pose(Reset(0, Weight(11)))"]);
}
