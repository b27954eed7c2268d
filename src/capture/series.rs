//! Many pictures of one size, drawn one after another.

use super::{Picture, draw};
use crate::model::Image;
use crate::render::{Gpu, GpuError, GpuModel};
use crate::session::Session;

/// Draws pictures of one size. They may show different sessions.
pub struct PictureSeries<'g> {
    gpu: &'g Gpu,
    size: [u32; 2],
}

impl<'g> PictureSeries<'g> {
    /// Returns a series of pictures of `size` pixels.
    pub fn new(gpu: &'g Gpu, size: [u32; 2]) -> Self {
        Self { gpu, size }
    }

    /// Draws what a session shows at present. `gpu_model` is its model, as [`upload`] returns it.
    ///
    /// # Errors
    /// If the GPU fails, or the picture is larger than it can draw.
    pub fn draw(
        &mut self,
        session: &mut Session,
        gpu_model: &GpuModel,
    ) -> Result<Picture, GpuError> {
        draw(self.gpu, session, Some(gpu_model), self.size)
    }
}

/// Uploads the model of a session whose images were taken out by [`take_pictures`](super::take_pictures).
/// Each image is freed after its upload.
///
/// # Errors
/// If no model is open.
pub fn upload(gpu: &Gpu, session: &Session, images: Vec<Image>) -> Result<GpuModel, GpuError> {
    let document = session.exhibit().document();
    let document = document.ok_or(GpuError::NothingToDraw("no model is open"))?;
    Ok(GpuModel::taking(gpu, &document.model, images))
}
