//! One window for all files: `--reuse`, and what the window tells the desktop of itself.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt};

use super::display::window_titled;
use super::session::{Session, small_model};
use crate::support::command;

/// A folder that only the user can reach, as XDG_RUNTIME_DIR must be.
fn private_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    folder
}

#[test]
fn a_second_start_hands_its_file_to_the_open_window() {
    let runtime = private_folder();
    let variables = [("XDG_RUNTIME_DIR", runtime.path().to_str().unwrap())];
    let mut window = Session::open_quick_with(&["--reuse"], &variables);
    let folder = tempfile::tempdir().unwrap();
    let model = small_model(folder.path(), "handed over.gltf");
    let socket = runtime.path().read_dir().unwrap().flatten();
    let socket = socket.map(|e| e.path()).find(|p| p.extension().is_some_and(|e| e == "socket"));
    let mode = socket.as_ref().expect("a socket").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let display = window.display.name.clone();
    let start = |name: &str| {
        let mut start = command();
        // A relative path is relative to the folder of the second start.
        start.current_dir(folder.path()).args(["--reuse", name]);
        start.env("DISPLAY", &display).envs(variables).output().unwrap()
    };
    let done = start("handed over.gltf");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!((done.status.code(), &*said), (Some(0), ""));
    // The event of the socket's thread precedes the steps that follow.
    window.step(json!({"loaded": true}));
    assert_eq!(window.state()["file"], model.as_str());
    // A script that fails at once ends a start that has found no window to hand its file to.
    let missing = start("no such file.gltf");
    assert_eq!(missing.status.code(), Some(0));
    window.step(json!({"loaded": true}));
    assert!(window.state()["error"].as_str().unwrap().contains("no such file"));
    window.close();
    assert!(!socket.unwrap().exists(), "the socket is removed");
}

/// A window that crashed leaves files behind; a later start is not hindered by them.
#[test]
fn a_socket_without_a_window_is_replaced() {
    let runtime = private_folder();
    let variables = [("XDG_RUNTIME_DIR", runtime.path().to_str().unwrap())];
    let mut window = Session::open_quick_with(&["--reuse"], &variables);
    window.state();
    // Dropping the session kills its program.
    let name = window.display.name.clone();
    drop(window);
    let socket = runtime.path().join(format!("rigview-{}.socket", name.replace(':', "-")));
    assert!(socket.exists());
    let second = Session::open_quick_with(&["--reuse"], &variables);
    second.close();
}

/// Other users could reach the socket in a shared folder, so there is none.
#[test]
fn a_shared_folder_gets_no_socket() {
    let runtime = tempfile::tempdir().unwrap();
    std::fs::set_permissions(runtime.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let variables = [("XDG_RUNTIME_DIR", runtime.path().to_str().unwrap())];
    let window = Session::open_quick_with(&["--reuse"], &variables);
    assert_eq!(runtime.path().read_dir().unwrap().count(), 0);
    window.close();
}

#[test]
fn the_window_has_the_icon_and_the_class_of_the_desktop_entry() {
    let window = Session::open_quick(&[]);
    let client = window.display.client();
    let id = window_titled(&client, "creature - rigview");
    let property = |name: &str, kind: u32| {
        let atom = client.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
        client.get_property(false, id, atom, kind, 0, 1 << 20).unwrap().reply().unwrap()
    };
    let class = property("WM_CLASS", AtomEnum::STRING.into());
    assert_eq!(class.value, b"rigview\0rigview\0");
    let icon = property("_NET_WM_ICON", AtomEnum::CARDINAL.into());
    let icon: Vec<u32> = icon.value32().unwrap().collect();
    assert_eq!((&icon[..2], icon.len()), (&[64, 64][..], 2 + 64 * 64));
}
