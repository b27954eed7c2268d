//! Sets everything as a session file says, once its model is shown.

use crate::notice::Notice;
use crate::playback::clips::KeptPlayback;
use crate::saved::{Resuming, SavedSession};
use crate::{
    CameraAction, Destination, Effect, FileSource, HandPose, HiddenAction, Item, NodesByName,
    PlaybackAction, Retargeting, SelectionAction, Session,
};
use rigview_look::Lighting;
use rigview_model::FileVertex;

impl Session {
    /// Continues what a session file says. Layers play once the clips of another file that it names have been read.
    fn resume_play(&mut self, saved: &SavedSession) {
        let play = &saved.play;
        self.playback.rate.follows_clip = play.fps.is_none();
        if let Some(fps) = play.fps {
            self.change_playback(PlaybackAction::SetFps(fps));
        }
        self.change_playback(PlaybackAction::SetForm(play.form));
        self.change_playback(PlaybackAction::SetFade(play.fade));
        if play.in_place != self.playback.plays_in_place() {
            self.change_playback(PlaybackAction::ToggleInPlace);
        }
        let standing = KeptPlayback::saved(
            play.clip.clone(),
            play.together.clone(),
            play.player(),
            play.layers.clone(),
        );
        let notice = self.playback.resume(&standing);
        self.playback.base.chosen = play.base;
        self.camera.set_hull(self.playback.hull());
        self.notices.replace(notice);
        let has_borrowed = self.playback.document().is_some_and(|d| d.borrowed.is_some());
        if saved.clips_from.is_none() || has_borrowed {
            self.report_lost_clip(&standing);
            self.resume_layers(&standing.layers);
        }
    }

    /// Sets everything as the session file says whose model is now shown, if there is one. What an earlier session file still asks
    /// for concerns the shown file, also when it is read `again`.
    pub(super) fn resume_saved(&mut self, again: bool) -> Vec<Effect> {
        let saved = self.resuming.saved.take();
        if !again {
            self.resuming = Resuming::default();
        }
        let shown = self.playback.document().map(|document| document.source.clone());
        let Some(saved) = saved.filter(|saved| Some(saved.source()) == shown) else {
            return Vec::new();
        };
        if let Some(scene) = saved.scene {
            self.change_playback(PlaybackAction::SelectScene(scene));
        }
        if self.playback.stage().is_some_and(|stage| stage.stood_up() != saved.stood_up) {
            self.change_playback(PlaybackAction::ToggleStoodUp);
        }
        if let Some(parts) = &saved.parts {
            self.parts = crate::OpenWindowParts::from(&parts[..]);
        }
        self.resume_nodes(&saved);
        let hand = self
            .playback
            .document()
            .map(|document| HandPose::of_entries(&document.model, saved.by_hand.clone()));
        let (hand, missing) = hand.unwrap_or_default();
        self.playback.hand = hand;
        self.resume_play(&saved);
        self.notices.add(Notice::lost_pose(missing));
        if let Some(missing) = self.playback.express_named(&saved.play.expressions) {
            self.notices.add(Notice::no_expression(missing));
        }
        self.resume_camera(&saved);
        let file = |path: &str| FileSource::Path(saved.folder.join(path));
        let mut loads = Vec::new();
        if let Some(path) = saved.look.environment_file() {
            self.resuming.light = Some((file(path), saved.clone()));
            loads.push(self.loads.open(file(path), Destination::Light));
        }
        if let Some(compared) = &saved.compared {
            self.resuming.beside = Some((file(&compared.file), saved.clone()));
            loads.push(self.loads.open(file(&compared.file), Destination::Beside));
            (self.compared.mode, self.compared.wipe) = (compared.mode, compared.wipe());
        }
        if let Some(path) = &saved.clips_from {
            let options = saved.retarget.clone().unwrap_or_default().options();
            self.loads.retargeting = Some((file(path), Retargeting { options, file: None }));
            self.resuming.clips = Some((file(path), saved.clone()));
            loads.push(self.loads.open(file(path), Destination::Clips));
        }
        loads.into_iter().map(Effect::Load).collect()
    }

    /// Continues what plays, once the clips of the file that the session file names have been read.
    pub(super) fn resume_clips(&mut self, read: &FileSource) {
        if let Some((_, saved)) = self.resuming.clips.take().filter(|(of, _)| of == read) {
            self.resume_play(&saved);
            self.resume_camera(&saved);
        }
    }

    /// Sets the light, once the environment that the session file names has been read.
    pub(super) fn resume_light(&mut self, read: &FileSource) {
        let light = self.resuming.light.take().filter(|(of, _)| of == read);
        if let (Some((_, saved)), Some(document)) = (light, self.playback.document()) {
            let environment = self.look.lighting.environment.clone();
            // All else may have been changed since.
            let mut asked = self.look.clone();
            saved.look.apply(&mut asked, &document.model);
            self.look.lighting = Lighting { environment, ..asked.lighting };
        }
    }

    /// Continues at the time of the session file, once the second file that it names has been read: a longer clip of that
    /// file lengthens the time.
    pub(super) fn resume_beside(&mut self, read: &FileSource) {
        let beside = self.resuming.beside.take().filter(|(of, _)| of == read);
        if let Some((_, saved)) = beside {
            self.compared.follow(&mut self.playback);
            self.playback.resume_player(saved.play.player());
        }
    }

    /// Sets the look, the selection and what is hidden.
    fn resume_nodes(&mut self, saved: &SavedSession) {
        let Some(model) = self.playback.document().map(|document| document.model.clone()) else {
            return;
        };
        saved.look.apply(&mut self.look, &model);
        let joint = self.look.joint;
        let by_name = NodesByName::new(&model);
        if let Some(node) = saved.selected.as_ref().and_then(|node| node.find(&by_name)) {
            let select = match saved.vertex {
                Some((primitive, vertex)) => {
                    SelectionAction::Pick(FileVertex::new(node, primitive, vertex))
                }
                None => SelectionAction::Select(Some(Item::Node(node))),
            };
            self.change_selection(select);
        }
        self.look.joint = joint.or(self.look.joint);
        // What the session file hides is where undoing begins.
        let hidden = saved.hidden.iter().filter_map(|node| node.find(&by_name));
        let hidden = hidden.map(HiddenAction::Toggle);
        let solo = saved.solo.as_ref().and_then(|node| node.find(&by_name));
        for action in hidden.chain(solo.map(HiddenAction::ToggleSolo)) {
            self.chosen.hidden.apply(action, self.chosen.selection.node(), &model);
        }
        self.hide_nodes();
    }

    fn resume_camera(&mut self, saved: &SavedSession) {
        if let Some(placed) = saved.camera.placed() {
            let cameras = self.playback.cameras();
            self.camera.set_position(placed, |camera| cameras.contains(&camera));
        }
        if saved.camera.follow != self.camera.follows() {
            self.change_camera(CameraAction::ToggleFollow);
        }
        if saved.camera.turn_speed.is_some() != self.camera.turn_speed().is_some() {
            self.change_camera(CameraAction::ToggleTurntable);
        }
        if let Some(speed) = saved.camera.turn_speed {
            self.change_camera(CameraAction::SetTurnSpeed(speed));
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, Quat, Vec3};

    use super::*;
    use crate::sample::{finish, loaded, session, session_with};
    use crate::{
        Action, BasePose, Blending, CompareMode, ComparedAction, DesktopAction, DesktopEffect,
        EngineAction, HandValue, LayerSettings, LoadAction, LookAction, Mark, PoseAction,
        SessionOptions, WindowPart,
    };
    use rigview_anim::{Channel, Clip, ClipParts, Keys, Repeat, Track};
    use rigview_import::Loaded;
    use rigview_look::{EnvironmentSource, OnionSkin, Preset, Spacing};
    use rigview_model::{Expression, SkinForm, Vrm};

    /// Saves a session to a path, opens the file in another one, and returns that.
    fn reopened(session: &mut Session, path: &str) -> Session {
        reopened_with(session, path, loaded)
    }

    /// Does the same with another version of the model.
    fn reopened_with(session: &mut Session, path: &str, model: impl Fn() -> Loaded) -> Session {
        let save = DesktopAction::SaveSession(path.into());
        let [Effect::Desktop(DesktopEffect::Write { path, text })] = &session.apply(save)[..]
        else {
            panic!("nothing is written");
        };
        let mut other = Session::new(Default::default());
        let read = other.apply(LoadAction::open(path));
        assert!(
            matches!(&read[..], [Effect::Desktop(DesktopEffect::Read(asked))] if asked == path)
        );
        let result = Ok(text.clone());
        let effects = other.apply(DesktopAction::SessionRead { path: path.clone(), text: result });
        let next = finish(&mut other, &effects, Ok(model()));
        if next.iter().any(|effect| matches!(effect, Effect::Load(_))) {
            finish(&mut other, &next, Ok(model()));
        }
        other
    }

    #[test]
    fn a_session_that_is_saved_by_a_relative_name_has_relative_paths() {
        let here = std::env::current_dir().unwrap();
        let mut session = session();
        let effects = session.apply(LoadAction::open(here.join("rigs/walker.glb")));
        finish(&mut session, &effects, Ok(loaded()));
        let save = DesktopAction::SaveSession("a.rigview.json".into());
        let [Effect::Desktop(DesktopEffect::Write { text, .. })] = &session.apply(save)[..] else {
            panic!("nothing is written");
        };
        let saved: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(saved["file"], "rigs/walker.glb");
    }

    #[test]
    fn a_saved_session_shows_the_same_again() {
        let mut session = session();
        let effects = session
            .apply(LoadAction::Open(FileSource::Path("/rigs/b.glb".into()), Destination::Beside));
        finish(&mut session, &effects, Ok(loaded()));
        let limits = SkinForm { influences: 2, joints: 64, weight_bits: 8 };
        let effects = session.apply(EngineAction::SetSkinForm(limits));
        finish(&mut session, &effects, Ok(loaded()));
        let onion = OnionSkin { count: 2, spacing: Spacing::Frames(3.0) };
        for action in [
            Action::from(PlaybackAction::SelectClip(Some(1))),
            PlaybackAction::SetFps(24.0).into(),
            LookAction::SetOnionSkin(Some(onion)).into(),
            ComparedAction::Show(CompareMode::Wipe).into(),
            ComparedAction::SetWipe(0.3).into(),
            PlaybackAction::SetRepeat(Repeat::PingPong).into(),
            PlaybackAction::SetSpeed(0.5).into(),
            PlaybackAction::Seek(0.3).into(),
            LookAction::SetPreset(Preset::Night).into(),
            LookAction::ToggleGrid.into(),
            SelectionAction::Select(Some(Item::Node(1))).into(),
            HiddenAction::Toggle(0).into(),
            PoseAction::Set(1, HandValue::Rotation(Quat::from_rotation_x(0.3))).into(),
            PoseAction::SetBase(BasePose::Rest).into(),
            PlaybackAction::ToggleInPlace.into(),
            CameraAction::Orbit(DVec2::new(0.2, 0.1)).into(),
            CameraAction::ToggleFollow.into(),
            Action::TogglePart(WindowPart::Scene),
        ] {
            session.apply(action);
        }
        session.pose();
        let mut other = reopened(&mut session, "/rigs/sets/a.rigview.json");
        other.pose();
        assert_eq!(other.engine().form(), limits);
        assert_eq!((other.playback().fps(), other.look().aids.onion), (24.0, Some(onion)));
        let beside = other.compared();
        assert_eq!((beside.mode(), beside.wipe()), (CompareMode::Wipe, 0.3));
        let beside = &beside.document().unwrap().source;
        assert_eq!(*beside, FileSource::Path("/rigs/sets/../b.glb".into()));
        assert_eq!(other.view(), session.view());
        assert_eq!(other.look(), session.look());
        assert_eq!(other.selection().node(), Some(1));
        assert_eq!(other.hidden().nodes().collect::<Vec<_>>(), [0]);
        assert_eq!(other.playback().instant(), session.playback().instant());
        assert_eq!(other.playback().player().repeat(), Repeat::PingPong);
        assert_eq!(
            (other.playback().is_moving(), other.window_parts()),
            (false, session.window_parts())
        );
        assert!(other.camera().follows() && other.playback().plays_in_place());
        assert_eq!(other.playback().hand(), session.playback().hand());
        assert_eq!((other.playback().hand().count(), other.playback().base()), (1, BasePose::Rest));
        let placed = |session: &Session| session.playback().stage().unwrap().scene_from_node(1);
        assert_eq!(placed(&other), placed(&session));
        let document = other.playback().document().unwrap();
        assert_eq!(document.source, FileSource::Path("/rigs/sets/../walker.glb".into()));
        // Another file starts as usual.
        let effects = other.apply(LoadAction::open("/rigs/other.glb"));
        finish(&mut other, &effects, Ok(loaded()));
        assert_eq!((other.playback().clip_index(), other.camera().follows()), (Some(0), false));
    }

    #[test]
    fn of_a_mended_copy_the_file_that_it_was_made_of_is_saved() {
        let mut session = session();
        session.mending.of = Some(FileSource::Path("/rigs/walker.glb".into()));
        let copy = FileSource::Mended { of: "walker.glb".into(), glb: [0].into() };
        let effects = session.apply(LoadAction::Open(copy, Destination::Beside));
        finish(&mut session, &effects, Ok(loaded()));
        session.apply(ComparedAction::Swap);
        session.apply(PoseAction::Set(1, HandValue::Rotation(Quat::from_rotation_x(0.3))));
        let other = reopened(&mut session, "/rigs/sets/a.rigview.json");
        let source = &other.playback().document().unwrap().source;
        assert_eq!(*source, FileSource::Path("/rigs/sets/../walker.glb".into()));
        assert!(!other.compared().is_shown(), "it would be beside itself");
        assert_eq!(other.playback().hand(), session.playback().hand());
        let third = FileSource::Path("/rigs/third.glb".into());
        let effects = session.apply(LoadAction::Open(third, Destination::Beside));
        finish(&mut session, &effects, Ok(loaded()));
        let other = reopened(&mut session, "/rigs/sets/a.rigview.json");
        let beside = other.compared().document().map(|document| &document.source);
        assert_eq!(beside, Some(&FileSource::Path("/rigs/sets/../third.glb".into())));
    }

    #[test]
    fn a_time_and_points_that_only_the_second_file_has_are_kept() {
        let longer = || {
            let mut longer = loaded();
            let track = Track::new(vec![0.0, 3.0], Keys::Linear(vec![Vec3::ZERO, Vec3::X]), 1);
            longer.model.clips[0] = Clip::new(ClipParts {
                name: Some("Walk".into()),
                channels: vec![Channel::Translation { node: 1, track: track.unwrap() }],
                duration_secs: 3.0,
                ..ClipParts::default()
            });
            longer
        };
        let mut session = session();
        let file = FileSource::Path("/rigs/b.glb".into());
        let effects = session.apply(LoadAction::Open(file, Destination::Beside));
        finish(&mut session, &effects, Ok(longer()));
        session.pose();
        session.apply(PlaybackAction::SetMark(Mark::In, Some(2.2)));
        session.apply(PlaybackAction::SetMark(Mark::Out, Some(2.8)));
        session.apply(PlaybackAction::Seek(2.5));
        session.apply(PlaybackAction::SelectClip(Some(0)));
        session.apply(PlaybackAction::Seek(2.5));
        let shown = |session: &Session| {
            let player = session.playback().player();
            (session.playback().time_secs(), session.playback().instant().range_secs, *player)
        };
        assert_eq!(session.playback().time_secs(), 2.5);
        let path = "/rigs/sets/a.rigview.json";
        // The first model has the length of its own.
        let first = std::cell::Cell::new(true);
        let model = || if first.replace(false) { loaded() } else { longer() };
        let other = reopened_with(&mut session, path, model);
        assert_eq!(shown(&other), shown(&session));
    }

    #[test]
    fn a_file_that_is_missing_stays_in_a_session_file_that_is_saved_again() {
        let text = r#"{"rigview_session": 1, "file": "walker.glb", "clips_from": "dance.glb",
            "retarget": {"map": "exact", "align_rest": true}, "play": {"clip": [1, "Spin"], "time": 0.25},
            "compared": {"file": "b.glb", "together": "wipe"},
            "look": {"light": {"environment": {"file": "sky.hdr"}}}}"#;
        let mut session = Session::new(SessionOptions::default());
        let path = std::path::PathBuf::from("/rigs/a.rigview.json");
        let read = DesktopAction::SessionRead { path, text: Ok(text.to_owned()) };
        let effects = session.apply(read);
        let next = finish(&mut session, &effects, Ok(loaded()));
        for effect in next.iter().filter(|effect| matches!(effect, Effect::Load(_))) {
            finish(&mut session, std::slice::from_ref(effect), crate::sample::bad());
        }
        let saved = |session: &mut Session| -> serde_json::Value {
            let save = DesktopAction::SaveSession("/rigs/sets/b.rigview.json".into());
            match &session.apply(save)[..] {
                [Effect::Desktop(DesktopEffect::Write { text, .. })] => {
                    serde_json::from_str(text).unwrap()
                }
                other => panic!("{other:?}"),
            }
        };
        // Also if the model is read again, and if another load is cancelled.
        let effects = session.apply(LoadAction::Reload);
        finish(&mut session, &effects, Ok(loaded()));
        session.apply(LoadAction::open("/rigs/other.glb"));
        session.apply(Action::Escape);
        let again = saved(&mut session);
        assert_eq!(again["clips_from"], "../dance.glb");
        assert_eq!(again["play"]["clip"], serde_json::json!([1, "Spin"]));
        assert_eq!(again["play"]["time"], 0.25);
        assert_eq!(again["compared"]["file"], "../b.glb");
        assert_eq!(again["look"]["light"]["environment"]["file"], "../sky.hdr");
        // What is chosen in its place is saved in its place.
        let file = FileSource::Path("/rigs/c.glb".into());
        for destination in [Destination::Clips, Destination::Beside] {
            let effects = session.apply(LoadAction::Open(file.clone(), destination));
            finish(&mut session, &effects, Ok(loaded()));
        }
        let environment = EnvironmentSource::Uniform(Vec3::ONE);
        let lighting = Lighting { environment, ..Lighting::default() };
        session.apply(LookAction::SetLighting(Box::new(lighting)));
        let again = saved(&mut session);
        assert_eq!(
            (&again["clips_from"], &again["compared"]["file"]),
            (&"../c.glb".into(), &"../c.glb".into())
        );
        assert_eq!(again["look"]["light"]["environment"]["file"], serde_json::Value::Null);
    }

    /// Both by a session file and by reading the file again.
    #[test]
    fn what_a_later_version_of_the_file_lacks_is_told() {
        let version = |clips: usize, node: &str| {
            let mut loaded = loaded();
            loaded.model.clips.truncate(clips);
            loaded.model.nodes[1].name = Some(node.into());
            loaded
        };
        let turned = HandValue::Rotation(Quat::from_rotation_x(0.3));
        let lost_clip =
            |instead: &str| format!("the file has no clip \"歩く\" any more; {instead}");
        let lost_pose =
            "the values by hand of 1 node are lost, because nothing in the file takes them";
        for (clips, node, said) in [
            (3, "arm", None),
            (1, "arm", Some(lost_clip("the rest pose is shown"))),
            (0, "arm", Some(lost_clip("the rest pose is shown"))),
            (3, "leg", Some(lost_pose.to_owned())),
            (1, "leg", Some(format!("{}; {lost_pose}", lost_clip("the rest pose is shown")))),
        ] {
            let mut session = session();
            let effects = session.apply(LoadAction::Reload);
            finish(&mut session, &effects, Ok(version(3, "arm")));
            session.apply(PlaybackAction::SelectClip(Some(1)));
            session.apply(PoseAction::Set(1, turned));
            let path = "/rigs/sets/a.rigview.json";
            let other = reopened_with(&mut session, path, || version(clips, node));
            let told = |session: &Session| {
                let notice = session.notice().unwrap_or_default();
                notice
                    .find("the file has no clip")
                    .or(notice.find("the values by hand"))
                    .map(|at| notice[at..].to_owned())
            };
            assert_eq!(told(&other), said);
            let effects = session.apply(LoadAction::Reload);
            finish(&mut session, &effects, Ok(version(clips, node)));
            assert_eq!(told(&session), said);
        }
        // The clip of the same index is shown instead.
        let mut session = session();
        session.apply(PlaybackAction::SelectClip(Some(1)));
        let effects = session.apply(LoadAction::Reload);
        let mut shuffled = loaded();
        shuffled.model.clips.remove(1);
        finish(&mut session, &effects, Ok(shuffled));
        assert_eq!(session.notice(), Some(&*lost_clip("\"Clip 1\" is shown")));
    }

    #[test]
    fn expressions_of_a_session_file_are_found_by_name() {
        let avatar = |names: [&str; 2]| {
            let named = |name: &str| Expression { name: name.into(), ..Expression::default() };
            let mut loaded = loaded();
            let expressions = names.map(named).into();
            loaded.model.vrm = Some(Vrm { expressions, ..Vrm::default() });
            loaded
        };
        let mut session = session();
        let effects = session.apply(LoadAction::Reload);
        finish(&mut session, &effects, Ok(avatar(["happy", "sad"])));
        session.apply(PlaybackAction::Express(0, 0.5));
        let path = "/rigs/sets/a.rigview.json";
        let other = reopened_with(&mut session, path, || avatar(["sad", "happy"]));
        assert_eq!([0, 1].map(|index| other.playback().expression(index)), [0.0, 0.5]);
        assert_eq!(other.history().undo_count(), 0);
        let lacking = reopened_with(&mut session, path, || avatar(["sad", "angry"]));
        assert!(lacking.notice().is_some_and(|said| said.contains("no expression \"happy\"")));
    }

    #[test]
    fn a_session_file_has_a_frame_rate_only_if_it_was_chosen() {
        let mut session =
            session_with(SessionOptions { guesses_fps: true, ..SessionOptions::default() });
        let rate =
            |session: &Session| (session.playback().rate.follows_clip, session.playback().fps());
        let other = reopened(&mut session, "/rigs/sets/a.rigview.json");
        assert_eq!(rate(&other), (true, 30.0));
        session.apply(PlaybackAction::SetFps(25.0));
        assert_eq!(rate(&reopened(&mut session, "/rigs/sets/a.rigview.json")), (false, 25.0));
    }

    #[test]
    fn a_chosen_subset_of_clips_is_kept_by_a_session_file_and_by_a_reload() {
        let mut session = session();
        session.apply(PlaybackAction::SetTogether(vec![0, 2]));
        session.apply(PlaybackAction::Seek(0.5));
        let shown = |session: &Session| {
            let playback = session.playback();
            let document = playback.document().unwrap();
            let clip = playback.clip_index().unwrap();
            let played: Vec<usize> = (0..3).filter(|i| document.plays_together(*i)).collect();
            (document.clip_name(clip).unwrap().to_owned(), played, playback.time_secs())
        };
        let wanted = ("2 of 3 clips".to_owned(), vec![0, 2], 0.5);
        assert_eq!(shown(&session), wanted);
        assert_eq!(shown(&reopened(&mut session, "/rigs/sets/a.rigview.json")), wanted);
        let effects = session.apply(LoadAction::Reload);
        finish(&mut session, &effects, Ok(loaded()));
        assert_eq!(shown(&session), wanted);
        // A clip that the file no longer has is left out.
        let mut fewer = loaded();
        fewer.model.clips.remove(1);
        let effects = session.apply(LoadAction::Reload);
        finish(&mut session, &effects, Ok(fewer));
        let document = session.playback().document().unwrap();
        assert!(document.plays_together(0) && !document.plays_together(1));
    }

    /// The clips and nodes of the model have another order by then.
    #[test]
    fn layers_of_a_session_file_are_found_by_name() {
        let named = || {
            let mut loaded = loaded();
            loaded.model.nodes[0].name = Some("hips".into());
            loaded.model.nodes[1].name = Some("arm".into());
            loaded
        };
        let turned = || {
            let mut loaded = loaded();
            loaded.model.clips.swap(0, 1);
            loaded.model.nodes[0].name = Some("arm".into());
            loaded
        };
        let layer =
            LayerSettings { clip: 1, weight: 0.5, blending: Blending::Mean, joint: Some(1) };
        let mut session = session();
        let effects = session.apply(LoadAction::Reload);
        finish(&mut session, &effects, Ok(named()));
        session.apply(PlaybackAction::SetLayers(vec![layer]));
        let path = "/rigs/sets/a.rigview.json";
        let same = reopened_with(&mut session, path, named);
        assert_eq!(same.playback().layers(), [layer]);
        let other = reopened_with(&mut session, path, turned);
        assert_eq!(other.playback().layers(), [LayerSettings { clip: 0, joint: Some(0), ..layer }]);
        let lacking = reopened_with(&mut session, path, loaded);
        assert_eq!(lacking.playback().layers(), []);
        assert!(lacking.notice().is_some_and(|said| said.contains("no node \"arm\"")));
        // Layers of the clips of another file are those of its clips.
        let dance = FileSource::Path("/rigs/dance.glb".into());
        let effects = session.apply(LoadAction::Open(dance, Destination::Clips));
        finish(&mut session, &effects, Ok(named()));
        session.apply(PlaybackAction::SetLayers(vec![layer]));
        let same = reopened_with(&mut session, path, named);
        assert!(same.playback().document().unwrap().borrowed.is_some());
        assert_eq!(same.playback().layers(), [layer]);
    }

    /// Those of former versions have indices alone.
    #[test]
    fn layers_of_an_older_session_file_are_found_by_index() {
        let mut session = session();
        let text = r#"{"rigview_session": 1, "file": "walker.glb", "play": {"layers": [
            {"clip": 1, "weight": 0.5, "blending": "add-to-rest", "joint": 1},
            {"clip": 9, "weight": 1.0, "blending": "mean", "joint": null}]}}"#;
        let text = Ok(text.to_owned());
        let read = DesktopAction::SessionRead { path: "/rigs/a.rigview.json".into(), text };
        let effects = session.apply(read);
        finish(&mut session, &effects, Ok(loaded()));
        let blending = Blending::AddToRest;
        let wanted = LayerSettings { clip: 1, weight: 0.5, blending, joint: Some(1) };
        assert_eq!(session.playback().layers(), [wanted]);
        assert!(session.notice().is_some_and(|said| said.contains("no clip \"9\"")));
    }

    #[test]
    fn a_file_that_is_no_session_is_refused_and_what_is_shown_stays() {
        let mut session = session();
        let read = |text| DesktopAction::SessionRead { path: "/a.rigview.json".into(), text };
        for text in [Ok("[]".to_owned()), Err("permission denied".to_owned())] {
            assert!(session.apply(read(text)).is_empty());
            let failure = session.loads().failure().unwrap();
            assert_eq!(failure.file, "a.rigview.json");
            assert!(session.playback().document().is_some());
        }
    }

    /// It would be read at once, and so on without an end if it names itself.
    #[test]
    fn a_session_file_that_names_a_session_file_is_refused() {
        let mut session = session();
        let text = r#"{"rigview_session": 1, "file": "a.rigview.json"}"#.to_owned();
        let read = DesktopAction::SessionRead { path: "/a.rigview.json".into(), text: Ok(text) };
        assert!(session.apply(read).is_empty());
        let failure = session.loads().failure().unwrap();
        assert!(failure.message.contains("another session file"), "{}", failure.message);
    }

    #[test]
    fn what_a_session_file_hides_is_not_undone_and_an_open_end_stays_open() {
        let mut session = session();
        session.apply(HiddenAction::Toggle(1));
        session.apply(PlaybackAction::SetMark(Mark::In, Some(0.5)));
        let mut other = reopened(&mut session, "/rigs/sets/a.rigview.json");
        assert_eq!(other.history().undo_count(), 0);
        other.apply(PoseAction::Undo);
        assert_eq!(other.hidden().nodes().collect::<Vec<_>>(), [1]);
        let player = other.playback().player();
        assert_eq!((player.has_range(), player.out_secs()), (true, None));
    }

    /// The clips' file is read again, or the clips of another one are taken.
    #[test]
    fn a_session_file_is_applied_once() {
        let mut session = session();
        let clips =
            || LoadAction::Open(FileSource::Path("/rigs/dance.glb".into()), Destination::Clips);
        let effects = session.apply(clips());
        finish(&mut session, &effects, Ok(loaded()));
        session.apply(PlaybackAction::SelectClip(Some(1)));
        session.apply(PlaybackAction::Seek(0.25));
        let mut other = reopened(&mut session, "/rigs/sets/a.rigview.json");
        let shown =
            |session: &Session| (session.playback().clip_index(), session.playback().time_secs());
        assert_eq!(shown(&other), (Some(1), 0.25));
        other.apply(PlaybackAction::SelectClip(Some(0)));
        other.apply(PlaybackAction::Seek(1.0));
        let file = FileSource::Path("/rigs/sets/../dance.glb".into());
        let effects = other.apply(LoadAction::Open(file, Destination::Clips));
        finish(&mut other, &effects, Ok(loaded()));
        assert_eq!(shown(&other), (Some(0), 0.0));
    }
}
