//! Carries out the order for one case: poses, draws and lints its file, and compares the results with the
//! goldens.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::case::CaseInstant;
use super::goldens::picture_name;
use super::order::{CaseAnswer, CaseOrder};
use super::pose_check::PosePair;
use super::results::{CaseResult, CheckResult, Commands, Kind, MotionFiles, PoseResult, Status};
use rigview_capture::write_whole;
use rigview_check::{Finding, Level};
use rigview_import::{LFS_POINTER, escaped};
use rigview_report::counted;
use rigview_session::{Session, ShellWords};

/// The order for a case, and its results so far.
#[derive(Debug)]
pub struct Judge<'a> {
    pub(super) order: &'a CaseOrder,
    clip: Option<String>,
    pub(super) checks: Vec<CheckResult>,
    pub(super) motion: Option<MotionFiles>,
    /// The golden of the pose with the file, if both could be compared.
    pub(super) approved: Option<PosePair>,
    blessed: Vec<String>,
    unwritten: Vec<String>,
}

impl<'a> Judge<'a> {
    /// Creates a judge without results.
    pub fn new(order: &'a CaseOrder) -> Self {
        Self {
            order,
            clip: None,
            checks: Vec::new(),
            motion: None,
            approved: None,
            blessed: Vec::new(),
            unwritten: Vec::new(),
        }
    }

    /// Names the clip that the session plays, for the results.
    pub fn set_clip(&mut self, session: &Session) {
        let playback = session.playback();
        let name = playback.document().zip(playback.clip_index());
        self.clip = name.and_then(|(document, clip)| document.clip_name(clip)).map(str::to_owned);
    }

    /// Checks that all instants of the case are within its clip.
    ///
    /// # Errors
    /// In words, if one is after its end, where the picture would be that of its last pose.
    pub fn check_instants(&self, session: &Session) -> Result<(), String> {
        /// The end that a manifest writes is a rounded one.
        const ROUNDING_SECS: f64 = 1e-3;
        let playback = session.playback();
        let Some((clip, secs)) = playback.clip().map(|c| (c, f64::from(c.duration_secs()))) else {
            return Ok(());
        };
        let is_outside = |instant: &&CaseInstant| instant.secs > secs + ROUNDING_SECS;
        let Some(instant) = self.order.case.instants.iter().find(is_outside) else { return Ok(()) };
        let name = clip.name().map_or(String::new(), |name| format!(" \"{}\"", escaped(name)));
        let CaseInstant { label, secs: at } = instant;
        Err(format!(
            "instant {label} ({at:.3} s) of the case at line {} is after the end of clip{name}, which lasts {secs:.3} s",
            self.order.case.line
        ))
    }

    /// Returns the answer. `failure` is why the case could not be run to its end.
    pub fn answer(self, failure: Option<String>) -> CaseAnswer {
        let case = &self.order.case;
        let worst = self.checks.iter().map(|check| check.status).max().unwrap_or(Status::Passed);
        let result = CaseResult {
            name: case.name.clone(),
            file: case.file.clone(),
            status: if failure.is_some() { Status::Error } else { worst },
            clip: self.clip,
            message: failure,
            commands: None,
            checks: self.checks,
            motion: self.motion,
        };
        let is_told = self.order.report.is_some() && result.status != Status::Passed;
        let commands = is_told.then(|| Commands {
            bless: self.order.bless_command.clone(),
            draw: draw_command(self.order, &result),
        });
        let result = CaseResult { commands, ..result };
        CaseAnswer { result, blessed: self.blessed, unwritten: self.unwritten, no_gpu: None }
    }

    /// Whether a check has not passed, or passed only since it was blessed.
    pub(super) fn has_failed(&self) -> bool {
        !self.blessed.is_empty() || self.checks.iter().any(|check| check.status != Status::Passed)
    }

    /// Notes the findings of the lint. An error among them fails the check.
    pub fn findings(&mut self, findings: Vec<Finding>) {
        let errors = findings.iter().filter(|finding| finding.level == Level::Error);
        let mut check = open_check(Kind::Check, None);
        match errors.clone().next() {
            None => check.status = Status::Passed,
            Some(first) => {
                let count = counted(errors.count(), "error");
                let message = escaped(&first.message);
                check.message = Some(format!("{count}, first {}: {message}", first.code));
            }
        }
        check.findings = findings;
        self.checks.push(check);
    }

    /// Writes a golden if its check did not pass and the order says so; then the check passes.
    pub(super) fn bless(
        &mut self,
        golden: &Path,
        check: &mut CheckResult,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) {
        if check.status == Status::Passed || !self.order.bless {
            return;
        }
        // What it stands for may be right, and would be lost.
        if let Some(what) = unfetched(golden) {
            (check.status, check.message) = (Status::Error, Some(what));
            return;
        }
        let why = if golden.exists() { check.message.take() } else { None };
        match write_below(golden, write) {
            Ok(()) => {
                let why = why.unwrap_or_else(|| "was missing".to_owned());
                self.blessed.push(format!("{}: {why}", shown(golden)));
                (check.status, check.message) = (Status::Passed, None);
            }
            Err(error) => {
                check.status = Status::Error;
                let error = escaped(&error.to_string());
                check.message = Some(format!("{}: can't be written: {error}", shown(golden)));
            }
        }
    }

    /// Writes a file of the report, given by its name there. Returns the name; `None` if that fails, or if no
    /// report is written.
    pub(super) fn put(
        &mut self,
        name: String,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Option<String> {
        let path = self.order.report.as_ref()?.join(&name);
        match write_below(&path, write) {
            Ok(()) => Some(name),
            Err(error) => {
                self.unwritten.push(format!("{}: {}", shown(&path), escaped(&error.to_string())));
                None
            }
        }
    }

    /// Returns the golden of a picture.
    pub(super) fn golden_picture(&self, instant: &CaseInstant) -> PathBuf {
        self.order.goldens.join(picture_name(&self.order.case, instant))
    }

    /// Reads a golden.
    ///
    /// # Errors
    /// In words, with the command that makes it.
    pub(super) fn read_golden(&self, golden: &Path) -> Result<Vec<u8>, String> {
        if let Some(what) = unfetched(golden) {
            return Err(what);
        }
        std::fs::read(golden).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                format!("no golden {}; make it with: {}", shown(golden), self.order.bless_command)
            }
            _ => format!("{}: can't be read: {}", shown(golden), escaped(&error.to_string())),
        })
    }
}

/// Returns the command line that draws a case at the first instant that did not pass.
fn draw_command(order: &CaseOrder, result: &CaseResult) -> String {
    let case = &order.case;
    let bad = result.checks.iter().find(|c| c.status != Status::Passed && c.time.is_some());
    let first = || case.instants.first().map(|instant| instant.secs);
    let time = bad.and_then(|check| check.time).or_else(first);
    let [width, height] = case.size;
    let mut words = ShellWords::default();
    words.flag("rigview");
    words.flag("screenshot");
    words.file(&case.path().to_string_lossy());
    let time = time.filter(|_| !case.rest).map(|time| format!("--time={time}"));
    let options = case.clip_option().into_iter().chain(time);
    for option in options.chain([format!("--size={width}x{height}")]) {
        words.flag(&option);
    }
    for word in &order.draw_args {
        words.flag(word);
    }
    words.option("-o", format!("{}.png", case.name.replace('/', "-")));
    words.text()
}

/// Returns a check that has not passed yet.
pub(super) fn open_check(kind: Kind, time: Option<f64>) -> CheckResult {
    CheckResult {
        kind,
        time,
        status: Status::Failed,
        message: None,
        picture: None,
        pose: None,
        findings: Vec::new(),
    }
}

/// Says that Git LFS has not fetched a golden, if so.
pub(super) fn unfetched(golden: &Path) -> Option<String> {
    let mut head = [0; LFS_POINTER.len()];
    File::open(golden).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    let name = || {
        format!("{}: a Git LFS pointer; fetch the file itself with `git lfs pull`", shown(golden))
    };
    (head == LFS_POINTER).then(name)
}

/// Returns a path as messages show it.
pub(super) fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy())
}

/// Writes a file whole or not at all, and the folders that it needs.
fn write_below(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    write_whole(path, write)
}

/// Returns the difference of a pose from its golden in words.
pub(super) fn pose_in_words(pose: &PoseResult, tolerance: f64) -> String {
    if !pose.distance.is_finite() {
        return "a vertex of the pose or of its golden is not finite".to_owned();
    }
    let [distance, tolerance] = [pose.distance, tolerance].map(|metres| metres * 1000.0);
    let mut said = format!("the pose is off by {distance:.3} mm (tolerance {tolerance} mm)");
    match &pose.node {
        Some(node) if pose.angle > 1e-3 => {
            said += &format!(", node \"{}\" by {:.3} degrees", escaped(node), pose.angle);
        }
        Some(node) => said += &format!(", first at node \"{}\"", escaped(node)),
        None => said += ", though no node moved: the mesh, its weights or its instances differ",
    }
    said
}
