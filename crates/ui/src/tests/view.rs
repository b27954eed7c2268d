//! The part of the view, keys and mouse over the picture, and lists of scenes, cameras, environments and layers.

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, vec2};
use egui_kittest::kittest::Queryable as _;
use glam::DVec3;

use super::{
    Window, actions, apply, button, changed, click, control, painted, press, said, says, window,
    window_of_size,
};
use rigview_anim::{LocalPose, Transform};
use rigview_look::{EnvironmentSource, OnionSkin, Spacing};
use rigview_model::{Environment, Scene};
use rigview_session::sample::session;
use rigview_session::{
    Action, Anchor, Blending, CameraAction, Destination, Effect, FileCamera, LayerSettings,
    LoadAction, LoadedFile, LookAction, MeasureAction, PickAction, PlaybackAction, Purpose,
    Session,
};

/// Returns a window with the section open.
fn aids() -> Window {
    let mut window = window_of_size(session(), vec2(1280.0, 1600.0));
    window.get_by_label("Motion and surface").click();
    window.run();
    window
}

#[test]
fn the_onion_skin_has_a_count_and_a_spacing_in_seconds_or_frames() {
    let mut window = aids();
    assert!(!says(&window, "Ghosts"));
    assert_eq!(click(&mut window, "Onion skin"), ["ToggleOnionSkin"]);
    apply(&mut window, LookAction::ToggleOnionSkin);
    control(&window, "Ghosts value");
    control(&window, "Spacing value");
    let onion = OnionSkin { count: 2, spacing: Spacing::Frames(6.0) };
    apply(&mut window, LookAction::SetOnionSkin(Some(onion)));
    assert!(says(&window, "Frames"));
}

#[test]
fn checkboxes_toggle_paths_marks_vectors_and_measuring() {
    let mut window = aids();
    for (name, does) in [
        ("Root path", "ToggleRootPath"),
        ("Play in place", "ToggleInPlace"),
        ("Faulty weights", "ToggleWeightMarks"),
        ("Normals", "SetVectors(Vectors { normals: true, tangents: false })"),
        ("Measure", "Measure(Toggle)"),
    ] {
        assert_eq!(click(&mut window, name), [does]);
    }
}

#[test]
fn numbers_are_shown_beside_what_they_belong_to() {
    let mut window = aids();
    let session = &mut window.state_mut().session;
    session.apply(LookAction::ToggleRootPath);
    session.apply(LookAction::ToggleWeightMarks);
    session.apply(LookAction::ToggleBounds);
    session.apply(MeasureAction::Toggle);
    session.apply(MeasureAction::Mark(Anchor::Node(0)));
    session.apply(MeasureAction::Mark(Anchor::Node(1)));
    session.apply(PlaybackAction::Seek(0.5));
    session.pose();
    window.run();
    // The clip moves the joint by two metres in two seconds.
    assert!(says(&window, "2.00 m, 2.00 m from its start, 1.00 m/s"));
    assert!(says(&window, "0 without weights, 0 that do not sum to 1"));
    assert!(says(&window, "0.5000 m"));
    let shown = painted(&window);
    let axes = "X 0.5000 · Y 0.0000 · Z 0.0000 m";
    assert!(shown.iter().any(|text| text.contains(axes)), "{shown:?}");
    assert!(says(&window, "Clip: "));
}

#[test]
fn the_shown_clip_is_the_first_row_and_each_layer_has_a_row_of_its_own() {
    let mut window = window_of_size(session(), vec2(1280.0, 900.0));
    window.get_by_label("Blending").click();
    window.run();
    assert!(says(&window, "Base") && says(&window, "1.00"));
    let [added] = &click(&mut window, "Add a clip")[..] else { panic!() };
    assert!(added.starts_with("SetLayers([LayerSettings { clip: 1, weight: 1.0"), "{added}");
    let layer = |clip| LayerSettings { clip, weight: 0.5, blending: Blending::Mean, joint: None };
    apply(&mut window, PlaybackAction::SetLayers(vec![layer(1), layer(2)]));
    let top = |window: &super::Window, name: &str| control(window, name).rect().center().y;
    let base = window.get_by_label("Base").rect().center().y;
    let rows = [1, 2].map(|row| top(&window, &format!("Weight of layer {row}")));
    assert!(base < rows[0] && rows[0] < rows[1], "{base} {rows:?}");
    for row in 1..=2 {
        let [clip, blending, joint] = ["Clip", "Blending", "Joint"]
            .map(|cell| top(&window, &format!("{cell} of layer {row}")));
        assert!((clip - rows[row - 1]).abs() < 3.0, "row {row}: {clip}");
        // In a narrow column, the other two lists are below, where they have room for their texts.
        assert!((blending - joint).abs() < 3.0, "row {row}: {blending} {joint}");
        assert!(blending > clip && (row == 2 || joint < rows[1]), "row {row}: {blending}");
        let list = control(&window, &format!("Blending of layer {row}")).rect();
        assert!(list.width() >= 80.0, "row {row}: {list}");
    }
    let removed = click(&mut window, "Remove layer 1");
    assert_eq!(removed.len(), 1);
    assert!(removed[0].starts_with("SetLayers([LayerSettings { clip: 2"), "{removed:?}");
}

/// Opens the list with this name and picks an entry.
#[track_caller]
fn choose(window: &mut Window, list: &str, entry: &str) -> Vec<String> {
    click(window, list);
    click(window, entry)
}

/// Returns a session whose file has three scenes.
fn with_scenes() -> Session {
    changed(|model| {
        model.scenes[0].name = Some("Stage".into());
        model.scenes.push(Scene { name: Some("Stage".into()), roots: vec![0] });
        model.scenes.push(Scene { name: None, roots: vec![0] });
    })
}

#[test]
fn scenes_and_cameras_are_chosen_from_lists() {
    let mut window = window(with_scenes());
    assert!(says(&window, "Stage (0)"));
    assert_eq!(choose(&mut window, "Scene", "Scene 2"), ["SelectScene(2)"]);
    apply(&mut window, PlaybackAction::SelectScene(2));
    assert!(says(&window, "Scene 2"));
    assert_eq!(choose(&mut window, "Camera", "Shot"), ["SelectCamera(Some(First(0)))"]);
    apply(&mut window, CameraAction::SelectCamera(Some(FileCamera::First(0))));
    assert_eq!(choose(&mut window, "Camera", "Free camera"), ["SelectCamera(None)"]);
}

#[test]
fn one_scene_needs_no_list() {
    let window = window(session());
    assert!(window.query_by_role_and_label(Role::ComboBox, "Scene").is_none());
    assert!(says(&window, "Free camera"));
}

#[test]
fn the_environments_are_listed_with_the_file_that_was_dropped() {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/light/sky.hdr"));
    let [Effect::Load(load)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(load.destination, Destination::Light);
    let sky = Environment {
        name: "sky.hdr".into(),
        path: None,
        size: 1,
        levels: vec![vec![0; 6]],
        irradiance: [[0.0; 3]; 9],
    };
    session.apply(LoadAction::Loaded { id: load.id, result: Ok(LoadedFile::Light(sky)) });
    assert_eq!(session.notice(), Some("Lit by sky.hdr"));
    session.apply(Action::Dismiss);
    // High enough for the whole column.
    let mut window = super::window_of_size(session, egui::vec2(1024.0, 1100.0));
    click(&mut window, "Light");
    for (entry, name, key_light) in [
        ("None", "none", true),
        ("Uniform", "uniform", false),
        ("Studio", "studio", true),
        ("sky.hdr", "sky.hdr", false),
    ] {
        click(&mut window, "Environment");
        control(&window, entry).click();
        let Some(Action::Look(LookAction::SetLighting(lighting))) = actions(&mut window).pop()
        else {
            panic!("{entry}")
        };
        assert_eq!((lighting.environment.name(), lighting.key_light), (name, key_light));
        apply(&mut window, LookAction::SetLighting(lighting));
    }
    let session = &window.state().session;
    assert_eq!(session.look().lighting.environment, session.loads().environments()[3]);
    assert!(EnvironmentSource::NAMES.iter().all(|name| EnvironmentSource::named(name).is_some()));
    assert_eq!(choose(&mut window, "Environment", "Open a file…"), ["Ask(Open(Light))"]);
}

#[test]
fn what_seems_to_lie_is_told_and_stood_up_by_a_click() {
    let mut window = window(changed(|model| {
        model.nodes[0].name = Some("foot".into());
        model.nodes[1].name = Some("Head".into());
        let up = Transform { translation: glam::Vec3::Z, ..Transform::IDENTITY };
        model.rest = LocalPose::new(vec![Transform::IDENTITY, up], &[vec![], vec![]]);
    }));
    assert!(says(&window, "It seems to lie on its back."));
    assert_eq!(click(&mut window, "Stand up"), ["ToggleStoodUp"]);
    apply(&mut window, PlaybackAction::ToggleStoodUp);
    assert!(!says(&window, "lie on its back"));
    assert_eq!(click(&mut window, "As in the file"), ["ToggleStoodUp"]);
}

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

fn hold_key(window: &mut Window, key: Key, pressed: bool) -> Vec<String> {
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
    assert_eq!(hold_key(&mut window, Key::W, true), flies(0.0, 0.0, 1.0));
    assert_eq!(hold_key(&mut window, Key::D, true), flies(1.0, 0.0, 1.0));
    window.input_mut().events.push(Event::PointerMoved(at + vec2(40.0, 0.0)));
    let turned = said(&actions(&mut window));
    assert!(turned.len() == 1 && turned[0].starts_with("LookAround("), "{turned:?}");
    assert_eq!(hold_key(&mut window, Key::W, false), flies(1.0, 0.0, 0.0));
    window.input_mut().events.push(right(false));
    assert_eq!(said(&actions(&mut window)), flies(0.0, 0.0, 0.0));
    assert_eq!(hold_key(&mut window, Key::D, false), [""; 0]);
    assert_eq!(press(&mut window, Key::W, Modifiers::NONE), ["Pose(SetTool(Move))"]);
}
