//! Draws frames: prepares the resources, builds the missing pipelines and encodes the passes.

use super::encode::encode;
use super::frame::Frame;
use super::frame_pipelines::FramePipelines;
use super::frame_resources::FrameResources;
use super::recording::Recording;
use super::scene_resources::DrawStats;
use super::timing::{PassTime, Timing};
use super::{Gpu, GpuError, Target};

/// Draws pictures of a model. Keeps pipelines and resources from frame to frame.
pub struct Renderer {
    pipelines: FramePipelines,
    resources: FrameResources,
    /// `None` unless passes are timed.
    timing: Option<Timing>,
}

impl Renderer {
    /// Builds no pipeline yet: each is built when a frame first needs it.
    pub fn new(gpu: &Gpu) -> Self {
        let (pipelines, resources) = (FramePipelines::new(gpu), FrameResources::default());
        Self { pipelines, resources, timing: None }
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
    /// it draws another frame with this renderer.
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
        let Self { pipelines, resources, timing } = self;
        let prepared = resources.prepare(gpu, pipelines, frame, target);
        pipelines.build(gpu, &prepared, target.format);
        let record = &mut Recording { encoder, timing: timing.as_mut(), part: target.part };
        encode(record, gpu, pipelines, &prepared, target);
        if let Some(timing) = timing {
            timing.end(encoder);
        }
        Ok(())
    }
}
