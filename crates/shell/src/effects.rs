//! Applies actions to the session and performs its effects: jobs, files, and requests to the window.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::heat::HeatModel;
use super::picture::{picture_name, recording_name};
use super::reads::Purpose;
use super::settings::{self, Settings};
use super::state::{AwaitedPoses, Comparison, DialogAnswer, FileDialog, Request, Shell};
use crate::jobs::compare::Comparer;
use crate::jobs::record::{Recorder, film};
use crate::jobs::{Job, LoadJob, RecordJob};
use crate::write::{ELSEWHERE, free_path, numbered, write_text};
use rigview_capture::{shown_names, with_names};
use rigview_import::read_file;
use rigview_report::GivenPose;
use rigview_session::{
    Action, ComparisonRequest, CopyAction, CopyOf, DesktopAction, DesktopEffect, Destination,
    Effect, FileChanges, FileQuestion, FileSource, LoadAction, LoadId, LoadRequest, NoticeKind,
    PictureSize, PoseAction, Recording, SESSION_FILE, WindowPart, command_line, command_needs_pose,
    is_environment,
};

/// Size limit of a session file in bytes.
const MAX_SESSION_BYTES: u64 = 16 << 20;

/// The message on a system without file dialogs.
const NO_DIALOG: &str =
    "no file dialog here: start rigview with a path, or drop a file on the window";

impl Shell {
    /// Applies an action that does not come from the panels.
    pub fn act(&mut self, action: impl Into<Action>) {
        let effects = self.session.apply(action);
        self.perform(effects);
        self.frames.dirty = true;
    }

    pub(super) fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Load(request) => self.load(request),
                Effect::Find(search) => (self.run_job)(Job::Find(search)),
                Effect::Check(request) => (self.run_job)(Job::Check(request)),
                Effect::MeasureSkin(load, shown) => (self.run_job)(Job::MeasureSkin(load, shown)),
                Effect::Compare(request) => self.compare(request),
                Effect::Mend(request) => {
                    (self.run_job)(Job::Mend(request, self.start.bvh_scale));
                }
                Effect::WriteCopy(request) => {
                    (self.run_job)(Job::WriteCopy(request, self.start.bvh_scale));
                }
                Effect::Pick(question) => self.picks.add(question),
                Effect::Watch(files) => self.requests.push(Request::Watch(files)),
                Effect::SavePicture { bare } => {
                    self.begin_picture(bare, Purpose::Save(picture_name(&self.session)));
                }
                Effect::CopyPicture => self.begin_picture(false, Purpose::Copy),
                Effect::ToggleFullScreen => self.requests.push(Request::ToggleFullScreen),
                Effect::Quit => self.requests.push(Request::Close),
                Effect::Ask(question) => self.ask(question),
                Effect::Desktop(effect) => self.perform_desktop(effect),
            }
        }
    }

    fn load(&self, request: LoadRequest) {
        let block_formats = Arc::clone(&self.block_formats);
        let bvh_scale = self.start.bvh_scale;
        (self.run_job)(Job::Load(Box::new(LoadJob { request, block_formats, bvh_scale })));
    }

    fn perform_desktop(&mut self, effect: DesktopEffect) {
        match effect {
            DesktopEffect::CopyCommandLine => self.copy_command_line(),
            DesktopEffect::SetTheme(theme) => self.requests.push(Request::SetTheme(theme)),
            DesktopEffect::LookFor(mut paths) => {
                paths.retain(|path| !path.exists());
                self.act(DesktopAction::SetMissing(paths));
            }
            DesktopEffect::Record => self.record(),
            DesktopEffect::Write { path, text } => {
                let written = write_text(&path, &text).map(|()| path);
                self.report_written("session", written);
            }
            DesktopEffect::Read(path) => {
                let text = read_file(&path, MAX_SESSION_BYTES);
                let text = text.map_err(|e| FileSource::Path(path.clone()).message(&e));
                let text = text.and_then(|bytes| {
                    String::from_utf8(bytes).map_err(|_| "no session file: not UTF-8".to_owned())
                });
                self.act(DesktopAction::SessionRead { path, text });
            }
        }
    }

    /// Opens files and folders that were dropped or chosen together. Poses among them are given to the model that is opened
    /// or, without one, to that which is shown.
    pub fn open(&mut self, paths: Vec<PathBuf>, destination: Destination) {
        let (poses, others): (Vec<PathBuf>, Vec<PathBuf>) =
            paths.into_iter().partition(|path| is_pose(path));
        let shown = self.shown_load();
        let is_model = others.iter().any(|path| !is_environment(path));
        if is_model && (destination == Destination::Shown || shown.is_none()) {
            self.poses = AwaitedPoses { files: poses, shown }
        } else {
            poses.iter().for_each(|pose| self.load_pose(pose))
        }
        if !others.is_empty() {
            self.act(LoadAction::OpenAll(others, destination));
        }
    }

    /// Loads the poses that were dropped with a model, once that is shown. Forgets them if it does not come.
    pub(super) fn take_poses(&mut self) {
        if self.poses.files.is_empty() || self.session.loads().is_busy() {
            return;
        }
        let AwaitedPoses { files, shown } = std::mem::take(&mut self.poses);
        if self.shown_load() != shown {
            files.iter().for_each(|pose| self.load_pose(pose));
        }
    }

    fn shown_load(&self) -> Option<LoadId> {
        self.session.playback().document().map(|document| document.load)
    }

    /// Reads files again that have changed, and reports those that are gone.
    pub fn files_changed(&mut self, changes: FileChanges) {
        if changes != FileChanges::default() {
            self.act(LoadAction::FilesChanged(changes));
        }
    }

    /// Asks for a file, unless a dialog is open.
    fn ask(&mut self, question: FileQuestion) {
        if !self.asking {
            self.asking = true;
            let (name, folder) = (self.usual_name(question), self.session.folder_for(question));
            self.requests.push(Request::Ask(FileDialog { question, name, folder }));
        }
    }

    /// Returns the name that a file to be written has unless another one is chosen; empty for one to be read.
    fn usual_name(&self, question: FileQuestion) -> String {
        self.usual_stem(question) + end_of(question).appended
    }

    /// Returns that name without its end.
    fn usual_stem(&self, question: FileQuestion) -> String {
        match question {
            FileQuestion::Open(_) | FileQuestion::LoadPose => String::new(),
            FileQuestion::SavePose | FileQuestion::SaveMap | FileQuestion::SaveSession => {
                picture_name(&self.session)
            }
            FileQuestion::SaveCopy(of) => self.copy_name(of),
            FileQuestion::Record => recording_name(&self.session),
        }
    }

    /// Returns the usual name of a copy without its end.
    fn copy_name(&self, of: CopyOf) -> String {
        let source = self.session.playback().document().map(|document| document.source.name());
        let source = source.unwrap_or_default();
        let stem = Path::new(&source).file_stem().unwrap_or_default().to_string_lossy();
        stem.into_owned() + of.suffix()
    }

    /// Handles the answer of a dialog. Where there are no dialogs, files are written in the working directory, by names
    /// that no file has.
    pub fn answer(&mut self, question: FileQuestion, chosen: DialogAnswer) {
        self.asking = false;
        let path = match (question, chosen) {
            (_, DialogAnswer::File(path)) => with_end(path, &end_of(question)),
            (_, DialogAnswer::Nothing) => return,
            (FileQuestion::Open(_), DialogAnswer::NoDialog) => return self.warn(NO_DIALOG),
            (FileQuestion::LoadPose, DialogAnswer::NoDialog) => {
                return self.warn("no file dialog here: drop the file of the pose on the window");
            }
            (question, DialogAnswer::NoDialog) => {
                let (stem, end) = (self.usual_stem(question), end_of(question));
                let Some(path) = free_path(&self.start.folder, &stem, end.appended) else { return };
                path
            }
        };
        match question {
            FileQuestion::Open(destination) => self.open(vec![path], destination),
            FileQuestion::LoadPose => self.load_pose(&path),
            FileQuestion::SavePose => self.report_saved(&path),
            FileQuestion::SaveMap => {
                if let Some(text) = self.session.map_text() {
                    let written = write_text(&path, &text).map(|()| path);
                    self.report_written("map", written);
                }
            }
            FileQuestion::SaveCopy(of) => {
                self.session.pose();
                self.act(CopyAction::Write(of, path));
            }
            FileQuestion::SaveSession => self.act(DesktopAction::SaveSession(path)),
            FileQuestion::Record => {
                let named = self.named_recording(&path);
                // The dialog has asked before replacing a file of the name as it was typed, and no other.
                let path = if named == path { path } else { free_name(named) };
                self.act(DesktopAction::Record(path));
            }
        }
    }

    /// Fills the names of what is shown into that of a recording. A series keeps its place for the number of a frame.
    pub(super) fn named_recording(&self, path: &Path) -> PathBuf {
        let [model, clip] = shown_names(self.session.playback());
        with_names(path, &model, &clip)
    }

    fn warn(&mut self, text: &str) {
        self.act(Action::Notice(NoticeKind::Warning, text.to_owned()));
    }

    /// Opens the files of another start of the program.
    pub fn take_handed_over(&mut self, files: Vec<PathBuf>) {
        match &files[..] {
            [] => {}
            [file] if !file.is_dir() && !is_pose(file) => self.act(LoadAction::open(file)),
            _ => self.open(files, Destination::Shown),
        }
    }

    /// Copies the command that draws the picture that F12 writes.
    fn copy_command_line(&mut self) {
        let name = picture_name(&self.session);
        let pose = command_needs_pose(&self.session).then(|| self.save_pose_beside(&name));
        let pose = pose.and_then(|saved| saved.map_err(|why| log::warn!("{why}")).ok());
        let Some((size, scale)) = self.painter.as_ref().map(|painter| painter.shown()) else {
            return;
        };
        let (picture, output) = (PictureSize { size, scale }, name + ".png");
        let Some(mut line) = command_line(&self.session, picture, &output, pose.as_deref()) else {
            return;
        };
        let choice = &self.start.adapter;
        line.add_adapter(choice.adapter.as_deref(), choice.backend.as_deref());
        self.ctx.copy_text(line.text.clone());
        let (kind, text) = match &line.left_out[..] {
            [] => match &pose {
                Some(pose) => {
                    let pose = pose.display();
                    (NoticeKind::Done, format!("Copied, with the pose in {pose}: {}", line.text))
                }
                None => (NoticeKind::Done, format!("Copied: {}", line.text)),
            },
            missing => {
                let missing = missing.join(", ");
                (NoticeKind::Warning, format!("Copied, but without {missing}: {}", line.text))
            }
        };
        self.act(Action::Notice(kind, text));
    }

    /// Arranges the window as settings say. Those that can't be read are reported.
    pub fn restore_settings(&mut self, settings: Result<Settings, String>) {
        let Some(path) = self.start.settings.clone() else { return };
        let settings = settings.unwrap_or_else(|message| {
            self.warn(&message);
            Settings::default()
        });
        self.act(Action::OpenParts(settings.parts()));
        self.act(DesktopAction::SetTheme(settings.theme));
        let quality = settings.quality;
        if self.start.quality.is_none() {
            self.act(DesktopAction::SetQuality(quality));
        }
        self.act(DesktopAction::SetRecent(settings.recent));
        self.act(DesktopAction::SetKeys(settings.keys));
        let arranged = settings.arrangement.map(|arrangement| self.panels.arrange(arrangement));
        if let Some(Err(why)) = arranged {
            let message = settings::set_aside(&path, &why);
            self.warn(&message);
        }
        self.kept = Some(Settings { quality, ..self.settings() });
    }

    /// Whether the settings have changed since the last call or since they were restored, so that they are to be written:
    /// a window that ends otherwise than by being closed does not lose them. A drag is waited for.
    pub fn settings_changed(&mut self) -> bool {
        if self.kept.is_none() || self.ctx.input(|input| input.pointer.any_down()) {
            return false;
        }
        let settings = Some(self.settings());
        let changed = settings != self.kept;
        self.kept = settings;
        changed
    }

    /// Returns the settings of the window's contents.
    pub fn settings(&self) -> Settings {
        let desktop = self.session.desktop();
        let is_text = |path: &&PathBuf| path.to_str().is_some();
        // The option is for one window.
        let quality = match (self.start.quality, &self.kept) {
            (Some(_), Some(kept)) => kept.quality,
            _ => desktop.quality(),
        };
        Settings {
            // The next window begins without a second model.
            parts: Some(
                self.session.window_parts().iter().filter(|p| *p != WindowPart::Compared).collect(),
            ),
            arrangement: self.panels.arrangement(),
            theme: desktop.theme(),
            quality,
            keys: desktop.keys().clone(),
            recent: desktop.recent().iter().filter(is_text).cloned().collect(),
            window: None,
        }
    }

    pub(super) fn report_saved(&mut self, path: &Path) {
        let written = self.save_pose(path).map(|()| path.to_owned());
        self.report_written("pose", written);
    }

    /// Reports a file that was written, or why it was not.
    fn report_written(&mut self, noun: &str, written: Result<PathBuf, String>) {
        match written {
            Ok(path) => self.act(Action::Saved(path)),
            Err(why) => self.warn(&format!("No {noun} was saved: {why}; {ELSEWHERE}")),
        }
    }

    /// Writes the shown pose to a file.
    pub(super) fn save_pose(&mut self, path: &Path) -> Result<(), String> {
        self.session.pose();
        let pose = self.session.playback().pose_file().ok_or("no file is open")?;
        write_text(path, &pose.to_json())
    }

    /// Writes the shown pose to the working directory, where pictures go, for a command that draws it. Returns the
    /// path. A file that has the pose already is used again.
    pub(super) fn save_pose_beside(&mut self, name: &str) -> Result<PathBuf, String> {
        self.session.pose();
        let text = self.session.playback().pose_file().ok_or("no file is open")?.to_json();
        let has = |path: &PathBuf| std::fs::read(path).is_ok_and(|old| old == text.as_bytes());
        let mut paths = numbered(&self.start.folder, name, end_of(FileQuestion::SavePose).appended);
        let path = paths.find(|path| !path.exists() || has(path));
        let path = path.ok_or_else(|| format!("{name}: too many files of that name"))?;
        write_text(&path, &text)?;
        std::path::absolute(&path).map_err(|e| e.to_string())
    }

    /// Replaces what was set by hand by the pose of a file. A file that can't be read changes nothing.
    pub(super) fn load_pose(&mut self, path: &Path) {
        match read_pose(path) {
            Ok(pose) => self.act(PoseAction::Take(Box::new(pose))),
            Err(why) => {
                let text = format!("No pose was loaded from {}: {why}", path.display());
                self.act(Action::Notice(NoticeKind::Warning, text));
            }
        }
    }

    /// Starts the recording of the session, or answers why it can't be.
    pub(super) fn record(&mut self) {
        let Some(recording) = self.session.desktop().recording().cloned() else { return };
        let id = recording.id;
        if let Err(why) = self.start_recording(recording) {
            self.act(DesktopAction::Recorded { id, result: Err(why) });
        }
    }

    fn start_recording(&mut self, recording: Recording) -> Result<(), String> {
        let painter = self.painter.as_ref().ok_or("the device was lost")?;
        let (size, pixels_per_point) = painter.shown();
        if size.contains(&0) {
            return Err("the picture has no pixels".into());
        }
        let model = self.session.playback().document().map(|document| &document.model);
        let gpu_model = self.resident.gpu_model(model).ok_or("the model is not uploaded yet")?;
        let film = film(&self.session, &recording.path, size)?;
        self.recorder = Some(Recorder(Arc::clone(&recording.progress)));
        let job = RecordJob {
            gpu: painter.gpu.clone(),
            gpu_model: gpu_model.clone(),
            session: self.session.twin(pixels_per_point),
            film,
            recording,
        };
        (self.run_job)(Job::Record(Box::new(job)));
        Ok(())
    }

    /// Starts a comparison in place of the one before.
    pub(super) fn compare(&mut self, request: ComparisonRequest) {
        let comparer = Comparer::new(&request);
        self.comparison = Some(Comparison { comparer, heat: HeatModel::default() });
        (self.run_job)(Job::Compare(request));
    }
}

/// Returns a path, or one like it with a number that no file has.
fn free_name(path: PathBuf) -> PathBuf {
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    let folder = path.parent().unwrap_or(Path::new(""));
    let free = free_path(folder, &stem, &format!(".{extension}"));
    free.unwrap_or(path)
}

/// How the name of a file must end.
struct NameEnd {
    /// What is appended to a name that ends otherwise.
    appended: &'static str,
    /// The end that a name must have; with an empty one, any extension will do.
    required: &'static str,
}

/// Returns how the name of a file must end that is the answer to a question.
fn end_of(question: FileQuestion) -> NameEnd {
    let (appended, required) = match question {
        FileQuestion::Open(_) | FileQuestion::LoadPose => ("", ""),
        FileQuestion::SavePose => (".pose.json", ".json"),
        FileQuestion::SaveMap => (".map.toml", ".toml"),
        FileQuestion::SaveCopy(_) => (".glb", ""),
        FileQuestion::SaveSession => (SESSION_FILE, SESSION_FILE),
        FileQuestion::Record => (".gif", ""),
    };
    NameEnd { appended, required }
}

/// Returns a path whose name ends as it must. The dialog has asked about a file of the chosen name, and not about one of the name
/// with the end: such a file is not replaced.
fn with_end(path: PathBuf, end: &NameEnd) -> PathBuf {
    let has_end = match end.required {
        "" => path.extension().is_some(),
        required => path.to_string_lossy().to_lowercase().ends_with(required),
    };
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if !has_end => {
            free_path(folder, &name.to_string_lossy(), end.appended).unwrap_or(path)
        }
        _ => path,
    }
}

/// Whether a dropped file is a pose.
pub(super) fn is_pose(path: &Path) -> bool {
    let is_session = path.to_string_lossy().to_lowercase().ends_with(SESSION_FILE);
    !is_session && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

/// Reads a pose.
///
/// # Errors
/// If the file can't be read or is no pose; one line.
pub(super) fn read_pose(path: &Path) -> Result<GivenPose, String> {
    let bytes = read_file(path, GivenPose::MOST_BYTES).map_err(|e| e.to_string())?;
    GivenPose::read(&bytes)
}
