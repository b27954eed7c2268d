//! Handles files that have been read: a model replaces the shown one, clips of another file replace its clips, an
//! environment lights the scene.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::loads::ReadFrom;
use crate::loads::StoredSkins;
use crate::notice::Notice;
use crate::playback::clips::{KeptPlayback, add_several};
use crate::saved::{Resuming, SavedSession, is_session_file};
use crate::{
    DesktopEffect, Destination, Document, Effect, FileCamera, FileChanges, FileQuestion,
    FileSource, Item, LoadAction, LoadId, LoadRequest, LoadedFile, Mending, Preparation,
    PreparedModel, SelectionAction, Session, SessionOptions, StartView, Watch, look,
    named_or_numbered,
};
use rigview_anim::Player;
use rigview_import::{ImportError, ReadFile};
use rigview_look::EnvironmentSource;
use rigview_model::{Model, SkinForm, Stage};
use rigview_report::{counted, lies_on_its_back, local_pose_of};

impl Session {
    /// Takes a step in opening a file.
    pub(super) fn change_loads(&mut self, action: LoadAction) -> Vec<Effect> {
        let shown = self.playback.document.as_ref();
        match action {
            LoadAction::Open(source, destination) => self.open(source, destination),
            LoadAction::OpenAll(places, destination) => self.open_all(places, destination),
            LoadAction::Refuse(source, destination, why) => {
                self.dismiss();
                self.loads.fail(source, destination, why);
                Vec::new()
            }
            LoadAction::OpenBoth(both) => {
                self.dismiss();
                vec![Effect::Load(self.loads.open_both(both, Destination::Beside))]
            }
            LoadAction::SaveMap => self.ask(FileQuestion::SaveMap),
            LoadAction::Retarget(options) => {
                self.retarget(options);
                Vec::new()
            }
            LoadAction::StepFiles(by) => {
                self.loads.step_files(by, shown, &mut self.notices).into_iter().collect()
            }
            LoadAction::Found { search, finds } => {
                let found = self.loads.found(&search, finds, shown, &mut self.notices);
                found.into_iter().map(Effect::Load).collect()
            }
            LoadAction::Reload => {
                let first = self.loads.reload(shown);
                if first.is_some() {
                    self.dismiss();
                }
                let second = self.compared.document().map(|document| document.source.clone());
                // A mended copy is made again of what was read.
                let second = second.filter(|file| !matches!(file, FileSource::Mended { .. }));
                let second = second.map(|file| self.loads.read_again(file, Destination::Beside));
                first.into_iter().chain(second).map(Effect::Load).collect()
            }
            LoadAction::Restore(load) => {
                self.lose_images(load);
                Vec::new()
            }
            LoadAction::FilesChanged(files) => self.files_changed(&files),
            LoadAction::Loaded { id, result } => match self.loads.end(id) {
                Some(request) => self.loaded(request, result),
                None => Vec::new(),
            },
        }
    }

    /// Requests the models and clips again whose files have changed.
    fn files_changed(&mut self, files: &FileChanges) -> Vec<Effect> {
        let shown = self.playback.document();
        let borrowed = shown.and_then(|document| document.borrowed.as_ref());
        let of_clips = borrowed.map(|b| ReadFrom { source: &b.source, files: &b.files });
        let of_second = self.compared.document().map(ReadFrom::new);
        // Of several messages about one change, that about the shown file is the last one.
        let second = self.loads.files_changed(files, Destination::Beside, of_second);
        let first = self.loads.files_changed(files, Destination::Shown, shown.map(ReadFrom::new));
        let clips = self.loads.files_changed(files, Destination::Clips, of_clips);
        // Without clips of another file, what awaits them was playing before they were lost.
        if clips.is_some() && of_clips.is_some() {
            self.loads.awaiting = Some(self.playback.standing());
        }
        first.into_iter().chain(clips).chain(second).map(Effect::Load).collect()
    }

    /// Requests a file. Where nothing is shown, it is shown.
    fn open(&mut self, source: FileSource, destination: Destination) -> Vec<Effect> {
        let destination = match self.playback.document() {
            None if destination != Destination::Light => Destination::Shown,
            _ => destination,
        };
        match source {
            FileSource::Path(path)
                if destination == Destination::Shown && is_session_file(&path) =>
            {
                vec![Effect::Desktop(DesktopEffect::Read(path))]
            }
            source => {
                self.begin(destination);
                vec![Effect::Load(self.loads.open(source, destination))]
            }
        }
    }

    /// Requests the first model of several files and folders, or opens the session file among them.
    fn open_all(&mut self, places: Vec<PathBuf>, destination: Destination) -> Vec<Effect> {
        let destination = match self.playback.document() {
            None if destination == Destination::Clips => Destination::Shown,
            _ => destination,
        };
        match session_file(&places).filter(|_| destination == Destination::Shown) {
            Some(path) => vec![Effect::Desktop(DesktopEffect::Read(path.clone()))],
            None => {
                self.begin(destination);
                self.loads.open_all(places, destination, &mut self.notices)
            }
        }
    }

    /// Opens a session file that was read: requests its model.
    pub(super) fn open_saved(
        &mut self,
        path: PathBuf,
        text: Result<String, String>,
    ) -> Vec<Effect> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let saved = text.and_then(|text| SavedSession::read(&text, &folder));
        let saved = saved.and_then(|saved| match saved.source() {
            // It would be read at once, and may name this one.
            FileSource::Path(file) if is_session_file(&file) => {
                Err(format!("it names another session file, {}; open that one", file.display()))
            }
            source => Ok((saved, source)),
        });
        match saved {
            Ok((saved, source)) => {
                let effects = self.change_loads(LoadAction::Open(source, Destination::Shown));
                self.resuming = Resuming { saved: Some(Box::new(saved)), ..Resuming::default() };
                effects
            }
            Err(message) => {
                self.dismiss();
                self.loads.fail(FileSource::Path(path), Destination::Shown, message);
                Vec::new()
            }
        }
    }

    /// Removes messages before a file is opened. Clips that are chosen now do not continue what played.
    fn begin(&mut self, destination: Destination) {
        if destination == Destination::Clips {
            self.loads.awaiting = None;
        }
        self.dismiss();
    }

    /// Takes the result of a load.
    fn loaded(
        &mut self,
        request: LoadRequest,
        result: Result<LoadedFile, ImportError>,
    ) -> Vec<Effect> {
        match (result, request.destination) {
            (Err(error), _) => return self.failed(request, &error),
            (Ok(LoadedFile::Light(environment)), _) => {
                let environment = EnvironmentSource::Picture(Arc::new(environment));
                self.loads.note_environment(&environment);
                self.light_by(environment);
                self.resume_light(&request.source);
            }
            (Ok(LoadedFile::Model(model)), Destination::Clips) => {
                let read = request.progress.files();
                self.take_clips(request, model.loaded.model);
                return vec![Effect::Watch(Watch { read, also: self.shown_files() })];
            }
            (Ok(LoadedFile::Model(model)), Destination::Beside) => {
                let read_again = self.is_beside(&request).then(|| request.source.clone());
                let mut effects = self.show_beside(request, *model);
                if let Some(source) = read_again {
                    effects.extend(self.mend_again(&source));
                }
                return effects;
            }
            (Ok(LoadedFile::Model(model)), _) => return self.show(request, *model),
        }
        Vec::new()
    }

    /// Reports a file that can't be read. What is shown stays; the file is tried again when it changes.
    fn failed(&mut self, request: LoadRequest, error: &ImportError) -> Vec<Effect> {
        let message = request.source.message(error);
        let shown = match request.destination {
            Destination::Shown => &mut self.playback.document,
            Destination::Beside => &mut self.compared.playback.document,
            Destination::Clips => &mut None,
            Destination::Light => {
                self.loads.note_failure(request, message);
                return Vec::new();
            }
        };
        if let Some(document) = shown {
            document.note_failure(&request.source);
        }
        let read = request.progress.files();
        match request.destination {
            Destination::Clips => self.clips_failed(request, message),
            _ => self.loads.note_failure(request, message),
        }
        vec![Effect::Watch(Watch { read, also: self.shown_files() })]
    }

    /// Returns what is done to a model before it is uploaded.
    pub(super) fn preparation(&self, request: &LoadRequest) -> Preparation {
        let skin_form = match request.destination {
            Destination::Shown => {
                self.resuming.form_of(&request.source).unwrap_or(self.chosen.engine.form)
            }
            Destination::Beside if self.is_beside(request) => self.aside.chosen.engine.form,
            _ => SkinForm::default(),
        };
        // Borrowed clips get the springs of the model that they play on.
        let springs = self.options.springs && request.destination != Destination::Clips;
        Preparation { skin_form, springs }
    }

    fn light_by(&mut self, environment: EnvironmentSource) {
        let name = environment.name();
        let shown =
            self.playback.document().is_some() || self.loads.pending(Destination::Shown).is_some();
        let text = if shown {
            format!("Lit by {name}")
        } else {
            format!("{name} lights the model that is opened next")
        };
        self.look.lighting.light_by(environment);
        self.notices.add(Notice::done(text));
    }

    /// Replaces the playback by a file that was read. A reloaded file keeps clip, time and camera.
    fn show(&mut self, request: LoadRequest, model: PreparedModel) -> Vec<Effect> {
        let PreparedModel { mut loaded, skins } = model;
        let form = self.preparation(&request).skin_form;
        // Another form may have been chosen since.
        let other_form = (skins.form != form).then(|| request.source.clone());
        let load = request.id;
        self.loads.note_success(&request);
        let read = request.progress.files();
        let first = self.loads.is_first(&request.source);
        if first {
            loaded.model.rest = local_pose_of(&loaded.model, &self.options.pose).0;
            if self.options.clips_from.is_none() {
                add_several(&mut loaded.model.clips, &self.options.clip);
            }
        }
        let options = if first { self.options.clone() } else { SessionOptions::default() };
        // A file that could be shown only after it had changed starts like any other file.
        let shown = self.playback.document();
        let shown = shown.filter(|document| document.source.is_version_of(&request.source));
        let again = request.again && shown.is_some();
        // If a reload was superseded by this one, what played before the earlier one continues.
        let before = self.loads.awaiting.take().filter(|_| again);
        let before = before.unwrap_or_else(|| self.playback.standing());
        let borrowed = self.playback.document().and_then(|d| d.borrowed.as_ref());
        let clips_from = borrowed.map(|borrowed| borrowed.source.clone());
        let clips_from = clips_from.or(self.loads.clips_from.take());
        let borrowed = borrowed.filter(|_| again).cloned();

        self.desktop.note_opened(&request.source);
        let mut document = Document::new(request, loaded);
        self.borrow_again(&mut document, borrowed);
        self.stage(&document, &options, again);
        let lost_pose = self.playback.carry_pose(&document.model, again);
        if again {
            self.carry_choices(&document, skins)
        } else {
            self.chosen.restart(load, skins);
            self.select_named(&document.model, options.trail.as_deref());
        }
        self.chosen.engine.form = form;
        self.playback.document = Some(document);
        if !again {
            self.express(&options.expressions);
        }
        self.hide_nodes();
        look::choose_joint(&mut self.look, &self.playback);
        self.playback.mix.clear();
        self.playback.player = Player::default();
        self.playback.player.speed = before.player.speed;
        self.playback.player.set_repeat(before.player.repeat());
        let clips_from = if again { self.resume(before, clips_from) } else { self.start(options) };
        self.notices.add(lost_pose);
        let clips = clips_from.map(|source| self.loads.open(source, Destination::Clips));
        let beside = self.continue_beside(again);
        let mended = self.mend_shown(again);
        let watch = Effect::Watch(self.watched(read));
        let resumed = self.resume_saved(again);
        let other_form = other_form.map(|file| self.loads.read_again(file, Destination::Shown));
        let clips = clips.into_iter().chain(other_form).map(Effect::Load);
        let more = clips.chain(beside).chain(mended).chain(resumed);
        std::iter::once(watch).chain(more).collect()
    }

    /// Keeps what a person chose for the shown file in another version of it: hidden and selected parts, measured points and the
    /// camera. The stage is that of the new version.
    fn carry_choices(&mut self, after: &Document, skins: StoredSkins) {
        let Some(before) = self.playback.document() else { return };
        self.chosen.carry_over(&before.model, &after.model, after.load, skins);
        self.measure.carry_over(before, after);
        let cameras = self.playback.cameras_of(&after.model);
        let [before, after] = [&before.model, &after.model];
        let nodes = self.playback.stage().map_or(&[][..], |stage| &stage.nodes);
        let in_scene = |camera: &FileCamera| cameras.contains(camera);
        self.camera.carry_over(
            |camera| camera.again(before, after, nodes).filter(in_scene),
            |wanted| FileCamera::named(after, nodes, wanted).filter(in_scene),
        );
    }

    /// Sets the weights of expressions by name, and reports one that the file lacks.
    fn express(&mut self, weights: &[(String, f32)]) {
        let weights = weights.iter().map(|(name, weight)| (name, weight));
        if let Some(missing) = self.playback.express_named(weights) {
            self.notices.add(Notice::no_expression(missing));
        }
    }

    /// Mends a file that was read again as before; forgets the remedies for another file.
    fn mend_shown(&mut self, again: bool) -> Vec<Effect> {
        match self.playback.document().filter(|_| again) {
            Some(document) => self.mend_again(&document.source.clone()),
            None => {
                self.mending = Mending::default();
                Vec::new()
            }
        }
    }

    /// Returns the files that are watched while these were read: those of the second model and those that failed too.
    fn watched(&self, read: Vec<ReadFile>) -> Watch {
        let files = self.compared.document().map(|document| document.files.clone());
        let also = files.into_iter().flatten().chain(self.loads.failed_files().iter().cloned());
        Watch { read, also: also.collect() }
    }

    /// Plays a file that was read again on from where it stood. Returns the file of other clips, which is read again too,
    /// because the rig may have changed.
    fn resume(
        &mut self,
        before: KeptPlayback,
        clips_from: Option<FileSource>,
    ) -> Option<FileSource> {
        let notice = self.resume_clip(&before);
        self.notices.replace(notice);
        let borrows = self.playback.document().is_some_and(|d| d.borrowed.is_some());
        if clips_from.is_none() || borrows {
            self.report_lost_clip(&before);
            self.resume_layers(&before.layers);
        }
        self.loads.awaiting = clips_from.as_ref().map(|_| before);
        self.loads.clips_from.clone_from(&clips_from);
        clips_from
    }

    /// Plays a file that was opened. Returns the file of other clips that was asked for.
    fn start(&mut self, options: SessionOptions) -> Option<FileSource> {
        self.start_clips();
        self.start_view(options.view);
        if options.clips_from.is_none() && self.notices.shown().is_none() {
            self.notices.replace(self.playback.without_mesh().map(Notice::warning));
        }
        options.clips_from
    }

    /// Selects a node by name or index, if there is one.
    fn select_named(&mut self, model: &Model, node: Option<&str>) {
        let node = node.and_then(|node| named_or_numbered(model.node_names(), node));
        let item = node.map(Item::Node);
        self.chosen.selection.apply(SelectionAction::Select(item), Some(model));
    }

    /// Sets up the stage of a file, and the parts of the look that depend on the file.
    fn stage(&mut self, document: &Document, options: &SessionOptions, again: bool) {
        let model = &*document.model;
        let wanted = options.scene.as_deref();
        let wanted = wanted.and_then(|scene| named_or_numbered(model.scene_names(), scene));
        let shown = self.playback.stage().map(|stage| stage.scene).filter(|_| again);
        let scene = shown.filter(|scene| *scene < model.scenes.len()).or(wanted);
        let mut stage = Stage::new(model, scene.unwrap_or(model.default_scene));
        self.playback.lies_on_its_back = lies_on_its_back(model, &stage);
        let stood_up = self.playback.stage().is_some_and(Stage::stood_up);
        stage.stand_up(model, again && stood_up);
        self.playback.stage = Some(stage);
        self.look.joint = match (self.playback.document().filter(|_| again), &options.joint) {
            (Some(before), _) => look::same_joint(self.look.joint, before, document),
            (None, Some(joint)) => document.joint(joint),
            (None, None) => None,
        };
        self.look.variant = match (&options.variant, self.look.variant) {
            (_, shown) if again => shown.filter(|v| *v < model.variants.len()),
            (Some(variant), _) => named_or_numbered(model.variant_names(), variant),
            (None, _) => None,
        };
    }

    /// Starts from a view; an unknown camera is reported.
    fn start_view(&mut self, view: StartView) {
        let shown = self.playback.document().zip(self.playback.stage());
        let camera = match &view {
            StartView::Camera(wanted) => {
                let found = shown.and_then(|(document, stage)| {
                    FileCamera::named(&document.model, &stage.nodes, wanted)
                });
                if found.is_none() {
                    let count = shown.map_or(0, |(document, _)| document.model.cameras.len());
                    let has = counted(count, "camera");
                    let text = format!("no camera \"{wanted}\"; the file has {has}");
                    self.notices.replace(Notice::warning(text));
                }
                found
            }
            _ => None,
        };
        self.find_front();
        self.camera.start(view, camera);
    }
}

/// Returns the session file among some paths.
fn session_file(paths: &[PathBuf]) -> Option<&PathBuf> {
    paths.iter().find(|path| is_session_file(path))
}

impl Session {
    /// Records that the images of a shown model were lost.
    pub(super) fn lose_images(&mut self, load: LoadId) {
        let both = [&mut self.playback.document, &mut self.compared.playback.document];
        for document in both.into_iter().flatten().filter(|document| document.load == load) {
            document.lacks_images = !document.model.images.is_empty();
        }
    }

    /// Requests the shown models without images again, unless another load may replace them. To be called after every
    /// action: that load may fail or be cancelled.
    pub(super) fn restore_images(&mut self) -> Vec<Effect> {
        let lacking = |document: &&Document| document.lacks_images;
        let mut effects = Vec::new();
        let both = [
            (Destination::Shown, self.playback.document()),
            (Destination::Beside, self.compared.document()),
        ];
        for (destination, document) in both {
            if self.loads.pending(destination).is_none()
                && let Some(document) = document.filter(lacking)
            {
                let again = self.loads.read_again(document.source.clone(), destination);
                effects.push(Effect::Load(again));
            }
        }
        effects
    }
}
