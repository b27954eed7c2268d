//! How the desktop recognises the window: its icon, and the name by which it finds the program's entry.

use winit::window::{Icon, WindowAttributes};

/// The name of the desktop entry, `rigview.desktop`.
#[cfg(target_os = "linux")]
const APP_ID: &str = "rigview";

/// The icon as a PNG. On Wayland, the icon of the desktop entry is shown instead.
const ICON: &[u8] = include_bytes!("../../assets/icon/rigview-64.png");

/// Returns the attributes with the icon and the application's name.
pub(super) fn identified(attributes: WindowAttributes) -> WindowAttributes {
    let attributes = attributes.with_window_icon(icon());
    // The class of X11 and the app id of Wayland are one field.
    #[cfg(target_os = "linux")]
    let attributes =
        winit::platform::x11::WindowAttributesExtX11::with_name(attributes, APP_ID, APP_ID);
    attributes
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
