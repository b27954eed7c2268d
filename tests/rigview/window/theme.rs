//! The theme of the desktop, which a portal on the session's message bus tells.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use zbus::blocking::{Connection, connection};
use zbus::zvariant::{OwnedValue, Value};

use super::session::{Session, small_model};

const PATH: &str = "/org/freedesktop/portal/desktop";
const INTERFACE: &str = "org.freedesktop.portal.Settings";
const NAMESPACE: &str = "org.freedesktop.appearance";
const KEY: &str = "color-scheme";

/// A message bus of its own, ended when dropped.
struct Bus {
    daemon: Child,
    address: String,
}

impl Bus {
    fn start() -> Self {
        let mut daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--nopidfile", "--print-address=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("dbus-daemon: {e}; `make test` installs it"));
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { daemon, address: address.trim().to_owned() }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// The portal of a desktop with one setting.
struct Portal {
    scheme: u32,
}

#[zbus::interface(name = "org.freedesktop.portal.Settings")]
impl Portal {
    /// Portals wrap the value twice in the answer of this method.
    fn read(&self, namespace: &str, key: &str) -> zbus::fdo::Result<OwnedValue> {
        if (namespace, key) != (NAMESPACE, KEY) {
            return Err(zbus::fdo::Error::Failed(format!("no setting {namespace} {key}")));
        }
        let wrapped = Value::Value(Box::new(Value::U32(self.scheme)));
        Ok(OwnedValue::try_from(wrapped).unwrap())
    }
}

fn serve(bus: &Bus, scheme: u32) -> Connection {
    let builder = connection::Builder::address(bus.address.as_str()).unwrap();
    let builder = builder.name("org.freedesktop.portal.Desktop").unwrap();
    builder.serve_at(PATH, Portal { scheme }).unwrap().build().unwrap()
}

/// Waits until the window shows this theme.
#[track_caller]
fn wait_for(window: &mut Session, theme: &str) {
    window.until(theme, |state| state["theme_shown"] == theme);
}

#[test]
fn the_window_follows_the_desktop_unless_a_theme_is_chosen() {
    let bus = Bus::start();
    let portal = serve(&bus, 2);
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.json");
    let model = small_model(folder.path(), "rig.gltf");
    let variables = [
        ("RIGVIEW_SETTINGS", settings.to_str().unwrap()),
        ("DBUS_SESSION_BUS_ADDRESS", bus.address.as_str()),
    ];
    let mut window = Session::open_quick_with(&[&model], &variables);
    wait_for(&mut window, "light");
    let bright = |window: &mut Session| {
        let picture = window.picture();
        u32::from(picture.get_pixel(4, picture.height() / 2)[0]) > 128
    };
    assert!(bright(&mut window));
    let change = |key: &str, scheme: u32| {
        let body = (NAMESPACE, key, Value::U32(scheme));
        portal.emit_signal(None::<&str>, PATH, INTERFACE, "SettingChanged", &body).unwrap();
    };
    // Other settings change nothing; without a preference the theme is dark.
    change("contrast", 1);
    change(KEY, 0);
    wait_for(&mut window, "dark");
    assert!(!bright(&mut window));
    change(KEY, 2);
    wait_for(&mut window, "light");
    window.keys(&["Ctrl+P", "T", "H", "E", "M", "E", "Space", "D", "A", "R", "K", "Enter"]);
    assert_eq!(window.state()["theme_shown"], "dark");
    window.close();
    // What a script shows does not depend on the desktop.
    let mut window = Session::open_quick_with(&[&model], &variables[1..]);
    assert_eq!(window.state()["theme_shown"], "dark");
    window.close();
}
