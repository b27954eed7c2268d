//! Scripts with impossible steps: they end at once, with exit code 1 and the number of the line.

use serde_json::json;

use super::shell::Shell;

#[test]
fn a_size_that_no_window_has_fails_at_once() {
    for size in [[0, 0], [640, 0], [1_000_000, 640]] {
        let mut window = Shell::open_quick(&[]);
        window.step(json!({"resize": size}));
        let said = window.failure();
        assert!(said.contains("script line") && said.contains("resize"), "{size:?}: {said}");
        // A step that waits without success fails after a minute.
        assert!(window.secs() < 1.0, "{size:?}: {} s", window.secs());
    }
}

/// A line without an end is not read forever.
#[test]
fn a_line_without_an_end_is_refused() {
    let display = super::display::Display::open();
    let zero = std::fs::File::open("/dev/zero").unwrap();
    let mut command = crate::support::command();
    command.env("DISPLAY", &display.name).args(["--script", "-"]).stdin(zero);
    let run = command.output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(said.contains("a line of"), "{said}");
}
