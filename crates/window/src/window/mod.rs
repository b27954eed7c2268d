//! The window: events of the system become input of the shell, and requests of the shell are performed.

mod dialogs;
#[cfg(target_os = "linux")]
mod lost_drops;
mod place;
mod reuse;
mod run;
mod screen;
#[cfg(target_os = "linux")]
mod theme;
mod wake;
mod watch;

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui_winit::accesskit_winit::WindowEvent as AccessEvent;
use winit::application::ApplicationHandler;
use winit::dpi::{LogicalSize, PhysicalSize};
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Fullscreen, Icon, Window, WindowAttributes, WindowId};

use self::place::{USUAL, at_place, place_of, screens, window_theme};
use self::screen::{Acquired, Screen};
use self::wake::Wake;
use self::watch::Watcher;
use super::AppError;
use super::workers::Workers;
use rigview_render::{Gpu, GpuError, Target, joined_lines};
use rigview_session::{Action, Destination};
use rigview_shell::settings::{self, Settings};
use rigview_shell::{Request, Shell, dropped_with};

pub use self::reuse::hand_over;
pub use self::run::run;

/// Minimum size of the window in points, unless it was requested to open smaller.
const LEAST: [u32; 2] = [480, 320];

/// Number of devices that may be lost in a row, without a frame in between, before the window gives up.
const LOST_TOO_OFTEN: u32 = 3;

/// The name of the desktop entry, `rigview.desktop`.
#[cfg(target_os = "linux")]
const APP_ID: &str = "rigview";

/// The icon as a PNG. On Wayland, the icon of the desktop entry is shown instead.
const ICON: &[u8] = include_bytes!("../../../../assets/icon/rigview-64.png");

/// An open window.
struct Live {
    window: Arc<Window>,
    /// `None` only while another device is opened.
    screen: Option<Screen>,
    input: egui_winit::State,
}

/// The shell and its window.
struct App {
    shell: Shell,
    workers: Rc<Workers>,
    /// The start of all times.
    began: Instant,
    proxy: EventLoopProxy<Wake>,
    watcher: Watcher,
    live: Option<Live>,
    /// Files and folders of one drop, which arrive one by one, and where they go by the keys that were held.
    dropped: Vec<PathBuf>,
    destination: Destination,
    /// Where a drop would go by the keys that are held.
    held: Destination,
    /// Number of devices lost in a row.
    lost: u32,
    failure: Option<AppError>,
}

impl App {
    /// Returns an application whose shell reads its first file while the window opens.
    fn new(shell: Shell, workers: Rc<Workers>, proxy: EventLoopProxy<Wake>) -> Self {
        Self {
            shell,
            workers,
            began: Instant::now(),
            watcher: Watcher::new(proxy.clone()),
            proxy,
            live: None,
            dropped: Vec::new(),
            destination: Destination::Shown,
            held: Destination::Shown,
            lost: 0,
            failure: None,
        }
    }

    /// The reason why the window had to close, if any.
    fn result(self) -> Result<(), AppError> {
        self.failure.map_or(Ok(()), Err)
    }

    /// Ends the program with an error.
    fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        self.failure.get_or_insert(error);
        event_loop.exit();
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn perform(&mut self, event_loop: &ActiveEventLoop, requests: Vec<Request>) {
        for request in requests {
            let Some(live) = &mut self.live else { return };
            match request {
                Request::SetTitle(title) => live.window.set_title(&title),
                Request::SetTheme(theme) => live.window.set_theme(window_theme(theme)),
                Request::ToggleFullScreen => {
                    let fill = live.window.fullscreen().is_none();
                    live.window.set_fullscreen(fill.then_some(Fullscreen::Borderless(None)));
                }
                Request::Resize([width, height]) => {
                    // A system that resizes at once sends no event.
                    let size = PhysicalSize::new(width, height);
                    if let Some(size) = live.window.request_inner_size(size) {
                        self.handle(event_loop, &WindowEvent::Resized(size));
                    }
                }
                Request::Minimise(on) => live.window.set_minimized(on),
                Request::Focus => {
                    live.window.set_minimized(false);
                    live.window.focus_window();
                }
                Request::Watch(files) => self.watcher.watch(files, Instant::now()),
                Request::Ask(dialog) => dialogs::ask(&live.window, dialog, self.proxy.clone()),
                Request::Output(output) => {
                    live.input.handle_platform_output(&live.window, *output);
                }
                Request::Reopen(why) => self.reopen(event_loop, &why),
                Request::Close => event_loop.exit(),
                Request::Fail(error) => self.fail(event_loop, error),
            }
        }
    }

    /// Draws a frame and presents it.
    fn draw(&mut self, event_loop: &ActiveEventLoop) {
        let now = self.now();
        let Some(live) = &mut self.live else { return };
        if !self.shell.is_visible() {
            return;
        }
        let (Some(screen), Some(gpu)) = (&mut live.screen, self.shell.gpu()) else { return };
        screen.resize(gpu, size_of(&live.window));
        let input = live.input.take_egui_input(&live.window);
        let requests = self.shell.frame(now, input);
        let shown = self.present(now);
        self.perform(event_loop, requests);
        match shown {
            Ok(()) => self.lost = 0,
            Err(error) => self.reopen(event_loop, &error.to_string()),
        }
    }

    /// Draws the frame that is laid out on the next texture of the swap chain.
    fn present(&mut self, began: Duration) -> Result<(), GpuError> {
        let shell = &mut self.shell;
        let screen = self.live.as_mut().and_then(|live| live.screen.as_mut());
        let (Some(screen), Some(gpu)) = (screen, shell.gpu().cloned()) else { return Ok(()) };
        let before = Instant::now();
        let acquired = screen.acquire(&gpu)?;
        let mut waited = before.elapsed();
        let swapped = match acquired {
            Acquired::Texture(texture) => texture,
            Acquired::Retry => {
                shell.retry(self.began.elapsed());
                return Ok(());
            }
            Acquired::Hidden => {
                shell.hide(true);
                return Ok(());
            }
        };
        // If the swap chain can't be read, the same frame is also drawn on a texture of the same kind.
        let stand_in = (shell.wants_picture() && !screen.readable).then(|| screen.stand_in(&gpu));
        for texture in stand_in.iter().chain([&swapped.texture]) {
            let view = &screen.view(texture);
            let [width, height] = screen.size();
            let (format, rect) = (screen.view_format, [0, 0, width, height]);
            shell.draw(&Target { view, format, rect, part: None });
        }
        if shell.wants_picture() {
            shell.write_picture(stand_in.as_ref().unwrap_or(&swapped.texture));
        }
        let before = Instant::now();
        gpu.queue.present(swapped);
        waited += before.elapsed();
        let now = self.began.elapsed();
        shell.presented(now, now.saturating_sub(began + waited));
        Ok(())
    }

    /// Opens the files and folders that were dropped together.
    fn take_drops(&mut self) {
        let dropped = std::mem::take(&mut self.dropped);
        if !dropped.is_empty() {
            self.shell.open(dropped, self.destination);
        }
    }

    /// Handles an event of the window.
    fn handle(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) {
        if *event == WindowEvent::RedrawRequested {
            return self.draw(event_loop);
        }
        let Some(live) = &mut self.live else { return };
        if self.shell.awaits_model() && is_escape(event) {
            // No frame is drawn in which the panels would handle the key.
            return self.shell.act(Action::Escape);
        }
        if live.input.on_window_event(&live.window, event).repaint {
            self.shell.redraw();
        }
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => {
                self.shell.resize(size_of(&live.window));
                self.shell.redraw();
            }
            WindowEvent::Occluded(hidden) => self.shell.hide(*hidden),
            WindowEvent::ModifiersChanged(now) => {
                self.held = dropped_with(now.state().control_key(), now.state().shift_key());
            }
            WindowEvent::DroppedFile(path) => {
                self.destination = self.held;
                self.dropped.push(path.clone());
            }
            _ => {}
        }
    }

    /// Handles an event of a screen reader.
    fn handle_access(&mut self, event: AccessEvent) {
        let Some(live) = &mut self.live else { return };
        match event {
            AccessEvent::InitialTreeRequested => self.shell.ctx().enable_accesskit(),
            AccessEvent::ActionRequested(request) => {
                live.input.on_accesskit_action_request(request);
            }
            AccessEvent::AccessibilityDeactivated if !self.shell.needs_tree() => {
                self.shell.ctx().disable_accesskit();
            }
            AccessEvent::AccessibilityDeactivated => {}
        }
        self.shell.redraw();
    }

    /// Writes the window's arrangement to the settings, if it is another one.
    fn keep_settings(&self) {
        let (Some(path), Some(live)) = (&self.shell.start.settings, &self.live) else { return };
        let before = match settings::read(path) {
            // What can't be read is not overwritten. A broken file was put aside.
            Err(message) if path.exists() => return log::warn!("{message}; they are not kept"),
            before => before.unwrap_or_default(),
        };
        let window = place_of(&live.window, before.window);
        let settings = settings::Settings { window, ..self.shell.settings() };
        if before != settings
            && let Err(error) = settings::write(path, &settings)
        {
            log::warn!("settings are not kept: {}: {error}", path.display());
        }
    }

    /// Opens the window with its device, as the settings say.
    pub(super) fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let settings = self.shell.start.settings.as_deref().map(settings::read);
        let place = settings.as_ref().and_then(|read| read.as_ref().ok());
        let attributes = attributes(self.shell.start.size, place, event_loop);
        let window = event_loop
            .create_window(attributes.with_visible(false))
            .map_err(|e| AppError::Window(joined_lines(&e.to_string())))?;
        let window = Arc::new(window);
        let (gpu, screen) = self.device(event_loop, &window)?;
        self.shell.resize(size_of(&window));
        self.shell.attach(gpu, screen.view_format);
        let mut live = Live { input: self.input(&window), window, screen: Some(screen) };
        // Screen readers must be connected before the window is shown.
        live.input.init_accesskit(event_loop, &live.window, self.proxy.clone());
        live.window.set_visible(true);
        self.live = Some(live);
        if let Some(settings) = settings {
            self.shell.restore_settings(settings);
        }
        #[cfg(target_os = "linux")]
        self.know_desktop(event_loop);
        Ok(())
    }

    /// Learns what the window library does not tell on Linux: that it takes no drops, or not those of missing files, and the
    /// desktop's theme.
    #[cfg(target_os = "linux")]
    fn know_desktop(&mut self, event_loop: &ActiveEventLoop) {
        use winit::platform::wayland::ActiveEventLoopExtWayland as _;
        if event_loop.is_wayland() {
            self.shell.act(rigview_session::DesktopAction::SetWithoutDrops);
        }
        if let Some(live) = &self.live {
            let proxy = self.proxy.clone();
            lost_drops::watch(&live.window, move |lost| {
                // The event loop is gone if the window has been closed.
                let _ = proxy.send_event(Wake::DropLost(lost));
            });
        }
        if self.shell.start.settings.is_some() {
            theme::listen(self.proxy.clone());
        }
    }

    /// Reports a file that is dragged over the window and can't be opened.
    #[cfg(target_os = "linux")]
    fn report_lost(&mut self, lost_drops::LostDrop { path, why }: lost_drops::LostDrop) {
        let source = rigview_session::FileSource::Path(path);
        self.shell.act(rigview_session::LoadAction::Refuse(source, self.held, why));
    }

    /// Takes the theme that the desktop prefers.
    #[cfg(target_os = "linux")]
    pub(super) fn set_system_theme(&mut self, theme: Option<winit::window::Theme>) {
        let Some(live) = &mut self.live else { return };
        live.input.egui_input_mut().system_theme = theme.map(|theme| match theme {
            winit::window::Theme::Light => egui::Theme::Light,
            winit::window::Theme::Dark => egui::Theme::Dark,
        });
        self.shell.redraw();
    }

    /// Opens a device that can draw on the window's surface.
    fn device(
        &self,
        event_loop: &ActiveEventLoop,
        window: &Arc<Window>,
    ) -> Result<(Gpu, Screen), GpuError> {
        let start = &self.shell.start;
        let display = Box::new(event_loop.owned_display_handle());
        let instance = Gpu::instance(&start.adapter, Some(display))?;
        let surface = Screen::surface(&instance, Arc::clone(window)).map_err(|why| {
            log::debug!("{why}");
            Gpu::no_surface(&start.adapter)
        })?;
        let gpu = pollster::block_on(Gpu::open(instance, &start.adapter, Some(&surface)))?;
        let proxy = self.proxy.clone();
        gpu.device.set_device_lost_callback(move |reason, why| {
            // Other reasons mean that the device was dropped on purpose.
            if reason == wgpu::DeviceLostReason::Unknown {
                let _ = proxy.send_event(Wake::DeviceLost(why));
            }
        });
        let screen = Screen::new(&gpu, surface, size_of(window), start.script.is_some())?;
        Ok((gpu, screen))
    }

    /// Opens the panels' input from a window.
    fn input(&self, window: &Window) -> egui_winit::State {
        let limits = self.shell.gpu().map(|gpu| gpu.device.limits());
        let limit = limits.map(|limits| limits.max_texture_dimension_2d as usize);
        let scale = window.scale_factor() as f32;
        let (ctx, id) = (self.shell.ctx().clone(), egui::ViewportId::ROOT);
        egui_winit::State::new(ctx, id, window, Some(scale), window.theme(), limit)
    }

    /// Opens another device after one was lost. The next frame uploads the model again.
    pub(super) fn reopen(&mut self, event_loop: &ActiveEventLoop, why: &str) {
        self.lost += 1;
        log::warn!("the device was lost: {}", joined_lines(why));
        let Some(live) = &mut self.live else { return };
        // A window can have only one surface.
        live.screen = None;
        self.shell.end_recording();
        self.shell.detach();
        self.workers.join_recording();
        let window = Arc::clone(&live.window);
        if self.lost > LOST_TOO_OFTEN {
            let error = GpuError::Device(format!("lost repeatedly: {}", joined_lines(why)));
            return self.fail(event_loop, error.into());
        }
        let (gpu, screen) = match self.device(event_loop, &window) {
            Ok(device) => device,
            Err(error) => return self.fail(event_loop, error.into()),
        };
        self.shell.attach(gpu, screen.view_format);
        let mut input = self.input(&window);
        if let Some(live) = &mut self.live {
            input.accesskit = live.input.accesskit.take();
            (live.screen, live.input) = (Some(screen), input);
        }
        // A screen reader that has the tree gets updates of it.
        self.shell.ctx().enable_accesskit();
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
            // The results are taken before the event loop waits again.
            Wake::JobReported => {}
            Wake::FolderChanged => self.watcher.check_soon(Instant::now()),
            Wake::DialogAnswer(question, chosen) => self.shell.answer(question, chosen),
            Wake::AccessKit(event) => self.handle_access(event),
            #[cfg(target_os = "linux")]
            Wake::SystemTheme(theme) => self.set_system_theme(theme),
            #[cfg(target_os = "linux")]
            Wake::DropLost(lost) => self.report_lost(lost),
            Wake::DeviceLost(why) => self.reopen(event_loop, &why),
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.keep_settings();
        if let Some(gpu) = self.shell.gpu().filter(|_| self.shell.awaits_gpu()) {
            // A picture that was asked for is saved, also if the window is closed at once.
            gpu.wait();
            self.shell.step(self.began.elapsed());
        }
        // The window and its clipboard use the connection to the display, which the event loop closes.
        self.shell.detach();
        self.workers.join_recording();
        self.live = None;
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        self.take_drops();
        let changes = self.watcher.changes(Instant::now());
        self.shell.files_changed(changes);
        if self.shell.settings_changed() {
            self.keep_settings();
        }
        while let Some(report) = self.workers.poll() {
            self.shell.take(report);
        }
        let now = self.now();
        let requests = self.shell.step(now);
        self.perform(event_loop, requests);
        let Some(live) = &self.live else { return };
        let clock = |at: Duration| self.began + at;
        let next =
            self.shell.next_wake(now).map(clock).into_iter().chain(self.watcher.next_check()).min();
        if self.shell.wants_frame(now) {
            live.window.request_redraw();
        }
        let soon = clock(now + Duration::from_millis(1));
        event_loop.set_control_flow(match next {
            Some(at) => ControlFlow::WaitUntil(at.max(soon)),
            None => ControlFlow::Wait,
        });
    }
}

/// Returns the size of a window's contents in pixels.
fn size_of(window: &Window) -> [u32; 2] {
    let size = window.inner_size();
    [size.width, size.height]
}

/// Whether the event is a press of Escape.
fn is_escape(event: &WindowEvent) -> bool {
    let WindowEvent::KeyboardInput { event, .. } = event else { return false };
    event.state.is_pressed() && event.logical_key == Key::Named(NamedKey::Escape)
}

/// Returns the attributes of a window of this size in points, unless the settings have another place for it.
fn attributes(
    size: [u32; 2],
    settings: Option<&Settings>,
    event_loop: &ActiveEventLoop,
) -> WindowAttributes {
    let [width, height] = size;
    let theme = settings.map(|settings| settings.theme).unwrap_or_default();
    let attributes = Window::default_attributes()
        .with_title("rigview")
        .with_theme(window_theme(theme))
        .with_window_icon(icon())
        .with_inner_size(LogicalSize::new(width, height))
        .with_min_inner_size(LogicalSize::new(width.min(LEAST[0]), height.min(LEAST[1])));
    // The class of X11 and the app id of Wayland are one field.
    #[cfg(target_os = "linux")]
    let attributes =
        winit::platform::x11::WindowAttributesExtX11::with_name(attributes, APP_ID, APP_ID);
    match settings.and_then(|settings| settings.window).filter(|_| size == USUAL) {
        Some(place) => at_place(place, attributes, &screens(event_loop)),
        None => attributes,
    }
}

fn icon() -> Option<Icon> {
    let picture = image::load_from_memory(ICON).ok()?.into_rgba8();
    let (width, height) = picture.dimensions();
    Icon::from_rgba(picture.into_raw(), width, height).ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_icon_can_be_read() {
        assert!(super::icon().is_some());
    }
}
