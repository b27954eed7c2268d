//! The lists of scenes, cameras and environments, as the other tests of the panels see them.

use egui::accesskit::Role;
use egui::pos2;

use super::tests::{Desk, said};
use crate::look::EnvironmentSource;
use crate::model::{Environment, Scene};
use crate::viewer::sample::{finish, loaded, viewer};
use crate::viewer::{Action, Effect, Viewer};

/// Opens the list that shows a value and chooses another.
#[track_caller]
fn choose(desk: &mut Desk, viewer: &Viewer, shown: &str, other: &str) -> Vec<Action> {
    let is_list =
        |n: &&egui::accesskit::Node| n.role() == Role::ComboBox && n.value() == Some(shown);
    let list = desk.nodes.iter().find(is_list);
    let b = list.unwrap_or_else(|| panic!("no list shows {shown}")).bounds().unwrap();
    let at = pos2(0.5 * (b.x0 + b.x1) as f32, 0.5 * (b.y0 + b.y1) as f32);
    desk.click_at(viewer, at);
    desk.frame(viewer, vec![]);
    desk.click(viewer, Role::Button, other)
}

/// A session whose file has three scenes.
fn with_scenes() -> Viewer {
    let mut viewer = viewer();
    let mut file = loaded();
    file.model.scenes[0].name = Some("Stage".into());
    file.model.scenes.push(Scene { name: Some("Stage".into()), roots: vec![0] });
    file.model.scenes.push(Scene { name: None, roots: vec![0] });
    let effects = viewer.apply(Action::open("/rigs/scenes.glb"));
    finish(&mut viewer, &effects, Ok(file));
    viewer
}

#[test]
fn scenes_and_cameras_are_chosen_from_lists() {
    let mut viewer = with_scenes();
    let mut desk = Desk::new(&viewer);
    let actions = choose(&mut desk, &viewer, "Stage (0)", "Scene 2");
    assert_eq!(said(&actions), ["SelectScene(2)"]);
    viewer.apply(Action::SelectScene(2));
    desk.frame(&viewer, vec![]);
    desk.frame(&viewer, vec![]);
    assert!(desk.says("Scene 2"));
    let actions = choose(&mut desk, &viewer, "Free camera", "Shot");
    assert_eq!(said(&actions), ["SelectCamera(Some(0))"]);
    viewer.apply(Action::SelectCamera(Some(0)));
    desk.frame(&viewer, vec![]);
    desk.frame(&viewer, vec![]);
    let actions = choose(&mut desk, &viewer, "Shot", "Free camera");
    assert_eq!(said(&actions), ["SelectCamera(None)"]);
}

#[test]
fn one_scene_needs_no_list() {
    let viewer = viewer();
    let desk = Desk::new(&viewer);
    assert!(!desk.says("Scene 0") && desk.says("Free camera"));
}

#[test]
fn the_environments_are_listed_with_the_file_that_was_dropped() {
    let mut viewer = viewer();
    let [Effect::LoadEnvironment { id, .. }] = viewer.apply(Action::open("/light/sky.hdr"))[..]
    else {
        panic!("an environment is read");
    };
    let sky = Environment {
        name: "sky.hdr".into(),
        size: 1,
        levels: vec![vec![0; 6]],
        irradiance: [[0.0; 3]; 9],
    };
    viewer.apply(Action::EnvironmentLoaded { id, result: Box::new(Ok(sky)) });
    assert_eq!(viewer.notice(), Some("Lit by sky.hdr"));
    let mut desk = Desk::new(&viewer);
    let header = desk.nodes.iter().find(|n| n.label() == Some("Light"));
    let b = header.unwrap().bounds().unwrap();
    desk.click_at(&viewer, pos2(b.x0 as f32 + 4.0, 0.5 * (b.y0 + b.y1) as f32));
    // A header takes its time to open.
    for _ in 0..20 {
        desk.frame(&viewer, vec![]);
    }
    let mut now = "sky.hdr";
    for (other, name, key_light) in [
        ("None", "none", true),
        ("Uniform", "uniform", false),
        ("Studio", "studio", true),
        ("sky.hdr", "sky.hdr", false),
    ] {
        let mut actions = choose(&mut desk, &viewer, now, other);
        let Some(Action::SetLighting(lighting)) = actions.pop() else { panic!("{other}") };
        assert_eq!((lighting.environment.name(), lighting.key_light), (name, key_light));
        viewer.apply(Action::SetLighting(lighting));
        for _ in 0..3 {
            desk.frame(&viewer, vec![]);
        }
        now = other;
    }
    assert_eq!(viewer.look().lighting.environment, viewer.environments()[3]);
    assert!(EnvironmentSource::NAMES.iter().all(|name| EnvironmentSource::named(name).is_some()));
    let actions = choose(&mut desk, &viewer, "sky.hdr", "Open a file…");
    assert_eq!(said(&actions), ["AskForEnvironment"]);
}
