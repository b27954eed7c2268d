//! The frame that shows a session, and the upload of its model.

use rigview_look::{Look, View};
use rigview_model::Image;
use rigview_render::{Frame, Gpu, GpuError, GpuModel};
use rigview_session::Session;

/// Uploads the model of a session whose images were taken out by [`take_pictures`](super::take_pictures).
/// Each image is freed after its upload.
///
/// # Errors
/// If no model is open.
pub fn upload(gpu: &Gpu, session: &Session, images: Vec<Image>) -> Result<GpuModel, GpuError> {
    let document = session.playback().document();
    let document = document.ok_or(GpuError::NothingToDraw("no model is open"))?;
    Ok(GpuModel::taking(gpu, &document.model, images))
}

/// Returns the frame of a session's model in a view and a look; `None` if no model is open.
pub fn session_frame<'a>(
    session: &'a Session,
    gpu_model: &'a GpuModel,
    view: &'a View,
    look: &'a Look,
) -> Option<Frame<'a>> {
    let playback = session.playback();
    Some(Frame {
        model: &playback.document()?.model,
        gpu_model,
        stage: playback.stage()?,
        others: &[],
        ghosts: session.ghosts(),
        view,
        look,
        bounds: session.camera().bounds(),
        metered: playback.metered(),
    })
}
