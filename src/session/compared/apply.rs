//! The session's steps with a second model: it is read, shown beside the first one, compared with it, and closed.

use std::path::PathBuf;
use std::sync::Arc;

use super::{ComparedAction, ComparisonRequest, Measurement, Together};
use crate::compare::{ClipDifference, ModelDifference};
use crate::import::{ImportError, Loaded};
use crate::look::Look;
use crate::model::Stage;
use crate::report::ClipForm;
use crate::session::look::same_joint;
use crate::session::notice::Notice;
use crate::session::{
    Compared, Document, Effect, ExhibitAction, FileSource, Hidden, Item, LoadAction, LoadId,
    LoadRequest, Part, Selection, SelectionAction, Session, Watch,
};

impl Session {
    /// The second model, and how it differs from the first one.
    pub fn compared(&self) -> &Compared {
        &self.compared
    }

    /// Whether a file is being read, searched for, compared, checked or recorded.
    pub fn is_busy(&self) -> bool {
        let reads = self.loads.is_busy() || self.compared.is_busy();
        reads || self.timeline.is_busy() || self.desktop.recording().is_some()
    }

    /// Returns the document that a load has read, if it is shown.
    pub fn document_of(&self, id: LoadId) -> Option<&Document> {
        let both = self.exhibit.document().into_iter().chain(self.compared.document());
        both.into_iter().find(|document| document.load == id)
    }

    /// Returns a look of the first model for the second one: joint and variant are those of the same name, and only
    /// its boxes are marked.
    pub fn look_beside(&self, look: &Look) -> Look {
        let both = self.exhibit.document().zip(self.compared.document());
        let joint = both.and_then(|(a, b)| same_joint(look.joint, a, b));
        let variant = both.and_then(|(a, b)| same_variant(look.variant, a, b));
        let (bind, highlight) = (self.bind_beside(), self.highlight_beside());
        Look { joint, bind, variant, highlight, ..look.clone() }
    }

    /// Changes what is compared, or how it is shown.
    pub(in crate::session) fn change_compared(&mut self, action: ComparedAction) -> Vec<Effect> {
        match action {
            ComparedAction::Open(source) => return self.open_beside(source),
            ComparedAction::OpenBoth([a, b]) => {
                self.compared.wanted = Some([a.clone(), b]);
                return self.change_loads(LoadAction::Open(a));
            }
            ComparedAction::OpenAll(paths) => return self.open_all_beside(paths),
            ComparedAction::Show(together) => self.show_together(together),
            ComparedAction::Next => {
                let at = Together::ALL.iter().position(|way| *way == self.compared.together);
                let next = (at.unwrap_or_default() + 1) % Together::ALL.len();
                self.show_together(Together::ALL[next]);
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

    fn show_together(&mut self, together: Together) {
        if self.compared.is_shown() {
            self.compared.together = together;
        }
    }

    fn open_beside(&mut self, source: FileSource) -> Vec<Effect> {
        if self.exhibit.document().is_none() {
            return self.change_loads(LoadAction::Open(source));
        }
        self.dismiss();
        vec![self.read_beside(source, false)]
    }

    fn open_all_beside(&mut self, mut paths: Vec<PathBuf>) -> Vec<Effect> {
        let places = if self.exhibit.document().is_some() { 1 } else { 2 };
        let left_out = paths.split_off(places.min(paths.len()));
        let mut sources: Vec<_> = paths.into_iter().map(FileSource::Path).collect();
        let effects = match (sources.pop(), sources.pop()) {
            (Some(b), Some(a)) => self.change_compared(ComparedAction::OpenBoth([a, b])),
            (Some(source), None) => self.open_beside(source),
            (None, _) => return Vec::new(),
        };
        if let Some(path) = left_out.into_iter().next() {
            let name = FileSource::Path(path).name();
            let text = format!("{name} is left out: two files are compared at a time");
            self.notices.add(Notice::warning(text));
        }
        effects
    }

    /// Requests a file for the second model. A patient request waits for the program that writes the file.
    pub(in crate::session) fn read_beside(&mut self, source: FileSource, patient: bool) -> Effect {
        self.compared.give_up();
        let shown = self.compared.document().is_some_and(|document| document.source == source);
        let request = LoadRequest {
            id: self.loads.next_id(),
            source,
            progress: Arc::default(),
            again: shown,
            patient,
            for_clips: false,
        };
        self.compared.pending = Some(request.clone());
        Effect::Load(request)
    }

    /// Requests both files again.
    pub(in crate::session) fn reload_beside(
        &mut self,
        files: Option<&[PathBuf]>,
    ) -> Option<Effect> {
        let source = match files {
            Some(files) => self.compared.changed(files),
            None => self.compared.document().map(|document| document.source.clone()),
        };
        source.map(|source| self.read_beside(source, files.is_some()))
    }

    /// Takes the result of reading the second file. One that can't be read leaves what is shown.
    pub(in crate::session) fn loaded_beside(
        &mut self,
        id: LoadId,
        result: Result<Loaded, ImportError>,
    ) -> Vec<Effect> {
        let error = match result {
            Ok(loaded) => return vec![Effect::Upload { id, loaded: Box::new(loaded) }],
            Err(error) => error,
        };
        let Some(request) = self.compared.pending.take() else { return Vec::new() };
        if let Some(document) = &mut self.compared.exhibit.document {
            document.note_failure(&request.source);
        }
        let read = request.progress.files();
        let files = read.iter().map(|file| file.path.clone()).collect();
        let also = [self.shown_files(), self.compared.files()].concat();
        self.compared.failed = Some((request.source.clone(), files));
        self.loads.fail(request.source, error.to_string());
        vec![Effect::Watch(Watch { read, also })]
    }

    /// Shows the second model.
    pub(in crate::session) fn uploaded_beside(&mut self, loaded: Loaded) -> Vec<Effect> {
        let Some(request) = self.compared.pending.take() else { return Vec::new() };
        let watch = Watch { read: request.progress.files(), also: self.shown_files() };
        if self.loads.failure().is_some_and(|failure| failure.file == request.source.name()) {
            self.loads.dismiss();
        }
        self.compared.failed = None;
        if !self.compared.is_shown() {
            self.parts.set(Part::Compared, true);
        }
        self.desktop.note_opened(&request.source);
        let document = Document::new(request, loaded);
        let b = &mut self.compared.exhibit;
        b.stage = Some(Stage::new(&document.model, document.model.default_scene));
        b.document = Some(document);
        self.compared.forget();
        let clip = self.compared.partner(&self.exhibit);
        self.compared.exhibit.show_clip(clip);
        let mut effects = vec![Effect::Watch(watch)];
        effects.extend(self.request_difference());
        self.frame_both();
        effects
    }

    fn shown_files(&self) -> Vec<PathBuf> {
        self.exhibit.document().map(|document| document.files.clone()).unwrap_or_default()
    }

    /// Requests the difference of both models; the request before is cancelled.
    fn request_difference(&mut self) -> Option<Effect> {
        self.compared.forget();
        let (a, b) = self.exhibit.document().zip(self.compared.document())?;
        let request = ComparisonRequest {
            a: Arc::clone(&a.model),
            b: Arc::clone(&b.model),
            id: self.loads.next_id(),
            progress: Arc::default(),
        };
        self.compared.measurement = Measurement::Running(request.clone());
        Some(Effect::Compare(request))
    }

    /// Continues after another model, or the same one read again, is shown as the first one. Another one ends the
    /// comparison, unless it was opened to be compared.
    pub(in crate::session) fn continue_beside(&mut self, again: bool) -> Vec<Effect> {
        if again {
            let effect = self.request_difference();
            self.frame_both();
            return effect.into_iter().collect();
        }
        if self.compared.is_shown() {
            self.parts.set(Part::Compared, false);
        }
        self.compared.close();
        self.frame_both();
        let shown = self.exhibit.document().map(|document| &document.source);
        match self.compared.wanted.take() {
            Some([a, b]) if shown == Some(&a) => vec![self.read_beside(b, false)],
            _ => Vec::new(),
        }
    }

    /// Frames both models over the shown clip.
    pub(in crate::session) fn frame_both(&mut self) {
        self.compared.follow(&mut self.exhibit);
        self.sight.set_hull(&self.compared.hull(&self.exhibit));
    }

    /// Poses the second model like the first one.
    pub(in crate::session) fn pose_beside(&mut self) {
        if self.compared.is_shown() && self.compared.follow(&mut self.exhibit) {
            self.sight.set_hull(&self.compared.hull(&self.exhibit));
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
            self.frame_both();
        }
    }

    /// Goes to the worst instant of a pair of clips, and selects its joint.
    fn go_to(&mut self, pair: &ClipDifference) {
        let wanted = match self.exhibit.document() {
            Some(document) if document.borrowed.is_none() => Some(pair.index[0]),
            Some(document) => document.clip_names.iter().position(|n| Some(n) == pair.a.as_ref()),
            None => None,
        };
        // A clip that is left while it plays fades out.
        self.change_exhibit(ExhibitAction::Seek(self.exhibit.time_secs()));
        self.change_exhibit(ExhibitAction::SelectClip(wanted));
        self.change_exhibit(ExhibitAction::Seek(pair.time.unwrap_or_default()));
        if let Some(node) = pair.joint_index {
            self.change_selection(SelectionAction::Select(Some(Item::Node(node))));
        }
    }

    /// Goes to the worst instant of all clips; to the rest pose if no clip differs more than that.
    fn go_to_worst(&mut self) {
        let Some(difference) = self.compared.difference() else { return };
        match difference.worst_clip().cloned() {
            Some(worst) => self.go_to(&worst),
            None => self.change_exhibit(ExhibitAction::SelectClip(None)),
        }
    }

    /// Exchanges the models. Time, speed and how time repeats stay. A file that is being read again stays that of its
    /// model.
    fn swap(&mut self) -> Vec<Effect> {
        let player = self.exhibit.player;
        self.hidden = Hidden::default();
        self.veil();
        std::mem::swap(&mut self.exhibit, &mut self.compared.exhibit);
        self.loads.exchange_reloads(&mut self.compared.pending);
        let (a, b) = (&mut self.exhibit, &mut self.compared.exhibit);
        a.player = player;
        (a.least_secs, b.least_secs) = (b.duration_secs(), 0.0);
        b.mix.clear();
        b.apply(ExhibitAction::SetForm(ClipForm::Source));
        self.selection = Selection::default();
        if let Some((before, after)) = b.document().zip(a.document()) {
            self.look.joint = same_joint(self.look.joint, before, after);
            self.look.variant = same_variant(self.look.variant, before, after);
        }
        let effect = self.request_difference();
        self.frame_both();
        effect.into_iter().collect()
    }

    fn close_beside(&mut self) -> Vec<Effect> {
        let was_open = self.compared.is_shown() || self.compared.pending.is_some();
        self.compared.wanted = None;
        self.compared.close();
        self.parts.set(Part::Compared, false);
        self.frame_both();
        // A time that only the longer clip had is past the end now.
        if self.exhibit.time_secs() > self.exhibit.duration_secs() {
            self.exhibit.seek(self.exhibit.duration_secs());
        }
        let watch = Watch { read: Vec::new(), also: self.shown_files() };
        was_open.then_some(Effect::Watch(watch)).into_iter().collect()
    }
}

/// Returns the material variant of another file that has the same name.
pub(super) fn same_variant(
    variant: Option<usize>,
    before: &Document,
    after: &Document,
) -> Option<usize> {
    let name = before.model.variants.get(variant?)?;
    after.model.variants.iter().position(|other| other == name)
}
