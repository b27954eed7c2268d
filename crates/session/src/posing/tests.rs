//! Posing by hand: what is set stays over the clip, undo gives the same bits back, a saved pose is restored.

use glam::{Quat, Vec3};

use crate::sample::{finish, loaded, model, session};
use crate::{
    Action, BasePose, ClipChoice, Effect, FileQuestion, HandField, HandValue, HiddenAction,
    LoadAction, PlaybackAction, PoseAction, Session, SessionOptions,
};
use rigview_anim::{LocalPose, Transform};
use rigview_import::Loaded;
use rigview_model::{Expression, Vrm};
use rigview_report::{GivenPose, NodePose, pose_report};

/// Returns the numbers of all nodes.
fn nodes(session: &mut Session) -> Vec<NodePose> {
    session.pose();
    let (document, stage) = session.playback().document().zip(session.playback().stage()).unwrap();
    pose_report(&document.model, stage).nodes
}

fn translation(session: &mut Session, node: usize) -> [f32; 3] {
    nodes(session)[node].translation.unwrap()
}

fn set(session: &mut Session, node: usize, value: HandValue) {
    session.apply(PoseAction::Set(node, value));
}

#[test]
fn a_value_set_by_hand_replaces_the_clips_until_it_is_reset() {
    let mut session = session();
    session.apply(PlaybackAction::Seek(1.0));
    assert_eq!(translation(&mut session, 1), [1.0, 0.0, 0.0]);
    set(&mut session, 1, HandValue::Translation(Vec3::new(0.0, 5.0, 0.1)));
    assert_eq!(translation(&mut session, 1), [0.0, 5.0, 0.1]);
    session.apply(PlaybackAction::Seek(0.25));
    assert_eq!(translation(&mut session, 1), [0.0, 5.0, 0.1]);
    assert_eq!(session.playback().hand().count(), 1);
    // The rotation is one of its own: the translation still follows when it alone is reset.
    set(&mut session, 1, HandValue::Rotation(Quat::from_rotation_x(0.5)));
    session.apply(PoseAction::Reset(1, HandField::Translation));
    let node = &nodes(&mut session)[1];
    assert_eq!(node.translation, Some([0.25, 0.0, 0.0]));
    assert_eq!(node.rotation, Some(Quat::from_rotation_x(0.5).to_array()));
    session.apply(PoseAction::ResetAll);
    assert!(session.playback().hand().is_empty());
    assert_eq!(nodes(&mut session)[1].rotation, Some([0.0, 0.0, 0.0, 1.0]));
}

#[test]
fn play_and_seeking_leave_the_poses_at_rest() {
    for (base, paused) in [(BasePose::Bind, false), (BasePose::Rest, true), (BasePose::Bind, true)]
    {
        let mut session = session();
        if paused {
            session.apply(PlaybackAction::TogglePlay);
        }
        session.apply(PoseAction::SetBase(base));
        assert!(!session.playback().is_moving(), "{base:?}");
        session.apply(PlaybackAction::TogglePlay);
        assert_eq!(session.playback().base(), BasePose::Clip);
        assert!(session.playback().is_moving(), "{base:?}");
        session.apply(PoseAction::SetBase(base));
        session.apply(PlaybackAction::Seek(1.0));
        assert_eq!(translation(&mut session, 1), [1.0, 0.0, 0.0]);
    }
}

#[test]
fn values_that_a_node_cant_have_are_ignored() {
    let mut session = session();
    set(&mut session, 9, HandValue::Scale(Vec3::ONE));
    set(&mut session, 1, HandValue::Weight(0, 0.5));
    set(&mut session, 1, HandValue::Scale(Vec3::new(1.0, f32::NAN, 1.0)));
    set(&mut session, 1, HandValue::Rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)));
    assert!(session.playback().hand().is_empty());
    assert_eq!(session.history().undo_count(), 0);
    set(&mut session, 1, HandValue::Rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 3.0)));
    assert_eq!(session.playback().hand().get(1).unwrap().rotation, Some([0.0, 0.0, 0.0, 1.0]));
}

#[test]
fn undo_and_redo_give_the_same_bits_back_and_leave_the_time() {
    let mut session = session();
    session.apply(PlaybackAction::Seek(0.7));
    let first = nodes(&mut session);
    session.apply(PoseAction::Begin);
    for x in [0.1, 0.2, 0.3] {
        set(&mut session, 0, HandValue::Rotation(Quat::from_rotation_z(x)));
    }
    session.apply(PoseAction::End);
    let second = nodes(&mut session);
    set(&mut session, 1, HandValue::Scale(Vec3::splat(1.1)));
    session.apply(HiddenAction::Toggle(1));
    session.apply(PlaybackAction::Seek(0.7));
    let third = nodes(&mut session);
    assert!(!session.playback().stage().unwrap().visible[1]);
    session.apply(PoseAction::Undo);
    assert!(session.playback().stage().unwrap().visible[1]);
    assert_eq!(nodes(&mut session), third);
    session.apply(PoseAction::Undo);
    assert_eq!(nodes(&mut session), second);
    session.apply(PoseAction::Undo);
    session.apply(PoseAction::Undo);
    assert_eq!(nodes(&mut session), first, "the drag was one step");
    for _ in 0..9 {
        session.apply(PoseAction::Redo);
    }
    assert_eq!(nodes(&mut session), third);
    assert!(!session.playback().stage().unwrap().visible[1]);
    assert!((session.playback().time_secs() - 0.7).abs() < 1e-12);
}

#[test]
fn a_saved_pose_is_restored_by_the_options_and_by_loading_it() {
    let mut session = session();
    session.apply(PlaybackAction::Seek(0.3));
    set(
        &mut session,
        0,
        HandValue::Rotation(Quat::from_euler(glam::EulerRot::XYZ, 0.1, 2.0, -0.7)),
    );
    let shown = nodes(&mut session);
    let text = session.playback().pose_file().unwrap().to_json();
    let file = GivenPose::read(text.as_bytes()).unwrap();
    assert_eq!((file.clip, file.clip_name.as_deref()), (Some(0), Some("Walk")));
    // As `screenshot --pose` does.
    let options = SessionOptions {
        clip: ClipChoice::Rest,
        pose: file.nodes.clone(),
        ..SessionOptions::default()
    };
    assert_eq!(nodes(&mut crate::sample::session_with(options)), shown);
    // What was set by hand is that again, and the rest follows the clip.
    let mut other = crate::sample::session();
    other.apply(PoseAction::Take(Box::new(file.clone())));
    assert_eq!(other.playback().hand(), session.playback().hand());
    other.apply(PlaybackAction::Seek(0.3));
    assert_eq!(nodes(&mut other), shown);
    // Without that knowledge all of it stays, whatever the time.
    let plain = GivenPose { by_hand: None, ..file };
    other.apply(PoseAction::Take(Box::new(plain)));
    other.apply(PlaybackAction::Seek(1.7));
    assert_eq!(nodes(&mut other), shown);
    other.apply(PoseAction::Undo);
    assert_eq!(other.playback().hand(), session.playback().hand());
}

#[test]
fn reading_again_keeps_the_pose_by_name_and_another_file_forgets_it() {
    let mut session = session();
    set(&mut session, 1, HandValue::Scale(Vec3::splat(2.0)));
    let read = |session: &mut Session, action: LoadAction, loaded| {
        let effects = session.apply(action);
        finish(session, &effects, Ok(loaded));
    };
    read(&mut session, LoadAction::Reload, loaded());
    assert_eq!((session.playback().hand().count(), session.history().undo_count()), (1, 1));
    let mut renamed = loaded();
    renamed.model.nodes[1].name = Some("arm".into());
    read(&mut session, LoadAction::Reload, renamed);
    assert_eq!((session.playback().hand().count(), session.history().undo_count()), (0, 0));
    set(&mut session, 1, HandValue::Scale(Vec3::splat(2.0)));
    session.apply(PoseAction::SetBase(BasePose::Rest));
    read(&mut session, LoadAction::open("/rigs/other.glb"), loaded());
    assert_eq!((session.playback().hand().count(), session.history().undo_count()), (0, 0));
    assert_eq!(session.playback().base(), BasePose::Clip);
}

#[test]
fn the_pose_below_is_chosen_and_a_clip_ends_the_choice() {
    let mut session = session();
    session.apply(PlaybackAction::Seek(1.0));
    session.apply(PoseAction::SetBase(BasePose::Rest));
    assert_eq!(translation(&mut session, 1), [0.0, 1.0, 0.0]);
    set(&mut session, 0, HandValue::Translation(Vec3::Z));
    assert_eq!(translation(&mut session, 0), [0.0, 0.0, 1.0]);
    session.apply(PoseAction::SetBase(BasePose::ClipStart));
    assert_eq!(translation(&mut session, 1), [0.0, 0.0, 0.0]);
    session.apply(PlaybackAction::SelectClip(Some(0)));
    assert_eq!(session.playback().base(), BasePose::Clip);
    assert_eq!(translation(&mut session, 1), [1.0, 0.0, 0.0]);
    assert_eq!(model().nodes.len(), 2);
}

#[test]
fn a_pose_far_outside_of_the_clips_motion_is_not_cut_off() {
    let mut session = session();
    session.pose();
    let far = |session: &Session| session.view().depth_range().1;
    let before = far(&session);
    set(&mut session, 1, HandValue::Translation(Vec3::new(0.0, 0.0, -50.0)));
    session.pose();
    assert!(far(&session) > 40.0 && before < 20.0, "{before} {}", far(&session));
    assert!(matches!(
        session.apply(Action::Pose(PoseAction::Save))[..],
        [Effect::Ask(FileQuestion::SavePose)]
    ));
}

#[test]
fn expressions_are_undone_by_drags_and_reset() {
    let mut avatar = loaded();
    let expression = Expression { name: "happy".into(), ..Expression::default() };
    let vrm = Vrm { expressions: vec![expression], ..Vrm::default() };
    avatar.model.vrm = Some(vrm);
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/avatar.vrm"));
    finish(&mut session, &effects, Ok(avatar));
    session.apply(PoseAction::Begin);
    for weight in [0.2, 0.4, 0.6] {
        session.apply(PlaybackAction::Express(0, weight));
    }
    session.apply(PoseAction::End);
    session.apply(PlaybackAction::ResetExpressions);
    let weight = |session: &Session| session.playback().expression(0);
    assert_eq!((weight(&session), session.history().undo_count()), (0.0, 2));
    session.apply(PoseAction::Undo);
    assert_eq!(weight(&session), 0.6);
    session.apply(PoseAction::Undo);
    assert!(weight(&session) == 0.0 && !session.playback().shows_expressions());
    session.apply(PoseAction::Redo);
    assert_eq!(weight(&session), 0.6);
}

/// Undoing would set the weight of a morph target that is gone.
#[test]
fn steps_end_with_a_file_that_has_other_morph_targets() {
    let with = |targets: usize| {
        let mut loaded = loaded();
        let rest = [Transform::IDENTITY; 2].to_vec();
        loaded.model.rest = LocalPose::new(rest, &[vec![0.0; targets], vec![]]);
        loaded
    };
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/face.glb"));
    finish(&mut session, &effects, Ok(with(4)));
    for weight in [0.2, 0.7] {
        set(&mut session, 0, HandValue::Weight(3, weight));
    }
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(with(4)));
    assert_eq!(session.history().undo_count(), 2);
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(with(3)));
    session.apply(PoseAction::Undo);
    session.pose();
    assert!(session.playback().hand().is_empty());
}

#[test]
fn a_pose_without_a_model_is_told() {
    let mut session = Session::new(SessionOptions::default());
    let pose = GivenPose { nodes: Vec::new(), by_hand: Some(Vec::new()), ..GivenPose::default() };
    session.apply(PoseAction::Take(Box::new(pose)));
    let notice = session.notices.shown().unwrap();
    assert!(notice.text.starts_with("No model is open"), "{}", notice.text);
}

/// As *Save pose* writes one where nothing was set by hand.
#[test]
fn a_pose_file_without_values_by_hand_gives_the_pose_of_its_clip() {
    let mut session = session();
    session.apply(PlaybackAction::Seek(0.3));
    let shown = nodes(&mut session);
    let text = session.playback().pose_file().unwrap().to_json();
    let file = GivenPose::read(text.as_bytes()).unwrap();
    assert_eq!(file.by_hand.as_deref(), Some(&[][..]));
    session.apply(PlaybackAction::Seek(1.7));
    session.apply(PoseAction::Take(Box::new(file)));
    assert_eq!(nodes(&mut session), shown);
    assert!(session.notice().is_some_and(|said| said.starts_with("Posed 1 node")));
}

#[test]
fn a_pose_file_sets_expressions_only_if_it_says_what_they_are() {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/avatar.vrm"));
    finish(&mut session, &effects, Ok(avatar(&["happy", "sad"])));
    let neutral = session.playback().pose_file().unwrap().to_json();
    session.apply(PlaybackAction::Express(1, 0.5));
    let take = |session: &mut Session, text: &str| {
        let file = GivenPose::read(text.as_bytes()).unwrap();
        session.apply(PoseAction::Take(Box::new(file)));
        session.playback().expression(1)
    };
    // As `pose --json` prints one.
    let plain = r#"{"nodes": [{"index": 1, "translation": [1, 2, 3]}], "skins": []}"#;
    assert_eq!(take(&mut session, plain), 0.5);
    assert_eq!(take(&mut session, &neutral), 0.0, "it was saved without any");
    session.apply(PoseAction::Undo);
    assert_eq!(session.playback().expression(1), 0.5);
}

/// Returns the model with expressions of these names.
fn avatar(names: &[&str]) -> Loaded {
    let mut avatar = loaded();
    let named = |name: &&str| Expression { name: (*name).into(), ..Expression::default() };
    let expressions = names.iter().map(named).collect();
    avatar.model.vrm = Some(Vrm { expressions, ..Vrm::default() });
    avatar
}

#[test]
fn expressions_are_those_of_their_names_after_a_reload_and_in_a_pose_file() {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/avatar.vrm"));
    finish(&mut session, &effects, Ok(avatar(&["happy", "sad"])));
    session.apply(PlaybackAction::Express(1, 0.5));
    let weights = |session: &Session| [0, 1].map(|index| session.playback().expression(index));
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(avatar(&["happy", "sad"])));
    assert_eq!((weights(&session), session.history().undo_count()), ([0.0, 0.5], 1));
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(avatar(&["sad", "happy"])));
    assert_eq!(weights(&session), [0.5, 0.0]);
    assert_eq!(session.history().undo_count(), 0, "the steps have other indices");
    let text = session.playback().pose_file().unwrap().to_json();
    let file = GivenPose::read(text.as_bytes()).unwrap();
    session.apply(PlaybackAction::ResetExpressions);
    session.apply(PlaybackAction::Express(1, 1.0));
    session.apply(PoseAction::Take(Box::new(file.clone())));
    assert_eq!((weights(&session), session.playback().hand().count()), ([0.5, 0.0], 0));
    assert_eq!(session.notice(), Some("Posed 0 nodes and 1 expression"));
    session.apply(PoseAction::Undo);
    assert_eq!(weights(&session), [0.0, 1.0]);
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(avatar(&["happy"])));
    session.apply(PoseAction::Take(Box::new(file)));
    assert!(session.notice().is_some_and(|said| said.contains("no expression \"sad\"")));
}
