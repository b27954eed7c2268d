//! The inspector: it shows the numbers of the pose, copies them, and its names select what they name.

use egui::accesskit::Role;
use egui::{Key, Modifiers, OutputCommand, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::tests::{
    Window, actions, apply, click, control, did, painted, press, says, window_of_size,
};
use rigview_import::{ImportOptions, load_bytes};
use rigview_model::{Extras, FileVertex, Model};
use rigview_report::{pose_report, posed_joint};
use rigview_session::sample::{finish, session};
use rigview_session::{
    Action, HandValue, Item, LoadAction, PlaybackAction, PoseAction, SelectionAction, Session,
    WindowPart,
};

const CREATURE: &[u8] = include_bytes!("../../../assets/creature.glb");

/// Returns a session with the built-in creature in the middle of a step, and the inspector open.
fn creature() -> Session {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/creature.glb"));
    let loaded = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap();
    finish(&mut session, &effects, Ok(loaded));
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
    window.state_mut().session.pose();
    window.run();
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
        let mut session = session();
        let effects = session.apply(LoadAction::open("/rigs/creature.glb"));
        let mut loaded = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap();
        let json = "{\"rig\":\"biped\",\"layers\":[1,2]}".to_owned();
        loaded.model.source.extras = vec![Extras { about: about.into(), json }];
        finish(&mut session, &effects, Ok(loaded));
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
    window.state_mut().session.pose();
    window.run();
    let shown = painted(&window);
    let noise = shown.iter().filter(|text| text.starts_with("-0.00001") || text.contains("e-7"));
    assert_eq!(noise.count(), 0, "{shown:?}");
    assert!(shown.iter().any(|text| text == "0.0015"), "{shown:?}");
}
