//! What makes the window a program of the desktop: the command palette and the picture as a command line.

use serde_json::json;

use super::session::{Session, small_model};
use crate::support::run;

/// Runs a command that the window copied, in a folder, with the program under test.
#[track_caller]
fn run_copied(line: &str, folder: &std::path::Path) {
    let program = env!("CARGO_BIN_EXE_rigview");
    let rest = line.strip_prefix("rigview ").expect("a command of rigview");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("exec '{program}' {rest}")]).current_dir(folder);
    shell.env("RIGVIEW_ADAPTER", "software").env_remove("XDG_RUNTIME_DIR");
    let run = run(&mut shell).done();
    assert_eq!(run.stderr, "", "{line}");
}

/// Returns the command that the window's message says it copied.
#[track_caller]
fn copied(window: &mut Session) -> String {
    window.keys(&["Shift+F12"]);
    window.step(json!({"frames": 1}));
    let notice = window.state()["notice"].as_str().unwrap_or_default().to_owned();
    let line = notice.strip_prefix("Copied: ").unwrap_or_else(|| panic!("{notice:?}"));
    line.to_owned()
}

#[test]
fn the_copied_command_draws_the_picture_that_f12_writes() {
    let mut window = Session::open(&["--clip", "Hop", "--time", "0.25", "--size", "800x500"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let changes: [&[&str]; 4] = [&[], &["K", "G"], &["5", "V"], &["R", "3", "X"]];
    for (round, keys) in changes.iter().enumerate() {
        window.step(json!({"time": 0.1 + 0.1 * round as f64}));
        if round == 1 {
            window.step(json!({"drag": [500, 200, 560, 230]}));
            window.step(json!({"wheel": [520, 220, 2]}));
        }
        window.keys(keys);
        window.keys(&["F12"]);
        let line = copied(&mut window);
        run_copied(&line, elsewhere.path());
        let name = line.split(' ').skip_while(|word| *word != "-o").nth(1).unwrap();
        let drawn = image::open(elsewhere.path().join(name)).unwrap().into_rgba8();
        let saved = image::open(window.path(name)).unwrap().into_rgba8();
        assert_eq!(drawn.dimensions(), saved.dimensions(), "{line}");
        let off = drawn.iter().zip(saved.iter()).filter(|(a, b)| a.abs_diff(**b) > 1).count();
        assert!(off * 10_000 <= drawn.len(), "{line}: {off} of {} bytes differ", drawn.len());
    }
    window.close();
}

#[test]
fn the_palette_finds_and_runs_what_is_typed() {
    let folder = tempfile::tempdir().unwrap();
    let path = small_model(folder.path(), "it's a rig.gltf");
    let mut window = Session::open(&[&path]);
    window.keys(&["Ctrl+P"]);
    assert_eq!(window.state()["palette"], true);
    window.keys(&["S", "L", "O", "W", "Space", "T", "U", "R", "N", "Enter"]);
    let state = window.state();
    assert_eq!((&state["palette"], &state["clip"]), (&json!(false), &json!(1)));
    assert_eq!(state["recent"], json!([path]));
    // The name is quoted for a shell, and no view, clip or light is named that is the usual one.
    window.step(json!({"time": 0}));
    let line = copied(&mut window);
    let quoted = path.replace('\'', r"'\''");
    assert!(line.starts_with(&format!("rigview screenshot '{quoted}' -o ")), "{line}");
    assert!(line.contains(" --clip 'Slow turn' --size "), "{line}");
    window.keys(&["Ctrl+P", "Escape"]);
    assert_eq!(window.state()["palette"], false);
    window.close();
}
