//! The window's contents without a window: the session, the panels, and what draws both on a target.
//!
//! A [`Shell`] has no clock, no surface, no thread and no events of a window library, so it also runs in a browser. Time,
//! input and targets are arguments. What a window has to do for it is returned as [`Request`]s, and work that takes longer
//! than a frame is handed out as [`Job`]s, whose results come back by [`Shell::take`]. Neither [`Shell::step`] nor
//! [`Shell::frame`] waits for a thread or for a person, and for the GPU only where something is uploaded: pictures and
//! picks are read back when they are there. `rigview-window` drives it with a real window, and its tests without one; in
//! both, a script's steps are input of the shell.

mod controls;
mod drive;
mod driver;
mod effects;
mod error;
mod heat;
mod jobs;
mod last_picture;
mod pace;
mod painter;
mod pair;
mod panel_fills;
mod picks;
mod picture;
mod reads;
mod resident;
mod script;
mod script_state;
pub mod settings;
mod start;
mod state;
mod write;

use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use self::driver::Driver;
use self::pace::{FrameState, Quality};
use self::painter::{Painter, PanelOutput, lay_out, open_context, repaint_delay};
use self::pair::size_of_one;
use self::picks::{LOOK_AGAIN, Picks};
use self::reads::{Purpose, Reading};
use self::resident::{FrameModels, Resident};
use self::state::{AwaitedPoses, Comparison, Frames};
use rigview_capture::is_averaged;
use rigview_render::{Gpu, Target, missing_font_message};
use rigview_session::{
    Action, CameraAction, CompareMode, ComparedAction, DesktopAction, Destination, LoadAction,
    LoadId, LoadRequest, LoadedFile, NoticeKind, PickAction, Playback, PreparedModel, Session,
};
use rigview_ui::Panels;

pub use self::error::AppError;
pub use self::jobs::{
    ComparisonResult, HeatColours, HeatJob, HeatRequest, Job, LoadJob, MeasuredPair, RecordJob,
    Report, UploadJob, UploadedModel,
};
pub use self::script::{dropped_with, read_script};
pub use self::start::{ScriptSource, Start};
pub use self::state::{DialogAnswer, FileDialog, Request, Shell};

/// The longest time step of a frame. After a stall the clip continues instead of jumping.
const LONGEST_STEP: Duration = Duration::from_millis(250);

/// Delay before a surface without a texture is tried again.
const RETRY: Duration = Duration::from_millis(16);

impl Shell {
    /// Returns a shell that reads its first file while a device is opened. `run_job` takes jobs, and must not call the shell
    /// itself: [`Shell::take`] takes their results later.
    pub fn new(mut start: Start, run_job: impl Fn(Job) + 'static, answers: Box<dyn Write>) -> Self {
        let session = Session::new(start.session.clone());
        let open = std::mem::replace(&mut start.open, Action::Dismiss);
        let mut shell = Self {
            start,
            session,
            run_job: Box::new(run_job),
            block_formats: Arc::default(),
            requests: Vec::new(),
            painter: None,
            resident: Resident::default(),
            picks: Picks::default(),
            reads: Vec::new(),
            panels: Panels::default(),
            ctx: egui::Context::default(),
            comparison: None,
            recorder: None,
            driver: Driver::new(answers),
            frames: Frames::default(),
            size: [0; 2],
            hidden: false,
            title: String::new(),
            asking: false,
            kept: None,
            poses: AwaitedPoses::default(),
        };
        if let Some(quality) = shell.start.quality {
            shell.act(DesktopAction::SetQuality(quality));
        }
        match open {
            // There may be poses among several files.
            Action::Load(LoadAction::OpenAll(files, destination)) => shell.open(files, destination),
            open => shell.act(open),
        }
        shell
    }

    /// Takes a device, and the format of the targets to draw on. After one was lost, images are read again and the
    /// panels' textures are created again, for which there is another [`Shell::ctx`].
    pub fn attach(&mut self, gpu: Gpu, format: wgpu::TextureFormat) {
        let formats = gpu.block_formats();
        // Loads that wait for the formats continue; later loads use those of the newest device.
        if self.block_formats.set(formats).is_err() {
            self.block_formats = Arc::new(OnceLock::from(formats));
        }
        self.ctx = open_context();
        (self.driver.tree, self.frames.dirty) = (None, true);
        self.painter = Some(Painter::new(gpu, format));
        // Nothing is drawn without the lost images if another model comes.
        if self.frames.shown > 0 && self.session.loads().pending(Destination::Shown).is_some() {
            self.make_room();
        }
        let both = [self.session.playback(), self.session.compared().playback()];
        let documents = both.into_iter().filter_map(Playback::document);
        let loads: Vec<_> = documents.map(|document| document.load).collect();
        if self.frames.shown > 0 {
            loads.into_iter().for_each(|load| self.act(LoadAction::Restore(load)));
        }
    }

    /// Drops the device, which was lost, or is closed.
    pub fn detach(&mut self) {
        // A recording draws with the device.
        self.recorder = None;
        self.painter = None;
        self.lose_reads();
        self.picks = Picks::default();
        if let Some(comparison) = &mut self.comparison {
            comparison.heat.lose();
        }
        self.resident.lose();
    }

    /// Says that a recording ended because the device was lost.
    pub fn end_recording(&mut self) {
        let recording = self.session.desktop().recording().map(|recording| recording.id);
        if let (Some(_), Some(id)) = (self.recorder.take(), recording) {
            let result = Err("the graphics device was lost; record it again".to_owned());
            self.act(DesktopAction::Recorded { id, result });
        }
    }

    fn can_draw(&self) -> bool {
        self.painter.is_some() && self.is_visible() && !self.resident.awaits()
    }

    /// Whether to draw a frame now.
    pub fn wants_frame(&self, now: Duration) -> bool {
        let due = self.frames.repaint_at.is_some_and(|at| at <= now);
        self.can_draw() && (self.frames.dirty || due || self.session.is_moving())
    }

    /// The time of the next step or frame if nothing happens before.
    pub fn next_wake(&self, now: Duration) -> Option<Duration> {
        if !self.requests.is_empty() {
            return Some(now);
        }
        let frame = self.frames.repaint_at.filter(|_| self.can_draw());
        let reads = now.checked_add(LOOK_AGAIN).filter(|_| !self.reads.is_empty());
        [self.driver.at, self.picks.next_look(now), reads, frame].into_iter().flatten().min()
    }

    /// Takes the answers of the GPU that have come, and runs the steps of the script that are due.
    pub fn step(&mut self, now: Duration) -> Vec<Request> {
        self.take_answers(now);
        self.take_reads();
        match self.drive(now) {
            Ok(at) => self.driver.at = at,
            Err(what) => self.requests.push(Request::Fail(AppError::Script(what))),
        }
        std::mem::take(&mut self.requests)
    }

    /// Handles a result of a job.
    pub fn take(&mut self, report: Report) {
        match report {
            Report::Answer(action) => self.act(action),
            Report::Read(request, model) => self.upload(*request, model),
            Report::Uploaded(upload) => self.take_upload(*upload),
            Report::HandedOver(files) => {
                self.take_handed_over(files);
                self.requests.push(Request::Focus);
            }
            Report::Compared(id, result) => self.take_comparison(id, result),
            Report::Line(line) => {
                if let Err(what) = self.driver.script.add(line) {
                    self.requests.push(Request::Fail(AppError::Script(what)));
                }
            }
        }
        self.drop_comparison();
        self.take_poses();
        if self.resident.awaits() && self.session.loads().pending(Destination::Shown).is_none() {
            // The awaited model does not come, and the former one has its images or can't have them.
            self.resident.give_up();
            self.frames.dirty = true;
        }
    }

    /// Uploads a model while the former one is still shown. Without a device, the first frame uploads it.
    fn upload(&mut self, request: LoadRequest, model: Box<PreparedModel>) {
        let LoadRequest { id, destination, progress, .. } = request;
        if progress.is_cancelled() {
            return;
        }
        let Some(gpu) = self.gpu().cloned() else {
            return self.act(LoadAction::Loaded { id, result: Ok(LoadedFile::Model(model)) });
        };
        let replaces = destination == Destination::Shown;
        let freed = replaces && Resident::needs_room(&gpu, &model.loaded.model);
        if freed {
            self.make_room();
        }
        (self.run_job)(Job::Upload(Box::new(UploadJob { gpu, id, model })));
        if freed && let Some(document) = self.session.playback().document() {
            // The former model's images are read again if this one does not come.
            self.act(LoadAction::Restore(document.load));
        }
    }

    /// Shows a model that was uploaded.
    fn take_upload(&mut self, upload: UploadedModel) {
        let UploadedModel { id, model, gpu_model, gpu } = upload;
        self.act(LoadAction::Loaded { id, result: Ok(LoadedFile::Model(model)) });
        let shown = self.session.document_of(id).map(|document| &document.model);
        let (Some(painter), Some(shown)) = (&self.painter, shown) else { return };
        match gpu_model {
            Some(gpu_model) if painter.gpu.is_same_device(&gpu) => {
                self.resident.adopt(shown, gpu_model)
            }
            // The copy is on a device that was lost.
            Some(_) => self.act(LoadAction::Restore(id)),
            // The next frame tries once more.
            None => self.resident.give_up(),
        }
    }

    /// Frees the shown model to make room for the next one. The picture on screen stays until that is uploaded.
    fn make_room(&mut self) {
        self.resident.make_room(self.session.playback().document().map(|document| &document.model));
        if let Some(painter) = &mut self.painter {
            painter.free_model();
        }
    }

    /// Applies the answers about what the picture shows that have come, and asks the questions that are due. Only a
    /// changed selection, measure or weight needs another frame.
    fn take_answers(&mut self, now: Duration) {
        let Some(painter) = &mut self.painter else { return };
        let session = &mut self.session;
        let mut effects = Vec::new();
        for answer in self.picks.answers(&painter.gpu, now) {
            let told = |session: &Session| {
                let (selection, measure) =
                    (session.selection().clone(), session.measuring().clone());
                (selection, measure, session.hovered_weight())
            };
            let before = told(session);
            effects.extend(session.apply(PickAction::Take(Box::new(answer))));
            self.frames.dirty |= told(session) != before;
        }
        self.picks.ask(painter, FrameModels::new(session, &self.resident), now);
        self.perform(effects);
    }

    /// Begins a frame: time passes, the panels are laid out, their actions are applied, and the model is posed.
    /// [`Shell::draw`] draws it.
    pub fn frame(&mut self, now: Duration, mut input: egui::RawInput) -> Vec<Request> {
        let Some(mut painter) = self.painter.take() else { return Vec::new() };
        let rests = !self.frames.dirty && self.driver.events.is_empty() && input.events.is_empty();
        (self.frames.dirty, self.frames.repaint_at) = (false, None);
        let mut effects = Vec::new();
        if let Some(before) = self.frames.clock.filter(|_| self.session.is_moving()) {
            let step = now.saturating_sub(before).min(LONGEST_STEP);
            effects.extend(self.session.apply(Action::Advance(step.as_secs_f64())));
            // The frame may not be shown, and time passes once.
            self.frames.clock = Some(now);
        }
        // Only a focused window gets keys, and without a window manager no window is focused.
        input.focused |= self.driver.focused;
        input.events.append(&mut self.driver.events);
        let mut layout = lay_out(&self.ctx, input, &mut self.panels, &self.session, self.size);
        for action in std::mem::take(&mut layout.actions) {
            // The panels were drawn before the action, so the next frame shows its result.
            self.frames.dirty = true;
            effects.extend(self.session.apply(action));
        }
        self.picks.take(&mut effects);
        self.picks.ask(&mut painter, FrameModels::new(&self.session, &self.resident), now);
        let [_, _, width, height] = layout.picture;
        let [width, height] = size_of_one(self.session.compared(), [width, height]);
        let aspect = CameraAction::SetAspect(f64::from(width) / f64::from(height));
        effects.extend(self.session.apply(aspect));
        self.session.pose();
        self.note_missing_fonts();
        self.retitle();
        self.note_output(&mut layout, now);
        let before = self.resident.addresses();
        self.hold_models(&painter.gpu);
        let fresh = before != self.resident.addresses();
        self.frames.laid_out = (now, fresh);
        if fresh {
            self.frames.pace.reset();
        }
        let moment = FrameState {
            view: &self.session.view(),
            plays: self.session.is_moving(),
            rests,
            averages: is_averaged(self.session.look()),
            has_texts: self.session.look().joint_names,
            motion: self.session.desktop().quality(),
        };
        let quality = match self.frames.pace.quality(moment) {
            // A picture shows what the window does when it rests.
            _ if self.driver.picture.is_some() && moment.averages => Quality::Averaged,
            Quality::Hurried(_) if self.driver.picture.is_some() => Quality::Full,
            quality => quality,
        };
        painter.take_layout(layout, quality);
        self.painter = Some(painter);
        self.perform(effects);
        self.order_heat();
        std::mem::take(&mut self.requests)
    }

    fn hold_models(&mut self, gpu: &Gpu) {
        let both = [self.session.playback().document(), self.session.compared().document()];
        let models: Vec<_> = both.into_iter().flatten().map(|document| &document.model).collect();
        self.resident.hold(gpu, &models);
        if let (CompareMode::Heat, Some(comparison)) =
            (self.session.compared().mode(), &mut self.comparison)
        {
            comparison.heat.upload(gpu);
        }
    }

    /// Draws the frame on a target of the format that was attached, as often as needed.
    pub fn draw(&mut self, target: &Target<'_>) {
        let Some(painter) = &mut self.painter else { return };
        let models = FrameModels {
            heat: self.comparison.as_ref().map(|comparison| &comparison.heat),
            ..FrameModels::new(&self.session, &self.resident)
        };
        self.frames.drew = painter.draw(models, &self.ctx, target);
        self.frames.drawn += u64::from(self.frames.drew);
    }

    /// Whether the frame that is laid out is one that a script looks at: it wants a picture of it, or nothing changes any
    /// more before its next step.
    pub fn wants_drawing(&self) -> bool {
        self.driver.picture.is_some() || (self.is_settled() && self.driver.script.begun.is_none())
    }

    /// Whether a script waits for a picture of the frame: [`Shell::write_picture`].
    pub fn wants_picture(&self) -> bool {
        self.driver.picture.is_some()
    }

    /// Begins to read back a frame that was drawn, for the file that the script names.
    pub fn write_picture(&mut self, texture: &wgpu::Texture) {
        let (Some(path), Some(painter)) = (self.driver.picture.take(), &self.painter) else {
            return;
        };
        match picture::window_picture(&painter.gpu, texture) {
            Ok(picture) => self.reads.push(Reading { purpose: Purpose::Window(path), picture }),
            Err(why) => self.driver.written = Some(Err(why)),
        }
    }

    /// Ends a frame that was shown. `cpu` is the time that the CPU took for it.
    pub fn presented(&mut self, now: Duration, cpu: Duration) {
        self.frames.shown += 1;
        self.begin_texture();
        let asked = self.panels.timing().is_open();
        let Some(painter) = &mut self.painter else { return };
        let passes = painter.pass_times(asked);
        if asked {
            self.panels.timing().add(cpu.as_secs_f64() * 1e3, passes);
        }
        // After an upload, the time of uploading and building pipelines does not count as playing time.
        let (began, fresh) = self.frames.laid_out;
        let took = if fresh { Duration::ZERO } else { now.saturating_sub(began) };
        let took = self.frames.drew.then_some(took);
        if let Some(at) = self.frames.pace.shown(took).and_then(|delay| now.checked_add(delay)) {
            self.frames.repaint_at = Some(self.frames.repaint_at.map_or(at, |other| other.min(at)));
        }
        self.frames.clock = self.session.is_moving().then_some(if fresh { now } else { began });
    }

    /// Tries the frame again soon, because there was no texture to draw it on.
    pub fn retry(&mut self, now: Duration) {
        // Without a delay, a surface that is never ready would keep a core busy.
        self.frames.repaint_at = Some(now + RETRY);
    }

    /// Handles egui's output: pointer, clipboard, accessibility tree, next frame.
    fn note_output(&mut self, layout: &mut PanelOutput, now: Duration) {
        let output = std::mem::take(&mut layout.output.platform_output);
        self.driver.tree = output.accesskit_update.clone().filter(|_| self.driver.listed);
        self.requests.push(Request::Output(Box::new(output)));
        let delay = repaint_delay(&layout.output);
        if delay.is_zero() {
            self.frames.dirty = true;
        } else {
            self.frames.repaint_at = now.checked_add(delay);
        }
    }

    /// Shows a notice about characters without a font, unless another notice is shown.
    fn note_missing_fonts(&mut self) {
        if self.session.notice().is_none()
            && let Some(message) = missing_font_message()
        {
            self.act(Action::Notice(NoticeKind::Warning, message));
        }
    }

    fn retitle(&mut self) {
        let title = self.session.playback().title();
        if title != self.title {
            self.requests.push(Request::SetTitle(title.clone()));
            self.title = title;
        }
    }

    /// Takes a result, unless another comparison was started.
    fn take_comparison(&mut self, id: LoadId, result: ComparisonResult) {
        let is_of = |comparison: &&mut Comparison| comparison.comparer.id == id;
        let Some(Comparison { comparer, heat }) = self.comparison.as_mut().filter(is_of) else {
            return;
        };
        let next = match result {
            ComparisonResult::Difference(difference, pair) => {
                let next = comparer.take(pair, None);
                self.act(ComparedAction::Measured { id, result: Box::new(Ok(*difference)) });
                next
            }
            ComparisonResult::Failed(why) => {
                comparer.fail();
                self.act(ComparedAction::Measured { id, result: Box::new(Err(why)) });
                None
            }
            ComparisonResult::Heat { request, pair, model, colours } => {
                model.into_iter().for_each(|model| heat.take_model(model));
                if let Some(colours) = colours {
                    heat.take(colours);
                    // While the clip plays, the next frame comes anyway.
                    self.frames.dirty |= !self.session.playback().is_moving();
                }
                comparer.take(pair, Some(request))
            }
        };
        next.into_iter().for_each(|job| (self.run_job)(job));
    }

    /// Ends the comparison if only one model is left: it keeps both models.
    fn drop_comparison(&mut self) {
        if !self.session.compared().is_shown() {
            self.comparison = None;
        }
    }

    /// Orders the colours of the shown instant, if they are shown. While the clip plays, they are answered as fast as
    /// they can be, and no frame waits for them.
    fn order_heat(&mut self) {
        let (compared, playback) = (self.session.compared(), self.session.playback());
        if compared.mode() != CompareMode::Heat {
            return;
        }
        let order = compared.moment(playback).zip(compared.hottest(playback));
        if let (Some(comparison), Some((moment, hottest))) = (&mut self.comparison, order) {
            let next = comparison.comparer.order(HeatRequest { moment, hottest });
            next.into_iter().for_each(|job| (self.run_job)(job));
        }
    }
}
