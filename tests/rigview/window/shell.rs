//! The window's contents in this process, without a window: the same steps as in a [`Session`](super::session::Session),
//! at exact times, on a device that all tests share.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use image::RgbImage;
use rigview::app::Headless;
use rigview::render::Gpu;
use rigview::window_start;
use serde_json::{Value, json};

use super::session::{LIMIT, QUICK, QUICK_SIZE};
use crate::support::{Turn, adapter_choice, gpu};

/// The contents of a window.
pub struct Shell {
    headless: Headless,
    /// The error that ended the script.
    failure: Option<String>,
    pub folder: tempfile::TempDir,
    _turn: Turn,
}

/// One device for all tests.
fn shared_gpu() -> Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(gpu).clone()
}

impl Shell {
    /// Opens the contents of a window with these arguments and waits until the file is read.
    pub fn open(arguments: &[&str]) -> Self {
        Self::open_with(arguments, &[])
    }

    /// The same, with a small picture that is drawn quickly, for tests that are not about how it looks.
    pub fn open_quick(arguments: &[&str]) -> Self {
        Self::open_quick_with(arguments, &[])
    }

    /// The same, with the variables of [`Shell::open_with`].
    pub fn open_quick_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let size = if arguments.contains(&"--size") { &[] } else { QUICK_SIZE };
        Self::open_with(&[QUICK, size, arguments].concat(), variables)
    }

    /// Opens the contents of a window with RIGVIEW_SETTINGS, or on a display with WINIT_X11_SCALE_FACTOR.
    pub fn open_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let turn = Turn::wait();
        let folder = tempfile::tempdir().unwrap();
        let mut start = window_start(arguments).unwrap_or_else(|error| panic!("{error}"));
        let variable = |name| variables.iter().find(|(other, _)| *other == name);
        start.settings = variable("RIGVIEW_SETTINGS").map(|(_, path)| PathBuf::from(path));
        start.folder = folder.path().to_owned();
        start.adapter = adapter_choice();
        let scale = variable("WINIT_X11_SCALE_FACTOR").map_or(1.0, |(_, n)| n.parse().unwrap());
        let headless = Headless::open(start, shared_gpu(), scale);
        let mut shell = Self { headless, failure: None, folder, _turn: turn };
        shell.step(json!({"loaded": true}));
        shell.state();
        shell
    }

    /// Runs a step, unless one has failed.
    pub fn step(&mut self, step: Value) {
        if self.failure.is_none() {
            self.failure = self.headless.run(&step.to_string()).err();
        }
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

    /// Returns the controls after all steps so far.
    #[track_caller]
    pub fn controls(&mut self) -> Vec<Value> {
        let Value::Array(controls) = self.answer(json!({"controls": "-"})) else { panic!() };
        controls
    }

    /// Returns the control of this name.
    #[track_caller]
    pub fn control(&mut self, name: &str) -> Value {
        let controls = self.controls();
        let found = controls.iter().find(|control| control["name"] == name);
        found.unwrap_or_else(|| panic!("no {name:?} among {controls:#?}")).clone()
    }

    /// Returns left, top, width and height of the control of this name, in pixels.
    #[track_caller]
    pub fn rect(&mut self, name: &str) -> [f64; 4] {
        serde_json::from_value(self.control(name)["rect"].clone()).unwrap()
    }

    #[track_caller]
    fn answer(&mut self, step: Value) -> Value {
        self.step(step);
        assert_eq!(self.failure, None, "no answer");
        serde_json::from_str(&self.headless.answers()).unwrap()
    }

    /// Takes a picture of the window.
    #[track_caller]
    pub fn picture(&mut self) -> RgbImage {
        let path = self.path("window.png");
        self.step(json!({"picture": path}));
        assert_eq!(self.failure, None, "no picture");
        image::open(&path).unwrap().into_rgb8()
    }

    /// Returns the numbers that a control of the inspector would copy.
    #[track_caller]
    pub fn numbers(&mut self, name: &str) -> Vec<f64> {
        let value = self.control(name)["value"].as_str().unwrap().to_owned();
        let numbers = value.trim_matches(['[', ']']).split(',');
        numbers.map(|number| number.trim().parse().unwrap()).collect()
    }

    /// Lets time pass until a condition holds. The time of the window is none for the threads that report to it, so they
    /// are given time of the clock.
    #[track_caller]
    pub fn until(&mut self, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let state = self.state();
            if is(&state) {
                return state;
            }
            assert!(begun.elapsed() < LIMIT, "{what} never came: {state}");
            std::thread::sleep(Duration::from_millis(1));
            self.step(json!({"wait": 0.05}));
        }
    }

    /// Opens files as if they were dropped together.
    pub fn drop_files(&mut self, files: &[&Path]) {
        self.headless.drop_files(files.iter().map(|file| file.to_path_buf()).collect());
    }

    /// The time since the window was opened, in seconds.
    pub fn secs(&self) -> f64 {
        self.headless.now().as_secs_f64()
    }

    /// A path in the folder that pictures are saved in.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Closes the window.
    #[track_caller]
    pub fn close(mut self) {
        self.step(json!({"close": true}));
        assert_eq!(self.failure, None);
        assert!(self.headless.is_closed());
        self.headless.close().unwrap();
    }

    /// Returns the error that ended the script.
    #[track_caller]
    pub fn failure(&self) -> &str {
        self.failure.as_deref().expect("a step fails")
    }
}
