//! The window's minimum size, which it announces to the window manager.

use x11rb::properties::WmSizeHints;

use super::display::window_titled;
use super::session::{QUICK, Session};

/// Returns the minimum width and height in pixels.
#[track_caller]
fn least(arguments: &[&str], variables: &[(&str, &str)]) -> Option<(i32, i32)> {
    // The default size, with a picture that is drawn quickly.
    let window = Session::open_with(&[QUICK, arguments].concat(), variables);
    let client = window.display.client();
    let own = window_titled(&client, "creature - rigview");
    let hints = WmSizeHints::get_normal_hints(&client, own).unwrap().reply().unwrap();
    window.close();
    hints.and_then(|hints| hints.min_size)
}

#[test]
fn it_can_not_be_made_smaller_than_the_panels_need_unless_it_was_opened_smaller() {
    assert_eq!(least(&["--rest"], &[]), Some((480, 320)));
    assert_eq!(least(&["--rest", "--size", "333x257"], &[]), Some((333, 257)));
    let scale = [("WINIT_X11_SCALE_FACTOR", "2")];
    assert_eq!(least(&["--rest"], &scale), Some((960, 640)));
}
