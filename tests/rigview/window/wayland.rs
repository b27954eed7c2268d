//! The window on a Wayland compositor without a screen.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::session::{QUICK, small_model};
use crate::support::{command, run};

/// The name of the compositor's socket.
const SOCKET: &str = "wayland-test";

/// A running compositor, ended when dropped.
struct Compositor {
    server: Child,
    folder: tempfile::TempDir,
}

impl Compositor {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Command::new("weston")
            .args(["--backend=headless-backend.so", "--width=1280", "--height=800", "--no-config"])
            .args(["--idle-time=0", &format!("--socket={SOCKET}")])
            .env("XDG_RUNTIME_DIR", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("weston: {e}; `make test` installs it"));
        // The server writes more lines after it has made its socket.
        let mut log = BufReader::new(server.stderr.take().unwrap());
        let (mut told, mut ready) = (String::new(), false);
        while !ready && log.read_line(&mut told).is_ok_and(|bytes| bytes > 0) {
            ready = folder.path().join(SOCKET).exists();
        }
        assert!(ready, "{told}");
        // When the pipe of the log is full, the server waits until somebody reads it.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self { server, folder }
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The same steps as in a window on X11: keys, a chosen clip, a picture, another size, and the settings after the end.
#[test]
fn the_window_opens_is_driven_and_closes_on_wayland() {
    let compositor = Compositor::start();
    let path = |name: &str| compositor.folder.path().join(name).to_str().unwrap().to_owned();
    let model = small_model(compositor.folder.path(), "rig.gltf");
    let steps = [
        json!({"loaded": true}),
        json!({"key": "]"}),
        json!({"time": 0.5}),
        json!({"frames": 2}),
        json!({"state": path("before.json")}),
        json!({"picture": path("window.png")}),
        json!({"resize": [700, 500]}),
        json!({"frames": 2}),
        json!({"click": "Grid"}),
        json!({"state": path("after.json")}),
        json!({"close": true}),
    ];
    std::fs::write(path("script"), steps.map(|step| step.to_string()).join("\n")).unwrap();
    let mut program = command();
    program.args(QUICK).args([&model, "--script", &path("script")]);
    program.env("WAYLAND_DISPLAY", SOCKET);
    program.env("XDG_RUNTIME_DIR", compositor.folder.path());
    program.env("RIGVIEW_SETTINGS", path("settings.json"));
    assert_eq!(run(&mut program).done().stderr, "");
    let read = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(path(name)).unwrap()).unwrap()
    };
    let (before, after) = (read("before.json"), read("after.json"));
    assert_eq!((&before["clip_name"], &before["time"]), (&json!("Slow turn"), &json!(0.5)));
    assert_eq!((&before["size"], &after["size"]), (&json!([1024, 768]), &json!([700, 500])));
    assert_eq!((&before["grid"], &after["grid"]), (&json!(false), &json!(true)));
    let picture = image::open(path("window.png")).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (1024, 768));
    let colours: std::collections::HashSet<_> = picture.pixels().collect();
    assert!(colours.len() > 100, "{} colours", colours.len());
    assert_eq!(read("settings.json")["recent"], json!([model]));
}
