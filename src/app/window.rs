//! The application: the event loop's callbacks and the session that they change.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Fullscreen, WindowId};

use super::comparer::Comparer;
use super::dialog::Wanted;
use super::driver::Driver;
use super::engine::measure_skin;
use super::live::Live;
use super::pose_step::PoseUse;
use super::recorder::Recorder;
use super::resident::{Resident, Upload};
use super::script::Script;
use super::settings::Kept;
use super::taken::Taken;
use super::wake::Wake;
use super::watch::Watcher;
use super::{AppError, Start};
use crate::import::Loaded;
use crate::session::{
    Action, ComparedAction, DesktopAction, Effect, EngineAction, LoadAction, LoadId, Loader,
    NoticeKind, Session,
};

/// The message on a system without file dialogs.
const NO_DIALOG: &str =
    "no file dialog here: start rigview with a path, or drop a file on the window";

/// The session and its window.
pub(super) struct App {
    pub(super) start: Start,
    pub(super) proxy: EventLoopProxy<Wake>,
    pub(super) session: Session,
    pub(super) loader: Loader,
    watcher: Watcher,
    /// Files and folders of one drop, which arrive one by one.
    dropped: Vec<PathBuf>,
    /// What is done with them.
    dropped_as: Taken,
    /// The comparison of two models.
    pub(super) comparer: Option<Comparer>,
    /// The recording that runs. It ends before the device is closed.
    pub(super) recorder: Option<Recorder>,
    pub(super) live: Option<Live>,
    pub(super) driver: Driver,
    pub(super) asking: bool,
    /// The settings that were read or written last; `None` until they have been restored, or without any.
    pub(super) kept: Option<Kept>,
    /// Number of devices lost in a row.
    pub(super) lost: u32,
    failure: Option<AppError>,
}

impl App {
    /// Returns an application that reads its first file while the window opens.
    pub fn new(mut start: Start, answers: Box<dyn Write>, proxy: EventLoopProxy<Wake>) -> Self {
        let woken = proxy.clone();
        let loader = Loader::new(move || {
            // The event loop is gone if the window has been closed.
            let _ = woken.send_event(Wake::Loaded);
        });
        if let Some(source) = start.script.clone() {
            Script::read(source, proxy.clone());
        }
        let session = Session::new(start.session.clone());
        let open = std::mem::replace(&mut start.open, Action::Dismiss);
        let mut app = Self {
            start,
            session,
            loader,
            watcher: Watcher::new(proxy.clone()),
            proxy,
            dropped: Vec::new(),
            dropped_as: Taken::Opened,
            comparer: None,
            recorder: None,
            live: None,
            driver: Driver::new(answers),
            asking: false,
            kept: None,
            lost: 0,
            failure: None,
        };
        app.act(open);
        app
    }

    /// The reason why the window had to close, if any.
    pub fn result(self) -> Result<(), AppError> {
        self.failure.map_or(Ok(()), Err)
    }

    /// Ends the program with an error.
    pub(super) fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        self.failure.get_or_insert(error);
        event_loop.exit();
    }

    /// Applies an action that does not come from the panels.
    pub(super) fn act(&mut self, action: impl Into<Action>) {
        let effects = self.session.apply(action);
        self.perform(effects);
        if let Some(live) = &mut self.live {
            live.dirty = true;
        }
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Load(request) => self.loader.start(request),
                Effect::LoadEnvironment { id, path } => self.loader.start_environment(id, path),
                Effect::Find(search) => self.loader.find(search),
                Effect::Check(request) => self.loader.check(request),
                Effect::Watch(files) => self.watcher.watch(files, Instant::now()),
                Effect::Upload { id, loaded } => self.upload(id, loaded),
                Effect::SavePicture { bare } => self.save_picture(bare),
                Effect::CopyPicture => self.copy_picture(),
                Effect::Pick(question) => {
                    self.live.iter_mut().for_each(|live| live.picks.add(question));
                }
                Effect::MeasureSkin(load, shown) => measure_skin(load, shown, self.proxy.clone()),
                Effect::AskToSavePose => self.ask_for_pose(PoseUse::Save),
                Effect::AskForPose => self.ask_for_pose(PoseUse::Load),
                Effect::Desktop(effect) => self.perform_desktop(effect),
                Effect::AskForFile => self.ask_for_file(Wanted::Model),
                Effect::AskForClips => self.ask_for_file(Wanted::Clips),
                Effect::AskForFileBeside => self.ask_for_file(Wanted::Beside),
                Effect::AskForEnvironment => self.ask_for_file(Wanted::Environment),
                Effect::Compare(request) => self.compare(request),
                Effect::ToggleFullScreen => {
                    let Some(live) = &self.live else { continue };
                    let fill = live.window.fullscreen().is_none();
                    live.window.set_fullscreen(fill.then_some(Fullscreen::Borderless(None)));
                }
            }
        }
    }

    /// Uploads a model while the former one is still shown. Without a device, the first frame uploads it.
    fn upload(&mut self, id: LoadId, loaded: Box<Loaded>) {
        let gpu = self.live.as_mut().and_then(Live::painter).map(|painter| painter.gpu.clone());
        let Some((live, gpu)) = self.live.as_mut().zip(gpu) else {
            return self.act(LoadAction::Uploaded { id, loaded });
        };
        let replaces = self.session.loads().pending().is_some_and(|pending| pending.id == id);
        let freed = replaces && Resident::needs_room(&gpu, &loaded.model);
        if freed {
            live.make_room(&self.session);
        }
        live.resident.start(gpu, id, loaded);
        if freed && let Some(document) = self.session.exhibit().document() {
            // The former model's images are read again if this one does not come.
            self.act(LoadAction::Restore(document.load));
        }
    }

    fn draw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(live) = &mut self.live else { return };
        if !live.is_visible() {
            return;
        }
        match live.frame(&mut self.session) {
            Ok(effects) => {
                self.lost = 0;
                self.perform(effects);
                self.order_heat();
            }
            Err(error) => self.reopen(event_loop, &error.to_string()),
        }
    }

    /// Handles loads and uploads that have ended.
    fn take_loads(&mut self) {
        while let Some(action) = self.loader.poll() {
            self.act(action);
        }
        while let Some(upload) = self.live.as_ref().and_then(|live| live.resident.poll()) {
            self.take_upload(upload);
        }
        self.take_comparison();
        let Some(live) = &mut self.live else { return };
        if live.resident.awaits() && self.session.loads().pending().is_none() {
            // The awaited model does not come, and the former one has its images or can't have them.
            live.resident.give_up();
            live.dirty = true;
        }
    }

    fn take_upload(&mut self, upload: Upload) {
        let Upload { id, loaded, uploaded } = upload;
        self.act(LoadAction::Uploaded { id, loaded });
        let model = self.session.document_of(id).map(|document| &document.model);
        let (Some(live), Some(model)) = (&mut self.live, model) else { return };
        let (painter, resident) = live.painter_and_resident();
        let Some(painter) = painter else { return };
        if !resident.adopt(&painter.gpu, model, uploaded) {
            self.act(LoadAction::Restore(id));
        }
    }

    /// Opens the files and folders that were dropped or chosen together.
    pub(super) fn take_drops(&mut self) {
        let dropped = std::mem::take(&mut self.dropped);
        let dropped = self.take_poses(dropped);
        let taken = std::mem::take(&mut self.dropped_as);
        match taken {
            _ if dropped.is_empty() => {}
            Taken::Opened => self.act(Action::Load(LoadAction::OpenAll(dropped))),
            Taken::ForClips => self.act(Action::Load(LoadAction::TakeClipsOfAll(dropped))),
            Taken::Beside => self.act(ComparedAction::OpenAll(dropped)),
        }
    }

    /// Handles an event of the window, from the system or from a script.
    pub(super) fn handle(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) {
        let Some(live) = &mut self.live else { return };
        if *event == WindowEvent::RedrawRequested {
            return self.draw(event_loop);
        }
        if live.resident.awaits() && is_escape(event) {
            // No frame is drawn in which the panels would handle the key.
            return self.act(Action::Escape);
        }
        let response = live.input.on_window_event(&live.window, event);
        live.dirty |= response.repaint;
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => live.dirty = true,
            WindowEvent::Occluded(hidden) => {
                live.hidden = *hidden;
                live.dirty = true;
                live.restart_clock();
            }
            WindowEvent::ModifiersChanged(now) => live.dropped_as = Taken::with(now.state()),
            WindowEvent::DroppedFile(path) => {
                self.dropped_as = live.dropped_as;
                self.dropped.push(path.clone());
            }
            _ => {}
        }
    }
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.live.is_none()
            && let Err(error) = self.open(event_loop)
        {
            self.fail(event_loop, error);
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        self.handle(event_loop, &event);
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, wake: Wake) {
        match wake {
            Wake::Loaded => self.take_loads(),
            Wake::Stirred => self.watcher.stirred(Instant::now()),
            Wake::Chosen(path, taken) => {
                self.asking = false;
                self.dropped_as = taken;
                self.dropped.extend(path);
            }
            Wake::Measured(load, error) => self.act(EngineAction::Take(load, error)),
            Wake::Recorded(id, result) => self.act(DesktopAction::Recorded { id, result }),
            Wake::PoseChosen(answer) => self.use_pose_file(answer),
            Wake::HandedOver(files) => self.take_handed_over(files),
            Wake::NoDialog => {
                self.asking = false;
                self.act(Action::Notice(NoticeKind::Warning, NO_DIALOG.into()));
            }
            Wake::AccessKit(event) => {
                self.live.iter_mut().for_each(|live| live.heed(event.clone()))
            }
            Wake::Answered(question, path) => self.take_answer(question, path),
            #[cfg(target_os = "linux")]
            Wake::SystemTheme(theme) => {
                self.live.iter_mut().for_each(|live| live.follow_system(theme));
            }
            Wake::DeviceLost(why) => self.reopen(event_loop, &why),
            Wake::Line(line) => {
                if let Err(what) = self.driver.add(line) {
                    self.fail(event_loop, AppError::Script(what));
                }
            }
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.keep_settings();
        // The window and its clipboard use the connection to the display, which the event loop closes. The recording
        // draws with the window's device, so it ends first.
        self.recorder = None;
        self.live = None;
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let now = Instant::now();
        self.take_drops();
        let changed = self.watcher.changed(now);
        if !changed.is_empty() {
            self.act(Action::Load(LoadAction::FilesChanged(changed)));
        }
        self.live.iter_mut().for_each(|live| live.take_answers(&mut self.session, now));
        self.keep_changes();
        let script_at = match self.drive(event_loop, now) {
            Ok(at) => at,
            Err(what) => return self.fail(event_loop, AppError::Script(what)),
        };
        let Some(live) = &self.live else { return };
        let mut next = earlier(script_at, self.watcher.next_look());
        next = earlier(next, live.picks.next_look(now));
        if live.wants_frame(&self.session, now) {
            live.window.request_redraw();
        } else if let Some(at) = live.next_frame() {
            next = earlier(next, Some(at));
        }
        event_loop.set_control_flow(match next {
            Some(at) => ControlFlow::WaitUntil(at.max(now + Duration::from_millis(1))),
            None => ControlFlow::Wait,
        });
    }
}

/// Whether the event is a press of Escape.
fn is_escape(event: &WindowEvent) -> bool {
    let WindowEvent::KeyboardInput { event, .. } = event else { return false };
    event.state.is_pressed() && event.logical_key == Key::Named(NamedKey::Escape)
}

fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    a.into_iter().chain(b).min()
}
