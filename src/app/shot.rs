//! What a frame shows: the session, and the uploaded copies of its models.

use super::heat::Heated;
use super::resident::Resident;
use crate::render::GpuModel;
use crate::session::{Document, Session};

/// The models of a frame: the session that poses them, and their uploaded copies, as far as there are any.
#[derive(Clone, Copy)]
pub(super) struct Shot<'a> {
    pub session: &'a Session,
    pub gpu_model: Option<&'a GpuModel>,
    /// The uploaded copy of the model that is compared.
    pub beside: Option<&'a GpuModel>,
    /// The model in the colours of its distance from the one that is compared.
    pub heat: Option<&'a Heated>,
}

impl<'a> Shot<'a> {
    /// Returns the session with the uploaded copies of its models.
    pub fn new(session: &'a Session, resident: &'a Resident) -> Self {
        let copy = |document: Option<&'a Document>| {
            resident.gpu_model(Some(&document?.model)).map(|copy| &**copy)
        };
        let (a, b) = (session.exhibit().document(), session.compared().document());
        Self { session, gpu_model: copy(a), beside: copy(b), heat: None }
    }
}
