//! One frame.

use super::{Gpu, Target};
use crate::look::{Look, View};
use crate::model::{Model, Stage};

/// The uploaded twin of a model.
pub struct GpuModel {}

impl GpuModel {
    /// Uploads a model's geometry and textures.
    pub fn new(gpu: &Gpu, model: &Model) -> Self {
        let _ = (gpu, model);
        todo!()
    }
}

/// What one picture is made of.
pub struct Frame<'a> {
    /// The model, its uploaded twin and its posed scene.
    pub model: &'a Model,
    /// The model, uploaded.
    pub gpu_model: &'a GpuModel,
    /// The scene, posed.
    pub stage: &'a Stage,
    /// Where from.
    pub view: &'a View,
    /// How.
    pub look: &'a Look,
}

/// Pipelines and buffers that outlive a frame.
pub struct Renderer {}

impl Renderer {
    /// Builds nothing yet: pipelines are built when a picture first needs them.
    pub fn new(gpu: &Gpu) -> Self {
        let _ = gpu;
        todo!()
    }

    /// Records a frame: writes the frame's buffer and draws. The caller submits the encoder.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame<'_>,
        target: &Target<'_>,
    ) {
        let _ = (gpu, encoder, frame, target);
        todo!()
    }
}
