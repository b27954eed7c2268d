//! Many pictures of one size, drawn one after another with the same renderer and texture.

use glam::DVec2;

use super::still::Canvas;
use super::{Picture, session_frame};
use rigview_look::{Corner, Look};
use rigview_render::{Gpu, GpuError, GpuModel, Renderer};
use rigview_session::{CameraAction, Session};

/// Draws pictures of one size. They may show different sessions.
pub struct PictureSeries<'g> {
    gpu: &'g Gpu,
    size: [u32; 2],
    renderer: Renderer,
    canvas: Option<Canvas>,
    /// Whether the pictures are shown one after another, and the corner of the legend in the last one.
    film: bool,
    legend: Option<Corner>,
}

impl<'g> PictureSeries<'g> {
    /// Returns a series of pictures of `size` pixels.
    pub fn new(gpu: &'g Gpu, size: [u32; 2]) -> Self {
        Self { gpu, size, renderer: Renderer::new(gpu), canvas: None, film: false, legend: None }
    }

    /// Returns a series of the frames of a film, whose legend stays in its corner while it hides little there.
    pub fn of_film(gpu: &'g Gpu, size: [u32; 2]) -> Self {
        Self { film: true, ..Self::new(gpu, size) }
    }

    /// Draws what a session shows at present. `gpu_model` is its model, as [`upload`](super::upload) returns it.
    ///
    /// # Errors
    /// If the GPU fails, or the picture is larger than it can draw.
    pub fn draw(
        &mut self,
        session: &mut Session,
        gpu_model: &GpuModel,
    ) -> Result<Picture, GpuError> {
        let aspect = DVec2::from(self.size.map(f64::from));
        session.apply(CameraAction::SetAspect(aspect.x / aspect.y));
        session.pose();
        let view = session.view();
        let look = Look { highlight: session.highlight(), ..session.look().clone() };
        let Some(frame) = session_frame(session, gpu_model, &view, &look) else {
            return Err(GpuError::NothingToDraw("no model is open"));
        };
        let canvas = match self.canvas.take().filter(|canvas| canvas.fits(&frame)) {
            Some(canvas) => canvas,
            None => Canvas::new(self.gpu, &frame, self.size)?,
        };
        self.legend = self.legend.filter(|_| self.film);
        let picture = canvas.draw(self.gpu, &mut self.renderer, &frame, &mut self.legend);
        self.canvas = Some(canvas);
        picture
    }

    /// Frees the resources of the model that was drawn last, before another one is loaded.
    pub fn free_model(&mut self) {
        self.renderer.free_model();
    }
}
