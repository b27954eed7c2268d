//! Handles files that have been read: a model replaces the shown one, clips of another file replace its clips, an
//! environment lights the scene.

use super::ReadForClips;
use crate::anim::Player;
use crate::import::{Loaded, map_text};
use crate::look::EnvironmentSource;
use crate::model::{MapBase, MapLine, MapTable, Model, RetargetOptions, Stage, add_springs};
use crate::report::{counted, lies_on_its_back, local_pose_of};
use crate::session::exhibit::borrowed::{Borrowed, Retargeting};
use crate::session::exhibit::clips::{add_several, first_clip};
use crate::session::look;
use crate::session::notice::Notice;
use crate::session::saved::is_session_file;
use crate::session::saved::resume::session_file;
use crate::session::{
    DesktopEffect, Document, Effect, FileQuestion, FileSource, Hidden, Item, LoadAction,
    LoadRequest, Selection, SelectionAction, Session, SessionOptions, StartView, Watch,
    named_or_numbered,
};

impl Session {
    /// The window's title.
    pub fn title(&self) -> String {
        match self.exhibit.document() {
            Some(document) => format!("{} - rigview", document.name),
            None => "rigview".to_owned(),
        }
    }

    /// Takes a step in opening a file.
    pub(in crate::session) fn change_loads(&mut self, action: LoadAction) -> Vec<Effect> {
        let shown = self.exhibit.document.as_ref();
        match action {
            LoadAction::Open(FileSource::Path(path)) if is_session_file(&path) => {
                vec![Effect::Desktop(DesktopEffect::Read(path))]
            }
            LoadAction::Open(source) => {
                self.dismiss();
                vec![self.loads.open(source)]
            }
            LoadAction::TakeClips(source) if shown.is_none() => {
                self.change_loads(LoadAction::Open(source))
            }
            LoadAction::TakeClips(source) => {
                self.loads.awaiting = None;
                self.dismiss();
                vec![self.loads.open_clips(source)]
            }
            LoadAction::SaveMap => self.ask(FileQuestion::SaveMap),
            LoadAction::Retarget(options) => {
                self.retarget(options);
                Vec::new()
            }
            LoadAction::TakeClipsOfAll(places) if shown.is_none() => {
                self.change_loads(LoadAction::OpenAll(places))
            }
            LoadAction::TakeClipsOfAll(places) => {
                self.loads.awaiting = None;
                self.dismiss();
                vec![self.loads.open_clips_of_all(places)]
            }
            LoadAction::OpenAll(places) if session_file(&places).is_some() => {
                let path = session_file(&places).cloned().unwrap_or_default();
                vec![Effect::Desktop(DesktopEffect::Read(path))]
            }
            LoadAction::OpenAll(places) => {
                self.dismiss();
                self.loads.open_all(places, &mut self.notices)
            }
            LoadAction::StepFiles(by) => {
                self.loads.step_files(by, shown, &mut self.notices).into_iter().collect()
            }
            LoadAction::Found { search, finds } => {
                self.loads.found(&search, finds, &mut self.notices).into_iter().collect()
            }
            LoadAction::Reload => {
                let effect = self.loads.reload(shown);
                if effect.is_some() {
                    self.dismiss();
                }
                effect.into_iter().chain(self.reload_beside(None)).collect()
            }
            LoadAction::Restore(load) => {
                self.lose_images(load);
                Vec::new()
            }
            LoadAction::FilesChanged(files) => {
                let first = self.loads.files_changed(&files, shown);
                first.into_iter().chain(self.reload_beside(Some(&files))).collect()
            }
            LoadAction::Loaded { id, result } if self.compared.is_loading(id) => {
                self.loaded_beside(id, *result)
            }
            LoadAction::Uploaded { id, loaded } if self.compared.is_loading(id) => {
                self.uploaded_beside(*loaded)
            }
            LoadAction::Loaded { id, mut result } => {
                let own = |load: &LoadRequest| load.id == id && !load.for_clips;
                let source = self.loads.pending().filter(|load| own(load));
                if let Some(form) = source.and_then(|load| self.resuming.form_of(&load.source)) {
                    self.engine.form = form;
                }
                if let (Ok(loaded), true) = (&mut *result, self.loads.pending().is_some_and(own)) {
                    if self.options.springs {
                        let faults = add_springs(&mut loaded.model);
                        faults.iter().for_each(|fault| log::warn!("{fault}"));
                    }
                    self.engine.store(id, &mut loaded.model);
                }
                let failed = self.loads.pending().filter(|load| own(load) && result.is_err());
                let failed = failed.map(|load| load.source.clone());
                let (mut effect, ended) = self.loads.loaded(id, *result, shown);
                if let (Some(document), Some(source)) = (&mut self.exhibit.document, failed) {
                    document.note_failure(&source);
                }
                if let Some(Effect::Watch(watch)) = &mut effect {
                    watch.also.extend(self.compared.files());
                }
                if let Some(ReadForClips { source, loaded }) = ended {
                    self.take_clips(source, loaded.model);
                }
                effect.into_iter().collect()
            }
            LoadAction::Uploaded { id, loaded } => match self.loads.uploaded(id) {
                Some(request) => self.show(request, *loaded),
                None => Vec::new(),
            },
            LoadAction::EnvironmentLoaded { id, result } => {
                if let Some(environment) = self.loads.environment_loaded(id, *result) {
                    self.light_by(environment);
                    self.resume_light();
                }
                Vec::new()
            }
        }
    }

    fn light_by(&mut self, environment: EnvironmentSource) {
        let name = environment.name();
        let shown = self.exhibit.document().is_some() || self.loads.pending().is_some();
        let text = match shown {
            true => format!("Lit by {name}"),
            false => format!("{name} lights the model that is opened next"),
        };
        self.look.lighting.light_by(environment);
        self.notices.add(Notice::done(text));
    }

    /// Replaces the exhibit by a file that was read. A reloaded file keeps clip, time and camera.
    fn show(&mut self, request: LoadRequest, mut loaded: Loaded) -> Vec<Effect> {
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
        let shown = self.exhibit.document().filter(|d| d.source == request.source);
        let again = request.again && shown.is_some();
        // If a reload was superseded by this one, what played before the earlier one continues.
        let before = self.loads.awaiting.take().filter(|_| again);
        let before = before.unwrap_or_else(|| self.exhibit.standing());
        let borrowed = self.exhibit.document().and_then(|d| d.borrowed.as_ref());
        let clips_from = borrowed.map(|borrowed| borrowed.source.clone());
        let clips_from = clips_from.or(self.loads.clips_from.take());

        self.desktop.note_opened(&request.source);
        let document = Document::new(request, loaded);
        self.stage(&document, &options, again);
        self.carry_pose(&document.model, again);
        match self.exhibit.document().filter(|_| again) {
            Some(before) => {
                self.selection.carry_over(&before.model, &document.model);
                self.hidden.carry_over(&before.model, &document.model);
            }
            None => {
                (self.selection, self.hidden) = (Selection::default(), Hidden::default());
                self.select_named(&document.model, options.trail.as_deref());
            }
        }
        self.exhibit.document = Some(document);
        if !again {
            self.exhibit.expressions.clear();
            if let Some(missing) = self.exhibit.express_named(&options.expressions) {
                let text = format!("the file has no expression \"{missing}\"");
                self.notices.add(Notice::warning(text));
            }
        }
        self.veil();
        look::choose_joint(&mut self.look, &self.exhibit);
        self.exhibit.mix.clear();
        self.exhibit.player = Player::default();
        self.exhibit.player.speed = before.player.speed;
        self.exhibit.player.set_repeat(before.player.repeat());
        let clips_from = if again {
            let notice = self.exhibit.resume(&before);
            self.frame_both();
            self.notices.replace(notice);
            // Clips of another file are read again too: the rig may have changed.
            self.loads.awaiting = clips_from.as_ref().map(|_| before);
            self.loads.clips_from.clone_from(&clips_from);
            clips_from
        } else {
            self.start_clips();
            self.start_view(options.view);
            if options.clips_from.is_none() && self.notices.shown().is_none() {
                self.notices.replace(self.exhibit.without_mesh().map(Notice::warning));
            }
            options.clips_from
        };
        let clips = clips_from.map(|source| self.loads.open_clips(source));
        let beside = self.continue_beside(again);
        let watch = Effect::Watch(Watch { read, also: self.compared.files() });
        let resumed = self.resume_saved();
        std::iter::once(watch).chain(clips).chain(beside).chain(resumed).collect()
    }

    /// Selects a node by name or index, if there is one.
    fn select_named(&mut self, model: &Model, node: Option<&str>) {
        let names = || model.nodes.iter().map(|node| node.name.as_deref());
        let node = node.and_then(|node| named_or_numbered(names(), node));
        let item = node.map(Item::Node);
        self.selection.apply(SelectionAction::Select(item), Some(model));
    }

    /// Sets up the stage of a file, and the parts of the look that depend on the file.
    fn stage(&mut self, document: &Document, options: &SessionOptions, again: bool) {
        let model = &*document.model;
        let wanted = options.scene.as_deref().and_then(|scene| {
            named_or_numbered(model.scenes.iter().map(|s| s.name.as_deref()), scene)
        });
        let shown = self.exhibit.stage().map(|stage| stage.scene).filter(|_| again);
        let scene = shown.filter(|scene| *scene < model.scenes.len()).or(wanted);
        let mut stage = Stage::new(model, scene.unwrap_or(model.default_scene));
        self.exhibit.lies = lies_on_its_back(model, &stage);
        let stood_up = self.exhibit.stage().is_some_and(Stage::stood_up);
        stage.stand_up(model, again && stood_up);
        self.exhibit.stage = Some(stage);
        self.look.joint = match (self.exhibit.document().filter(|_| again), &options.joint) {
            (Some(before), _) => look::same_joint(self.look.joint, before, document),
            (None, Some(joint)) => document.joint(joint),
            (None, None) => None,
        };
        self.look.variant = match (&options.variant, self.look.variant) {
            (_, shown) if again => shown.filter(|v| *v < model.variants.len()),
            (Some(variant), _) => {
                named_or_numbered(model.variants.iter().map(|v| Some(v.as_str())), variant)
            }
            (None, _) => None,
        };
    }

    /// Plays the clips of another file on the shown model, if they move any of it.
    fn take_clips(&mut self, source: FileSource, other: Model) {
        let Some(document) = self.exhibit.document() else { return };
        if other.clips.is_empty() {
            return self.loads.fail(source, "the file has no clips".into());
        }
        let retargeting = self.retargeting_of(&source);
        let (rig, springs) = (&document.model, self.options.springs);
        let borrowed = match Borrowed::new(rig, source.clone(), other, retargeting, springs) {
            Ok(borrowed) => borrowed,
            Err(error) => return self.loads.fail(source, error.to_string()),
        };
        let notice = self.borrow(borrowed);
        match self.loads.awaiting.take() {
            Some(before) => {
                let notice = self.exhibit.resume(&before);
                self.frame_both();
                self.notices.replace(notice);
            }
            None => {
                self.exhibit.player.rewind();
                self.start_clips();
            }
        }
        self.resume_clips();
        self.notices.add(notice);
    }

    /// Returns how clips of a file are converted: as they were before, or as the options say.
    fn retargeting_of(&self, source: &FileSource) -> Retargeting {
        let before = self.loads.retargeting.as_ref().filter(|(of, _)| of == source);
        let asked = || self.options.clips_from.as_ref().filter(|of| *of == source);
        let asked = || asked().map(|_| &self.options.retargeting);
        before.map(|(_, retargeting)| retargeting).or_else(asked).cloned().unwrap_or_default()
    }

    /// Returns the joints that follow joints of the clips' file, as a table in TOML. `None` without such clips.
    pub fn map_text(&self) -> Option<String> {
        let document = self.exhibit.document()?;
        let borrowed = document.borrowed.as_ref()?;
        let pairs = borrowed.clips.map.pairs.iter().enumerate();
        let lines = pairs.filter_map(|(node, pair)| {
            let name = |model: &Model, node: usize| model.nodes[node].name.clone();
            let joint = name(&document.model, node).filter(|name| !name.is_empty())?;
            let follows = name(&borrowed.model, pair.as_ref()?.source)?;
            Some(MapLine { joint, follows: Some(follows), line: 0 })
        });
        Some(map_text(&MapTable { base: MapBase::None, joints: lines.collect() }))
    }

    /// Replaces the clips by those of another file. Returns what to say about it.
    fn borrow(&mut self, mut borrowed: Borrowed) -> Notice {
        let source = borrowed.source.clone();
        if self.options.clips_from.as_ref() == Some(&source) {
            add_several(&mut borrowed.clips.clips, &self.options.clip);
        }
        let mut text = format!("Clips of {}: {}", source.name(), borrowed.clips.summary());
        let bent = borrowed.clips.bent_limbs();
        let is_complete = borrowed.clips.is_complete() && bent.is_none();
        if let Some(bent) = bent {
            text += &format!("; {bent}");
        }
        self.loads.retargeting = Some((source, borrowed.retargeting.clone()));
        self.exhibit.borrow_clips(borrowed);
        if is_complete { Notice::done(text) } else { Notice::warning(text) }
    }

    /// Converts the clips of the other file again, in another way. What plays continues.
    fn retarget(&mut self, options: RetargetOptions) {
        let Some(document) = self.exhibit.document() else { return };
        let Some(borrowed) = &document.borrowed else { return };
        let file = borrowed.retargeting.file.clone();
        let file = file.filter(|_| borrowed.retargeting.options.map == options.map);
        let retargeting = Retargeting { options, file };
        let springs = self.options.springs;
        let converted = borrowed.converted(&document.model, retargeting, springs);
        match converted {
            Ok(converted) => {
                let before = self.exhibit.standing();
                let notice = self.borrow(converted);
                self.exhibit.resume(&before);
                self.frame_both();
                self.notices.replace(Some(notice));
            }
            Err(error) => self.notices.replace(Some(Notice::warning(error.to_string()))),
        }
    }

    /// Shows the clip that a file begins with, at the time at which it begins.
    fn start_clips(&mut self) {
        let Some(document) = self.exhibit.document() else { return };
        let default = SessionOptions::default();
        // The options apply to the first file and its clips, or to the clips requested with it.
        let clips_of = document.borrowed.as_ref().map(|borrowed| &borrowed.source);
        let requested = clips_of.is_none() || clips_of == self.options.clips_from.as_ref();
        let first = self.loads.is_first(&document.source);
        let options = if requested && first { &self.options } else { &default };
        let (clip, unknown) = first_clip(document, &options.clip);
        // The clip may belong to the other file, which is still being read.
        let awaited = options.clips_from.is_some() && document.borrowed.is_none();
        let unknown = unknown.filter(|_| !awaited);
        let notice = self.exhibit.start(clip, options.time_secs);
        if !options.pose.is_empty() {
            self.exhibit.frame_posed(&options.posed_clip);
        }
        self.frame_both();
        self.notices.replace(unknown.or(notice));
    }

    /// Starts from a view; an unknown camera is reported.
    fn start_view(&mut self, view: StartView) {
        let cameras = self.exhibit.document().map_or(&[][..], |d| &d.model.cameras);
        let camera = match &view {
            StartView::Camera(wanted) => {
                let found = named_or_numbered(cameras.iter().map(|c| c.name.as_deref()), wanted);
                if found.is_none() {
                    let count = cameras.len();
                    let has = counted(count, "camera");
                    let text = format!("no camera \"{wanted}\"; the file has {has}");
                    self.notices.replace(Notice::warning(text));
                }
                found
            }
            _ => None,
        };
        self.sight.start(view, camera);
    }
}
