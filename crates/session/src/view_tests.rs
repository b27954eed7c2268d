//! The look and the view of a session, and its effects.

use super::sample::{act, finish, loaded, session};
use super::*;
use rigview_anim::{Clip, ClipParts};
use rigview_import::{ImportOptions, load_bytes};
use rigview_look::Pass;
use rigview_model::SceneBox;

const CREATURE: &[u8] = include_bytes!("../../../assets/creature.glb");

#[test]
fn what_is_done_outside_comes_back_as_effects() {
    let mut session = Session::new(SessionOptions::default());
    let question = FileQuestion::Open(Destination::Shown);
    assert!(
        matches!(session.apply(Action::Ask(question))[..], [Effect::Ask(asked)] if asked == question)
    );
    assert!(matches!(session.apply(Action::ToggleFullScreen)[..], [Effect::ToggleFullScreen]));
    assert!(session.apply(LoadAction::Reload).is_empty());
    // Without a file, these actions have no effect.
    act!(
        session,
        PlaybackAction::TogglePlay,
        PlaybackAction::NextClip,
        PlaybackAction::StepFrames(1)
    );
    act!(session, PlaybackAction::StepKeys(-1), CameraAction::FrameAll, Action::Advance(1.0));
    assert!(!session.playback().is_moving());
}

#[test]
fn nothing_moves_when_paused_or_at_speed_zero() {
    let mut session = session();
    act!(session, PlaybackAction::SetSpeed(0.0));
    assert!(!session.playback().is_moving());
    act!(session, PlaybackAction::SetSpeed(2.0), Action::Advance(0.5));
    assert_eq!(session.playback().time_secs(), 1.0);
    act!(session, PlaybackAction::TogglePlay, Action::Advance(0.5));
    assert_eq!((session.playback().time_secs(), session.playback().is_moving()), (1.0, false));
    act!(session, PlaybackAction::SetSpeed(f64::NAN));
    assert_eq!(session.playback().player().speed, 2.0);
}

#[test]
fn a_model_is_stood_up_and_framed_until_another_one_comes() {
    let mut session = session();
    let lying = session.camera().bounds();
    act!(session, PlaybackAction::ToggleStoodUp);
    assert!(session.playback().stage().unwrap().stood_up());
    // The point (x, y, z) is moved to (x, z, -y).
    let SceneBox { min, max } = session.camera().bounds();
    // Bones are framed with a margin of 0.16 on all sides except below.
    let near = |a: f64, b: f64| (a - b).abs() < 0.161;
    assert!(near(min.z, -lying.max.y) && near(max.z, -lying.min.y), "{min} to {max}");
    assert!(near(min.y, lying.min.z) && near(max.y, lying.max.z), "{min} to {max}");
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(loaded()));
    assert!(session.playback().stage().unwrap().stood_up(), "the same file comes back as it was");
    act!(session, PlaybackAction::ToggleStoodUp);
    assert_eq!(session.camera().bounds(), lying);
    act!(session, PlaybackAction::ToggleStoodUp);
    let effects = session.apply(LoadAction::open("/rigs/other.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    assert!(!session.playback().stage().unwrap().stood_up(), "another file is shown as it is");
}

#[test]
fn a_clip_that_moves_nothing_is_said() {
    let mut session = Session::new(SessionOptions::default());
    let effects = session.apply(LoadAction::open("still.glb"));
    let mut still = loaded();
    let name = still.model.clips[0].name().map(str::to_owned);
    still.model.clips[0] = Clip::new(ClipParts { name, ..ClipParts::default() });
    finish(&mut session, &effects, Ok(still));
    assert!(session.notice().unwrap().ends_with("moves nothing; this is the rest pose"));
}

#[test]
fn the_pass_of_weights_always_has_a_joint_and_a_reload_keeps_it() {
    let mut session = session();
    assert_eq!(session.look().joint, None);
    act!(session, LookAction::SetPass(Pass::Weights));
    // Without weights, the first joint is chosen.
    assert_eq!(session.look().joint, Some(0));
    act!(session, LookAction::SelectJoint(Some(1)), LookAction::SelectJoint(Some(9)));
    assert_eq!(session.look().joint, Some(1));
    // The file changes: its joints are in another order.
    let named = |names: [&str; 2]| {
        let mut loaded = loaded();
        for (node, name) in loaded.model.nodes.iter_mut().zip(names) {
            node.name = Some(name.into());
        }
        loaded
    };
    for (names, joint) in [(["hip", "head"], 1), (["hip", "head"], 1), (["head", "hip"], 0)] {
        let effects = session.apply(LoadAction::Reload);
        finish(&mut session, &effects, Ok(named(names)));
        if joint == 1 {
            act!(session, LookAction::SelectJoint(Some(1)));
        }
        assert_eq!(session.look().joint, Some(joint), "{names:?}");
    }
    act!(session, LookAction::SelectJoint(Some(1)), LookAction::SelectJoint(None));
    assert_eq!(session.look().joint, Some(0));
}

/// The box around a pose is loose, and another one at each instant; depths of two of them are to be compared.
#[test]
fn near_and_far_planes_are_the_same_over_a_clip() {
    let mut session = session();
    let creature = load_bytes(CREATURE.to_vec(), &ImportOptions::default()).unwrap();
    let clips = creature.model.clips.len();
    let effects = session.apply(LoadAction::open("/rigs/creature.glb"));
    finish(&mut session, &effects, Ok(creature));
    act!(session, PlaybackAction::SetFade(0.0));
    for clip in 0..clips {
        act!(session, PlaybackAction::SelectClip(Some(clip)));
        let ranges = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|part| {
            act!(session, PlaybackAction::Seek(part * session.playback().duration_secs()));
            session.pose();
            session.view().depth_range()
        });
        assert!(ranges.iter().all(|range| *range == ranges[0]), "{clip}: {ranges:?}");
    }
}
