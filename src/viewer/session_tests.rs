//! The session without a window: every action that a person can cause, on a model made in code.

use std::sync::Arc;

use glam::DVec2;

use super::sample::{bad, finish, loaded, same_model, viewer, viewer_with};
use super::*;
use crate::anim::{Clip, ClipParts, Repeat};
use crate::look::Pass;
use crate::report::ClipForm;

fn act(viewer: &mut Viewer, actions: impl IntoIterator<Item = Action>) {
    for action in actions {
        assert_eq!(viewer.apply(action), []);
    }
}

#[test]
fn a_new_file_plays_its_first_clip_in_a_loop() {
    let mut viewer = viewer();
    assert_eq!((viewer.clip_index(), viewer.time_secs()), (Some(0), 0.0));
    assert!(viewer.is_moving());
    act(&mut viewer, [Action::Advance(0.5), Action::Advance(1.75)]);
    assert!((viewer.time_secs() - 0.25).abs() < 1e-12);
    assert_eq!(viewer.title(), "walker.glb - rigview");
}

#[test]
fn a_seek_pauses_and_the_read_out_counts_frames() {
    let mut viewer = viewer();
    act(&mut viewer, [Action::Seek(1.2333)]);
    assert!(!viewer.is_moving());
    let at = viewer.instant();
    assert_eq!((at.frame, at.last_frame, at.duration_secs), (37, 60, 2.0));
    act(&mut viewer, [Action::Seek(99.0)]);
    assert_eq!(viewer.time_secs(), 2.0);
}

#[test]
fn frame_steps_land_on_frames_and_stop_at_the_ends() {
    let mut viewer = viewer();
    let time = |viewer: &mut Viewer, action| {
        act(viewer, [action]);
        (viewer.time_secs() * 30.0 * 1000.0).round() / 1000.0
    };
    act(&mut viewer, [Action::Seek(0.51)]);
    assert_eq!(time(&mut viewer, Action::StepFrames(1)), 16.0);
    assert_eq!(time(&mut viewer, Action::StepFrames(1)), 17.0);
    assert_eq!(time(&mut viewer, Action::StepFrames(-1)), 16.0);
    act(&mut viewer, [Action::Seek(0.51)]);
    assert_eq!(time(&mut viewer, Action::StepFrames(-1)), 15.0);
    assert_eq!(time(&mut viewer, Action::StepFrames(-10)), 5.0);
    assert_eq!(time(&mut viewer, Action::StepFrames(-10)), 0.0);
    assert_eq!(time(&mut viewer, Action::StepFrames(1000)), 60.0);
}

#[test]
fn key_steps_go_from_key_to_key() {
    let mut viewer = viewer();
    let mut times = Vec::new();
    for keys in [1, 1, 1, -1, -1, -1] {
        act(&mut viewer, [Action::StepKeys(keys)]);
        times.push(viewer.time_secs());
    }
    assert_eq!(times, [0.5, 2.0, 2.0, 0.5, 0.0, 0.0]);
    act(&mut viewer, [Action::Seek(1.0), Action::StepKeys(-1)]);
    assert_eq!(viewer.time_secs(), 0.5);
    act(&mut viewer, [Action::Seek(1.0), Action::StepKeys(1)]);
    assert_eq!(viewer.time_secs(), 2.0);
}

#[test]
fn once_stops_at_the_end_and_plays_again_from_the_start() {
    let mut viewer = viewer();
    act(&mut viewer, [Action::SetRepeat(Repeat::Once), Action::Advance(5.0)]);
    assert_eq!((viewer.time_secs(), viewer.is_moving()), (2.0, false));
    act(&mut viewer, [Action::TogglePlay]);
    assert_eq!((viewer.time_secs(), viewer.is_moving()), (0.0, true));
}

#[test]
fn in_and_out_points_hold_for_the_clip_that_they_were_set_in() {
    let mut viewer = viewer();
    act(&mut viewer, [Action::SetMark(Mark::In, Some(0.5)), Action::SetMark(Mark::Out, Some(1.0))]);
    assert_eq!(viewer.instant().range_secs, [0.5, 1.0]);
    act(&mut viewer, [Action::Advance(0.75)]);
    assert_eq!(viewer.time_secs(), 0.75);
    act(&mut viewer, [Action::SetMark(Mark::Out, Some(9.0))]);
    assert_eq!(viewer.instant().range_secs, [0.5, 2.0]);
    let effects = viewer.apply(Action::Reload);
    finish(&mut viewer, &effects, Ok(loaded()));
    assert_eq!(viewer.instant().range_secs, [0.5, 2.0]);
    act(&mut viewer, [Action::NextClip]);
    assert_eq!(viewer.instant().range_secs, [0.0, 1.0]);
    act(&mut viewer, [Action::SelectClip(None), Action::SetMark(Mark::In, Some(0.5))]);
    assert!(!viewer.player().has_range());
}

#[test]
fn a_clip_plays_in_the_form_that_is_chosen_and_so_does_the_next() {
    let mut viewer = viewer();
    let x = |viewer: &Viewer| viewer.stage().unwrap().local.transform(1).translation.x;
    act(&mut viewer, [Action::Seek(1.0 / 3.0)]);
    viewer.pose();
    let source = x(&viewer);
    assert!((source - 1.0 / 3.0).abs() < 1e-6);
    act(&mut viewer, [Action::SetForm(ClipForm::Packed)]);
    let packed = x(&viewer);
    assert!(packed != source && (packed - source).abs() < 2e-4, "{packed}");
    assert_eq!((viewer.time_secs(), viewer.duration_secs()), (1.0 / 3.0, 2.0));
    act(&mut viewer, [Action::SelectClip(Some(1)), Action::Seek(1.0 / 3.0)]);
    viewer.pose();
    assert_eq!(x(&viewer), packed);
    act(&mut viewer, [Action::SetForm(ClipForm::Reduced)]);
    assert!((x(&viewer) - source).abs() < 5e-4);
    act(&mut viewer, [Action::SetForm(ClipForm::Source)]);
    assert_eq!((x(&viewer), viewer.form()), (source, ClipForm::Source));
}

#[test]
fn another_clip_starts_at_its_beginning_from_the_rest_pose() {
    let mut viewer = viewer();
    act(&mut viewer, [Action::Advance(1.0), Action::SelectClip(Some(1))]);
    assert_eq!((viewer.clip_index(), viewer.time_secs()), (Some(1), 0.0));
    assert!(viewer.is_moving());
    // What fades from one to the other has its own tests.
    act(&mut viewer, [Action::SetFade(0.0), Action::SelectClip(None)]);
    let rest = viewer.stage().unwrap().local.clone();
    assert_eq!(rest, viewer.document().unwrap().model.rest);
    assert!(!viewer.is_moving() && !viewer.can_play());
    assert_eq!((viewer.time_secs(), viewer.duration_secs()), (0.0, 0.0));
}

#[test]
fn clips_go_round_and_skip_the_rest_pose() {
    let mut viewer = viewer();
    let mut seen = Vec::new();
    for _ in 0..3 {
        act(&mut viewer, [Action::NextClip]);
        seen.push(viewer.clip_index());
    }
    act(&mut viewer, [Action::PreviousClip]);
    seen.push(viewer.clip_index());
    act(&mut viewer, [Action::SelectClip(None), Action::PreviousClip]);
    seen.push(viewer.clip_index());
    act(&mut viewer, [Action::SelectClip(None), Action::NextClip]);
    seen.push(viewer.clip_index());
    assert_eq!(seen, [Some(1), Some(2), Some(0), Some(2), Some(2), Some(0)]);
}

#[test]
fn a_clip_of_one_key_is_a_pose_that_does_not_move() {
    let mut viewer = viewer();
    act(&mut viewer, [Action::SelectClip(Some(2)), Action::TogglePlay, Action::Advance(1.0)]);
    assert!(!viewer.is_moving());
    assert_eq!(viewer.time_secs(), 0.0);
    assert_eq!(viewer.document().unwrap().clip_names, ["Walk", "歩く", "Clip 2"]);
}

#[test]
fn a_bad_file_leaves_the_old_model_and_says_why() {
    let mut viewer = viewer();
    let model = Arc::clone(&viewer.document().unwrap().model);
    act(&mut viewer, [Action::Advance(0.5)]);
    let effects = viewer.apply(Action::open("/rigs/bad.glb"));
    assert_eq!(viewer.loading().unwrap().source.name(), "bad.glb");
    finish(&mut viewer, &effects, bad());
    assert!(same_model(&viewer, &model) && viewer.loading().is_none());
    assert_eq!(viewer.time_secs(), 0.5);
    let failure = viewer.failure().unwrap();
    assert_eq!(failure.file, "bad.glb");
    assert_eq!(failure.message, "joint 9 of 2 at /skins/0/joints/1");
    act(&mut viewer, [Action::Dismiss]);
    assert!(viewer.failure().is_none());
}

#[test]
fn a_good_file_resets_clip_time_and_camera() {
    let mut viewer = viewer_with(SessionOptions {
        clip: ClipChoice::Named("歩く".into()),
        time_secs: Some(0.25),
        ..SessionOptions::default()
    });
    assert_eq!((viewer.clip_index(), viewer.time_secs()), (Some(1), 0.25));
    let framed = *viewer.sight().orbit_camera();
    act(&mut viewer, [Action::Orbit(DVec2::new(0.3, 0.1)), Action::SelectClip(None)]);
    let effects = viewer.apply(Action::open("/rigs/other.glb"));
    finish(&mut viewer, &effects, Ok(loaded()));
    assert_eq!((viewer.clip_index(), viewer.time_secs()), (Some(0), 0.0));
    assert!(viewer.is_moving());
    let camera = viewer.sight().orbit_camera();
    assert_eq!((camera.azimuth, camera.elevation), (framed.azimuth, framed.elevation));
}

#[test]
fn a_reload_keeps_clip_time_and_camera() {
    let mut viewer = viewer();
    let model = Arc::clone(&viewer.document().unwrap().model);
    let moved =
        [Action::SelectClip(Some(1)), Action::Seek(0.75), Action::Orbit(DVec2::new(0.3, 0.1))];
    act(&mut viewer, moved);
    let camera = *viewer.sight().orbit_camera();
    let effects = viewer.apply(Action::Reload);
    finish(&mut viewer, &effects, Ok(loaded()));
    assert!(!same_model(&viewer, &model));
    assert_eq!((viewer.clip_index(), viewer.time_secs()), (Some(1), 0.75));
    assert_eq!(*viewer.sight().orbit_camera(), camera);
    assert!(!viewer.is_moving());
}

#[test]
fn the_newest_load_wins_and_escape_gives_it_up() {
    let mut viewer = viewer();
    let first = viewer.apply(Action::open("/rigs/slow.glb"));
    let second = viewer.apply(Action::open("/rigs/quick.glb"));
    finish(&mut viewer, &second, Ok(loaded()));
    finish(&mut viewer, &first, bad());
    assert_eq!(viewer.document().unwrap().name, "quick.glb");
    assert!(viewer.failure().is_none());
    let third = viewer.apply(Action::open("/rigs/third.glb"));
    act(&mut viewer, [Action::Escape]);
    finish(&mut viewer, &third, Ok(loaded()));
    assert_eq!(viewer.document().unwrap().name, "quick.glb");
}

#[test]
fn an_unknown_clip_is_said_with_the_list() {
    let viewer = viewer_with(SessionOptions {
        clip: ClipChoice::Named("Fly".into()),
        ..SessionOptions::default()
    });
    assert_eq!(viewer.clip_index(), Some(0));
    assert!(viewer.notice().unwrap().ends_with("Walk, 歩く, Clip 2"));
}

#[test]
fn a_file_camera_is_looked_through_until_it_is_moved() {
    let mut viewer = viewer_with(SessionOptions {
        view: StartView::Camera("Shot".into()),
        ..SessionOptions::default()
    });
    act(&mut viewer, [Action::Seek(1.0)]);
    viewer.pose();
    let seen = viewer.view();
    assert!((seen.world_from_camera.translation - glam::DVec3::X).length() < 1e-6);
    assert_eq!(viewer.sight().file_camera(), Some(0));
    act(&mut viewer, [Action::Pan(DVec2::ZERO)]);
    assert_eq!(viewer.sight().file_camera(), None);
    let off = viewer.view().world_from_camera.translation - seen.world_from_camera.translation;
    assert!(off.length() < 1e-6, "{off}");
    act(&mut viewer, [Action::ResetCamera]);
    assert_eq!(viewer.sight().file_camera(), Some(0));
}

#[test]
fn what_is_done_outside_comes_back_as_effects() {
    let mut viewer = Viewer::new(SessionOptions::default());
    assert_eq!(viewer.apply(Action::AskForFile), [Effect::AskForFile]);
    assert_eq!(viewer.apply(Action::ToggleFullScreen), [Effect::ToggleFullScreen]);
    assert_eq!(viewer.apply(Action::Reload), []);
    // Nothing is open: none of these may do harm.
    act(&mut viewer, [Action::TogglePlay, Action::NextClip, Action::StepFrames(1)]);
    act(&mut viewer, [Action::StepKeys(-1), Action::FrameAll, Action::Advance(1.0)]);
    assert!(!viewer.is_moving());
}

#[test]
fn nothing_moves_when_paused_or_at_speed_zero() {
    let mut viewer = viewer();
    act(&mut viewer, [Action::SetSpeed(0.0)]);
    assert!(!viewer.is_moving());
    act(&mut viewer, [Action::SetSpeed(2.0), Action::Advance(0.5)]);
    assert_eq!(viewer.time_secs(), 1.0);
    act(&mut viewer, [Action::TogglePlay, Action::Advance(0.5)]);
    assert_eq!((viewer.time_secs(), viewer.is_moving()), (1.0, false));
    act(&mut viewer, [Action::SetSpeed(f64::NAN)]);
    assert_eq!(viewer.player().speed, 2.0);
}

#[test]
fn a_model_is_stood_up_and_framed_until_another_one_comes() {
    let mut viewer = viewer();
    let lying = viewer.sight().bounds();
    act(&mut viewer, [Action::ToggleStoodUp]);
    assert!(viewer.stage().unwrap().stood_up());
    // (x, y, z) is at (x, z, -y) now.
    let (min, max) = viewer.sight().bounds();
    // Bones are framed with a margin of 0.16 on all sides but below.
    let near = |a: f64, b: f64| (a - b).abs() < 0.161;
    assert!(near(min.z, -lying.1.y) && near(max.z, -lying.0.y), "{min} to {max}");
    assert!(near(min.y, lying.0.z) && near(max.y, lying.1.z), "{min} to {max}");
    assert!(max.z - min.z > 1.0 && max.y - min.y < 0.5, "{min} to {max}");
    let effects = viewer.apply(Action::Reload);
    finish(&mut viewer, &effects, Ok(loaded()));
    assert!(viewer.stage().unwrap().stood_up(), "the same file comes back as it was");
    act(&mut viewer, [Action::ToggleStoodUp]);
    assert_eq!(viewer.sight().bounds(), lying);
    act(&mut viewer, [Action::ToggleStoodUp]);
    let effects = viewer.apply(Action::open("/rigs/other.glb"));
    finish(&mut viewer, &effects, Ok(loaded()));
    assert!(!viewer.stage().unwrap().stood_up(), "another file is shown as it is");
}

#[test]
fn a_clip_that_moves_nothing_is_said() {
    let mut viewer = Viewer::new(SessionOptions::default());
    let effects = viewer.apply(Action::Open(FileSource::Path("still.glb".into())));
    let mut still = loaded();
    let name = still.model.clips[0].name().map(str::to_owned);
    still.model.clips[0] = Clip::new(ClipParts { name, ..ClipParts::default() });
    finish(&mut viewer, &effects, Ok(still));
    assert!(viewer.notice().unwrap().ends_with("moves nothing: this is the rest pose"));
}

#[test]
fn the_pass_of_weights_always_has_a_joint_and_a_reload_keeps_it() {
    let mut viewer = viewer();
    assert_eq!(viewer.look().joint, None);
    act(&mut viewer, [Action::SetPass(Pass::Weights)]);
    // No vertex has a weight: the first joint.
    assert_eq!(viewer.look().joint, Some(0));
    act(&mut viewer, [Action::SelectJoint(Some(1)), Action::SelectJoint(Some(9))]);
    assert_eq!(viewer.look().joint, Some(1));
    // The file is written again with its joints in another order.
    let named = |names: [&str; 2]| {
        let mut loaded = loaded();
        for (node, name) in loaded.model.nodes.iter_mut().zip(names) {
            node.name = Some(name.into());
        }
        loaded
    };
    for (names, joint) in [(["hip", "head"], 1), (["hip", "head"], 1), (["head", "hip"], 0)] {
        let effects = viewer.apply(Action::Reload);
        finish(&mut viewer, &effects, Ok(named(names)));
        if joint == 1 {
            act(&mut viewer, [Action::SelectJoint(Some(1))]);
        }
        assert_eq!(viewer.look().joint, Some(joint), "{names:?}");
    }
    act(&mut viewer, [Action::SelectJoint(Some(1)), Action::SelectJoint(None)]);
    assert_eq!(viewer.look().joint, Some(0));
}
