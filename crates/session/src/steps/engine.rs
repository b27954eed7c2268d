//! Changes of how an engine would store the model.

use crate::{
    CompareMode, Destination, Effect, EngineAction, PlaybackAction, SelectionAction, Session,
};
use rigview_model::{FileVertex, SkinForm};

impl Session {
    /// Changes the form that skins are shown in, or measures the error.
    pub(super) fn change_engine(&mut self, action: EngineAction) -> Vec<Effect> {
        let shown = self.playback.document();
        match action {
            EngineAction::SetSkinForm(form) if form != self.chosen.engine.form => {
                self.chosen.engine.form = form;
                self.chosen.engine.error = None;
                // A file that is being read for another form is read again when it comes.
                match self.loads.pending(Destination::Shown) {
                    Some(_) => Vec::new(),
                    None => self.loads.reload(shown).into_iter().map(Effect::Load).collect(),
                }
            }
            EngineAction::SetSkinForm(_) => Vec::new(),
            EngineAction::FreeBeside => self.free_beside(),
            EngineAction::ToggleMarks => {
                self.chosen.engine.marks = !self.chosen.engine.marks;
                Vec::new()
            }
            EngineAction::Measure if self.chosen.engine.is_measuring => Vec::new(),
            EngineAction::Measure => {
                let question = self.chosen.engine.shown(&self.playback);
                self.chosen.engine.is_measuring = question.is_some();
                self.chosen.engine.measured_clip = self.playback.clip_index();
                let measure = |(load, shown)| Effect::MeasureSkin(load, Box::new(shown));
                question.map(measure).into_iter().collect()
            }
            EngineAction::Take(load, error) => {
                self.chosen.engine.take_error(load, &error);
                self.aside.chosen.engine.take_error(load, &error);
                Vec::new()
            }
            EngineAction::GoToWorst { over_clip } => {
                self.go_to_error(over_clip);
                Vec::new()
            }
            EngineAction::ShowHeat => self.show_error_heat(),
        }
    }

    /// Shows the skins of the second model as in its file, unless another file is about to replace it.
    fn free_beside(&mut self) -> Vec<Effect> {
        let Some(source) = self.compared.document().map(|document| document.source.clone()) else {
            return Vec::new();
        };
        if self.loads.pending(Destination::Beside).is_some_and(|load| load.source != source) {
            return Vec::new();
        }
        self.aside.chosen.engine.form = SkinForm::default();
        vec![Effect::Load(self.loads.read_again(source, Destination::Beside))]
    }

    /// Returns to the limits that are shown, unless files are being read with others. To be called after every action: a
    /// load may fail or be cancelled.
    pub(super) fn settle_engines(&mut self) {
        if self.loads.pending(Destination::Shown).is_none() {
            self.chosen.engine.settle();
        }
        if self.loads.pending(Destination::Beside).is_none() {
            self.aside.chosen.engine.settle();
        }
    }

    /// Goes to the vertex with the largest error, selects and frames it.
    fn go_to_error(&mut self, over_clip: bool) {
        let Some(Ok(error)) = &self.chosen.engine.error else { return };
        let (worst, secs) = if over_clip {
            (error.clip_vertex, error.clip_secs)
        } else {
            (error.now_vertex, error.now_secs)
        };
        let Some(worst) = worst else { return };
        let clip = self.chosen.engine.measured_clip;
        let is_there = self.playback.clip_index() == clip && self.playback.time_secs() == secs;
        if self.playback.is_moving() || !is_there {
            // A clip that is left while it plays fades out.
            self.change_playback(PlaybackAction::Seek(self.playback.time_secs()));
            self.change_playback(PlaybackAction::SelectClip(clip));
            self.change_playback(PlaybackAction::Seek(secs));
        }
        let vertex = FileVertex::new(worst.node, worst.primitive, worst.vertex);
        self.change_selection(SelectionAction::Pick(vertex));
        self.frame_vertex();
    }

    /// Shows the file as it is as the second model, and the distance from it.
    fn show_error_heat(&mut self) -> Vec<Effect> {
        let Some(source) = self.playback.document().map(|document| document.source.clone()) else {
            return Vec::new();
        };
        self.compared.mode = CompareMode::Heat;
        if self.compared.document().is_some_and(|beside| beside.source == source) {
            return Vec::new();
        }
        vec![Effect::Load(self.loads.open(source, Destination::Beside))]
    }
}

#[cfg(test)]
mod tests {
    use crate::sample::{finish, session};
    use crate::{
        Anchor, CompareMode, Destination, Effect, EngineAction, LoadAction, PlaybackAction, Session,
    };
    use rigview_import::{ImportOptions, load_bytes};
    use rigview_model::SkinForm;
    use rigview_report::{ClipForm, SkinError};

    fn read(session: &mut Session, effects: &[Effect]) {
        let bytes = include_bytes!("../../../../assets/creature.glb").to_vec();
        let loaded = load_bytes(bytes, &ImportOptions::default()).unwrap();
        finish(session, effects, Ok(loaded));
    }

    fn error(session: &mut Session) -> SkinError {
        session.pose();
        let mut effects = session.apply(EngineAction::Measure);
        let Some(Effect::MeasureSkin(load, shown)) = effects.pop() else { panic!() };
        assert!(session.engine().is_measuring() && session.apply(EngineAction::Measure).is_empty());
        let error = shown.error().map_err(|e| e.to_string());
        session.apply(EngineAction::Take(load, error));
        session.engine().error().unwrap().clone().unwrap()
    }

    #[test]
    fn a_root_that_is_held_adds_nothing_to_the_error() {
        let mut session = session();
        let effects = session.apply(LoadAction::open("/rigs/creature.glb"));
        read(&mut session, &effects);
        session.apply(PlaybackAction::SelectClip(Some(1)));
        session.apply(PlaybackAction::SetForm(ClipForm::Packed));
        session.apply(PlaybackAction::Seek(0.3));
        session.pose();
        let clip = session.playback().clip().unwrap().clone();
        let model = session.playback().document().unwrap().model.clone();
        let root = session.playback().stage().unwrap().root_of(&model, &clip).unwrap();
        let place = |session: &Session| session.playback().stage().unwrap().position(root);
        let free_place = place(&session);
        let free = error(&mut session);
        session.apply(PlaybackAction::ToggleInPlace);
        let held = error(&mut session);
        let travel_mm = 1e3 * f64::from(free_place.distance(place(&session)));
        assert!(travel_mm > 10.0 * free.now_mm + 1.0, "{travel_mm} mm of {free:?}");
        assert!((held.now_mm - free.now_mm).abs() < 0.01, "{held:?} {free:?}");
    }

    #[test]
    fn fewer_influences_are_shown_after_a_reload_and_their_error_is_measured() {
        let mut session = session();
        let effects = session.apply(LoadAction::open("/rigs/creature.glb"));
        read(&mut session, &effects);
        session.apply(PlaybackAction::SelectClip(Some(1)));
        session.apply(PlaybackAction::Seek(0.3));
        let exact = error(&mut session);
        assert_eq!((exact.now_mm, exact.clip_mm), (0.0, 0.0));
        assert_eq!((exact.now_vertex, exact.clip_vertex), (None, None));
        let form = SkinForm { influences: 1, ..SkinForm::default() };
        let effects = session.apply(EngineAction::SetSkinForm(form));
        assert_eq!(session.engine().error(), None);
        read(&mut session, &effects);
        assert_eq!(session.playback().clip_index(), Some(1), "it plays on");
        let model = &session.playback().document().unwrap().model;
        let primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
        for influences in primitives.filter_map(|primitive| primitive.influences.as_ref()) {
            let whole = |weight: &f32| *weight == 0.0 || *weight == 1.0;
            assert!(influences.list.iter().flat_map(|set| &set.weights).all(whole));
        }
        let one = error(&mut session);
        assert!(one.now_mm > 1.0 && one.clip_mm >= one.now_mm, "{one:?}");
        let worst = one.clip_vertex.unwrap();
        assert!(one.now_vertex.is_some() && worst.joint.is_some(), "{one:?}");
        // A jump leads there, from wherever the person is.
        session.apply(PlaybackAction::SelectClip(Some(0)));
        session.apply(EngineAction::GoToWorst { over_clip: true });
        assert_eq!(session.playback().clip_index(), Some(1));
        assert_eq!(session.playback().time_secs(), one.clip_secs);
        let picked = session.selection().vertex().unwrap();
        assert_eq!((picked.drawn.node, picked.index), (worst.node, worst.vertex));
        let playback = session.playback();
        let shown = playback.document().zip(playback.stage());
        let (document, stage) = shown.unwrap();
        let at = Anchor::Vertex(picked).position(&document.model, stage).unwrap();
        let target = session.camera().orbit_camera().target;
        assert!(target.distance(at) < 0.02, "{target} is near the vertex, {at}");
        assert!(session.camera().orbit_camera().distance < 0.3, "a part of it is framed");
        // The heat is that of the file as it is.
        let effects = session.apply(EngineAction::ShowHeat);
        let [Effect::Load(request)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(request.destination, Destination::Beside);
        assert_eq!(request.preparation.skin_form, SkinForm::default());
        assert_eq!(session.compared().mode(), CompareMode::Heat);
        session.apply(PlaybackAction::Seek(0.3));
        let bytes = SkinForm { influences: 4, weight_bits: 8, ..SkinForm::default() };
        let effects = session.apply(EngineAction::SetSkinForm(bytes));
        read(&mut session, &effects);
        let bytes = error(&mut session);
        assert!(bytes.clip_mm > 0.0 && bytes.clip_mm < 0.2 * one.clip_mm, "{bytes:?}");
    }

    #[test]
    fn joints_beyond_a_limit_are_marked_and_cost_an_error() {
        let mut session = session();
        let effects = session.apply(LoadAction::open("/rigs/creature.glb"));
        read(&mut session, &effects);
        session.apply(PlaybackAction::SelectClip(Some(1)));
        session.apply(PlaybackAction::Seek(0.3));
        let joints = session.playback().document().unwrap().model.skins[0].joints.len();
        let mut limit = |most: usize| {
            let form = SkinForm { joints: most, ..SkinForm::default() };
            let effects = session.apply(EngineAction::SetSkinForm(form));
            read(&mut session, &effects);
            let error = error(&mut session).clip_mm;
            let engine = session.engine();
            (engine.beyond().joints.len(), engine.beyond().count, session.strokes().len(), error)
        };
        assert_eq!(limit(joints), (0, 0, 0, 0.0), "all of them fit");
        let half = limit(joints / 2);
        assert_eq!(half.0, joints - joints / 2);
        assert!(half.1 > 10 && half.2 == half.1.min(2000) && half.3 > 1.0, "{half:?}");
        let few = limit(2);
        assert!(few.1 > half.1 && few.3 >= half.3, "{few:?} after {half:?}");
        session.apply(EngineAction::ToggleMarks);
        session.pose();
        assert!(session.strokes().is_empty());
    }
}
