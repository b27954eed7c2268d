//! Files that the window writes: none is replaced unless a dialog has asked, and failures name file, reason and remedy.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use super::session::{Session, small_model};
use super::shell::Shell;

#[test]
fn without_dialogs_no_file_is_replaced() {
    let mut window = Shell::open_quick(&["--rest"]);
    let name = |window: &mut Shell| {
        let notice = window.until("the file", |s| s["notice_kind"] == "done")["notice"].clone();
        Path::new(notice.as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned()
    };
    let mut saved = |key: &str| {
        [(); 2].map(|()| {
            window.keys(&["Escape", key]);
            window.step(json!({"loaded": true}));
            name(&mut window)
        })
    };
    assert_eq!(saved("Ctrl+S"), ["creature.rigview.json", "creature-2.rigview.json"]);
    assert_eq!(saved("Ctrl+R"), ["creature.gif", "creature-2.gif"]);
    window.close();
}

/// Writes a program that answers like the dialog of the system, with a path that is in the file `chosen`.
fn dialog(folder: &Path) -> String {
    let program = folder.join("zenity");
    // An answer that comes at once means that there are no dialogs.
    let script = "#!/bin/sh\nsleep 0.4\ncat \"$(dirname \"$0\")/chosen\"\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

#[test]
fn a_name_that_gets_its_end_from_the_window_replaces_no_file_that_no_dialog_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = dialog(folder.path());
    let model = small_model(folder.path(), "square.gltf");
    let variables = [("PATH", &*path), ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")];
    let mut window = Session::open_quick_with(&[&model, "--rest"], &variables);
    let mut save = |key: &str, chosen: &str| {
        let chosen = folder.path().join(chosen);
        std::fs::write(folder.path().join("chosen"), chosen.to_str().unwrap()).unwrap();
        window.keys(&["Escape", key]);
        let state = window.until("the answer", |s| !s["notice"].is_null());
        let notice = state["notice"].as_str().unwrap().to_owned();
        notice.replace(&format!("{}/", folder.path().display()), "")
    };
    for taken in ["walk.rigview.json", "walk.gif", "old.rigview.json"] {
        std::fs::write(folder.path().join(taken), "kept").unwrap();
    }
    assert_eq!(save("Ctrl+S", "walk"), "Saved walk-2.rigview.json");
    assert_eq!(save("Ctrl+R", "walk"), "Saved walk-2.gif");
    for kept in ["walk.rigview.json", "walk.gif"] {
        assert_eq!(std::fs::read(folder.path().join(kept)).unwrap(), b"kept", "{kept}");
    }
    // The dialog has asked about this one.
    assert_eq!(save("Ctrl+S", "old.rigview.json"), "Saved old.rigview.json");
    assert!(std::fs::read(folder.path().join("old.rigview.json")).unwrap() != b"kept");
    // A failure of any kind of file says what can be done.
    std::fs::create_dir(folder.path().join("taken.gif")).unwrap();
    let taken = save("Ctrl+R", "taken.gif");
    assert_eq!(taken, "No recording: taken.gif: a folder has that name; choose another place");
    let long = "x".repeat(300) + ".gif";
    let why = "the file system does not allow that name; choose another place";
    assert_eq!(save("Ctrl+R", &long), format!("No recording: {long}: {why}"));
    window.close();
}

#[test]
fn a_recording_or_a_copy_that_has_no_folder_says_so() {
    let mut window = Shell::open_quick(&["--rest"]);
    let nowhere = window.path("nowhere");
    let why = format!("there is no folder {}; choose another place", nowhere.display());
    let gif = nowhere.join("clip.gif");
    window.step(json!({"record": gif}));
    window.step(json!({"loaded": true}));
    assert_eq!(window.state()["notice"], format!("No recording: {}: {why}", gif.display()));
    window.close();
}
