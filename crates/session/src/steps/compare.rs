//! Steps with a second model: it is shown beside the first one, compared with it, and closed.

use std::sync::Arc;

use crate::chosen::Aside;
use crate::look::{same_joint, same_variant};
use crate::{
    CompareMode, ComparedAction, ComparisonRequest, Destination, Document, Effect, Item, LoadId,
    LoadRequest, Measurement, PlaybackAction, PreparedModel, SelectionAction, Session, Watch,
    WindowPart,
};
use rigview_compare::{ClipDifference, ModelDifference};
use rigview_model::{Model, SceneBox, Stage};
use rigview_report::ClipForm;

impl Session {
    /// Changes what is compared, or how it is shown.
    pub(super) fn change_compared(&mut self, action: ComparedAction) -> Vec<Effect> {
        match action {
            ComparedAction::Show(together) => self.show_together(together),
            ComparedAction::Next => {
                let at = CompareMode::ALL.iter().position(|way| *way == self.compared.mode);
                let next = (at.unwrap_or_default() + 1) % CompareMode::ALL.len();
                self.show_together(CompareMode::ALL[next]);
            }
            ComparedAction::SetWipe(share) if share.is_finite() => {
                self.compared.wipe = share.clamp(0.0, 1.0);
            }
            ComparedAction::SetWipe(_) => {}
            ComparedAction::GoTo(pair) => {
                let pair = self.compared.difference().and_then(|d| d.clips.get(pair)).cloned();
                pair.into_iter().for_each(|pair| self.go_to(&pair));
            }
            ComparedAction::GoToWorst => self.go_to_worst(),
            ComparedAction::Swap if self.compared.is_shown() => return self.swap(),
            ComparedAction::Swap => {}
            ComparedAction::Close => return self.close_beside(),
            ComparedAction::Measured { id, result } => self.take_difference(id, *result),
        }
        Vec::new()
    }

    fn show_together(&mut self, together: CompareMode) {
        if self.compared.is_shown() {
            self.compared.mode = together;
            if self.compared.far_apart().is_some() {
                self.refit();
            }
        }
    }

    /// Shows the second model.
    pub(super) fn show_beside(
        &mut self,
        request: LoadRequest,
        model: PreparedModel,
    ) -> Vec<Effect> {
        let PreparedModel { loaded, skins } = model;
        self.loads.note_success(&request);
        let first = self.playback.document().into_iter().flat_map(Document::all_files);
        let watch = Watch { read: request.progress.files(), also: first.collect() };
        if !self.compared.is_shown() {
            self.parts.set(WindowPart::Compared, true);
        }
        self.desktop.note_opened(&request.source);
        let again = self.is_beside(&request);
        let (load, source) = (request.id, request.source.clone());
        let document = Document::new(request, loaded);
        match self.compared.document().filter(|_| again) {
            Some(before) => {
                self.aside.chosen.carry_over(&before.model, &document.model, load, skins);
            }
            None => self.aside = Aside::new(load, skins),
        }
        let lost_pose = self.compared.receive(&document.model, again);
        self.notices.add(lost_pose);
        let b = &mut self.compared.playback;
        b.stage = Some(Stage::new(&document.model, document.model.default_scene));
        b.document = Some(document);
        self.compared.forget();
        self.compared.show_new(&self.playback);
        let mut effects = vec![Effect::Watch(watch)];
        effects.extend(self.request_difference());
        self.resume_beside(&source);
        self.refit();
        effects
    }

    /// Whether a request reads the second model again.
    pub(super) fn is_beside(&self, request: &LoadRequest) -> bool {
        let source = self.compared.document().map(|document| &document.source);
        request.again && source == Some(&request.source)
    }

    /// Requests the difference of both models; the request before is cancelled.
    fn request_difference(&mut self) -> Option<Effect> {
        self.compared.forget();
        let (a, b) = self.playback.document().zip(self.compared.document())?;
        let request = ComparisonRequest {
            a: Arc::clone(&a.model),
            b: Arc::clone(&b.model),
            id: self.loads.next_id(),
            progress: Arc::default(),
        };
        let stages = self.playback.stage().zip(self.compared.playback.stage());
        self.compared.at_rest = stages.and_then(|(of_a, of_b)| {
            let a = rest_box(&request.a, of_a.scene)?;
            Some([a, rest_box(&request.b, of_b.scene)?])
        });
        self.compared.measurement = Measurement::Running(request.clone());
        Some(Effect::Compare(request))
    }

    /// Continues after another model, or the same one read again, is shown as the first one. Another one ends the
    /// comparison, unless it was opened to be compared.
    pub(super) fn continue_beside(&mut self, again: bool) -> Vec<Effect> {
        if again {
            let effect = self.request_difference();
            self.refit();
            return effect.into_iter().collect();
        }
        if self.compared.is_shown() {
            self.parts.set(WindowPart::Compared, false);
        }
        self.end_comparison();
        let shown = self.playback.document();
        let second = shown.and_then(|document| self.loads.open_second(&document.source));
        second.map(Effect::Load).into_iter().collect()
    }

    /// Poses the second model like the first one.
    pub(super) fn pose_beside(&mut self) {
        if self.compared.is_shown() && self.compared.follow(&mut self.playback) {
            self.camera.set_hull(&self.compared.hull(&self.playback));
        }
    }

    fn take_difference(&mut self, id: LoadId, result: Result<ModelDifference, String>) {
        if let Measurement::Running(request) = &self.compared.measurement
            && request.id == id
        {
            self.compared.measurement = match result {
                Ok(difference) => Measurement::Done(Arc::new(difference)),
                Err(why) => Measurement::Failed(why),
            };
            self.refit();
        }
    }

    /// Goes to the worst instant of a pair of clips, and selects its joint.
    fn go_to(&mut self, pair: &ClipDifference) {
        let wanted = match self.playback.document() {
            Some(document) if document.borrowed.is_none() => Some(pair.index[0]),
            Some(document) => document.clip_names.iter().position(|n| Some(n) == pair.a.as_ref()),
            None => None,
        };
        // A clip that is left while it plays fades out.
        self.change_playback(PlaybackAction::Seek(self.playback.time_secs()));
        self.change_playback(PlaybackAction::SelectClip(wanted));
        self.change_playback(PlaybackAction::Seek(pair.time.unwrap_or_default()));
        if let Some(node) = pair.joint_index {
            self.change_selection(SelectionAction::Select(Some(Item::Node(node))));
        }
    }

    /// Goes to the worst instant of all clips; to the rest pose if no clip differs more than that.
    fn go_to_worst(&mut self) {
        let Some(difference) = self.compared.difference() else { return };
        match difference.worst_clip().cloned() {
            Some(worst) => self.go_to(&worst),
            None => self.change_playback(PlaybackAction::SelectClip(None)),
        }
    }

    /// Exchanges the models. Time, speed, frame rate, crossfade and how time repeats stay. What names nodes or clips of a
    /// model waits with it until it is the first one again. A file that is being read again stays that of its model.
    fn swap(&mut self) -> Vec<Effect> {
        // What has changed since the last frame is that of both.
        self.compared.follow(&mut self.playback);
        let aside = Aside {
            chosen: std::mem::take(&mut self.chosen),
            layers: self.playback.kept_layers(),
            form: self.playback.form(),
        };
        self.hide_nodes();
        std::mem::swap(&mut self.playback, &mut self.compared.playback);
        self.find_front();
        self.loads.exchange();
        let aside = std::mem::replace(&mut self.aside, aside);
        self.chosen = aside.chosen;
        // Marks are shown or not, whichever model has joints beyond its limit.
        self.chosen.engine.marks = self.aside.chosen.engine.marks;
        self.hide_nodes();
        let (a, b) = (&mut self.playback, &mut self.compared.playback);
        b.mix.clear();
        b.set_form(ClipForm::Source);
        a.player = b.player;
        (a.least_secs, b.least_secs) = (b.duration_secs(), 0.0);
        (a.rate, a.form) = (b.rate, aside.form);
        a.mix.fade_secs = b.mix.fade_secs;
        let refused = a.show_clip(a.clip_index());
        self.notices.replace(refused);
        if let Some((before, after)) = b.document().zip(a.document()) {
            self.look.joint = same_joint(self.look.joint, before, after);
            self.look.variant = same_variant(self.look.variant, before, after);
        }
        self.resume_layers(&aside.layers);
        let effect = self.request_difference();
        self.refit();
        effect.into_iter().collect()
    }

    /// Drops the second model and the load that reads one.
    fn end_comparison(&mut self) {
        self.loads.give_up(Destination::Beside);
        self.loads.forget_failure(Destination::Beside);
        self.resuming.beside = None;
        self.compared.close();
        self.aside = Aside::default();
        self.refit();
    }

    /// Closes the second model.
    pub(super) fn close_beside(&mut self) -> Vec<Effect> {
        let pending = self.loads.pending(Destination::Beside).is_some();
        let was_open = self.compared.is_shown() || pending;
        self.end_comparison();
        self.parts.set(WindowPart::Compared, false);
        // A time that only the longer clip had is past the end now.
        if self.playback.time_secs() > self.playback.duration_secs() {
            self.playback.seek(self.playback.duration_secs());
        }
        let watch = Watch { read: Vec::new(), also: self.shown_files() };
        was_open.then_some(Effect::Watch(watch)).into_iter().collect()
    }
}

/// Returns the box around a scene at rest. `None` if nothing is in it.
fn rest_box(model: &Model, scene: usize) -> Option<SceneBox> {
    let rest = Stage::new(model, scene);
    let bounds = rest.bounds(model);
    SceneBox::around(&[bounds.min, bounds.max].map(|at| at.as_dvec3() + rest.origin))
}
