//! The lists of scenes, cameras and environments, as the other tests of the panels see them.

use egui::accesskit::Role;
use egui::pos2;

use super::tests::{Desk, said};
use crate::look::EnvironmentSource;
use crate::model::{Environment, Scene};
use crate::session::sample::{finish, loaded, session};
use crate::session::{Action, Effect, ExhibitAction, LoadAction, LookAction, Session, SightAction};

/// Opens the list that shows a value and chooses another.
#[track_caller]
fn choose(desk: &mut Desk, session: &Session, shown: &str, other: &str) -> Vec<Action> {
    let is_list =
        |n: &&egui::accesskit::Node| n.role() == Role::ComboBox && n.value() == Some(shown);
    let list = desk.nodes.iter().find(is_list);
    let b = list.unwrap_or_else(|| panic!("no list shows {shown}")).bounds().unwrap();
    let at = pos2(0.5 * (b.x0 + b.x1) as f32, 0.5 * (b.y0 + b.y1) as f32);
    desk.click_at(session, at);
    desk.frame(session, vec![]);
    desk.click(session, Role::Button, other)
}

/// A session whose file has three scenes.
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
    let mut session = with_scenes();
    let mut desk = Desk::new(&session);
    let actions = choose(&mut desk, &session, "Stage (0)", "Scene 2");
    assert_eq!(said(&actions), ["SelectScene(2)"]);
    session.apply(ExhibitAction::SelectScene(2));
    desk.frame(&session, vec![]);
    desk.frame(&session, vec![]);
    assert!(desk.says("Scene 2"));
    let actions = choose(&mut desk, &session, "Free camera", "Shot");
    assert_eq!(said(&actions), ["SelectCamera(Some(0))"]);
    session.apply(SightAction::SelectCamera(Some(0)));
    desk.frame(&session, vec![]);
    desk.frame(&session, vec![]);
    let actions = choose(&mut desk, &session, "Shot", "Free camera");
    assert_eq!(said(&actions), ["SelectCamera(None)"]);
}

#[test]
fn one_scene_needs_no_list() {
    let session = session();
    let desk = Desk::new(&session);
    assert!(!desk.says("Scene 0") && desk.says("Free camera"));
}

#[test]
fn the_environments_are_listed_with_the_file_that_was_dropped() {
    let mut session = session();
    let [Effect::LoadEnvironment { id, .. }] =
        session.apply(LoadAction::open("/light/sky.hdr"))[..]
    else {
        panic!("an environment is read");
    };
    let sky = Environment {
        name: "sky.hdr".into(),
        size: 1,
        levels: vec![vec![0; 6]],
        irradiance: [[0.0; 3]; 9],
    };
    session.apply(LoadAction::EnvironmentLoaded { id, result: Box::new(Ok(sky)) });
    assert_eq!(session.notice(), Some("Lit by sky.hdr"));
    let mut desk = Desk::new(&session);
    let header = desk.nodes.iter().find(|n| n.label() == Some("Light"));
    let b = header.unwrap().bounds().unwrap();
    desk.click_at(&session, pos2(b.x0 as f32 + 4.0, 0.5 * (b.y0 + b.y1) as f32));
    // A header takes its time to open.
    for _ in 0..20 {
        desk.frame(&session, vec![]);
    }
    let mut now = "sky.hdr";
    for (other, name, key_light) in [
        ("None", "none", true),
        ("Uniform", "uniform", false),
        ("Studio", "studio", true),
        ("sky.hdr", "sky.hdr", false),
    ] {
        let mut actions = choose(&mut desk, &session, now, other);
        let Some(Action::Look(LookAction::SetLighting(lighting))) = actions.pop() else {
            panic!("{other}")
        };
        assert_eq!((lighting.environment.name(), lighting.key_light), (name, key_light));
        session.apply(LookAction::SetLighting(lighting));
        for _ in 0..3 {
            desk.frame(&session, vec![]);
        }
        now = other;
    }
    assert_eq!(session.look().lighting.environment, session.loads().environments()[3]);
    assert!(EnvironmentSource::NAMES.iter().all(|name| EnvironmentSource::named(name).is_some()));
    let actions = choose(&mut desk, &session, "sky.hdr", "Open a file…");
    assert_eq!(said(&actions), ["AskForEnvironment"]);
}
