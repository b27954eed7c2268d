//! The contact shadow: the share of the surroundings that the model hides from the ground below it.
//!
//! The model is drawn as seen from below, and each texel of the ground sums up what hides its sky. This needs
//! no light, so a model stands on the ground under every light.

use glam::{Mat4, Vec2, Vec3, Vec3Swizzles, Vec4};

use super::depth_pipelines::DepthUse;
use super::pass::{Drawing, FramePass, Setup};
use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::{BindLayouts, texture};
use crate::scene::canvas::{Attachment, DEPTH_FORMAT, attachment};
use crate::scene::frame_recorder::{FrameRecorder, SplitPass, color};
use crate::scene::uniforms::FrameUniform;
use crate::scene::viewpoint::{LightMaps, Viewpoint};
use crate::{Gpu, shader};
use rigview_model::Aabb;

/// Format of the openness.
pub const CONTACT_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R8Unorm;

/// Edge of the map of heights in texels.
const HEIGHTS: u32 = 256;

/// Edge of the map of openness in texels.
const TEXELS: u32 = 128;

/// Margin around the model's box, as a fraction of the diagonal.
const MARGIN: f32 = 0.15;

/// Height up to which the model hides the surroundings, as a fraction of the diagonal.
const HEIGHT: f32 = 0.4;

/// Room below the ground, for feet that reach through it, as a fraction of the height.
pub const BELOW: f32 = 0.05;

/// The ground's view of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactView {
    /// From world space to clip space of the map's render pass.
    pub projection_from_world: Mat4,
    /// Centre of the square on the ground, and half the length of a side.
    pub center: Vec3,
    pub reach: f32,
    /// Height of the view above the ground, in halves of a side.
    pub height: f32,
}

impl ContactView {
    /// Returns a view of the model in a box above a ground at height `floor`. `None` for a box that is empty, a
    /// point or not finite.
    pub fn new(bounds: &Aabb, floor: f32) -> Option<Self> {
        let size = bounds.size().length();
        if !(bounds.min.is_finite() && bounds.max.is_finite() && size > 0.0) {
            return None;
        }
        let center = bounds.center().with_y(floor);
        let reach = 0.5 * bounds.size().x.max(bounds.size().z) + MARGIN * size;
        let height = HEIGHT * size;
        // X to the right and Z up, seen along +Y; depth from 0 below the ground to 1 at the height.
        let depth = (1.0 + BELOW) * height;
        let axes = Mat4::from_cols(
            Vec4::new(1.0 / reach, 0.0, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 1.0 / depth, 0.0),
            Vec4::new(0.0, 1.0 / reach, 0.0, 0.0),
            Vec4::new(0.0, 0.0, BELOW / (1.0 + BELOW), 1.0),
        );
        let projection_from_world = axes * Mat4::from_translation(-center);
        Some(Self { projection_from_world, center, reach, height: height / reach })
    }
}

/// The contact shadow.
#[derive(Default)]
pub struct Contact {
    /// `None` where no floor is shown.
    view: Option<ContactView>,
    /// `None` too if the adapter cannot read depth textures.
    drawn: Option<Drawn>,
    pipeline: Option<wgpu::RenderPipeline>,
}

/// The maps.
struct Drawn {
    /// The model seen from the ground.
    heights: wgpu::TextureView,
    /// The share of the surroundings that it leaves open.
    openness: wgpu::TextureView,
    /// Group 1 of the pass that draws the openness.
    input: wgpu::BindGroup,
    viewpoint: Viewpoint,
}

impl Contact {
    /// The ground's view of the model; `None` where no floor is shown.
    pub fn view(&self) -> Option<&ContactView> {
        self.view.as_ref()
    }

    /// The share of the surroundings that the model leaves open; `None` if it is not drawn.
    pub fn openness(&self) -> Option<&wgpu::TextureView> {
        self.drawn.as_ref().map(|drawn| &drawn.openness)
    }
}

impl FramePass for Contact {
    type Needs<'a> = ();

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, (): ()) {
        let shared = &setup.shared;
        let (gpu, frame) = (shared.gpu, &shared.frame);
        let floor = frame.shows_floor().then(|| frame.framed_box().min.y);
        self.view = floor.and_then(|floor| ContactView::new(&shared.bounds, floor));
        let Some(view) = &self.view else {
            self.drawn = None;
            return;
        };
        setup.camera.contact_center = (view.center - setup.camera.eye).xz();
        setup.camera.contact_reach = view.reach;
        setup.camera.contact_texels = TEXELS as f32;
        setup.camera.contact_height = view.height;
        setup.camera.contact_below = BELOW;
        let drawn = self.drawn.get_or_insert_with(|| Drawn::new(gpu));
        let projection_from_world = view.projection_from_world.to_cols_array_2d();
        let picture_size = Vec2::splat(HEIGHTS as f32);
        let seen = FrameUniform { projection_from_world, picture_size, ..setup.camera };
        drawn.viewpoint.write(gpu, &seen);
        drawn.viewpoint.bind(gpu, shared.layouts, shared.bindings, LightMaps::default());
        setup.pipelines.depths.request(DepthUse::Shadow, shared);
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        if self.drawn.is_some() {
            self.pipeline.get_or_insert_with(|| build(gpu, layouts));
        }
    }

    /// Draws the model seen from the ground, then the share of the surroundings that it leaves open.
    fn record(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let Some((drawn, pipeline)) = self.drawn.as_ref().zip(self.pipeline.as_ref()) else {
            return;
        };
        let Drawn { heights, openness, input, viewpoint } = drawn;
        let Some(group) = viewpoint.group() else { return };
        let begin =
            |record: &mut FrameRecorder<'_>, start| record.depth_pass("contact", heights, start);
        let mut pass = SplitPass::new(record, &begin);
        pass.set_bind_group(0, group, &[]);
        drawing.pipelines.depths.draw(&mut pass, DepthUse::Shadow, &drawing.shared);
        drop(pass);
        let color_attachments = &[color(openness, wgpu::LoadOp::Clear(wgpu::Color::WHITE))];
        let descriptor = wgpu::RenderPassDescriptor { color_attachments, ..Default::default() };
        let mut pass = record.pass("contact", descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.set_bind_group(1, input, &[]);
        pass.draw(0..3, 0..1);
    }
}

impl Drawn {
    fn new(gpu: &Gpu) -> Self {
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let usage = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let make = |label, format, edge| {
            let size = [edge, edge];
            attachment(gpu, &Attachment { label, size, format, samples: 1, usage })
        };
        let heights = make("heights above the ground", DEPTH_FORMAT, HEIGHTS);
        let view = wgpu::BindingResource::TextureView(&heights);
        let input = gpu.bind("heights", &input_layout(gpu), &[view]);
        Self {
            heights,
            openness: make("contact shadow", CONTACT_FORMAT, TEXELS),
            input,
            viewpoint: Viewpoint::new(gpu, "ground"),
        }
    }
}

/// Builds the pipeline that draws the openness.
fn build(gpu: &Gpu, layouts: &BindLayouts) -> wgpu::RenderPipeline {
    let groups = [Some(&layouts.frame), Some(&input_layout(gpu))];
    let shader = Shader::new(gpu, "contact", shader::contact(), &groups);
    Pipeline::new(&shader, "contact", ["vs_contact", "fs_contact"], CONTACT_FORMAT).build(gpu)
}

/// Creates the layout of the pass that reads the heights.
fn input_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    gpu.bind_layout("heights", &[texture(0, wgpu::ShaderStages::FRAGMENT, false)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_view_contains_the_model_and_its_surroundings() {
        let bounds = Aabb { min: Vec3::new(-1.0, 0.5, -0.2), max: Vec3::new(0.5, 3.0, 0.2) };
        let view = ContactView::new(&bounds, 0.5).unwrap();
        for corner in bounds.corners() {
            let at = view.projection_from_world.transform_point3(corner);
            assert!(at.x.abs() < 0.9 && at.y.abs() < 0.9 && at.z > 0.0, "{at}");
        }
        let below = |y: f32| view.projection_from_world.transform_point3(Vec3::new(0.0, y, 0.0)).z;
        assert!(below(0.5) > 0.0 && below(0.5) < below(1.0) && below(1.0) < 1.0);
        assert_eq!(ContactView::new(&Aabb::EMPTY, 0.0), None);
    }
}
