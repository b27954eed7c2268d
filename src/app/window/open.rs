//! Opens the window and its device, and another device when one was lost.

use std::sync::Arc;

use winit::dpi::LogicalSize;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Icon, Window, WindowAttributes};

use super::place::{USUAL, at_place, screens, window_theme};
use super::screen::Screen;
use super::wake::Wake;
use super::{App, Live, size_of};
use crate::app::AppError;
use crate::app::error::one_line;
use crate::app::shell::settings::{self, Settings};
use crate::render::{Gpu, GpuError};

/// Minimum size of the window in points, unless it was requested to open smaller.
const LEAST: [u32; 2] = [480, 320];

/// Number of devices that may be lost in a row, without a frame in between, before the window gives up.
const LOST_TOO_OFTEN: u32 = 3;

/// The name of the desktop entry, `rigview.desktop`.
#[cfg(target_os = "linux")]
const APP_ID: &str = "rigview";

/// The icon as a PNG. On Wayland, the icon of the desktop entry is shown instead.
const ICON: &[u8] = include_bytes!("../../../assets/icon/rigview-64.png");

impl App {
    /// Opens the window with its device, as the settings say.
    pub(super) fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let settings = self.shell.start.settings.as_deref().map(settings::read);
        let place = settings.as_ref().and_then(|read| read.as_ref().ok());
        let attributes = attributes(self.shell.start.size, place, event_loop);
        let window = event_loop
            .create_window(attributes.with_visible(false))
            .map_err(|e| AppError::Window(one_line(&e.to_string())))?;
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

    /// Learns what the window library does not tell on Linux: that it takes no drops, and the desktop's theme.
    #[cfg(target_os = "linux")]
    fn know_desktop(&mut self, event_loop: &ActiveEventLoop) {
        use winit::platform::wayland::ActiveEventLoopExtWayland as _;
        if event_loop.is_wayland() {
            self.shell.act(crate::session::DesktopAction::SetWithoutDrops);
        }
        if self.shell.start.settings.is_some() {
            super::theme::listen(self.proxy.clone());
        }
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
        log::warn!("the device was lost: {}", one_line(why));
        let Some(live) = &mut self.live else { return };
        // A window can have only one surface.
        live.screen = None;
        self.shell.detach();
        let window = Arc::clone(&live.window);
        if self.lost > LOST_TOO_OFTEN {
            let error = GpuError::Device(format!("lost repeatedly: {}", one_line(why)));
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
