//! What becomes of loads, without a window: they end, fail, are given up, and come again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::sample::{bad, loaded, same_model, viewer};
use super::*;
use crate::import::{ImportError, ImportOptions, Loaded, load_telling};

/// The load that is asked for.
#[track_caller]
fn asked(effects: &[Effect]) -> &LoadRequest {
    match effects {
        [Effect::Load(load)] => load,
        other => panic!("{other:?}"),
    }
}

/// Ends a load of a file on disk like this, and says what is watched then.
#[track_caller]
fn end(viewer: &mut Viewer, load: &LoadRequest, result: Result<Loaded, ImportError>) -> Watch {
    if let FileSource::Path(path) = &load.source {
        // It is no model, but it is looked at.
        load_telling(path, &ImportOptions::default(), &load.progress).unwrap_err();
    }
    let effects = viewer.apply(Action::Loaded { id: load.id, result: Box::new(result) });
    match &effects[..] {
        [Effect::Watch(watch)] => watch.clone(),
        other => panic!("{other:?}"),
    }
}

fn paths(watch: &Watch) -> Vec<&Path> {
    watch.read.iter().map(|f| &*f.path).chain(watch.also.iter().map(|p| &**p)).collect()
}

/// A viewer that shows a file of a folder.
fn showing(path: &Path) -> Viewer {
    std::fs::write(path, "no model").unwrap();
    let mut viewer = viewer();
    let effects = viewer.apply(Action::open(path));
    end(&mut viewer, asked(&effects), Ok(loaded()));
    viewer
}

#[test]
fn a_changed_file_is_read_again_and_keeps_clip_time_and_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut viewer = showing(&path);
    let model = Arc::clone(&viewer.document().unwrap().model);
    viewer.apply(Action::SelectClip(Some(1)));
    viewer.apply(Action::Advance(0.25));
    assert_eq!(viewer.apply(Action::FilesChanged(vec!["/elsewhere".into()])), []);
    let effects = viewer.apply(Action::FilesChanged(vec![path.clone()]));
    let load = asked(&effects);
    assert!(load.patient && load.again);
    let watch = end(&mut viewer, load, Ok(loaded()));
    assert_eq!(paths(&watch), [path]);
    assert!(!same_model(&viewer, &model));
    assert_eq!((viewer.clip_index(), viewer.time_secs()), (Some(1), 0.25));
    assert!(viewer.is_moving());
}

#[test]
fn a_change_that_breaks_the_file_keeps_the_model_and_the_next_one_is_tried() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let mut viewer = showing(&path);
    let model = Arc::clone(&viewer.document().unwrap().model);
    let effects = viewer.apply(Action::FilesChanged(vec![path.clone()]));
    end(&mut viewer, asked(&effects), bad());
    assert!(same_model(&viewer, &model) && viewer.failure().is_some());
    // The message stays while another attempt runs.
    let effects = viewer.apply(Action::FilesChanged(vec![path.clone()]));
    assert!(viewer.failure().is_some());
    end(&mut viewer, asked(&effects), Ok(loaded()));
    assert!(!same_model(&viewer, &model) && viewer.failure().is_none());
}

#[test]
fn a_file_that_could_not_be_opened_is_tried_when_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let (good, broken) = (folder.path().join("good.glb"), folder.path().join("broken.glb"));
    let mut viewer = showing(&good);
    let effects = viewer.apply(Action::open(&broken));
    let watch = end(&mut viewer, asked(&effects), bad());
    assert_eq!(paths(&watch), [&broken, &good]);
    viewer.apply(Action::SelectClip(None));
    let effects = viewer.apply(Action::FilesChanged(vec![broken.clone()]));
    let load = asked(&effects);
    assert_eq!(load.source, FileSource::Path(broken));
    end(&mut viewer, load, Ok(loaded()));
    // It starts as what was never shown does.
    assert_eq!(viewer.clip_index(), Some(0));
}

#[test]
fn what_is_restored_keeps_messages_and_waits_for_what_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (good, broken) = (folder.path().join("good.glb"), folder.path().join("broken.glb"));
    let mut viewer = showing(&good);
    viewer.apply(Action::SelectClip(Some(1)));
    let effects = viewer.apply(Action::open(&broken));
    assert_eq!(viewer.apply(Action::Restore), [], "another file is on its way");
    end(&mut viewer, asked(&effects), bad());
    let said = viewer.failure().cloned();
    let effects = viewer.apply(Action::Restore);
    assert_eq!(asked(&effects).source, FileSource::Path(good));
    end(&mut viewer, asked(&effects), Ok(loaded()));
    assert!(said.is_some() && viewer.failure() == said.as_ref());
    assert_eq!(viewer.clip_index(), Some(1));
}

#[test]
fn what_is_superseded_or_given_up_is_cancelled() {
    let mut viewer = viewer();
    let first = viewer.apply(Action::open("/rigs/slow.glb"));
    let second = viewer.apply(Action::open("/rigs/quick.glb"));
    assert!(asked(&first).progress.is_cancelled());
    assert!(!asked(&second).progress.is_cancelled());
    viewer.apply(Action::Escape);
    assert!(asked(&second).progress.is_cancelled() && !viewer.is_busy());
    let progress = &asked(&second).progress;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "{\"asset\": {\"version\": \"2.0\"}}").unwrap();
    let options = ImportOptions::default();
    let error = load_telling(file.path(), &options, progress).unwrap_err();
    assert_eq!(error.to_string(), "the load was given up");
}

/// Answers a search.
#[track_caller]
fn find(viewer: &mut Viewer, effects: &[Effect], models: &[&str]) -> Vec<Effect> {
    let [Effect::Find(search)] = effects else { panic!("{effects:?}") };
    let models = models.iter().map(PathBuf::from).collect();
    let finds = Finds { models, left_out: Vec::new() };
    viewer.apply(Action::Found { search: search.clone(), finds })
}

fn shows(viewer: &mut Viewer, effects: &[Effect]) -> String {
    let load = asked(effects).clone();
    viewer.apply(Action::Loaded { id: load.id, result: Box::new(Ok(loaded())) });
    viewer.document().unwrap().name.clone()
}

#[test]
fn steps_go_through_the_folder_round_and_round() {
    let mut viewer = viewer();
    let folder = ["/rigs/a.glb", "/rigs/walker.glb", "/rigs/z.glb"];
    for (by, name) in [(1, "z.glb"), (1, "a.glb"), (-1, "z.glb"), (-1, "walker.glb")] {
        let effects = viewer.apply(Action::StepFiles(by));
        let effects = find(&mut viewer, &effects, &folder);
        assert_eq!(shows(&mut viewer, &effects), name);
    }
    // Steps that are asked for while it searches add up, and Escape ends the search.
    let effects = viewer.apply(Action::StepFiles(1));
    assert_eq!(viewer.apply(Action::StepFiles(1)), []);
    let effects = find(&mut viewer, &effects, &folder);
    assert_eq!(shows(&mut viewer, &effects), "a.glb");
    let effects = viewer.apply(Action::StepFiles(1));
    viewer.apply(Action::Escape);
    assert_eq!(find(&mut viewer, &effects, &folder), []);
    // A file that is gone has its place between those that are left.
    let effects = viewer.apply(Action::StepFiles(1));
    let effects = find(&mut viewer, &effects, &["/rigs/b.glb", "/rigs/Z.glb"]);
    assert_eq!(asked(&effects).source.name(), "b.glb");
}

#[test]
fn steps_go_on_from_a_file_that_could_not_be_opened() {
    let mut viewer = viewer();
    let folder = ["/rigs/a.glb", "/rigs/b.glb", "/rigs/c.glb"];
    viewer.apply(Action::OpenAll(folder.map(PathBuf::from).to_vec()));
    let all =
        [Effect::Find(Search { places: folder.map(PathBuf::from).into(), ..Search::default() })];
    let first = find(&mut viewer, &all, &folder);
    assert_eq!(shows(&mut viewer, &first), "a.glb");
    // Those that were opened together need no search.
    let second = viewer.apply(Action::StepFiles(1));
    viewer.apply(Action::Loaded { id: asked(&second).id, result: Box::new(bad()) });
    let third = viewer.apply(Action::StepFiles(1));
    assert_eq!(shows(&mut viewer, &third), "c.glb");
}

#[test]
fn a_place_without_models_is_said() {
    let mut viewer = viewer();
    let effects = viewer.apply(Action::OpenAll(vec!["/empty".into()]));
    assert_eq!(find(&mut viewer, &effects, &[]), []);
    assert_eq!(viewer.notice(), Some("no glTF file in /empty"));
    let effects = viewer.apply(Action::StepFiles(1));
    assert_eq!(find(&mut viewer, &effects, &["/rigs/walker.glb"]), []);
    assert_eq!(viewer.notice(), Some("no other glTF file in /rigs"));
}

#[test]
fn a_drop_takes_away_what_was_said_of_the_one_before() {
    let mut viewer = viewer();
    let effects = viewer.apply(Action::OpenAll(vec!["/rigs/bad.glb".into()]));
    let effects = find(&mut viewer, &effects, &["/rigs/bad.glb"]);
    viewer.apply(Action::Loaded { id: asked(&effects).id, result: Box::new(bad()) });
    assert!(viewer.failure().is_some());
    let effects = viewer.apply(Action::OpenAll(vec!["/empty".into()]));
    let [Effect::Find(search)] = &effects[..] else { panic!("{effects:?}") };
    let finds = Finds { models: vec![], left_out: vec!["the folder /empty is empty".into()] };
    viewer.apply(Action::Found { search: search.clone(), finds });
    assert_eq!(viewer.failure(), None);
    assert_eq!(viewer.notice(), Some("the folder /empty is empty"));
    assert_eq!(viewer.notice_kind(), Some(NoticeKind::Warning));
}

#[test]
fn several_models_say_which_one_is_shown() {
    let mut viewer = viewer();
    let both = ["/rigs/a.glb", "/rigs/b.glb"];
    let effects = viewer.apply(Action::OpenAll(both.map(PathBuf::from).to_vec()));
    let effects = find(&mut viewer, &effects, &both);
    assert_eq!(shows(&mut viewer, &effects), "a.glb");
    assert_eq!(viewer.notice(), Some("1 of 2: PageDown opens the next"));
    assert_eq!(viewer.notice_kind(), Some(NoticeKind::Done));
    let effects = viewer.apply(Action::StepFiles(1));
    assert_eq!(shows(&mut viewer, &effects), "b.glb");
    assert_eq!(viewer.notice(), Some("2 of 2: PageUp and PageDown open others"));
}

#[test]
fn a_model_and_an_environment_of_one_drop_are_both_answered() {
    let sky = |id| Action::EnvironmentLoaded { id, result: Box::new(Err(bad().unwrap_err())) };
    for environment_first in [true, false] {
        let mut viewer = viewer();
        let places = ["/rigs/a.glb", "/rigs/sky.hdr"].map(PathBuf::from).to_vec();
        let mut effects = viewer.apply(Action::OpenAll(places));
        let Effect::LoadEnvironment { id, .. } = effects.remove(0) else { panic!() };
        if environment_first {
            viewer.apply(sky(id));
        }
        let load = find(&mut viewer, &effects, &["/rigs/a.glb"]);
        assert_eq!(shows(&mut viewer, &load), "a.glb");
        if !environment_first {
            viewer.apply(sky(id));
        }
        assert_eq!(viewer.failure().map(|f| f.file.as_str()), Some("sky.hdr"));
    }
}
