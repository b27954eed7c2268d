//! Recording from the window: the file has the bytes of `record`, its progress is shown, and it can be cancelled while
//! the window goes on.

use std::path::Path;

use serde_json::{Value, json};

use super::session::QUICK;
use super::shell::Shell;
use crate::support::{SmallModel, floats, rigview};

/// Records with the command to a file and returns its bytes.
#[track_caller]
fn recorded(arguments: &[&str], out: &Path) -> Vec<u8> {
    rigview([&["record"], arguments, &["-o", out.to_str().unwrap()]].concat()).done();
    std::fs::read(out).unwrap()
}

/// Returns the size of the picture in the window, as F12 writes it.
#[track_caller]
fn picture_size(window: &mut Shell) -> String {
    window.keys(&["F12"]);
    let notice = window.state()["notice"].as_str().unwrap().to_owned();
    let saved = image::open(notice.strip_prefix("Saved ").unwrap()).unwrap();
    format!("{}x{}", saved.width(), saved.height())
}

#[test]
fn a_recording_of_the_window_has_the_bytes_of_the_command() {
    let view = [QUICK, &["--clip", "Hop", "--fps", "6", "--orbit", "60,20"]].concat();
    let mut window = Shell::open(&[&view[..], &["--size", "520x400"]].concat());
    window.keys(&["K"]);
    let size = picture_size(&mut window);
    let same = [&view[..], &["--skeleton", "--size", &size]].concat();
    // From the in point to the out point; the time goes on as before.
    for (name, range) in [("hop.gif", None), ("hop.apng", Some(["0.5", "1"])), ("hop.y4m", None)] {
        if let Some([from, to]) = range {
            for (time, key) in [(from, "I"), (to, "O")] {
                window.step(json!({"time": time.parse::<f64>().unwrap()}));
                window.keys(&[key]);
            }
        }
        window.step(json!({"time": 0.75}));
        let path = window.path(name);
        window.step(json!({"record": path}));
        window.step(json!({"loaded": true}));
        let state = window.state();
        assert_eq!(state["notice"], format!("Saved {}", path.display()));
        assert_eq!((&state["recording"], &state["time"]), (&Value::Null, &json!(0.75)));
        let range = range.map_or(vec![], |[from, to]| vec!["--from", from, "--to", to]);
        let wanted =
            recorded(&[&same[..], &range].concat(), &window.path(&format!("wanted-{name}")));
        let got = std::fs::read(&path).unwrap();
        assert!(got == wanted, "{name}: {} bytes, {} wanted", got.len(), wanted.len());
        window.keys(&["Shift+I", "Shift+O"]);
    }
    // A series has a file per frame.
    window.step(json!({"record": window.path("{clip}_{frame:2}.png")}));
    window.step(json!({"loaded": true}));
    assert_eq!(window.state()["notice_kind"], "done");
    assert!(window.path("Hop_09.png").is_file() && !window.path("Hop_10.png").exists());
    // The notice names the file, not its pattern.
    window.step(json!({"record": window.path("the {clip}.gif")}));
    window.step(json!({"loaded": true}));
    let file = window.path("the Hop.gif");
    assert_eq!(window.state()["notice"], format!("Saved {}", file.display()));
    window.close();
}

#[test]
fn a_recording_is_cancelled_and_refused_with_a_reason() {
    let files = tempfile::tempdir().unwrap();
    let hour = files.path().join("hour.gltf");
    let lasts_an_hour = |json: &mut Value| {
        json["animations"][0]["samplers"][0]["input"] =
            floats(json, "SCALAR", &[0.0, 3600.0]).into();
    };
    SmallModel::new().clip("Turn").edit(lasts_an_hour).write_gltf(&hour);
    let hour = hour.to_str().unwrap();
    let mut window = Shell::open_quick(&[hour, "--rest", "--fps", "60", "--size", "520x400"]);
    let path = |window: &Shell, name: &str| window.path(name).display().to_string();
    window.step(json!({"record": "clip.mp4"}));
    let state = window.state();
    assert_eq!(state["notice_kind"], "warning", "{state}");
    assert!(state["notice"].as_str().unwrap().contains("clip.mp4: expected a name with .gif"));
    let nowhere = path(&window, "nowhere/clip.gif");
    window.step(json!({"record": nowhere}));
    window.step(json!({"loaded": true}));
    let notice = window.state()["notice"].as_str().unwrap().to_owned();
    assert!(notice.starts_with(&format!("No recording: {nowhere}")), "{notice}");
    // No machine draws the frames of an hour before the click, while the window shows frames.
    window.keys(&["]"]);
    let clip = path(&window, "clip.gif");
    window.step(json!({"record": clip}));
    window.step(json!({"frames": 3}));
    let state = window.state();
    assert_eq!(
        (&state["recording"]["file"], &state["recording"]["of"]),
        (&json!(clip), &json!(180_000)),
        "{state}"
    );
    window.step(json!({"record": path(&window, "other.gif")}));
    assert_eq!(window.state()["notice"], format!("{clip} is still being recorded"));
    window.click("Cancel the recording");
    let state = window.state();
    assert_eq!(
        (&state["recording"], &state["notice"]),
        (&Value::Null, &json!("clip.gif was not recorded"))
    );
    // Closing ends a recording, too.
    window.step(json!({"record": path(&window, "last.gif")}));
    let folder = window.folder.path().to_owned();
    let left: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
    window.close();
}
