//! The program with its window on a virtual display, driven through its standard input line by line.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::display::Display;
use crate::support::{Turn, command};

/// Time limit for a step. The program itself gives up after a minute.
pub const LIMIT: Duration = Duration::from_secs(150);

/// Options for a picture without soft shadows, studio and occlusion, which take most of a frame's time without a GPU.
pub const QUICK: &[&str] = &["--light=-1,-2,-3", "--ambient-occlusion", "off", "--samples", "1"];

/// The window's size in tests with a quick picture, unless they choose another.
pub const QUICK_SIZE: &[&str] = &["--size", "640x480"];

/// A running window. Dropping it ends the program.
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

    /// The same, with a small picture that is drawn quickly, for tests that are not about how it looks.
    pub fn open_quick(arguments: &[&str]) -> Self {
        Self::open_quick_with(arguments, &[])
    }

    /// The same, with environment variables too.
    pub fn open_quick_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let size = if arguments.contains(&"--size") { &[] } else { QUICK_SIZE };
        Self::open_with(&[QUICK, size, arguments].concat(), variables)
    }

    /// Opens the window with environment variables too. It has a display of its own: a window that another one covers draws
    /// nothing.
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
                // After the time limit there is no receiver.
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

    /// Runs a step.
    pub fn step(&mut self, step: Value) {
        let steps = self.steps.as_mut().expect("not closed yet");
        // If the program has ended, the request for its state below reports why.
        let _ = writeln!(steps, "{step}");
    }

    /// Presses keys, one after the other.
    pub fn keys(&mut self, keys: &[&str]) {
        keys.iter().for_each(|key| self.step(json!({"key": key})));
    }

    /// Clicks the control of this name.
    pub fn click(&mut self, name: &str) {
        self.step(json!({"click": name}));
    }

    /// Returns the session's state after all steps so far.
    #[track_caller]
    pub fn state(&mut self) -> Value {
        self.answer(json!({"state": "-"}))
    }

    /// Steps until a condition holds, because other threads and programs report their results at any time.
    #[track_caller]
    pub fn until(&mut self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let state = self.state();
            if is(&state) {
                return state;
            }
            assert!(begun.elapsed() < LIMIT, "{what} never came: {state}");
            self.step(json!({"wait": 0.05}));
        }
    }

    #[track_caller]
    fn answer(&mut self, step: Value) -> Value {
        self.step(step);
        let Ok(answer) = self.answers.recv_timeout(LIMIT) else {
            let _ = self.child.kill();
            let said = self.complaints.recv_timeout(LIMIT).unwrap_or_default();
            panic!("no answer: {said}");
        };
        serde_json::from_str(&answer).unwrap()
    }

    /// Takes a picture of the window.
    #[track_caller]
    pub fn picture(&mut self) -> image::RgbImage {
        let path = self.path("window.png");
        self.step(json!({"picture": path}));
        self.state();
        image::open(&path).unwrap().into_rgb8()
    }

    /// A path in the session's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program's peak resident size in bytes.
    pub fn peak_bytes(&self) -> u64 {
        self.status_bytes("VmHWM:")
    }

    /// The program's resident size in bytes.
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

    /// Waits for the program to end and returns the exit code and standard error.
    pub fn end(&mut self) -> (Option<i32>, String) {
        // Standard error closes when the program ends, so no polling is needed.
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

/// Writes a model with one clip of two seconds and returns its path.
pub fn small_model(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    crate::support::SmallModel::new().clip("Turn").clip("Slow turn").write_gltf(&path);
    path.to_string_lossy().into_owned()
}

/// Returns a number of a state.
#[track_caller]
pub fn number(state: &Value, name: &str) -> f64 {
    state[name].as_f64().unwrap_or_else(|| panic!("{name} of {state}"))
}
