//! Opens the window and its device, and another device when one was lost.

use std::sync::Arc;

use winit::event_loop::ActiveEventLoop;
use winit::window::Window;

use super::AppError;
use super::attributes::attributes;
use super::error::one_line;
use super::frame::Painter;
use super::identity::identified;
use super::live::{Live, open_painter};
use super::resident::Resident;
use super::window::App;
use crate::render::GpuError;
use crate::session::{Exhibit, LoadAction};

/// Number of devices that may be lost in a row, without a frame in between, before the window gives up.
const LOST_TOO_OFTEN: u32 = 3;

impl App {
    /// Opens the window with its device, as the settings say.
    pub(super) fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let settings = self.read_settings();
        let attributes = attributes(self.start.size, &settings, event_loop);
        let window = event_loop
            .create_window(identified(attributes.with_visible(false)))
            .map_err(|e| AppError::Window(one_line(&e.to_string())))?;
        let window = Arc::new(window);
        let painter = self.painter(event_loop, &window)?;
        self.loader.set_block_formats(painter.gpu.block_formats());
        let resident = Resident::new(self.proxy.clone());
        let mut live = Live::new(window, painter, resident);
        live.appear(event_loop, self.proxy.clone());
        self.live = Some(live);
        self.restore_settings(settings);
        #[cfg(target_os = "linux")]
        self.know_desktop(event_loop);
        Ok(())
    }

    /// Learns what the window library does not tell on Linux: that it takes no drops, and the desktop's theme.
    #[cfg(target_os = "linux")]
    fn know_desktop(&mut self, event_loop: &ActiveEventLoop) {
        use winit::platform::wayland::ActiveEventLoopExtWayland as _;
        if event_loop.is_wayland() {
            self.act(crate::session::DesktopAction::SetWithoutDrops);
        }
        if super::stored::settings_path(self.start.script.is_some()).is_some() {
            super::system_theme::listen(self.proxy.clone());
        }
    }

    fn painter(
        &self,
        event_loop: &ActiveEventLoop,
        window: &Arc<Window>,
    ) -> Result<Painter, GpuError> {
        let (choice, display) = (&self.start.adapter, event_loop.owned_display_handle());
        open_painter(window, choice, display, self.proxy.clone(), self.start.script.is_some())
    }

    /// Opens another device after one was lost. The next frame uploads the model again.
    pub(super) fn reopen(&mut self, event_loop: &ActiveEventLoop, why: &str) {
        self.lost += 1;
        log::warn!("the device was lost: {}", one_line(why));
        let Some(live) = &mut self.live else { return };
        live.drop_painter();
        let window = Arc::clone(&live.window);
        if self.lost > LOST_TOO_OFTEN {
            let error = GpuError::Device(format!("lost repeatedly: {}", one_line(why)));
            return self.fail(event_loop, error.into());
        }
        match self.painter(event_loop, &window) {
            Ok(painter) => {
                self.loader.set_block_formats(painter.gpu.block_formats());
                if let Some(live) = &mut self.live {
                    live.replace_painter(painter);
                }
                // Images are lost with the device. Nothing is drawn without them if another model comes.
                if let (Some(live), Some(_)) = (&mut self.live, self.session.loads().pending()) {
                    live.make_room(&self.session);
                }
                let both = [self.session.exhibit(), self.session.compared().exhibit()];
                let documents = both.into_iter().filter_map(Exhibit::document);
                for load in documents.map(|document| document.load).collect::<Vec<_>>() {
                    self.act(LoadAction::Restore(load));
                }
            }
            Err(error) => self.fail(event_loop, error.into()),
        }
    }
}
