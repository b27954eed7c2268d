//! The session without a window: every action, on a model made in code.

use std::sync::Arc;

use glam::{DVec2, Vec3};

use super::sample::{act, bad, finish, loaded, same_model, session, session_with};
use super::*;
use rigview_anim::{Channel, Clip, ClipParts, Keys, Repeat, Track};
use rigview_report::ClipForm;

#[test]
fn a_new_file_plays_its_first_clip_in_a_loop() {
    let mut session = session();
    assert_eq!((session.playback().clip_index(), session.playback().time_secs()), (Some(0), 0.0));
    assert!(session.playback().is_moving());
    act!(session, Action::Advance(0.5), Action::Advance(1.75));
    assert!((session.playback().time_secs() - 0.25).abs() < 1e-12);
    assert_eq!(session.playback().title(), "walker.glb - rigview");
}

#[test]
fn a_seek_pauses_and_the_read_out_counts_frames() {
    let mut session = session();
    act!(session, PlaybackAction::Seek(1.2333));
    assert!(!session.playback().is_moving());
    let at = session.playback().instant();
    assert_eq!((at.frame, at.end_frame, at.duration_secs), (37, 60.0, 2.0));
    act!(session, PlaybackAction::Seek(99.0));
    assert_eq!(session.playback().time_secs(), 2.0);
    // An end between two frames is not rounded to one that the clip does not have.
    act!(session, PlaybackAction::SetFps(18.75));
    let at = session.playback().instant();
    assert_eq!((at.frame, at.end_frame), (37, 37.5));
    // One that is only a rounding error away from a frame is.
    act!(session, PlaybackAction::SetFps(18.4975));
    let at = session.playback().instant();
    assert_eq!((at.frame, at.end_frame), (37, 37.0));
}

#[test]
fn frame_steps_land_on_frames_and_stop_at_the_ends() {
    let mut session = session();
    let time = |session: &mut Session, action| {
        act!(session, action);
        (session.playback().time_secs() * 30.0 * 1000.0).round() / 1000.0
    };
    act!(session, PlaybackAction::Seek(0.51));
    assert_eq!(time(&mut session, PlaybackAction::StepFrames(1)), 16.0);
    assert_eq!(time(&mut session, PlaybackAction::StepFrames(1)), 17.0);
    assert_eq!(time(&mut session, PlaybackAction::StepFrames(-1)), 16.0);
    act!(session, PlaybackAction::Seek(0.51));
    assert_eq!(time(&mut session, PlaybackAction::StepFrames(-1)), 15.0);
    assert_eq!(time(&mut session, PlaybackAction::StepFrames(-10)), 5.0);
    assert_eq!(time(&mut session, PlaybackAction::StepFrames(-10)), 0.0);
    assert_eq!(time(&mut session, PlaybackAction::StepFrames(1000)), 60.0);
}

#[test]
fn key_steps_go_from_key_to_key() {
    let mut session = session();
    let mut times = Vec::new();
    for keys in [1, 1, 1, -1, -1, -1] {
        act!(session, PlaybackAction::StepKeys(keys));
        times.push(session.playback().time_secs());
    }
    assert_eq!(times, [0.5, 2.0, 2.0, 0.5, 0.0, 0.0]);
    act!(session, PlaybackAction::Seek(1.0), PlaybackAction::StepKeys(-1));
    assert_eq!(session.playback().time_secs(), 0.5);
    act!(session, PlaybackAction::Seek(1.0), PlaybackAction::StepKeys(1));
    assert_eq!(session.playback().time_secs(), 2.0);
}

#[test]
fn once_stops_at_the_end_and_plays_again_from_the_start() {
    let mut session = session();
    act!(session, PlaybackAction::SetRepeat(Repeat::Once), Action::Advance(5.0));
    assert_eq!((session.playback().time_secs(), session.playback().is_moving()), (2.0, false));
    act!(session, PlaybackAction::TogglePlay);
    assert_eq!((session.playback().time_secs(), session.playback().is_moving()), (0.0, true));
}

#[test]
fn in_and_out_points_hold_for_the_clip_that_they_were_set_in() {
    let mut session = session();
    act!(
        session,
        PlaybackAction::SetMark(Mark::In, Some(0.5)),
        PlaybackAction::SetMark(Mark::Out, Some(1.0))
    );
    assert_eq!(session.playback().instant().range_secs, [0.5, 1.0]);
    act!(session, Action::Advance(0.75));
    assert_eq!(session.playback().time_secs(), 0.75);
    act!(session, PlaybackAction::SetMark(Mark::Out, Some(9.0)));
    assert_eq!(session.playback().instant().range_secs, [0.5, 2.0]);
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(loaded()));
    assert_eq!(session.playback().instant().range_secs, [0.5, 2.0]);
    act!(session, PlaybackAction::NextClip);
    assert_eq!(session.playback().instant().range_secs, [0.0, 1.0]);
    act!(session, PlaybackAction::SelectClip(None), PlaybackAction::SetMark(Mark::In, Some(0.5)));
    assert!(!session.playback().player().has_range());
}

#[test]
fn a_clip_plays_in_the_form_that_is_chosen_and_so_does_the_next() {
    let mut session = session();
    let x =
        |session: &Session| session.playback().stage().unwrap().local.transform(1).translation.x;
    act!(session, PlaybackAction::Seek(1.0 / 3.0));
    session.pose();
    let source = x(&session);
    assert!((source - 1.0 / 3.0).abs() < 1e-6);
    act!(session, PlaybackAction::SetForm(ClipForm::Packed));
    let packed = x(&session);
    assert!(packed != source && (packed - source).abs() < 2e-4, "{packed}");
    assert_eq!(
        (session.playback().time_secs(), session.playback().duration_secs()),
        (1.0 / 3.0, 2.0)
    );
    act!(session, PlaybackAction::SelectClip(Some(1)), PlaybackAction::Seek(1.0 / 3.0));
    session.pose();
    assert_eq!(x(&session), packed);
    act!(session, PlaybackAction::SetForm(ClipForm::Reduced));
    assert!((x(&session) - source).abs() < 5e-4);
    act!(session, PlaybackAction::SetForm(ClipForm::Source));
    assert_eq!((x(&session), session.playback().form()), (source, ClipForm::Source));
}

#[test]
fn another_clip_starts_at_its_beginning_from_the_rest_pose() {
    let mut session = session();
    act!(session, Action::Advance(1.0), PlaybackAction::SelectClip(Some(1)));
    assert_eq!((session.playback().clip_index(), session.playback().time_secs()), (Some(1), 0.0));
    assert!(session.playback().is_moving());
    // Crossfades have tests of their own.
    act!(session, PlaybackAction::SetFade(0.0), PlaybackAction::SelectClip(None));
    let rest = session.playback().stage().unwrap().local.clone();
    assert_eq!(rest, session.playback().document().unwrap().model.rest);
    assert!(!session.playback().is_moving() && !session.playback().can_play());
    assert_eq!((session.playback().time_secs(), session.playback().duration_secs()), (0.0, 0.0));
}

#[test]
fn clips_go_round_and_skip_the_rest_pose() {
    let mut session = session();
    let mut seen = Vec::new();
    for _ in 0..3 {
        act!(session, PlaybackAction::NextClip);
        seen.push(session.playback().clip_index());
    }
    act!(session, PlaybackAction::PreviousClip);
    seen.push(session.playback().clip_index());
    act!(session, PlaybackAction::SelectClip(None), PlaybackAction::PreviousClip);
    seen.push(session.playback().clip_index());
    act!(session, PlaybackAction::SelectClip(None), PlaybackAction::NextClip);
    seen.push(session.playback().clip_index());
    assert_eq!(seen, [Some(1), Some(2), Some(0), Some(2), Some(2), Some(0)]);
}

#[test]
fn a_clip_of_one_key_is_a_pose_that_does_not_move() {
    let mut session = session();
    act!(
        session,
        PlaybackAction::SelectClip(Some(2)),
        PlaybackAction::TogglePlay,
        Action::Advance(1.0)
    );
    assert!(!session.playback().is_moving());
    assert_eq!(session.playback().time_secs(), 0.0);
    assert_eq!(session.playback().document().unwrap().clip_names, ["Walk", "歩く", "Clip 2"]);
}

#[test]
fn a_bad_file_leaves_the_old_model_and_says_why() {
    let mut session = session();
    let model = Arc::clone(&session.playback().document().unwrap().model);
    act!(session, Action::Advance(0.5));
    let effects = session.apply(LoadAction::open("/rigs/bad.glb"));
    assert_eq!(session.loads().pending(Destination::Shown).unwrap().source.name(), "bad.glb");
    finish(&mut session, &effects, bad());
    assert!(same_model(&session, &model) && session.loads().pending(Destination::Shown).is_none());
    assert_eq!(session.playback().time_secs(), 0.5);
    let failure = session.loads().failure().unwrap();
    assert_eq!(failure.file, "bad.glb");
    assert_eq!(failure.message, "joint 9 of 2 at /skins/0/joints/1");
    act!(session, Action::Dismiss);
    assert!(session.loads().failure().is_none());
}

#[test]
fn a_good_file_resets_clip_time_and_camera() {
    let mut session = session_with(SessionOptions {
        clip: ClipChoice::Named("歩く".into()),
        time_secs: Some(0.25),
        ..SessionOptions::default()
    });
    assert_eq!((session.playback().clip_index(), session.playback().time_secs()), (Some(1), 0.25));
    let framed = *session.camera().orbit_camera();
    act!(session, CameraAction::Orbit(DVec2::new(0.3, 0.1)), PlaybackAction::SelectClip(None));
    let effects = session.apply(LoadAction::open("/rigs/other.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    assert_eq!((session.playback().clip_index(), session.playback().time_secs()), (Some(0), 0.0));
    assert!(session.playback().is_moving());
    let camera = session.camera().orbit_camera();
    assert_eq!((camera.azimuth, camera.elevation), (framed.azimuth, framed.elevation));
}

#[test]
fn a_reload_keeps_clip_time_and_camera() {
    let mut session = session();
    let model = Arc::clone(&session.playback().document().unwrap().model);
    act!(
        session,
        PlaybackAction::SelectClip(Some(1)),
        PlaybackAction::Seek(0.75),
        CameraAction::Orbit(DVec2::new(0.3, 0.1))
    );
    let camera = *session.camera().orbit_camera();
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(loaded()));
    assert!(!same_model(&session, &model));
    assert_eq!((session.playback().clip_index(), session.playback().time_secs()), (Some(1), 0.75));
    assert_eq!(*session.camera().orbit_camera(), camera);
    assert!(!session.playback().is_moving());
}

#[test]
fn the_newest_load_wins_and_escape_gives_it_up() {
    let mut session = session();
    let first = session.apply(LoadAction::open("/rigs/slow.glb"));
    let second = session.apply(LoadAction::open("/rigs/quick.glb"));
    finish(&mut session, &second, Ok(loaded()));
    finish(&mut session, &first, bad());
    assert_eq!(session.playback().document().unwrap().name, "quick.glb");
    assert!(session.loads().failure().is_none());
    let third = session.apply(LoadAction::open("/rigs/third.glb"));
    act!(session, Action::Escape);
    finish(&mut session, &third, Ok(loaded()));
    assert_eq!(session.playback().document().unwrap().name, "quick.glb");
}

#[test]
fn an_unknown_clip_is_said_with_the_list() {
    let session = session_with(SessionOptions {
        clip: ClipChoice::Named("Fly".into()),
        ..SessionOptions::default()
    });
    assert_eq!(session.playback().clip_index(), Some(0));
    assert!(session.notice().unwrap().ends_with("Walk, 歩く, Clip 2"));
}

#[test]
fn a_file_camera_is_looked_through_until_it_is_moved() {
    let mut session = session_with(SessionOptions {
        view: StartView::Camera("Shot".into()),
        ..SessionOptions::default()
    });
    act!(session, PlaybackAction::Seek(1.0));
    session.pose();
    let seen = session.view();
    assert!((seen.world_from_camera.translation - glam::DVec3::X).length() < 1e-6);
    assert_eq!(session.camera().file_camera(), Some(FileCamera::First(0)));
    act!(session, CameraAction::Pan(DVec2::ZERO));
    assert_eq!(session.camera().file_camera(), None);
    let off = session.view().world_from_camera.translation - seen.world_from_camera.translation;
    assert!(off.length() < 1e-6, "{off}");
    act!(session, CameraAction::ResetCamera);
    assert_eq!(session.camera().file_camera(), Some(FileCamera::First(0)));
}

/// Keys at 24 frames per second lie between the frames of 30 per second.
#[test]
fn frames_are_those_that_the_keys_of_the_clip_lie_on() {
    let guessing = SessionOptions { guesses_fps: true, ..SessionOptions::default() };
    let mut session = session_with(guessing);
    let mut film = loaded();
    let times: Vec<f32> = (0..=24).map(|frame| frame as f32 / 24.0).collect();
    let keys = Keys::Linear(times.iter().map(|time| Vec3::X * *time).collect());
    let track = Track::new(times, keys, 1).unwrap();
    film.model.clips[1] = Clip::new(ClipParts {
        channels: vec![Channel::Translation { node: 1, track }],
        duration_secs: 1.0,
        ..ClipParts::default()
    });
    let effects = session.apply(LoadAction::open("/rigs/film.glb"));
    finish(&mut session, &effects, Ok(film));
    let mut rate = |clip: usize| {
        session.apply(PlaybackAction::SelectClip(Some(clip)));
        (session.playback().fps(), session.playback().instant().end_frame)
    };
    assert_eq!(rate(1), (24.0, 24.0));
    assert_eq!(rate(0), (30.0, 60.0), "three keys are too few to tell");
}

#[test]
fn points_between_which_nothing_is_left_do_not_stop_the_clip() {
    let mut session = session();
    act!(
        session,
        PlaybackAction::SetMark(Mark::In, Some(1.5)),
        PlaybackAction::SetMark(Mark::Out, Some(1.5))
    );
    assert!(session.notice().is_some_and(|said| said.starts_with("Nothing is left to play")));
    assert_eq!(session.playback().instant().range_secs, [1.5, 2.0], "it is refused");
    act!(session, PlaybackAction::SetMark(Mark::Out, Some(1.75)));
    let mut shorter = loaded();
    shorter.model.clips.swap(0, 1);
    let name = |name: &str, clip: &Clip| {
        Clip::new(ClipParts { name: Some(name.into()), ..clip.clone().into_parts() })
    };
    shorter.model.clips[0] = name("Walk", &shorter.model.clips[0]);
    shorter.model.clips[1] = name("Run", &shorter.model.clips[1]);
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(shorter));
    assert_eq!(session.playback().duration_secs(), 1.0);
    assert!(!session.playback().player().has_range());
    act!(session, PlaybackAction::Seek(0.0), PlaybackAction::TogglePlay, Action::Advance(0.25));
    assert_eq!(session.playback().time_secs(), 0.25);
}

/// One more node before the others, as an exporter adds one for the armature.
#[test]
fn what_is_hidden_selected_and_measured_is_found_again_by_name() {
    let named = |names: [&str; 2]| {
        let mut loaded = loaded();
        for (node, name) in loaded.model.nodes.iter_mut().zip(names) {
            node.name = Some(name.into());
        }
        loaded
    };
    let mut session = session();
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(named(["hips", "arm"])));
    act!(
        session,
        HiddenAction::Toggle(0),
        HiddenAction::ToggleSolo(1),
        SelectionAction::Select(Some(Item::Node(0))),
        MeasureAction::Toggle,
        MeasureAction::Mark(Anchor::Node(1))
    );
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(named(["arm", "hips"])));
    assert_eq!(session.hidden().nodes().collect::<Vec<_>>(), [1]);
    assert_eq!((session.hidden().solo(), session.selection().node()), (Some(0), Some(1)));
    assert_eq!(session.measuring().anchors(), [Anchor::Node(0)]);
    act!(session, MeasureAction::Mark(Anchor::Node(1)));
    session.pose();
    assert!(session.measured().is_some(), "the second point completes it");
}

#[test]
fn a_reload_keeps_the_part_of_the_clip_in_sight() {
    let mut session = session();
    act!(session, TimelineAction::Show([0.5, 1.0]));
    let in_sight = |session: &Session| session.timeline().view_secs(session.playback());
    let effects = session.apply(LoadAction::Reload);
    let mut turned = loaded();
    turned.model.clips.swap(0, 1);
    finish(&mut session, &effects, Ok(turned));
    assert_eq!((session.playback().clip_index(), in_sight(&session)), (Some(1), [0.5, 1.0]));
    let effects = session.apply(LoadAction::Reload);
    let mut other = loaded();
    other.model.clips.truncate(1);
    other.model.clips[0] = Clip::new(ClipParts {
        name: Some("Run".into()),
        ..other.model.clips[0].clone().into_parts()
    });
    finish(&mut session, &effects, Ok(other));
    assert!(!session.timeline().is_zoomed(session.playback()), "that clip is gone");
}

#[test]
fn a_file_camera_is_found_again_by_name_and_one_that_is_gone_is_left() {
    let view = StartView::Camera("Shot".into());
    let mut session = session_with(SessionOptions { view, ..SessionOptions::default() });
    assert_eq!(session.camera().file_camera(), Some(FileCamera::First(0)));
    let mut more = loaded();
    let other =
        rigview_model::Camera { name: Some("Other".into()), ..more.model.cameras[0].clone() };
    more.model.cameras.insert(0, other);
    more.model.nodes[1].camera = Some(1);
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(more));
    assert_eq!(session.camera().file_camera(), Some(FileCamera::First(1)));
    let mut without = loaded();
    without.model.cameras.clear();
    without.model.nodes[1].camera = None;
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(without));
    assert!(session.camera().is_orbiting());
    act!(session, CameraAction::ResetCamera);
    assert!(session.camera().is_orbiting(), "there is none to return to");
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(loaded()));
    act!(session, CameraAction::ResetCamera);
    assert_eq!(session.camera().file_camera(), Some(FileCamera::First(0)), "the file has it again");
}
