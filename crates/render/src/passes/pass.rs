//! What every pass does, and what it gets for it.

use super::depth_pipelines::DepthPipelines;
use super::mesh_pipelines::MeshPipelines;
use crate::Gpu;
use crate::scene::bind_layouts::BindLayouts;
use crate::scene::frame_recorder::FrameRecorder;
use crate::scene::frame_recorder::SplitPass;
use crate::scene::shared_frame::SharedFrame;
use crate::scene::uniforms::FrameUniform;

/// A pass of a frame. It owns its textures, its pipelines and its numbers. If the frame shows nothing of it, it has no
/// textures, requests no pipelines and records nothing.
pub trait FramePass {
    /// What it needs from other passes to prepare.
    type Needs<'a>
    where
        Self: Sized;

    /// Decides what the frame shows, allocates the textures for it, uploads its numbers, and requests the pipelines
    /// that it shares with others.
    fn prepare(&mut self, setup: &mut Setup<'_, '_>, needs: Self::Needs<'_>)
    where
        Self: Sized;

    /// Builds the pipelines of its own that the prepared frame needs and that are not there yet.
    fn build(&mut self, _gpu: &Gpu, _layouts: &BindLayouts) {}

    /// Frees what belongs to the size of the last picture or to its scene. Pipelines are kept.
    fn free(&mut self) {}

    /// Records render passes on textures of its own.
    fn record(&self, _record: &mut FrameRecorder<'_>, _drawing: &Drawing<'_>) {}

    /// Draws in the render pass of the scene, after the passes before it in the list. The camera is bound as group 0.
    fn draw_in_scene<'a>(&'a self, _pass: &mut SplitPass<'a, '_, '_>, _drawing: &Drawing<'a>) {}

    /// Draws in the render pass of the overlay. The camera is bound as group 0.
    fn draw_on_overlay(&self, _pass: &mut wgpu::RenderPass<'_>) {}
}

/// The pipelines that draw the scene's meshes, which several passes share.
#[derive(Default)]
pub struct ScenePipelines {
    pub meshes: MeshPipelines,
    pub depths: DepthPipelines,
}

/// A frame while its passes prepare.
pub struct Setup<'a, 'p> {
    pub shared: SharedFrame<'a>,
    /// The camera's numbers. Passes fill in their own.
    pub camera: FrameUniform,
    pub pipelines: &'p mut ScenePipelines,
}

/// A frame while its passes record. All pipelines are built.
#[derive(Clone, Copy)]
pub struct Drawing<'a> {
    pub shared: SharedFrame<'a>,
    /// Group 0 of the camera.
    pub camera: &'a wgpu::BindGroup,
    pub pipelines: &'a ScenePipelines,
    /// The overlay; `None` if nothing is drawn on it.
    pub overlay: Option<&'a wgpu::TextureView>,
}
