//! Draws frames: prepares the resources, builds the missing pipelines and encodes the passes.

use crate::render::device::timing::{PassTime, Timing};
use crate::render::frame::Frame;
use crate::render::passes::encode::encode;
use crate::render::passes::frame_pipelines::FramePipelines;
use crate::render::pick::{Pick, PickPlace};
use crate::render::scene::frame_resources::FrameResources;
use crate::render::scene::recording::Recording;
use crate::render::scene::scene_resources::DrawStats;
use crate::render::scene::split_pass;
use crate::render::{Gpu, GpuError, Target, pick};

/// Draws pictures of a model. Keeps pipelines and resources from frame to frame.
pub struct Renderer {
    pipelines: FramePipelines,
    resources: FrameResources,
    /// `None` unless passes are timed.
    timing: Option<Timing>,
    /// Primitives per submission.
    piece: u64,
}

impl Renderer {
    /// Builds no pipeline yet: each is built when a frame first needs it.
    pub fn new(gpu: &Gpu) -> Self {
        let (pipelines, resources) = (FramePipelines::new(gpu), FrameResources::default());
        let piece = if gpu.is_software() { split_pass::PRIMITIVES } else { u64::MAX };
        Self { pipelines, resources, timing: None, piece }
    }

    /// Sets how many points, lines and triangles are drawn per submission. Unless set, this is unlimited on
    /// GPUs; on software adapters, which keep them all in memory until they are shaded, it is 131,072.
    pub fn draw_in_pieces(&mut self, primitives: u64) {
        self.piece = primitives;
    }

    /// Enables or disables per-pass GPU timing from the next frame on. Does nothing if the adapter has no
    /// timestamps.
    pub fn time_passes(&mut self, gpu: &Gpu, on: bool) {
        if on != self.timing.is_some() {
            self.timing = if on { Timing::new(gpu) } else { None };
        }
    }

    /// Returns the GPU time per pass of the latest finished frame; empty unless passes are timed.
    pub fn pass_times(&mut self, gpu: &Gpu) -> &[PassTime] {
        self.timing.as_mut().map_or(&[], |timing| timing.read(gpu))
    }

    /// Returns the draw calls and triangles of the last picture.
    pub fn stats(&self) -> DrawStats {
        self.resources.stats()
    }

    /// Frees the resources of the model that was drawn last.
    pub fn let_go(&mut self) {
        self.resources.free_scene();
    }

    /// Records a frame: uploads its data and encodes its passes. The caller must submit the encoder before
    /// it draws another frame with this renderer. Large models are drawn
    /// [in pieces](Renderer::draw_in_pieces): what was recorded so far, by the caller too, is submitted, and
    /// `encoder` is replaced by a new one.
    ///
    /// # Errors
    /// If the target has no pixels, or the adapter cannot draw the pass. Nothing is recorded then.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame<'_>,
        target: &Target<'_>,
    ) -> Result<(), GpuError> {
        if target.size().contains(&0) {
            return Err(GpuError::NothingToDraw("the picture has no pixels"));
        }
        gpu.require(frame.look.pass)?;
        let Self { pipelines, resources, timing, piece } = self;
        let prepared = resources.prepare(gpu, pipelines, frame, target);
        pipelines.build(gpu, &prepared, target.format);
        let mut record = Recording {
            gpu,
            encoder,
            timing: timing.as_mut(),
            part: target.part,
            piece: *piece,
            primitives: 0,
            submitted: None,
        };
        encode(&mut record, pipelines, &prepared, target);
        if let Some(timing) = timing {
            timing.end(encoder);
        }
        Ok(())
    }

    /// Begins to find what the picture of a frame shows at a pixel, with the frame's culling, alpha masks, morphs
    /// and skins. Overlays are not found, and of a crowd only the first instance. The frames that were recorded
    /// with this renderer must have been submitted. The answer comes when the GPU is done.
    ///
    /// # Errors
    /// If the place is outside of the picture, or the adapter cannot draw the pass.
    pub fn pick(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        place: PickPlace,
    ) -> Result<Pick, GpuError> {
        if (0..2).any(|axis| place.pixel[axis] >= place.size[axis]) {
            return Err(GpuError::NothingToDraw("the place is outside of the picture"));
        }
        gpu.require(frame.look.pass)?;
        let Self { pipelines, resources, .. } = self;
        let posed = resources.prepare_pick(gpu, pipelines, frame, place.size);
        let FramePipelines { layouts, spot, picks, .. } = pipelines;
        Ok(pick::ask(gpu, layouts, (spot, picks), &posed, place))
    }
}
