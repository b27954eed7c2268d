//! Loads without a window: they end, fail, are cancelled, and run again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::sample::{bad, changed, finish, loaded, same_model, session};
use crate::*;
use rigview_import::{ImportError, ImportOptions, Loaded, load_with_progress};
use rigview_model::{Image, Model, Pixels};

/// Returns the load that is requested.
#[track_caller]
fn asked(effects: &[Effect]) -> &LoadRequest {
    match effects {
        [Effect::Load(load)] => load,
        other => panic!("{other:?}"),
    }
}

/// Ends a load of a file on disk with a result and returns the files watched from then on.
#[track_caller]
fn end(session: &mut Session, load: &LoadRequest, result: Result<Loaded, ImportError>) -> Watch {
    if let FileSource::Path(path) = &load.source {
        // The file is not a model, but its size and time are read.
        load_with_progress(path, &ImportOptions::default(), &load.progress).unwrap_err();
    }
    let effects = finish(session, &[Effect::Load(load.clone())], result);
    match &effects[..] {
        [Effect::Watch(watch)] => watch.clone(),
        other => panic!("{other:?}"),
    }
}

fn paths(watch: &Watch) -> Vec<&Path> {
    watch.read.iter().map(|f| &*f.path).chain(watch.also.iter().map(|p| &**p)).collect()
}

/// Returns a session that shows a file of a folder.
fn showing(path: &Path) -> Session {
    std::fs::write(path, "no model").unwrap();
    let mut session = session();
    let effects = session.apply(LoadAction::open(path));
    end(&mut session, asked(&effects), Ok(loaded()));
    session
}

#[test]
fn a_changed_file_is_read_again_and_keeps_clip_time_and_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut session = showing(&path);
    let model = Arc::clone(&session.playback().document().unwrap().model);
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(Action::Advance(0.25));
    assert!(session.apply(LoadAction::FilesChanged(changed("/elsewhere"))).is_empty());
    let effects = session.apply(LoadAction::FilesChanged(changed(path.clone())));
    let load = asked(&effects);
    assert!(load.patient && load.again);
    let watch = end(&mut session, load, Ok(loaded()));
    assert_eq!(paths(&watch), [path]);
    assert!(!same_model(&session, &model));
    assert_eq!((session.playback().clip_index(), session.playback().time_secs()), (Some(1), 0.25));
    assert!(session.playback().is_moving());
}

#[test]
fn a_change_that_breaks_the_file_keeps_the_model_and_the_next_one_is_tried() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut session = showing(&path);
    let model = Arc::clone(&session.playback().document().unwrap().model);
    let effects = session.apply(LoadAction::FilesChanged(changed(path.clone())));
    end(&mut session, asked(&effects), bad());
    assert!(same_model(&session, &model) && session.loads().failure().is_some());
    // The message stays while another attempt runs.
    let effects = session.apply(LoadAction::FilesChanged(changed(path.clone())));
    assert!(session.loads().failure().is_some());
    end(&mut session, asked(&effects), Ok(loaded()));
    assert!(!same_model(&session, &model) && session.loads().failure().is_none());
}

#[test]
fn a_file_that_could_not_be_opened_is_tried_when_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let (good, broken) = (folder.path().join("good.glb"), folder.path().join("broken.glb"));
    let mut session = showing(&good);
    let effects = session.apply(LoadAction::open(&broken));
    let watch = end(&mut session, asked(&effects), bad());
    assert_eq!(paths(&watch), [&broken, &good]);
    session.apply(PlaybackAction::SelectClip(None));
    let effects = session.apply(LoadAction::FilesChanged(changed(broken.clone())));
    let load = asked(&effects);
    assert_eq!(load.source, FileSource::Path(broken));
    end(&mut session, load, Ok(loaded()));
    // It starts like a file that was never shown.
    assert_eq!(session.playback().clip_index(), Some(0));
}

#[test]
fn a_file_that_is_gone_is_named_until_it_is_back_and_what_it_showed_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut session = showing(&path);
    let model = Arc::clone(&session.playback().document().unwrap().model);
    let gone = |file: &Path| FileChanges { changed: Vec::new(), gone: vec![file.to_owned()] };
    assert!(session.apply(LoadAction::FilesChanged(gone(Path::new("/elsewhere")))).is_empty());
    assert_eq!(session.loads().failure(), None);
    assert!(session.apply(LoadAction::FilesChanged(gone(&path))).is_empty());
    let failure = session.loads().failure().unwrap();
    assert!(failure.is_gone() && failure.file == "a.glb", "{failure:?}");
    assert!(same_model(&session, &model));
    let effects = session.apply(LoadAction::FilesChanged(changed(path)));
    end(&mut session, asked(&effects), Ok(loaded()));
    assert_eq!(session.loads().failure(), None);
}

#[test]
fn clips_of_another_file_are_read_again_when_it_changes_and_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (path, dance) = (folder.path().join("a.glb"), folder.path().join("dance.glb"));
    let mut session = showing(&path);
    std::fs::write(&dance, "no model").unwrap();
    let source = FileSource::Path(dance.clone());
    let effects = session.apply(LoadAction::Open(source.clone(), Destination::Clips));
    let watch = end(&mut session, asked(&effects), Ok(loaded()));
    assert_eq!(paths(&watch), [&dance, &path, &dance]);
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(PlaybackAction::Seek(0.5));
    let effects = session.apply(LoadAction::FilesChanged(changed(&dance)));
    let load = asked(&effects).clone();
    assert_eq!((&load.source, load.destination), (&source, Destination::Clips));
    // A version that can't be read changes nothing, and the next one is tried.
    end(&mut session, &load, bad());
    assert!(session.playback().document().unwrap().borrowed.is_some());
    session.apply(PlaybackAction::Seek(0.75));
    let effects = session.apply(LoadAction::FilesChanged(changed(&dance)));
    end(&mut session, asked(&effects), Ok(loaded()));
    assert_eq!(session.loads().failure(), None);
    let playback = session.playback();
    assert_eq!((playback.clip_index(), playback.time_secs()), (Some(1), 0.75));
}

#[test]
fn a_dialog_begins_beside_what_it_is_about() {
    let mut session = Session::new(SessionOptions::default());
    let folder = |session: &Session, to| session.folder_for(FileQuestion::Open(to));
    assert_eq!(folder(&session, Destination::Shown), None);
    let effects = session.apply(LoadAction::open("/rigs/a.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    let rigs = Some("/rigs".into());
    assert_eq!(folder(&session, Destination::Clips), rigs);
    assert_eq!(session.folder_for(FileQuestion::SavePose), rigs);
    let dance = FileSource::Path("/dances/dance.glb".into());
    let effects = session.apply(LoadAction::Open(dance, Destination::Clips));
    finish(&mut session, &effects, Ok(loaded()));
    assert_eq!(folder(&session, Destination::Clips), Some("/dances".into()));
    assert_eq!(folder(&session, Destination::Beside), rigs);
}

/// Returns the model with an image.
fn with_image() -> Loaded {
    let image = Image {
        name: None,
        mime: "image/png".into(),
        width: 1,
        height: 1,
        pixels: Pixels::Header,
        mean: None,
        digest: None,
    };
    let loaded = loaded();
    Loaded { model: Model { images: vec![image], ..loaded.model }, ..loaded }
}

/// The action for the shown model when the device is lost.
fn restore(session: &Session) -> LoadAction {
    LoadAction::Restore(session.playback().document().unwrap().load)
}

/// Opens a file that fails. Returns the load that it is followed by.
#[track_caller]
fn after_a_failure(session: &mut Session) -> LoadRequest {
    let effects = session.apply(LoadAction::open("/rigs/broken.glb"));
    match &finish(session, &effects, bad())[..] {
        [Effect::Watch(_), Effect::Load(load)] => load.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_restored_keeps_messages_and_waits_for_what_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.glb");
    let mut session = showing(&good);
    session.apply(LoadAction::Reload);
    assert!(session.apply(restore(&session)).is_empty(), "a model without images has lost none");
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(with_image()));
    session.apply(PlaybackAction::SelectClip(Some(1)));
    let effects = session.apply(LoadAction::open("/rigs/slow.glb"));
    assert!(session.apply(restore(&session)).is_empty(), "another file is on its way");
    assert!(!asked(&effects).progress.is_cancelled());
    let load = after_a_failure(&mut session);
    assert_eq!(load.source, FileSource::Path(good));
    let said = session.loads().failure().cloned();
    end(&mut session, &load, Ok(with_image()));
    assert!(said.is_some() && session.loads().failure() == said.as_ref());
    assert_eq!(session.playback().clip_index(), Some(1));
    assert!(!session.loads().is_busy());
}

#[test]
fn lost_images_are_read_whatever_comes_in_between() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = showing(&folder.path().join("good.glb"));
    let effects = session.apply(LoadAction::Reload);
    finish(&mut session, &effects, Ok(with_image()));
    let effects = session.apply(restore(&session));
    let load = asked(&effects);
    let effects = session.apply(Action::Escape);
    assert!(load.progress.is_cancelled() && !asked(&effects).progress.is_cancelled());
    after_a_failure(&mut session);
    let load = after_a_failure(&mut session);
    // A file that can't be read any more is not tried again.
    end(&mut session, &load, bad());
    assert!(!session.loads().is_busy() && session.loads().failure().is_some());
}

#[test]
fn lost_images_of_the_second_model_are_read_too() {
    let mut session = session();
    let beside = FileSource::Path("/rigs/beside.glb".into());
    let effects = session.apply(LoadAction::Open(beside.clone(), Destination::Beside));
    finish(&mut session, &effects, Ok(with_image()));
    let load = session.compared().document().unwrap().load;
    let effects = session.apply(LoadAction::Restore(load));
    assert_eq!(asked(&effects).source, beside);
    let effects = session.apply(Action::Escape);
    assert_eq!(asked(&effects).source, beside);
    finish(&mut session, &effects, Ok(with_image()));
    assert!(
        session.loads().pending(Destination::Beside).is_none() && session.compared().is_shown()
    );
}

#[test]
fn what_is_superseded_or_given_up_is_cancelled() {
    let mut session = session();
    let first = session.apply(LoadAction::open("/rigs/slow.glb"));
    let second = session.apply(LoadAction::open("/rigs/quick.glb"));
    assert!(asked(&first).progress.is_cancelled());
    assert!(!asked(&second).progress.is_cancelled());
    session.apply(Action::Escape);
    assert!(asked(&second).progress.is_cancelled() && !session.loads().is_busy());
    let progress = &asked(&second).progress;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "{\"asset\": {\"version\": \"2.0\"}}").unwrap();
    let options = ImportOptions::default();
    let error = load_with_progress(file.path(), &options, progress).unwrap_err();
    assert_eq!(error.to_string(), "the load was given up");
}

/// Ends a search with these models.
#[track_caller]
fn find(session: &mut Session, effects: &[Effect], models: &[&str]) -> Vec<Effect> {
    let [Effect::Find(search)] = effects else { panic!("{effects:?}") };
    let models = models.iter().map(PathBuf::from).collect();
    let finds = Finds { models, left_out: Vec::new() };
    session.apply(LoadAction::Found { search: search.clone(), finds })
}

fn shows(session: &mut Session, effects: &[Effect]) -> String {
    finish(session, effects, Ok(loaded()));
    session.playback().document().unwrap().name.clone()
}

#[test]
fn steps_go_through_the_folder_round_and_round() {
    let mut session = session();
    let folder = ["/rigs/a.glb", "/rigs/walker.glb", "/rigs/z.glb"];
    for (by, name) in [(1, "z.glb"), (1, "a.glb"), (-1, "z.glb"), (-1, "walker.glb")] {
        let effects = session.apply(LoadAction::StepFiles(by));
        let effects = find(&mut session, &effects, &folder);
        assert_eq!(shows(&mut session, &effects), name);
    }
    // Steps during the search add up, and Escape cancels the search.
    let effects = session.apply(LoadAction::StepFiles(1));
    assert!(session.apply(LoadAction::StepFiles(1)).is_empty());
    let effects = find(&mut session, &effects, &folder);
    assert_eq!(shows(&mut session, &effects), "a.glb");
    let effects = session.apply(LoadAction::StepFiles(1));
    session.apply(Action::Escape);
    assert!(find(&mut session, &effects, &folder).is_empty());
    // A deleted file keeps its place between the remaining files.
    let effects = session.apply(LoadAction::StepFiles(1));
    let effects = find(&mut session, &effects, &["/rigs/b.glb", "/rigs/Z.glb"]);
    assert_eq!(asked(&effects).source.name(), "b.glb");
}

#[test]
fn steps_go_on_from_a_file_that_could_not_be_opened() {
    let mut session = session();
    let folder = ["/rigs/a.glb", "/rigs/b.glb", "/rigs/c.glb"];
    session.apply(LoadAction::OpenAll(folder.map(PathBuf::from).to_vec(), Destination::Shown));
    let all =
        [Effect::Find(Search { places: folder.map(PathBuf::from).into(), ..Search::default() })];
    let first = find(&mut session, &all, &folder);
    assert_eq!(shows(&mut session, &first), "a.glb");
    // Files that were opened together need no search.
    let second = session.apply(LoadAction::StepFiles(1));
    finish(&mut session, &second, bad());
    let third = session.apply(LoadAction::StepFiles(1));
    assert_eq!(shows(&mut session, &third), "c.glb");
}

#[test]
fn a_place_without_models_is_said() {
    let mut session = session();
    let effects = session.apply(LoadAction::OpenAll(vec!["/empty".into()], Destination::Shown));
    assert!(find(&mut session, &effects, &[]).is_empty());
    assert_eq!(session.notice(), Some("no model in /empty"));
    let effects = session.apply(LoadAction::StepFiles(1));
    assert!(find(&mut session, &effects, &["/rigs/walker.glb"]).is_empty());
    assert_eq!(session.notice(), Some("no other model in /rigs"));
}

#[test]
fn a_message_about_a_folder_names_all_of_its_path() {
    let mut session = session();
    let effects = session.apply(LoadAction::OpenAll(vec!["src".into()], Destination::Shown));
    assert!(find(&mut session, &effects, &[]).is_empty());
    let folder = std::env::current_dir().unwrap().join("src");
    assert_eq!(session.notice(), Some(&*format!("no model in {}", folder.display())));
}

#[test]
fn a_drop_takes_away_what_was_said_of_the_one_before() {
    let mut session = session();
    let effects =
        session.apply(LoadAction::OpenAll(vec!["/rigs/bad.glb".into()], Destination::Shown));
    let effects = find(&mut session, &effects, &["/rigs/bad.glb"]);
    session.apply(LoadAction::Loaded { id: asked(&effects).id, result: Err(bad().unwrap_err()) });
    assert!(session.loads().failure().is_some());
    let effects = session.apply(LoadAction::OpenAll(vec!["/empty".into()], Destination::Shown));
    let [Effect::Find(search)] = &effects[..] else { panic!("{effects:?}") };
    let finds = Finds { models: vec![], left_out: vec!["the folder /empty is empty".into()] };
    session.apply(LoadAction::Found { search: search.clone(), finds });
    assert_eq!(session.loads().failure(), None);
    assert_eq!(session.notice(), Some("the folder /empty is empty"));
    assert_eq!(session.notice_kind(), Some(NoticeKind::Warning));
}

#[test]
fn several_models_say_which_one_is_shown() {
    let mut session = session();
    let both = ["/rigs/a.glb", "/rigs/b.glb"];
    let effects =
        session.apply(LoadAction::OpenAll(both.map(PathBuf::from).to_vec(), Destination::Shown));
    let effects = find(&mut session, &effects, &both);
    assert_eq!(shows(&mut session, &effects), "a.glb");
    assert_eq!(session.notice(), Some("1 of 2: PageDown opens the next"));
    assert_eq!(session.notice_kind(), Some(NoticeKind::Done));
    let effects = session.apply(LoadAction::StepFiles(1));
    assert_eq!(shows(&mut session, &effects), "b.glb");
    assert_eq!(session.notice(), Some("2 of 2: PageUp and PageDown open others"));
}

#[test]
fn a_model_and_an_environment_of_one_drop_are_both_answered() {
    let sky = |id| Action::Load(LoadAction::Loaded { id, result: Err(bad().unwrap_err()) });
    for environment_first in [true, false] {
        let mut session = session();
        let places = ["/rigs/a.glb", "/rigs/sky.hdr"].map(PathBuf::from).to_vec();
        let mut effects = session.apply(LoadAction::OpenAll(places, Destination::Shown));
        let Effect::Load(LoadRequest { id, .. }) = effects.remove(0) else { panic!() };
        if environment_first {
            session.apply(sky(id));
        }
        let load = find(&mut session, &effects, &["/rigs/a.glb"]);
        assert_eq!(shows(&mut session, &load), "a.glb");
        if !environment_first {
            session.apply(sky(id));
        }
        assert_eq!(session.loads().failure().map(|f| f.file.as_str()), Some("sky.hdr"));
    }
}

/// A file that could not be read after a reload was wanted until the model's own clips were.
#[test]
fn clips_that_were_given_back_do_not_return_after_a_reload() {
    let mut session = session();
    let dance = FileSource::Path("/rigs/dance.glb".into());
    let effects = session.apply(LoadAction::Open(dance.clone(), Destination::Clips));
    finish(&mut session, &effects, Ok(loaded()));
    let effects = session.apply(LoadAction::Reload);
    let effects = finish(&mut session, &effects, Ok(loaded()));
    finish(&mut session, &effects, bad());
    session.apply(PlaybackAction::OwnClips);
    let effects = session.apply(LoadAction::Reload);
    let effects = finish(&mut session, &effects, Ok(loaded()));
    let is_wanted =
        |effect: &Effect| matches!(effect, Effect::Load(request) if request.source == dance);
    assert!(!effects.iter().any(is_wanted), "{effects:?}");
}

#[test]
fn own_clips_end_the_reading_of_others() {
    let open = |file: &str| LoadAction::Open(FileSource::Path(file.into()), Destination::Clips);
    let mut session = session();
    let effects = session.apply(open("/rigs/dance.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    let borrows = |session: &Session| session.playback().document().unwrap().borrowed.is_some();
    let chosen = session.apply(open("/rigs/jump.glb"));
    session.apply(PlaybackAction::OwnClips);
    assert!(!session.loads().is_busy());
    finish(&mut session, &chosen, Ok(loaded()));
    assert!(!borrows(&session), "clips that were given back have come");
    // Those that a reload reads again end as well.
    let effects = session.apply(open("/rigs/dance.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    let effects = session.apply(LoadAction::Reload);
    let again = finish(&mut session, &effects, Ok(loaded()));
    session.apply(PlaybackAction::OwnClips);
    finish(&mut session, &again, Ok(loaded()));
    assert!(!borrows(&session), "clips that were given back have come again");
    // A reload of the model itself goes on.
    let effects = session.apply(open("/rigs/dance.glb"));
    finish(&mut session, &effects, Ok(loaded()));
    session.apply(LoadAction::Reload);
    session.apply(PlaybackAction::OwnClips);
    assert!(session.loads().pending(Destination::Shown).is_some());
}

/// Both files may be written anew by the same export.
#[test]
fn clips_of_another_file_last_while_that_is_missing() {
    let mut session = session();
    let dance = FileSource::Path("/rigs/dance.glb".into());
    let effects = session.apply(LoadAction::Open(dance.clone(), Destination::Clips));
    let mut clips = loaded();
    clips.model.clips.swap(0, 1);
    finish(&mut session, &effects, Ok(clips));
    session.apply(PlaybackAction::SelectClip(Some(1)));
    session.apply(PlaybackAction::Seek(1.5));
    let layer = LayerSettings { clip: 0, weight: 0.5, blending: Blending::Mean, joint: None };
    session.apply(PlaybackAction::SetLayers(vec![layer]));
    let effects = session.apply(LoadAction::Reload);
    let effects = finish(&mut session, &effects, Ok(loaded()));
    let shows = |session: &Session| {
        let playback = session.playback();
        let document = playback.document().unwrap();
        assert_eq!(document.borrowed.as_ref().map(|b| &b.source), Some(&dance));
        assert_eq!(document.clip_name(playback.clip_index().unwrap()), Some("Walk"));
        assert_eq!((playback.time_secs(), playback.layers()), (1.5, &[layer][..]));
    };
    shows(&session);
    finish(&mut session, &effects, bad());
    assert!(session.loads().failure().is_some());
    shows(&session);
    let clips = session.loads.read_again(dance.clone(), Destination::Clips);
    session.loads.awaiting = Some(session.playback.standing());
    let mut again = loaded();
    again.model.clips.swap(0, 1);
    finish(&mut session, &[Effect::Load(clips)], Ok(again));
    shows(&session);
}
