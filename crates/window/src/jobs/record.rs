//! Records what is shown to a file on a thread of its own, while the window goes on.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::{Jobs, PANICKED};
use crate::write::{ELSEWHERE, write_error};
use rigview_capture::{
    Contents, Film, FilmFormat, Frames, RecordError, Schedule, record, with_frame, write_whole,
};
use rigview_import::guarded;
use rigview_render::{Gpu, GpuModel};
use rigview_session::{DesktopAction, RecordProgress, Recording, Session};

/// Everything that a recording needs.
pub(crate) struct RecordJob {
    pub gpu: Gpu,
    pub gpu_model: Arc<GpuModel>,
    /// A session of the recording's own.
    pub session: Session,
    pub film: Film,
    pub recording: Recording,
}

/// A recording that runs. Dropping it cancels it, and waits for the frame that is being drawn: the device must not be
/// closed before.
pub(crate) struct Recorder {
    progress: Arc<RecordProgress>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.progress.cancel();
        // A panic was caught on the thread.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Recorder {
    /// Starts a recording.
    pub fn start(job: RecordJob, jobs: &Jobs) -> Result<Self, String> {
        let (id, progress) = (job.recording.id, Arc::clone(&job.recording.progress));
        let thread = jobs.spawn("record", move |reporter| {
            let result = guarded(|| run(job)).unwrap_or_else(|_| Err(PANICKED.into()));
            reporter.answer(DesktopAction::Recorded { id, result });
        });
        let thread = thread.map_err(|e| format!("no thread can be started ({e})"))?;
        Ok(Self { progress, thread: Some(thread) })
    }
}

/// Draws and writes all frames.
fn run(job: RecordJob) -> Result<(), String> {
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
    FilmFormat::of(path).ok_or_else(unknown)
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
    let schedule = match playback.can_play() {
        true => Schedule::playing(playback.instant().range_secs, 1, fps),
        false => Schedule::holding(0.0, Schedule::still_secs(turntable), fps),
    };
    let film = Film { size, schedule, turntable, background: session.look().background };
    match film.is_opaque() || format.has_transparency() {
        true => Ok(format.fitted(film)),
        false => Err(format!("{}: .y4m has no transparency; use .rgba", path.display())),
    }
}
