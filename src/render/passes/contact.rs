//! The contact shadow: the share of the surroundings that the model hides from the ground below it.
//!
//! The model is drawn as seen from below, and each texel of the ground sums up what hides its sky. This needs
//! no light, so a model stands on the ground under every light.

use glam::{Mat4, Vec3, Vec4};

use super::full_screen::FullScreen;
use crate::model::Aabb;
use crate::render::scene::bind_layouts::{Layouts, depth_texture, sampler, texture};
use crate::render::scene::canvas::{Attachment, attachment};
use crate::render::scene::formats::{CONTACT_FORMAT, DEPTH_FORMAT};
use crate::render::{Gpu, shader};

/// Edge of the map of heights in texels.
const HEIGHTS: u32 = 256;

/// Edge of the map of openness in texels.
pub const TEXELS: u32 = 128;

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

/// The maps.
pub struct Contact {
    /// The model as the ground sees it.
    pub heights: wgpu::TextureView,
    /// The share of the surroundings that it leaves open.
    pub openness: wgpu::TextureView,
    /// Group 1 of the pass that draws the openness.
    pub input: wgpu::BindGroup,
    /// Group 1 of the ground.
    pub ground: wgpu::BindGroup,
    /// Group 1 of a ground without contact.
    pub nothing: wgpu::BindGroup,
}

/// Creates the layout of the ground's group 1.
pub fn ground_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("contact"),
        entries: &[
            texture(0, wgpu::ShaderStages::FRAGMENT, true),
            sampler(1, wgpu::SamplerBindingType::Filtering),
        ],
    })
}

impl Contact {
    /// Allocates the maps.
    pub fn new(gpu: &Gpu) -> Self {
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let usage = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let make = |label, format, edge| {
            let size = [edge, edge];
            attachment(gpu, &Attachment { label, size, format, samples: 1, usage })
        };
        let heights = make("heights above the ground", DEPTH_FORMAT, HEIGHTS);
        let openness = make("contact shadow", CONTACT_FORMAT, TEXELS);
        let input = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("heights"),
            layout: &input_layout(gpu),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&heights),
            }],
        });
        let none = make("placeholder contact shadow", CONTACT_FORMAT, 1);
        let (ground, nothing) = (bind(gpu, &openness), bind(gpu, &none));
        Self { heights, openness, input, ground, nothing }
    }
}

/// Builds the pipeline that draws the openness.
pub fn build(gpu: &Gpu, layouts: &Layouts) -> wgpu::RenderPipeline {
    let input = input_layout(gpu);
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("contact"),
        bind_group_layouts: &[Some(&layouts.frame), Some(&input)],
        immediate_size: 0,
    });
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("contact"),
        source: wgpu::ShaderSource::Wgsl(shader::contact().into()),
    });
    FullScreen {
        label: "contact",
        layout: &layout,
        module: &module,
        entries: ["vs_contact", "fs_contact"],
        constants: &[],
        format: CONTACT_FORMAT,
        blend: None,
    }
    .build(gpu)
}

/// Creates the layout of the pass that reads the heights.
fn input_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("heights"),
        entries: &[depth_texture(0)],
    })
}

fn bind(gpu: &Gpu, view: &wgpu::TextureView) -> wgpu::BindGroup {
    let smooth = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("contact"),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    });
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("contact"),
        layout: &ground_layout(gpu),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&smooth) },
        ],
    })
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
