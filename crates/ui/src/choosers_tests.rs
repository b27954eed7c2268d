//! Tests of the lists of scenes, cameras and environments.

use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::tests::{Window, actions, apply, click, control, says, window};
use rigview_anim::{LocalPose, Transform};
use rigview_look::EnvironmentSource;
use rigview_model::{Environment, Scene};
use rigview_session::sample::{finish, loaded, session};
use rigview_session::{
    Action, CameraAction, Destination, Effect, FileCamera, LoadAction, LoadedFile, LookAction,
    PlaybackAction, Session,
};

/// Opens the list with this name and picks an entry.
#[track_caller]
fn choose(window: &mut Window, list: &str, entry: &str) -> Vec<String> {
    click(window, list);
    click(window, entry)
}

/// Returns a session whose file has three scenes.
fn with_scenes() -> Session {
    let mut session = session();
    let mut file = loaded();
    file.model.scenes[0].name = Some("Stage".into());
    file.model.scenes.push(Scene { name: Some("Stage".into()), roots: vec![0] });
    file.model.scenes.push(Scene { name: None, roots: vec![0] });
    let effects = session.apply(LoadAction::open("/rigs/scenes.glb"));
    finish(&mut session, &effects, Ok(file));
    session
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
    let mut window = super::tests::window_of_size(session, egui::vec2(1024.0, 1100.0));
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
    let mut session = session();
    let mut lying = loaded();
    lying.model.nodes[0].name = Some("foot".into());
    lying.model.nodes[1].name = Some("Head".into());
    let up = Transform { translation: glam::Vec3::Z, ..Transform::IDENTITY };
    lying.model.rest = LocalPose::new(vec![Transform::IDENTITY, up], &[vec![], vec![]]);
    let effects = session.apply(LoadAction::open("/rigs/lying.glb"));
    finish(&mut session, &effects, Ok(lying));
    let mut window = window(session);
    assert!(says(&window, "It seems to lie on its back."));
    assert_eq!(click(&mut window, "Stand up"), ["ToggleStoodUp"]);
    apply(&mut window, PlaybackAction::ToggleStoodUp);
    assert!(!says(&window, "lie on its back"));
    assert_eq!(click(&mut window, "As in the file"), ["ToggleStoodUp"]);
}
