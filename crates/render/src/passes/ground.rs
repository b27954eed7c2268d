//! The ground, which receives the shadow and the contact shadow, and carries the pool of light and the grid.

use std::collections::HashMap;

use glam::Vec3;

use super::contact::{CONTACT_FORMAT, ContactView};
use super::pass::{Drawing, FramePass, Setup};
use super::shadow::ShadowView;
use crate::device::pipeline::{Pipeline, Shader, flag};
use crate::scene::bind_layouts::{BindLayouts, bind_sampled, sampler, texture};
use crate::scene::canvas::{Attachment, attachment, depth_test, scene_format};
use crate::scene::frame_recorder::{DrawCall, SplitPass};
use crate::scene::uniforms::FrameUniform;
use crate::{Frame, Gpu, shader};
use rigview_model::Aabb;

/// Opacity of the shadow on the ground.
const SHADOW_ON_GROUND: f32 = 0.42;

/// Radius of the pool of light on the floor, as a multiple of the model's size.
const POOL: f32 = 1.4;

/// Opacity of the pool of light in its middle.
const FLOOR: f32 = 0.6;

/// Pixels of a picture up to which the whole ground is drawn by the pipeline that draws shadows on it: to build another
/// pipeline takes longer than what that saves.
const ONE_GROUND: u32 = 512 * 512;

/// What the ground needs of the passes that see the model from the light and from below.
pub struct GroundNeeds<'a> {
    pub shadow: Option<&'a ShadowView>,
    pub contact: Option<&'a ContactView>,
    /// The contact shadow's texture; `None` if it is not drawn.
    pub openness: Option<&'a wgpu::TextureView>,
}

/// Identifies a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct GroundKey {
    /// Whether it draws the part that shadows can fall on, or the rest.
    shadowed: bool,
    /// Whether the shadow on it was drawn with the ambient occlusion.
    shadow_is_drawn: bool,
    format: wgpu::TextureFormat,
    samples: u32,
}

/// The ground.
#[derive(Default)]
pub struct Ground {
    /// The keys of the parts that are shown: the rest, then the part that shadows can fall on.
    shown: Vec<GroundKey>,
    /// Group 1. `None` if no ground is shown.
    input: Option<Input>,
    shader: Option<Shader>,
    built: HashMap<GroundKey, wgpu::RenderPipeline>,
}

/// The contact shadow's texture, or `None` for a placeholder, and its bind group.
struct Input {
    openness: Option<wgpu::TextureView>,
    group: wgpu::BindGroup,
}

impl FramePass for Ground {
    type Needs<'a> = GroundNeeds<'a>;

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, needs: GroundNeeds<'_>) {
        let Setup { shared, camera, .. } = setup;
        let (gpu, frame) = (shared.gpu, &shared.frame);
        let pass = frame.look.pass;
        let has_grid = frame.look.grid && frame.look.takes_grid();
        self.shown.clear();
        if !has_grid && !frame.shows_floor() {
            self.input = None;
            return;
        }
        put_ground(camera, frame, &shared.bounds, &needs);
        put_shadowed(camera, frame, &needs, shared.target.whole());
        let reach = camera.ground_reach;
        let [least_x, _, most_x, _] = camera.shadowed;
        let parts =
            [(false, camera.shadowed != [-reach, -reach, reach, reach]), (true, least_x < most_x)];
        let (format, samples) = (scene_format(pass), shared.canvas.samples);
        let key = |(shadowed, shown): (bool, bool)| {
            let shadow_is_drawn = shadowed && needs.shadow.is_some();
            shown.then_some(GroundKey { shadowed, shadow_is_drawn, format, samples })
        };
        self.shown.extend(parts.into_iter().filter_map(key));
        let openness = needs.openness.cloned();
        self.input.take_if(|input| input.openness != openness);
        self.input.get_or_insert_with(|| Input::new(gpu, openness));
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        let Self { shown, shader, built, .. } = self;
        for key in shown {
            let shader = shader.get_or_insert_with(|| {
                let groups = [Some(&layouts.frame), Some(&input_layout(gpu))];
                Shader::new(gpu, "ground", shader::ground(), &groups)
            });
            built.entry(*key).or_insert_with(|| build(gpu, shader, *key));
        }
    }

    fn draw_in_scene<'a>(&'a self, pass: &mut SplitPass<'a, '_, '_>, _: &Drawing<'a>) {
        let Some(input) = &self.input else { return };
        for key in &self.shown {
            if let Some(pipeline) = self.built.get(key) {
                pass.set_bind_group(1, &input.group, &[]);
                pass.set_pipeline(pipeline);
                // Strips of two triangles.
                let instances = if key.shadowed { 0..1 } else { 0..8 };
                pass.draw(DrawCall { vertices: 0..4, corners: 4, instances, indexed: false });
            }
        }
    }
}

impl Input {
    fn new(gpu: &Gpu, openness: Option<wgpu::TextureView>) -> Self {
        let smooth = gpu.smooth_sampler("contact", wgpu::MipmapFilterMode::Nearest);
        let placeholder = || {
            let usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
            attachment(
                gpu,
                &Attachment {
                    label: "placeholder contact shadow",
                    size: [1, 1],
                    format: CONTACT_FORMAT,
                    samples: 1,
                    usage: usage | wgpu::TextureUsages::TEXTURE_BINDING,
                },
            )
        };
        let view = openness.clone().unwrap_or_else(placeholder);
        Self { openness, group: bind_sampled(gpu, &input_layout(gpu), &view, &smooth) }
    }
}

fn input_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let sampler = sampler(1, wgpu::SamplerBindingType::Filtering);
    gpu.bind_layout("contact", &[texture(0, wgpu::ShaderStages::FRAGMENT, true), sampler])
}

/// Fills in the ground, which extends as far as the shadows, the pool of light or the grid.
fn put_ground(
    uniform: &mut FrameUniform,
    frame: &Frame<'_>,
    posed: &Aabb,
    views: &GroundNeeds<'_>,
) {
    let framed = frame.framed_box();
    let size = framed.size().max_element();
    // A share of the posed size: feet would float over a long way.
    let lift = 2e-4 * posed.size().max_element().min(size).max(0.0);
    let mut middle = (0.5 * (framed.min + framed.max)).with_y(framed.min.y - lift);
    let mut reach = 0.0;
    if let Some(view) = views.shadow {
        (middle, reach) = (view.ground.center - lift * Vec3::Y, view.ground.reach);
        uniform.shadow_opacity = if view.is_above { SHADOW_ON_GROUND } else { 0.0 };
    }
    if let Some(view) = views.contact {
        let apart = (view.center - middle).with_y(0.0).abs().max_element();
        reach = reach.max(apart + view.reach);
        if frame.look.floor {
            let pool = POOL * size;
            (uniform.floor_brightness, uniform.floor_radius) = (FLOOR, pool);
            reach = reach.max(apart + pool);
        }
    }
    if frame.look.grid && size > 0.0 {
        let GridSize { cell, edge } = grid_size(size);
        // Align the lines with round coordinates of the scene.
        let origin = frame.stage.origin.as_vec3();
        let round =
            |x: f32, origin: f32| ((x + origin) / (10.0 * cell)).round() * 10.0 * cell - origin;
        middle.x = round(middle.x, origin.x);
        middle.z = round(middle.z, origin.z);
        reach = edge;
        uniform.cell_size = cell;
        uniform.grid_reach = edge;
    }
    uniform.ground = middle - uniform.eye;
    uniform.ground_reach = reach;
}

/// Fills in the part of the ground that shadows can fall on; all zeros if there are none. In a small picture that is
/// the whole ground.
fn put_shadowed(
    uniform: &mut FrameUniform,
    frame: &Frame<'_>,
    views: &GroundNeeds<'_>,
    [width, height]: [u32; 2],
) {
    let reach = uniform.ground_reach;
    let middle = uniform.ground + uniform.eye;
    let whole = Aabb { min: Vec3::splat(-reach), max: Vec3::splat(reach) };
    let mut part = Aabb::EMPTY;
    if let Some(view) = views.shadow.filter(|view| view.is_above) {
        if let Some(along) = view.ground.from_world.filter(|_| frame.others.is_empty()) {
            let thrown = frame.stage.drawn_bounds(frame.model, &along);
            if !thrown.is_empty() {
                part.add(thrown.min - view.ground.spread - middle);
                part.add(thrown.max + view.ground.spread - middle);
            }
        } else {
            part = whole;
        }
    }
    let corners = |part: &Aabb| {
        let [least, most] = [part.min, part.max].map(|corner| corner.clamp(whole.min, whole.max));
        [least.x, least.z, most.x, most.z]
    };
    if !part.is_empty() {
        uniform.thrown = corners(&part);
    }
    if let Some(view) = views.contact.filter(|_| views.openness.is_some()) {
        part.add(view.center - view.reach - middle);
        part.add(view.center + view.reach - middle);
    }
    if part.is_empty() {
        return;
    }
    if width.saturating_mul(height) <= ONE_GROUND {
        part = whole;
    }
    uniform.shadowed = corners(&part);
}

/// Returns the part of the ground that the key light's shadow can fall on, in world space.
pub fn shaded_ground(uniform: &FrameUniform) -> Aabb {
    let middle = uniform.ground + uniform.eye;
    let [least_x, least_z, most_x, most_z] = uniform.thrown;
    let corner = |x: f32, z: f32| middle + Vec3::new(x, 0.0, z);
    Aabb { min: corner(least_x, least_z), max: corner(most_x, most_z) }
}

/// Dimensions of the grid.
struct GridSize {
    /// Side of a cell.
    cell: f32,
    /// Distance from the centre at which the grid ends.
    edge: f32,
}

/// Returns the dimensions of the grid for a model of this size. Every tenth line is stronger, and the
/// model spans one to ten of the large cells.
fn grid_size(size: f32) -> GridSize {
    let cell = 10f32.powf(size.log10().floor() - 1.0);
    GridSize { cell, edge: (4.0 * size).max(30.0 * cell) }
}

fn build(gpu: &Gpu, shader: &Shader, key: GroundKey) -> wgpu::RenderPipeline {
    let constants =
        &[("shadowed", flag(key.shadowed)), ("shadow_is_drawn", flag(key.shadow_is_drawn))][..];
    Pipeline {
        constants: [constants; 2],
        topology: wgpu::PrimitiveTopology::TriangleStrip,
        depth: Some(depth_test(wgpu::CompareFunction::Greater, false)),
        samples: key.samples,
        blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        ..Pipeline::new(shader, "ground", ["vs_ground", "fs_ground"], key.format)
    }
    .build(gpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_cell_is_a_power_of_ten_that_fits_the_model() {
        for (size, cell) in [(1.8, 0.1), (0.02, 0.001), (150.0, 10.0), (1.0, 0.1)] {
            let actual = grid_size(size).cell;
            assert!((actual / cell - 1.0).abs() < 1e-5, "{size}: {actual}");
        }
    }
}
