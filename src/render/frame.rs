//! The inputs of one picture.

use glam::DVec3;

use crate::look::{Ghost, Look, View};
use crate::model::{Model, Stage};
use crate::render::GpuModel;
use crate::render::scene::plan::Scene;

/// The inputs of one picture.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The model.
    pub model: &'a Model,
    /// The same model, uploaded.
    pub gpu_model: &'a GpuModel,
    /// The posed scene.
    pub stage: &'a Stage,
    /// Further instances of the same scene, each with its own pose: a crowd. Materials and lights are
    /// taken from `stage`.
    pub others: &'a [Stage],
    /// Other poses of the same scene, drawn translucent below the model in this order.
    pub ghosts: &'a [Ghost],
    /// The camera.
    pub view: &'a View,
    /// Pass, lighting and overlays.
    pub look: &'a Look,
    /// The box that the session frames, minimum and maximum in scene space. Its bottom is the height of
    /// the ground.
    pub bounds: (DVec3, DVec3),
}

impl<'a> Frame<'a> {
    pub(super) fn scene(&self) -> Scene<'a> {
        let Frame { model, gpu_model, stage, others, ghosts, .. } = *self;
        Scene { model, gpu_model, stage, others, ghosts }
    }
}
