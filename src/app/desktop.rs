//! Performs the session's requests about the window that do not depend on the model.

use std::path::PathBuf;

use super::dialog::{Wanted, ask_for_file, ask_where};
use super::picture::{picture_name, recording_name};
use super::place::window_theme;
use super::window::App;
use crate::capture::write_whole;
use crate::import::read_file;
use crate::session::{
    Action, DesktopAction, DesktopEffect, FileQuestion, NoticeKind, PictureSize, SESSION_FILE,
};

/// Size limit of a session file in bytes.
const MAX_SESSION_BYTES: u64 = 16 << 20;

impl App {
    pub(super) fn perform_desktop(&mut self, effect: DesktopEffect) {
        match effect {
            DesktopEffect::CopyCommandLine => self.copy_command_line(),
            DesktopEffect::SetTheme(theme) => {
                self.live.iter().for_each(|live| live.window.set_theme(window_theme(theme)));
            }
            DesktopEffect::Ask(question) => self.ask_where(question),
            DesktopEffect::LookFor(mut paths) => {
                paths.retain(|path| !path.exists());
                self.act(DesktopAction::SetMissing(paths));
            }
            DesktopEffect::Record => self.record(),
            DesktopEffect::Write { path, text } => {
                let written = write_whole(&path, |out| out.write_all(text.as_bytes()));
                let name = path.display();
                self.act(match written {
                    Ok(()) => Action::Notice(NoticeKind::Done, format!("Saved {name}")),
                    Err(e) => Action::Notice(NoticeKind::Warning, format!("{name}: {e}")),
                });
            }
            DesktopEffect::Read(path) => {
                let text = read_file(&path, MAX_SESSION_BYTES).map_err(|e| e.to_string());
                let text = text.and_then(|bytes| {
                    String::from_utf8(bytes).map_err(|_| "no session file: not UTF-8".to_owned())
                });
                self.act(DesktopAction::SessionRead { path, text });
            }
        }
    }

    /// Opens a dialog for a model or for an environment.
    pub(super) fn ask_for_file(&mut self, wanted: Wanted) {
        if let Some(live) = self.live.as_ref().filter(|_| !self.asking) {
            self.asking = true;
            ask_for_file(&live.window, wanted, self.proxy.clone());
        }
    }

    /// Opens a dialog for a file to write.
    fn ask_where(&mut self, question: FileQuestion) {
        let name = match question {
            FileQuestion::SaveSession => picture_name(&self.session) + SESSION_FILE,
            FileQuestion::Record => recording_name(&self.session),
        };
        if let Some(live) = &self.live {
            ask_where(&live.window, question, &name, self.proxy.clone());
        }
    }

    /// Handles the answer of that dialog.
    pub(super) fn take_answer(&mut self, question: FileQuestion, path: Option<PathBuf>) {
        let Some(path) = path else { return };
        match question {
            FileQuestion::SaveSession => {
                let path = with_end(path, SESSION_FILE);
                self.act(DesktopAction::SaveSession(path));
            }
            FileQuestion::Record => {
                let end = if path.extension().is_none() { ".gif" } else { "" };
                self.act(DesktopAction::Record(with_end(path, end)));
            }
        }
    }

    /// Copies the command that draws the picture that F12 writes.
    fn copy_command_line(&mut self) {
        let name = picture_name(&self.session);
        let pose = self.session.command_needs_pose().then(|| self.save_pose_beside(&name));
        let pose = pose.and_then(|saved| saved.map_err(|why| log::warn!("{why}")).ok());
        let Some(live) = &mut self.live else { return };
        let Some((size, scale)) = live.painter().map(|painter| painter.shown()) else { return };
        let (picture, output) = (PictureSize { size, scale }, name + ".png");
        let Some(mut line) = self.session.command_line(picture, &output, pose.as_deref()) else {
            return;
        };
        line.add_adapter(
            self.start.adapter.adapter.as_deref(),
            self.start.adapter.backend.as_deref(),
        );
        live.input.egui_ctx().copy_text(line.text.clone());
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
}

/// Returns a path whose name has this end.
fn with_end(path: PathBuf, end: &str) -> PathBuf {
    if path.to_string_lossy().to_lowercase().ends_with(end) {
        return path;
    }
    let mut name = path.into_os_string();
    name.push(end);
    name.into()
}
