//! What makes the window a program of the desktop: the command palette, the picture as a command line, sessions, and
//! what settings keep.

use serde_json::{Value, json};

use super::session::{Session, small_model};
use super::shell::Shell;
use crate::support::{program, run, set_adapter};

/// Runs a command that the window copied, in a folder, with the program under test.
#[track_caller]
fn run_copied(line: &str, folder: &std::path::Path) {
    let program = program().display();
    let rest = line.strip_prefix("rigview ").expect("a command of rigview");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("exec '{program}' {rest}")]).current_dir(folder);
    set_adapter(&mut shell);
    shell.env_remove("XDG_RUNTIME_DIR");
    let run = run(&mut shell).done();
    assert_eq!(run.stderr, "", "{line}");
}

/// Returns the command that the window's message says it copied.
#[track_caller]
fn copied(window: &mut Shell) -> String {
    window.keys(&["Shift+F12"]);
    window.step(json!({"frames": 1}));
    let notice = window.state()["notice"].as_str().unwrap_or_default().to_owned();
    // A message about the file of a pose may precede the command.
    let at = notice.find("rigview screenshot ").unwrap_or_else(|| panic!("{notice:?}"));
    assert!(notice.starts_with("Copied") && !notice.contains("but without"), "{notice:?}");
    notice[at..].to_owned()
}

#[test]
fn the_copied_command_draws_the_picture_that_f12_writes() {
    let mut window = Shell::open(&["--clip", "Hop", "--time", "0.25", "--size", "640x420"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let changes: [&[&str]; 5] = [&[], &["K", "G"], &["5", "V"], &["0", "3", "X"], &[]];
    for (round, keys) in changes.iter().enumerate() {
        window.step(json!({"time": 0.1 + 0.1 * round as f64}));
        // What was posed by hand goes to a file that the command names.
        if round == 4 {
            window.step(json!({"pose": {"node": "head", "rotation": [0.0, 0.0, 0.5, 0.866]}}));
        }
        if round == 1 {
            window.step(json!({"drag": [500, 200, 560, 230]}));
            window.step(json!({"wheel": [520, 220, 2]}));
        }
        window.keys(keys);
        window.keys(&["F12"]);
        let line = copied(&mut window);
        assert_eq!(line.contains(" --pose "), round == 4, "{line}");
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
    let mut window = Shell::open(&[&path, "--size", "480x360"]);
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

#[test]
fn place_theme_and_recent_files_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.json");
    let kept = [("RIGVIEW_SETTINGS", settings.to_str().unwrap())];
    let first = small_model(folder.path(), "first.gltf");
    let second = small_model(folder.path(), "second.gltf");
    let mut window = Session::open_quick_with(&[&first], &kept);
    window.step(json!({"resize": [700, 500]}));
    window.keys(&["Ctrl+P", "T", "H", "E", "M", "E", "Space", "L", "I", "G", "H", "T", "Enter"]);
    assert_eq!(window.state()["theme"], "light");
    window.keys(&["Ctrl+P", "M", "O", "V", "I", "N", "G", "Space", "A", "L", "L", "Enter"]);
    // What changed is in the file already while the window is open.
    window.step(json!({"frames": 1}));
    window.state();
    let written: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&settings).unwrap()).unwrap();
    assert_eq!((&written["theme"], &written["recent"]), (&json!("light"), &json!([first])));
    assert_eq!(written["quality"], "full");
    window.close();
    let mut window = Session::open_with(&[&second, "--pass", "mask", "--quality", "quick"], &kept);
    let state = window.state();
    assert_eq!(state["quality"], "quick", "for this window");
    assert_eq!((&state["size"], &state["theme"]), (&json!([700, 500]), &json!("light")));
    assert_eq!(state["recent"], json!([second, first]));
    // A file that is gone stays in the list, and is reported when it is opened.
    std::fs::remove_file(&first).unwrap();
    window.click("Recent files");
    window.click(&format!("Open {first}"));
    window.step(json!({"loaded": true}));
    let state = window.state();
    assert!(state["error"].as_str().is_some_and(|e| e.starts_with("first.gltf: ")), "{state}");
    assert_eq!(state["recent"], json!([second, first]));
    window.close();
    let mut window = Session::open_quick_with(&[&second], &kept);
    assert_eq!(window.state()["quality"], "full", "as chosen in the window");
    window.close();
    std::fs::write(&settings, "{\"recent\": 3}").unwrap();
    let mut window = Session::open_quick_with(&[&second, "--size", "640x400"], &kept);
    let state = window.state();
    assert_eq!((&state["size"], &state["theme"]), (&json!([640, 400]), &json!("system")));
    assert!(state["notice"].as_str().is_some_and(|text| text.contains("settings.broken.json")));
    window.close();
}

#[test]
fn a_session_file_opens_as_it_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = small_model(folder.path(), "rig.gltf");
    let mut window = Shell::open_quick(&[&path, "--time", "0.5"]);
    window.keys(&["]", "G"]);
    window.step(json!({"time": 0.25}));
    window.step(json!({"drag": [600, 300, 660, 330]}));
    let saved = folder.path().join("kept.rigview.json");
    window.step(json!({"save": saved}));
    let before = window.state();
    assert_eq!(before["notice"], format!("Saved {}", saved.display()));
    window.close();
    let mut window = Shell::open_quick(&[saved.to_str().unwrap()]);
    let after = window.state();
    for key in ["clip", "time", "playing", "camera", "grid", "parts"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(after["title"], "rig.gltf - rigview");
    // A drop opens one as well, and one that is none is refused.
    let broken = folder.path().join("broken.rigview.json");
    std::fs::write(&broken, "{}").unwrap();
    window.step(json!({"drop": broken}));
    let error = window.state()["error"].as_str().unwrap_or_default().to_owned();
    assert!(error.starts_with("broken.rigview.json: no session file"), "{error}");
    window.step(json!({"drop": saved}));
    window.step(json!({"loaded": true}));
    assert_eq!(window.state()["error"], json!(null));
    window.close();
}

#[test]
fn a_file_that_can_not_be_written_is_said_with_its_kind_the_reason_and_the_way_out() {
    let mut window = Shell::open_quick(&["--rest"]);
    let folder = window.path("gone");
    let session = folder.join("a.rigview.json");
    window.step(json!({"save": session}));
    let reason = format!("there is no folder {}; choose another place", folder.display());
    let notice = window.state()["notice"].clone();
    assert_eq!(notice, format!("No session was saved: {}: {reason}", session.display()));
    assert_eq!(window.state()["notice_kind"], "warning");
    // A file of numbers that is no pose.
    let numbers = window.path("numbers.json");
    std::fs::write(&numbers, "[1, 2]").unwrap();
    window.step(json!({"drop": numbers}));
    let notice = window.state()["notice"].as_str().unwrap_or_default().to_owned();
    let start = format!("No pose was loaded from {}: ", numbers.display());
    assert!(notice.starts_with(&start), "{notice}");
    // Pictures go to the working directory.
    std::fs::remove_dir_all(window.folder.path()).unwrap();
    window.keys(&["F12"]);
    let notice = window.state()["notice"].as_str().unwrap_or_default().to_owned();
    let reason = format!("there is no folder {}; start rigview", window.folder.path().display());
    assert!(notice.starts_with("No picture: ") && notice.contains(&reason), "{notice}");
    window.close();
}

#[test]
fn nothing_is_drawn_while_nothing_changes_and_a_turntable_draws() {
    let mut window = Session::open(&["--rest", "--size", "400x300"]);
    window.step(json!({"frames": 2}));
    let before = window.state()["frames"].as_u64().unwrap();
    window.step(json!({"wait": 0.7}));
    assert_eq!(window.state()["frames"].as_u64().unwrap(), before);
    let turn = window.state()["camera"]["turn_speed"].clone();
    window.keys(&["Shift+R"]);
    let turns = |state: &Value| state["frames"].as_u64().unwrap() > before + 10;
    let state = window.until("frames of the turntable", turns);
    assert!(turn.is_null());
    assert_eq!(state["camera"]["turn_speed"].as_f64().map(f64::round), Some(30.0));
    window.close();
}

#[test]
fn a_recent_file_that_was_deleted_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.json");
    let [gone, here, shown] =
        ["gone.gltf", "here.gltf", "shown.gltf"].map(|name| small_model(folder.path(), name));
    std::fs::write(&settings, json!({"recent": [gone, here]}).to_string()).unwrap();
    std::fs::remove_file(&gone).unwrap();
    let kept = [("RIGVIEW_SETTINGS", settings.to_str().unwrap())];
    let mut window = Shell::open_quick_with(&[&shown], &kept);
    window.click("Recent files");
    let is_marked = |window: &mut Shell, file: &str| {
        let entry = window.control(&format!("Open {file}"));
        entry["value"].as_str().unwrap().ends_with("The file does not exist")
    };
    assert!(is_marked(&mut window, &gone));
    assert!(!is_marked(&mut window, &here));
    window.close();
}
