//! Several clips in a session: crossfades, layers, all clips at once, clips of another file.

use crate::aids::KeptTrail;
use crate::sample::{finish, loaded, session, session_with};
use crate::{
    Action, Blending, ClipChoice, Destination, FileSource, LayerSettings, LoadAction, Mark,
    PlaybackAction, Session, SessionOptions,
};
use rigview_anim::{Channel, Clip, ClipParts, Keys, Repeat, Track};
use rigview_import::Loaded;

/// Returns the X coordinate of the node that the clips move. Each clip sets it to the clip's time.
fn x(session: &mut Session) -> f32 {
    session.pose();
    session.playback().stage().unwrap().local.transform(1).translation.x
}

fn at(session: &mut Session, want: f32) {
    let got = x(session);
    assert!((got - want).abs() < 1e-5, "{got} is not {want}");
}

fn rename(clip: &mut Clip, name: &str) {
    *clip = Clip::new(ClipParts { name: Some(name.into()), ..clip.clone().into_parts() });
}

fn layer(clip: usize) -> LayerSettings {
    LayerSettings { clip, weight: 1.0, blending: Blending::Mean, joint: None }
}

fn other_file() -> FileSource {
    FileSource::Path("/rigs/dance.glb".into())
}

#[test]
fn a_switch_while_playing_fades_and_the_clip_before_goes_on_meanwhile() {
    let mut session = session();
    session.apply(Action::Advance(1.0));
    session.apply(PlaybackAction::SelectClip(Some(1)));
    at(&mut session, 1.0);
    session.apply(Action::Advance(0.1));
    at(&mut session, 0.5 * 1.1 + 0.5 * 0.1);
    // A third clip is shown in the middle of the fade: both clips before it keep half of their weight.
    session.apply(PlaybackAction::SelectClip(Some(2)));
    at(&mut session, 0.5 * 1.1 + 0.5 * 0.1);
    assert!(session.playback().is_moving(), "a clip of one key that is still fading in");
    session.apply(Action::Advance(0.05));
    at(&mut session, 0.75 * (0.5 * 1.15 + 0.5 * 0.15));
    session.apply(Action::Advance(0.2));
    at(&mut session, 0.0);
    assert!(!session.playback().is_moving());
}

#[test]
fn no_fade_when_paused_when_scrubbing_or_when_it_takes_no_time() {
    let mut session = session();
    session.apply(Action::Advance(1.0));
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(PlaybackAction::Seek(0.5));
    at(&mut session, 0.5);
    session.apply(PlaybackAction::SelectClip(Some(0)));
    at(&mut session, 0.0);
    session.apply(PlaybackAction::TogglePlay);
    session.apply(Action::Advance(1.0));
    session.apply(PlaybackAction::SetFade(-3.0));
    assert_eq!(session.playback().fade_secs(), 0.0);
    session.apply(PlaybackAction::SelectClip(Some(1)));
    at(&mut session, 0.0);
    session.apply(PlaybackAction::SetFade(9.0));
    assert_eq!(session.playback().fade_secs(), 2.0);
}

#[test]
fn from_a_clip_to_the_rest_pose_is_a_fade_too() {
    let mut session = session();
    session.apply(Action::Advance(1.0));
    session.apply(PlaybackAction::SelectClip(None));
    session.apply(Action::Advance(0.1));
    at(&mut session, 0.5 * 1.1);
    session.apply(PlaybackAction::SelectClip(Some(0)));
    session.apply(Action::Advance(0.15));
    at(&mut session, 0.25 * 0.5 * 1.25 + 0.75 * 0.15);
}

#[test]
fn layers_play_beside_the_shown_clip_each_on_its_own_round() {
    let mut session = session();
    session.apply(PlaybackAction::SetLayers(vec![layer(1)]));
    session.apply(Action::Advance(0.5));
    at(&mut session, 0.5);
    session.apply(Action::Advance(1.0));
    at(&mut session, 0.5 * 1.5 + 0.5 * 0.5);
    let weighted = LayerSettings { weight: 0.5, ..layer(1) };
    session.apply(PlaybackAction::SetLayers(vec![weighted]));
    at(&mut session, (1.5 + 0.5 * 0.5) / 1.5);
    session.apply(PlaybackAction::Seek(0.25));
    at(&mut session, 0.25);
    let added = LayerSettings { blending: Blending::AddToStart, ..layer(1) };
    session.apply(PlaybackAction::SetLayers(vec![added]));
    at(&mut session, 0.5);
    let masked = LayerSettings { joint: Some(0), ..layer(1) };
    session.apply(PlaybackAction::SetLayers(vec![masked, LayerSettings { clip: 9, ..masked }]));
    assert_eq!(session.playback().layers(), [masked], "no clip 9");
    session.apply(PlaybackAction::SelectClip(None));
    at(&mut session, 0.25);
}

/// A layer of two seconds over a loop of one.
#[test]
fn a_longer_layer_plays_to_its_end() {
    let mut session = session();
    session.apply(PlaybackAction::SetFade(0.0));
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(PlaybackAction::SetLayers(vec![layer(0)]));
    session.apply(Action::Advance(0.75));
    session.apply(Action::Advance(0.75));
    at(&mut session, 0.5 * 0.5 + 0.5 * 1.5);
    session.apply(PlaybackAction::Seek(0.25));
    at(&mut session, 0.25);
}

#[test]
fn layers_show_what_seeking_to_the_same_time_shows() {
    let mut ended = 0;
    for repeat in Repeat::ALL {
        for marks in [None, Some((0.25, 0.75))] {
            let mut played = session();
            played.apply(PlaybackAction::SetLayers(vec![layer(1)]));
            played.apply(PlaybackAction::SetRepeat(repeat));
            if let Some((from, to)) = marks {
                played.apply(PlaybackAction::SetMark(Mark::In, Some(from)));
                played.apply(PlaybackAction::SetMark(Mark::Out, Some(to)));
            }
            for step in [0.4, 1.3, 0.8, 0.3, 1.6, 0.4] {
                if !played.playback().player().playing {
                    played.apply(PlaybackAction::TogglePlay);
                    ended += 1;
                }
                played.apply(Action::Advance(step));
                let shown = x(&mut played);
                let mut sought = session();
                sought.apply(PlaybackAction::SetLayers(vec![layer(1)]));
                sought.apply(PlaybackAction::Seek(played.playback().time_secs()));
                at(&mut sought, shown);
            }
        }
    }
    assert!(ended > 1, "{ended}");
}

#[test]
fn a_layer_ends_with_a_clip_that_lasts_twice_as_long() {
    let mut session = session();
    session.apply(PlaybackAction::SetLayers(vec![layer(1)]));
    session.apply(PlaybackAction::Seek(2.0));
    at(&mut session, 0.5 * 2.0 + 0.5 * 1.0);
}

#[test]
fn layers_play_by_themselves_over_the_rest_pose() {
    let mut session = session();
    session.apply(PlaybackAction::SetLayers(vec![layer(1)]));
    session.apply(PlaybackAction::SetFade(0.0));
    session.apply(PlaybackAction::SelectClip(None));
    session.apply(Action::Advance(1.75));
    at(&mut session, 0.75);
    session.apply(PlaybackAction::SetRepeat(Repeat::Once));
    session.apply(Action::Advance(5.0));
    at(&mut session, 1.0);
}

#[test]
fn a_clip_that_fades_out_plays_on_as_the_player_repeats() {
    for (repeat, before) in [(Repeat::Loop, 0.4), (Repeat::Once, 2.0), (Repeat::PingPong, 1.6)] {
        let mut session = session();
        session.apply(PlaybackAction::SetRepeat(repeat));
        session.apply(PlaybackAction::SetFade(2.0));
        session.apply(Action::Advance(1.9));
        session.apply(PlaybackAction::SelectClip(Some(1)));
        session.apply(Action::Advance(0.5));
        at(&mut session, 0.75 * before + 0.25 * 0.5);
    }
}

#[test]
fn layers_stay_when_the_file_is_read_again() {
    let mut session = session();
    let masked = LayerSettings { weight: 0.5, joint: Some(1), ..layer(1) };
    session.apply(PlaybackAction::SetLayers(vec![layer(0), masked]));
    let mut read_again = |change: &dyn Fn(&mut Loaded)| {
        let effects = session.apply(LoadAction::Reload);
        session.apply(Action::Dismiss);
        let mut again = loaded();
        change(&mut again);
        finish(&mut session, &effects, Ok(again));
        let notice = session.notice().unwrap_or_default().to_owned();
        (session.playback().layers().to_vec(), notice)
    };
    let (layers, notice) = read_again(&|again| again.model.clips.swap(0, 1));
    let turned = [layer(1), LayerSettings { clip: 0, ..masked }];
    assert_eq!(layers, turned, "{notice}");
    assert!(!notice.contains("layer"), "{notice}");
    let (layers, notice) = read_again(&|again| again.model.nodes[1].name = Some("arm".into()));
    assert_eq!(layers, [layer(0)]);
    assert!(
        notice.contains("the layer \"歩く\" is left out, because the file has no node"),
        "{notice}"
    );
    let (layers, notice) = read_again(&|again| drop(again.model.clips.remove(0)));
    assert_eq!(layers, []);
    assert!(notice.contains("because the file has no clip \"Walk\""), "{notice}");
}

#[test]
fn all_clips_at_once_stand_behind_the_last() {
    let options = SessionOptions { clip: ClipChoice::All, ..SessionOptions::default() };
    let mut session = session_with(options);
    assert_eq!(
        (session.playback().clip_index(), session.playback().duration_secs()),
        (Some(3), 2.0)
    );
    session.apply(Action::Advance(0.5));
    at(&mut session, 0.0);
    session.apply(PlaybackAction::NextClip);
    assert_eq!(session.playback().clip_index(), Some(0));
    session.apply(PlaybackAction::SelectClip(Some(4)));
    assert_eq!(session.playback().clip_index(), Some(0));
}

#[test]
fn clips_of_another_file_take_the_place_of_its_own_until_another_is_opened() {
    let mut session = session();
    let effects = session.apply(LoadAction::Open(other_file(), Destination::Clips));
    let mut dance = loaded();
    dance.model.clips.truncate(1);
    rename(&mut dance.model.clips[0], "Dance");
    finish(&mut session, &effects, Ok(dance));
    let names = |session: &Session| session.playback().document().unwrap().clip_names.clone();
    assert_eq!(
        (names(&session), session.playback().clip_index()),
        (vec!["Dance".to_owned()], Some(0))
    );
    assert!(session.notice().unwrap().contains("1 of 1 moved nodes matched"));
    session.apply(PlaybackAction::Seek(0.75));
    at(&mut session, 0.75);
    // A reload reads both files again and continues to play.
    let effects = session.apply(LoadAction::Reload);
    session.apply(Action::Dismiss);
    let again = finish(&mut session, &effects, Ok(loaded()));
    let mut dance = loaded();
    dance.model.clips.truncate(1);
    rename(&mut dance.model.clips[0], "Dance");
    finish(&mut session, &again, Ok(dance));
    assert_eq!((names(&session), session.playback().time_secs()), (vec!["Dance".to_owned()], 0.75));
    let effects = session.apply(LoadAction::open("/rigs/other.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    assert_eq!(names(&session).len(), 3);
}

#[test]
fn clips_that_move_nothing_of_the_rig_are_refused_and_the_old_ones_stay() {
    let mut session = session();
    let refused = |session: &mut Session, change: &dyn Fn(&mut Loaded)| {
        let effects = session.apply(LoadAction::Open(other_file(), Destination::Clips));
        let mut other = loaded();
        change(&mut other);
        finish(session, &effects, Ok(other));
        session.loads().failure().map(|f| format!("{}: {}", f.file, f.message)).unwrap_or_default()
    };
    let said = refused(&mut session, &|other| other.model.nodes[1].name = Some("Spine".into()));
    assert!(
        said.contains("dance.glb: the rig shares no joint") && said.contains("Spine"),
        "{said}"
    );
    let said = refused(&mut session, &|other| other.model.clips.clear());
    let remedy = "open the file itself to see its model, or take clips from a file that has some";
    assert_eq!(said, format!("dance.glb: the file has no clips; {remedy}"));
    assert_eq!(session.playback().document().unwrap().clip_names.len(), 3);
    assert!(session.playback().document().unwrap().borrowed.is_none());
}

#[test]
fn stepping_by_frames_ends_a_fade_and_takes_the_layers_along() {
    let mut session = session();
    session.apply(Action::Advance(1.0));
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(Action::Advance(0.1));
    session.apply(PlaybackAction::StepFrames(1));
    at(&mut session, 4.0 / 30.0);
    session.apply(PlaybackAction::SelectClip(Some(0)));
    session.apply(PlaybackAction::SetLayers(vec![layer(1)]));
    session.apply(PlaybackAction::Seek(0.0));
    session.apply(PlaybackAction::StepFrames(15));
    // Both are at half a second, and a mean of equal weights.
    at(&mut session, 0.5);
}

#[test]
fn a_clip_that_stopped_by_itself_plays_on_with_the_next_one() {
    let plays = |steps: &[PlaybackAction]| {
        let mut session = session();
        session.apply(PlaybackAction::SetRepeat(Repeat::Once));
        steps.iter().for_each(|step| drop(session.apply(step.clone())));
        session.apply(Action::Advance(5.0));
        session.apply(PlaybackAction::SelectClip(Some(1)));
        (session.playback().player().playing, session.playback().time_secs())
    };
    assert_eq!(plays(&[]), (true, 0.0));
    assert_eq!(plays(&[PlaybackAction::SetMark(Mark::Out, Some(1.0))]), (true, 0.0));
    // Where it plays backwards, it begins at its end.
    assert_eq!(plays(&[PlaybackAction::SetSpeed(-1.0)]), (true, 1.0));
    assert_eq!(plays(&[PlaybackAction::Seek(2.0)]), (false, 0.0), "the person went to the end");
}

/// The clips of the second file last as long as those of the first one, and go elsewhere.
#[test]
fn the_path_of_a_node_is_found_anew_when_clips_are_replaced_by_others_of_equal_length() {
    let mut session = session();
    let mut path = KeptTrail::default();
    let mut drawn = |session: &mut Session, far: f32| {
        let mut other = loaded();
        for clip in &mut other.model.clips {
            let mut parts = clip.clone().into_parts();
            for channel in &mut parts.channels {
                let Channel::Translation { track, .. } = channel else { continue };
                let keys = track.keys().values().iter().map(|at| far * *at).collect();
                *track = Track::new(track.times().to_vec(), Keys::Linear(keys), 1).unwrap();
            }
            *clip = Clip::new(parts);
        }
        let effects = session.apply(LoadAction::Open(other_file(), Destination::Clips));
        finish(session, &effects, Ok(other));
        session.pose();
        path.show(session.playback(), Some(1), false);
        path.trail().cloned()
    };
    let first = drawn(&mut session, 1.0);
    assert!(first.is_some());
    assert_ne!(drawn(&mut session, 3.0), first);
}

/// A clip beside the shown one moves the model a hundred metres out of what is framed.
#[test]
fn near_and_far_planes_hold_the_pose_of_layers() {
    let mut session = session();
    let mut file = loaded();
    let keys = Keys::Linear(vec![glam::Vec3::ZERO, glam::Vec3::new(-200.0, 0.0, 200.0)]);
    let track = Track::new(vec![0.0, 1.0], keys, 1).unwrap();
    let channels = vec![Channel::Translation { node: 1, track }];
    let parts = file.model.clips[1].clone().into_parts();
    file.model.clips[1] = Clip::new(ClipParts { channels, ..parts });
    let effects = session.apply(LoadAction::open("/rigs/far.glb"));
    finish(&mut session, &effects, Ok(file));
    session.apply(PlaybackAction::SetLayers(vec![layer(1)]));
    for time in [0.5, 0.999] {
        session.apply(PlaybackAction::Seek(time));
        session.pose();
        let (view, stage) = (session.view(), session.playback().stage().unwrap());
        let at = stage.position(1).as_dvec3() + stage.origin;
        let camera = view.world_from_camera;
        let depth = (camera.translation - at).dot(camera.matrix3.z_axis);
        let (near, far) = view.depth_range();
        let is_held = depth <= 0.0 || (f64::from(near)..f64::from(far)).contains(&depth);
        assert!(is_held, "{at} is {depth} m away, not {near} to {far}");
    }
}

/// In one frame, a very short clip goes round many times.
#[test]
fn a_layer_keeps_its_pace_over_a_clip_that_is_shorter_than_a_frame() {
    let mut session = session();
    let mut file = loaded();
    let keys = Keys::Linear(vec![glam::Vec3::ZERO; 2]);
    let duration_secs = 1.0 / 256.0;
    let track = Track::new(vec![0.0, duration_secs], keys, 1).unwrap();
    file.model.clips[1] = Clip::new(ClipParts {
        channels: vec![Channel::Translation { node: 0, track }],
        duration_secs,
        ..ClipParts::default()
    });
    let effects = session.apply(LoadAction::open("/rigs/short.glb"));
    finish(&mut session, &effects, Ok(file));
    session.apply(PlaybackAction::SetFade(0.0));
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(PlaybackAction::SetLayers(vec![layer(0)]));
    for frame in 1..8 {
        session.apply(Action::Advance(0.125));
        at(&mut session, 0.125 * frame as f32);
    }
}
