//! The application: the event loop's callbacks, and the session that they change.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Fullscreen, Theme, Window, WindowId};

use super::dialog::ask_for_file;
use super::drive::Driver;
use super::live::{Live, open_painter};
use super::picture::{color_image, picture_name, save_picture};
use super::script::Script;
use super::upload::{self, Uploaded, Uploads};
use super::watch::Watcher;
use super::{AppError, Start, Wake, one_line};
use crate::model::Model;
use crate::render::GpuError;
use crate::viewer::{Action, Effect, Loader, NoticeKind, Viewer};

/// Devices lost one after the other, with no frame between, before the window gives up.
const LOST_TOO_OFTEN: u32 = 3;

/// Bytes of a model from which on the one before it goes first, where the GPU takes the program's own
/// memory.
const LARGE: usize = 32 << 20;

/// The smallest size in points that the window can be given by hand, unless it was asked to open smaller.
const LEAST: [u32; 2] = [480, 320];

/// What is said where the system has no dialog to choose a file in.
const NO_DIALOG: &str =
    "no file dialog here: start rigview with a path, or drop a file on the window";

/// The session and its window.
pub(super) struct App {
    start: Start,
    proxy: EventLoopProxy<Wake>,
    pub(super) viewer: Viewer,
    loader: Loader,
    uploads: Uploads,
    watcher: Watcher,
    /// Files and folders of one drop, which come one by one.
    dropped: Vec<PathBuf>,
    /// Whether Shift was held for it: only clips are taken.
    dropped_for_clips: bool,
    pub(super) live: Option<Live>,
    pub(super) driver: Driver,
    asking: bool,
    lost: u32,
    failure: Option<AppError>,
}

impl App {
    /// A session that already reads its first file while the window opens.
    pub fn new(mut start: Start, answers: Box<dyn Write>, proxy: EventLoopProxy<Wake>) -> Self {
        let woken = proxy.clone();
        let loader = Loader::new(move || {
            // Nobody listens any more when the window has been closed.
            let _ = woken.send_event(Wake::Loaded);
        });
        if let Some(source) = start.script.clone() {
            Script::read(source, proxy.clone());
        }
        let viewer = Viewer::new(start.session.clone());
        let open = std::mem::replace(&mut start.open, Action::Dismiss);
        let mut app = Self {
            start,
            viewer,
            loader,
            uploads: Uploads::new(proxy.clone()),
            watcher: Watcher::new(proxy.clone()),
            proxy,
            dropped: Vec::new(),
            dropped_for_clips: false,
            live: None,
            driver: Driver::new(answers),
            asking: false,
            lost: 0,
            failure: None,
        };
        app.act(open);
        app
    }

    /// How it ended.
    pub fn result(self) -> Result<(), AppError> {
        self.failure.map_or(Ok(()), Err)
    }

    /// Ends the program because of this.
    pub(super) fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        self.failure.get_or_insert(error);
        event_loop.exit();
    }

    /// Changes the session from outside the panels.
    pub(super) fn act(&mut self, action: Action) {
        let effects = self.viewer.apply(action);
        self.perform(effects);
        if let Some(live) = &mut self.live {
            live.dirty = true;
        }
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::SavePicture { .. } | Effect::CopyPicture = effect {
                self.take_picture(&effect);
                continue;
            }
            match (effect, &self.live) {
                (Effect::Load(request), _) => self.loader.start(request),
                (Effect::LoadEnvironment { id, path }, _) => {
                    self.loader.start_environment(id, path)
                }
                (Effect::Find(search), _) => self.loader.find(search),
                (Effect::Watch(files), _) => self.watcher.watch(files, Instant::now()),
                (effect @ (Effect::AskForFile | Effect::AskForEnvironment), Some(live))
                    if !self.asking =>
                {
                    self.asking = true;
                    let environment = effect == Effect::AskForEnvironment;
                    ask_for_file(&live.window, environment, self.proxy.clone());
                }
                (Effect::ToggleFullScreen, Some(live)) => {
                    let fill = live.window.fullscreen().is_none();
                    live.window.set_fullscreen(fill.then_some(Fullscreen::Borderless(None)));
                }
                _ => {}
            }
        }
    }

    /// Writes or copies a picture of what is shown, and says what came of it.
    fn take_picture(&mut self, wanted: &Effect) {
        let Some(live) = &mut self.live else { return };
        let bare = matches!(wanted, Effect::SavePicture { bare: true });
        let taken = match live.painter() {
            Some(painter) => painter.still(&self.viewer, bare).map_err(|e| e.to_string()),
            None => return,
        };
        let said = taken.and_then(|picture| {
            if *wanted == Effect::CopyPicture {
                live.input.egui_ctx().copy_image(color_image(&picture));
                return Ok("The picture is on the clipboard".to_owned());
            }
            let path = save_picture(&picture, &picture_name(&self.viewer))?;
            Ok(format!("Saved {}", path.display()))
        });
        self.act(match said {
            Ok(done) => Action::Notice(NoticeKind::Done, done),
            Err(why) => Action::Notice(NoticeKind::Warning, format!("No picture: {why}")),
        });
    }

    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let [width, height] = self.start.size;
        let attributes = Window::default_attributes()
            .with_title("rigview")
            .with_theme(Some(Theme::Dark))
            .with_inner_size(LogicalSize::new(width, height))
            .with_min_inner_size(LogicalSize::new(width.min(LEAST[0]), height.min(LEAST[1])));
        let window = event_loop
            .create_window(attributes)
            .map_err(|e| AppError::Window(one_line(&e.to_string())))?;
        let window = Arc::new(window);
        let painter = self.painter(event_loop, &window)?;
        self.loader.set_block_formats(painter.gpu.block_formats());
        self.live = Some(Live::new(window, painter));
        Ok(())
    }

    fn painter(
        &self,
        event_loop: &ActiveEventLoop,
        window: &Arc<Window>,
    ) -> Result<super::frame::Painter, GpuError> {
        let (choice, display) = (&self.start.adapter, event_loop.owned_display_handle());
        open_painter(window, choice, display, self.proxy.clone(), self.start.script.is_some())
    }

    fn draw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(live) = &mut self.live else { return };
        if !live.is_visible() {
            return;
        }
        match live.frame(&mut self.viewer) {
            Ok(effects) => {
                self.lost = 0;
                self.perform(effects);
            }
            Err(error) => self.reopen(event_loop, &error.to_string()),
        }
    }

    /// Opens a device again after one was lost; the model is still there to be uploaded.
    pub(super) fn reopen(&mut self, event_loop: &ActiveEventLoop, why: &str) {
        self.lost += 1;
        log::warn!("the device was lost: {}", one_line(why));
        let Some(live) = &mut self.live else { return };
        live.drop_painter();
        let window = Arc::clone(&live.window);
        if self.lost > LOST_TOO_OFTEN {
            let error = GpuError::Device(format!("lost again and again: {}", one_line(why)));
            return self.fail(event_loop, error.into());
        }
        match self.painter(event_loop, &window) {
            Ok(painter) => {
                self.loader.set_block_formats(painter.gpu.block_formats());
                if let Some(live) = &mut self.live {
                    live.replace_painter(painter);
                }
                // The pixels of its images went with the device. What is on its way comes first; if
                // nothing comes of that, they are read then.
                let has_images = |model: &Model| !model.images.is_empty();
                if self.viewer.document().is_some_and(|d| has_images(&d.model)) {
                    let painter = self.live.as_mut().and_then(Live::painter);
                    match painter.filter(|_| self.viewer.loading().is_some()) {
                        Some(painter) => painter.make_room(),
                        None => self.act(Action::Restore),
                    }
                }
            }
            Err(error) => self.fail(event_loop, error.into()),
        }
    }

    /// Takes in loads that have ended. A model goes to the GPU first, while the one before it is
    /// still shown.
    fn take_loads(&mut self) {
        while let Some(action) = self.loader.poll() {
            let wanted = self.viewer.loading().map(|l| l.id);
            // Clips need no GPU.
            let for_clips = self.viewer.loading().is_some_and(|l| l.for_clips);
            let painter = self.live.as_mut().and_then(Live::painter);
            match (action, painter) {
                (Action::Loaded { id, result }, Some(painter))
                    if result.is_ok() && wanted == Some(id) && !for_clips =>
                {
                    if let Ok(loaded) = *result {
                        if painter.gpu.shares_memory() && upload::bytes(&loaded.model) > LARGE {
                            painter.make_room();
                        }
                        self.uploads.start(painter.gpu.clone(), id, loaded);
                    }
                }
                (action, _) => self.act(action),
            }
        }
        while let Some(uploaded) = self.uploads.poll() {
            self.take_upload(uploaded);
        }
        let painter = self.live.as_mut().and_then(Live::painter);
        if let Some(painter) = painter.filter(|p| p.awaits() && self.viewer.loading().is_none()) {
            // Nothing comes after all. What was shown is read again, since its pixels are gone.
            painter.give_up();
            self.act(Action::Restore);
        }
    }

    fn take_upload(&mut self, uploaded: Uploaded) {
        let Uploaded { id, loaded, twin, gpu } = uploaded;
        let wanted = self.viewer.loading().is_some_and(|l| l.id == id);
        self.act(Action::Loaded { id, result: Box::new(Ok(loaded)) });
        let Some(live) = &mut self.live else { return };
        let model = self.viewer.document().map(|d| &d.model);
        let (Some(painter), Some(model), true) = (live.painter(), model, wanted) else { return };
        match twin {
            Some(twin) if painter.gpu.is(&gpu) => painter.adopt(model, twin),
            // Its pixels went with a device that was lost meanwhile.
            Some(_) => self.act(Action::Restore),
            // It still has its pixels, and is uploaded by the next frame.
            None => painter.give_up(),
        }
    }

    /// Opens what was dropped or chosen: files and folders that came together.
    pub(super) fn take_drops(&mut self) {
        let dropped = std::mem::take(&mut self.dropped);
        let for_clips = std::mem::take(&mut self.dropped_for_clips);
        match for_clips {
            _ if dropped.is_empty() => {}
            true => self.act(Action::TakeClipsOfAll(dropped)),
            false => self.act(Action::OpenAll(dropped)),
        }
    }

    /// What the window is told, by the system or by a script.
    pub(super) fn hear(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) {
        let Some(live) = &mut self.live else { return };
        if *event == WindowEvent::RedrawRequested {
            return self.draw(event_loop);
        }
        if live.awaits() && is_escape(event) {
            // No frame is drawn, in which the panels would hear it.
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
            WindowEvent::ModifiersChanged(now) => live.shift = now.state().shift_key(),
            WindowEvent::DroppedFile(path) => {
                self.dropped_for_clips = live.shift;
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
        self.hear(event_loop, &event);
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, wake: Wake) {
        match wake {
            Wake::Loaded => self.take_loads(),
            Wake::Stirred => self.watcher.stirred(Instant::now()),
            Wake::Chosen(path) => {
                self.asking = false;
                self.dropped.extend(path);
            }
            Wake::NoDialog => {
                self.asking = false;
                self.act(Action::Notice(NoticeKind::Warning, NO_DIALOG.into()));
            }
            Wake::DeviceLost(why) => self.reopen(event_loop, &why),
            Wake::Line(line) => {
                if let Err(what) = self.driver.hear(line) {
                    self.fail(event_loop, AppError::Script(what));
                }
            }
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let now = Instant::now();
        self.take_drops();
        let changed = self.watcher.changed(now);
        if !changed.is_empty() {
            self.act(Action::FilesChanged(changed));
        }
        let script_at = match self.drive(event_loop, now) {
            Ok(at) => at,
            Err(what) => return self.fail(event_loop, AppError::Script(what)),
        };
        let Some(live) = &self.live else { return };
        let mut next = earlier(script_at, self.watcher.next_look());
        if live.wants_frame(&self.viewer, now) {
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

/// Whether Escape goes down.
fn is_escape(event: &WindowEvent) -> bool {
    let WindowEvent::KeyboardInput { event, .. } = event else { return false };
    event.state.is_pressed() && event.logical_key == Key::Named(NamedKey::Escape)
}

fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    a.into_iter().chain(b).min()
}
