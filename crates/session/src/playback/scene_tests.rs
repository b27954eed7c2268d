//! Scenes and cameras of the file in a session.

use glam::{DVec2, DVec3};

use crate::sample::{finish, loaded, session};
use crate::{BoxOf, CameraAction, FileCamera, LoadAction, LookAction, PlaybackAction, Session};
use rigview_model::Scene;

/// Returns a session whose file has a second scene, without the camera's node.
fn two_scenes() -> Session {
    let mut session = session();
    let mut file = loaded();
    let model = &mut file.model;
    model.scenes.push(Scene { name: Some("Empty".into()), roots: vec![] });
    model.scenes.push(Scene { name: Some("WindowPart".into()), roots: vec![1] });
    let effects = session.apply(LoadAction::open("/rigs/scenes.glb"));
    finish(&mut session, &effects, Ok(file));
    session
}

#[test]
fn a_camera_of_the_file_moves_with_the_clip_until_a_person_moves_it() {
    let mut session = session();
    let free = *session.camera().orbit_camera();
    session.apply(CameraAction::SelectCamera(Some(FileCamera::First(0))));
    assert_eq!(session.camera().file_camera(), Some(FileCamera::First(0)));
    let eye = |session: &mut Session, time| {
        session.apply(PlaybackAction::Seek(time));
        session.pose();
        session.view().world_from_camera.translation
    };
    assert_eq!(eye(&mut session, 0.0), DVec3::ZERO);
    assert_eq!(eye(&mut session, 2.0), DVec3::new(2.0, 0.0, 0.0));
    // The orbiting camera has not moved.
    session.apply(CameraAction::SelectCamera(None));
    assert_eq!((session.camera().file_camera(), *session.camera().orbit_camera()), (None, free));
    // A drag continues from the place of the file's camera.
    session.apply(CameraAction::SelectCamera(Some(FileCamera::First(0))));
    session.apply(CameraAction::Orbit(DVec2::ZERO));
    assert_eq!(session.camera().file_camera(), None);
    let left = session.view().world_from_camera.translation;
    assert!((left - DVec3::new(2.0, 0.0, 0.0)).length() < 1e-9, "{left}");
    // This camera does not exist.
    session.apply(CameraAction::SelectCamera(Some(FileCamera::First(7))));
    assert_eq!(session.camera().file_camera(), None);
}

#[test]
fn a_camera_of_two_nodes_is_looked_through_at_each() {
    let mut file = loaded();
    file.model.nodes[0].camera = Some(0);
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/stereo.glb"));
    finish(&mut session, &effects, Ok(file));
    session.apply(PlaybackAction::Seek(2.0));
    session.pose();
    let cameras = session.playback().cameras();
    assert_eq!(cameras, [FileCamera::First(0), FileCamera::Further { node: 1 }]);
    let eyes = cameras.into_iter().map(|camera| {
        session.apply(CameraAction::SelectCamera(Some(camera)));
        assert_eq!(session.camera().file_camera(), Some(camera));
        session.view().world_from_camera.translation
    });
    assert_eq!(eyes.collect::<Vec<_>>(), [DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0)]);
}

#[test]
fn another_scene_is_shown_and_keeps_clip_and_time() {
    let mut session = two_scenes();
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(PlaybackAction::Seek(0.5));
    session.apply(CameraAction::SelectCamera(Some(FileCamera::First(0))));
    session.apply(PlaybackAction::SelectScene(2));
    let stage = session.playback().stage().unwrap();
    assert_eq!((stage.scene, &stage.nodes[..]), (2, &[1][..]));
    assert_eq!((session.playback().clip_index(), session.playback().time_secs()), (Some(1), 0.5));
    assert_eq!(
        session.camera().file_camera(),
        Some(FileCamera::First(0)),
        "it is in this scene too"
    );
    // A scene without the camera is shown by the free camera.
    session.apply(PlaybackAction::SelectScene(1));
    assert_eq!((session.camera().file_camera(), session.playback().cameras()), (None, vec![]));
    session.apply(PlaybackAction::SelectScene(9));
    assert_eq!(session.playback().stage().unwrap().scene, 1);
    // A reload keeps the scene.
    session.apply(PlaybackAction::SelectScene(2));
    let effects = session.apply(LoadAction::Reload);
    let mut file = loaded();
    file.model.scenes.extend([1, 2].map(|_| Scene { name: None, roots: vec![1] }));
    finish(&mut session, &effects, Ok(file));
    assert_eq!(session.playback().stage().unwrap().scene, 2);
}

/// The clip moves its node two metres along X.
#[test]
fn the_camera_frames_a_root_that_is_held_in_its_place() {
    let mut session = session();
    session.apply(LookAction::ToggleBounds);
    let mut width = |action: Option<PlaybackAction>| {
        action.map(|action| session.apply(action));
        session.pose();
        let clip = session.bounds_of(BoxOf::Clip).unwrap();
        [session.camera().bounds(), clip].map(|bounds| bounds.size().x)
    };
    let travels = width(None);
    let held = width(Some(PlaybackAction::ToggleInPlace));
    assert!(travels.iter().all(|x| *x >= 2.0) && held.iter().all(|x| *x < 1e-4), "{held:?}");
    assert_eq!(width(Some(PlaybackAction::ToggleInPlace)), travels);
}
