//! Draws a recording: frames one after another, while another thread encodes those before them.

use std::io;
use std::sync::mpsc::{Receiver, sync_channel};

use super::{Film, Picture, PictureSeries};
use rigview_render::{Gpu, GpuError, GpuModel};
use rigview_session::{CameraAction, PlaybackAction, Session};

/// Finished frames that may wait for the encoder.
const WAITING: usize = 1;

/// The frames of a film in order, each once. Ends with an error if the rest can't be drawn.
#[derive(Debug)]
pub struct Frames {
    pictures: Receiver<Picture>,
    left: u32,
}

impl Iterator for Frames {
    type Item = io::Result<Picture>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let picture = self.pictures.recv();
        if picture.is_err() {
            self.left = 0;
        }
        Some(picture.map_err(|_| io::Error::other("the recording was aborted")))
    }
}

/// Why a recording failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError<E> {
    /// A frame can't be drawn.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The thread of the encoder can't be started.
    #[error("no thread can be started ({0})")]
    NoThread(io::Error),
    /// The encoder failed.
    #[error("{0}")]
    Encode(E),
}

/// Draws the frames of a film. `encode` runs on another thread and takes them as they are finished; if it
/// returns early, no further frames are drawn. At most four frames are in memory.
///
/// # Errors
/// If a frame can't be drawn, or `encode` fails. [`Frames`] then ends with an error, so that `encode` can
/// discard what it has written.
pub fn record<E: Send>(
    gpu: &Gpu,
    session: &mut Session,
    gpu_model: &GpuModel,
    film: &Film,
    encode: impl FnOnce(Frames) -> Result<(), E> + Send,
) -> Result<(), RecordError<E>> {
    let (send, pictures) = sync_channel(WAITING);
    let frames = Frames { pictures, left: film.schedule.frames() };
    std::thread::scope(|scope| {
        let encoder = std::thread::Builder::new().name("encoder".into());
        let encoder =
            encoder.spawn_scoped(scope, || encode(frames)).map_err(RecordError::NoThread)?;
        let mut series = PictureSeries::of_film(gpu, film.size);
        let mut draw = |frame| -> Result<Picture, GpuError> {
            show(session, film, frame);
            series.draw(session, gpu_model)
        };
        let drawn = (0..film.schedule.frames()).try_for_each(|frame| {
            // Sending fails if the encoder has returned.
            send.send(draw(frame).map_err(Some)?).map_err(|_| None)
        });
        drop(send);
        // A panic of the encoder is passed on.
        let encoded = encoder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if let Err(Some(error)) = drawn {
            return Err(RecordError::Gpu(error));
        }
        encoded.map_err(RecordError::Encode)
    })?;
    gpu.keep_pipelines();
    Ok(())
}

/// Sets a session to what a frame shows.
fn show(session: &mut Session, film: &Film, frame: u32) {
    session.apply(PlaybackAction::Seek(film.schedule.time_secs(frame)));
    if film.turntable {
        let turn = std::f64::consts::TAU * film.schedule.part(frame);
        session.apply(CameraAction::SetTurn(Some(turn)));
    }
}
