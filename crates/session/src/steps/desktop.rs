//! What a session asks of the desktop: files, recordings, and Escape.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::desktop::{RECENT, absolute};
use crate::notice::Notice;
use crate::saved::saved_text;
use crate::{
    CameraAction, DesktopAction, DesktopEffect, Destination, Effect, FileQuestion, FileSource,
    MeasureAction, Recording, SelectionAction, Session, WindowPart,
};

impl Session {
    /// Opens or closes a part. While panels are hidden, it shows them with the part.
    pub(super) fn toggle_part(&mut self, part: WindowPart) {
        self.parts.set(part, !(self.panels && self.parts.has(part)));
        self.panels = true;
    }

    /// Closes the palette or the help panel, or else cancels loads, or else removes messages, or else ends measuring, or else selects
    /// nothing.
    pub(super) fn escape(&mut self) {
        if self.desktop.palette {
            self.desktop.palette = false;
        } else if self.help {
            self.help = false;
        } else if self.loads.is_busy() {
            for destination in self.loads.give_up_all() {
                self.resuming.forget(destination);
            }
        } else if self.loads.failure().is_some() || self.notices.shown().is_some() {
            self.dismiss();
        } else if self.measure.is_on() {
            self.change_measure(MeasureAction::Toggle);
        } else {
            self.change_selection(SelectionAction::Select(None));
        }
    }

    pub(super) fn change_desktop(&mut self, action: DesktopAction) -> Vec<Effect> {
        let desktop = &mut self.desktop;
        match action {
            DesktopAction::TogglePalette => desktop.palette = !desktop.palette,
            DesktopAction::SetTheme(theme) => {
                desktop.theme = theme;
                return vec![Effect::Desktop(DesktopEffect::SetTheme(theme))];
            }
            DesktopAction::SetQuality(quality) => desktop.quality = quality,
            DesktopAction::SetWithoutDrops => desktop.without_drops = true,
            DesktopAction::SetRecent(recent) => {
                desktop.recent = recent;
                desktop.recent.truncate(RECENT);
            }
            DesktopAction::FindNode => {
                desktop.searches += 1;
                self.parts.set(WindowPart::Scene, true);
                self.panels = true;
            }
            DesktopAction::SetKeys(keys) => desktop.keys = keys,
            DesktopAction::LookForRecent => {
                let paths = desktop.recent.clone();
                return vec![Effect::Desktop(DesktopEffect::LookFor(paths))];
            }
            DesktopAction::SetMissing(missing) => desktop.missing = missing,
            DesktopAction::CopyCommandLine if self.playback.stage.is_some() => {
                return vec![Effect::Desktop(DesktopEffect::CopyCommandLine)];
            }
            DesktopAction::SaveSession(path) => {
                let whole = absolute(&path);
                let text = saved_text(self, whole.parent().unwrap_or(Path::new("")));
                let write = |text| Effect::Desktop(DesktopEffect::Write { path, text });
                return text.map(write).into_iter().collect();
            }
            DesktopAction::Record(path) if self.playback.stage.is_some() => {
                return self.record(path);
            }
            DesktopAction::CancelRecording => self.cancel_recording(),
            DesktopAction::Recorded { id, result } => self.recorded(id, result),
            DesktopAction::SessionRead { path, text } => return self.open_saved(path, text),
            DesktopAction::CopyCommandLine | DesktopAction::Record(_) => {}
        }
        Vec::new()
    }
}

impl Session {
    /// Asks for a file. Only a file that is opened can be asked for while nothing is shown.
    pub(super) fn ask(&mut self, question: FileQuestion) -> Vec<Effect> {
        match question {
            FileQuestion::Record if self.desktop.recording.is_some() => {
                self.say_what_is_recorded();
                Vec::new()
            }
            FileQuestion::Open(_) => vec![Effect::Ask(question)],
            _ if self.playback.stage.is_some() => vec![Effect::Ask(question)],
            _ => Vec::new(),
        }
    }

    /// Returns the folder in which a person probably looks for a file: that of the file that it would replace, or else that
    /// of the shown one.
    pub fn folder_for(&self, question: FileQuestion) -> Option<PathBuf> {
        let shown = self.playback.document();
        let replaced = match question {
            FileQuestion::Open(Destination::Clips) => {
                shown.and_then(|document| document.borrowed.as_ref()).map(|clips| &clips.source)
            }
            FileQuestion::Open(Destination::Beside) => {
                self.compared.document().map(|document| &document.source)
            }
            _ => None,
        };
        let files = replaced.into_iter().chain(shown.map(|document| &document.source));
        let paths = files.filter_map(|file| match file {
            FileSource::Path(path) => std::path::absolute(path).ok(),
            _ => None,
        });
        paths.filter_map(|path| path.parent().map(PathBuf::from)).next()
    }
}

impl Session {
    /// Returns a session that shows the same picture, paused, and changes independently. It has the first model only if
    /// two are compared, and neither loads nor messages. Overlays have this many pixels per point.
    pub fn twin(&self, pixels_per_point: f32) -> Session {
        let mut twin = Session {
            playback: self.playback.clone(),
            chosen: self.chosen.clone(),
            posing: self.posing.clone(),
            camera: self.camera.clone(),
            look: self.look.clone(),
            measure: self.measure.clone(),
            ..Session::new(self.options.clone())
        };
        // The camera stays where the turntable has turned it.
        if twin.camera.turn_speed().is_some() {
            twin.change_camera(CameraAction::ToggleTurntable);
        }
        twin.look.overlay_scale *= pixels_per_point;
        twin.playback.player.playing = false;
        twin
    }

    /// Requests a recording, unless one runs.
    pub(super) fn record(&mut self, path: PathBuf) -> Vec<Effect> {
        if self.desktop.recording.is_some() {
            self.say_what_is_recorded();
            return Vec::new();
        }
        self.dismiss();
        self.desktop.recordings += 1;
        let id = self.desktop.recordings;
        self.desktop.recording = Some(Recording { id, path, progress: Arc::default() });
        vec![Effect::Desktop(DesktopEffect::Record)]
    }

    /// Shows a notice about the recording that runs, beside which there can be no other.
    pub(super) fn say_what_is_recorded(&mut self) {
        if let Some(running) = &self.desktop.recording {
            let text = format!("{} is still being recorded", running.path.display());
            self.notices.replace(Notice::warning(text));
        }
    }

    /// Cancels the recording that runs.
    pub(super) fn cancel_recording(&mut self) {
        if let Some(recording) = self.desktop.recording.take() {
            recording.progress.cancel();
            let text = format!("{} was not recorded", name_of(&recording.path));
            self.notices.replace(Notice::done(text));
        }
    }

    /// Takes the end of a recording. One that was cancelled is ignored.
    pub(super) fn recorded(&mut self, id: u32, result: Result<(), String>) {
        let Some(recording) = self.desktop.recording.take_if(|recording| recording.id == id) else {
            return;
        };
        self.notices.replace(match result {
            Ok(()) => Notice::saved(&recording.path),
            Err(why) => Notice::warning(format!("No recording: {why}")),
        });
    }
}

/// Returns a file's name without its folder.
fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod record_tests {
    use glam::DVec2;

    use crate::sample::session;
    use crate::steps::desktop::*;
    use crate::{Action, DesktopAction, PlaybackAction};

    #[test]
    fn one_recording_runs_at_a_time_and_an_old_answer_is_ignored() {
        let mut session = session();
        let record = |name: &str| DesktopAction::Record(name.into());
        let effects = session.apply(record("a.gif"));
        assert!(matches!(effects[..], [Effect::Desktop(DesktopEffect::Record)]), "{effects:?}");
        let first = session.desktop().recording().unwrap().clone();
        assert!(session.is_busy());
        assert!(session.apply(record("b.gif")).is_empty());
        assert_eq!(session.notice(), Some("a.gif is still being recorded"));
        session.apply(DesktopAction::CancelRecording);
        assert!(first.progress.is_cancelled() && !session.is_busy());
        assert_eq!(session.notice(), Some("a.gif was not recorded"));
        session.apply(record("b.gif"));
        session.apply(DesktopAction::Recorded { id: first.id, result: Ok(()) });
        let second = session.desktop().recording().unwrap().id;
        session.apply(DesktopAction::Recorded { id: second, result: Err("no room".into()) });
        assert_eq!(session.notice(), Some("No recording: no room"));
        assert_eq!(session.desktop().recording(), None);
    }

    #[test]
    fn a_twin_shows_the_same_and_changes_alone() {
        let mut session = session();
        session.apply(PlaybackAction::SelectClip(Some(1)));
        session.apply(PlaybackAction::Seek(0.25));
        session.apply(CameraAction::Orbit(DVec2::new(0.2, 0.1)));
        session.apply(CameraAction::ToggleTurntable);
        session.apply(Action::Advance(0.5));
        session.pose();
        let mut twin = session.twin(1.0);
        twin.pose();
        assert_eq!(twin.playback().stage(), session.playback().stage());
        let eyes = [&session, &twin].map(|session| session.view().world_from_camera);
        assert!(eyes[0].abs_diff_eq(eyes[1], 1e-9), "{eyes:?}");
        twin.apply(PlaybackAction::Seek(0.5));
        assert_eq!(session.playback().time_secs(), 0.25);
        assert!(!twin.is_busy() && !twin.is_moving());
    }
}
