//! The program with its window on a display, driven line by line through its standard input.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::display::Display;
use crate::support::{Turn, command};

/// Past this a step has hung. The program gives a step a minute.
const LIMIT: Duration = Duration::from_secs(150);

/// The window's size in the tests, where the panels' places are known.
pub const SIZE: [u32; 2] = [1024, 768];

/// A running window; ended when dropped.
pub struct Session {
    child: Child,
    steps: Option<ChildStdin>,
    answers: Receiver<String>,
    complaints: Receiver<String>,
    pub folder: tempfile::TempDir,
    pub display: Display,
    _turn: Turn,
}

impl Session {
    /// Opens the window with these arguments and waits until the file is read.
    pub fn open(arguments: &[&str]) -> Self {
        Self::open_with(arguments, &[])
    }

    /// The same, with variables of the environment.
    pub fn open_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let turn = Turn::wait();
        let display = Display::open();
        let folder = tempfile::tempdir().unwrap();
        let mut child = command()
            .current_dir(folder.path())
            .args(arguments)
            .args(["--script", "-"])
            .env("DISPLAY", &display.name)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let steps = child.stdin.take();
        let (sender, answers) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                // Past the limit nobody listens.
                let _ = sender.send(line);
            }
        });
        let (sender, complaints) = channel();
        let mut err = child.stderr.take().unwrap();
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = err.read_to_string(&mut text);
            let _ = sender.send(text);
        });
        let mut session = Self { child, steps, answers, complaints, folder, display, _turn: turn };
        session.step(json!({"loaded": true}));
        session.state();
        session
    }

    /// Does a step.
    pub fn step(&mut self, step: Value) {
        let steps = self.steps.as_mut().expect("not closed yet");
        // A program that has ended says why when it is asked for its state.
        let _ = writeln!(steps, "{step}");
    }

    /// Presses keys, one after the other.
    pub fn keys(&mut self, keys: &[&str]) {
        keys.iter().for_each(|key| self.step(json!({"key": key})));
    }

    /// Clicks at a place of the window.
    pub fn click(&mut self, [x, y]: [f64; 2]) {
        self.step(json!({"drag": [x, y, x, y]}));
    }

    /// Where the session stands when all steps so far are done.
    #[track_caller]
    pub fn state(&mut self) -> Value {
        self.step(json!({"state": "-"}));
        let Ok(answer) = self.answers.recv_timeout(LIMIT) else {
            let _ = self.child.kill();
            let said = self.complaints.recv_timeout(LIMIT).unwrap_or_default();
            panic!("no answer: {said}");
        };
        serde_json::from_str(&answer).unwrap()
    }

    /// A picture of the window.
    #[track_caller]
    pub fn picture(&mut self) -> image::RgbImage {
        let path = self.path("window.png");
        self.step(json!({"picture": path}));
        self.state();
        image::open(&path).unwrap().into_rgb8()
    }

    /// A place in the session's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Bytes of memory that the program has had at most so far.
    pub fn peak_bytes(&self) -> u64 {
        self.status_bytes("VmHWM:")
    }

    /// Bytes of memory that the program has now.
    pub fn resident_bytes(&self) -> u64 {
        self.status_bytes("VmRSS:")
    }

    fn status_bytes(&self, name: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        1024 * peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    }

    /// Closes the window as a person does.
    #[track_caller]
    pub fn close(mut self) {
        self.step(json!({"close": true}));
        let (code, said) = self.end();
        assert_eq!((code, said.as_str()), (Some(0), ""));
    }

    /// The exit code and what was said on standard error, once the program has ended.
    pub fn end(&mut self) -> (Option<i32>, String) {
        // Standard error closes when the program ends, so nothing has to ask again and again.
        let said = self.complaints.recv_timeout(LIMIT);
        if said.is_err() {
            let _ = self.child.kill();
        }
        let code = self.child.wait().unwrap().code();
        (code, said.expect("the program ends"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a model of one clip, two seconds long, and says where.
pub fn small_model(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    crate::support::SmallModel::new().clip("Turn").clip("Slow turn").write_gltf(&path);
    path.to_string_lossy().into_owned()
}

/// A number of a state.
#[track_caller]
pub fn number(state: &Value, name: &str) -> f64 {
    state[name].as_f64().unwrap_or_else(|| panic!("{name} of {state}"))
}
