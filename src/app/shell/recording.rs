//! Starts the recording that the session asks for.

use super::Shell;
use crate::app::jobs::record::{RecordJob, Recorder, film};
use crate::session::{DesktopAction, Recording};

impl Shell {
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
        let model = self.session.exhibit().document().map(|document| &document.model);
        let gpu_model = self.resident.gpu_model(model).ok_or("the model is not uploaded yet")?;
        let job = RecordJob {
            gpu: painter.gpu.clone(),
            gpu_model: gpu_model.clone(),
            session: self.session.twin(pixels_per_point),
            film: film(&self.session, &recording.path, size)?,
            recording,
        };
        self.recorder = Some(Recorder::start(job, &self.jobs)?);
        Ok(())
    }
}
