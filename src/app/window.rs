//! The application: the event loop's callbacks, and the session that they change.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy};
use winit::window::{Fullscreen, Theme, Window, WindowId};

use super::dialog::ask_for_file;
use super::drive::Driver;
use super::live::{Live, open_painter};
use super::script::Script;
use super::{AppError, Start, Wake, one_line};
use crate::render::GpuError;
use crate::viewer::{Action, Effect, FileSource, Loader, Viewer};

/// Devices lost one after the other, with no frame between, before the window gives up.
const LOST_TOO_OFTEN: u32 = 3;

/// What is said where the system has no dialog to choose a file in.
const NO_DIALOG: &str =
    "no file dialog here: start rigview with a path, or drop a file on the window";

/// The session and its window.
pub(super) struct App {
    start: Start,
    proxy: EventLoopProxy<Wake>,
    pub(super) viewer: Viewer,
    loader: Loader,
    pub(super) live: Option<Live>,
    pub(super) driver: Driver,
    asking: bool,
    lost: u32,
    failure: Option<AppError>,
}

impl App {
    /// A session that already reads its first file while the window opens.
    pub fn new(start: Start, answers: Box<dyn Write>, proxy: EventLoopProxy<Wake>) -> Self {
        let woken = proxy.clone();
        let loader = Loader::new(move || {
            // Nobody listens any more when the window has been closed.
            let _ = woken.send_event(Wake::Loaded);
        });
        if let Some(source) = start.script.clone() {
            Script::read(source, proxy.clone());
        }
        let viewer = Viewer::new(start.session.clone());
        let (driver, file) = (Driver::new(answers), start.file.clone());
        let mut app = Self {
            start,
            proxy,
            viewer,
            loader,
            live: None,
            driver,
            asking: false,
            lost: 0,
            failure: None,
        };
        if let Some(file) = file {
            app.act(Action::Open(file));
        }
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
            match (effect, &self.live) {
                (Effect::Load(request), _) => self.loader.start(request),
                (Effect::AskForFile, Some(live)) if !self.asking => {
                    self.asking = true;
                    ask_for_file(&live.window, self.proxy.clone());
                }
                (Effect::ToggleFullScreen, Some(live)) => {
                    let fill = live.window.fullscreen().is_none();
                    live.window.set_fullscreen(fill.then_some(Fullscreen::Borderless(None)));
                }
                (Effect::AskForFile | Effect::ToggleFullScreen, _) => {}
            }
        }
    }

    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let [width, height] = self.start.size;
        let attributes = Window::default_attributes()
            .with_title("rigview")
            .with_theme(Some(Theme::Dark))
            .with_inner_size(PhysicalSize::new(width, height));
        let window = event_loop
            .create_window(attributes)
            .map_err(|e| AppError::Window(one_line(&e.to_string())))?;
        let window = Arc::new(window);
        let painter = self.painter(event_loop, &window)?;
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
                if let Some(live) = &mut self.live {
                    live.replace_painter(painter);
                }
            }
            Err(error) => self.fail(event_loop, error.into()),
        }
    }

    /// What the window is told, by the system or by a script.
    pub(super) fn hear(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) {
        let Some(live) = &mut self.live else { return };
        if *event == WindowEvent::RedrawRequested {
            return self.draw(event_loop);
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
            WindowEvent::DroppedFile(path) if live.shift => {
                self.act(Action::TakeClips(FileSource::Path(path.clone())));
            }
            WindowEvent::DroppedFile(path) => self.act(Action::open(path)),
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
            Wake::Loaded => {
                while let Some(loaded) = self.loader.poll() {
                    self.act(loaded);
                    if let Some(live) = &mut self.live {
                        live.restart_clock();
                    }
                }
            }
            Wake::Chosen(path) => {
                self.asking = false;
                path.into_iter().for_each(|path| self.act(Action::open(path)));
            }
            Wake::NoDialog => {
                self.asking = false;
                self.act(Action::Notice(NO_DIALOG.into()));
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
        let script_at = match self.drive(event_loop, now) {
            Ok(at) => at,
            Err(what) => return self.fail(event_loop, AppError::Script(what)),
        };
        let Some(live) = &self.live else { return };
        let mut next = script_at;
        if live.wants_frame(&self.viewer, now) {
            live.window.request_redraw();
        } else if let Some(at) = live.next_frame() {
            next = Some(next.map_or(at, |n: Instant| n.min(at)));
        }
        event_loop.set_control_flow(match next {
            Some(at) => ControlFlow::WaitUntil(at.max(now + Duration::from_millis(1))),
            None => ControlFlow::Wait,
        });
    }
}
