//! Events that a window must survive: it is hidden, its device is lost, a step is invalid, there is no display.

use serde_json::json;

use super::session::{Session, number, small_model};
use super::shell::Shell;
use crate::support::{command, run};

#[test]
fn minimised_it_draws_nothing_and_comes_back() {
    let mut window = Session::open_quick(&[]);
    window.step(json!({"minimize": true}));
    let before = window.state();
    window.step(json!({"wait": 3.0}));
    let after = window.state();
    assert_eq!(after["frames"], before["frames"]);
    window.step(json!({"minimize": false}));
    window.step(json!({"frames": 3}));
    let back = window.state();
    assert!(number(&back, "frames") > number(&after, "frames"));
    // Time does not pass while the window is hidden.
    let gone = number(&back, "time") - number(&after, "time");
    assert!(gone < 2.0, "{gone} s at once");
    window.close();
}

#[test]
fn ctrl_q_closes_it() {
    let mut window = Session::open_quick(&["--rest"]);
    window.keys(&["Ctrl+Q"]);
    assert_eq!(window.end(), (Some(0), String::new()));
}

#[test]
fn a_lost_device_is_replaced_and_shows_the_same() {
    let mut window = Session::open_quick(&["--time", "0.5", "-q"]);
    let before = window.picture();
    window.step(json!({"lose_device": true}));
    window.step(json!({"frames": 2}));
    // The panels' letters lie elsewhere in their texture now, which may round a few of their pixels differently.
    let after = window.picture();
    assert_eq!(after.dimensions(), before.dimensions());
    let steps = before.iter().zip(after.iter()).map(|(a, b)| a.abs_diff(*b));
    assert!(steps.clone().all(|step| step <= 1), "another picture");
    assert!(steps.filter(|step| *step > 0).count() < 100, "another picture");
    window.close();
}

#[test]
fn the_files_own_error_is_shown_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.glb");
    std::fs::write(&file, b"glTF\x02\0\0\0").unwrap();
    let mut window = Shell::open_quick(&[file.to_str().unwrap()]);
    let state = window.state();
    assert_eq!(state["file"], json!(null));
    assert!(state["error"].as_str().unwrap().starts_with("broken.glb: "), "{state}");
    // After the repair the file is read again and shown.
    std::fs::write(&file, crate::support::SmallModel::new().clip("Turn").glb()).unwrap();
    window.keys(&["F5"]);
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert_eq!((&state["clip_name"], &state["error"]), (&json!("Turn"), &json!(null)));
    window.close();
}

#[test]
fn a_step_that_fails_ends_it_with_1_and_one_line() {
    for (step, says) in [
        (json!({"key": "Spaec"}), "script line 3: no key `Spaec`"),
        (json!({"picture": "/no/such/folder/a.png"}), "script line 3: /no/such/folder/a.png"),
    ] {
        let mut window = Session::open_quick(&["--rest"]);
        window.step(step);
        let (code, said) = window.end();
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(says) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn without_a_display_it_says_so() {
    let said = run(&mut command()).failed(4).stderr;
    assert!(said.contains("no display") && said.contains("rigview screenshot"), "{said}");
}

#[test]
fn where_no_dialog_opens_it_says_what_else_there_is() {
    // There is neither a portal nor a program that shows a dialog.
    let nowhere = [("DBUS_SESSION_BUS_ADDRESS", "unix:path=/no/such/bus"), ("PATH", "/no/such")];
    let mut window = Session::open_quick_with(&["--rest"], &nowhere);
    window.keys(&["Ctrl+O"]);
    window.until("the message", |state| {
        state["notice"].as_str().is_some_and(|notice| notice.contains("drop a file"))
    });
    window.close();
}

#[test]
fn a_clip_that_is_not_there_is_said_and_the_first_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = small_model(folder.path(), "square.gltf");
    let mut window = Shell::open_quick(&[&file, "--clip", "Fly"]);
    let state = window.state();
    assert!(state["notice"].as_str().unwrap().ends_with("Turn, Slow turn"), "{state}");
    window.keys(&["Esc"]);
    assert_eq!(window.state()["notice"], json!(null));
    window.close();
}
