//! The lines of a script and the steps that they consist of.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, Read};
use std::path::PathBuf;
use std::time::Duration;

use egui::{Key, Modifiers, PointerButton};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::ScriptSource;
use crate::jobs::Report;
use rigview_session::Destination;

/// Time limit for a step, so that a script never blocks a job.
const LIMIT: Duration = Duration::from_secs(60);

/// Lines must be shorter than this many bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// Number of pointer moves per drag.
const DRAG_MOVES: u32 = 8;

/// One step. A line of a script consists of one or several steps; each runs after the frame that the former one
/// caused.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Key(Key, Modifiers),
    Move([f64; 2]),
    Button(PointerButton, bool),
    /// Presses or releases Alt.
    Alt(bool),
    /// Two clicks in one frame, because frames may take longer than the limit for double clicks; whether Ctrl is held.
    DoubleClick([f64; 2], bool),
    /// A click on the control of this name; counts how often it was scrolled to so far.
    Click(String, u32),
    /// Waits until clicks in the view have selected what was there.
    Selected,
    /// Selects a node by name or index, or nothing.
    Select(Option<String>),
    /// Sets values of a node by hand.
    Pose(PoseStep),
    LoadPose(PathBuf),
    SavePose(PathBuf),
    Wheel(f64),
    Drop(PathBuf, Destination),
    Resize([u32; 2]),
    Minimize(bool),
    Seek(f64),
    Frames(u64),
    Loaded,
    Picture(PathBuf),
    State(PathBuf),
    Controls(PathBuf),
    /// Writes a session file.
    Save(PathBuf),
    /// Begins to record the clip.
    Record(PathBuf),
    Wait(Duration),
    LoseDevice,
    Close,
}

/// A step that sets values of a node by hand.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PoseStep {
    #[serde(deserialize_with = "node_text")]
    pub node: String,
    pub translation: Option<[f32; 3]>,
    pub rotation: Option<[f32; 4]>,
    pub scale: Option<[f32; 3]>,
    /// Weights by name or index of the morph target.
    #[serde(default)]
    pub weights: BTreeMap<String, f32>,
}

/// The lines that were read, as steps that are still to run, and the progress of the current one.
#[derive(Debug)]
pub(super) struct Script {
    steps: VecDeque<(usize, Step)>,
    lines: usize,
    /// The line of the current step, and the time at which its first step became current.
    running: Option<(usize, Duration)>,
    /// The number of frames that must have been shown before the next step.
    pub after: u64,
    /// Set while the current step has begun and waits. A step that waits for frames stores their number.
    pub begun: Option<u64>,
}

impl Default for Script {
    fn default() -> Self {
        Self { steps: VecDeque::new(), lines: 0, running: None, after: 1, begun: None }
    }
}

/// Reads the lines of a script and reports each, until `report` returns false.
pub fn read_script(source: &ScriptSource, report: impl Fn(Report) -> bool) {
    let mut lines: Box<dyn BufRead> = match source {
        ScriptSource::StandardInput => Box::new(std::io::stdin().lock()),
        ScriptSource::Text(text) => Box::new(text.as_bytes()),
    };
    loop {
        let line = next_line(&mut lines);
        let is_last = !matches!(line, Ok(Some(_)));
        if !report(Report::Line(line)) || is_last {
            return;
        }
    }
}

impl Script {
    /// Appends a line; `None` after the last one.
    pub fn add(&mut self, line: Result<Option<String>, String>) -> Result<(), String> {
        match line {
            Ok(Some(line)) => self.add_line(&line),
            Ok(None) => Ok(()),
            Err(what) => Err(format!("script: {what}")),
        }
    }

    fn add_line(&mut self, line: &str) -> Result<(), String> {
        self.lines += 1;
        // Editors may begin a file with a byte order mark.
        let line = if self.lines == 1 { line.trim_start_matches('\u{feff}') } else { line };
        if line.trim().is_empty() {
            return Ok(());
        }
        let steps = steps_of(line).map_err(|e| format!("script line {}: {e}", self.lines))?;
        self.steps.extend(steps.into_iter().map(|step| (self.lines, step)));
        Ok(())
    }

    /// The current step.
    pub fn current(&self) -> Option<&Step> {
        self.steps.front().map(|(_, step)| step)
    }

    /// Ends the current step; the next one becomes current.
    pub fn advance(&mut self) {
        self.steps.pop_front();
        self.running = None;
    }

    /// Replaces the current step by others of the same line.
    pub fn replace<const N: usize>(&mut self, steps: [Step; N]) {
        let Some((line, _)) = self.steps.pop_front() else { return };
        for step in steps.into_iter().rev() {
            self.steps.push_front((line, step));
        }
    }

    /// Adds the line of the current step to an error message.
    pub fn blame(&self, what: &str) -> String {
        let line = self.steps.front().map_or(self.lines, |(line, _)| *line);
        format!("script line {line}: {what}")
    }

    /// Returns for how long the current line has been running.
    ///
    /// # Errors
    /// If it has exceeded the time limit.
    pub fn waited(&mut self, now: Duration) -> Result<Duration, String> {
        let Some((line, step)) = self.steps.front() else { return Ok(Duration::ZERO) };
        let since = match self.running {
            Some((of, since)) if of == *line => since,
            _ => {
                self.running = Some((*line, now));
                now
            }
        };
        let waited = now.saturating_sub(since);
        let allowed = match step {
            Step::Wait(time) => LIMIT + *time,
            _ => LIMIT,
        };
        if waited > allowed {
            let what = format!("no success within {} s", allowed.as_secs());
            return Err(self.blame(&what));
        }
        Ok(waited)
    }
}

/// Reads the next line; `None` at the end.
///
/// # Errors
/// If the line is too long, is not UTF-8, or can't be read.
fn next_line(lines: &mut dyn BufRead) -> Result<Option<String>, String> {
    let mut line = Vec::new();
    let read = lines.take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(|e| e.to_string())?;
    if read as u64 == LONGEST_LINE {
        return Err(format!("a line of {LONGEST_LINE} bytes or more; lines must be shorter"));
    }
    let text = String::from_utf8(line).map_err(|_| "a line is not UTF-8")?;
    Ok((read > 0).then(|| text.trim_end().to_owned()))
}

fn node_text<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    NodeKey::deserialize(from).map(NodeKey::into_text)
}

/// A node as a line names it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum NodeKey {
    Name(String),
    Index(usize),
}

impl NodeKey {
    fn into_text(self) -> String {
        match self {
            NodeKey::Name(name) => name,
            NodeKey::Index(index) => index.to_string(),
        }
    }
}

/// A line as written in JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: Option<String>,
    drag: Option<[f64; 4]>,
    button: Option<String>,
    wheel: Option<[f64; 3]>,
    double_click: Option<[f64; 2]>,
    click: Option<String>,
    pick: Option<[f64; 2]>,
    alt: Option<bool>,
    /// `null` selects nothing.
    #[serde(default, deserialize_with = "given")]
    select: Option<Option<NodeKey>>,
    pose: Option<PoseStep>,
    load_pose: Option<PathBuf>,
    save_pose: Option<PathBuf>,
    drop: Option<PathBuf>,
    shift: Option<bool>,
    ctrl: Option<bool>,
    resize: Option<[u32; 2]>,
    minimize: Option<bool>,
    time: Option<f64>,
    frames: Option<u64>,
    loaded: Option<bool>,
    picture: Option<PathBuf>,
    state: Option<PathBuf>,
    controls: Option<PathBuf>,
    save: Option<PathBuf>,
    record: Option<PathBuf>,
    wait: Option<f64>,
    lose_device: Option<bool>,
    close: Option<bool>,
}

/// Parses a line, which must have one step.
fn steps_of(line: &str) -> Result<Vec<Step>, String> {
    let value: Value = serde_json::from_str(line).map_err(|e| format!("not JSON: {e}"))?;
    let words = value.as_object().map_or(0, |o| {
        o.keys().filter(|k| !["alt", "button", "ctrl", "shift"].contains(&k.as_str())).count()
    });
    if words != 1 {
        return Err("not one step: a line is a JSON object with one step".into());
    }
    let line: Line = serde_json::from_value(value).map_err(|e| e.to_string())?;
    if let Some(name) = line.key {
        let (key, modifiers) = key_of(&name).ok_or_else(|| format!("no key `{name}`"))?;
        return Ok(vec![Step::Key(key, modifiers)]);
    }
    if let Some([x0, y0, x1, y1]) = line.drag {
        let button = button_of(line.button.as_deref().unwrap_or("left"))?;
        let mut steps = vec![Step::Move([x0, y0]), Step::Button(button, true)];
        // A drag from a place to itself is a click, which must have no moves.
        let moves = if [x0, y0] == [x1, y1] { 0 } else { DRAG_MOVES };
        steps.extend((1..=moves).map(|i| {
            let u = f64::from(i) / f64::from(DRAG_MOVES);
            Step::Move([x0 + u * (x1 - x0), y0 + u * (y1 - y0)])
        }));
        steps.push(Step::Button(button, false));
        return Ok(steps);
    }
    if let Some(at) = line.pick {
        let click = [true, false].map(|down| Step::Button(PointerButton::Primary, down));
        let click = [&[Step::Move(at)], &click[..]].concat();
        let click = match line.alt {
            Some(true) => [&[Step::Alt(true)], &click[..], &[Step::Alt(false)]].concat(),
            _ => click,
        };
        return Ok([&click[..], &[Step::Selected]].concat());
    }
    if let Some(at) = line.double_click {
        return Ok(vec![Step::DoubleClick(at, line.ctrl == Some(true)), Step::Selected]);
    }
    if let Some([x, y, lines]) = line.wheel {
        return Ok(vec![Step::Move([x, y]), Step::Wheel(lines)]);
    }
    let secs = |secs: f64| Duration::try_from_secs_f64(secs).map_err(|e| e.to_string());
    let one = match line {
        Line { drop: Some(path), shift, ctrl, .. } => {
            Step::Drop(path, dropped_with(ctrl == Some(true), shift == Some(true)))
        }
        Line { click: Some(name), .. } => Step::Click(name, 0),
        Line { pose: Some(pose), .. } => Step::Pose(pose),
        Line { load_pose: Some(path), .. } => Step::LoadPose(path),
        Line { save_pose: Some(path), .. } => Step::SavePose(path),
        Line { select: Some(node), .. } => Step::Select(node.map(NodeKey::into_text)),
        Line { resize: Some([0, _] | [_, 0]), .. } => {
            return Err("resize: a window is at least 1x1 pixels large".into());
        }
        Line { resize: Some(size), .. } => Step::Resize(size),
        Line { minimize: Some(on), .. } => Step::Minimize(on),
        Line { time: Some(time_secs), .. } => Step::Seek(time_secs),
        Line { frames: Some(frames), .. } => Step::Frames(frames),
        Line { loaded: Some(true), .. } => Step::Loaded,
        Line { picture: Some(path), .. } => Step::Picture(path),
        Line { state: Some(path), .. } => Step::State(path),
        Line { controls: Some(path), .. } => Step::Controls(path),
        Line { save: Some(path), .. } => Step::Save(path),
        Line { record: Some(path), .. } => Step::Record(path),
        Line { wait: Some(wait), .. } => Step::Wait(secs(wait)?),
        Line { lose_device: Some(true), .. } => Step::LoseDevice,
        Line { close: Some(true), .. } => Step::Close,
        _ => return Err("nothing to do".into()),
    };
    Ok(vec![one])
}

/// Returns the key and modifiers of a name.
fn key_of(name: &str) -> Option<(Key, Modifiers)> {
    let mut modifiers = Modifiers::NONE;
    let mut rest = name;
    while let Some((word, after)) = rest.split_once('+').filter(|(_, after)| !after.is_empty()) {
        match word.to_ascii_lowercase().as_str() {
            "ctrl" => {
                modifiers.ctrl = true;
                modifiers.command = true;
            }
            "shift" => modifiers.shift = true,
            "alt" => modifiers.alt = true,
            _ => return None,
        }
        rest = after;
    }
    let upper = rest.to_ascii_uppercase();
    let key = if rest.chars().count() == 1 { Key::from_name(&upper) } else { Key::from_name(rest) };
    Some((key?, modifiers))
}

/// Returns the destination of files that are dropped while these keys are held.
pub fn dropped_with(control: bool, shift: bool) -> Destination {
    match (control, shift) {
        (true, _) => Destination::Beside,
        (false, true) => Destination::Clips,
        (false, false) => Destination::Shown,
    }
}

/// Reads a key that may be `null` and is `None` only where it is missing.
fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<NodeKey>>, D::Error> {
    Option::deserialize(value).map(Some)
}

fn button_of(name: &str) -> Result<PointerButton, String> {
    match name {
        "left" => Ok(PointerButton::Primary),
        "right" => Ok(PointerButton::Secondary),
        "middle" => Ok(PointerButton::Middle),
        _ => Err(format!("no mouse button `{name}`; the buttons are left, right and middle")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_contract_are_keys() {
        let ctrl = Modifiers::CTRL | Modifiers::COMMAND;
        for (name, key, modifiers) in [
            ("Space", Key::Space, Modifiers::NONE),
            ("Left", Key::ArrowLeft, Modifiers::NONE),
            ("Shift+Right", Key::ArrowRight, Modifiers::SHIFT),
            ("Ctrl+O", Key::O, ctrl),
            ("ctrl+o", Key::O, ctrl),
            ("F5", Key::F5, Modifiers::NONE),
            ("k", Key::K, Modifiers::NONE),
            ("[", Key::OpenBracket, Modifiers::NONE),
            ("]", Key::CloseBracket, Modifiers::NONE),
            ("?", Key::Questionmark, Modifiers::NONE),
            ("7", Key::Num7, Modifiers::NONE),
            ("Esc", Key::Escape, Modifiers::NONE),
            ("Home", Key::Home, Modifiers::NONE),
            ("+", Key::Plus, Modifiers::NONE),
        ] {
            assert_eq!(key_of(name), Some((key, modifiers)), "{name}");
        }
        for name in ["", "Spce", "Hyper+X", "Ctrl+"] {
            assert_eq!(key_of(name), None, "{name}");
        }
    }

    #[test]
    fn lines_are_steps() {
        let one = |line: &str| steps_of(line).map(|s| s[0].clone());
        assert_eq!(one(r#"{"key":"Space"}"#), Ok(Step::Key(Key::Space, Modifiers::NONE)));
        assert_eq!(one(r#"{"time":0.5}"#), Ok(Step::Seek(0.5)));
        assert_eq!(one(r#"{"wait":1.5}"#), Ok(Step::Wait(Duration::from_millis(1500))));
        assert_eq!(one(r#"{"loaded":true}"#), Ok(Step::Loaded));
        assert_eq!(one(r#"{"click":"Loop"}"#), Ok(Step::Click("Loop".into(), 0)));
        let drag = steps_of(r#"{"drag":[0,0,80,40],"button":"right"}"#).unwrap();
        assert_eq!(drag[1], Step::Button(PointerButton::Secondary, true));
        assert_eq!(drag[9], Step::Move([80.0, 40.0]));
        assert_eq!(drag.len(), 11);
        let pick = steps_of(r#"{"pick":[5,6]}"#).unwrap();
        assert_eq!((&pick[0], &pick[3]), (&Step::Move([5.0, 6.0]), &Step::Selected));
        assert_eq!(steps_of(r#"{"pick":[5,6],"alt":true}"#).unwrap()[0], Step::Alt(true));
        assert_eq!(one(r#"{"select":"Hips"}"#), Ok(Step::Select(Some("Hips".into()))));
        assert_eq!(one(r#"{"select":7}"#), Ok(Step::Select(Some("7".into()))));
        assert_eq!(one(r#"{"select":null}"#), Ok(Step::Select(None)));
        let drop = |line| one(line).map(|step| matches!(step, Step::Drop(_, Destination::Beside)));
        assert_eq!(drop(r#"{"drop":"b.glb","ctrl":true}"#), Ok(true));
        assert_eq!(drop(r#"{"drop":"b.glb","shift":true}"#), Ok(false));
        let wheel = steps_of(r#"{"wheel":[5,6,-2]}"#).unwrap();
        assert_eq!(wheel, [Step::Move([5.0, 6.0]), Step::Wheel(-2.0)]);
    }

    #[test]
    fn a_bad_line_is_said_with_its_number() {
        let mut script = Script::default();
        script.add_line(r#"{"key":"k"}"#).unwrap();
        script.add_line("").unwrap();
        for (line, says) in [
            ("{", "not JSON"),
            ("{}", "not one step"),
            (r#"{"key":"k","close":true}"#, "not one step"),
            (r#"{"jump":1}"#, "unknown field"),
            (r#"{"key":"Hyper"}"#, "no key `Hyper`"),
            (r#"{"wait":-1}"#, "script line"),
            (r#"{"resize":[0,0]}"#, "at least 1x1"),
            (r#"{"resize":[640,0]}"#, "at least 1x1"),
        ] {
            let error = script.add_line(line).unwrap_err();
            assert!(error.starts_with("script line ") && error.contains(says), "{error}");
        }
    }

    /// The message about an unknown step lists all that there are.
    #[test]
    fn the_page_names_every_step() {
        let page = include_str!("../../../../docs/script.md");
        let error = steps_of(r#"{"jump":1}"#).unwrap_err();
        let steps: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
        assert!(steps.len() > 20, "{error}");
        for step in steps {
            assert!(page.contains(&format!("\"{step}\":")), "docs/script.md lacks {step}");
        }
    }

    #[test]
    fn a_step_that_takes_a_minute_has_failed() {
        let mut script = Script::default();
        script.add_line(r#"{"loaded":true}"#).unwrap();
        let start = Duration::from_secs(9);
        assert_eq!(script.waited(start), Ok(Duration::ZERO));
        assert!(script.waited(start + Duration::from_secs(59)).is_ok());
        assert!(script.waited(start + Duration::from_secs(61)).unwrap_err().contains("line 1"));
    }
}
