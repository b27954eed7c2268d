//! Several clips in a session: crossfades, layers, all at once, those of another file.

use super::sample::{finish, loaded, viewer, viewer_with};
use super::{Action, Blending, ClipChoice, FileSource, LayerSettings, SessionOptions, Viewer};
use crate::anim::{Clip, ClipParts};
use crate::import::Loaded;

/// Where the node is that the clips move: each to the X of its own time.
fn x(viewer: &mut Viewer) -> f32 {
    viewer.pose();
    viewer.stage().unwrap().local.transform(1).translation.x
}

fn at(viewer: &mut Viewer, want: f32) {
    let got = x(viewer);
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
    let mut viewer = viewer();
    viewer.apply(Action::Advance(1.0));
    viewer.apply(Action::SelectClip(Some(1)));
    at(&mut viewer, 1.0);
    viewer.apply(Action::Advance(0.1));
    at(&mut viewer, 0.5 * 1.1 + 0.5 * 0.1);
    // To a third in the middle of it: what was there stays a half each.
    viewer.apply(Action::SelectClip(Some(2)));
    at(&mut viewer, 0.5 * 1.1 + 0.5 * 0.1);
    assert!(viewer.is_moving(), "a clip of one key that is still fading in");
    viewer.apply(Action::Advance(0.05));
    at(&mut viewer, 0.75 * (0.5 * 1.15 + 0.5 * 0.15));
    viewer.apply(Action::Advance(0.2));
    at(&mut viewer, 0.0);
    assert!(!viewer.is_moving());
}

#[test]
fn no_fade_when_paused_when_scrubbing_or_when_it_takes_no_time() {
    let mut viewer = viewer();
    viewer.apply(Action::Advance(1.0));
    viewer.apply(Action::SelectClip(Some(1)));
    viewer.apply(Action::Seek(0.5));
    at(&mut viewer, 0.5);
    viewer.apply(Action::SelectClip(Some(0)));
    at(&mut viewer, 0.0);
    viewer.apply(Action::TogglePlay);
    viewer.apply(Action::Advance(1.0));
    viewer.apply(Action::SetFade(-3.0));
    assert_eq!(viewer.fade_secs(), 0.0);
    viewer.apply(Action::SelectClip(Some(1)));
    at(&mut viewer, 0.0);
    viewer.apply(Action::SetFade(9.0));
    assert_eq!(viewer.fade_secs(), 2.0);
}

#[test]
fn from_a_clip_to_the_rest_pose_is_a_fade_too() {
    let mut viewer = viewer();
    viewer.apply(Action::Advance(1.0));
    viewer.apply(Action::SelectClip(None));
    viewer.apply(Action::Advance(0.1));
    at(&mut viewer, 0.5 * 1.1);
    viewer.apply(Action::SelectClip(Some(0)));
    viewer.apply(Action::Advance(0.15));
    at(&mut viewer, 0.25 * 0.5 * 1.25 + 0.75 * 0.15);
}

#[test]
fn layers_play_beside_the_shown_clip_each_on_its_own_round() {
    let mut viewer = viewer();
    viewer.apply(Action::SetLayers(vec![layer(1)]));
    viewer.apply(Action::Advance(0.5));
    at(&mut viewer, 0.5);
    viewer.apply(Action::Advance(1.0));
    at(&mut viewer, 0.5 * 1.5 + 0.5 * 0.5);
    let weighted = LayerSettings { weight: 0.5, ..layer(1) };
    viewer.apply(Action::SetLayers(vec![weighted]));
    at(&mut viewer, (1.5 + 0.5 * 0.5) / 1.5);
    viewer.apply(Action::Seek(0.25));
    at(&mut viewer, 0.25);
    let added = LayerSettings { blending: Blending::AddToStart, ..layer(1) };
    viewer.apply(Action::SetLayers(vec![added]));
    at(&mut viewer, 0.5);
    let masked = LayerSettings { joint: Some(0), ..layer(1) };
    viewer.apply(Action::SetLayers(vec![masked, LayerSettings { clip: 9, ..masked }]));
    assert_eq!(viewer.layers(), [masked], "no clip 9");
    viewer.apply(Action::SelectClip(None));
    at(&mut viewer, 0.25);
}

#[test]
fn all_clips_at_once_stand_behind_the_last() {
    let options = SessionOptions { clip: ClipChoice::All, ..SessionOptions::default() };
    let mut viewer = viewer_with(options);
    assert_eq!((viewer.clip_index(), viewer.duration_secs()), (Some(3), 2.0));
    viewer.apply(Action::Advance(0.5));
    at(&mut viewer, 0.0);
    viewer.apply(Action::NextClip);
    assert_eq!(viewer.clip_index(), Some(0));
    viewer.apply(Action::SelectClip(Some(4)));
    assert_eq!(viewer.clip_index(), Some(0));
}

#[test]
fn clips_of_another_file_take_the_place_of_its_own_until_another_is_opened() {
    let mut viewer = viewer();
    let effects = viewer.apply(Action::TakeClips(other_file()));
    let mut dance = loaded();
    dance.model.clips.truncate(1);
    rename(&mut dance.model.clips[0], "Dance");
    finish(&mut viewer, &effects, Ok(dance));
    let names = |viewer: &Viewer| viewer.document().unwrap().clip_names.clone();
    assert_eq!((names(&viewer), viewer.clip_index()), (vec!["Dance".to_owned()], Some(0)));
    assert!(viewer.notice().unwrap().contains("1 of 1 moved nodes matched"));
    viewer.apply(Action::Seek(0.75));
    at(&mut viewer, 0.75);
    // Read again, both are, and playing goes on where it was.
    let effects = viewer.apply(Action::Reload);
    let again = {
        viewer.apply(Action::Dismiss);
        let id = effects.iter().find_map(|e| match e {
            super::Effect::Load(load) => Some(load.id),
            _ => None,
        });
        viewer.apply(Action::Loaded { id: id.unwrap(), result: Box::new(Ok(loaded())) })
    };
    let mut dance = loaded();
    dance.model.clips.truncate(1);
    rename(&mut dance.model.clips[0], "Dance");
    finish(&mut viewer, &again, Ok(dance));
    assert_eq!((names(&viewer), viewer.time_secs()), (vec!["Dance".to_owned()], 0.75));
    let effects = viewer.apply(Action::Open(FileSource::Path("/rigs/other.glb".into())));
    finish(&mut viewer, &effects, Ok(loaded()));
    assert_eq!(names(&viewer).len(), 3);
}

#[test]
fn clips_that_move_nothing_of_the_rig_are_refused_and_the_old_ones_stay() {
    let mut viewer = viewer();
    let refused = |viewer: &mut Viewer, change: &dyn Fn(&mut Loaded)| {
        let effects = viewer.apply(Action::TakeClips(other_file()));
        let mut other = loaded();
        change(&mut other);
        finish(viewer, &effects, Ok(other));
        viewer.failure().map(|f| format!("{}: {}", f.file, f.message)).unwrap_or_default()
    };
    let said = refused(&mut viewer, &|other| other.model.nodes[1].name = Some("Spine".into()));
    assert!(
        said.contains("dance.glb: the rig shares no joint") && said.contains("Spine"),
        "{said}"
    );
    let said = refused(&mut viewer, &|other| other.model.clips.clear());
    assert_eq!(said, "dance.glb: there is no clip in it");
    assert_eq!(viewer.document().unwrap().clip_names.len(), 3);
    assert!(viewer.document().unwrap().borrowed.is_none());
}
