//! The models of a frame: the session that poses them, and their uploaded copies.

use super::heat::HeatModel;
use super::resident::Resident;
use crate::look::{Look, View};
use crate::render::{Frame, GpuModel};
use crate::session::{Document, Session};

/// The session of a frame, and the uploaded copies of its models, as far as there are any.
#[derive(Clone, Copy)]
pub(super) struct FrameModels<'a> {
    pub session: &'a Session,
    pub gpu_model: Option<&'a GpuModel>,
    /// The uploaded copy of the model that is compared.
    pub beside: Option<&'a GpuModel>,
    /// The model in the colours of its distance from the one that is compared.
    pub heat: Option<&'a HeatModel>,
}

impl<'a> FrameModels<'a> {
    /// Returns the session with the uploaded copies of its models.
    pub fn new(session: &'a Session, resident: &'a Resident) -> Self {
        let copy = |document: Option<&'a Document>| {
            resident.gpu_model(Some(&document?.model)).map(|copy| &**copy)
        };
        let (a, b) = (session.playback().document(), session.compared().document());
        Self { session, gpu_model: copy(a), beside: copy(b), heat: None }
    }

    /// Returns the frame of the first model in a view and a look; `None` if no model is uploaded.
    pub fn frame(self, view: &'a View, look: &'a Look) -> Option<Frame<'a>> {
        let playback = self.session.playback();
        Some(Frame {
            model: &playback.document()?.model,
            gpu_model: self.gpu_model?,
            stage: playback.stage()?,
            others: &[],
            ghosts: self.session.ghosts(),
            view,
            look,
            bounds: self.session.camera().bounds(),
        })
    }
}
