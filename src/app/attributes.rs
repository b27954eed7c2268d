//! The attributes that the window is opened with.

use winit::dpi::LogicalSize;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Window, WindowAttributes};

use super::place::{USUAL, screens, window_theme};
use super::stored::Settings;

/// Minimum size of the window in points, unless it was requested to open smaller.
const LEAST: [u32; 2] = [480, 320];

/// Returns the attributes of a window of this size in points, unless the settings have another place for it.
pub(super) fn attributes(
    size: [u32; 2],
    settings: &Settings,
    event_loop: &ActiveEventLoop,
) -> WindowAttributes {
    let [width, height] = size;
    let attributes = Window::default_attributes()
        .with_title("rigview")
        .with_theme(window_theme(settings.theme))
        .with_inner_size(LogicalSize::new(width, height))
        .with_min_inner_size(LogicalSize::new(width.min(LEAST[0]), height.min(LEAST[1])));
    match settings.window.filter(|_| size == USUAL) {
        Some(place) => place.applied(attributes, &screens(event_loop)),
        None => attributes,
    }
}
