//! Draws two models in one picture: side by side, divided by a line, or one as a ghost over the other.

use std::sync::Arc;

use super::resident::FrameModels;
use rigview_capture::{LegendCard, Picture, average, drawing_views};
use rigview_look::{Look, View};
use rigview_render::{
    Compositor, Frame, Gpu, GpuError, GpuModel, Join, ReadBack, Renderer, Target,
};
use rigview_session::{CompareMode, Compared};

/// Colour and opacity of the second model as a ghost: an orange that few models have.
const GHOST: Join = Join::Ghost { color: [1.0, 0.55, 0.1], opacity: 0.55 };

/// The resources for pictures of two models, on targets of one format.
pub(super) struct Pair {
    format: wgpu::TextureFormat,
    /// Draws the second model.
    second: Renderer,
    /// `None` until the first picture.
    compositor: Option<Compositor>,
    /// The pictures of both models, and their size in pixels.
    pictures: Option<([wgpu::TextureView; 2], [u32; 2])>,
}

/// What the first model is drawn with.
pub(super) struct Encoding<'a> {
    pub gpu: &'a Gpu,
    pub renderer: &'a mut Renderer,
    pub encoder: &'a mut wgpu::CommandEncoder,
}

/// Returns the size in pixels of one model's picture in a picture of this size.
pub(super) fn size_of_one(compared: &Compared, [width, height]: [u32; 2]) -> [u32; 2] {
    let width = if compared.halves() { (width / 2).max(1) } else { width };
    [width, height]
}

/// Returns how pictures of both models are joined to one of this width.
fn join(compared: &Compared, width: u32) -> Join {
    match compared.mode() {
        CompareMode::Beside => Join::Split { column: width - (width / 2).max(1), first: 0 },
        CompareMode::Wipe => {
            let column = (compared.wipe() * f64::from(width)).round() as u32;
            Join::Split { column, first: column }
        }
        CompareMode::Ghost | CompareMode::Heat => GHOST,
    }
}

/// The view and the look of the second model.
pub(super) struct Second {
    view: View,
    look: Look,
}

impl Second {
    /// Returns those that go with a frame of the first model; `None` if no second model is drawn.
    pub fn beside(models: FrameModels<'_>, frame: &Frame<'_>) -> Option<Self> {
        let compared = models.session.compared();
        let look = models.session.look_beside(frame.look);
        let look = match compared.mode() {
            CompareMode::Beside | CompareMode::Wipe => look,
            // A ghost has nothing around it.
            CompareMode::Ghost => look.without_surroundings(),
            CompareMode::Heat => return None,
        };
        let view = compared.apart().map_or(*frame.view, |apart| apart.view(*frame.view));
        compared.is_shown().then_some(Self { view, look })
    }

    /// Returns the frame of the second model, with its uploaded copy; `None` if it has none yet.
    pub fn frame<'a>(
        &'a self,
        models: FrameModels<'a>,
        first: &Frame<'a>,
    ) -> Option<(Frame<'a>, &'a Arc<GpuModel>)> {
        let compared = models.session.compared();
        let (document, uploaded) = compared.document().zip(models.beside)?;
        let stage = compared.playback().stage()?;
        let metered = compared.playback().metered();
        let Self { view, look } = self;
        let (model, gpu_model, ghosts) = (&*document.model, &**uploaded, &[][..]);
        Some((Frame { model, gpu_model, stage, ghosts, look, view, metered, ..*first }, uploaded))
    }
}

impl Pair {
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        Self { format, second: Renderer::new(gpu), compositor: None, pictures: None }
    }

    /// Draws the frame of the first model, with the second one if there is one. `encoding` is for the first model.
    pub fn draw(
        &mut self,
        encoding: Encoding<'_>,
        frame: &Frame<'_>,
        models: FrameModels<'_>,
        target: &Target<'_>,
    ) -> Result<(), GpuError> {
        let Encoding { gpu, renderer, encoder } = encoding;
        let compared = models.session.compared();
        if !compared.is_shown() {
            self.free_model();
            return renderer.draw(gpu, encoder, frame, target);
        }
        if compared.mode() == CompareMode::Heat {
            let measured = compared.moment(models.session.playback()).is_some();
            return match models.heat.filter(|_| measured).and_then(|heat| heat.posed(frame)) {
                Some(heat) => renderer.draw(gpu, encoder, &heat.frame(frame), target),
                None => renderer.draw(gpu, encoder, frame, target),
            };
        }
        let beside = Second::beside(models, frame);
        let Some((second, _)) = beside.as_ref().and_then(|beside| beside.frame(models, frame))
        else {
            return renderer.draw(gpu, encoder, frame, target);
        };
        let size = size_of_one(compared, target.size());
        let compositor = self.compositor.get_or_insert_with(|| Compositor::new(gpu, self.format));
        if self.pictures.as_ref().is_none_or(|(_, drawn)| *drawn != size) {
            // Freed before the new ones are allocated.
            self.pictures = None;
        }
        let (pictures, _) = self.pictures.get_or_insert_with(|| {
            let view = |()| compositor.texture(gpu, size).create_view(&Default::default());
            ([(), ()].map(view), size)
        });
        let rect = [0, 0, size[0], size[1]];
        let on = |view| Target { view, format: self.format, rect, part: None };
        renderer.draw(gpu, encoder, frame, &on(&pictures[0]))?;
        self.second.draw(gpu, encoder, &second, &on(&pictures[1]))?;
        let views = [&pictures[0], &pictures[1]];
        compositor.draw(gpu, encoder, views, join(compared, target.rect[2]), target);
        Ok(())
    }

    /// Begins to draw both models on a picture of this size in pixels, for a file.
    pub fn begin_still(
        gpu: &Gpu,
        renderer: &mut Renderer,
        frame: &Frame<'_>,
        models: FrameModels<'_>,
        size: [u32; 2],
    ) -> Result<ReadBack<Picture>, GpuError> {
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let [width, height] = size;
        let texture =
            gpu.texture("picture of two models", size, format, wgpu::TextureUsages::COPY_SRC);
        let view = &texture.create_view(&Default::default());
        let target = Target { view, format, rect: [0, 0, width, height], part: None };
        let mut pair = Self::new(gpu, format);
        let mut drawings = Vec::new();
        for view in &drawing_views(frame, size_of_one(models.session.compared(), size)) {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let encoding = Encoding { gpu, renderer: &mut *renderer, encoder: &mut encoder };
            pair.draw(encoding, &Frame { view, ..*frame }, models, &target)?;
            gpu.queue.submit([encoder.finish()]);
            drawings.push(ReadBack::new(gpu, &texture));
        }
        let legend = LegendCard::new(frame, size, &mut None);
        Ok(ReadBack::all(drawings).map(move |drawings| {
            let mut picture = Picture::Rgba8 { size, bytes: average(drawings) };
            legend.iter().for_each(|card| card.paint(&mut picture));
            picture
        }))
    }

    /// Frees the resources of the second model.
    fn free_model(&mut self) {
        if self.pictures.take().is_some() {
            self.second.free_model();
        }
    }
}
