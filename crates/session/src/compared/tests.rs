//! A second model beside the first one, without a window: it follows, fails, is exchanged and closed.

use std::path::Path;

use glam::Vec3;

use crate::sample::{bad, changed, finish, loaded, session};
use crate::*;
use rigview_anim::{Channel, Clip, ClipParts, Keys, Track, Transform};
use rigview_compare::{ModelDifference, models};
use rigview_fix::Remedy;
use rigview_import::Loaded;
use rigview_model::Model;

/// Returns the model with `Walk` as its second clip, of this duration, moved by `far` metres at its end.
fn other(duration_secs: f32, far: f32) -> Loaded {
    let mut loaded = loaded();
    let keys = Keys::Linear(vec![Vec3::ZERO, Vec3::new(duration_secs, far, 0.0)]);
    let track = Track::new(vec![0.0, duration_secs], keys, 1).unwrap();
    let walk = ClipParts {
        name: Some("Walk".into()),
        channels: vec![Channel::Translation { node: 1, track }],
        start_secs: 0.0,
        duration_secs,
        ..ClipParts::default()
    };
    loaded.model.clips[0] = Clip::new(ClipParts {
        name: Some("Sit".into()),
        ..loaded.model.clips[0].clone().into_parts()
    });
    loaded.model.clips[1] = Clip::new(walk);
    loaded
}

/// Opens a model beside the shown one. Returns what is to be done next.
fn open_beside(session: &mut Session, path: &str, loaded: Loaded) -> Vec<Effect> {
    let effects =
        session.apply(LoadAction::Open(FileSource::Path(path.into()), Destination::Beside));
    finish(session, &effects, Ok(loaded))
}

/// Ends the comparison that is requested.
fn measure(session: &mut Session, effects: &[Effect]) -> ModelDifference {
    let request = effects.iter().find_map(|effect| match effect {
        Effect::Compare(request) => Some(request.clone()),
        _ => None,
    });
    let ComparisonRequest { id, a, b, .. } = request.expect("a comparison was requested");
    let difference = models(&a, &b).unwrap();
    let result = Box::new(Ok(difference.clone()));
    session.apply(ComparedAction::Measured { id, result });
    difference
}

/// Returns a session that shows two models.
fn both() -> (Session, Vec<Effect>) {
    let mut session = session();
    let effects = open_beside(&mut session, "/rigs/other.glb", other(3.0, 1.0));
    (session, effects)
}

#[test]
fn the_second_model_follows_clip_and_time_and_a_longer_one_lengthens_the_clock() {
    let (mut session, _) = both();
    assert!(session.window_parts().has(WindowPart::Compared));
    assert_eq!(session.desktop().recent()[0], Path::new("/rigs/other.glb"));
    assert_eq!(session.playback().duration_secs(), 3.0, "that of the longer clip");
    session.apply(PlaybackAction::Seek(2.5));
    session.pose();
    let b = session.compared().playback();
    assert_eq!((b.clip_index(), b.time_secs()), (Some(1), 2.5));
    // The first model holds its last pose: its clip ends at two seconds.
    let at = |playback: &Playback| playback.stage().unwrap().local.transform(1).translation.x;
    assert_eq!((at(session.playback()), at(session.compared().playback())), (2.0, 2.5));
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.pose();
    assert_eq!(session.compared().playback().clip_index(), None, "it has no clip of that name");
    assert_eq!(session.playback().duration_secs(), 1.0);
    session.apply(PlaybackAction::SelectClip(None));
    session.pose();
    assert_eq!(session.compared().playback().clip_index(), None);
}

#[test]
fn clips_that_play_at_once_are_compared_with_those_of_their_names() {
    let (mut session, effects) = both();
    let shown = |session: &mut Session, clips: Vec<usize>| {
        session.apply(PlaybackAction::SetTogether(clips));
        session.pose();
        let b = session.compared().playback();
        let played = |clip: &usize| b.document().unwrap().plays_together(*clip);
        b.clip_index().map(|_| (0..3).filter(played).collect::<Vec<_>>())
    };
    assert_eq!(shown(&mut session, vec![0, 2]), Some(vec![1, 2]), "by name");
    measure(&mut session, &effects);
    assert_eq!(shown(&mut session, vec![0, 2]), Some(vec![1, 2]), "by the difference");
    assert_eq!(shown(&mut session, vec![1]), None, "it has none of them");
    assert_eq!(shown(&mut session, vec![0, 1]), Some(vec![1]));
    assert_eq!(shown(&mut session, vec![0, 1, 2]), Some(vec![0, 1, 2]));
}

/// Takes a copy with these bytes as the answer to the request for one.
fn take_copy(session: &mut Session, effects: &[Effect], bytes: [u8; 1]) -> Vec<Effect> {
    let request = effects.iter().find_map(|effect| match effect {
        Effect::Mend(request) => Some(request.id),
        _ => None,
    });
    let id = request.expect("a copy was requested");
    let fixed = rigview_fix::Mended {
        code: Remedy::LoopGap.code(),
        pointer: "/animations/0".into(),
        object: None,
        clip: None,
        count: 1,
        error_mm: 0.0,
    };
    let file = MendedFile {
        glb: Some(bytes.into()),
        fixed: vec![fixed],
        left: Vec::new(),
        distance_mm: 0.0,
    };
    session.apply(MendAction::Take(id, Ok(file)))
}

#[test]
fn a_fixed_copy_that_was_exchanged_with_its_file_stays_in_its_place_when_both_are_read_again() {
    let mut session = session();
    let effects = session.apply(MendAction::Toggle(Remedy::LoopGap));
    let effects = take_copy(&mut session, &effects, [1]);
    finish(&mut session, &effects, Ok(loaded()));
    session.apply(ComparedAction::Swap);
    session.apply(PlaybackAction::Seek(0.5));
    let copy = |bytes: [u8; 1]| FileSource::Mended { of: "walker.glb".into(), glb: bytes.into() };
    let file = FileSource::Path("/rigs/walker.glb".into());
    let sources = |session: &Session| {
        let both = [session.playback().document(), session.compared().document()];
        both.map(|document| document.unwrap().source.clone())
    };
    assert_eq!(sources(&session), [copy([1]), file.clone()]);
    for bytes in [[1], [2]] {
        let effects = session.apply(LoadAction::Reload);
        assert!(matches!(&effects[..], [Effect::Load(_), Effect::Load(_)]), "{effects:?}");
        let of_copy = finish(&mut session, &effects[..1], Ok(loaded()));
        assert!(!of_copy.iter().any(|effect| matches!(effect, Effect::Mend(_))));
        let of_file = finish(&mut session, &effects[1..], Ok(loaded()));
        let next = take_copy(&mut session, &of_file, bytes);
        if !next.is_empty() {
            finish(&mut session, &next, Ok(loaded()));
        }
        assert_eq!(sources(&session), [copy(bytes), file.clone()]);
        assert_eq!(session.playback().time_secs(), 0.5);
    }
}

#[test]
fn the_worst_instant_is_gone_to_and_its_joint_selected() {
    let (mut session, effects) = both();
    assert!(session.is_busy());
    let difference = measure(&mut session, &effects);
    assert!(!session.is_busy());
    let worst = difference.worst_clip().unwrap();
    assert_eq!((worst.a.as_deref(), worst.b.as_deref()), (Some("Walk"), Some("Walk")));
    session.apply(PlaybackAction::SelectClip(Some(2)));
    session.apply(ComparedAction::GoToWorst);
    session.pose();
    let playback = session.playback();
    assert_eq!((playback.clip_index(), playback.is_moving()), (Some(0), false));
    assert_eq!(Some(playback.time_secs()), worst.time);
    assert_eq!(session.selection().node(), Some(1));
    assert_eq!(session.compared().hottest(playback), worst.distance);
    let moment = session.compared().moment(playback).unwrap();
    assert_eq!((moment.clips, moment.time_secs), ([Some(0), Some(1)], worst.time.unwrap()));
}

#[test]
fn a_second_file_that_fails_leaves_what_is_shown_and_is_tried_when_it_changes() {
    let mut session = session();
    let source = || FileSource::Path("/rigs/other.glb".into());
    let effects = session.apply(LoadAction::Open(source(), Destination::Beside));
    finish(&mut session, &effects, bad());
    assert!(!session.compared().is_shown() && session.playback().document().is_some());
    assert_eq!(session.loads().failure().unwrap().file, "other.glb");
    let effects = session.apply(LoadAction::Open(source(), Destination::Beside));
    assert!(session.loads().failure().is_none());
    finish(&mut session, &effects, Ok(loaded()));
    assert!(session.compared().is_shown());
    // A reload that fails keeps the second model too.
    let effects = session.apply(LoadAction::Reload);
    assert!(matches!(&effects[..], [Effect::Load(a), Effect::Load(b)] if a.again && b.again));
    finish(&mut session, &effects[1..], bad());
    assert!(session.compared().is_shown() && session.loads().failure().is_some());
    session.apply(Action::Escape);
    assert!(!session.loads().is_busy());
}

#[test]
fn both_files_are_watched_and_each_is_read_again_alone() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.glb", "b.glb"].map(|name| folder.path().join(name));
    let mut session = session();
    let mut watch = None;
    for (i, path) in paths.iter().enumerate() {
        std::fs::write(path, "no model").unwrap();
        let source = FileSource::Path(path.clone());
        let effects = match i {
            0 => session.apply(LoadAction::Open(source, Destination::Shown)),
            _ => session.apply(LoadAction::Open(source, Destination::Beside)),
        };
        let [Effect::Load(load)] = &effects[..] else { panic!("{effects:?}") };
        let options = rigview_import::ImportOptions::default();
        rigview_import::load_with_progress(path, &options, &load.progress).unwrap_err();
        let effects = finish(&mut session, &effects, Ok(loaded()));
        watch = effects.into_iter().find_map(|effect| match effect {
            Effect::Watch(watch) => Some(watch),
            _ => None,
        });
    }
    let watch = watch.unwrap();
    let watched: Vec<&Path> =
        watch.read.iter().map(|f| &*f.path).chain(watch.also.iter().map(|p| &**p)).collect();
    assert_eq!(watched, [&*paths[1], &*paths[0]]);
    for path in paths {
        let effects = session.apply(LoadAction::FilesChanged(changed(path.clone())));
        let [Effect::Load(load)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!((&load.source, load.again, load.patient), (&FileSource::Path(path), true, true));
        let effects = finish(&mut session, &effects, Ok(loaded()));
        assert!(effects.iter().any(|effect| matches!(effect, Effect::Compare(_))), "{effects:?}");
        assert!(session.compared().is_shown());
    }
}

#[test]
fn a_file_of_two_is_opened_first_and_another_file_ends_the_comparison() {
    let mut session = Session::new(SessionOptions::default());
    let both = ["/rigs/a.glb", "/rigs/b.glb"].map(|path| FileSource::Path(path.into()));
    let effects = session.apply(LoadAction::OpenBoth(both.clone()));
    let effects = finish(&mut session, &effects, Ok(loaded()));
    finish(&mut session, &effects, Ok(loaded()));
    assert_eq!(session.playback().document().unwrap().source, both[0]);
    assert_eq!(session.compared().document().unwrap().source, both[1]);
    let effects = session.apply(LoadAction::open("/rigs/c.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    assert!(!session.compared().is_shown() && !session.window_parts().has(WindowPart::Compared));
}

#[test]
fn of_several_files_as_many_are_opened_as_are_compared() {
    let all = ["/rigs/a.glb", "/rigs/b.glb", "/rigs/c.glb"].map(std::path::PathBuf::from);
    for (mut session, left_out) in
        [(session(), "b.glb"), (Session::new(SessionOptions::default()), "c.glb")]
    {
        let is_shown = session.playback().document().is_some();
        let effects = session.apply(LoadAction::OpenAll(all.to_vec(), Destination::Beside));
        let [Effect::Find(search)] = &effects[..] else { panic!("{effects:?}") };
        let finds = Finds { models: all.to_vec(), left_out: Vec::new() };
        let found = LoadAction::Found { search: search.clone(), finds };
        let mut effects = session.apply(found);
        let said = format!("{left_out} is left out: two files are compared at a time");
        assert_eq!(session.notice(), Some(said.as_str()));
        if !is_shown {
            effects = finish(&mut session, &effects, Ok(loaded()));
            assert_eq!(session.playback().document().unwrap().name, "a.glb");
        }
        finish(&mut session, &effects, Ok(loaded()));
        let second = if is_shown { "a.glb" } else { "b.glb" };
        assert_eq!(session.compared().document().unwrap().name, second);
    }
}

#[test]
fn a_form_that_is_chosen_while_a_file_is_read_is_that_of_the_file() {
    let mut session = session();
    let effects = session.apply(LoadAction::open("/rigs/other.glb"));
    let form = rigview_model::SkinForm { influences: 2, ..Default::default() };
    assert!(session.apply(EngineAction::SetSkinForm(form)).is_empty(), "the file is on its way");
    let effects = finish(&mut session, &effects, Ok(loaded()));
    let again = effects.iter().find_map(|effect| match effect {
        Effect::Load(load) => Some(load),
        _ => None,
    });
    let again = again.expect("it was prepared for another form");
    assert_eq!((again.source.name().as_str(), again.preparation.skin_form), ("other.glb", form));
}

#[test]
fn models_are_exchanged_and_the_second_one_closed() {
    let (mut session, effects) = both();
    measure(&mut session, &effects);
    session.apply(PlaybackAction::Seek(2.5));
    session.apply(ComparedAction::Show(CompareMode::Wipe));
    let effects = session.apply(ComparedAction::Swap);
    assert!(matches!(&effects[..], [Effect::Compare(_)]), "{effects:?}");
    session.pose();
    assert_eq!(session.playback().document().unwrap().name, "other.glb");
    assert_eq!((session.playback().clip_index(), session.playback().time_secs()), (Some(1), 2.5));
    assert_eq!(session.compared().playback().clip_index(), Some(0));
    session.apply(ComparedAction::Swap);
    session.apply(PlaybackAction::Seek(2.5));
    session.apply(ComparedAction::Close);
    assert!(!session.compared().is_shown());
    assert_eq!((session.playback().time_secs(), session.playback().duration_secs()), (2.0, 2.0));
    assert_eq!(session.compared().mode(), CompareMode::Wipe, "it stays for the next one");
}

#[test]
fn models_exchanged_while_they_are_read_again_are_both_shown() {
    let (mut session, _) = both();
    let effects = session.apply(LoadAction::Reload);
    let [Effect::Load(first), Effect::Load(second)] = &effects[..] else { panic!("{effects:?}") };
    let names = [first, second].map(|load| load.source.name());
    assert_eq!(names, ["walker.glb", "other.glb"]);
    session.apply(ComparedAction::Swap);
    finish(&mut session, &effects[..1], Ok(loaded()));
    finish(&mut session, &effects[1..], Ok(other(3.0, 1.0)));
    assert!(session.compared().is_shown());
    let documents = [session.playback().document(), session.compared().document()];
    let loads = documents.map(|document| document.map(|d| (d.name.clone(), d.load)));
    let wanted = [("other.glb", second.id), ("walker.glb", first.id)];
    assert_eq!(loads, wanted.map(|(name, id)| Some((name.to_owned(), id))));
}

#[test]
fn ways_to_show_both_come_one_after_the_other_and_the_line_stays_in_the_picture() {
    let (mut session, _) = both();
    let mut seen = Vec::new();
    for _ in CompareMode::ALL {
        seen.push(session.compared().mode().name());
        session.apply(ComparedAction::Next);
    }
    assert_eq!(seen, ["beside", "wipe", "ghost", "heat"]);
    for (share, kept) in [(1.7, 1.0), (-1.0, 0.0), (f64::NAN, 0.0), (0.25, 0.25)] {
        session.apply(ComparedAction::SetWipe(share));
        assert_eq!(session.compared().wipe(), kept);
    }
}

#[test]
fn the_camera_frames_both_models() {
    let mut session = session();
    let before = session.camera().bounds().max;
    let mut wide = loaded();
    let far = rigview_anim::Transform {
        translation: Vec3::new(40.0, 0.0, 0.0),
        ..rigview_anim::Transform::IDENTITY
    };
    wide.model.rest = rigview_anim::LocalPose::new(
        vec![far, rigview_anim::Transform::IDENTITY],
        &[vec![], vec![]],
    );
    open_beside(&mut session, "/rigs/wide.glb", wide);
    assert!(session.camera().bounds().max.x >= 40.0);
    session.apply(ComparedAction::Close);
    assert_eq!(session.camera().bounds().max, before);
}

#[test]
fn only_the_pose_of_the_clip_alone_is_measured() {
    let (mut session, effects) = both();
    measure(&mut session, &effects);
    session.apply(PlaybackAction::SelectClip(Some(0)));
    session.apply(PlaybackAction::TogglePlay);
    let scale = HandValue::Scale(Vec3::splat(2.0));
    let layer = LayerSettings { clip: 1, weight: 1.0, blending: Blending::Mean, joint: None };
    let changes: [(Action, Action, &str); 5] = [
        (PoseAction::Set(1, scale).into(), PoseAction::ResetAll.into(), "Posed by hand"),
        (
            PoseAction::SetBase(BasePose::Rest).into(),
            PoseAction::SetBase(BasePose::Clip).into(),
            "Another pose than the clip's",
        ),
        (
            PlaybackAction::SetLayers(vec![layer]).into(),
            PlaybackAction::SetLayers(Vec::new()).into(),
            "Layers are played",
        ),
        (
            PlaybackAction::SetForm(rigview_report::ClipForm::Reduced).into(),
            PlaybackAction::SetForm(rigview_report::ClipForm::Source).into(),
            "Played in another form",
        ),
        (
            PlaybackAction::ToggleInPlace.into(),
            PlaybackAction::ToggleInPlace.into(),
            "Played in place",
        ),
    ];
    for (change, back, why) in changes {
        session.apply(change);
        session.pose();
        let (compared, playback) = (session.compared(), session.playback());
        assert_eq!(compared.not_as_in_file(playback), Some(why));
        assert_eq!(compared.moment(playback), None, "{why}");
        session.apply(back);
        session.pose();
        assert!(session.compared().moment(session.playback()).is_some(), "{why}");
    }
    // The pose by hand goes with its model.
    session.apply(PoseAction::Set(1, scale));
    let effects = session.apply(ComparedAction::Swap);
    measure(&mut session, &effects);
    session.pose();
    assert_eq!(session.compared().moment(session.playback()), None);
}

#[test]
fn both_models_change_the_clip_at_once() {
    let (mut session, _) = both();
    session.apply(Action::Advance(0.5));
    session.pose();
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(Action::Advance(0.05));
    session.pose();
    let place = |playback: &Playback| playback.stage().unwrap().local.transform(1).translation;
    let alone = {
        let (mut session, _) = both();
        session.apply(PlaybackAction::SelectClip(Some(1)));
        session.apply(PlaybackAction::Seek(0.05));
        session.pose();
        place(session.playback())
    };
    assert_eq!(place(session.playback()), alone, "not mixed with the clip before");
}

/// Returns a model of one node without clips.
fn lone() -> Loaded {
    Loaded {
        model: Model::from_nodes(&[None], [Transform::IDENTITY]).unwrap(),
        warnings: Vec::new(),
    }
}

/// The steps name nodes that the other model does not have.
#[test]
fn steps_of_posing_end_when_the_models_are_exchanged() {
    let mut session = session();
    for far in [1.0, 2.0] {
        session.apply(PoseAction::Set(1, HandValue::Translation(far * Vec3::X)));
    }
    open_beside(&mut session, "/rigs/lone.glb", lone());
    session.apply(ComparedAction::Swap);
    session.apply(PoseAction::Undo);
    session.pose();
    assert!(session.playback().hand().is_empty());
    assert_eq!(session.compared().playback().hand().count(), 1);
}

#[test]
fn another_second_model_is_not_posed_like_the_one_before_but_the_same_one_read_again_is() {
    let mut session = session();
    session.apply(PoseAction::Set(1, HandValue::Translation(Vec3::X)));
    session.apply(PoseAction::SetBase(BasePose::Bind));
    session.pose();
    open_beside(&mut session, "/rigs/other.glb", other(3.0, 1.0));
    session.apply(ComparedAction::Swap);
    let of_second = |session: &mut Session| {
        session.pose();
        let b = session.compared().playback();
        (b.hand().count(), b.base())
    };
    let second = FileSource::Path("/rigs/walker.glb".into());
    let again = session.loads.read_again(second, Destination::Beside);
    finish(&mut session, &[Effect::Load(again)], Ok(loaded()));
    assert_eq!(of_second(&mut session), (1, BasePose::Bind));
    open_beside(&mut session, "/rigs/lone.glb", lone());
    assert_eq!(of_second(&mut session), (0, BasePose::Bind), "the pose at rest is that of both");
}

/// Clips of another file get the springs of the model that they play on.
#[test]
fn both_models_have_their_springs() {
    let mut session =
        crate::sample::session_with(SessionOptions { springs: true, ..Default::default() });
    for (destination, springs) in [(Destination::Beside, true), (Destination::Clips, false)] {
        let source = FileSource::Path("/rigs/other.glb".into());
        let effects = session.apply(LoadAction::Open(source, destination));
        let [Effect::Load(load)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(load.preparation.springs, springs, "{destination:?}");
    }
}

#[test]
fn the_second_model_is_in_the_same_pose_at_rest_and_in_place_too() {
    let (mut session, _) = both();
    session.apply(PlaybackAction::Seek(1.5));
    let place = |session: &mut Session| {
        session.pose();
        session.compared().playback().stage().unwrap().position(1)
    };
    let free = place(&mut session);
    session.apply(PlaybackAction::ToggleInPlace);
    assert!(place(&mut session).x < free.x, "its root is held");
    session.apply(PlaybackAction::ToggleInPlace);
    assert_eq!(place(&mut session), free);
    session.apply(PoseAction::SetBase(BasePose::Rest));
    assert_eq!(place(&mut session), Vec3::Y);
}

#[test]
fn two_exchanges_give_back_what_was_chosen_for_the_first_model() {
    let (mut session, effects) = both();
    measure(&mut session, &effects);
    let layer = LayerSettings { clip: 1, weight: 0.5, blending: Blending::Mean, joint: Some(1) };
    for action in [
        Action::from(PlaybackAction::SetFps(24.0)),
        PlaybackAction::SetFade(0.5).into(),
        PlaybackAction::ToggleInPlace.into(),
        PlaybackAction::SetForm(rigview_report::ClipForm::Reduced).into(),
        PlaybackAction::SetLayers(vec![layer]).into(),
        PlaybackAction::Seek(0.5).into(),
        HiddenAction::Toggle(0).into(),
        SelectionAction::Select(Some(Item::Node(1))).into(),
    ] {
        session.apply(action);
    }
    session.pose();
    let view = |session: &Session| {
        let playback = session.playback();
        (playback.fps(), playback.fade_secs(), playback.plays_in_place())
    };
    let own = |session: &Session| {
        let (playback, hidden) = (session.playback(), session.hidden());
        let history = session.history().undo_count();
        let nodes: Vec<usize> = hidden.nodes().collect();
        (playback.form(), playback.layers().to_vec(), nodes, session.selection().node(), history)
    };
    let (first, first_own) = (view(&session), own(&session));
    assert_eq!((first, first_own.4), ((24.0, 0.5, true), 1));
    session.apply(ComparedAction::Swap);
    session.pose();
    let none = (rigview_report::ClipForm::Source, Vec::new(), Vec::new(), None, 0);
    assert_eq!((view(&session), own(&session)), (first, none));
    let b = session.compared().playback().stage().unwrap();
    assert!(b.visible.iter().all(|visible| *visible), "the second model is drawn whole");
    session.apply(ComparedAction::Swap);
    session.pose();
    assert_eq!((view(&session), own(&session)), (first, first_own));
    assert!(!session.playback().stage().unwrap().visible[0]);
    session.apply(PoseAction::Undo);
    assert_eq!(session.hidden().nodes().count(), 0);
    // Another second model has nothing of the one before.
    session.apply(ComparedAction::Swap);
    open_beside(&mut session, "/rigs/third.glb", loaded());
    session.apply(ComparedAction::Swap);
    assert_eq!((session.playback().layers().len(), session.selection().node()), (0, None));
}

#[test]
fn engine_limits_are_those_of_their_model() {
    let mut session = session();
    let form = rigview_model::SkinForm { influences: 2, ..Default::default() };
    let effects = session.apply(EngineAction::SetSkinForm(form));
    assert_eq!(session.engine().form(), form);
    finish(&mut session, &effects, bad());
    assert!(session.engine().form().is_exact(), "the file could not be read with them");
    session.apply(EngineAction::SetSkinForm(form));
    session.apply(Action::Escape);
    assert!(session.engine().form().is_exact(), "given up");
    let effects = session.apply(EngineAction::SetSkinForm(form));
    finish(&mut session, &effects, Ok(loaded()));
    open_beside(&mut session, "/rigs/other.glb", other(3.0, 1.0));
    session.apply(ComparedAction::Swap);
    assert!(session.engine().form().is_exact());
    // Read again, the second model keeps its limits.
    let effects = session.apply(LoadAction::Reload);
    let exact = effects.iter().filter_map(|effect| match effect {
        Effect::Load(load) => Some(load.preparation.skin_form.is_exact()),
        _ => None,
    });
    assert_eq!(exact.collect::<Vec<_>>(), [true, false]);
    finish(&mut session, &effects[..1], Ok(other(3.0, 1.0)));
    finish(&mut session, &effects[1..], Ok(loaded()));
    session.apply(ComparedAction::Swap);
    assert_eq!(session.engine().form(), form);
}

/// Also where no clip of it belongs to the shown one, and when it was exported again with another extent.
#[test]
fn the_second_model_is_framed_as_it_is() {
    let still = |size: f32| {
        let mut loaded = loaded();
        loaded.model.clips.clear();
        let rest = loaded.model.rest.transform(0);
        loaded.model.rest.set_transform(0, Transform { scale: size * Vec3::ONE, ..rest });
        loaded
    };
    let framed = |session: &Session| session.compared().hull(session.playback());
    let mut session = session();
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(still(1.0)));
    let alone = session.playback().hull().len();
    open_beside(&mut session, "/rigs/b.glb", still(1.0));
    let before = framed(&session);
    assert!(before.len() > alone, "{before:?}");
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects[..1], Ok(still(1.0)));
    finish(&mut session, &effects[1..], Ok(still(3.0)));
    assert_ne!(framed(&session), before);
}
