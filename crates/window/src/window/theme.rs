//! The theme that the desktop prefers, where the window library does not tell it: on Linux, the desktop's portal does.

use winit::event_loop::EventLoopProxy;
use winit::window::Theme;
use zbus::blocking::{Connection, Proxy, proxy::Builder};
use zbus::proxy::CacheProperties;
use zbus::zvariant::{OwnedValue, Value};

use super::wake::Wake;

/// The setting's place in the portal.
const NAMESPACE: &str = "org.freedesktop.appearance";
const KEY: &str = "color-scheme";

/// Tells the event loop the desktop's theme, and each later one, until the program ends. A desktop without a portal tells
/// nothing.
pub(super) fn listen(proxy: EventLoopProxy<Wake>) {
    let listen = move || {
        if let Err(error) = tell_changes(&proxy) {
            log::info!("the desktop does not tell its theme: {error}");
        }
    };
    if let Err(error) = std::thread::Builder::new().name("theme".into()).spawn(listen) {
        log::warn!("the desktop's theme is not followed: {error}");
    }
}

fn tell_changes(proxy: &EventLoopProxy<Wake>) -> zbus::Result<()> {
    let connection = Connection::session()?;
    let settings: Proxy<'_> = Builder::new(&connection)
        .destination("org.freedesktop.portal.Desktop")?
        .path("/org/freedesktop/portal/desktop")?
        .interface("org.freedesktop.portal.Settings")?
        .cache_properties(CacheProperties::No)
        .build()?;
    // Before the first question, so that no change is missed.
    let changes = settings.receive_signal("SettingChanged")?;
    // Portals before version 2 know only this method.
    let value: OwnedValue = settings.call("Read", &(NAMESPACE, KEY))?;
    let told = |value: &Value<'_>| proxy.send_event(Wake::SystemTheme(theme(value))).is_ok();
    if !told(&value) {
        return Ok(());
    }
    for change in changes {
        let body = change.body();
        let (namespace, key, value): (&str, &str, Value<'_>) = body.deserialize()?;
        // The event loop is gone if the window has been closed.
        if (namespace, key) == (NAMESPACE, KEY) && !told(&value) {
            break;
        }
    }
    Ok(())
}

/// Returns the theme of a setting's value, which may be wrapped several times; `None` if the desktop has no preference.
fn theme(value: &Value<'_>) -> Option<Theme> {
    match value {
        Value::Value(inner) => theme(inner),
        Value::U32(1) => Some(Theme::Dark),
        Value::U32(2) => Some(Theme::Light),
        _ => None,
    }
}
