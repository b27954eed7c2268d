//! The light that reaches what the camera sees: ambient occlusion in screen space, which is the share of the
//! surroundings that each visible point can see, and the share of the key light on surfaces and on the ground.
//!
//! Four passes: distances and geometric normals of the nearest surfaces; a few samples per pixel, which differ within a
//! pattern; and two filters that join the pattern. The result is read by the shaders of meshes, which find their own
//! surface in it by its depth, and of the ground.

use std::collections::HashMap;

use glam::{Mat4, Vec3};

use super::depth_pipelines::{DepthUse, SHAPE_FORMAT};
use super::ground::shaded_ground;
use super::pass::{Drawing, FramePass, Setup};
use crate::device::pipeline::{Pipeline, Shader};
use crate::scene::bind_layouts::{BindLayouts, texture};
use crate::scene::canvas::{Attachment, DEPTH_FORMAT, attachment};
use crate::scene::frame_recorder::{FrameRecorder, SplitPass, Start, color, depth};
use crate::scene::uniforms::FrameUniform;
use crate::scene::viewpoint::{LightMaps, OPENNESS_FORMAT, Viewpoint};
use crate::{Gpu, shader};
use rigview_look::{Look, Pass};
use rigview_model::Aabb;

/// Longest edge of the textures in pixels. In a larger picture, a texel covers several pixels.
const LONGEST: u32 = 2048;

/// Distance within which surfaces occlude each other, as a fraction of the diagonal of the model's box without its floor.
const REACH: f32 = 0.5;

/// Whether a look needs ambient occlusion.
fn is_wanted(look: &Look) -> bool {
    match look.pass {
        Pass::AmbientOcclusion => true,
        pass => pass.is_shaded() && look.lighting.ambient_occlusion,
    }
}

/// Returns the size of the textures for a picture: in motion, half of its width and height.
fn size_for(picture: [u32; 2], in_motion: bool) -> [u32; 2] {
    let size = picture.map(|edge| if in_motion { edge.div_ceil(2) } else { edge });
    let longest = size[0].max(size[1]);
    if longest <= LONGEST {
        return size;
    }
    size.map(|edge| {
        let scaled = u64::from(edge) * u64::from(LONGEST) / u64::from(longest);
        scaled.max(1) as u32
    })
}

/// The values where nothing is drawn, see `shaders/occlusion.wgsl`.
const NOTHING: wgpu::Color = wgpu::Color { r: 4.0, g: 60_000.0, b: 1.0, a: 0.0 };

/// The shape where nothing is drawn, see `shaders/packed_shape.wgsl`.
const NO_SHAPE: wgpu::Color = wgpu::Color { r: 60_000.0, g: 0.0, b: 0.0, a: 0.0 };

/// What the samples of a picture find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct OcclusionKey {
    /// Whether ambient light is occluded.
    occluded: bool,
    /// Whether a light casts a shadow.
    shadowed: bool,
    /// Whether a pixel takes few samples, since the picture is soon replaced.
    in_motion: bool,
}

impl OcclusionKey {
    /// Returns the values of the shader's `override`s.
    fn constants(self) -> [(&'static str, f64); 4] {
        let flag = |set| f64::from(u8::from(set));
        let (slices, further) = if self.in_motion { (1.0, 12.0) } else { (6.0, 20.0) };
        [
            ("occluded", flag(self.occluded)),
            ("shadowed", flag(self.shadowed)),
            ("slices", slices),
            ("further", further),
        ]
    }
}

/// Ambient occlusion, with the shadow on opaque surfaces and on the ground.
#[derive(Default)]
pub struct Occlusion {
    /// `None` for a picture without both.
    drawn: Option<Drawn>,
    /// Take the samples.
    samples: HashMap<OcclusionKey, wgpu::RenderPipeline>,
    /// Joins them.
    filter: Option<wgpu::RenderPipeline>,
}

/// The textures for pictures of one size.
struct Drawn {
    key: OcclusionKey,
    size: [u32; 2],
    /// Distance ahead of the camera, and normal.
    shape: wgpu::TextureView,
    depth: wgpu::TextureView,
    /// The samples, and what the first filter makes of them.
    rough: wgpu::TextureView,
    joined: wgpu::TextureView,
    /// Openness, distance ahead relative to the model, and share of the key light.
    openness: wgpu::TextureView,
    /// Group 1 of the three last passes.
    inputs: [wgpu::BindGroup; 3],
    /// The camera's, which does not bind what the filter draws.
    filter_viewpoint: Viewpoint,
    /// The part of the textures that the model and its shadow cover: left, top, width and height.
    part: [u32; 4],
}

impl Occlusion {
    /// Whether ambient light is occluded.
    pub fn occludes(&self) -> bool {
        self.drawn.as_ref().is_some_and(|drawn| drawn.key.occluded)
    }

    /// Size of the textures; `None` for a picture without.
    pub fn size(&self) -> Option<[u32; 2]> {
        self.drawn.as_ref().map(|drawn| drawn.size)
    }

    /// What surfaces read; `None` for a picture without.
    pub fn openness(&self) -> Option<&wgpu::TextureView> {
        self.drawn.as_ref().map(|drawn| &drawn.openness)
    }
}

impl FramePass for Occlusion {
    /// Whether a light casts a shadow. The ground must have been prepared.
    type Needs<'a> = bool;

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, shadowed: bool) {
        let shared = &setup.shared;
        let (gpu, bindings) = (shared.gpu, shared.bindings);
        let look = shared.frame.look;
        let size = size_for(shared.target.whole(), look.in_motion);
        let key = OcclusionKey { occluded: is_wanted(look), shadowed, in_motion: look.in_motion };
        let wanted = key.occluded || key.shadowed;
        self.drawn.take_if(|drawn| !wanted || drawn.size != size);
        if !wanted {
            return;
        }
        put_occlusion(&mut setup.camera, &shared.standing);
        let drawn = self.drawn.get_or_insert_with(|| {
            Drawn::new(gpu, size, Viewpoint::of_camera(bindings, "camera of the filter"))
        });
        drawn.key = key;
        let projection = Mat4::from_cols_array_2d(&setup.camera.projection_from_world);
        let boxes = [shared.bounds, shaded_ground(&setup.camera)];
        let covered = if shadowed { &boxes[..] } else { &boxes[..1] };
        drawn.part = part_of(covered, &projection, size);
        drawn.filter_viewpoint.bind(gpu, shared.layouts, bindings, LightMaps::default());
        setup.pipelines.depths.request(DepthUse::Occlusion, shared);
    }

    fn build(&mut self, gpu: &Gpu, layouts: &BindLayouts) {
        if let Some(Drawn { key, .. }) = self.drawn
            && !self.samples.contains_key(&key)
        {
            let constants = key.constants();
            let samples = build(gpu, layouts, "fs_horizons", &constants);
            self.samples.insert(key, samples);
            self.filter.get_or_insert_with(|| build(gpu, layouts, "fs_filter", &[]));
        }
    }

    /// Draws distances and normals, the samples of each pixel, and the two filters.
    fn record(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let Some((drawn, filter)) = self.drawn.as_ref().zip(self.filter.as_ref()) else { return };
        let Some(samples) = self.samples.get(&drawn.key) else { return };
        let begin = |record: &mut FrameRecorder<'_>, start| drawn.begin_shape(record, start);
        let mut pass = SplitPass::new(record, &begin);
        pass.set_bind_group(0, drawing.camera, &[]);
        drawing.pipelines.depths.draw(&mut pass, DepthUse::Occlusion, &drawing.shared);
        drop(pass);
        let Some(viewpoint) = drawn.filter_viewpoint.group() else { return };
        let steps = [
            (&drawn.rough, samples, drawing.camera, 0),
            (&drawn.joined, filter, viewpoint, 0),
            (&drawn.openness, filter, viewpoint, 1),
        ];
        for ((target, pipeline, viewpoint, stage), input) in steps.into_iter().zip(&drawn.inputs) {
            let color_attachments = &[color(target, wgpu::LoadOp::Clear(NOTHING))];
            let descriptor = wgpu::RenderPassDescriptor { color_attachments, ..Default::default() };
            let mut pass = record.pass("occlusion", descriptor);
            let [left, top, width, height] = drawn.part;
            pass.set_scissor_rect(left, top, width, height);
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, viewpoint, &[]);
            pass.set_bind_group(1, input, &[]);
            pass.draw(0..3, stage..stage + 1);
        }
    }
}

/// Fills in the fields of ambient occlusion, for a model in a box without its floor.
fn put_occlusion(uniform: &mut FrameUniform, bounds: &Aabb) {
    let size = bounds.size().length();
    if size.is_finite() && size > 0.0 {
        uniform.occlusion_reach = REACH * size;
        uniform.center_ahead = -(bounds.center() - uniform.eye).dot(uniform.backward);
    } else {
        (uniform.occlusion_reach, uniform.center_ahead) = (1.0, 0.0);
    }
}

/// Builds the pipeline of a fragment entry point: the one that takes the samples, or the one that joins them.
fn build(
    gpu: &Gpu,
    layouts: &BindLayouts,
    fragment: &str,
    constants: &[(&str, f64)],
) -> wgpu::RenderPipeline {
    let (label, groups) = ("ambient occlusion", [Some(&layouts.frame), Some(&input_layout(gpu))]);
    let shader = Shader::new(gpu, label, shader::occlusion(), &groups);
    let entries = ["vs_occlusion", fragment];
    let pipeline = Pipeline::new(&shader, fragment, entries, OPENNESS_FORMAT);
    Pipeline { constants: [constants; 2], ..pipeline }.build(gpu)
}

impl Drawn {
    fn new(gpu: &Gpu, size: [u32; 2], filter_viewpoint: Viewpoint) -> Self {
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let usage = drawn | wgpu::TextureUsages::TEXTURE_BINDING;
        let make = |label, format, usage| {
            attachment(gpu, &Attachment { label, size, format, samples: 1, usage })
        };
        let shape = make("distance and normal of surfaces", SHAPE_FORMAT, usage);
        let rough = make("unfiltered ambient occlusion", OPENNESS_FORMAT, usage);
        let joined = make("partly filtered ambient occlusion", OPENNESS_FORMAT, usage);
        let layout = input_layout(gpu);
        let bind = |first: &wgpu::TextureView| {
            let views = [first, &shape].map(wgpu::BindingResource::TextureView);
            gpu.bind("ambient occlusion", &layout, &views)
        };
        Self {
            key: OcclusionKey { occluded: false, shadowed: false, in_motion: false },
            size,
            inputs: [&shape, &rough, &joined].map(bind),
            depth: make("depth of surfaces", DEPTH_FORMAT, drawn),
            openness: make("ambient occlusion", OPENNESS_FORMAT, usage),
            shape,
            rough,
            joined,
            filter_viewpoint,
            part: [0; 4],
        }
    }

    /// Begins the pass that draws distances and normals.
    fn begin_shape(
        &self,
        record: &mut FrameRecorder<'_>,
        start: Start,
    ) -> wgpu::RenderPass<'static> {
        let (load, depth_load) = match start {
            Start::New => (wgpu::LoadOp::Clear(NO_SHAPE), wgpu::LoadOp::Clear(0.0)),
            Start::Continued => (wgpu::LoadOp::Load, wgpu::LoadOp::Load),
        };
        let descriptor = wgpu::RenderPassDescriptor {
            color_attachments: &[color(&self.shape, load)],
            depth_stencil_attachment: depth(&self.depth, depth_load),
            ..Default::default()
        };
        record.pass("occlusion", descriptor).forget_lifetime()
    }
}

fn input_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let fragment = wgpu::ShaderStages::FRAGMENT;
    let entries = [0, 1].map(|binding| texture(binding, fragment, false));
    gpu.bind_layout("ambient occlusion", &entries)
}

/// Returns the part of a picture of `size` pixels that boxes cover: left, top, width and height. The whole
/// picture if a box reaches behind the camera.
pub fn part_of(boxes: &[Aabb], projection_from_world: &Mat4, size: [u32; 2]) -> [u32; 4] {
    let whole = [0, 0, size[0], size[1]];
    let (mut least, mut most) = (Vec3::MAX, Vec3::MIN);
    for corner in boxes.iter().flat_map(Aabb::corners) {
        let at = *projection_from_world * corner.extend(1.0);
        if !(at.is_finite() && at.w > 0.0) {
            return whole;
        }
        let at = at.truncate() / at.w;
        (least, most) = (least.min(at), most.max(at));
    }
    // Rounding moves an edge by at most a pixel.
    let pixel =
        |ndc: f32, edge: u32| ((0.5 + 0.5 * ndc) * edge as f32).clamp(-1.0, 1.0 + edge as f32);
    let span = |least: f32, most: f32, edge: u32| {
        let first = (pixel(least, edge).floor() - 1.0).max(0.0) as u32;
        let end = ((pixel(most, edge).ceil() + 1.0) as u32).min(edge);
        (first.min(edge - 1), end.saturating_sub(first).max(1))
    };
    let (left, width) = span(least.x, most.x, size[0]);
    let (top, height) = span(-most.y, -least.y, size[1]);
    [left, top, width.min(size[0] - left), height.min(size[1] - top)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_textures_of_a_large_picture_keep_its_shape() {
        assert_eq!(size_for([300, 200], false), [300, 200]);
        assert_eq!(size_for([8192, 4096], false), [2048, 1024]);
        assert_eq!(size_for([1, 8192], false), [1, 2048]);
        assert_eq!(size_for([301, 200], true), [151, 100]);
        assert_eq!(size_for([1, 8192], true), [1, 2048]);
    }

    #[test]
    fn the_part_of_a_picture_is_around_the_box() {
        let half = Aabb { min: Vec3::new(-0.5, 0.0, 0.0), max: Vec3::new(0.5, 0.5, 0.0) };
        assert_eq!(part_of(&[half], &Mat4::IDENTITY, [100, 100]), [24, 24, 52, 27]);
        let outside = Aabb { min: Vec3::splat(3.0), max: Vec3::splat(4.0) };
        let [left, top, width, height] = part_of(&[outside], &Mat4::IDENTITY, [100, 100]);
        assert!(left + width <= 100 && top + height <= 100 && width > 0 && height > 0);
        let behind = Mat4::from_diagonal(glam::Vec4::new(1.0, 1.0, 1.0, -1.0));
        assert_eq!(part_of(&[half], &behind, [100, 100]), [0, 0, 100, 100]);
    }
}
