//! The place and the theme of the window, which settings keep.

use winit::dpi::{LogicalSize, PhysicalPosition};
use winit::event_loop::ActiveEventLoop;
use winit::window::{Theme, Window, WindowAttributes};

use rigview_session::ThemeChoice;
use rigview_shell::settings::WindowPlace;

/// The size of a window that no option sets.
pub(super) const USUAL: [u32; 2] = [1024, 768];

/// The part of a window, in pixels, that must be on a screen, so that a person can move it.
const LEAST: [i64; 2] = [120, 60];

/// Returns where a window is. While it is maximised, full screen or minimised, `before` has position and size.
pub(super) fn place_of(window: &Window, before: Option<WindowPlace>) -> Option<WindowPlace> {
    let maximised = window.is_maximized();
    let other = maximised || window.fullscreen().is_some();
    if other || window.is_minimized() == Some(true) {
        return before.map(|before| WindowPlace { maximised, ..before });
    }
    let position = window.outer_position().ok().map(|at| [at.x, at.y]);
    let size = window.inner_size().to_logical::<f64>(window.scale_factor());
    Some(WindowPlace { position, size: [size.width, size.height], maximised })
}

/// Returns the attributes of a window at a place. A position that is on no screen is left to the system.
pub(super) fn at_place(
    place: WindowPlace,
    attributes: WindowAttributes,
    screens: &[[i32; 4]],
) -> WindowAttributes {
    let [width, height] = place.size.map(|side| side.clamp(200.0, 16_384.0));
    let attributes =
        attributes.with_inner_size(LogicalSize::new(width, height)).with_maximized(place.maximised);
    match place.position.filter(|at| is_on_screen(*at, [width, height], screens)) {
        Some([x, y]) => attributes.with_position(PhysicalPosition::new(x, y)),
        None => attributes,
    }
}

/// Returns left, top, width and height of each screen in pixels.
pub(super) fn screens(event_loop: &ActiveEventLoop) -> Vec<[i32; 4]> {
    let rect = |monitor: winit::monitor::MonitorHandle| {
        let (at, size) = (monitor.position(), monitor.size());
        [at.x, at.y, size.width as i32, size.height as i32]
    };
    event_loop.available_monitors().map(rect).collect()
}

/// Whether enough of a window's upper edge is on one of the screens to move it by.
fn is_on_screen([x, y]: [i32; 2], size: [f64; 2], screens: &[[i32; 4]]) -> bool {
    let overlap = |start: i32, length: f64, from: i32, extent: i32| {
        let (start, from) = (i64::from(start), i64::from(from));
        let end = (start + length as i64).min(from + i64::from(extent));
        end - start.max(from)
    };
    screens.iter().any(|[left, top, width, height]| {
        overlap(x, size[0], *left, *width) >= LEAST[0]
            && overlap(y, size[1], *top, *height) >= LEAST[1]
            && y >= *top - 8
    })
}

/// Returns the theme that a window is asked to have; `None` leaves it to the system.
pub(super) fn window_theme(choice: ThemeChoice) -> Option<Theme> {
    match choice {
        ThemeChoice::System => None,
        ThemeChoice::Dark => Some(Theme::Dark),
        ThemeChoice::Light => Some(Theme::Light),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_only_put_where_it_can_be_moved() {
        let two = [[0, 0, 1920, 1080], [1920, 200, 1280, 720]];
        let is_on = |at| is_on_screen(at, [800.0, 600.0], &two);
        assert!(is_on([100, 50]) && is_on([2000, 250]) && is_on([-600, 10]));
        for lost in [[5000, 100], [-750, 0], [100, 1050], [100, -300], [1900, 5000]] {
            assert!(!is_on(lost), "{lost:?}");
        }
        assert!(!is_on_screen([0, 0], [800.0, 600.0], &[]));
    }
}
