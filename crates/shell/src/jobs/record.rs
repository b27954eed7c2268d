//! Records what is shown to a file, while the window goes on.

#[cfg(not(target_family = "wasm"))]
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::{Report, answer};
#[cfg(not(target_family = "wasm"))]
use crate::write::{ELSEWHERE, write_error};
#[cfg(not(target_family = "wasm"))]
use rigview_capture::{Contents, Frames, RecordError, record, with_frame, write_whole};
use rigview_capture::{Film, FilmFormat, Schedule};
use rigview_render::{Gpu, GpuModel};
use rigview_session::{DesktopAction, RecordProgress, Recording, Session};

/// Everything that a recording needs.
pub struct RecordJob {
    pub(crate) gpu: Gpu,
    pub(crate) gpu_model: Arc<GpuModel>,
    /// A session of the recording's own.
    pub(crate) session: Session,
    pub(crate) film: Film,
    pub(crate) recording: Recording,
}

impl RecordJob {
    pub(super) fn run(self) -> Report {
        let id = self.recording.id;
        answer(DesktopAction::Recorded { id, result: draw_and_write(self) })
    }
}

/// A recording that runs. Dropping it cancels it; the job then ends after the frame that is being drawn.
pub(crate) struct Recorder(pub Arc<RecordProgress>);

impl Drop for Recorder {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Says that nothing is recorded: in a browser no job can wait for a frame.
#[cfg(target_family = "wasm")]
fn draw_and_write(_: RecordJob) -> Result<(), String> {
    Err("a browser can't record".to_owned())
}

/// Draws and writes all frames.
#[cfg(not(target_family = "wasm"))]
fn draw_and_write(job: RecordJob) -> Result<(), String> {
    let RecordJob { gpu, gpu_model, mut session, film, recording } = job;
    let Recording { path, progress, .. } = &recording;
    let format = format_of(path)?;
    progress.begin(film.schedule.frames());
    let write = |frames: Frames| {
        let frames = frames.map(|frame| {
            if progress.is_cancelled() {
                return Err(io::Error::other("cancelled"));
            }
            progress.step();
            frame
        });
        let file = |number: u64, contents: &mut Contents| {
            write_whole(&with_frame(path, number), |out| contents(out))
        };
        format.write(&film, frames, file).map(drop)
    };
    record(&gpu, &mut session, &gpu_model, &film, write).map_err(|error| match &error {
        // The errors of an encoder itself have no kind, and another remedy.
        RecordError::Encode(of_file) if of_file.kind() != io::ErrorKind::Other => {
            format!("{}; {ELSEWHERE}", write_error(path, of_file))
        }
        _ => format!("{}: {error}", path.display()),
    })
}

fn format_of(path: &Path) -> Result<FilmFormat, String> {
    let unknown = || format!("{}: expected a name with {}", path.display(), FilmFormat::NAMES);
    FilmFormat::from_path(path).ok_or_else(unknown)
}

/// Returns the frames to draw: from the in point to the out point of the clip, or one picture without a clip. While the
/// turntable turns, the camera turns once around the model.
///
/// # Errors
/// If the file's name has no format, or the format can't hold the picture.
pub(crate) fn film(session: &Session, path: &Path, size: [u32; 2]) -> Result<Film, String> {
    let format = format_of(path)?;
    let playback = session.playback();
    let fps = playback.fps().min(format.most_fps());
    let turntable = session.camera().turn_speed().is_some();
    let schedule = if playback.can_play() {
        Schedule::playing(playback.instant().range_secs, 1, fps)
    } else {
        Schedule::holding(0.0, Schedule::still_secs(turntable), fps)
    };
    let film = Film { size, schedule, turntable, background: session.look().background };
    if film.is_opaque() || format.has_transparency() {
        Ok(format.fitted(film))
    } else {
        Err(format!("{}: .y4m has no transparency; use .rgba", path.display()))
    }
}
