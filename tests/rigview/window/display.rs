//! A virtual X display, and a client on it that sends input as a person would.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, InputFocus, Window};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// Time limit for the start of a display.
const LIMIT: Duration = Duration::from_secs(30);

/// A running X server, ended when dropped.
pub struct Display {
    server: Child,
    /// The value for `DISPLAY`.
    pub name: String,
}

impl Display {
    /// Starts a server with a free display number.
    pub fn open() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("Xvfb: {e}; `make test` installs it"));
        let out = server.stdout.take().unwrap();
        let (sender, number) = mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = BufReader::new(out).read_line(&mut line);
            // After the time limit there is no receiver.
            let _ = sender.send(read.map(|_| line));
        });
        let number = number.recv_timeout(LIMIT).expect("Xvfb names its display").unwrap();
        assert!(!number.trim().is_empty(), "Xvfb ended at once");
        Self { server, name: format!(":{}", number.trim()) }
    }

    /// Connects a client to the server.
    pub fn client(&self) -> RustConnection {
        x11rb::connect(Some(&self.name)).unwrap().0
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Finds the window with this title. There is no window manager, so it is a child of the root.
pub fn window_titled(client: &RustConnection, title: &str) -> Window {
    let name = |window: Window| {
        let property =
            client.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 1024);
        property.ok()?.reply().ok().map(|p| String::from_utf8_lossy(&p.value).into_owned())
    };
    let root = client.setup().roots[0].root;
    let windows = client.query_tree(root).unwrap().reply().unwrap().children;
    let names: Vec<_> = windows.iter().filter_map(|w| name(*w)).collect();
    let found = windows.into_iter().find(|w| name(*w).as_deref() == Some(title));
    found.unwrap_or_else(|| panic!("no window {title:?} among {names:?}"))
}

/// Presses and releases a key, given by its keysym.
pub fn press(client: &RustConnection, window: Window, keysym: u32) {
    for down in [true, false] {
        hold(client, window, keysym, down);
    }
}

/// Gives a window the focus, and presses or releases a key, given by its keysym.
pub fn hold(client: &RustConnection, window: Window, keysym: u32, down: bool) {
    const KEY_PRESS: u8 = 2;
    const KEY_RELEASE: u8 = 3;
    let (first, last) = (client.setup().min_keycode, client.setup().max_keycode);
    let map = client.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap();
    let row = usize::from(map.keysyms_per_keycode);
    let at = map.keysyms.chunks(row).position(|keys| keys.first() == Some(&keysym));
    let code = first + at.expect("the keyboard has the key") as u8;
    client.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).unwrap();
    let kind = if down { KEY_PRESS } else { KEY_RELEASE };
    client.xtest_fake_input(kind, code, 0, window, 0, 0, 0).unwrap();
    client.get_input_focus().unwrap().reply().unwrap();
}
