//! Begins and ends recordings, and makes the session that their frames are drawn from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::notice::Notice;
use crate::{CameraAction, DesktopEffect, Effect, Recording, Session};

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
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::sample::session;
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
